"""shang2021 and the baselines over searched neighbours, start vectors and transcripts, beside the derived suprema."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.audit.suite import marginal
from dppca.audit.suite.accounting.recorded_runs import reached, recorded
from dppca.audit.suite.accounting.spent_budget import readings
from dppca.audit.suite.neighbour_search import largest_change, largest_delta
from dppca.audit.suite.neighbours import dataset
from dppca.audit.suite.shang2021 import brackets
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm, Noise, TapeError
from dppca.reference.relation import Relation

#: Datasets on which the rows of an algorithm are replaced.
PAIRS = 16
D = 3
TARGET: dict[str, Any] = {"epsilon": 1.0, "delta": 0.01}
SPCA, VRPCA = ALGORITHMS["shang2021.dp_spca"], ALGORITHMS["shang2021.dp_vrpca"]


#: Two steps, where an algorithm has steps: the second one starts wherever the first transcript sends it.
STEPS: dict[str, dict[str, Any]] = {
    "shang2021.dp_spca": {"step_sizes": (1.0, 1.0)},
    "shang2021.dp_vrpca": {"T": 2, "m": 1, "eta": 1.0},
    "baselines.noisy_power_method": {"L": 2},
}


def arguments(key: str, n: int, k: int) -> dict[str, Any]:
    """Return the declared example's arguments, for n rows in R^D and k directions."""
    sizes = {"n": n, "d": D, "k": k}
    declared = ALGORITHMS[key].example.arguments
    return {**declared, **{name: size for name, size in sizes.items() if name in declared}, **STEPS.get(key, {})}


#: Change over declared sensitivity at the worst pair, where it is not 1: the source's relation is another one, or its
#: value is twice the supremum.
PRINTED = {
    ("baselines.analyze_gauss", 1): math.sqrt(2.0),
    ("baselines.analyze_gauss", 2): math.sqrt(2.0),
    ("baselines.noisy_power_method", 1): math.sqrt(D),  # one over the largest entry of a flat basis
    ("baselines.exponential_mechanism", 1): 0.5,
    ("baselines.exponential_mechanism", 2): 0.5,
}


#: The number of rows enters the sensitivities of shang2021.
CASES = [
    (key, choice, n)
    for key, entry in ALGORITHMS.items()
    if key.startswith(("shang2021", "baselines")) and entry.relation is Relation.REPLACE_ONE  # what the search replaces
    for choice in entry.choices
    if choice in ("AS_PRINTED", "CORRECTED")
    for n in ((1, 3) if key.startswith("shang2021") else (2,))
]


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize(("key", "choice", "n"), CASES)
def test_search_reaches_each_declared_sensitivity_and_no_more(key: str, choice: str, k: int, n: int) -> None:
    entry = ALGORITHMS[key]
    run = entry.bind(**arguments(key, n, k), choices=entry.choices[choice])
    try:
        found = largest_change(run, n, D, seed=0, restarts=3).value
    except TapeError as error:
        pytest.fail(f"what is drawn, and how many releases there are, depends on the data: {error}")
    least = most = PRINTED.get((key, k), 1.0) if choice == "AS_PRINTED" else 1.0
    if (key, choice, k) == ("baselines.noisy_power_method", "AS_PRINTED", 2):  # no orthonormal (3, 2) basis is flat
        least, most = 1.4, math.sqrt(D)
    assert found <= most * (1.0 + 1e-5), (
        f"a release changes by {found:.6g} times the sensitivity that it declares, where one row of {n} is replaced"
    )
    assert found >= least * (1.0 - 1e-5), f"no pair was found that moves a release by more than {found:.6g} of what it declares"


