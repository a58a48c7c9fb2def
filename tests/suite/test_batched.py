"""The batched implementations: the reference's draws give the reference's outputs, trial by trial, on every kind of array."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from dppca.audit import batched
from dppca.audit.batched import dp_pca, noisy_steps
from dppca.audit.batched.conformance import implementation as conformance
from dppca.audit.batched.dp_pca import DPPCA, _cells, _groups, _Items, _Mean, _TopEigenvalue
from dppca.audit.batched.noisy_steps import Draws
from dppca.audit.suite.audits import instances
from dppca.audit.suite.instance import Instance, Output, implementation
from dppca.audit.suite.liu2022.audits import batches, replaced
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.conformance import by_id
from dppca.reference.conformance.compare import differences
from dppca.reference.conformance.generate import ask
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022.data import gradients
from dppca.reference.noise import Entry, Replay, Sample, Tape, record
from dppca.reference.primitives.orthonormal import qr_factor
from tests.studies.benchmarks_batched import Case, cases, implementations

DP_PCA = "liu2022.dp_pca"
LOCAL = "wang2020.local_gaussian_mechanism"
ROWS = np.random.default_rng(5).normal(size=(2000, 4))
UNIT = ROWS[:9] / np.linalg.norm(ROWS[:9], axis=1).max()


# --- replay -------------------------------------------------------------------------------------------


def _replayed(key: str, choice: str, arguments: dict[str, Any], data: Any, trials: int) -> tuple[Any, list[Any], list[Tape]]:
    entry = ALGORITHMS[key]
    run = entry.bind(**arguments, choices=entry.choices[choice])
    outputs, tapes = zip(*(record(run, data, np.random.default_rng([7, i])) for i in range(trials)), strict=True)
    sampler = batched.sampler(key, choice, arguments)
    assert sampler is not None
    return sampler.run(data, sampler.draws_of(data, tapes)), list(outputs), list(tapes)


@pytest.mark.parametrize("choice", ["AS_PRINTED", "CORRECTED"])
@pytest.mark.parametrize("k", [1, 3, 4])
@pytest.mark.parametrize("key", [LOCAL, "baselines.analyze_gauss", "baselines.mod_sulq"])
def test_subspaces_of_the_references_draws(key: str, k: int, choice: str) -> None:
    sizes = {LOCAL: {"p": 4}, "baselines.analyze_gauss": {"d": 4}, "baselines.mod_sulq": {"n": len(UNIT), "d": 4}}[key]
    found, expected, _ = _replayed(key, choice, {"epsilon": 1.0, "delta": 1e-3, "k": k, **sizes}, UNIT, 50)
    assert found.shape == (50, 4, k)
    for basis, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(basis @ basis.T, other @ other.T, atol=1e-9)


@pytest.mark.parametrize("choice", ["AS_PRINTED", "CORRECTED"])
def test_messages_of_the_references_draws(choice: str) -> None:
    arguments = {"epsilon": 1.0, "delta": 1e-3, "p": 4, "k": 2}
    _, _, tapes = _replayed(LOCAL, choice, arguments, UNIT[:1], 20)
    sampler = batched.sampler(f"{LOCAL}:messages", choice, arguments)
    assert sampler is not None
    found = sampler.run(UNIT[0], sampler.draws_of(UNIT[0], tapes))
    np.testing.assert_allclose(found, [tape.entries[0].released for tape in tapes], rtol=1e-12)


STEPS: dict[str, dict[str, Any]] = {
    "shang2021.dp_spca": {"n": len(UNIT), "d": 4, "step_sizes": (0.5, 0.2, 0.1)},
    "shang2021.dp_vrpca": {"n": len(UNIT), "d": 4, "T": 2, "m": 3, "eta": 0.3},
    "baselines.noisy_power_method": {"d": 4, "L": 5},
}
OJA: dict[str, Any] = {"n": len(UNIT), "d": 4, "lambda_1": 1.0, "K": 1.0, "gamma": 1.0, "step_sizes": (0.4,) * len(UNIT)}


@pytest.mark.parametrize("choice", ["AS_PRINTED", "CORRECTED"])
@pytest.mark.parametrize("k", [1, 3, 4])
@pytest.mark.parametrize("key", STEPS)
def test_noisy_steps_of_the_references_draws(key: str, k: int, choice: str) -> None:
    """With a target that is weak, so that the data count beside the noise."""
    found, expected, _ = _replayed(key, choice, {"epsilon": 30.0, "delta": 0.1, "k": k, **STEPS[key]}, UNIT, 50)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("key", STEPS)
def test_all_trials_begin_at_a_start_that_is_given(key: str) -> None:
    start = np.eye(4, 2)
    sampler = batched.sampler(key, "CORRECTED", {"epsilon": 30.0, "delta": 0.1, "k": 2, **STEPS[key]}, start)
    assert sampler is not None
    np.testing.assert_array_equal(sampler.draw(UNIT, 3, np.random.default_rng(0)).start, [start] * 3)
    with pytest.raises(ValueError, match=r"start must have shape \(4, 2\), got \(4, 1\)"):
        replace(sampler, start=start[:, :1]).sample(UNIT, 3, np.random.default_rng(0))


def test_an_algorithm_without_a_start_has_no_batched_implementation_from_one() -> None:
    assert batched.sampler(LOCAL, "CORRECTED", {"epsilon": 1.0, "delta": 1e-3, "p": 4, "k": 2}, np.eye(4, 2)) is None


@pytest.mark.parametrize("choice", ["AS_PRINTED", "CORRECTED"])
@pytest.mark.parametrize("longer", [1.0, 40.0], ids=["within the threshold", "clipped"])
@pytest.mark.parametrize("matrices", [False, True], ids=["rows", "matrices"])
def test_private_oja_of_the_references_draws(matrices: bool, longer: float, choice: str) -> None:
    rows = longer * UNIT
    data = _matrices(rows) if matrices else rows
    found, expected, _ = _replayed("liu2022.private_oja", choice, {"epsilon": 30.0, "delta": 0.1, **OJA}, data, 50)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_columns_that_are_nearly_dependent_become_orthonormal() -> None:
    """After one round of Gram-Schmidt alone their product would be 1e-8."""
    matrices = np.random.default_rng(0).normal(size=(20, 4, 1)) + 1e-8 * np.random.default_rng(1).normal(size=(20, 4, 3))
    found = noisy_steps._qr_factors(matrices)
    np.testing.assert_allclose(found.transpose(0, 2, 1) @ found, np.broadcast_to(np.eye(3), (20, 3, 3)), atol=1e-13)
    for one, matrix in zip(found, matrices, strict=True):
        np.testing.assert_allclose(one, qr_factor(matrix), atol=1e-6)


@pytest.mark.parametrize("key", [*STEPS, "liu2022.private_oja"])
def test_noisy_steps_are_drawn_as_the_reference_draws(key: str) -> None:
    """Which records are used, in which order, and the law of an entry of the output."""
    arguments = {"epsilon": 30.0, "delta": 0.1, **({**STEPS[key], "k": 1} if key in STEPS else OJA)}
    sampler = batched.sampler(key, "CORRECTED", arguments)
    assert sampler is not None
    records = sampler.draw(UNIT, 9000, np.random.default_rng(0)).records
    counts = [np.bincount(column, minlength=len(UNIT)) for column in records.T]
    assert all(abs(count - 1000) < 150 for column in counts for count in column)  # five standard deviations
    if key == "liu2022.private_oja":
        assert (np.sort(records, axis=1) == np.arange(len(UNIT))).all()
    entry = ALGORITHMS[key]
    run, rng = entry.bind(**arguments, choices=entry.choices["CORRECTED"]), np.random.default_rng(1)
    expected = np.array([run(UNIT, Sample(rng)) for _ in range(2000)]).reshape(2000, -1)
    found = sampler.sample(UNIT, 2000, rng).reshape(2000, -1)
    for i in range(4):
        assert ks_2samp(found[:, i] * found[:, 0], expected[:, i] * expected[:, 0]).pvalue > 1e-5


def _matrices(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return rows[:, :, np.newaxis] * rows[:, np.newaxis, :]


def _few_long(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    changed = rows.copy()
    changed[::50] *= 40.0
    return changed


def _scattered(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths over many orders of magnitude: cells far apart."""
    return rows * 10.0 ** np.random.default_rng(3).uniform(-4.0, 4.0, size=(len(rows), 1))


