"""Whether a law's standard draws have their law, at every size, and whether what is made of one has the declared density.

Counts of draws see no difference that is rare, or far out in a tail, or small in many dimensions. But a release is a function
of a standard draw of known density, so its own density at a point needs no drawing: it is that of the draw over the determinant
of the function's derivative. It is compared with the textbook's, point by point:

* noise that is added: at draws of every order of magnitude in both tails; an entry's noise moves with its own draw alone;
* a rejection sampler, whose standard draw is a table of proposals, each of normals and of the uniform number that decides
  whether it is taken: the density of a proposal's direction times the largest uniform number with which it is taken is the
  density of what is drawn, up to a constant.

The standard draws themselves are counted beyond quantiles down to one in 100,000, on both sides, and no two are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import stats

from dppca.audit.suite.laws import LEVEL, Setting, random_setting
from dppca.audit.suite.textbook_laws import Additive, Array, Parameters
from dppca.reference.noise import (
    ExponentialLaw,
    GaussianLaw,
    LaplaceLaw,
    ReleaseLaw,
    ThresholdedLaplaceLaw,
)
from dppca.reference.primitives.bingham import BinghamLaw
from dppca.reference.primitives.matrix_bingham import MatrixBinghamLaw
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw
from dppca.reference.primitives.wishart import WishartLaw
from dppca.reference.singhal2021.gap_max import GapMaxLaw
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw

#: The law of each number of a standard draw, by scipy's names; of a table of proposals that of all columns but the last.
STANDARD: dict[type[ReleaseLaw], str] = {
    GaussianLaw: "norm",
    LaplaceLaw: "laplace",
    ThresholdedLaplaceLaw: "laplace",
    SparseHistogramLaw: "laplace",
    TruncatedLaplaceLaw: "uniform",
    ExponentialLaw: "gumbel_r",
    BinghamLaw: "norm",
    MatrixBinghamLaw: "norm",
    WishartLaw: "norm",
    GapMaxLaw: "uniform",
    GapThresholdLaw: "uniform",
}
PROPOSALS = (BinghamLaw, MatrixBinghamLaw)
#: Sizes of a law, of which the least and the largest are always taken, and one from each part between. They are places in the
#: range of `random_setting`, which ends at 1: the largest are 53 dimensions, or 1,200 numbers.
SIZES, LARGEST = 4, 1.4
#: Numbers that are counted of each law; probabilities beyond which they are.
NUMBERS, TAILS = 300_000, (0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-5)
#: Of noise that has no bound so many numbers are drawn so often, for a tail that is cut off beyond the others.
FAR_TAIL, FAR_NUMBERS, FAR_DRAWS = 1e-7, 1_000_000, 300
#: Points at which a density is compared, for added noise and for a rejection sampler, and the difference of logarithms that the
#: derivatives, from differences, may make.
ADDED_POINTS, TAKEN_POINTS, SLACK = 3_000, 6, 1e-3
#: Smallest probability of a tail from which a point is taken, the step of a derivative in units of it, and binary digits of a
#: probability of being taken.
LEAST_TAIL, STEP, HALVINGS = 1e-6, 1e-3, 40
#: Points that are taken with a smaller probability are left out: of a concentrated law most of them are.
LEAST_TAKEN = 1e-7


def sizes(rng: np.random.Generator) -> list[float]:
    """Return both ends of the range of a law's sizes, and one place from each part between."""
    return [0.0, *(LARGEST * (part + rng.random()) / (SIZES - 2) for part in range(SIZES - 2)), LARGEST]


def standard_draw_faults(law: type[ReleaseLaw], seed: int) -> list[str]:
    """Return what is wrong with the standard draws of a law and with what is made of them, in sentences."""
    rng = np.random.default_rng([seed, len(law.__name__)])
    found: list[str] = []
    if law in (GaussianLaw, LaplaceLaw):
        found += _extremes(random_setting(law, 0.0, rng).law, getattr(stats, STANDARD[law]), rng)
    for size in sizes(rng):
        at = random_setting(law, size, rng)
        found += _numbers(at, STANDARD[law], rng)
        if isinstance(at.family, Additive):
            found += _added(at, at.family, getattr(stats, STANDARD[law]), rng)
        if isinstance(at.law, PROPOSALS):
            found += _taken(at, rng)
    return found


def _extremes(law: ReleaseLaw, known: Any, rng: np.random.Generator) -> Iterator[str]:
    """Yield that standard draws are cut off: how many of three hundred million are beyond a quantile on either side."""
    value, counts = np.zeros(FAR_NUMBERS), np.zeros(2, dtype=int)
    low, high = known.ppf(FAR_TAIL), known.isf(FAR_TAIL)
    for _ in range(FAR_DRAWS):
        drawn = law.draw(value, rng)
        counts += [np.count_nonzero(drawn < low), np.count_nonzero(drawn > high)]
    numbers = FAR_NUMBERS * FAR_DRAWS
    for count in counts.tolist():
        if min(stats.binom.cdf(count, numbers, FAR_TAIL), stats.binom.sf(count - 1, numbers, FAR_TAIL)) < LEVEL / 2.0:
            yield (
                f"standard draws of {law} are beyond the quantile of {FAR_TAIL:g} {count} times of {numbers}, "
                f"{numbers * FAR_TAIL:.0f} expected"
            )


