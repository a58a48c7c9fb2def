"""Private mean estimation, given an estimate of the gradients' largest variance.

As published (liu2022, Algorithm 5; arXiv, appendix E.3: the proceedings' appendix is not at hand). L = log^a(B d / zeta).
  1  (empty)
  2  tau = 2^(1/4) K sqrt(Lambda_hat) log^a(25)
  3  for j = 1, ..., d
  4    (empty)
  5    the (epsilon / (4 sqrt(2 d log(4 / delta))), delta / (4 d))-DP histogram of Lemma B.1 of g_1j, ..., g_Bj over the bins
       (i tau, (i + 1) tau]
  6    [l, h] a bin with the largest noisy count
  7    g_bar_j = l
  8    truncate the g_ij to [g_bar_j - 3 K sqrt(Lambda_hat) L, g_bar_j + 3 K sqrt(Lambda_hat) L]
  9  g~_i: the truncated gradients
 10  mu_hat = mean of the g~_i + N(0, sigma^2 I_d), sigma = 12 K sqrt(Lambda_hat) L sqrt(2 d log(2.5 / delta)) / (epsilon B)
 11  output mu_hat
Claimed there: (epsilon, delta)-DP for epsilon < 0.9 when a gradient is added or removed; no gradient truncated with
probability 1 - zeta (Lemma 6.2).
Read here: neighbours replace one gradient; the histogram as in Algorithm 4; bottom if some coordinate releases no bin. The
deviations from g_bar, which is public by then, are truncated, averaged and released: the same numbers, but rounding of
gradients far from 0 stays within the sensitivity, the diagonal of the box over B.

Symbols: g (B, d) gradients; tau bin width; g_bar (d,) left ends of bins; mu_hat (d,).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dppca.reference.api import Matrix, Noise, Readings, RealRows, Relation, Returns, TheoremCondition, checked, declare, point
from dppca.reference.liu2022.data import batches_example
from dppca.reference.liu2022.private_update import TAIL, TAIL_AS_PRINTED, TAIL_CORRECTED
from dppca.reference.primitives.composition import Component, Guarantee, advanced_component, optimal_component
from dppca.reference.primitives.gaussian import Std, analytic_std, classical_std
from dppca.reference.primitives.sparse_histogram import REPLACE_ONE_SENSITIVITY, SparseHistogramLaw, stability_threshold
from dppca.reference.rigour.outwards import divide_up

#: Bins this far out are merged: beyond it the bin of a float is not a float any more.
LARGEST_BIN = 1e300


class Choices(Readings):
    """The decisions of a reading: the factor inside the logarithms, the guarantee of one of d histograms, line 10's noise.

    `histogram` is a function of half of the target and d, `std` of half of the target and the sensitivity.
    LEAN corrects nothing: it is CORRECTED with less noise for the same guarantee, by optimal composition of the histograms and
    the least Gaussian noise, for every epsilon.
    """

    tail: float = point(*TAIL, AS_PRINTED=TAIL_AS_PRINTED, CORRECTED=TAIL_CORRECTED, LEAN=TAIL_CORRECTED)
    histogram: Component = point(
        "liu2022.lemma-6.2-privacy", AS_PRINTED=advanced_component, CORRECTED=advanced_component, LEAN=optimal_component
    )
    std: Std = point("liu2022.lemma-6.2-privacy", AS_PRINTED=classical_std, CORRECTED=classical_std, LEAN=analytic_std)


AS_PRINTED, CORRECTED, LEAN = (Choices.read(name) for name in ("AS_PRINTED", "CORRECTED", "LEAN"))


@dataclass(frozen=True)
class MeanCalibration:
    """The lengths and the noise of Algorithm 5, in units of sqrt(Lambda_hat): `tau` a bin, `radius` half a side, `std`.

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
    conditions: tuple[TheoremCondition, ...]


