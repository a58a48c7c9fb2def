"""Bugs in the primitives, seen through small mechanisms that consist of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import logsumexp

from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import sampled
from dppca.audit.suite.pairs import pair_epsilon
from dppca.reference.liu2022.shuffling import clones_delta, shuffled_multiplier
from dppca.reference.noise import Algorithm, Noise, Sample
from dppca.reference.primitives import gaussian
from dppca.reference.primitives.clipping import clip_to_unit_ball
from dppca.reference.primitives.composition import (
    Guarantee,
    advanced_component,
    optimal_component_epsilon,
    optimal_delta,
    serial,
)
from dppca.reference.primitives.private_selection import Repetitions
from dppca.reference.primitives.sparse_histogram import (
    REPLACE_ONE_SENSITIVITY,
    SparseHistogramLaw,
    stability_delta,
    stability_threshold,
)
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw, profile, support_bound
from tests.mechanisms import Vectorised
from tests.meta.audits import Exact, Output, Sensitivity, Transcript
from tests.meta.bug import Bug
from tests.meta.planting import Edit

COMMON = Claim(1.0, 0.01)
#: A claim far out in the tail.
TAIL = Claim(1.0, 1e-20)


def _classical() -> Exact:
    claim = Claim(0.9, 1e-5)
    return Exact(lambda: (pair_epsilon(claim, gaussian.classical_std(claim.epsilon, claim.delta, 1.0), 1), claim.epsilon))


def _analytic(claim: Claim) -> Transcript:
    """One Gaussian release of 0 or 1."""
    std = gaussian.analytic_std(claim.epsilon, claim.delta, 1.0)
    return Transcript(lambda x, noise: noise.gaussian("x", x, std=std, sensitivity=1.0), 0.0, 1.0, claim)


def _analytic_tail() -> Transcript:
    return _analytic(TAIL)


def _analytic_common() -> Transcript:
    return _analytic(COMMON)


def _composed() -> Transcript:
    """Two Gaussian releases, calibrated for their composition."""
    std = gaussian.analytic_std(COMMON.epsilon, COMMON.delta, gaussian.composed_mu([1.0, 1.0]))

    def run(x: float, noise: Noise) -> None:
        for name in ("first", "second"):
            noise.gaussian(name, x, std=std, sensitivity=1.0)

    return Transcript(run, 0.0, 1.0, COMMON)


def _advanced() -> Exact:
    """What 64 mechanisms of the component's guarantee may cost at most."""
    return Exact(lambda: (optimal_delta(0.9, advanced_component(0.9, 0.01, 64), 64), 0.01))


def _optimal() -> Transcript:
    """Ten randomised responses, at what optimal composition leaves to each."""
    epsilon = optimal_component_epsilon(COMMON.epsilon, COMMON.delta, 1e-9, 10)

    def run(bit: int, noise: Noise) -> None:
        for i in range(10):
            noise.exponential(f"bit[{i}]", np.eye(2)[bit], multiplier=epsilon, sensitivity=1.0)

    return Transcript(run, 0, 1, COMMON)


def _serial() -> Transcript:
    """Two Laplace releases whose guarantees add up to the claim."""
    share = 2.0 / serial([Guarantee(1.0, 0.0), Guarantee(1.0, 0.0)]).epsilon

    def run(x: float, noise: Noise) -> None:
        for name in ("first", "second"):
            noise.laplace(name, x, scale=1.0 / share, sensitivity=1.0)

    return Transcript(run, 0.0, 1.0, Claim(2.0, 0.0))


def _support() -> Exact:
    """The exact delta of truncated Laplace noise on its smallest support."""
    return Exact(lambda: (profile(1.0, 2.0, 2.0, support_bound(1.0, 0.01, 2.0)), 0.01))


def _truncated() -> Output:
    """Truncated Laplace noise on 0 or 2."""
    law = TruncatedLaplaceLaw(2.0, support_bound(COMMON.epsilon, COMMON.delta, 2.0))
    return Output(sampled(lambda x, noise: noise.release("x", x, law, sensitivity=2.0)), 0.0, 2.0, COMMON)


def _histogram(claim: Claim) -> Algorithm[Any]:
    law = SparseHistogramLaw(REPLACE_ONE_SENSITIVITY / claim.epsilon, stability_threshold(claim.epsilon, claim.delta))
    return lambda items, noise: noise.release("histogram", items, law, sensitivity=REPLACE_ONE_SENSITIVITY)


