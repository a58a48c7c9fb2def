"""Cases of the baselines."""

from __future__ import annotations

import numpy as np

from dppca.reference.conformance.cases import Case

_ROWS = [[0.9, 0.1, 0.0], [0.6, 0.8, 0.0], [0.0, 0.5, -0.5], [-0.7, 0.0, 0.2]]
_AXES = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
_LONG = [[0.5, 0.0, 0.0], [0.8, 0.7, 0.0]]
_GAUSS = {"epsilon": 2.0, "delta": 0.01, "d": 3, "k": 2}
_SULQ = {**_GAUSS, "n": 4}
_POWER = {**_GAUSS, "L": 3}
_WISHART = {"epsilon": 1.0, "delta": 0.2, "n": 4, "k": 2}
_EXPONENTIAL = {"epsilon": 8.0, "k": 1}


def _rank_two(release: str) -> Case:
    """Return whether the subspace holds two equal eigenvalues."""
    return Case(
        "zero-gap",
        "two equal eigenvalues inside the subspace: rows e_1 and e_2 without noise",
        {**_GAUSS, **({"n": 2} if release == "A_hat" else {})},
        _AXES,
        lambda seen: seen.shown(release).tolist() == seen.value(release).tolist(),
        draws={release: [0.0] * 6},
    )


_SGD = {"epsilon": 2.0, "delta": 0.01, "d": 3, "k": 2, "rate": 0.5, "C": 0.75, "lot": 2.0, "step_sizes": [0.5, 0.25, 0.125]}

