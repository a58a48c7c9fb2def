"""Cases of singhal2021. `ell` and n are small and epsilon is large: the branches matter here, not the privacy."""

from __future__ import annotations

import numpy as np

from dppca.reference.conformance.cases import Case, Seen

_PLANE = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, -1, 0]]
_SPREAD = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
_EXACT = {"epsilon": 8.0, "delta": 0.2, "ell": 0, "k": 2}
_ALL = {"epsilon": 8.0, "delta": 0.5, "ell": 0, "k_max": 2}
_SAMPLED = {"epsilon": 8.0, "delta": 0.4, "ell": 0, "n": 9, "k": 1}
_NO_NOISE = 0.5  # a uniform draw that stands for truncated Laplace noise 0
_POINTS_ON_A_LINE = [[1, 2], [2, 4], [-1, -2], [3, 6], [1, 2], [2, 4], [1, 2], [5, 10]]
_FLOATS = [[0.5, 1, 0], *_PLANE]

_UNIT = [[0.3, 0.4], [-0.6, -0.8], [0.9, 1.2]]


def axes(*blocks: int) -> list[list[float]]:
    """Return blocks of three rows: so many along e_1, along e_2 and along the diagonal."""
    directions = ([1.0, 0.0], [0.0, 1.0], [1.0, 1.0])
    return [
        [scale * x for x in row]
        for row, count in zip(directions, blocks, strict=True)
        for _ in range(count)
        for scale in (3.0, 1.0, 1.0)
    ]


_SMALL = {"epsilon": 8.0, "delta": 0.1, "gamma": 0.001, "n": 9, "d": 2, "k": 1}  # as published t = 3 blocks of m = 3 rows
_TWO_BLOCKS = {**_SMALL, "epsilon": 12.0, "n": 7}  # as published t = 2 blocks of m = 3 rows, the last row unused
_FEWEST = {**_SMALL, "n": 111}  # as corrected t = 37 blocks of m = 3 rows, as few as there can be
_QUIET = {"histogram": [0.0] * 37}