DATA: dict[str, Callable[[], NDArray[np.float64]]] = {
    "Gaussian rows": lambda: ROWS,
    "Gaussian matrices": lambda: _matrices(ROWS),
    "matrices that are not symmetric": lambda: np.random.default_rng(9).normal(size=(2000, 4, 4)) + 2.0 * np.eye(4),
    "large": lambda: 1e30 * ROWS,
    "small": lambda: 1e-30 * ROWS,
    "few rows, many times": lambda: replaced(batches(2000, 4), 1999, np.full(4, 50.0))[1],
    "few long rows": lambda: _few_long(ROWS),
    "lengths of all sizes": lambda: _scattered(ROWS),
    "a half that is short": lambda: np.where(np.arange(2000)[:, np.newaxis] < 1000, 1e-2, 10.0) * ROWS,
    "one row": lambda: np.tile(ROWS[:1], (2000, 1)),
    "zeros but for few": lambda: np.where(np.arange(2000)[:, np.newaxis] % 100 < 3, ROWS, 0.0),
    "with zero entries": lambda: np.where(np.random.default_rng(2).random(ROWS.shape) < 0.5, 0.0, ROWS),
}


def _delta(name: str) -> float:
    """Where gradients are scattered over many bins, none is shown at a small delta."""
    return 1e-3 if name == "a half that is short" else 0.1


