"""The sizes and options at which an algorithm's budget and sensitivities are checked, drawn from stated ranges.

The names come from the signatures of the calibration and of the function, their defaults included, the data from the declared
domain. Every number is drawn log-uniformly: from as many parts of the logarithmic range as there are cases, one from each, so
that each size of a range comes under some seed, and each order of magnitude under every seed. Whole numbers are odd and even by
turns. The ends of a range come more often. What an algorithm refuses is left out.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from dppca.reference.declaration import Declaration

#: Largest value of a size, whose least is 1. Of a list of step sizes it is the length.
LARGEST: Mapping[str, int] = MappingProxyType(
    {
        "n": 300,
        "d": 60,
        "p": 60,
        "k": 12,
        "r": 4,
        "k_max": 5,
        "L": 1_000,
        "T": 1_000,
        "m": 20,
        "rounds": 6,
        "step_sizes": 1_000,
        "ell": 4,
        "B": 2_000,
    }
)
#: The same of data in exact numbers, whose subsets are all gone through.
LARGEST_EXACT: Mapping[str, int] = MappingProxyType({**LARGEST, "n": 12, "d": 40, "k": 5})
#: Sizes far beyond the largest, each in a case of its own: a branch for large data shows there.
FAR: Mapping[str, int] = MappingProxyType({"n": 5_000, "d": 100, "p": 100})
#: The most points where the dimension is above the first number: there are many subsets.
MANY_SUBSETS, FEW_POINTS = 4, 8
#: Ranges of the options.
RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "epsilon": (1e-5, 600.0),
        "delta": (1e-9, 0.9),
        "rate": (0.005, 1.0),
        "C": (0.1, 2.0),
        "K": (0.1, 4.0),
        "a": (0.5, 1.5),
        "gamma": (1e-4, 1.0),
        "lambda_1": (0.1, 10.0),
        "zeta": (0.01, 0.9),
        "mu": (0.05, 0.9),
        "lambda_": (1e-3, 1.0),
        "eigenvalue": (0.05, 2.0),
        "ceiling": (0.5, 4.0),
        "target": (0.1, 4.0),
        "gamma_hat": (0.05, 0.9),
        "lot": (1.0, 100.0),
        "eta": (0.01, 1.0),
    }
)
#: Arguments that are no size and no option: what `bind` gives, names of draws, and how hard an account is proved.
NO_SIZES = ("calibration", "noise", "choices", "prefix", "certify", "progress", "auxiliary", "name")
#: With so much to spend a batch may be small: from 4 records on a half has two, and a bin of theirs is shown.
SMALL_BATCHES = MappingProxyType({"epsilon": 60.0, "delta": 0.2, "zeta": 0.5, "K": 1.0})
LEAST_BATCH = 4
#: How often something is repeated, and what ends it: drawn in every case with batches, beside one or two of the others.
REPEATED = ("rounds", "target", "r")
#: Cases with batches for each other one, and numbers in all records of one, at most, where each is a matrix.
BATCH_CASES, MOST_NUMBERS = 2, 60_000
#: Part of a logarithmic range beyond each end, which is taken for the end.
END = 0.04
#: A limit below this is for all cases together.
FEW = 8
#: Number of records where the declaration does not fix it, and something else is another one.
FEW_RECORDS = 6


@dataclass(frozen=True)
class SizedCase:
    """Arguments of `bind`, and the sizes of the data that go with them."""

    arguments: Mapping[str, Any]
    n: int
    d: int
    is_far: bool = False

    @property
    def name(self) -> str:
        """Return what a message says of the case."""
        listed = ", ".join(f"{name} = {_short(value)}" for name, value in self.arguments.items() if name not in NO_SIZES)
        return f"{listed}; n = {self.n} records of dimension {self.d}"


def _short(value: Any) -> Any:
    return f"{len(value)} from {value[0]} on" if isinstance(value, tuple) else value


def names(entry: Declaration) -> list[str]:
    """Return the sizes and options of an algorithm."""
    signatures = [inspect.signature(of).parameters for of in (entry.function, entry.calibrate) if of is not None]
    listed = dict.fromkeys(name for parameters in signatures for name in parameters)
    counted = "T" if "step_sizes" in listed else ""  # the number of step sizes
    return [name for name in listed if name not in (*NO_SIZES, entry.data_name, counted)]


def _with(name: str, value: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with another value; of step sizes it is the number, and they fall."""
    if name == "step_sizes":
        return {**arguments, name: falling(arguments[name][0], value)}
    return {**arguments, name: value}


def falling(first: float, number: int) -> tuple[float, ...]:
    """Return so many step sizes, no two alike."""
    return tuple(first / (1 + i) for i in range(number))


