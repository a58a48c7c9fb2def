"""The accounts against every pair of neighbours over small domains, computed by integration; no account made these laws.

The real line, or the square of it for two steps, is cut into cells, whose masses are differences of normal distribution
functions. That is post-processing, so no divergence found here can be above the true one by more than rounding.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from scipy.special import ndtr

from dppca.reference.accounting import FixedBatch, Mechanism, Poisson, UniformIndex, certify
from dppca.reference.accounting.hinges import certify_hinge
from dppca.reference.accounting.lower import lower_delta, pair_lower_delta
from dppca.reference.accounting.mechanisms import Sampling

Masses: TypeAlias = NDArray[np.float64]
Values: TypeAlias = tuple[float, ...]
#: Values of a row, at most 1 apart, and functions of them that an adversary may ask for in the second step.
DOMAIN = (-0.5, 0.0, 0.5)
QUESTIONS: tuple[Callable[[float], float], ...] = (lambda x: x, lambda x: -x, lambda x: 0.5 - abs(x))


def draws(sampling: Sampling, rows: int) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield each set of rows that a step may draw, with its probability."""
    if isinstance(sampling, Poisson):
        for kept in itertools.product((False, True), repeat=rows):
            p = math.prod(sampling.probability if keep else 1.0 - sampling.probability for keep in kept)
            yield p, tuple(i for i, keep in enumerate(kept) if keep)
        return
    size = sampling.batch if isinstance(sampling, FixedBatch) else 1
    for chosen in itertools.combinations(range(rows), size):
        yield 1.0 / math.comb(rows, size), chosen


@functools.lru_cache(maxsize=4096)
def step(sampling: Sampling, data: Values, question: Callable[[float], float], std: float, cells: int) -> Masses:
    """Return the masses of cells under the law of one release of the summed answers of the rows drawn."""
    edges = np.linspace(-3.0 - 8.0 * std, 3.0 + 8.0 * std, cells + 1)
    weights: dict[float, float] = defaultdict(float)
    for p, chosen in draws(sampling, len(data)):
        weights[sum(question(data[i]) for i in chosen)] += p
    masses = np.asarray(sum(p * np.diff(ndtr((edges - at) / std)) for at, p in weights.items()))
    masses.flags.writeable = False
    return masses


def divergence(p: Masses, q: Masses, epsilon: float) -> float:
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)))


def replaced(n: int) -> Iterator[tuple[Values, Values]]:
    """Yield every pair of data sets of n rows that differ in the first; which row it is does not matter."""
    for rest in itertools.combinations_with_replacement(DOMAIN, n - 1):
        for x, y in itertools.permutations(DOMAIN, 2):
            yield (x, *rest), (y, *rest)


def joined(n: int) -> Iterator[tuple[Values, Values]]:
    """Yield every pair of which one has n - 1 rows and the other one more, both ways round; rows of at most 1."""
    values = tuple(2.0 * x for x in DOMAIN)
    for rest in itertools.combinations_with_replacement(values, n - 1):
        for x in values:
            yield (x, *rest), rest
            yield rest, (x, *rest)


#: sampling, std, epsilon
CASES: list[tuple[Sampling, float, float]] = [
    (UniformIndex(3), 0.8, 0.3),
    (UniformIndex(4, "ball"), 1.5, 0.1),
    (FixedBatch(4, 2), 0.7, 0.5),
    (FixedBatch(4, 3), 1.0, 0.0),
    (FixedBatch(5, 2, "ball"), 1.2, 0.2),
    (Poisson(0.3), 0.9, 0.4),
    (Poisson(0.6), 1.3, 0.0),
]


def pairs(sampling: Sampling) -> Iterator[tuple[Values, Values]]:
    return joined(3) if isinstance(sampling, Poisson) else replaced(sampling.n)


@pytest.mark.parametrize(("sampling", "std", "epsilon"), CASES, ids=str)
def test_no_pair_over_a_small_domain_exceeds_the_account_of_one_step_and_one_reaches_it(
    sampling: Sampling, std: float, epsilon: float
) -> None:
    found = max(
        divergence(*(step(sampling, data, QUESTIONS[0], std, 4000) for data in both), epsilon) for both in pairs(sampling)
    )
    account = certify(Mechanism(sampling, 1, 1.0), std, epsilon, found).delta
    assert found * (1 - 1e-9) <= account <= found * 1.003


@pytest.mark.parametrize(("sampling", "std", "epsilon"), CASES, ids=str)
def test_no_pair_and_no_second_question_exceeds_the_account_of_two_steps(
    sampling: Sampling, std: float, epsilon: float
) -> None:
    """The second question may depend on the sign of the first release. Poisson's account is reached."""
    largest, cells = 0.0, 200
    for data, other in pairs(sampling):
        first, first_other = (step(sampling, x, QUESTIONS[0], std, cells) for x in (data, other))
        second = [tuple(step(sampling, x, of, std, cells) for x in (data, other)) for of in QUESTIONS]
        sides = [slice(0, cells // 2), slice(cells // 2, cells)]
        total = 0.0
        for side in sides:  # the two signs are independent choices, so each takes its best question
            total += max(divergence(np.outer(first[side], p), np.outer(first_other[side], q), epsilon) for p, q in second)
        largest = max(largest, total)
    mechanism = Mechanism(sampling, 2, 1.0)
    account = certify(mechanism, std, epsilon, largest).delta
    assert largest * (1 - 1e-9) <= account
    assert lower_delta(mechanism, std, epsilon, largest) <= account
    if isinstance(sampling, Poisson):
        assert account <= 1.01 * largest
    else:
        assert largest * (1 - 1e-9) <= certify_hinge(mechanism, std, epsilon, largest).delta


@pytest.mark.parametrize(("q", "ratio", "epsilon"), [(3, 1.2, 0.2), (5, 2.0, 0.4), (1, 0.7, 0.1)])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_the_lower_bound_of_the_triangle_is_below_its_integral(q: int, ratio: float, epsilon: float, steps: int) -> None:
    """m, a, b at mutual distance `ratio`: the sum's law by convolution of the loss's, losses rounded up and down to 1e-3."""
    height, half = ratio * math.sqrt(0.75), ratio / 2.0
    x, y = np.linspace(-8.0, height + 8.0, 700), np.linspace(-half - 8.0, half + 8.0, 700)

    def plane(at_x: float, at_y: float) -> Masses:
        return np.outer(np.diff(ndtr(x - at_x)), np.diff(ndtr(y - at_y)))

    p, r = ((1 - 1 / q) * plane(0.0, 0.0) + plane(height, at) / q for at in (half, -half))
    keep = (p > 0.0) & (r > 0.0)
    loss, mass = np.log(p[keep] / r[keep]), p[keep]
    enclosing = []
    for rounded in (np.floor(loss / 1e-3), np.ceil(loss / 1e-3)):
        least = int(rounded.min())
        one = np.bincount(rounded.astype(int) - least, weights=mass)
        law = np.ones(1)
        for _ in range(steps):
            law = np.maximum(fftconvolve(law, one), 0.0)
        at = (np.arange(len(law)) + steps * least) * 1e-3
        enclosing.append(float(law @ np.maximum(-np.expm1(np.minimum(epsilon - at, 0.0)), 0.0)))
    below, above = enclosing
    found = pair_lower_delta(Mechanism(UniformIndex(q), steps, ratio), 1.0, epsilon, "triangle", above)
    assert found <= above
    assert found >= 0.97 * below
