"""What is declared on the tape adds up to the target: each reading that is claimed private, at all its small sizes and options.

What is spent is composed by formulas of its own (composition.py); on the way every release's change between neighbours is
compared with what it declares.
"""

from __future__ import annotations

import pytest

from dppca.audit.suite.accounting.spent_budget import CASES, PRINTED, budget_faults, readings, spent_by_example
from dppca.audit.suite.sizes import LARGEST, RANGES, names
from dppca.reference.catalog import ALGORITHMS

READINGS = {
    f"{key}-{choice}": (key, choice) for key, entry in ALGORITHMS.items() if entry.private for choice in readings(entry)
}

#: What the readings as published spend on the declared example, by the sensitivities that they declare: delta at the target's
#: epsilon, or epsilon at the target's delta where that is 0 or nearly.
SPENT = {
    ("liu2022.private_oja", "AS_PRINTED"): 0.000877186,
    ("liu2022.dp_pca", "AS_PRINTED"): 0.05,
    ("liu2022.private_top_eigenvalue", "AS_PRINTED"): 0.1,
    ("liu2022.private_mean", "AS_PRINTED"): 0.0248603,
    ("liu2022.minibatch_private_oja", "AS_PRINTED"): 0.000877186,
    ("liu2022.hyperparameter_search", "AS_PRINTED"): 0.0490703,
    ("liu2022.deflation", "AS_PRINTED"): 0.05,
    ("liu2022.block_dp_pca", "AS_PRINTED"): 0.05,
    ("wang2020.local_gaussian_mechanism", "AS_PRINTED"): 4.11369e-08,
    ("wang2020.local_gaussian_mechanism_high_dimension", "LITERAL"): 2.17772e-07,
    ("wang2020.local_gaussian_mechanism_high_dimension", "AS_PRINTED"): 2.17772e-07,
    ("singhal2021.exact_subspace_estimator", "AS_PRINTED"): 0.953802,
    ("singhal2021.approximate_subspace_estimator", "AS_PRINTED"): 0.000167731,
    ("shang2021.dp_spca", "AS_PRINTED"): 0.00985347,
    ("shang2021.dp_vrpca", "AS_PRINTED"): 0.243455,
    ("baselines.analyze_gauss", "AS_PRINTED"): 0.000136436,
    ("baselines.exponential_mechanism", "PPCA"): 1.0,
    ("baselines.exponential_mechanism", "AS_PRINTED"): 1.0,
    ("baselines.mod_sulq", "AS_PRINTED"): 0.0916739,
    ("baselines.noisy_power_method", "AS_PRINTED"): 7.19141e-07,
    ("baselines.wishart_mechanism", "AS_PRINTED"): 0.283469,
}


@pytest.mark.parametrize("reading", READINGS)
def test_no_more_is_spent_than_the_target(reading: str, request: pytest.FixtureRequest) -> None:
    option = request.config.getoption
    faults = budget_faults(*READINGS[reading], CASES[option("--budget")], option("--seed"))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(("key", "choice"), SPENT, ids=[f"{key}-{choice}" for key, choice in SPENT])
def test_a_reading_as_published_spends_what_is_known(key: str, choice: str) -> None:
    found = spent_by_example(key, choice)
    assert found == pytest.approx(SPENT[key, choice], rel=1e-4, abs=1e-12), (
        f"{key}, {choice} spends {found:.6g} on the declared example, {SPENT[key, choice]:.6g} is known: its noise, its "
        "sensitivities or its releases are not those of the paper"
    )


def test_every_reading_is_one_or_the_other() -> None:
    private = {(key, choice) for key, entry in ALGORITHMS.items() if entry.private for choice in entry.choices}
    assert private == {*READINGS.values(), *SPENT}, "a reading is in neither list, so nothing is asked of what it spends"
    assert all(choice in PRINTED for _, choice in SPENT), "a reading that is claimed private is let off with a stated number"


@pytest.mark.parametrize("key", [f"{key}-" for key, entry in ALGORITHMS.items() if entry.private])
def test_every_size_and_option_has_a_range(key: str) -> None:
    missing = [name for name in names(ALGORITHMS[key[:-1]]) if name not in (*LARGEST, *RANGES)]
    assert not missing, f"audit/suite/sizes.py has no range of {', '.join(missing)}, which {key[:-1]} takes"
