"""The account of shuffled Gaussian releases, enclosed.

What `liu2022/shuffling.py` searches in floats is proved here at one multiplier. The argument is that module's (clones, then
approximate randomisers). Each number is a ball: the divergence given c clones is a difference of two binomial tails, which
falls with c, so blocks of c are taken at their first value; tails are sums of terms, each from the one before, and what is
left is below a geometric series.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar

from dppca.reference.accounting.balls import ball, flint, gaussian_profile, upper_float
from dppca.reference.accounting.mechanisms import check_delta_bound, check_size, check_target
from dppca.reference.accounting.stored import read, write
from dppca.reference.liu2022.shuffling import BLOCKS, TAIL, clones_delta, shuffled_multiplier
from dppca.reference.primitives.gaussian import log_profile
from dppca.reference.primitives.validation import MOST_RECORDS, check_count, check_epsilon, check_positive, shown

_BITS = 160
#: Largest epsilon of the search.
SHUFFLE_EPSILON_MAX = 700.0


def check_records(name: str, value: Any) -> int:
    """Return a number of records from 1 to MOST_RECORDS; ValueError otherwise."""
    if check_count(name, value) > MOST_RECORDS:
        raise ValueError(f"{name} must be <= {MOST_RECORDS}, got {shown(value)}")
    return int(value)


def check_shuffle_epsilon(epsilon: Any) -> float:
    """Return an epsilon > 0, at most SHUFFLE_EPSILON_MAX; ValueError otherwise."""
    if check_epsilon(epsilon) > SHUFFLE_EPSILON_MAX:
        raise ValueError(f"epsilon must be <= {SHUFFLE_EPSILON_MAX:g}, which the account covers, got {shown(epsilon)}")
    return float(epsilon)


@dataclass(frozen=True)
class ShuffleCertificate:
    """A proved statement: n shuffled Gaussian releases of sensitivity / std = 1 / multiplier are (epsilon, delta)-DP.

    `epsilon_0` is the pure part granted to one release; `least`, `most` and `blocks` say how the number of clones is divided.
    `epsilon_0` = 0 stands for no amplification: one record changes one release. Any counts least <= most < n give a bound.
    """

    kind = "shuffle"
    n: int
    multiplier: float
    epsilon: float
    delta: float
    epsilon_0: float
    least: int
    most: int
    blocks: int

    def __post_init__(self) -> None:
        check_records("n", self.n)
        check_size("multiplier", check_positive("multiplier", self.multiplier))
        check_shuffle_epsilon(self.epsilon)
        check_delta_bound(self.delta)
        if self.epsilon_0 != 0.0:
            check_positive("epsilon_0", self.epsilon_0)
            least, most = check_count("least", self.least, least=0), check_count("most", self.most, least=0)
            if not least <= most < self.n:
                raise ValueError(f"most must be in {least}..{self.n - 1}, got {most!r}")
            check_count("blocks", self.blocks)

    def check(self) -> bool:
        """Return whether the arithmetic, done again, gives at most the delta that is stated."""
        return self.bound() <= self.delta

    def bound(self) -> float:
        """Return the delta that the arithmetic gives."""
        with flint().ctx.workprec(_BITS):
            mu = 1 / ball(self.multiplier)
            if self.epsilon_0 == 0.0:
                return min(1.0, upper_float(gaussian_profile(ball(self.epsilon), mu)))
            local = gaussian_profile(ball(self.epsilon_0), mu)
            growth, keep = ball(self.epsilon).exp(), (-ball(self.epsilon_0)).exp()
            spent = (1 + growth) * local * (1 + 2 * (int(self.n) - 1) * keep)
            return min(1.0, upper_float(self._clones(growth, keep) + spent))

    def _clones(self, growth: Any, keep: Any) -> Any:
        q = 1 / (1 + keep)
        A, B = q - growth * (1 - q), growth * q - (1 - q)
        if A <= 0:
            return flint().arb(0)
        starts = [int(c) for c in np.unique(np.floor(np.linspace(self.least, self.most, self.blocks)))]
        reached = _tails(int(self.n) - 1, starts, keep)
        total = 1 - reached[0]  # fewer clones, charged in full
        for c, here, there in zip(starts, reached, [*reached[1:], flint().arb(0)], strict=True):
            total += (here - there) * _clone_divergence(c, A, B)
        return total

    def to_json(self) -> str:
        """Return the certificate as JSON; floats are hexadecimal."""
        return write(self.kind, asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the certificate that `to_json` wrote; ValueError for anything else."""
        return read(text, cls.kind, lambda stored: cls(**stored))


def _clone_divergence(c: int, A: Any, B: Any) -> Any:
    """Return a ball whose upper end bounds the divergence given c clones, A times one tail minus B times the next one.

    It is largest at the smallest x with A x > B (c + 1 - x). Where the ball of that threshold holds two integers the larger
    value counts, and where it holds more, or A and B cannot be told from 0, A itself, as tails are at most 1.
    """

    def at(x: int) -> Any:
        above = _half_tail(c, x)
        return A * (above + _half_term(c, x - 1)) - B * above

    threshold = B * (c + 1) / (A + B)
    if not threshold.is_finite() or threshold.rad() > 0.25:
        return flint().arb(A.upper()) if A.upper() > 0 else flint().arb(0)
    low, high = (int(end.floor().unique_fmpz()) + 1 for end in (threshold.lower(), threshold.upper()))
    first, second = at(low), at(high)
    return first if low == high else first.union(second)


