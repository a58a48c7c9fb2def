"""The exponential mechanism on the sphere: likelihoods, privacy, multipliers."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ive

from dppca.reference.baselines import exponential
from dppca.reference.noise import condition, record
from tests.baselines.runs import NEIGHBOUR, X, sphere


def test_deflation_is_the_product_of_the_conditional_laws() -> None:
    """In d = 3 the second direction lives on a circle, so both normalisers have classical forms."""
    run, m = sphere(), exponential.calibrate(1.0, 2).multiplier
    output, tape = record(run, X, np.random.default_rng(6))
    S = NEIGHBOUR.T @ NEIGHBOUR
    eigenvalues = m * np.linalg.eigvalsh(S)

    def height(t: float) -> float:
        half = 0.5 * (1 - t * t) * (eigenvalues[1] - eigenvalues[0])
        rest = 0.5 * (1 - t * t) * (eigenvalues[1] + eigenvalues[0])
        return math.exp(eigenvalues[2] * t * t + rest + half) * float(ive(0, half))

    expected = m * output[:, 0] @ S @ output[:, 0] - math.log(0.5 * quad(height, -1, 1, epsabs=1e-13)[0])
    P = np.eye(3) - np.outer(output[:, 0], output[:, 0])
    low, high = m * np.sort(np.linalg.eigvalsh(P @ S @ P + 1e9 * (P - np.eye(3))))[1:]
    expected += m * output[:, 1] @ S @ output[:, 1] - (
        0.5 * (low + high) + math.log(ive(0, (high - low) / 2)) + (high - low) / 2
    )
    assert condition(run, NEIGHBOUR, tape).log_likelihood == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("d", [2, 3, 6])
def test_exponential_mechanism_is_epsilon_private_and_nearly_tight(d: int) -> None:
    """The largest loss over the sphere is m lambda_max(D) - log c + log c', in closed form per pair."""
    law = exponential.BinghamLaw(exponential.calibrate(1.0).multiplier)
    rng, others = np.random.default_rng(10), np.zeros((d, d))
    for _ in range(50):
        rows = rng.standard_normal((6, d))
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
        common = rows[2:].T @ rows[2:]
        A, B = common + np.outer(rows[0], rows[0]), common + np.outer(rows[1], rows[1])
        v = np.linalg.eigh(A - B)[1][:, -1]
        assert abs(law.log_likelihood(A, v) - law.log_likelihood(B, v)) <= 1.0
    others[1, 1] = 2000.0
    e_1, e_2 = np.eye(d)[:2]
    A, B = others + np.outer(e_1, e_1), others + np.outer(e_2, e_2)
    assert 0.99 <= law.log_likelihood(A, e_1) - law.log_likelihood(B, e_1) <= 1.0


def test_multipliers() -> None:
    for epsilon, k in itertools.product((0.1, 0.7, 1.0, 3.0), range(1, 60)):
        spent = 2 * k * Fraction(exponential.calibrate(epsilon, k).multiplier)
        assert Fraction(epsilon) * (1 - Fraction(1, 2**51)) <= spent <= Fraction(epsilon)
    assert exponential.calibrate(1.0, 1, exponential.Choices.read("PPCA")).multiplier == 0.5
    assert exponential.calibrate(1.0, 2, exponential.Choices.read("AS_PRINTED")).multiplier == 0.125
    assert exponential.calibrate(1.0, 2).multiplier == 0.25
