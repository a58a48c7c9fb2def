"""The ledger: every check is executed, every generated table is current, malformed entries are refused."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dppca.proofs_notes.__main__ import main
from dppca.proofs_notes.ledger import claims as ledger
from dppca.proofs_notes.ledger.binding import forget
from dppca.proofs_notes.ledger.claims import (
    LEDGER,
    README,
    LedgerClaim,
    LedgerError,
    bound_algorithms,
    check_quantifiers,
    execute,
    figures,
    ledger_page,
    load,
    resolve,
    with_part,
)
from dppca.proofs_notes.ledger.evidence import Evidence
from dppca.proofs_notes.ledger.findings import FINDINGS, false_as_published, findings_page, headlines, readme_part
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import GaussianLaw

CLAIMS = load()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_claim_is_borne_out(claim: LedgerClaim) -> None:
    execute(claim)
    assert resolve(claim.code) is not None


def test_what_claims_quantify_over_agrees_with_all_that_says_it() -> None:
    check_quantifiers()


def test_generated_pages_are_current() -> None:
    """But for the figures, whose last digits may depend on the machine."""
    nothing = Evidence("open", "")
    assert _without_figures(LEDGER.read_text()) == _without_figures(ledger_page(CLAIMS, [nothing] * len(CLAIMS))), (
        "run `make ledger`"
    )
    found = figures()
    assert FINDINGS.read_text() == findings_page(CLAIMS, found, headlines(CLAIMS, found)), "run `make ledger`"
    assert README.read_text() == with_part(README.read_text(), readme_part(CLAIMS, found)), "run `make ledger`"


def _without_figures(page: str) -> list[str]:
    return [line for line in page.splitlines() if not line.startswith("* Evidence (")]


def test_the_privacy_of_every_algorithm_is_claimed_about_its_code() -> None:
    bound = {key for claim in CLAIMS for key in bound_algorithms(claim)}
    assert bound == {key for key, entry in ALGORITHMS.items() if entry.private}


def test_a_claim_falls_of_code_that_does_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise halved where it is drawn: no formula moves, and the claim falls."""
    claim = next(claim for claim in CLAIMS if claim.id == "dwork2014.algorithm-1-privacy")
    execute(claim)
    sound = GaussianLaw.apply
    monkeypatch.setattr(GaussianLaw, "apply", lambda law, value, draw: sound(replace(law, std=law.std / 2), value, draw))
    forget()
    try:
        with pytest.raises(LedgerError, match=r"the check found refuted .*baselines\.analyze_gauss: .*GaussianLaw"):
            execute(claim)
    finally:
        forget()


def test_the_catalogue_names_claims_of_the_ledger() -> None:
    ids = {claim.id for claim in CLAIMS}
    for key, entry in ALGORITHMS.items():
        assert entry.claims, key
        assert set(entry.claims) <= ids, key


GOOD = {
    "id": "x.y",
    "source": "s",
    "statement": "t",
    "status": "holds",
    "method": "exact",
    "scope": "computed",
    "kind": "privacy",
    "weight": "main",
    "check": "dppca.proofs_notes.wang2020.section_4:line_4_noise",
    "code": "dppca.reference.noise:Sample",
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"status": "true"}, "status must be one of"),
        ({"method": "proof"}, "method must be one of"),
        ({"method": "sampled"}, "sampled evidence alone never makes a claim hold"),
        ({"scope": "certain"}, "scope must be one of"),
        ({"kind": "wisdom"}, "kind must be one of"),
        ({"weight": "heavy"}, "weight must be one of"),
        ({"scope": "instances"}, "what is holds needs a scope of"),
        ({"scope": "witness"}, "what is holds needs a scope of"),
        ({"scope": "derived"}, "says in `proof` where the argument stands"),
        ({"printed": False}, "what is holds is not printed = False"),
        ({"status": "corrected", "correction": "c"}, "what is corrected is not printed = None"),
        ({"status": "refuted", "printed": True}, "what is refuted is not printed = True"),
        ({"status": "open", "printed": True}, "what is open is not printed = True"),
        ({"correction": "something"}, "a correction goes with the status corrected"),
        ({"status": "corrected"}, "a correction goes with the status corrected"),
    ],
)
def test_malformed_claims_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(LedgerError, match=message):
        LedgerClaim(**{**GOOD, **changes})  # type: ignore[arg-type]


def test_a_status_that_the_check_does_not_find_is_refused() -> None:
    with pytest.raises(LedgerError, match=r"the ledger says refuted .* the check found holds"):
        execute(LedgerClaim(**{**GOOD, "status": "refuted"}))  # type: ignore[arg-type]


def test_the_readme_must_have_its_markers() -> None:
    with pytest.raises(LedgerError, match="must hold the markers"):
        with_part("no markers", "part")


