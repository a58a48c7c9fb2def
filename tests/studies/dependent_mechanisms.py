"""Mechanisms whose trials depend on one another, as they are written, each with the exact epsilon of its law on its pair."""

from __future__ import annotations

import copy
import functools
import math
import os
import pickle
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.studies.known_mechanisms import Vectorised

Rng = np.random.Generator


# --- dependent: draws that several trials share -------------------------------------------------------


class OnceAGenerator:
    """Draws something once for every generator that it is given, and uses it in each of that generator's trials."""

    def __init__(self, draw: Callable[[Rng], Any], use: Callable[[float, Any, Rng], Any]) -> None:
        self.draw, self.use = draw, use
        self.rng: Rng | None = None
        self.drawn: Any = None

    def __call__(self, x: float, rng: Rng) -> Any:
        if rng is not self.rng:
            self.rng, self.drawn = rng, self.draw(rng)
        return self.use(x, self.drawn, rng)


class OnceIn:
    """Draws something once in so many calls."""

    def __init__(self, calls: int, draw: Callable[[Rng], Any], use: Callable[[float, Any, Rng], Any]) -> None:
        self.every, self.draw, self.use, self.calls = calls, draw, use, 0
        self.drawn: Any = None

    def __call__(self, x: float, rng: Rng) -> Any:
        if self.calls % self.every == 0:
            self.drawn = self.draw(rng)
        self.calls += 1
        return self.use(x, self.drawn, rng)


def shifted(scale: float) -> Callable[[float, Any, Rng], float]:
    """Return a use of a common draw: it shifts normal noise of this scale."""
    return lambda _, drawn, rng: float(drawn + scale * rng.normal())


@functools.lru_cache
def cached_draw(rng: Rng) -> float:
    """Return a draw that the generator is the key of."""
    return float(rng.normal())


class UsedTwice:
    """Uses each draw in two trials, one after the other, of whatever dataset."""

    def __init__(self) -> None:
        self.left: list[float] = []

    def __call__(self, x: float, rng: Rng) -> float:
        if not self.left:
            self.left = [float(rng.laplace())] * 2
        return x + self.left.pop()


class Antithetic(UsedTwice):
    """Uses each draw twice, with both signs."""

    def __call__(self, x: float, rng: Rng) -> float:
        if not self.left:
            y = float(rng.laplace())
            self.left = [y, -y]
        return x + self.left.pop()


class Pool:
    """Takes its noise from a pool of values, drawn at the first call or for every generator."""

    def __init__(self, size: int, *, each: bool) -> None:
        self.size, self.each = size, each
        self.rng: Rng | None = None
        self.pool: Any = None

    def __call__(self, x: float, rng: Rng) -> float:
        if self.pool is None or (self.each and rng is not self.rng):
            self.rng, self.pool = rng, rng.laplace(size=self.size)
        return float(x + rng.choice(self.pool))


# --- dependent: what is kept from call to call ---------------------------------------------------------


class Autoregressive:
    """Noise that follows the last noise."""

    def __init__(self, phi: float) -> None:
        self.phi, self.last = phi, 0.0

    def __call__(self, _: float, rng: Rng) -> float:
        self.last = self.phi * self.last + math.sqrt(1 - self.phi**2) * float(rng.normal())
        return self.last


class Counting:
    """Outputs are a function of how many calls there were, and of a draw."""

    def __init__(self, of: Callable[[int, float], Any]) -> None:
        self.of, self.calls = of, 0

    def __call__(self, _: float, rng: Rng) -> Any:
        self.calls += 1
        return self.of(self.calls, float(rng.normal()))


