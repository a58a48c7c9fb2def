"""Private mean estimation (liu2022, Algorithm 5; section 6 and appendix E.3).

Guarantee claimed: (epsilon, delta)-DP for epsilon < 0.9, and no gradient truncated with probability 1 - zeta
(Lemma 6.2).
Claims: liu2022.lemma-6.2, liu2022.lemma-6.2-privacy, liu2022.lemma-b.4, liu2022.assumption-a.4.

Departures from print:
  D1 lines 2, 8 and 10: the logarithms hold 25 and B d / zeta; 50 and 2 B d / zeta is what the tail assumption of the
     conference text gives.
  D2 line 5: as in Algorithm 4, D4. A bin is (i tau, (i + 1) tau]. Print does not say what happens when a coordinate
     releases no bin: the result is bottom.
  D3 lines 5 and 10, LEAN alone: the histograms spend what optimal composition allows them within
     (epsilon/2, delta/2), and the Gaussian noise is the smallest one for (epsilon/2, delta/2), for every epsilon.
  D4 lines 8 and 10: gradients are truncated, averaged and released as deviations from g_bar, which is public by then.
     The same numbers as in print, but rounding of gradients far from 0 stays within the sensitivity.

A record moves one item in each of the d histograms, and changes the truncated mean by at most the diagonal of the
box over B, sqrt(d) 6 K sqrt(Lambda_hat) log^a(.) / B.

Symbols: g (B, d) gradients; tau bin width; g_bar (d,) left ends of bins; mu_hat (d,).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dppca.reference.choices import Choice
from dppca.reference.conditions import Condition
from dppca.reference.liu2022.private_update import TAIL_AS_PRINTED, TAIL_CORRECTED
from dppca.reference.noise import Noise
from dppca.reference.primitives.composition import Guarantee, advanced_component, optimal_component_epsilon
from dppca.reference.primitives.gaussian import analytic_std, classical_std
from dppca.reference.primitives.inputs import check_count
from dppca.reference.primitives.sparse_histogram import REPLACE_ONE_SENSITIVITY, SparseHistogramLaw, stability_threshold
from dppca.reference.primitives.validation import check_delta, check_epsilon, check_failure_probability, check_positive

#: Bins this far out are merged: beyond it the bin of a float is not a float any more.
LARGEST_BIN = 1e300


Account = Literal["printed", "optimal"]


@dataclass(frozen=True)
class Choices:
    """What the logarithms hold, and how epsilon and delta are spent."""

    tail: Choice[float]
    account: Choice[Account]


_PRINTED_ACCOUNT: Choice[Account] = Choice(
    "printed", "Lemma B.4 and the classical Gaussian formula hold for epsilon < 0.9", "liu2022.lemma-6.2-privacy"
)
AS_PRINTED = Choices(tail=TAIL_AS_PRINTED, account=_PRINTED_ACCOUNT)
CORRECTED = Choices(tail=TAIL_CORRECTED, account=_PRINTED_ACCOUNT)
LEAN = Choices(
    tail=TAIL_CORRECTED,
    account=Choice("optimal", "optimal composition and the exact Gaussian profile", "liu2022.lemma-6.2-privacy"),
)


@dataclass(frozen=True)
class MeanCalibration:
    """Lengths are factors of sqrt(Lambda_hat): bin width `tau`, half side `radius` of the box, `std` of the noise.

    `sensitivity` of the mean, in L2, in the same unit; `histogram` what one histogram may spend.
    """

    epsilon: float
    delta: float
    zeta: float
    B: int
    d: int
    tau: float
    radius: float
    histogram: Guarantee
    scale: float
    threshold: float
    sensitivity: float
    std: float
    conditions: tuple[Condition, ...]


def calibrate(
    epsilon: float,
    delta: float,
    *,
    B: int,
    d: int,
    K: float,
    a: float = 1.0,
    zeta: float,
    choices: Choices = CORRECTED,
) -> MeanCalibration:
    """Lines 2, 5, 8 and 10, up to the factor sqrt(Lambda_hat).

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        B: number of gradients, public.
        d: their dimension.
        K: of Assumption 1, > 0; accuracy alone rests on it and on a.
        a: of Assumption 1, > 0.
        zeta: failure probability in (0, 1).
        choices: AS_PRINTED, CORRECTED or LEAN.

    Returns:
        MeanCalibration; its `conditions` are those of the privacy claim and of Lemma 6.2's box. The calibration is
        returned whether or not they hold.

    Raises:
        ValueError: an argument outside its range.
    """
    check_positive("K", K)
    check_positive("a", a)
    tail = choices.tail.value
    inner = math.log(25.0 * tail) ** a
    outer = math.log(tail * check_count("B", B) * check_count("d", d) / check_failure_probability(zeta)) ** a
    radius = 3.0 * K * outer  # line 8 (D1)
    sensitivity = math.sqrt(d) * 2.0 * radius / B
    if choices.account.value == "printed":
        histogram = advanced_component(check_epsilon(epsilon) / 2.0, check_delta(delta) / 2.0, d)  # line 5
        std = classical_std(epsilon / 2.0, delta / 2.0, sensitivity)  # line 10
        private: tuple[Condition, ...] = (Condition("epsilon < 0.9", "printed", epsilon < 0.9),)
    else:
        each = delta / (4.0 * d)
        histogram = Guarantee(optimal_component_epsilon(epsilon / 2.0, delta / 2.0, each, d), each)  # line 5 (D3)
        std = analytic_std(epsilon / 2.0, delta / 2.0, sensitivity)  # line 10 (D3)
        private = ()
    return MeanCalibration(
        epsilon=epsilon,
        delta=delta,
        zeta=zeta,
        B=B,
        d=d,
        tau=2.0**0.25 * K * inner,  # line 2 (D1)
        radius=radius,
        histogram=histogram,
        scale=REPLACE_ONE_SENSITIVITY / histogram.epsilon,
        threshold=stability_threshold(histogram.epsilon, histogram.delta),
        sensitivity=sensitivity,
        std=std,
        conditions=(
            *private,
            Condition(
                "2^(1/4) log^a(2 B d / zeta) + 2^(5/4) log^a(50) <= 3 log^a(2 B d / zeta)",
                "proof",
                2.0**0.25 * outer + 2.0**1.25 * inner <= 3.0 * outer,
            ),
        ),
    )


def private_mean(
    g: NDArray[np.float64], eigenvalue: float, calibration: MeanCalibration, noise: Noise, prefix: str = ""
) -> NDArray[np.float64] | None:
    """Algorithm 5.

    Args:
        g: gradients, shape (B, d), as calibrated.
        eigenvalue: Lambda_hat > 0, public.
        calibration: what `calibrate` returned.
        noise: the seam. Draws, each name after `prefix`: for j = 1..d the release "bin[j]", the histogram of
            coordinate j; the release "mean" (d,), relative to g_bar, unless some coordinate released no bin.
        prefix: start of every draw's name, for callers that run this more than once.

    Returns:
        mu_hat, shape (d,); None for bottom.

    Raises:
        ValueError: another shape than calibrated, or an eigenvalue that is not > 0.
    """
    B, d = calibration.B, calibration.d
    if g.shape != (B, d):
        raise ValueError(f"g must have the calibrated shape {(B, d)}, got {g.shape}")
    unit = math.sqrt(check_positive("eigenvalue", eigenvalue))
    # line 1
    tau = calibration.tau * unit  # line 2
    radius = calibration.radius * unit
    g_bar, deviations = np.empty(d), np.empty((B, d))
    bottom = False
    for j in range(d):  # line 3
        # line 4
        bins = np.clip(np.ceil(g[:, j] / tau) - 1.0, -LARGEST_BIN, LARGEST_BIN)
        survivors = noise.release(  # line 5 (D2)
            f"{prefix}bin[{j + 1}]",
            bins[:, np.newaxis],
            SparseHistogramLaw(calibration.scale, calibration.threshold),
            sensitivity=REPLACE_ONE_SENSITIVITY,
        )
        if len(survivors) == 0:
            bottom = True
            continue
        g_bar[j] = survivors[np.argmax(survivors[:, 0]), 1] * tau  # lines 6-7
        deviations[:, j] = np.clip(g[:, j] - g_bar[j], -radius, radius)  # line 8 (D4)
        # line 9
    if bottom:
        return None
    mu = np.mean(deviations, axis=0)  # line 10 (D4)
    released: NDArray[np.float64] = noise.gaussian(  # line 10
        f"{prefix}mean", mu, std=calibration.std * unit, sensitivity=calibration.sensitivity * unit
    )
    return g_bar + released  # line 11