@pytest.mark.parametrize("B", [500, 2000])
@pytest.mark.parametrize("choice", ["AS_PRINTED", "CORRECTED", "LEAN"])
@pytest.mark.parametrize("name", list(DATA))
def test_dp_pca_of_the_references_draws(name: str, choice: str, B: int) -> None:
    arguments = {"n": 2000, "d": 4, "B": B, "K": 1.0, "zeta": 0.1, "step_sizes": (1.0, 0.3, 0.2, 0.1)[: 2000 // B]}
    found, expected, _ = _replayed(DP_PCA, choice, {"epsilon": 0.8, "delta": _delta(name), **arguments}, DATA[name](), 25)
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_dp_pca_in_other_dimensions() -> None:
    for d in (1, 2, 7):
        data = np.random.default_rng(d).normal(size=(900, d))
        arguments = {"epsilon": 4.0, "delta": 0.1, "n": 900, "d": d, "B": 450, "K": 1.0, "zeta": 0.1, "step_sizes": (1.0, 0.5)}
        found, expected, _ = _replayed(DP_PCA, "LEAN", arguments, data, 25)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def _ends(data: NDArray[np.float64], arguments: dict[str, Any]) -> set[str]:
    """Return how the first steps of some runs ended."""
    _, _, tapes = _replayed(DP_PCA, "LEAN", arguments, data, 40)
    ends = set()
    for tape in tapes:
        released = {entry.name: entry.released for entry in tape.entries}
        eigenvalue = released["eigenvalue[1]"]
        if len(eigenvalue) == 0:
            ends.add("no eigenvalue")
        elif eigenvalue[np.argmax(eigenvalue[:, 0]), 2] == 1.0:
            ends.add("eigenvalue 0")
        else:
            ends.add("mean" if "t=1 mean" in released else "no bin")
    return ends


def test_the_replayed_runs_end_in_every_way() -> None:
    arguments = {"n": 2000, "d": 4, "B": 2000, "K": 1.0, "zeta": 0.1, "step_sizes": (1.0,)}
    ends = set()
    for name, data in DATA.items():
        ends |= _ends(data(), {"epsilon": 0.8, "delta": _delta(name), **arguments})
    assert ends == {"no eigenvalue", "eigenvalue 0", "mean", "no bin"}


@pytest.mark.parametrize("case_id", [i for i, (key, case) in by_id().items() if conformance.supports(key, case["choice"])])
def test_vectors(case_id: str) -> None:
    key, case = by_id()[case_id]
    assert not differences(case, ask(conformance, key, case))


# --- parts --------------------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_cells_are_those_that_counting_finds(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 12))
    spread = data.draw(st.sampled_from([2, 5, 1000]))
    codes = np.array(data.draw(st.lists(st.lists(st.integers(-spread, spread), min_size=size, max_size=size), min_size=1)))
    kept = np.cumsum([0, *data.draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))])
    items = _Items(np.diff(kept).astype(float), kept[:-1])
    cells = _cells(codes.astype(float), items)
    first = cells.first()
    for trial, row in enumerate(codes):
        occupied = cells.counts[trial] > 0.0
        found = zip(cells.values[trial][occupied], cells.counts[trial][occupied], first[trial][occupied], strict=True)
        repeated = np.repeat(row, np.diff(kept))
        values, at, counts = np.unique(repeated, return_index=True, return_counts=True)
        assert sorted(found) == list(zip(values, counts, at, strict=True))


