"""Audits of singhal2021: the exact estimator, its extensions, and the approximate estimator.

The exact estimator has finitely many outputs. With integer noise its law is computed in fractions, over all
neighbouring pairs of a small domain; with the continuous noise of print the laws of a pair come from quadrature.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.enclosure.finite import delta_of_laws, epsilon_of_laws
from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import Audits, Built, Exact, Maximiser, Output, Transcript, sampled
from dppca.audit.suite.marginal import given
from dppca.audit.suite.pairs import SLACK, by_profile, histogram_parts
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Choice
from dppca.reference.noise import Algorithm, Noise, condition, record
from dppca.reference.primitives.private_selection import UNIFORM_STEPS
from dppca.reference.primitives.sparse_histogram import stability_delta
from dppca.reference.primitives.truncated_laplace import DiscreteTruncatedLaplace, profile
from dppca.reference.singhal2021 import algorithm_2_approximate as algorithm_2
from dppca.reference.singhal2021 import section_2_3_random_subsets as section_2_3
from dppca.reference.singhal2021 import section_3_3_unknown_dimension as section_3_3
from dppca.reference.singhal2021.algorithm_1_exact import AS_PRINTED, CORRECTED, calibrate
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
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace
from dppca.reference.singhal2021.gap_max import GapMaxLaw, win_probability

EXACT = "singhal2021.exact_subspace_estimator"
ALL_DIMENSIONS = "singhal2021.exact_subspace_estimator_all_dimensions"
RANDOM_SUBSETS = "singhal2021.exact_subspace_estimator_random_subsets"
DIMENSION = "singhal2021.dimension_by_exponential_mechanism"
AT_MOST = "singhal2021.dimension_is_at_most"
APPROXIMATE = "singhal2021.approximate_subspace_estimator"
SELECTION = "singhal2021.approximate_subspace_estimator_unknown_dimension"

BOUND_AS_PRINTED, CANDIDATES_AS_PRINTED = "CORRECTED but the bound as printed", "CORRECTED but the candidates as printed"
ENDS = "half of the blocks, rows at the ends of float64"
FEW_BLOCKS, FEW_STABLE_BLOCKS = "AS_PRINTED with C_0 = 0.5", "CORRECTED with C_0 = 3"
FEW_RUNS = "CORRECTED with fewer and smaller runs"

#: A common claim; one at which no candidate of value 0 may show; and a large one, for which few points are enough.
COMMON, SMALL, LARGE, PURE = Claim(1.0, 0.01), Claim(0.25, 0.01), Claim(4.0, 0.2), Claim(1.0, 0.0)
#: Section 3.3 as a whole, and what one run may spend of it: a third of epsilon, and delta / E[K] with E[K] = 10 k_max.
RUNS, ONE_RUN = Claim(6.0, 0.05), Claim(2.0, 0.005)
#: Section 3.3 with few runs of few blocks; four of its runs at RUNS, all shown.
SMALL_RUNS, FOUR_RUNS = Claim(1.5, 0.05), Claim(8.0, 0.02)
#: The least delta at shift 2 of integer noise on -2..2 with masses in the ratio 3 / 2 and 3: 10 / 9 of 29 / 9, 4 / 9 of 17 / 9.
HALF_DELTA, SPANS_DELTA = Fraction(10, 29), Fraction(4, 17)
#: NULL's score as printed at COMMON and ell = 0, rounded; t of Algorithm 2 at COMMON.
NULL_SCORE, BLOCKS = 19, {"AS_PRINTED": 37, "CORRECTED": 37, FEW_BLOCKS: 3, FEW_STABLE_BLOCKS: 14}

Laws = tuple[dict[Any, float], dict[Any, float]]

_LINES = [(1, 0), (0, 1), (1, 1)]
_PLANE = [(0, 0), *_LINES]
_SPACE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)]


#: (k, domain, n), gone through exhaustively.
DOMAINS = ((1, _PLANE, 8), (2, _PLANE, 6), (1, _SPACE, 5), (2, _SPACE, 6))


# --- Algorithm 1, exhaustively ------------------------------------------------------------------------


@dataclass(frozen=True)
class Exhaustive:
    """A form of Algorithm 1 with integer noise, and what is claimed of it: e^epsilon and delta, as literal fractions."""

    mechanism: DiscreteMechanism
    e_epsilon: Fraction
    delta: Fraction

    @property
    def claim(self) -> Claim:
        """Return the claim in floats."""
        return Claim(math.log(self.e_epsilon), float(self.delta))

    def on_pair(self, name: str, pair: tuple[Dataset, Dataset]) -> Built:
        """Return the exact view of one pair."""

        @cache
        def laws() -> Laws:
            return _float_laws(self.mechanism, pair)

        def decide() -> tuple[bool, float]:
            p, q = (output_law(points, self.mechanism) for points in pair)
            return divergence(p, q, self.e_epsilon) <= self.delta, epsilon_of_laws(*laws(), float(self.delta))

        return Built("exact", name, self.claim, Exact(decide, *pair), lambda epsilon: delta_of_laws(*laws(), epsilon))

    def over_domain(self, name: str, domain: Sequence[Sequence[int]], n: int) -> Built:
        """Return the exact view of all neighbouring pairs of a domain; the profile is that of the worst at the claim."""

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
    """Besides the above, values that move by 2, a near tie of NULL and s_1, points without a value, subspaces found or not."""
    yield from _exhaustive(choice)
    if choice not in ALGORITHMS[EXACT].choices:
        return
    for claim in (COMMON, LARGE):
        of = calibrate(claim.epsilon, claim.delta, 0, ALGORITHMS[EXACT].choices[choice])
        curve = partial(profile, shift=2.0, scale=of.scale, bound=of.bound)
        yield Built("exact", "a value that moves by 2", claim, by_profile(claim, curve), curve)
    near_tie = ([[1, 0]] * NULL_SCORE + [[0, 1]], [[1, 0]] * (NULL_SCORE + 1))
    found = _lines_moved(28, 1)
    yield from _finite(EXACT, choice, "near tie with NULL", COMMON, near_tie, {"ell": 0, "k": 1})
    yield from _finite(EXACT, choice, "a line found or not", COMMON, found, {"ell": 0, "k": 1})
    yield from _finite(EXACT, choice, "two points", SMALL, ([[1, 0], [0, 1]], [[1, 0], [1, 1]]), {"ell": 0, "k": 1})
    yield from _finite(EXACT, choice, "a line of few points", LARGE, _lines_moved(7, 1), {"ell": 0, "k": 1})
    yield from _finite(EXACT, choice, "a plane of few points", LARGE, _CONE, {"ell": 0, "k": 2})


#: Points of a plane, no two of them on a line, and one or two off it.
_CONE = tuple([[1, t, 0] for t in range(9 - moved)] + [[0, 0, 1]] * (1 + moved) for moved in (0, 1))


def _finite(
    key: str, choice: str, name: str, claim: Claim, pair: tuple[Any, Any], arguments: Mapping[str, Any]
) -> Iterator[Built]:
    """Yield all views of an algorithm whose one release is a GapMaxLaw."""
    arguments = {"epsilon": claim.epsilon, "delta": claim.delta, **arguments}
    algorithm = _bind(key, choice, arguments)
    laws = cache(lambda: tuple(_law(algorithm, data) for data in pair))
    yield from _finite_laws(name, claim, algorithm, pair, arguments, laws)


def _finite_laws(
    name: str,
    claim: Claim,
    algorithm: Algorithm[Any],
    pair: tuple[Any, Any],
    arguments: Mapping[str, Any],
    laws: Callable[[], Any],
) -> Iterator[Built]:
    def curve(epsilon: float) -> float:
        return delta_of_laws(*laws(), epsilon)

    def decide() -> tuple[bool, float]:
        return curve(claim.epsilon) <= claim.delta * (1.0 + SLACK), epsilon_of_laws(*laws(), claim.delta)

    yield Built("exact", name, claim, Exact(decide, *pair), curve)
    yield Built("transcript", name, claim, Transcript(algorithm, *pair), curve)
    yield Built("output", name, claim, Output(sampled(algorithm), *pair, features=label, arguments=arguments), curve)


def _law(algorithm: Algorithm[Any], data: Any) -> dict[Any, float]:
    """Return the output law of an algorithm whose one release is a GapMaxLaw, by quadrature."""
    _, tape = record(algorithm, data, np.random.default_rng(0))
    term = condition(algorithm, data, tape).terms[-1]
    if not isinstance(term.law, GapMaxLaw):
        raise TypeError(f"algorithm must end in a GapMaxLaw, got {term.law!r}")
    values, draws = term.value[:, :2].T
    if len(np.unique(draws)) < len(draws):
        raise ValueError(f"every candidate must have a draw of its own, got {draws}")
    labels = [None, *(tuple(row) for row in term.value[1:, 2:].tolist())]
    return {label: win_probability(j, values, term.law.scale, term.law.bound) for j, label in enumerate(labels)}


# --- extensions ---------------------------------------------------------------------------------------


_PLANE_ROWS = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0], [2, 1, 0]]
_ONE_MORE = ([*_PLANE_ROWS, [0, 0, 1]], [*_PLANE_ROWS, [1, 3, 0]])


def _all_dimensions(choice: str) -> Iterator[Built]:
    """A line that gains or loses a point, among lines and planes."""
    line = [[1, 0, 0]]
    pair = (line * 14 + [[0, 1, 0]], line * 13 + [[0, 1, 0]] * 2)
    yield from _finite(ALL_DIMENSIONS, choice, "lines and planes", COMMON, pair, {"ell": 0, "k_max": 2})
    yield from _finite(ALL_DIMENSIONS, choice, "a plane of few points", LARGE, _CONE, {"ell": 0, "k_max": 2})


def _dimension(choice: str) -> Iterator[Built]:
    """A plane's score rises by one."""
    arguments = {"epsilon": 1.0, "k_max": 3}
    algorithm = _bind(DIMENSION, choice, arguments)

    def profile(epsilon: float) -> float:
        return delta_of_laws(*(_exponential_law(algorithm, data) for data in _ONE_MORE), epsilon)

    yield Built("transcript", "plane and one more", PURE, Transcript(algorithm, *_ONE_MORE), profile)
    yield Built("output", "plane and one more", PURE, Output(sampled(algorithm), *_ONE_MORE, arguments=arguments), profile)


