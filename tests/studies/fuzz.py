"""Input fuzz, generated from the declarations: whatever the arguments, a result within the postcondition or a clear refusal.

A case takes an algorithm, a reading and its worked example, and puts something else in place of one to three of: the data,
the public arguments. What may come of it is a finite result of the declared kind, or a ValueError that begins with the name
of an argument; no other exception, no warning, within five seconds of processor time and a gigabyte. `make fuzz` runs
100,000 cases and writes tests/studies/FUZZ.md.
"""

from __future__ import annotations

import argparse
import contextlib
import decimal
import math
import re
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration, Returns
from dppca.reference.noise import record
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace

#: Processor time and memory that a case may take; the account of DP-VRPCA takes longer where its noise is large or small.
SECONDS, BYTES = 5.0, 1 << 30
LONGER = {"shang2021.dp_vrpca": 60.0}
TABLE = Path(__file__).with_name("FUZZ.md")
#: One in so many cases is a call of what is exported (fuzz_audits.py), beside those of algorithms.
AUDITS_SHARE = 25

#: Numbers over the whole range of float64, at its edges and at those of the documented domains.
EDGES = [0.0, -0.0, 5e-324, 2.3e-308, 1e-300, 1e-200, 1e-100, 1e-60, 1e-16, 0.5, 1.0, 1.5, 1e16, 1e60, 1e100, 1e155, 1.7e308]
NO_NUMBERS: list[Any] = [
    None,
    "1",
    b"1",
    "",
    1j,
    complex(1.0, 0.0),
    [],
    [1.0],
    (),
    {},
    {"a": 1},
    object(),
    np.array([0.5, 0.5]),
    np.array(0.5),
    np.array([], dtype=float),
    np.ma.masked,
    np.ma.masked_array([1.0], [True]),
    pd.NA,
    pd.Series([1.0]),
    decimal.Decimal("NaN"),
    np.datetime64("2020-01-01"),
    lambda: 1.0,
    float,
    True,
    False,
    np.True_,
]
ODD_NUMBERS: list[Any] = [
    math.nan,
    math.inf,
    -math.inf,
    10**400,
    -(10**400),
    10**5000,
    Fraction(1, 3),
    Fraction(1, 10**400),
    Fraction(10**400),
    decimal.Decimal("0.5"),
    np.float32(0.5),
    np.float16(6e4),
    np.longdouble("1e400"),
    np.int8(3),
    np.uint64(2**64 - 1),
    np.int64(-(2**63)),
]
COUNTS: list[Any] = [-1, 0, 1, 2, 3, 4, 5, 7, 640, 10**9, 2**31, 2**63 - 1, 2**63, 10**30, 2.0, 2.5, 1e3]


def number(rng: np.random.Generator) -> Any:
    """Return what may stand where a real number should."""
    kind = rng.integers(6)
    if kind == 0:
        return _pick(rng, NO_NUMBERS)
    if kind == 1:
        return _pick(rng, ODD_NUMBERS)
    if kind == 2:
        return _pick(rng, EDGES) * _pick(rng, [1.0, -1.0])
    if kind == 3:
        return float(rng.uniform())
    if kind == 4:
        return 10.0 ** rng.uniform(-3.0, 3.0)
    return float(rng.integers(0, 2**63 - 1, dtype=np.int64).view(np.float64))  # of any exponent


def count(rng: np.random.Generator) -> Any:
    """Return what may stand where an integer should."""
    kind = rng.integers(4)
    return number(rng) if kind == 0 else _pick(rng, COUNTS) if kind < 3 else int(rng.integers(-3, 12))


def numbers(rng: np.random.Generator, like: Any) -> Any:
    """Return what may stand where numbers in a row should."""
    listed = [float(each) for each in like]
    kind = rng.integers(5)
    if kind == 0:
        return number(rng)
    if kind == 1:
        return listed[: int(rng.integers(0, len(listed) + 1))] * int(rng.integers(1, 3))
    if kind == 2:
        return np.array(listed).reshape(rng.permutation([len(listed), 1]))
    if kind == 3:
        return [number(rng) for _ in listed]
    listed[int(rng.integers(len(listed)))] = number(rng)
    return listed


