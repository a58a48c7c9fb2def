"""The exact output law of singhal2021 Algorithm 1 on integer noise, and exhaustive checks of what is claimed.

No float occurs here. The noise is `DiscreteTruncatedLaplace` with scale 2 / epsilon, so that ratio = e^(epsilon / 2)
and e^epsilon = ratio^2; all masses, and so all hockey-stick divergences, are fractions. The candidates, scores and
values are those of `algorithm_1_exact` itself. Equal noisy values go to NULL first, then in canonical order.

Datasets are multisets here: Algorithm 1 does not depend on the order of rows under this rule for ties.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from typing import TypeAlias

from dppca.reference.primitives.truncated_laplace import DiscreteTruncatedLaplace
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.singhal2021.algorithm_1_exact import CORRECTED, Choices, candidate_scores, line_11_values, score
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, Vector, exact_rows, span

Dataset: TypeAlias = tuple[Vector, ...]
OutputLaw: TypeAlias = dict[RationalSubspace | None, Fraction]
Scores: TypeAlias = dict[RationalSubspace, int]
Values: TypeAlias = dict[RationalSubspace | None, Fraction]


@dataclass(frozen=True)
class DiscreteMechanism:
    """A form of Algorithm 1 with integer noise: `null` is NULL's score or value, as `choices` says."""

    k: int
    noise: DiscreteTruncatedLaplace
    null: Fraction
    choices: Choices
    delta: Fraction

    @property
    def e_epsilon(self) -> Fraction:
        """Return e^epsilon as a fraction."""
        return self.noise.ratio**2


def corrected_mechanism(k: int, noise: DiscreteTruncatedLaplace) -> DiscreteMechanism:
    """Return Algorithm 1 corrected: NULL at 2A; delta is exactly what this noise has at shift 2."""
    delta = noise.profile(noise.ratio**2, 2)
    return DiscreteMechanism(k, noise, Fraction(2 * noise.bound), CORRECTED, delta)


def printed_mechanism(k: int, ell: int, ratio: Fraction, j: int, choices: Choices) -> DiscreteMechanism:
    """Return Algorithm 1 with a scored NULL at delta = e^(-j epsilon), where the paper's constants are integers.

    ln(1/delta) / epsilon = j, so A = 2j and NULL's score is ell + 4j + 1. The claim is refused unless this
    integer noise is itself (epsilon, delta)-DP at shift 2 (true for ratio < 2), so that a refutation is about
    the algorithm and not about its noise.
    """
    noise = DiscreteTruncatedLaplace(ratio, 2 * j)
    delta = ratio ** (-2 * j)
    if noise.profile(ratio**2, 2) > delta:
        raise ValueError(f"ratio must be small enough for the noise to be (epsilon, delta)-DP, got {ratio!r}")
    return DiscreteMechanism(k, noise, Fraction(ell + 4 * j + 1), choices, delta)


def scores_of(points: Dataset, k: int, choices: Choices) -> Scores:
    """Return the scores of all candidates."""
    return candidate_scores(points, combinations(range(len(points)), k), choices)[0]


def values_of(points: Dataset, mechanism: DiscreteMechanism) -> Values:
    """Return the values of line 11 by label: NULL (None) first, then the candidates in canonical order."""
    scores = scores_of(points, mechanism.k, mechanism.choices)
    null_value, of_subspace = line_11_values(scores, mechanism.null, mechanism.choices)
    values: Values = {None: null_value}
    values.update({s: of_subspace[s] for s in sorted(of_subspace)})
    return values


def output_law(points: Dataset, mechanism: DiscreteMechanism) -> OutputLaw:
    """Return P(output = s) for every subspace of positive probability, and for NULL (None)."""
    law = arg_max_law(values_of(points, mechanism), mechanism.noise)
    return {label: probability for label, probability in law.items() if probability}


def arg_max_law(values: Values, noise: DiscreteTruncatedLaplace) -> OutputLaw:
    """Return the law of the label with the largest noisy value; equal ones go to the first label."""
    heights = list(values.values())
    return {label: _win_probability(j, heights, noise) for j, label in enumerate(values)}