def drawn(entry: Declaration, name: str, count: int, rng: np.random.Generator) -> list[Any]:
    """Return so many values of an argument, log-uniform, one from each part of its range, in random order."""
    whole = (LARGEST_EXACT if isinstance(entry.example.data, list) else LARGEST).get(name)
    low, high = RANGES[name] if whole is None else (0.5, whole + 0.5)
    least = {"ell": 0, "B": LEAST_BATCH}.get(name, 1)
    values, odd = [], int(rng.integers(2))
    for part in rng.permutation(count).tolist():
        at = min(max((1.0 + 2.0 * END) * (part + rng.random()) / count - END, 0.0), 1.0)
        value = low * (high / low) ** at
        if whole is None:
            values.append(float(min(max(value, low), high)))
            continue
        size = min(max(round(value), least), whole)
        inside = least < size < whole
        values.append(size + 1 if inside and (size + part) % 2 == odd else size)
    return values


def cases(entry: Declaration, limit: int, seed: int) -> list[SizedCase]:
    """Return the declared example's arguments, other values of each, and so many mixed ones; few of all for a low limit."""
    rng = np.random.default_rng(seed)
    base = {name: value for name, value in entry.example.arguments.items() if name not in ("auxiliary",)}
    kept = {name: value for name, value in entry.example.arguments.items() if name == "auxiliary"}
    listed = [*(_batches if "B" in names(entry) else _mixed)(entry, base, limit, rng)]
    if limit >= FEW and "B" not in names(entry):
        listed = [*_single(entry, base, limit, rng), *listed]
    listed = [_accepted(entry, base, case, rng) for case in listed]
    whole = [SizedCase({**case.arguments, **kept}, case.n, case.d) for case in listed]
    declared = SizedCase(entry.example.arguments, len(entry.example.data), len(entry.example.data[0]))
    return [declared, *{case.name: case for case in whole}.values()]


def far_cases(entry: Declaration) -> list[SizedCase]:
    """Return the declared example with thousands of records, and with long ones.

    There are none in batches, which have as many records already, of exact numbers, and with a step for each record.
    """
    base, (rows, columns) = entry.example.arguments, entry.data.sizes
    if "B" in names(entry) or isinstance(entry.example.data, list) or {"n", "step_sizes"} <= base.keys():
        return []
    # a large delta is spent on each of many records without any noise
    hidden = {"delta": RANGES["delta"][0]} if "delta" in base else {}
    many, long = ({name: FAR[name]} if name in base else {} for name in (rows, columns))
    return [
        replace(_sized(entry, {**base, **hidden, **many}, FAR[rows]), is_far=True),
        replace(_sized(entry, {**base, **long}, FEW_RECORDS), d=FAR[columns], is_far=True),
    ]


