"""Data outside an algorithm's declared domain are refused before anything is drawn: no noise is meant for them.

And within it nothing is: a refusal that depends on a record would be an output that no noise protects.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dppca.audit.suite.neighbours import Rows
from dppca.audit.suite.same_output import same_output
from dppca.audit.suite.sizes import LARGEST
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration, UnitRows
from dppca.reference.liu2022.data import RealRecords
from dppca.reference.noise import Record, lockstep, record
from dppca.reference.relation import Relation
from dppca.reference.wang2020 import algorithm_1_local_gaussian

PRIVATE = {key: entry for key, entry in ALGORITHMS.items() if entry.private}
OTHER_SIZES = "data of another size than calibrated for are taken, and the noise is for the calibrated one"
UNIT = [f"{key}-" for key, entry in PRIVATE.items() if isinstance(entry.data, UnitRows)]


def refusal(entry: Declaration, data: Any) -> str:
    """Return the message of the refusal; empty where the data are taken. Nothing may have been drawn before."""
    noise = Record(np.random.default_rng(0))
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    try:
        run(data, noise)
    except ValueError as error:
        assert not noise.tape.entries, "something was drawn before the data were refused"
        return str(error)
    return ""


def _unit_rows(d: int) -> dict[str, Rows]:
    """Return unit vectors of R^d by name: an axis, all entries alike, and one that is neither."""
    mixed = np.arange(1.0, d + 1.0)
    return {"axis": np.eye(d)[0], "dense": np.ones(d) / math.sqrt(d), "mixed": mixed / np.linalg.norm(mixed)}


@pytest.mark.parametrize("key", UNIT)
def test_the_unit_ball_is_that_of_the_euclidean_norm(key: str) -> None:
    """A row in every place among short ones: inside by 1e-9 it is taken, outside by 1e-9 it is refused; so is a row of ones."""
    entry = ALGORITHMS[key[:-1]]
    n, d = np.shape(entry.example.data)
    for place in range(n):
        for name, row in _unit_rows(d).items():
            data = np.full((n, d), 1e-3 / math.sqrt(d))
            data[place] = (1.0 - 1e-9) * row
            assert not refusal(entry, data), f"row {place} of norm 1 - 1e-9 ({name}) is refused"
            for outside in ((1.0 + 1e-9) * row, 3.0 * row, np.ones(d) if d > 1 else np.array([2.0])):
                data[place] = outside
                said = refusal(entry, data)
                assert said.startswith(f"{entry.data_name}[{place}] must lie in the unit ball"), (
                    f"row {place} = {outside} of Euclidean norm {np.linalg.norm(outside):.10g} is taken; "
                    "what it moves is more than the declared sensitivities"
                )


@pytest.mark.parametrize("row", [[1.0 + 1e-9, 0.0], [0.9, 0.9], [math.nan, 0.0]])
def test_a_client_of_the_local_model_refuses_a_row_that_nobody_else_has_seen(row: list[float]) -> None:
    calibration, noise = algorithm_1_local_gaussian.calibrate(1.0, 1e-5, 2), Record(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^x must"):
        algorithm_1_local_gaussian.client(row, calibration, noise, "message")
    assert not noise.tape.entries, "something was drawn before the data were refused"


@pytest.mark.parametrize("key", [f"{key}-" for key in PRIVATE])
def test_other_sizes_than_calibrated_are_refused(key: str) -> None:
    """One column more, or one less; where the number of records was calibrated for, one record more, or one less."""
    entry = ALGORITHMS[key[:-1]]
    data: Any = entry.example.data
    if isinstance(data, list):
        return  # integer points: their number and dimension set no noise
    arguments = entry.example.arguments
    if entry.data.sizes[-1] in arguments:
        for other in (np.concatenate([data, 0.0 * data[:, :1]], axis=1), data[:, :-1]):
            assert refusal(entry, other).startswith(entry.data_name), OTHER_SIZES
    if entry.data.sizes[0] in arguments:
        for other in (np.concatenate([data, data[:1]]), data[:-1]):
            assert refusal(entry, other).startswith(entry.data_name), OTHER_SIZES


def _rows_at_the_limits(entry: Declaration, count: int, d: int, rng: np.random.Generator, *, matrices: bool = False) -> Any:
    """Return records with entries at the ends of float64, as far as the domain goes: 1, 1e60 (1e120 in a matrix) or 1e140."""
    if isinstance(entry.example.data, list):
        numbers = [0, 1, -1, 2**8, -(2**8)]  # of norm below 2^(53/3) with d = 3
        return [[numbers[i] for i in rng.integers(len(numbers), size=d)] for _ in range(count)]
    largest = 1.0 if isinstance(entry.data, UnitRows) else 1e60 if isinstance(entry.data, RealRecords) else 1e140
    shape, largest = ((count, d, d), largest**2) if matrices else ((count, d), largest)
    ends = [0.0, -0.0, 5e-324, 2.3e-308, 1e-200, 1e-155, 1e-16, 1.0, *([1e30, largest] if largest > 1.0 else [])]
    rows = rng.choice(ends if rng.random() < 0.5 else ends[-1:], size=shape) * rng.choice([-1.0, 1.0], size=shape)
    if isinstance(entry.data, UnitRows):
        rows *= np.eye(d)[rng.integers(d, size=count)]  # on an axis: of norm 1 at most
    return rows


@pytest.mark.parametrize("key", [f"{key}-" for key in PRIVATE])
def test_no_row_of_the_domain_is_refused_or_breaks_anything(key: str) -> None:
    """Neighbours of rows at the limits of double precision: both run without a warning, and declare what they change."""
    entry = ALGORITHMS[key[:-1]]
    rng = np.random.default_rng(0)
    like = entry.example.data
    n, d = len(like), len(like[0])
    for choice in ("CORRECTED", *({"LEAN"} & entry.choices.keys())):
        run = entry.bind(**entry.example.arguments, choices=entry.choices[choice])
        for number in range(3 if "unknown_dimension" in key else 12):  # that one has many runs
            matrices = isinstance(entry.data, RealRecords) and number % 2 == 1
            few = _rows_at_the_limits(entry, 1 + number % 3, d, rng, matrices=matrices)  # many ties
            data = [few[i] for i in rng.integers(len(few), size=n)]
            neighbour = list(data)
            other = _rows_at_the_limits(entry, 1, d, rng, matrices=matrices)[0]
            neighbour[int(rng.integers(n))] = 0.0 * other if entry.relation is Relation.ADD_REMOVE else other  # as good as gone
            if not isinstance(like, list):
                data, neighbour = np.array(data), np.array(neighbour)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                for X in (data, neighbour):
                    run(X, Record(np.random.default_rng(number)))
            with np.errstate(all="ignore"):  # a likelihood may be too small for a float
                moved = lockstep(run, data, neighbour, np.random.default_rng(number)).violations
            assert not moved, (
                f"release {moved[0].name!r} changes by {moved[0].change:.6g} in the norm {moved[0].norm!r} where one record is "
                f"replaced, {moved[0].sensitivity:.6g} is declared"
            )


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e-100, 1e100, 1e139])
@pytest.mark.parametrize("key", ["approximate_subspace_estimator", "approximate_subspace_estimator_gap_max"])
def test_the_scale_of_the_rows_does_not_change_their_subspace(key: str, scale: float) -> None:
    """The output depends on subspaces alone, and is the same to rounding, though the squares of 1e-170 are 0."""
    entry = ALGORITHMS[f"singhal2021.{key}"]
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    whole, scaled = (run(of * entry.example.data, Record(np.random.default_rng(1))) for of in (1.0, scale))
    assert np.allclose(whole, scaled, atol=1e-6), (
        f"rows multiplied by {scale:g} have another subspace: squares under- or overflow"
    )


@pytest.mark.parametrize("key", [f"{key}-" for key, entry in PRIVATE.items() if "auxiliary" in entry.example.arguments])
def test_the_length_of_an_auxiliary_row_does_not_change_any_score(key: str) -> None:
    """Each row is multiplied by a number of its own: what one counts for is a matter of its direction, and of no other row."""
    entry = ALGORITHMS[key[:-1]]
    auxiliary = np.vstack([entry.example.arguments["auxiliary"], np.eye(3)])  # three rows are off the line
    own = 2.0 ** np.random.default_rng(0).integers(-1000, 451, size=(len(auxiliary), 1))
    tapes = []
    for of in (1.0, own):
        noise = Record(np.random.default_rng(1))
        arguments = {**entry.example.arguments, "auxiliary": of * auxiliary}
        entry.bind(**arguments, choices=entry.choices["CORRECTED"])(entry.example.data, noise)
        tapes.append([each.released for each in noise.tape.entries if each.name.endswith("score")])
    assert len(tapes[0]) > 3, "there are too few scores to compare"
    assert tapes[0] == tapes[1], "the score of a subspace depends on the lengths of the auxiliary rows"


#: How the same numbers can be given: whole numbers, any that the type holds, and points in exact arithmetic.
WHOLE: Mapping[str, Callable[[Rows], Any]] = {
    "int8": lambda rows: rows.astype(np.int8),
    "int64": lambda rows: rows.astype(np.int64),
    "uint8": lambda rows: np.abs(rows).astype(np.uint8),
    "bool": lambda rows: rows != 0.0,
}
FORMS: Mapping[str, Callable[[Rows], Any]] = {
    "float16": lambda rows: rows.astype(np.float16),
    "float32": lambda rows: rows.astype(np.float32),
    "longdouble": lambda rows: rows.astype(np.longdouble),
    "other byte order": lambda rows: rows.astype(rows.dtype.newbyteorder()),
    "column order": np.asfortranarray,
    "every second column": lambda rows: np.repeat(rows, 2, axis=-1)[..., ::2],
    "backwards": lambda rows: rows[::-1].copy()[::-1],
    "lists": lambda rows: rows.tolist(),
    **WHOLE,
}
EXACT: Mapping[str, Callable[[Rows], Any]] = {
    "tuples": lambda rows: tuple(map(tuple, rows.astype(int).tolist())),
    "int8": lambda rows: rows.astype(np.int8),
    "int64 in column order": lambda rows: np.asfortranarray(rows.astype(np.int64)),
    "Fractions": lambda rows: [[Fraction(int(entry), 2) for entry in row] for row in rows],
}


def _given(entry: Declaration, form: str, rng: np.random.Generator) -> tuple[Any, Any, Rows]:
    """Return a dataset in a form, the same numbers as plainly as can be, and the records, of which the form may be made."""
    if isinstance(entry.example.data, list):
        rows = rng.integers(-3, 4, size=np.shape(entry.example.data)).astype(float)
        return EXACT[form](rows), rows.astype(int).tolist(), rows
    n, d = np.shape(entry.example.data)
    shape = (n, d, d) if isinstance(entry.data, RealRecords) and rng.random() < 0.5 else (n, d)
    rows = rng.integers(-1, 2, size=shape) if form in WHOLE else 0.9 * rng.standard_normal(shape)
    if isinstance(entry.data, UnitRows):
        rows = (
            rows * np.eye(d)[rng.integers(d, size=n)] if form in WHOLE else 0.9 * rows / np.linalg.norm(rows, axis=1)[:, None]
        )
    rows = np.asarray(rows, dtype=float)
    given = FORMS[form](rows)
    return given, np.array(given, dtype=np.float64), rows


@pytest.mark.parametrize("key", [f"{key}-" for key in PRIVATE])
def test_a_dataset_is_its_numbers_in_whatever_form(key: str) -> None:
    """In another type or order of memory the same numbers give the same draws, releases and output, and are left as they are.

    A sensitivity is about numbers: what rounds, overflows or reads them otherwise in one form has another one there.
    """
    entry = ALGORITHMS[key[:-1]]
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    for seed, form in enumerate(EXACT if isinstance(entry.example.data, list) else FORMS):
        given, plain, rows = _given(entry, form, np.random.default_rng(seed))
        before = deepcopy(given)
        (output, tape), (expected, written) = (record(run, of, np.random.default_rng(seed)) for of in (given, plain))
        assert tape.to_json() == written.to_json(), f"numbers given as {form} are drawn or released for otherwise"
        assert same_output(output, expected), f"numbers given as {form} have another output"
        assert np.array_equal(given, before), f"a run changes the data that it was given as {form}"
        if not isinstance(entry.example.data, list):
            rows[-1] = 2.0 if isinstance(entry.data, UnitRows) or form in WHOLE else np.inf
            outside = FORMS[form](rows)
            said = [refusal(entry, of) for of in (outside, np.array(outside, dtype=np.float64))]
            assert bool(said[0]) == bool(said[1]), f"numbers given as {form} are {'refused' if said[0] else 'taken'}: {said}"


def test_a_domain_says_what_it_refuses() -> None:
    """Entries and norms just inside and just outside of what the declaration says; with literals for the limits."""
    limits = {"RealRows": 1e140, "RealRecords": 1e60, "UnitRows": 1.0}
    for entry in PRIVATE.values():
        kind = type(entry.data).__name__
        if kind not in limits:
            assert entry.data.refuses.startswith("a row with an entry that is no integer and no Fraction"), entry.key
            continue
        assert f"{limits[kind]:g}" in entry.data.refuses, (
            f"{entry.key} does not say that it refuses rows beyond {limits[kind]:g}"
        )
        inside = np.array(entry.example.data)
        inside[0] = limits[kind] * np.eye(inside.shape[1])[0]
        entry.data.check("X", inside)
        for factor in (1.0 + 1e-9, np.inf, np.nan):
            outside = inside.copy()
            outside[0, 0] *= factor
            with pytest.raises(ValueError, match=r"^X"):
                entry.data.check("X", outside)


@pytest.mark.parametrize("key", [f"{key}-" for key, entry in PRIVATE.items() if not isinstance(entry.example.data, list)])
def test_a_record_in_any_place_is_checked_however_many_there_are_and_however_long(key: str) -> None:
    entry = ALGORITHMS[key[:-1]]
    rng = np.random.default_rng(0)
    for n in (*range(1, 41), 300, 3000):
        for place in range(n) if n <= 40 else rng.integers(n, size=20).tolist():
            data = np.zeros((n, LARGEST["d"]))
            data[place, (n + 31 * place) % LARGEST["d"]] = 1.001 if isinstance(entry.data, UnitRows) else 1.001e140
            with pytest.raises(ValueError, match=r"^X"):
                entry.data.check("X", data)


@pytest.mark.parametrize(("key", "k"), [("exact_subspace_estimator", 2), ("exact_subspace_estimator_threshold", 2)])
def test_exact_rows_too_long_for_their_labels_are_outside_the_domain(key: str, k: int) -> None:
    """A primitive row of norm 2^(53/2) = 94,906,265.6 is the longest for planes; refused before anything is drawn."""
    entry = ALGORITHMS[f"singhal2021.{key}"]
    assert "of norm above 2^(53 / k)" in entry.data.refuses, "the domain does not say what it refuses"
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    assert entry.example.arguments["k"] == k, "the literals are for another k than the declared example's"
    rows = [list(row) for row in entry.example.data]
    run([[94_906_265, 1, 0], *rows[1:]], Record(np.random.default_rng(0)))
    noise = Record(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^X\[0\], as a primitive integer vector, must have Euclidean norm <= 2\^\(53 / k\)"):
        run([[94_906_266, 1, 0], *rows[1:]], noise)
    assert not noise.tape.entries, "something was drawn before the data were refused"
