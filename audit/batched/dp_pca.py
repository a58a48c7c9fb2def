"""DP-PCA (liu2022, Algorithm 3, with Algorithms 4 and 5) for many trials at once.

The same quantities as the reference's, line by line, with the trials as the first axis; three things are done otherwise.
Line 5 of Algorithm 4 needs the bin of a subset's top eigenvalue alone, so this is enclosed by traces of powers, and only
where that leaves two bins, or rounding might, it is computed as the reference does. A histogram draws noise for the cells
that are occupied, and not for every item. And most gradients' bins are told by their signs alone, in single precision
where that is sure.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import ArrayLike, NDArray

from dppca.reference.liu2022.algorithm_3_dp_pca import DPPCACalibration
from dppca.reference.liu2022.algorithm_4_top_eigenvalue import TopEigenvalueCalibration
from dppca.reference.liu2022.algorithm_5_mean import LARGEST_BIN, MeanCalibration
from dppca.reference.liu2022.data import check_data
from dppca.reference.noise import Tape
from dppca.reference.rigour.validation import check_step_sizes

Array = Any
#: Numbers of a chunk of trials that are held at a time, so that they stay in a processor's cache.
_CHUNK = 1 << 18
#: Relative margin for rounding where lengths are compared.
_MARGIN = 1e-5
#: Bound on the rounding of M's entries in single precision, in units of the squared norms of the differences behind it:
#: at most 25 roundings, of 21 products and of what they are made of.
_ROUNDING = 2.0**-19
#: An M whose trace is smaller than this, in units of those squared norms, is not enclosed.
_SMALLEST_TRACE = 2.0**-10
#: Lengths of Algorithm 5 are those of a group of trials whose eigenvalues differ by less than this factor,
_GROUP = 2.0
#: or by more where a group would be this many times smaller than it may be.
_FEW = 8
#: Trials that are grouped at a time.
_BATCH = 1 << 14
#: Above this dimension every eigenvalue is computed.
_LARGEST_FORM = 6
#: Cells are numbered by their place up to this many, and beyond it by their order among those that are occupied.
_MOST_CELLS = 64
#: Below every code of a bin.
_LARGEST_CODE = 1e5
#: Place of the bin {0}, the pair (0, 1), among the pairs (i, 0).
_ZERO = 0.5
#: Lengths whose squares underflow, or nearly.
_TINY = 2.0**-900
#: Single precision counts exactly below this.
_MOST_COUNTED = 2.0**24
#: Deviations are computed one by one where the bin is further out than this many times the box: rounding would count.
_FARTHEST = 2.0**16


@dataclass(frozen=True)
class _Precision:
    """The precision with which an eigenvalue is enclosed: by tr M^s and tr M^2s, s = 2^(squarings + 1).

    More than rounding changes: `slack` about q = tr M^2s, in units of (tr M^s)^2, and `margin` about the bounds' log2.
    """

    squarings: int
    slack: float
    margin: float


_SINGLE = _Precision(squarings=1, slack=1e-4, margin=3e-5)
_DOUBLE = _Precision(squarings=3, slack=1e-10, margin=1e-9)

First: TypeAlias = Callable[[], Array]
#: What a histogram asks its noise of: the shape (trials, cells), and the first item of each cell, computed when called.
Noise: TypeAlias = Callable[[tuple[int, ...], First], Array]


class DPPCADraws(Protocol):
    """The standard draws of a chunk of trials; each method is called once for its arguments, in the order of the algorithm."""

    @property
    def trials(self) -> int:
        """Return the number of trials."""

    def of(self, chosen: Array) -> DPPCADraws:
        """Return the draws of the trials at these places."""

    def start(self, d: int) -> Array:
        """Return the normal draws of line 1, shape (trials, d)."""

    def eigenvalue(self, t: int, shape: tuple[int, ...], first: First) -> Array:
        """Return the Laplace draws of step t's histogram of eigenvalues, shape (trials, cells)."""

    def bin(self, t: int, j: int, shape: tuple[int, ...], first: First) -> Array:
        """Return the Laplace draws of step t's histogram of coordinate j, shape (trials, cells)."""

    def mean(self, t: int, d: int) -> Array:
        """Return the normal draws of step t's mean, shape (trials, d)."""