#: An item alone in its cell, or in another.
ALONE = np.array([[0.0], [1.0], [1.0]]), np.array([[2.0], [1.0], [1.0]])
#: Two large cells, and an item that moves from one to the other.
LARGE_CELLS = np.repeat([[0.0], [1.0]], [25, 24], axis=0), np.repeat([[0.0], [1.0]], [24, 25], axis=0)
#: A cell whose count is above the threshold, 8.8, by the item that moves.
EDGE = np.repeat([[0.0], [1.0]], [9, 9], axis=0), np.repeat([[0.0], [1.0]], [8, 10], axis=0)


def _alone() -> Transcript:
    claim = Claim(4.0, 0.01)
    return Transcript(_histogram(claim), *ALONE, claim)


def _edge() -> Output:
    """Which cells are shown."""
    return Output(sampled(_histogram(COMMON)), *EDGE, COMMON, features=lambda shown: str(shown[:, 1]))


def _difference() -> Output:
    """The difference of the two noisy counts."""

    def difference(survivors: Any) -> float | None:
        return float(survivors[0, 0] - survivors[1, 0]) if len(survivors) == 2 else None

    return Output(sampled(_histogram(COMMON)), *LARGE_CELLS, COMMON, features=difference)


def _selection() -> Output:
    """The best of K runs that end in 0, 1 or 2: the bit raises the 1 and lowers the 2 by e^epsilon."""
    repetitions = Repetitions(1.0, 0.05)
    epsilon, _ = repetitions.base_budget(3.0, 0.01)
    two, one = 0.1, 0.03

    def best(bit: int, rng: np.random.Generator) -> int:
        p = [one * math.exp(epsilon * bit), two * math.exp(epsilon * (1 - bit))]
        return int(np.max(rng.choice(3, size=repetitions.draw("K", Sample(rng)), p=[1.0 - sum(p), *p])))

    return Output(best, 0, 1, Claim(3.0, 0.0))


def _shuffled() -> Output:
    """1,000 shuffled Gaussian releases, all of 0 but one: the mean of their likelihood ratios tells -1 from 1."""
    n, claim = 1000, Claim(0.5, 0.01)
    mu = 1.0 / shuffled_multiplier(claim.epsilon, claim.delta, n)

    def draw(x: float, trials: int, rng: np.random.Generator) -> Any:
        z = rng.standard_normal((trials, n))
        z[:, 0] += mu * x
        return logsumexp(mu * z, axis=1) - logsumexp(-mu * z, axis=1)

    return Output(Vectorised(draw), -1.0, 1.0, claim)


def _clipped() -> Sensitivity:
    """The sum of two clipped rows."""

    def run(X: Any, noise: Noise) -> None:
        total = np.sum([clip_to_unit_ball(x) for x in X], axis=0)
        noise.gaussian("sum", total, std=1.0, sensitivity=2.0)

    return Sensitivity(run, np.array([[9.0, 9.0], [0.1, 0.1]]), np.array([[-9.0, -9.0], [0.1, 0.1]]))


_NAIVE = """difference = float(1.0 - ndtr(-a)) - math.exp(epsilon) * float(1.0 - ndtr(mu - a))
    return math.log(difference) if difference > 0.0 else -math.inf"""

