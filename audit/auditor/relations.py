"""Relations among the parts of an output, which no column and no sum over columns tells.

Each is searched for on discovery data, and is then a number of every output: a number modulo some period, its rounding,
products of its bits, a sum of columns modulo a period or of words by their places in the alphabet, the parity of the columns'
order, and the extremes, over rows in whatever order, of what one row tells.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len, rfft
from scipy.ndimage import uniform_filter1d

from dppca.audit.auditor.exact_numbers import EXACT_INTEGER_MAX
from dppca.audit.auditor.leaves import REST, name_of
from dppca.audit.auditor.outputs import Outputs, alphabet

Float: TypeAlias = NDArray[np.float64]
Score: TypeAlias = Callable[[Outputs], Float]
Learn: TypeAlias = Callable[[Float, Float], Callable[[Float], Float]]

#: Moduli of sums that are tried, each less than the cells of a score; columns that are looked at on their own, and outputs.
_MODULI = (*range(2, 65), 100, 128, 256)
_MAX_COLUMNS, _LOOKED_AT = 20, 20_000
#: Whole periods that are tried: up to this, of so many numbers together. Others are powers, up to so many bits of the largest.
_WHOLE_PERIODS, _MANY_WHOLE_PERIODS, _POWERS_OF, _PERIOD_BITS = 64, 3000, (2, 10), 40
#: Cells on which a number's period is searched for, and those of several together; the outputs on them, between two shares.
_GRID, _ALL_GRIDS, _MIDDLE = 2**19, 2**21, (0.01, 0.99)
#: Numbers beyond this, and less than its inverse, have no period.
_FAR = 1e270
#: Outputs of which a period is searched for, at least, and how often it is within their range: bins tell what is wider.
_LEAST_OUTPUTS, _LEAST_OFTEN = 66, 8
#: Powers are tried up to so many cells. A frequency is fitted to this part of a turn within the range; a period has digits at
#: most, and as few as lower its wave's chi-square by this.
_FINE, _WIDTH, _DIGITS, _AS_GOOD = 4, 1e-3, 9, 3.0
#: A peak is so many times larger than what is around it, in so many places: a difference that is as large there is no period.
_STANDS_OUT, _AROUND = 4.0, 257
#: Values that a larger share of the outputs have are left out: they have cells of their own.
_ATOM = 0.05
#: Multiples of a period that are tried, of which it may be an overtone, and cells of a period.
_OVERTONES, _CELLS = 8, 64
#: Periods that tell so large a part of the most tell as much: the shortest is taken.
_AS_MUCH = 0.8
#: What numbers are multiplied by to be whole: bits beyond these are the rounding of floats. By so much they may miss it.
_UNITS, _WHOLE = (*(10.0**k for k in range(10)), 2.0**10, 2.0**20, 2.0**30), 1e-3
#: Standard errors by which what is searched for must differ: the largest of 300,000 differences that are luck is 5.2.
_SURE = 6.0
#: Cells of the grid on which sums modulo a period are searched for: 2 to the 18th, 4 to the 9th.
_LOG_CELLS = 18
#: Multiplications that a search for products of signs may take for products of two, three and four, and outputs that it needs.
_PRODUCT_WORK, _PRODUCT_OUTPUTS = 2e9, 500
#: Numbers of so many bits have their low bits among the residues.
_FEW_BITS = 8
#: Whole numbers below this are those of 64 bits.
_LARGEST_WHOLE = 2.0**62
#: Columns beyond which no output is sorted, and beyond which not all pairs of its columns are compared.
MAX_SORTED, _MAX_ORDERED = 200, 30
#: Relations among at most so many columns also give their products without one of them.
_MAX_FACTORS = 4


@dataclass(frozen=True)
class NumericRelation:
    """A number of every output: its name, and the columns that it is made of where it is a product of their signs."""

    name: str
    score: Score
    columns: tuple[int, ...] = ()


def relations(data: Outputs, neighbour: Outputs, columns: NDArray[np.int64]) -> Iterator[NumericRelation]:
    """Yield the relations that tell the two datasets' outputs apart, of these columns of their numbers."""
    lattices = _lattices(data, neighbour, columns[:_MAX_COLUMNS])
    wholes = {lattice.column: lattice for lattice in lattices}
    numbers = [wholes.get(j, _Number(j, data.kind.names[j])) for j in columns[:_MAX_COLUMNS].tolist()]
    for number in numbers:
        yield from _modulo_a_period(number, data, neighbour, len(numbers))
    for lattice in lattices:
        yield from _of_lattice(lattice, data, neighbour, _PRODUCT_WORK / len(lattices))
    terms: list[_Lattice | _Words] = [*lattices, *_words(data, neighbour)]
    if len(terms) > 1:
        yield from _sums_of_whole_numbers(terms, data, neighbour)
    if len(columns) > 1:
        yield from _sums_modulo(data, neighbour, columns)
    if 2 < len(columns) <= _MAX_ORDERED:
        parity = [_order_parity(outputs, columns) for outputs in (data, neighbour)]
        if _difference(*(of.astype(np.int64) for of in parity)) > _SURE:
            yield NumericRelation("parity of the order", lambda outputs: _order_parity(outputs, columns))


