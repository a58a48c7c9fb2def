"""Laws, packings and lower bounds of liu2022's Appendix C: what the ledger's checks of them do not see."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.proofs_notes.liu2022.distributions import (
    SignalAndNoise,
    atom_tv,
    dp_fano,
    dp_fano_as_printed,
    equation_23,
    equation_30,
    fano,
    projective_packing,
    sine,
    theorem_5_3_rate,
    theorem_5_4_distribution,
    theorem_5_4_rate,
    theorem_c_1_distribution,
    theorem_c_1_rate,
    two_point_risk,
)

Matrix = NDArray[np.float64]

V3 = np.array([2.0, -1.0, 2.0]) / 3.0
ALL = [
    SignalAndNoise(V3, 0.2),
    theorem_5_4_distribution(V3, 0.3),
    theorem_c_1_distribution(V3, 2.0, 0.5),
]


@pytest.mark.parametrize("law", ALL, ids=lambda law: type(law).__name__)
def test_covariances_have_the_stated_spectrum(law: Any) -> None:
    values, vectors = np.linalg.eigh(law.covariance)
    assert values == pytest.approx([law.lambda_2, law.lambda_2, law.lambda_1])
    assert abs(vectors[:, -1] @ V3) == pytest.approx(1.0)


def test_theorem_c_1_has_gamma_of_order_root_d() -> None:
    """Why A.4's private rate does not apply to it: at u = v, ||H_u|| grows like d (1 - lambda_2 / lambda_1)."""
    law = theorem_c_1_distribution(np.eye(50)[0], 1.0, 0.5)
    assert np.linalg.norm(law.H(np.eye(50)[0]), 2) > 50 * 0.5 - 1


def test_total_variation_of_mixtures_is_their_weight_and_zero_for_antipodes() -> None:
    first = theorem_c_1_distribution(np.eye(3)[0], 2.0, 0.5)
    assert atom_tv(first, theorem_c_1_distribution(V3, 2.0, 0.5)) == pytest.approx(0.75 / 3)
    assert atom_tv(first, theorem_c_1_distribution(-np.eye(3)[0], 2.0, 0.5)) == 0.0
    with pytest.raises(ValueError, match="differ in v alone"):
        atom_tv(first, theorem_c_1_distribution(V3, 2.0, 0.6))


def test_packing_of_c_2_has_to_be_projective() -> None:
    """v and -v are 2 apart, as C.2 asks, and have one distribution: Lemma C.4 needs different parameters."""
    v = np.eye(3)[0]
    assert np.linalg.norm(v - (-v)) >= 0.5
    assert sine(v, -v) == 0.0
    np.testing.assert_array_equal(theorem_5_4_distribution(v, 0.2).covariance, theorem_5_4_distribution(-v, 0.2).covariance)
    packing = projective_packing(3, 0.5, 500, np.random.default_rng(9))
    assert len(packing) >= 2**3
    assert min(sine(a, b) for a, b in combinations(packing, 2)) >= math.sqrt(0.25 - 0.25**2 / 4) - 1e-12


@pytest.mark.parametrize(("n", "epsilon"), [(100, 1.0), (1000, 0.5), (2000, 0.1)])
def test_printed_theorem_c_2_is_false(n: int, epsilon: float) -> None:
    """An exactly computed risk below the printed bound, and not below the one with a proof."""
    q = 0.9
    risk, phi = two_point_risk(n, q, epsilon), 2 * q - 1
    assert dp_fano_as_printed(1.0, phi, 2, n, epsilon) > 2 * risk
    beta = (2 * q - 1) * math.log(q / (1 - q))
    assert risk >= max(fano(1.0, beta, 2, n), dp_fano(1.0, phi, 2, n, epsilon))


def test_the_smaller_alpha_of_equation_23_gives_the_smaller_rate() -> None:
    """Either term can be far below the other, and with it the paper's alpha far below the sum in (24)."""
    for n, epsilon, larger in ((10**8, 1.0, 0), (10**4, 1e-3, 1)):
        terms = equation_23(2.0, 1.0, 100, n, epsilon, c_1=0.1)
        assert terms[larger] > 10 * terms[1 - larger]
    statistical, private = equation_23(2.0, 1.0, 100, 10**6, 0.5, c_1=0.1)
    assert statistical == pytest.approx(math.sqrt(10 / 2e6 * 2))
    assert private == pytest.approx(10 / 5e5 * 2)
    assert equation_23(2.0, 1.99, 10, 1, 0.1, 1.0) == (1.0, 1.0)


def test_rates() -> None:
    assert theorem_5_3_rate(2.0, 0.5, 10, 1000, 0.5) == pytest.approx(4 / 3 * (0.1 + 0.02) / 2)
    assert theorem_5_3_rate(2.0, 1.9, 10, 10, 0.5) == 1.0
    level = math.log((1 - math.exp(-0.5)) / 1e-3)
    assert theorem_5_4_rate(3.0, 10, 1000, 0.5, 1e-3) == pytest.approx(3 * math.sqrt(level / 500))
    assert theorem_5_4_rate(3.0, 4, 1000, 0.5, 1e-9) == pytest.approx(3 * math.sqrt(4 / 500))
    assert theorem_5_4_rate(3.0, 4, 1, 0.5, 1e-9) == 3.0
    assert theorem_c_1_rate(2.0, 0.5, 10, 1000, 0.5) == pytest.approx(4 / 3 * 0.2 / 2)
    assert theorem_c_1_rate(2.0, 0.5, 10, 10, 0.5) == pytest.approx(0.5)


def test_levels_that_a_formula_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must be > 0, got -0\.5"):
        equation_30(1, 10, 1.0, 1e-6)
    with pytest.raises(ValueError, match="must be > 0"):
        equation_30(10, 10, 1.0, 0.5)
    with pytest.raises(ValueError, match=r"delta must be < 1 - e\^-epsilon"):
        theorem_5_4_rate(2.0, 3, 10, 0.1, 0.5)
