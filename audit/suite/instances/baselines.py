"""Audits of the baselines, under replace-one, in all views.

Whether a claim holds comes from an enclosure (Gaussian releases), a closed form (Wishart, Bingham) or quadrature (the
law of a direction in the plane); where a theorem says it, the line names the ledger's claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr
from scipy.stats import nct
from scipy.stats import t as student

from dppca.audit.engine.outputs import Features
from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import Exact, Instance, Output, Transcript
from dppca.audit.suite.instances.wang2020 import message_distance, pair_epsilon, pair_holds
from dppca.audit.suite.marginal import with_start
from dppca.reference.baselines import analyze_gauss, exponential, mod_sulq, noisy_power_method, wishart
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm, Sample
from dppca.reference.primitives.bingham import log_normaliser
from dppca.reference.primitives.gaussian import profile
from dppca.reference.primitives.subspaces import projector
from dppca.reference.primitives.symmetric import upper_triangle

GAUSS = "baselines.analyze_gauss"
SULQ = "baselines.mod_sulq"
POWER = "baselines.noisy_power_method"
WISHART = "baselines.wishart_mechanism"
EXPONENTIAL = "baselines.exponential_mechanism"

BOTH = ("AS_PRINTED", "CORRECTED")
#: A common claim, and one at which a few thousand outputs suffice to see a failure.
COMMON, LARGE = Claim(1.0, 1e-6), Claim(4.0, 0.2)

Matrix = NDArray[np.float64]
Profile = Callable[[float], float]


def instances() -> list[Instance]:
    """Every audit of the baselines."""
    return [*_noisy_matrices(), *_power_method(), *_wishart(), *exponential_instances()]


# --- Analyze Gauss and MOD-SULQ: a Gaussian release of the second moments -----------------------------------


def _noisy_matrices() -> Iterator[Instance]:
    """e_1 replaced by e_2 among rows on the diagonal between them, which keep the leading eigenvector near it."""
    n = 21
    e1, e2 = np.eye(2)
    data = np.vstack([e1, np.full((n - 1, 2), math.sqrt(0.5))])
    neighbour = np.vstack([e2, data[1:]])
    for choice in BOTH:
        for claim in (COMMON, LARGE):
            gauss = analyze_gauss.calibrate(claim.epsilon, claim.delta, 2, ALGORITHMS[GAUSS].choices[choice])
            target = {"epsilon": claim.epsilon, "delta": claim.delta, "d": 2, "k": 1}
            yield from _gaussian_release(GAUSS, choice, "e1/e2", claim, target, (data, neighbour), gauss.std)
            sulq = mod_sulq.calibrate(claim.epsilon, claim.delta, n, 2, ALGORITHMS[SULQ].choices[choice])
            yield from _gaussian_release(SULQ, choice, "e1/e2", claim, {**target, "n": n}, (data, neighbour), sulq.std * n)


def _gaussian_release(
    key: str,
    choice: str,
    name: str,
    claim: Claim,
    arguments: dict[str, Any],
    pair: tuple[Matrix, Matrix],
    std: float,
) -> Iterator[Instance]:
    """The matrix X^T X + noise in the exact and the transcript view; at the large claim its leading eigenvector too."""
    algorithm = _bind(key, choice, **arguments)
    distance = message_distance(pair[0][0], pair[1][0])
    holds, epsilon = pair_holds(claim, std, distance), pair_epsilon(claim, std, distance)
    mu = math.sqrt(distance) / std
    for how in (_decided(holds, epsilon, pair), Transcript(algorithm, *pair, trials=5000)):
        yield Instance(key, choice, name, claim, how, holds, epsilon, partial(profile, mu=mu))
    if claim is LARGE:
        curve = _direction_profile(len(pair[0]) - 1, std)
        epsilon = _root(curve, claim.delta)
        holds = epsilon <= claim.epsilon
        trials = 10_000 if holds else 80_000
        output = Output(_sampled(algorithm), *pair, trials=trials, features=_side, arguments=arguments)
        yield Instance(key, choice, f"{name}, output", claim, output, holds, epsilon, curve)


def _side(basis: Matrix) -> float:
    """On which side of the diagonal a direction of the plane lies: the cosine of twice its angle."""
    return float(basis[0, 0] ** 2 - basis[1, 0] ** 2)


def _direction_profile(others: int, std: float) -> Profile:
    """The profile of the leading eigenvector of X^T X + noise, by quadrature.

    Its angle is half that of the vector (2 C_12, C_11 - C_22), which is N((others, +-1), diag(4, 2) std^2) on the two
    datasets, mirror images of each other.
    """
    angle = np.linspace(-math.pi, math.pi, 200_001)[:-1]
    p, q = (np.exp(_log_direction(angle, (others, y), (2.0 * std, math.sqrt(2.0) * std))) for y in (1.0, -1.0))
    width = float(angle[1] - angle[0])

    return lambda epsilon: width * float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)))


def _log_direction(angle: Matrix, mean: tuple[float, float], std: tuple[float, float]) -> Matrix:
    """Log-density of the angle of a normal vector with independent coordinates."""
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


def _power_method() -> Iterator[Instance]:
    """Rows and a start vector along (1, ..., 1): every entry of the iterate is small, and so is the printed noise."""
    d = 16
    flat = np.full((1, d), 0.25)
    for choice in BOTH:
        for claim in (COMMON, LARGE):
            target = {"epsilon": claim.epsilon, "delta": claim.delta, "d": d, "k": 1}
            calibration = noisy_power_method.calibrate(**target, L=1, choices=ALGORITHMS[POWER].choices[choice])
            std = calibration.multiplier * calibration.step_scale(flat.T)
            run = with_start(_bind(POWER, choice, **target, L=1), flat.T)
            pair = (flat, np.zeros((1, d)))
            holds, epsilon = (f(claim, std, Fraction(1)) for f in (pair_holds, pair_epsilon))  # |A X_0| = 1 or 0
            for how in (_decided(holds, epsilon, pair), Transcript(run, *pair, trials=5000)):
                curve = partial(profile, mu=1.0 / std)
                yield Instance(POWER, choice, "flat row, L=1", claim, how, holds, epsilon, curve)
            if claim is LARGE:
                curve = _cosine_profile(d, 1.0 / std)
                epsilon = _root(curve, claim.delta)
                holds = epsilon <= claim.epsilon
                output = Output(_sampled(run), *pair, trials=10_000, features=lambda basis: float(basis.sum()))
                yield Instance(POWER, choice, "flat row, L=1, output", claim, output, holds, epsilon, curve)
        # 400 such rows keep the iterates flat: but for a probability below 1e-9 every entry is below 0.4 and |x^T X| > 0.99,
        # so the five printed releases are together at least as revealing as one of ratio 0.99 sqrt(5) / (0.4 sigma) = 0.33.
        rows = np.tile(flat, (400, 1))
        run = with_start(_bind(POWER, choice, epsilon=1.0, delta=1e-6, d=d, k=1, L=5), flat.T)
        how = Transcript(run, rows, np.vstack([np.zeros((1, d)), rows[1:]]), trials=3000)
        yield Instance(POWER, choice, "400 flat rows, L=5", COMMON, how, choice == "CORRECTED", None)


def _cosine_profile(d: int, ratio: float) -> Profile:
    """The profile of the direction of a normal vector in R^d, its mean at distance `ratio` std from 0, or 0.

    The direction's likelihood ratio increases with its cosine c, sqrt(d - 1) c / sqrt(1 - c^2) has a t law.
    """
    t = np.linspace(-40.0, 40.0, 40_001)
    upper = (nct.sf(t, d - 1, ratio), student.sf(t, d - 1))
    lower = (student.cdf(t, d - 1), nct.cdf(t, d - 1, ratio))

    return lambda epsilon: max(0.0, *(float(np.max(p - math.exp(epsilon) * q)) for p, q in (upper, lower)))


# --- Wishart mechanism --------------------------------------------------------------------------------


def _wishart() -> Iterator[Instance]:
    """No pure epsilon: one dataset gives matrices that the other cannot, and directions that it hardly can.

    Output, k = d - 1, so that the smallest eigenvector u is shown too. On A = 0 it is uniform. On A = e_d e_d^T / n its
    density at u = e_d, where A_hat is a block B and an eigenvalue l below all of B's, is proportional to the integral
    over B > l of exp(-(tr B + l - 1/n) / (2 c)) det(B - l), l > 1/n. With B = l + C this is that on A = 0 times
    exp(kappa (1 - d)), kappa = 1 / (2 c n): epsilon / 3 as printed. So for d > 4 the loss near u = e_d exceeds epsilon.
    """
    d = 20
    pair = (np.zeros((1, d)), np.eye(1, d, d - 1))
    for choice, claim in (("AS_PRINTED", Claim(2.0, 0.0)), ("CORRECTED", Claim(2.0, 0.1))):
        target = {"epsilon": claim.epsilon, "delta": claim.delta, "n": 1}
        scale = wishart.calibrate(**target, choices=ALGORITHMS[WISHART].choices[choice]).scale
        delta = wishart.exact_delta(1, scale)
        holds = delta <= claim.delta
        epsilon = 0.0 if holds else math.inf  # delta is the same for every epsilon
        arguments = {**target, "k": d - 1}
        run = _bind(WISHART, choice, **arguments)
        for how in (_decided(holds, epsilon, pair), Transcript(run, *pair, trials=2000)):
            yield Instance(WISHART, choice, "0/e_d", claim, how, holds, epsilon, partial(_constant, value=delta))
        if choice == "AS_PRINTED":
            holds = (d - 1) / (2.0 * scale) <= claim.epsilon
        trials = 5000 if holds else 60_000
        output = Output(_sampled(run), *pair, trials=trials, features=_off_last_axis, arguments=arguments)
        yield Instance(WISHART, choice, "0/e_d, k=d-1, output", claim, output, holds, None)


def _off_last_axis(V: Matrix) -> float:
    """How much of the last axis a subspace leaves out."""
    return 1.0 - float(V[-1] @ V[-1])


# --- exponential mechanism ----------------------------------------------------------------------------


def exponential_instances() -> Iterator[Instance]:
    """e_1 replaced by e_2, among rows at e_2: nearly the largest loss that there is; and among rows at both.

    Two leading directions in R^6 that one row decides between: the other four are all but ruled out, which makes a
    sampler by rejection work hardest, and shows one that accepts wrongly.
    """
    near = np.vstack([np.eye(1, 3), np.tile(np.eye(1, 3, 1), (19, 1))])
    tie = np.vstack([np.eye(1, 6), np.tile(np.eye(2, 6), (100, 1))])
    for choice in ALGORITHMS[EXPONENTIAL].choices:
        yield from _one_direction(choice, "e1/e2", Claim(1.0, 0.0), near, _projector, trials=5000)
        if choice == "CORRECTED":
            yield from _one_direction(choice, "e1/e2 on a tie, d=6", Claim(2.0, 0.0), tie, _first_squares, trials=7000)
        if choice == "PPCA":
            continue
        claim, arguments = Claim(1.0, 0.0), {"epsilon": 1.0, "k": 2}
        run, pair = _bind(EXPONENTIAL, choice, **arguments), (near, _first_at_e2(near))
        for how in (
            Transcript(run, *pair, trials=1000),
            Output(_sampled(run), *pair, trials=2000, features=_projector, arguments=arguments),
        ):
            yield Instance(EXPONENTIAL, choice, "e1/e2, k=2", claim, how, True, None)  # claim amin2019.eigenvector-sensitivity


def _one_direction(choice: str, name: str, claim: Claim, data: Matrix, features: Features, trials: int) -> Iterator[Instance]:
    """All views of one direction, drawn from rows whose first one moves to e_2."""
    neighbour, arguments = _first_at_e2(data), {"epsilon": claim.epsilon, "k": 1}
    multiplier = exponential.calibrate(claim.epsilon, 1, ALGORITHMS[EXPONENTIAL].choices[choice]).multiplier
    matrices = multiplier * data.T @ data, multiplier * neighbour.T @ neighbour
    epsilon = _bingham_epsilon(*matrices)
    curve = _bingham_profile(*matrices) if data.shape[1] == 3 else None
    holds = epsilon <= claim.epsilon
    run = _bind(EXPONENTIAL, choice, **arguments)
    for how in (_decided(holds, epsilon, (data, neighbour)), Transcript(run, data, neighbour, trials=1000)):
        yield Instance(EXPONENTIAL, choice, name, claim, how, holds, epsilon, curve)
    output = Output(_sampled(run), data, neighbour, trials=trials, features=features, arguments=arguments)
    yield Instance(EXPONENTIAL, choice, f"{name}, output", claim, output, holds, epsilon, curve)


def _first_squares(basis: Matrix) -> Matrix:
    """What a direction has of the first two axes, its sign aside."""
    return basis[:2, 0] ** 2


def _first_at_e2(rows: Matrix) -> Matrix:
    return np.vstack([np.eye(1, rows.shape[1], 1), rows[1:]])


def _bingham_epsilon(M: Matrix, other: Matrix) -> float:
    """The largest loss between two Bingham laws: v^T (M - other) v - (log-normalisers) over the sphere, either way."""
    low, *_, high = np.linalg.eigvalsh(M - other)
    shift = log_normaliser(M) - log_normaliser(other)
    return float(max(high - shift, shift - low))


def _bingham_profile(M: Matrix, other: Matrix) -> Profile:
    """The profile of two Bingham laws on the sphere of R^3 with axes along the coordinates, by quadrature."""
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


def _root(curve: Profile, delta: float) -> float:
    """Epsilon at delta."""
    return float(brentq(lambda epsilon: curve(epsilon) - delta, 0.0, 50.0)) if curve(0.0) > delta else 0.0


def _decided(holds: bool, epsilon: float, pair: tuple[Matrix, Matrix]) -> Exact:
    """The exact view of what was computed before."""
    return Exact(lambda: (holds, epsilon), *pair)


def _sampled(algorithm: Algorithm[Any]) -> Any:
    """The algorithm as a mechanism (data, rng) -> output."""
    return lambda data, rng: algorithm(data, Sample(rng))


def _projector(basis: Matrix) -> Matrix:
    """A subspace as the upper triangle of its projector."""
    return upper_triangle(projector(basis))
