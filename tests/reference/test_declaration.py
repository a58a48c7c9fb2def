"""What follows from a declaration: readings, documentation, the number of lines, draws, the arguments of a calibration."""

from __future__ import annotations

import inspect
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dppca.reference.api import ROWS, Relation, Returns, declare, rows_example
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration
from dppca.reference.noise import Tape, condition, record, replay

GAUSS = ALGORITHMS["baselines.analyze_gauss"]
SGD = ALGORITHMS["baselines.dp_sgd"]


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_help_describes_every_argument(entry: Declaration) -> None:
    for function in filter(None, (entry.function, entry.calibrate)):
        text = inspect.getdoc(function) or ""
        for name in inspect.signature(function).parameters:
            assert f"\n    {name}: " in text, name
        assert text.count("\nArgs:\n") == 1
        assert "\nRaises:\n" in text


def test_help_says_what_is_declared() -> None:
    assert inspect.getdoc(GAUSS.function) == (
        "Add noise to X^T X and return its k leading eigenvectors.\n\n"
        "Args:\n"
        "    X: rows in the unit ball, one a record: n by d.\n"
        "    k: dimension of the subspace, an integer in 1..d.\n"
        "    calibration: what `calibrate` returned.\n"
        "    noise: the noise interface, through which everything is drawn and released.\n\n"
        "Returns:\n"
        "    An orthonormal basis, one vector a column, with any signs and rotation.\n\n"
        "Raises:\n"
        "    ValueError: an argument outside its range, which the message names.\n"
        "        Of the data: a row with an entry that is not finite, or of norm above 1 + 1e-12."
    )
    text = inspect.getdoc(GAUSS.calibrate) or ""
    assert "    choices: a reading, one of AS_PRINTED, CORRECTED; has a default.\n" in text


def test_the_draws_are_those_of_the_example() -> None:
    assert GAUSS.draws() == ('release gaussian "C_hat" (6,)',)
    assert SGD.draws() == (
        'public normal "theta[0]" (3, 2)',
        'secret bernoulli(0.5) "L[1]" (3,)',
        'release gaussian "g[1]" (3, 2)',
    )


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_the_example_replays_from_text_and_its_neighbour_has_a_likelihood(entry: Declaration) -> None:
    for choices in entry.choices.values():
        run = entry.bind(**entry.example.arguments, choices=choices)
        output, tape = record(run, entry.example.data, np.random.default_rng(0))
        assert str(replay(run, entry.example.data, Tape.from_json(tape.to_json()))) == str(output)
        assert condition(run, entry.example.neighbour, tape).log_likelihood < math.inf


def test_the_lines_are_those_of_the_listing() -> None:
    lines = {
        key: ALGORITHMS[key].lines for key in ("baselines.analyze_gauss", "wang2020.local_gaussian_mechanism_high_dimension")
    }
    assert lines == {"baselines.analyze_gauss": 3, "wang2020.local_gaussian_mechanism_high_dimension": 13}
    assert ALGORITHMS["liu2022.deflation"].lines == 0


def test_the_steps_of_a_calibration_are_counted_where_the_run_takes_their_sizes() -> None:
    assert SGD.completed({"step_sizes": (0.1, 0.2)}) == {"step_sizes": (0.1, 0.2), "T": 2}
    assert GAUSS.completed({"d": 3}) == {"d": 3}
    with pytest.raises(TypeError, match=r"^baselines\.dp_sgd needs the argument step_sizes$"):
        SGD.completed({})


def test_a_calibration_without_readings_is_one_sentence() -> None:
    def calibrate(epsilon: float, choices: Any = "CORRECTED") -> float:
        return epsilon

    with pytest.raises(TypeError, match=r"^choices must be given, or be an argument of `calibrate`"):
        declare(
            number="1",
            title="A sum",
            data=ROWS,
            relation=Relation.REPLACE_ONE,
            returns=Returns.NUMBER,
            calibrate=calibrate,
            example=rows_example(),
        )


@pytest.mark.parametrize(("given", "expected"), [({}, "reference"), ({"paper": "others2025"}, "others2025")])
def test_a_paper_is_the_folder_of_the_function_unless_it_is_given(given: dict[str, Any], expected: str) -> None:
    def total(A: Any, noise: Any) -> float:
        return 0.0

    relation, example = Relation.REPLACE_ONE, rows_example()
    made = declare(
        number="1", title="A sum", data=ROWS, relation=relation, returns=Returns.NUMBER, choices={"CORRECTED": None},
        example=example, **given,
    )(total)  # fmt: skip
    assert made.declaration.paper == expected  # type: ignore[attr-defined]
    assert made.declaration.key == "reference.total"  # type: ignore[attr-defined]


def test_a_kind_of_result_has_a_meaning_and_a_rule_of_comparison() -> None:
    made = SimpleNamespace()
    Returns.__init__(made, "three numbers", "entries")  # type: ignore[arg-type]
    assert vars(made) == {"meaning": "three numbers", "rule": "entries"}
    assert (Returns.VECTOR.meaning, Returns.EIGENVECTORS.rule) == ("a vector", "projector")


SHAPES = {
    Returns.BASIS: lambda of, d: of.ndim == 2 and len(of) == d and np.allclose(of.T @ of, np.eye(of.shape[1])),
    Returns.EIGENVECTORS: lambda of, d: of.ndim == 2 and len(of) == d and np.allclose(of.T @ of, np.eye(of.shape[1])),
    Returns.VECTOR: lambda of, d: of.shape == (d,),
    Returns.PROJECTOR: lambda of, d: of.shape == (d, d) and np.allclose(of @ of, of) and np.allclose(of, of.T),
}


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_the_result_is_what_is_declared(entry: Declaration) -> None:
    outputs = []
    for reading in entry.choices.values():
        algorithm = entry.bind(**entry.example.arguments, choices=reading)
        outputs += [record(algorithm, entry.example.data, np.random.default_rng(seed))[0] for seed in range(5)]
    bottom = "which is bottom" in entry.returns.of(entry.function)
    assert all(output is not None for output in outputs) or bottom
    if entry.returns in SHAPES:
        d = np.shape(entry.example.data)[-1]
        assert all(SHAPES[entry.returns](output, d) for output in outputs if output is not None)


def test_what_fixes_the_signs_of_a_basis_is_among_the_subroutines() -> None:
    called = {key: [of.__name__ for of in entry.subroutines()] for key, entry in ALGORITHMS.items()}
    assert called["baselines.noisy_power_method"] == ["qr_factor", "analytic_std", "on_basis"]
    assert {"printed_multiplier", "smallest_std"} <= set(called["liu2022.private_oja"])
    released = {"baselines.matrix_exponential_mechanism"}  # the basis itself is drawn, and nothing is chosen afterwards
    for key in (key for key, entry in ALGORITHMS.items() if entry.returns is Returns.BASIS and key not in released):
        assert {"qr_factor", "polar_factor", "complement"} & set(called[key]), key
