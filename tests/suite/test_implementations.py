"""`pytest audit/ --implementation`: what is right passes, what is broken is refuted, what is malformed is named."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dppca.audit.suite import implementations
from dppca.audit.suite.audits import instances
from dppca.audit.suite.instance import DIFFERENCE, PRIVACY, Output
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Sample, record
from tests.conformance import foreign_implementations as these

ROOT = Path(__file__).parents[2]
QUICK = ("--budget", "quick")
#: Without the comparisons of laws, and what the reference with less noise would show.
PRIVACY_ALONE = ("-k", "implementation and not law", *QUICK)


def audit(name: str, tmp_path: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], list[dict[str, object]]]:
    """Return the run and the rows of its report."""
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "audit/", "--report", str(report)]
    target = f"tests.conformance.foreign_implementations:{name}"
    run = subprocess.run(  # noqa: S603 - our own command
        [*command, "--implementation", target, *options], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    return run, json.loads(report.read_text())["audits"] if report.exists() else []


def of_the_implementation(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the rows without those of the reference with too little noise, which say what these audits would find."""
    return [row for row in rows if str(row["choice"]).startswith("implementation")]


def words(rows: list[dict[str, object]]) -> set[object]:
    return {row["verdict"] for row in of_the_implementation(rows)}


def pairs(rows: list[dict[str, object]]) -> list[object]:
    return [str(row["instance"]).rpartition(", ")[2] for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "keyword", "on"),
    [
        ("RIGHT", "", {"output", "rotated", "a long row among short ones", "a row and its opposite", "a record off the line"}),
        ("RIGHT_MESSAGES", "RAND", {"row/canary"}),
    ],
)
def test_right(name: str, keyword: str, on: set[str], tmp_path: Path) -> None:
    """On a pair of the suite, the same rotated, and pairs of rows of unequal lengths; and it has the reference's law."""
    run, rows = audit(name, tmp_path, *QUICK, "-k", keyword)
    assert run.returncode == 0, run.stdout
    own = of_the_implementation(rows)
    assert {(row["verdict"], row["expected"]) for row in own} == {(word, word) for word in (PRIVACY[0], DIFFERENCE[0])}
    assert set(pairs(own)) >= on
    names = {str(row["implementation"]) for row in own}
    assert names <= {f"tests.conformance.foreign_implementations:{of}" for of in ("Lines", "Messages")}
    assert "audited: 1 of the 1 named algorithms" in run.stdout


def test_algorithms_may_be_an_attribute() -> None:
    assert implementations.load("tests.conformance.foreign_implementations:RIGHT_AS_ATTRIBUTE") == these.RIGHT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "on"),
    [
        ("HALVED", "e1/e2 and not rotated"),
        ("REMOVED_ROW", "e1/e2 and not rotated"),
        ("DIAGONAL", "rotated"),
        ("WITHOUT_FIRST_ENTRY", "e1/e2 and not rotated"),
        ("HALVED_MESSAGES", "message_e1/e2 and not rotated"),
        ("ONE_CLIENT", "message_e1/e2 and not rotated"),
        ("DOUBLED", "e1/e2 and not rotated"),
        ("ONE_STEP", "16_steps"),
        ("RESCALED", "long_row"),
        ("SIGNED", "opposite"),
    ],
)
def test_broken(name: str, on: str, tmp_path: Path) -> None:
    """Each on the pair that shows it."""
    run, rows = audit(name, tmp_path, "-k", f"implementation and not law and {on}")
    assert run.returncode == 1, run.stdout
    assert [row["verdict"] for row in rows].count(PRIVACY[1]) == 1  # the others are not run
    assert rows[-1]["verdict"] == PRIVACY[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "word"),
    [("NOISELESS_DP_PCA", PRIVACY[1]), ("NOISIER", DIFFERENCE[1]), ("RESCALED", DIFFERENCE[1]), ("ONE_STEP", DIFFERENCE[1])],
)
def test_another_law_is_found(name: str, word: str, tmp_path: Path) -> None:
    """More noise is another law, and private; DP-PCA without noise is not, and the other two are seen by their law too."""
    keyword = "implementation" + " and law" * (word == DIFFERENCE[1] and name != "NOISIER")
    run, rows = audit(name, tmp_path, *QUICK, "-k", keyword)
    assert run.returncode == 1, run.stdout
    assert word in words(rows)
    assert (PRIVACY[1] in words(rows)) == (word == PRIVACY[1])


