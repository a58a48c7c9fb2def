"""Whether the draws that no data enter have the joint law that they declare.

Audits sum a hidden order, index or coin out by its declared law, so that this has to be what is drawn: not only each place for
itself (a random rotation has that too) but all of them together. Draws are counted and each count is compared with its binomial
law, exactly: each place over its whole support, each pair of places, all orders of a permutation of four, and the pairs of
successive draws. They are made by `Sample`, which users run, and by `Record`, which is audited.

Composition takes all draws of a run to be independent of each other as well, those of releases included. A run that asks for
three of each kind, and for three releases of every law, is repeated; whether a draw is above its median, and whether it is far
from it, makes a table of two by two with every other draw, for which Fisher's test is exact. The same is asked of the tapes of
every algorithm: there a draw may be handed on, or a generator put back, though the interface is sound. With R runs a
correlation of 7 / sqrt(R) of two such answers is found, and a number drawn once for two releases in a run of any size.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.fft import irfft, rfft
from scipy.stats import binom, hypergeom, kstest

from dppca.audit.suite.laws import FAMILIES, SETTINGS
from dppca.audit.suite.textbook_laws import Array
from dppca.reference.noise import Algorithm, Entry, Noise, Record, ReleaseLaw, Sample, record
from dppca.reference.primitives.private_selection import Repetitions

#: Draws of each kind, and the probability that one count is found wrong where nothing is. There are fewer than 1,500 counts.
DRAWS = {"quick": 4_000, "standard": 4_000, "deep": 40_000}
LEVEL, COUNTS = 1e-11, 1_500
#: Runs of an algorithm, of whose tape so many draws are compared, and so many numbers of a draw looked for again.
RUNS = {"quick": 1_000, "standard": 2_000, "deep": 10_000}
MOST_DRAWS, MOST_NUMBERS = 40, 30
#: A count that is nearer to what is expected than this many standard deviations is above the level of the exact test.
FAR = 5.0


@dataclass(frozen=True)
class DrawKind:
    """One kind of draw.

    Attributes:
        name: the method of the interface, and its arguments.
        drawn: the name of the law on a tape.
        draw: asks an interpreter for a draw of this name.
        events: what is counted of one draw.
        law: the probability of each event.
        successive: the probability of each pair of values at the first place of a draw and of the one after it.
    """

    name: str
    drawn: str
    draw: Callable[[Noise, str], Sequence[int]]
    events: Callable[[Sequence[int]], Iterator[Hashable]]
    law: Mapping[Hashable, float]
    successive: Mapping[Hashable, float]


def _pairs(one: Sequence[int]) -> Iterator[Hashable]:
    """Yield each place's value, and those of each pair of places."""
    for i, x in enumerate(one):
        yield f"place {i} is {x}"
    for (i, x), (j, y) in itertools.combinations(enumerate(one), 2):
        yield f"places {i} and {j} are {x} and {y}"


def _successive(law: Mapping[int, float]) -> dict[Hashable, float]:
    return {f"place 0 is {x}, and {y} in the next draw": law[x] * law[y] for x in law for y in law}


def _laws(places: int, law: Mapping[int, float], together: Callable[[int, int], float]) -> dict[Hashable, float]:
    """Return the probabilities of `_pairs`; `together` is that of two values at two places of one draw."""
    found: dict[Hashable, float] = {f"place {i} is {x}": p for i in range(places) for x, p in law.items()}
    for i, j in itertools.combinations(range(places), 2):
        found |= {f"places {i} and {j} are {x} and {y}": together(x, y) for x in law for y in law}
    return found


def _independent(
    name: str, drawn: str, draw: Callable[[Noise, str], Sequence[int]], places: int, law: Mapping[int, float]
) -> DrawKind:
    return DrawKind(name, drawn, draw, _pairs, _laws(places, law, lambda x, y: law[x] * law[y]), _successive(law))


