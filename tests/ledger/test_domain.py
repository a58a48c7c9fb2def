"""What claims quantify over: ranges, corners, what the text says, and what is lost on the way from one claim to another."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from dppca.proofs_notes.ledger import claims
from dppca.proofs_notes.ledger.corners import false_corner, unvaried
from dppca.proofs_notes.ledger.domain import DEFAULTS, LIMIT, ClaimDomain, DomainError, lost, parse_range, shown, stated, unsaid
from dppca.proofs_notes.ledger.evidence import verdict
from dppca.proofs_notes.ledger.vacuous import nothing_evaluated
from dppca.reference.primitives.gaussian import classical_std, profile

PRIVACY = {"epsilon": "(0, inf)", "delta": "(0, 1)"}


def test_corners_are_the_ends_and_their_neighbourhoods() -> None:
    corners = ClaimDomain.of({"epsilon": "(0, 1]", "d": "1..", "k": "1..d - 1"}).corners
    assert {point["epsilon"] for point in corners} >= {1, Fraction(1, 10**9), Fraction(1, 2)}
    assert {(point["d"], point["k"]) for point in corners} >= {(2, 1), (3, 1), (3, 2), (10, 1), (10, 9)}
    assert all(0 < point["epsilon"] <= 1 and 1 <= point["k"] <= point["d"] - 1 for point in corners)
    assert {point["delta"] for point in ClaimDomain.of({"delta": "(0, 1)"}).corners} >= {Fraction(1, 2), 1 - Fraction(1, 10**9)}
    assert {point["x"] for point in ClaimDomain.of({"x": "(-inf, inf)"}).corners} >= {-1000, -1, 1, 1000}
    assert [point["x"] for point in ClaimDomain.of({"x": "{1/3, 2}"}).corners] == [Fraction(1, 3), 2]


def test_conditions_hold_at_corners_and_are_tried_at_equality() -> None:
    domain = ClaimDomain.of({"epsilon": "(0, inf)", "T": "1..", "n": "1..", "given": ["epsilon <= T/n**2"]})
    corners = domain.corners
    assert len(corners) <= LIMIT
    assert all(point["epsilon"] <= Fraction(point["T"], point["n"] ** 2) for point in corners)
    assert any(point["epsilon"] == Fraction(point["T"], point["n"] ** 2) < 1 for point in corners)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"epsilon": "0 to 1"}, "a range is"),
        ({"k": "1..d"}, r"names \['d'\], which the domain does not have"),
        ({"a": "[0, b]", "b": "[0, a]"}, "depend on each other"),
        ({"n": "1..", "given": ["n"]}, "must be a comparison"),
        ({"n": "1..", "given": ["n <"]}, "is no expression"),
        ({"n": "1..", "given": ["n < 1"]}, "no corner satisfies"),
        ({"n": "1..", "given": ["n < [1]"]}, "must be made of"),
    ],
)
def test_malformed_domains_are_refused(entry: dict[str, object], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        assert ClaimDomain.of(entry).corners


@pytest.mark.parametrize(
    ("text", "conditions", "named"),
    [
        ("For epsilon <= T/n^2 and delta in (0, 1), any k.", ["epsilon <= T/n**2", "delta > 0", "delta < 1"], {"T", "n", "k"}),
        ("if n >= C sigma^2 k", ["n >= C * sigma**2 * k"], {"sigma", "k", "C", "n"}),
        ("with lambda >= ||S||", [], {"lambda_"}),
        ("is private exactly when A >= 3", [], set()),
        ("the error is at most 3 for a row", [], set()),
    ],
)
def test_conditions_are_read_from_a_sentence(text: str, conditions: list[str], named: set[str]) -> None:
    found, variables = stated(text)
    assert found == conditions
    assert variables >= named
    assert bool(variables) == bool(named)


def test_a_sentence_that_says_more_or_less_than_its_domain_is_found() -> None:
    assert "names ['k']" in unsaid("For every k it is private.", ClaimDomain.of(PRIVACY))
    assert "says 'epsilon <= 1'" in unsaid("Private for epsilon <= 1.", ClaimDomain.of(PRIVACY))
    assert not unsaid("Private for epsilon <= 1.", ClaimDomain.of({**PRIVACY, "epsilon": "(0, 1]"}))
    assert not unsaid("For epsilon <= 1, and otherwise, too.", ClaimDomain.of({**PRIVACY, "cases": ["epsilon <= 1"]}))
    narrow = {**PRIVACY, "epsilon": "(0, 1]", "cases": ["epsilon <= 1"]}
    assert "does not split" in unsaid("For epsilon <= 1, and otherwise, too.", ClaimDomain.of(narrow))


def test_a_condition_that_is_lost_on_the_way_is_found() -> None:
    classical = ClaimDomain.of({**PRIVACY, "epsilon": "(0, 1]"})
    ranged = ClaimDomain.of({**PRIVACY, "T": "1..", "n": "1..", "given": ["epsilon <= T/n**2"]})
    assert lost(ClaimDomain.of(PRIVACY), classical).startswith("epsilon in (0, 1], which fails at epsilon = ")
    assert lost(ClaimDomain.of({}), classical)
    assert not lost(ClaimDomain.of({"epsilon": "(0, 1/2]"}), classical)
    assert "epsilon <= T/n**2, which fails at" in lost(classical, ranged)
    assert not lost(ranged, ranged)
    assert not lost(ClaimDomain.of({**PRIVACY, "T": "1..", "n": "1..", "given": ["epsilon <= T/(2*n**2)"]}), ranged)
    own = ClaimDomain.of({"x": "(0, inf)", "given": ["x >= 2"]})
    assert "['x'] is not named" in lost(classical, own)
    assert not lost(ClaimDomain.of({"delta": "(0, 1/2]"}), ClaimDomain.of({"x": "[0, 1]", "delta": "(0, 1)"}))


def classical_noise(epsilon: Fraction, delta: Fraction) -> bool:
    e, d = float(epsilon), float(delta)
    return profile(e, 1 / classical_std(e, d, 1.0)) <= d


def ignores_the_second(epsilon: Fraction, delta: Fraction) -> bool:
    return epsilon > 0


def handed_on(epsilon: Fraction, delta: Fraction) -> bool:
    return ignores_the_second(epsilon, delta)


def test_the_classical_noise_is_found_false_beyond_its_range() -> None:
    assert false_corner(classical_noise, ClaimDomain.of({**PRIVACY, "epsilon": "(0, 1]"})) is None
    found = false_corner(classical_noise, ClaimDomain.of(PRIVACY))
    assert found is not None
    assert "epsilon = 10" in shown(found)


def test_a_variable_that_an_evaluator_never_varies_is_found() -> None:
    def one_delta(epsilon: Fraction, delta: Fraction) -> bool:
        return classical_noise(epsilon, Fraction(1, 2))

    def own_delta(epsilon: Fraction, delta: Fraction) -> bool:
        delta = Fraction(1, 2)
        return classical_noise(epsilon, delta)

    assert unvaried(one_delta, ClaimDomain.of(PRIVACY)) == "never reads ['delta']"
    assert unvaried(own_delta, ClaimDomain.of(PRIVACY)) == "never reads ['delta']"
    assert unvaried(handed_on, ClaimDomain.of(PRIVACY)) == "never reads ['delta']"
    assert unvaried(classical_noise, ClaimDomain.of({"epsilon": "(0, 1]"})).startswith("takes ['delta', 'epsilon']")
    assert unvaried(classical_noise, ClaimDomain.of({**PRIVACY, "given": ["epsilon >= 1000"]})) == "never varies ['epsilon']"
    assert not unvaried(classical_noise, ClaimDomain.of({**PRIVACY, "epsilon": "{1/2}"}))


#: Conditions without which what is evaluated is still true: the paper's range, or the one that the proof needs, is narrower.
TRUE_BEYOND = {
    ("liu2022.algorithm-4-subsets", "delta"),
    ("liu2022.algorithm-4-subsets", "zeta"),
    ("liu2022.lemma-b.1", "delta"),
    ("liu2022.lemma-b.1-simultaneous", "delta"),
    ("liu2022.theorem-c.2", "d"),
    ("liu2022.intro-lower-bound", "epsilon"),
    ("singhal2021.algorithm-2-block-count", "delta"),
    ("singhal2021.lemma-2.5", "delta"),
    ("singhal2021.section-2.3-unknown-dimension-accuracy", "k_max"),
    ("singhal2021.theorem-3.3-rate", "gamma"),
}


def _without_a_condition(domain: ClaimDomain) -> Iterator[tuple[str, ClaimDomain]]:
    """Yield what is dropped, and the wider domain: a condition, or the end of a range that is no probability's."""
    for condition in domain.given:
        yield condition, ClaimDomain(domain.ranges, tuple(x for x in domain.given if x != condition), domain.cases)
    for name, range_ in domain.ranges.items():
        if range_.ends and range_.text != "(0, 1)":
            widest = parse_range(DEFAULTS.get(name, "1.." if range_.whole else "(0, inf)"))
            yield name, ClaimDomain({**domain.ranges, name: widest}, domain.given, domain.cases)


