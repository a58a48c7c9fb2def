"""Small cases of the reference's inner functions, each with its answer worked out by hand or summed up term by term.

Where a statement's outcome hardly depends on an inner choice, only a case like these shows that the choice is the stated one.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, fmpz_poly
from scipy.stats import binom

from dppca.reference.accounting import Mechanism, UniformIndex, lower, search, shuffling
from dppca.reference.accounting.certificates import IntegerLaw, power
from dppca.reference.accounting.shuffling import ShuffleCertificate
from dppca.reference.wang2020.certified import Stopping, sparse_subspace
from dppca.reference.wang2020.fantope import fantope_weights
from dppca.reference.wang2020.penalty import noise_maximum_union

# --- accounts -----------------------------------------------------------------------------------------


def law_of(*masses: int, lowest: int = 0, infinite: int = 0) -> IntegerLaw:
    return IntegerLaw(lowest, fmpz_poly(list(masses)), infinite)


def test_a_square_spends_its_share_of_the_budget_at_the_top_and_at_the_bottom() -> None:
    """(1, 1, 1) squared is (1, 2, 3, 2, 1). Two has two binary digits, so a cut may spend 8 / (4 * 2) = 1 at each end."""
    assert power(law_of(1, 1, 1), 2, 0, 8) == law_of(3, 3, 2, lowest=1, infinite=1)
    assert power(law_of(1, 1, 1), 2, 0, 7) == law_of(1, 2, 3, 2, 1)  # too little for a share of 1
    assert power(law_of(1, 1, 1, infinite=5), 2, 0, 0) == law_of(1, 2, 3, 2, 1, infinite=10)


def test_a_product_spends_in_proportion_to_its_steps() -> None:
    """Three steps and a budget of 24 make a share of 24 / (4 * 2) = 3, of which each of the two products may spend 3 * 2 / 3.

    The square is (3, 3, 2) from 1 on when 1 has gone at each end, where 1 + 2 would be too much. Times (1, 1, 1) it is
    (3, 6, 8, 5, 2), and the 2 at its top goes.
    """
    assert power(law_of(1, 1, 1), 3, 0, 24) == law_of(3, 6, 8, 5, lowest=1, infinite=3)


def test_a_cell_ends_three_quarters_of_the_way_to_the_next_loss() -> None:
    assert lower._edges([arb(0), arb(4), arb(8), arb(24)]) == [arb(3), arb(7), arb(20)]


def test_the_lower_bound_of_a_triangle_is_sharp() -> None:
    """Against the divergence of the two mixtures in the plane, by the midpoint rule on a fine grid."""
    q, r, epsilon = 0.5, 1.0, 0.3
    height = math.sqrt(0.75) * r
    x, y = np.linspace(-9.0, height + 9.0, 2001), np.linspace(-0.5 * r - 9.0, 0.5 * r + 9.0, 2001)

    def density(at: float, side: float) -> np.ndarray:
        return np.exp(-0.5 * ((x[:, np.newaxis] - at) ** 2 + (y - side) ** 2)) / (2.0 * math.pi)

    absent, one, other = density(0.0, 0.0), density(height, 0.5 * r), density(height, -0.5 * r)
    excess = np.maximum((1.0 - q) * absent + q * one - math.exp(epsilon) * ((1.0 - q) * absent + q * other), 0.0)
    exact = float(excess.sum()) * (x[1] - x[0]) * (y[1] - y[0])
    found = lower.pair_lower_delta(Mechanism(UniformIndex(2), 1, 1.0), 1.0 / r, epsilon, "triangle", 1e-2)
    assert (1.0 - 2e-4) * exact <= found <= exact


@pytest.mark.parametrize(
    ("delta", "asked"),
    [(1.5e-4, [1e-3, 1.5e-4]), (1e-5, [1e-3, 1e-5, 1e-5]), (1e-7, [1e-3, 1e-5, 1e-9, 1e-7]), (0.7, [1e-3, 0.5])],
)
def test_the_grid_is_made_for_a_delta_of_the_size_that_is_found(
    monkeypatch: pytest.MonkeyPatch, delta: float, asked: list[float]
) -> None:
    """A delta above a tenth of what the grid was made for settles it."""
    seen: list[float] = []

    def estimate(mechanism: Mechanism, std: float, epsilon: float, *, like: float) -> float:
        seen.append(like)
        return delta

    monkeypatch.setattr(search, "estimate_delta", estimate)
    assert search._settled(Mechanism(UniformIndex(2), 1, 1.0), 1.0, 0.5) == delta
    assert seen == pytest.approx(asked, rel=1e-12)


# --- shuffling ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "epsilon", "epsilon_0"), [(1, 0.2, 1.0), (2, 0.3, 0.8), (6, 0.5, 2.0), (9, 0.05, 0.4)])
def test_clones_that_are_not_taken_in_blocks_are_summed_up_term_by_term(n: int, epsilon: float, epsilon_0: float) -> None:
    """The clones number Bin(n - 1, e^-epsilon_0), half of them on each side; the record joins the first with q or 1 - q."""
    q, total = math.exp(epsilon_0) / (1.0 + math.exp(epsilon_0)), 0.0
    for c in range(n):
        half = np.append(binom.pmf(np.arange(c + 1), c, 0.5), 0.0)
        joined = np.roll(half, 1)
        one, other = q * joined + (1.0 - q) * half, (1.0 - q) * joined + q * half
        total += binom.pmf(c, n - 1, math.exp(-epsilon_0)) * np.maximum(one - math.exp(epsilon) * other, 0.0).sum()
    quiet = 1000.0  # so little of one release is beyond epsilon_0 that nothing is added
    found = ShuffleCertificate(n, quiet, epsilon, 1.0, epsilon_0, 0, n - 1, n).bound()
    assert found == pytest.approx(total, rel=1e-12)
    assert ShuffleCertificate(n, quiet, epsilon_0 + 0.1, 1.0, epsilon_0, 0, n - 1, n).bound() < 1e-100


def test_a_multiplier_that_is_not_proved_is_raised_by_ever_larger_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[float] = []

    def certify(n: int, multiplier: float, epsilon: float) -> ShuffleCertificate:
        tried.append(multiplier)
        return ShuffleCertificate(n, multiplier, epsilon, 1e-3 if len(tried) == 4 else 2e-3, 0.0, 0, 0, 0)

    monkeypatch.setattr(shuffling, "shuffled_multiplier", lambda epsilon, delta, n: 5.0)
    monkeypatch.setattr(shuffling, "certify_shuffle", certify)
    found = shuffling.certified_multiplier.__wrapped__(0.25, 1e-3, 7)
    assert tried == pytest.approx([5.0, 5.0 + 5e-6, 5.0 + 25e-6, 5.0 + 105e-6], abs=1e-9)
    assert (found.n, found.multiplier, found.delta) == (7, tried[-1], 1e-3)


# --- sparse subspaces ---------------------------------------------------------------------------------


def test_the_union_bound_on_the_noise() -> None:
    """m = 6 entries and beta = 6 / e^4: std sqrt(2 * 4 / 8) is std."""
    assert noise_maximum_union(3.0, 8, 3, 6.0 * math.exp(-4.0)) == pytest.approx(3.0, rel=1e-12)


def test_weights_in_the_fantope() -> None:
    """3 - 2.25 and 2.5 - 2.25 add to 1; at k = 2 the largest is cut at 1, and 1 - 0.6 with 0.6 is left of the others."""
    assert fantope_weights(np.array([0.0, 3.0, 2.5]), 1) == pytest.approx([0.0, 0.75, 0.25])
    assert fantope_weights(np.array([9.0, 1.0, 0.8]), 2) == pytest.approx([1.0, 0.6, 0.4])
    assert fantope_weights(np.array([2.0, -1.0]), 2) == pytest.approx([1.0, 1.0])


def test_rho_is_that_of_the_last_pass() -> None:
    """With one pass no other rho than the first was ever used, though the residuals would have it changed."""
    S = np.diag([3.0, 1.0, 0.5])
    for rho in (1e-3, 1e3):
        found = sparse_subspace(S, 1, 0.1, rho=rho, stopping=Stopping(gap=1e-12, max_iterations=1))
        assert (found.iterations, found.converged, found.rho) == (1, False, rho)