def _win_probability(winner: int, values: Sequence[Fraction], noise: DiscreteTruncatedLaplace) -> Fraction:
    """Return P(candidate `winner` has the largest noisy value), where the first of equal ones wins."""
    earlier, later = Counter(values[:winner]), Counter(values[winner + 1 :])
    total = Fraction(0)
    for x, mass in noise.mass.items():
        noisy = values[winner] + x
        # An earlier candidate has to stay strictly below, a later one not above.
        below = math.prod(noise.cdf(math.ceil(noisy - value) - 1) ** count for value, count in earlier.items())
        total += mass * below * math.prod(noise.cdf(noisy - value) ** count for value, count in later.items())
    return total


def divergence(p: OutputLaw, q: OutputLaw, ratio: Fraction) -> Fraction:
    """Return the smallest delta at e^epsilon = ratio, in both directions."""
    return max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio))


def l1_distance(values: Values, other: Values) -> Fraction:
    """Return the L1 distance of values by label, where a subspace off the list has value 0."""
    zero = Fraction(0)
    return sum((abs(values.get(s, zero) - other.get(s, zero)) for s in values.keys() | other.keys()), zero)


def largest_change(scores: Scores, other: Scores) -> int:
    """Return the largest change of a score, where a subspace off the list has score 0."""
    return max((abs(scores.get(s, 0) - other.get(s, 0)) for s in scores.keys() | other.keys()), default=0)


def neighbouring_pairs(domain: Sequence[Sequence[int]], n: int) -> Iterator[tuple[Dataset, Dataset]]:
    """Yield every ordered pair of n-point multisets over the domain that differ in one point."""
    points = exact_rows("domain", domain)
    for rest in combinations_with_replacement(points, n - 1):
        for x, y in permutations(points, 2):
            yield tuple(sorted((*rest, x))), tuple(sorted((*rest, y)))


@dataclass(frozen=True)
class WorstPair:
    """The largest value of a quantity over neighbouring pairs, and a pair that reaches it."""

    value: Fraction
    data: Dataset
    neighbour: Dataset
    pairs: int


def worst(domain: Sequence[Sequence[int]], n: int, quantity: Callable[[Dataset, Dataset], Fraction | int]) -> WorstPair:
    """Return the exhaustive maximum of a quantity over all neighbouring pairs."""
    largest, witness, pairs = Fraction(-1), None, 0
    for data, neighbour in neighbouring_pairs(domain, n):
        pairs += 1
        value = Fraction(quantity(data, neighbour))
        if value > largest:
            largest, witness = value, (data, neighbour)
    if witness is None:
        raise ValueError(f"domain must have at least two points, got {domain!r}")
    return WorstPair(largest, *witness, pairs)


def worst_delta(domain: Sequence[Sequence[int]], n: int, mechanism: DiscreteMechanism) -> WorstPair:
    """Return the exact smallest delta, at the mechanism's epsilon, over all datasets of n points of the domain."""
    law = cache(lambda points: output_law(points, mechanism))
    return worst(domain, n, lambda x, y: hockey_stick(law(x), law(y), mechanism.e_epsilon))


def worst_score_change(domain: Sequence[Sequence[int]], n: int) -> WorstPair:
    """Return the largest change of u(X, s) over every subspace s that points of the domain span, {0} included."""
    points = exact_rows("domain", domain)
    d = len(points[0])
    subspaces = {span(S, d) for size in range(d + 1) for S in combinations(points, size)}
    scores = cache(lambda data: {s: score(data, s) for s in subspaces})
    return worst(domain, n, lambda x, y: max(abs(scores(x)[s] - scores(y)[s]) for s in subspaces))


def worst_candidate_change(domain: Sequence[Sequence[int]], n: int, k: int, choices: Choices) -> WorstPair:
    """Return the largest change of a candidate's score, where a subspace off the list of candidates has score 0."""
    scores = cache(lambda points: scores_of(points, k, choices))
    return worst(domain, n, lambda x, y: largest_change(scores(x), scores(y)))


def worst_values_change(domain: Sequence[Sequence[int]], n: int, mechanism: DiscreteMechanism) -> WorstPair:
    """Return the largest L1 change of the values of line 11, where a subspace off the list has value 0."""
    values = cache(lambda points: values_of(points, mechanism))
    return worst(domain, n, lambda x, y: l1_distance(values(x), values(y)))
