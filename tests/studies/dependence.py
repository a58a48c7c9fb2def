"""Is what is dependent refused, and what is not let be? `python -m tests.studies.dependence`, written to DEPENDENCE.md.

`DEPENDENT`: mechanisms whose trials depend on one another, as they are written, each with the exact epsilon of its law on the
pair (0, 1). For each, how many of some audits were refused, and how many gave a bound above that epsilon; at a
confidence of 0.95 one in twenty of those that are not refused may. `HONEST`: mechanisms as people write them, whose trials
are exchangeable; for each, whether it was refused, and in which words. What is not installed is left out, and said.
"""

from __future__ import annotations

import argparse
import asyncio
import concurrent.futures
import contextlib
import copy
import dataclasses
import datetime
import decimal
import fractions
import functools
import importlib.util
import io
import itertools
import json
import logging
import math
import os
import pickle
import queue
import random
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

from dppca import audit

Rng = np.random.Generator
Call = Callable[[float, Rng], Any]
TABLE = Path(__file__).with_name("DEPENDENCE.md")
#: Trials on each dataset of an audit of the first table, and of the second; audits of each mechanism in the first.
TRIALS, HONEST_TRIALS, AUDITS = 10_000, 2_000, 6


class Sampler:
    """A mechanism that draws a block of trials at a call."""

    def __init__(self, draw: Callable[[float, int, Rng], Any]) -> None:
        self.draw = draw

    def sample(self, data: float, trials: int, rng: Rng) -> Any:
        """Return the block."""
        return self.draw(data, trials, rng)


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
    "block: common draw": (lambda: Sampler(common(2.0)), 0.0),
    "block: common draw, half": (lambda: Sampler(common(0.5)), 0.0),
    "block: common draw, a tenth": (lambda: Sampler(common(0.1)), 0.0),
    "block: one sign": (lambda: Sampler(lambda _, n, rng: rng.choice([-1, 1]) * (1 + rng.normal(size=n))), 0.0),
    "block: one scale": (lambda: Sampler(lambda _, n, rng: rng.exponential() * rng.normal(size=n)), 0.0),
    "block: all alike": (lambda: Sampler(lambda _, n, rng: np.full(n, rng.normal())), 0.0),
    "block: each draw twice": (lambda: Sampler(lambda x, n, rng: x + np.repeat(rng.laplace(size=n), 2)[:n]), 1.0),
    "block: both signs": (lambda: Sampler(lambda x, n, rng: x + np.resize((y := rng.laplace(size=(n + 1) // 2), -y), n)), 1.0),
    "block: pool of 20": (lambda: Sampler(lambda x, n, rng: x + rng.choice(rng.laplace(size=20), n)), 1.0),
    "block: fixed seed": (lambda: Sampler(lambda _, n, rng: np.random.default_rng(0).laplace(size=n)), 0.0),
    "block: half fixed": (
        lambda: Sampler(lambda _, n, rng: np.column_stack([rng.normal(size=n), np.random.default_rng(0).normal(size=n)])),
        0.0,
    ),
    "block: sorted": (lambda: Sampler(_sorted), 0.0),
    "block: a chain": (lambda: Sampler(_chain), 0.0),
    "block: the mean is common": (lambda: Sampler(_centred), 0.0),
    "block: random length of a common run": (
        lambda: Sampler(lambda _, n, rng: np.repeat(rng.normal(size=n), rng.integers(1, 5, size=n))[:n]),
        0.0,
    ),
}


# --- honest -------------------------------------------------------------------------------------------


class Beside:
    """A mechanism with a counter beside whatever it holds."""

    def __init__(self, held: Any) -> None:
        self.held, self.calls = held, 0

    def __call__(self, x: float, rng: Rng) -> float:
        self.calls += 1
        return x + float(rng.laplace())


class Token:
    """A session that is valid for half an hour."""

    def __init__(self) -> None:
        self.until = time.time() + 1800.0

    def __call__(self, x: float, rng: Rng) -> float:
        if time.time() > self.until:
            raise PermissionError("expired")
        return x + float(rng.laplace())


class Helper:
    """A mechanism with a helper of the name that samplers have."""

    def sample(self, data: float, q: float, rng: Rng) -> float:
        """Return the datum with probability q."""
        return data if rng.random() < q else 0.0

    def __call__(self, x: float, rng: Rng) -> float:
        return self.sample(x, 1.0, rng) + float(rng.laplace())


class Measurement:
    """What an OpenDP measurement is to a caller: it takes the data alone, and draws from the system."""

    def __call__(self, arg: float) -> float:
        return arg + float(np.random.default_rng().laplace())


@dataclasses.dataclass
class Result:
    """An output."""

    value: float
    rounds: int


@functools.lru_cache(maxsize=8)
def prepared(x: float) -> float:
    """Return what is costly and no draw."""
    return 2.0 * x


class Lazy:
    """Prepares itself at the first call."""

    @functools.cached_property
    def scale(self) -> float:
        """Return the scale of the noise."""
        return 1.0

    def __call__(self, x: float, rng: Rng) -> float:
        return x + float(rng.laplace(scale=self.scale))


def coins() -> Iterator[float]:
    """Yield noise from a generator of its own."""
    rng = np.random.default_rng()
    while True:
        yield float(rng.laplace())


def in_threads(x: float, rng: Rng) -> float:
    """Sum parts as threads finish them."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = [pool.submit(float, x / 4) for _ in range(4)]
        return sum(part.result() for part in concurrent.futures.as_completed(parts)) + float(rng.laplace())


async def asynchronous(x: float, rng: Rng) -> float:
    """Return a noisy answer, later."""
    await asyncio.sleep(0)
    return x + float(rng.laplace())


def in_a_program(x: float, rng: Rng) -> float:
    """Let another program add the noise."""
    done = subprocess.run(["cat"], input=repr(x + float(rng.laplace())), capture_output=True, text=True, check=True)  # noqa: S607
    return float(done.stdout)


def through_a_file(x: float, rng: Rng) -> float:
    """Write the answer to a file, and read it."""
    with tempfile.TemporaryFile("w+") as file:
        file.write(repr(x + float(rng.laplace())))
        file.seek(0)
        return float(file.read())


def in_a_database(x: float, rng: Rng) -> float:
    """Let a database sum."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        return float(connection.execute("SELECT ? + ?", (x, float(rng.laplace()))).fetchone()[0])


def with_a_thread(x: float, rng: Rng) -> float:
    """Compute in a thread that gives its answer through a queue."""
    answers: queue.Queue[float] = queue.Queue()
    thread = threading.Thread(target=lambda: answers.put(x))
    thread.start()
    thread.join()
    return answers.get() + float(rng.laplace())


def logged(x: float, rng: Rng) -> float:
    """Log what is done."""
    logging.getLogger("tests.studies").debug("noise for %s", x)
    return x + float(rng.laplace())


def logistic() -> Call:
    """Return a classifier's coefficients with noise, imported where they are needed."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - as in a test function

    X = np.random.default_rng(0).normal(size=(40, 3))
    y = X[:, 0] > 0
    return lambda x, rng: LogisticRegression(C=0.1).fit(X + x, y).coef_.ravel() + rng.laplace(scale=1.0, size=3)


def reduced() -> Call:
    """Return the components of PCA with noise."""
    from sklearn.decomposition import PCA  # noqa: PLC0415 - as in a test function

    X = np.random.default_rng(0).normal(size=(30, 3))
    return lambda x, rng: PCA(1).fit(X + x).components_.ravel() + rng.laplace(scale=1.0, size=3)


def clustered() -> Call:
    """Return the centre of k-means, which takes its own seed."""
    from sklearn.cluster import KMeans  # noqa: PLC0415 - as in a test function

    X = np.random.default_rng(0).normal(size=(20, 2))

    def mechanism(x: float, rng: Rng) -> Any:
        means = KMeans(1, n_init=1, random_state=int(rng.integers(2**31))).fit(X + x)
        return means.cluster_centers_[0] + rng.laplace(size=2)

    return mechanism


def tabled() -> Call:
    """Return the mean of a frame's column."""
    import pandas as pd  # noqa: PLC0415 - as in a test function

    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    return lambda x, rng: float(frame.assign(b=lambda f: f.a + x).b.mean() + rng.laplace())


def late(x: float, rng: Rng) -> float:
    """Import where it is used."""
    import colorsys  # noqa: PLC0415 - as in a mechanism

    return x + float(rng.laplace()) + 0.0 * colorsys.ONE_THIRD


def day(x: float, rng: Rng) -> datetime.date:
    """Return a date."""
    return datetime.date(2020, 1, 1) + datetime.timedelta(int(x + rng.geometric(0.5)))


def remembered(x: float, rng: Rng, known: OrderedDict[float, float]) -> float:
    """Remember what is no draw."""
    return known.setdefault(x, x) + float(rng.laplace())


def of_one_generator(own: Rng) -> Call:
    """Return a mechanism with a generator of its own."""
    return lambda x, _: x + own.laplace()


def of_a_stream(stream: Iterator[float]) -> Call:
    """Return a mechanism that takes its noise from a stream."""
    return lambda x, _: x + next(stream)


def called(measurement: Measurement) -> Call:
    """Return a measurement as a mechanism."""
    return lambda x, _: measurement(x)


def retrying(x: float, rng: Rng) -> float:
    """Draw again until the answer is in range."""
    while True:
        y = x + float(rng.laplace())
        if -20.0 < y < 20.0:
            return y


OWN, SYSTEM = np.random.default_rng(), secrets.SystemRandom()
HONEST: dict[str, Callable[[], Any]] = {
    "plain": lambda: lambda x, rng: x + rng.laplace(),
    "array": lambda: lambda x, rng: x + rng.laplace(size=3),
    "dict": lambda: lambda x, rng: {"value": x + float(rng.laplace()), "n": 3},
    "dataclass": lambda: lambda x, rng: Result(x + float(rng.laplace()), 3),
    "Decimal": lambda: lambda x, rng: decimal.Decimal(repr(x + float(rng.laplace()))),
    "Fraction": lambda: lambda x, rng: fractions.Fraction(x + float(rng.laplace())),
    "JSON text": lambda: lambda x, rng: json.dumps(round(x + float(rng.laplace()))),
    "bytes": lambda: lambda x, rng: bytes([int(np.clip(x + rng.laplace() + 9, 0, 255))]),
    "refusal": lambda: lambda x, rng: None if (y := x + float(rng.laplace())) < 0 else y,
    "set": lambda: lambda x, rng: {int(x + rng.laplace()), 100},
    "vectorised": lambda: Sampler(lambda x, n, rng: x + rng.laplace(size=n)),
    "vectorised, list": lambda: Sampler(lambda x, n, rng: (x + rng.laplace(size=n)).tolist()),
    "helper named sample": Helper,
    "functools.partial": lambda: functools.partial(lambda scale, x, rng: x + rng.laplace(scale=scale), 1.0),
    "numpy's own generator": lambda: lambda x, _: x + np.random.laplace(),  # noqa: NPY002
    "Python's own generator": lambda: lambda x, _: x + random.expovariate(1) - random.expovariate(1),
    "default_rng()": lambda: lambda x, _: x + np.random.default_rng().laplace(),
    "default_rng() of a module": lambda: lambda x, _: x + OWN.laplace(),
    "generator held": lambda: of_one_generator(np.random.default_rng()),
    "generator with a fixed seed, held": lambda: of_one_generator(np.random.default_rng(1)),
    "RandomState seeded from rng": lambda: lambda x, rng: x + np.random.RandomState(int(rng.integers(2**32))).laplace(),
    "generator spawned": lambda: lambda x, rng: x + rng.spawn(1)[0].laplace(),
    "secrets": lambda: lambda x, _: x + SYSTEM.expovariate(1) - SYSTEM.expovariate(1),
    "os.urandom": lambda: lambda x, _: x + np.random.default_rng(int.from_bytes(os.urandom(8), "big")).laplace(),
    "uuid": lambda: lambda x, rng: {"id": str(uuid.uuid4()), "y": x + float(rng.laplace())},
    "hour": lambda: lambda x, rng: {"hour": int(time.time() // 3600), "y": x + float(rng.laplace())},
    "time stamp": lambda: lambda x, rng: {"at": time.time(), "y": x + float(rng.laplace())},
    "date as text": lambda: lambda x, rng: day(x, rng).isoformat(),
    "date": lambda: day,
    "token": Token,
    "counter": lambda: Beside(None),
    "counter beside a database": lambda: Beside(sqlite3.connect(":memory:")),
    "counter beside a file": lambda: Beside(open(os.devnull, "w", encoding="utf-8")),  # noqa: SIM115
    "counter beside a lock": lambda: Beside(threading.Lock()),
    "counter beside a local of threads": lambda: Beside(threading.local()),
    "counter beside a generator": lambda: Beside(i for i in range(9)),
    "counter beside a weak reference": lambda: Beside(weakref.ref(Token)),
    "counter beside a buffer": lambda: Beside(io.StringIO()),
    "counter beside a logger": lambda: Beside(logging.getLogger("tests")),
    "counter beside a counter of itertools": lambda: Beside(itertools.count()),
    "stream of noise": lambda: of_a_stream(coins()),
    "lru_cache": lambda: lambda x, rng: prepared(x) / 2 + rng.laplace(),
    "cached_property": Lazy,
    "cache of answers that are no draws": lambda: functools.partial(remembered, known=OrderedDict()),
    "import in the call": lambda: late,
    "retries": lambda: retrying,
    "logging": lambda: logged,
    "thread pool": lambda: in_threads,
    "thread and queue": lambda: with_a_thread,
    "subprocess": lambda: in_a_program,
    "temporary file": lambda: through_a_file,
    "database in the call": lambda: in_a_database,
    "asyncio.run": lambda: lambda x, rng: asyncio.run(asynchronous(x, rng)),
    "coroutine function": lambda: asynchronous,
    "measurement called": lambda: called(Measurement()),
    "measurement itself": Measurement,
    "environment variable": lambda: lambda x, rng: x + rng.laplace() + 0 * len(os.environ.get("HOME", "")),
    "sklearn: logistic regression": logistic,
    "sklearn: PCA": reduced,
    "sklearn: k-means": clustered,
    "pandas: mean of a column": tabled,
}
#: What a mechanism needs that may not be installed, by how its name begins.
NEEDS = {"sklearn": "sklearn", "pandas": "pandas"}


# --- tables -------------------------------------------------------------------------------------------


def audited(mechanism: Any, trials: int, seed: int, confidence: float) -> audit.LowerBound | str:
    """Return the bound, or the first line of the refusal."""
    try:
        return audit.lower_bound(mechanism, 0.0, 1.0, trials=trials, seed=seed, confidence=confidence)
    except (audit.MechanismError, ValueError) as error:
        return str(error).splitlines()[0]


def dependence_table(audits: int, only: str) -> tuple[list[str], list[str]]:
    """Return the rows of the first table, and the names of those that are wrong more often than they may be."""
    rows, wrong = [], []
    for name, (make, exact) in DEPENDENT.items():
        if only not in name:
            continue
        found = [audited(make(), TRIALS, seed, 0.95) for seed in range(audits)]
        bounds = [of.epsilon for of in found if not isinstance(of, str)]
        above = sum(bound > exact for bound in bounds)
        # as many have probability below 1e-4 where one in twenty is wrong
        if above > binom.ppf(1 - 1e-4, max(len(bounds), 1), 0.05):
            wrong.append(name)
        largest = f"{max(bounds):.2f}" if bounds else ""
        rows.append(f"| {name} | {exact:g} | {audits - len(bounds)} of {audits} | {above} of {len(bounds)} | {largest} |")
        sys.stderr.write(rows[-1] + "\n")
    return rows, wrong


def honest_table(only: str) -> tuple[list[str], list[str], list[str]]:
    """Return the rows of the second table, the names of those that were refused, and of those that were left out."""
    rows, refused, left_out = [], [], []
    for name, make in HONEST.items():
        if only not in name:
            continue
        if (needs := NEEDS.get(name.partition(":")[0])) and importlib.util.find_spec(needs) is None:
            left_out.append(name)
            continue
        found = audited(make(), 300 if name in ("subprocess", "sklearn: k-means") else HONEST_TRIALS, 0, 0.999)
        if isinstance(found, str):
            refused.append(name)
        said = found if isinstance(found, str) else found.unchecked.partition(":")[0]
        said = said.replace("|", "\\|")
        rows.append(f"| {name} | {'refused' if isinstance(found, str) else f'{found.epsilon:.2f}'} | {said} |")
        sys.stderr.write(rows[-1] + "\n")
    return rows, refused, left_out


def main() -> None:
    """Print both tables, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=AUDITS, help="audits of each dependent mechanism")
    parser.add_argument("--only", default="", help="part of a name; nothing is written")
    options = parser.parse_args()
    first, wrong = dependence_table(options.audits, options.only)
    second, refused, left_out = honest_table(options.only)
    text = "\n".join(
        [
            "# Dependent and honest mechanisms",
            "",
            "Written by `python -m tests.studies.dependence`.",
            "",
            f"Of {len(first)} kinds of dependence, {len(wrong)} gave a bound above the exact epsilon more often than the level "
            f"allows{': ' * bool(wrong)}{', '.join(wrong)}.",
            f"Each was audited {options.audits} times with {TRIALS:,} trials, at a confidence of 0.95.",
            "",
            "| dependence | exact epsilon | refused | bound above it | largest bound |",
            "| --- | --- | --- | --- | --- |",
            *first,
            "",
            f"Of {len(second)} honest mechanisms {len(refused)} were refused. Not installed, and left out: "
            f"{', '.join(left_out) or 'none'}. An epsilon is a bound from {HONEST_TRIALS:,} trials at a confidence of 0.999.",
            "",
            "| mechanism | bound | what was said |",
            "| --- | --- | --- |",
            *second,
            "",
        ]
    )
    sys.stdout.write(text)
    if not options.only:
        TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
