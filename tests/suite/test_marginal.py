"""Summing out the secret indices leaves the law of the transcript as it is."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dppca.audit.suite import marginal
from dppca.reference.liu2022 import algorithm_2_private_oja as oja
from dppca.reference.noise import Algorithm, lockstep, record
from dppca.reference.shang2021 import algorithm_1_dp_spca as spca

N, STEPS = 3, 4
X = np.array([[0.8, 0.1, 0.0], [0.0, -0.6, 0.7], [0.5, 0.5, 0.5]])


def _summed_spca(k: int) -> Algorithm[Any]:
    calibration = spca.calibrate(1.0, 0.1, N, 3, STEPS, k, choices=spca.AS_PRINTED)
    calibration = replace(calibration, std=0.5)
    return lambda data, noise: marginal.dp_spca(data, (0.5, 0.2, 0.4, 0.3), calibration, noise)


def test_a_given_start_is_used() -> None:
    start = np.eye(3, 1)
    _, tape = record(marginal.with_start(_summed_spca(1), start), X, np.random.default_rng(2))
    assert [entry.role for entry in tape.entries] == ["release"] * STEPS
    with pytest.raises(ValueError, match=r"start must have shape \(3, 2\), got \(3, 1\)"):
        record(marginal.with_start(_summed_spca(2), start), X, np.random.default_rng(2))


@pytest.mark.slow
def test_private_oja_summed_out_draws_its_own_law() -> None:
    """E_P of the likelihood ratio of another dataset is 1: within 5 standard errors (false alarm 6e-7)."""
    calibration = replace(oja.calibrate(1.0, 0.1, n=3, d=2, lambda_1=1.0, K=1.0, gamma=1.0), alpha=0.7, beta=1.0)
    data, other = np.array([[2.0, 0.0]] * 3), np.array([[0.0, 2.0]] + [[2.0, 0.0]] * 2)
    rng = np.random.default_rng(4)
    ratios = np.exp(
        [
            -lockstep(lambda A, noise: marginal.private_oja(A, (0.5,) * 3, calibration, noise), data, other, rng).loss
            for _ in range(4000)
        ]
    )
    assert abs(ratios.mean() - 1.0) < 5.0 * ratios.std() / math.sqrt(len(ratios))


def test_private_oja_refuses_records_that_it_cannot_sum_out() -> None:
    calibration = oja.calibrate(1.0, 0.1, n=3, d=2, lambda_1=1.0, K=1.0, gamma=1.0)
    with pytest.raises(ValueError, match="all alike but for the first"):
        record(lambda A, noise: marginal.private_oja(A, (1.0,) * 3, calibration, noise), np.eye(3, 2), np.random.default_rng(0))
