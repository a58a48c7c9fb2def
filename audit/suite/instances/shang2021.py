"""Audits of shang2021: DP-SPCA and DP-VRPCA.

In the transcript view the sampled index is summed out (audit/suite/marginal.py), so the adversary sees the noisy gradients
only. Start vectors are fixed: print takes any, and the guarantee must hold for each. Step sizes of 1e-6 keep the
iterates at the start vector, where the transcript's law is known: that of DP-SPCA for one row among rows without
effect is the T-fold composition of a subsampled Gaussian, that of DP-VRPCA a Gaussian of sensitivity c sqrt(T m) / n.
The output's coordinate across the start vector is then the sum of the noisy gradients', up to a relative error below 1e-3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from dppca.audit.engine.results import Claim
from dppca.audit.suite import marginal
from dppca.audit.suite.instance import Exact, Instance, Output, Transcript
from dppca.audit.suite.instances.wang2020 import pair_epsilon, pair_holds
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm, Sample
from dppca.reference.primitives.gaussian import epsilon_at, profile
from dppca.reference.shang2021 import accounting
from dppca.reference.shang2021.calibration import NoiseCalibration

SPCA, VRPCA = "shang2021.dp_spca", "shang2021.dp_vrpca"
#: A common claim, and one at which a few thousand outputs suffice to see a failure.
COMMON, LARGE = Claim(1.0, 1e-5), Claim(4.0, 0.2)
TINY = 1e-6

Matrix = NDArray[np.float64]
Pair = tuple[Matrix, Matrix]

_ROOT = math.sqrt(0.5)
_START = np.eye(2, 1)


def instances() -> list[Instance]:
    """Every audit of this paper."""
    return [instance for choice in ("AS_PRINTED", "CORRECTED") for instance in (*_dp_spca(choice), *_dp_vrpca(choice))]


def _across(n: int, d: int = 2) -> Pair:
    """Rows at -45 degrees between e_1 and e_d, one moved to +45: a gradient at e_1 moves by c e_d."""
    data = np.tile(_ROOT * (np.eye(1, d) - np.eye(1, d, d - 1)), (n, 1))
    neighbour = data.copy()
    neighbour[0] *= -1.0
    neighbour[0, 0] = _ROOT
    return data, neighbour


def _spread(n: int) -> Pair:
    """Rows in all directions of R^3, e_1 replaced by e_2."""
    angles = np.arange(n) * 2.4
    data = np.column_stack([np.cos(angles), np.sin(angles), np.sin(3.0 * angles)]) * _ROOT
    data[0] = [1.0, 0.0, 0.0]
    neighbour = data.copy()
    neighbour[0] = [0.0, 1.0, 0.0]
    return data, neighbour


# --- DP-SPCA ------------------------------------------------------------------------------------------


def _dp_spca(choice: str) -> Iterator[Instance]:
    """Theorem 1's noise at small n is larger than needed; its printed conditions hold here."""
    entry, n, T, claim = ALGORITHMS[SPCA], 3, 9, Claim(1.0, 1e-2)
    target = {"epsilon": claim.epsilon, "delta": claim.delta, "n": n, "T": T, "choices": entry.choices[choice]}
    one, block = entry.calibrate(**target, d=2, k=1), entry.calibrate(**target, d=3, k=2)
    # claim shang2021.theorem-1-conditions: the upper account
    holds, block_holds = (
        accounting.dp_spca_upper(claim.epsilon, n, T, of.std, of.sensitivity) <= claim.delta for of in (one, block)
    )
    tiny, steps = np.full(T, TINY), np.full(T, 0.5)

    alone = np.zeros((n, 2)), np.vstack([np.eye(1, 2), np.zeros((n - 1, 2))])

    def account(epsilon: float) -> float:
        return accounting.dp_spca(epsilon, n, T, one.std, one.sensitivity).lower

    run = _marginal(marginal.dp_spca, tiny, one, _START)
    how = Transcript(run, *alone, trials=2000)
    yield Instance(SPCA, choice, "e1 or 0 among zeros", claim, how, holds, _root(account, claim.delta), account)

    run = _marginal(marginal.dp_spca, steps, one, _START)
    yield Instance(SPCA, choice, "across, large steps", claim, Transcript(run, *_across(n), trials=2000), holds, None)

    run = _marginal(marginal.dp_spca, steps, block, np.eye(3, 2))
    how = Transcript(run, *_spread(n), trials=2000)
    yield Instance(SPCA, choice, "e1/e2 among others, k=2", claim, how, block_holds, None)

    mechanism = _output(entry.function, tiny, one, _START)
    output = Output(mechanism, *_across(n), trials=5000, features=_coordinate)

    def output_account(epsilon: float) -> float:
        return accounting.dp_spca_output_lower(epsilon, n, T, one.std, one.sensitivity)

    epsilon = _root(output_account, claim.delta)
    yield Instance(SPCA, choice, "across, output", claim, output, holds, epsilon, output_account)

    mechanism = _output(entry.function, steps, block, np.eye(3, 2))
    output = Output(mechanism, *_spread(n), trials=5000, features=np.ravel)
    yield Instance(SPCA, choice, "e1/e2 among others, k=2, output", claim, output, block_holds, None)


