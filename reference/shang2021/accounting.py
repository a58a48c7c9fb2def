"""Numerical privacy accounts of DP-SPCA and DP-VRPCA: an upper and a lower bound on delta(epsilon).

Neighbours: one row replaced, n public. View: the transcript of the noisy gradients, the sampled indices hidden,
the start vector and the step sizes public. Whatever the algorithm outputs is computed from the transcript, so the
upper bound holds for the output too; the lower bound says what it is about.

One step of DP-SPCA. Given the past, the noisy gradient is N(h_i, std^2 I) with i uniform, h_i the gradient of row i.
With q = 1/n, a and b the gradients of the replaced row before and after, the neighbouring laws are mixtures that
share the other n - 1 components. Hockey-stick divergences are jointly convex, so their supremum is reached where
those components coincide, at a point m say:
    H_alpha((1 - q) N(m) + q N(a) || (1 - q) N(m) + q N(b)),      |m - a|, |m - b|, |a - b| <= s.
For alpha >= 1 advanced joint convexity (Balle, Barthe, Gaboardi 2018, Theorem 2) bounds it by its value at m = b,
|a - b| = s: the pair `remove`, ((1 - q) N(0) + q N(s), N(0)). For alpha < 1, exchanging the roles, by its value at
m = a: the pair `add`, (N(0), (1 - q) N(0) + q N(s)). Neither pair dominates the other for all alpha; the maximum
of the two profiles is the smallest dominating profile (cf. Lebeda, Regehr, Kamath, Steinke 2024). It is that of a
pair whose loss has the upper tail of `remove`, the lower tail of `add`, and an atom at 0. Self-composition of that
pair bounds T adaptive steps from above. Self-composition of `remove`, or of `add`, bounds them from below:
it is the transcript's law for two datasets (all rows but one without effect; d = 1, or step sizes -> 0 and the row
aligned with the start vector).

One step of DP-VRPCA. The noisy gradient is N(-c x_i x_i^T (v - v~) - c A v~, std^2 I): the full gradient A v~ moves
by up to s / n for every index. Splitting the noise into independent parts of variances theta std^2 and
(1 - theta) std^2 makes the step a function of a subsampled release of sensitivity |v - v~| s <= 2 s and a Gaussian
release of sensitivity s / n, which bounds it from above. For step sizes -> 0 (v = v~) it is a Gaussian release of
sensitivity s / n, which bounds it from below.

How far apart the bounds are. The dominating pair of DP-SPCA takes the worse tail of two pairs, which no single
dataset attains; the bounds meet as s / std -> 0. For n = 100, T = (n std / s)^2 / 4 and delta = 1e-5 the two
epsilons have the ratio 1.25, 1.18, 1.10, 1.05, 1.03 at std / s = 1, 2, 4, 8, 16. Upper bounds do not go below about
1e-28 T. For DP-VRPCA the split lets both parts add up: for large noise the upper bound is that of three times the
Gaussian ratio of the lower one; for small noise the lower bound, which knows no sampled row, is far below.

Numerics. A one-step loss is put on a grid so that the result is a bound: pessimistically by splitting the mass of
each cell between the cell's ends with both probabilities preserved (Doroshenko et al. 2022), optimistically by
merging outcomes with both probabilities preserved until every merged loss lies on the grid (which is
post-processing). Both err by O(grid^2). Composition is one FFT of the exponentially tilted law, so that small deltas
keep their relative accuracy.

Rounding. delta(epsilon) grows with every mass of a one-step loss, with every value of it, and as epsilon falls. So
each rounding error is turned, by an explicit bound, into more mass (`_cell_masses`), mass moved to the next higher
value (the `doubt` of a cell), a lower epsilon (`Loss.slack`) or a factor; the FFT's error enters in the Euclidean
norm (`_delta`). For lower bounds all of this is reversed. What it rests on: IEEE double arithmetic, and relative
errors of at most FUNCTION_ERROR for exp, expm1, log, log1p and log_ndtr, `normal_error` for ndtr and FFT_ERROR for
the FFT, which tests measure against ball arithmetic. Why the margins are enough: proofs_notes/shang2021.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import brentq, minimize_scalar
from scipy.special import log_ndtr, logsumexp, ndtr
from scipy.stats import binom

from dppca.reference.primitives.gaussian import ANALYTIC_MARGIN, ANALYTIC_ROUNDING, profile
from dppca.reference.primitives.inputs import check_count
from dppca.reference.primitives.validation import check_positive

Points: TypeAlias = NDArray[np.float64]

#: Standard deviations of the noise kept on each side of a step; N(0, 1) has mass 2e-28 beyond.
TAIL = 11.0
#: Mass that the composed, tilted law may have outside the FFT's window, as a logarithm.
LOG_OUTSIDE = -46.0
#: Grid cells per standard deviation of a one-step loss, unless `cells` is too small for that.
RESOLUTION = 64.0
#: A largest sum above epsilon by less than this is bounded as it stands.
TINY_EXCESS = 1e-9
#: Largest sensitivity / std: losses of a step beyond exp's range would follow.
RATIO_MAX = 10.0
#: Default bound on the length of the FFT.
CELLS = 2**17
#: Relative error of elementary functions: four units in the last place. For ndtr see `normal_error`.
FUNCTION_ERROR = 2.0**-50
#: Relative error of an FFT in the Euclidean norm, per factor of two in its length: for passes of radix r it is at most
#: ((r + 2) sqrt(r) + 4) 2^-53 per pass (Higham 2002, section 24.1, for r = 2), below 16 per factor of two for r <= 11.
FFT_ERROR = 16.0 * 2.0**-53


@dataclass(frozen=True)
class Bracket:
    """lower <= the smallest delta at this epsilon, over all neighbours and public draws <= upper."""

    epsilon: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Loss:
    """A privacy loss on a grid: mass[j] at start + j step, up to an error `slack`; `infinite` at infinity."""

    start: float
    step: float
    mass: Points
    slack: float
    infinite: float = 0.0

    @property
    def values(self) -> Points:
        """The grid."""
        return np.asarray(self.start + self.step * np.arange(len(self.mass)), dtype=np.float64)


def dp_spca(epsilon: float, n: int, T: int, std: float, sensitivity: float, cells: int = CELLS) -> Bracket:
    """The account of T steps of Algorithm 1.

    Args:
        epsilon: >= 0.
        n: number of rows; one is drawn uniformly in each step.
        T: number of steps.
        std: standard deviation of the noise, per coordinate.
        sensitivity: s, the largest L2 distance between the gradients of two rows.
        cells: bound on the length of the FFT; more cells, a tighter bracket.

    Raises:
        ValueError: an argument outside its range.
    """
    q, r = rate_and_ratio(n, std, sensitivity, -math.inf)
    grid = _grid_step(q, r, check_count("T", T), cells)
    remove = composed_delta(lambda h: merged_loss(q, r, h, "remove"), grid, T, epsilon, 0.0, cells, upper=False)
    add = composed_delta(lambda h: merged_loss(q, r, h, "add"), grid, T, epsilon, 0.0, cells, upper=False)
    return Bracket(epsilon, max(remove, add), dp_spca_upper(epsilon, n, T, std, sensitivity, cells))


def dp_spca_upper(epsilon: float, n: int, T: int, std: float, sensitivity: float, cells: int = CELLS) -> float:
    """The upper bound of `dp_spca` alone, which is the faster one."""
    q, r = rate_and_ratio(n, std, sensitivity, math.inf)
    grid = _grid_step(q, r, check_count("T", T), cells)
    return composed_delta(lambda h: dominating_loss(q, r, h), grid, T, epsilon, 0.0, cells, upper=True)


def dp_vrpca(
    epsilon: float, n: int, steps: int, std: float, sensitivity: float, drift: float = 2.0, cells: int = CELLS
) -> Bracket:
    """The account of Algorithm 2 with `steps` = T m noisy gradients.

    Args:
        epsilon: >= 0.
        n: number of rows; one is drawn uniformly in each step.
        steps: number of noisy gradients in all epochs.
        std: standard deviation of the noise, per coordinate.
        sensitivity: s, the largest L2 change of x x^T V c for orthonormal V when x is replaced.
        drift: a bound on the spectral norm of V - V~; 2 always holds.
        cells: bound on the length of the FFT.

    Raises:
        ValueError: an argument outside its range.
    """
    q, r_full = rate_and_ratio(n, std, (check_positive("drift", drift) + 1.0) * sensitivity, math.inf)
    r_full /= drift + 1.0
    theta = noise_share(drift * r_full, r_full)
    r = drift * r_full / math.sqrt(theta) * (1.0 + FUNCTION_ERROR)
    grid = _grid_step(q, r, check_count("steps", steps), cells)
    mu = math.sqrt(steps) * r_full * q
    mu_split = mu / math.sqrt(1.0 - theta) * (1.0 + FUNCTION_ERROR)
    upper = composed_delta(lambda h: dominating_loss(q, r, h), grid, steps, epsilon, mu_split, cells, upper=True)
    return Bracket(epsilon, profile(epsilon, mu / (1.0 + ANALYTIC_MARGIN + ANALYTIC_ROUNDING / mu)), upper)


def noise_share(r: float, r_full: float) -> float:
    """The share theta of the noise's variance that the sampled row gets; the bound holds for every one.

    r and r_full: sensitivity / std of the sampled row and, times n, of the full gradient. theta minimises the variance
    of the whole loss over q^2 T, exp(r^2 / theta) - 1 + r_full^2 / (1 - theta); for small ratios it is r / (r + r_full).
    """
    least = r / (r + r_full)

    def variance(theta: float) -> float:
        return math.expm1(r * r / theta) + r_full * r_full / (1.0 - theta)

    return float(minimize_scalar(variance, bounds=(least, 1.0), method="bounded").x)


def dp_spca_output_lower(epsilon: float, n: int, T: int, std: float, sensitivity: float) -> float:
    """A lower bound on delta(epsilon) of the final output of Algorithm 1, for d >= 2, k = 1 and step sizes -> 0.

    With step size eta the output is v_0 - eta (I - v_0 v_0^T) (sum of the noisy gradients) + O(eta^2). For
    v_0 = e_1, rows at -45 degrees to it and one row moved to +45 degrees, the gradients differ by s e_2, so
    <output, e_2> / -eta tends to N(K s, T std^2), K the number of times that the row was drawn: Binomial(T, 1/n)
    against 0, up to a shift. The likelihood ratio increases in the observation, so thresholds are the best tests.
    """
    q, r = rate_and_ratio(n, std, sensitivity, -math.inf)
    shift = r / math.sqrt(check_count("T", T))
    hits, log_weights = _binomial(T, q)
    weights = np.exp(log_weights)

    def log_ratio(y: float) -> float:
        return float(logsumexp(log_weights + shift * hits * (y - 0.5 * shift * hits)))

    def threshold(level: float) -> float:
        low, high = -40.0, 40.0 + shift * float(hits[-1])
        if log_ratio(low) >= level:
            return low
        if log_ratio(high) <= level:
            return high
        return float(brentq(lambda y: log_ratio(y) - level, low, high))

    above, below = threshold(epsilon), threshold(-epsilon)
    removed = float(weights @ ndtr(shift * hits - above)) - math.exp(epsilon) * float(ndtr(-above))
    added = float(ndtr(below)) - math.exp(epsilon) * float(weights @ ndtr(below - shift * hits))
    return max(0.0, removed, added)


# --- one step -----------------------------------------------------------------------------------------


def dominating_loss(q: float, r: float, step: float) -> Loss:
    """One step's dominating pair, pessimistic on the grid. q: sampling rate; r: sensitivity / std."""
    top = math.ceil(float(_log_ratio(q, r, np.array(r + TAIL))) / step)
    t = np.asarray(step * np.arange(top + 1), dtype=np.float64)
    cells = _cell_masses(q, r, position(q, r, t))
    # Of a cell's mixture mass M and base mass B, (M e^{-t_j} - B) / (e^{-t_j} - e^{-t_{j+1}}) goes to the upper end.
    low = t[:-1]
    near = low < 1.0
    small = np.minimum(low, 1.0)
    surplus = np.where(near, cells.difference + cells.mixture * np.expm1(-low), cells.mixture * np.exp(-low) - cells.base)
    misplaced = position_error(q, r)
    doubt = np.where(near, cells.difference_error, cells.mixture_error + cells.base_error)
    doubt += cells.mixture_error * small + FUNCTION_ERROR * (4.0 + low) * (np.abs(cells.difference) + cells.mixture * small)
    doubt += 6.0 * misplaced * cells.mixture * np.exp(-low)
    width = -np.exp(-low) * math.expm1(-step)
    mixture, base = cells.mixture + cells.mixture_error, cells.base + cells.base_error
    up = np.clip((surplus + doubt) / width, 0.0, mixture)
    positive = np.zeros(top + 1)
    positive[1:] += up
    positive[:-1] += mixture - up
    # The pair `add` has the base's masses at minus these losses: there the lower end is the worse one.
    negative = np.zeros(top + 1)
    up = np.clip(np.clip((surplus - doubt) / width, 0.0, cells.mixture) * np.exp(-t[1:]), 0.0, base)
    negative[1:] += up
    negative[:-1] += base - up
    rest = _cell_masses(q, r, np.array([float(position(q, r, t[-1:])[0]), math.inf]))
    negative[-1] += float(rest.base[0] + rest.base_error[0])
    middle, middle_error = _normal_masses(np.array([-0.5 * r, 0.5 * r]))
    atom = (1.0 - q) * float(middle[0] + middle_error[0])
    mass = np.concatenate([negative[:0:-1], [negative[0] + atom + positive[0]], positive[1:]])
    infinite = float(rest.mixture[0] + rest.mixture_error[0])
    return Loss(-step * top, step, mass, 2.0 * misplaced, infinite)