@dataclass(frozen=True)
class GeneratorDraws:
    """Draws that come from a generator; cells have different first items, so their noise is independent."""

    trials: int
    rng: np.random.Generator

    def of(self, chosen: Array) -> GeneratorDraws:
        """Return draws from the same generator for as many trials as there are places."""
        return GeneratorDraws(chosen.shape[0], self.rng)

    def start(self, d: int) -> Array:
        """Return the normal draws of line 1, shape (trials, d)."""
        return self.rng.standard_normal((self.trials, d))

    def eigenvalue(self, t: int, shape: tuple[int, ...], first: First) -> Array:  # noqa: ARG002 - one interface
        """Return the Laplace draws of step t's histogram of eigenvalues, shape (trials, cells)."""
        return self.rng.laplace(size=shape)

    def bin(self, t: int, j: int, shape: tuple[int, ...], first: First) -> Array:  # noqa: ARG002 - one interface
        """Return the Laplace draws of step t's histogram of coordinate j, shape (trials, cells)."""
        return self.rng.laplace(size=shape)

    def mean(self, t: int, d: int) -> Array:  # noqa: ARG002 - one interface
        """Return the normal draws of step t's mean, shape (trials, d)."""
        return self.rng.standard_normal((self.trials, d))


@dataclass(frozen=True)
class Taped:
    """Draws that are those of the reference's runs, by name; zeros where a run did not come to a draw."""

    tapes: Sequence[Tape]

    @property
    def trials(self) -> int:
        """Return the number of trials, one a tape."""
        return len(self.tapes)

    def of(self, chosen: Array) -> Taped:
        """Return the draws of the tapes at these places."""
        return Taped([self.tapes[int(i)] for i in chosen])

    @cached_property
    def _entries(self) -> list[dict[str, NDArray[np.float64]]]:
        return [{entry.name: np.asarray(entry.draw) for entry in tape.entries} for tape in self.tapes]

    def start(self, d: int) -> Array:
        """Return the normal draws of line 1 on the tapes, shape (trials, d)."""
        return np.array([entries.get("w[0]", np.zeros(d)) for entries in self._entries])

    def eigenvalue(self, t: int, shape: tuple[int, ...], first: First) -> Array:  # noqa: ARG002 - one interface
        """Return the tapes' Laplace draws of these first items in step t's histogram of eigenvalues, (trials, cells)."""
        return self._of_items(f"eigenvalue[{t}]", first())

    def bin(self, t: int, j: int, shape: tuple[int, ...], first: First) -> Array:  # noqa: ARG002 - one interface
        """Return the tapes' Laplace draws of these first items in step t's histogram of coordinate j, (trials, cells)."""
        return self._of_items(f"t={t} bin[{j}]", first())

    def mean(self, t: int, d: int) -> Array:
        """Return the tapes' normal draws of step t's mean, shape (trials, d)."""
        return np.array([entries.get(f"t={t} mean", np.zeros(d)) for entries in self._entries])

    def _of_items(self, name: str, first: Array) -> Array:
        rows = zip(self._entries, np.asarray(first), strict=True)
        return np.array([entries[name][items] if name in entries else np.zeros(items.shape) for entries, items in rows])