class Budget:
    """Answers so many calls."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self, _: float, rng: Rng) -> float | None:
        self.left -= 1
        return float(rng.laplace()) if self.left >= 0 else None


class KeepsAnswers:
    """Draws the answer for a dataset once, and gives it again."""

    def __init__(self, fresh: float = 0.0) -> None:
        self.answers: dict[float, float] = {}
        self.fresh = fresh

    def __call__(self, x: float, rng: Rng) -> float:
        return self.answers.setdefault(x, float(rng.normal())) + self.fresh * float(rng.normal())


class KeepsRareAnswers:
    """Draws the answer to each of 2,000 questions once."""

    def __init__(self) -> None:
        self.answers: dict[int, float] = {}

    def __call__(self, _: float, rng: Rng) -> float:
        return self.answers.setdefault(int(rng.integers(2000)), float(rng.laplace()))


class Numbered:
    """Numbers datasets in the order in which it meets them."""

    def __init__(self) -> None:
        self.numbers: dict[float, int] = {}

    def __call__(self, x: float, rng: Rng) -> float:
        return self.numbers.setdefault(x, len(self.numbers)) + float(rng.laplace())


class Sticky:
    """Repeats the last output with some probability."""

    def __init__(self, p: float) -> None:
        self.p, self.last = p, 0.0

    def __call__(self, _: float, rng: Rng) -> float:
        if rng.random() >= self.p:
            self.last = float(rng.laplace())
        return self.last


class Bursts:
    """A rare event that comes in bursts of so many trials."""

    def __init__(self, length: int) -> None:
        self.length, self.left = length, 0

    def __call__(self, _: float, rng: Rng) -> int:
        if self.left == 0 and rng.random() < 0.02 / self.length:
            self.left = self.length
        self.left, burst = max(0, self.left - 1), self.left > 0
        return int(burst)


class Queue:
    """Gives back what is left over from the last calls."""

    def __init__(self) -> None:
        self.waiting: deque[float] = deque()

    def __call__(self, _: float, rng: Rng) -> float:
        self.waiting.extend(rng.laplace(size=2 if len(self.waiting) < 5 else 1).tolist())
        return 0.5 * (self.waiting.popleft() + self.waiting[0])


# --- dependent: generators ----------------------------------------------------------------------------


class OwnGenerator:
    """Draws from a generator of its own, made again every so many calls with the same seed."""

    def __init__(self, every: int) -> None:
        self.every, self.calls = every, 0

    def __call__(self, _: float, __: Rng) -> float:
        if self.calls % self.every == 0:
            self.rng = np.random.default_rng(7)
        self.calls += 1
        return float(self.rng.laplace())


def of_a_copy(_: float, rng: Rng) -> float:
    """Draw from a copy of the generator, as where a call is sent to a pool of processes."""
    return float(copy.deepcopy(rng).laplace())


def mostly_of_a_copy(_: float, rng: Rng) -> float:
    """Add a draw of the generator to one of its copy."""
    return float(pickle.loads(pickle.dumps(rng)).normal() + (0.5 * rng.normal() if rng.random() < 0.5 else 0.0))  # noqa: S301


def seeded_by_the_second(_: float, __: Rng) -> float:
    """Seed by the clock, in hundredths of a second."""
    return float(np.random.default_rng(time.time_ns() // 10**7).laplace())


def reseeded(_: float, rng: Rng) -> float:
    """Seed with one of 50 seeds."""
    return float(np.random.default_rng(int(rng.integers(50))).laplace())


def common(scale: float) -> Callable[[float, int, Rng], Any]:
    """Return a block with one normal draw of this scale in all trials."""
    return lambda _, n, rng: scale * rng.normal() + rng.normal(size=n)


def _sorted(_: float, n: int, rng: Rng) -> Any:
    return np.sort(rng.normal(size=n))


def _chain(_: float, n: int, rng: Rng) -> Any:
    found = rng.normal(size=n)
    for i in range(1, n):
        found[i] = 0.95 * found[i - 1] + math.sqrt(1 - 0.95**2) * found[i]
    return found


def _centred(_: float, n: int, rng: Rng) -> Any:
    found = rng.normal(size=n)
    return found - found.mean() + rng.normal()


#: Mechanisms that one law describes on both datasets, unless a number says its epsilon: as made anew for every audit.
DEPENDENT: dict[str, tuple[Callable[[], Any], float]] = {
    "offset once a generator": (lambda: OnceAGenerator(lambda r: r.normal(), shifted(0.3)), 0.0),
    "small offset once a generator": (lambda: OnceAGenerator(lambda r: 0.5 * r.normal(), shifted(1.0)), 0.0),
    "sign once a generator": (lambda: OnceAGenerator(lambda r: r.choice([-1, 1]), lambda _, s, r: s * (1 + r.normal())), 0.0),
    "scale once a generator": (lambda: OnceAGenerator(lambda r: r.exponential(), lambda _, s, r: s * r.normal()), 0.0),
    "hash table once a generator": (
        lambda: OnceAGenerator(lambda r: r.integers(2, size=64), lambda _, h, r: int(h[r.integers(8)])),
        0.0,
    ),
    "projection once a generator": (
        lambda: OnceAGenerator(lambda r: r.normal(size=3), lambda _, v, r: float(v @ r.normal(1.0, 1.0, size=3))),
        0.0,
    ),
    "cached by the generator": (lambda: lambda _, rng: cached_draw(rng) + rng.normal(), 0.0),
    "offset once in 10 calls": (lambda: OnceIn(10, lambda r: r.normal(), shifted(0.5)), 0.0),
    "offset once in 100 calls": (lambda: OnceIn(100, lambda r: r.normal(), shifted(0.5)), 0.0),
    "offset once in 1,000 calls": (lambda: OnceIn(1000, lambda r: r.normal(), shifted(0.5)), 0.0),
    "small offset once in 3,000 calls": (lambda: OnceIn(3000, lambda r: 0.4 * r.normal(), shifted(1.0)), 0.0),
    "rare coin once in 64 calls": (lambda: OnceIn(64, lambda r: r.random() < 0.02, lambda _, c, r: int(c)), 0.0),
    "each draw twice": (UsedTwice, 1.0),
    "each draw with both signs": (Antithetic, 1.0),
    "pool of 5 a generator": (lambda: Pool(5, each=True), 1.0),
    "pool of 50 a process": (lambda: Pool(50, each=False), 1.0),
    "pool of 500 a process": (lambda: Pool(500, each=False), 1.0),
    "autoregression, 0.1": (lambda: Autoregressive(0.1), 0.0),
    "autoregression, 0.5": (lambda: Autoregressive(0.5), 0.0),
    "autoregression, 0.99": (lambda: Autoregressive(0.99), 0.0),
    "drift": (lambda: Counting(lambda i, z: 1e-4 * i + z), 0.0),
    "slow wave": (lambda: Counting(lambda i, z: math.sin(i / 3000) + z), 0.0),
    "fast wave": (lambda: Counting(lambda i, z: math.sin(i / 3) + z), 0.0),
    "every second call": (lambda: Counting(lambda i, z: i % 2 + 0.5 * z), 0.0),
    "every seventh call": (lambda: Counting(lambda i, z: 3.0 * (i % 7 == 0) + z), 0.0),
    "warm-up of 8,000 calls": (lambda: Counting(lambda i, z: z + (i < 8000)), 0.0),
    "variance that grows": (lambda: Counting(lambda i, z: z * (1 + i / 1e4)), 0.0),
    "cache that is emptied": (lambda: Counting(lambda i, z: z + (i % 4000 < 1000)), 0.0),
    "budget of 9,000 calls": (lambda: Budget(9_000), 0.0),
    "budget of 15,000 calls": (lambda: Budget(15_000), 0.0),
    "one answer a dataset": (KeepsAnswers, 0.0),
    "one answer a dataset, with noise": (lambda: KeepsAnswers(1.0), 0.0),
    "one answer a question": (KeepsRareAnswers, 0.0),
    "datasets are numbered": (Numbered, 0.0),
    "repeats, one in five": (lambda: Sticky(0.2), 0.0),
    "repeats, nine in ten": (lambda: Sticky(0.9), 0.0),
    "bursts of 5": (lambda: Bursts(5), 0.0),
    "bursts of 50": (lambda: Bursts(50), 0.0),
    "what is left over": (Queue, 0.0),
    "the same seed every 100 calls": (lambda: OwnGenerator(100), 0.0),
    "the same seed every 3,000 calls": (lambda: OwnGenerator(3000), 0.0),
    "a copy of the generator": (lambda: of_a_copy, 0.0),
    "partly a copy of the generator": (lambda: mostly_of_a_copy, 0.0),
    "seeded by the clock": (lambda: seeded_by_the_second, 0.0),
    "one of 50 seeds": (lambda: reseeded, 0.0),
    "block: common draw": (lambda: Vectorised(common(2.0)), 0.0),
    "block: common draw, half": (lambda: Vectorised(common(0.5)), 0.0),
    "block: common draw, a tenth": (lambda: Vectorised(common(0.1)), 0.0),
    "block: one sign": (lambda: Vectorised(lambda _, n, rng: rng.choice([-1, 1]) * (1 + rng.normal(size=n))), 0.0),
    "block: one scale": (lambda: Vectorised(lambda _, n, rng: rng.exponential() * rng.normal(size=n)), 0.0),
    "block: all alike": (lambda: Vectorised(lambda _, n, rng: np.full(n, rng.normal())), 0.0),
    "block: each draw twice": (lambda: Vectorised(lambda x, n, rng: x + np.repeat(rng.laplace(size=n), 2)[:n]), 1.0),
    "block: both signs": (
        lambda: Vectorised(lambda x, n, rng: x + np.resize((y := rng.laplace(size=(n + 1) // 2), -y), n)),
        1.0,
    ),
    "block: pool of 20": (lambda: Vectorised(lambda x, n, rng: x + rng.choice(rng.laplace(size=20), n)), 1.0),
    "block: fixed seed": (lambda: Vectorised(lambda _, n, rng: np.random.default_rng(0).laplace(size=n)), 0.0),
    "block: half fixed": (
        lambda: Vectorised(lambda _, n, rng: np.column_stack([rng.normal(size=n), np.random.default_rng(0).normal(size=n)])),
        0.0,
    ),
    "block: sorted": (lambda: Vectorised(_sorted), 0.0),
    "block: a chain": (lambda: Vectorised(_chain), 0.0),
    "block: the mean is common": (lambda: Vectorised(_centred), 0.0),
    "block: random length of a common run": (
        lambda: Vectorised(lambda _, n, rng: np.repeat(rng.normal(size=n), rng.integers(1, 5, size=n))[:n]),
        0.0,
    ),
}


# --- dependent: what programs do by mistake ------------------------------------------------------------


class SeedsNumpy:
    """Seeds numpy's own generator again every 64 calls, with one of 20 seeds."""

    calls = 0

    def __call__(self, _: float, __: Rng) -> float:
        if self.calls % 64 == 0:
            np.random.seed(self.calls // 64 % 20)  # noqa: NPY002
        self.calls += 1
        return float(np.random.laplace())  # noqa: NPY002


class PutsBack:
    """Puts numpy's own generator back every five calls, as code that measures does."""

    calls = 0

    def __call__(self, _: float, __: Rng) -> float:
        if self.calls % 5 == 0:
            self.state = np.random.get_state()  # noqa: NPY002
        self.calls += 1
        drawn = float(np.random.laplace())  # noqa: NPY002
        if self.calls % 5 == 0:
            np.random.set_state(self.state)  # noqa: NPY002
        return drawn


class Database(sqlite3.Connection):
    """A connection that is closed when nothing holds it any more."""

    def __del__(self) -> None:
        self.close()


class Table:
    """Reads noise from a table that is drawn at the first call, row by row, and begins again at its end."""

    def __init__(self, rows: int) -> None:
        self.rows, self.read = rows, 0
        self.connection: Any = None

    def __call__(self, x: float, rng: Rng) -> float:
        if self.connection is None:
            self.connection = sqlite3.connect(":memory:", factory=Database)
            self.connection.execute("CREATE TABLE noise (y REAL)")
            self.connection.executemany("INSERT INTO noise VALUES (?)", [(y,) for y in rng.laplace(size=self.rows).tolist()])
        self.read = self.read % self.rows + 1
        return x + float(self.connection.execute("SELECT y FROM noise WHERE rowid = ?", (self.read,)).fetchone()[0])


class QuasiRandom:
    """Turns the points of a sequence that fills the interval evenly into noise."""

    def __init__(self) -> None:
        self.start, self.calls = -1.0, 0

    def __call__(self, x: float, rng: Rng) -> float:
        if self.start < 0.0:
            self.start = float(rng.random())
        self.calls += 1
        u = (self.start + self.calls * 0.618033988749895) % 1.0
        return x + math.copysign(math.log(max(1.0 - 2.0 * abs(u - 0.5), 1e-300)), u - 0.5)


class Deck:
    """Deals cards from a deck, which is shuffled when it is empty."""

    def __init__(self) -> None:
        self.left: list[int] = []

    def __call__(self, _: float, rng: Rng) -> int:
        if not self.left:
            self.left = rng.permutation(52).tolist()
        return self.left.pop()


class Chain:
    """The exponential mechanism by a Metropolis chain that goes on from the last answer."""

    state = 0.0

    def __call__(self, _: float, rng: Rng) -> float:
        for _ in range(3):
            there = self.state + float(rng.normal())
            if rng.random() < math.exp(min(0.0, abs(self.state) - abs(there))):
                self.state = there
        return self.state


class Adaptive:
    """Scales its noise by the answers so far."""

    scale = 1.0

    def __call__(self, _: float, rng: Rng) -> float:
        answer = self.scale * float(rng.laplace())
        self.scale = 0.98 * self.scale + 0.02 * (0.5 + abs(answer))
        return answer


class Urn:
    """An urn for each dataset, into which the colour that was drawn goes back twice: exchangeable, and not independent."""

    def __init__(self) -> None:
        self.balls: dict[float, list[int]] = {}

    def __call__(self, x: float, rng: Rng) -> int:
        balls = self.balls.setdefault(x, [1, 1])
        colour = int(rng.random() * sum(balls) >= balls[0])
        balls[colour] += 1
        return colour


class Restaurant:
    """Gives an answer of this dataset again, mostly: the more answers there are, the rarer is a new one."""

    def __init__(self) -> None:
        self.answers: dict[float, list[float]] = {}

    def __call__(self, x: float, rng: Rng) -> float:
        answers = self.answers.setdefault(x, [])
        new = rng.random() < 20.0 / (20.0 + len(answers))
        answers.append(float(rng.laplace()) if new else answers[int(rng.integers(len(answers)))])
        return answers[-1]


class Congruential:
    """Draws from a generator with 4,096 states."""

    state = -1

    def __call__(self, x: float, rng: Rng) -> float:
        self.state = int(rng.integers(4096)) if self.state < 0 else (1229 * self.state + 1) % 4096
        u = (self.state + 0.5) / 4096
        return x + math.copysign(math.log(1.0 - 2.0 * abs(u - 0.5)), u - 0.5)


def of_the_process(_: float, __: Rng) -> float:
    """Seed by the number of the process."""
    return float(np.random.default_rng(os.getpid()).laplace())


def of_the_address(_: float, rng: Rng) -> float:
    """Seed by where the generator lies in memory."""
    return float(np.random.default_rng(id(rng)).laplace())


def hashed(x: float, rng: Rng) -> float:
    """Shift by the hash of a text, which is another one in every interpreter."""
    return hash(f"dataset {x}") % 1000 / 500.0 + float(rng.laplace())


class Permanent:
    """RAPPOR: one permanent answer for each value, kept, and noise on it every time."""

    def __init__(self) -> None:
        self.kept: dict[float, int] = {}

    def __call__(self, x: float, rng: Rng) -> int:
        bit = self.kept.setdefault(x, int(x) ^ int(rng.random() < 0.25))
        return bit ^ int(rng.random() < 0.25)


class Holder:
    """A dataset that things can be kept on."""

    def __init__(self) -> None:
        self.kept: dict[str, float] = {}


def kept_on_the_data(data: Holder, rng: Rng) -> float:
    """Keep a sketch of the dataset on it."""
    return data.kept.setdefault("sketch", float(rng.normal())) + float(rng.normal())


def budget_of_the_data(data: Holder, rng: Rng) -> float | None:
    """Answer 6,000 questions about a dataset."""
    data.kept["asked"] = data.kept.get("asked", 0.0) + 1.0
    return float(rng.laplace()) if data.kept["asked"] <= 6000.0 else None


class Renewed:
    """Shifts each dataset's answers by a draw that is renewed every so many of them."""

    def __init__(self, every: int, scale: float) -> None:
        self.every, self.scale = every, scale
        self.calls: dict[float, int] = {}
        self.shift: dict[float, float] = {}

    def __call__(self, x: float, rng: Rng) -> float:
        if self.calls.setdefault(x, 0) % self.every == 0:
            self.shift[x] = self.scale * float(rng.normal())
        self.calls[x] += 1
        return self.shift[x] + float(rng.normal())


class Produced:
    """Takes noise that a thread produces ahead, in pairs with both signs."""

    def __init__(self) -> None:
        self.ready: queue.Queue[float] = queue.Queue()

    def __call__(self, x: float, rng: Rng) -> float:
        if self.ready.empty():
            thread = threading.Thread(target=lambda: [self.ready.put(s * y) for y in rng.laplace(size=8) for s in (1, -1)])
            thread.start()
            thread.join()
        return x + float(self.ready.get())


class MeanSoFar:
    """Answers with the mean of all noise so far of the dataset and of new noise."""

    def __init__(self) -> None:
        self.sums: dict[float, tuple[int, float]] = {}

    def __call__(self, x: float, rng: Rng) -> float:
        n, total = self.sums.get(x, (0, 0.0))
        y = float(rng.normal())
        self.sums[x] = n + 1, total + y
        return (total + y) / (n + 1) + float(rng.normal())


def _stratified(x: float, n: int, rng: Rng) -> Any:
    u = rng.permutation((np.arange(n) + rng.random(n)) / n)
    return x + np.where(u < 0.5, np.log(2.0 * u), -np.log(2.0 * (1.0 - u)))


def _accepted(_: float, n: int, rng: Rng) -> Any:
    while abs((found := rng.normal(size=n)).mean()) > 0.5 / math.sqrt(n):
        pass
    return found


def _one_outlier(_: float, n: int, rng: Rng) -> Any:
    found = np.zeros(n)
    found[rng.integers(n)] = 1.0
    return found


DEPENDENT |= {
    "numpy seeded every 64 calls": (SeedsNumpy, 0.0),
    "numpy put back every 5 calls": (PutsBack, 0.0),
    "cycle of 997 draws": (lambda: Table(997), 1.0),
    "table of 3,000 draws, read on": (lambda: Table(3000), 1.0),
    "a sequence that fills evenly": (QuasiRandom, 1.0),
    "a deck of cards": (Deck, 0.0),
    "a Metropolis chain that goes on": (Chain, 0.0),
    "noise scaled by the answers so far": (Adaptive, 0.0),
    "an urn for each dataset": (Urn, 0.0),
    "earlier answers of the dataset": (Restaurant, 0.0),
    "generator of 4,096 states": (Congruential, 1.0),
    "seeded by the process's number": (lambda: of_the_process, 0.0),
    "seeded by the generator's address": (lambda: of_the_address, 0.0),
    "hash of a text": (lambda: hashed, 0.0),
    "a permanent answer, with noise": (Permanent, math.log(0.625 / 0.375)),
    "kept on the data": (lambda: kept_on_the_data, 0.0),
    "budget of the data": (lambda: budget_of_the_data, 0.0),
    "shift of the dataset, for 1,000 calls": (lambda: Renewed(1000, 0.3), 0.0),
    "small shift of the dataset, for 200 calls": (lambda: Renewed(200, 0.1), 0.0),
    "small shift of the dataset, for ever": (lambda: Renewed(10**9, 0.1), 0.0),
    "noise produced ahead": (Produced, 1.0),
    "mean of the noise so far": (MeanSoFar, 0.0),
    "pool of 2,000 a process": (lambda: Pool(2000, each=False), 1.0),
    "block: stratified": (lambda: Vectorised(_stratified), 1.0),
    "block: seeded by its length": (lambda: Vectorised(lambda _, n, rng: np.random.default_rng(n).laplace(size=n)), 0.0),
    "block: drawn until its mean is small": (lambda: Vectorised(_accepted), 0.0),
    "block: exactly one outlier": (lambda: Vectorised(_one_outlier), 0.0),
    "block: outliers all or none": (lambda: Vectorised(lambda _, n, rng: np.full(n, float(rng.random() < 0.02))), 0.0),
    "block: of 50 draws": (lambda: Vectorised(lambda x, n, rng: x + rng.choice(rng.laplace(size=50), size=n)), 1.0),
}
#: Makers of the pair, where it is not (0, 1).
PAIRS: dict[str, Callable[[], tuple[Any, Any]]] = {
    name: lambda: (Holder(), Holder()) for name in ("kept on the data", "budget of the data")
}