def _exponential_law(algorithm: Algorithm[Any], data: Any) -> dict[int, float]:
    _, tape = record(algorithm, data, np.random.default_rng(0))
    term = condition(algorithm, data, tape).terms[-1]
    return {i: math.exp(term.law.log_likelihood(term.value, i)) for i in range(len(term.value))}


#: Points of a space, three or four of a plane's on no common line: SCORE(2) is 3 or 4, on both sides of the threshold.
_AT_THE_THRESHOLD = (
    [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0], [0, 0, 1], [1, 1, 1]],
    [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0], [0, 0, 1], [2, 1, 0]],
)


def _at_most(choice: str) -> Iterator[Built]:
    """Laplace noise of scale 1 on a score that goes from 4 to 5, or from 3 to 4, with the answer from 3 on."""
    arguments = {"epsilon": 1.0, "k_max": 2, "ell": 0}
    algorithm = _bind(AT_MOST, choice, arguments)
    for name, pair in (("plane and one more", _ONE_MORE), ("at the threshold", _AT_THE_THRESHOLD)):
        yield Built(
            "transcript", name, PURE, Transcript(algorithm, *pair), lambda epsilon: max(0.0, -math.expm1(0.5 * (epsilon - 1.0)))
        )
        yield Built("output", name, PURE, Output(sampled(algorithm), *pair, features=int, arguments=arguments))


