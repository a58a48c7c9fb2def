"""The accounts' figures: `make accounts`; `python -m tests.benchmarks_accounting --write` keeps them in tests/ACCOUNTS.md.

Three tables: the standard deviation beside proved lower bounds; DP-VRPCA beside the largest pair found; and epsilon beside
dp-accounting. `--quick` leaves out the sizes of a9a and MNIST. Seconds are processor time.
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld
from numpy.typing import NDArray
from scipy.fft import irfft, rfft
from scipy.stats import norm

from dppca.reference.accounting import (
    Certificate,
    FixedBatch,
    Mechanism,
    Poisson,
    UniformIndex,
    choose_grid,
    epsilon_at,
    smallest_std,
)
from dppca.reference.accounting.lower import LowerPair, lower_pairs, pair_lower_delta
from dppca.reference.accounting.mechanisms import Sampling
from dppca.reference.accounting.moments import SmallStepCertificate
from dppca.reference.accounting.variance_reduced import VarianceReduced, variance_reduced_std
from dppca.reference.primitives.bisection import bisect, geometric_middle

Masses: TypeAlias = NDArray[np.float64]
KEPT = Path(__file__).with_name("ACCOUNTS.md")
A9A, MNIST = 32_561, 60_000
Setting: TypeAlias = tuple[str, Sampling, int, float, float, float]
#: name, sampling, steps, sensitivity, epsilon, delta
SETTINGS: list[Setting] = [
    ("a9a, T = 2n, diameter", UniformIndex(A9A), 2 * A9A, 2.0, 0.1, 1e-3),
    ("a9a, T = n, diameter", UniformIndex(A9A), A9A, 2.0, 0.1, 1e-3),
    ("MNIST, T = 2n, diameter", UniformIndex(MNIST), 2 * MNIST, 2.0, 0.1, 1e-3),
    ("MNIST, T = n, diameter", UniformIndex(MNIST), MNIST, 2.0, 0.1, 1e-3),
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
#: k, n, steps, epsilon, delta
REDUCED = [
    (1, 1000, 10**6, 1.0, 1e-5),
    (1, 1000, 10**5, 0.1, 1e-3),
    (1, 300, 90_000, 1.0, 1e-5),
    (1, 100, 10_000, 1.0, 1e-5),
    (1, 100, 10_000, 0.1, 1e-5),
    (3, 1000, 10**6, 1.0, 1e-5),
    (3, 100, 10_000, 1.0, 1e-5),
    (3, 100, 10_000, 0.1, 1e-5),
]
PROOFS = {Certificate: "grid", SmallStepCertificate: "small steps"}


def needed_std(mechanism: Mechanism, epsilon: float, delta: float, upper: float) -> tuple[float, LowerPair]:
    """Return the largest std found, to 2e-3, at which a pair is proved to have more than delta, and the pair."""

    def proved(std: float, pair: LowerPair) -> float:  # on the upper bound's grid: the default is slower, and hardly better
        return pair_lower_delta(mechanism, std, epsilon, pair, delta, grid=choose_grid(mechanism, std, delta))

    pair = max(lower_pairs(mechanism), key=lambda of: proved(upper, of))
    low, high = 0.97 * upper, upper
    while proved(low, pair) <= delta:
        low, high = 0.9 * low, low
    low, _ = bisect(lambda std: proved(std, pair) <= delta, low, high, lambda a, b: b <= a * 1.002, geometric_middle)
    return low, pair


def pair_std(k: int, n: int, steps: int, epsilon: float, delta: float, upper: float) -> float:
    """Return the std that the largest pair found for DP-VRPCA needs, V = -V~ at every step, in floats, to 2e-3.

    Sensitivity 1. For k = 1 one row against none, the others nothing; for k >= 3 three orthonormal rows of the span of V, one
    replaced by the second among copies of the third. The plane or line is cut into cells, which can only lower delta.
    """

    def pair_delta(std: float) -> float:
        one, other = _on_a_line(n, std) if k == 1 else _in_the_plane(n, std)
        pairs = ((one, other), (other, one)) if k == 1 else ((one, other),)
        return max(_composed(p, r, steps, epsilon, 0.1 / n / std) for p, r in pairs)

    enough, narrow = (lambda std: pair_delta(std) <= delta), (lambda a, b: b <= a * 1.002)
    return bisect(enough, 0.3 * upper, upper, narrow, geometric_middle)[0]


def _on_a_line(n: int, std: float) -> tuple[Masses, Masses]:
    """Return the masses of cells under (1 - 1/n) N(1/n) + N(1/n - 2) / n and under N(0)."""
    edges = np.linspace(-2 - 11 * std, 1 + 11 * std, 60_001)
    base = np.diff(norm.cdf(edges / std))
    return (1 - 1 / n) * np.diff(norm.cdf((edges - 1 / n) / std)) + np.diff(norm.cdf((edges + 2 - 1 / n) / std)) / n, base


def _in_the_plane(n: int, std: float) -> tuple[Masses, Masses]:
    """Return the masses of cells under (1 - 1/n) N(m - c) + N(a - c) / n and (1 - 1/n) N(m + c) + N(b + c) / n.

    m, a, b are at mutual distance 2, c = (a - b) / (4 n): the full gradient takes back half of what the row moves the mean.
    """
    height, shift = math.sqrt(3.0), 1.0 / (2.0 * n)
    x, y = np.linspace(-11 * std, height + 11 * std, 1001), np.linspace(-1 - 11 * std, 1 + 11 * std, 1001)

    def masses(at_x: float, at_y: float) -> Masses:
        return np.outer(np.diff(norm.cdf((x - at_x) / std)), np.diff(norm.cdf((y - at_y) / std)))

    one = (1 - 1 / n) * masses(0.0, -shift) + masses(height, 1.0 - shift) / n
    other = (1 - 1 / n) * masses(0.0, shift) + masses(height, -1.0 + shift) / n
    return one.ravel(), other.ravel()


def _composed(one: Masses, other: Masses, steps: int, epsilon: float, width: float) -> float:
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


def standard_deviations(settings: list[Setting]) -> Iterator[str]:
    """Yield the rows of the first table."""
    yield "| setting | steps | epsilon | delta | std, proved enough | std, proved too small | excess | pair | seconds | proof |"
    yield "| --- " + "| ---: " * 6 + "| --- | ---: | --- |"
    for name, sampling, steps, sensitivity, epsilon, delta in settings:
        mechanism = Mechanism(sampling, steps, sensitivity)
        started = time.process_time()
        found = smallest_std(mechanism, epsilon, delta, certify=True)
        seconds = time.process_time() - started
        needed, pair = needed_std(mechanism, epsilon, delta, found.std)
        yield (
            f"| {name} | {steps:,} | {epsilon:g} | {delta:g} | {found.std:.4f} | {needed:.4f} | {found.std / needed - 1:.2%} "
            f"| {pair} | {seconds:.1f} | {PROOFS[type(found.certificate)]} |"
        )


def reduced_variance() -> Iterator[str]:
    """Yield the rows of the second table."""
    yield "| k | n | steps | epsilon | delta | std, proved enough | std that the pair needs | ratio | seconds |"
    yield "| ---: " * 9 + "|"
    for k, n, steps, epsilon, delta in REDUCED:
        started = time.process_time()
        found = variance_reduced_std(VarianceReduced(n, steps, 1.0, "ball" if k == 1 else "diameter"), epsilon, delta)
        seconds = time.process_time() - started
        pair = pair_std(k, n, steps, epsilon, delta, found.std)
        proved = "" if found.certified else " (an estimate)"
        yield (
            f"| {k} | {n:,} | {steps:,} | {epsilon:g} | {delta:g} | {found.std:.3f}{proved} | {pair:.3f} "
            f"| {found.std / pair:.3f} | {seconds:.1f} |"
        )


def peers() -> Iterator[str]:
    """Yield the rows of the third table: epsilon at delta, proved here and in floats there, and the seconds of both."""
    yield "| rate | steps | std | delta | epsilon, proved | dp-accounting, floats | difference | seconds | dp-accounting |"
    yield "| ---: " * 9 + "|"
    for rate, steps, std, delta in PEERS:
        started = time.process_time()
        here = epsilon_at(Mechanism(Poisson(rate), steps, 1.0), std, delta, certify=True)
        middle = time.process_time()
        one = pld.from_gaussian_mechanism(std, 1.0, True, 1e-4, sampling_prob=rate)  # its default grid
        there = one.self_compose(steps).get_epsilon_for_delta(delta)
        ended = time.process_time()
        yield (
            f"| {rate:g} | {steps:,} | {std:g} | {delta:g} | {here.epsilon:.5f} | {there:.5f} "
            f"| {here.epsilon / there - 1:+.1e} | {middle - started:.2f} | {ended - middle:.2f} |"
        )


TABLES: dict[str, tuple[str, Callable[[list[Setting]], Iterator[str]]]] = {
    "std": (
        """## The noise, and how much of it is necessary