@pytest.mark.parametrize(("n", "k", "T"), [(2, 1, 1), (2, 1, 9), (3, 1, 9), (2, 2, 9)])
def test_no_pair_of_dp_spca_is_worse_than_that_of_the_lower_account(n: int, k: int, T: int) -> None:
    """One step, and T of them from the same iterate (step sizes tending to 0), the index summed out."""
    calibration = SPCA.calibrate(**TARGET, n=n, d=2, T=T, k=k)
    found = largest_delta(_spca(replace(calibration, steps=1)), n, 2, 1.0, copies=T, seed=0, restarts=3)
    bracket = brackets.dp_spca(1.0, n, T, calibration.std, calibration.sensitivity)
    assert found.value == pytest.approx(bracket.lower, rel=0.01), "another pair than the account's is worst"
    assert bracket.lower <= bracket.upper <= TARGET["delta"], f"the noise has delta {bracket.upper:.4g} by its account"


@pytest.mark.parametrize(
    ("n", "k", "std", "epsilon"), [(2, 1, 1.5, 0.3), (3, 1, 1.5, 0.3), (2, 2, 2.0, 0.3), (2, 1, 6.0, 0.05)]
)
def test_a_step_of_dp_vrpca_is_worst_away_from_the_epoch_start_and_within_its_account(
    n: int, k: int, std: float, epsilon: float
) -> None:
    """The canaries of the transcript view have V = V~, as the lower account has; the second step of a search need not."""
    calibration = VRPCA.calibrate(**TARGET, n=n, d=2, T=2, m=1, k=k)
    found = largest_delta(_vrpca(replace(calibration, std=std)), n, 2, epsilon, seed=0, restarts=4)
    bracket = brackets.dp_vrpca(epsilon, n, 1, std, 1.0 if k == 1 else math.sqrt(2.0))
    assert found.value <= bracket.upper, f"a pair has delta {found.value:.4g}, above the account's {bracket.upper:.4g}"
    assert 1.15 * bracket.lower <= found.value, f"no pair was found with more than delta {found.value:.4g}"


@pytest.mark.parametrize("choice", ["AS_PRINTED", "CORRECTED"])
def test_search_refutes_theorem_3_by_itself(choice: str) -> None:
    """n = T = m = 1, where the noise as published ignores all that is released."""
    calibration = VRPCA.calibrate(1.0, 1e-5, 1, 2, 1, 1, 1, choices=VRPCA.choices[choice])
    found = largest_delta(_vrpca(calibration), 1, 2, 1.0, seed=0)
    assert (found.value > 1.02e-5) == (choice == "AS_PRINTED"), f"{choice}: the worst pair found has delta {found.value:.4g}"


def _spca(calibration: Any) -> Algorithm[NDArray[np.float64]]:
    def run(X: NDArray[np.float64], noise: Noise) -> NDArray[np.float64]:
        return marginal.dp_spca(X, (1.0,) * calibration.steps, calibration, noise)

    return run


def _vrpca(calibration: Any) -> Algorithm[NDArray[np.float64]]:
    return lambda X, noise: marginal.dp_vrpca(X, 1.0, calibration, noise)


@pytest.mark.parametrize("key", [f"{key}-" for key, entry in ALGORITHMS.items() if entry.private])
def test_no_release_changes_by_more_than_it_declares_on_rows_of_unequal_lengths(key: str) -> None:
    """The declared example's arguments, at up to eight records where they are free: short, zero, repeated and tied rows."""
    entry = ALGORITHMS[key[:-1]]
    rng = np.random.default_rng(0)
    d = len(entry.example.data[0])
    free = entry.data.sizes[0] not in entry.example.arguments
    for choice in readings(entry):
        for number in range(PAIRS if len(entry.example.data) < 100 else 1):
            n = 1 + number % 8 if free and len(entry.example.data) < 100 else len(entry.example.data)
            rows = dataset(entry, n, d, rng)
            run = recorded(entry, entry.example.arguments, entry.choices[choice], rows, rng, rare=bool(rng.random() < 0.5))
            faults = reached(run, range(min(n, 4)), rng).faults
            assert not faults, f"{choice}: {faults[0]}"
