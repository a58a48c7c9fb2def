"""singhal2021 Algorithm 1 on searched pairs, with more points and dimensions than can be gone through.

Every value is exact, with integer noise. As printed, and with weaker repairs, the search has to find a pair that
refutes the claim; as corrected it must find none, however long it looks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from dppca.audit.report.experiments import Experiment
from dppca.audit.suite.singhal2021.exact_law import DiscreteMechanism, corrected_mechanism, printed_mechanism
from dppca.audit.suite.singhal2021.worst_pair import FoundPair, Ranking, by_delta, by_score, search
from dppca.reference.primitives.truncated_laplace import DiscreteTruncatedLaplace
from dppca.reference.singhal2021.algorithm_1_exact import AS_PRINTED, CORRECTED

#: Climbs without a finding after which a claim counts as not refuted; where one is due, `PATIENCE` climbs are allowed.
CLIMBS = {"quick": 1, "standard": 3, "deep": 20}
#: In trial runs at most about one climb in three missed what is there.
PATIENCE = 16

#: e^epsilon = 9/4, noise on -4..4: what the paper's constants are at j = 2.
NOISE = DiscreteTruncatedLaplace(Fraction(3, 2), 4)


@dataclass(frozen=True)
class SearchCase:
    """A reading of Algorithm 1, what is looked for, where, and whether more than is allowed is there."""

    name: str
    mechanism: DiscreteMechanism
    by: Callable[[DiscreteMechanism], Ranking]
    n: int
    d: int
    steps: int
    refuted: bool

    @property
    def allowed(self) -> Fraction:
        """Return delta, or sensitivity 1."""
        return self.mechanism.delta if self.by is by_delta else Fraction(1)

    def __str__(self) -> str:
        return f"{self.name}-{self.by.__name__}-n{self.n}-d{self.d}-k{self.mechanism.k}".replace(" ", "_")


def _cases() -> list[SearchCase]:
    cases = []
    for k, n, steps in ((1, 16, 150), (2, 13, 100)):
        corrected = corrected_mechanism(k, NOISE)
        printed = printed_mechanism(k, k - 1, NOISE.ratio, 2, AS_PRINTED)
        scored = replace(printed, choices=replace(CORRECTED, null=AS_PRINTED.null))
        cases += [
            SearchCase("CORRECTED", corrected, by_delta, n, 3, steps, refuted=False),
            SearchCase("AS_PRINTED", printed, by_delta, n, 3, steps, refuted=True),
            SearchCase("CORRECTED but NULL as published", scored, by_delta, n, 3, steps, refuted=True),
        ]
    half_null = replace(corrected, null=corrected.null / 2)
    spans = replace(corrected, choices=replace(CORRECTED, candidates=AS_PRINTED.candidates))
    return [
        *cases,
        SearchCase("CORRECTED but NULL at A", half_null, by_delta, 13, 3, 100, refuted=True),
        SearchCase("CORRECTED", corrected, by_score, 12, 3, 60, refuted=False),
        SearchCase("CORRECTED but the candidates as published", spans, by_score, 12, 3, 60, refuted=True),
    ]


def _find(case: SearchCase, climbs: int, rng: np.random.Generator) -> FoundPair:
    return search(
        case.by(case.mechanism), case.allowed, n=case.n, d=case.d, k=case.mechanism.k, climbs=climbs, steps=case.steps, rng=rng
    )


def test_searched_pairs(request: pytest.FixtureRequest, utility: Callable[[Experiment], None]) -> None:
    budget, seed = request.config.getoption("--budget"), request.config.getoption("--seed")
    rows = [("reading", "n", "d", "k", "sought", "allowed", "worst found", "pairs")]
    for i, case in enumerate(_cases()):
        found = _find(case, PATIENCE if case.refuted else CLIMBS[budget], np.random.default_rng([seed, i]))
        sought = "delta" if case.by is by_delta else "score change"
        figures = (f"{float(case.allowed):.4g}", f"{float(found.value):.4g}", f"{found.pairs:,}")
        rows.append((case.name, str(case.n), str(case.d), str(case.mechanism.k), sought, *figures))
        assert found.value > 0
        assert (found.value > case.allowed) == case.refuted, (case, found)
    title = "singhal2021 Algorithm 1, worst pairs found by search, exact, e^epsilon = 9/4"
    utility(Experiment(title, rows[0], rows[1:]))


@pytest.mark.parametrize("case", [case for case in _cases() if case.by is by_score], ids=str)
def test_the_found_pair_reaches_the_value(case: SearchCase) -> None:
    """Neighbours of the right size, ranked again from scratch; and the same seed finds the same pair."""
    found, again = (_find(case, 1, np.random.default_rng(5)) for _ in range(2))
    assert found == again
    assert len(found.data) == len(found.neighbour) == case.n
    assert (Counter(found.neighbour) - Counter(found.data)).total() == 1
    assert case.by(case.mechanism)(found.data, found.neighbour) == found.rank


def test_no_climb_is_an_error() -> None:
    case = _cases()[0]
    with pytest.raises(ValueError, match="climbs must be >= 1, got 0"):
        _find(case, 0, np.random.default_rng(0))
