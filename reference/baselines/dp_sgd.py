"""DP-SGD on the PCA objective: noisy sums of clipped gradients over Poisson samples of the rows.

As published (Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar, Zhang, CCS 2016, Algorithm 1; lines numbered here).
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

Symbols: X (n, d) rows x_i; V (d, k) orthonormal, theta in the paper; q the rate; L the public lot; C the length at which
gradients are clipped; eta_t step sizes; std = sigma C.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dppca.reference.accounting import Certificate, Mechanism, Poisson, smallest_std
from dppca.reference.accounting.checker import Progress
from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives.orthonormal import polar_factor
from dppca.reference.rigour.validation import check_real, check_step_sizes


class Choices(Readings):
    """The one decision of this reading: what determines the noise."""

    formula: Literal["account"] = point("abadi2016.theorem-1-constants", CORRECTED="account")


CORRECTED = Choices.read("CORRECTED")


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
    certificate: Certificate | None = field(repr=False)


def drawn_rate(rate: float) -> float:
    """Return the multiple of 2^-53 at which or above which a draw with this probability is made: what is accounted."""
    if not 0.0 < check_real("rate", "in (0, 1]", rate) <= 1.0:
        raise ValueError(f"rate must be in (0, 1], got {rate!r}")
    return math.ceil(rate * 2.0**53) / 2.0**53


@checked
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

    Neighbours are add/remove, so n is not public; which rows a step has drawn is hidden.
    """
    del choices  # there is one reading
    drawn = drawn_rate(rate)
    account = smallest_std(Mechanism(Poisson(drawn), T, C), epsilon, delta, certify=certify, progress=progress)
    made = account.std, account.certified, account.assumptions, {"d": d}, account.certificate
    return DPSGDCalibration(epsilon, delta, k, T, drawn, C, *made)


_EXAMPLE = rows_example(epsilon=1.0, delta=0.01, d=3, k=2, rate=0.5, C=0.75, lot=2.0, step_sizes=(0.2,) * 4)


@declare(
    number="Algorithm 1",
    title="DP-SGD",
    paper="abadi2016",
    data=ROWS,
    relation=Relation.ADD_REMOVE,
    returns=Returns.BASIS,
    unstated=(2, 8),
    calibrate=calibrate,
    claims=("abadi2016.theorem-1", "abadi2016.algorithm-1-sampling"),
    example=replace(_EXAMPLE, neighbour=_EXAMPLE.data[:-1]),
)
def dp_sgd(X: Matrix, lot: float, step_sizes: ArrayLike, calibration: DPSGDCalibration, noise: Noise) -> Matrix:
    """Take T noisy gradient steps, each on rows drawn independently of each other.

    A sum is divided by `lot`, the L > 0 of the listing: a number that does not depend on the data.
    """
    n, d = X.shape
    eta = check_step_sizes(step_sizes, calibration.steps)
    C = calibration.C
    V = polar_factor(noise.public_normal("theta[0]", (d, calibration.k)))  # line 1: theta
    for t in range(1, calibration.steps + 1):
        drawn = X[noise.secret_bernoulli(f"L[{t}]", calibration.rate, (n,))]  # line 3: x_i, i in L_t
        gradients = -drawn[:, :, np.newaxis] * (drawn @ V)[:, np.newaxis, :]  # line 4: g_t(x_i)
        norms = np.sqrt(np.sum(gradients**2, axis=(1, 2)))
        clipped = gradients / np.maximum(1.0, norms / C)[:, np.newaxis, np.newaxis]  # line 5: g_t(x_i)
        g = noise.gaussian(f"g[{t}]", clipped.sum(axis=0), std=calibration.std, sensitivity=C) / lot  # line 6: g_t
        V = polar_factor(V - eta[t - 1] * g)  # line 7: theta
    return V
