"""DP-PCA (liu2022, Algorithm 3, with Algorithms 4 and 5) for many trials at once.

The same quantities as the reference's, line by line, with the trials as the first axis; three things are done otherwise.
Line 5 of Algorithm 4 needs the bin of a subset's top eigenvalue alone, so this is enclosed by traces of powers,

    (tr M^16 / tr M^8)^(1/8) <= lambda_max <= (tr M^16)^(1/16),

and only where that leaves two bins, or rounding might, it is computed as the reference does. A histogram draws noise for
the cells that are occupied, and not for every item. And most gradients' bins are told by their signs alone.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import ArrayLike, NDArray

from reference.liu2022.algorithm_3_dp_pca import DPPCACalibration
from reference.liu2022.algorithm_4_top_eigenvalue import TopEigenvalueCalibration
from reference.liu2022.algorithm_5_mean import LARGEST_BIN, MeanCalibration
from reference.liu2022.data import check_data
from reference.liu2022.private_update import check_step_sizes
from reference.noise import Tape

Array = Any
#: Numbers of a chunk of trials that are held at a time, so that they stay in a processor's cache.
_CHUNK = 1 << 18
#: Relative margin within which an eigenvalue at the edge of a bin is computed as the reference does.
_MARGIN = 1e-5
#: Bound on the rounding of M's entries, in units of the squared norms of the differences that it is made of.
_ROUNDING = 2.0**-46
#: Lengths of Algorithm 5 are those of a group of trials whose eigenvalues differ by less than this factor.
_GROUP = 64.0
#: Above this dimension every eigenvalue is computed.
_LARGEST_FORM = 6
#: Cells are numbered by their place up to this many, and beyond it by their order among those that are occupied.
_MOST_CELLS = 64
#: Below every code of a bin.
_LARGEST_CODE = 1e5
#: Deviations are computed one by one where the bin is further out than this many times the box: rounding would count.
_FARTHEST = 2.0**16


First: TypeAlias = Callable[[], Array]
#: What a histogram asks its noise of: the shape (trials, cells), and the first item of each cell, computed when called.
Noise: TypeAlias = Callable[[tuple[int, ...], First], Array]


class Draws(Protocol):
    """Standard draws of a chunk of trials; each method is called once for its arguments, in the order of the algorithm."""

    @property
    def trials(self) -> int:
        """How many."""

    def of(self, chosen: Array) -> Draws:
        """Those of the trials at these places."""

    def start(self, d: int) -> Array:
        """Line 1: normal, (trials, d)."""

    def eigenvalue(self, t: int, shape: tuple[int, ...], first: First) -> Array:
        """Noise of step t's first histogram: Laplace, (trials, cells)."""

    def bin(self, t: int, j: int, shape: tuple[int, ...], first: First) -> Array:
        """Noise of the histogram of coordinate j: as `eigenvalue`."""

    def mean(self, t: int, d: int) -> Array:
        """Noise of the mean: normal, (trials, d)."""


@dataclass(frozen=True)
class Drawn:
    """Draws from a generator; cells have different first items, so their noise is independent."""

    trials: int
    rng: np.random.Generator

    def of(self, chosen: Array) -> Drawn:
        """As many."""
        return Drawn(chosen.shape[0], self.rng)

    def start(self, d: int) -> Array:
        """Normal."""
        return self.rng.standard_normal((self.trials, d))

    def eigenvalue(self, t: int, shape: tuple[int, ...], first: First) -> Array:  # noqa: ARG002 - one interface
        """Laplace."""
        return self.rng.laplace(size=shape)

    def bin(self, t: int, j: int, shape: tuple[int, ...], first: First) -> Array:  # noqa: ARG002 - one interface
        """Laplace."""
        return self.rng.laplace(size=shape)

    def mean(self, t: int, d: int) -> Array:  # noqa: ARG002 - one interface
        """Normal."""
        return self.rng.standard_normal((self.trials, d))


