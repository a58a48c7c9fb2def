"""What the suite expects, by another route: the literal epsilons from the printed formulas, and what an instance may say.

Nothing here calls a calibration, an account or a profile of `dppca`: the formulas stand below a second time, in mpmath.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from mpmath import mpf
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import binom, chi

from dppca.audit.auditor.results import Claim
from dppca.audit.suite import adapter_audits as adapters
from dppca.audit.suite.audits import instances
from dppca.audit.suite.datasets import rand_health
from dppca.audit.suite.instance import Instance
from dppca.proofs_notes.ledger import claims as ledger
from dppca.reference.catalog import ALGORITHMS

#: The literals have six digits.
DIGITS = 1e-5


# --- one Gaussian release -----------------------------------------------------------------------------


def delta_at(epsilon: Any, mu: Any) -> Any:
    """Delta of a Gaussian release whose mean moves by mu standard deviations."""
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


@cache
def epsilon_of(mu: Any, delta: float) -> Any:
    """Return the epsilon of such a release; 0 where delta is enough without any."""
    if delta_at(mpf(0), mu) <= delta:
        return mpf(0)
    return _bisected(lambda epsilon: delta_at(epsilon, mu) > delta)


@cache
def mu_of(epsilon: float, delta: float) -> Any:
    """Return the largest mu that is (epsilon, delta)-DP."""
    return _bisected(lambda mu: delta_at(mpf(epsilon), mu) < delta)


def _bisected(low_side: Callable[[Any], bool]) -> Any:
    """Return the positive number up to which `low_side` is true."""
    high = mpf(1)
    while low_side(high):
        high *= 2
    low = mpf(0)
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if low_side(middle) else (low, middle)
    return high


def classical(epsilon: float, delta: float, constant: float = 1.25) -> Any:
    """1 / std of the textbook's Gaussian mechanism for sensitivity 1."""
    return epsilon / mp.sqrt(2 * mp.log(mpf(constant) / mpf(delta)))


# --- wang2020 -----------------------------------------------------------------------------------------


def _rand_distance() -> float:
    """Distance of the messages of the first row of the RAND data and of e_2, in floats."""
    x, y = rand_health()[0], np.eye(10)[1]
    upper = np.triu_indices(10)
    return float(np.linalg.norm((np.outer(x, x) - np.outer(y, y))[upper]))


#: How far apart two clients' messages are, upper triangles of x x^T.
MESSAGES = {
    "(2,0)/0": lambda: mpf(4),
    "e1/0": lambda: mpf(1),
    "message e1/(1,1)/sqrt2": lambda: mp.sqrt(mpf(3) / 4),
    "RAND message, row/canary": lambda: mpf(_rand_distance()),
}


def wang2020(of: Instance) -> Any:
    """Printed: the textbook's std at sensitivity 1; the printed formula alone at sqrt(2). Corrected: the least std."""
    epsilon, delta = (of.target or of.claim).epsilon, (of.target or of.claim).delta
    if of.name == "subspace, canary e1/e2":
        return mpf(0) if of.choice == "LITERAL" else None  # a constant
    distance = MESSAGES.get(of.name, lambda: mp.sqrt(2))()
    if of.choice in {"AS_PRINTED", "LITERAL"}:
        inverse_std = classical(epsilon, delta)
    elif of.choice == "CORRECTED but the formula as published":
        inverse_std = classical(epsilon, delta) / mp.sqrt(2)
    else:
        inverse_std = mu_of(epsilon, delta) / mp.sqrt(2)
    return epsilon_of(distance * inverse_std, of.claim.delta)


# --- baselines ----------------------------------------------------------------------------------------


def gauss(of: Instance) -> Any:
    """Analyze Gauss and MOD-SULQ, d = 2: noise on X^T X, which moves by sqrt(2) for e_1/e_2, by 1 for e_1/0."""
    epsilon, delta, d = of.claim.epsilon, of.claim.delta, 2
    if of.choice == "CORRECTED":
        std = mp.sqrt(2) / mu_of(epsilon, delta)
    elif of.algorithm == "baselines.analyze_gauss":
        std = 1 / classical(epsilon, delta)
    else:
        root = mp.sqrt(2 * mp.log((d * d + d) / (2 * mp.sqrt(2 * mp.pi) * mpf(delta))))
        std = (d + 1) / mpf(epsilon) * root + 1 / mp.sqrt(epsilon)
    if of.view == "output":
        return _angle_epsilon(20.0, 2.0 * float(std), math.sqrt(2.0) * float(std), delta)
    return epsilon_of((1 if of.name.startswith("e1/0") else mp.sqrt(2)) / std, delta)