def _random_subsets(choice: str) -> Iterator[Built]:
    """The law of the output, over which lines the subsets hit; and what noise and subsets cost together."""
    choices = ALGORITHMS[RANDOM_SUBSETS].choices[choice]
    for n, k in ((12, 1), (9, 2)):
        of = section_2_3.calibrate_random_subsets(LARGE.epsilon, LARGE.delta, 0, n=n, k=k, choices=choices)
        yield Built("exact", f"noise and subsets, n={n}, k={k}", LARGE, _with_failure(of))
    for name, pair in (("a line of 11 points", _lines_moved(11, 1)), ("a line of 12 points", _lines_moved(12, 4))):
        n = len(pair[0])
        arguments = {"epsilon": LARGE.epsilon, "delta": LARGE.delta, "ell": 0, "n": n, "k": 1}
        algorithm = _bind(RANDOM_SUBSETS, choice, arguments)
        laws = cache(partial(_mixtures, algorithm, pair))
        exact, _, output = _finite_laws(name, LARGE, algorithm, pair, arguments, laws)  # the transcript would have secrets
        yield from (exact, output)


def _with_failure(of: section_2_3.SamplingCalibration) -> Exact:
    """Return whether a value that moves by 2, and the missing of one of two subspaces above the floor, keep to LARGE."""
    missed = 2.0 * (1.0 - ((of.floor + 1) / of.n) ** of.k) ** of.subsets
    noise = profile(LARGE.epsilon, 2.0, of.gap_max.scale, of.gap_max.bound)
    holds = noise + (1.0 - noise) * missed <= LARGE.delta * (1.0 + SLACK)
    return Exact(lambda: (holds, 2.0 / of.gap_max.scale))


