"""Catalogue entries of singhal2021."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.reference.entry import Entry, Example
from dppca.reference.noise import Algorithm, Noise
from dppca.reference.singhal2021 import algorithm_1_exact as algorithm_1
from dppca.reference.singhal2021 import algorithm_2_approximate as algorithm_2
from dppca.reference.singhal2021 import section_2_3_all_dimensions as all_dimensions
from dppca.reference.singhal2021 import section_2_3_dimension_test as dimension_test
from dppca.reference.singhal2021 import section_2_3_random_subsets as random_subsets
from dppca.reference.singhal2021 import section_2_3_unknown_dimension as unknown_dimension
from dppca.reference.singhal2021 import section_3_3_unknown_dimension as selection
from dppca.reference.singhal2021.exact_linear_algebra import Subspace

REPLACE_ONE = "replace-one, n public"

Rows = list[list[int]]


def _bind_algorithm_1(
    *, epsilon: float, delta: float, ell: int, k: int, choices: algorithm_1.Choices
) -> Algorithm[Subspace | None]:
    calibration = algorithm_1.calibrate(epsilon, delta, ell, choices)

    def run(X: Rows, noise: Noise) -> Subspace | None:
        return algorithm_1.exact_subspace_estimator(X, k, calibration, noise)

    return run


def _bind_all_dimensions(
    *, epsilon: float, delta: float, ell: int, k_max: int, choices: algorithm_1.Choices
) -> Algorithm[Subspace | None]:
    calibration = algorithm_1.calibrate(epsilon, delta, ell, choices)

    def run(X: Rows, noise: Noise) -> Subspace | None:
        return all_dimensions.exact_subspace_estimator_all_dimensions(X, k_max, calibration, noise)

    return run


def _bind_unknown_dimension(*, epsilon: float, k_max: int, choices: None) -> Algorithm[int]:  # noqa: ARG001
    def run(X: Rows, noise: Noise) -> int:
        return unknown_dimension.dimension_by_exponential_mechanism(X, k_max, epsilon, noise)

    return run


def _bind_dimension_test(*, epsilon: float, k_max: int, ell: int, choices: None) -> Algorithm[bool]:  # noqa: ARG001
    def run(X: Rows, noise: Noise) -> bool:
        return dimension_test.dimension_is_at_most(X, k_max, ell, epsilon, noise)

    return run


def _bind_random_subsets(
    *, epsilon: float, delta: float, ell: int, n: int, k: int, choices: random_subsets.SamplingChoices
) -> Algorithm[Subspace | None]:
    calibration = random_subsets.calibrate_random_subsets(epsilon, delta, ell, n=n, k=k, choices=choices)

    def run(X: Rows, noise: Noise) -> Subspace | None:
        return random_subsets.exact_subspace_estimator_random_subsets(X, calibration, noise)

    return run


def _bind_algorithm_2(
    *, epsilon: float, delta: float, gamma: float, n: int, d: int, k: int, choices: algorithm_2.Choices
) -> Algorithm[NDArray[np.float64] | None]:
    calibration = algorithm_2.calibrate(epsilon, delta, gamma, n=n, d=d, k=k, choices=choices)

    def run(X: NDArray[np.float64], noise: Noise) -> NDArray[np.float64] | None:
        return algorithm_2.approximate_subspace_estimator(X, calibration, noise)

    return run


def _bind_selection(*, auxiliary: NDArray[np.float64], choices: selection.Choices, **target: Any) -> Algorithm[Any]:
    calibration = selection.calibrate(**target, choices=choices)

    def run(X: NDArray[np.float64], noise: Noise) -> NDArray[np.float64] | None:
        return selection.approximate_subspace_estimator_unknown_dimension(X, auxiliary, calibration, noise)

    return run


_PRINTED_AND_CORRECTED = MappingProxyType({"AS_PRINTED": algorithm_1.AS_PRINTED, "CORRECTED": algorithm_1.CORRECTED})
_POINTS = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 3, 0], [1, -1, 0]]
_OTHER_POINTS = [[0, 0, 1], *_POINTS[1:]]
_LINE = np.outer(np.linspace(-1.0, 1.0, 120), [0.6, 0.8, 0.0])
_OTHER_LINE = np.vstack([[[0.5, -0.5, 0.0]], _LINE[1:]])

ENTRIES = {
    "singhal2021.exact_subspace_estimator": Entry(
        paper="singhal2021",
        number="Algorithm 1",
        title="DP exact subspace estimator",
        function=algorithm_1.exact_subspace_estimator,
        calibrate=algorithm_1.calibrate,
        choices=_PRINTED_AND_CORRECTED,
        adjacency=REPLACE_ONE,
        claims=(
            "singhal2021.lemma-2.3",
            "singhal2021.score-sensitivity",
            "singhal2021.algorithm-1-candidates",
            "singhal2021.algorithm-1-null",
            "singhal2021.truncated-laplace-bound",
            "singhal2021.lemma-2.4",
            "singhal2021.lemma-2.5",
        ),
        bind=_bind_algorithm_1,
        example=Example(_POINTS, _OTHER_POINTS, MappingProxyType({"epsilon": 4.0, "delta": 0.1, "ell": 1, "k": 2})),
        lines=12,
    ),
    "singhal2021.exact_subspace_estimator_all_dimensions": Entry(
        paper="singhal2021",
        number="Section 2.3",
        title="Algorithm 1 over every dimension up to k_max",
        function=all_dimensions.exact_subspace_estimator_all_dimensions,
        calibrate=algorithm_1.calibrate,
        choices=MappingProxyType({"CORRECTED": algorithm_1.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=("singhal2021.section-2.3-all-dimensions",),
        bind=_bind_all_dimensions,
        example=Example(_POINTS, _OTHER_POINTS, MappingProxyType({"epsilon": 4.0, "delta": 0.1, "ell": 1, "k_max": 3})),
        lines=0,
    ),
    "singhal2021.dimension_by_exponential_mechanism": Entry(
        paper="singhal2021",
        number="Section 2.3",
        title="The dimension by the exponential mechanism",
        function=unknown_dimension.dimension_by_exponential_mechanism,
        calibrate=None,
        choices=MappingProxyType({"CORRECTED": None}),
        adjacency=REPLACE_ONE,
        claims=("singhal2021.section-2.3-score-sensitivity", "singhal2021.section-2.3-unknown-dimension"),
        bind=_bind_unknown_dimension,
        example=Example(_POINTS, _OTHER_POINTS, MappingProxyType({"epsilon": 1.0, "k_max": 3})),
        lines=0,
    ),
    "singhal2021.dimension_is_at_most": Entry(
        paper="singhal2021",
        number="Section 2.3",
        title="Whether the dimension is at most k_max",
        function=dimension_test.dimension_is_at_most,
        calibrate=None,
        choices=MappingProxyType({"CORRECTED": None}),
        adjacency=REPLACE_ONE,
        claims=("singhal2021.section-2.3-score-sensitivity", "singhal2021.section-2.3-dimension-test"),
        bind=_bind_dimension_test,
        example=Example(_POINTS, _OTHER_POINTS, MappingProxyType({"epsilon": 1.0, "k_max": 2, "ell": 1})),
        lines=0,
    ),
    "singhal2021.exact_subspace_estimator_random_subsets": Entry(
        paper="singhal2021",
        number="Section 2.3",
        title="Algorithm 1 over random subsets",
        function=random_subsets.exact_subspace_estimator_random_subsets,
        calibrate=random_subsets.calibrate_random_subsets,
        choices=MappingProxyType({"CORRECTED": random_subsets.CHOICES}),
        adjacency=REPLACE_ONE,
        claims=("singhal2021.section-2.3-random-subsets",),
        bind=_bind_random_subsets,
        example=Example(_POINTS, _OTHER_POINTS, MappingProxyType({"epsilon": 4.0, "delta": 0.2, "ell": 1, "n": 6, "k": 2})),
        lines=0,
    ),
    "singhal2021.approximate_subspace_estimator": Entry(
        paper="singhal2021",
        number="Algorithm 2",
        title="DP approximate subspace estimator",
        function=algorithm_2.approximate_subspace_estimator,
        calibrate=algorithm_2.calibrate,
        choices=MappingProxyType({"AS_PRINTED": algorithm_2.AS_PRINTED, "CORRECTED": algorithm_2.CORRECTED}),
        adjacency=REPLACE_ONE,
        claims=(
            "singhal2021.lemma-3.4",
            "singhal2021.theorem-3.3",
            "singhal2021.algorithm-2-cell-length",
            "singhal2021.algorithm-2-threshold",
            "singhal2021.algorithm-2-constants",
            "singhal2021.algorithm-2-block-count",
        ),
        bind=_bind_algorithm_2,
        example=Example(
            _LINE,
            _OTHER_LINE,
            MappingProxyType({"epsilon": 4.0, "delta": 0.01, "gamma": 1e-4, "n": 120, "d": 3, "k": 1}),
        ),
        lines=24,
    ),
    "singhal2021.approximate_subspace_estimator_unknown_dimension": Entry(
        paper="singhal2021",
        number="Section 3.3",
        title="Algorithm 2 with unknown k, by private selection",
        function=selection.approximate_subspace_estimator_unknown_dimension,
        calibrate=selection.calibrate,
        choices=MappingProxyType({"CORRECTED": selection.CHOICES}),
        adjacency=REPLACE_ONE,
        claims=("singhal2021.section-3.3",),
        bind=_bind_selection,
        example=Example(
            np.vstack([_LINE] * 10),
            np.vstack([_OTHER_LINE, *[_LINE] * 9]),
            MappingProxyType(
                {
                    "epsilon": 6.0,
                    "delta": 0.05,
                    "gamma": 1e-4,
                    "gamma_hat": 0.1,
                    "n": 1200,
                    "d": 3,
                    "k_max": 2,
                    "auxiliary": _LINE[::12],
                }
            ),
        ),
        lines=0,
    ),
}
