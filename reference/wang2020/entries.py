"""Catalogue entries of wang2020."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dppca.reference.entry import Entry, Example
from dppca.reference.noise import Algorithm, Noise
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1
from dppca.reference.wang2020 import algorithm_2_sparse as algorithm_2


def _bind_algorithm_1(
    *, epsilon: float, delta: float, p: int, k: int, choices: algorithm_1.Choices
) -> Algorithm[NDArray[np.float64]]:
    calibration = algorithm_1.calibrate(epsilon, delta, p, choices)

    def run(X: NDArray[np.float64], noise: Noise) -> NDArray[np.float64]:
        return algorithm_1.local_gaussian_mechanism(X, k, calibration, noise)

    return run


def _bind_algorithm_2(
    *, epsilon: float, delta: float, p: int, k: int, lambda_: float, choices: algorithm_2.Choices
) -> Algorithm[NDArray[np.float64]]:
    calibration = algorithm_2.calibrate(epsilon, delta, p, choices)

    def run(X: NDArray[np.float64], noise: Noise) -> NDArray[np.float64]:
        return algorithm_2.local_gaussian_mechanism_high_dimension(X, k, lambda_, calibration, noise, choices=choices).basis

    return run


ENTRIES = {
    "wang2020.local_gaussian_mechanism": Entry(
        paper="wang2020",
        number="Algorithm 1",
        title="Local Gaussian Mechanism",
        function=algorithm_1.local_gaussian_mechanism,
        calibrate=algorithm_1.calibrate,
        choices=MappingProxyType({"AS_PRINTED": algorithm_1.AS_PRINTED, "CORRECTED": algorithm_1.CORRECTED}),
        adjacency="local: any two rows of the unit ball, for one client",
        claims=(
            "wang2020.theorem-2-privacy",
            "wang2020.algorithm-1-line-2-sensitivity",
            "wang2020.algorithm-1-line-2-formula",
            "wang2020.algorithm-1-line-2-classical-repair",
            "wang2020.algorithm-1-line-2-diagonal-repair",
            "wang2020.algorithm-1-line-2-delta-domain",
            "wang2020.algorithm-1-line-2-symmetry",
            "wang2020.algorithm-1-input-norm",
            "wang2020.algorithm-1-line-4-noise",
            "wang2020.algorithm-1-lines-4-5-post-processing",
            "wang2020.algorithm-1-non-interactive",
            "wang2020.theorem-2-pure-epsilon",
            "wang2020.section-6-1-privacy-setting",
        ),
        bind=_bind_algorithm_1,
        example=Example(
            data=np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 0.5]]),
            neighbour=np.array([[0.0, 1.0], [0.6, 0.8], [0.0, 0.5]]),
            arguments=MappingProxyType({"epsilon": 1.0, "delta": 1e-5, "p": 2, "k": 1}),
        ),
        lines=5,
    ),
    "wang2020.local_gaussian_mechanism_high_dimension": Entry(
        paper="wang2020",
        number="Algorithm 2",
        title="Local Gaussian Mechanism-High Dimension",
        function=algorithm_2.local_gaussian_mechanism_high_dimension,
        calibrate=algorithm_2.calibrate,
        choices=MappingProxyType({"AS_PRINTED": algorithm_2.AS_PRINTED, "CORRECTED": algorithm_2.CORRECTED}),
        adjacency="local: any two rows of the unit ball, for one client",
        claims=(
            "wang2020.theorem-4-privacy",
            "wang2020.theorem-4-utility",
            "wang2020.theorem-5-support",
            "wang2020.algorithm-2-line-5",
            "wang2020.algorithm-2-line-7",
            "wang2020.algorithm-2-line-8",
            "wang2020.algorithm-2-line-11",
            "wang2020.algorithm-2-line-13",
        ),
        bind=_bind_algorithm_2,
        example=Example(
            data=np.array([[1.0, 0.0, 0.0, 0.0], [0.6, 0.8, 0.0, 0.0], [0.0, 0.5, 0.0, 0.5]]),
            neighbour=np.array([[0.0, 1.0, 0.0, 0.0], [0.6, 0.8, 0.0, 0.0], [0.0, 0.5, 0.0, 0.5]]),
            arguments=MappingProxyType({"epsilon": 0.5, "delta": 1e-4, "p": 4, "k": 2, "lambda_": 0.1}),
        ),
        lines=13,
    ),
}
