"""Every algorithm at the edge of its numbers: one row, one column, ties, zero rows, spectra with gaps of 1e-13.

Results are compared with fifty digits of mpmath, from the transcript that the run left; what is promised where a spectrum is
degenerate is a subspace that loses nothing, not one in particular.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Returns
from dppca.reference.noise import Entry, Replay, Tape, record, replay
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace
from tests.liu2022.by_hand import draws

Array = NDArray[np.float64]
#: Public arguments that no dataset of one row or of one column is large enough for, and why.
TOO_SMALL = {
    ("baselines.matrix_exponential_mechanism", "one column"): "X must have at least two columns",
    ("singhal2021.approximate_subspace_estimator_unknown_dimension", "one column"): r"k_max must be in 1\.\.0",
    ("singhal2021.approximate_subspace_estimator_unknown_dimension", "one row"): "n must be >= 111",
    ("singhal2021.approximate_subspace_estimator", "one row"): "n must be >= 111",
    ("singhal2021.approximate_subspace_estimator_gap_max", "one row"): "n must be >= 57",
    ("liu2022.dp_pca", "one row"): "B must be at most n = 1, got 320",
    ("liu2022.private_top_eigenvalue", "one row"): "B must be >= 6",
    ("liu2022.hyperparameter_search", "one row"): "n must be >= 2",
    ("liu2022.deflation", "one row"): "n must be at least r = 2, got 1",
    ("liu2022.block_dp_pca", "one row"): "B must be at most n = 1",
}


def digits(array: Any) -> Any:
    """Return an array as a matrix of mpmath, exactly."""
    return mpmath.matrix(np.atleast_2d(array).tolist())


def check_result(returns: Returns, output: Any, d: int) -> None:
    """Fail unless a result is what its kind promises."""
    if output is None or returns in {Returns.NUMBER, Returns.CATEGORY}:
        assert output is None or math.isfinite(output)
    elif returns is Returns.SUBSPACE:
        assert isinstance(output, RationalSubspace)
    elif returns.is_basis:
        assert output.shape[0] == d
        assert np.abs(output.T @ output - np.eye(output.shape[1])).max() <= 1e-14 * d**2
    elif returns is Returns.VECTOR and np.ndim(output) == 2:  # a projector
        assert np.abs(output @ output - output).max() <= 1e-14 * d**2
        assert np.array_equal(output, output.T)


def smallest(key: str, edge: str) -> tuple[dict[str, Any], Any]:
    """Return the worked example cut down to one row or one column."""
    entry = ALGORITHMS[key]
    data, arguments = entry.example.data, dict(entry.example.arguments)
    if edge == "one column":
        data = [row[:1] for row in data] if isinstance(data, list) else data[:, :1]
        arguments |= {name: 1 for name in ("d", "p", "k", "k_max", "r") if name in arguments}
        if key == "liu2022.deflation":  # two batches for the one component
            arguments["step_sizes"] = (0.5, 0.3)
    else:
        data = data[:1]
        arguments |= {name: 1 for name in entry.data.sizes[:1] if name in arguments}
        if key in {"liu2022.oja", "liu2022.private_oja", "liu2022.minibatch_private_oja"}:
            arguments["step_sizes"] = arguments["step_sizes"][:1]
    return arguments, data


@pytest.mark.parametrize("edge", ["one row", "one column"])
@pytest.mark.parametrize("key", [f"{key}-" for key in ALGORITHMS])
def test_one_row_and_one_column(key: str, edge: str) -> None:
    key = key[:-1]
    entry = ALGORITHMS[key]
    arguments, data = smallest(key, edge)
    choice = "CORRECTED" if "CORRECTED" in entry.choices else "AS_PRINTED"
    if (key, edge) in TOO_SMALL:
        with pytest.raises(ValueError, match=f"^{TOO_SMALL[key, edge]}"):
            record(entry.bind(**arguments, choices=entry.choices[choice]), data, np.random.default_rng(0))
        return
    run = entry.bind(**arguments, choices=entry.choices[choice])
    for seed in range(3):
        output, _ = record(run, data, np.random.default_rng(seed))
        check_result(entry.returns, output, len(data[0]))
        if edge == "one column" and output is not None and entry.returns.is_basis:
            assert abs(output) == 1.0


@pytest.mark.parametrize("case", ["zeros", "ties", "one row apart"])
@pytest.mark.parametrize("key", [f"{key}-" for key in ALGORITHMS])
def test_zero_rows_and_ties(key: str, case: str) -> None:
    entry = ALGORITHMS[key[:-1]]
    first, last = entry.example.data[0], entry.example.data[-1]
    zero = [0] * len(first) if isinstance(entry.example.data, list) else 0.0 * first
    rows = [{"zeros": zero, "ties": first, "one row apart": first}[case]] * (len(entry.example.data) - 1)
    rows.append(last if case == "one row apart" else rows[0])
    data = rows if isinstance(entry.example.data, list) else np.array(rows)
    for name, choice in entry.choices.items():
        run = entry.bind(**entry.example.arguments, choices=choice)
        output, _ = record(run, data, np.random.default_rng(len(name)))
        check_result(entry.returns, output, len(first))


# --- eigenvectors -------------------------------------------------------------------------------------

#: Rows whose second moments have eigenvalues that are equal, apart by 2e-13, all 0, or in a ratio of 1e-300.
SPECTRA = {
    "equal": np.eye(3),
    "nearly equal": np.diag([1.0, 1.0 - 1e-13, 1.0 - 2e-13]),
    "turned and nearly equal": np.linalg.qr(np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 10]]))[0] * [0.99, 0.99 - 1e-13, 0.5],
    "zero": np.zeros((3, 3)),
    "tiny": np.diag([1.0, 1e-150, 1e-160]),
    "of rank one": np.full((3, 3), 0.5),
}


def symmetric(upper: Array) -> Array:
    """Return the symmetric 3 x 3 matrix with this upper triangle, row by row."""
    a, b, c, d, e, f = upper
    return np.array([[a, b, c], [b, d, e], [c, e, f]])


#: What the server or curator decomposes, from what was released.
MATRICES: dict[str, Callable[[Tape], Any]] = {
    "baselines.analyze_gauss": lambda tape: digits(symmetric(tape.entries[0].released)),
    "baselines.mod_sulq": lambda tape: digits(symmetric(tape.entries[0].released)),
    "baselines.wishart_mechanism": lambda tape: digits(tape.entries[0].released),
    "wang2020.local_gaussian_mechanism": lambda tape: sum(
        (digits(symmetric(entry.released)) / 3 for entry in tape.entries), mpmath.zeros(3)
    ),
}


def silent(tape: Tape, scale: float) -> Tape:
    """Return the tape with its standard draws made so much smaller."""
    return Tape(tuple(dataclasses.replace(entry, draw=scale * entry.draw) for entry in tape.entries))


class Keeping(Replay):
    """Replays standard draws, and keeps the transcript that they give."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.kept: list[Entry] = []

    def _release(self, name: str, value: Any, law: Any, sensitivity: float) -> Any:
        released = super()._release(name, value, law, sensitivity)
        self.kept.append(Entry("release", name, law.kind, np.zeros(()), released))
        return released