@dataclass(frozen=True)
class Taped:
    """The draws of the reference's runs, by name; zeros where a run did not come to a draw."""

    tapes: Sequence[Tape]

    @property
    def trials(self) -> int:
        """One a tape."""
        return len(self.tapes)

    def of(self, chosen: Array) -> Taped:
        """Of their tapes."""
        return Taped([self.tapes[int(i)] for i in chosen])

    @cached_property
    def _entries(self) -> list[dict[str, NDArray[np.float64]]]:
        return [{entry.name: np.asarray(entry.draw) for entry in tape.entries} for tape in self.tapes]

    def start(self, d: int) -> Array:
        """As drawn."""
        return np.array([entries.get("w[0]", np.zeros(d)) for entries in self._entries])

    def eigenvalue(self, t: int, shape: tuple[int, ...], first: First) -> Array:  # noqa: ARG002 - one interface
        """As drawn for these items."""
        return self._of_items(f"eigenvalue[{t}]", first())

    def bin(self, t: int, j: int, shape: tuple[int, ...], first: First) -> Array:  # noqa: ARG002 - one interface
        """As drawn for these items."""
        return self._of_items(f"t={t} bin[{j}]", first())

    def mean(self, t: int, d: int) -> Array:
        """As drawn."""
        return np.array([entries.get(f"t={t} mean", np.zeros(d)) for entries in self._entries])

    def _of_items(self, name: str, first: Array) -> Array:
        rows = zip(self._entries, np.asarray(first), strict=True)
        return np.array([entries[name][items] if name in entries else np.zeros(items.shape) for entries, items in rows])


@dataclass(frozen=True)
class DPPCA:
    """Algorithm 3 with the catalogue's arguments."""

    calibration: DPPCACalibration
    step_sizes: tuple[float, ...]

    @classmethod
    def bind(cls, *, step_sizes: ArrayLike, calibrate: Callable[..., DPPCACalibration], choices: Any, **target: Any) -> Self:
        """With the catalogue's arguments."""
        return cls(calibrate(**target, choices=choices), tuple(np.asarray(step_sizes, dtype=float).tolist()))

    def draw(self, data: Any, trials: int, rng: np.random.Generator) -> Draws:  # noqa: ARG002 - one interface
        """What the trials will draw."""
        return Drawn(trials, rng)

    def draws_of(self, data: Any, tapes: Sequence[Tape]) -> Draws:  # noqa: ARG002 - one interface
        """The reference's draws."""
        return Taped(tapes)

    def run(self, data: Any, draws: Draws) -> Array:
        """w_T of every trial, (trials, d)."""
        return self._steps(data)[0](draws)

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> Array:
        """`run` on what is drawn, a chunk of trials at a time."""
        run, chunk = self._steps(data)
        return np.concatenate([run(Drawn(min(chunk, trials - done), rng)) for done in range(0, trials, chunk)])

    def _steps(self, data: Any) -> tuple[Callable[[Draws], Array], int]:
        """The algorithm on these data, prepared for any trials, and how many to run at a time."""
        of = self.calibration
        A = check_data("A", data)
        if A.shape[:2] != (of.n, of.d):
            raise ValueError(f"A must have the calibrated n = {of.n} and d = {of.d}, got {A.shape}")
        eta = check_step_sizes(self.step_sizes, of.T).tolist()
        half = of.B // 2
        halves = [(A[at : at + half], A[at + half : at + 2 * half]) for at in range(0, of.B * of.T, of.B)]
        prepared = [(_TopEigenvalue.of(one, of.eigenvalue), _Mean.of(other, of.mean)) for one, other in halves]

        def run(draws: Draws) -> Array:
            w = draws.start(of.d)  # line 1
            xp = array_namespace(w)
            w = _normalised(w)
            for t, (top_eigenvalue, mean) in enumerate(prepared, start=1):  # line 2
                Lambda = top_eigenvalue(w, functools.partial(draws.eigenvalue, t))  # line 3
                for chosen in _groups(Lambda):
                    at = xp.nonzero(chosen)[0]
                    g_hat, found = mean(w[chosen], of.handed_on * Lambda[chosen], draws.of(at), t)  # line 4
                    w[chosen] = _normalised(w[chosen] + xp.where(found[:, None], eta[t - 1] * g_hat, 0.0))  # line 5
            return w  # line 6

        entries = of.d * (of.d + 1) // 2
        most = max(max(len(mean.records), entries * len(top.size)) for top, mean in prepared)
        return run, max(1, _CHUNK // most)


def _groups(Lambda: Array) -> Iterator[Array]:
    """The trials with Lambda_hat > 0, by its size: those of a group differ by less than a factor _GROUP."""
    xp = array_namespace(Lambda)
    positive = Lambda > 0.0
    if not bool(xp.any(positive)):
        return
    size = xp.where(positive, xp.floor(xp.log2(xp.where(positive, Lambda, 1.0)) / math.log2(_GROUP)), -math.inf)
    for one in xp.unique_values(size[positive]):
        yield size == one


def _normalised(w: Array) -> Array:
    """w / ||w||, squares in range; ValueError for a w that is 0 or not finite."""
    xp = array_namespace(w)
    largest = xp.max(xp.abs(w), axis=1)
    if not bool(xp.all((largest > 0.0) & (largest < math.inf))):
        raise ValueError("an iterate must be finite and not 0")
    scaled = w * xp.exp2(-xp.floor(xp.log2(largest)))[:, None] if hasattr(xp, "exp2") else w / largest[:, None]
    return scaled / xp.sqrt(xp.sum(scaled * scaled, axis=1))[:, None]


# --- histograms ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Items:
    """What equal items were put together to: how often each counts, and its first place among those before; None: nothing."""

    multiplicity: NDArray[np.float64] | None = None
    first: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, records: NDArray[np.float64]) -> tuple[Self, NDArray[np.int64]]:
        """Equal records put together, and the places of those that are kept, in order: the first of each kind."""
        _, first, counts = np.unique(records.reshape(len(records), -1), axis=0, return_index=True, return_counts=True)
        order = np.argsort(first)
        kept = first[order].astype(np.int64)
        return (cls() if len(kept) == len(records) else cls(counts[order].astype(float), kept)), kept

    def weights(self, size: int) -> NDArray[np.float64]:
        """How often each of so many items counts."""
        return np.ones(size) if self.multiplicity is None else self.multiplicity

    def first_of(self, place: Array) -> Array:
        """The first place, among the items as they were, of items at these."""
        xp = array_namespace(place)
        if self.first is None:
            return place
        return xp.reshape(xp.take(xp.asarray(self.first), xp.reshape(place, (-1,))), place.shape)


