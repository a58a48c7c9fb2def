"""Catalogue entries of shang2021."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.reference.entry import Entry, Example
from dppca.reference.noise import Algorithm, Noise
from dppca.reference.shang2021 import algorithm_1_dp_spca as algorithm_1
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as algorithm_2

REPLACE_ONE = "replace-one, n public"


def _bind_algorithm_1(
    *, step_sizes: tuple[float, ...], choices: algorithm_1.Choices, **target: Any
) -> Algorithm[NDArray[np.float64]]:
    calibration = algorithm_1.calibrate(**target, T=len(step_sizes), choices=choices)

    def run(X: NDArray[np.float64], noise: Noise) -> NDArray[np.float64]:
        return algorithm_1.dp_spca(X, step_sizes, calibration, noise)

    return run


def _bind_algorithm_2(*, eta: float, choices: algorithm_2.Choices, **target: Any) -> Algorithm[NDArray[np.float64]]:
    calibration = algorithm_2.calibrate(**target, choices=choices)

    def run(X: NDArray[np.float64], noise: Noise) -> NDArray[np.float64]:
        return algorithm_2.dp_vrpca(X, eta, calibration, noise)

    return run


_ROWS = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.5, 0.5]])
_OTHER_ROWS = np.vstack([[[0.0, 1.0, 0.0]], _ROWS[1:]])

ENTRIES = {
    "shang2021.dp_spca": Entry(
        paper="shang2021",
        number="Algorithm 1",
        title="DP-SPCA",
        function=algorithm_1.dp_spca,
        calibrate=algorithm_1.calibrate,
        choices=MappingProxyType({"AS_PRINTED": algorithm_1.AS_PRINTED, "CORRECTED": algorithm_1.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=(
            "shang2021.theorem-1",
            "shang2021.theorem-1-conditions",
            "shang2021.lemma-1",
            "shang2021.algorithm-1-gradient",
        ),
        bind=_bind_algorithm_1,
        example=Example(
            _ROWS,
            _OTHER_ROWS,
            MappingProxyType({"epsilon": 0.5, "delta": 0.01, "n": 3, "d": 3, "k": 2, "step_sizes": (0.1,) * 5}),
        ),
        lines=5,
    ),
    "shang2021.dp_vrpca": Entry(
        paper="shang2021",
        number="Algorithm 2",
        title="DP-VRPCA",
        function=algorithm_2.dp_vrpca,
        calibrate=algorithm_2.calibrate,
        choices=MappingProxyType({"AS_PRINTED": algorithm_2.AS_PRINTED, "CORRECTED": algorithm_2.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=(
            "shang2021.theorem-3",
            "shang2021.theorem-3-output",
            "shang2021.algorithm-2-line-2-sign",
            "shang2021.algorithm-2-gradient",
        ),
        bind=_bind_algorithm_2,
        example=Example(
            _ROWS,
            _OTHER_ROWS,
            MappingProxyType({"epsilon": 0.5, "delta": 0.01, "n": 3, "d": 3, "T": 3, "m": 2, "k": 2, "eta": 0.1}),
        ),
        lines=11,
    ),
}