@pytest.mark.parametrize("b", [1, 2, 5])
@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])
def test_bins_of_top_eigenvalues_are_those_of_singular_values(b: int, scale: float) -> None:
    rng = np.random.default_rng(b)
    A = scale * rng.normal(size=(40 * b, 3, 3))
    A[4 * b : 8 * b] = A[0]  # equal records: a subset of zeros
    calibration = algorithm_4.TopEigenvalueCalibration(
        epsilon=1.0, delta=0.1, zeta=0.1, B=len(A), k=20, b=b, divisor=2.0 * b, scale=2.0, threshold=3.0, sensitivity=2.0
    )
    prepared = _TopEigenvalue.of(A, calibration)
    w = rng.normal(size=(300, 3))
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    assert prepared.items.multiplicity is not None
    codes = np.repeat(prepared._codes(w), prepared.items.multiplicity.astype(int), axis=1)
    for i, one in enumerate(w):
        g = A @ one
        subsets = (g[1::2] - g[::2]).reshape(20, b, 3)
        exact = np.linalg.norm(subsets, ord=2, axis=(1, 2)) ** 2 / calibration.divisor
        expected = [math.floor(4.0 * math.log2(x)) if x > 0.0 else -math.inf for x in exact]
        assert sorted(codes[i]) == sorted(expected)


def test_enclosures_decide_most() -> None:
    """Were most bins left to the slow way, the batched algorithm would not be fast."""
    calibration = batched.sampler(
        DP_PCA,
        "LEAN",
        {"epsilon": 0.8, "delta": 0.1, "n": 2000, "d": 4, "B": 2000, "K": 1.0, "zeta": 0.1, "step_sizes": (1.0,)},
    ).calibration  # type: ignore[union-attr]
    prepared = _TopEigenvalue.of(ROWS[:1000], calibration.eigenvalue)
    w = np.random.default_rng(1).normal(size=(500, 4))
    _, decided = prepared._enclosures(w / np.linalg.norm(w, axis=1, keepdims=True))
    assert np.mean(decided) > 0.95


#: Multiples of 1/2, so that sums and products are exact: gradients of 0, at the edges of bins and of the box.
HALVES = st.integers(-8, 8).map(lambda i: i / 2.0)
#: Along an axis: exact products.
AXES = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]


def _arrays(data: st.DataObject, shape: tuple[int, ...]) -> NDArray[np.float64]:
    size = math.prod(shape)
    return np.array(data.draw(st.lists(HALVES, min_size=size, max_size=size))).reshape(shape)


def _tape(entries: dict[str, NDArray[np.float64]]) -> Tape:
    laws = {name: "gaussian" if name.endswith("mean") else "sparse_histogram" for name in entries}
    return Tape(tuple(Entry("release", name, laws[name], draw) for name, draw in entries.items()))


@pytest.mark.slow
@given(st.data(), st.sampled_from([(12, 2), (12, 2, 2)]))
@settings(max_examples=200, deadline=None)
def test_exact_means_with_ties_and_at_edges(data: st.DataObject, shape: tuple[int, ...]) -> None:
    """Equal noisy counts too: the lowest bin is the one; bottom; deviations at the sides of the box."""
    A = _arrays(data, shape)
    calibration = replace(
        algorithm_5.calibrate(0.8, 0.1, B=12, d=2, K=1.0, zeta=0.1), tau=1.0, radius=1.5, scale=1.0, threshold=3.0, std=0.5
    )
    draws = [
        {f"t=1 bin[{j}]": np.array(data.draw(st.lists(HALVES, min_size=12, max_size=12))) / 2.0 for j in (1, 2)}
        | {"t=1 mean": _arrays(data, (2,))}
        for _ in AXES
    ]
    eigenvalue = data.draw(st.sampled_from([0.25, 1.0, 4.0]))
    prepared = _Mean.of(A, calibration)
    found, some = prepared(np.array(AXES), np.full(4, eigenvalue), dp_pca.Taped([_tape(draw) for draw in draws]), 1)
    for i, w in enumerate(AXES):
        expected = algorithm_5.private_mean(gradients(A, np.array(w)), eigenvalue, calibration, Replay(_tape(draws[i])), "t=1 ")
        assert some[i] == (expected is not None)
        if expected is not None:
            np.testing.assert_allclose(found[i], expected, atol=1e-12)


