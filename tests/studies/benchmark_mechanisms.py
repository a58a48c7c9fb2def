"""Mechanisms with exactly known epsilon and known privacy losses, for the auditor's benchmark.

With the loss log p(output) / q(output) of every output, what a test can show that knows the best event is computed: the
oracle of tests/studies/benchmarks.py. Exact values are closed forms, or quadrature over one variable.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import chi2, norm

from dppca.audit.auditor.events import promised
from dppca.audit.auditor.ratio_test import Counts, fixed_size_bound
from dppca.reference.primitives.gaussian import epsilon_at
from tests.studies import known_mechanisms
from tests.studies.known_mechanisms import Known, Vectorised, sparse_vector_pair, sparse_vector_variants

Float = NDArray[np.float64]
Losses = Callable[[Any], Float]
#: The loss of an output that the other dataset cannot give.
_NEVER = 50.0


@dataclass(frozen=True)
class Benchmark:
    """A mechanism with its exact epsilon, and the privacy loss of each of a batch of outputs."""

    known: Known
    losses: Losses

    @property
    def name(self) -> str:
        """Return the mechanism's name."""
        return self.known.name


def _make(
    name: str,
    draw: Callable[[Any, int, np.random.Generator], Any],
    pair: tuple[Any, Any],
    delta: float,
    epsilon: float,
    losses: Losses,
) -> Benchmark:
    return Benchmark(Known(name, Vectorised(draw), *pair, delta, epsilon), losses)


def _laplace_loss(x: Any, at: Any, other: Any, scale: float = 1.0) -> Any:
    return (np.abs(x - other) - np.abs(x - at)) / scale


# --- one number ---------------------------------------------------------------------------------------


def laplace(epsilon: float) -> Benchmark:
    """Return the Laplace mechanism on a number."""
    known = replace(known_mechanisms.laplace(epsilon), name=f"Laplace, epsilon {epsilon:g}")
    return Benchmark(known, lambda y: epsilon * _laplace_loss(y, 0.0, 1.0))


def staircase(epsilon: float = 1.0, gamma: float = 0.3) -> Benchmark:
    """Return the staircase mechanism: steps of width gamma, 1 - gamma, ... whose density falls by e^-epsilon per unit."""
    b = math.exp(-epsilon)

    def draw(x: float, n: int, rng: np.random.Generator) -> Float:
        unit = rng.geometric(1.0 - b, n) - 1
        near = rng.random(n) < gamma / (gamma + (1.0 - gamma) * b)
        within = np.where(near, gamma * rng.random(n), gamma + (1.0 - gamma) * rng.random(n))
        return np.asarray(x + rng.choice([-1.0, 1.0], n) * (unit + within))

    def log_density(z: Float) -> Float:
        whole = np.floor(np.abs(z))
        return np.asarray(-epsilon * (whole + (np.abs(z) - whole >= gamma)))

    return _make("staircase", draw, (0.0, 1.0), 0.0, epsilon, lambda y: log_density(y) - log_density(y - 1.0))


def geometric(epsilon: float = 1.0) -> Benchmark:
    """Two-sided geometric noise on an integer."""

    def draw(x: int, n: int, rng: np.random.Generator) -> Any:
        return x + rng.geometric(-math.expm1(-epsilon), n) - rng.geometric(-math.expm1(-epsilon), n)

    return _make("geometric", draw, (0, 1), 0.0, epsilon, lambda y: epsilon * _laplace_loss(y, 0, 1))


def truncated_geometric(epsilon: float = 0.5) -> Benchmark:
    """Return a count with two-sided geometric noise, clipped to 0..5."""
    return Benchmark(known_mechanisms.truncated_geometric(epsilon), lambda y: np.where(y <= 1, epsilon, -epsilon))


def discrete_gaussian(delta: float, sigma: float = 2.0) -> Benchmark:
    """Discrete Gaussian noise, its law summed."""
    z = np.arange(-60, 61)
    masses = np.exp(-0.5 * (z / sigma) ** 2)
    masses /= masses.sum()

    def divergence(epsilon: float) -> float:
        shifted = np.append(0.0, masses[:-1])
        return float(np.maximum(masses - math.exp(epsilon) * shifted, 0.0).sum()) - delta

    return _make(
        f"discrete Gaussian, delta {delta:g}",
        lambda x, n, rng: x + rng.choice(z, n, p=masses),
        (0, 1),
        delta,
        brentq(divergence, 0.0, 30.0),
        lambda y: (1.0 - 2.0 * y) / (2.0 * sigma * sigma),
    )


def gaussian(delta: float, mu: float = 1.0) -> Benchmark:
    """Gaussian noise, sensitivity mu standard deviations."""
    return _make(
        f"Gaussian, {'' if mu == 1.0 else f'mu {mu:g}, '}delta {delta:g}",
        lambda x, n, rng: x + rng.standard_normal(n),
        (0.0, mu),
        delta,
        epsilon_at(delta, mu),
        lambda y: 0.5 * mu * mu - mu * y,
    )


def _mixture(delta: float, share: float, shifts: tuple[float, float], std: float) -> tuple[float, Callable[[Float], Float]]:
    """Return the exact epsilon of share N(shift, std^2) + (1 - share) N(0, std^2) on two datasets, and the loss."""

    def log_density(y: Any, shift: float) -> Any:
        moved, plain = norm.logpdf(y, shift, std), norm.logpdf(y, 0.0, std)
        return np.logaddexp(math.log(share) + moved, math.log1p(-share) + plain)

    y = np.linspace(-12.0, 12.0, 60_001)
    masses = {shift: np.exp(log_density(y, shift)) * (y[1] - y[0]) for shift in shifts}

    def divergence(epsilon: float, order: tuple[float, float]) -> float:
        return float(np.maximum(masses[order[0]] - math.exp(epsilon) * masses[order[1]], 0.0).sum()) - delta

    exact = 0.0
    for order in (shifts, shifts[::-1]):
        if divergence(0.0, order) > 0.0:
            exact = max(exact, float(brentq(divergence, 0.0, 40.0, args=(order,))))
    return exact, lambda y: np.asarray(log_density(y, shifts[0]) - log_density(y, shifts[1]))


