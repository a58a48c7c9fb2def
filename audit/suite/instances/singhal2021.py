"""Audits of singhal2021: the exact estimator, its extensions, and the approximate estimator.

The exact estimator has finitely many outputs. With integer noise its law is computed in fractions, over all
neighbouring pairs of a small domain; with the continuous noise of print the laws of a pair come from quadrature.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.enclosure.finite import delta_of_laws, epsilon_of_laws
from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import Audits, Built, Exact, Maximiser, Output, Transcript
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Choice
from dppca.reference.noise import Algorithm, Sample, condition, record
from dppca.reference.primitives.truncated_laplace import DiscreteTruncatedLaplace
from dppca.reference.singhal2021.algorithm_1_exact import AS_PRINTED, CORRECTED
from dppca.reference.singhal2021.algorithm_2_approximate import AS_PRINTED as APPROXIMATE_AS_PRINTED
from dppca.reference.singhal2021.exact_law import (
    Dataset,
    DiscreteMechanism,
    WorstPair,
    corrected_mechanism,
    divergence,
    output_law,
    printed_mechanism,
    worst_delta,
)
from dppca.reference.singhal2021.exact_linear_algebra import Subspace
from dppca.reference.singhal2021.gap_max import GapMaxLaw, win_probability
from dppca.reference.singhal2021.section_3_3_unknown_dimension import CHOICES as SELECTION_CHOICES

EXACT = "singhal2021.exact_subspace_estimator"
ALL_DIMENSIONS = "singhal2021.exact_subspace_estimator_all_dimensions"
RANDOM_SUBSETS = "singhal2021.exact_subspace_estimator_random_subsets"
DIMENSION = "singhal2021.dimension_by_exponential_mechanism"
AT_MOST = "singhal2021.dimension_is_at_most"
APPROXIMATE = "singhal2021.approximate_subspace_estimator"
SELECTION = "singhal2021.approximate_subspace_estimator_unknown_dimension"

BOUND_AS_PRINTED, CANDIDATES_AS_PRINTED = "CORRECTED but the bound as printed", "CORRECTED but the candidates as printed"
FEW_BLOCKS, FEW_RUNS = "AS_PRINTED with C_0 = 0.5", "CORRECTED with fewer runs"

COMMON, PURE = Claim(1.0, 0.01), Claim(1.0, 0.0)
SUBSETS, RUNS = Claim(4.0, 0.2), Claim(6.0, 0.05)
#: The least delta at shift 2 of integer noise on -2..2 with masses in the ratio 3 / 2 and 3: 10 / 9 of 29 / 9, 4 / 9 of 17 / 9.
HALF_DELTA, SPANS_DELTA = Fraction(10, 29), Fraction(4, 17)
#: NULL's score as printed at COMMON and ell = 0, rounded; t of Algorithm 2 at COMMON.
NULL_SCORE, BLOCKS = 19, {"AS_PRINTED": 37, "CORRECTED": 37, FEW_BLOCKS: 3}

Laws = tuple[dict[Any, float], dict[Any, float]]

_LINES = [(1, 0), (0, 1), (1, 1)]
_PLANE = [(0, 0), *_LINES]
_SPACE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)]


#: (k, domain, n), gone through exhaustively.
DOMAINS = ((1, _PLANE, 8), (2, _PLANE, 6), (1, _SPACE, 5), (2, _SPACE, 6))


# --- Algorithm 1, exhaustively ------------------------------------------------------------------------


@dataclass(frozen=True)
class Exhaustive:
    """Algorithm 1 with integer noise, and what is claimed of it: e^epsilon and delta, as fractions that stand here."""

    mechanism: DiscreteMechanism
    e_epsilon: Fraction
    delta: Fraction

    @property
    def claim(self) -> Claim:
        """The claim in floats."""
        return Claim(math.log(self.e_epsilon), float(self.delta))

    def on_pair(self, name: str, pair: tuple[Dataset, Dataset]) -> Built:
        """The exact view of one pair."""

        @cache
        def laws() -> Laws:
            return _float_laws(self.mechanism, pair)

        def decide() -> tuple[bool, float]:
            p, q = (output_law(points, self.mechanism) for points in pair)
            return divergence(p, q, self.e_epsilon) <= self.delta, epsilon_of_laws(*laws(), float(self.delta))

        return Built("exact", name, self.claim, Exact(decide, *pair), lambda epsilon: delta_of_laws(*laws(), epsilon))

    def over_domain(self, name: str, domain: Sequence[Sequence[int]], n: int) -> Built:
        """The exact view of all neighbouring pairs of a domain; the profile is that of the worst at the claim's epsilon."""

        @cache
        def worst() -> WorstPair:
            return worst_delta(domain, n, self.mechanism)

        @cache
        def laws() -> Laws:
            return _float_laws(self.mechanism, (worst().data, worst().neighbour))

        def decide() -> tuple[bool, float]:
            return worst().value <= self.delta, epsilon_of_laws(*laws(), float(self.delta))

        return Built("exact", name, self.claim, Exact(decide), lambda epsilon: delta_of_laws(*laws(), epsilon))