@dataclass(frozen=True)
class DPPCA:
    """A batched implementation of liu2022, Algorithm 3, with the catalogue's arguments."""

    calibration: DPPCACalibration
    step_sizes: tuple[float, ...]

    @classmethod
    def bind(cls, *, step_sizes: ArrayLike, calibrate: Callable[..., DPPCACalibration], choices: Any, **target: Any) -> Self:
        """Return the implementation, calibrated with the catalogue's arguments."""
        return cls(calibrate(**target, choices=choices), tuple(np.asarray(step_sizes, dtype=float).tolist()))

    def draw(self, data: Any, trials: int, rng: np.random.Generator) -> DPPCADraws:  # noqa: ARG002 - one interface
        """Return the draws that the trials will ask for."""
        return GeneratorDraws(trials, rng)

    def draws_of(self, data: Any, tapes: Sequence[Tape]) -> DPPCADraws:  # noqa: ARG002 - one interface
        """Return the draws of the reference's tapes."""
        return Taped(tapes)

    def run(self, data: Any, draws: DPPCADraws) -> Array:
        """Return w_T of every trial, shape (trials, d)."""
        return self._steps(data)(draws)

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> Array:
        """Return `run` on fresh draws, taken a batch of trials at a time."""
        run = self._steps(data)
        return np.concatenate([run(GeneratorDraws(min(_BATCH, trials - done), rng)) for done in range(0, trials, _BATCH)])

    def _steps(self, data: Any) -> Callable[[DPPCADraws], Array]:
        """Return the algorithm on these data, prepared for any trials."""
        of = self.calibration
        A = check_data("A", data)
        if A.shape[:2] != (of.n, of.d):
            raise ValueError(f"A must have the calibrated n = {of.n} and d = {of.d}, got {A.shape}")
        eta = check_step_sizes(self.step_sizes, of.T).tolist()
        half = of.B // 2
        halves = [(A[at : at + half], A[at + half : at + 2 * half]) for at in range(0, of.B * of.T, of.B)]
        prepared = [(_TopEigenvalue.of(one, of.eigenvalue), _Mean.of(other, of.mean)) for one, other in halves]

        def run(draws: DPPCADraws) -> Array:
            w = draws.start(of.d)  # line 1
            xp = array_namespace(w)
            w = normalised(w)
            place = xp.arange(w.shape[0])
            for t, (top_eigenvalue, mean) in enumerate(prepared, start=1):  # line 2
                Lambda = top_eigenvalue(w, functools.partial(draws.eigenvalue, t))  # line 3
                order = xp.argsort(Lambda)  # trials of like Lambda_hat beside each other
                w, Lambda, place, draws = xp.take(w, order, axis=0), Lambda[order], place[order], draws.of(order)
                steps = []
                for c in _groups(Lambda, 4 * _CHUNK // len(mean.records)):
                    if float(Lambda[c.start]) > 0.0:
                        g_hat, found = mean(
                            w[c, :], of.handed_on * Lambda[c], draws.of(xp.arange(c.start, c.stop)), t
                        )  # line 4
                        steps.append(normalised(w[c, :] + xp.where(found[:, None], eta[t - 1] * g_hat, 0.0)))  # line 5
                    else:
                        steps.append(w[c, :])
                w = xp.concat(steps)
            return xp.take(w, xp.argsort(place), axis=0)  # line 6

        return run


def _groups(Lambda: Array, most: int) -> Iterator[slice]:
    """Yield the places of trials by Lambda_hat, at most so many a group: all <= 0, or of like size unless these are few."""
    xp = array_namespace(Lambda)
    values = xp.unique_values(Lambda)
    ends = [int(end) for end in xp.searchsorted(Lambda, values, side="right")]
    bounds, group = [0], -math.inf
    for value, begin in zip(values, [0, *ends], strict=False):
        size = math.floor(math.log(float(value), _GROUP)) if float(value) > 0.0 else -math.inf
        if size != group and (group == -math.inf or begin - bounds[-1] >= most / _FEW):
            bounds.append(begin)
            group = size
    for start, end in itertools.pairwise([*bounds, Lambda.shape[0]]):
        yield from _slices(start, end, most)


def _slices(start: int, end: int, most: int) -> Iterator[slice]:
    """Return slices that cover a range in order, each of at most so many elements."""
    return (slice(at, min(at + max(1, most), end)) for at in range(start, end, max(1, most)))


def normalised(w: Array) -> Array:
    """Return w / ||w||, squares in range; ValueError for a w that is 0 or not finite."""
    xp = array_namespace(w)
    largest = xp.max(xp.abs(w), axis=1)
    if not bool(xp.all((largest > 0.0) & (largest < math.inf))):
        raise ValueError("an iterate must be finite and not 0")
    scaled = w * xp.exp2(-xp.floor(xp.log2(largest)))[:, None] if hasattr(xp, "exp2") else w / largest[:, None]
    return scaled / xp.sqrt(xp.sum(scaled * scaled, axis=1))[:, None]


# --- histograms ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Items:
    """The multiplicities of equal items that were put together, and each one's first place before; None where none were."""

    multiplicity: NDArray[np.float64] | None = None
    first: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, records: NDArray[np.float64]) -> tuple[Self, NDArray[np.int64]]:
        """Return equal records put together, and the places of those that are kept, in order: the first of each kind."""
        _, first, counts = np.unique(records.reshape(len(records), -1), axis=0, return_index=True, return_counts=True)
        order = np.argsort(first)
        kept = first[order].astype(np.int64)
        return (cls() if len(kept) == len(records) else cls(counts[order].astype(float), kept)), kept

    def weights(self, size: int) -> NDArray[np.float64]:
        """Return the multiplicity of each of so many items."""
        return np.ones(size) if self.multiplicity is None else self.multiplicity

    def first_of(self, place: Array) -> Array:
        """Return the first place, among the items as they were, of items at these."""
        xp = array_namespace(place)
        if self.first is None:
            return place
        return xp.reshape(xp.take(xp.asarray(self.first), xp.reshape(place, (-1,))), place.shape)