@pytest.mark.slow
def test_the_user_s_own_target_is_audited(tmp_path: Path) -> None:
    """Noise for (4, 0.2), whatever target is given, satisfies the suite's claim, which is that one, and no stronger one."""
    run, rows = audit("FOR_THE_SUITE_S_TARGET", tmp_path, *PRIVACY_ALONE)
    assert run.returncode == 0, run.stdout
    run, rows = audit("FOR_THE_SUITE_S_TARGET", tmp_path, "--epsilon", "1", "--delta", "0.1", *PRIVACY_ALONE)
    assert run.returncode == 1
    assert {(row["epsilon"], row["delta"]) for row in rows} == {(1.0, 0.1)}
    assert "REFUTED" in {row["verdict"] for row in rows}
    run, rows = audit("RIGHT", tmp_path, "--epsilon", "1", "--delta", "0.1", *PRIVACY_ALONE)
    assert run.returncode == 0, run.stdout
    assert {(row["epsilon"], row["delta"]) for row in rows} == {(1.0, 0.1)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RAISES", r"mechanism raised ZeroDivisionError: planted on (data|neighbour), trial 0"),
        ("CRASHES", r"mechanism was killed by SIGABRT on (data|neighbour), trial 0"),
        ("HANGS", "took longer than 2 s"),
        ("FLAT", r"output must have shape \(2, 1\), as the catalogue's has, got \(2,\)"),
        ("MISCOUNTS", "messages must be one a row, got 2 for 1 rows"),
    ],
)
def test_mechanism_that_fails(name: str, message: str, tmp_path: Path) -> None:
    run, rows = audit(name, tmp_path, "--call-timeout", "2")
    assert run.returncode == 3  # no verdict
    assert re.search(message, run.stdout)
    assert not of_the_implementation(rows)


@pytest.mark.slow
def test_what_is_not_implemented_is_a_failure_by_name(tmp_path: Path) -> None:
    run, rows = audit("REFUSES", tmp_path)
    assert run.returncode == 3, run.stdout
    assert "NotImplementedError: d = 2 is beyond us" in run.stdout
    assert "audited: 0 of the 1 named algorithms; not audited: baselines.analyze_gauss" in run.stdout
    assert not of_the_implementation(rows)


@pytest.mark.slow
def test_a_run_that_audits_nothing_fails(tmp_path: Path) -> None:
    run, rows = audit("RIGHT", tmp_path, "--deselect", "audit/suite/test_privacy.py")
    assert run.returncode == 3, run.stdout
    assert "audited: 0 of the 1 named algorithms; not audited: baselines.analyze_gauss" in run.stdout
    assert not rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("NUMBER", (), "tests.conformance.foreign_implementations:NUMBER must be a mapping"),
        ("FITS_NOTHING", (), "baselines.analyze_gauss has no messages"),
        ("RIGHT", ("--delta", "0.1"), "--delta needs --epsilon"),
        ("RIGHT", ("--epsilon", "-1"), "--epsilon, --delta: epsilon must be"),
    ],
)
def test_usage_error(name: str, options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    run, _ = audit(name, tmp_path, *options)
    assert run.returncode == 4
    assert message in run.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tests.conformance.foreign_implementations", "must be pkg.module:object"),
        (":RIGHT", "must be pkg.module:object"),
        ("tests.no_such_module:RIGHT", "cannot import tests.no_such_module: ModuleNotFoundError"),
        ("tests.conformance.foreign_implementations:WRONG", "has no 'WRONG'"),
        ("tests.conformance.foreign_implementations:NUMBER", "must be a mapping"),
        ("tests.conformance.foreign_implementations:EMPTY", "has no algorithms"),
        ("tests.conformance.foreign_implementations:UNKNOWN_KEY", "unknown key 'baselines.analyse_gauss'"),
        ("tests.conformance.foreign_implementations:NOT_CALLABLE", "must be a callable"),
        ("tests.conformance.foreign_implementations:SAMPLED_MESSAGES", "must be a callable"),
    ],
)
def test_malformed(name: str, message: str) -> None:
    with pytest.raises(implementations.ImplementationError, match=message):
        implementations.load(name)


def nobody(*_: Any, **__: Any) -> Any:
    raise NotImplementedError


PRIVATE = [key for key, entry in ALGORITHMS.items() if entry.private]