def _exhaustive(choice: str) -> Iterator[Built]:
    """All neighbouring pairs of small domains, in fractions; and each correction undone by itself."""
    three_halves = Fraction(3, 2)
    out, curve = (0, 0, 0, 1), [(1, t, t * t, 0) for t in range(1, 10)]
    pair = ((out, out, out, *curve[:8]), (out, out, *curve))
    spans = corrected_mechanism(3, DiscreteTruncatedLaplace(Fraction(3), 2))
    if choice == "AS_PRINTED":
        printed = printed_mechanism(k=1, ell=0, ratio=three_halves, j=2, choices=AS_PRINTED)
        yield Exhaustive(printed, Fraction(9, 4), Fraction(16, 81)).over_domain("all of 3 lines, n=10", _LINES, 10)
    elif choice == BOUND_AS_PRINTED:
        short = DiscreteMechanism(1, DiscreteTruncatedLaplace(Fraction(8), 2), Fraction(4), CORRECTED, Fraction(1, 64))
        yield Exhaustive(short, Fraction(64), Fraction(1, 64)).over_domain("all of 3 lines, n=8", _LINES, 8)
    elif choice == CANDIDATES_AS_PRINTED:
        spans = replace(spans, choices=replace(CORRECTED, candidates=AS_PRINTED.candidates))
        yield Exhaustive(spans, Fraction(9), SPANS_DELTA).on_pair("three dependent points, k=3", pair)
    else:
        for k, domain, n in DOMAINS:
            corrected = corrected_mechanism(k, DiscreteTruncatedLaplace(three_halves, 2))
            yield Exhaustive(corrected, Fraction(9, 4), HALF_DELTA).over_domain(_domain_name(k, domain, n), domain, n)
        yield Exhaustive(spans, Fraction(9), SPANS_DELTA).on_pair("three dependent points, k=3", pair)


def _domain_name(k: int, domain: Sequence[Sequence[int]], n: int) -> str:
    return f"all of {len(domain)} points in R^{len(domain[0])}, k={k}, n={n}"


def _float_laws(mechanism: DiscreteMechanism, pair: tuple[Dataset, Dataset]) -> Laws:
    p, q = ({s: float(mass) for s, mass in output_law(points, mechanism).items()} for points in pair)
    return p, q


# --- Algorithm 1, continuous noise --------------------------------------------------------------------


def _exact_estimator(choice: str) -> Iterator[Built]:
    """Besides the above: a near tie of NULL and s_1, where print shows which spans exist; and a step at which s_1 is found."""
    yield from _exhaustive(choice)
    if choice not in ALGORITHMS[EXACT].choices:
        return
    near_tie = ([[1, 0]] * NULL_SCORE + [[0, 1]], [[1, 0]] * (NULL_SCORE + 1))
    found = ([[1, 0]] * 28 + [[0, 1]], [[1, 0]] * 27 + [[0, 1]] * 2)
    arguments = {"epsilon": COMMON.epsilon, "delta": COMMON.delta, "ell": 0, "k": 1}
    for name, pair in (("near tie with NULL", near_tie), ("a line found or not", found)):
        yield from _finite(EXACT, choice, name, COMMON, pair, arguments)


def _finite(
    key: str, choice: str, name: str, claim: Claim, pair: tuple[Any, Any], arguments: Mapping[str, Any]
) -> Iterator[Built]:
    """The transcript and the output of an algorithm whose one release is a GapMaxLaw."""
    algorithm = _bind(key, choice, arguments)

    @cache
    def laws() -> Laws:
        p, q = (_law(algorithm, data) for data in pair)
        return p, q

    for view, how in (
        ("transcript", Transcript(algorithm, *pair)),
        ("output", Output(_output(algorithm), *pair, features=_label, arguments=arguments)),
    ):
        yield Built(view, name, claim, how, lambda epsilon: delta_of_laws(*laws(), epsilon))


