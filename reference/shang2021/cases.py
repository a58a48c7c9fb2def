"""Cases of shang2021."""

from __future__ import annotations

import numpy as np

from dppca.reference.conformance.cases import Case

_ROWS = [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.5, -0.5], [0.2, -0.3, 0.4]]
_TARGET = {"epsilon": 2.0, "delta": 0.01, "n": 4, "d": 3}
_ONE = {**_TARGET, "k": 1, "step_sizes": [0.4, 0.3, 0.2]}
_BLOCK = {**_TARGET, "k": 2, "step_sizes": [0.4, 0.3, 0.2]}
_EPOCHS = {**_TARGET, "T": 2, "m": 2, "k": 1, "eta": 0.3}

CASES = {
    "shang2021.dp_spca": (
        Case(
            "vector",
            "k = 1, the printed lines, a step size of its own for each step",
            _ONE,
            _ROWS,
            lambda seen: len({tuple(x) for x in seen.line("2", "x_i")}) == 3,
            draws={"i[1]": 2, "i[2]": 0, "i[3]": 3},
        ),
        Case("block", "k = 2: line 4 is the polar factor", _BLOCK, _ROWS, lambda seen: seen.output.shape == (3, 2)),
        Case(
            "same-row-twice",
            "rows are drawn with replacement",
            _ONE,
            _ROWS,
            lambda seen: np.array_equal(*seen.line("2", "x_i")[:2]),
            draws={"i[1]": 1, "i[2]": 1},
        ),
        Case(
            "zero-row",
            "a row of zeros: the gradient is 0 and only noise moves the iterate",
            {**_ONE, "step_sizes": [0.5]},
            [[0.0, 0.0, 0.0], *_ROWS[1:]],
            lambda seen: not seen.value("g[1]").any(),
            draws={"i[1]": 0},
        ),
        Case(
            "whole-space",
            "k = d: the sensitivity is that of the whole matrix",
            {**_TARGET, "k": 3, "step_sizes": [0.5]},
            _ROWS,
            lambda seen: seen.output.shape == (3, 3),
        ),
        Case("refuses-step", "a step size that is 0", {**_ONE, "step_sizes": [0.4, 0.0, 0.2]}, _ROWS, refuses="step_sizes"),
        Case("refuses-n", "fewer rows than calibrated", _ONE, _ROWS[:3], refuses="X"),
        Case("refuses-long-row", "a row outside the unit ball", _ONE, [*_ROWS[:3], [1.0, 0.2, 0.0]], refuses="X[3]"),
    ),
    "shang2021.dp_vrpca": (
        Case(
            "vector",
            "k = 1, two epochs; line 2's sign distinguishes the readings",
            _EPOCHS,
            _ROWS,
            lambda seen: len(seen.line("2", "mu~")) == 2 and len({tuple(x) for x in seen.line("5", "x_i")}) == 4,
            draws={"i[2,2]": 0},
        ),
        Case(
            "block", "k = 2: line 8 is the polar factor", {**_EPOCHS, "k": 2}, _ROWS, lambda seen: seen.output.shape == (3, 2)
        ),
        Case(
            "first-step-of-an-epoch",
            "T = 1: v and v~ are equal in every step, so the sampled row cancels",
            {**_EPOCHS, "T": 1, "m": 3},
            _ROWS,
            lambda seen: all(np.allclose(seen.value(f"g[{s},1]"), seen.line("2", "mu~")[s - 1]) for s in (1, 2, 3)),
        ),
        Case(
            "last-row",
            "the largest index is drawn",
            _EPOCHS,
            _ROWS,
            lambda seen: np.array_equal(seen.line("5", "x_i")[1], _ROWS[3]),
            draws={"i[1,2]": 3},
        ),
        Case("refuses-eta", "a negative step size", {**_EPOCHS, "eta": -0.1}, _ROWS, refuses="eta"),
        Case("refuses-n", "more rows than calibrated", _EPOCHS, [*_ROWS, [0.0, 0.0, 0.1]], refuses="X"),
        Case("refuses-k", "k larger than d", {**_EPOCHS, "k": 4}, _ROWS, refuses="k"),
    ),
}