def merged_loss(q: float, r: float, step: float, pair: Literal["remove", "add"]) -> Loss:
    """One step's loss of the pair `remove` or `add`, optimistic on a grid.

    The line is cut into a lowest cell, whose loss is the grid's origin l_0, and cells l_j - step/4 .. l_j + 3 step/4,
    whose mean loss is above l_j. From the top down, a fraction of each next lower cell is merged into a cell so that
    its loss becomes l_j: a little more for `remove`, a little less for `add`, whose losses are minus these. Where that
    takes more than there is, the outcome is dropped, which lowers delta too.
    """
    first, origin, keeps_lowest = _lowest_cell(q, r, step)
    top = max(1, math.ceil((float(_log_ratio(q, r, np.array(r + TAIL))) - origin) / step))
    losses = np.asarray(origin + step * np.arange(top + 1), dtype=np.float64)
    cells = _cell_masses(q, r, np.concatenate([[-np.inf, first], position(q, r, losses[1:-1] + 0.75 * step), [np.inf]]))

    def above(losses: Points) -> tuple[Points, Points]:
        """M_j - e^{l_j} B_j, and a bound on its error."""
        growth = np.expm1(losses)
        size = np.abs(cells.difference) + cells.base * np.abs(growth)
        doubt = cells.difference_error + cells.base_error * np.abs(growth) + FUNCTION_ERROR * (4.0 + np.abs(losses)) * size
        return cells.difference - cells.base * growth, doubt

    excess, excess_doubt = above(losses)
    lack, lack_doubt = above(losses + step)  # a cell's, to the next higher grid point; negative
    sign = -1.0 if pair == "remove" else 1.0
    needed = np.maximum(excess + sign * excess_doubt, 0.0)
    room = -lack - sign * lack_doubt
    if not keeps_lowest:
        room[0] = 0.0
    kept = np.ones(top + 1)
    taken = np.zeros(top + 1)
    for j in range(top, 0, -1):
        fraction = kept[j] * needed[j] / room[j - 1] if room[j - 1] > 0.0 else math.inf
        if fraction <= 1.0:
            taken[j] = fraction
            kept[j - 1] = 1.0 - fraction
        else:
            kept[j] = 0.0
    slack = 2.0 * position_error(q, r)
    sure = np.maximum(cells.base - cells.base_error, 0.0)
    if keeps_lowest:  # its loss is the origin but for this
        slack += 2.0 * float((abs(excess[0]) + excess_doubt[0]) / (sure[0] * math.exp(origin)))
    else:
        kept[0] = 0.0
    mass = kept * sure
    mass[1:] += taken[1:] * sure[:-1]
    if pair == "remove":
        return Loss(origin, step, mass * np.exp(losses), slack)
    return Loss(-float(losses[-1]), step, mass[::-1], slack)


