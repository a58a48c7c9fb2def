"""Every algorithm of the project: where it comes from, what it claims, and how to run it.

`ALGORITHMS` maps a key such as "wang2020.local_gaussian_mechanism" to its entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.noise import Algorithm, Noise
from reference.wang2020 import algorithm_1_local_gaussian as wang2020_1


@dataclass(frozen=True)
class Example:
    """A small worked instance: a dataset, a neighbour of it, and the arguments of `bind`."""

    data: NDArray[np.float64]
    neighbour: NDArray[np.float64]
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """One algorithm.

    Attributes:
        paper: key of the paper, e.g. "wang2020".
        number: its number there, e.g. "Algorithm 1".
        title: its name there.
        function: the transcription.
        calibrate: from a privacy target to noise scales; returns what it assumed.
        choices: names of readings of the paper to instances of the algorithm's Choices.
        adjacency: the neighbouring relation of the privacy claim.
        claims: ids in proofs_notes/claims.toml that are about this algorithm.
        bind: (**arguments, choices=...) -> callable (data, noise) -> output, calibrated.
        example: a small worked instance.
    """

    paper: str
    number: str
    title: str
    function: Callable[..., Any]
    calibrate: Callable[..., Any]
    choices: Mapping[str, Any]
    adjacency: str
    claims: tuple[str, ...]
    bind: Callable[..., Algorithm[Any]]
    example: Example


def _bind_wang2020_1(
    *, epsilon: float, delta: float, p: int, k: int, choices: wang2020_1.Choices
) -> Algorithm[NDArray[np.float64]]:
    calibration = wang2020_1.calibrate(epsilon, delta, p, choices)

    def run(X: NDArray[np.float64], noise: Noise) -> NDArray[np.float64]:
        return wang2020_1.local_gaussian_mechanism(X, k, calibration, noise)

    return run


ALGORITHMS: Mapping[str, Entry] = MappingProxyType(
    {
        "wang2020.local_gaussian_mechanism": Entry(
            paper="wang2020",
            number="Algorithm 1",
            title="Local Gaussian Mechanism",
            function=wang2020_1.local_gaussian_mechanism,
            calibrate=wang2020_1.calibrate,
            choices=MappingProxyType({"AS_PRINTED": wang2020_1.AS_PRINTED, "CORRECTED": wang2020_1.CORRECTED}),
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
            bind=_bind_wang2020_1,
            example=Example(
                data=np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 0.5]]),
                neighbour=np.array([[0.0, 1.0], [0.6, 0.8], [0.0, 0.5]]),
                arguments=MappingProxyType({"epsilon": 1.0, "delta": 1e-5, "p": 2, "k": 1}),
            ),
        ),
    }
)
