"""Audits of singhal2021: the exact estimator, its extensions, and the approximate estimator.

The exact estimator has finitely many outputs. With integer noise its law is computed in fractions, over all
neighbouring pairs of a small domain; with the continuous noise of the paper the laws of a pair come from quadrature.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.results import Claim
from dppca.audit.suite.instance import Exact, Instance, Maximiser, Profile, Setup, Transcript
from dppca.audit.suite.marginal import given
from dppca.audit.suite.pairs import SLACK, by_profile, histogram_parts
from dppca.audit.suite.setups import OnPair, calibrated
from dppca.audit.suite.singhal2021.exact_law import (
    Dataset,
    DiscreteMechanism,
    WorstPair,
    corrected_mechanism,
    divergence,
    output_law,
    printed_mechanism,
    worst_delta,
)
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm, Noise, condition, record
from dppca.reference.primitives.private_selection import UNIFORM_STEPS
from dppca.reference.primitives.sparse_histogram import stability_delta
from dppca.reference.primitives.truncated_laplace import DiscreteTruncatedLaplace, profile
from dppca.reference.rigour.finite import delta_of_laws, epsilon_of_laws
from dppca.reference.singhal2021 import algorithm_2_approximate as algorithm_2
from dppca.reference.singhal2021 import section_2_3_random_subsets as section_2_3
from dppca.reference.singhal2021 import section_3_3_unknown_dimension as section_3_3
from dppca.reference.singhal2021.algorithm_1_exact import AS_PRINTED, CORRECTED
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace
from dppca.reference.singhal2021.gap_max import GapMaxLaw, win_probability

EXACT = "singhal2021.exact_subspace_estimator"
ALL_DIMENSIONS = "singhal2021.exact_subspace_estimator_all_dimensions"
RANDOM_SUBSETS = "singhal2021.exact_subspace_estimator_random_subsets"
DIMENSION = "singhal2021.dimension_by_exponential_mechanism"
AT_MOST = "singhal2021.dimension_is_at_most"
APPROXIMATE = "singhal2021.approximate_subspace_estimator"
SELECTION = "singhal2021.approximate_subspace_estimator_unknown_dimension"

BOUND_AS_PRINTED, CANDIDATES_AS_PRINTED = "CORRECTED but the bound as published", "CORRECTED but the candidates as published"
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
#: NULL's score as published at COMMON and ell = 0, rounded; t of Algorithm 2 at COMMON.
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

    def on_pair(self, name: str, pair: tuple[Dataset, Dataset]) -> Setup:
        """Return the exact view of one pair."""

        @cache
        def laws() -> Laws:
            return _float_laws(self.mechanism, pair)

        def decide() -> tuple[bool, float]:
            p, q = (output_law(points, self.mechanism) for points in pair)
            return divergence(p, q, self.e_epsilon) <= self.delta, epsilon_of_laws(*laws(), float(self.delta))

        return Setup("exact", name, lambda _: Exact(decide, *pair, lambda epsilon: delta_of_laws(*laws(), epsilon)))

    def over_domain(self, name: str, domain: Sequence[Sequence[int]], n: int) -> Setup:
        """Return the exact view of all neighbouring pairs of a domain; the profile is that of the worst at the claim."""

        @cache
        def worst() -> WorstPair:
            return worst_delta(domain, n, self.mechanism)

        @cache
        def laws() -> Laws:
            return _float_laws(self.mechanism, (worst().data, worst().neighbour))

        def decide() -> tuple[bool, float]:
            return worst().value <= self.delta, epsilon_of_laws(*laws(), float(self.delta))

        return Setup("exact", name, lambda _: Exact(decide, profile=lambda epsilon: delta_of_laws(*laws(), epsilon)))


#: All neighbouring pairs of small domains, in fractions; and each correction undone by itself.
_RATIO = Fraction(3, 2)
_OUT, _CURVE = (0, 0, 0, 1), [(1, t, t * t, 0) for t in range(1, 10)]
_DEPENDENT_PAIR = ((_OUT, _OUT, _OUT, *_CURVE[:8]), (_OUT, _OUT, *_CURVE))
_SPANS = corrected_mechanism(3, DiscreteTruncatedLaplace(Fraction(3), 2))
_SPANS_AS_PRINTED = replace(_SPANS, choices=replace(CORRECTED, candidates=AS_PRINTED.candidates))
_SHORT_BOUND = DiscreteMechanism(1, DiscreteTruncatedLaplace(Fraction(8), 2), Fraction(4), CORRECTED, Fraction(1, 64))
PRINTED = Exhaustive(printed_mechanism(k=1, ell=0, ratio=_RATIO, j=2, choices=AS_PRINTED), Fraction(9, 4), Fraction(16, 81))
SHORT = Exhaustive(_SHORT_BOUND, Fraction(64), Fraction(1, 64))
DEPENDENT, DEPENDENT_AS_PRINTED = (Exhaustive(spans, Fraction(9), SPANS_DELTA) for spans in (_SPANS, _SPANS_AS_PRINTED))
SMALL_DOMAINS = [
    (
        Exhaustive(corrected_mechanism(k, DiscreteTruncatedLaplace(_RATIO, 2)), Fraction(9, 4), HALF_DELTA),
        f"all of {len(domain)} points in R^{len(domain[0])}, k={k}, n={n}",
        domain,
        n,
    )
    for k, domain, n in DOMAINS
]


def _float_laws(mechanism: DiscreteMechanism, pair: tuple[Dataset, Dataset]) -> Laws:
    p, q = ({s: float(mass) for s, mass in output_law(points, mechanism).items()} for points in pair)
    return p, q


# --- Algorithm 1, continuous noise --------------------------------------------------------------------


def _moves_by_2(of: Instance) -> Exact:
    """The noise on a value that moves by 2."""
    made = calibrated(of, ell=0)
    return by_profile(of.claim, partial(profile, shift=2.0, scale=made.scale, bound=made.bound))


#: Points of a plane, no two of them on a line, and one or two off it.
_CONE = tuple([[1, t, 0] for t in range(9 - moved)] + [[0, 0, 1]] * (1 + moved) for moved in (0, 1))


@dataclass(frozen=True)
class FiniteLaws(OnPair):
    """An algorithm whose one release is a GapMaxLaw, on a pair; `mixture`: what it draws before is summed out."""

    mixture: bool = False

    def laws(self, of: Instance) -> Laws:
        """Return the laws of the output on both datasets, by quadrature."""
        run, law = self.run(of), _mixture if self.mixture else _law
        return law(run, self.pair[0]), law(run, self.pair[1])

    def views(self) -> tuple[Setup, Setup, Setup]:
        """Return the exact view, the transcript and the output."""
        with_curve = replace(self, curve=self._curve)
        return Setup("exact", self.name, self._exact), with_curve.transcript, with_curve.output(self.name, label)

    def _curve(self, of: Instance) -> Profile:
        laws = cache(lambda: self.laws(of))
        return lambda epsilon: delta_of_laws(*laws(), epsilon)

    def _exact(self, of: Instance) -> Exact:
        laws = cache(lambda: self.laws(of))

        def decide() -> tuple[bool, float]:
            holds = delta_of_laws(*laws(), of.claim.epsilon) <= of.claim.delta * (1.0 + SLACK)
            return holds, epsilon_of_laws(*laws(), of.claim.delta)

        return Exact(decide, *self.pair, lambda epsilon: delta_of_laws(*laws(), epsilon))


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


def _dimension_curve(of: Instance) -> Profile:
    """A plane's score rises by one."""
    algorithm = _PLANE_DIMENSION.run(of)
    laws = cache(lambda: [_exponential_law(algorithm, data) for data in _ONE_MORE])
    return lambda epsilon: delta_of_laws(*laws(), epsilon)


