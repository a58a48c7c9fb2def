"""Cases of wang2020."""

from __future__ import annotations

from typing import Any

import numpy as np

from dppca.reference.conformance.cases import Case, Seen

_ROWS = [[0.5, -0.4, 0.3], [0.6, 0.8, 0.0], [-0.2, 0.5, 0.5], [0.0, 0.1, -0.9]]
_P3 = {"epsilon": 0.5, "delta": 0.001, "p": 3, "k": 2}
_QUIET = {"epsilon": 50.0, "delta": 0.5, "p": 3, "k": 1}
_NO_NOISE = {f"message[{i}]": [0.0] * 6 for i in range(4)}
_SPARSE_P3 = {**_P3, "lambda_": 0.2}
#: Whether the ADMM makes several passes, and how often the optimum is taken.
_ENDS = {"AS_PRINTED": (True, 0), "CORRECTED": (False, 1)}


def equal_without_penalty(seen: Seen) -> tuple[Any, Any]:
    """Return two matrices that are equal where lambda = 0: X and Y of the first pass, or the optimum and its square."""
    if seen.choice == "CORRECTED":
        (X_hat,) = seen.line("5", "X^")
        return X_hat, X_hat @ X_hat
    return seen.line("8", "X")[0], seen.line("9", "Y")[0]


CASES = {
    "wang2020.local_gaussian_mechanism": (
        Case("plain", "every line once per client", _P3, _ROWS, lambda seen: len(seen.line("2", "X~_i, upper triangle")) == 4),
        Case(
            "one-dimension",
            "p = 1, where the supremum of the sensitivity is 1 and not sqrt(2)",
            {"epsilon": 2.0, "delta": 0.01, "p": 1, "k": 1},
            [[0.5], [-1.0]],
            lambda seen: seen.calibration.sensitivity == 1.0,
        ),
        Case(
            "whole-space",
            "k = p: every basis of the space is right, only the projector is determined",
            {**_P3, "k": 3},
            _ROWS,
            lambda seen: np.allclose(seen.output @ seen.output.T, np.eye(3)),
        ),
        Case(
            "zero-gap",
            "two equal eigenvalues inside the subspace: rows e_1 and e_2 without noise",
            _P3,
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            lambda seen: np.ptp(np.linalg.eigvalsh(seen.line("4", "S~")[0])[1:]) == 0.0,
            draws={"message[0]": [0.0] * 6, "message[1]": [0.0] * 6},
        ),
        Case(
            "no-gap",
            "the eigenvalues k and k + 1 are equal: without noise, e_1 and e_2 leave k = 1 open",
            {**_P3, "k": 1},
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            lambda seen: np.ptp(np.linalg.eigvalsh(seen.line("4", "S~")[0])[1:]) == 0.0,
            draws={"message[0]": [0.0] * 6, "message[1]": [0.0] * 6},
            any_basis=("AS_PRINTED", "CORRECTED"),
        ),
        Case(
            "unit-sphere",
            "a row of norm 1, the boundary of the ball, is accepted",
            {**_QUIET, "p": 2},
            [[0.6, 0.8], [0.0, -1.0], [0.1, 0.2]],
            lambda seen: seen.value("message[1]").tolist() == [0.0, 0.0, 1.0],
        ),
        Case("refuses-long-row", "a row outside the unit ball", _P3, [*_ROWS, [1.0, 0.1, 0.0]], refuses="X[4]"),
        Case("refuses-k", "k larger than p", {**_P3, "k": 4}, _ROWS, refuses="k"),
        Case("refuses-epsilon", "epsilon = 0", {**_P3, "epsilon": 0.0}, _ROWS, refuses="epsilon"),
        Case("refuses-delta", "delta = 1", {**_P3, "delta": 1.0}, _ROWS, refuses="delta"),
    ),
    "wang2020.local_gaussian_mechanism_high_dimension": (
        Case(
            "plain",
            "the ADMM to its end, and the optimum to its certificate",
            _SPARSE_P3,
            _ROWS,
            lambda seen: (len(seen.line("8", "X")) > 1, len(seen.line("5", "X^"))) == _ENDS[seen.choice],
            choices=("AS_PRINTED", "CORRECTED"),
        ),
        Case(
            "return-in-first-pass",
            "line 11 as published returns the start value 0, whose principal subspace is any subspace",
            _SPARSE_P3,
            _ROWS,
            lambda seen: len(seen.line("8", "X")) == 1 and not seen.line("6", "Y")[0].any(),
            choices=("LITERAL",),
            any_basis=("LITERAL",),
        ),
        Case(
            "no-penalty",
            "lambda = 0: line 9 changes nothing, and the optimum is a projector",
            {**_QUIET, "lambda_": 0.0},
            _ROWS,
            lambda seen: np.allclose(*equal_without_penalty(seen)),
            choices=("LITERAL", "CORRECTED"),
            any_basis=("LITERAL",),
        ),
        Case(
            "sparse",
            "a penalty at which line 9 sets entries to 0 and the support is smaller than p",
            {**_QUIET, "lambda_": 0.2},
            [[0.1, 0.8, 0.05], [0.0, 0.9, 0.1], [-0.1, 0.7, 0.0], [0.05, 0.6, -0.1]],
            lambda seen: (np.diag([*seen.line("9", "Y"), *seen.line("5", "X^")][-1]) < 1e-6).any(),
            draws=_NO_NOISE,
            choices=("AS_PRINTED", "CORRECTED"),
        ),
        Case("refuses-long-row", "a row outside the unit ball", _SPARSE_P3, [[1.0, 0.1, 0.0]], refuses="X[0]"),
        Case("refuses-lambda", "a negative penalty", {**_SPARSE_P3, "lambda_": -0.1}, _ROWS, refuses="lambda_"),
        Case("refuses-delta", "delta = 0", {**_SPARSE_P3, "delta": 0.0}, _ROWS, refuses="delta"),
    ),
}