def records(rng: np.random.Generator, like: Any) -> Any:
    """Return what may stand where real records should: other entries, shapes, types and containers."""
    X = np.array(like, dtype=float)
    n, d = X.shape
    frame = pd.DataFrame(X)
    types: list[Any] = [np.float32, np.float16, np.longdouble, np.int8, np.uint8, bool, complex, object, str, "S9"]

    def changed(row: Any) -> list[Any]:
        rows = list(X.tolist())
        rows[int(rng.integers(n))] = row
        return rows

    def entry() -> Any:
        X[int(rng.integers(n)), int(rng.integers(d))] = _as_float(number(rng))
        return X

    ways: list[Callable[[], Any]] = [
        lambda: _pick(rng, NO_NUMBERS + ODD_NUMBERS),
        lambda: X[: int(rng.integers(0, n + 1))],
        lambda: X[:, : int(rng.integers(0, d + 1))],
        lambda: np.hstack([X, X]),
        lambda: _pick(rng, [X.T, X[np.newaxis], X.ravel(), X[..., np.newaxis], np.asfortranarray(X), X[::-1], X[:, ::-1]]),
        lambda: X.astype(_pick(rng, types)),
        lambda: np.ma.masked_array(X, mask=rng.random(X.shape) < 0.1),
        lambda: _pick(rng, [frame, frame.astype(object), frame.assign(name="x"), frame.astype("Float64"), pd.Series(X[:, 0])]),
        lambda: changed(_pick(rng, [[], None, [1.0], "row", [None] * d, [np.ma.masked] * d])),
        lambda: changed([_pick(rng, EDGES)] * d),
        lambda: X * 0.0,
        lambda: np.ones_like(X) * _pick(rng, EDGES),
        lambda: X * _pick(rng, EDGES),
        lambda: np.outer(np.ones(n), rng.normal(size=d)) * 0.1,
        lambda: rng.choice([*EDGES, *(-edge for edge in EDGES)], size=X.shape),
        lambda: rng.normal(size=(n, d, d)) * _pick(rng, EDGES),
        entry,
        entry,
    ]
    return _pick(rng, ways)()


def exact_records(rng: np.random.Generator, like: Any) -> Any:
    """Return what may stand where exact rows should."""
    rows = [list(row) for row in like]
    n, d = len(rows), len(rows[0])

    def changed(row: Any) -> list[Any]:
        rows[int(rng.integers(n))] = row
        return rows

    def entry() -> list[Any]:
        rows[int(rng.integers(n))][int(rng.integers(d))] = _pick(rng, [number(rng), count(rng), 2**200])
        return rows

    ways: list[Callable[[], Any]] = [
        lambda: _pick(rng, NO_NUMBERS + ODD_NUMBERS),
        lambda: rows[: int(rng.integers(0, n + 1))],
        lambda: _pick(rng, [np.array(rows), np.array(rows, dtype=float), np.array(rows, dtype=object), pd.DataFrame(rows)]),
        lambda: changed(_pick(rng, [[], None, [1], "row", [None] * d, [0] * d])),
        lambda: [[int(each) * int(rng.integers(-3, 4)) for each in row] for row in rows],
        lambda: [[Fraction(int(each), int(rng.integers(1, 9))) for each in row] for row in rows],
        entry,
    ]
    return _pick(rng, ways)()


def case(rng: np.random.Generator, key: str) -> tuple[str, dict[str, Any], Any]:
    """Return a reading, arguments and data."""
    declaration = ALGORITHMS[key]
    arguments, data = dict(declaration.example.arguments), declaration.example.data
    for name in rng.permutation([*arguments, "data", "data"])[: int(_pick(rng, [1, 1, 1, 2, 3]))]:
        if name == "data":
            like = declaration.example.data
            data = (records if isinstance(like, np.ndarray) else exact_records)(rng, like)
        elif isinstance(arguments[name], np.ndarray):
            arguments[name] = records(rng, arguments[name])
        elif isinstance(arguments[name], tuple):
            arguments[name] = numbers(rng, arguments[name])
        else:
            arguments[name] = (count if isinstance(arguments[name], int) else number)(rng)
    return str(_pick(rng, list(declaration.choices))), arguments, data


