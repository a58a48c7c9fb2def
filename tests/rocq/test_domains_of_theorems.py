"""What a theorem asks of epsilon and delta is no more than what the domain of its claim gives: read as data from both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from dppca.proofs_notes.ledger import claims
from dppca.proofs_notes.ledger.domain import ClaimDomain, evaluate
from dppca.proofs_notes.rocq import proofs

#: What the proofs write for the two numbers of a guarantee.
VARIABLES = {"e": "epsilon", "t": "delta"}
PREMISE = re.compile(r"(\S+) (<=|<) (\S+(?: / \S+)?)")


def premises(statement: str) -> Iterator[str]:
    """Yield what stands before the arrows of a printed statement, outside of all brackets."""
    depth, part = 0, ""
    for piece in re.split(r"(->|[()\[\]{}])", " ".join(statement.split())):
        depth += (piece in "([{") - (piece in ")]}") if piece else 0
        if piece == "->" and depth == 0:
            yield part.rpartition(",")[2].strip()
            part = ""
        else:
            part += piece


def upper_bounds(statement: str) -> Iterator[tuple[str, Fraction, bool]]:
    """Yield the numbers that a statement's premises put above epsilon and delta, and whether the number itself is allowed."""
    for premise in premises(statement):
        match = PREMISE.fullmatch(premise)
        if match and match[1] in VARIABLES and re.fullmatch(r"\d+(?: / \d+)?", match[3]):
            yield VARIABLES[match[1]], Fraction(match[3].replace(" ", "")), match[2] == "<="


def asks_for_more(statement: str, domain: ClaimDomain | None) -> list[str]:
    """Return the variables whose range in the domain goes beyond what the statement allows."""
    beyond = []
    for name, bound, closed in upper_bounds(statement):
        given = domain.ranges.get(name) if domain is not None else None
        if given is None or not given.is_number or given.uses():
            continue
        if given.values:
            end, included = max(Fraction(evaluate(value, {})) for value in given.values), True
        else:
            end, included = evaluate(given.ends[1], {}), given.closed[1]
        if end > bound or (end == bound and included and not closed):
            beyond.append(name)
    return beyond


PROVED = [claim for claim in claims.load() if claim.scope == "proved"]
THEOREMS = [theorem for theorem in proofs.load() if not theorem.weaker]
STATEMENTS = proofs.statements()


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_the_theorem_holds_on_the_whole_domain_of_its_claim(claim: claims.LedgerClaim) -> None:
    """Of theorems for several cases, one has to allow the whole range."""
    proofs = [theorem.proof for theorem in THEOREMS if theorem.claim == claim.id]
    if any(proof not in STATEMENTS for proof in proofs):
        pytest.skip("`make proofs` has not printed all of its theorems' statements yet")
    beyond = [set(asks_for_more(STATEMENTS[proof].statement, claim.stands_for)) for proof in proofs]
    assert not set.intersection(*beyond)


def test_a_condition_that_the_claim_does_not_have_is_noticed() -> None:
    statement = "forall (R : realType) (e t : R), 0 < e -> e <= 1 -> 0 < t -> t <= 1 / 2 -> f e t"
    assert [*upper_bounds(statement)] == [("epsilon", 1, True), ("delta", Fraction(1, 2), True)]
    assert asks_for_more(statement, ClaimDomain.of({"epsilon": "(0, 1]", "delta": "(0, 1/2]"})) == []
    assert asks_for_more(statement, ClaimDomain.of({"epsilon": "(0, inf)", "delta": "(0, 1/2]"})) == ["epsilon"]
    assert asks_for_more(statement, ClaimDomain.of({"epsilon": "(0, 1]", "delta": "(0, 1)"})) == ["delta"]
    assert asks_for_more("0 < t -> t < 1 -> g", ClaimDomain.of({"epsilon": "(0, 1]", "delta": "(0, 1]"})) == ["delta"]