def products(relation: NumericRelation) -> list[Score]:
    """Return the products of a relation's columns without one of them, which tell how large that one is to be."""
    if not 2 < len(relation.columns) <= _MAX_FACTORS:
        return []
    return [_product(of) for of in itertools.combinations(relation.columns, len(relation.columns) - 1)]


def _product(columns: tuple[int, ...]) -> Score:
    return lambda outputs: np.nan_to_num(outputs.numbers[:, columns].prod(axis=1))


# --- lattices -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Lattice:
    """A column of numbers that are all near multiples of one number.

    Attributes:
        column, rest: of the numbers, and of what they lack as float64, None where they lack nothing.
        unit, step: a number times the unit is near a multiple of the step, a whole number.
        name: of the multiple.
        span: how many multiples there are from the least to the largest one that was seen.
    """

    column: int
    rest: int | None
    unit: float
    step: int
    name: str
    span: int

    def __call__(self, outputs: Outputs) -> NDArray[np.int64]:
        """Return which multiples outputs have, 0 where they have no such number."""
        return _whole(outputs, self.column, self.rest, self.unit) // self.step

    def rounding(self, outputs: Outputs) -> Float:
        """Return on which side of the float64 nearest to its multiple a number is: 1 above, -1 below, 0 where it is that."""
        values = outputs.numbers[:, self.column]
        return np.nan_to_num(np.sign(values - np.rint(values * self.unit) / self.unit))


@dataclass(frozen=True)
class _Words:
    """A column of labels that has few: each stands for its place among them in the order of the alphabet.

    Attributes:
        part: the column of labels.
        places: of the labels that were seen; others are 0.
        name: of the column.
    """

    part: int
    places: dict[Any, int]
    name: str

    @property
    def span(self) -> int:
        """Return how far the last place is from the first."""
        return len(self.places) - 1

    def __call__(self, outputs: Outputs) -> NDArray[np.int64]:
        """Return the place of each output's label."""
        distinct, of = outputs.distinct(self.part)
        return np.array([self.places.get(label, 0) for label in distinct], dtype=np.int64)[of]


def _words(data: Outputs, neighbour: Outputs) -> Iterator[_Words]:
    """Yield the columns of two labels or more, as many as there are moduli at most."""
    for part, path in enumerate(data.kind.labels):
        if 1 < len(places := alphabet((data, neighbour), part)) <= max(_MODULI):
            yield _Words(part, places, name_of(path))


def _whole(outputs: Outputs, column: int, rest: int | None, unit: float) -> NDArray[np.int64]:
    found = np.rint(outputs.numbers[:, column] * unit)
    whole = np.where(np.abs(found) < _LARGEST_WHOLE, found, 0.0).astype(np.int64)
    return whole if rest is None else whole + np.nan_to_num(outputs.numbers[:, rest]).astype(np.int64)


def _lattices(data: Outputs, neighbour: Outputs, columns: NDArray[np.int64]) -> list[_Lattice]:
    """Return those of these columns that are multiples of one number, and have many values."""
    found = []
    for j in columns.tolist():
        both = [outputs.numbers[:_LOOKED_AT, j] for outputs in (data, neighbour)]
        both = [values[~np.isnan(values)] for values in both]
        if min(map(len, both)) < len(_MODULI) or (unit := _unit(np.concatenate(both))) is None:
            continue
        rest = data.kind.places.get((*data.kind.numbers[j], REST))
        whole = np.concatenate([_whole(outputs, j, rest, unit) for outputs in (data, neighbour)])
        step = max(int(np.gcd.reduce(whole)), 1)
        name, times = data.kind.names[j], unit / step
        span = (int(whole.max()) - int(whole.min())) // step
        found.append(_Lattice(j, rest, unit, step, name if times == 1.0 else f"{times:.10g} {name}", span))
    return found


