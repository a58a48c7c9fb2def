"""The account of variance-reduced steps that splits the noise, with which a search begins.

A step releases -c x_i x_i^T (V - V~) + sigma c A V~ plus noise. Independent parts a^2 + b^2 <= 1 of the variance for the two
parts of the step, any such a and b, make it a function of a sampled release and of one that sees every row. The accounts by
moments (moments.py) split no noise, and are the better ones but for a single step or little noise: there c is the move of the
mean over all rows, at most Delta / n; the mean of a step moves by -c E V / n for sigma = -1, at most Delta / n again, as what
the row adds to the sampled part it takes from the mean; 0, a and b are in a ball of diameter drift Delta for V of one column,
and at that mutual distance for more. Why: proofs_notes/accounting/note.md, *Variance-reduced steps*.
"""

from __future__ import annotations

import math

from scipy.optimize import minimize_scalar

from dppca.reference.accounting.checker import GridProof
from dppca.reference.accounting.floating import estimate_delta, grid_proof, settled
from dppca.reference.accounting.grid import choose_grid
from dppca.reference.accounting.mechanisms import RATIO_MAX, Statement, VarianceReduced
from dppca.reference.accounting.methods import FirstMethod
from dppca.reference.rigour.validation import MOST_NUMBER


def split_share(of: VarianceReduced, std: float) -> float:
    """Return the share of the std at which the variance of the whole loss is least; any share below 1 gives a bound."""
    if of.n == 1:
        return 1.0
    r, r_full = of.drift * of.sensitivity / std, of.sensitivity / std

    def variance(theta: float) -> float:
        return math.expm1(min(r * r / theta, 600.0)) + r_full * r_full / (1.0 - theta)

    theta = float(minimize_scalar(variance, bounds=(r / (r + r_full), 1.0), method="bounded").x)
    return math.sqrt(theta)


class SplitNoise(FirstMethod):
    """The account that splits the noise between the sampled part of a step and the mean over all rows."""

    loose = True

    def applies(self, of: Statement, std: float) -> bool:  # noqa: ARG002 - what is outside its range is an error
        """Return whether the statement is of variance-reduced steps on several rows."""
        return isinstance(of, VarianceReduced) and of.n > 1

    def stds(self, of: Statement, epsilon: float, delta: float) -> tuple[float, float, float]:  # noqa: ARG002 - for all
        """Return the range in which the sampled part is not too large for a grid."""
        of = _variance_reduced(of)
        least = 1.5 * of.drift * of.sensitivity / RATIO_MAX
        return least, max(3.0 * of.sensitivity, least), MOST_NUMBER

    def delta(self, of: Statement, std: float, epsilon: float, like: float | None = None) -> float:
        """Return the grid's estimate for the split at which the variance of the loss is least."""
        split = _variance_reduced(of).split(split_share(_variance_reduced(of), std))
        if like is None:
            return settled(lambda size: estimate_delta(split, std, epsilon, like=size))
        return estimate_delta(split, std, epsilon, like=like)

    def propose(self, of: Statement, std: float, epsilon: float, like: float) -> GridProof:  # noqa: ARG002 - at all epsilons
        """Return the numbers of a proof on the grid, with the share."""
        share = split_share(_variance_reduced(of), std)
        split = _variance_reduced(of).split(share)
        return grid_proof(split, choose_grid(split, std, like), like, share)


def _variance_reduced(of: Statement) -> VarianceReduced:
    if not isinstance(of, VarianceReduced):
        raise TypeError(of)
    return of


SPLIT_NOISE = SplitNoise()