BUGS = [
    Bug(
        "classical formula without the factor 2",
        "primitives.gaussian",
        "calibration",
        (Edit(gaussian.classical_std, "2.0 * math.log(1.25", "math.log(1.25"),),
        _classical,
    ),
    Bug(
        "decimal logarithm",
        "primitives.gaussian",
        "calibration",
        (Edit(gaussian.classical_std, "math.log(", "math.log10("),),
        _classical,
    ),
    Bug(
        "profile: wrong tail",
        "primitives.gaussian",
        "calibration",
        (Edit(gaussian.log_profile, "a = 0.5 * mu - epsilon / mu", "a = -0.5 * mu - epsilon / mu"),),
        _analytic_common,
    ),
    Bug(
        "profile: tails as 1 - Phi, which cancel",
        "primitives.gaussian",
        "float",
        (
            Edit(
                gaussian.log_profile,
                "difference = float(erfcx(-a / math.sqrt(2.0))) - float(erfcx((mu - a) / math.sqrt(2.0)))\n"
                "    return -0.5 * a * a - math.log(2.0) + math.log(difference) if difference > 0.0 else -math.inf",
                _NAIVE,
            ),
        ),
        _analytic_tail,
    ),
    Bug(
        "composed mu: the largest, not the root of the sum of squares",
        "primitives.gaussian",
        "composition",
        (Edit(gaussian.composed_mu, "math.sqrt(math.fsum(mu * mu for mu in mus))", "max(mus)"),),
        _composed,
    ),
    Bug(
        "advanced composition forgets k under the root",
        "primitives.composition",
        "composition",
        (Edit(advanced_component, "math.sqrt(2.0 * k * math.log(", "math.sqrt(2.0 * math.log("),),
        _advanced,
    ),
    Bug(
        "optimal composition: tails of a fair coin",
        "primitives.composition",
        "composition",
        (Edit(optimal_delta, "heads = tails[::-1]", "heads = binom.pmf(np.arange(k + 1), k, 0.5)"),),
        _optimal,
    ),
    Bug(
        "serial composition: the largest, not the sum",
        "primitives.composition",
        "composition",
        (Edit(serial, "math.fsum(part.epsilon for part in listed)", "max(part.epsilon for part in listed)"),),
        _serial,
    ),
    Bug(
        "support without the shift itself",
        "primitives.truncated_laplace",
        "calibration",
        (Edit(support_bound, "sensitivity * (1.0 + math.log1p(", "sensitivity * (math.log1p("),),
        _support,
    ),
    Bug(
        "noise on one side only",
        "primitives.truncated_laplace",
        "noise",
        (Edit(TruncatedLaplaceLaw.noise, "signed = 2.0 * draw - 1.0", "signed = draw"),),
        _truncated,
    ),
    Bug(
        "noise clipped to its support, not conditioned on it",
        "primitives.truncated_laplace",
        "noise",
        (Edit(TruncatedLaplaceLaw.noise, "math.expm1(-self.bound / self.scale)", "-1.0"),),
        _truncated,
        trials=50_000,
    ),
    Bug(
        "threshold counted from 0, not from 1",
        "primitives.sparse_histogram",
        "threshold",
        (Edit(stability_threshold, "(1.0 + surplus) * OUTWARDS", "surplus * OUTWARDS"),),
        _alone,
    ),
    Bug(
        "threshold of two-sided noise: delta for half the tail",
        "primitives.sparse_histogram",
        "threshold",
        (Edit(stability_threshold, "(0.5 - delta) / delta", "(0.25 - delta) / delta"),),
        lambda: Exact(lambda: (stability_delta(1.0, stability_threshold(1.0, 0.01)), 0.01)),
    ),
    Bug(
        "threshold on the count, before the noise",
        "primitives.sparse_histogram",
        "threshold",
        (Edit(SparseHistogramLaw.apply, "shown = noisy >", "shown = counts >"),),
        _edge,
    ),
    Bug(
        "one draw for all cells",
        "primitives.sparse_histogram",
        "noise",
        (Edit(SparseHistogramLaw.apply, "draw[first]", "draw[0]"),),
        _difference,
    ),
    Bug(
        "base budget for epsilon (1 + eta)",
        "primitives.private_selection",
        "composition",
        (Edit(Repetitions.base_budget, "2 + Fraction(self.eta)", "1 + Fraction(self.eta)"),),
        _selection,
        trials=100_000,
    ),
    Bug(
        "K fixed at its mean",
        "primitives.private_selection",
        "composition",
        (Edit(Repetitions.draw, "K, mass = 1, self.first_mass", "return round(self.mean)\n    K, mass = 1, self.first_mass"),),
        _selection,
    ),
    Bug(
        "every other record taken for a clone",
        "primitives.shuffling",
        "composition",
        (Edit(clones_delta, 'check_count("n", n) - 1, math.exp(-epsilon_0)', 'check_count("n", n) - 1, 1.0'),),
        _shuffled,
    ),
    Bug(
        "clips every coordinate, not the norm",
        "primitives.clipping",
        "clipping",
        (
            Edit(
                clip_to_unit_ball,
                "direction / max(float(np.linalg.norm(direction)), 1.0 / scale)",
                "np.clip(vector, -1.0, 1.0)",
            ),
        ),
        _clipped,
    ),
]
