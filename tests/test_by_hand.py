"""Small cases of the reference's inner functions, each with its answer worked out by hand or summed up term by term.

Where a statement's outcome hardly depends on an inner choice, only a case like these shows that the choice is the stated one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpz_poly
from scipy.stats import binom, norm

from dppca.reference.accounting import (
    Grid,
    Mechanism,
    Poisson,
    UniformIndex,
    certificates,
    choose_grid,
    floating,
    hinges,
    lower,
    search,
    shuffling,
    variance_reduced,
)
from dppca.reference.accounting import grid as grids
from dppca.reference.accounting.certificates import IntegerLaw, first_proved, power
from dppca.reference.accounting.grid import Law
from dppca.reference.accounting.hinges import HingeLaw
from dppca.reference.accounting.shuffling import ShuffleCertificate
from dppca.reference.declaration import Returns, declare
from dppca.reference.liu2022.data import RECORDS, rows_example
from dppca.reference.primitives.sparse_histogram import stability_threshold
from dppca.reference.relation import Relation
from dppca.reference.singhal2021.algorithm_1_threshold import ThresholdCalibration
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw
from dppca.reference.singhal2021.theorem_c import fewest_blocks
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


def test_a_square_of_the_lower_bound_spends_in_proportion_to_its_steps() -> None:
    """Four steps and a budget of 48 make a share of 48 / (4 * 3) = 4: the first square may drop 2 at each end, the second 4.

    (1, 1, 1) squared is (1, 2, 3, 2, 1), of which 1 goes at each end; (2, 3, 2) squared is (4, 12, 17, 12, 4).
    """
    found = lower._power(lower._Law(0.0, 0, fmpz_poly([1, 1, 1])), 4, 0, 48)
    assert found == lower._Law(0.0, 3, fmpz_poly([12, 17, 12]))


def test_a_finer_grid_covers_the_same_losses() -> None:
    assert lower.finer(Grid(3, 5, 7)) == Grid(5, 20, 28)


def test_the_largest_loss_counts_as_long_as_it_exceeds_epsilon() -> None:
    """Losses 0, 1 and 2 with masses 1/2, 1/4 and 1/4: at 3/2 delta is (1 - e^-0.5) / 4, from 2 on what is infinite."""
    one, grid = Law(0, np.array([0.5, 0.25, 0.25]), 0.0), Grid(0, 2, 1)
    assert floating._composed(one, grid, 1, 1.5, 0.0) == pytest.approx(0.25 * (1.0 - math.exp(-0.5)), rel=1e-9)
    assert floating._composed(one, grid, 1, 2.0, 0.0) == 0.0
    assert floating._composed(replace(one, infinite=0.1), grid, 3, 6.0, 0.0) == pytest.approx(1.0 - 0.9**3, rel=1e-12)


def test_a_grid_holds_every_loss_and_is_coarser_where_it_would_be_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest loss is that at the upper tail of the mixture, of a ten thousandth of delta a step."""
    n, steps, r, delta = 10_000, 10**6, 2.0, 1e-5
    mechanism = Mechanism(UniformIndex(n), steps, r)
    tail = 1e-4 * delta / steps
    reach = max(float(norm.isf(tail)), r + float(norm.isf(tail * n)))
    largest = math.log1p(math.exp(r * reach - 0.5 * r * r) / n - 1.0 / n)
    coarse = choose_grid(mechanism, 1.0, delta)
    monkeypatch.setattr(grids, "LONG", 10**9)
    fine = choose_grid(mechanism, 1.0, delta)
    for grid in (coarse, fine):
        assert grid.top - 1 <= largest * 2.0**grid.bits <= grid.top
    assert coarse.bits < fine.bits
    for long, expected in ((fine.top, fine), (fine.top - 2, coarse)):
        monkeypatch.setattr(grids, "LONG", long)
        assert choose_grid(mechanism, 1.0, delta) == expected


def test_a_grid_is_as_coarse_as_its_tolerance_allows() -> None:
    """One Gaussian step of ratio r = 5/4: the loss has mean r^2 / 2 and variance r^2, a cell adds at most width^2 / 4.

    That is at most 2 (1 + r^2) 1e-4 times the mean square 2.173, so the width at most 0.0667.
    """
    assert choose_grid(Mechanism(UniformIndex(1), 1, 1.25), 1.0, 1e-5).bits == 4