@dataclass(frozen=True)
class _Cells:
    """The cells of a histogram: coordinates and counts, (trials, cells), and the first item of each, computed when called.

    A cell whose count is 0 is not occupied.
    """

    values: Array
    counts: Array
    first: First


def _cells(codes: Array, items: _Items) -> _Cells:
    """The cells of items with these codes, integers as floats, (trials, items)."""
    xp = array_namespace(codes)
    weights = xp.asarray(items.weights(codes.shape[1]))
    low = xp.min(codes, axis=1)[:, None]
    span = float(xp.max(codes - low)) + 1.0
    if span > _MOST_CELLS:
        return _scattered_cells(codes, items, weights)
    offsets = xp.astype(codes - low, xp.int8)
    cells = range(int(span))

    def first() -> Array:
        return items.first_of(xp.stack([xp.argmax(xp.astype(offsets == cell, xp.int8), axis=1) for cell in cells], axis=1))

    return _Cells(
        low + xp.asarray([float(cell) for cell in cells]),
        xp.stack([xp.matmul(xp.astype(offsets == cell, xp.float64), weights) for cell in cells], axis=1),
        first,
    )


def _scattered_cells(codes: Array, items: _Items, weights: Array) -> _Cells:
    """The same where cells lie far apart: they are numbered by their order among those of the trial."""
    xp = array_namespace(codes)
    place = xp.argsort(codes, axis=1, stable=True)
    codes = xp.take_along_axis(codes, place, axis=1)
    new = xp.astype(codes[:, 1:] != codes[:, :-1], xp.int64)
    number = xp.concat([xp.zeros_like(new[:, :1]), xp.cumulative_sum(new, axis=1)], axis=1)
    weights = xp.reshape(xp.take(weights, xp.reshape(place, (-1,))), place.shape)
    cells = range(int(xp.max(number)) + 1)
    at = xp.stack([xp.argmax(xp.astype(number == cell, xp.int8), axis=1) for cell in cells], axis=1)
    counts = xp.stack([xp.sum(xp.where(number == cell, weights, 0.0), axis=1) for cell in cells], axis=1)
    return _Cells(xp.take_along_axis(codes, at, axis=1), counts, lambda: items.first_of(xp.take_along_axis(place, at, axis=1)))


def _winner(cells: _Cells, noise: Noise, scale: float, threshold: float) -> tuple[Array, Array]:
    """The cell with the largest noisy count above the threshold, (trials,), and whether there is one."""
    xp = array_namespace(cells.counts)
    noisy = cells.counts + scale * noise(cells.counts.shape, cells.first)
    shown = xp.where((cells.counts > 0.0) & (noisy > threshold), noisy, -math.inf)
    best = xp.argmax(shown, axis=1)[:, None]
    return xp.take_along_axis(cells.values, best, axis=1)[:, 0], xp.max(shown, axis=1) > -math.inf


