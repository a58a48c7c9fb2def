"""The sizes and options at which an algorithm's budget and sensitivities are checked: all that its declaration has, small.

The names come from the signatures of the calibration and of the function, their defaults included, the data from the declared
domain. Values are by name: ranks 1 to 3, odd and even batches, one round and several, n from 1 on. Every number between the
least and the largest of a size may come too, so that what is wrong at one of them is found by some seed. What an algorithm
refuses is left out.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from dppca.reference.declaration import Declaration

#: Every small size, so that what is wrong at one of them alone is met under every seed.
SMALL = tuple(range(1, 13))
#: Other values of an argument than the declared example's, by its name. Those of a list of step sizes are its lengths.
VALUES: Mapping[str, Sequence[Any]] = MappingProxyType(
    {
        "n": (*SMALL, 60),
        "d": (*SMALL, 40),
        "p": (*SMALL, 40),
        "k": (1, 2, 3, 5),
        "r": (1, 2, 3),
        "k_max": (1, 2, 3),
        "L": (1, 2, 5, 100),
        "T": (1, 2, 4, 100),
        "m": (1, 2, 3),
        "rounds": (1, 2, 3),
        "step_sizes": (1, 2, 3, 4, 100),
        "ell": (0, 2),
        "epsilon": (1e-5, 1e-3, 0.3, 1.0, 3.0, 30.0, 600.0),
        "delta": (1e-9, 1e-6, 0.03, 0.4, 0.9),
        "rate": (0.1, 1.0),
        "C": (0.3, 2.0),
        "K": (0.1, 4.0),
        "a": (0.5,),
        "gamma": (0.5,),
        "lambda_1": (0.1,),
        "zeta": (0.01,),
        "mu": (0.2,),
        "lambda_": (0.0, 1.0),
        "eigenvalue": (2.0,),
        "ceiling": (0.5,),
        "target": (2.0,),
        "gamma_hat": (0.5,),
        "lot": (1.0,),
        "eta": (1.0,),
    }
)
#: Arguments that are no size and no option: what `bind` gives, names of draws, and how hard an account is proved.
NO_SIZES = ("calibration", "noise", "choices", "prefix", "certify", "progress", "auxiliary", "name")
#: With so much to spend a batch may be small: from 4 records on a half has two, and a bin of theirs is shown.
SMALL_BATCHES = MappingProxyType({"epsilon": 60.0, "delta": 0.2, "zeta": 0.5, "K": 1.0})
BATCHES, LARGE_BATCH = (4, 5, 6, 7), 1_600
#: A limit below this is for all cases together.
FEW = 8
#: Numbers of records where the declaration does not fix it.
RECORDS = (1, 2, 3, 6)


@dataclass(frozen=True)
class SizedCase:
    """Arguments of `bind`, and the sizes of the data that go with them."""

    arguments: Mapping[str, Any]
    n: int
    d: int

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


def cases(entry: Declaration, limit: int, seed: int) -> list[SizedCase]:
    """Return the declared example's arguments, each other value of each, and so many mixed ones; few of all for a low limit."""
    rng = np.random.default_rng(seed)
    base = {name: value for name, value in entry.example.arguments.items() if name not in ("auxiliary",)}
    kept = {name: value for name, value in entry.example.arguments.items() if name == "auxiliary"}
    batches = "B" in names(entry)
    single = [] if limit < FEW else [*(_dimensions if batches else _single)(entry, base)]
    listed = [*_batches(entry, base)] if batches else []
    rest = [listed[i] for i in sorted(rng.permutation(len(listed))[:limit])] if batches else [*_mixed(entry, base, limit, rng)]
    whole = [SizedCase({**case.arguments, **kept}, case.n, case.d) for case in (*single, *rest)]
    declared = SizedCase(entry.example.arguments, len(entry.example.data), len(entry.example.data[0]))
    return [declared, *{case.name: case for case in whole}.values()]