def _law(algorithm: Algorithm[Any], data: Any) -> dict[Any, float]:
    """The output law of an algorithm whose one release is a GapMaxLaw, by quadrature."""
    _, tape = record(algorithm, data, np.random.default_rng(0))
    term = condition(algorithm, data, tape).terms[-1]
    if not isinstance(term.law, GapMaxLaw):
        raise TypeError(f"algorithm must end in a GapMaxLaw, got {term.law!r}")
    values = term.value[:, 0]
    labels = [None, *(tuple(row) for row in term.value[1:, 2:].tolist())]
    return {label: win_probability(j, values, term.law.scale, term.law.bound) for j, label in enumerate(labels)}


# --- extensions ---------------------------------------------------------------------------------------


_PLANE_ROWS = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0], [2, 1, 0]]
_ONE_MORE = ([*_PLANE_ROWS, [0, 0, 1]], [*_PLANE_ROWS, [1, 3, 0]])


def _all_dimensions(choice: str) -> Iterator[Built]:
    """A line that gains or loses a point, among lines and planes."""
    line = [[1, 0, 0]]
    pair = (line * 14 + [[0, 1, 0]], line * 13 + [[0, 1, 0]] * 2)
    arguments = {"epsilon": COMMON.epsilon, "delta": COMMON.delta, "ell": 0, "k_max": 2}
    yield from _finite(ALL_DIMENSIONS, choice, "lines and planes", COMMON, pair, arguments)


def _dimension(choice: str) -> Iterator[Built]:
    """A plane's score rises by one."""
    arguments = {"epsilon": 1.0, "k_max": 3}
    algorithm = _bind(DIMENSION, choice, arguments)

    def profile(epsilon: float) -> float:
        return delta_of_laws(*(_exponential_law(algorithm, data) for data in _ONE_MORE), epsilon)

    yield Built("transcript", "plane and one more", PURE, Transcript(algorithm, *_ONE_MORE), profile)
    yield Built("output", "plane and one more", PURE, Output(_output(algorithm), *_ONE_MORE, arguments=arguments), profile)


def _exponential_law(algorithm: Algorithm[Any], data: Any) -> dict[int, float]:
    _, tape = record(algorithm, data, np.random.default_rng(0))
    term = condition(algorithm, data, tape).terms[-1]
    return {i: math.exp(term.law.log_likelihood(term.value, i)) for i in range(len(term.value))}


def _at_most(choice: str) -> Iterator[Built]:
    """Laplace noise of scale 1 on a score that goes from 4 to 5, with the answer from 3 on."""
    arguments = {"epsilon": 1.0, "k_max": 2, "ell": 0}
    algorithm = _bind(AT_MOST, choice, arguments)
    how = Output(_output(algorithm), *_ONE_MORE, features=int, arguments=arguments)
    yield Built(
        "transcript",
        "plane and one more",
        PURE,
        Transcript(algorithm, *_ONE_MORE),
        lambda epsilon: max(0.0, -math.expm1(0.5 * (epsilon - 1.0))),
    )
    yield Built("output", "plane and one more", PURE, how)


def _random_subsets(choice: str) -> Iterator[Built]:
    """The output only: the law of the release, with the subsets hidden, is a mixture that no view computes."""
    n = 12
    arguments = {"epsilon": SUBSETS.epsilon, "delta": SUBSETS.delta, "ell": 0, "n": n, "k": 1}
    pair = ([[1, 0]] * (n - 1) + [[0, 1]], [[1, 0]] * (n - 2) + [[0, 1]] * 2)
    how = Output(_output(_bind(RANDOM_SUBSETS, choice, arguments)), *pair, features=_label, arguments=arguments)
    yield Built("output", "a line found or not", SUBSETS, how)