# --- DP-VRPCA -----------------------------------------------------------------------------------------


def _dp_vrpca(choice: str) -> Iterator[Instance]:
    """Theorem 3's noise ignores the full gradient; n = T = m = 1, where it is everything, needs no limit."""
    entry = ALGORITHMS[VRPCA]

    def calibrate(claim: Claim, n: int, T: int, d: int = 2, k: int = 1) -> NoiseCalibration:
        of = entry.calibrate(claim.epsilon, claim.delta, n, d, T, 1, k, choices=entry.choices[choice])
        if choice == "AS_PRINTED" and not of.conditions_hold:
            raise ValueError(f"claim must satisfy epsilon <= T m / n^2, got {claim}")
        return of

    # one step: a Gaussian release of the full gradient alone; the pair is worst for this start
    single = np.eye(1, 2), np.zeros((1, 2))
    of = calibrate(COMMON, 1, 1)
    holds, epsilon = pair_holds(COMMON, of.std, Fraction(1)), pair_epsilon(COMMON, of.std, Fraction(1))
    decided, curve = (holds, epsilon), _gaussian(1.0 / of.std)
    run = _marginal(marginal.dp_vrpca, 1.0, of, _START)
    for view in (Exact(lambda: decided, *single), Transcript(run, *single, trials=10_000)):
        yield Instance(VRPCA, choice, "one step, e1/0", COMMON, view, holds, epsilon, curve)

    # at the start vectors [e_1, e_2] the block's gradients move by diag(1, -1): nothing of it is across, so no output
    claim, pair = Claim(2.0, 1e-2), (np.eye(1, 3), np.eye(1, 3, 1))
    of = calibrate(claim, 1, 2, d=3, k=2)
    mu = math.sqrt(2.0) * math.sqrt(of.steps) / of.std
    epsilon = epsilon_at(claim.delta, mu)
    run = _marginal(marginal.dp_vrpca, TINY, of, np.eye(3, 2))
    how = Transcript(run, *pair, trials=5000)
    yield Instance(VRPCA, choice, "e1/e2, k=2", claim, how, epsilon <= claim.epsilon, epsilon, _gaussian(mu))

    for n, T, d, k in ((1, 4, 2, 1), (2, 16, 2, 1), (1, 4, 3, 2)):
        of, pair = calibrate(LARGE, n, T, d, k), _across(n, d)
        mu = math.sqrt(T) / n / of.std
        epsilon = epsilon_at(LARGE.delta, mu)
        below = epsilon <= LARGE.epsilon
        name = f"across, n={n}, T={T}, k={k}"
        run = _marginal(marginal.dp_vrpca, TINY, of, np.eye(d, k))
        how = Transcript(run, *pair, trials=5000 // n)
        yield Instance(VRPCA, choice, name, LARGE, how, below, epsilon, _gaussian(mu))
        output = Output(
            _output(entry.function, TINY, of, np.eye(d, k)),
            *pair,
            trials=(10_000 if below else 80_000) // n,
            features=_coordinate,
        )
        yield Instance(VRPCA, choice, f"{name}, output", LARGE, output, below, epsilon, _gaussian(mu))

    if choice == "CORRECTED":  # large steps: the iterates leave v~ and the sampled rows count too
        claim = Claim(1.0, 1e-2)
        of = calibrate(claim, 3, 9, d=3, k=2)
        run = _marginal(marginal.dp_vrpca, 0.5, of, np.eye(3, 2))
        how = Transcript(run, *_spread(3), trials=2000)
        yield Instance(VRPCA, choice, "e1/e2 among others, k=2", claim, how, True, None)  # claim shang2021.theorem-3: account


# --- shared -------------------------------------------------------------------------------------------


def _marginal(function: Callable[..., Matrix], steps: Any, calibration: NoiseCalibration, start: Matrix) -> Algorithm[Matrix]:
    """The algorithm with its indices summed out, from a given start."""
    return marginal.with_start(lambda data, noise: function(data, steps, calibration, noise), start)


def _output(function: Callable[..., Matrix], steps: Any, calibration: NoiseCalibration, start: Matrix) -> Any:
    """The algorithm itself as a mechanism (data, rng) -> output, from a given start."""
    run = marginal.with_start(lambda data, noise: function(data, steps, calibration, noise), start)
    return lambda data, rng: run(data, Sample(rng))


def _gaussian(mu: float) -> Callable[[float], float]:
    """The profile of a Gaussian release."""
    return lambda epsilon: profile(epsilon, mu)


def _coordinate(basis: Matrix) -> float:
    """The output across the start vector, in units of the step."""
    return float(basis[-1, 0]) / TINY


def _root(delta_at: Callable[[float], float], delta: float) -> float:
    """The epsilon at which a decreasing bound is delta; 0 where it is below from the start."""
    if delta_at(0.0) <= delta:
        return 0.0
    return float(brentq(lambda epsilon: delta_at(epsilon) - delta, 0.0, 20.0, xtol=1e-4))