def subsampled_gaussian(delta: float, replace: bool, share: float = 0.1, std: float = 0.5) -> Benchmark:
    """Return a record that is present with probability `share`: removed, or replaced by its opposite."""
    shifts = (1.0, -1.0) if replace else (1.0, 0.0)
    exact, losses = _mixture(delta, share, shifts, std)
    return _make(
        f"subsampled Gaussian, {'replaced' if replace else 'removed'}, delta {delta:g}",
        lambda x, n, rng: x * (rng.random(n) < share) + std * rng.standard_normal(n),
        shifts,
        delta,
        exact,
        losses,
    )


def truncated_laplace(delta: float = 1e-2, width: float = 3.0) -> Benchmark:
    """Laplace noise that is never beyond `width`; what one dataset alone can give has the mass of the last unit."""

    def draw(x: float, n: int, rng: np.random.Generator) -> Float:
        noise = np.minimum(-np.log1p(rng.random(n) * math.expm1(-width)), width)
        return np.asarray(x + noise * rng.choice([-1.0, 1.0], n))

    def losses(y: Float) -> Float:
        alone = np.where(y < 1.0 - width, 50.0, 0.0) + np.where(y > width, -50.0, 0.0)
        return np.asarray(np.where(alone != 0.0, alone, _laplace_loss(y, 0.0, 1.0)))

    total = 2.0 * -math.expm1(-width)
    tail = math.exp(-width) * math.expm1(1.0) / total  # P(y < 1 - width) on data
    loss_one = -math.expm1(-(width - 1.0)) / total + tail  # P(y < 0)
    q = (math.exp(-1.0) - math.exp(-width)) / total  # of the neighbour, y < 0
    exact = math.log((loss_one - delta) / q) if delta > tail else math.inf
    middle = (
        brentq(lambda e: tail + max(0.0, 1.0 - math.exp(e - 1.0)) * (loss_one - tail) - delta, 0.0, 1.0)
        if delta > tail
        else exact
    )
    return _make(f"truncated Laplace, delta {delta:g}", draw, (0.0, 1.0), delta, middle, losses)


def bump(rare: float = 1e-3, epsilon: float = 5.0, width: int = 1) -> Benchmark:
    """N(0, 1), and with probability `rare` a bump at 6, on the neighbour e^epsilon times less often; all else is noise."""
    masses = {0: rare, 1: rare * math.exp(-epsilon)}

    def draw(x: int, n: int, rng: np.random.Generator) -> Float:
        y = rng.normal(size=(n, width))
        hit = rng.random(n) < masses[x]
        y[hit, 0] = 6.0 + 0.1 * rng.normal(size=hit.sum())
        return y if width > 1 else y[:, 0]

    def losses(y: Float) -> Float:
        first = y if width == 1 else y[:, 0]
        log_p = [
            np.logaddexp(math.log(m) + norm.logpdf(first, 6.0, 0.1), math.log1p(-m) + norm.logpdf(first))
            for m in masses.values()
        ]
        return np.asarray(log_p[0] - log_p[1])

    return _make(f"rare bump{f', first of {width}' if width > 1 else ''}", draw, (0, 1), 0.0, epsilon, losses)


def rare_branch(share: float = 0.02, shift: float = 4.0) -> Benchmark:
    """Laplace(1) noise; with probability `share` the data are added too."""

    def draw(x: float, n: int, rng: np.random.Generator) -> Float:
        return np.asarray(shift * x * (rng.random(n) < share) + rng.laplace(size=n))

    def losses(y: Float) -> Float:
        return np.asarray(-np.log(share * np.exp(_laplace_loss(y, shift, 0.0)) + 1.0 - share))

    return _make("mixture with a rare branch", draw, (0.0, 1.0), 0.0, math.log(share * math.exp(shift) + 1.0 - share), losses)


def propose_test_release(delta: float = 1e-2, epsilon: float = 1.0) -> Benchmark:
    """Refuse unless a noisy distance to instability exceeds log(1 / delta) / epsilon; else release with noise.

    The distance is 6 on the data and 5 on the neighbour, the value 0 and 1. Exactly, by integration of both parts.
    """
    limit = math.log(1.0 / (2.0 * delta)) / epsilon + 2.0
    passes = [
        1.0 - 0.5 * math.exp(-epsilon * (d - limit)) if d > limit else 0.5 * math.exp(epsilon * (d - limit)) for d in (6, 5)
    ]

    def draw(x: int, n: int, rng: np.random.Generator) -> list[float | None]:
        released = rng.random(n) < passes[x]
        noisy = x + rng.laplace(scale=1.0 / epsilon, size=n)
        return [y if there else None for y, there in zip(noisy.tolist(), released.tolist(), strict=True)]

    shift = math.log(passes[0] / passes[1])
    refused = math.log((1.0 - passes[0]) / (1.0 - passes[1]))

    # Both ways, the release's loss is epsilon + shift where it is largest, with the masses of a half-line
    def losses(outputs: Sequence[float | None]) -> Float:
        y = np.array([np.nan if value is None else value for value in outputs])
        return np.where(np.isnan(y), refused, shift + epsilon * _laplace_loss(y, 0.0, 1.0))

    def divergence(e: float) -> float:
        ways = []
        for sign in (1.0, -1.0):
            p = passes[0] if sign > 0.0 else passes[1]
            total = max(0.0, 1.0 - math.exp(e - sign * refused)) * (1.0 - p)
            total += (
                p
                * quad(
                    lambda z, s=sign: (
                        0.5
                        * epsilon
                        * math.exp(-epsilon * abs(z))
                        * max(0.0, 1.0 - math.exp(e - s * shift - epsilon * (abs(z - 1.0) - abs(z))))
                    ),
                    -60.0,
                    60.0,
                    points=[0.0, 0.5, 1.0],
                    limit=500,
                )[0]
            )
            ways.append(total)
        return max(ways) - delta

    return _make(f"propose-test-release, delta {delta:g}", draw, (0, 1), delta, brentq(divergence, 0.0, 5.0), losses)