def _angle_epsilon(across: float, std_across: float, std_along: float, delta: float) -> float:
    """Return epsilon of the angle of a normal vector of mean (across, +-1), by quadrature between where the densities cross."""

    def density(angle: float, sign: float) -> float:
        u = np.array([math.cos(angle) / std_across, math.sin(angle) / std_along])
        m = np.array([across / std_across, sign / std_along])
        a, b = float(u @ u), float(u @ m)
        # r exp(-(a r^2 - 2 b r + |m|^2) / 2), integrated over r > 0
        bell = math.sqrt(2.0 * math.pi / a) * float(ndtr(b / math.sqrt(a)))
        first = math.exp(-0.5 * float(m @ m)) / a + (b / a) * bell * math.exp(0.5 * (b * b / a - float(m @ m)))
        return first / (2.0 * math.pi * std_across * std_along)

    def delta_of(epsilon: float) -> float:
        ratio = math.exp(epsilon)
        grid = np.linspace(-math.pi, math.pi, 721)
        gap = [density(t, 1.0) - ratio * density(t, -1.0) for t in grid]
        edges = [
            brentq(lambda t: density(t, 1.0) - ratio * density(t, -1.0), a, b)
            for a, b, x, y in zip(grid[:-1], grid[1:], gap[:-1], gap[1:], strict=True)
            if x * y < 0.0
        ]
        points = [-math.pi, *edges, math.pi]
        pieces = [
            quad(lambda t: density(t, 1.0) - ratio * density(t, -1.0), a, b, epsabs=1e-12, limit=200)[0]
            for a, b in pairwise(points)
        ]
        return math.fsum(max(piece, 0.0) for piece in pieces)

    return float(brentq(lambda epsilon: delta_of(epsilon) - delta, 1e-3, 30.0, xtol=1e-7))


def power(of: Instance) -> Any:
    """d = 16, one step from the flat start, at which a flat row moves the iterate by 1; the printed std is 1/4 of sigma."""
    epsilon, delta = of.claim.epsilon, of.claim.delta
    if of.name.startswith("400"):
        return None
    mu = mu_of(epsilon, delta) if of.choice == "CORRECTED" else 4 * epsilon / mp.sqrt(4 * mp.log(1 / mpf(delta)))
    if of.view == "output":
        return _cosine_epsilon(float(mu), 16, delta)
    return epsilon_of(mu, delta)