def test_findings_are_what_print_has_wrong_and_privacy_and_main_come_first() -> None:
    def named(name: str, **fields: object) -> LedgerClaim:
        return LedgerClaim(**{**GOOD, "id": f"x.{name}", **fields})  # type: ignore[arg-type]

    wrong = {"status": "refuted", "scope": "witness", "printed": False}
    claims = [
        named("true", printed=True),
        named("slip", kind="notation", weight="remark", **wrong),
        named("small", weight="supporting", **wrong),
        named("open", status="open", scope="instances"),
        named("table", kind="experiment", **wrong),
        named("large", **{**wrong, "status": "corrected", "scope": "computed", "correction": "so it is"}),
    ]
    assert [claim.id for claim in false_as_published(claims)] == ["x.large", "x.small", "x.table", "x.slip"]
    page = findings_page(claims, {claim.id: f"figures of {claim.id}." for claim in claims}, [])
    places = [page.index(text) for text in ("x.large", "* Correction: so it is", "figures of x.small", "x.table", "x.slip")]
    assert places == sorted(places)
    assert "x.true" not in page
    assert "x.open" not in page
    assert "figures of x.slip" not in page  # a remark needs none
    assert "| x | 2 | 1 | 1 | 4 |" in page


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ({}, "must match what was found"),
        ({"status": "open", "printed": None, "correction": "", "severity": None}, "must be a claim that is refuted or false"),
    ],
)
def test_a_headline_that_the_ledger_does_not_bear_out_is_refused(found: dict[str, object], message: str) -> None:
    claims = [replace(claim, **found) if found and claim.printed is False else claim for claim in CLAIMS]
    with pytest.raises(LedgerError, match=message):
        headlines(claims, dict.fromkeys((claim.id for claim in CLAIMS), "other words"))


