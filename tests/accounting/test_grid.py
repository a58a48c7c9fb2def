"""The choice of a grid."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from dppca.reference.accounting import (
    Mechanism,
    UniformIndex,
    choose_grid,
)
from dppca.reference.accounting import grid as grids


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