def outcome(key: str, choice: str, arguments: dict[str, Any], data: Any) -> str:
    """Return what came of it: "result", "refused", or what went wrong."""
    declaration = ALGORITHMS[key]
    names = {declaration.data_name, *arguments}
    limit = LONGER.get(key, SECONDS)
    started = time.process_time()
    try:
        with warnings.catch_warnings(), limits(limit):
            warnings.simplefilter("error")
            algorithm = declaration.bind(**arguments, choices=declaration.choices[choice])
            output, _ = record(algorithm, data, np.random.default_rng(0))
    except ValueError as error:
        first = re.match(r"\w+", str(error))
        return "refused" if first and first.group() in names else f"unnamed: {error}"
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return f"{type(error).__name__}: {error}"
    if time.process_time() - started > limit:
        return f"slow: {time.process_time() - started:.0f} s"
    return _problem(declaration, output) or "result"


def _problem(declaration: Declaration, output: Any) -> str:
    """Return what is wrong with a result; nothing is said where nothing is."""
    if output is None:
        return ""
    if declaration.returns.is_basis:
        gram = output.T @ output
        return "" if output.ndim == 2 and np.abs(gram - np.eye(len(gram))).max() < 1e-9 else f"no basis: {output!r}"
    if declaration.returns is Returns.SUBSPACE:
        return "" if isinstance(output, RationalSubspace) else f"no subspace: {output!r}"
    parts = [output.w, output.score, output.c_1, output.c_2] if declaration.returns is Returns.RECORD else [output]
    return "" if all(np.isfinite(part).all() for part in parts) else f"not finite: {output!r}"


@contextlib.contextmanager
def limits(seconds: float) -> Iterator[None]:
    """So much processor time, and a gigabyte more than now where the system can say so."""
    import resource  # noqa: PLC0415 - not everywhere

    def stop(*_: Any) -> None:
        raise TimeoutError(f"longer than {seconds:g} s")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if sys.platform == "linux" else 0
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, hard))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def run(cases: int, seed: int, keys: list[str]) -> dict[str, Counter[str]]:
    """Outcomes by algorithm, the same number of cases for each."""
    found: dict[str, Counter[str]] = {}
    for place, key in enumerate(keys):
        rng = np.random.default_rng([seed, place])
        found[key] = Counter()
        for _ in range(-(-cases // len(keys))):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                choice, arguments, data = case(rng, key)
            what = outcome(key, choice, arguments, data)
            found[key][what] += 1
            if what not in ("result", "refused"):
                shown = {
                    name: value for name, value in arguments.items() if value is not ALGORITHMS[key].example.arguments.get(name)
                }
                other = "" if data is ALGORITHMS[key].example.data else f", data {type(data).__name__} {str(data)[:300]}"
                print(f"{key} {choice}: {what[:300]}\n    {str(shown)[:500]}{other}", flush=True)  # noqa: T201
    return found


def _pick(rng: np.random.Generator, values: list[Any]) -> Any:
    return values[int(rng.integers(len(values)))]


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def main() -> int:
    """Run, print what went wrong, write the table if asked to; status 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of an algorithm's name")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    found = run(arguments.cases, arguments.seed, [key for key in ALGORITHMS if arguments.only in key])
    lines = ["| algorithm | cases | results | named refusals | anything else |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| `{key}` | {of.total():,} | {of['result']:,} | {of['refused']:,} | {of.total() - of['result'] - of['refused']:,} |"
        for key, of in found.items()
    ]
    wrong = any(of.total() > of["result"] + of["refused"] for of in found.values())
    from tests.studies import fuzz_audits  # noqa: PLC0415 - which takes its odd values from here

    names = [name for name in fuzz_audits.CALLS if arguments.only in name]
    calls = fuzz_audits.run(arguments.cases // AUDITS_SHARE, arguments.seed, names)
    lines += [
        "",
        "| call | cases | results | named refusals | failures of what is audited | anything else |",
    ]
    lines += ["| --- | --- | --- | --- | --- | --- |"]
    lines += [
        f"| `{name}` | {of.total():,} | {of['result']:,} | {of['refused']:,} | {of['failed']:,} | {of['wrong']:,} |"
        for name, of in calls.items()
    ]
    wrong |= any(of["wrong"] for of in calls.values())
    print("\n".join(lines))  # noqa: T201
    if arguments.write:
        head = (
            f"# Odd inputs\n\nWritten by `make fuzz`, seed {arguments.seed}; `tests/studies/fuzz.py` says what a case is.\n\n"
        )
        TABLE.write_text(head + "\n".join(lines) + "\n")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