*Proved enough*: the certificate's standard deviation. *Proved too small*: at that one the pair of datasets named has more than
delta, by `accounting.lower`; found to 2e-3. Neighbours: of an index or a batch, one row replaced; of Poisson sampling, one row
more or less. *Ball* and *diameter* say what is known of the gradients (`accounting.mechanisms`).""",
        standard_deviations,
    ),
    "reduced": (
        """## DP-VRPCA

Standard deviations in units of the sensitivity, beside the one that the largest pair found needs, in floats.""",
        lambda _: reduced_variance(),
    ),
    "peers": (
        """## Beside dp-accounting

Poisson sampling, a row added or removed: the only sampling here for which both give an upper bound of the same kind.
`dp-accounting` (Google) computes in floats, on its default grid of 1e-4.""",
        lambda _: peers(),
    ),
}


def main() -> None:
    """Print the tables; keep them if asked to."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks_accounting", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the sizes of a9a and MNIST")
    parser.add_argument("--table", choices=list(TABLES), action="append", help="these tables only")
    parser.add_argument("--write", action="store_true", help="keep all tables in tests/ACCOUNTS.md")
    arguments = parser.parse_args()
    if arguments.write and (arguments.quick or arguments.table):
        parser.error("--write keeps all tables, so it excludes --quick and --table")
    settings = [row for row in SETTINGS if not (arguments.quick and row[0].startswith(("a9a", "MNIST")))]
    text = [
        "# The accounts",
        "",
        "Written by `python -m tests.benchmarks_accounting --write`. Seconds are processor time on one core.",
        "",
    ]
    for name in arguments.table or TABLES:
        explained, rows = TABLES[name]
        text += [explained, ""]
        for row in rows(settings):
            sys.stdout.write(row + "\n")
            sys.stdout.flush()
            text.append(row)
        text.append("")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    text.append(f"All in {time.process_time() / 60:.0f} minutes of processor time; largest memory {memory:.2f} GiB.")
    sys.stdout.write(text[-1] + "\n")
    if arguments.write:
        KEPT.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
