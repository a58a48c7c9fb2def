"""Every argument of every algorithm and calibration, and its data: what is outside its range is refused by name."""

from __future__ import annotations

import inspect
import itertools
import math
from typing import Any

import numpy as np
import pytest

from dppca.reference.arguments import ARGUMENTS, checked
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Sample

NO_NUMBER: tuple[Any, ...] = (math.nan, math.inf, True, "3", None, 3j, np.array([2.0]))
#: A dimension that is larger than any number of columns here.
TOO_LARGE = 99
#: What an argument may not be.
WRONG: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("n", "d", "p", "B", "T", "L", "m", "rounds"), (*NO_NUMBER, 2.5, 0, -1)),
    **dict.fromkeys(("k", "k_max", "r"), (*NO_NUMBER, 2.5, 0, -1, TOO_LARGE)),
    "ell": (*NO_NUMBER, 2.5, -1),
    **dict.fromkeys(("epsilon", "delta", "lambda_1", "K", "gamma", "gamma_hat", "zeta", "rate", "C"), (*NO_NUMBER, 0.0, -1.0)),
    **dict.fromkeys(("ceiling", "eigenvalue", "eta", "lot"), (*NO_NUMBER, 0.0, -1.0)),
    "lambda_": (*NO_NUMBER, -1.0),
    "target": NO_NUMBER,
    "step_sizes": ((math.nan,), (math.inf,), ("3",), (None,), (3j,), (0.0,), (-1.0,), ((2.0,),), None),
    "auxiliary": (math.nan, "3", None, [1.0, 2.0], [[math.nan] * 3], [[1.0]]),
}
#: The one reading that takes delta = 0: it claims pure privacy.
PURE = ("baselines.wishart_mechanism", "AS_PRINTED")


@pytest.mark.parametrize("key", ALGORITHMS)
def test_what_is_no_such_number_is_refused_by_name(key: str) -> None:
    """Every argument of the example in turn, with every reading; a calibration refuses its own, however it is called."""
    entry = ALGORITHMS[key]
    calibrating = inspect.signature(entry.calibrate).parameters if entry.calibrate else {}
    for (reading, choices), name in itertools.product(entry.choices.items(), entry.example.arguments):
        assert name in WRONG, f"{__file__} needs in WRONG what {key}'s argument {name} may not be"
        for value in WRONG[name]:
            if (key, reading) == PURE and name == "delta" and isinstance(value, float) and value == 0.0:
                continue
            arguments = {**entry.example.arguments, name: value}
            with pytest.raises(ValueError, match=rf"^{name} must"):
                entry.bind(**arguments, choices=choices)(entry.example.data, Sample(np.random.default_rng(0)))
            too_large = value is TOO_LARGE and not {"d", "p"} & calibrating.keys()  # then only the data tell
            if name in calibrating and entry.calibrate and not too_large:
                given = {each: of for each, of in entry.completed(arguments).items() if each in calibrating}
                with pytest.raises(ValueError, match=rf"^{name} must"):
                    entry.calibrate(**given, choices=choices)


class Untouchable:
    """A noise interface that must not be asked for anything."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"drew {name} from data outside the domain")


@pytest.mark.parametrize("key", ALGORITHMS)
def test_data_of_another_form_are_refused_by_name_before_any_draw(key: str) -> None:
    entry = ALGORITHMS[key]
    data = entry.example.data
    run: Any = entry.bind(**entry.example.arguments, choices=list(entry.choices.values())[-1])
    ragged = [[1, 0], [1]]
    for wrong in (data[0], data[:0], [[0.5, math.nan]], [[0.5, math.inf]], ragged, "rows", None, np.array([[1j, 0.0]])):
        with pytest.raises(ValueError, match=rf"^{entry.data_name}\b"):
            run(wrong, Untouchable())


def test_a_checked_function_computes_with_converted_arguments_and_keeps_its_signature() -> None:
    @checked
    def total(epsilon: float, *, d: int, k: int = 1, other: str = "") -> tuple[Any, ...]:
        return epsilon, d, k, other

    assert total(2, d=np.int64(3), other="x") == (2.0, 3, 1, "x")
    assert [type(each) for each in total(2, d=np.int64(3))[:2]] == [float, int]
    assert list(inspect.signature(total).parameters) == ["epsilon", "d", "k", "other"]
    with pytest.raises(ValueError, match=r"^k must be in 1\.\.3, got 4"):
        total(2, d=3, k=4)
    with pytest.raises(TypeError, match=r"missing a required .*'d'"):
        total(2)  # type: ignore[call-arg]


def test_every_check_refuses_something() -> None:
    assert {name for name, argument in ARGUMENTS.items() if argument.check} - WRONG.keys() == {"a", "mu", "G", "steps"}
    for name in ("a", "mu", "G", "steps"):
        with pytest.raises(ValueError, match=f"^{name} must be"):
            ARGUMENTS[name].check(name, 0.0)  # type: ignore[misc]