# --- Algorithm 4 --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TopEigenvalue:
    """Algorithm 4 on the gradients A_i w of one half of a batch, for many w.

    With m = d (d + 1) / 2 entries of a symmetric matrix: `form` (m, m, k) maps the products w_c w_d to the entries of
    M_j = G_j G_j^T; None where d is too large for that. `differences` (k, b, d, d); `size` (k,), their squared norms.
    Equal subsets count as one, so k is what is left of them.
    """

    calibration: TopEigenvalueCalibration
    items: _Items
    differences: NDArray[np.float64]
    size: NDArray[np.float64]
    form: NDArray[np.float64] | None

    @classmethod
    def of(cls, A: NDArray[np.float64], calibration: TopEigenvalueCalibration) -> Self:
        """Prepared for the records of this half."""
        k, b = calibration.k, calibration.b
        matrices = A if A.ndim == 3 else A[:, :, np.newaxis] * A[:, np.newaxis, :]
        d = matrices.shape[1]
        D = (matrices[1::2] - matrices[: len(A) - 1 : 2])[: k * b].reshape(k, b, d, d)  # lines 1 and 2
        items, kept = _Items.of(D)
        D = D[kept]
        size = np.sum(D * D, axis=(1, 2, 3))
        if d > _LARGEST_FORM:
            return cls(calibration, items, D, size, None)
        rows, columns = np.triu_indices(d)
        full = np.einsum("kbac,kbed->aecdk", D, D, optimize=True)[rows, columns]  # M_j[a, e] = sum over c, d of w_c w_d
        form = full[:, rows, columns] + np.where(rows != columns, 1.0, 0.0)[:, np.newaxis] * full[:, columns, rows]
        return cls(calibration, items, D, size, np.ascontiguousarray(form.transpose(1, 0, 2)))

    def __call__(self, w: Array, noise: Noise) -> Array:
        """Lambda_hat of every trial, (trials,); -1 for bottom."""
        xp = array_namespace(w)
        codes = self._codes(w)
        is_zero = codes == -math.inf
        above = xp.max(xp.where(is_zero, -_LARGEST_CODE, codes), axis=1) + 1.0  # the bin {0} comes after all others
        cells = _cells(xp.where(is_zero, above[:, None], codes), self.items)
        code, found = _winner(cells, noise, self.calibration.scale, self.calibration.threshold)  # lines 6 and 8
        code = xp.where(code == above, -math.inf, code)
        return xp.where(found, 2.0 ** (code / 4.0), -1.0)  # lines 7 and 9

    def _codes(self, w: Array) -> Array:
        """The bins i of the subsets' eigenvalues, (trials, k); -inf for the bin {0}."""
        xp = array_namespace(w)
        codes = xp.zeros((w.shape[0], len(self.size)), dtype=xp.float64)
        decided = xp.zeros(codes.shape, dtype=xp.bool)
        if self.form is not None:
            low, high = self._enclosures(w)
            codes, decided = low, low == high
        codes = xp.where(xp.asarray(self.size) == 0.0, -math.inf, codes)
        decided = decided | (xp.asarray(self.size) == 0.0)
        if bool(xp.all(decided)):
            return codes
        trial, subset = xp.nonzero(~decided)
        G = xp.matmul(xp.take(xp.asarray(self.differences), subset, axis=0), xp.take(w, trial, axis=0)[:, None, :, None])
        top = xp.max(xp.linalg.svdvals(G[..., 0]), axis=1) ** 2 / self.calibration.divisor  # line 4
        codes[~decided] = xp.where(top > 0.0, xp.floor(4.0 * xp.log2(xp.where(top > 0.0, top, 1.0))), -math.inf)  # line 5
        return codes

    def _enclosures(self, w: Array) -> tuple[Array, Array]:
        """The lowest and the highest bin that an eigenvalue may have; different ones too where rounding is too large."""
        xp = array_namespace(w)
        if self.form is None:
            raise TypeError("enclosures need the quadratic form")
        d, m = w.shape[1], len(self.form)
        products = xp.stack([w[:, c] * w[:, e] for c in range(d) for e in range(c, d)], axis=1)
        flat = xp.matmul(products, xp.asarray(np.reshape(self.form, (m, -1))))
        entries = iter(xp.unstack(xp.reshape(flat, (w.shape[0], m, -1)), axis=1))
        M = {(a, e): next(entries) for a in range(d) for e in range(a, d)}
        trace = _sum(M[a, a] for a in range(d))
        usable = trace > _MARGIN * xp.asarray(self.size)
        scale = xp.where(usable, 1.0 / xp.where(usable, trace, 1.0), 0.0)
        M = {at: xp.astype(entry * scale, xp.float32) for at, entry in M.items()}  # their rounding is within the margin
        if self.calibration.b == 1:  # rank 1: the trace is the eigenvalue
            upper = lower = xp.zeros_like(trace)
        else:
            M4 = _squared(_squared(M, d), d)
            log_8 = xp.log2(xp.where(usable, _norm2(M4), 1.0))
            log_16 = xp.log2(xp.where(usable, _norm2(_squared(M4, d)), 1.0))
            lower, upper = (log_16 - log_8) / 8.0, log_16 / 16.0
        unit = xp.log2(xp.where(usable, trace, 1.0)) - math.log2(self.calibration.divisor)
        margin = 2.0 * (_MARGIN + d * _ROUNDING * xp.asarray(self.size) * scale)
        low = xp.floor(4.0 * (lower + unit - margin))
        high = xp.floor(4.0 * (upper + unit + margin))
        return low, xp.where(usable, high, low + 1.0)