def _selection(choice: str) -> Iterator[Built]:
    """The output only: the number of runs, and the runs that are not selected, are hidden."""
    t, m = 37, 4  # blocks and rows of a block, at the budget of one run and k = 2
    axes = np.eye(3)
    data = np.repeat(axes[np.where(np.arange(t) < t // 2, 0, 1)], m, axis=0)
    neighbour = data.copy()
    neighbour[0] = 1e9 * axes[1]
    choices = SELECTION_CHOICES
    if choice == FEW_RUNS:  # E[K] = 3 k_max
        choices = replace(choices, runs_per_dimension=Choice(3.0, "singhal2021.section-3.3"))
    algorithm = ALGORITHMS[SELECTION].bind(
        epsilon=RUNS.epsilon,
        delta=RUNS.delta,
        gamma=1e-5,
        gamma_hat=0.1,
        n=m * t,
        d=3,
        k_max=2,
        auxiliary=np.tile(axes[:2], (5, 1)),
        choices=choices,
    )
    yield Built("output", "half of the blocks", RUNS, Output(_output(algorithm), data, neighbour, features=_axis))


# --- Algorithm 2 --------------------------------------------------------------------------------------


def _approximate_estimator(choice: str) -> Iterator[Built]:
    """All blocks apart, where one moves; and half of the blocks in either cell, where one changes sides."""
    few_blocks = replace(APPROXIMATE_AS_PRINTED, C_0=Choice(0.5, "singhal2021.algorithm-2-threshold"))
    choices = {**ALGORITHMS[APPROXIMATE].choices, FEW_BLOCKS: few_blocks}[choice]
    t, m = BLOCKS[choice], 3
    arguments = {"epsilon": COMMON.epsilon, "delta": COMMON.delta, "gamma": 1e-5, "n": m * t, "d": 2, "k": 1}
    algorithm = ALGORITHMS[APPROXIMATE].bind(**arguments, choices=choices)
    for name, lines in (
        ("all blocks apart", np.arange(t)),
        ("half of the blocks", np.where(np.arange(t) < t // 2, 0, t // 2)),
    ):
        angles = math.pi / t * np.repeat(lines, m)
        data = np.column_stack([np.cos(angles), np.sin(angles)])
        neighbour = data.copy()
        neighbour[0] = 1e9 * data[-1]  # the first block's subspace is now this row's
        yield Built("transcript", name, COMMON, Transcript(algorithm, data, neighbour))
        how = Output(_output(algorithm), data, neighbour, partial(_line, t=t), arguments)
        yield Built("output", name, COMMON, how)


def _line(Pi: NDArray[np.float64] | None, t: int) -> int | None:
    """Which of t lines, pi / t apart, is the nearest."""
    if Pi is None:
        return None
    return round(t / (2.0 * math.pi) * math.atan2(2.0 * Pi[0, 1], Pi[0, 0] - Pi[1, 1])) % t


# --- shared -------------------------------------------------------------------------------------------


def _bind(key: str, choice: str, arguments: Mapping[str, Any]) -> Algorithm[Any]:
    return ALGORITHMS[key].bind(**arguments, choices=ALGORITHMS[key].choices[choice])


def _output(algorithm: Algorithm[Any]) -> Any:
    """The algorithm as a mechanism (data, rng) -> output."""
    return lambda data, rng: algorithm(data, Sample(rng))


def _label(subspace: Subspace | None) -> str | None:
    """A subspace as a category."""
    return None if subspace is None else str(subspace.rows)


def _axis(Pi: NDArray[np.float64] | None) -> str | None:
    """Rank of a projector, and the axis that it moves least."""
    return None if Pi is None else f"{round(float(np.trace(Pi)))}, axis {int(np.argmax(np.diag(Pi)))}"


# --- instances ----------------------------------------------------------------------------------------

AUDITS = [
    exact := Audits(EXACT, _exact_estimator),
    all_dimensions := Audits(ALL_DIMENSIONS, _all_dimensions),
    dimension := Audits(DIMENSION, _dimension),
    at_most := Audits(AT_MOST, _at_most),
    random_subsets := Audits(RANDOM_SUBSETS, _random_subsets),
    approximate := Audits(APPROXIMATE, _approximate_estimator),
    selection := Audits(SELECTION, _selection),
]

_LEMMA: Any = {"because": "singhal2021.lemma-2.3"}
_THREE_HALVES, _THREE = Claim(math.log(2.25), float(HALF_DELTA)), Claim(math.log(9.0), float(SPANS_DELTA))
_TIE, _FOUND, _DEPENDENT = "near tie with NULL", "a line found or not", "three dependent points, k=3"
_PRINTED, _SHORT = Claim(math.log(2.25), 16 / 81), Claim(math.log(64.0), 1 / 64)
exact.of("AS_PRINTED", "exact", "all of 3 lines, n=10", _PRINTED, "REFUTED", epsilon=math.inf, **_LEMMA)
exact.of("AS_PRINTED", "transcript", _TIE, COMMON, "REFUTED", epsilon=math.inf, trials=2_000, **_LEMMA)
exact.of("AS_PRINTED", "output", _TIE, COMMON, "REFUTED", epsilon=math.inf, trials=4_000, **_LEMMA)
for _domain in DOMAINS:  # no pair of these domains is far apart: in total variation it is within delta
    exact.of("CORRECTED", "exact", _domain_name(*_domain), _THREE_HALVES, epsilon=0.0)
exact.of("CORRECTED", "exact", _DEPENDENT, _THREE, epsilon=0.300892)
exact.of("CORRECTED", "transcript", _TIE, COMMON, epsilon=0.505782, trials=2_000)
exact.of("CORRECTED", "output", _TIE, COMMON, epsilon=0.505782, trials=4_000)
exact.of("CORRECTED", "transcript", _FOUND, COMMON, epsilon=0.849575, trials=2_000)
exact.of("CORRECTED", "output", _FOUND, COMMON, epsilon=0.849575, trials=4_000)
_BOUND: Any = {"because": "singhal2021.truncated-laplace-bound"}
exact.of(BOUND_AS_PRINTED, "exact", "all of 3 lines, n=8", _SHORT, "REFUTED", epsilon=4.20902, **_BOUND)
_CANDIDATES: Any = {"because": "singhal2021.algorithm-1-candidates"}
exact.of(CANDIDATES_AS_PRINTED, "exact", _DEPENDENT, _THREE, "REFUTED", epsilon=2.89828, **_CANDIDATES)

all_dimensions.of("CORRECTED", "transcript", "lines and planes", COMMON, epsilon=0.848962, trials=1_000)
all_dimensions.of("CORRECTED", "output", "lines and planes", COMMON, epsilon=0.848962, trials=1_000)
# SCORE(2) goes from 4 to 5, beside SCORE(1) and SCORE(3), which move by less
dimension.of("CORRECTED", "transcript", "plane and one more", PURE, epsilon=0.827753, trials=500)
dimension.of("CORRECTED", "output", "plane and one more", PURE, epsilon=0.827753, trials=500)
# no with probability exp(-1) / 2 and exp(-2) / 2; the noisy score itself has the whole epsilon
at_most.of("CORRECTED", "transcript", "plane and one more", PURE, epsilon=1.0, trials=500)
at_most.of("CORRECTED", "output", "plane and one more", PURE, epsilon=1.0, trials=500)
random_subsets.of("CORRECTED", "output", _FOUND, SUBSETS, trials=2_000)
_SECTION: Any = {"because": "singhal2021.section-3.3"}
selection.of("CORRECTED", "output", "half of the blocks", RUNS, trials=100)
selection.of(FEW_RUNS, "output", "half of the blocks", RUNS, trials=500, **_SECTION)

_APART, _HALVES = "all blocks apart", "half of the blocks"
_RULE: Any = {"because": "singhal2021.algorithm-2-threshold"}
for _name in (_APART, _HALVES):
    approximate.of("AS_PRINTED", "transcript", _name, COMMON, trials=1_000, **_RULE)
    approximate.of("AS_PRINTED", "output", _name, COMMON, trials=2_000, **_RULE)
    approximate.of("CORRECTED", "transcript", _name, COMMON, trials=1_000)
    approximate.of("CORRECTED", "output", _name, COMMON, trials=2_000)
approximate.of(FEW_BLOCKS, "transcript", _APART, COMMON, "REFUTED", trials=1_000, **_RULE)
approximate.of(FEW_BLOCKS, "output", _APART, COMMON, "REFUTED", trials=2_000, **_RULE)

# --- maximisers ---------------------------------------------------------------------------------------


def _lines_moved(first: int, second: int) -> tuple[list[list[int]], list[list[int]]]:
    """Points on two lines, and the same with one of the first moved to the second."""
    pair = [[[1, 0]] * (first - moved) + [[0, 1]] * (second + moved) for moved in (0, 1)]
    return pair[0], pair[1]


def _row_among_zeros(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """e_1 replaced by e_2 among rows of zeros."""
    zeros = np.zeros((n - 1, 2))
    return np.vstack([np.eye(1, 2), zeros]), np.vstack([np.eye(1, 2, 1), zeros])


MAXIMISERS = {
    EXACT: Maximiser({"k": 1}, _lines_moved(3, 0), ("subspace",)),
    ALL_DIMENSIONS: Maximiser({"k_max": 2}, _lines_moved(5, 2), ("subspace",)),
    DIMENSION: Maximiser({"k_max": 2}, _lines_moved(5, 0), ("dimension",)),
    AT_MOST: Maximiser({"k_max": 1}, _lines_moved(5, 0), ("largest score",)),
    RANDOM_SUBSETS: Maximiser({"n": 5, "k": 1}, _lines_moved(4, 1), ("subspace",)),
    APPROXIMATE: Maximiser({"d": 2}, _row_among_zeros(120), ("histogram",)),
    SELECTION: Maximiser({"d": 2, "k_max": 1, "auxiliary": np.eye(2)}, _row_among_zeros(1200), (r"run\[\d+\]\.histogram",)),
}
