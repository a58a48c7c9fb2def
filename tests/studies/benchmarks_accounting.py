"""The accounts' figures: `make accounts` runs those that have not been, and keeps them in tests/studies/ACCOUNTS.md.

Four tables: the standard deviation beside proved lower bounds, and what is found by default; DP-VRPCA beside the largest pair
found; and epsilon beside dp-accounting. All rows are printed. A run that is broken off goes on where it was. Seconds are
processor time.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld
from numpy.typing import NDArray
from scipy.fft import irfft, rfft
from scipy.stats import norm

from dppca.audit.suite.accounting.composition import mixture_pair, pair_delta, reduced_pair, steps_delta
from dppca.audit.suite.accounting.lower_bounds import LowerPair, lower_pairs, pair_lower_delta
from dppca.reference.accounting import (
    FixedBatch,
    Grid,
    Mechanism,
    Poisson,
    UniformIndex,
    VarianceReduced,
    choose_grid,
    epsilon_at,
    smallest_std,
)
from dppca.reference.accounting.mechanisms import Sampling
from dppca.reference.rigour.bisection import bisect, geometric_middle

Masses: TypeAlias = NDArray[np.float64]
KEPT, PAGE = (Path(__file__).with_name(name) for name in ("accounts.json", "ACCOUNTS.md"))
A9A, MNIST = 32_561, 60_000
HEAD = """# How much noise the accounts of privacy ask for

Written by `make accounts`.

An account says how much noise a number of steps on random parts of the data needs for a given epsilon and delta.
These tables are for whoever uses `dppca.reference.accounting`, or compares it with another account: they show how
much of the noise is proved to be necessary, what is lost without a proof, and how close the results are to those of
`dp-accounting`.