def _cosine_epsilon(mu: float, d: int, delta: float) -> float:
    """Return epsilon of the direction of N(mu u, I) or N(0, I) in R^d, from first coordinate over norm of the rest."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    norms = 6.0 * (nodes + 1.0)  # up to 12, where that of 15 coordinates is 4 on average
    weights = 6.0 * weights * chi(d - 1).pdf(norms)
    cuts = np.linspace(-3.0, 8.0, 11_001)
    above_here, above = (ndtr(shift - np.outer(cuts, norms)) @ weights for shift in (mu, 0.0))
    below_here, below = (ndtr(np.outer(cuts, norms) - shift) @ weights for shift in (mu, 0.0))

    def delta_of(epsilon: float) -> float:
        ratio = math.exp(epsilon)
        return float(max(np.max(above_here - ratio * above), np.max(below - ratio * below_here)))

    return float(brentq(lambda epsilon: delta_of(epsilon) - delta, 0.1, 40.0, xtol=1e-9))


#: Rows on the axes: eigenvalues of X^T X and of its neighbour.
DIAGONALS = {
    "e1/e2": ((1, 19, 0), (0, 20, 0)),
    "e1/e2 beside e2": ((1, 1, 0), (0, 2, 0)),
}


def bingham(of: Instance) -> Any:
    """Return the largest loss of exp(m v^T A v) on the sphere of R^3, its normaliser an integral of a Bessel function."""
    if of.name.startswith("e1/e2 on a tie"):  # the normalisers of the neighbours are equal
        return mpf(of.claim.epsilon) / 2
    if "k=2" in of.name:
        return None
    m = mpf(of.claim.epsilon) / (4 if of.choice == "AS_PRINTED" else 2)
    here, there = DIAGONALS[of.name.removesuffix(", output")]
    shift = mp.log(_normaliser(m, here)) - mp.log(_normaliser(m, there))
    differences = [m * (a - b) for a, b in zip(here, there, strict=True)]
    return max(max(differences) - shift, shift - min(differences))


def _normaliser(m: Any, diagonal: tuple[int, ...]) -> Any:
    """The mean of exp(m v^T A v) over the sphere: v_3 is uniform on [-1, 1], the angle of the other two on the circle."""
    a, b, c = (m * x for x in diagonal)

    def integrand(z: Any) -> Any:
        rest = 1 - z * z
        return mp.exp(c * z * z + rest * (a + b) / 2) * mp.besseli(0, rest * (a - b) / 2)

    return mp.quad(integrand, [-1, 0, 1]) / 2


def wishart(of: Instance) -> Any:
    """As corrected all of delta is spent outside the support, and nothing inside."""
    return mpf(0) if of.choice == "CORRECTED" and of.view != "output" else None


# --- liu2022 ------------------------------------------------------------------------------------------


def minibatch(of: Instance) -> Any:
    """A record's gradient from w to -w: one Gaussian of mu = 1 / alpha, printed alpha = log(n / delta) / (epsilon sqrt(n))."""
    n = 400 if of.view == "output" else 2000

    def printed(n: int) -> Any:
        return of.claim.epsilon * mp.sqrt(n) / mp.log(n / mpf(of.claim.delta))

    mu = printed(n) if of.choice == "AS_PRINTED" else mu_of(of.claim.epsilon, of.claim.delta)
    if of.view == "output":  # the line through N((mu / 2) e_1, I) or N((mu / 2) e_2, I)
        return _line_epsilon(float(mu) / 2.0, of.claim.delta)
    if of.name.startswith("add-remove"):
        mu *= 2  # 4 batches, each changed
    return mpf(0) if of.choice == "AS_PRINTED" and "last" in of.name else epsilon_of(mu, of.claim.delta)


def _line_epsilon(distance: float, delta: float) -> float:
    """Twice the angle of a normal vector, whose law is even: where a line lies of a mean on the first or the second axis."""

    def density(angle: float, axis: float) -> float:
        b = distance * math.cos(angle - axis)
        one = math.exp(-0.5 * distance**2) / (2.0 * math.pi)
        bell = math.exp(0.5 * (b * b - distance**2)) / math.sqrt(2.0 * math.pi)
        return 2.0 * one + bell * b * (float(ndtr(b)) - float(ndtr(-b)))

    def delta_of(epsilon: float) -> float:
        def gap(t: float) -> float:
            return density(t, 0.0) - math.exp(epsilon) * density(t, 0.5 * math.pi)

        if gap(0.0) <= 0.0:
            return 0.0
        edge = brentq(gap, 0.0, 0.5 * math.pi)
        return 2.0 * float(quad(gap, 0.0, edge, epsabs=1e-13, limit=200)[0])

    return float(brentq(lambda epsilon: delta_of(epsilon) - delta, 0.0, 40.0, xtol=1e-8))


def parts(of: Instance) -> Any:
    """Algorithms 3 to 5 by their parts. The paper halves (epsilon, delta) between the halves of a batch, LEAN does not."""
    whole = of.target or of.claim
    epsilon, delta = mpf(whole.epsilon), mpf(whole.delta)
    lean = of.choice == "LEAN"
    alone = of.algorithm == "liu2022.private_mean"
    if not (alone or lean):
        epsilon, delta = epsilon / 2, delta / 2
    if of.name == "the eigenvalue: two occupied bins, and one alone":
        return epsilon
    if of.name == "the mean: the bins of a coordinate":
        d = {"liu2022.private_mean": 2, "liu2022.dp_pca": 4, "liu2022.deflation": 2, "liu2022.block_dp_pca": 4}[of.algorithm]
        if lean:
            return _component(epsilon / 2, delta / 2, d)
        return epsilon / (4 * mp.sqrt(2 * d * mp.log(4 / delta)))
    if of.name == "the mean: across the box":
        mu = mu_of(float(epsilon / 2), float(delta / 2)) if lean else classical(epsilon / 2, delta / 2)
        return epsilon_of(mu, of.claim.delta)
    return None


