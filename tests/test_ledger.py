"""The ledger: every check is executed, every generated table is current, malformed entries are refused."""

from __future__ import annotations

import pytest

from dppca.proofs.evidence import Evidence
from dppca.proofs.ledger import (
    LEDGER,
    README,
    LedgerClaim,
    LedgerError,
    execute,
    ledger_page,
    load,
    readme_table,
    resolve,
    with_table,
)
from dppca.reference.catalog import ALGORITHMS

CLAIMS = load()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_claim_is_borne_out(claim: LedgerClaim) -> None:
    execute(claim)
    assert resolve(claim.code) is not None


def test_generated_tables_are_current() -> None:
    """But for the figures, whose last digits may depend on the machine."""
    nothing = Evidence("open", "cited", "")
    assert _without_figures(LEDGER.read_text()) == _without_figures(ledger_page(CLAIMS, [nothing] * len(CLAIMS))), (
        "run `make ledger`"
    )
    assert README.read_text() == with_table(README.read_text(), readme_table(CLAIMS)), "run `make ledger`"


def _without_figures(page: str) -> list[str]:
    return [line for line in page.splitlines() if not line.startswith("Evidence (")]


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
    "correction": "",
    "formula": "",
    "method": "exact",
    "check": "dppca.proofs.checks.wang2020:line_4_noise",
    "code": "dppca.reference.noise:Sample",
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"status": "true"}, "status must be one of"),
        ({"method": "proof"}, "method must be one of"),
        ({"method": "sampled"}, "sampled evidence alone never makes a claim hold"),
        ({"correction": "something"}, "a correction goes with the status corrected"),
        ({"status": "corrected"}, "a correction goes with the status corrected"),
    ],
)
def test_malformed_claims_are_refused(changes: dict[str, str], message: str) -> None:
    with pytest.raises(LedgerError, match=message):
        LedgerClaim(**{**GOOD, **changes})  # type: ignore[arg-type]


def test_a_status_that_the_check_does_not_find_is_refused() -> None:
    with pytest.raises(LedgerError, match=r"the ledger says refuted .* the check found holds"):
        execute(LedgerClaim(**{**GOOD, "status": "refuted"}))  # type: ignore[arg-type]


def test_the_readme_must_have_its_markers() -> None:
    with pytest.raises(LedgerError, match="must hold the markers"):
        with_table("no markers", "table")