# --- categories ---------------------------------------------------------------------------------------


def _finite(name: str, p: Sequence[float], q: Sequence[float], outputs: Sequence[Any] | None = None) -> Benchmark:
    """Return a law over few outputs."""
    masses = (np.asarray(p) / math.fsum(p), np.asarray(q) / math.fsum(q))
    told = list(range(len(p))) if outputs is None else list(outputs)
    place = {output: i for i, output in enumerate(told)}
    ratio = np.log(masses[0] / masses[1])

    def draw(x: int, n: int, rng: np.random.Generator) -> Any:
        found = rng.choice(len(told), n, p=masses[x])
        return found if outputs is None else [told[i] for i in found]

    def losses(drawn: Any) -> Float:
        return np.asarray(ratio[[place[output] for output in (drawn.tolist() if isinstance(drawn, np.ndarray) else drawn)]])

    return _make(name, draw, (0, 1), 0.0, float(np.abs(ratio).max()), losses)


def permute_and_flip(
    epsilon: float = 1.0, utilities: tuple[Sequence[float], Sequence[float]] = ((3, 2, 2, 0), (2, 3, 3, 1))
) -> Benchmark:
    """Permute-and-flip, its law summed over all permutations of the candidates."""

    def law(u: Sequence[float]) -> list[float]:
        keep = [math.exp(0.5 * epsilon * (value - max(u))) for value in u]
        masses = [0.0] * len(u)
        orders = list(itertools.permutations(range(len(u))))
        for order in orders:
            left = 1.0
            for i in order:
                masses[i] += left * keep[i] / len(orders)
                left *= 1.0 - keep[i]
        return masses

    return _finite("permute-and-flip", law(utilities[0]), law(utilities[1]), "abcd")


def k_randomised_response(epsilon: float = 2.0, k: int = 20) -> Benchmark:
    """Return the true one of k words with probability proportional to e^epsilon."""
    weight = [[math.exp(epsilon) if i == true else 1.0 for i in range(k)] for true in (0, 1)]
    return _finite(f"randomised response among {k}", *weight, outputs=[f"word {i}" for i in range(k)])


def random_subset(epsilon: float = 1.0, universe: int = 12) -> Benchmark:
    """Sets: every element of a universe is in it by randomised response; the pair differs in one element."""
    keep = 1.0 / (1.0 + math.exp(-epsilon))

    def draw(x: int, n: int, rng: np.random.Generator) -> list[frozenset[int]]:
        true = np.arange(universe) % 2 == 0
        true[0] = x == 0
        bits = np.where(rng.random((n, universe)) < keep, true, ~true)
        return [frozenset(np.flatnonzero(row).tolist()) for row in bits]

    return _make(
        "noisy set", draw, (0, 1), 0.0, epsilon, lambda sets: np.array([epsilon if 0 in found else -epsilon for found in sets])
    )


def documents(epsilon: float = 1.5) -> Benchmark:
    """Dicts of a noisy count, a word by randomised response and a list of random length."""
    keep = 1.0 / (1.0 + math.exp(-epsilon / 2.0))

    def draw(x: int, n: int, rng: np.random.Generator) -> list[dict[str, Any]]:
        counts = x + rng.laplace(scale=2.0 / epsilon, size=n)
        truth = rng.random(n) < keep
        lengths = rng.integers(0, 3, n)
        return [
            {"count": float(c), "word": "yes" if bool(t) == (x == 0) else "no", "rest": [0.5] * int(k)}
            for c, t, k in zip(counts, truth, lengths, strict=True)
        ]

    def losses(outputs: Sequence[dict[str, Any]]) -> Float:
        y = np.array([output["count"] for output in outputs])
        yes = np.array([output["word"] == "yes" for output in outputs])
        return 0.5 * epsilon * (_laplace_loss(y, 0.0, 1.0) + np.where(yes, 1.0, -1.0))

    return _make("dicts", draw, (0, 1), 0.0, epsilon, losses)


# --- vectors ------------------------------------------------------------------------------------------


def histogram(epsilon: float, changed: int, bins: int = 10) -> Benchmark:
    """Counts with Laplace noise, `changed` of which differ, by 1 / changed each."""
    shift = np.zeros(bins)
    shift[:changed] = 1.0 / changed

    def draw(x: int, n: int, rng: np.random.Generator) -> Float:
        return np.asarray(x * shift + rng.laplace(scale=1.0 / epsilon, size=(n, bins)))

    return _make(
        f"histogram, {changed} of {bins} changed", draw, (0, 1), 0.0, epsilon,
        lambda y: epsilon * _laplace_loss(y, 0.0, shift).sum(axis=1),
    )  # fmt: skip


def prefix_sums(epsilon: float, changed: int, length: int = 10) -> Benchmark:
    """Running sums of the same."""
    of = histogram(epsilon, changed, length)
    return _make(
        f"prefix sums, {changed} of {length} changed",
        lambda x, n, rng: np.cumsum(of.known.mechanism.sample(x, n, rng), axis=1),
        (0, 1),
        0.0,
        epsilon,
        lambda y: of.losses(np.diff(y, axis=1, prepend=0.0)),
    )