def _component(epsilon: Any, delta: Any, k: int) -> Any:
    """What each of k mechanisms may spend by optimal composition, besides delta / (2 k): randomised responses that may fail."""
    fails = 1 - (1 - delta / (2 * k)) ** k

    def composed(each: Any) -> Any:
        total = mpf(0)
        for flips in range(k + 1):
            gain = mp.exp((k - flips) * each) - mp.exp(epsilon + flips * each)
            total += mp.binomial(k, flips) * max(gain, mpf(0))
        return fails + (1 - fails) * total / (1 + mp.exp(each)) ** k

    return _bisected(lambda each: composed(each) <= delta)


def search(of: Instance) -> Any:
    """Two rounds, of 1 and 8 pairs that share a half and a quarter of (16, 0.1)."""
    if of.name.startswith(("the scores", "a record that is scored, from")):
        return epsilon_of(mp.sqrt(mu_of(8.0, 0.05) ** 2 + 8 * mu_of(0.5, 0.003125) ** 2), of.claim.delta)
    if of.name.startswith("the eigenvalue of round 1"):
        return mpf(8) / 2
    if of.name.startswith("the training"):
        return mpf(8 + 8 * 0.5) / 2
    return mpf(0) if of.choice == "CORRECTED" and of.view == "exact" else None


# --- shang2021 ----------------------------------------------------------------------------------------


def vrpca(of: Instance) -> Any:
    """With step sizes that tend to 0, T m Gaussian releases, each moved by c sqrt(|E V|^2) / n.

    As corrected, with n = 1 the row's gradients cancel and each step is a Gaussian release moved by min(k, 2)^(1/2); with more
    rows and few steps the noise's variance is split between the row, which moves a gradient by 2, and the full gradient, which
    moves it by 1 / n.
    """
    epsilon, delta = of.claim.epsilon, of.claim.delta
    sizes = {
        "one step, e1/0": (1, 1, 1, 1.0),
        "e1/e2, k=2": (1, 2, 2, math.sqrt(2.0)),
        "across, n=1, T=3, m=2": (1, 6, 1, 1.0),
        "across, n=1, T=4, k=1": (1, 4, 1, 1.0),
        "across, n=2, T=16, k=1": (2, 16, 1, 1.0),
        "across, n=1, T=4, k=2": (1, 4, 2, 1.0),
    }
    found = sizes.get(of.name.removesuffix(", output"))
    if found is None:
        return None
    n, steps, k, moved = found
    if of.choice == "AS_PRINTED":
        std = mp.sqrt(steps * mp.log(1 / mpf(delta))) / (n * mpf(epsilon))
    elif n == 1:
        std = mp.sqrt(min(k, 2) * steps) / mu_of(epsilon, delta)
    else:
        std = _split_std(n, steps, epsilon, delta)
    return epsilon_of(moved * mp.sqrt(steps) / n / std, delta)


def spca(of: Instance) -> Any:
    """T = 9 steps, each on one of n = 3 rows: mixtures of Gaussians, whose losses are convolved on a fine grid."""
    if not of.name.startswith(("e1 or 0", "across, output")):
        return None
    n, T, s = 3, 9, 2.0
    if of.choice == "AS_PRINTED":
        alpha = math.log(1.0 / of.claim.delta) / (0.5 * of.claim.epsilon) + 1.0
        std = math.sqrt(20.0 * T * alpha * s**2 / (n**2 * of.claim.epsilon * 0.5))
    else:
        std = _subsampled_std(n, T, s, of.claim)
    if of.view == "output":
        return _binomial_epsilon(n, T, s / std, of.claim.delta)
    pairs = [_convolved(_one_step(1.0 / n, s / std, kind, resolution=400.0), T) for kind in ("remove", "add")]
    return brentq(lambda e: max(_hockey_stick(pair, e) for pair in pairs) - of.claim.delta, 0.0, 20.0, xtol=1e-7)


@dataclass(frozen=True)
class Law:
    """A loss on a grid: mass[j] at start + j width."""

    start: float
    width: float
    mass: np.ndarray

    @property
    def values(self) -> np.ndarray:
        """Return the grid's points."""
        return self.start + self.width * np.arange(len(self.mass))