def _term(n: int, k: int, p: Any) -> Any:
    """P(Bin(n, p) = k)."""
    arb = flint().arb
    if not 0 <= k <= n:
        return arb(0)
    choose = (arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()).exp()
    return choose * p**k * (1 - p) ** (n - k)


def _half_term(n: int, k: int) -> Any:
    return _term(n, k, flint().arb(1) / 2)


def _half_tail(n: int, k: int) -> Any:
    """P(Bin(n, 1/2) >= k)."""
    if k <= 0:
        return flint().arb(1)
    if 2 * k <= n:
        return 1 - _half_tail(n, n - k + 1)
    return _tail_from(n, k, flint().arb(1) / 2)


def _tail_from(n: int, k: int, p: Any) -> Any:
    """P(Bin(n, p) >= k) for k at or above the mean: the terms fall, and their ratio falls."""
    arb = flint().arb
    odds, term, total = p / (1 - p), _term(n, k, p), arb(0)
    while True:
        total += term
        ratio = odds * (n - k) / (k + 1)
        term, k = term * ratio, k + 1
        if k > n:
            return total
        if ratio < 1 and term < total * arb(2) ** (-100):
            return total + arb(0.5, 0.5) * term / (1 - ratio)


def _tails(n: int, starts: list[int], p: Any) -> list[Any]:
    """P(Bin(n, p) >= c) for each of the increasing c: a tail, then the terms below it added one by one."""
    first, last = starts[0], starts[-1]
    arb = flint().arb
    centre = min(n, max(last, int((n * p).upper().ceil().unique_fmpz()) + 1))
    total, term, odds = _tail_from(n, centre, p), _term(n, centre, p), (1 - p) / p
    found, wanted = {centre: total}, set(starts)
    for k in range(centre, first, -1):  # from P(>= k) to P(>= k - 1)
        term = term * odds * k / (n - k + 1)
        total += term
        if k - 1 in wanted:
            found[k - 1] = total
    return [found[c] if c <= n else arb(0) for c in starts]


def certify_shuffle(n: int, multiplier: float, epsilon: float) -> ShuffleCertificate:
    """Return a certificate of the delta of n shuffled Gaussian releases at this epsilon > 0.

    Raises:
        ValueError: an argument outside its range.
    """
    from scipy.stats import binom  # noqa: PLC0415 - it takes half a second

    n = check_records("n", n)
    check_shuffle_epsilon(epsilon)
    mu = 1.0 / check_positive("multiplier", multiplier)
    check_size("multiplier", multiplier)

    def log_delta(epsilon_0: float) -> float:
        slack = (1.0 + math.exp(epsilon)) * (1.0 + 2.0 * (n - 1) * math.exp(-epsilon_0))
        return math.log(max(clones_delta(epsilon, epsilon_0, n) + slack * math.exp(log_profile(epsilon_0, mu)), 1e-300))

    largest = max(epsilon, mu * mu / 2.0 + 12.0 * mu)
    epsilon_0 = float(minimize_scalar(log_delta, bounds=(1e-9, largest), method="bounded", options={"xatol": 1e-6}).x)
    if log_profile(epsilon, mu) <= log_delta(epsilon_0):
        stated = ShuffleCertificate(n, multiplier, epsilon, 1.0, 0.0, 0, 0, 0)
    else:
        keep = math.exp(-epsilon_0)
        least, most = (max(0, int(f(TAIL, n - 1, keep))) for f in (binom.ppf, binom.isf))
        stated = ShuffleCertificate(n, multiplier, epsilon, 1.0, epsilon_0, least, most, BLOCKS)
    return replace(stated, delta=stated.bound())


def certified_multiplier(epsilon: float, delta: float, n: int) -> ShuffleCertificate:
    """Return a certificate of at most this delta: the float search's multiplier, raised until the enclosure agrees.

    Raises:
        ValueError: an argument outside its range.
    """
    return _certified_multiplier(check_shuffle_epsilon(epsilon), check_target(delta), check_records("n", n))


@lru_cache(maxsize=64)
def _certified_multiplier(epsilon: float, delta: float, n: int) -> ShuffleCertificate:
    multiplier, nudge = shuffled_multiplier(epsilon, delta, n), 1e-6
    while True:
        found = certify_shuffle(n, multiplier, epsilon)
        if found.delta <= delta:
            return found
        multiplier, nudge = multiplier * (1.0 + nudge), 4.0 * nudge


#: Up to this many records the multiplier of a calibration is certified, which takes about a second there.
CERTIFY_RECORDS = 10**6


def account_multiplier(epsilon: float, delta: float, n: int) -> tuple[float, ShuffleCertificate | None]:
    """Return a multiplier with which n shuffled Gaussian releases are (epsilon, delta)-DP, and its proof.

    Above CERTIFY_RECORDS the multiplier is an estimate in floats, without a proof.
    """
    if check_count("n", n) > CERTIFY_RECORDS:
        return shuffled_multiplier(epsilon, delta, n), None
    certificate = certified_multiplier(epsilon, delta, n)
    return certificate.multiplier, certificate
