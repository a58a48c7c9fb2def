"""Data, draws and small computations that the tests of liu2022's algorithms share."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.noise import Tape

Array = NDArray[np.float64]

Draws = dict[str, Array]

ROWS = np.array(
    [[1.0, 0.0, 0.3], [0.6, 0.8, -2.0], [0.0, 0.5, 0.1], [2.0, 1.0, 0.0], [-1.0, 0.3, 0.7], [0.0, 0.0, 0.0], [4.0, 4.0, 1.0]]
)

MATRICES = np.random.default_rng(5).standard_normal((7, 3, 3))

ETA = (0.5, 0.4, 0.3, 1.0, 0.2, 0.7, 0.6)

CLIPPED = {"lambda_1": 0.5, "K": 0.5, "gamma": 0.5}

#: Algorithms 4 and 5 release something on a few records.
WEAK = {"K": 0.2, "zeta": 0.5}

#: What calibrations for the seven records take, and those for three batches.
SEVEN = {"n": 7, "d": 3, **CLIPPED}
THREE = {"n": 65, "d": 2, "B": 21, **WEAK}


def rng(seed: int = 0) -> np.random.Generator:
    """Return a generator with this seed."""
    return np.random.default_rng(seed)


def outer(rows: Array) -> Array:
    """Return each row's outer product with itself, shape (n, d, d)."""
    return rows[:, :, np.newaxis] * rows[:, np.newaxis, :]


def matrices(data: Array) -> Array:
    """Return records as matrices, shape (n, d, d)."""
    return outer(data) if data.ndim == 2 else data


def draws(tape: Tape) -> Draws:
    """Return the draw of each entry of a tape, by its name."""
    return {entry.name: entry.draw for entry in tape.entries}


def unit(w: Array) -> Array:
    """Return a vector divided by its length."""
    return w / math.sqrt(sum(x * x for x in w))


def clipped(g: Array, beta: float) -> Array:
    """Return a vector shortened to length beta where it is longer."""
    length = math.sqrt(float(g @ g))
    return g if length <= beta else g * beta / length


def by_hand_4(g: Array, calibration: algorithm_4.TopEigenvalueCalibration, laplace: Array) -> float | None:
    """Return what Algorithm 4 releases, with Counter, eigvalsh, and bins by comparison with powers of 2^(1/4)."""
    differences = [g[i + 1] - g[i] for i in range(0, len(g) - 1, 2)]
    items: list[int | None] = []
    for j in range(calibration.k):
        G = np.array(differences[j * calibration.b : (j + 1) * calibration.b]).T
        eigenvalue = float(np.linalg.eigvalsh(G @ G.T / calibration.divisor)[-1])
        items.append(None if eigenvalue < 1e-300 else max(i for i in range(-400, 400) if 2.0 ** (i / 4) <= eigenvalue))
    counts = Counter(items)
    noisy = {b: count + calibration.scale * laplace[items.index(b)] for b, count in counts.items()}
    best = max(noisy, key=lambda b: noisy[b])
    if noisy[best] <= calibration.threshold:
        return None
    return 0.0 if best is None else 2.0 ** (best / 4)


def by_hand_5(
    g: Array, eigenvalue: float, of: Draws, calibration: algorithm_5.MeanCalibration, prefix: str = ""
) -> Array | None:
    """Return what Algorithm 5 releases, histogram by histogram with Counter, and a mean without numpy."""
    unit_ = math.sqrt(eigenvalue)
    mean: list[float] = []
    for j in range(g.shape[1]):
        bins = [math.ceil(x / (calibration.tau * unit_)) - 1 for x in g[:, j]]
        laplace = of[f"{prefix}bin[{j + 1}]"]
        noisy = {b: c + calibration.scale * laplace[bins.index(b)] for b, c in Counter(bins).items()}
        best = max(noisy, key=lambda b: noisy[b])
        if noisy[best] <= calibration.threshold:
            return None
        left, r = best * calibration.tau * unit_, calibration.radius * unit_
        mean.append(math.fsum(min(max(x, left - r), left + r) for x in g[:, j]) / len(g))
    return np.array(mean) + calibration.std * unit_ * of[f"{prefix}mean"]
