"""Call fuzz of all that `dppca.audit` and `dppca.reference` export: a result, or one line that says what is wrong.

A case takes a call that works and puts something else in place of one to three of its arguments, or of all. What may come of it
is a result, a ValueError or a TypeError whose one line begins with the name of an argument, or a MechanismError or a StoreError
of one line: what is audited has failed, which may be the odd data's doing. No mechanism here ends its process: that is no
failure of one. Other cases say the same arguments in other types: the result must be the same. `make fuzz` runs some thousand
cases.
"""

from __future__ import annotations

import inspect
import math
import re
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dppca import audit, reference
from dppca.audit.auditor.results import Losses
from dppca.audit.execution.trials import TrialSeed
from dppca.reference import accounting
from tests.studies.fuzz import EDGES, NO_NUMBERS, ODD_NUMBERS, count, limits, number

#: Processor time that a case may take.
SECONDS = 20.0
#: One in so many cases says the arguments in other types.
EQUAL_SHARE = 5


def mechanism(x: Any, rng: np.random.Generator) -> float:
    """Return a noisy number."""
    return float(x + rng.laplace())


def algorithm(x: Any, noise: Any) -> float:
    """Release a noisy number."""
    return float(noise.gaussian("g", np.array(float(x)), std=2.0, sensitivity=1.0))


