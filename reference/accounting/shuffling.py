"""The account of shuffled Gaussian releases: what `clones` computes in floats, with the numbers of its proof."""

from __future__ import annotations

import math

from dppca.reference.accounting.checker import ShuffleProof
from dppca.reference.accounting.clones import BLOCKS, MULTIPLIER_TOLERANCE, TAIL, pure_part, shuffled_gaussian_delta
from dppca.reference.accounting.mechanisms import Shuffled, Statement
from dppca.reference.accounting.methods import FirstMethod
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.rigour.validation import check_epsilon, shown

#: Largest epsilon of the search.
SHUFFLE_EPSILON_MAX = 700.0


class ShuffledReleases(FirstMethod):
    """The account of clones, or of no amplification at all where that is better."""

    tolerance = MULTIPLIER_TOLERANCE
    nudge = 1e-6

    def applies(self, of: Statement, std: float) -> bool:  # noqa: ARG002 - at every std
        """Return whether the statement is of shuffled releases."""
        return isinstance(of, Shuffled)

    def stds(self, of: Statement, epsilon: float, delta: float) -> tuple[float, float, float]:  # noqa: ARG002 - for all
        """Return every standard deviation, and that of a release without amplification."""
        return 0.0, analytic_std(_level(epsilon), delta, 1.0), math.inf

    def delta(self, of: Statement, std: float, epsilon: float, like: float | None = None) -> float:  # noqa: ARG002 - of any size
        """Return `shuffled_gaussian_delta`."""
        return shuffled_gaussian_delta(_level(epsilon), std, _shuffled(of).n)

    def propose(self, of: Statement, std: float, epsilon: float, like: float) -> ShuffleProof:  # noqa: ARG002 - of any size
        """Return the pure part granted to one release, and the numbers of clones that count."""
        from scipy.stats import binom  # noqa: PLC0415 - it takes half a second

        n = _shuffled(of).n
        epsilon_0 = pure_part(_level(epsilon), std, n)[0]
        if epsilon_0 == 0.0:
            return ShuffleProof(0.0, 0, 0, 1)
        least, most = (max(0, int(f(TAIL, n - 1, math.exp(-epsilon_0)))) for f in (binom.ppf, binom.isf))
        return ShuffleProof(epsilon_0, least, most, BLOCKS)


def _level(epsilon: float) -> float:
    if check_epsilon(epsilon) > SHUFFLE_EPSILON_MAX:
        raise ValueError(f"epsilon must be <= {SHUFFLE_EPSILON_MAX:g}, which the account covers, got {shown(epsilon)}")
    return float(epsilon)


def _shuffled(of: Statement) -> Shuffled:
    if not isinstance(of, Shuffled):
        raise TypeError(of)
    return of


SHUFFLED_RELEASES = ShuffledReleases()