def _found(claim: claims.LedgerClaim, domain: ClaimDomain, needs: list[claims.LedgerClaim]) -> bool:
    """Return whether a corner of the wider domain, or what the claim rests on, shows that the condition is missing."""
    try:
        if false_corner(claims.resolve(claim.evaluate), domain) is not None:
            return True
    except (ValueError, ArithmeticError):  # the code, or the formula, has no value there
        return True
    return any(need.stands_for and need.id not in claim.narrower and lost(domain, need.stands_for) for need in needs)


def test_a_condition_that_is_dropped_from_a_claim_is_found() -> None:
    by_id = {claim.id: claim for claim in claims.load()}
    tried, missed = 0, set()
    for claim in by_id.values():
        if not (claim.evaluate and claim.stands_for):
            continue
        for dropped, wider in _without_a_condition(claim.stands_for):
            if all(claim.stands_for.contains(point) for point in wider.corners):
                continue
            tried += 1
            if not _found(claim, wider, [by_id[need] for need in claim.needs]):
                missed.add((claim.id, dropped))
    assert tried >= 100
    assert missed == TRUE_BEYOND


def _negated() -> str:
    good = len("x") == 1
    return verdict(printed=not good, corrected=good)


def _opposite() -> str:
    a, b = len("x"), len("y")
    return verdict(printed=a >= b, corrected=a < b)


def _constant() -> str:
    done = True
    return verdict(printed=len("x") == 2, corrected=done)


def _identity() -> str:
    zeta = len("x")
    return verdict(printed=zeta == 2, corrected=3 * (zeta / 3) == zeta)


def _in_a_helper() -> str:
    return _negated()


def _sound() -> str:
    good = True
    for word in ("x", "y"):
        good &= word.isalpha()
    return verdict(printed=not good, corrected=good and len("x") == 1)


def _weaker() -> str:
    first, second = len("x") == 1, len("y") == 2
    return verdict(printed=first and second, corrected=first)


@pytest.mark.parametrize("check", [_negated, _opposite, _constant, _identity, _in_a_helper])
def test_a_correction_of_which_nothing_is_evaluated_is_found(check: object) -> None:
    assert nothing_evaluated(check)  # type: ignore[arg-type]


@pytest.mark.parametrize("check", [_sound, _weaker])
def test_a_correction_with_a_condition_of_its_own_is_let_through(check: object) -> None:
    assert not nothing_evaluated(check)  # type: ignore[arg-type]