@pytest.mark.parametrize("key", PRIVATE)
def test_every_private_algorithm_is_audited_on_three_pairs_at_least(key: str) -> None:
    """Its own, a rotated one, and others, on which its law is compared too; at the quick budget in a minute."""
    every = implementations.audits({key: nobody}, instances())
    taken = [instance for instance in every if not instance.asks]
    private, compared = ([i for i in taken if i.words == of] for of in (PRIVACY, DIFFERENCE))
    assert {i.algorithm for i in every} == {key}
    assert {i.expected for i in private} == {"NOT REFUTED"}
    assert {i.expected for i in compared} == {"NO DIFFERENCE"}
    assert len({i.id for i in taken}) == len(taken)
    assert len(private) >= 3
    assert len(compared) >= 2
    assert any("rotated" in i.name for i in private)
    assert not [i.id for i in every if i.built().profile is not None]  # the report draws no curve of the reference over it
    assert all(i.seconds for i in every)
    assert 0.2 * sum(i.seconds or 0.0 for i in every) <= 60.001  # at the quick budget
    assert {i.choice.removesuffix(", law") for i in every if i.asks} == {
        f"reference, noise x {share}" for share in (0.5, 0.7, 0.9)
    }


def test_what_claims_no_privacy_cannot_be_audited() -> None:
    with pytest.raises(implementations.ImplementationError, match=r"liu2022\.oja claims no privacy"):
        implementations.audits({"liu2022.oja": nobody}, instances())


@pytest.mark.parametrize("key", PRIVATE)
def test_the_reference_in_its_own_place_runs(key: str) -> None:
    """The shape check passes, and every audit has outputs of both of its datasets, those of less noise too."""
    entry = ALGORITHMS[key]

    def reference(data: Any, rng: np.random.Generator, **arguments: Any) -> Any:
        return entry.bind(**arguments, choices=entry.choices["CORRECTED"])(data, Sample(rng))

    for instance in implementations.audits({key: reference}, []):
        how = instance.built()
        assert isinstance(how, Output)
        for data in (how.data, how.neighbour):
            output = how.mechanism(data, np.random.default_rng(0))
            _ = output if how.features is None else how.features(output)


@pytest.mark.parametrize("key", PRIVATE)
def test_less_noise_is_less_at_every_release(key: str) -> None:
    entry = ALGORITHMS[key]
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])

    def laws(data: Any, rng: np.random.Generator) -> dict[str, Any]:
        return {each.name: each.parameters for each in record(run, data, rng)[1].entries if each.role == "release"}

    half = implementations.LessNoise(laws, 0.5)
    whole, less = (mechanism(entry.example.data, np.random.default_rng(0)) for mechanism in (laws, half))
    both = whole.keys() & less.keys()
    assert both
    assert not [name for name in both if whole[name] == less[name]]


def test_neighbours_of_a_declaration_are_of_its_relation() -> None:
    """Of an algorithm under which records come and go, one dataset has a record more, and no record is replaced."""
    taken = implementations.audits({"baselines.dp_sgd": nobody}, [])
    for instance in taken:
        how = instance.built()
        if instance.words == PRIVACY:
            rows, others = (sorted(map(tuple, np.asarray(of).tolist())) for of in (how.data, how.neighbour))
            assert abs(len(rows) - len(others)) == 1, instance.id


def test_messages_of_one_run_are_taken_from_the_implementation() -> None:
    key = "wang2020.local_gaussian_mechanism_high_dimension:messages"
    taken = implementations.audits({key: these.Messages(1.0)}, instances())
    own = [i.built() for i in taken if i.choice == "implementation"]
    assert len(own) >= 2
    for how in own:
        assert isinstance(how, Output)
        assert np.shape(how.mechanism.sample(how.data, 3, np.random.default_rng(0)))[0] == 3


def test_what_follows_from_a_declaration_has_many_steps_and_rows_of_unequal_length() -> None:
    every = implementations.audits({"baselines.noisy_power_method": nobody}, instances())
    taken = {i.name: i.built() for i in every if i.choice == "implementation"}
    steps, short = taken["16 steps"], taken["a long row among short ones"]
    assert isinstance(steps, Output)
    assert isinstance(short, Output)
    assert steps.arguments is not None
    assert steps.arguments["L"] == 16
    assert np.ptp(np.linalg.norm(short.data, axis=1)) == pytest.approx(0.9)
    for how in (steps, short):
        assert np.sum((how.data != how.neighbour).any(axis=1)) == 1  # one row is replaced