@given(st.data(), st.sampled_from([(12, 2), (12, 2, 2)]), st.sampled_from([1, 2]))
@settings(max_examples=200, deadline=None)
def test_exact_eigenvalues_with_ties(data: st.DataObject, shape: tuple[int, ...], b: int) -> None:
    """The bin {0} stands between the bins 0 and 1 where noisy counts are equal; powers of 2 are at the edges of bins."""
    A = 2.0 * np.round(_arrays(data, shape) / 4.0)
    calibration = algorithm_4.TopEigenvalueCalibration(
        epsilon=1.0, delta=0.1, zeta=0.1, B=12, k=6 // b, b=b, divisor=1.0, scale=1.0, threshold=1.5, sensitivity=2.0
    )
    draws = [np.array(data.draw(st.lists(HALVES, min_size=6 // b, max_size=6 // b))) for _ in AXES]
    tapes = dp_pca.Taped([_tape({"eigenvalue[1]": draw}) for draw in draws])
    found = _TopEigenvalue.of(A, calibration)(np.array(AXES), functools.partial(tapes.eigenvalue, 1))
    for i, w in enumerate(AXES):
        g = gradients(A, np.array(w))
        expected = algorithm_4.private_top_eigenvalue(g, calibration, Replay(_tape({"eigenvalue": draws[i]})))
        assert found[i] == (-1.0 if expected is None else expected)


@pytest.mark.parametrize("scale", [1e-100, 1e-155, 1e-160, 1e-170, 1e-300])
@pytest.mark.parametrize("of", ["rows", "matrices"])
def test_gradients_that_underflow_are_in_the_bin_of_zero(scale: float, of: str) -> None:
    A = np.random.default_rng(0).normal(size=(40, 2))
    A[:30] *= scale
    A = A if of == "rows" else _matrices(A)
    w = np.array([[0.6, 0.8], [-0.8, 0.6]])
    _assert_counts(A, w, np.array([1.0, 1e10]))


def test_signs_that_single_precision_mistakes() -> None:
    """Rows almost at a right angle to w, on either side, or exactly."""
    rng = np.random.default_rng(4)
    w = np.array([[0.6, 0.8], [1.0, 0.0]])
    across = np.array([[-0.8, 0.6], [0.0, 1.0]])
    A = np.concatenate(
        [across[i] + rng.uniform(-1e-8, 1e-8, size=(40, 1)) * w[i] for i in (0, 1)] + [across[1:], np.zeros((1, 2))]
    )
    single = np.float32(A) @ np.float32(w).T
    assert np.any((single > 0.0) != (A @ w.T > 0.0))
    _assert_counts(A, w, np.array([4.0, 5.0]))


def _assert_counts(A: NDArray[np.float64], w: NDArray[np.float64], tau: NDArray[np.float64]) -> None:
    """The histograms' cells are those of the reference's bins."""
    calibration = algorithm_5.calibrate(0.8, 0.1, B=len(A), d=2, K=1.0, zeta=0.1)
    prepared = _Mean.of(A, calibration)
    apart = prepared._apart(tau)
    above = prepared._above(w, apart)
    for j in (0, 1):
        cells = prepared._histogram(j, w, tau, above[:, j], apart[j])
        for i, one in enumerate(w):
            bins = np.ceil(gradients(A, one)[:, j] / tau[i]) - 1.0
            values, counts = np.unique(bins, return_counts=True)
            occupied = cells.counts[i] > 0.0
            assert dict(zip(cells.values[i][occupied], cells.counts[i][occupied], strict=True)) == dict(
                zip(values, counts, strict=True)
            )


@given(st.lists(st.sampled_from([-1.0, 0.0, *(2.0 ** (i / 4.0) for i in range(-400, 400, 37))])), st.integers(1, 20))
def test_groups_part_the_trials(Lambda: list[float], most: int) -> None:
    ordered = np.sort(np.array([*Lambda, 1.0]))
    parts = [ordered[c] for c in _groups(ordered, most)]
    np.testing.assert_array_equal(np.concatenate(parts), ordered)
    assert all(len(part) <= most and (np.all(part <= 0.0) or np.all(part > 0.0)) for part in parts)


# --- sampling -----------------------------------------------------------------------------------------


def test_outputs_have_the_references_law() -> None:
    """Two Kolmogorov-Smirnov tests of 400 outputs against 4,000; false alarm 2e-5."""
    entry, rng = ALGORITHMS[DP_PCA], np.random.default_rng(11)
    arguments = {"epsilon": 4.0, "delta": 0.1, "n": 2000, "d": 4, "B": 1000, "K": 1.0, "zeta": 0.1, "step_sizes": (1.0, 0.5)}
    data = ROWS * [3.0, 1.0, 1.0, 1.0]
    run = entry.bind(**arguments, choices=entry.choices["LEAN"])
    expected = np.array([run(data, Sample(rng)) for _ in range(400)])
    sampler = batched.sampler(DP_PCA, "LEAN", arguments)
    assert sampler is not None
    found = sampler.sample(data, 4000, rng)
    assert found.shape == (4000, 4)
    for feature in (lambda w: w[:, 0] ** 2, lambda w: w[:, 1] * w[:, 2]):
        assert ks_2samp(feature(found), feature(expected)).pvalue > 1e-5


@pytest.mark.parametrize("key", batched.KEYS)
def test_a_seed_gives_the_same_outputs(key: str) -> None:
    entry = ALGORITHMS[key.removesuffix(":messages")]
    sampler = batched.sampler(key, "CORRECTED", entry.example.arguments)
    assert sampler is not None
    data = entry.example.data[0] if key.endswith(":messages") else entry.example.data
    one, two = (sampler.sample(data, 300, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert len(np.unique(one, axis=0)) > 250


@pytest.mark.parametrize(
    ("key", "data", "message"),
    [
        (LOCAL, np.ones((2, 2)), "unit ball"),
        (DP_PCA, np.ones((3, 2)), "calibrated n = 640 and d = 2"),
        (DP_PCA, np.full((640, 2), np.nan), "finite"),
        ("shang2021.dp_spca", np.zeros((4, 3)), "calibrated n = 3 and d = 3"),
        ("shang2021.dp_vrpca", np.ones((3, 3)), "unit ball"),
        ("baselines.noisy_power_method", np.zeros((4, 2)), "calibrated d = 3"),
        ("liu2022.private_oja", np.zeros((5, 2)), "calibrated n = 6 and d = 2"),
    ],
)
def test_bad_data(key: str, data: NDArray[np.float64], message: str) -> None:
    sampler = batched.sampler(key, "CORRECTED", ALGORITHMS[key].example.arguments)
    assert sampler is not None
    with pytest.raises(ValueError, match=message):
        sampler.sample(data, 10, np.random.default_rng(0))


def test_what_has_no_batched_implementation() -> None:
    assert batched.sampler("liu2022.oja", "AS_PRINTED", {}) is None
    assert batched.sampler(DP_PCA, "CORRECTED with fewer steps", {}) is None


def _calls(run: Callable[[], object]) -> int:
    """Return how many functions are called, Python's and compiled ones."""
    count = 0

    def seen(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(seen)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_trial_calls_fewer_functions(case: Case) -> None:
    """What makes them fast, in a number that is the same on every machine; `make benchmark` prints seconds."""
    run, sampler = implementations(case)
    rng = np.random.default_rng(0)
    reference = _calls(lambda: [run(case.data, Sample(rng)) for _ in range(3)]) / 3
    batched_calls = _calls(lambda: sampler.sample(case.data, 5000, rng)) / 5000
    assert 50 * batched_calls < reference


# --- audits -------------------------------------------------------------------------------------------


def _covered() -> Iterator[Instance]:
    for instance in instances():
        if instance.view == "output":
            how = instance.built()
            if isinstance(how, Output) and implementation(instance, how)[1] == "batched":
                yield instance


@pytest.mark.slow
def test_the_audits_use_them() -> None:
    covered = {instance.algorithm for instance in _covered()}
    assert covered >= {LOCAL, DP_PCA, "baselines.analyze_gauss", "baselines.mod_sulq", "liu2022.private_oja", *STEPS}


def test_audited_instances_have_outputs_of_the_same_kind() -> None:
    for instance in _covered():
        how = instance.built()
        assert isinstance(how, Output)
        expected = how.mechanism(how.data, np.random.default_rng(0))
        (found,) = implementation(instance, how)[0].sample(how.data, 1, np.random.default_rng(0))
        assert found.shape == expected.shape, instance.id
        assert found.dtype == expected.dtype, instance.id


# --- other arrays -------------------------------------------------------------------------------------


@dataclass
class _Elsewhere:
    """Draws as arrays of another namespace."""

    draws: dp_pca.DPPCADraws
    to: Callable[[Any], Any]
    back: Callable[[Any], Any]

    @property
    def trials(self) -> int:
        return self.draws.trials

    def of(self, chosen: Any) -> _Elsewhere:
        return _Elsewhere(self.draws.of(self.back(chosen)), self.to, self.back)

    def start(self, d: int) -> Any:
        return self.to(self.draws.start(d))

    def eigenvalue(self, t: int, shape: tuple[int, ...], first: Any) -> Any:
        return self.to(self.draws.eigenvalue(t, shape, lambda: self.back(first())))

    def bin(self, t: int, j: int, shape: tuple[int, ...], first: Any) -> Any:
        return self.to(self.draws.bin(t, j, shape, lambda: self.back(first())))

    def mean(self, t: int, d: int) -> Any:
        return self.to(self.draws.mean(t, d))


def _namespace(name: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    module = pytest.importorskip(name, reason=f"needs {name}")
    return (lambda x: module.asarray(np.asarray(x))), np.asarray


@pytest.mark.parametrize("name", ["array_api_strict", "torch"])
@pytest.mark.parametrize("of", ["Gaussian rows", "lengths of all sizes", "few rows, many times", "zeros but for few"])
def test_dp_pca_on_other_arrays(name: str, of: str) -> None:
    to, back = _namespace(name)
    arguments = {"n": 2000, "d": 4, "B": 1000, "K": 1.0, "zeta": 0.1, "step_sizes": (1.0, 0.3)}
    entry, data = ALGORITHMS[DP_PCA], DATA[of]()
    target = {"epsilon": 0.8, "delta": 0.1, **arguments}
    run = entry.bind(**target, choices=entry.choices["LEAN"])
    outputs, tapes = zip(*(record(run, data, np.random.default_rng([7, i])) for i in range(20)), strict=True)
    sampler = batched.sampler(DP_PCA, "LEAN", target)
    assert isinstance(sampler, DPPCA)
    found = sampler.run(data, _Elsewhere(dp_pca.Taped(tapes), to, back))
    assert type(found) is type(to(np.zeros(1)))
    np.testing.assert_allclose(back(found), outputs, atol=1e-7)


@pytest.mark.parametrize("name", ["array_api_strict", "torch"])
@pytest.mark.parametrize("key", [key for key in batched.KEYS if key != DP_PCA])
def test_the_others_on_other_arrays(name: str, key: str) -> None:
    to, back = _namespace(name)
    entry = ALGORITHMS[key.removesuffix(":messages")]
    sampler = batched.sampler(key, "CORRECTED", entry.example.arguments)
    assert sampler is not None
    data = entry.example.data[0] if key.endswith(":messages") else entry.example.data
    draws = sampler.draw(data, 20, np.random.default_rng(1))
    found = sampler.run(data, Draws(*map(to, draws)) if isinstance(draws, Draws) else to(draws))
    assert type(found) is type(to(np.zeros(1)))
    expected = sampler.run(data, draws)
    if key.endswith(":messages") or isinstance(draws, Draws):
        np.testing.assert_allclose(back(found), expected, atol=1e-9)
    else:
        for basis, other in zip(back(found), expected, strict=True):
            np.testing.assert_allclose(basis @ basis.T, other @ other.T, atol=1e-9)
