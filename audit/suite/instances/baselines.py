"""Audits of the baselines, under replace-one, in all views.

The epsilons are those of the pairs under the printed formulas, or the target where the noise is the smallest that reaches it
(tests/test_expected.py has them by another route); the curves of the report come from an enclosure (Gaussian releases), a
closed form (Wishart, Bingham) or quadrature (the law of a direction in the plane).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from dppca.audit.engine.outputs import Features
from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import Audits, Built, Exact, Maximiser, Output, Transcript, sampled
from dppca.audit.suite.marginal import with_start
from dppca.audit.suite.pairs import gaussian_pair, message_distance
from dppca.reference.baselines import analyze_gauss, exponential, matrix_exponential, mod_sulq, noisy_power_method, wishart
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm
from dppca.reference.primitives.bingham import log_normaliser
from dppca.reference.primitives.gaussian import profile
from dppca.reference.primitives.subspaces import projector
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.primitives.wishart import exact_delta

GAUSS = "baselines.analyze_gauss"
SULQ = "baselines.mod_sulq"
POWER = "baselines.noisy_power_method"
WISHART = "baselines.wishart_mechanism"
EXPONENTIAL = "baselines.exponential_mechanism"
MATRIX = "baselines.matrix_exponential_mechanism"

#: A common claim, and one at which a few thousand outputs suffice to see a failure.
COMMON, LARGE = Claim(1.0, 1e-6), Claim(4.0, 0.2)

Matrix = NDArray[np.float64]
Profile = Callable[[float], float]


# --- Analyze Gauss and MOD-SULQ: a Gaussian release of the second moments -----------------------------------


#: Rows on the diagonal between e_1 and e_2 keep the leading eigenvector near it.
_OTHERS = 20
_E1_E2 = tuple(np.vstack([np.eye(1, 2, j), np.full((_OTHERS, 2), math.sqrt(0.5))]) for j in (0, 1))
_E1_GONE = tuple(np.vstack([row * np.eye(1, 2), np.full((_OTHERS, 2), math.sqrt(0.125))]) for row in (1.0, 0.0))


def _gauss(choice: str) -> Iterator[Built]:
    for claim in (COMMON, LARGE):
        std = analyze_gauss.calibrate(claim.epsilon, claim.delta, 2, ALGORITHMS[GAUSS].choices[choice]).std
        yield from _gaussian_release(GAUSS, choice, claim, {"d": 2, "k": 1}, std)


def _sulq(choice: str) -> Iterator[Built]:
    n = _OTHERS + 1
    for claim in (COMMON, LARGE):
        std = n * mod_sulq.calibrate(claim.epsilon, claim.delta, n, 2, ALGORITHMS[SULQ].choices[choice]).std
        yield from _gaussian_release(SULQ, choice, claim, {"d": 2, "k": 1, "n": n}, std)


def _gaussian_release(key: str, choice: str, claim: Claim, sizes: dict[str, Any], std: float) -> Iterator[Built]:
    """The matrix X^T X + noise in the exact and the transcript view; at the large claim its leading eigenvector too."""
    arguments = {"epsilon": claim.epsilon, "delta": claim.delta, **sizes}
    algorithm = _bind(key, choice, **arguments)
    distance = message_distance(_E1_E2[0][0], _E1_E2[1][0])
    curve = partial(profile, mu=math.sqrt(distance) / std)
    yield Built("exact", "e1/e2", claim, gaussian_pair(claim, std, distance, _E1_E2), curve)
    yield Built("transcript", "e1/e2", claim, Transcript(algorithm, *_E1_E2), curve)
    gone = Transcript(algorithm, *_E1_GONE)  # the same row removed from rows shorter than it
    yield Built("transcript", "e1/0 among short rows", claim, gone, partial(profile, mu=1.0 / std))
    if claim == LARGE:
        output = Output(sampled(algorithm), *_E1_E2, features=_side, arguments=arguments)
        yield Built("output", "e1/e2, output", claim, output, _direction_profile(_OTHERS, std))


AUDITS = [gauss := Audits(GAUSS, _gauss), sulq := Audits(SULQ, _sulq)]
_RELATION = "dwork2014.algorithm-1-relation"
gauss.of("AS_PRINTED", "exact", "e1/e2", COMMON, "REFUTED", epsilon=1.13828, because=_RELATION)
gauss.of("AS_PRINTED", "transcript", "e1/e2", COMMON, "REFUTED", epsilon=1.13828, because=_RELATION, trials=2_000, least=1_000)
gauss.of("AS_PRINTED", "exact", "e1/e2", LARGE, "REFUTED", epsilon=5.98895, because=_RELATION)
gauss.of("AS_PRINTED", "transcript", "e1/e2", LARGE, "REFUTED", epsilon=5.98895, because=_RELATION, trials=2_000, least=1_000)
gauss.of("AS_PRINTED", "output", "e1/e2, output", LARGE, "REFUTED", epsilon=5.93725, because=_RELATION, trials=80_000)
_BETA = "chaudhuri2013.theorem-1"
sulq.of("AS_PRINTED", "exact", "e1/e2", COMMON, epsilon=0.328629, because=_BETA)
sulq.of("AS_PRINTED", "transcript", "e1/e2", COMMON, epsilon=0.328629, because=_BETA, trials=2_000)
sulq.of("AS_PRINTED", "exact", "e1/e2", LARGE, epsilon=0.26341, because=_BETA)
sulq.of("AS_PRINTED", "transcript", "e1/e2", LARGE, epsilon=0.26341, because=_BETA, trials=2_000)
sulq.of("AS_PRINTED", "output", "e1/e2, output", LARGE, epsilon=0.261246, because=_BETA, trials=10_000)
for audits in (gauss, sulq):
    audits.of("CORRECTED", "exact", "e1/e2", COMMON, epsilon=1.0)
    audits.of("CORRECTED", "transcript", "e1/e2", COMMON, epsilon=1.0, trials=2_000)
    audits.of("CORRECTED", "exact", "e1/e2", LARGE, epsilon=4.0)
    audits.of("CORRECTED", "transcript", "e1/e2", LARGE, epsilon=4.0, trials=2_000)
    audits.of("CORRECTED", "output", "e1/e2, output", LARGE, epsilon=3.9629, trials=10_000)
    audits.of("CORRECTED", "transcript", "e1/0 among short rows", COMMON, epsilon=0.688911, trials=1_000)


def _side(basis: Matrix) -> float:
    """Return on which side of the diagonal a direction of the plane lies: the cosine of twice its angle."""
    return float(basis[0, 0] ** 2 - basis[1, 0] ** 2)


def _direction_profile(others: int, std: float) -> Profile:
    """Return the profile of the leading eigenvector of X^T X + noise, by quadrature.

    Its angle is half that of the vector (2 C_12, C_11 - C_22), which is N((others, +-1), diag(4, 2) std^2) on the two
    datasets, mirror images of each other.
    """
    angle = np.linspace(-math.pi, math.pi, 200_001)[:-1]
    width = float(angle[1] - angle[0])

    @cache
    def laws() -> tuple[Matrix, Matrix]:
        p, q = (np.exp(_log_direction(angle, (others, y), (2.0 * std, math.sqrt(2.0) * std))) for y in (1.0, -1.0))
        return p, q

    def curve(epsilon: float) -> float:
        p, q = laws()
        return width * float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)))

    return curve


def _log_direction(angle: Matrix, mean: tuple[float, float], std: tuple[float, float]) -> Matrix:
    """Return the log-density of the angle of a normal vector with independent coordinates."""
    u = np.array([np.cos(angle) / std[0], np.sin(angle) / std[1]])
    centre = np.array(mean) / np.array(std)
    along = centre @ u / np.linalg.norm(u, axis=0)
    # the integral of r exp(-(r^2 - 2 r along) / 2) over r > 0
    log_radial = np.logaddexp(
        0.0, np.log(np.maximum(along, 1e-300)) + 0.5 * (math.log(2.0 * math.pi) + along**2) + log_ndtr(along)
    )
    behind = np.log1p(along * np.exp(0.5 * (math.log(2.0 * math.pi) + np.minimum(along, 0.0) ** 2) + log_ndtr(along)))
    scale = math.log(2.0 * math.pi * std[0] * std[1]) + 2.0 * np.log(np.linalg.norm(u, axis=0))
    log_density: Matrix = np.where(along > 0.0, log_radial, behind) - 0.5 * float(centre @ centre) - scale
    return log_density


# --- power method -------------------------------------------------------------------------------------


def _power(choice: str) -> Iterator[Built]:
    """Rows and a start vector along (1, ..., 1): every entry of the iterate is small, and so is the printed noise."""
    d = 16
    flat = np.full((1, d), 0.25)
    pair = (flat, np.zeros((1, d)))
    for claim in (COMMON, LARGE):
        target = {"epsilon": claim.epsilon, "delta": claim.delta, "d": d, "k": 1}
        calibration = noisy_power_method.calibrate(**target, L=1, choices=ALGORITHMS[POWER].choices[choice])
        std = calibration.multiplier * calibration.step_scale(flat.T)
        run = with_start(_bind(POWER, choice, **target, L=1), flat.T)
        curve = partial(profile, mu=1.0 / std)  # |A X_0| = 1 or 0
        yield Built("exact", "flat row, L=1", claim, gaussian_pair(claim, std, Fraction(1), pair), curve)
        yield Built("transcript", "flat row, L=1", claim, Transcript(run, *pair), curve)
        arguments = {**target, "L": 1}
        output = Output(sampled(run), *pair, features=lambda basis: float(basis.sum()), arguments=arguments, start=flat.T)
        yield Built("output", "flat row, L=1, output", claim, output, _cosine_profile(d, 1.0 / std))
    # 400 such rows keep the iterates flat: but for a probability below 1e-9 every entry is below 0.4 and |x^T X| > 0.99,
    # so the five printed releases are together at least as revealing as one of ratio 0.99 sqrt(5) / (0.4 sigma) = 0.33.
    rows = np.tile(flat, (400, 1))
    run = with_start(_bind(POWER, choice, epsilon=1.0, delta=1e-6, d=d, k=1, L=5), flat.T)
    yield Built("transcript", "400 flat rows, L=5", COMMON, Transcript(run, rows, np.vstack([np.zeros((1, d)), rows[1:]])))


AUDITS.append(power := Audits(POWER, _power))
_ENTRY = "hardt2014.ppm-relation"
power.of("AS_PRINTED", "exact", "flat row, L=1", COMMON, "REFUTED", epsilon=2.44365, because=_ENTRY)
power.of(
    "AS_PRINTED", "transcript", "flat row, L=1", COMMON, "REFUTED", epsilon=2.44365, because=_ENTRY, trials=2_000, least=1_000
)
power.of("AS_PRINTED", "exact", "flat row, L=1", LARGE, "REFUTED", epsilon=24.257, because=_ENTRY)
power.of(
    "AS_PRINTED", "transcript", "flat row, L=1", LARGE, "REFUTED", epsilon=24.257, because=_ENTRY, trials=2_000, least=1_000
)
power.of("AS_PRINTED", "output", "flat row, L=1, output", LARGE, "REFUTED", epsilon=23.9243, because=_ENTRY, trials=10_000)
power.of("AS_PRINTED", "transcript", "400 flat rows, L=5", COMMON, "REFUTED", because=_ENTRY, trials=1_000, least=1_000)
power.of("CORRECTED", "exact", "flat row, L=1", COMMON, epsilon=1.0)
power.of("CORRECTED", "transcript", "flat row, L=1", COMMON, epsilon=1.0, trials=2_000)
power.of("CORRECTED", "exact", "flat row, L=1", LARGE, epsilon=4.0)
power.of("CORRECTED", "transcript", "flat row, L=1", LARGE, epsilon=4.0, trials=2_000)
power.of("CORRECTED", "output", "flat row, L=1, output", LARGE, epsilon=3.97098, trials=10_000)
power.of("CORRECTED", "transcript", "400 flat rows, L=5", COMMON, trials=1_000)


def _cosine_profile(d: int, ratio: float) -> Profile:
    """Return the profile of the direction of a normal vector in R^d, its mean at distance `ratio` std from 0, or 0.

    The direction's likelihood ratio increases with its cosine c, sqrt(d - 1) c / sqrt(1 - c^2) has a t law.
    """

    @cache
    def sides() -> tuple[tuple[Matrix, Matrix], ...]:
        from scipy.stats import nct  # noqa: PLC0415 - it takes half a second
        from scipy.stats import t as student  # noqa: PLC0415

        t = np.linspace(-10.0, 40.0, 40_001)  # further down the noncentral law is 0, and scipy gives nan
        upper = (nct.sf(t, d - 1, ratio), student.sf(t, d - 1))
        lower = (student.cdf(t, d - 1), nct.cdf(t, d - 1, ratio))
        return upper, lower

    # far below the noncentral law's mean scipy gives nan: such a cut is left out
    return lambda epsilon: max(0.0, *(float(np.nanmax(p - math.exp(epsilon) * q)) for p, q in sides()))


# --- Wishart mechanism --------------------------------------------------------------------------------


def _wishart(choice: str) -> Iterator[Built]:
    """No pure epsilon: one dataset gives matrices that the other cannot, and directions that it hardly can.

    Output, k = d - 1, so that the smallest eigenvector u is shown too. On A = 0 it is uniform. On A = e_d e_d^T / n its
    density at u = e_d, where A_hat is a block B and an eigenvalue l below all of B's, is proportional to the integral
    over B > l of exp(-(tr B + l - 1/n) / (2 c)) det(B - l), l > 1/n. With B = l + C this is that on A = 0 times
    exp(kappa (1 - d)), kappa = 1 / (2 c n): epsilon / 3 as printed. So for d > 4 the loss near u = e_d exceeds epsilon.
    """
    d, claim = 20, _PURE if choice == "AS_PRINTED" else _SUPPORT
    pair = (np.zeros((1, d)), np.eye(1, d, d - 1))
    target = {"epsilon": claim.epsilon, "delta": claim.delta, "n": 1}
    delta = exact_delta(1, wishart.calibrate(**target, choices=ALGORITHMS[WISHART].choices[choice]).scale)
    epsilon = 0.0 if delta <= claim.delta else math.inf  # delta is the same for every epsilon
    arguments = {**target, "k": d - 1}
    run, curve = _bind(WISHART, choice, **arguments), partial(_constant, value=delta)
    yield Built("exact", "0/e_d", claim, Exact(lambda: (delta <= claim.delta, epsilon), *pair), curve)
    yield Built("transcript", "0/e_d", claim, Transcript(run, *pair), curve)
    output = Output(sampled(run), *pair, features=_off_last_axis, arguments=arguments)
    yield Built("output", "0/e_d, k=d-1, output", claim, output)


_PURE, _SUPPORT = Claim(2.0, 0.0), Claim(2.0, 0.1)
AUDITS.append(matrix := Audits(WISHART, _wishart))
_NO_PURE = "jiang2016.theorem-pure"
matrix.of("AS_PRINTED", "exact", "0/e_d", _PURE, "REFUTED", epsilon=math.inf, because=_NO_PURE)
matrix.of("AS_PRINTED", "transcript", "0/e_d", _PURE, "REFUTED", epsilon=math.inf, because=_NO_PURE, trials=2_000)
matrix.of("AS_PRINTED", "output", "0/e_d, k=d-1, output", _PURE, "REFUTED", because=_NO_PURE, trials=60_000)
matrix.of("CORRECTED", "exact", "0/e_d", _SUPPORT, epsilon=0.0)
matrix.of("CORRECTED", "transcript", "0/e_d", _SUPPORT, epsilon=0.0, trials=2_000)
matrix.of("CORRECTED", "output", "0/e_d, k=d-1, output", _SUPPORT, trials=5_000)


def _off_last_axis(V: Matrix) -> float:
    """Return how much of the last axis a subspace leaves out."""
    return 1.0 - float(V[-1] @ V[-1])


# --- exponential mechanism ----------------------------------------------------------------------------


def _exponential(choice: str) -> Iterator[Built]:
    """e_1 replaced by e_2, among rows at e_2: nearly the largest loss that there is; and among rows at both.

    Two leading directions in R^6 that one row decides between: the other four are all but ruled out, which makes a
    sampler by rejection work hardest, and shows one that accepts wrongly.
    """
    near = np.vstack([np.eye(1, 3), np.tile(np.eye(1, 3, 1), (19, 1))])
    tie = np.vstack([np.eye(1, 6), np.tile(np.eye(2, 6), (100, 1))])
    yield from _one_direction(choice, "e1/e2", _ONE, near, _projector)
    yield from _one_direction(choice, "e1/e2 on a tie, d=6", _TWO, tie, _first_squares)
    pole = tuple(np.eye(3)[[j, 1]] for j in (0, 1))
    yield from _one_direction(choice, "e1/e2 beside e2", _FOUR, pole[0], _side)
    both = _bind(EXPONENTIAL, choice, epsilon=_FOUR.epsilon, k=2)
    yield Built("transcript", "e1/e2 beside e2, k=2", _FOUR, Transcript(both, *pole))
    arguments = {"epsilon": 1.0, "k": 2}
    run, pair = _bind(EXPONENTIAL, choice, **arguments), (near, _first_at_e2(near))
    yield Built("transcript", "e1/e2, k=2", _ONE, Transcript(run, *pair))
    yield Built("output", "e1/e2, k=2", _ONE, Output(sampled(run), *pair, features=_projector, arguments=arguments))


def _one_direction(choice: str, name: str, claim: Claim, data: Matrix, features: Features) -> Iterator[Built]:
    """All views of one direction, drawn from rows whose first one moves to e_2."""
    neighbour, arguments = _first_at_e2(data), {"epsilon": claim.epsilon, "k": 1}
    multiplier = exponential.calibrate(claim.epsilon, 1, ALGORITHMS[EXPONENTIAL].choices[choice]).multiplier
    matrices = multiplier * data.T @ data, multiplier * neighbour.T @ neighbour
    epsilon = _bingham_epsilon(*matrices)
    curve = _bingham_profile(*matrices) if data.shape[1] == 3 else None
    run = _bind(EXPONENTIAL, choice, **arguments)
    yield Built("exact", name, claim, Exact(lambda: (epsilon <= claim.epsilon, epsilon), data, neighbour), curve)
    yield Built("transcript", name, claim, Transcript(run, data, neighbour), curve)
    output = Output(sampled(run), data, neighbour, features=features, arguments=arguments)
    yield Built("output", f"{name}, output", claim, output, curve)


_ONE, _TWO, _FOUR = Claim(1.0, 0.0), Claim(2.0, 0.0), Claim(4.0, 0.0)
AUDITS.append(direction := Audits(EXPONENTIAL, _exponential))
_SCORE = "amin2019.eigenvector-sensitivity"
direction.of("AS_PRINTED", "exact", "e1/e2", _ONE, epsilon=0.407396, because=_SCORE)
direction.of("AS_PRINTED", "transcript", "e1/e2", _ONE, epsilon=0.407396, because=_SCORE, trials=1_000)
direction.of("AS_PRINTED", "output", "e1/e2, output", _ONE, epsilon=0.407396, because=_SCORE, trials=5_000)
direction.of("AS_PRINTED", "transcript", "e1/e2, k=2", _ONE, because=_SCORE, trials=1_000)
direction.of("AS_PRINTED", "output", "e1/e2, k=2", _ONE, because=_SCORE, trials=2_000)
for reading in ("PPCA", "CORRECTED"):
    direction.of(reading, "exact", "e1/e2", _ONE, epsilon=0.915573)
    direction.of(reading, "transcript", "e1/e2", _ONE, epsilon=0.915573, trials=1_000)
    direction.of(reading, "output", "e1/e2, output", _ONE, epsilon=0.915573, trials=5_000)
direction.of("CORRECTED", "exact", "e1/e2 on a tie, d=6", _TWO, epsilon=1.0)
direction.of("CORRECTED", "transcript", "e1/e2 on a tie, d=6", _TWO, epsilon=1.0, trials=1_000)
direction.of("CORRECTED", "output", "e1/e2 on a tie, d=6, output", _TWO, epsilon=1.0, trials=7_000)
direction.of("CORRECTED", "exact", "e1/e2 beside e2", _FOUR, epsilon=2.62126)
direction.of("CORRECTED", "output", "e1/e2 beside e2, output", _FOUR, epsilon=2.62126, trials=10_000)
direction.of("CORRECTED", "transcript", "e1/e2 beside e2, k=2", _FOUR, trials=1_000)
direction.of("CORRECTED", "transcript", "e1/e2, k=2", _ONE, trials=1_000)
direction.of("CORRECTED", "output", "e1/e2, k=2", _ONE, trials=2_000)


def _first_squares(basis: Matrix) -> Matrix:
    """Return what a direction has of the first two axes, its sign aside."""
    return basis[:2, 0] ** 2


def _first_at_e2(rows: Matrix) -> Matrix:
    return np.vstack([np.eye(1, rows.shape[1], 1), rows[1:]])


def _bingham_epsilon(M: Matrix, other: Matrix) -> float:
    """Return the largest loss between two Bingham laws: v^T (M - other) v - (log-normalisers) over the sphere."""
    low, *_, high = np.linalg.eigvalsh(M - other)
    shift = log_normaliser(M) - log_normaliser(other)
    return float(max(high - shift, shift - low))


def _bingham_profile(M: Matrix, other: Matrix) -> Profile:
    """Return the profile of two Bingham laws on the sphere of R^3 with axes along the coordinates, by quadrature."""
    height, weight = np.polynomial.legendre.leggauss(200)
    angle = (np.arange(400) + 0.5) * (math.pi / 800.0)  # a quarter of the circle: the laws are even in each coordinate
    radius = np.sqrt(1.0 - height**2)[:, np.newaxis]
    squares = np.stack(
        np.broadcast_arrays((radius * np.cos(angle)) ** 2, (radius * np.sin(angle)) ** 2, height[:, np.newaxis] ** 2)
    )
    area = np.broadcast_to(weight[:, np.newaxis] / (2.0 * len(angle)), squares.shape[1:])
    laws = [area * np.exp(np.tensordot(np.diag(A), squares, 1) - log_normaliser(A)) for A in (M, other)]
    p, q = (law.ravel() for law in laws)

    def curve(epsilon: float) -> float:
        ratio = math.exp(epsilon)
        return max(float(np.sum(np.maximum(x - ratio * y, 0.0))) for x, y in ((p, q), (q, p)))

    return curve


# --- shared -------------------------------------------------------------------------------------------


def _bind(key: str, choice: str, **arguments: Any) -> Algorithm[Any]:
    return ALGORITHMS[key].bind(**arguments, choices=ALGORITHMS[key].choices[choice])


def _constant(_: float, value: float) -> float:
    return value


def _projector(basis: Matrix) -> Matrix:
    """Return a subspace as the upper triangle of its projector."""
    return upper_triangle(projector(basis))


# --- matrix Bingham -----------------------------------------------------------------------------------


def _matrix_exponential(choice: str) -> Iterator[Built]:
    """e_1 replaced by e_2 beside e_2, in R^3, k = 2: the unit normal of the subspace has the Bingham law of the negative."""
    arguments = {"epsilon": _FOUR.epsilon}
    m = matrix_exponential.calibrate(_FOUR.epsilon, ALGORITHMS[MATRIX].choices[choice]).multiplier
    matrices = [-m * rows.T @ rows for rows in _POLE]
    epsilon, curve = _bingham_epsilon(*matrices), _bingham_profile(*matrices)
    run = _bind(MATRIX, choice, **arguments)
    yield Built("exact", "e1/e2 beside e2, k=2", _FOUR, Exact(lambda: (epsilon <= _FOUR.epsilon, epsilon), *_POLE), curve)
    yield Built("transcript", "e1/e2 beside e2, k=2", _FOUR, Transcript(run, *_POLE), curve)
    output = Output(sampled(run), *_POLE, features=_normal, arguments=arguments)
    yield Built("output", "e1/e2 beside e2, k=2, output", _FOUR, output, curve)


def _normal(basis: Matrix) -> float:
    """Return what a plane has of the second axis less what it has of the first."""
    return float(basis[1] @ basis[1] - basis[0] @ basis[0])


_POLE = (np.eye(3)[[0, 1]], np.eye(3)[[1, 1]])
AUDITS.append(planes := Audits(MATRIX, _matrix_exponential))
planes.of("CORRECTED", "exact", "e1/e2 beside e2, k=2", _FOUR, epsilon=2.32083)
planes.of("CORRECTED", "transcript", "e1/e2 beside e2, k=2", _FOUR, epsilon=2.32083, trials=1_000)
planes.of("CORRECTED", "output", "e1/e2 beside e2, k=2, output", _FOUR, epsilon=2.32083, trials=5_000)


# --- maximisers ---------------------------------------------------------------------------------------


def _e1_e2(d: int) -> tuple[Matrix, Matrix]:
    """e_1 replaced by e_2, among two rows of zeros."""
    zeros = np.zeros((2, d))
    return np.vstack([np.eye(1, d), zeros]), np.vstack([np.eye(1, d, 1), zeros])


MAXIMISERS = {
    GAUSS: Maximiser({}, _e1_e2(3), ("C_hat",)),
    SULQ: Maximiser({}, _e1_e2(3), ("A_hat",)),
    POWER: Maximiser({"d": 2}, _e1_e2(2), (r"Y\[1\]", r"Y\[2\]", r"Y\[3\]")),
    WISHART: Maximiser({}, _e1_e2(3), (".*",)),
    MATRIX: Maximiser({}, _e1_e2(2), ("V",)),
    EXPONENTIAL: Maximiser({"k": 1}, _e1_e2(2), (r"u\[1\]",)),
}