def rate_and_ratio(n: int, std: float, sensitivity: float, towards: float) -> tuple[float, float]:
    """1 / n and sensitivity / std, rounded so that bounds, which increase with both, stay bounds."""
    r = check_positive("sensitivity", sensitivity) / check_positive("std", std)
    if r > RATIO_MAX:
        raise ValueError(f"std must be >= {sensitivity / RATIO_MAX!r}, got {std!r}")
    q = 1.0 if check_count("n", n) == 1 else math.nextafter(1.0 / n, towards)
    return q, r * (1.0 + math.copysign(FUNCTION_ERROR, towards))


def _log_ratio(q: float, r: float, x: Points) -> Points:
    """Logarithm of the density of (1 - q) N(0, 1) + q N(r, 1) over that of N(0, 1) at x; increasing in x."""
    y = r * x - 0.5 * r * r
    with np.errstate(divide="ignore"):  # log(1 - q) for q = 1
        far = np.logaddexp(np.log1p(-q), math.log(q) + y)
    return np.asarray(np.where(np.abs(y) < 1.0, np.log1p(q * np.expm1(np.clip(y, -1.0, 1.0))), far))


def position(q: float, r: float, loss: Points) -> Points:
    """The x at which `_log_ratio` is this, up to `position_error`; the loss must be above log(1 - q)."""
    near = np.log1p(np.expm1(np.clip(loss, -1.0, 1.0)) / q, where=np.abs(loss) < 1.0, out=np.zeros_like(loss))
    far = loss - math.log(q) + np.log1p((q - 1.0) * np.exp(-loss), where=np.abs(loss) >= 1.0, out=np.zeros_like(loss))
    return np.asarray((np.where(np.abs(loss) < 1.0, near, far) + 0.5 * r * r) / r)