def _mixtures(algorithm: Algorithm[Any], pair: tuple[Any, Any]) -> tuple[dict[Any, float], ...]:
    return tuple(_mixture(algorithm, points) for points in pair)


def _mixture(algorithm: Algorithm[Any], points: list[list[int]]) -> dict[Any, float]:
    """Return the law of the output, k = 1: given the lines that the drawn points lie on, it is that of a GapMaxLaw."""
    lines = list(dict.fromkeys(map(tuple, points)))
    law: dict[Any, float] = {}
    for hit in (hit for size in range(1, len(lines) + 1) for hit in combinations(lines, size)):
        drawn: list[int] = []

        def subsets(shape: tuple[int, ...], hit: tuple[Any, ...] = hit, drawn: list[int] = drawn) -> NDArray[np.int64]:
            drawn.append(shape[0])
            return np.resize([points.index(list(line)) for line in hit], shape)

        for label, mass in _law(given(algorithm, {"subsets": subsets}), points).items():
            law[label] = law.get(label, 0.0) + mass * _exactly_hit(points, hit, drawn[0])
    return law


def _exactly_hit(points: list[list[int]], lines: tuple[Any, ...], draws: int) -> float:
    """Return the probability that so many points, drawn with replacement, lie on these lines and on each of them."""
    signed = []
    for size in range(1, len(lines) + 1):
        for some in combinations(lines, size):
            share = sum(points.count(list(line)) for line in some) / len(points)
            signed.append((-1) ** (len(lines) - size) * share**draws)
    return math.fsum(signed)


