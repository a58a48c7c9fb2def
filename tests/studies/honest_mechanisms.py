"""Mechanisms as people write them, whose trials are exchangeable; what is refused has a line that says what to write."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import io
import itertools
import json
import logging
import math
import multiprocessing
import os
import queue
import random
import secrets
import sqlite3
import subprocess
import tempfile
import threading
import time
import uuid
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tests.studies.dependent_mechanisms import Database
from tests.studies.known_mechanisms import Vectorised

Rng = np.random.Generator
Call = Callable[[float, Rng], Any]


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
    "vectorised": lambda: Vectorised(lambda x, n, rng: x + rng.laplace(size=n)),
    "vectorised, list": lambda: Vectorised(lambda x, n, rng: (x + rng.laplace(size=n)).tolist()),
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
    "counter beside a database": lambda: Beside(sqlite3.connect(":memory:", factory=Database)),
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


# --- honest: other libraries, and what they return -----------------------------------------------------


class Spare:
    """Draws two normal numbers at a time, and keeps the second for the next call."""

    def __init__(self) -> None:
        self.left: list[float] = []

    def __call__(self, x: float, rng: Rng) -> float:
        if not self.left:
            r, angle = math.sqrt(-2.0 * math.log(1.0 - rng.random())), 2.0 * math.pi * rng.random()
            self.left = [r * math.cos(angle), r * math.sin(angle)]
        return x + self.left.pop()


def seeding_numpy(x: float, rng: Rng) -> float:
    """Seed numpy's own generator in the call."""
    np.random.seed(int(rng.integers(2**32)))  # noqa: NPY002
    return x + float(np.random.laplace())  # noqa: NPY002


def seeding_from_the_system(x: float, _: Rng) -> float:
    """Seed numpy's own generator from the system in the call."""
    np.random.seed()  # noqa: NPY002
    return x + float(np.random.laplace())  # noqa: NPY002


def seeding_python(x: float, rng: Rng) -> float:
    """Seed Python's own generator in the call."""
    random.seed(int(rng.integers(2**63)))
    return x + random.expovariate(1) - random.expovariate(1)


class Prepared:
    """A dataset that keeps what has been computed of it."""

    def __init__(self, values: list[float]) -> None:
        self.values = values
        self.total: float | None = None


def of_a_prepared(data: Any, rng: Rng) -> float:
    """Keep the total on the data, which is no draw."""
    data = data if isinstance(data, Prepared) else Prepared([data])
    if data.total is None:
        data.total = sum(data.values)
    return data.total + float(rng.laplace())


class Scale(enum.Enum):
    """An answer in words."""

    LOW = 0
    HIGH = 1


class Released(NamedTuple):
    """An answer and how it came about."""

    value: float
    clipped: bool


async def gathered(x: float, rng: Rng) -> float:
    """Sum parts that come one by one."""

    async def part() -> float:
        await asyncio.sleep(0)
        return x / 4

    return sum(await asyncio.gather(*(part() for _ in range(4)))) + float(rng.laplace())


class HoldsPool:
    """Holds a pool of threads."""

    def __init__(self) -> None:
        self.pool = concurrent.futures.ThreadPoolExecutor(2)

    def __call__(self, x: float, rng: Rng) -> float:
        return float(self.pool.submit(lambda: x).result()) + float(rng.laplace())


class HoldsCursor:
    """Holds a cursor that the data are read from again and again."""

    def __init__(self) -> None:
        self.cursor = sqlite3.connect(":memory:", factory=Database).cursor()
        self.cursor.execute("CREATE TABLE t (y REAL)")
        self.cursor.executemany("INSERT INTO t VALUES (?)", [(float(i),) for i in range(3)])

    def __call__(self, x: float, rng: Rng) -> float:
        return x + float(self.cursor.execute("SELECT sum(y) FROM t").fetchone()[0]) + float(rng.laplace())


def in_another_process(x: float, rng: Rng) -> float:
    """Compute in a process of multiprocessing's."""
    receive, send = multiprocessing.get_context("fork").Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=send.send, args=(x,))
    process.start()
    answer = float(receive.recv())
    process.join()
    return answer + float(rng.laplace())


def torch_step() -> Call:
    """Return a step of private training, drawn from torch's own generator."""
    import torch  # noqa: PLC0415 - as in a test function

    def mechanism(x: float, _: Rng) -> Any:
        weight = torch.zeros(2, requires_grad=True)
        ((weight * torch.tensor([1.0, x])).sum()).backward()
        return weight.grad + torch.distributions.Laplace(0.0, 1.0).sample((2,))

    return mechanism


def torch_seeded() -> Call:
    """Return noise of a torch generator seeded by rng."""
    import torch  # noqa: PLC0415 - as in a test function

    def mechanism(x: float, rng: Rng) -> Any:
        generator = torch.Generator().manual_seed(int(rng.integers(2**63)))
        return x + torch.randn(1, generator=generator, dtype=torch.float64)

    return mechanism


def jax_keyed() -> Call:
    """Return noise of a jax key made from rng."""
    import jax  # noqa: PLC0415 - as in a test function

    step = jax.jit(lambda x, key: x + jax.random.laplace(key, (2,)))
    return lambda x, rng: step(x, jax.random.PRNGKey(int(rng.integers(2**31))))


def numba_compiled() -> Call:
    """Return noise of a compiled function."""
    import numba  # noqa: PLC0415 - as in a test function

    add = numba.njit(lambda x, u: x + np.sign(u - 0.5) * np.log(1.0 - 2.0 * abs(u - 0.5)))
    return lambda x, rng: float(add(x, rng.random()))


