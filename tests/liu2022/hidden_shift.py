"""Enclosures of the profile of a Gaussian shift at one of n places, uniform and hidden, against which accounts are held.

On one dataset z ~ N(mu e_t, I_n) for a uniform t, law P; on the other z ~ N(0, I_n), law Q. It is what n shuffled Gaussian
releases show when one record differs from all others, which are alike. dP/dQ is the mean M of n independent variables
X = exp(mu z - mu^2 / 2) of mean 1, so with s = e^epsilon both directions are expectations of convex functions of M:

    delta(P, Q) = E_Q (M - s)_+ = 1 - s + E_Q (s - M)_+,      delta(Q, P) = s E_Q (1/s - M)_+.

Only the law of M below s is needed. X is moved to a lattice: upwards, which makes (s - M)_+ smaller; or to both neighbours
with the same mean, which makes the expectation of every convex function of M larger (Jensen). The weights of the second
way are second differences of C(x) = E (X - x)_+. Powers under convolution come from float64 FFTs; their rounding is
bounded by Higham 2002, Theorem 24.2, and taken off or added, as is that of the tails of the normal law, which is taken to
be at most 32 units of the last place. More cells narrow the bounds until rounding, which grows with their square, widens
them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft
from scipy.optimize import brentq
from scipy.special import ndtr

Float = NDArray[np.float64]

#: Unit roundoff, and Higham's constant for one butterfly.
_U = 2.0**-53
_BUTTERFLY = 6.7 * _U
#: Rounding of a tail of the normal law, relative.
_TAIL = 32 * _U


@dataclass(frozen=True)
class HiddenShift:
    """Enclosures of the divergence of the pair (P, Q) up to epsilon = `largest`, on a lattice of `cells`, a power of 2."""

    mu: float
    n: int
    largest: float
    cells: int = 2**17

    @property
    def _step(self) -> float:
        """Return the lattice's step for one X: n X reach n e^largest at its end."""
        return self.n * math.exp(self.largest) / self.cells

    @cached_property
    def _laws(self) -> tuple[Float, Float, float]:
        """Return the masses of the sum of n X on the lattice, moved upwards and spread, and a bound on their error in L1."""
        h = self._step
        x = h * np.arange(self.cells + 1)
        z = np.log(x[1:]) / self.mu + 0.5 * self.mu
        tail = np.concatenate([[1.0], ndtr(-z)])
        call = np.concatenate([[1.0], ndtr(self.mu - z) - x[1:] * ndtr(-z)])
        up = np.concatenate([[0.0], tail[:-2] - tail[1:-1]])
        spread = np.concatenate([[1.0 + (call[1] - 1.0) / h], (call[:-2] - 2.0 * call[1:-1] + call[2:]) / h])
        error = self.n * _TAIL * float(np.sum(tail) + 4.0 * np.sum(tail * x + ndtr(self.mu - np.append(-np.inf, z))) / h)
        transform = 3.0 * _BUTTERFLY * math.log2(2 * self.cells) * math.sqrt(self.cells)
        return _power(up, self.n), _power(spread, self.n), error + 2 * self.n * transform

    def delta_bounds(self, epsilon: float) -> tuple[float, float]:
        """Return bounds on the larger of delta(P, Q) and delta(Q, P) at 0 <= epsilon <= largest."""
        if not 0.0 <= epsilon <= self.largest:
            raise ValueError(f"epsilon must be in [0, {self.largest}], got {epsilon!r}")
        up, spread, error = self._laws
        s = math.exp(epsilon)
        lower, upper = (
            max(1.0 - s + self._put(law, s) + sign * error * s, s * (self._put(law, 1.0 / s) + sign * error / s))
            for law, sign in ((up, -1.0), (spread, 1.0))
        )
        return max(lower, 0.0), upper

    def epsilon_bounds(self, delta: float) -> tuple[float, float]:
        """Return bounds on the smallest epsilon at which the pair is (epsilon, delta)-close; inf if above `largest`."""
        low, high = (self._root(delta, side) for side in (0, 1))
        return low, high

    def _root(self, delta: float, side: int) -> float:
        if self.delta_bounds(self.largest)[side] > delta:
            return self.largest if side == 0 else math.inf
        if self.delta_bounds(0.0)[side] <= delta:
            return 0.0
        return float(brentq(lambda epsilon: self.delta_bounds(epsilon)[side] - delta, 0.0, self.largest))

    def _put(self, law: Float, strike: float) -> float:
        """Return E (strike - M)_+ for the sum's masses."""
        return float(law @ np.maximum(strike - self._step / self.n * np.arange(self.cells), 0.0))


def _power(masses: Float, n: int) -> Float:
    """Return the n-fold convolution, cut at the lattice's end after every product."""
    size = len(masses)
    result: Float | None = None
    while True:
        spectrum = rfft(masses, 2 * size)
        if n & 1:
            result = masses if result is None else irfft(rfft(result, 2 * size) * spectrum, 2 * size)[:size]
        n >>= 1
        if n == 0:
            if result is None:
                raise ValueError("n must be >= 1")
            return result
        masses = irfft(spectrum * spectrum, 2 * size)[:size]
