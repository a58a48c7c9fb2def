"""DP-PCA (liu2022, Algorithm 3; section 5).

Guarantee claimed: (epsilon, delta)-DP for epsilon < 0.9 and all data, B, zeta, delta; the error of Theorem 5.1.
Claims: liu2022.theorem-5.1-privacy, liu2022.theorem-5.1, liu2022.definition-2.3, liu2022.algorithm-3-eigenvalue,
liu2022.algorithm-3-bottom, liu2022.algorithm-3-halves.

Departures from print:
  D1 line 4 hands 2 Lambda_hat to Algorithm 5, whose Lemma 6.2 asks for at most sqrt(2) times the true eigenvalue.
     Corrected: Lambda_hat, which is within Lemma 6.2's bounds once Algorithm 4 halves (its D2).
  D2 lines 3 to 5: print does not say what a step does when Algorithm 4 or 5 returns bottom, or Lambda_hat = 0, at which
     the bins have no width. Such a step leaves w as it is.
  D3 lines 3 and 4, LEAN alone: the two halves of a batch are disjoint, so each estimate may spend all of
     (epsilon, delta); print halves both.

Neighbours replace one record, n is public. Under the paper's own relation (one record more or less) the claim is false:
every later record moves to another place, and n = B T - 1 has one step less.

Symbols: A (n, d, d) or rows (n, d); w_t (d,), a unit vector; eta_t > 0; T = floor(n / B) batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.conditions import Condition
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022.data import check_data, gradients, normalise
from dppca.reference.liu2022.private_update import check_step_sizes
from dppca.reference.noise import Noise
from dppca.reference.primitives.composition import Guarantee
from dppca.reference.primitives.inputs import check_count
from dppca.reference.primitives.validation import check_delta, check_epsilon

Halves = Literal["serial", "parallel"]


@dataclass(frozen=True)
class Choices:
    """Those of the sub-routines, the multiple of Lambda_hat that line 4 hands on, and what a half may spend."""

    eigenvalue: algorithm_4.Choices
    mean: algorithm_5.Choices
    handed_on: Choice[float]
    halves: Choice[Halves]


_SERIAL: Choice[Halves] = Choice("serial", "lines 3 and 4: (epsilon/2, delta/2) each", "liu2022.algorithm-3-halves")
_HANDED_ON = Choice(1.0, "Lemma 6.2 holds for Lambda_hat itself", "liu2022.algorithm-3-eigenvalue")
AS_PRINTED = Choices(
    eigenvalue=algorithm_4.AS_PRINTED,
    mean=algorithm_5.AS_PRINTED,
    handed_on=Choice(2.0, "line 4", "liu2022.algorithm-3-eigenvalue"),
    halves=_SERIAL,
)
CORRECTED = Choices(eigenvalue=algorithm_4.CORRECTED, mean=algorithm_5.CORRECTED, handed_on=_HANDED_ON, halves=_SERIAL)
LEAN = Choices(
    eigenvalue=algorithm_4.CORRECTED,
    mean=algorithm_5.LEAN,
    handed_on=_HANDED_ON,
    halves=Choice("parallel", "a record lies in one half", "liu2022.algorithm-3-halves"),
)


@dataclass(frozen=True)
class DPPCACalibration:
    """T steps on batches of B records, and the calibrations of the two sub-routines on B // 2 gradients each."""

    epsilon: float
    delta: float
    n: int
    d: int
    B: int
    T: int
    handed_on: float
    eigenvalue: algorithm_4.TopEigenvalueCalibration
    mean: algorithm_5.MeanCalibration
    assumptions: tuple[str, ...]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Conditions of the guarantees of the sub-routines."""
        return self.mean.conditions


def calibrate(
    epsilon: float,
    delta: float,
    *,
    n: int,
    d: int,
    B: int,
    K: float,
    a: float = 1.0,
    zeta: float = 0.01,
    choices: Choices = CORRECTED,
) -> DPPCACalibration:
    """The calibrations of lines 3 and 4.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        n: number of data, public.
        d: dimension of a gradient.
        B: batch size, 1 <= B <= n.
        K: of Assumption 1, > 0; accuracy alone rests on it and on a.
        a: of Assumption 1, > 0.
        zeta: failure probability in (0, 1).
        choices: AS_PRINTED, CORRECTED or LEAN.

    Returns:
        DPPCACalibration.

    Raises:
        ValueError: an argument outside its range, or a batch too small for Algorithm 4's subsets.
    """
    T = check_count("n", n) // check_count("B", B)
    if T < 1:
        raise ValueError(f"B must be at most n = {n}, got {B}")
    share = 2.0 if choices.halves.value == "serial" else 1.0
    each = Guarantee(check_epsilon(epsilon) / share, check_delta(delta) / share)
    failure = zeta / (2 * T)
    return DPPCACalibration(
        epsilon=epsilon,
        delta=delta,
        n=n,
        d=d,
        B=B,
        T=T,
        handed_on=choices.handed_on.value,  # line 4 (D1)
        eigenvalue=algorithm_4.calibrate(*each, B=B // 2, zeta=failure, choices=choices.eigenvalue),  # line 3 (D3)
        mean=algorithm_5.calibrate(  # line 4 (D3)
            *each, B=B // 2, d=d, K=K, a=a, zeta=failure, choices=choices.mean
        ),
        assumptions=("neighbours: replace-one", f"n = {n} is public", "a record's batch and half are set by its place"),
    )


def dp_pca(
    A: ArrayLike, step_sizes: ArrayLike, calibration: DPPCACalibration, noise: Noise, prefix: str = ""
) -> NDArray[np.float64]:
    """Algorithm 3.

    Args:
        A: matrices (n, d, d), or rows (n, d) that stand for x_i x_i^T, n and d as calibrated. Records beyond B T, and
            the last record of each batch if B is odd, are not used.
        step_sizes: eta_1, ..., eta_T, each > 0.
        calibration: what `calibrate` returned.
        noise: the seam. Draws, each name after `prefix`, in order: public normal "w[0]" (d,); for t = 1..T the release
            "eigenvalue[t]" and, unless that gave bottom or 0, Algorithm 5's releases "t=<t> bin[1]", ..., "t=<t> bin[d]"
            and "t=<t> mean".
        prefix: start of every draw's name, for callers that run this more than once.

    Returns:
        w_T, a unit vector, shape (d,).

    Raises:
        ValueError: malformed data or step sizes, or another n or d than calibrated.
    """
    data = check_data("A", A)
    n, d, B, T = calibration.n, calibration.d, calibration.B, calibration.T
    if data.shape[:2] != (n, d):
        raise ValueError(f"A must have the calibrated n = {n} and d = {d}, got {data.shape}")
    eta = check_step_sizes(step_sizes, T)
    half = B // 2
    w = normalise(noise.public_normal(prefix + "w[0]", (d,)))  # line 1
    for t in range(1, T + 1):  # line 2
        batch = data[B * (t - 1) : B * t]
        Lambda = algorithm_4.private_top_eigenvalue(  # line 3
            gradients(batch[:half], w), calibration.eigenvalue, noise, f"{prefix}eigenvalue[{t}]"
        )
        if not Lambda:  # line 4 (D2)
            continue
        g_hat = algorithm_5.private_mean(  # line 4
            gradients(batch[half : 2 * half], w),
            calibration.handed_on * Lambda,
            calibration.mean,
            noise,
            f"{prefix}t={t} ",
        )
        if g_hat is None:  # line 5 (D2)
            continue
        w_prime = w + eta[t - 1] * g_hat  # line 5
        w = normalise(w_prime)  # line 5
    return w  # line 6