def _sized(entry: Declaration, arguments: Mapping[str, Any], n: int) -> SizedCase:
    """Return a case whose data have the sizes that its arguments say."""
    rows, columns = entry.data.sizes
    declared = entry.example.arguments
    if "n" in declared and len(declared.get("step_sizes", ())) == declared["n"]:  # one step for each record
        arguments = _with("step_sizes", arguments["n"], arguments)
    d = arguments.get(columns, arguments.get("d", len(entry.example.data[0])))
    return SizedCase(arguments, arguments.get(rows, n), d)


def _single(entry: Declaration, base: Mapping[str, Any]) -> Iterator[SizedCase]:
    for name in names(entry):
        for value in VALUES[name]:
            yield _sized(entry, _with(name, value, base), RECORDS[-1])
    yield from (_sized(entry, base, n) for n in SMALL)
    if entry.data.sizes[1] not in base:
        yield from (SizedCase(base, _sized(entry, base, RECORDS[-1]).n, d) for d in SMALL)


def _mixed(entry: Declaration, base: Mapping[str, Any], limit: int, rng: np.random.Generator) -> Iterator[SizedCase]:
    """Yield so many cases whose arguments all come from VALUES, at random.

    Of an argument with m values, m + 1 cases in a row have them all, and of a size a number between them. The dimension is at
    least the rank.
    """
    left: dict[str, list[Any]] = {}
    columns = entry.data.sizes[1]
    for _ in range(limit):
        arguments: Mapping[str, Any] = base
        for name in names(entry):
            if not left.get(name):
                values = [*VALUES[name], *([_between(VALUES[name], rng)] if isinstance(VALUES[name][-1], int) else [])]
                left[name] = [values[i] for i in rng.permutation(len(values))]
            arguments = _with(name, left[name].pop(), arguments)
        if arguments.get(columns, math.inf) < arguments.get("k", 1):
            arguments = _with(columns, arguments["k"], arguments)
        yield _sized(entry, arguments, int(rng.choice(RECORDS)))


def _between(values: Sequence[int], rng: np.random.Generator) -> int:
    """Return a whole number between the least and the largest, small ones more often."""
    low, high = max(min(values), 1), max(values)
    return min(high, int(low * (high / low) ** rng.random() + 0.5))


def _for_small_batches(base: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with so much to spend that a batch may be small."""
    return {**base, **{name: value for name, value in SMALL_BATCHES.items() if name in base or name == "a"}}


def _dimensions(entry: Declaration, base: Mapping[str, Any]) -> Iterator[SizedCase]:
    """Yield small batches of records of every small dimension."""
    for d in SMALL:
        small = {name: {"d": d, "r": 1}.get(name, value) for name, value in _for_small_batches(base).items()}
        case = _in_batches(entry, small, 8, 0, 2)
        yield SizedCase(case.arguments, case.n, d)


def _batches(entry: Declaration, base: Mapping[str, Any]) -> Iterator[SizedCase]:
    """Yield small batches, odd and even, one to three, with up to two records over; each other option; and a large batch.

    A large one, as what is claimed for a small epsilon alone shows no bin of a few records.
    """
    small = _for_small_batches(base)
    sizes = [(small, *each) for each in itertools.product(BATCHES, (0, 1, 2), (1, 2, 3))]
    if "rounds" in base:  # a round has a part of the budget, and half of the records
        rounds = [{**small, "epsilon": 6000.0, "rounds": number} for number in (1, 2, 4)]
        sizes = [(of, 2 * B, over, 1) for B in (4, 5, 9) for over in (0, 1) for of in rounds]
    for name in names(entry):
        if name not in ("n", "B", "d", "step_sizes", "rounds", *SMALL_BATCHES):
            sizes += [({**small, name: value}, 8, 0, 2) for value in VALUES[name]]
    sizes += [({**small, "d": d, "r": r}, 8, 0, 2) for r in (1, 2, 3) for d in (r, 4)] if "r" in base else []
    sizes += [({**small, "epsilon": 0.8}, LARGE_BATCH, 0, 1)] if "rounds" not in base else []
    for each in sizes:
        yield _in_batches(entry, *each)


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