@dataclass(frozen=True)
class _Cells:
    """The cells of histograms: coordinates and counts, (trials, cells), and the first item of each, computed when called.

    A cell whose count is 0 is not occupied.
    """

    values: Array
    counts: Array
    first: First


def _cells(codes: Array, items: _Items) -> _Cells:
    """Return the cells of items with these codes, integers as floats, (trials, items)."""
    xp = array_namespace(codes)
    weights = xp.asarray(items.weights(codes.shape[1]))
    low = xp.min(codes, axis=1)[:, None]
    span = float(xp.max(codes - low)) + 1.0
    if span > _MOST_CELLS:
        return _scattered_cells(codes, items, weights)
    offsets = xp.astype(codes - low, xp.int8)
    cells = range(int(span))
    kind = _counting(xp, float(xp.sum(weights)))
    weights = xp.astype(weights, kind)

    def first() -> Array:
        return items.first_of(xp.stack([xp.argmax(xp.astype(offsets == cell, xp.int8), axis=1) for cell in cells], axis=1))

    return _Cells(
        xp.astype(low, xp.float64) + xp.asarray([float(cell) for cell in cells]),
        xp.astype(xp.stack([xp.matmul(xp.astype(offsets == cell, kind), weights) for cell in cells], axis=1), xp.float64),
        first,
    )


def _counting(xp: Any, most: float) -> Any:
    """Return a type that counts so far exactly."""
    return xp.float32 if most < _MOST_COUNTED else xp.float64


def _scattered_cells(codes: Array, items: _Items, weights: Array) -> _Cells:
    """Return `_cells` where cells lie far apart: they are numbered by their order among those of the trial."""
    xp = array_namespace(codes)
    place = xp.argsort(codes, axis=1, stable=True)
    codes = xp.take_along_axis(codes, place, axis=1)
    new = xp.astype(codes[:, 1:] != codes[:, :-1], xp.int64)
    number = xp.concat([xp.zeros_like(new[:, :1]), xp.cumulative_sum(new, axis=1)], axis=1)
    weights = xp.reshape(xp.take(weights, xp.reshape(place, (-1,))), place.shape)
    cells = range(int(xp.max(number)) + 1)
    at = xp.stack([xp.argmax(xp.astype(number == cell, xp.int8), axis=1) for cell in cells], axis=1)
    counts = xp.stack([xp.sum(xp.where(number == cell, weights, 0.0), axis=1) for cell in cells], axis=1)
    return _Cells(
        xp.astype(xp.take_along_axis(codes, at, axis=1), xp.float64),
        counts,
        lambda: items.first_of(xp.take_along_axis(place, at, axis=1)),
    )


def _winner(cells: _Cells, noise: Noise, scale: float, threshold: float) -> tuple[Array, Array]:
    """Return the cell of the largest noisy count above the threshold, and whether there is one, each of shape (trials,)."""
    xp = array_namespace(cells.counts)
    noisy = cells.counts + scale * noise(cells.counts.shape, cells.first)
    shown = xp.where((cells.counts > 0.0) & (noisy > threshold), noisy, -math.inf)
    most = xp.max(shown, axis=1)
    return xp.min(xp.where(shown == most[:, None], cells.values, math.inf), axis=1), most > -math.inf


