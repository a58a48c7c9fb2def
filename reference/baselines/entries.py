"""Catalogue entries of the baselines that the papers compare with."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dppca.reference.baselines import analyze_gauss, exponential, mod_sulq, noisy_power_method, wishart
from dppca.reference.entry import Entry, Example
from dppca.reference.noise import Algorithm, Noise

REPLACE_ONE = "replace-one, n public"

Matrix = NDArray[np.float64]


def _bind_analyze_gauss(*, epsilon: float, delta: float, d: int, k: int, choices: analyze_gauss.Choices) -> Algorithm[Matrix]:
    calibration = analyze_gauss.calibrate(epsilon, delta, d, choices)

    def run(X: Matrix, noise: Noise) -> Matrix:
        return analyze_gauss.analyze_gauss(X, k, calibration, noise)

    return run


def _bind_mod_sulq(*, epsilon: float, delta: float, n: int, d: int, k: int, choices: mod_sulq.Choices) -> Algorithm[Matrix]:
    calibration = mod_sulq.calibrate(epsilon, delta, n, d, choices)

    def run(X: Matrix, noise: Noise) -> Matrix:
        return mod_sulq.mod_sulq(X, k, calibration, noise)

    return run


def _bind_noisy_power_method(
    *, epsilon: float, delta: float, d: int, k: int, L: int, choices: noisy_power_method.Choices
) -> Algorithm[Matrix]:
    calibration = noisy_power_method.calibrate(epsilon, delta, d, k, L, choices)

    def run(X: Matrix, noise: Noise) -> Matrix:
        return noisy_power_method.noisy_power_method(X, calibration, noise)

    return run


def _bind_wishart_mechanism(*, epsilon: float, delta: float, n: int, k: int, choices: wishart.Choices) -> Algorithm[Matrix]:
    claimed = 0.0 if choices.scale.value == "pure" else delta  # print claims (epsilon, 0)-DP
    calibration = wishart.calibrate(epsilon, claimed, n, choices)

    def run(X: Matrix, noise: Noise) -> Matrix:
        return wishart.wishart_mechanism(X, k, calibration, noise)

    return run


def _bind_exponential_mechanism(*, epsilon: float, k: int, choices: exponential.Choices) -> Algorithm[Matrix]:
    calibration = exponential.calibrate(epsilon, k, choices)

    def run(X: Matrix, noise: Noise) -> Matrix:
        return exponential.exponential_mechanism(X, calibration, noise)

    return run


_ROWS = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.5, 0.5]])
_OTHER_ROWS = np.vstack([[[0.0, 1.0, 0.0]], _ROWS[1:]])


def _example(**arguments: float) -> Example:
    return Example(_ROWS, _OTHER_ROWS, MappingProxyType(arguments))


ENTRIES = {
    "baselines.analyze_gauss": Entry(
        paper="dwork2014",
        number="Algorithm 1",
        title="Analyze Gauss",
        function=analyze_gauss.analyze_gauss,
        calibrate=analyze_gauss.calibrate,
        choices=MappingProxyType({"AS_PRINTED": analyze_gauss.AS_PRINTED, "CORRECTED": analyze_gauss.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=("dwork2014.algorithm-1-privacy", "dwork2014.algorithm-1-relation"),
        bind=_bind_analyze_gauss,
        example=_example(epsilon=1.0, delta=0.01, d=3, k=2),
        lines=3,
    ),
    "baselines.mod_sulq": Entry(
        paper="chaudhuri2013",
        number="Algorithm 1",
        title="MOD-SULQ",
        function=mod_sulq.mod_sulq,
        calibrate=mod_sulq.calibrate,
        choices=MappingProxyType({"AS_PRINTED": mod_sulq.AS_PRINTED, "CORRECTED": mod_sulq.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=("chaudhuri2013.theorem-1",),
        bind=_bind_mod_sulq,
        example=_example(epsilon=1.0, delta=0.01, n=3, d=3, k=2),
        lines=4,
    ),
    "baselines.noisy_power_method": Entry(
        paper="hardt2014",
        number="Figure 3",
        title="Private power method",
        function=noisy_power_method.noisy_power_method,
        calibrate=noisy_power_method.calibrate,
        choices=MappingProxyType({"AS_PRINTED": noisy_power_method.AS_PRINTED, "CORRECTED": noisy_power_method.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=("hardt2014.ppm-privacy", "hardt2014.ppm-relation"),
        bind=_bind_noisy_power_method,
        example=_example(epsilon=1.0, delta=0.01, d=3, k=2, L=3),
        lines=4,
    ),
    "baselines.wishart_mechanism": Entry(
        paper="jiang2016",
        number="Algorithm 1",
        title="Wishart mechanism",
        function=wishart.wishart_mechanism,
        calibrate=wishart.calibrate,
        choices=MappingProxyType({"AS_PRINTED": wishart.AS_PRINTED, "CORRECTED": wishart.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=("jiang2016.theorem-pure", "jiang2016.exact-profile"),
        bind=_bind_wishart_mechanism,
        example=_example(epsilon=1.0, delta=0.01, n=3, k=2),
        lines=3,
    ),
    "baselines.exponential_mechanism": Entry(
        paper="amin2019",
        number="Algorithm 1",
        title="Exponential mechanism on the sphere, iterated",
        function=exponential.exponential_mechanism,
        calibrate=exponential.calibrate,
        choices=MappingProxyType(
            {"PPCA": exponential.PPCA, "AS_PRINTED": exponential.AS_PRINTED, "CORRECTED": exponential.CORRECTED}
        ),
        adjacency=REPLACE_ONE,
        claims=("chaudhuri2013.ppca-privacy", "amin2019.eigenvector-sensitivity"),
        bind=_bind_exponential_mechanism,
        example=_example(epsilon=1.0, k=2),
        lines=4,
    ),
}