SECOND = {**GOOD, "id": "x.z", "proof": "wang2020/note.md#no-such-section"}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([{**GOOD, "needs": ["x.none"]}], r"x\.y: needs names 'x\.none', which is no claim"),
        (
            [{**GOOD, "needs": ["x.z"]}, {**GOOD, "id": "x.z", "status": "open"}],
            r"x\.y: is holds but needs x\.z, which is open",
        ),
        ([{**GOOD, "needs": ["x.z"]}, {**GOOD, "id": "x.z", "needs": ["x.y"]}], r"needs itself: x\.\w -> x\.\w -> x\.\w"),
        ([GOOD, GOOD], r"ids must be unique"),
        (
            [{**GOOD, "proof": "rocq/lib/discrete.v:no_such_theorem"}],
            r"x\.y: proof names 'no_such_theorem', which is no theorem",
        ),
        ([{**GOOD, "proof": "none.v:theorem"}], r"x\.y: .* no file none\.v"),
        (
            [{**GOOD, "scope": "proved", "proof": "rocq/lib/discrete.v:dp_hockey_stick"}],
            r"x\.y: no theorems\.toml has a theorem",
        ),
        ([SECOND], r"x\.z: proof names 'no-such-section', which is no section of wang2020/note\.md"),
        (
            [{**SECOND, "proof": "wang2020/note.md#the-class-of-distributions-section-41"}],
            r"x\.z: section .the-class-of-distributions-section-41. of wang2020/note\.md does not link to the claim",
        ),
        ([{**GOOD, "check": "dppca.proofs_notes.wang2020.section_4:none"}], r"x\.y: the check .*:none ends in AttributeError"),
        ([{**GOOD, "extra": "field"}], r"x\.y: .*unexpected keyword argument 'extra'"),
        ([], r"claims\.toml must be TOML with entries"),
    ],
)
def test_a_ledger_that_is_wrong_is_refused_by_the_command(
    entries: list[dict[str, object]],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit status 1, the claim and the reason; nothing is written."""
    (tmp_path / "rocq").symlink_to(ledger.NOTES / "rocq")
    (tmp_path / "wang2020").mkdir()
    (tmp_path / "wang2020" / "note.md").symlink_to(ledger.NOTES / "wang2020" / "note.md")
    quantified = [{"domain": {}, "relation": "replace_one", **entry} for entry in entries]
    _refused(quantified, message, tmp_path, monkeypatch, capsys)


def _refused(
    entries: list[dict[str, object]],
    message: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Assert that a ledger of these entries, in a room x, is refused by the command with status 1, and nothing is written."""
    (place / "x").mkdir()
    lines = [f"{name} = {_toml(value)}" for entry in entries for name, value in [("", 0), *entry.items()]]
    (place / "x" / "claims.toml").write_text("\n".join(lines).replace(" = 0", "[[claim]]"))
    monkeypatch.setattr(ledger, "NOTES", place)
    before = ledger.LEDGER.read_bytes()
    assert main(["--write"]) == 1
    assert re.search(message, capsys.readouterr().err)
    assert ledger.LEDGER.read_bytes() == before


def _toml(value: object) -> str:
    """Return a value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items()) + "}"
    return json.dumps(value)


NOISE = "dppca.proofs_notes.primitives.evaluators:classical_gaussian"
FULL = {
    **GOOD,
    "domain": {"epsilon": "(0, 1]", "delta": "(0, 1)"},
    "relation": "replace_one",
    "evaluate": NOISE,
}
WIDE = {"epsilon": "(0, inf)", "delta": "(0, 1)"}
WRONG = {"status": "refuted", "scope": "witness", "printed": False}
REPAIRED = {"status": "corrected", "printed": False, "correction": "It is not.", "severity": "statement"}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([{k: v for k, v in FULL.items() if k != "domain"}], r"x\.y: has no domain"),
        ([{**FULL, "domain": {"epsilon": "up to 1"}}], r"x\.y: a range is"),
        ([{**FULL, "domain": WIDE}], r"x\.y: is holds, but .*classical_gaussian finds it false at epsilon = 10, delta"),
        ([{**FULL, "statement": "For every k it is private."}], r"x\.y: the text names \['k'\]"),
        ([{**FULL, "statement": "Its noise is private."}], r"x\.y: its statement begins with Its"),
        ([{**FULL, "statement": "Private for epsilon <= 1/2."}], r"x\.y: the text says 'epsilon <= 1/2', which"),
        ([{**FULL, "domain": {**WIDE, "n": "1.."}}], r"x\.y: .*takes \['delta', 'epsilon'\], and the variables"),
        ([{**FULL, "evaluate": ""}], r"x\.y: what stands for more than one number has `evaluate`"),
        ([{**FULL, "not_evaluated": "A reason."}], r"x\.y: what stands for more than one number has `evaluate`"),
        ([{**FULL, "domain": {"n": "each size"}, "evaluate": ""}], r"x\.y: \['n'\] are numbers, so a domain has their ranges"),
        (
            [{**FULL, **REPAIRED, "domain": {}, "correction_domain": {"epsilon": "each share"}, "evaluate": ""}],
            r"x\.y: \['epsilon'\] are numbers, so a domain has their ranges",
        ),
        ([{k: v for k, v in FULL.items() if k != "relation"}], r"x\.y: a claim about privacy .* names its relation"),
        ([{**FULL, **WRONG, "domain": {}, "evaluate": ""}], r"x\.y: what is false as published says in `severity`"),
        ([{**FULL, **WRONG, "severity": "degenerate"}], r"x\.y: a degenerate case is no main verdict"),
        ([{**FULL, "severity": "typo"}], r"x\.y: severity says what is false as published, and this is not"),
        ([{**FULL, "check": NOISE, **WRONG, "severity": "typo"}], r"x\.y: an evaluator is the check of what holds, and"),
        ([{**FULL, "check": NOISE, "domain": WIDE}], r"x\.y: is holds, but .*classical_gaussian finds it false at epsilon"),
        (
            [{**FULL, "domain": {"epsilon": "(0, 1]", "delta": "[1, 2)"}, "evaluate": NOISE.replace("classical", "analytic")}],
            r"x\.y: the evaluator .*analytic_gaussian ends in ValueError: delta must be",
        ),
        ([{**FULL, "severity": "small"}], r"x\.y: severity must be one of"),
        ([{**FULL, "faithful": "perhaps"}], r"x\.y: faithful must be"),
        (
            [{**FULL, "printed": True, "faithful": "no: a range"}],
            r"x\.y: what the paper does not say is neither true nor false",
        ),
        (
            [FULL, {**FULL, "id": "x.z", "domain": WIDE, "needs": ["x.y"]}],
            r"x\.z: rests on x\.y, which is said for epsilon in \(0, 1\], which fails at epsilon = 10",
        ),
        (
            [FULL, {**FULL, "id": "x.z", "needs": ["x.y"], "narrower": {"x.y": "A reason."}}],
            r"x\.z: narrower names x\.y, which loses nothing",
        ),
        ([{**FULL, "narrower": {"x.z": "A reason."}}], r"x\.y: narrower names \['x\.z'\], on which it does not rest"),
        (
            [{**FULL, **REPAIRED, "check": "tests.ledger.test_domain:_negated"}],
            r"x\.y: the check .* evaluates nothing of its correction: `corrected` is the negation of `printed`",
        ),
    ],
)
def test_a_quantifier_that_text_check_or_needs_do_not_share_is_refused_by_the_command(
    entries: list[dict[str, object]],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "rocq").symlink_to(ledger.NOTES / "rocq")
    _refused(entries, message, tmp_path, monkeypatch, capsys)
