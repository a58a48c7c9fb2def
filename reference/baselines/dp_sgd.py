"""DP-SGD on the PCA objective: noisy sums of clipped gradients over Poisson samples of the rows.

Print (Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar, Zhang, CCS 2016, Algorithm 1; lines numbered here).
  1  theta_0 at random
  2  for t = 1, ..., T
  3    L_t holds each row with probability q = L / N, independently of the others
  4    g_t(x_i) = gradient of the loss at theta_t in row i, for i in L_t
  5    g_t(x_i) = g_t(x_i) / max(1, |g_t(x_i)|_2 / C)
  6    g_t = (1/L) (sum_i g_t(x_i) + N(0, sigma^2 C^2 I))
  7    theta_(t+1) = theta_t - eta_t g_t
  8  end; output theta_T
Claimed there (Theorem 1): (epsilon, delta)-DP when a row is added or removed, if
sigma >= c_2 q sqrt(T ln(1/delta)) / epsilon and epsilon < c_1 q^2 T, with constants that are not stated; no
constants make it true (abadi2016.theorem-1).
Read here: the loss of row x at an orthonormal V is -|V^T x|^2 / 2, with gradient -x x^T V; after line 7 the nearest orthonormal
matrix is taken; sigma is the smallest one that the account of the T steps allows.

Symbols: X (n, d) rows x_i; V (d, k) orthonormal, theta in print; q the rate; L the expected lot, public; C the length at which
gradients are clipped; eta_t step sizes; std = sigma C.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.accounting import Mechanism, Poisson, smallest_std
from dppca.reference.accounting.certificates import Progress
from dppca.reference.accounting.search import AnyCertificate, unproved
from dppca.reference.declaration import Choice, Returns, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives.orthonormal import polar_factor
from dppca.reference.primitives.validation import (
    check_count,
    check_delta,
    check_epsilon,
    check_positive,
    check_step_sizes,
    check_subspace_dimension,
)
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """The one decision of this reading: what the noise comes from."""

    formula: Choice[Literal["account"]]


CORRECTED = Choices(Choice("account", "abadi2016.theorem-1-constants"))


@dataclass(frozen=True)
class DPSGDCalibration:
    """The noise of one sum, and what it was made for. `rate` is the probability with which a row is really drawn.

    `certificate` proves that this std is enough: None where it is a float estimate, which `assumptions` then say.
    """

    epsilon: float
    delta: float
    k: int
    steps: int
    rate: float
    C: float
    std: float
    certified: bool
    assumptions: tuple[str, ...]
    sizes: Mapping[str, int]
    certificate: AnyCertificate | None = field(repr=False)


def drawn_rate(rate: float) -> float:
    """Return the multiple of 2^-53 at which or above which a draw with this probability is made: what is accounted.

    Raises:
        ValueError: rate not in (0, 1].
    """
    if isinstance(rate, (bool, np.bool_)) or not 0.0 < rate <= 1.0:
        raise ValueError(f"rate must be in (0, 1], got {rate!r}")
    return math.ceil(rate * 2.0**53) / 2.0**53


def calibrate(
    epsilon: float,
    delta: float,
    d: int,
    T: int,
    rate: float,
    C: float = 1.0,
    k: int = 1,
    choices: Choices = CORRECTED,
    *,
    certify: bool | None = None,
    progress: Progress | None = None,
) -> DPSGDCalibration:
    """Return the noise of line 6 for T steps at this rate and clipping threshold.

    It is proved enough where that takes seconds: then `certificate` says so. `certify=True` proves it whatever it takes; False
    never does. `progress` is called with the number of products of the proof that are done, and of all.

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1), rate not in (0, 1], C not > 0, d or T not an integer >= 1, or k not an
            integer in 1..d.
    """
    del choices  # there is one reading
    check_subspace_dimension(k, check_count("d", d))
    mechanism = Mechanism(Poisson(drawn_rate(rate)), check_count("T", T), check_positive("C", C))
    found = smallest_std(mechanism, check_epsilon(epsilon), check_delta(delta), certify=certify, progress=progress)
    return DPSGDCalibration(
        epsilon=epsilon,
        delta=delta,
        k=k,
        steps=T,
        rate=drawn_rate(rate),
        C=C,
        std=found.std,
        certified=found.certified,
        assumptions=(
            "neighbours: add/remove, n is not public",
            "which rows a step has drawn is hidden",
            *unproved(found.certified),
        ),
        sizes={"d": d},
        certificate=found.certificate,
    )


_EXAMPLE = rows_example(epsilon=1.0, delta=0.01, d=3, k=2, rate=0.5, C=0.75, lot=2.0, step_sizes=(0.2,) * 4)


@declare(
    key="baselines.dp_sgd",
    paper="abadi2016",
    number="Algorithm 1",
    title="DP-SGD",
    data=ROWS,
    relation=Relation.ADD_REMOVE,
    returns=Returns.BASIS,
    lines=8,
    unstated=(2, 8),
    symbols={"V": "theta", "drawn": "x_i, i in L_t", "gradients": "g_t(x_i)", "clipped": "g_t(x_i)", "g": "g_t"},
    calibrate=calibrate,
    derived={"T": lambda arguments: len(check_step_sizes(arguments["step_sizes"]))},
    choices={"CORRECTED": CORRECTED},
    claims=("abadi2016.theorem-1", "abadi2016.theorem-1-constants", "abadi2016.algorithm-1-sampling"),
    example=replace(_EXAMPLE, neighbour=_EXAMPLE.data[:-1]),
)
def dp_sgd(
    X: NDArray[np.float64], lot: float, step_sizes: ArrayLike, calibration: DPSGDCalibration, noise: Noise
) -> NDArray[np.float64]:
    """Take T noisy gradient steps, each on rows drawn independently of each other.

    Args:
        X: rows in the unit ball, shape (n, d), d as calibrated; n is not public.
        lot: L > 0, by which a sum is divided: a number that does not depend on the data.
        step_sizes: eta_1, ..., eta_T, each > 0, shape (T,), T = calibration.steps.
        calibration: what `calibrate` returned; it holds T, k, C and the rate.
        noise: the seam. Draws, in order: public normal "theta[0]" (d, k); then for t = 1..T the secret truth values "L[t]" (n,)
            and the release "g[t]" (d, k), a noisy sum.

    Returns:
        V_T, orthonormal, shape (d, k).

    Raises:
        ValueError: X, lot or step_sizes outside its domain.
    """
    n, d = X.shape
    check_positive("lot", lot)
    eta = check_step_sizes(step_sizes, calibration.steps)
    C = calibration.C
    V = polar_factor(noise.public_normal("theta[0]", (d, calibration.k)))  # line 1
    for t in range(1, calibration.steps + 1):
        drawn = X[noise.secret_bernoulli(f"L[{t}]", calibration.rate, (n,))]  # line 3
        gradients = -drawn[:, :, np.newaxis] * (drawn @ V)[:, np.newaxis, :]  # line 4
        norms = np.sqrt(np.sum(gradients**2, axis=(1, 2)))
        clipped = gradients / np.maximum(1.0, norms / C)[:, np.newaxis, np.newaxis]  # line 5
        g = noise.gaussian(f"g[{t}]", clipped.sum(axis=0), std=calibration.std, sensitivity=C) / lot  # line 6
        V = polar_factor(V - eta[t - 1] * g)  # line 7
    return V
