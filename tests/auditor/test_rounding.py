"""Rounding told from noise: what floats leak is found, named, and can be left out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dppca import audit
from dppca.audit.auditor.outputs import encode_pair
from dppca.audit.auditor.rounding import Grid
from tests.studies.known_mechanisms import SIMPLE_MECHANISMS, Known, Vectorised, gaussian

pytestmark = pytest.mark.usefixtures("without_new_processes")


def _residue(x: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return a noisy number, and what is left of it when 1 is taken away and put back: 0 over the reals, rounding in floats."""
    y = x + rng.laplace(size=n)
    return np.column_stack([y, ((y - 1.0) + 1.0) - y])


def _differences(x: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return the difference of two running sums of a noisy term: the term again over the reals, and without its noise here."""
    noisy = np.round(x + rng.laplace(size=n))
    base = 0.1 if x else 0.7
    return np.asarray((base + noisy) - base)


@pytest.mark.parametrize("draw", [_residue, _differences])
def test_an_event_that_is_rounding_is_named_and_both_bounds_are_given(draw: Vectorised) -> None:
    mechanism = Vectorised(draw)
    bound = audit.lower_bound(mechanism, 0.0, 1.0, trials=20_000)
    assert bound.epsilon > 3.0
    assert bound.event.endswith("(rounding of floats)")
    assert bound.ideal is not None
    assert 0.8 < bound.ideal < 1.05  # the exact value is 1, and one bound in twenty may be above it
    ideal = audit.lower_bound(mechanism, 0.0, 1.0, trials=20_000, floats="ideal")
    assert ideal.epsilon == pytest.approx(bound.ideal, abs=0.02)
    assert ideal.ideal is None
    assert "rounding" not in ideal.event


def test_a_verdict_has_both_bounds() -> None:
    mechanism, claim = Vectorised(_residue), audit.Claim(1.0)
    verdict = audit.check(mechanism, 0.0, 1.0, claim, trials=20_000)
    assert verdict.refuted
    assert verdict.bound.event.endswith("(rounding of floats)")
    assert verdict.bound.ideal is not None
    assert verdict.bound.ideal < 1.05
    assert not audit.check(mechanism, 0.0, 1.0, claim, trials=20_000, floats="ideal").refuted


@pytest.mark.parametrize("known", [*SIMPLE_MECHANISMS, gaussian(shrink=2.0)], ids=lambda known: known.name)
def test_noise_is_no_rounding(known: Known) -> None:
    pair = known.mechanism, known.data, known.neighbour
    found, ideal = (
        audit.lower_bound(*pair, delta=known.delta, trials=20_000, floats=floats) for floats in ("as they are", "ideal")
    )
    assert found.ideal is None
    assert "rounding" not in found.event
    assert ideal.epsilon == pytest.approx(found.epsilon, abs=1e-6)


def test_integers_are_exact_on_the_grid_too() -> None:
    bound = audit.lower_bound(lambda x, rng: 2**60 + x + (rng.random() < 0.1), 0, 1, trials=2000, floats="ideal")
    assert bound.epsilon > 1.5
    assert bound.ideal is None


def test_other_floats_are_refused() -> None:
    with pytest.raises(ValueError, match='floats must be "as they are" or "ideal", got \'real\''):
        audit.lower_bound(lambda x, rng: math.pi, 0, 1, floats="real")


def test_a_grid_has_the_usual_size_of_the_numbers() -> None:
    """The median size 90.5 is below 128; a column of whole numbers is none of the grid's."""
    first, second = encode_pair([(90.5, 3.0), (2.5, 1.0), (100.25, 2.0)], [(90.5, 3.0), (2.5, 1.0), (100.25, 2.0)])
    grid = Grid.of(first, second)
    assert (grid.columns.tolist(), grid.sizes.tolist()) == ([0], [128.0])


@pytest.mark.parametrize(
    ("data", "neighbour", "merges"),
    [
        ([0.5, 0.5, 0.7], [0.5 + 1e-16, 0.5 + 2e-16, 0.9], True),  # one of the values repeats, and is one with its neighbour
        ([0.5 - 2e-16, 0.7], [0.5, 0.5, 0.9], True),  # the upper one does
        ([0.5, 0.6, 0.7], [0.5 + 2e-16, 0.8, 0.9], False),  # none repeats
        ([0.5, 0.5, 0.7], [0.5, 0.7, 0.9], False),  # none becomes another
        ([0.5, 0.5, 0.7], [0.7 + 2e-16, 0.9, 0.4], False),  # another one repeats
        ([math.nan, math.nan, 0.7], [0.7 + 2e-16, 0.9, 0.4], False),
    ],
)
def test_a_grid_merges_values_of_which_one_repeats(data: list[float], neighbour: list[float], merges: bool) -> None:
    first, second = encode_pair(data, neighbour)
    assert Grid.of(first, second).merges(first, second) is merges
    assert Grid.of(second, first).merges(second, first) is merges