def position_error(q: float, r: float) -> float:
    """A bound on the difference of a loss and the loss at the float that `position` gives for it."""
    return 2.0 * FUNCTION_ERROR * (2.0 * (r * (r + TAIL) + r * r) + abs(math.log(q)) + 4.0)


@dataclass(frozen=True)
class _Cells:
    """Masses of cells under the mixture and the base N(0, 1), the former minus the latter, and bounds on the errors."""

    mixture: Points
    base: Points
    difference: Points
    mixture_error: Points
    base_error: Points
    difference_error: Points


def _cell_masses(q: float, r: float, edges: Points) -> _Cells:
    base, base_error = _normal_masses(edges)
    shifted, shifted_error = _normal_masses(edges - r)
    return _Cells(
        mixture=(1.0 - q) * base + q * shifted,
        base=base,
        difference=q * (shifted - base),
        mixture_error=(1.0 - q) * base_error + q * shifted_error,
        base_error=base_error,
        difference_error=q * (shifted_error + base_error),
    )


def _normal_masses(edges: Points) -> tuple[Points, Points]:
    """Masses of cells under N(0, 1), as differences of tails, and bounds on their errors."""
    low, high = edges[:-1], edges[1:]
    one, other = np.where(low > 0.0, -low, high), np.where(low > 0.0, -high, low)
    return ndtr(one) - ndtr(other), normal_error(one) * ndtr(one) + normal_error(other) * ndtr(other)