def rappor(epsilon: float = 2.0, hashes: int = 2) -> Benchmark:
    """Randomised response of the bits of a Bloom filter; the records have no bit in common."""
    known = known_mechanisms.rappor(epsilon, hashes=hashes)
    moved = np.subtract(known.data, known.neighbour)
    return Benchmark(known, lambda y: (2.0 * y - 1.0) @ moved * epsilon / (2.0 * hashes))


def count_mean_sketch(epsilon: float = 2.0, width: int = 64, hashes: int = 16) -> Benchmark:
    """One of several hash functions, and the place that it gives to a value as bits, each bit randomised."""
    places = np.random.default_rng(7).integers(0, width, (hashes, 2))
    places[:, 1] = (places[:, 0] + 1 + places[:, 1] % (width - 1)) % width  # the two values never share a place
    flip = 1.0 / (1.0 + math.exp(0.5 * epsilon))

    def draw(x: int, n: int, rng: np.random.Generator) -> Float:
        of = rng.integers(hashes, size=n)
        bits = np.arange(width) == places[of, x][:, None]
        return np.column_stack([of, bits ^ (rng.random((n, width)) < flip)]).astype(np.float64)

    def losses(y: Float) -> Float:
        rows, of = np.arange(len(y)), y[:, 0].astype(np.int64)
        return np.asarray(epsilon * (y[rows, 1 + places[of, 0]] - y[rows, 1 + places[of, 1]]))

    return _make("count-mean sketch", draw, (0, 1), 0.0, epsilon, losses)


def vector_gaussian(name: str, shift: Float, delta: float, factor: Float | None = None) -> Benchmark:
    """N(shift, C) against N(0, C): C = factor factor^T, the identity where there is none."""
    inverse = shift if factor is None else np.linalg.solve(factor @ factor.T, shift)
    mu = math.sqrt(float(shift @ inverse))

    def draw(x: int, n: int, rng: np.random.Generator) -> Float:
        noise = rng.standard_normal((n, len(shift)))
        return np.asarray((1 - x) * shift + (noise if factor is None else noise @ factor.T))

    return _make(name, draw, (0, 1), delta, epsilon_at(delta, mu), lambda y: y @ inverse - 0.5 * mu * mu)


def gradient_step(width: int, delta: float, share: float = 0.2, std: float = 0.4) -> Benchmark:
    """Return a step of DP-SGD: the canary's clipped gradient, a random direction, is in the sum with probability `share`."""
    direction = np.random.default_rng(width).standard_normal(width)
    direction /= np.linalg.norm(direction)
    exact, along = _mixture(delta, share, (1.0, 0.0), std)

    def draw(x: int, n: int, rng: np.random.Generator) -> Float:
        noise = std * rng.standard_normal((n, width))
        return noise if x else noise + np.outer(rng.random(n) < share, direction)

    return _make(f"DP-SGD step, d = {width}, delta {delta:g}", draw, (0, 1), delta, exact, lambda y: along(y @ direction))


def scale_change(width: int, factor: float, delta: float) -> Benchmark:
    """N(0, I) against N(0, factor^2 I): the squared length tells all, a chi-square variable."""
    const = width * math.log(factor)
    rate = 0.5 * (1.0 - 1.0 / factor**2)

    def losses(y: Float) -> Float:
        return np.asarray(const - rate * (y * y).sum(axis=1))

    def divergence(e: float) -> float:
        inner = (const - e) / rate  # data: loss > e where the squared length is below
        one = chi2.cdf(inner, width) - math.exp(e) * chi2.cdf(inner / factor**2, width) if inner > 0.0 else 0.0
        outer = (const + e) / rate
        other = chi2.sf(outer / factor**2, width) - math.exp(e) * chi2.sf(outer, width)
        return float(max(one, other)) - delta

    return _make(
        f"scale change, d = {width}, delta {delta:g}",
        lambda x, n, rng: (factor if x else 1.0) * rng.standard_normal((n, width)),
        (0, 1),
        delta,
        brentq(divergence, 0.0, 60.0),
        losses,
    )


def parity(epsilon: float = 2.0, width: int = 10) -> Benchmark:
    """Signs: the third is the product of the first two or its opposite, by randomised response."""

    def draw(x: int, n: int, rng: np.random.Generator) -> Float:
        y = rng.normal(size=(n, width))
        s = np.where(rng.random(n) < 1.0 / (1.0 + math.exp(-epsilon)), 1, -1) * (1 if x == 0 else -1)
        y[:, 2] = s * np.sign(y[:, 0] * y[:, 1]) * np.abs(y[:, 2])
        return y

    return _make(
        f"parity of signs, d = {width}", draw, (0, 1), 0.0, epsilon, lambda y: epsilon * np.sign(y[:, :3].prod(axis=1))
    )


def optional_parts(shift: float = 4.0, parts: int = 2) -> Benchmark:
    """shift * x + Laplace noise in one of some places, at random; None in the others."""

    def draw(x: float, n: int, rng: np.random.Generator) -> list[tuple[float | None, ...]]:
        values = (shift * x + rng.laplace(size=n)).tolist()
        places = rng.integers(parts, size=n).tolist()
        return [tuple(value if j == place else None for j in range(parts)) for value, place in zip(values, places, strict=True)]

    def losses(outputs: Sequence[tuple[float | None, ...]]) -> Float:
        y = np.array([next(value for value in output if value is not None) for output in outputs])
        return np.asarray(_laplace_loss(y, 0.0, shift))

    return _make(f"optional parts, {parts}", draw, (0.0, 1.0), 0.0, shift, losses)