def _of_lattice(lattice: _Lattice, data: Outputs, neighbour: Outputs, work: float) -> Iterator[NumericRelation]:
    """Yield the rounding of floats, and the product of bits that differs most."""
    rounded = [lattice.rounding(outputs[:_LOOKED_AT]).astype(np.int64) + 1 for outputs in (data, neighbour)]
    if _difference(*rounded) > _SURE:
        yield NumericRelation(f"rounding of {lattice.name}", lattice.rounding)
    if (width := lattice.span.bit_length()) <= _FEW_BITS:
        return

    def bits(outputs: Outputs) -> Float:
        return np.where((lattice(outputs)[:, np.newaxis] >> np.arange(width)) & 1, -1.0, 1.0)

    if (chosen := _product_of_signs(bits(data[:_LOOKED_AT]), bits(neighbour[:_LOOKED_AT]), work)) is not None:
        places = np.flatnonzero(chosen)
        name = f"parity of the bits ({', '.join(map(str, places))}) of {lattice.name}"
        yield NumericRelation(name, lambda outputs: bits(outputs)[:, places].prod(axis=1))


def _sums_of_whole_numbers(terms: list[_Lattice | _Words], data: Outputs, neighbour: Outputs) -> Iterator[NumericRelation]:
    """Yield the sum of whole multiples of some columns modulo a whole number that differs most."""
    looked_at = (data[:_LOOKED_AT], neighbour[:_LOOKED_AT])
    x, y = (np.column_stack([of(outputs) for of in terms]) for outputs in looked_at)
    span = max(of.span for of in terms)
    best, of_best = 0.0, None
    for modulus in (m for m in _MODULI if m <= span + 1):
        most = int(_LOG_CELLS / np.log2(modulus))
        p, q = ((z[:, :most] % modulus + 0.5) / modulus for z in (x, y))
        size, factors = _largest_of_transform(p, q, modulus)
        if size > best:
            best, of_best = size, (modulus, factors)
    if of_best is not None and np.count_nonzero(of_best[1]) > 1:
        modulus, factors = of_best
        some = np.flatnonzero(factors)
        name = " + ".join(f"{factors[i]} {terms[i].name}" for i in some)

        def score(outputs: Outputs) -> Float:
            return np.asarray(sum(factors[i] * (terms[i](outputs) % modulus) for i in some) % modulus, dtype=np.float64)

        yield NumericRelation(f"({name}) modulo {modulus}", score)


def _unit(values: Float) -> float | None:
    """Return the unit of which all of these numbers are whole multiples, and not all one; None where none that is tried is."""
    ends = np.array([values.min(), values.max()])
    for unit in _UNITS:
        if len(set(np.rint(ends * unit).tolist())) > 1 and all(
            np.all(np.abs(of * unit - np.rint(of * unit)) < _WHOLE) for of in (values[:100], values)
        ):
            most = _LARGEST_WHOLE if unit == 1.0 else EXACT_INTEGER_MAX
            return unit if np.abs(ends).max() * unit < most else None
    return None


