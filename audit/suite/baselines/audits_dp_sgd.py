"""Audits of DP-SGD on the PCA objective: one row among rows of zeros, or gone.

In the transcript view the samples are summed out (audit/suite/marginal.py). Step sizes of 1e-6 keep the iterates at the start
vector e_1, where a row e_1 has a gradient of length 1, clipped to C: the transcript's law is the T-fold composition of a
Poisson-subsampled Gaussian release. A row between e_1 and e_2 moves the output across the start vector, by the sum of the noisy
gradients up to a relative error below 1e-3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.results import Claim
from dppca.audit.suite import marginal
from dppca.audit.suite.instance import Instance, Maximiser, Output, Setup, Transcript, sampled
from dppca.reference.catalog import ALGORITHMS

KEY = "baselines.dp_sgd"
CLAIM = Claim(1.0, 0.01)
#: Rate, clipping threshold, expected lot, step size.
RATE, C, LOT, TINY = 0.25, 0.5, 2.0, 1e-6
STEPS = 4
_START = np.eye(2, 1)

Matrix = NDArray[np.float64]


def _alone(row: Matrix) -> tuple[Matrix, Matrix]:
    """A row before a row of zeros, and the latter alone."""
    return np.vstack([row, np.zeros_like(row)]), np.zeros_like(row)


def _across(basis: Matrix) -> float:
    """The output across the start vector, in units of the step."""
    return float(basis[-1, 0]) / TINY


_ARGUMENTS = {"epsilon": CLAIM.epsilon, "delta": CLAIM.delta, "d": 2, "T": STEPS, "rate": RATE, "C": C}
_AXIS, _DIAGONAL = _alone(np.eye(1, 2)), _alone(np.full((1, 2), math.sqrt(0.5)))


def _summed_out(name: str, pair: tuple[Matrix, Matrix], eta: float) -> Setup:
    """The transcript without the samples."""

    def how(of: Instance) -> Transcript:
        calibration = _calibration(of)
        run = marginal.with_start(lambda data, noise: marginal.dp_sgd(data, LOT, (eta,) * STEPS, calibration, noise), _START)
        return Transcript(run, *pair)

    return Setup("transcript", name, how)


def _output(of: Instance) -> Output:
    calibration, function = _calibration(of), ALGORITHMS[KEY].function
    steps = {"lot": LOT, "step_sizes": (TINY,) * STEPS}
    run = marginal.with_start(lambda data, noise: function(data, calibration=calibration, noise=noise, **steps), _START)
    return Output(sampled(run), *_DIAGONAL, features=_across)


def _calibration(of: Instance) -> Any:
    entry = ALGORITHMS[KEY]
    return entry.calibrate(**_ARGUMENTS, choices=entry.choices[of.choice])


_ROW = _summed_out("e1 or nothing", _AXIS, TINY)
_LARGE_STEPS = _summed_out("diagonal row or nothing, large steps", _DIAGONAL, 0.5)
AUDITS = [
    Instance(KEY, "CORRECTED", _ROW, CLAIM, epsilon=1.0, trials=2_000),
    Instance(KEY, "CORRECTED", _LARGE_STEPS, CLAIM, trials=2_000),
    Instance(KEY, "CORRECTED", Setup("output", "diagonal row or nothing", _output), CLAIM, epsilon=0.516439, trials=4_000),
]

#: At rate 1 every row is drawn; the row that goes is the last. Long gradients are clipped to C.
MAXIMISERS = {
    KEY: Maximiser(
        {"rate": 1.0, "d": 2, "k": 2, "C": 0.75}, (np.array([[0.0, 0.5], [1.0, 0.0]]), np.array([[0.0, 0.5]])), (r"g\[\d\]",)
    )
}