@pytest.mark.parametrize("scale", [0.0, 1e-16, 1.0])
@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("key", MATRICES)
def test_eigenvectors_lose_nothing_of_the_largest_eigenvalues(key: str, spectrum: str, scale: float) -> None:
    """The basis V of a noisy matrix C has tr V^T C V = the sum of its k largest eigenvalues, to rounding of |C|.

    Where the k-th is apart from the next by a gap, V V^T is the exact projector to rounding of |C| / gap.
    """
    entry = ALGORITHMS[key]
    sizes = {"n": 3, "d": 3, "p": 3}
    X = SPECTRA[spectrum]
    for k in (1, 2, 3):
        arguments = {name: sizes.get(name, value) for name, value in entry.example.arguments.items()} | {"k": k}
        run = entry.bind(**arguments, choices=entry.choices["CORRECTED"])
        tape = silent(record(run, X, np.random.default_rng(k))[1], scale)
        noise = Keeping(tape)
        V = run(X, noise)
        with mpmath.workdps(50):
            C = MATRICES[key](Tape(tuple(noise.kept)))
            values, vectors = mpmath.eigsy(C)
            size = max(abs(values[0]), abs(values[2]))
            captured = sum((digits(V).T * C * digits(V))[i, i] for i in range(k))
            assert abs(captured - sum(values[3 - i] for i in range(1, k + 1))) <= 1e-14 * size
            if k < 3 and (gap := values[3 - k] - values[2 - k]) > 0:
                exact = vectors[:, 3 - k :] * vectors[:, 3 - k :].T
                error = max(abs(x) for x in exact - digits(V) * digits(V).T)
                assert error <= 1e-14 * size / gap