class Raising:
    """An object whose every use fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__

    def __float__(self) -> float:
        raise RuntimeError("no float")

    def __index__(self) -> int:
        raise RuntimeError("no index")

    def __len__(self) -> int:
        raise RuntimeError("no length")


class Sampling:
    """A mechanism that is no callable."""

    def sample(self, x: Any, trials: int, rng: np.random.Generator) -> Any:
        """Return so many numbers."""
        return x + rng.laplace(size=trials)


async def awaited(x: Any, rng: np.random.Generator) -> float:
    """Return a noisy number, later."""
    return float(x + rng.laplace())


def quiet(trials: int) -> None:
    """Hear of progress, and do nothing."""


def silent(*_: Any) -> None:
    """Hear of the progress of an account, and do nothing."""


SCORES, COINS = np.random.default_rng(0).normal(size=100), np.random.default_rng(1).random(100) < 0.5
OUTPUTS = np.random.default_rng(2).laplace(size=(2, 200))
VERDICT = audit.Verdict(
    refuted=False,
    bound=audit.LowerBound(0.1, 0.0, 0.95, 100, 0.1, "an event", 0, "fixed size"),
    claim=audit.Claim(1.0),
    tested=Losses(np.zeros(1), np.zeros(1), 1),
)
STEPS = accounting.Mechanism(accounting.Poisson(0.1), steps=3, sensitivity=1.0)
ACCOUNT = {"mechanism": STEPS, "std": 2.0}
CERTIFICATE = accounting.delta_at(STEPS, 2.0, 1.0, certify=True).certificate
#: A call of each exported name that works; of `dppca.reference.accounting` with the last part of its own name.
CALLS: dict[str, dict[str, Any]] = {
    "Claim": {"epsilon": 1.0, "delta": 1e-3},
    "GDP": {"mu": 1.0},
    "ZCDP": {"rho": 1.0},
    "RDP": {"alpha": 2.0, "epsilon": 1.0},
    "PrivacyCurve": {"function": lambda epsilon: math.exp(-epsilon) / 2},
    "TradeOff": {"function": lambda alpha: max(0.0, 1.0 - 2.0 * alpha)},
    "Edges": {"nodes": 4, "relation": "add_remove"},
    "Records": {"table": [(1, 2.0), (2, 3.0), (3, 5.0)], "by": 0, "relation": "replace_one"},
    "Rows": {"n": 3, "d": 2, "radius": 1.0},
    "Values": {"n": 3, "low": 0.0, "high": 1.0, "outside": True, "relation": "replace_one"},
    "Store": {"path": "runs.sqlite", "key": "one"},
    "Subspace": {"canaries": np.eye(2)},
    "check": {"mechanism": mechanism, "data": 0.0, "neighbour": 1.0, "claim": audit.Claim(0.5), "trials": 100, "seed": 1},
    "lower_bound": {"mechanism": mechanism, "data": 0.0, "neighbour": 1.0, "delta": 0.0, "trials": 100, "seed": 1},
    "lower_bound_from_outputs": {"outputs": OUTPUTS[0], "outputs_neighbour": OUTPUTS[1], "delta": 0.0, "confidence": 0.9},
    "lower_bound_over_pairs": {"mechanism": mechanism, "pairs": lambda _: (0.0, 1.0), "trials": 400, "candidates": 2},
    "one_run_lower_bound": {"scores": SCORES, "included": COINS, "delta": 0.0, "confidence": 0.9},
    "one_run_gdp_bound": {"scores": SCORES, "included": COINS, "confidence": 0.9},
    "transcript_check": {"algorithm": algorithm, "data": 0.0, "neighbour": 1.0, "claim": audit.Claim(1.0, 0.1), "trials": 300},
    "transcript_lower_bound": {"algorithm": algorithm, "data": 0.0, "neighbour": 1.0, "delta": 0.1, "trials": 300},
    "transcript_lower_bound_over_pairs": {
        "algorithm": algorithm,
        "pairs": lambda _: (0.0, 1.0),
        "delta": 0.1,
        "trials": 800,
        "candidates": 2,
    },
    "rerun": {"mechanism": mechanism, "data": 0.0, "seed": TrialSeed(3, (0,), 2)},
    "assert_not_refuted": {"verdict": VERDICT},
    "reference.cite": {"key": "wang2020"},
    "accounting.FixedBatch": {"n": 10, "batch": 3},
    "accounting.Grid": {"bits": 4, "top": 100, "bottom": 50},
    "accounting.Mechanism": {"sampling": accounting.Poisson(0.1), "steps": 3, "sensitivity": 1.0, "unsampled": 0.5},
    "accounting.Poisson": {"probability": 0.1},
    "accounting.Shuffled": {"n": 100},
    "accounting.SmallSteps": {"n": 9, "batch": 2, "steps": 2, "mean": 1.0, "spread": 1.0, "shift": 1.0, "shape": "diameter"},
    "accounting.UniformIndex": {"n": 10},
    "accounting.VarianceReduced": {"n": 10, "steps": 3, "sensitivity": 1.0},
    "accounting.certify": {**ACCOUNT, "epsilon": 1.0, "delta": 1e-3},
    "accounting.choose_grid": {**ACCOUNT, "delta": 1e-3},
    "accounting.delta_at": {**ACCOUNT, "epsilon": 1.0, "certify": False},
    "accounting.epsilon_at": {**ACCOUNT, "delta": 1e-3, "certify": False},
    "accounting.estimate_delta": {**ACCOUNT, "epsilon": 1.0},
    "accounting.profile": {**ACCOUNT, "epsilons": [0.5, 1.0], "certify": False},
    "accounting.read_certificate": {"text": CERTIFICATE and CERTIFICATE.to_json()},
    "accounting.smallest_std": {"mechanism": STEPS, "epsilon": 1.0, "delta": 1e-3, "certify": False},
}
ANYTHING: list[Callable[[], Any]] = [
    Raising,
    lambda: mechanism,
    lambda: algorithm,
    Sampling,
    lambda: Sampling,
    lambda: awaited,
    lambda: audit.Claim(0.1),
    lambda: audit.GDP(1.0),
    lambda: (ValueError,),
    lambda: (0.0, 1.0),
    lambda: (i for i in range(3)),
    lambda: "ideal",
    lambda: "two\nlines\x1b[2J",
    lambda: "\ud800",
    lambda: [[1.0], [1.0, 2.0]],
    lambda: [math.nan] * 200,
    lambda: OUTPUTS,
    lambda: {"a": [1.0] * 200},
    lambda: audit.Values(3),
    lambda: STEPS,
    lambda: accounting.Shuffled(100),
    lambda: accounting.VarianceReduced(10, 3, 1.0),
    lambda: accounting.Mechanism(accounting.UniformIndex(5), 10**6, 1.0),
    lambda: accounting.Grid(10, 10**6, 10**6),
    lambda: accounting.FixedBatch(10, 3),
    lambda: 10**400,
    lambda: np.int8(120),
    lambda: np.uint8(200),
]


def odd(rng: np.random.Generator) -> Any:
    """Return what may stand anywhere."""
    kind = rng.integers(5)
    lists = (NO_NUMBERS, ODD_NUMBERS, EDGES)
    if kind < 3:
        of = lists[kind]
        return of[int(rng.integers(len(of)))]
    return ANYTHING[int(rng.integers(len(ANYTHING)))]() if kind == 3 else (number if rng.random() < 0.5 else count)(rng)


def exported(name: str) -> Any:
    """Return what a name in CALLS is of."""
    module, _, own = name.rpartition(".")
    return getattr({"": audit, "reference": reference, "accounting": accounting}[module], own)


def case(rng: np.random.Generator, name: str) -> dict[str, Any]:
    """Return the arguments of a call of an exported name."""
    arguments = dict(CALLS[name])
    names = list(inspect.signature(exported(name)).parameters)
    for changed in rng.choice(names, size=min(len(names), int(rng.choice([1, 1, 1, 2, 3, 99]))), replace=False).tolist():
        arguments[changed] = odd(rng)
    if name != "rerun" and isinstance(trials := arguments.get("trials"), (int, float, np.number)) and trials > 10_000:
        arguments["trials"] = 500  # a large number is as good as this one, and takes longer
    if callable(arguments.get("progress")):
        arguments["progress"] = silent if name.startswith("accounting") else quiet  # the errors of a callback are the caller's
    if isinstance(workers := arguments.get("workers"), int) and 2 < workers <= 10_000:
        arguments["workers"] = 2
    return arguments


def outcome(name: str, arguments: dict[str, Any], sound: Any = None) -> str:
    """Return what came of it: "result", "refused", "failed" where what is audited fails, or what went wrong.

    `sound`: the result that it must be, if any.
    """
    started, names = time.process_time(), set(inspect.signature(exported(name)).parameters)
    try:
        with warnings.catch_warnings(), limits(2 * SECONDS):
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "coroutine .* was never awaited")  # those of this file
            result = exported(name)(**arguments)
        what = "result" if sound is None or alike(result, sound) else f"another result: {result!r}"
    except BaseException as error:  # noqa: BLE001 - that is what is looked for
        what = "failed" if name == "rerun" and _of_the_mechanism(error) else _said(error, names)
    took = time.process_time() - started
    return what if took < SECONDS else f"slow: {took:.0f} s"


def in_other_types(rng: np.random.Generator, value: Any) -> Any:
    """Return an argument of CALLS as another type that says the same; the argument itself where there is none."""
    of: list[Any] = []
    if isinstance(value, np.ndarray):
        of = [
            value.tolist(),
            tuple(value.tolist()),
            np.repeat(value, 2, axis=0)[::2],
            np.asfortranarray(value),
            value.astype(object),
        ]
    elif type(value) is float:
        of = [np.float64(value), Fraction(value), *(to for to in (np.float32(value), int(value)) if float(to) == value)]
    elif type(value) is int:
        of = [np.int64(value), np.int32(value), np.uint8(value % 256)] if value < 256 else [np.int64(value), np.uint64(value)]
    elif type(value) is list:
        of = [tuple(value)]
    return of[int(rng.integers(len(of)))] if of else value


def restated(rng: np.random.Generator, call: dict[str, Any]) -> dict[str, Any]:
    """Return a call in other types, except for what a mechanism computes with."""
    return {name: value if name in ("data", "neighbour") else in_other_types(rng, value) for name, value in call.items()}


def alike(one: Any, other: Any) -> bool:
    """Return whether two results are the same but for how long they took."""
    if is_dataclass(one) and type(one) is type(other):
        names = [field.name for field in fields(one) if field.name not in ("seconds", "data", "neighbour")]
        return all(alike(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(np.array_equal(one, other)) or callable(one)


def _said(error: BaseException, names: set[str]) -> str:
    """Return "refused" for an error that names an argument, "failed" for one about what is audited, else what is wrong."""
    text = str(error)
    if not isinstance(error, (ValueError, TypeError, audit.MechanismError, audit.StoreError)):
        return f"{type(error).__name__}: {error!r}"
    if not text.isprintable():
        return f"several lines: {text}"
    if isinstance(error, (ValueError, TypeError)):
        first = re.match(r"\w+", text)
        return "refused" if first and {first.group(), f"{first.group()}s"} & names else f"unnamed: {text}"
    return f"ended: {text}" if "its process" in text else "failed"


def _of_the_mechanism(error: BaseException) -> bool:
    """Return whether an error was raised by what is audited, which `rerun` passes on."""
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first is the call in this file
    return any(frame.filename == __file__ for frame in frames)


def run(cases: int, seed: int, names: list[str]) -> dict[str, Counter[str]]:
    """Return outcomes by exported name, the same number of cases for each."""
    found: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for place, name in enumerate(names):
            rng, found[name] = np.random.default_rng([seed, place]), Counter()
            sound = exported(name)(**CALLS[name])
            for number_ in range(-(-cases // len(names))):
                same = number_ % EQUAL_SHARE == 1
                arguments = restated(rng, CALLS[name]) if same else case(rng, name)
                if name != "Store" and isinstance(arguments.get("store"), str):
                    arguments["store"] = audit.Store(Path(folder) / "runs.sqlite", "one")
                what = outcome(name, arguments, sound if same else None)
                found[name][what if what in ("result", "refused", "failed") else "wrong"] += 1
                if what not in ("result", "refused", "failed"):
                    shown = {key: type(value).__name__ for key, value in arguments.items() if value is not CALLS[name].get(key)}
                    print(f"{name}: {what[:300]}\n    {shown}", flush=True)  # noqa: T201
    return found