def _difference(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    """Return by how many standard errors the chi-square of two samples' counts is above its mean."""
    chi_square, degrees = _chi_square(a, b)
    return (chi_square - degrees) / math.sqrt(2.0 * degrees)


def _chi_square(a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[float, int]:
    """Return the chi-square of two samples' counts, and its degrees of freedom."""
    cells = int(max(a.max(), b.max())) + 1
    p, q = (np.bincount(of, minlength=cells) for of in (a, b))
    n, m = len(a), len(b)
    some = p + q > 0
    chi_square = float(np.sum((p[some] / n - q[some] / m) ** 2 / ((p[some] + q[some]) / (n + m)))) * n * m / (n + m)
    return chi_square, max(int(some.sum()) - 1, 1)


# --- one number modulo a period -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Number:
    """A column of numbers as they are, of which many are multiples of nothing."""

    column: int
    name: str

    def __call__(self, outputs: Outputs) -> Float:
        """Return the numbers of outputs."""
        return outputs.numbers[:, self.column]


def _modulo_a_period(number: _Number | _Lattice, data: Outputs, neighbour: Outputs, numbers: int) -> Iterator[NumericRelation]:
    """Yield a number, one of so many, modulo the period that tells most.

    Tried are small whole numbers where it is one too, powers of two and of ten, and what a search among all periods finds.
    """
    x, y = _without_atoms(*(number(outputs[:_LOOKED_AT]) for outputs in (data, neighbour)))
    if min(len(x), len(y)) < _LEAST_OUTPUTS:
        return
    both = np.concatenate([x, y])
    low, high = np.quantile(both, _MIDDLE).tolist()
    whole, largest = both.dtype.kind == "i", max(-low, high)
    shortest = 2.0 if whole else largest * 2.0**-_PERIOD_BITS
    longest = (high - low) / _LEAST_OFTEN
    if not 1.0 / _FAR < largest < _FAR or longest < shortest:
        return
    cell = max((high - low) / min(_GRID, _ALL_GRIDS // numbers), 1.0 if whole else 0.0)
    most = max(_WHOLE_PERIODS, _MANY_WHOLE_PERIODS // numbers)
    periods = [Fraction(m) for m in range(2, min(most, int(longest)) + 1) if whole]
    for base in _POWERS_OF:
        first, last = (math.log(of) / math.log(base) for of in (shortest, min(longest, _FINE * cell)))
        periods += [Fraction(base) ** k for k in range(math.ceil(first), math.floor(last) + 1)]
    periods += [period for period in _of_wave(x, y, (low, high), cell, shortest) if period <= longest]
    found = [(*_chi_square(_cells(x, of), _cells(y, of)), of) for of in periods]
    tried = [(chi_square - degrees - _SURE * math.sqrt(2.0 * degrees), of) for chi_square, degrees, of in found]
    best = max((told for told, _ in tried), default=0.0)
    if best > 0.0:
        _, period = min((whole and of.denominator > 1, of) for told, of in tried if told >= _AS_MUCH * best)
        yield NumericRelation(f"{number.name} modulo {float(period):.10g}", lambda outputs: _modulo(number(outputs), period))


def _without_atoms(x: Any, y: Any) -> tuple[Any, Any]:
    """Return two samples without what is missing, and without the values that many outputs have."""
    x, y = (z[~np.isnan(z)] for z in (x, y))
    values, counts = np.unique(np.concatenate([x, y]), return_counts=True)
    atoms = values[counts > _ATOM * (len(x) + len(y))]
    return (x[~np.isin(x, atoms)], y[~np.isin(y, atoms)]) if len(atoms) else (x, y)


def _modulo(values: Any, period: Fraction) -> Float:
    """Return numbers modulo a period; exactly where they are whole."""
    if values.dtype.kind == "i":
        whole, parts = period.numerator, period.denominator
        return np.asarray(values % whole * parts % whole / parts)
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers far from all that were seen, nothing is known
        turns = values / float(period)
        return np.asarray((turns - np.floor(turns)) * float(period))


def _cells(values: Any, period: Fraction) -> NDArray[np.int64]:
    """Return whole residues of a whole period that is small, and the parts of any other in which numbers are."""
    found = _modulo(values, period)
    if values.dtype.kind == "i" and period <= _MANY_WHOLE_PERIODS and period.denominator == 1:
        return found.astype(np.int64)
    return np.minimum(found * (_CELLS / float(period)), _CELLS - 1).astype(np.int64)


def _of_wave(x: Any, y: Any, middle: tuple[float, float], cell: float, shortest: float) -> list[Fraction]:
    """Return the period whose wave tells two samples apart most, of all at once, and its multiples; nothing where it is luck.

    The waves are the entries of the Fourier transform of the difference between the laws on a grid. That of the period is then
    fitted to the numbers themselves, and the decimal of fewest digits that fits as well is taken.
    """
    low, high = middle
    cells = int((high - low) / cell) + 1
    size = next_fast_len(2 * cells, real=True)
    inside = [z[(z >= low) & (z <= high)] for z in (x, y)]
    places = [((z - low) / cell).astype(np.int64) for z in inside]
    laws = [np.bincount(of, minlength=cells) / len(z) for of, z in zip(places, (x, y), strict=True)]
    sizes = np.abs(rfft((laws[0] - laws[1]).astype(np.float32), size))
    error = float(np.sqrt(1.0 / len(x) + 1.0 / len(y)))
    sizes[sizes < np.maximum(_SURE * error, _STANDS_OUT * uniform_filter1d(sizes, _AROUND))] = 0.0
    sizes[: math.ceil(_LEAST_OFTEN * size * cell / (high - low))] = 0.0
    if not sizes.any():
        return []

    def chi_square(frequency: float) -> float:
        waves = [np.exp(2j * np.pi * frequency * (z - low)).mean() for z in (x, y)]
        return float(abs(waves[0] - waves[1]) / error) ** 2

    width = 1.0 / (size * cell)
    seen = int(np.argmax(sizes)) * width
    folded = [seen, *(n / cell + sign * seen for n in (1, 2) for sign in (-1.0, 1.0))]  # what is too quick for the grid
    frequency = max((of for of in folded if of <= 1.0 / shortest), key=chi_square)
    while width * (high - low) > _WIDTH:
        frequency = max((frequency + width * np.linspace(-1.0, 1.0, 9)).tolist(), key=chi_square)
        width /= 4.0
    fitted, found = chi_square(frequency) - _AS_GOOD, []
    for times in range(1, _OVERTONES + 1):
        shorter = (Fraction(f"{times / frequency:.{digits}g}") for digits in range(1, _DIGITS))
        whole = Fraction(f"{times / frequency:.{_DIGITS}g}")
        found.append(next((period for period in shorter if chi_square(float(times / period)) > fitted), whole))
    return found


# --- sums modulo a period -----------------------------------------------------------------------------


def _sums_modulo(data: Outputs, neighbour: Outputs, columns: NDArray[np.int64]) -> Iterator[NumericRelation]:
    """Yield the sum of some columns modulo a period that differs most: of signs (their product), of numbers within a range.

    All sums at once: they are the entries of the Fourier transform of the difference between the two laws on a coarse grid.
    Where there are more columns than a grid can have, the signs of two, three or four of all of them are multiplied.
    """
    x, y = (np.nan_to_num(outputs.numbers[:, columns]) for outputs in (data, neighbour))
    both = np.concatenate([x, y])
    low, high, middle = both.min(axis=0), both.max(axis=0), np.median(both, axis=0)
    middle = np.where(middle == high, np.nextafter(middle, -np.inf), middle)  # so that both signs occur
    whole = np.all(both == np.rint(both), axis=0)
    period = np.maximum(high - low + whole, np.finfo(float).tiny)

    def signs(z: Float) -> Float:
        return np.where(z > middle, 0.0, 0.5)

    def of_range(z: Float) -> Float:
        return np.asarray(((z - low) / period) % 1.0)

    def of_one(z: Float) -> Float:
        return np.asarray(z % 1.0)

    for name, phases, levels in (("signs", signs, 2), ("range", of_range, 4), ("one", of_one, 4)):
        if name == "one" and whole.all():
            continue
        most = _LOG_CELLS // (levels // 2)
        p, q = phases(x), phases(y)
        size, of_size = _largest_of_transform(p[:, :most], q[:, :most], levels)
        factors = of_size if size else None
        if name == "signs" and factors is None and len(columns) > most:
            factors = _product_of_signs(1.0 - 4.0 * p, 1.0 - 4.0 * q)
        if factors is not None:
            chosen = np.flatnonzero(factors)
            names = ", ".join(str(int(columns[i])) for i in chosen)
            told = f"product of the signs of ({names})" if name == "signs" else f"sum of ({names}) modulo the {name}"
            score = _phase(columns, phases, factors)
            yield NumericRelation(told, score, tuple(columns[chosen].tolist()) if name == "signs" else ())


def _phase(columns: NDArray[np.int64], phases: Callable[[Float], Float], factors: NDArray[np.int64]) -> Score:
    some = np.flatnonzero(factors)

    def score(outputs: Outputs) -> Float:
        return np.asarray((phases(np.nan_to_num(outputs.numbers[:, columns]))[:, some] @ factors[some]) % 1.0)

    return score


def _largest_of_transform(p: Float, q: Float, levels: int) -> tuple[float, NDArray[np.int64]]:
    """Return the factors of the sum of phases whose mean on the circle differs most, and by how many standard errors.

    It is 0 where the difference may be luck.
    """
    width, shape = p.shape[1], (levels,) * p.shape[1]
    laws = []
    for phases in (p, q):
        cells = np.ravel_multi_index(tuple((np.floor(phases * levels).astype(np.int64) % levels).T), shape)
        laws.append(np.bincount(cells, minlength=levels**width) / len(phases))
    sizes = np.abs(np.fft.fftn((laws[0] - laws[1]).reshape(shape)))
    place = np.unravel_index(int(np.argmax(sizes)), shape)
    errors = float(sizes[place] / np.sqrt(1.0 / len(p) + 1.0 / len(q)))
    factors = np.array(place)
    return (errors if errors > _SURE else 0.0), np.where(factors > levels // 2, factors - levels, factors)


def _product_of_signs(x: Float, y: Float, work: float = _PRODUCT_WORK) -> NDArray[np.int64] | None:
    """Return which one to four of many columns' signs have the product that tells most; None where it is luck.

    Each number of factors is tried on as many outputs as the work allows.
    """
    width = x.shape[1]
    found: list[tuple[float, tuple[int, ...]]] = []
    for count, (products, cost) in enumerate(((_ones, 1), (_twos, width), (_threes, width**2 / 3), (_fours, width**3 / 2)), 1):
        if (size := min(len(x), len(y), int(work / (cost * width)))) < _PRODUCT_OUTPUTS or width < count:
            continue
        gap, of_gap = products(x[:size], y[:size])
        found.append((gap / float(np.sqrt(2.0 / size)), of_gap))
    best, columns = max(found, default=(0.0, ()))
    return np.isin(np.arange(width), columns).astype(np.int64) if best > _SURE else None


def _ones(x: Float, y: Float) -> tuple[float, tuple[int, ...]]:
    gap = np.abs(x.mean(axis=0) - y.mean(axis=0))
    return float(gap.max()), (int(np.argmax(gap)),)


def _twos(x: Float, y: Float) -> tuple[float, tuple[int, ...]]:
    gap = np.abs(np.triu(x.T @ x / len(x) - y.T @ y / len(y), 1))
    place = int(np.argmax(gap))
    return float(gap.flat[place]), divmod(place, x.shape[1])


def _threes(x: Float, y: Float) -> tuple[float, tuple[int, ...]]:
    found = []
    for i in range(x.shape[1] - 2):
        gap, pair = _twos_times(x, y, i)
        found.append((gap, (i, *pair)))
    return max(found)


def _twos_times(x: Float, y: Float, i: int) -> tuple[float, tuple[int, int]]:
    """Return the product of column i and two later ones that tells most."""
    parts = [(z[:, i, np.newaxis] * z[:, i + 1 :]).T @ z[:, i + 1 :] / len(z) for z in (x, y)]
    gap = np.abs(np.triu(parts[0] - parts[1], 1))
    place = int(np.argmax(gap))
    j, k = divmod(place, gap.shape[1])
    return float(gap.flat[place]), (i + 1 + j, i + 1 + k)


def _fours(x: Float, y: Float) -> tuple[float, tuple[int, ...]]:
    """Return the product of two pairs of columns that tells most, of all at once."""
    ends = np.triu_indices(x.shape[1], 1)
    twos = [z[:, ends[0]] * z[:, ends[1]] for z in (x, y)]
    gap = np.abs(twos[0].T @ twos[0] / len(x) - twos[1].T @ twos[1] / len(y))
    for one, other in itertools.product(ends, repeat=2):
        gap[one[:, np.newaxis] == other] = 0.0  # a column twice is none
    pair = list(divmod(int(np.argmax(gap)), gap.shape[1]))
    return float(gap[pair[0], pair[1]]), tuple(np.ravel([end[pair] for end in ends]).tolist())


# --- order, and rows in any order -------------------------------------------------------------------


def _order_parity(outputs: Outputs, columns: NDArray[np.int64]) -> Float:
    """Return 1 where an odd number of exchanges sorts an output's numbers, else 0."""
    z = outputs.numbers[:, columns].T
    odd = np.zeros(len(outputs), dtype=bool)
    for i, j in itertools.combinations(range(len(z)), 2):
        odd ^= z[i] > z[j]
    return odd.astype(np.float64)


def extremes_of_rows(data: Outputs, neighbour: Outputs, rows: NDArray[np.int64], learn: Learn) -> Score:
    """Return the largest plus the smallest log-odds of an output's rows, in whatever order, as learned of single rows.

    Where one of the rows tells, and it is not known which, an output speaks for a dataset that has a row like its own, and for
    the other one where that has none.

    Args:
        data: outputs to learn from.
        neighbour: the same of the neighbour.
        rows: columns of the numbers, shape (rows, columns of one).
        learn: a classifier's training; it is given the rows of both.
    """

    def single(outputs: Outputs) -> Float:
        return np.nan_to_num(outputs.numbers[:, rows.reshape(-1)].reshape(-1, rows.shape[1]))

    odds = learn(single(data), single(neighbour))

    def score(outputs: Outputs) -> Float:
        of_rows = odds(single(outputs)).reshape(len(outputs), -1)
        return np.asarray(of_rows.max(axis=1) + of_rows.min(axis=1))

    return score
