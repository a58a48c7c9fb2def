"""The accounts' figures: `make accounts`.

Three tables: the standard deviation beside proved lower bounds; DP-VRPCA beside the largest pair found; and epsilon beside
dp-accounting. `--quick` leaves out what takes more than a minute.
"""

from __future__ import annotations

import argparse
import math
import resource
import time

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy.fft import irfft, rfft
from scipy.stats import norm

from dppca.reference.accounting import FixedBatch, Mechanism, Poisson, UniformIndex, epsilon_at, smallest_std
from dppca.reference.accounting.lower import lower_delta
from dppca.reference.accounting.mechanisms import Sampling
from dppca.reference.accounting.variance_reduced import VarianceReduced, variance_reduced_std

A9A, MNIST = 32_561, 60_000
#: name, sampling, steps, sensitivity, epsilon, delta
SETTINGS: list[tuple[str, Sampling, int, float, float, float]] = [
    ("a9a, T = 2n, diameter", UniformIndex(A9A), 2 * A9A, 2.0, 0.1, 1e-3),
    ("a9a, T = n, diameter", UniformIndex(A9A), A9A, 2.0, 0.1, 1e-3),
    ("MNIST, T = 2n, diameter", UniformIndex(MNIST), 2 * MNIST, 2.0, 0.1, 1e-3),
    ("a9a, T = 2n, ball", UniformIndex(A9A, "ball"), 2 * A9A, 2.0, 0.1, 1e-3),
    ("MNIST, T = 2n, ball", UniformIndex(MNIST, "ball"), 2 * MNIST, 2.0, 0.1, 1e-3),
    ("index, ball, long", UniformIndex(1000, "ball"), 10**6, 1.0, 1.0, 1e-5),
    ("index, diameter, long", UniformIndex(1000), 10**6, 1.0, 1.0, 1e-5),
    ("index, ball, short", UniformIndex(1000, "ball"), 5000, 1.0, 0.5, 1e-5),
    ("index, ball, middle", UniformIndex(1000, "ball"), 10**5, 1.0, 1.0, 1e-5),
    ("batch, ball", FixedBatch(60_000, 600, "ball"), 10_000, 1.0, 1.0, 1e-5),
    ("Poisson 0.01", Poisson(0.01), 10_000, 1.0, 1.0, 1e-5),
    ("Poisson 0.001", Poisson(0.001), 10**5, 1.0, 2.0, 1e-6),
    ("Poisson 0.1", Poisson(0.1), 100, 1.0, 0.5, 1e-8),
    ("Poisson 0.5", Poisson(0.5), 20, 1.0, 3.0, 1e-4),
    ("every row", Poisson(1.0), 1000, 1.0, 1.0, 1e-6),
]
#: rate, steps, std, delta
PEERS = [
    (0.01, 1000, 1.0, 1e-5),
    (0.01, 10_000, 2.0, 1e-5),
    (0.001, 10_000, 0.8, 1e-6),
    (0.1, 100, 2.0, 1e-5),
    (0.5, 50, 5.0, 1e-5),
    (0.02, 3000, 4.0, 1e-8),
    (1.0, 100, 30.0, 1e-6),
    (0.004, 15_000, 1.1, 1e-5),
    (0.2, 10, 0.7, 1e-3),
    (0.001, 100_000, 5.0, 1e-9),
]
REDUCED = [
    (1000, 10**6, 1.0, 1e-5),
    (1000, 10**5, 0.1, 1e-3),
    (300, 90_000, 1.0, 1e-5),
    (100, 10_000, 1.0, 1e-5),
    (100, 10_000, 0.1, 1e-5),
]


def needed_std(mechanism: Mechanism, epsilon: float, delta: float, upper: float) -> float:
    """Return a std at which the proved lower bound is still above delta: less noise is refuted, to 2e-3."""
    low, high = 0.6 * upper, upper
    while high > low * 1.002:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if lower_delta(mechanism, middle, epsilon, delta) > delta else (low, middle)
    return low


def pair_std(n: int, steps: int, epsilon: float, delta: float, upper: float) -> float:
    """Return the std that the largest pair found for DP-VRPCA needs at every step, in floats: V = -V~, one row against none."""

    def pair_delta(std: float) -> float:
        edges = np.linspace(-2 - 11 * std, 1 + 11 * std, 60_001)
        base = np.diff(norm.cdf(edges / std))
        one = (1 - 1 / n) * np.diff(norm.cdf((edges - 1 / n) / std)) + np.diff(norm.cdf((edges + 2 - 1 / n) / std)) / n
        return max(_composed(p, r, steps, epsilon, 0.1 / n / std) for p, r in ((one, base), (base, one)))

    low, high = 0.3 * upper, upper
    while high > low * 1.002:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if pair_delta(middle) > delta else (low, middle)
    return low


