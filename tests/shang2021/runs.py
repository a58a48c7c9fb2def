"""Runs of both algorithms on four rows, and what their tests share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.reference.noise import Algorithm, Sample, Tape
from dppca.reference.shang2021 import algorithm_1_dp_spca as spca
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as vrpca

Matrix = NDArray[np.float64]

X = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, -0.6], [0.2, -0.3, 0.5]])

NEIGHBOUR = np.array([[0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [0.0, 0.6, -0.6], [0.2, -0.3, 0.5]])

T, M = 3, 2


def one(
    k: int = 2, choices: spca.Choices = spca.AS_PRINTED, step_sizes: Sequence[float] = (0.1, 0.2, 0.3)
) -> Algorithm[Matrix]:
    """Return DP-SPCA of these steps, at (1, 1e-3)."""
    calibration = spca.calibrate(1.0, 1e-3, 4, 3, T, k, choices=choices)
    return lambda data, noise: spca.dp_spca(data, step_sizes, calibration, noise)


def two(k: int = 2, choices: vrpca.Choices = vrpca.AS_PRINTED, eta: float = 0.3) -> Algorithm[Matrix]:
    """Return DP-VRPCA of M epochs of T steps, at (1, 1e-3)."""
    calibration = vrpca.calibrate(1.0, 1e-3, 4, 3, T, M, k, choices)
    return lambda data, noise: vrpca.dp_vrpca(data, eta, calibration, noise)


def seen(tape: Tape) -> dict[str, Any]:
    """Return what each release of a tape gave, and each draw, by name."""
    return {entry.name: entry.released if entry.role == "release" else entry.draw for entry in tape.entries}


class KnownStart(Sample):
    """Noise that starts at e_1 of R^2: the adversary knows the start, and the guarantee must hold for every one."""

    def public_normal(self, name: str, shape: Sequence[int]) -> Matrix:
        """Return e_1 as a column."""
        super().public_normal(name, shape)
        return np.array([[1.0], [0.0]])