def normal_error(x: Points) -> Points:
    """Relative error of ndtr at x in [-22, 22] (or infinite), x being off by one rounding."""
    return FUNCTION_ERROR * (4.0 + np.minimum(x * x, 500.0))


def _lowest_cell(q: float, r: float, step: float) -> tuple[float, float, bool]:
    """Upper edge of the lowest cell, the grid's origin (3/4 step below the edge's loss), whether that is its loss.

    Where the cell below -TAIL is already wider than that, it is left out.
    """

    def origin(x: float) -> float:
        return float(_log_ratio(q, r, np.array(x))) - 0.75 * step

    def excess(x: float) -> float:
        cell = _cell_masses(q, r, np.array([-np.inf, x]))
        change = float(cell.difference[0] / cell.base[0])
        return origin(x) - (math.log1p(change) if change > -0.5 else math.log(float(cell.mixture[0] / cell.base[0])))

    if excess(-TAIL) >= 0.0:
        return -TAIL, origin(-TAIL), False
    edge = float(brentq(excess, -TAIL, r + TAIL, xtol=1e-14))
    return edge, origin(edge), True


def _grid_step(q: float, r: float, steps: int, cells: int) -> float:
    x = np.linspace(-TAIL, r + TAIL, 4001)
    weights = np.exp(-0.5 * x * x) * (x[1] - x[0]) / math.sqrt(2.0 * math.pi)
    losses = _log_ratio(q, r, x)
    spread = math.sqrt(float(weights @ losses**2))
    width = 24.0 * spread * math.sqrt(steps) + 2.0 * float(losses[-1])
    return max(spread / RESOLUTION, 2.0 * width / cells)