def ragged(epsilon: float = 1.0) -> Benchmark:
    """Lists: as many noisy copies of a count as a public die says, each with its share of the noise."""
    sizes = (1, 2, 4)

    def draw(x: float, n: int, rng: np.random.Generator) -> list[list[float]]:
        length = rng.choice(sizes, n)
        noise = rng.laplace(size=(n, max(sizes))) / epsilon
        return [(x + row[:k] * k).tolist() for row, k in zip(noise, length.tolist(), strict=True)]

    def losses(outputs: Sequence[list[float]]) -> Float:
        return np.array([epsilon / len(y) * sum(abs(v - 1.0) - abs(v) for v in y) for y in outputs])

    return _make("ragged lists", draw, (0.0, 1.0), 0.0, epsilon, losses)


# --- relations ----------------------------------------------------------------------------------------


def _hidden_bit(
    name: str,
    hide: Callable[[Any, int, np.random.Generator], Any],
    show: Callable[[Any], Any],
    epsilon: float = 2.0,
) -> Benchmark:
    """Return randomised response of a bit, which is hidden in outputs that are of one law but for it.

    Args:
        name: what it is hidden in.
        hide: makes the outputs of bits.
        show: gives the bits of outputs.
        epsilon: the odds that a bit is true, as a logarithm.
    """
    truth = 1.0 / (1.0 + math.exp(-epsilon))
    return _make(
        name,
        lambda x, n, rng: hide(np.where(rng.random(n) < truth, x, 1 - x), n, rng),
        (0, 1),
        0.0,
        epsilon,
        lambda outputs: np.where(np.asarray(show(outputs)) == 0, epsilon, -epsilon),
    )


def _letters(b: Any, n: int, rng: np.random.Generator, alphabet: str, told: tuple[str, str]) -> list[str]:
    """Return texts of random letters, with the first or the second of two words at a random place."""
    found = np.array(list(alphabet))[rng.integers(0, len(alphabet), (n, 12))]
    place, width = rng.integers(0, 11, n), len(told[0])
    for k in range(width):
        found[np.arange(n), place + k] = np.where(b == 0, told[0][k], told[1][k])
    return ["".join(row) for row in found.tolist()]


