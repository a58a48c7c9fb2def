"""Cases of liu2022. Batches are small and epsilon is large: the branches matter here, not the privacy."""

from __future__ import annotations

from typing import Any

import numpy as np

from dppca.reference.conformance.cases import Case, Seen

_ROWS = [[1.0, 0.2], [0.6, 0.8], [0.1, 0.5], [2.0, 1.0], [-1.0, 0.3], [0.4, -0.7]]
_MATRICES = [[[1.0, 0.2], [0.2, 0.5]], [[0.3, -0.1], [-0.1, 0.9]], [[0.0, 0.4], [0.4, 0.6]]]
_STEPS = [0.5, 0.4, 0.3]
_SIX_STEPS = [0.5, 0.4, 0.3, 0.25, 0.2, 0.15]
_ASSUMED = {"lambda_1": 1.0, "K": 4.0, "gamma": 1.0}
_OJA = {"epsilon": 2.0, "delta": 0.01, "n": 6, "d": 2, **_ASSUMED, "step_sizes": _SIX_STEPS}
_THREE = {**_OJA, "n": 3, "step_sizes": _STEPS}
#: With gamma this small the threshold of d = 4 is 2 lambda_1 = 1 exactly.
_UNIT_THRESHOLD = {"epsilon": 2.0, "delta": 0.01, "d": 4, "lambda_1": 0.5, "K": 1.0, "gamma": 1e-30}
_FOUR_COLUMNS = [[1.0, 0.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
_START = {"w[0]": [1.0, 0.0, 0.0, 0.0]}
_MINIBATCH = {**_OJA, "step_sizes": [0.5, 0.3]}

_GENEROUS = {"epsilon": 60.0, "delta": 0.2, "d": 2, "K": 1.0, "zeta": 0.5}
_BATCHES = [
    *([1.0, 0.1], [0.9, -0.2], [1.1, 0.3], [0.8, 0.0], [1.2, 0.2], [0.7, 0.1], [1.0, -0.1], [0.9, 0.4]),
    *([0.8, 0.2], [1.1, -0.1], [0.9, 0.3], [1.3, 0.1], [0.6, -0.3], [1.0, 0.4], [1.2, -0.2], [0.7, 0.5]),
]
_DP_PCA = {**_GENEROUS, "n": 16, "B": 8, "step_sizes": [0.5, 0.3]}


def _found(*steps: str, coordinates: int = 2) -> dict[str, list[float]]:
    """Return draws with which Algorithm 4 finds its only bin and Algorithm 5 a bin of every coordinate, in some steps."""
    bins = {f"{step[:-1]}t={step[-1]} bin[{j + 1}]": [9.0] * 4 for step in steps for j in range(coordinates)}
    return {f"{step[:-1]}eigenvalue[{step[-1]}]": [9.0] for step in steps} | bins


_EIGENVALUE = {"epsilon": 30.0, "delta": 0.1, "B": 8, "zeta": 0.5}
_G = [[1.0, 0.1], [0.3, -0.2], [1.1, 0.3], [0.2, 0.5], [1.2, 0.2], [-0.4, 0.1], [0.6, -0.1], [0.9, 0.4]]
_MANY = {"epsilon": 6.0, "delta": 0.5, "B": 4, "zeta": 0.8}  # k = 1 at C_1 = 4
_MEAN = {**_GENEROUS, "B": 8, "eigenvalue": 0.05}


def _with_outlier(length: float) -> list[list[float]]:
    """Return two batches in which the last record of the first one is so many times as long."""
    return [*_BATCHES[:7], [length * x for x in _BATCHES[7]], *_BATCHES[8:]]


def _clips(seen: Seen) -> bool:
    """Return whether some gradient was shortened to the threshold."""
    norms = [float(np.linalg.norm(seen.value(name))) for name in seen.releases]
    return any(np.isclose(norm, seen.calibration.beta, rtol=1e-12) for norm in norms)


def _lengthens(component: Any, row: list[float]) -> bool:
    """Return whether the complement of a component holds a larger entry of the row than the row itself."""
    return bool(np.max(np.abs(row - component * (component @ row))) > max(row))


CASES = {
    "liu2022.oja": (
        Case(
            "rows",
            "a step size of its own for each datum",
            {"step_sizes": _STEPS},
            _ROWS[:3],
            lambda seen: len(seen.line("2", "w")) == 3,
        ),
        Case(
            "matrices", "data that are matrices", {"step_sizes": _STEPS}, _MATRICES, lambda seen: len(seen.line("2", "w")) == 3
        ),
        Case(
            "fewer-steps",
            "fewer steps than data: the rest has no influence",
            {"step_sizes": [0.5, 0.4]},
            _ROWS[:3],
            lambda seen: np.array_equal(seen.output, seen.again([*_ROWS[:2], [9.0, 9.0]])),
        ),
        Case(
            "tiny-iterate",
            "an iterate whose squares underflow still has a direction",
            {"step_sizes": [0.5]},
            [[[-2.0, 0.0], [3e-200, -2.0]]],
            lambda seen: 0.0 < np.max(np.abs(seen.line("2", "w'")[0])) < 1e-180 and seen.output.tolist() == [0.0, 1.0],
            draws={"w[0]": [1.0, 0.0]},
        ),
        Case("refuses-more-steps", "more steps than data", {"step_sizes": _STEPS}, _ROWS[:2], refuses="step_sizes"),
        Case(
            "refuses-zero-iterate",
            "A_1 w_0 = -2 w_0 and eta_1 = 1/2: the iterate becomes 0",
            {"step_sizes": [0.5]},
            [[[-2.0, 0.0], [0.0, -2.0]]],
            refuses="iterate",
            draws={"w[0]": [1.0, 0.0]},
        ),
    ),
    "liu2022.private_oja": (
        Case(
            "rows",
            "every line; the hidden order is no identity",
            _OJA,
            _ROWS,
            lambda seen: seen.line("1", "order of the records")[0].tolist() != [*range(6)],
        ),
        Case("matrices", "data that are matrices", _THREE, _MATRICES, lambda seen: len(seen.line("7", "w")) == 3),
        Case(
            "clipped",
            "a gradient longer than the threshold is shortened to it",
            {**_THREE, "K": 0.1},
            [[9.0, 4.0], [0.5, 0.1], [-7.0, 8.0]],
            _clips,
        ),
        Case(
            "clipping-boundary",
            "a gradient exactly as long as the threshold stays; one of zeros has no direction",
            {**_UNIT_THRESHOLD, "n": 3, "step_sizes": _STEPS},
            _FOUR_COLUMNS,
            lambda seen: (
                seen.calibration.beta == 1.0
                and seen.value("g[1]").tolist() == _FOUR_COLUMNS[0]
                and not seen.value("g[3]").any()
            ),
            draws=_START | {"order": [0, 1, 2]},
        ),
        Case("refuses-n", "fewer data than calibrated", _OJA, _ROWS[:5], refuses="A"),
        Case(
            "refuses-step", "a negative step size", {**_THREE, "step_sizes": [0.5, -0.1, 0.2]}, _ROWS[:3], refuses="step_sizes"
        ),
        Case("refuses-delta", "delta = 0", {**_OJA, "delta": 0.0}, _ROWS, refuses="delta"),
    ),
    "liu2022.minibatch_private_oja": (
        Case(
            "batches",
            "two batches of three; as published the last record of each is left out",
            _MINIBATCH,
            _ROWS,
            lambda seen: np.array_equal(seen.output, seen.again([*_ROWS[:5], [0.1, 0.1]])) == (seen.choice == "AS_PRINTED"),
        ),
        Case(
            "odd-batch",
            "T does not divide n: the last record has no influence",
            {**_MINIBATCH, "n": 5},
            _ROWS[:5],
            lambda seen: np.array_equal(seen.output, seen.again([*_ROWS[:4], [9.0, 9.0]])),
        ),
        Case(
            "one-record",
            "batches of one record: as published they are empty and the mean is 0",
            {**_MINIBATCH, "n": 2},
            _ROWS[:2],
            lambda seen: seen.value("g[1]").any() == (seen.choice == "CORRECTED"),
        ),
        Case(
            "clipping-boundary",
            "each gradient is clipped before the mean: one of exactly the threshold stays, the next is shortened",
            {**_UNIT_THRESHOLD, "n": 3, "step_sizes": [0.5]},
            _FOUR_COLUMNS,
            lambda seen: seen.calibration.beta == 1.0 and 1.0 < 3.0 * float(np.linalg.norm(seen.value("g[1]"))) <= 2.0,
            draws=_START,
        ),
        Case("refuses-more-steps", "more steps than data", {**_MINIBATCH, "n": 1}, _ROWS[:1], refuses="step_sizes"),
        Case("refuses-d", "another dimension than calibrated", _MINIBATCH, [[1.0]] * 6, refuses="A"),
    ),
    "liu2022.dp_pca": (
        Case(
            "batches",
            "two steps that both move the iterate",
            _DP_PCA,
            _BATCHES,
            lambda seen: len(seen.line("5", "w")) == 2,
            draws=_found("1", "2"),
        ),
        Case(
            "outlier",
            "a record of the second half with a huge gradient: how huge does not matter, as it is truncated",
            _DP_PCA,
            _with_outlier(1e3),
            lambda seen: np.allclose(seen.output, seen.again(_with_outlier(1e6)), rtol=0.0, atol=1e-9),
            choices=("CORRECTED",),
            draws=_found("1", "2"),
        ),
        Case(
            "odd-batch",
            "B is odd: the last record of a batch has no influence",
            {**_DP_PCA, "n": 18, "B": 9},
            [*_BATCHES[:8], [1.0, 0.5], *_BATCHES[:8], [0.5, 1.0]],
            lambda seen: (
                len(seen.line("5", "w")) == 2
                and np.array_equal(seen.output, seen.again([*_BATCHES[:8], [9.0, 9.0], *_BATCHES[:8], [9.0, 0.0]]))
            ),
            draws=_found("1", "2"),
        ),
        Case(
            "no-eigenvalue",
            "Algorithm 4 ends in bottom: the step leaves the iterate as it is",
            {**_DP_PCA, "step_sizes": [0.5], "n": 8},
            _BATCHES[:8],
            lambda seen: seen.line("3", "Lambda_hat") == [None] and not seen.line("5", "w"),
            draws={"eigenvalue[1]": [-99.0]},
        ),
        Case(
            "zero-eigenvalue",
            "equal gradients: Lambda = 0, at which the bins of Algorithm 5 would have no width",
            {**_DP_PCA, "step_sizes": [0.5], "n": 8},
            [[1.0, 0.5]] * 8,
            lambda seen: seen.line("3", "Lambda_hat") == [0.0] and not seen.line("5", "w"),
            draws={"eigenvalue[1]": [2.0]},
        ),
        Case(
            "no-mean",
            "a coordinate of Algorithm 5 releases no bin: the step leaves the iterate as it is",
            {**_DP_PCA, "step_sizes": [0.5], "n": 8},
            _BATCHES[:8],
            lambda seen: seen.line("4", "g_hat") == [None] and "t=1 bin[2]" in seen.releases,
            draws=_found("1") | {"t=1 bin[1]": [-99.0] * 4},
        ),
        Case("refuses-B", "a batch larger than n", {**_DP_PCA, "B": 17}, _BATCHES, refuses="B"),
        Case("refuses-step", "fewer step sizes than batches", {**_DP_PCA, "step_sizes": [0.5]}, _BATCHES, refuses="step_sizes"),
    ),
    "liu2022.private_top_eigenvalue": (
        Case(
            "plain",
            "every line; a negative bin",
            _EIGENVALUE,
            _G,
            lambda seen: seen.output is not None and seen.line("8", "i")[0] < 0.0,
            draws={"eigenvalue": [2.0]},
        ),
        Case(
            "zero",
            "equal gradients have the bin {0}, and the estimate 0",
            _EIGENVALUE,
            [[1.0, 0.5]] * 8,
            lambda seen: seen.output == 0.0 and seen.line("8", "whether the bin is {0}") == [1.0],
            draws={"eigenvalue": [2.0]},
        ),
        Case(
            "bottom",
            "no noisy count above the threshold",
            _EIGENVALUE,
            _G,
            lambda seen: seen.output is None,
            draws={"eigenvalue": [-99.0]},
        ),
        Case(
            "at-the-threshold",
            "a noisy count equal to the threshold is suppressed",
            _MANY,
            _G[:4],
            lambda seen: seen.output is None and seen.releases["eigenvalue"]["parameters"]["threshold"] == 1.0,
            draws={"eigenvalue": [0.0]},
        ),
        Case(
            "tie",
            "two bins with equal noisy counts: the first in the order of their labels",
            {"epsilon": 10.0, "delta": 0.1, "B": 4, "zeta": 0.5},
            [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 4.0]],
            lambda seen: len(seen.line("6", "histogram")[0]) == 2 and np.ptp(seen.line("6", "histogram")[0][:, 0]) == 0.0,
            draws={"eigenvalue": [5.0, 5.0]},
        ),
        Case(
            "odd-batch",
            "B is odd: the last gradient has no partner and no influence",
            {**_EIGENVALUE, "B": 7},
            _G[:7],
            lambda seen: seen.output is not None and seen.output == seen.again([*_G[:6], [99.0, 0.0]]),
            draws={"eigenvalue": [2.0]},
        ),
        Case("refuses-B", "fewer than two gradients for each subset", {**_EIGENVALUE, "B": 1}, _G[:1], refuses="B"),
        Case("refuses-g", "another number of gradients than calibrated", _EIGENVALUE, _G[:7], refuses="g"),
    ),
    "liu2022.private_mean": (
        Case("plain", "every line; both signs of a coordinate", _MEAN, _G, lambda seen: seen.output is not None),
        Case(
            "truncated",
            "a gradient outside the box is moved to its side",
            {**_MEAN, "eigenvalue": 1e-4},
            [[0.01, 0.0]] * 7 + [[5.0, -5.0]],
            lambda seen: 0.0 < float(seen.line("8", "g~_ij - g_bar_j")[0][7]) < 4.9,
        ),
        Case(
            "bin-boundary",
            "a coordinate of 0 lies on the right end of bin -1, so its box starts one width to the left",
            _MEAN,
            [[0.0, 0.0]] * 8,
            lambda seen: all(g_bar < 0.0 for g_bar in seen.line("6-7", "g_bar_j")),
        ),
        Case(
            "bottom",
            "the first coordinate releases no bin: the second is still asked, the mean is not released",
            _MEAN,
            _G,
            lambda seen: seen.output is None and "bin[2]" in seen.releases and "mean" not in seen.releases,
            draws={"bin[1]": [-99.0] * 8},
        ),
        Case(
            "tie",
            "two bins with equal noisy counts: the smaller one",
            {**_MEAN, "d": 1, "eigenvalue": 1e-4},
            [[1.0]] * 4 + [[-1.0]] * 4,
            lambda seen: len(seen.shown("bin[1]")) == 2 and np.ptp(seen.shown("bin[1]")[:, 0]) == 0.0,
            draws={"bin[1]": [0.0] * 8},
        ),
        Case("refuses-eigenvalue", "an eigenvalue of 0", {**_MEAN, "eigenvalue": 0.0}, _G, refuses="eigenvalue"),
        Case("refuses-g", "another number of gradients than calibrated", _MEAN, _G[:7], refuses="g"),
    ),
    "liu2022.hyperparameter_search": (
        Case(
            "found",
            "the first pair reaches the target",
            {**_GENEROUS, "epsilon": 240.0, "n": 16, "B": 8, "ceiling": 2.0, "rounds": 1, "target": 0.2},
            _BATCHES,
            lambda seen: seen.output is not None and "1.1 t=1 mean" in seen.releases and "1.2 score" not in seen.releases,
            draws=_found("1.1 1"),
        ),
        Case(
            "not-found",
            "no pair reaches the target: as published each corner is tried twice",
            {**_GENEROUS, "epsilon": 240.0, "n": 16, "B": 8, "ceiling": 2.0, "rounds": 1, "target": 9.0},
            _BATCHES,
            lambda seen: seen.output is None and ("1.4 score" in seen.releases) == (seen.choice == "AS_PRINTED"),
        ),
        Case(
            "score-clipped",
            "a held-out record above the ceiling counts as the ceiling",
            {**_GENEROUS, "epsilon": 240.0, "n": 16, "B": 8, "ceiling": 0.01, "rounds": 1, "target": 0.5},
            _BATCHES,
            lambda seen: seen.value("1.1 score") == 1.0,
        ),
        Case(
            "refuses-ceiling",
            "a ceiling of 0",
            {**_GENEROUS, "n": 16, "B": 8, "ceiling": 0.0, "rounds": 1, "target": 0.5},
            _BATCHES,
            refuses="ceiling",
        ),
    ),
    "liu2022.deflation": (
        Case(
            "two-components",
            "the second component is found in the complement of the first, on the second half of the records",
            {**_GENEROUS, "n": 16, "B": 8, "r": 2, "step_sizes": [0.5]},
            _BATCHES,
            lambda seen: "component 2 t=1 mean" in seen.releases and abs(float(seen.output[:, 0] @ seen.output[:, 1])) < 1e-12,
            draws=_found("component 1 1", "component 2 1"),
        ),
        Case(
            "outlier",
            "a record of the second half with a huge gradient: how huge does not matter, as it is truncated",
            {**_GENEROUS, "n": 16, "B": 8, "r": 2, "step_sizes": [0.5]},
            _with_outlier(1e3),
            lambda seen: np.allclose(seen.output, seen.again(_with_outlier(1e6)), rtol=0.0, atol=1e-9),
            choices=("CORRECTED",),
            draws=_found("component 1 1", "component 2 1"),
        ),
        Case(
            "unused-record",
            "r does not divide n: the last record has no influence",
            {**_GENEROUS, "n": 17, "B": 8, "r": 2, "step_sizes": [0.5]},
            [*_BATCHES, [1.0, 1.0]],
            lambda seen: np.array_equal(seen.output, seen.again([*_BATCHES, [9.0, 0.0]])),
            draws=_found("component 1 1", "component 2 1"),
        ),
        Case(
            "lengthened-entry",
            "a projection makes an allowed entry larger than allowed: to refuse it would tell about a record",
            {**_GENEROUS, "n": 16, "B": 8, "r": 2, "step_sizes": [0.5]},
            [[1e60, 1e60], [5e59, 1e60]] * 8,
            lambda seen: "component 2 eigenvalue[1]" in seen.releases and _lengthens(seen.output[:, 0], [1e60, 1e60]),
            draws={"component 1 w[0]": [1.0, -2.0], "component 1 eigenvalue[1]": [-99.0], "component 2 eigenvalue[1]": [-99.0]},
        ),
        Case("refuses-r", "r = 0", {**_GENEROUS, "n": 16, "B": 8, "r": 0, "step_sizes": [0.5]}, _BATCHES, refuses="r"),
    ),
    "liu2022.block_dp_pca": (
        Case(
            "two-components",
            "two columns at once; a gradient has d r numbers",
            {**_GENEROUS, "n": 16, "B": 8, "r": 2, "step_sizes": [0.5, 0.3]},
            _BATCHES,
            lambda seen: len(seen.value("t=1 mean")) == 4 and "t=2 mean" in seen.releases,
            draws=_found("1", "2", coordinates=4),
        ),
        Case(
            "outlier",
            "a record of the second half with a huge gradient: how huge does not matter, as it is truncated",
            {**_GENEROUS, "n": 16, "B": 8, "r": 2, "step_sizes": [0.5, 0.3]},
            _with_outlier(1e3),
            lambda seen: np.allclose(seen.output, seen.again(_with_outlier(1e6)), rtol=0.0, atol=1e-9),
            choices=("CORRECTED",),
            draws=_found("1", "2", coordinates=4),
        ),
        Case(
            "no-eigenvalue",
            "Algorithm 4 ends in bottom: the step leaves the start",
            {**_GENEROUS, "n": 8, "B": 8, "r": 2, "step_sizes": [0.5]},
            _BATCHES[:8],
            lambda seen: "t=1 mean" not in seen.releases,
            draws={"eigenvalue[1]": [-99.0]},
        ),
        Case(
            "refuses-r",
            "more components than dimensions",
            {**_GENEROUS, "n": 16, "B": 8, "r": 3, "step_sizes": [0.5, 0.3]},
            _BATCHES,
            refuses="r",
        ),
    ),
}