def _order(n: int) -> DrawKind:
    uniform = dict.fromkeys(range(n), 1.0 / n)

    def draw(noise: Noise, name: str) -> Sequence[int]:
        return [int(i) for i in noise.secret_permutation(name, n)]

    laws = _laws(n, uniform, lambda x, y: 0.0 if x == y else 1.0 / (n * (n - 1)))
    return DrawKind(f"secret_permutation of {n}", "permutation", draw, _pairs, laws, _successive(uniform))


def _orders() -> DrawKind:
    def draw(noise: Noise, name: str) -> Sequence[int]:
        return [int(i) for i in noise.secret_permutation(name, 4)]

    law: dict[Hashable, float] = dict.fromkeys(itertools.permutations(range(4)), 1.0 / 24.0)
    return DrawKind("secret_permutation of 4, as a whole", "permutation", draw, lambda one: iter([tuple(one)]), law, {})


def _integers(high: int, shape: tuple[int, ...]) -> DrawKind:
    def draw(noise: Noise, name: str) -> Sequence[int]:
        return [int(i) for i in np.ravel(noise.secret_integers(name, high, shape))]

    name = f"secret_integers below {high} of shape {shape}"
    return _independent(name, "integers", draw, math.prod(shape), dict.fromkeys(range(high), 1.0 / high))