In all tables *std* is the standard deviation of a step's noise in each coordinate, and *seconds* are of processor
time on one core."""
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
    (1, 10, 50, 0.5, 1e-3),
    (1, 20, 150, 0.2, 1e-3),
    (1, 50, 300, 0.3, 1e-4),
    (1, 30, 1000, 1.0, 1e-5),
    (1, 100, 100, 0.04, 1e-3),
    (1, 100, 1000, 0.35, 1e-6),
    (3, 10, 50, 0.5, 1e-3),
    (3, 50, 300, 0.3, 1e-4),
    (1, 5, 20, 0.5, 1e-3),
    (1, 3, 20, 0.5, 1e-3),
]
#: Words for the kinds of proofs.
PROOFS = {"grid": "grid", "small-steps": "small steps", "hinge": "hinge", "gaussian": "Gaussian"}


#: How far below the std that a pair needs in floats a proof is tried first, relatively; then at twice that, and so on.
BELOW = 3e-4


def needed_std(mechanism: Mechanism, epsilon: float, delta: float, upper: float) -> tuple[float, LowerPair]:
    """Return a std at which a pair is proved to have more than delta, next to the largest that a pair needs, and the pair."""
    found = {pair: _needed_in_floats(mechanism, epsilon, delta, pair, upper) for pair in lower_pairs(mechanism)}
    pair = max(found, key=lambda of: found[of])
    std, below = found[pair], BELOW
    while True:
        std *= 1.0 - below
        grid = choose_grid(mechanism, std, delta)
        if pair == "triangle":  # its two tails leave smaller losses than the grid is made for
            grid = Grid(grid.bits + 1, 2 * grid.top, 2 * grid.bottom)
        if pair_lower_delta(mechanism, std, epsilon, pair, delta, grid=grid) > delta:
            return std, pair
        below *= 2.0


def _needed_in_floats(mechanism: Mechanism, epsilon: float, delta: float, pair: LowerPair, upper: float) -> float:
    def enough(std: float) -> bool:
        ratio = mechanism.sensitivity / std
        rate = float(mechanism.sampling.rate)
        one, other = _triangle(rate, ratio) if pair == "triangle" else mixture_pair(rate, ratio, 11.0, 40_000)
        if pair == "add":
            one, other = other, one
        return _composed_closely(one, other, mechanism.steps, epsilon) <= delta

    return bisect(enough, 0.8 * upper, upper, lambda a, b: b <= a * 1.0001, geometric_middle)[0]


def _triangle(q: float, ratio: float) -> tuple[Masses, Masses]:
    height, half = ratio * math.sqrt(0.75), 0.5 * ratio
    x, y = np.linspace(-9.0, height + 9.0, 800), np.linspace(-half - 9.0, half + 9.0, 800)

    def masses(at_x: float, at_y: float) -> Masses:
        return np.outer(np.diff(norm.cdf(x - at_x)), np.diff(norm.cdf(y - at_y))).ravel()

    drawn = (1 - q) * masses(0.0, 0.0)
    return drawn + q * masses(height, half), drawn + q * masses(height, -half)


def _composed_closely(one: Masses, other: Masses, steps: int, epsilon: float) -> float:
    """Return delta in floats, each loss divided among three points of a grid, which keeps its mean and its square."""
    keep = (one > 1e-300) & (other > 1e-300)
    loss, mass = np.log(one[keep] / other[keep]), one[keep]
    spread = math.sqrt(steps * float(mass @ loss**2))
    width = min(2e-3 * spread, 2e-3)
    at = np.rint(loss / width)
    part = loss / width - at
    length = 2 * math.ceil((float(np.max(np.abs(loss))) + 14.0 * spread + epsilon) / width)
    ring = np.zeros(length)
    for move, share in ((-1, part * (part - 1) / 2), (0, 1 - part * part), (1, part * (part + 1) / 2)):
        ring += np.bincount((at.astype(int) + move) % length, weights=mass * share, minlength=length)
    composed = irfft(rfft(ring) ** steps, length)
    values = np.where(np.arange(length) < length // 2, np.arange(length), np.arange(length) - length) * width
    return float(composed @ np.maximum(-np.expm1(np.minimum(epsilon - values, 0.0)), 0.0))


def pair_std(k: int, n: int, steps: int, epsilon: float, delta: float, upper: float) -> float:
    """Return the std that the largest pair found for DP-VRPCA needs, V = -V~ at every step, in floats, to 2e-3.

    Sensitivity 1. For k = 1 one row against none, the others nothing; for k >= 3 three orthonormal rows of the span of V, one
    replaced by the second among copies of the third. The plane or line is cut into cells, which can only lower delta.
    """

    def enough(std: float) -> bool:
        if k == 1:
            return pair_delta(reduced_pair(n, 1 / std), steps, epsilon, points=2**20) <= delta
        return steps_delta([(*_in_the_plane(n, std), steps)], epsilon, points=2**20) <= delta

    return bisect(enough, 0.3 * upper, upper, lambda a, b: b <= a * 1.002, geometric_middle)[0]


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


def noise_row(of: Setting) -> str:
    """Return a row of the first table."""
    name, sampling, steps, sensitivity, epsilon, delta = of
    mechanism = Mechanism(sampling, steps, sensitivity)
    started = time.process_time()
    found = smallest_std(mechanism, epsilon, delta, certify=True)
    seconds = time.process_time() - started
    needed, pair = needed_std(mechanism, epsilon, delta, found.std)
    proof = PROOFS[found.certificate.kind] if found.certificate else "none: an estimate in floats"
    return (
        f"| {name} | {steps:,} | {sensitivity:g} | {epsilon:g} | {delta:g} | {found.std:.4f} | {needed:.4f} "
        f"| {found.std / needed - 1:.2%} | {pair} | {seconds:.1f} | {proof} |"
    )


def default_row(of: Setting) -> str:
    """Return a row of the table of what is found without certify=True."""
    name, sampling, steps, sensitivity, epsilon, delta = of
    started = time.process_time()
    found = smallest_std(Mechanism(sampling, steps, sensitivity), epsilon, delta)
    seconds = time.process_time() - started
    proof = PROOFS[found.certificate.kind] if found.certificate else "none: an estimate in floats"
    return f"| {name} | {sensitivity:g} | {found.std:.4f} | {proof} | {seconds:.1f} |"


def reduced_row(of: tuple[int, int, int, float, float]) -> str:
    """Return a row of the second table."""
    k, n, steps, epsilon, delta = of
    started = time.process_time()
    found = smallest_std(VarianceReduced(n, steps, 1.0, "ball" if k == 1 else "diameter"), epsilon, delta)
    seconds = time.process_time() - started
    pair = pair_std(k, n, steps, epsilon, delta, found.std)
    proved = "" if found.certified else " (an estimate)"
    return (
        f"| {k} | {n:,} | {steps:,} | {epsilon:g} | {delta:g} | {found.std:.3f}{proved} | {pair:.3f} "
        f"| {found.std / pair:.3f} | {seconds:.1f} |"
    )


def peer_row(of: tuple[float, int, float, float]) -> str:
    """Return a row of the third table: epsilon at delta, proved here and in floats there, and the seconds of both."""
    rate, steps, std, delta = of
    started = time.process_time()
    here = epsilon_at(Mechanism(Poisson(rate), steps, 1.0), std, delta, certify=True)
    middle = time.process_time()
    one = pld.from_gaussian_mechanism(std, 1.0, True, 1e-4, sampling_prob=rate)  # its default grid
    there = one.self_compose(steps).get_epsilon_for_delta(delta)
    ended = time.process_time()
    return (
        f"| {rate:g} | {steps:,} | {std:g} | {delta:g} | {here.epsilon:.5f} | {there:.5f} "
        f"| {here.epsilon / there - 1:+.1e} | {middle - started:.2f} | {ended - middle:.2f} |"
    )


@dataclass(frozen=True)
class Table:
    """A table: what stands above it, its head, its settings and what makes a row of one."""

    text: str
    head: str
    settings: list[Any]
    row: Callable[[Any], str]


TABLES = {
    "noise": Table(
        """## The noise, and how much of it is necessary

