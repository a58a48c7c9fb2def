"""Small cases of the reference's inner functions, each with its answer worked out by hand or summed up term by term.

Where a statement's outcome hardly depends on an inner choice, only a case like these shows that the choice is the stated one.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dppca.audit.suite.wang2020.penalty import noise_maximum_union
from dppca.reference.declaration import Returns, declare
from dppca.reference.liu2022.data import RECORDS, rows_example
from dppca.reference.relation import Relation
from dppca.reference.singhal2021.algorithm_1_threshold import ThresholdCalibration
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw
from dppca.reference.singhal2021.theorem_c import fewest_blocks
from dppca.reference.wang2020.certified import Stopping, sparse_subspace
from dppca.reference.wang2020.fantope import fantope_weights

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
    assert ThresholdCalibration(1.0, 0.1, 2, 1.0, 4.5, 1.0).sufficient_n == 17


# --- declarations -------------------------------------------------------------------------------------


def test_six_rows_and_a_neighbour_that_differs_in_the_first() -> None:
    found = rows_example(n=6, epsilon=0.5)
    assert found.data.shape == found.neighbour.shape == (6, 2)
    assert (found.data[0].tolist(), found.neighbour[0].tolist()) == ([1.0, 0.0], [0.0, 9.0])
    assert found.data[1:].tolist() == found.neighbour[1:].tolist()
    assert dict(found.arguments) == {"n": 6, "epsilon": 0.5}


@pytest.mark.parametrize(("given", "expected"), [({}, "auditor"), ({"paper": "others2025"}, "others2025")])
def test_a_paper_is_the_folder_of_the_function_unless_it_is_given(given: dict[str, Any], expected: str) -> None:
    def total(A: Any, noise: Any) -> float:
        return 0.0

    relation, example = Relation.REPLACE_ONE, rows_example()
    made = declare(
        number="1", title="A sum", data=RECORDS, relation=relation, returns=Returns.NUMBER, choices={"CORRECTED": None},
        example=example, **given,
    )(total)  # fmt: skip
    assert made.declaration.paper == expected  # type: ignore[attr-defined]
    assert made.declaration.key == "auditor.total"  # type: ignore[attr-defined]


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