def _large(method: str, size: int, cells: int) -> DrawKind:
    """Return an order of many records, or an index among many, by the part of all that each of four places is in."""

    def draw(noise: Noise, name: str) -> Sequence[int]:
        if method == "permutation":
            drawn = noise.secret_permutation(name, size)[[0, 1, size // 2, -1]]
        else:
            drawn = noise.secret_integers(name, size, (2, 2))
        return [int(i) * cells // size for i in np.ravel(drawn)]

    law, each = dict.fromkeys(range(cells), 1.0 / cells), size // cells
    taken = 1 if method == "permutation" else 0

    def together(x: int, y: int) -> float:
        return (each - taken * (x == y)) / cells / (size - taken)

    return DrawKind(f"secret_{method} of {size}", method, draw, _pairs, _laws(4, law, together), _successive(law))


def _any_size(method: str) -> DrawKind:
    """Return orders, or indices, of up to 30,000 records, in draws of all sizes in turn, by thirds of all.

    Of an order it is how far from the first place's record another place's is, which is as often in each third.
    """

    def draw(noise: Noise, name: str) -> Sequence[int]:
        third = int(10.0 ** (4.0 * ((0.618034 * int(name)) % 1.0)))
        if method == "integers":
            return [int(i) // third for i in np.ravel(noise.secret_integers(name, 3 * third, (3,)))]
        first, *others = noise.secret_permutation(name, 3 * third + 1)[[0, 1, (3 * third) // 2 + 1, -1]].tolist()
        return [((of - first) % (3 * third + 1) - 1) // third for of in others]

    law = dict.fromkeys(range(3), 1.0 / 3.0)
    single = {f"place {i} is {x}": p for i in range(3) for x, p in law.items()}
    return DrawKind(f"secret_{method} of any size", method, draw, lambda one: itertools.islice(_pairs(one), 3), single, {})


def _coins(probability: float) -> DrawKind:
    def draw(noise: Noise, name: str) -> Sequence[int]:
        return [int(i) for i in noise.secret_bernoulli(name, probability, (4,))]

    law = {0: 1.0 - probability, 1: probability}
    return _independent(f"secret_bernoulli({probability})", "bernoulli", draw, 4, law)


def repetitions_law(eta: float, gamma: float) -> dict[int, float]:
    """Return P(K = j), in proportion to (1 - gamma)^j (eta + 1) ... (eta + j - 1) / j! (Papernot, Steinke 2022)."""
    last = math.ceil(50.0 / gamma)
    logs = {j: j * math.log1p(-gamma) + math.lgamma(eta + j) - math.lgamma(j + 1.0) for j in range(1, last)}
    top = max(logs.values())
    total = math.fsum(math.exp(log - top) for log in logs.values())
    return {j: math.exp(log - top) / total for j, log in logs.items()}


def _repetitions(eta: float, gamma: float) -> DrawKind:
    """Return the number of runs of a private selection, which is made of one secret integer."""

    def draw(noise: Noise, name: str) -> Sequence[int]:
        return [Repetitions(eta, gamma).draw(name, noise)]

    law = repetitions_law(eta, gamma)
    counted = {j: mass for j, mass in law.items() if mass > 1e-3}
    return DrawKind(f"Repetitions({eta}, {gamma})", "integers", draw, lambda one: iter([one[0]]), counted, {})


KINDS = (
    _orders(),
    _order(3),
    _order(6),
    _integers(5, ()),
    _integers(3, (2, 2)),
    _integers(1, ()),
    _large("permutation", 3000, 3),
    _large("integers", 1_000_000, 4),
    _any_size("permutation"),
    _any_size("integers"),
    _coins(0.5),
    _coins(0.05),
    _coins(1.0),
    _repetitions(1.0, 0.3),
    _repetitions(0.0, 0.2),
    _repetitions(0.5, 0.4),
)
#: The draws that an adversary knows: their distribution functions, and how an interpreter is asked for them.
PUBLIC: dict[str, tuple[str, Callable[[Noise, str, int], Any]]] = {
    "public_normal": ("norm", lambda noise, name, count: noise.public_normal(name, (count, 2))),
    "public_uniform": ("uniform", lambda noise, name, count: noise.public_uniform(name, (count, 2))),
}


#: Draws of so many entries, no two of which are equal but with a probability below 1e-8.
WIDE: dict[str, Callable[[Noise, str, int], Any]] = {
    "gaussian": lambda noise, name, size: noise.gaussian(name, np.zeros(size), std=1.0, sensitivity=1.0),
    "laplace": lambda noise, name, size: noise.laplace(name, np.zeros(size), scale=1.0, sensitivity=1.0),
    "public_normal": lambda noise, name, size: noise.public_normal(name, (size,)),
    "public_uniform": lambda noise, name, size: noise.public_uniform(name, (size,)),
    "secret_integers": lambda noise, name, size: noise.secret_integers(name, 2**62, (size,)),
}


#: Wide draws of which places are compared with each other: so many of the first ones, and of the last ones.
WIDE_COINS = {"secret_bernoulli": lambda noise, name, size: noise.secret_bernoulli(name, 0.5, (size,))}
FIRST_PLACES, LAST_PLACES, WIDE_RUNS = 150, 10, 300


def wide_faults(kind: str, size: int, seed: int) -> list[str]:
    """Return in sentences which places of a wide draw depend on each other."""
    noise = Sample(np.random.default_rng(seed))
    several = [np.ravel({**WIDE, **WIDE_COINS}[kind](noise, str(run), size)) for run in range(WIDE_RUNS)]
    places = [*range(FIRST_PLACES), *range(size - LAST_PLACES, size)]
    return _dependent([f"{kind}, place {place} of {size}" for place in places], np.array(several, dtype=float)[:, places])


def distance_faults(size: int, seed: int) -> list[str]:
    """Return in sentences at which distance two coins of a wide draw, or of two draws in a row, are alike too often or rarely.

    Coins of probability 1/2 at one distance agree as independent ones do, so that the law of the count is binomial, exactly.
    """
    noise = Sample(np.random.default_rng(seed))
    found = []
    signs = np.array([WIDE_COINS["secret_bernoulli"](noise, str(run), size) for run in range(WIDE_RUNS)]) * 2.0 - 1.0
    for where, rows in (("one draw", signs), ("two draws in a row", np.hstack([signs[::2], signs[1::2]]))):
        length = 2 * rows.shape[1]
        sums = irfft((np.abs(rfft(rows, length)) ** 2).sum(axis=0), length)
        for distance in range(1, rows.shape[1]):
            pairs = len(rows) * (rows.shape[1] - distance)
            alike = round(0.5 * (pairs + float(sums[distance])))
            if min(binom.cdf(alike, pairs, 0.5), binom.sf(alike - 1, pairs, 0.5)) < LEVEL / 2.0:
                found.append(f"of {where}, {alike} of {pairs} coins at a distance of {distance} are alike")
    return found


def equal_entries(kind: str, size: int, seed: int) -> int:
    """Return how many entries of one wide draw, and of the one after it, have come before in either."""
    noise = Sample(np.random.default_rng(seed))
    drawn = np.concatenate([np.ravel(WIDE[kind](noise, name, size)) for name in ("first", "second")])
    return len(drawn) - len(np.unique(drawn))


def draw_faults(kind: DrawKind, draws: int, seed: int) -> list[str]:
    """Return the counts that the law of a kind of draw does not allow, in sentences."""
    found = []
    for seam in (Sample, Record):
        noise = seam(np.random.default_rng([seed, draws]))
        drawn = [kind.draw(noise, str(i)) for i in range(draws)]
        single = Counter(event for one in drawn for event in kind.events(one))
        both = Counter(
            f"place 0 is {one[0]}, and {after[0]} in the next draw" for one, after in zip(drawn[::2], drawn[1::2], strict=True)
        )
        wrong = [*_off(single, kind.law, draws), *_off(both, kind.successive, draws // 2)]
        if wrong:
            several = f", and {len(wrong) - 1} other counts are off" if len(wrong) > 1 else ""
            found.append(f"{seam.__name__} does not draw {kind.name} by its law: {wrong[0]}{several}")
    return found


def _off(counts: Counter[Hashable], law: Mapping[Hashable, float], trials: int) -> list[str]:
    """Return the events of which there are more or fewer than their binomial law allows."""
    found = []
    for event, probability in law.items():
        p = min(max(probability, 0.0), 1.0)
        if min(binom.cdf(counts[event], trials, p), binom.sf(counts[event] - 1, trials, p)) < LEVEL / 2.0:
            found.append(f"{event} {counts[event]} of {trials} times, {trials * p:.0f} expected")
    return found


def together(noise: Noise) -> dict[str, float]:
    """Return three draws of each kind and three releases of each law, in one run, each as a number; all at one value each.

    Two follow one another, and the third comes when all others have had two.
    """
    kinds: dict[str, Callable[[str], Any]] = {
        "public_normal": lambda name: noise.public_normal(name, ()),
        "public_uniform": lambda name: noise.public_uniform(name, ()),
        "secret_integers": lambda name: noise.secret_integers(name, 1000, ()),
        "secret_permutation": lambda name: noise.secret_permutation(name, 50)[0],
        "secret_bernoulli": lambda name: noise.secret_bernoulli(name, 0.5, ()),
    }
    for law, ((of, value), *_) in SETTINGS.items():

        def released(name: str, law: type[ReleaseLaw] = law, of: ReleaseLaw = of, value: Array = value) -> Any:
            return FAMILIES[law].code(value, [noise.release(name, value, of, sensitivity=1.0)]).flat[0]

        kinds[law.kind] = released
    names = [(kind, f"{kind} {i}") for numbers in ((1, 2), (3,)) for kind in kinds for i in numbers]
    return {name: float(kinds[kind](name)) for kind, name in names}


def dependence_faults(runs: int, seed: int) -> list[str]:
    """Return in sentences which draws and releases of one run depend on each other."""
    found = []
    for seam in (Sample, Record):
        rng = np.random.default_rng([seed, runs])
        drawn = [together(seam(child)) for child in rng.spawn(runs)]
        table = np.array([list(one.values()) for one in drawn])
        found += [f"{fault}, in a run of {seam.__name__}" for fault in _dependent(list(drawn[0]), table)]
    return found


def _dependent(names: Sequence[str], table: Array) -> list[str]:
    """Return which columns of a table (runs, numbers) depend on each other; columns of one name are not compared."""
    runs = len(table)
    apart = np.abs(table - np.median(table, axis=0))
    bits = np.hstack([table > np.median(table, axis=0), apart > np.median(apart, axis=0)]).astype(np.int64)
    both, one = bits.T @ bits, bits.sum(axis=0)
    expected = np.outer(one, one) / runs
    spread = np.sqrt(expected * np.outer(runs - one, runs - one) / runs / max(runs - 1, 1))
    at = np.tile(np.unique(names, return_inverse=True)[1], 2)
    unlikely = np.triu(np.abs(both - expected) > FAR * spread) & (at[:, None] != at)  # the exact test takes longer
    found = []
    for i, j in np.argwhere(unlikely):
        law = hypergeom(runs, one[i], one[j])
        if min(law.cdf(both[i, j]), law.sf(both[i, j] - 1)) < LEVEL / 2.0:
            found.append(
                f"the draws {names[i % len(names)]!r} and {names[j % len(names)]!r} depend on each other: "
                f"both are large in {both[i, j]} of {runs} runs, {expected[i, j]:.0f} expected"
            )
    return found


def tape_faults(algorithm: Algorithm[Any], data: Any, runs: int, seed: int) -> list[str]:
    """Return in sentences which draws of an algorithm's own runs depend on each other, or come twice.

    Of each draw up to three numbers are compared, of so many draws at most: the first ones and the last ones.
    """
    tapes = [record(algorithm, data, rng)[1] for rng in np.random.default_rng([seed, runs]).spawn(runs)]
    found = drawn_twice([entry for tape in tapes for entry in tape.entries])
    everywhere = set.intersection(*({entry.name for entry in tape.entries} for tape in tapes))
    kept = [entry.name for entry in tapes[0].entries if entry.name in everywhere and np.size(entry.draw)]
    kept = kept if len(kept) <= MOST_DRAWS else [*kept[: MOST_DRAWS // 2], *kept[-MOST_DRAWS // 2 :]]
    columns = [(name, place) for name in kept for place in (0.0, 0.5, 1.0)]
    table = [[_number({e.name: e.draw for e in tape.entries}[name], place) for name, place in columns] for tape in tapes]
    return [*found, *_dependent([name for name, _ in columns], np.array(table, dtype=float))]


def _number(draw: Any, place: float) -> float:
    """Return the first number of a draw (place 0), the last one (1), or one between."""
    flat = np.ravel(draw)
    return float(flat[int(place * (flat.size - 1))])


def drawn_twice(entries: Iterable[Entry]) -> list[str]:
    """Return in a sentence that two draws of noise have an equal number, which happens by chance once in millions of runs."""
    names: dict[float, str] = {}
    for entry in entries:
        drawn = np.ravel(entry.draw)
        if drawn.dtype.kind == "f":
            for number in drawn[:: max(1, drawn.size // MOST_NUMBERS)].tolist():
                if number in names:
                    return [
                        f"the draws {names[number]!r} and {entry.name!r} share a number, {number:.17g}: what is released with "
                        "one noise shows the difference of the values, whatever the law of each release is"
                    ]
                names[number] = entry.name
    return []


def public_faults(name: str, draws: int, seed: int) -> list[str]:
    """Return in a sentence that a public draw does not have its law, in either column or their difference."""
    law, draw = PUBLIC[name]
    found = []
    for seam in (Sample, Record):
        table = draw(seam(np.random.default_rng([seed, draws])), "drawn", draws)
        mixed = (table[:, 0] - table[:, 1]) / math.sqrt(2.0) if law == "norm" else (table[:, 0] + table[:, 1]) % 1.0
        for which, column in (("first column", table[:, 0]), ("second column", table[:, 1]), ("difference of columns", mixed)):
            if (p := float(kstest(column, law).pvalue)) < LEVEL:
                found.append(f"{seam.__name__} does not draw {name} by its law: the {which} has p = {p:.1g}")
    return found