With the noise that is proved enough, the steps have the stated epsilon and delta. With the noise that is proved too
small, they do not. The true minimum is between the two.

- *setting*: how a step draws its rows. *a9a* and *MNIST* (with as many rows as these data sets have) and *index*: one
  row, uniformly; *batch*: a set of rows of fixed size; *Poisson*: each row with the stated probability; *every row*:
  all of them. *Ball* and *diameter* say what is known of the values of a step: that a ball of this diameter holds
  them all, or only that no two are further apart. For Poisson sampling neighbours are datasets of which one has a row
  more; otherwise one row is replaced.
- *sensitivity*: the L2 sensitivity of a step, in the same unit as the two standard deviations. What counts is their
  ratio: a std of 1.1 at sensitivity 2 is 0.55 of a sensitivity.
- *std, proved enough*: that of the certificate, and *proof* is the kind of its proof. *seconds* is what it took to
  find and to prove it.
- *std, proved too small*: with it the *pair* of datasets has more than delta, by
  `audit/suite/accounting/lower_bounds.py`. It is found to about 1e-3.
- *excess*: by how much the one is above the other.""",
        "| setting | steps | sensitivity | epsilon | delta | std, proved enough | std, proved too small | excess | pair "
        "| seconds | proof |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | --- |",
        SETTINGS,
        noise_row,
    ),
    "default": Table(
        """## Without `certify=True`

These are the same settings by default, which is what the calibrations of the algorithms use unless they are asked for
more. The account of the hinge is slower and is not tried. Where a proof on the grid would take more than ten seconds,
the result is an estimate in floats, and says so in the column *proof*.""",
        "| setting | sensitivity | std | proof | seconds |\n| --- | ---: | ---: | --- | ---: |",
        [(f"{name} (default)", *rest) for name, *rest in SETTINGS],
        default_row,
    ),
    "reduced": Table(
        """## DP-VRPCA

This is the account of shang2021's algorithm, for k components and n rows. Standard deviations are in units of the
sensitivity. The std that is proved enough stands beside the one that the worst pair of datasets known needs, which is
computed in floats; *ratio* is the first divided by the second. It is at most 1.3 except in three rows: the last two,
of five rows and of three, and k = 3 on ten rows. There the account of Renyi moments, which is the better one up to
some ten thousand steps, loses powers of 1 - 1/n.""",
        "| k | n | steps | epsilon | delta | std, proved enough | std that the pair needs | ratio | seconds |\n"
        + "| ---: " * 9
        + "|",
        REDUCED,
        reduced_row,
    ),
    "peers": Table(
        """## Beside dp-accounting

Here the noise is given, and epsilon is compared. `dp-accounting` (Google) computes it in floats, on its default grid
of 1e-4. The sampling is Poisson sampling, and a row is added or removed; this is the only sampling here for which
both give an upper bound of the same kind.

- *rate*: the probability that a row is drawn in a step. The sensitivity of a step is 1, so *std* is in units of it.
- *epsilon, proved* is ours; *difference* is by what part of the other it is larger. The last two columns are the
  seconds of both.""",
        "| rate | steps | std | delta | epsilon, proved | dp-accounting, floats | difference | seconds | dp-accounting |\n"
        + "| ---: " * 9
        + "|",
        PEERS,
        peer_row,
    ),
}


def page(kept: dict[str, str]) -> str:
    """Return the page of all rows that are kept; rows that are missing are named."""
    parts = [
        HEAD,
    ]
    for table in TABLES.values():
        rows = [kept[repr(of)] for of in table.settings if repr(of) in kept]
        missing = [str(of[0]) if isinstance(of[0], str) else repr(of) for of in table.settings if repr(of) not in kept]
        parts += [table.text, "\n".join([table.head, *rows])]
        parts += [f"Not run yet: {'; '.join(missing)}."] if missing else []
    return "\n\n".join([*parts, f"Largest memory of a run: {float(kept.get('memory', 0.0)):.2f} GiB."]) + "\n"


def main() -> None:
    """Run what has no row yet, print every row, and keep them if asked to."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.benchmarks_accounting", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep each row in {KEPT.name}, and all of them in {PAGE.name}")
    parser.add_argument("--anew", action="store_true", help="run those too that are kept")
    parser.add_argument("--only", default="", help="settings with this word alone")
    arguments = parser.parse_args()
    kept: dict[str, str] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for table in TABLES.values():
        sys.stdout.write(table.head + "\n")
        for of in table.settings:
            if arguments.only not in repr(of):
                continue
            if repr(of) in kept and not arguments.anew:
                sys.stdout.write(kept[repr(of)] + "\n")
                continue
            kept[repr(of)] = table.row(of)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            kept["memory"] = f"{max(memory, float(kept.get('memory', 0.0))):.2f}"
            sys.stdout.write(kept[repr(of)] + "\n")
            sys.stdout.flush()
            if arguments.write:
                KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if arguments.write:
        PAGE.write_text(page(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
