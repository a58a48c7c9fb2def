"""Fuzz of every algorithm's inputs at a small budget (`fuzz.py` says what a case is), and what the fuzz finds wrong."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.reference import accounting
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Returns
from tests.studies import fuzz, fuzz_audits

#: Cases of each algorithm; `make fuzz` runs 100,000 in all.
CASES = 24
ANALYZE_GAUSS = ALGORITHMS["baselines.analyze_gauss"]


@pytest.mark.parametrize("key", [f"{key}-" for key in ALGORITHMS])
def test_inputs_give_a_result_or_a_refusal_that_names_them(key: str) -> None:
    found = fuzz.run(CASES, 3, [key[:-1]])[key[:-1]]
    assert set(found) == {"result", "refused"}, found
    assert min(found.values()) >= 1, "a fuzz that is always refused, or never, sees little"


#: What is exported that nobody calls: results, errors and a text.
NOT_CALLED = {"LowerBound", "PairBound", "Verdict", "MechanismError", "StoreError", "VersionError"}
NOT_CALLED |= {f"accounting.{name}" for name in ("NOT_CERTIFIED", "Account", "Certificate")}


def test_all_that_is_exported_is_called() -> None:
    accounts = {f"accounting.{name}" for name in accounting.__all__}
    assert set(fuzz_audits.CALLS) | NOT_CALLED == {*audit.__all__, *accounts, "reference.cite"}


@pytest.mark.parametrize("name", fuzz_audits.CALLS)
def test_what_the_fuzz_of_calls_begins_with_works(name: str) -> None:
    assert fuzz_audits.outcome(name, fuzz_audits.CALLS[name]) == "result"


@pytest.mark.usefixtures("without_new_processes")
@pytest.mark.parametrize("name", fuzz_audits.CALLS)
def test_calls_give_a_result_or_one_line(name: str) -> None:
    assert fuzz_audits.run(6, 5, [name])[name]["wrong"] == 0


def test_the_fuzz_of_calls_sees_another_result() -> None:
    claims = [audit.Claim(1.0, delta) for delta in (0.1, 0.2)]
    seen = [fuzz_audits.outcome("Claim", {"epsilon": 1.0, "delta": 0.1}, claim).partition(":")[0] for claim in claims]
    assert seen == ["result", "another result"]


def test_the_fuzz_of_calls_sees_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def planted(epsilon: Any) -> None:
        raise epsilon

    monkeypatch.setattr(audit, "Claim", planted)
    errors = [KeyError("x"), ValueError("x"), ValueError("epsilon\nis bad"), ValueError("epsilon must be > 0"), SystemExit(0)]
    seen = [fuzz_audits.outcome("Claim", {"epsilon": error}).partition(":")[0] for error in errors]
    assert seen == ["KeyError", "unnamed", "several lines", "refused", "SystemExit"]


def bound(**changes: Any) -> Any:
    return ANALYZE_GAUSS.bind(**{**ANALYZE_GAUSS.example.arguments, **changes}, choices=ANALYZE_GAUSS.choices["CORRECTED"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": None}, "epsilon must be a real number, got None"),
        ({"epsilon": "1"}, "epsilon must be a real number, got '1'"),
        ({"epsilon": 1j}, "epsilon must be a real number, got 1j"),
        ({"epsilon": True}, "epsilon must be a real number, got True"),
        ({"epsilon": np.array([0.5, 0.5])}, r"epsilon must be a real number, got array\(\[0.5, 0.5\]\)"),
        ({"epsilon": 10**400}, "epsilon must be a real number, got a number beyond the range of float64"),
        ({"epsilon": 1e61}, r"epsilon must be between 1e-60 and 1e\+60 in absolute value, got 1e\+61"),
        ({"epsilon": 0.0}, "epsilon must be finite and > 0, got 0.0"),
        ({"epsilon": math.nan}, "epsilon must be finite and > 0, got nan"),
        ({"delta": 5e-324}, r"delta must be between 1e-300 and 1e\+60 in absolute value, got 5e-324"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"d": 3.0}, "d must be an integer, at most 1000000, got 3.0"),
        ({"d": 10**5000}, r"d must be an integer, at most 1000000, got int \(ValueError in its repr\)"),
        ({"k": True}, "k must be an integer, at most 1000000, got True"),
    ],
)
def test_a_bad_number_is_named_with_what_it_must_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        bound(**changes)


def test_other_choices_than_the_algorithms_own_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^choices must be one of baselines.analyze_gauss's readings, such as AS_PRINTED"):
        ANALYZE_GAUSS.bind(**ANALYZE_GAUSS.example.arguments, choices="CORRECTED")


@pytest.mark.parametrize("number", [Fraction(1, 2), np.float32(0.5), np.float64(0.5)])
def test_a_number_of_another_type_is_the_number(number: Any) -> None:
    data, noise = ANALYZE_GAUSS.example.data, (np.random.default_rng(0), np.random.default_rng(0))
    outputs = [fuzz.record(bound(epsilon=epsilon), data, rng)[0] for epsilon, rng in zip((0.5, number), noise, strict=True)]
    assert np.array_equal(*outputs)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[np.ma.masked, 0.0, 0.0]], "X must be an array of real numbers, got list"),
        ([[1.0, 0.0, 0.0], [1.0]], "X must be an array of real numbers, got rows of unequal lengths"),
        (np.eye(3) * 1j, "X must be an array of real numbers, got entries of type complex128"),
        (np.ma.masked_array(np.eye(3), np.eye(3) > 0), "X must have no mask, got a masked array"),
        (np.full((3, 3), np.longdouble("1e400")), r"X must be finite, got .*inf.* at index \(0, 0\)"),
        (np.full((3, 3), 1e200), r"X must be at most 1e\+140 in absolute value, got .*1e\+200.* at index \(0, 0\)"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_bad_data_are_named_without_a_warning(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        fuzz.record(bound(), data, np.random.default_rng(0))


def test_a_calibration_that_float64_does_not_hold_is_refused_by_its_arguments() -> None:
    entry = ALGORITHMS["liu2022.private_oja"]
    with pytest.raises(ValueError, match=r"^epsilon must be one for which the noise can be calculated, got epsilon = 1\.0"):
        entry.bind(**{**entry.example.arguments, "K": 1e60, "gamma": 1e60}, choices=entry.choices["CORRECTED"])


# --- the fuzz itself ----------------------------------------------------------------------------------


class Planted:
    """An algorithm for whose result the fuzz is asked; `function` is what runs."""

    key, data_name, returns, choices = "planted", "X", Returns.VECTOR, {"CORRECTED": None}

    def __init__(self, function: Any) -> None:
        self.function = function

    def bind(self, **_: Any) -> Any:
        return lambda data, _: self.function(data)


def _spin(_: Any) -> None:
    while True:
        pass


def _raise(error: Exception) -> Any:
    raise error


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda _: np.ones(2), "result"),
        (lambda _: None, "result"),
        (lambda _: _raise(ValueError("X must be better")), "refused"),
        (lambda _: _raise(ValueError("the data must be better")), "unnamed: the data must be better"),
        (lambda _: _raise(TypeError("x")), "TypeError: x"),
        (lambda _: np.array([np.nan]), "not finite: array([nan])"),
        (lambda _: np.array([1e308]) * 10.0, "RuntimeWarning: overflow encountered in multiply"),
        (lambda _: np.ones(1 << 28), "MemoryError: Unable to allocate 2.00 GiB"),
        (_spin, "TimeoutError: longer than 0.2 s"),
    ],
)
def test_the_fuzz_sees_what_is_wrong(function: Any, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fuzz.LONGER, "planted", 0.2)
    monkeypatch.setattr(fuzz, "ALGORITHMS", {"planted": Planted(function)})
    assert fuzz.outcome("planted", "CORRECTED", {}, np.eye(2)).startswith(expected)