CASES = {
    "baselines.dp_sgd": (
        Case(
            "plain",
            "every line; in each step other rows are drawn, one gradient at least is clipped",
            {**_SGD, "C": 0.5},
            _ROWS,
            lambda seen: all(map(np.any, map(np.not_equal, seen.line("4", "g_t(x_i)"), seen.line("5", "g_t(x_i)")))),
            draws={"L[1]": [1, 1, 0, 0], "L[2]": [0, 1, 1, 0], "L[3]": [1, 0, 0, 1]},
        ),
        Case(
            "nobody-drawn",
            "a step that draws no row releases noise alone",
            _SGD,
            _ROWS,
            lambda seen: not seen.value("g[2]").any() and seen.value("g[1]").any(),
            draws={"L[1]": [1, 1, 1, 1], "L[2]": [0, 0, 0, 0], "L[3]": [0, 0, 1, 0]},
        ),
        Case("refuses-rate", "rate = 0", {**_SGD, "rate": 0.0}, _ROWS, refuses="rate"),
        Case("refuses-lot", "lot = 0", {**_SGD, "lot": 0.0}, _ROWS, refuses="lot"),
        Case("refuses-steps", "a step of size 0", {**_SGD, "step_sizes": [0.5, 0.0, 0.1]}, _ROWS, refuses="step_sizes"),
    ),
    "baselines.analyze_gauss": (
        Case("plain", "every line", _GAUSS, _ROWS, lambda seen: seen.shown("C_hat").any()),
        Case(
            "one-dimension",
            "d = 1, where the supremum of a replacement is 1 and not sqrt(2)",
            {**_GAUSS, "d": 1, "k": 1},
            [[0.5], [-1.0]],
            lambda seen: seen.calibration.sensitivity == 1.0,
        ),
        _rank_two("C_hat"),
        Case("refuses-long-row", "a row outside the unit ball", _GAUSS, _LONG, refuses="X[1]"),
        Case("refuses-k", "k = 0", {**_GAUSS, "k": 0}, _ROWS, refuses="k"),
    ),
    "baselines.mod_sulq": (
        Case("plain", "every line; the second moments are divided by n", _SULQ, _ROWS, lambda seen: seen.shown("A_hat").any()),
        _rank_two("A_hat"),
        Case(
            "refuses-delta",
            "d = 1 and delta > 1 / sqrt(2 pi): the paper's logarithm has no root",
            {"epsilon": 1.0, "delta": 0.5, "n": 2, "d": 1, "k": 1},
            [[0.5], [-1.0]],
            refuses="delta",
            choices=("AS_PRINTED",),
        ),
        Case(
            "large-delta",
            "the same where the corrected noise exists",
            {"epsilon": 1.0, "delta": 0.5, "n": 2, "d": 1, "k": 1},
            [[0.5], [-1.0]],
            lambda seen: seen.calibration.std > 0.0,
            choices=("CORRECTED",),
        ),
        Case("refuses-long-row", "a row outside the unit ball", _SULQ, _LONG, refuses="X[1]"),
    ),
    "baselines.noisy_power_method": (
        Case("block", "k = 2, three steps", _POWER, _ROWS, lambda seen: len(seen.line("4", "X_l")) == 3),
        Case("vector", "k = 1: line 4 only normalises", {**_POWER, "k": 1}, _ROWS, lambda seen: seen.output.shape == (3, 1)),
        Case(
            "largest-entry",
            "as published the noise follows the largest entry of the basis: here it changes from step to step",
            _POWER,
            _ROWS,
            lambda seen: seen.releases["Y[1]"]["parameters"]["std"] != seen.releases["Y[2]"]["parameters"]["std"],
            choices=("AS_PRINTED",),
        ),
        Case(
            "negative-diagonal",
            "the first draw is negative, so the sign rule of line 4 decides the first column",
            {**_POWER, "k": 1, "L": 1},
            _ROWS,
            lambda seen: seen.line("1", "X_l")[0][0, 0] < 0.0,
            draws={"X[0]": [[-2.0], [0.5], [0.0]]},
        ),
        Case("refuses-long-row", "a row outside the unit ball", _POWER, _LONG, refuses="X[1]"),
        Case("refuses-L", "no step", {**_POWER, "L": 0}, _ROWS, refuses="L"),
    ),
    "baselines.wishart_mechanism": (
        Case("plain", "every line", _WISHART, _ROWS, lambda seen: seen.shown("A_hat").any()),
        Case(
            "no-noise",
            "a draw of zeros: the Wishart matrix has rank 0, the data decide",
            {**_WISHART, "k": 1},
            _ROWS,
            lambda seen: np.array_equal(seen.shown("A_hat"), seen.value("A_hat")),
            draws={"A_hat": [[0.0] * 3] * 4},
        ),
        Case("refuses-long-row", "a row outside the unit ball", {**_WISHART, "n": 2}, _LONG, refuses="X[1]"),
        Case("refuses-epsilon", "epsilon = 0", {**_WISHART, "epsilon": 0.0}, _ROWS, refuses="epsilon"),
    ),
    "baselines.exponential_mechanism": (
        Case(
            "vector",
            "k = 1 in the plane; the first accepted proposal is not the first one",
            _EXPONENTIAL,
            [[0.9, 0.1], [1.0, 0.0], [0.8, 0.0]],
            lambda seen: not np.allclose(seen.output[:, 0], [0.6, 0.8]),
            draws={"u[1]": [[0.6, 0.8, 0.999]] * 10 + [[2.0, -0.3, 0.0]] + [[0.0, 1.0, 0.5]] * 245},
        ),
        Case(
            "deflation",
            "k = 2 in three dimensions: the second direction is drawn in the complement of the first",
            {"epsilon": 6.0, "k": 2},
            _ROWS,
            lambda seen: abs(float(seen.output[:, 0] @ seen.output[:, 1])) < 1e-12,
        ),
        Case(
            "equal-eigenvalues",
            "the score is constant on the circle: the first proposal is accepted, whatever its uniform draw",
            _EXPONENTIAL,
            [[1.0, 0.0], [0.0, 1.0]],
            lambda seen: np.allclose(seen.output[:, 0], [0.6, 0.8]),
            draws={"u[1]": [[0.6, 0.8, 0.999]] + [[1.0, 0.0, 0.0]] * 255},
        ),
        Case("refuses-k", "more directions than dimensions", {"epsilon": 6.0, "k": 3}, [[0.5, 0.5]], refuses="k"),
        Case("refuses-long-row", "a row outside the unit ball", _EXPONENTIAL, _LONG, refuses="X[1]"),
    ),
}