def _one_step(q: float, r: float, kind: str, resolution: float = 100.0) -> Law:
    """Return the law of a step's loss: (1 - q) N(0) + q N(r) against N(0) ("remove"), the reverse ("add"), or the worse tails.

    Each value is split between the grid points beside it, so that its mean stays.
    """
    x = np.linspace(-9.0, 9.0 + r, 200_001)
    loss = np.log1p(q * np.expm1(r * x - 0.5 * r * r))
    base = np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi) * (x[1] - x[0])
    mixture = base * np.exp(loss)
    width = math.sqrt(float(base @ loss**2)) / resolution
    if kind == "remove":
        values, mass = loss, mixture
    elif kind == "add":
        values, mass = -loss, base
    else:  # the largest of both profiles: losses above 0 as in `remove`, below 0 as in `add`, the rest at 0
        gain = loss > 0.0
        values = np.concatenate([loss[gain], -loss[gain], [0.0]])
        mass = np.concatenate([mixture[gain], base[gain]])
        mass = np.append(mass, 1.0 - mass.sum())
    low = math.floor(values.min() / width) - 1
    place = values / width - low
    index, share = place.astype(int), place % 1.0
    length = int(index.max()) + 2
    return Law(
        low * width, width, np.bincount(index, mass * (1.0 - share), length) + np.bincount(index + 1, mass * share, length)
    )


def _convolved(law: Law, times: int, gaussian: float = 0.0) -> Law:
    """Return the law of the sum of so many independent losses, and of a Gaussian one of this mu."""
    length = times * (len(law.mass) - 1) + 1
    spread = math.ceil((9.0 * gaussian + 0.5 * gaussian**2) / law.width)
    size = 2 ** math.ceil(math.log2(length + 2 * spread + 1))
    spectrum = np.fft.rfft(law.mass, size) ** times
    if gaussian:
        edges = law.width * (np.arange(-spread, spread + 2) - 0.5)
        spectrum = spectrum * np.fft.rfft(np.diff(ndtr((edges - 0.5 * gaussian**2) / gaussian)), size)
    start = times * law.start - spread * law.width
    return Law(start, law.width, np.fft.irfft(spectrum, size)[: length + 2 * spread])


def _hockey_stick(law: Law, epsilon: float) -> float:
    above = law.values > epsilon
    return float(law.mass[above] @ -np.expm1(epsilon - law.values[above]))


@cache
def _subsampled_std(n: int, T: int, s: float, claim: Claim) -> float:
    """Return the least noise of DP-SPCA by the dominating pair."""

    def excess(std: float) -> float:
        return _hockey_stick(_convolved(_one_step(1.0 / n, s / std, "both"), T), claim.epsilon) - claim.delta

    return float(brentq(excess, 1.0, 20.0, xtol=1e-4))


@cache
def _split_std(n: int, steps: int, epsilon: float, delta: float) -> float:
    """Return the least noise of DP-VRPCA with k = 1 by the split account, the row's loss convolved."""

    def excess(std: float) -> float:
        theta = _share(1.0 / std)
        rows = _one_step(1.0 / n, 2.0 / std / math.sqrt(theta), "both")
        full = math.sqrt(steps) / n / std / math.sqrt(1.0 - theta)
        return _hockey_stick(_convolved(rows, steps, full), epsilon) - delta

    return float(brentq(excess, 1.0, 20.0, xtol=1e-3))


def _share(inverse: float) -> float:
    """Return the share of the variance for the row at which the loss of a step varies least, n = 1; 1 / std is given."""
    thetas = np.linspace(0.4, 0.99, 5901)
    cost = np.expm1((2.0 * inverse) ** 2 / thetas) + inverse**2 / (1.0 - thetas)
    return float(thetas[np.argmin(cost)])


def dp_sgd(of: Instance) -> Any:
    """T = 4 sums of rows drawn with probability 1/4; a long gradient is C = 1/2; across the start vector it is C / sqrt(2)."""
    T, q, C = 4, 0.25, 0.5

    def excess(std: float) -> float:
        pairs = [_convolved(_one_step(q, C / std, kind, resolution=400.0), T) for kind in ("remove", "add")]
        return max(_hockey_stick(pair, of.claim.epsilon) for pair in pairs) - of.claim.delta

    std = brentq(excess, 0.1, 5.0, xtol=1e-6)  # at which the pair's epsilon is the claim's
    if of.view == "output":
        return _binomial_epsilon(4, T, C * math.sqrt(0.5) / std, of.claim.delta)
    return of.claim.epsilon if of.name == "e1 or nothing" else None