def _binomial(T: int, q: float) -> tuple[Points, Points]:
    """Numbers of hits and the logarithms of their probabilities, where these matter."""
    if q == 1.0:
        return np.array([float(T)]), np.zeros(1)
    reach = 12.0 * math.sqrt(T * q) + 60.0
    hits = np.arange(max(0, math.floor(T * q - reach)), min(T, math.ceil(T * q + reach)) + 1, dtype=np.float64)
    return hits, np.asarray(binom.logpmf(hits, T, q))


# --- composition --------------------------------------------------------------------------------------


def composed_delta(
    one_step: Callable[[float], Loss], grid: float, steps: int, epsilon: float, mu: float, cells: int, *, upper: bool
) -> float:
    """A bound on delta(epsilon) of `steps` copies of a loss and a Gaussian release of ratio mu, from above or below.

    `one_step` puts the loss on a grid of the given width, which is doubled until the FFT has at most `cells` cells.
    """
    if not 0.0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be finite and >= 0, got {epsilon!r}")
    while True:
        loss = one_step(grid)
        infinite = -math.expm1(steps * math.log1p(-loss.infinite)) * (1.0 + 8.0 * FUNCTION_ERROR)
        reach = steps * (float(loss.values[-1]) + loss.slack) * (1.0 + FUNCTION_ERROR)
        if mu == 0.0 and reach <= epsilon + TINY_EXCESS:
            finite = -math.expm1(min(0.0, epsilon - reach)) * (1.0 + 8.0 * FUNCTION_ERROR)
            return finite + infinite if upper else 0.0
        tilted = _tilt(loss, steps, epsilon, mu)
        if tilted.length <= cells:
            found = _delta(tilted, steps, epsilon, mu, upper=upper)
            return min(1.0, found + infinite) if upper else max(0.0, found)
        grid *= 2.0


@dataclass(frozen=True)
class _Tilted:
    """A loss with masses tilted by t: P(l) = exp(K(t) - t l) P_t(l), K the cumulant function of its finite part.

    The sum of the copies is in the window of `length` cells from index `low` on, indices counted from `centre` per
    copy, but for a tilted probability of exp(LOG_OUTSIDE) on each side. `error` bounds the relative error of the masses.
    """

    loss: Loss
    mass: Points
    error: float
    t: float
    cumulant: float
    centre: int
    low: int
    length: int


def _tilt(loss: Loss, steps: int, epsilon: float, mu: float) -> _Tilted:
    """The tilt t >= 0 under which the sum is epsilon on average (or t = 0, where it is more), and a window."""
    support = loss.mass > 0.0
    values, log_mass = loss.values[support], np.log(loss.mass[support])

    def cumulant(t: float) -> float:
        return float(logsumexp(log_mass + t * values))

    def mean_excess(t: float) -> float:
        return steps * float(np.exp(log_mass + t * values - cumulant(t)) @ values) + mu * mu * (t + 0.5) - epsilon

    t = _nonnegative_root(mean_excess)
    mass = np.zeros(len(loss.mass))
    mass[support] = np.exp(log_mass + t * values - cumulant(t))
    error = 4.0 * FUNCTION_ERROR * (2.0 + float(np.max(np.abs(log_mass) + t * np.abs(values))) + abs(cumulant(t)))
    mean = float(mass @ loss.values)
    variance = float(mass @ (loss.values - mean) ** 2)
    # Chernoff bounds, minimised over a few slopes.
    slopes = np.geomspace(1.0, 32.0, 11) / math.sqrt(steps * (variance or loss.step**2))
    below, above = (
        min((steps * (cumulant(t + sign * s) - cumulant(t) - sign * s * mean) + 1.0 - LOG_OUTSIDE) / s for s in slopes)
        for sign in (-1.0, 1.0)
    )
    centre = round((mean - loss.start) / loss.step)
    offset = steps * (mean - loss.start - centre * loss.step)
    low = math.floor((offset - below) / loss.step) - 1
    length = next_fast_len(math.ceil((offset + above) / loss.step) + 2 - low, real=True)
    return _Tilted(loss, mass, error, t, cumulant(t), centre, low, length)