def _exponential_law(algorithm: Algorithm[Any], data: Any) -> dict[int, float]:
    _, tape = record(algorithm, data, np.random.default_rng(0))
    term = condition(algorithm, data, tape).terms[-1]
    return {i: math.exp(term.law.log_likelihood(term.value, i)) for i in range(len(term.value))}


#: Points of a space, three or four of a plane's on no common line: SCORE(2) is 3 or 4, on both sides of the threshold.
_AT_THE_THRESHOLD = (
    [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0], [0, 0, 1], [1, 1, 1]],
    [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0], [0, 0, 1], [2, 1, 0]],
)


def _laplace_curve(_: Instance) -> Profile:
    """Laplace noise of scale 1 on a score that moves by 1."""
    return lambda epsilon: max(0.0, -math.expm1(0.5 * (epsilon - 1.0)))


def _noise_and_subsets(n: int, k: int) -> Setup:
    """What noise and subsets cost together."""
    return Setup("exact", f"noise and subsets, n={n}, k={k}", lambda of: _with_failure(calibrated(of, ell=0, n=n, k=k)))


def _with_failure(of: section_2_3.SamplingCalibration) -> Exact:
    """Return whether a value that moves by 2, and the missing of one of two subspaces above the floor, keep to LARGE."""
    missed = 2.0 * (1.0 - ((of.floor + 1) / of.n) ** of.k) ** of.subsets
    noise = profile(LARGE.epsilon, 2.0, of.gap_max.scale, of.gap_max.bound)
    holds = noise + (1.0 - noise) * missed <= LARGE.delta * (1.0 + SLACK)
    return Exact(lambda: (holds, 2.0 / of.gap_max.scale))


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