def test_a_law_with_too_many_points_above_or_below_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One step that seldom says much: 67 grid points above 0, 1 below, so that 134 and the spread are needed."""
    mechanism = Mechanism(UniformIndex(10**6), 1, 10.0)
    grid = choose_grid(mechanism, 1.0, 1e-3)
    assert (grid.bits, grid.bottom) == (0, 1)
    monkeypatch.setattr(grids, "POINTS_MAX", 2 * grid.top)
    with pytest.raises(ValueError, match="grid points, more than 134"):
        choose_grid(mechanism, 1.0, 1e-3)


def test_grid_points_above_and_below_take_the_same_time() -> None:
    mechanism = Mechanism(Poisson(0.1), 1000, 1.0)
    times = [certificates.seconds(mechanism, Grid(5, top, bottom), 1e-5) for top, bottom in ((9000, 1000), (1000, 9000))]
    assert times[0] == times[1] > certificates.seconds(mechanism, Grid(5, 9000, 1), 1e-5)


def gaussian_delta(epsilon: float, ratio: float) -> float:
    """Of one Gaussian release."""
    return float(norm.sf(epsilon / ratio - 0.5 * ratio) - math.exp(epsilon + norm.logsf(epsilon / ratio + 0.5 * ratio)))


@pytest.mark.parametrize("ratio", [4.0, 6.0, 8.0, 10.0])
@pytest.mark.parametrize("sampling", [UniformIndex(1), UniformIndex(7), Poisson(1.0), Poisson(0.2)])
def test_an_estimate_of_large_losses_is_not_too_small(ratio: float, sampling: Any) -> None:
    """From losses of 37 on e^-loss is below the rounding error of 1, so that nothing is left of it in 1 - e^-loss.

    Drawn with probability q, a row has q times the delta of the release at log(1 + (e^epsilon - 1) / q).
    """
    q, mechanism = float(sampling.rate), Mechanism(sampling, 1, ratio)
    for epsilon in (0.5 * ratio * ratio, 0.5 * ratio * ratio + ratio, 0.5 * ratio * ratio + 3.0 * ratio):
        exact = q * gaussian_delta(math.log1p(math.expm1(epsilon) / q), ratio)
        found = floating.estimate_delta(mechanism, 1.0, epsilon, like=exact)
        assert (1.0 - 1e-8) * exact <= found <= 1.3 * exact


def test_epsilons_up_to_1024_are_found() -> None:
    """A Gaussian release of ratio 10."""
    found = search.epsilon_at(Mechanism(UniformIndex(1), 1, 10.0), 1.0, 1e-3, certify=False).epsilon
    assert gaussian_delta(found, 10.0) == pytest.approx(1e-3, rel=1e-9)
    assert 64.0 < found < 128.0


def test_a_delta_of_1_is_certified_by_every_account() -> None:
    mechanism = Mechanism(UniformIndex(1, "ball"), 1000, 1.0)
    assert search.delta_at(mechanism, 0.2, 0.0, certify=True).delta == 1.0


# --- hinges -------------------------------------------------------------------------------------------


def test_the_second_moments_of_a_ball_and_of_a_triangle() -> None:
    assert float(hinges.second_moment("ball", arb(1))) == pytest.approx(math.e - 1.0)
    assert float(hinges.second_moment("diameter", arb(1))) == pytest.approx(2.0 * (math.e - math.sqrt(math.e)))


def test_a_hinges_cut_charges_the_top_and_raises_the_bottom() -> None:
    """1 + 2 of (1, 2, 5, 2, 1) may go at each end. At a growth of 2 the top is worth 2 * 2^3 + 1 * 2^4."""
    law = HingeLaw(0, fmpz_poly([1, 2, 5, 2, 1]), arb(0.5))
    assert hinges._cut(law, 3, arb(2), arb(1)) == HingeLaw(2, fmpz_poly([8]), arb(32.5))
    assert hinges._cut(law, 2, arb(2), arb(1)) == HingeLaw(1, fmpz_poly([3, 5, 2]), arb(16.5))


@pytest.mark.parametrize("side", [-1, 1])
def test_a_point_next_to_a_grid_point_is_divided_on_its_side(side: int) -> None:
    """A loss of 5/4 + side * 1e-40 is 5/4 as a float: the first grid point of width 1/4 that is tried may be the wrong one."""
    masses: dict[int, Any] = {}
    with ctx.workprec(256):
        m, b = (arb(5) / 4).exp() * (1 + side * arb("1e-40")), arb(1)
        hinges._add_point(masses, m, b, Grid(2, 40, 0))
        assert set(masses) == {5, 5 + side}
        tiny = 1e-40 * math.exp(1.25) / abs(1.0 - math.exp(-0.25 * side))
        assert float(masses[5 + side]) == pytest.approx(tiny, rel=1e-9, abs=0.0)
        assert all(mass > 0 for mass in masses.values())
        assert abs(float(sum(masses.values()) - m)) < 1e-60
        assert abs(float(sum(mass * (-arb(j) / 4).exp() for j, mass in masses.items()) - b)) < 1e-60


def test_a_law_in_floats_is_the_law_in_integers() -> None:
    """Down to what is above the last knot."""
    grid = Grid(4, 20, 0)
    with ctx.workprec(256):
        made = hinges.one_step("ball", arb(1) / 2, arb(1), grid, 100)
    found = hinges._float_law("ball", 0.5, 1.0, grid)
    assert made is not None
    assert found is not None
    exact = {made[0].lowest + j: int(mass) / 2.0**100 for j, mass in enumerate(made[0].masses.coeffs())}
    floats = {found.lowest + j: float(mass) for j, mass in enumerate(found.masses)}
    assert {j: mass for j, mass in floats.items() if mass > 1e-12} == pytest.approx(
        {j: mass for j, mass in exact.items() if mass > 1e-12}, rel=1e-9
    )


def test_what_is_not_proved_is_raised_by_ever_larger_steps() -> None:
    tried: list[float] = []

    def certify(value: float) -> Any:
        tried.append(value)
        return SimpleNamespace(delta=1e-3 if len(tried) == 4 else 2e-3)

    assert first_proved(lambda value: value >= 2.0, certify, 1.0, 4.0, 1e-3, 1e-4).delta == 1e-3
    assert 2.0 <= tried[0] <= 2.0 * (1.0 + 1e-4)
    assert tried == pytest.approx(tried[0] * np.cumprod([1.0, 1.0001, 1.0004, 1.0016]), rel=1e-12)
    assert first_proved(lambda value: value >= 5.0, certify, 1.0, 4.0, 1e-3, 1e-4) is None


# --- the lower bound ----------------------------------------------------------------------------------


def test_a_cell_ends_three_quarters_of_the_way_to_the_next_loss() -> None:
    assert lower._edges([arb(0), arb(4), arb(8), arb(24)]) == [arb(3), arb(7), arb(20)]


def test_the_lower_bound_of_a_triangle_is_sharp() -> None:
    """Against the divergence of the two mixtures in the plane, by the midpoint rule on a fine grid."""
    q, r, epsilon = 0.5, 1.0, 0.3
    height = math.sqrt(0.75) * r
    x, y = np.linspace(-9.0, height + 9.0, 1001), np.linspace(-0.5 * r - 9.0, 0.5 * r + 9.0, 1001)

    def density(at: float, side: float) -> np.ndarray:
        return np.outer(np.exp(-0.5 * (x - at) ** 2), np.exp(-0.5 * (y - side) ** 2)) / (2.0 * math.pi)

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
    assert search._estimated(Mechanism(UniformIndex(2), 1, 1.0), 1.0, 0.5) == delta
    assert seen == pytest.approx(asked, rel=1e-12)


def test_no_proof_is_made_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    def proof(*_: Any) -> Any:
        raise AssertionError("a proof was asked for")

    for module in (search, variance_reduced):
        monkeypatch.setattr(module, "small_steps_delta", proof)
    monkeypatch.setattr(variance_reduced, "renyi_delta", proof)
    index, reduced = Mechanism(UniformIndex(1000), 100_000, 1.0), variance_reduced.VarianceReduced(1000, 100_000, 1.0)
    assert search.delta_at(index, 4.0, 1.0, certify=False).certificate is None
    assert variance_reduced.variance_reduced_delta(reduced, 5.0, 1.0, 1e-5, certify=False).certificate is None


def test_sizes_at_their_ends() -> None:
    assert Poisson(0.9).rate == 0.9
    assert Poisson(1.0).rate == 1.0
    for rate in (0.0, 1.0000001):
        with pytest.raises(ValueError, match="probability must be"):
            Poisson(rate)
    assert grids.Grid(52, 1, 0).width == 2.0**-52
    with pytest.raises(ValueError, match="bits must be <= 52, got 53"):
        grids.Grid(53, 1, 0)
    with pytest.raises(ValueError, match="delta must be"):
        stability_threshold(1.0, 0.0)


def test_an_epsilon_of_many_hundreds_is_found() -> None:
    """One of two rows is drawn, at ratio 10: at most what the row costs that is drawn for certain."""
    found, certain = (search.epsilon_at(Mechanism(UniformIndex(n), 1, 10.0), 1.0, 1e-3, certify=False).epsilon for n in (2, 1))
    assert 64.0 < found < certain


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
    found = shuffling._certified_multiplier.__wrapped__(0.25, 1e-3, 7)
    assert tried == pytest.approx([5.0, 5.0 + 5e-6, 5.0 + 25e-6, 5.0 + 105e-6], abs=1e-9)
    assert (found.n, found.multiplier, found.delta) == (7, tried[-1], 1e-3)


# --- robust subspaces ---------------------------------------------------------------------------------


def test_so_many_blocks_are_needed_at_least() -> None:
    """16 ln 400 is 95.9; from epsilon = 1 on it is 8 ln 100 = 36.8."""
    assert [fewest_blocks(epsilon, 8.0) for epsilon in (0.5, 1.0, 3.0)] == [96, 37, 37]


def test_a_label_is_shown_where_its_lead_and_the_noise_exceed_the_bound() -> None:
    law, no_noise = GapThresholdLaw(2.0, 3.0), np.array(0.5)
    assert law.apply(np.array([3.0, 7.0]), no_noise) is None
    assert law.apply(np.array([3.5, 7.0]), no_noise).tolist() == [7.0]


def test_the_number_of_points_from_which_a_threshold_is_passed() -> None:
    """The least above 3 * 2 + 2 * 4.5 + 1 = 16."""
    assert ThresholdCalibration(1.0, 0.1, 2, 1.0, 4.5, 1.0, ()).sufficient_n == 17


# --- declarations -------------------------------------------------------------------------------------


def test_six_rows_and_a_neighbour_that_differs_in_the_first() -> None:
    found = rows_example(n=6, epsilon=0.5)
    assert found.data.shape == found.neighbour.shape == (6, 2)
    assert (found.data[0].tolist(), found.neighbour[0].tolist()) == ([1.0, 0.0], [0.0, 9.0])
    assert found.data[1:].tolist() == found.neighbour[1:].tolist()
    assert dict(found.arguments) == {"n": 6, "epsilon": 0.5}


@pytest.mark.parametrize(("given", "expected"), [({}, "somebody2024"), ({"paper": "others2025"}, "others2025")])
def test_a_paper_is_the_part_of_the_key_before_the_point_unless_it_is_given(given: dict[str, Any], expected: str) -> None:
    def total(A: Any, noise: Any) -> float:
        return 0.0

    relation, example = Relation.REPLACE_ONE, rows_example()
    made = declare(
        key="somebody2024.sum", number="1", title="A sum", data=RECORDS, relation=relation, returns=Returns.NUMBER, choices={},
        example=example, **given,
    )(total)  # fmt: skip
    assert made.declaration.paper == expected  # type: ignore[attr-defined]


def test_what_is_returned_is_told_in_words_and_how_it_is_compared() -> None:
    made = SimpleNamespace()
    Returns.__init__(made, "three numbers", "entries")  # type: ignore[arg-type]
    assert vars(made) == {"meaning": "three numbers", "rule": "entries"}
    assert (Returns.VECTOR.meaning, Returns.EIGENVECTORS.rule) == ("a vector", "projector")


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