# --- iterates -----------------------------------------------------------------------------------------

#: Rows of liu2022 from the smallest to the largest of the domain, equal, and 0.
LONG = np.array([[1e60, -1e60], [1e-160, 5e-324], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [3e-8, -1.0]])


def unit(w: Any) -> Any:
    return w / mpmath.sqrt(sum(x * x for x in w))


def clipped(g: Any, beta: float) -> Any:
    length = mpmath.sqrt(sum(x * x for x in g))
    return g if length <= beta else g * (mpmath.mpf(beta) / length)


def column(vector: Any) -> Any:
    return mpmath.matrix(np.asarray(vector, dtype=float).tolist())


@pytest.mark.parametrize("eta", [1e-60, 1e-3, 1.0, 1e60])
def test_oja_in_fifty_digits(eta: float) -> None:
    entry = ALGORITHMS["liu2022.oja"]
    steps = (eta, 0.5 * eta, 0.3 * eta, 0.2 * eta, 0.1 * eta, 0.1 * eta)
    run = entry.bind(step_sizes=steps, choices=entry.choices["AS_PRINTED"])
    output, tape = record(run, LONG, np.random.default_rng(0))
    with mpmath.workdps(50):
        w = unit(column(draws(tape)["w[0]"]))
        for x, step in zip(LONG, steps, strict=True):
            x_ = column(x)
            w = unit(w + step * x_ * (x_.T * w)[0])
        assert max(abs(a - b) for a, b in zip(w, output, strict=True)) <= 1e-15


@pytest.mark.parametrize("eta", [1e-60, 1e-3, 1.0, 1e60])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0])
def test_private_oja_in_fifty_digits(epsilon: float, eta: float) -> None:
    entry = ALGORITHMS["liu2022.private_oja"]
    arguments = {**entry.example.arguments, "epsilon": epsilon, "step_sizes": (eta,) * 6}
    of = {name: value for name, value in arguments.items() if name != "step_sizes"}
    run = entry.bind(**arguments, choices=entry.choices["CORRECTED"])
    assert entry.calibrate is not None
    noise = entry.calibrate(**of, choices=entry.choices["CORRECTED"])
    output, tape = record(run, LONG, np.random.default_rng(0))
    drawn = draws(tape)
    with mpmath.workdps(50):
        w = unit(column(drawn["w[0]"]))
        for t, i in enumerate(drawn["order"], start=1):
            x = column(LONG[i])
            g = clipped(x * (x.T * w)[0], noise.beta) + 2 * mpmath.mpf(noise.beta) * noise.alpha * column(drawn[f"g[{t}]"])
            w = unit(w + eta * g)
        assert max(abs(a - b) for a, b in zip(w, output, strict=True)) <= 1e-14


def test_the_same_tape_gives_the_same_bits_at_the_edge() -> None:
    entry = ALGORITHMS["liu2022.oja"]
    run = entry.bind(step_sizes=(1e60,) * 6, choices=entry.choices["AS_PRINTED"])
    output, tape = record(run, LONG, np.random.default_rng(1))
    assert np.array_equal(replay(run, LONG, tape), output)