def _sized(entry: Declaration, arguments: Mapping[str, Any], n: int) -> SizedCase:
    """Return a case whose data have the sizes that its arguments say, and at least as many columns as a subspace needs."""
    rows, columns = entry.data.sizes
    declared = entry.example.arguments
    if "n" in declared and len(declared.get("step_sizes", ())) == declared["n"]:  # one step for each record
        arguments = _with("step_sizes", arguments["n"], arguments)
    if "T" in arguments and "m" in arguments:  # epochs of so many steps
        arguments = _with("T", max(1, min(arguments["T"], LARGEST["T"] // arguments["m"])), arguments)
    rank = max(arguments.get("k", 1), arguments.get("r", 1), arguments.get("k_max", 0) + 1)
    if arguments.get(columns, rank) < rank:
        arguments = _with(columns, rank, arguments)
    d = max(arguments.get(columns, arguments.get("d", len(entry.example.data[0]))), rank)
    few = isinstance(entry.example.data, list) and rank > MANY_SUBSETS
    return SizedCase(arguments, arguments.get(rows, min(n, FEW_POINTS) if few else n), d)


def _accepted(entry: Declaration, base: Mapping[str, Any], case: SizedCase, rng: np.random.Generator) -> SizedCase:
    """Return a case some of whose arguments are the declared example's: one after another, until no calibration refuses it."""
    arguments = dict(case.arguments)
    for name in ("", *rng.permutation(sorted(arguments)).tolist()):
        arguments |= {name: base[name]} if name in base else {}
        try:
            calibration_of(entry, arguments, entry.choices["CORRECTED"])
        except ValueError:
            continue
        if {"B", "d"} <= arguments.keys():  # the batches may be the example's, which are larger
            arguments["d"] = min(arguments["d"], _most_columns(arguments))
        if "B" in arguments and "step_sizes" in arguments:  # as many as there are batches of these
            arguments = _with("step_sizes", steps(entry, arguments), arguments)
        return _sized(entry, arguments, case.n) if arguments != case.arguments else case
    return case


def _single(entry: Declaration, base: Mapping[str, Any], count: int, rng: np.random.Generator) -> Iterator[SizedCase]:
    """Yield cases in which one argument alone, or the number or the dimension of the records, is another one."""
    for name in names(entry):
        for value in drawn(entry, name, count, rng):
            yield _sized(entry, _with(name, value, base), FEW_RECORDS)
    yield from (_sized(entry, base, n) for n in drawn(entry, "n", count, rng))
    if entry.data.sizes[1] not in base:
        yield from (SizedCase(base, _sized(entry, base, FEW_RECORDS).n, d) for d in drawn(entry, "d", count, rng))


def _mixed(entry: Declaration, base: Mapping[str, Any], count: int, rng: np.random.Generator) -> Iterator[SizedCase]:
    """Yield so many cases all of whose arguments are drawn."""
    values, records = {name: drawn(entry, name, count, rng) for name in names(entry)}, drawn(entry, "n", count, rng)
    for i in range(count):
        arguments: Mapping[str, Any] = base
        for name, of in values.items():
            arguments = _with(name, of[i], arguments)
        yield _sized(entry, arguments, records[i])


def _batches(entry: Declaration, base: Mapping[str, Any], count: int, rng: np.random.Generator) -> Iterator[SizedCase]:
    """Yield batches, odd and even, with records over; in turn with all else as for small batches, and with drawn options.

    As much may be spent as a batch of four records needs, or less for a larger one: with little to spend a bin of a few records
    is not shown.
    """
    sizes = [name for name in names(entry) if name not in ("n", "B", "step_sizes", *SMALL_BATCHES)]
    count *= BATCH_CASES
    values = {name: drawn(entry, name, count, rng) for name in dict.fromkeys([*sizes, "B", "d", "m"])}
    for i in range(count):
        small = {**base, **{name: value for name, value in SMALL_BATCHES.items() if name in base}}
        for name in (*rng.permutation(sizes)[: int(rng.integers(1, 3))].tolist(), *REPEATED):
            small |= {name: values[name][i]} if name in sizes else {}
        rounds, parts = small.get("rounds", 0), 2 * small.get("r", 1)
        B = max(LEAST_BATCH, values["B"][i] // max(rounds, 1) ** 2)  # many rounds have many runs each
        d = min(small.get("d", values["d"][i]), _most_columns({**small, "B": B}))
        small |= {"epsilon": 4.0**rounds * small["epsilon"] * (LEAST_BATCH / B) ** rng.random()}  # a round has a part of it
        number = min(values["m"][i], max(1, MOST_NUMBERS // (parts * B * d * d)))
        case = _in_batches(entry, {**small, "d": d} if "d" in small else small, B, int(rng.integers(3)), number)
        yield case if "d" in case.arguments else SizedCase(case.arguments, case.n, d)


def _most_columns(arguments: Mapping[str, Any]) -> int:
    """Return the largest dimension at which two batches for each component hold MOST_NUMBERS, and at least the components."""
    r = arguments.get("r", 1)
    return max(math.isqrt(MOST_NUMBERS // (2 * r * arguments["B"])), r)


def _in_batches(entry: Declaration, of: Mapping[str, Any], B: int, over: int, number: int) -> SizedCase:
    """Return a case of so many batches of B records, and so many records over."""
    arguments = {**of, "B": B}
    if "n" in of:
        arguments["n"] = (2 if "rounds" in of else of.get("r", 1)) * B * number + over
    if "step_sizes" in of:
        arguments["step_sizes"] = falling(0.5, steps(entry, arguments))
    return _sized(entry, arguments, B)


def steps(entry: Declaration, arguments: Mapping[str, Any]) -> int:
    """Return the number of steps for which a calibration is made; 1 where it is refused."""
    try:
        return next(find("T", calibration_of(entry, arguments, entry.choices["CORRECTED"])))
    except (ValueError, StopIteration):
        return 1


def find(name: str, part: Any) -> Iterator[Any]:
    """Yield what a calibration, or a part of it, has of this name."""
    if isinstance(part, (tuple, list)):
        for each in part:
            yield from find(name, each)
    elif hasattr(part, "__dataclass_fields__"):
        if hasattr(part, name):
            yield getattr(part, name)
        for each in vars(part).values():
            yield from find(name, each)


def calibration_of(entry: Declaration, arguments: Mapping[str, Any], choices: Any) -> Any:
    """Return the calibration with which a reading runs; None where the function takes the target itself."""
    if entry.calibrate is None:
        return None
    given = {**entry.completed(arguments), "choices": choices}
    return entry.calibrate(**{name: given[name] for name in inspect.signature(entry.calibrate).parameters if name in given})