#: Blocks of m rows at the budget of one run and k = 2, half of them on either axis; the first row moves its block.
_AXES, _M = np.eye(3), 4
_HALF_ROWS = np.repeat(_AXES[np.where(np.arange(37) < 37 // 2, 0, 1)], _M, axis=0)
_HALF_ROWS_MOVED = np.vstack([1e9 * _AXES[1:2], _HALF_ROWS[1:]])
_AUXILIARY = np.tile(_AXES[:2], (5, 1))
_AUXILIARY_MOVED = np.vstack([_AXES[1:2], _AUXILIARY[1:]])
_SIZES: dict[str, Any] = {"gamma": 1e-5, "gamma_hat": 0.1, "n": _M * 37, "d": 3, "k_max": 2}


def _runs(of: Instance) -> Exact:
    """The runs and their scores."""
    return _selected(of.claim, calibrated(of, **_SIZES))


def _few_runs(of: Instance) -> Exact:
    """Runs of so few blocks that the histogram's stable threshold is above half of them, but for rounding up."""
    C_0 = 3.0
    choices = replace(
        section_3_3.CHOICES,
        runs_per_dimension=6.0,
        algorithm_2=replace(algorithm_2.CORRECTED, C_0=C_0),
    )
    calibration = section_3_3.calibrate(of.claim.epsilon, of.claim.delta, 1e-3, 0.5, n=171, d=2, k_max=1, choices=choices)
    return _selected(of.claim, calibration)


def _opened(name: str, public: Mapping[str, Any], of_rows: bool) -> Setup:
    """Runs in the open, where k = 1 is the only dimension: a row of the blocks moves, or one of the score."""

    def how(of: Instance) -> Transcript:
        calibration = calibrated(of, **{**_SIZES, "k_max": 1})
        if of_rows:
            run = given(lambda rows, noise: _selecting(calibration, rows, _AUXILIARY, noise), public)
            return Transcript(run, _HALF_ROWS, _HALF_ROWS_MOVED)
        run = given(lambda rows, noise: _selecting(calibration, _HALF_ROWS, rows, noise), public)
        return Transcript(run, _AUXILIARY, _AUXILIARY_MOVED)

    return Setup("transcript", name, how)


_ONE_OPEN: dict[str, Any] = {"K": np.zeros, "run[0].k": np.zeros}
_FOUR_OPEN: dict[str, Any] = {  # K is geometric
    "K": lambda _: np.array(0.3 * UNIFORM_STEPS),
    **{f"run[{i}].k": np.zeros for i in range(4)},
}


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


_READINGS = {
    FEW_BLOCKS: replace(algorithm_2.AS_PRINTED, C_0=0.5),
    FEW_STABLE_BLOCKS: replace(algorithm_2.CORRECTED, C_0=3.0),
}


def _block_sizes(t: int) -> dict[str, Any]:
    """Return the sizes of t blocks of three rows."""
    return {"gamma": 1e-5, "n": 3 * t, "d": 2, "k": 1}


def _lines(t: int, apart: bool = False) -> NDArray[np.float64]:
    """Return t blocks of three rows: each on a line of its own, or half of them on either of two."""
    lines = np.arange(t) if apart else np.where(np.arange(t) < t // 2, 0, t // 2)
    angles = math.pi / t * np.repeat(lines, 3)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _cells(of: Instance) -> Exact:
    """A block between two occupied cells, or alone in its cell."""
    choices = {**ALGORITHMS[APPROXIMATE].choices, **_READINGS}[of.choice]
    made = algorithm_2.calibrate(of.claim.epsilon, of.claim.delta, **_block_sizes(BLOCKS[of.choice]), choices=choices)
    return histogram_parts(made.scale, made.threshold, of.claim.epsilon, of.claim.delta)


def _block_moves(name: str, data: NDArray[np.float64], place: int, row: Any) -> OnPair:
    """One row's block moves to where the row is."""
    neighbour = data.copy()
    neighbour[place] = row
    return OnPair(name, (data, neighbour), _block_sizes(len(data) // 3), readings=_READINGS)


def nearest_line(Pi: NDArray[np.float64] | None, t: int) -> int | None:
    """Return which of t lines, pi / t apart, is the nearest."""
    if Pi is None:
        return None
    return round(t / (2.0 * math.pi) * math.atan2(2.0 * Pi[0, 1], Pi[0, 0] - Pi[1, 1])) % t


# --- shared -------------------------------------------------------------------------------------------


def label(subspace: RationalSubspace | None) -> str | None:
    """Return a subspace as a category."""
    return None if subspace is None else str(subspace.rows)


def _axis(Pi: NDArray[np.float64] | None) -> str | None:
    """Return the rank of a projector, and the axis that it moves least."""
    return None if Pi is None else f"{round(float(np.trace(Pi)))}, axis {int(np.argmax(np.diag(Pi)))}"


# --- instances ----------------------------------------------------------------------------------------


def _lines_moved(first: int, second: int) -> tuple[list[list[int]], list[list[int]]]:
    """Return points on two lines, and the same with one of the first moved to the second."""
    pair = [[[1, 0]] * (first - moved) + [[0, 1]] * (second + moved) for moved in (0, 1)]
    return pair[0], pair[1]


_LEMMA: Any = {"because": "singhal2021.lemma-2.3"}
_BOUND: Any = {"because": "singhal2021.truncated-laplace-bound"}
_CANDIDATES: Any = {"because": "singhal2021.algorithm-1-candidates"}
_LINE: dict[str, Any] = {"ell": 0, "k": 1}
_TWO = Setup("exact", "a value that moves by 2", _moves_by_2)
_DEPENDENT_POINTS = "three dependent points, k=3"
_NEAR_TIE = ([[1, 0]] * NULL_SCORE + [[0, 1]], [[1, 0]] * (NULL_SCORE + 1))
_TIE, _TIE_SHOWN, _TIE_OUTPUT = FiniteLaws("near tie with NULL", _NEAR_TIE, _LINE).views()
_FOUND, _FOUND_SHOWN, _FOUND_OUTPUT = FiniteLaws("a line found or not", _lines_moved(28, 1), _LINE).views()
_POINTS, _, _ = FiniteLaws("two points", ([[1, 0], [0, 1]], [[1, 0], [1, 1]]), _LINE).views()
_FEW, _, _FEW_OUTPUT = FiniteLaws("a line of few points", _lines_moved(7, 1), _LINE).views()
_PLANE_FOUND, _, _ = FiniteLaws("a plane of few points", _CONE, {"ell": 0, "k": 2}).views()
AUDITS: list[Instance] = []
exact = partial(Instance, EXACT)
AUDITS += [
    exact(
        "AS_PRINTED",
        PRINTED.over_domain("all of 3 lines, n=10", _LINES, 10),
        PRINTED.claim,
        "REFUTED",
        epsilon=math.inf,
        **_LEMMA,
    ),
    exact("AS_PRINTED", _TWO, COMMON, epsilon=0.997308, **_BOUND),
    exact("AS_PRINTED", _TWO, LARGE, "REFUTED", epsilon=math.inf, **_BOUND),
    exact("AS_PRINTED", _TIE, COMMON, "REFUTED", epsilon=math.inf, **_LEMMA),
]
for _small, _name, _domain, _n in SMALL_DOMAINS:  # no pair of these domains is far apart: in total variation it is within delta
    AUDITS += [exact("CORRECTED", _small.over_domain(_name, _domain, _n), _small.claim, epsilon=0.0)]
AUDITS += [
    exact("CORRECTED", DEPENDENT.on_pair(_DEPENDENT_POINTS, _DEPENDENT_PAIR), DEPENDENT.claim, epsilon=0.300892),
    exact("CORRECTED", _TWO, COMMON, epsilon=1.0),
    exact("CORRECTED", _TWO, LARGE, epsilon=4.0),
    exact("CORRECTED", _POINTS, SMALL, epsilon=0.0),
    exact("CORRECTED", _TIE, COMMON, epsilon=0.505782),
    exact("CORRECTED", _FOUND, COMMON, epsilon=0.849575),
    exact("CORRECTED", _FEW, LARGE, epsilon=2.60274),
    exact("CORRECTED", _PLANE_FOUND, LARGE, epsilon=0.814735),
    exact(
        BOUND_AS_PRINTED, SHORT.over_domain("all of 3 lines, n=8", _LINES, 8), SHORT.claim, "REFUTED", epsilon=4.20902, **_BOUND
    ),
    exact(
        CANDIDATES_AS_PRINTED,
        DEPENDENT_AS_PRINTED.on_pair(_DEPENDENT_POINTS, _DEPENDENT_PAIR),
        DEPENDENT.claim,
        "REFUTED",
        epsilon=2.89828,
        **_CANDIDATES,
    ),
    exact("AS_PRINTED", _TIE_SHOWN, COMMON, "REFUTED", epsilon=math.inf, trials=1_000, least=400, **_LEMMA),
    exact("AS_PRINTED", _TIE_OUTPUT, COMMON, "REFUTED", epsilon=math.inf, trials=4_000, **_LEMMA),
    exact("CORRECTED", _FEW_OUTPUT, LARGE, epsilon=2.60274, trials=4_000),
    exact("CORRECTED", _TIE_SHOWN, COMMON, epsilon=0.505782, trials=1_000),
    exact("CORRECTED", _TIE_OUTPUT, COMMON, epsilon=0.505782, trials=4_000),
    exact("CORRECTED", _FOUND_SHOWN, COMMON, epsilon=0.849575, trials=1_000),
    exact("CORRECTED", _FOUND_OUTPUT, COMMON, epsilon=0.849575, trials=4_000),
]

#: A line that gains or loses a point, among lines and planes.
_GAINS = ([[1, 0, 0]] * 14 + [[0, 1, 0]], [[1, 0, 0]] * 13 + [[0, 1, 0]] * 2)
_ALL, _ALL_SHOWN, _ALL_OUTPUT = FiniteLaws("lines and planes", _GAINS, {"ell": 0, "k_max": 2}).views()
_ALL_PLANE, _, _ = FiniteLaws("a plane of few points", _CONE, {"ell": 0, "k_max": 2}).views()
all_dimensions = partial(Instance, ALL_DIMENSIONS)
AUDITS += [
    all_dimensions("CORRECTED", _ALL, COMMON, epsilon=0.848962),
    all_dimensions("CORRECTED", _ALL_PLANE, LARGE, epsilon=1.76044),
    all_dimensions("CORRECTED", _ALL_SHOWN, COMMON, epsilon=0.848962, trials=500),
    all_dimensions("CORRECTED", _ALL_OUTPUT, COMMON, epsilon=0.848962, trials=1_000),
]
# SCORE(2) goes from 4 to 5, beside SCORE(1) and SCORE(3), which move by less
_MORE = "plane and one more"
_PLANE_DIMENSION = OnPair(_MORE, _ONE_MORE, {"k_max": 3}, _dimension_curve)
# no with probability exp(-1) / 2 and exp(-2) / 2, or 1 / 2 and exp(-1) / 2; the noisy score itself has the whole epsilon too
_AT_MOST_SIZES = {"k_max": 2, "ell": 0}
_SCORED = OnPair(_MORE, _ONE_MORE, _AT_MOST_SIZES, _laplace_curve)
_ANSWERED, _DECIDED = (
    OnPair(name, pair, _AT_MOST_SIZES).output(name, int)
    for name, pair in ((_MORE, _ONE_MORE), ("at the threshold", _AT_THE_THRESHOLD))
)
AUDITS += [
    Instance(DIMENSION, "CORRECTED", _PLANE_DIMENSION.transcript, PURE, epsilon=0.827753, trials=500),
    Instance(DIMENSION, "CORRECTED", _PLANE_DIMENSION.output(_MORE), PURE, epsilon=0.827753, trials=500),
    Instance(AT_MOST, "CORRECTED", _SCORED.transcript, PURE, epsilon=1.0, trials=500),
    Instance(AT_MOST, "CORRECTED", _ANSWERED, PURE, epsilon=1.0, trials=500),
    Instance(AT_MOST, "CORRECTED", _DECIDED, PURE, epsilon=1.0, trials=2_000),
    Instance(RANDOM_SUBSETS, "CORRECTED", _noise_and_subsets(12, 1), LARGE, epsilon=4.0),
    Instance(RANDOM_SUBSETS, "CORRECTED", _noise_and_subsets(9, 2), LARGE, epsilon=4.0),
]
#: The law of the output, over which lines the subsets hit; the transcript would have secrets.
for _name, _lines_pair, _epsilon in (
    ("a line of 11 points", _lines_moved(11, 1), 0.472154),
    ("a line of 12 points", _lines_moved(12, 4), 2.04826),
):
    _mixed, _, _mixed_output = FiniteLaws(_name, _lines_pair, {**_LINE, "n": len(_lines_pair[0])}, mixture=True).views()
    AUDITS += [
        Instance(RANDOM_SUBSETS, "CORRECTED", _mixed, LARGE, epsilon=_epsilon),
        Instance(RANDOM_SUBSETS, "CORRECTED", _mixed_output, LARGE, epsilon=_epsilon, trials=2_000),
    ]
_SECTION: Any = {"because": "singhal2021.section-3.3"}
_HALVES = "half of the blocks"
_RUNS, _FEW_RUNS = (Setup("exact", "the runs and their scores", how) for how in (_runs, _few_runs))
_HIDDEN = OnPair(_HALVES, (_HALF_ROWS, _HALF_ROWS_MOVED), {**_SIZES, "auxiliary": _AUXILIARY}).output(
    _HALVES, _axis, reference_only=True
)
_SCORE_MOVES = _opened("one run, a row of the score", _ONE_OPEN, of_rows=False)
_BLOCK_MOVES = _opened(f"one run, {_HALVES}", _ONE_OPEN, of_rows=True)
_FOUR_MOVE = _opened("four runs, a row of the score", _FOUR_OPEN, of_rows=False)
selection = partial(Instance, SELECTION)
AUDITS += [
    selection("CORRECTED", _RUNS, RUNS, epsilon=6.0),
    # two noisy counts of scale 1 show the run's subspace with probability 0.788704; it has a score of loss 2
    selection("CORRECTED", _SCORE_MOVES, ONE_RUN, epsilon=1.98728, trials=500, target=RUNS, **_SECTION),
    selection("CORRECTED", _BLOCK_MOVES, ONE_RUN, trials=500, target=RUNS, **_SECTION),
    selection("CORRECTED", _FOUR_MOVE, FOUR_RUNS, trials=100, target=RUNS, **_SECTION),
    selection("CORRECTED", _HIDDEN, RUNS, trials=100),
    selection(FEW_RUNS, _FEW_RUNS, SMALL_RUNS, epsilon=1.5, **_SECTION),
]

#: All blocks apart, where one moves; and half of the blocks in either cell, where one changes sides.
_CELLS = Setup("exact", "two occupied cells, and one alone", _cells)
_RULE: Any = {"because": "singhal2021.algorithm-2-threshold"}
approximate = partial(Instance, APPROXIMATE)


def _apart(t: int) -> tuple[OnPair, Setup]:
    """All blocks apart."""
    data = _lines(t, apart=True)
    pair = _block_moves("all blocks apart", data, 0, 1e9 * data[-1])
    return pair, pair.output(pair.name, partial(nearest_line, t=t))


_T = BLOCKS["CORRECTED"]
_APART, _APART_OUTPUT = _apart(_T)
_TWO_CELLS, _BORDER = (
    _block_moves(name, _lines(_T), place, 1e9 * _lines(_T)[-1])
    for name, place in ((_HALVES, 0), (f"{_HALVES}, first row of the second", 3))
)
_NEAREST = partial(nearest_line, t=_T)
_SMALL_ROWS = 1e-300 * _lines(_T)  # squares of which are 0
_ENDS = _block_moves(ENDS, _SMALL_ROWS, 0, [5e-324, 1e140])  # the ends of the domain
for _choice, _why in (("AS_PRINTED", _RULE), ("CORRECTED", {})):
    AUDITS += [approximate(_choice, _CELLS, COMMON, epsilon=1.0, **_why)]
    for _run, _shown in ((_APART, _APART_OUTPUT), (_TWO_CELLS, _TWO_CELLS.output(_HALVES, _NEAREST))):
        AUDITS += [
            approximate(_choice, _run.transcript, COMMON, trials=500, **_why),
            approximate(_choice, _shown, COMMON, trials=2_000, **_why),
        ]
    AUDITS += [
        approximate(_choice, _BORDER.transcript, COMMON, trials=500, **_why),
        approximate(_choice, _ENDS.transcript, COMMON, trials=500, **_why),
    ]
# half of 14 blocks is less than the stable threshold, 1 + 2 ln 50 = 8.82
_CONSTANTS: Any = {"because": "singhal2021.algorithm-2-constants"}
_FEW_APART, _FEW_OUTPUT = _apart(BLOCKS[FEW_BLOCKS])
AUDITS += [
    approximate("CORRECTED", _ENDS.output(ENDS, _NEAREST, reference_only=True), COMMON, trials=500),
    approximate(FEW_STABLE_BLOCKS, _CELLS, COMMON, epsilon=1.0, **_CONSTANTS),
    approximate(FEW_BLOCKS, _CELLS, COMMON, "REFUTED", epsilon=math.inf, **_RULE),
    approximate(FEW_BLOCKS, _FEW_APART.transcript, COMMON, "REFUTED", trials=1_000, **_RULE),
    approximate(FEW_BLOCKS, _FEW_OUTPUT, COMMON, "REFUTED", trials=2_000, least=2_000, **_RULE),
]

# --- maximisers ---------------------------------------------------------------------------------------


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