def _composed(one: np.ndarray, other: np.ndarray, steps: int, epsilon: float, width: float) -> float:
    keep = (one > 1e-300) & (other > 1e-300)
    loss, mass = np.log(one[keep] / other[keep]), one[keep]
    low = np.floor(loss / width)
    reach = float(np.max(np.abs(loss))) + 12.0 * math.sqrt(steps * float(mass @ loss**2)) + epsilon
    length = 2 * math.ceil(reach / width)
    ring = np.zeros(length)
    np.add.at(ring, low.astype(int) % length, mass * (1 - loss / width + low))
    np.add.at(ring, (low.astype(int) + 1) % length, mass * (loss / width - low))
    composed = irfft(rfft(ring) ** steps, length)
    values = np.where(np.arange(length) < length // 2, np.arange(length), np.arange(length) - length) * width
    return float(composed @ np.maximum(-np.expm1(np.minimum(epsilon - values, 0.0)), 0.0))


def standard_deviations(settings: list[tuple[str, Sampling, int, float, float, float]]) -> list[str]:
    """Return the rows of the first table."""
    rows = ["setting                    T  epsilon   delta    std    needed  excess  seconds  proved by"]
    for name, sampling, steps, sensitivity, epsilon, delta in settings:
        mechanism = Mechanism(sampling, steps, sensitivity)
        started = time.perf_counter()
        found = smallest_std(mechanism, epsilon, delta, certify=True)
        seconds = time.perf_counter() - started
        needed = needed_std(mechanism, epsilon, delta, found.std)
        rows.append(
            f"{name:24} {steps:8} {epsilon:5g} {delta:8.0e} {found.std:8.4f} {needed:8.4f} {found.std / needed - 1:7.2%} "
            f"{seconds:7.1f}  {type(found.certificate).__name__}"
        )
        print(rows[-1], flush=True)  # noqa: T201
    return rows


def reduced_variance() -> list[str]:
    """Return the rows of the second table."""
    rows = ["DP-VRPCA, k = 1: n, steps, (epsilon, delta): std, the pair's std, ratio, seconds"]
    for n, steps, epsilon, delta in REDUCED:
        started = time.perf_counter()
        found = variance_reduced_std(VarianceReduced(n, steps, 1.0, "ball"), epsilon, delta)
        seconds = time.perf_counter() - started
        pair = pair_std(n, steps, epsilon, delta, found.std)
        figures = f"{found.std:.3f}, {pair:.3f}, {found.std / pair:.3f}, {seconds:.1f}"
        rows.append(f"{n}, {steps}, ({epsilon:g}, {delta:g}): {figures}")
        print(rows[-1], flush=True)  # noqa: T201
    return rows


def peers() -> list[str]:
    """Return the rows of the third table: epsilon at delta, certified here, in floats there, and the seconds of both."""
    rows = ["rate  steps  std  delta: epsilon here (certified), dp-accounting, here / there - 1, seconds here, there"]
    for rate, steps, std, delta in PEERS:
        started = time.perf_counter()
        here = epsilon_at(Mechanism(Poisson(rate), steps, 1.0), std, delta, certify=True)
        middle = time.perf_counter()
        one = pld.from_gaussian_mechanism(std, 1.0, True, 1e-4, sampling_prob=rate)  # its default grid
        there = one.self_compose(steps).get_epsilon_for_delta(delta)
        ended = time.perf_counter()
        rows.append(
            f"{rate:6g} {steps:7} {std:5g} {delta:7.0e}: {here.epsilon:.5f} {there:.5f} {here.epsilon / there - 1:+.2e} "
            f"{middle - started:6.2f} {ended - middle:6.2f}"
        )
        print(rows[-1], flush=True)  # noqa: T201
    return rows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the sizes of a9a and MNIST")
    parser.add_argument("--table", choices=["std", "reduced", "peers"], action="append", help="these tables only")
    arguments = parser.parse_args()
    tables = arguments.table or ["std", "reduced", "peers"]
    if "peers" in tables:
        peers()
    if "reduced" in tables:
        reduced_variance()
    if "std" in tables:
        standard_deviations([row for row in SETTINGS if not (arguments.quick and ("a9a" in row[0] or "MNIST" in row[0]))])
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")  # noqa: T201


if __name__ == "__main__":
    main()
