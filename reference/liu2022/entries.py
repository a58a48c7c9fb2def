"""Catalogue entries of liu2022."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.reference.entry import Entry, Example
from dppca.reference.liu2022 import algorithm_1_oja as algorithm_1
from dppca.reference.liu2022 import algorithm_2_private_oja as algorithm_2
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022 import equation_7_minibatch as equation_7
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.liu2022 import rank_r
from dppca.reference.noise import Algorithm, Noise

REPLACE_ONE = "replace-one, n public"

Data = NDArray[np.float64]


def _bind_algorithm_1(*, step_sizes: tuple[float, ...], choices: None) -> Algorithm[Data]:  # noqa: ARG001
    def run(A: Data, noise: Noise) -> Data:
        return algorithm_1.oja(A, step_sizes, noise)

    return run


def _bind_algorithm_2(*, step_sizes: tuple[float, ...], choices: algorithm_2.Choices, **target: Any) -> Algorithm[Data]:
    calibration = algorithm_2.calibrate(**target, choices=choices)

    def run(A: Data, noise: Noise) -> Data:
        return algorithm_2.private_oja(A, step_sizes, calibration, noise)

    return run


def _bind_equation_7(*, step_sizes: tuple[float, ...], choices: equation_7.Choices, **target: Any) -> Algorithm[Data]:
    calibration = equation_7.calibrate(**target, choices=choices)

    def run(A: Data, noise: Noise) -> Data:
        return equation_7.minibatch_private_oja(A, step_sizes, calibration, noise, choices)

    return run


def _bind_algorithm_3(*, step_sizes: tuple[float, ...], choices: algorithm_3.Choices, **target: Any) -> Algorithm[Data]:
    calibration = algorithm_3.calibrate(**target, choices=choices)

    def run(A: Data, noise: Noise) -> Data:
        return algorithm_3.dp_pca(A, step_sizes, calibration, noise)

    return run


def _bind_algorithm_4(*, choices: algorithm_4.Choices, **target: Any) -> Algorithm[float | None]:
    calibration = algorithm_4.calibrate(**target, choices=choices)

    def run(g: Data, noise: Noise) -> float | None:
        return algorithm_4.private_top_eigenvalue(g, calibration, noise)

    return run


def _bind_algorithm_5(*, eigenvalue: float, choices: algorithm_5.Choices, **target: Any) -> Algorithm[Data | None]:
    calibration = algorithm_5.calibrate(**target, choices=choices)

    def run(g: Data, noise: Noise) -> Data | None:
        return algorithm_5.private_mean(g, eigenvalue, calibration, noise)

    return run


def _bind_search(*, target: float, choices: search.Choices, **parameters: Any) -> Algorithm[search.Candidate | None]:
    calibration = search.calibrate(**parameters, choices=choices)

    def run(A: Data, noise: Noise) -> search.Candidate | None:
        return search.hyperparameter_search(A, target, calibration, noise)

    return run


def _bind_deflation(*, r: int, step_sizes: tuple[float, ...], choices: algorithm_3.Choices, **target: Any) -> Algorithm[Data]:
    calibration = rank_r.calibrate_deflation(**target, r=r, choices=choices)

    def run(A: Data, noise: Noise) -> Data:
        return rank_r.deflation(A, r, step_sizes, calibration, noise)

    return run


def _bind_block(*, r: int, step_sizes: tuple[float, ...], choices: algorithm_3.Choices, **target: Any) -> Algorithm[Data]:
    calibration = rank_r.calibrate_block(**target, r=r, choices=choices)

    def run(A: Data, noise: Noise) -> Data:
        return rank_r.block_dp_pca(A, r, step_sizes, calibration, noise)

    return run


_CLIPPING = {"n": 6, "d": 2, "lambda_1": 1.0, "K": 4.0, "gamma": 1.0}
_ROWS = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 0.5], [2.0, 1.0], [-1.0, 0.3], [0.0, 0.0]])
_OTHER_ROWS = np.vstack([[[0.0, 9.0]], _ROWS[1:]])
#: Two batches of 320 records; every pair has the same difference, as Algorithm 4 hopes for.
_BATCHES = np.tile([[1.0, 0.1], [1.0, -0.1]], (320, 1))
_OTHER_BATCHES = np.vstack([[[0.0, 9.0]], _BATCHES[1:]])
_GENEROUS = {"epsilon": 8.0, "delta": 0.1, "d": 2, "K": 1.0, "zeta": 0.5}

_THREE_READINGS = MappingProxyType(
    {"AS_PRINTED": algorithm_3.AS_PRINTED, "CORRECTED": algorithm_3.CORRECTED, "LEAN": algorithm_3.LEAN}
)

ENTRIES = {
    "liu2022.oja": Entry(
        paper="liu2022",
        number="Algorithm 1",
        title="(Non-private) Oja's Algorithm",
        function=algorithm_1.oja,
        calibrate=None,
        choices=MappingProxyType({"AS_PRINTED": None}),
        adjacency="none: not private",
        claims=("liu2022.theorem-2.2",),
        bind=_bind_algorithm_1,
        example=Example(_ROWS, _OTHER_ROWS, MappingProxyType({"step_sizes": (0.5, 0.4, 0.3)})),
        lines=3,
    ),
    "liu2022.private_oja": Entry(
        paper="liu2022",
        number="Algorithm 2",
        title="Private Oja's Algorithm",
        function=algorithm_2.private_oja,
        calibrate=algorithm_2.calibrate,
        choices=MappingProxyType({"AS_PRINTED": algorithm_2.AS_PRINTED, "CORRECTED": algorithm_2.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=("liu2022.lemma-3.1", "liu2022.lemma-3.2", "liu2022.theorem-3.3", "liu2022.definition-2.3"),
        bind=_bind_algorithm_2,
        example=Example(
            _ROWS,
            _OTHER_ROWS,
            MappingProxyType({"epsilon": 1.0, "delta": 0.01, **_CLIPPING, "step_sizes": (0.1,) * 6}),
        ),
        lines=8,
    ),
    "liu2022.minibatch_private_oja": Entry(
        paper="liu2022",
        number="Equation (7)",
        title="Minibatch Private Oja",
        function=equation_7.minibatch_private_oja,
        calibrate=equation_7.calibrate,
        choices=MappingProxyType({"AS_PRINTED": equation_7.AS_PRINTED, "CORRECTED": equation_7.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=(
            "liu2022.equation-7",
            "liu2022.equation-7-privacy",
            "liu2022.equation-7-sum",
            "liu2022.definition-2.3",
        ),
        bind=_bind_equation_7,
        example=Example(
            _ROWS,
            _OTHER_ROWS,
            MappingProxyType({"epsilon": 1.0, "delta": 0.01, **_CLIPPING, "step_sizes": (0.1, 0.1)}),
        ),
        lines=0,
    ),
    "liu2022.dp_pca": Entry(
        paper="liu2022",
        number="Algorithm 3",
        title="Differentially Private Principal Component Analysis (DP-PCA)",
        function=algorithm_3.dp_pca,
        calibrate=algorithm_3.calibrate,
        choices=_THREE_READINGS,
        adjacency=REPLACE_ONE,
        claims=(
            "liu2022.theorem-5.1-privacy",
            "liu2022.theorem-5.1",
            "liu2022.definition-2.3",
            "liu2022.algorithm-3-eigenvalue",
            "liu2022.algorithm-3-bottom",
            "liu2022.algorithm-3-halves",
        ),
        bind=_bind_algorithm_3,
        example=Example(
            _BATCHES, _OTHER_BATCHES, MappingProxyType({**_GENEROUS, "n": 640, "B": 320, "step_sizes": (0.5, 0.3)})
        ),
        lines=6,
    ),
    "liu2022.private_top_eigenvalue": Entry(
        paper="liu2022",
        number="Algorithm 4",
        title="Private Top Eigenvalue Estimation",
        function=algorithm_4.private_top_eigenvalue,
        calibrate=algorithm_4.calibrate,
        choices=MappingProxyType({"AS_PRINTED": algorithm_4.AS_PRINTED, "CORRECTED": algorithm_4.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=("liu2022.theorem-6.1", "liu2022.theorem-6.1-privacy", "liu2022.algorithm-4-subsets"),
        bind=_bind_algorithm_4,
        example=Example(_BATCHES, _OTHER_BATCHES, MappingProxyType({"epsilon": 4.0, "delta": 0.1, "B": 640, "zeta": 0.5})),
        lines=9,
    ),
    "liu2022.private_mean": Entry(
        paper="liu2022",
        number="Algorithm 5",
        title="Private Mean Estimation",
        function=algorithm_5.private_mean,
        calibrate=algorithm_5.calibrate,
        choices=MappingProxyType(
            {"AS_PRINTED": algorithm_5.AS_PRINTED, "CORRECTED": algorithm_5.CORRECTED, "LEAN": algorithm_5.LEAN}
        ),
        adjacency=REPLACE_ONE,
        claims=("liu2022.lemma-6.2", "liu2022.lemma-6.2-privacy", "liu2022.lemma-b.4"),
        bind=_bind_algorithm_5,
        example=Example(_BATCHES, _OTHER_BATCHES, MappingProxyType({**_GENEROUS, "B": 640, "eigenvalue": 0.05})),
        lines=11,
    ),
    "liu2022.hyperparameter_search": Entry(
        paper="liu2022",
        number="Section 5",
        title="search for the learning rates",
        function=search.hyperparameter_search,
        calibrate=search.calibrate,
        choices=MappingProxyType({"AS_PRINTED": search.AS_PRINTED, "CORRECTED": search.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=("liu2022.search-score", "liu2022.search-budget", "liu2022.search-termination"),
        bind=_bind_search,
        example=Example(
            _BATCHES,
            _OTHER_BATCHES,
            MappingProxyType({**_GENEROUS, "epsilon": 16.0, "n": 640, "B": 320, "ceiling": 2.0, "rounds": 1, "target": 0.4}),
        ),
        lines=0,
    ),
    "liu2022.deflation": Entry(
        paper="liu2022",
        number="Section 7",
        title="rank r by deflation",
        function=rank_r.deflation,
        calibrate=rank_r.calibrate_deflation,
        choices=_THREE_READINGS,
        adjacency=REPLACE_ONE,
        claims=("liu2022.rank-r-deflation",),
        bind=_bind_deflation,
        example=Example(
            _BATCHES,
            _OTHER_BATCHES,
            MappingProxyType({**_GENEROUS, "n": 640, "B": 320, "r": 2, "step_sizes": (0.5,)}),
        ),
        lines=0,
    ),
    "liu2022.block_dp_pca": Entry(
        paper="liu2022",
        number="Section 7",
        title="rank r by block Oja with QR",
        function=rank_r.block_dp_pca,
        calibrate=rank_r.calibrate_block,
        choices=_THREE_READINGS,
        adjacency=REPLACE_ONE,
        claims=("liu2022.rank-r-block",),
        bind=_bind_block,
        example=Example(
            _BATCHES,
            _OTHER_BATCHES,
            MappingProxyType({**_GENEROUS, "n": 640, "B": 320, "r": 2, "step_sizes": (0.5, 0.3)}),
        ),
        lines=0,
    ),
}
