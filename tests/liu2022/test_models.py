"""Assumption 1 for Gaussian rows and Example 4.1: what the ledger's checks of these models do not see."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dppca.audit.suite.liu2022.models import (
    TAIL_K,
    chaos_bound,
    chi_square_tail,
    gaussian_model,
    signal_and_noise_model,
)


def test_m_of_example_4_1_vanishes_with_the_noise() -> None:
    assert signal_and_noise_model(5, 1e-12, 1000, 0.01).M < 2e-5
    assert gaussian_model(np.diag([1.0, 1e-12]), 1000, 0.01).M > 10


def test_tail_constant_suffices_and_cannot_be_much_smaller() -> None:
    """1.7952 is the smallest K the proof gives, 1.7093 the smallest for Gaussian rows; the paper's 4 is more than enough."""
    assert chaos_bound(TAIL_K) < 2.0
    assert chaos_bound(1.795) > 2.0
    assert chi_square_tail(1.7093) < 2.0 < chi_square_tail(1.7092)
    assert chaos_bound(4.0) < 1.3
    assert chaos_bound(math.sqrt(2.0)) == chi_square_tail(1.4) == math.inf


def test_errors() -> None:
    model = signal_and_noise_model(3, 0.5, 10, 0.1)
    assert model.kappa == pytest.approx(1.5)
    assert replace(model, failure=0.0).almost_surely
    with pytest.raises(ValueError, match=r"lambda_2 must be in \[0, lambda_1\) = \[0, 1.5\), got 1.5"):
        replace(model, lambda_2=1.5)
    with pytest.raises(ValueError, match=r"V must be finite and > 0, got -1.0"):
        replace(model, V=-1.0)
    with pytest.raises(ValueError, match="d must be >= 2, got 1"):
        signal_and_noise_model(1, 0.5, 10, 0.1)
    with pytest.raises(ValueError, match="covariance must be PSD, not zero"):
        gaussian_model(np.diag([1.0, -0.5]), 10, 0.1)
    with pytest.raises(ValueError, match="covariance must be PSD, not zero"):
        gaussian_model(np.zeros((2, 2)), 10, 0.1)
    with pytest.raises(ValueError, match="lambda_2 must be in"):
        gaussian_model(np.eye(2), 10, 0.1)
    with pytest.raises(ValueError, match=r"zeta must be in \(0, 1\), got 1.0"):
        gaussian_model(np.diag([2.0, 1.0]), 10, 1.0)
    with pytest.raises(ValueError, match="K must be finite and > 0"):
        chaos_bound(0.0)
