"""liu2022: which releases a record changes that is added or removed, the relation of the text; and gradients far from 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm, lockstep

Data = NDArray[np.float64]

#: Privacy so weak that a handful of records fills the subsets of Algorithm 4 and passes the thresholds.
WEAK = {"epsilon": 400.0, "delta": 0.5, "K": 1.0, "zeta": 0.5}
CLIPPED = {"epsilon": 1.0, "delta": 0.1, "lambda_1": 1.0, "K": 1.0, "gamma": 1.0}
SEARCH = {**WEAK, "epsilon": 2000.0, "n": 17, "d": 2, "B": 4, "ceiling": 2.0, "rounds": 2, "target": 1e9}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "liu2022.private_oja": {**CLIPPED, "n": 4, "d": 2, "step_sizes": (0.5, 2.0, 0.1, 1.0)},
    "liu2022.minibatch_private_oja": {**CLIPPED, "n": 7, "d": 2, "step_sizes": (0.5, 2.0)},
    "liu2022.dp_pca": {**WEAK, "n": 11, "d": 2, "B": 5, "step_sizes": (0.5, 2.0)},
    "liu2022.deflation": {**WEAK, "n": 17, "d": 2, "B": 4, "r": 2, "step_sizes": (0.5, 2.0)},
    "liu2022.block_dp_pca": {**WEAK, "n": 9, "d": 2, "B": 4, "r": 2, "step_sizes": (0.5, 2.0)},
    "liu2022.hyperparameter_search": SEARCH,
}
GRADIENTS: dict[str, dict[str, Any]] = {
    "liu2022.private_top_eigenvalue": {"epsilon": 2.5, "delta": 0.5, "B": 13, "zeta": 0.5},  # 3 subsets of 2 differences
    "liu2022.private_mean": {**WEAK, "B": 6, "d": 2, "eigenvalue": 0.3},
}


def bind(key: str, choice: str, **changes: Any) -> Algorithm[Any]:
    entry = ALGORITHMS[key]
    return entry.bind(**{**ARGUMENTS, **GRADIENTS}[key] | changes, choices=entry.choices[choice])


@pytest.mark.parametrize("key", ["liu2022.private_mean-"])
def test_gradients_far_out_are_truncated_to_the_declared_box(key: str) -> None:
    """At 2e17 floats are 32 apart: the box must be cut after its centre is taken away, or rounding widens it."""
    others = np.full((199, 2), 0.5)
    data, neighbour = (np.vstack([np.full((1, 2), x), others]) + 2e17 for x in (1e9, -1e9))
    for choice in ALGORITHMS[key[:-1]].choices:
        run = bind(key[:-1], choice, epsilon=4.0, delta=0.01, B=200, eigenvalue=1.0)
        for seed in range(20):
            found = lockstep(run, data, neighbour, np.random.default_rng(seed))
            assert not found.violations


# --- adding or removing a record, the paper's own Definition 2.3 ----------------------------------------------


def for_own_n(key: str, choice: str, size: str, steps: Callable[[int], int] | None = None, **changes: Any) -> Algorithm[Any]:
    """Return the algorithm with the calibration, and the steps, that go with the number of records that it is given."""

    def run(data: Data, noise: Any) -> Any:
        own = {"step_sizes": (0.5,) * steps(len(data))} if steps else {}
        return bind(key, choice, **{size: len(data)}, **own, **changes)(data, noise)

    return run


@pytest.mark.parametrize("choice", ["AS_PRINTED", "CORRECTED"])
def test_removing_a_record_takes_a_release_of_private_oja_away(choice: str) -> None:
    run = for_own_n("liu2022.private_oja", choice, "n", lambda n: n)
    found = lockstep(run, np.ones((5, 2)), np.ones((4, 2)), np.random.default_rng(0))
    assert found.loss == np.inf
    assert "permutation(5)" in str(found.diverged)


@pytest.mark.parametrize("T", [2, 5])
def test_removing_the_first_record_changes_every_batch_of_equation_7(T: int) -> None:
    """T releases at the declared sensitivity, not one. A tiny gamma keeps the clipping threshold the same for both n."""
    B = 3
    data = np.zeros((B * T + 1, 2, 2))
    data[::B] = 1e9 * np.array([(-1.0) ** t for t in range(T + 1)])[:, np.newaxis, np.newaxis] * np.eye(2)
    run = for_own_n("liu2022.minibatch_private_oja", "CORRECTED", "n", lambda _: T, gamma=1e-30)
    found = lockstep(run, data, data[1:], np.random.default_rng(0))
    assert [release.name for release in found.releases] == [f"g[{t}]" for t in range(1, T + 1)]
    assert all(release.change == pytest.approx(release.sensitivity, rel=1e-12) for release in found.releases)


@pytest.mark.parametrize("choice", ["AS_PRINTED", "CORRECTED"])
def test_removing_the_first_gradient_changes_every_eigenvalue_of_algorithm_4(choice: str) -> None:
    """Pairs of equal gradients become pairs of different ones: all 3 items move, a change of 6 where 2 is declared."""
    equal = np.repeat([[0.0, 0.0], [1.0, 0.0]] * 4, 2, axis=0)[:13]
    found = lockstep(for_own_n("liu2022.private_top_eigenvalue", choice, "B"), equal, equal[1:], np.random.default_rng(0))
    (release,) = found.violations
    assert (release.change, release.sensitivity) == (6.0, 2.0)


@pytest.mark.parametrize("choice", ["AS_PRINTED", "CORRECTED", "LEAN"])
@pytest.mark.parametrize("T", [1, 2, 4])
def test_removing_the_first_record_changes_every_batch_of_dp_pca(choice: str, T: int) -> None:
    """Each batch changes here too; n goes from B T + 1 to B T, so T stays."""
    B = 12
    data = np.tile(np.repeat(np.eye(2), 2, axis=0), (B * T, 1))[: B * T + 1]
    run = for_own_n("liu2022.dp_pca", choice, "n", lambda n: n // B, B=B)
    found = lockstep(run, data, data[1:], np.random.default_rng(1))
    eigenvalues = [release for release in found.releases if release.name.startswith("eigenvalue")]
    assert len(eigenvalues) == T
    assert all(release.change == release.sensitivity for release in eigenvalues)