def numba_own() -> Call:
    """Return noise of numba's own generator, which is neither numpy's nor seeded by anybody."""
    import numba  # noqa: PLC0415 - as in a test function

    draw = numba.njit(lambda x: x + np.random.laplace(0.0, 1.0))  # noqa: NPY002
    return lambda x, _: float(draw(x))


def polars_frame() -> Call:
    """Return a frame of polars."""
    import polars as pl  # noqa: PLC0415 - as in a test function

    return lambda x, rng: pl.DataFrame({"group": ["a", "b"], "count": x + rng.laplace(size=2)})


def polars_query() -> Call:
    """Return what a query of polars gives, with noise."""
    import polars as pl  # noqa: PLC0415 - as in a test function

    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0]})
    return lambda x, rng: frame.select((pl.col("a") + x).sum()).item() / 3 + rng.laplace()


def opendp_measurement() -> Call:
    """Return a measurement of OpenDP's as a mechanism."""
    import opendp.prelude as dp  # noqa: PLC0415 - as in a test function

    dp.enable_features("contrib")
    made = dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=1.0)
    return lambda x, _: made(x)


def diffprivlib_mechanism() -> Call:
    """Return a mechanism of diffprivlib's, with its default generator."""
    from diffprivlib.mechanisms import Laplace  # noqa: PLC0415 - as in a test function

    made = Laplace(epsilon=1.0, sensitivity=1.0)
    return lambda x, _: made.randomise(x)


def diffprivlib_mean() -> Call:
    """Return diffprivlib's mean, seeded by rng."""
    from diffprivlib.tools import mean  # noqa: PLC0415 - as in a test function

    return lambda x, rng: mean([x, 0.0, 1.0], epsilon=1.0, bounds=(0.0, 1.0), random_state=int(rng.integers(2**31)))


def pandas_frame() -> Call:
    """Return a frame."""
    import pandas as pd  # noqa: PLC0415 - as in a test function

    return lambda x, rng: pd.DataFrame({"group": ["a", "b"], "count": x + rng.laplace(size=2)})


def pandas_series() -> Call:
    """Return a series with dates."""
    import pandas as pd  # noqa: PLC0415 - as in a test function

    days = pd.date_range("2020-01-01", periods=2)
    return lambda x, rng: pd.Series(x + rng.laplace(size=2), index=days, name="count")


def pandas_time() -> Call:
    """Return a time of pandas."""
    import pandas as pd  # noqa: PLC0415 - as in a test function

    return lambda x, rng: pd.Timestamp("2020-01-01") + pd.Timedelta(hours=float(x + rng.laplace()))


def sklearn_estimator() -> Call:
    """Return an estimator itself."""
    from sklearn.linear_model import LinearRegression  # noqa: PLC0415 - as in a test function

    return lambda x, rng: LinearRegression().fit([[0.0], [1.0]], [x, float(rng.laplace())])


STRUCTURE = np.dtype([("value", float), ("n", int)])
HONEST |= {
    "normal numbers in pairs": Spare,
    "numpy seeded by rng in the call": lambda: seeding_numpy,
    "numpy seeded by the system": lambda: seeding_from_the_system,
    "Python seeded by rng in the call": lambda: seeding_python,
    "kept on the data, no draw": lambda: of_a_prepared,
    "enum": lambda: lambda x, rng: Scale(int(x + rng.laplace() > 0)),
    "named tuple": lambda: lambda x, rng: Released(x + float(rng.laplace()), False),
    "complex": lambda: lambda x, rng: complex(x + rng.laplace(), 1.0),
    "structured array": lambda: lambda x, rng: np.array([(x + rng.laplace(), 3)], STRUCTURE),
    "structured row": lambda: lambda x, rng: np.array([(x + rng.laplace(), 3)], STRUCTURE)[0],
    "datetime64": lambda: lambda x, rng: np.datetime64("2020-01-01", "s") + int(3600 * (x + rng.laplace())),
    "array of dates": lambda: lambda x, rng: np.datetime64("2020-01-01") + np.round(3 * (x + rng.laplace(size=2))).astype(int),
    "date and time": lambda: lambda x, rng: datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=x + rng.laplace()),
    "length of time": lambda: lambda x, rng: datetime.timedelta(seconds=x + rng.laplace()),
    "uuid itself": lambda: lambda x, rng: {"id": uuid.uuid4(), "y": x + float(rng.laplace())},
    "masked array": lambda: lambda x, rng: np.ma.masked_array([x + rng.laplace()], [False]),
    "generator of answers": lambda: lambda x, rng: (y for y in [x + float(rng.laplace())]),
    "large integer": lambda: lambda x, rng: 10**30 + int(x + rng.laplace()),
    "asyncio.gather": lambda: lambda x, rng: asyncio.run(gathered(x, rng)),
    "pool of threads, held": HoldsPool,
    "cursor, held": HoldsCursor,
    "process of multiprocessing": lambda: in_another_process,
    "method": lambda: Beside(None).__call__,
    "torch: step of training": torch_step,
    "torch: generator seeded by rng": torch_seeded,
    "jax: key from rng": jax_keyed,
    "numba: compiled": numba_compiled,
    "numba: its own generator": numba_own,
    "polars: frame": polars_frame,
    "polars: query": polars_query,
    "opendp: measurement": opendp_measurement,
    "diffprivlib: Laplace": diffprivlib_mechanism,
    "diffprivlib: mean": diffprivlib_mean,
    "pandas: frame": pandas_frame,
    "pandas: series with dates": pandas_series,
    "pandas: time": pandas_time,
    "sklearn: estimator": sklearn_estimator,
}
#: What a mechanism needs that may not be installed is how its name begins; those of a process of their own take long.
SLOW = frozenset({"subprocess", "process of multiprocessing", "sklearn: k-means"})