def _selection(choice: str) -> Iterator[Built]:
    """The parts at what one run may spend; one run in the open, and the output, with hidden runs."""
    if choice == FEW_RUNS:
        yield from _few_runs()
        return
    axes, t, m = np.eye(3), 37, 4  # t blocks of m rows, at the budget of one run and k = 2
    data = np.repeat(axes[np.where(np.arange(t) < t // 2, 0, 1)], m, axis=0)
    neighbour = data.copy()
    neighbour[0] = 1e9 * axes[1]
    auxiliary = np.tile(axes[:2], (5, 1))
    choices = ALGORITHMS[SELECTION].choices[choice]
    sizes: Any = {"gamma": 1e-5, "gamma_hat": 0.1, "n": m * t, "d": 3, "k_max": 2}
    parts = section_3_3.calibrate(RUNS.epsilon, RUNS.delta, **sizes, choices=choices)
    yield Built("exact", "the runs and their scores", RUNS, _selected(RUNS, parts))
    arguments = {"epsilon": RUNS.epsilon, "delta": RUNS.delta, **sizes, "auxiliary": auxiliary}
    how = Output(sampled(_bind(SELECTION, choice, arguments)), data, neighbour, features=_axis)
    yield Built("output", "half of the blocks", RUNS, how)

    # K = 1, and k = 1 is the only dimension: nothing is hidden
    calibration = section_3_3.calibrate(RUNS.epsilon, RUNS.delta, **{**sizes, "k_max": 1}, choices=choices)
    run = partial(_selecting, calibration)
    one: Any = {"K": np.zeros, "run[0].k": np.zeros}
    opened = given(lambda rows, noise: run(rows, auxiliary, noise), one)
    yield Built("transcript", "one run, half of the blocks", ONE_RUN, Transcript(opened, data, neighbour))
    opened = given(lambda rows, noise: run(data, rows, noise), one)
    other = np.vstack([axes[1:2], auxiliary[1:]])
    yield Built("transcript", "one run, a row of the score", ONE_RUN, Transcript(opened, auxiliary, other))
    four: Any = {"K": lambda _: np.array(0.3 * UNIFORM_STEPS), **{f"run[{i}].k": np.zeros for i in range(4)}}  # K is geometric
    opened = given(lambda rows, noise: run(data, rows, noise), four)
    yield Built("transcript", "four runs, a row of the score", FOUR_RUNS, Transcript(opened, auxiliary, other))


def _few_runs() -> Iterator[Built]:
    """Runs of so few blocks that the histogram's stable threshold is above half of them, but for rounding up."""
    C_0 = Choice(3.0, "singhal2021.algorithm-2-constants")
    choices = replace(
        section_3_3.CHOICES,
        runs_per_dimension=Choice(6.0, "singhal2021.section-3.3"),
        algorithm_2=replace(algorithm_2.CORRECTED, C_0=C_0),
    )
    calibration = section_3_3.calibrate(SMALL_RUNS.epsilon, SMALL_RUNS.delta, 1e-3, 0.5, n=171, d=2, k_max=1, choices=choices)
    yield Built("exact", "the runs and their scores", SMALL_RUNS, _selected(SMALL_RUNS, calibration))


def _selecting(
    calibration: section_3_3.SelectionCalibration, rows: NDArray[np.float64], auxiliary: NDArray[np.float64], noise: Noise
) -> NDArray[np.float64] | None:
    return section_3_3.approximate_subspace_estimator_unknown_dimension(rows, auxiliary, calibration, noise)


def _selected(claim: Claim, of: section_3_3.SelectionCalibration) -> Exact:
    """Return whether K geometric runs, each of a stability histogram and a score, keep to the claim: 3 epsilon, E[K] delta.

    Rows and auxiliary rows are disjoint, so one run costs the larger of the two.
    """
    if of.repetitions.eta != 1.0:
        raise ValueError(f"K must be geometric, got eta = {of.repetitions.eta}")
    loss = 3.0 * max(1.0 / of.scale, *(2.0 / run.scale for run in of.runs))
    shown = max(stability_delta(2.0 / run.scale, run.threshold) for run in of.runs) / of.repetitions.gamma
    holds = loss <= claim.epsilon * (1.0 + SLACK) and shown <= claim.delta * (1.0 + SLACK)
    return Exact(lambda: (holds, loss))


# --- Algorithm 2 --------------------------------------------------------------------------------------


def _approximate_estimator(choice: str) -> Iterator[Built]:
    """All blocks apart, where one moves; and half of the blocks in either cell, where one changes sides."""
    readings = {
        **ALGORITHMS[APPROXIMATE].choices,
        FEW_BLOCKS: replace(algorithm_2.AS_PRINTED, C_0=Choice(0.5, "singhal2021.algorithm-2-threshold")),
        FEW_STABLE_BLOCKS: replace(algorithm_2.CORRECTED, C_0=Choice(3.0, "singhal2021.algorithm-2-constants")),
    }
    choices = readings[choice]
    t, m = BLOCKS[choice], 3
    arguments = {"epsilon": COMMON.epsilon, "delta": COMMON.delta, "gamma": 1e-5, "n": m * t, "d": 2, "k": 1}
    algorithm = ALGORITHMS[APPROXIMATE].bind(**arguments, choices=choices)
    of = algorithm_2.calibrate(COMMON.epsilon, COMMON.delta, 1e-5, n=m * t, d=2, k=1, choices=choices)
    parts = histogram_parts(of.scale, of.threshold, COMMON.epsilon, COMMON.delta)
    yield Built("exact", "two occupied cells, and one alone", COMMON, parts)
    for name, lines, place in (
        ("all blocks apart", np.arange(t), 0),
        ("half of the blocks", np.where(np.arange(t) < t // 2, 0, t // 2), 0),
        ("half of the blocks, first row of the second", np.where(np.arange(t) < t // 2, 0, t // 2), m),
    ):
        angles = math.pi / t * np.repeat(lines, m)
        data = np.column_stack([np.cos(angles), np.sin(angles)])
        neighbour = data.copy()
        neighbour[place] = 1e9 * data[-1]  # the block's subspace is now this row's
        yield Built("transcript", name, COMMON, Transcript(algorithm, data, neighbour))
        how = Output(sampled(algorithm), data, neighbour, partial(nearest_line, t=t), arguments)
        yield Built("output", name, COMMON, how)
    angles = math.pi / t * np.repeat(np.where(np.arange(t) < t // 2, 0, t // 2), m)
    data = 1e-300 * np.column_stack([np.cos(angles), np.sin(angles)])  # squares of which are 0
    neighbour = data.copy()
    neighbour[0] = [5e-324, 1e140]  # the ends of the domain
    yield Built("transcript", ENDS, COMMON, Transcript(algorithm, data, neighbour))
    yield Built("output", ENDS, COMMON, Output(sampled(algorithm), data, neighbour, partial(nearest_line, t=t)))


def nearest_line(Pi: NDArray[np.float64] | None, t: int) -> int | None:
    """Return which of t lines, pi / t apart, is the nearest."""
    if Pi is None:
        return None
    return round(t / (2.0 * math.pi) * math.atan2(2.0 * Pi[0, 1], Pi[0, 0] - Pi[1, 1])) % t


# --- shared -------------------------------------------------------------------------------------------


def _bind(key: str, choice: str, arguments: Mapping[str, Any]) -> Algorithm[Any]:
    return ALGORITHMS[key].bind(**arguments, choices=ALGORITHMS[key].choices[choice])


def label(subspace: RationalSubspace | None) -> str | None:
    """Return a subspace as a category."""
    return None if subspace is None else str(subspace.rows)


def _axis(Pi: NDArray[np.float64] | None) -> str | None:
    """Return the rank of a projector, and the axis that it moves least."""
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
_BOUND: Any = {"because": "singhal2021.truncated-laplace-bound"}
_CANDIDATES: Any = {"because": "singhal2021.algorithm-1-candidates"}
_THREE_HALVES, _THREE = Claim(math.log(2.25), float(HALF_DELTA)), Claim(math.log(9.0), float(SPANS_DELTA))
_PRINTED, _SHORT = Claim(math.log(2.25), 16 / 81), Claim(math.log(64.0), 1 / 64)
_TWO, _TIE, _FOUND, _DEPENDENT = (
    "a value that moves by 2",
    "near tie with NULL",
    "a line found or not",
    "three dependent points, k=3",
)
_FEW, _PLANE_FOUND = "a line of few points", "a plane of few points"
exact.of("AS_PRINTED", "exact", "all of 3 lines, n=10", _PRINTED, "REFUTED", epsilon=math.inf, **_LEMMA)
exact.of("AS_PRINTED", "exact", _TWO, COMMON, epsilon=0.997308, **_BOUND)
exact.of("AS_PRINTED", "exact", _TWO, LARGE, "REFUTED", epsilon=math.inf, **_BOUND)
exact.of("AS_PRINTED", "exact", _TIE, COMMON, "REFUTED", epsilon=math.inf, **_LEMMA)
for _domain in DOMAINS:  # no pair of these domains is far apart: in total variation it is within delta
    exact.of("CORRECTED", "exact", _domain_name(*_domain), _THREE_HALVES, epsilon=0.0)
exact.of("CORRECTED", "exact", _DEPENDENT, _THREE, epsilon=0.300892)
exact.of("CORRECTED", "exact", _TWO, COMMON, epsilon=1.0)
exact.of("CORRECTED", "exact", _TWO, LARGE, epsilon=4.0)
exact.of("CORRECTED", "exact", "two points", SMALL, epsilon=0.0)
exact.of("CORRECTED", "exact", _TIE, COMMON, epsilon=0.505782)
exact.of("CORRECTED", "exact", _FOUND, COMMON, epsilon=0.849575)
exact.of("CORRECTED", "exact", _FEW, LARGE, epsilon=2.60274)
exact.of("CORRECTED", "exact", _PLANE_FOUND, LARGE, epsilon=0.814735)
exact.of(BOUND_AS_PRINTED, "exact", "all of 3 lines, n=8", _SHORT, "REFUTED", epsilon=4.20902, **_BOUND)
exact.of(CANDIDATES_AS_PRINTED, "exact", _DEPENDENT, _THREE, "REFUTED", epsilon=2.89828, **_CANDIDATES)
exact.of("AS_PRINTED", "transcript", _TIE, COMMON, "REFUTED", epsilon=math.inf, trials=1_000, least=400, **_LEMMA)
exact.of("AS_PRINTED", "output", _TIE, COMMON, "REFUTED", epsilon=math.inf, trials=4_000, **_LEMMA)
exact.of("CORRECTED", "output", _FEW, LARGE, epsilon=2.60274, trials=4_000)
exact.of("CORRECTED", "transcript", _TIE, COMMON, epsilon=0.505782, trials=1_000)
exact.of("CORRECTED", "output", _TIE, COMMON, epsilon=0.505782, trials=4_000)
exact.of("CORRECTED", "transcript", _FOUND, COMMON, epsilon=0.849575, trials=1_000)
exact.of("CORRECTED", "output", _FOUND, COMMON, epsilon=0.849575, trials=4_000)

all_dimensions.of("CORRECTED", "exact", "lines and planes", COMMON, epsilon=0.848962)
all_dimensions.of("CORRECTED", "exact", _PLANE_FOUND, LARGE, epsilon=1.76044)
all_dimensions.of("CORRECTED", "transcript", "lines and planes", COMMON, epsilon=0.848962, trials=500)
all_dimensions.of("CORRECTED", "output", "lines and planes", COMMON, epsilon=0.848962, trials=1_000)
# SCORE(2) goes from 4 to 5, beside SCORE(1) and SCORE(3), which move by less
dimension.of("CORRECTED", "transcript", "plane and one more", PURE, epsilon=0.827753, trials=500)
dimension.of("CORRECTED", "output", "plane and one more", PURE, epsilon=0.827753, trials=500)
# no with probability exp(-1) / 2 and exp(-2) / 2, or 1 / 2 and exp(-1) / 2; the noisy score itself has the whole epsilon too
at_most.of("CORRECTED", "transcript", "plane and one more", PURE, epsilon=1.0, trials=500)
at_most.of("CORRECTED", "output", "plane and one more", PURE, epsilon=1.0, trials=500)
at_most.of("CORRECTED", "output", "at the threshold", PURE, epsilon=1.0, trials=2_000)
random_subsets.of("CORRECTED", "exact", "noise and subsets, n=12, k=1", LARGE, epsilon=4.0)
random_subsets.of("CORRECTED", "exact", "noise and subsets, n=9, k=2", LARGE, epsilon=4.0)
for _name, _epsilon in (("a line of 11 points", 0.472154), ("a line of 12 points", 2.04826)):
    random_subsets.of("CORRECTED", "exact", _name, LARGE, epsilon=_epsilon)
    random_subsets.of("CORRECTED", "output", _name, LARGE, epsilon=_epsilon, trials=2_000)
_SECTION: Any = {"because": "singhal2021.section-3.3"}
_HALVES = "half of the blocks"
selection.of("CORRECTED", "exact", "the runs and their scores", RUNS, epsilon=6.0)
# two noisy counts of scale 1 show the run's subspace with probability 0.788704; it has a score of loss 2
selection.of(
    "CORRECTED",
    "transcript",
    "one run, a row of the score",
    ONE_RUN,
    epsilon=1.98728,
    trials=500,
    target=RUNS,
    because="singhal2021.section-3.3",
)
selection.of(
    "CORRECTED", "transcript", f"one run, {_HALVES}", ONE_RUN, trials=500, target=RUNS, because="singhal2021.section-3.3"
)
selection.of(
    "CORRECTED",
    "transcript",
    "four runs, a row of the score",
    FOUR_RUNS,
    trials=100,
    target=RUNS,
    because="singhal2021.section-3.3",
)
selection.of("CORRECTED", "output", _HALVES, RUNS, trials=100)
selection.of(FEW_RUNS, "exact", "the runs and their scores", SMALL_RUNS, epsilon=1.5, **_SECTION)

_APART, _BORDER = "all blocks apart", f"{_HALVES}, first row of the second"
_RULE: Any = {"because": "singhal2021.algorithm-2-threshold"}
for _choice, _why in (("AS_PRINTED", _RULE), ("CORRECTED", {})):
    approximate.of(_choice, "exact", "two occupied cells, and one alone", COMMON, epsilon=1.0, **_why)
    for _name in (_APART, _HALVES):
        approximate.of(_choice, "transcript", _name, COMMON, trials=500, **_why)
        approximate.of(_choice, "output", _name, COMMON, trials=2_000, **_why)
    approximate.of(_choice, "transcript", _BORDER, COMMON, trials=500, **_why)
    approximate.of(_choice, "transcript", ENDS, COMMON, trials=500, **_why)
approximate.of("CORRECTED", "output", ENDS, COMMON, trials=500)
# half of 14 blocks is less than the stable threshold, 1 + 2 ln 50 = 8.82
_CONSTANTS: Any = {"because": "singhal2021.algorithm-2-constants"}
approximate.of(FEW_STABLE_BLOCKS, "exact", "two occupied cells, and one alone", COMMON, epsilon=1.0, **_CONSTANTS)
approximate.of(FEW_BLOCKS, "exact", "two occupied cells, and one alone", COMMON, "REFUTED", epsilon=math.inf, **_RULE)
approximate.of(FEW_BLOCKS, "transcript", _APART, COMMON, "REFUTED", trials=1_000, **_RULE)
approximate.of(FEW_BLOCKS, "output", _APART, COMMON, "REFUTED", trials=2_000, least=2_000, **_RULE)

# --- maximisers ---------------------------------------------------------------------------------------


def _lines_moved(first: int, second: int) -> tuple[list[list[int]], list[list[int]]]:
    """Return points on two lines, and the same with one of the first moved to the second."""
    pair = [[[1, 0]] * (first - moved) + [[0, 1]] * (second + moved) for moved in (0, 1)]
    return pair[0], pair[1]


def _row_among_zeros(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return e_1 replaced by e_2 among rows of zeros."""
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