def _squared(M: dict[tuple[int, int], Array], d: int) -> dict[tuple[int, int], Array]:
    """The upper triangle of M^2, by entries."""
    return {
        (a, e): _sum(M[min(a, c), max(a, c)] * M[min(c, e), max(c, e)] for c in range(d)) for a in range(d) for e in range(a, d)
    }


def _norm2(M: dict[tuple[int, int], Array]) -> Array:
    """The squared Frobenius norm."""
    return _sum((1.0 if a == e else 2.0) * entry * entry for (a, e), entry in M.items())


def _sum(terms: Iterable[Array]) -> Array:
    return functools.reduce(operator.add, terms)


# --- Algorithm 5 --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Mean:
    """Algorithm 5 on the gradients A_i w of the other half of a batch, for many w; equal records once.

    The j-th entry of a gradient is c_ij w; |w| = 1, so where |c_ij| < tau its bin is (-tau, 0] or (0, tau] and its sign says
    which. `rows[j]` (items, d) holds c_ij, `lengths` (d, items) their norms, `average` (d, d) their mean over the records.
    Of rows x_i, c_ij = x_ij x_i, and the sign is that of x_ij times that of x_i w.
    """

    calibration: MeanCalibration
    records: NDArray[np.float64]
    items: _Items
    rows: NDArray[np.float64]
    lengths: NDArray[np.float64]
    average: NDArray[np.float64]

    @classmethod
    def of(cls, A: NDArray[np.float64], calibration: MeanCalibration) -> Self:
        """Prepared for the records of this half."""
        items, kept = _Items.of(A)
        records = A[kept]
        matrices = records if A.ndim == 3 else records[:, :, np.newaxis] * records[:, np.newaxis, :]
        rows = np.ascontiguousarray(matrices.transpose(1, 0, 2))
        average = np.einsum("i,jic->jc", items.weights(len(records)), rows) / len(A)
        return cls(calibration, records, items, rows, np.linalg.norm(rows, axis=2), average)

    def __call__(self, w: Array, eigenvalue: Array, draws: Draws, t: int) -> tuple[Array, Array]:
        """mu_hat, (trials, d), and whether no coordinate gave bottom, (trials,); the eigenvalues are > 0."""
        of, xp = self.calibration, array_namespace(w)
        unit = xp.sqrt(eigenvalue)
        tau, radius = of.tau * unit, of.radius * unit  # lines 2 and 8
        signs = self._signs(w)
        found = xp.ones(w.shape[0], dtype=xp.bool)
        g_bar, mu = [], []
        for j in range(of.d):  # line 3
            cells = self._histogram(j, w, tau, signs)  # line 4
            code, some = _winner(cells, functools.partial(draws.bin, t, j + 1), of.scale, of.threshold)  # line 5
            found = found & some
            left = xp.where(some, code, 0.0) * tau  # lines 6 and 7
            g_bar.append(left)
            mu.append(self._mean_deviation(j, w, left, radius))  # lines 8 and 10
        released = xp.stack(mu, axis=1) + (of.std * unit)[:, None] * draws.mean(t, of.d)  # line 10
        return xp.stack(g_bar, axis=1) + released, found  # line 11

    def _gradients(self, j: int, w: Array, chosen: NDArray[np.bool_] | slice = slice(None)) -> Array:
        """The j-th entries of the chosen gradients, (trials, items)."""
        xp = array_namespace(w)
        records = self.records[chosen]
        if records.ndim == 2:
            return xp.matmul(w, xp.asarray(records.T)) * xp.asarray(records[:, j])
        return xp.matmul(w, xp.asarray(records[:, j].T))

    def _signs(self, w: Array) -> Array | None:
        """Whether x_i w is above 0, and whether it is below, (trials, items) beside each other; None for matrices."""
        if self.records.ndim == 3:
            return None
        xp = array_namespace(w)
        products = xp.matmul(w, xp.asarray(self.records.T))
        return xp.concat([xp.astype(products > 0.0, xp.float32), xp.astype(products < 0.0, xp.float32)], axis=1)

    def _histogram(self, j: int, w: Array, tau: Array, signs: Array | None) -> _Cells:
        """Line 4 for coordinate j."""
        xp = array_namespace(w)
        long = self.lengths[j] >= float(xp.min(tau)) * (1.0 - _MARGIN)
        if 4 * np.count_nonzero(long) > 3 * len(long):
            return _cells(self._bins(self._gradients(j, w), tau), self.items)
        weight = np.where(long, 0.0, self.items.weights(len(self.records)))
        if signs is None:
            above = xp.matmul(xp.astype(self._gradients(j, w) > 0.0, xp.float32), xp.asarray(weight.astype(np.float32)))
        else:
            entry = self.records[:, j]
            both = np.concatenate([np.where(entry > 0.0, weight, 0.0), np.where(entry < 0.0, weight, 0.0)])
            above = xp.matmul(signs, xp.asarray(both.astype(np.float32)))
        above = xp.astype(above, xp.float64)
        counts = {-1: float(weight.sum()) - above, 0: above}
        if long.any():
            bins = self._bins(self._gradients(j, w, long), tau)
            low, high = int(xp.min(bins)), int(xp.max(bins))
            if high - low >= _MOST_CELLS:
                return _cells(self._bins(self._gradients(j, w), tau), self.items)
            weights = xp.asarray(self.items.weights(len(self.records))[long])
            for cell in range(low, high + 1):
                held = xp.astype(bins == float(cell), xp.float64)
                counts[cell] = counts.get(cell, 0.0) + xp.matmul(held, weights)
        values = sorted(counts)

        def first() -> Array:
            found = self._bins(self._gradients(j, w), tau)
            places = [xp.argmax(xp.astype(found == float(value), xp.int8), axis=1) for value in values]
            return self.items.first_of(xp.stack(places, axis=1))

        shape = (w.shape[0], len(values))
        return _Cells(
            xp.broadcast_to(xp.asarray(values, dtype=xp.float64)[None, :], shape),
            xp.stack([counts[value] for value in values], axis=1),
            first,
        )

    def _bins(self, g: Array, tau: Array) -> Array:
        xp = array_namespace(g)
        return xp.clip(xp.ceil(g / tau[:, None]) - 1.0, -LARGEST_BIN, LARGEST_BIN)

    def _mean_deviation(self, j: int, w: Array, left: Array, radius: Array) -> Array:
        """The mean of the deviations from g_bar, truncated: of all, and what truncation changes about the few that it may."""
        xp = array_namespace(w)
        farthest = float(xp.max(xp.abs(left)))
        if farthest > _FARTHEST * float(xp.min(radius)):
            deviations = xp.clip(self._gradients(j, w) - left[:, None], -radius[:, None], radius[:, None])
            return xp.matmul(deviations, xp.asarray(self.items.weights(len(self.records)))) / self.calibration.B
        mean = xp.matmul(w, xp.asarray(self.average[j])) - left
        long = self.lengths[j] + farthest >= float(xp.min(radius)) * (1.0 - _MARGIN)
        if not long.any():
            return mean
        deviations = self._gradients(j, w, long) - left[:, None]
        lost = deviations - xp.clip(deviations, -radius[:, None], radius[:, None])
        return mean - xp.matmul(lost, xp.asarray(self.items.weights(len(self.records))[long])) / self.calibration.B
