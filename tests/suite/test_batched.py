"""The batched implementations: the reference's draws give the reference's outputs, trial by trial, on every kind of array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from dppca.audit import batched
from dppca.audit.batched import noisy_steps
from dppca.audit.batched.conformance import implementation as conformance
from dppca.audit.batched.noisy_steps import Draws
from dppca.audit.suite.audits import instances
from dppca.audit.suite.instance import Instance, Output, implementation
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.conformance import by_id
from dppca.reference.conformance.compare import differences
from dppca.reference.conformance.generate import ask
from dppca.reference.noise import Sample, Tape, record
from dppca.reference.primitives.orthonormal import qr_factor
from tests.liu2022.by_hand import outer

LOCAL = "wang2020.local_gaussian_mechanism"
ROWS = np.random.default_rng(5).normal(size=(9, 4))
UNIT = ROWS / np.linalg.norm(ROWS, axis=1).max()


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
    data = outer(rows) if matrices else rows
    found, expected, _ = _replayed("liu2022.private_oja", choice, {"epsilon": 30.0, "delta": 0.1, **OJA}, data, 50)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_columns_that_are_nearly_dependent_become_orthonormal() -> None:
    """After one round of Gram-Schmidt alone their product would be 1e-8."""
    matrices = np.random.default_rng(0).normal(size=(20, 4, 1)) + 1e-8 * np.random.default_rng(1).normal(size=(20, 4, 3))
    found = noisy_steps.qr_factors(matrices)
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


@pytest.mark.parametrize("case_id", [i for i, (key, case) in by_id().items() if conformance.supports(key, case["choice"])])
def test_vectors(case_id: str) -> None:
    key, case = by_id()[case_id]
    assert not differences(case, ask(conformance, key, case))


# --- sampling -----------------------------------------------------------------------------------------


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
    assert batched.sampler(LOCAL, "CORRECTED with fewer steps", {}) is None


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
    assert covered >= {LOCAL, "baselines.analyze_gauss", "baselines.mod_sulq", "liu2022.private_oja", *STEPS}


def test_audited_instances_have_outputs_of_the_same_kind() -> None:
    for instance in _covered():
        how = instance.built()
        assert isinstance(how, Output)
        expected = how.mechanism(how.data, np.random.default_rng(0))
        (found,) = implementation(instance, how)[0].sample(how.data, 1, np.random.default_rng(0))
        assert found.shape == expected.shape, instance.id
        assert found.dtype == expected.dtype, instance.id


# --- other arrays -------------------------------------------------------------------------------------


def _namespace(name: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    module = pytest.importorskip(name, reason=f"needs {name}")
    return (lambda x: module.asarray(np.asarray(x))), np.asarray


@pytest.mark.parametrize("name", ["array_api_strict", "torch"])
@pytest.mark.parametrize("key", batched.KEYS)
def test_the_same_on_other_arrays(name: str, key: str) -> None:
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