_SELECTION = {
    "epsilon": 60.0,
    "delta": 0.1,
    "gamma": 1e-5,
    "gamma_hat": 0.1,
    "n": 148,
    "d": 3,
    "k_max": 2,
    "auxiliary": [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]],
}
#: Every block of four rows has the eigenvectors e_1, e_2 and e_3.
_SELECTED = [[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]] * 37
_TWO_RUNS = {"K": 7 * 2**53 // 100, "run[0].k": 0, "run[1].k": 1}


def _recurs(seen: Seen) -> bool:
    """Return whether a span recurs, and its last draw is the one that counts."""
    spans, draws = seen.line("4", "s"), seen.line("6", "index of xi(s)")
    return len(set(spans)) < len(spans) and len(draws) > 1


def _tie(seen: Seen) -> bool:
    values = seen.value("subspace")[:, 0]
    return bool(np.count_nonzero(values == values.max()) > 1)


CASES = {
    "singhal2021.exact_subspace_estimator": (
        Case(
            "planted",
            "all points in one plane: found; its span recurs and owns the draw of its last subset",
            _EXACT,
            _PLANE * 2,
            lambda seen: seen.output is not None and seen.output.rows == ((1, 0, 0), (0, 1, 0)) and _recurs(seen),
        ),
        Case(
            "bottom",
            "points in general position: no subspace stands out, NULL",
            _EXACT,
            _SPREAD,
            lambda seen: seen.output is None,
        ),
        Case(
            "repeated-and-zero-points",
            "points count as often as they occur, a zero row lies everywhere",
            {**_EXACT, "k": 1},
            [[1, 2, 0], [2, 4, 0], [-1, -2, 0], [0, 0, 0], [1, 2, 0], [3, 6, 0], [0, 0, 1]],
            lambda seen: seen.line("7", "u(X, s)")[0] == 5,
        ),
        Case(
            "dependent-points",
            "two points on one line: a candidate of dimension 1 as published, none as corrected",
            _EXACT,
            [[1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0]],
            lambda seen: (
                (seen.line("4", "s")[0].dimension == 1)
                and (len(seen.line("6", "index of xi(s)")) == 6) == (seen.choice == "AS_PRINTED")
            ),
        ),
        Case(
            "fewer-points-than-k",
            "n < k: no subset, NULL without competition",
            _EXACT,
            [[1, 2, 3]],
            lambda seen: seen.output is None and not seen.line("4", "s"),
        ),
        Case(
            "tie",
            "two equal largest values without noise: the first in the order of canonical rows wins, NULL before all",
            {"epsilon": 8.0, "delta": 0.2, "ell": 0, "k": 1},
            [[1, 0], [2, 0], [0, 1], [0, 3]],
            _tie,
            draws={"subspace": [_NO_NOISE] * 5},
            choices=("AS_PRINTED",),
        ),
        Case("refuses-floats", "a row that is not exact", _EXACT, _FLOATS, refuses="X[0][0]"),
        Case("refuses-k", "k larger than d", {**_EXACT, "k": 4}, _PLANE, refuses="k"),
        Case("refuses-delta", "delta above 1/2", {**_EXACT, "delta": 0.6}, _PLANE, refuses="delta"),
    ),
    "singhal2021.exact_subspace_estimator_all_dimensions": (
        Case(
            "line",
            "a line within the dimensions up to 2",
            _ALL,
            _POINTS_ON_A_LINE,
            lambda seen: seen.output is not None and seen.output.dimension == 1,
        ),
        Case(
            "plane",
            "a plane within the dimensions up to 2: its lines have smaller scores",
            _ALL,
            [*_PLANE, [3, 1, 0], [1, 4, 0], [1, 2, 0]],
            lambda seen: seen.output is not None and seen.output.dimension == 2,
            draws={"subspace": [_NO_NOISE] * 37},
        ),
        Case(
            "bottom",
            "no subspace stands out",
            _ALL,
            _SPREAD,
            lambda seen: seen.output is None,
        ),
        Case("refuses-k", "k_max = 0", {**_ALL, "k_max": 0}, _PLANE, refuses="k_max"),
        Case("refuses-floats", "a row that is not exact", _ALL, _FLOATS, refuses="X"),
    ),
    "singhal2021.dimension_by_exponential_mechanism": (
        Case(
            "plane",
            "one dimension stands out",
            {"epsilon": 4.0, "k_max": 3},
            _PLANE,
            lambda seen: seen.output == 2 and seen.value("dimension").argmax() == 1,
        ),
        Case(
            "noise-decides",
            "the largest score loses",
            {"epsilon": 1.0, "k_max": 3},
            _PLANE,
            lambda seen: seen.output == 3,
            draws={"dimension": [0.0, 0.0, 9.0]},
        ),
        Case(
            "tie",
            "equal noisy scores: the first",
            {"epsilon": 2.0, "k_max": 2},
            [[1, 0], [0, 1], [1, 1]],
            lambda seen: seen.output == 1,
            draws={"dimension": [1.0, 0.0]},
        ),
        Case("refuses-epsilon", "epsilon < 0", {"epsilon": -1.0, "k_max": 2}, _PLANE, refuses="epsilon"),
    ),
    "singhal2021.dimension_is_at_most": (
        Case("yes", "points in a plane", {"epsilon": 4.0, "k_max": 2, "ell": 0}, _PLANE, lambda seen: seen.output),
        Case("no", "points in no plane", {"epsilon": 4.0, "k_max": 2, "ell": 0}, _SPREAD, lambda seen: not seen.output),
        Case(
            "at-the-threshold",
            "a noisy score equal to (n - ell) / 2 does not exceed it",
            {"epsilon": 2.0, "k_max": 2, "ell": 0},
            _PLANE[:4],
            lambda seen: seen.shown("largest score") == 2.0 and not seen.output,
            draws={"largest score": -2.0},
        ),
        Case("refuses-ell", "a negative ell", {"epsilon": 4.0, "k_max": 2, "ell": -1}, _PLANE, refuses="ell"),
    ),
    "singhal2021.exact_subspace_estimator_random_subsets": (
        Case(
            "planted",
            "a line among its random candidates",
            _SAMPLED,
            [*_POINTS_ON_A_LINE, [4, 8]],
            lambda seen: seen.output is not None,
        ),
        Case(
            "missed",
            "no subset hits the independent point: its span is no candidate",
            _SAMPLED,
            [*_POINTS_ON_A_LINE, [0, 1]],
            lambda seen: len(seen.value("subspace")) == 2,
            draws={"subsets": [[0], [1], [2], [3], [4], [5]]},
        ),
        Case("refuses-n", "fewer rows than calibrated", _SAMPLED, [[1, 2]], refuses="X"),
    ),
    "singhal2021.approximate_subspace_estimator": (
        Case(
            "planted",
            "every block in one cell; the paper's t = 3 is as corrected 37, the fewest that find a cell",
            _FEWEST,
            _UNIT * 37,
            lambda seen: (
                len(seen.shown("histogram")) == 1
                and (seen.calibration.t, seen.calibration.m) == {"AS_PRINTED": (3, 37), "CORRECTED": (37, 3)}[seen.choice]
            ),
        ),
        Case(
            "one-block",
            "a large epsilon: line 1 as published sets t = 1, and the answer is that of all rows",
            {**_SMALL, "epsilon": 60.0},
            axes(3, 0, 0),
            lambda seen: seen.output is not None and (seen.calibration.t, seen.calibration.m) == (1, 9),
            choices=("AS_PRINTED",),
        ),
        Case(
            "bottom",
            "every block in a cell of its own, none above the threshold",
            _SMALL,
            axes(1, 1, 1),
            lambda seen: seen.output is None and len(np.unique(seen.value("histogram"), axis=0)) == 3,
            draws={"histogram": [0.0] * 3},
            choices=("AS_PRINTED",),
        ),
        Case(
            "bottom",
            "the blocks in three cells, none above the threshold",
            _FEWEST,
            axes(12, 12, 13),
            lambda seen: seen.output is None and len(np.unique(seen.value("histogram"), axis=0)) == 3,
            draws=_QUIET,
            choices=("CORRECTED",),
        ),
        Case(
            "unused-row",
            "n is no multiple of t: the last row has no influence",
            _TWO_BLOCKS,
            [*_UNIT * 2, [1.0, 2.0]],
            lambda seen: np.array_equal(seen.output, seen.again([*_UNIT * 2, [5.0, -1.0]])),
            draws={"histogram": [0.0] * 2},
            choices=("AS_PRINTED",),
        ),
        Case(
            "unused-row",
            "n is no multiple of t: the last row has no influence",
            {**_FEWEST, "n": 112},
            [*_UNIT * 37, [1.0, 2.0]],
            lambda seen: np.array_equal(seen.output, seen.again([*_UNIT * 37, [5.0, -1.0]])),
            draws=_QUIET,
            choices=("CORRECTED",),
        ),
        Case(
            "at-the-threshold",
            "a noisy count equal to t / 2 does not exceed it",
            _TWO_BLOCKS,
            [*axes(1, 1, 0), [0.0, 0.0]],
            lambda seen: seen.output is None and seen.releases["histogram"]["parameters"]["threshold"] == 1.0,
            draws={"histogram": [0.0] * 2},
            choices=("AS_PRINTED",),
        ),
        Case(
            "at-the-threshold",
            "a noisy count equal to t / 2 = 18 + 0.25 * 2 does not exceed it",
            _FEWEST,
            axes(18, 18, 1),
            lambda seen: seen.output is None and seen.releases["histogram"]["parameters"]["threshold"] == 18.5,
            draws={"histogram": [2.0] + [0.0] * 36},
            choices=("CORRECTED",),
        ),
        Case(
            "two-cells",
            "two cells survive, the one with the larger noisy count is taken",
            _SMALL,
            axes(2, 1, 0),
            lambda seen: len(seen.shown("histogram")) == 2 and np.argmax(np.diag(seen.output)) == 1,
            draws={"histogram": [0.0, 0.0, 9.0]},
            choices=("AS_PRINTED",),
        ),
        Case(
            "two-cells",
            "two cells survive, the one with the larger noisy count is taken",
            _FEWEST,
            axes(19, 18, 0),
            lambda seen: len(seen.shown("histogram")) == 2 and np.argmax(np.diag(seen.output)) == 1,
            draws={"histogram": [0.0] * 19 + [9.0] + [0.0] * 17},
            choices=("CORRECTED",),
        ),
        Case(
            "first-block",
            "the draw of a cell is that of its first block, the 20th here; that of the 19th would have made the cell win",
            _FEWEST,
            axes(19, 18, 0),
            lambda seen: len(seen.shown("histogram")) == 1 and np.argmax(np.diag(seen.output)) == 0,
            draws={"histogram": [0.0] * 18 + [9.0] + [0.0] * 18},
            choices=("CORRECTED",),
        ),
        Case(
            "tie",
            "two cells with equal noisy counts: the first in the order of their coordinates",
            {**_SMALL, "epsilon": 6.0, "n": 12},
            axes(2, 2, 0),
            lambda seen: len(seen.shown("histogram")) == 2 and np.ptp(seen.shown("histogram")[:, 0]) == 0.0,
            draws={"histogram": [1.0] * 4},
            choices=("AS_PRINTED",),
        ),
        Case("refuses-n", "fewer rows than t blocks need", {**_SMALL, "n": 8}, _UNIT * 3, refuses="n", choices=("AS_PRINTED",)),
        Case(
            "refuses-n",
            "one row fewer than t blocks need",
            {**_FEWEST, "n": 110},
            (_UNIT * 37)[:110],
            refuses="n",
            choices=("CORRECTED",),
        ),
        Case("refuses-shape", "rows of another length", _FEWEST, [[*row, 0.0] for row in _UNIT * 37], refuses="X"),
    ),
    "singhal2021.approximate_subspace_estimator_unknown_dimension": (
        Case(
            "second-run-wins",
            "a run with k = 1, then one with k = 2 whose noisy score is better",
            _SELECTION,
            _SELECTED,
            lambda seen: (
                round(np.trace(seen.output)) == 2 and (seen.value("run[0].score"), seen.value("run[1].score")) == (1, 3)
            ),
            draws=_TWO_RUNS | {"run[0].score": 0.0, "run[1].score": 0.0},
        ),
        Case(
            "first-run-wins",
            "the noise of the second score is so small that the first is better",
            _SELECTION,
            _SELECTED,
            lambda seen: round(np.trace(seen.output)) == 1 and seen.value("run[0].score") < seen.value("run[1].score"),
            draws=_TWO_RUNS | {"run[0].score": 0.0, "run[1].score": -50.0},
        ),
        Case(
            "one-bottom",
            "the first of two runs ends in bottom: it has no score, and a negative score is enough for the second",
            _SELECTION,
            _SELECTED,
            lambda seen: "run[0].score" not in seen.releases and seen.output is not None and seen.shown("run[1].score") < 0.0,
            draws=_TWO_RUNS | {"run[0].histogram": [-999.0] * 37, "run[1].score": -99.0},
        ),
        Case(
            "bottom",
            "every run ends in bottom: no score is released",
            _SELECTION,
            _SELECTED,
            lambda seen: seen.output is None and "run[0].score" not in seen.releases,
            draws={"K": 0, "run[0].k": 0, "run[0].histogram": [-999.0] * 37},
        ),
        Case(
            "refuses-auxiliary",
            "auxiliary rows of another length",
            {**_SELECTION, "auxiliary": [[1.0]]},
            _SELECTED,
            refuses="auxiliary",
        ),
        Case("refuses-gamma-hat", "gamma_hat = 0", {**_SELECTION, "gamma_hat": 0.0}, _SELECTED, refuses="gamma_hat"),
        Case(
            "refuses-k-max",
            "k_max = d: the whole space has the full score and never ends in bottom",
            {**_SELECTION, "k_max": 3},
            _SELECTED,
            refuses="k_max",
        ),
    ),
}
