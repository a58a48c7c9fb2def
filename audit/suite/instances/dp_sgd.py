"""Audits of DP-SGD on the PCA objective: one row among rows of zeros, or gone.

In the transcript view the samples are summed out (audit/suite/marginal.py). Step sizes of 1e-6 keep the iterates at the start
vector e_1, where a row e_1 has a gradient of length 1, clipped to C: the transcript's law is the T-fold composition of a
Poisson-subsampled Gaussian release. A row between e_1 and e_2 moves the output across the start vector, by the sum of the noisy
gradients up to a relative error below 1e-3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dppca.audit.engine.results import Claim
from dppca.audit.suite import marginal
from dppca.audit.suite.instance import Audits, Built, Maximiser, Output, Transcript, sampled
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


def _dp_sgd(choice: str) -> Iterator[Built]:
    entry = ALGORITHMS[KEY]
    arguments = {"epsilon": CLAIM.epsilon, "delta": CLAIM.delta, "d": 2, "T": STEPS, "rate": RATE, "C": C}
    calibration = entry.calibrate(**arguments, choices=entry.choices[choice])
    axis, diagonal = _alone(np.eye(1, 2)), _alone(np.full((1, 2), math.sqrt(0.5)))
    for name, pair, eta in (("e1 or nothing", axis, TINY), ("diagonal row or nothing, large steps", diagonal, 0.5)):

        def shown(data: Matrix, noise: marginal.Noise, eta: float = eta) -> Matrix:
            return marginal.dp_sgd(data, LOT, (eta,) * STEPS, calibration, noise)

        yield Built("transcript", name, CLAIM, Transcript(marginal.with_start(shown, _START), *pair))
    steps = {"lot": LOT, "step_sizes": (TINY,) * STEPS}
    run = marginal.with_start(lambda data, noise: entry.function(data, calibration=calibration, noise=noise, **steps), _START)
    output = Output(sampled(run), *diagonal, features=_across)
    yield Built("output", "diagonal row or nothing", CLAIM, output)


AUDITS = [audits := Audits(KEY, _dp_sgd)]
audits.of("CORRECTED", "transcript", "e1 or nothing", CLAIM, epsilon=1.0, trials=2_000)
audits.of("CORRECTED", "transcript", "diagonal row or nothing, large steps", CLAIM, trials=2_000)
audits.of("CORRECTED", "output", "diagonal row or nothing", CLAIM, epsilon=0.516439, trials=4_000)

#: At rate 1 every row is drawn; the row that goes is the last. Long gradients are clipped to C.
MAXIMISERS = {
    KEY: Maximiser(
        {"rate": 1.0, "d": 2, "k": 2, "C": 0.75}, (np.array([[0.0, 0.5], [1.0, 0.0]]), np.array([[0.0, 0.5]])), (r"g\[\d\]",)
    )
}