# --- Algorithm 4 --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TopEigenvalue:
    """A batched Algorithm 4 on the gradients A_i w of one half of a batch, for many w.

    With m = d (d + 1) / 2 entries of a symmetric matrix: `form` (m, m k) maps the products w_c w_d to the entries of
    M_j = G_j G_j^T in units of `size` (k,), the subsets' squared norms; None where d is too large for that.
    `differences` (k, b, d, d). Equal subsets count as one, so k is what is left of them.
    """

    calibration: TopEigenvalueCalibration
    items: _Items
    differences: NDArray[np.float64]
    size: NDArray[np.float64]
    form: NDArray[np.float32] | None

    @classmethod
    def of(cls, A: NDArray[np.float64], calibration: TopEigenvalueCalibration) -> Self:
        """Return the algorithm prepared for the records of this half."""
        k, b = calibration.k, calibration.b
        matrices = A if A.ndim == 3 else A[:, :, np.newaxis] * A[:, np.newaxis, :]
        d = matrices.shape[1]
        D = (matrices[1::2] - matrices[: len(A) - 1 : 2])[: k * b].reshape(k, b, d, d)  # lines 1 and 2
        items, kept = _Items.of(D)
        D = D[kept]
        size = np.sum(D * D, axis=(1, 2, 3))
        if d > _LARGEST_FORM:
            return cls(calibration, items, D, size, None)
        unit = np.where(size > _TINY, D.transpose(1, 2, 3, 0) / np.sqrt(np.maximum(size, _TINY)), 0.0)
        rows, columns = np.triu_indices(d)
        full = np.einsum("back,bedk->aecdk", unit, unit, optimize=True)[rows, columns]  # M_j[a, e] = sum over c, d of w_c w_d
        form = full[:, rows, columns] + np.where(rows != columns, 1.0, 0.0)[:, np.newaxis] * full[:, columns, rows]
        return cls(calibration, items, D, size, form.transpose(1, 0, 2).reshape(len(rows), -1).astype(np.float32))

    def __call__(self, w: Array, noise: Noise) -> Array:
        """Return Lambda_hat of every trial, shape (trials,); -1 for bottom."""
        xp = array_namespace(w)
        codes = self._codes(w)
        is_zero = codes == -math.inf
        above = xp.max(xp.where(is_zero, -_LARGEST_CODE, codes), axis=1) + 1.0  # the bin {0} comes after all others
        cells = _cells(xp.where(is_zero, above[:, None], codes), self.items)
        values = xp.where(cells.values == above[:, None], _ZERO, cells.values)
        code, found = _winner(replace(cells, values=values), noise, self.calibration.scale, self.calibration.threshold)  # 6, 8
        code = xp.where(code == _ZERO, -math.inf, code)
        return xp.where(found, 2.0 ** (code / 4.0), -1.0)  # lines 7 and 9

    def _codes(self, w: Array) -> Array:
        """Return the bins i of the subsets' eigenvalues, (trials, k); -inf for the bin {0}."""
        xp = array_namespace(w)
        if self.form is None:
            codes = xp.zeros((w.shape[0], len(self.size)), dtype=xp.float32)
            decided = xp.zeros(codes.shape, dtype=xp.bool)
        else:
            enclosed = [self._enclosures(w[c, :]) for c in _slices(0, w.shape[0], _CHUNK // self.form.shape[1])]
            codes, decided = xp.concat([low for low, _ in enclosed]), xp.concat([sure for _, sure in enclosed])
        empty = xp.asarray(np.all(self.differences == 0.0, axis=(1, 2, 3)))
        codes = xp.where(empty, -math.inf, codes)
        decided = decided | empty
        if bool(xp.all(decided)):
            return codes
        trial, subset = xp.nonzero(~decided)
        parts = _slices(0, trial.shape[0], _CHUNK // self.differences[0].size)
        found = xp.concat([self._codes_one_by_one(w, trial[c], subset[c]) for c in parts])
        codes[~decided] = xp.astype(found, xp.float32)
        return codes

    def _codes_one_by_one(self, w: Array, trial: Array, subset: Array) -> Array:
        """Return the bins of some subsets in some trials: enclosed more narrowly, and computed where that does not decide."""
        xp = array_namespace(w)
        G = xp.matmul(xp.take(xp.asarray(self.differences), subset, axis=0), xp.take(w, trial, axis=0)[:, None, :, None])
        G = G[..., 0]
        (b, d), divisor = G.shape[1:], self.calibration.divisor
        M = {(a, e): xp.sum(G[:, :, a] * G[:, :, e], axis=1) for a in range(d) for e in range(a, d)}
        trace = _sum(M[a, a] for a in range(d))
        usable = trace > _TINY
        trace = xp.where(usable, trace, 1.0)
        lower, upper = _top_eigenvalues({at: entry / trace for at, entry in M.items()}, min(b, d), _DOUBLE)
        unit = xp.log2(trace / divisor)
        codes = xp.floor(4.0 * (unit + lower - _DOUBLE.margin))
        open_ = ~usable | (codes != xp.floor(4.0 * (unit + upper + _DOUBLE.margin)))
        if bool(xp.any(open_)):
            top = xp.max(xp.linalg.svdvals(G[open_]), axis=1) ** 2 / divisor  # line 4
            codes[open_] = xp.where(top > 0.0, xp.floor(4.0 * xp.log2(xp.where(top > 0.0, top, 1.0))), -math.inf)  # line 5
        return codes

    def _enclosures(self, w: Array) -> tuple[Array, Array]:
        """Return the lowest bin that an eigenvalue may have, in single precision, and whether it has to."""
        xp = array_namespace(w)
        if self.form is None:
            raise TypeError("enclosures need the quadratic form")
        d = w.shape[1]
        products = xp.stack([w[:, c] * w[:, e] for c in range(d) for e in range(c, d)], axis=1)
        flat = xp.matmul(xp.astype(products, xp.float32), xp.asarray(self.form))
        entries = iter(xp.unstack(xp.reshape(flat, (w.shape[0], products.shape[1], -1)), axis=1))
        M = {(a, e): next(entries) for a in range(d) for e in range(a, d)}
        trace = _sum(M[a, a] for a in range(d))
        usable = (trace > _SMALLEST_TRACE) & xp.asarray(self.size > _TINY)
        trace = xp.where(usable, trace, 1.0)
        lower, upper = _top_eigenvalues({at: entry / trace for at, entry in M.items()}, min(self.calibration.b, d), _SINGLE)
        unit = 4.0 * (np.log2(np.maximum(self.size, _TINY)) - math.log2(self.calibration.divisor))
        whole = np.floor(unit)
        log = 4.0 * xp.log2(trace) + xp.asarray((unit - whole).astype(np.float32))
        margin = 4.0 * _SINGLE.margin + 8.0 * d * d * _ROUNDING / trace
        low = xp.floor(log + (4.0 * lower - margin))
        decided = usable & (low == xp.floor(log + (4.0 * upper + margin)))
        return low + xp.asarray(whole.astype(np.float32)), decided


def _top_eigenvalues(M: dict[tuple[int, int], Array], rank: int, precision: _Precision) -> tuple[Array, Array]:
    """Return bounds on log2 of the top eigenvalue, up to rounding, of positive semidefinite M with tr M = 1, by entries.

    x = lambda_max^s is the largest of at most `rank` numbers >= 0 with sum p = tr M^s and squares' sum q = tr M^2s. The
    others' squares sum to at most (p - x)^2 and at least (p - x)^2 / (rank - 1); solved for x, and with x >= q / p, these are
    the bounds.
    """
    xp = array_namespace(M[0, 0])
    if rank == 1:  # the trace is the eigenvalue
        return xp.zeros_like(M[0, 0]), xp.zeros_like(M[0, 0])
    for _ in range(precision.squarings):
        M = _squared(M)
    p, q, s = _norm2(M), _norm2(_squared(M)), 2.0 ** (precision.squarings + 1)
    valid = p > 0.5 * rank ** (1.0 - s)  # else the trace was not 1: one not to enclose
    p, q = xp.where(valid, p, 1.0), xp.where(valid, q, 1.0)
    two = 2.0 * q - (1.0 + precision.slack) * p * p
    lower = xp.where(two > 0.0, 0.5 * (p + xp.sqrt(xp.where(two > 0.0, two, 0.0))), q / p)
    many = rank * q - (1.0 - precision.slack) * p * p
    upper = (p + xp.sqrt((rank - 1.0) * xp.where(many > 0.0, many, 0.0))) / rank
    return xp.log2(lower) / s, xp.log2(upper) / s


def _squared(M: dict[tuple[int, int], Array]) -> dict[tuple[int, int], Array]:
    """Return the upper triangle of M^2, by entries."""
    d = 1 + max(M)[0]
    return {(a, e): _sum(M[min(a, c), max(a, c)] * M[min(c, e), max(c, e)] for c in range(d)) for a, e in M}


def _norm2(M: dict[tuple[int, int], Array]) -> Array:
    """Return the squared Frobenius norm."""
    return _sum((1.0 if a == e else 2.0) * entry * entry for (a, e), entry in M.items())


def _sum(terms: Iterable[Array]) -> Array:
    return functools.reduce(operator.add, terms)


# --- Algorithm 5 --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Mean:
    """A batched Algorithm 5 on the gradients A_i w of the other half of a batch, for many w; equal records once.

    The j-th entry of a gradient is c_ij w; |w| = 1, so where |c_ij| < tau its bin is (-tau, 0] or (0, tau] and its sign says
    which, unless it underflows. `lengths` (d, items) holds the norms of the c_ij, `nonzero` which of them are not 0,
    `average` (d, d) their mean over the records. Of rows x_i, c_ij = x_ij x_i, and the sign is that of x_ij
    times that of x_i w; `directions` (d, items) holds x_i / |x_i|, and is None for matrices.
    """

    calibration: MeanCalibration
    records: NDArray[np.float64]
    items: _Items
    lengths: NDArray[np.float64]
    nonzero: NDArray[np.bool_]
    average: NDArray[np.float64]
    directions: NDArray[np.float32] | None

    @classmethod
    def of(cls, A: NDArray[np.float64], calibration: MeanCalibration) -> Self:
        """Return the algorithm prepared for the records of this half."""
        items, kept = _Items.of(A)
        records = A[kept]
        matrices = records if A.ndim == 3 else records[:, :, np.newaxis] * records[:, np.newaxis, :]
        rows = matrices.transpose(1, 0, 2)
        nonzero = np.any(records != 0.0, axis=2).T if A.ndim == 3 else records.T != 0.0
        average = np.einsum("i,jic->jc", items.weights(len(records)), rows) / len(A)
        directions = _directions(records) if A.ndim == 2 else None
        return cls(calibration, records, items, np.linalg.norm(rows, axis=2), nonzero, average, directions)

    def __call__(self, w: Array, eigenvalue: Array, draws: DPPCADraws, t: int) -> tuple[Array, Array]:
        """Return mu_hat, (trials, d), and whether no coordinate gave bottom, (trials,); the eigenvalues are > 0."""
        of, xp = self.calibration, array_namespace(w)
        unit = xp.sqrt(eigenvalue)
        tau, radius = of.tau * unit, of.radius * unit  # lines 2 and 8
        apart = self._apart(tau)
        above = self._above(w, apart)
        found = xp.ones(w.shape[0], dtype=xp.bool)
        lefts = []
        for j in range(of.d):  # line 3
            cells = self._histogram(j, w, tau, above[:, j], apart[j])  # line 4
            code, some = _winner(cells, functools.partial(draws.bin, t, j + 1), of.scale, of.threshold)  # line 5
            found = found & some
            lefts.append(xp.where(some, code, 0.0) * tau)  # lines 6 and 7
        g_bar = xp.stack(lefts, axis=1)
        mu = self._mean_deviations(w, g_bar, radius)  # lines 8 and 10
        return g_bar + (mu + (of.std * unit)[:, None] * draws.mean(t, of.d)), found  # lines 10 and 11

    def _apart(self, tau: Array) -> NDArray[np.bool_]:
        """Return the c_ij whose sign does not tell the bin in every trial, (d, items)."""
        xp = array_namespace(tau)
        tiny = _TINY * max(1.0, float(xp.max(tau)))
        return (self.lengths >= float(xp.min(tau)) * (1.0 - _MARGIN)) | (self.nonzero & (self.lengths < tiny))

    def _gradients(self, j: int, w: Array, chosen: NDArray[np.bool_] | slice = slice(None)) -> Array:
        """Return the j-th entries of the chosen gradients, (trials, items)."""
        xp = array_namespace(w)
        records = self.records[chosen]
        if records.ndim == 2:
            return xp.matmul(w, xp.asarray(records.T)) * xp.asarray(records[:, j])
        return xp.matmul(w, xp.asarray(records[:, j].T))

    def _above(self, w: Array, apart: NDArray[np.bool_]) -> Array:
        """Return how many gradients have a positive j-th entry, (trials, d), those apart left out."""
        xp = array_namespace(w)
        weights = np.where(apart, 0.0, self.items.weights(len(self.records)))
        kind = _counting(xp, float(np.max(np.sum(weights, axis=1))))
        if self.directions is None:
            columns = [
                xp.matmul(xp.astype(self._gradients(j, w) > 0.0, kind), xp.astype(xp.asarray(weight), kind))
                for j, weight in enumerate(weights)
            ]
            return xp.astype(xp.stack(columns, axis=1), xp.float64)
        if_positive = xp.astype(xp.asarray(np.where(self.records > 0.0, weights.T, 0.0)), kind)
        if_negative = xp.astype(xp.asarray(np.where(self.records < 0.0, weights.T, 0.0)), kind)
        difference, negatives = if_positive - if_negative, xp.sum(if_negative, axis=0)
        counted = []
        for c in _slices(0, w.shape[0], _CHUNK // len(self.records)):
            products = xp.matmul(xp.astype(w[c, :], xp.float32), xp.asarray(self.directions))
            positive = xp.astype(products > 0.0, kind)
            near = xp.abs(products) <= (self.calibration.d + 4.0) * 2.0**-24  # rounding may have changed the sign
            if bool(xp.any(near)):
                trial, item = xp.nonzero(near)
                rows = xp.take(xp.asarray(self.records), item, axis=0)
                exact = xp.sum(xp.take(w[c, :], trial, axis=0) * rows, axis=1)
                positive[near] = xp.astype(exact > 0.0, kind)
                negative = 1.0 - positive
                negative[near] = xp.astype(exact < 0.0, kind)
                counted.append(xp.matmul(positive, if_positive) + xp.matmul(negative, if_negative))
            else:
                counted.append(xp.matmul(positive, difference) + negatives)
        return xp.astype(xp.concat(counted), xp.float64)

    def _histogram(self, j: int, w: Array, tau: Array, above: Array, apart: NDArray[np.bool_]) -> _Cells:
        """Return the cells of line 5's histogram of coordinate j, for every trial."""
        xp = array_namespace(w)
        if 4 * np.count_nonzero(apart) > 3 * len(apart):
            return _cells(self._bins(self._gradients(j, w), tau), self.items)
        weights = self.items.weights(len(self.records))
        counts = {-1: float(np.sum(weights[~apart])) - above, 0: above}
        if apart.any():
            bins = self._bins(self._gradients(j, w, apart), tau)
            low, high = int(xp.min(bins)), int(xp.max(bins))
            if high - low >= _MOST_CELLS:
                return _cells(self._bins(self._gradients(j, w), tau), self.items)
            kind = _counting(xp, float(np.sum(weights)))
            counted = xp.astype(xp.asarray(weights[apart]), kind)
            for cell in range(low, high + 1):
                held = xp.matmul(xp.astype(bins == float(cell), kind), counted)
                counts[cell] = counts.get(cell, 0.0) + xp.astype(held, xp.float64)
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

    def _mean_deviations(self, w: Array, left: Array, radius: Array) -> Array:
        """Return the mean of the truncated deviations from g_bar: all, and the change by truncation of the few it may touch."""
        xp = array_namespace(w)
        weights, side = self.items.weights(len(self.records)), radius[:, None]
        mean = xp.matmul(w, xp.asarray(self.average.T)) - left
        farthest = float(xp.max(xp.abs(left)))
        all_of_them = farthest > _FARTHEST * float(xp.min(radius))
        long = self.lengths + farthest >= float(xp.min(radius)) * (1.0 - _MARGIN)
        if not (all_of_them or long.any()):
            return mean
        columns = []
        for j, some in enumerate(long):
            if all_of_them:
                deviations = xp.clip(self._gradients(j, w) - left[:, j][:, None], -side, side)
                columns.append(xp.matmul(deviations, xp.asarray(weights)) / self.calibration.B)
            elif some.any():
                deviations = self._gradients(j, w, some) - left[:, j][:, None]
                lost = deviations - xp.clip(deviations, -side, side)
                columns.append(mean[:, j] - xp.matmul(lost, xp.asarray(weights[some])) / self.calibration.B)
            else:
                columns.append(mean[:, j])
        return xp.stack(columns, axis=1)


def _directions(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return x / |x| of every row, transposed; of a row of zeros, whose sign is not asked for, another unit vector."""
    largest = np.max(np.abs(rows), axis=1, keepdims=True)
    scaled = np.where(largest > 0.0, rows / np.where(largest > 0.0, largest, 1.0), 1.0)
    return np.ascontiguousarray((scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).T, dtype=np.float32)
