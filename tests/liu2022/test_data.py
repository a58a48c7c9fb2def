"""The example rows."""

from __future__ import annotations

from dppca.reference.liu2022.data import rows_example


def test_six_rows_and_a_neighbour_that_differs_in_the_first() -> None:
    found = rows_example(n=6, epsilon=0.5)
    assert found.data.shape == found.neighbour.shape == (6, 2)
    assert (found.data[0].tolist(), found.neighbour[0].tolist()) == ([1.0, 0.0], [0.0, 9.0])
    assert found.data[1:].tolist() == found.neighbour[1:].tolist()
    assert dict(found.arguments) == {"n": 6, "epsilon": 0.5}