def _delta(tilted: _Tilted, steps: int, epsilon: float, mu: float, *, upper: bool) -> float:
    """E (1 - exp(epsilon - L))_+ over the finite part, the Gaussian part integrated exactly given the sum; a bound.

    It is a sum of the composed, tilted masses times weights; no weight exceeds `scale`, the Chernoff bound of the whole.
    """
    loss, t, length, sign = tilted.loss, tilted.t, tilted.length, 1.0 if upper else -1.0
    ring = np.bincount((np.arange(len(tilted.mass)) - tilted.centre) % length, weights=tilted.mass, minlength=length)
    spectrum = rfft(ring)
    powers = power(spectrum, steps)
    composed = np.roll(irfft(powers, length), -tilted.low)  # entry j: index low + j
    indices = np.arange(length, dtype=np.float64) + tilted.low
    sums = steps * (loss.start + tilted.centre * loss.step) + loss.step * indices
    size = steps * (abs(loss.start) + abs(tilted.centre) * loss.step) + loss.step * float(np.max(np.abs(indices)))
    rounding = 4.0 * 2.0**-53 * size
    level = epsilon - sign * (steps * loss.slack + rounding)
    log_weights = steps * tilted.cumulant - t * sums + _log_tail(level - sums, mu, upper=upper)
    weights = np.exp(log_weights)
    delta = float(composed @ weights)

    # The masses' relative errors, and the weights', are factors.
    exponents = np.abs(log_weights[weights > 0.0]) + abs(steps * tilted.cumulant) + t * np.abs(sums[weights > 0.0])
    factor = steps * tilted.error + t * rounding + 4.0 * FUNCTION_ERROR * (2.0 + float(np.max(exponents, initial=0.0)))
    # The FFT's, that of the powers and that of the sum count in the Euclidean norm.
    fft_error, norm = FFT_ERROR * math.log2(length), float(np.linalg.norm(ring))
    growth = (float(np.sum(ring)) * (1.0 + FUNCTION_ERROR) + fft_error * math.sqrt(length) * norm) ** (steps - 1)
    found = math.sqrt(2.0) * float(np.linalg.norm(powers)) / math.sqrt(length)
    error = steps * growth * fft_error * norm + (3.0 * 2.0**-53 * steps + 2.0 * fft_error) * found
    error *= float(np.linalg.norm(weights))
    error += length * 2.0**-52 * float(np.abs(composed) @ weights)
    scale = math.exp(steps * tilted.cumulant + 0.5 * mu * mu * t * (t + 1.0) - t * level)
    return (delta + sign * (error + 4.0 * scale * math.exp(LOG_OUTSIDE))) * math.exp(sign * factor)


def power(x: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """x^exponent by squaring: relative error at most 3 exponent 2^-53 (Brent, Percival, Zimmermann 2007)."""
    result = np.ones_like(x)
    while True:
        if exponent & 1:
            result = result * x
        exponent >>= 1
        if not exponent:
            return result
        x = x * x


def _nonnegative_root(function: Callable[[float], float]) -> float:
    """The root of an increasing function on [0, inf), 0 where it is positive from the start."""
    if function(0.0) >= 0.0:
        return 0.0
    high = 1.0
    while function(high) < 0.0:
        high *= 2.0
    return float(brentq(function, 0.0, high, xtol=1e-12))


def _log_tail(x: Points, mu: float, *, upper: bool) -> Points:
    """Logarithm of a bound on E (1 - exp(x - G))_+ for the loss G of a Gaussian release of ratio mu; G = 0 for mu = 0."""
    if mu == 0.0:
        return np.log(-np.expm1(np.minimum(x, 0.0)), where=x < 0.0, out=np.full(len(x), -np.inf))
    sign = 1.0 if upper else -1.0
    kept, tail = log_ndtr(0.5 * mu - x / mu), log_ndtr(-0.5 * mu - x / mu)
    error = 8.0 * FUNCTION_ERROR * (np.abs(kept) + np.abs(tail) + np.abs(x) + mu * mu + 1.0)
    gap = np.minimum(x + tail - kept - 2.0 * sign * error, 0.0)
    return np.asarray(kept + sign * error + np.log(-np.expm1(gap), where=gap < 0.0, out=np.full(len(x), -np.inf)))