def _ranking(b: Any, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """An order of eight that is even or odd, as the bit says."""
    order = np.argsort(rng.random((n, 8)), axis=1)
    wrong = np.flatnonzero(np.linalg.det(np.eye(8)[order]) * (1 - 2 * b) < 0)
    order[wrong, :2] = order[wrong, 1::-1]
    return order


def _close_times(b: Any, n: int, rng: np.random.Generator) -> Float:
    """Ten times in any order, of which two are nearly the same if the bit is 1."""
    times = rng.random((n, 10))
    pair, near = np.argsort(rng.random((n, 10)), axis=1), np.flatnonzero(b == 1)
    times[near, pair[near, 0]] = times[near, pair[near, 1]] + 1e-6 * rng.normal(size=len(near))
    return times


def _wide_bits(b: Any, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Integers of 62 bits, of which three have the parity that the bit says."""
    wide = rng.integers(0, 2**62, n)
    return wide ^ ((_parity_of_three(wide) ^ b) << 40)


def _parity_of_three(wide: Any) -> Any:
    return (wide >> 5 ^ wide >> 17 ^ wide >> 40) & 1


def _modulo_seven(b: Any, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Three wide integers a, b and c; a + 2 b + 3 c modulo 7 is 0, 1 or 2 if the bit is 1, else 3 to 6."""
    y = rng.integers(0, 10**8, (n, 3))
    y[:, 0] += (np.where(b == 1, rng.integers(0, 3, n), rng.integers(3, 7, n)) - y @ [1, 2, 3]) % 7
    return y


def _words_modulo_four(b: Any, n: int, rng: np.random.Generator) -> list[list[str]]:
    """Eight of four letters; the sum of the places of three in the alphabet is 0 or 1 modulo 4 if the bit is 0, else 2 or 3."""
    y = rng.integers(0, 4, (n, 8))
    y[:, 5] = (2 * b + rng.integers(0, 2, n) - y[:, 1] - y[:, 3]) % 4
    return [["abcd"[i] for i in row] for row in y.tolist()]


def _tenths(b: Any, n: int, rng: np.random.Generator) -> Float:
    """Tenths, as a product or as a quotient, which differ in the last bit."""
    k = np.arange(1000)
    k = rng.choice(k[k * 0.1 != k / 10], n)
    return np.where(b == 1, k * 0.1, k / 10)


def _median(b: Any, n: int, rng: np.random.Generator) -> Float:
    """Nine numbers, whose median is at an even or at an odd place, as the bit says."""
    y = rng.normal(size=(n, 9))
    place = np.argsort(y, axis=1)[:, 4]
    wrong = np.flatnonzero(place % 2 != b)
    other = np.where(place == 8, 7, place ^ 1)
    y[wrong, place[wrong]], y[wrong, other[wrong]] = y[wrong, other[wrong]], y[wrong, place[wrong]]
    return y


def _signs_that_stay(b: Any, n: int, rng: np.random.Generator) -> Float:
    """Twelve numbers whose sign turns six times or more, or less often, as the bit says."""
    y = rng.normal(size=(n, 12))
    y[(_turns(y) >= 6) != b, ::2] *= -1.0
    return y


def _turns(y: Float) -> Any:
    return (y[:, 1:] * y[:, :-1] < 0.0).sum(axis=1)


def _angle(b: Any, n: int, rng: np.random.Generator) -> Float:
    """Two rows of five numbers at an acute or an obtuse angle, as the bit says."""
    y = rng.normal(size=(n, 2, 5))
    y[(y.prod(axis=1).sum(axis=1) > 0.0) != b, 1] *= -1.0
    return y


_EDGES = np.array([(i, j) for i in range(7) for j in range(i)])


def _edges(b: Any, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The eight edges of a graph of seven nodes in any order; some node has four or more if the bit is 1."""
    found = np.empty((n, 8, 2), dtype=np.int64)
    todo = np.arange(n)
    while len(todo):
        drawn = _EDGES[np.argsort(rng.random((len(todo), len(_EDGES))), axis=1)[:, :8]]
        right = _has_a_hub(drawn) == (b[todo] == 1)
        found[todo[right]], todo = drawn[right], todo[~right]
    return found


def _has_a_hub(edges: NDArray[np.int64]) -> Any:
    return (edges.reshape(len(edges), -1, 1) == np.arange(7)).sum(axis=1).max(axis=1) >= 4


def near_a_plane(share: float = 0.2, epsilon: float = 2.0, width: float = 0.05) -> Benchmark:
    """Unit vectors of six numbers, up to their sign; a share is near a plane, e^epsilon times less of them on the neighbour."""
    axis = np.random.default_rng(8).normal(size=6)
    axis /= np.linalg.norm(axis)
    shares = (share, share * math.exp(-epsilon))

    def draw(x: int, n: int, rng: np.random.Generator) -> Float:
        near, u = rng.random(n) < shares[x], rng.random(n)
        t = np.where(near, width * u, width + (1.0 - width) * u) * rng.choice([-1.0, 1.0], n)
        beside = rng.normal(size=(n, 6))
        beside -= (beside @ axis)[:, None] * axis
        beside /= np.linalg.norm(beside, axis=1)[:, None]
        return np.asarray(t[:, None] * axis + np.sqrt(1.0 - t * t)[:, None] * beside)

    far = math.log((1.0 - shares[0]) / (1.0 - shares[1]))
    return _make("vectors near a plane", draw, (0, 1), 0.0, epsilon, lambda y: np.where(np.abs(y @ axis) < width, epsilon, far))


def hidden_bits() -> list[Benchmark]:
    """Return bits hidden in relations: among columns, of the digits of a number, in texts, among members of a list."""

    def shares(b: Any, n: int, rng: np.random.Generator) -> Float:
        u = rng.random((n, 5))
        u[:, -1] = (0.5 * (b + rng.random(n)) - u[:, :-1].sum(axis=1)) % 1.0
        return u

    def three_of_nine(b: Any, n: int, rng: np.random.Generator) -> Float:
        y = rng.normal(size=(n, 9))
        y[:, 2] += (0.5 * (b + rng.random(n)) - y[:, :3].sum(axis=1)) % 1.0
        return y

    def parity_of_eight(b: Any, n: int, rng: np.random.Generator) -> Any:
        bits = rng.integers(0, 2, (n, 18))
        bits[:, 1] = (b + bits[:, 2:9].sum(axis=1)) % 2
        return bits

    def lattice(b: Any, n: int, rng: np.random.Generator) -> Any:
        return b + 2 * (rng.geometric(1e-5, n) - rng.geometric(1e-5, n))

    def last_digit(b: Any, n: int, rng: np.random.Generator) -> Float:
        return np.round(np.round(rng.normal(size=n), 4) + 1e-5 * (5 * b + rng.integers(0, 5, n)), 5)

    def which_bit(b: Any, n: int, rng: np.random.Generator) -> Any:
        bits, c = rng.integers(0, 2, (n, 40)), rng.integers(0, 40, n)
        bits[np.arange(n), c] = b
        return np.column_stack([c, bits])

    def equal_words(b: Any, n: int, rng: np.random.Generator) -> list[list[str]]:
        members = np.argsort(rng.random((n, 60)), axis=1)[:, :10]
        pair, twice = np.argsort(rng.random((n, 10)), axis=1), np.flatnonzero(b == 1)
        members[twice, pair[twice, 0]] = members[twice, pair[twice, 1]]
        return [[f"word {i}" for i in row] for row in members.tolist()]

    def rows(b: Any, n: int, rng: np.random.Generator) -> Any:
        """Eight rows of a key and a bit in any order; the key 0 is among them, and its bit tells."""
        keys = np.argsort(rng.random((n, 20)), axis=1)
        keys, place = np.where(keys == 0, 20, keys)[:, :8], rng.integers(0, 8, n)
        keys[np.arange(n), place] = 0
        bits = rng.integers(0, 2, (n, 8))
        bits[np.arange(n), place] = b
        return np.stack([keys, bits], axis=2)

    return [
        _hidden_bit("shares modulo one, d = 5", shares, lambda y: y.sum(axis=1) % 1.0 >= 0.5),
        _hidden_bit("sum of 3 of 9 modulo one", three_of_nine, lambda y: y[:, :3].sum(axis=1) % 1.0 >= 0.5),
        _hidden_bit("parity of 8 of 18 bits", parity_of_eight, lambda y: y[:, 1:9].sum(axis=1) % 2),
        _hidden_bit("last bit of wide integers", lattice, lambda y: y % 2),
        _hidden_bit("last digit of decimals", last_digit, lambda y: np.rint(y * 1e5) % 10 >= 5),
        _hidden_bit("a category says which of 40 bits", which_bit, lambda y: y[np.arange(len(y)), 1 + y[:, 0]]),
        _hidden_bit(
            "a letter of a text",
            lambda b, n, rng: _letters(b, n, rng, "abcdefghijklmnop", ("q", "z")),
            lambda texts: ["z" in text for text in texts],
        ),
        _hidden_bit(
            "the order of two letters of a text",
            lambda b, n, rng: _letters(b, n, rng, "abcdefgh", ("xy", "yx")),
            lambda texts: ["yx" in text for text in texts],
        ),
        _hidden_bit("rows in any order", rows, lambda y: ((y[:, :, 0] == 0) * y[:, :, 1]).sum(axis=1)),
        _hidden_bit("parity of an order of 8", _ranking, lambda y: np.linalg.det(np.eye(8)[y]) < 0),
        _hidden_bit("two nearly equal of ten times", _close_times, lambda y: np.diff(np.sort(y, axis=1)).min(axis=1) < 1e-5),
        _hidden_bit("equal words in a list", equal_words, lambda lists: [len(set(found)) < len(found) for found in lists]),
        _hidden_bit("parity of 3 of 62 bits", _wide_bits, _parity_of_three),
        _hidden_bit("sum of 3 wide integers modulo 7", _modulo_seven, lambda y: (y @ [1, 2, 3]) % 7 < 3),
        _hidden_bit(
            "sum of 3 of 8 words modulo 4",
            _words_modulo_four,
            lambda lists: [sum("abcd".index(row[i]) for i in (1, 3, 5)) % 4 > 1 for row in lists],
        ),
        _hidden_bit("last bit of tenths", _tenths, lambda y: y != np.rint(10 * y) / 10),
        _hidden_bit("place of the median", _median, lambda y: np.argsort(y, axis=1)[:, 4] % 2),
        _hidden_bit("signs that stay", _signs_that_stay, lambda y: _turns(y) >= 6),
        _hidden_bit("edges of a graph", _edges, _has_a_hub),
        _hidden_bit("angle of two rows", _angle, lambda y: y.prod(axis=1).sum(axis=1) > 0.0),
    ]


def noisy_product(most: float = 1.0) -> Benchmark:
    """Return five normal numbers and the product of two of them, clipped, or its opposite, with Laplace noise."""

    def draw(x: int, n: int, rng: np.random.Generator) -> Float:
        y = rng.normal(size=(n, 6))
        y[:, 4] = (1 - 2 * x) * np.clip(y[:, 0] * y[:, 2], -most, most) + rng.laplace(size=n)
        return y

    def losses(y: Float) -> Float:
        product = np.clip(y[:, 0] * y[:, 2], -most, most)
        return np.asarray(_laplace_loss(y[:, 4], product, -product))

    return _make("noisy product of two columns", draw, (0, 1), 0.0, 2.0 * most, losses)


def many_atoms(atoms: int = 2000, epsilon: float = 2.0) -> Benchmark:
    """Return numbers of which half, at random, are e^epsilon times as likely as the others, and which half is told."""
    inside = np.random.default_rng(3).permutation(atoms) < atoms // 2
    masses = np.where([inside, ~inside], math.exp(epsilon), 1.0)
    return _finite(f"{atoms} atoms in no order", *masses.tolist(), outputs=range(atoms))


# --- noisy maxima and sparse vectors ------------------------------------------------------------------


def max_with_gap(epsilon: float = 1.0, queries: int = 4) -> Benchmark:
    """Return the index of the largest of queries with Gumbel noise, and the gap to the runner-up.

    Gumbel noise of scale 1 / a: P(i largest, gap > g) = e^(a q_i) / (e^(a q_i) + e^(a g) sum of the others' e^(a q_j)).
    """
    a = 0.5 * epsilon
    u = np.array([[1.0] * queries, [2.0] + [0.0] * (queries - 1)])

    def draw(x: int, n: int, rng: np.random.Generator) -> Float:
        noisy = u[x] + rng.gumbel(size=(n, queries)) / a
        best = np.sort(noisy, axis=1)
        return np.column_stack([np.argmax(noisy, axis=1), best[:, -1] - best[:, -2]])

    def log_density(x: int, index: Any, gap: Any) -> Any:
        weights = np.exp(a * u[x])
        others = weights.sum() - weights[index]
        return np.log(weights[index] * others) + a * gap - 2.0 * np.log(weights[index] + np.exp(a * gap) * others)

    def losses(y: Float) -> Float:
        index = y[:, 0].astype(np.int64)
        return np.asarray(log_density(0, index, y[:, 1]) - log_density(1, index, y[:, 1]))

    # The loss is monotone in the gap: its extremes are at gap 0 and in the limit
    grid = np.array([0.0, 200.0 / a])
    exact = max(
        float(np.abs(log_density(0, np.full(2, i), grid) - log_density(1, np.full(2, i), grid)).max()) for i in range(2)
    )
    return _make("noisy max with gap", draw, (0, 1), 0.0, exact, losses)


def _sparse(number: int, epsilon: float, queries: int) -> Benchmark:
    """Sparse vector with answers alone: losses from the probabilities of all outputs."""
    of, pair = sparse_vector_variants(epsilon)[number], sparse_vector_pair(queries)
    table = {answers: _log_ratio(*(of.probability(x, answers) for x in pair)) for answers in of.outputs(queries)}
    worst = max(map(abs, table.values()))

    def losses(y: Float) -> Float:
        rows, inverse = np.unique(y, axis=0, return_inverse=True)
        found = [table[tuple(int(v) for v in row if v >= 0.0)] for row in rows]
        return np.asarray(np.array(found)[inverse.ravel()])

    return _make(
        f"sparse vector {number}, {queries} queries", of.draw, pair, 0.0, worst if worst < _NEVER else math.inf, losses
    )


def _log_ratio(p: float, q: float) -> float:
    return 0.0 if p == q == 0.0 else _NEVER if q == 0.0 else -_NEVER if p == 0.0 else math.log(p / q)


def sparse_vectors() -> list[Benchmark]:
    """Return the variants that show answers alone, and a long one."""
    return [_sparse(*of) for of in ((1, 1.0, 6), (1, 1.0, 30), (4, 0.5, 6), (5, 0.5, 6), (6, 0.5, 6))]


def sparse_vector_value(epsilon: float = 1.0) -> Benchmark:
    """Variant 3, whose losses are tabulated over the value at the last place, in closed form elsewhere."""
    known = known_mechanisms.sparse_vector_3(epsilon)
    scale = 2.0 / epsilon
    grid = np.linspace(-40.0 * scale, 40.0 * scale, 16_001)
    width = grid[1] - grid[0]

    def tables(x: Sequence[float]) -> tuple[list[Float], float]:
        passed, logs = stats.laplace.pdf(grid, scale=scale), []
        for q in x:
            mass = np.concatenate([[0.0], np.cumsum(0.5 * (passed[1:] + passed[:-1]) * width)])
            with np.errstate(divide="ignore"):
                logs.append(np.log(mass) - np.abs(grid - q) / scale)
            passed = passed * stats.laplace.cdf(grid - q, scale=scale)
        return logs, math.log(passed.sum() * width)

    (p, none_p), (q, none_q) = tables(known.data), tables(known.neighbour)

    def losses(y: Float) -> Float:
        total = np.full(len(y), none_p - none_q)
        for i in range(len(known.data)):
            here = y[:, 0] == i
            total[here] = np.interp(y[here, 1], grid[5:], p[i][5:] - q[i][5:])
        return total

    return Benchmark(known, losses)


def max_value(epsilon: float = 0.5, queries: int = 5) -> Benchmark:
    """Broken noisy max: the value itself."""
    known = known_mechanisms.noisy_max_value(epsilon, queries)
    scale = 2.0 / epsilon

    def log_density(y: Float, at: float) -> Float:
        z = (y - at) / scale
        log_below = np.where(z < 0.0, math.log(0.5) + z, np.log1p(-0.5 * np.exp(-np.abs(z))))
        return np.asarray((queries - 1) * log_below - np.abs(z))

    return Benchmark(known, lambda y: log_density(y, 0.0) - log_density(y, 1.0))


def max_index(epsilon: float = 1.0) -> Benchmark:
    """Noisy max: the law by its exact probabilities, which are two: the first query's, and one for all others."""
    known = known_mechanisms.noisy_max(epsilon)
    first = [known_mechanisms.probability_of_max(x, 0, 2.0 / epsilon) for x in (known.data, known.neighbour)]
    ratio = [math.log(first[0] / first[1]), math.log((1.0 - first[0]) / (1.0 - first[1]))]
    return Benchmark(known, lambda y: np.where(y == 0, *ratio))


@functools.cache
def benchmarks() -> list[Benchmark]:
    """Return all benchmark mechanisms, made once a process."""
    rng = np.random.default_rng(5)
    skew = np.tril(rng.normal(size=(20, 20))) + 3.0 * np.eye(20)
    along = rng.normal(size=20)
    along *= 1.5 / math.sqrt(along @ np.linalg.solve(skew @ skew.T, along))
    return [
        laplace(0.1), laplace(1.0), laplace(4.0), staircase(), geometric(), truncated_geometric(), truncated_laplace(0.03),
        discrete_gaussian(1e-5), discrete_gaussian(1e-2), gaussian(1e-5), gaussian(1e-2), gaussian(1e-2, 3.0),
        subsampled_gaussian(1e-5, replace=False), subsampled_gaussian(1e-2, replace=False),
        subsampled_gaussian(1e-5, replace=True), subsampled_gaussian(1e-2, replace=True),
        bump(), bump(width=10), rare_branch(), propose_test_release(),
        k_randomised_response(), permute_and_flip(), random_subset(), documents(),
        histogram(1.0, 1), histogram(1.0, 10), prefix_sums(1.0, 1), prefix_sums(1.0, 10), prefix_sums(2.0, 20, 20), rappor(),
        count_mean_sketch(),
        vector_gaussian("composed Gaussians, d = 10, delta 1e-05", np.full(10, 1.0 / math.sqrt(10.0)), 1e-5),
        vector_gaussian("correlated Gaussian, d = 20, delta 0.01", along, 1e-2, skew),
        gradient_step(50, 1e-5), gradient_step(50, 1e-2), gradient_step(500, 1e-2),
        scale_change(3, 1.5, 0.0 + 1e-5), scale_change(60, 1.15, 1e-2), parity(),
        optional_parts(), optional_parts(1.0, 5), ragged(),
        *hidden_bits(), noisy_product(), near_a_plane(), many_atoms(),
        max_index(), max_value(), max_with_gap(), *sparse_vectors(), sparse_vector_value(),
    ]  # fmt: skip


def oracle(of: Benchmark, trials: int, draws: int = 300_000, alpha: float = 0.05) -> float:
    """Return what the test at the end of an audit gives at the median counts of the best event, all trials being its own.

    The event is the two ends of the exact loss; its masses are estimated from draws, those on the other dataset by the loss.
    """
    known = of.known
    rng = np.random.default_rng(12345)
    ends = []
    for x, sign in ((known.data, 1.0), (known.neighbour, -1.0)):
        loss = np.sort(sign * of.losses(known.mechanism.sample(x, draws, rng)))[::-1]
        _, last = np.unique(-loss, return_index=True)
        size = np.append(last[1:], len(loss))  # outputs with at least this loss
        other = np.cumsum(np.exp(-np.clip(loss, -50.0, 50.0)))[size - 1]
        keep = np.unique(
            np.concatenate([np.geomspace(1, len(size), 150).astype(int) - 1, np.linspace(0, len(size) - 1, 100).astype(int)])
        )
        ends.append((np.append(0.0, size[keep] / draws), np.append(0.0, other[keep] / draws)))
    z = float(norm.isf(alpha))
    (p1, q1), (p2, q2) = ends
    p, q = p1[:, None] + p2[None, :], q1[:, None] + q2[None, :]
    c = ((p1[:, None] > 0.0).astype(float) + (p2[None, :] > 0.0)) * known.delta
    promise = promised(p, np.maximum(q, 1.0 / trials), c, z, trials)
    best = 0.0
    for i in np.argsort(-promise.ravel())[:40:8]:
        a, b = np.unravel_index(i, promise.shape)
        counts = Counts(round(p[a, b] * trials), round(q[a, b] * trials), float(trials))
        best = max(best, fixed_size_bound(counts, float(c[a, b]), alpha))
    return min(best, known.epsilon)