def _binomial_epsilon(n: int, T: int, r: float, delta: float) -> float:
    """The sum of T noisy gradients, K of which moved by r: sqrt(T) N(0, 1) + K r against the same with K = 0, by half-lines."""
    cuts = np.linspace(-10.0, 10.0 + r * math.sqrt(T), 200_001)
    weights = binom.pmf(np.arange(T + 1), T, 1.0 / n)
    moved = sum(w * ndtr(k * r / math.sqrt(T) - cuts) for k, w in enumerate(weights))
    still = ndtr(-cuts)

    def delta_of(epsilon: float) -> float:
        ratio = math.exp(epsilon)
        return float(max(np.max(moved - ratio * still), np.max((1.0 - still) - ratio * (1.0 - moved))))

    return float(brentq(lambda epsilon: delta_of(epsilon) - delta, 0.0, 20.0, xtol=1e-8))


# --- tests --------------------------------------------------------------------------------------------

ROUTES: dict[str, Callable[[Instance], Any]] = {
    "wang2020.local_gaussian_mechanism": wang2020,
    "wang2020.local_gaussian_mechanism_high_dimension": wang2020,
    "baselines.analyze_gauss": gauss,
    "baselines.mod_sulq": gauss,
    "baselines.noisy_power_method": power,
    "baselines.wishart_mechanism": wishart,
    "baselines.exponential_mechanism": bingham,
    "liu2022.minibatch_private_oja": minibatch,
    "liu2022.private_mean": parts,
    "liu2022.dp_pca": parts,
    "liu2022.deflation": parts,
    "liu2022.block_dp_pca": parts,
    "liu2022.hyperparameter_search": search,
    "shang2021.dp_vrpca": vrpca,
    "shang2021.dp_spca": spca,
    "baselines.dp_sgd": dp_sgd,
}
#: The accounts of shang2021 stop within 1e-3 of the least noise, and their grids are pessimistic.
ACCOUNTED = 5e-3


@pytest.mark.parametrize("key", ROUTES)
def test_every_literal_epsilon_by_another_route(key: str) -> None:
    compared = 0
    for instance in instances():
        if instance.algorithm != key or instance.epsilon is None or instance.epsilon == math.inf:
            continue
        found = ROUTES[key](instance)
        assert found is not None, f"{instance.id} has no other route"
        accounted = key.startswith(("shang2021", "baselines.dp_sgd")) and instance.choice == "CORRECTED"
        tolerance = ACCOUNTED if accounted else DIGITS
        assert float(found) == pytest.approx(instance.epsilon, rel=tolerance, abs=1e-7), instance.id
        compared += 1
    assert compared > 0


def test_the_divided_law_on_the_tie() -> None:
    """Density exp(-q) (1 + 2 q / b)^(-6), q with eigenvalues (0, 1, 101, ...) / 2; the first two change places."""
    gaps = [mpf(g) / 2 for g in (0, 1, 101, 101, 101, 101)]
    b = mp.findroot(lambda b: sum(1 / (b + 2 * g) for g in gaps) - 1, mpf("1.7"))
    assert float(gaps[1] + 6 * mp.log(1 + 2 * gaps[1] / b)) == pytest.approx(adapters.DIVIDED_EPSILON, rel=DIGITS)


#: Readings that claim privacy no more than the paper does.
PRINTED = {"AS_PRINTED", "LITERAL"}
CLAIMS = {claim.id for claim in ledger.load()}


@pytest.mark.parametrize("key", sorted({i.algorithm for i in instances()}))
def test_a_verdict_is_not_refuted_or_has_a_claim_that_says_why(key: str) -> None:
    """A reading that claims privacy, at its own target and relation, must not be refuted; everything else names a claim."""
    for instance in instances():
        if instance.algorithm != key:
            continue
        entry = ALGORITHMS[key]
        own = instance.choice in entry.choices and instance.choice not in PRINTED
        if own and instance.relation in {None, entry.relation} and instance.target in {None, instance.claim}:
            assert (instance.expected, instance.because) == ("NOT REFUTED", ""), instance.id
            assert instance.epsilon is None or instance.epsilon <= instance.claim.epsilon, instance.id
        else:
            assert instance.because in CLAIMS, (instance.id, instance.because)
        if instance.epsilon is not None and instance.view == "exact":
            refuted = instance.epsilon > instance.claim.epsilon
            assert (instance.expected == "REFUTED") == refuted, instance.id