def _numbers(at: Setting, name: str, rng: np.random.Generator) -> Iterator[str]:
    """Yield how often the numbers of many standard draws are beyond quantiles, where that is not by their law, or equal."""
    one = np.asarray(at.law.draw(at.value, rng))
    several = [one, *(at.law.draw(at.value, rng) for _ in range(max(1, NUMBERS // SIZES // max(one.size, 50))))]
    parts = {name: np.concatenate([np.ravel(of[:, :-1] if isinstance(at.law, PROPOSALS) else of) for of in several])}
    if isinstance(at.law, PROPOSALS):
        parts["uniform"] = np.concatenate([of[:, -1] for of in several])
    for each, drawn in parts.items():
        known = getattr(stats, each)
        for tail in TAILS:
            for side, count in (("below", np.sum(drawn < known.ppf(tail))), ("above", np.sum(drawn > known.isf(tail)))):
                if min(stats.binom.cdf(count, drawn.size, tail), stats.binom.sf(count - 1, drawn.size, tail)) < LEVEL / 2.0:
                    yield (
                        f"standard draws of {at.name} are {side} the quantile of {tail:g} of the law {each} {count} times of "
                        f"{drawn.size}, {drawn.size * tail:.1f} expected"
                    )
        if equal := drawn.size - len(np.unique(drawn)):
            yield f"standard draws of {at.name} have {equal} equal numbers of {drawn.size}: noise is used again, or cut off"


def _added(at: Setting, family: Additive, known: Any, rng: np.random.Generator) -> Iterator[str]:
    """Yield where noise that is added has another density than the textbook's, or moves with the draw of another entry."""
    parameters: Parameters = dict(vars(at.law))
    zero = 0.0 * at.value
    for _ in range(max(1, ADDED_POINTS // SIZES // max(at.value.size, 1))):
        tail = 10.0 ** rng.uniform(math.log10(LEAST_TAIL), math.log10(0.49), at.value.shape)
        draw = np.where(rng.random(at.value.shape) < 0.5, known.ppf(tail), known.isf(tail))
        step = STEP * tail * np.minimum(0.5 - tail, 0.1) / known.pdf(draw)
        moving = rng.random(at.value.shape) < 0.5
        noise, up, down = (at.law.apply(zero, draw + by * moving * step) for by in (0.0, 1.0, -1.0))
        if np.any(moving < (up != down)):
            yield f"the noise of {at.name} moves with the draw of another entry"
            return
        slope, at_draw, of_noise = (of[moving] for of in ((up - down) / (2.0 * step), np.asarray(draw), np.asarray(noise)))
        with np.errstate(all="ignore"):
            gap = known.logpdf(at_draw) - np.log(slope) - family.log_noise(parameters, of_noise)
        if not np.all(np.abs(gap) <= SLACK):
            worst = int(np.argmax(np.where(np.isnan(gap), np.inf, np.abs(gap))))
            yield (
                f"{at.name}: the standard draw {at_draw[worst]:.6g} becomes the noise {of_noise[worst]:.6g}, whose density is "
                f"e^{gap[worst]:.4g} times the declared one"
            )
            return
        if not np.allclose(at.law.apply(at.value, draw), at.value + noise, rtol=1e-12, atol=0.0):
            yield f"what {at.name} adds to its value is not what it adds to 0"
            return


def _taken(at: Setting, rng: np.random.Generator) -> Iterator[str]:
    """Yield that the density of what a rejection sampler draws is not in proportion to the textbook's."""
    parameters: Parameters = dict(vars(at.law))
    if len(at.value) < 2:
        return
    several = [_density_of_direction(at, rng.standard_normal(len(at.value))) for _ in range(TAKEN_POINTS)]
    if len(drawn := [of for of in several if math.isfinite(of[1])]) < 2:
        return
    outcomes = at.family.code(at.value, [release for release, _ in drawn])
    gap = np.array([log_density for _, log_density in drawn]) - at.family.log_density(parameters, at.value, outcomes)
    if not float(np.ptp(gap)) <= SLACK:
        yield (
            f"what is drawn is not {at.name}: the density of a proposal times the probability that it is taken, over the "
            f"declared density, differs by a factor e^{float(np.ptp(gap)):.4g} between two of {TAKEN_POINTS} points"
        )


def _density_of_direction(at: Setting, z: Array) -> tuple[Any, float]:
    """Return what a rejection sampler releases for one proposal, and the log-density up to a constant (-inf if hardly ever)."""
    z = z / np.linalg.norm(z)
    refused = np.append(np.roll(z, 1), 0.0)  # a second proposal, which is always taken

    def release(direction: Array, uniform: float) -> Any:
        return at.law.apply(at.value, np.array([np.append(direction, uniform), refused]))

    own = release(z, 0.0)
    low, high = 0.0, 1.0
    if np.array_equal(release(z, math.nextafter(1.0, 0.0)), own):
        low = 1.0
    for _ in range(HALVINGS if low == 0.0 else 0):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.array_equal(release(z, middle), own) else (low, middle)
    point: Callable[[Any], Array] = lambda of: at.family.code(at.value, [of])[0]  # noqa: E731
    there = point(own)
    tangents, others = (np.linalg.svd(of[None])[2][1:] for of in (z, there))
    moved = []
    for tangent in tangents:
        up, down = (point(release(z + by * tangent, 0.0)) for by in (1e-5, -1e-5))
        moved.append(others @ (up * np.sign(up @ there) - down * np.sign(down @ there)) / 2e-5)
    if low < LEAST_TAKEN:
        return own, -math.inf
    return own, math.log(low) - float(np.linalg.slogdet(np.array(moved))[1])