@checked
def calibrate(
    epsilon: float, delta: float, *, B: int, d: int, K: float, a: float = 1.0, zeta: float, choices: Choices = CORRECTED
) -> MeanCalibration:
    """Return the lengths and the noise of lines 2, 5, 8 and 10 for B gradients of dimension d.

    K and a are those of Assumption 1. `conditions` are those of the paper's privacy claim and of Lemma 6.2's box; the
    calibration is returned whether or not they hold.
    """
    inner = math.log(25.0 * choices.tail) ** a
    outer = math.log(choices.tail * B * d / zeta) ** a
    radius = 3.0 * K * outer  # line 8: 3 K L
    sensitivity = math.sqrt(d) * 2.0 * radius / B
    half = Guarantee(epsilon / 2.0, delta / 2.0)
    histogram = choices.histogram(*half, d)  # line 5: (epsilon, delta) of a histogram
    std = choices.std(*half, sensitivity)  # line 10: sigma / sqrt(Lambda_hat)
    unit_tau = 2.0**0.25 * K * inner  # line 2: tau / sqrt(Lambda_hat)
    scale = divide_up(REPLACE_ONE_SENSITIVITY, histogram.epsilon)
    threshold = stability_threshold(histogram.epsilon, histogram.delta)
    box = "2^(1/4) log^a(2 B d / zeta) + 2^(5/4) log^a(50) <= 3 log^a(2 B d / zeta)"
    fits = TheoremCondition(box, "proof", 2.0**0.25 * outer + 2.0**1.25 * inner <= 3.0 * outer)
    small = TheoremCondition("epsilon < 0.9", "printed", epsilon < 0.9)
    conditions = (small, fits) if choices.std is classical_std else (fits,)
    return MeanCalibration(
        epsilon, delta, zeta, B, d, unit_tau, radius, histogram, scale, threshold, sensitivity, std, conditions
    )


@declare(
    number="Algorithm 5",
    title="Private Mean Estimation",
    data=RealRows("B", "d"),
    relation=Relation.REPLACE_ONE,
    returns=Returns.VECTOR,
    unstated=(1, 4, 9),
    calibrate=calibrate,
    claims=("liu2022.lemma-6.2", "liu2022.lemma-b.4"),
    example=batches_example(epsilon=8.0, delta=0.1, B=640, d=2, K=1.0, zeta=0.5, eigenvalue=0.05),
)
def private_mean(g: Matrix, eigenvalue: float, calibration: MeanCalibration, noise: Noise, prefix: str = "") -> Matrix | None:
    """Return a noisy mean of the gradients, truncated to a box around their most frequent bins; None for bottom.

    `eigenvalue` is Lambda_hat > 0, public. The release of the mean is relative to g_bar.
    """
    B, d = g.shape
    unit = math.sqrt(eigenvalue)
    tau = calibration.tau * unit  # line 2
    radius = calibration.radius * unit
    law = SparseHistogramLaw(calibration.scale, calibration.threshold)
    g_bar, deviations, bottom = np.empty(d), np.empty((B, d)), False
    for j in range(d):  # line 3
        bins = np.clip(np.ceil(g[:, j] / tau) - 1.0, -LARGEST_BIN, LARGEST_BIN)
        survivors = noise.release(  # line 5: histogram
            f"{prefix}bin[{j + 1}]", bins[:, np.newaxis], law, sensitivity=REPLACE_ONE_SENSITIVITY
        )
        if len(survivors) == 0:
            bottom = True
            continue
        g_bar[j] = survivors[np.argmax(survivors[:, 0]), 1] * tau  # lines 6-7: g_bar_j
        deviations[:, j] = np.clip(g[:, j] - g_bar[j], -radius, radius)  # line 8: g~_ij - g_bar_j
    if bottom:
        return None
    mu = np.mean(deviations, axis=0)  # line 10: mean of the g~_i - g_bar
    released: Matrix = noise.gaussian(  # line 10: mu_hat - g_bar
        f"{prefix}mean", mu, std=calibration.std * unit, sensitivity=calibration.sensitivity * unit
    )
    return g_bar + released  # line 11: mu_hat
