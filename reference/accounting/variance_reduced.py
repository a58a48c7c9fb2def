"""The account of DP-VRPCA: a row sampled in each step, and the full gradient, which every row moves and no step samples.

A step releases -c x_i x_i^T (V - V~) + sigma c A V~ plus noise, i uniform; sigma = -1 as the algorithm needs it, +1 as
printed. Let Delta bound c |E V|_F over E = x x^T - y y^T and orthonormal V, and let `drift` bound the spectral norm of V -
V~. Three accounts:

* *small steps* (`moments`) and *Renyi moments* (`renyi`), the one for many steps and the other for few: c is the move of the
  full gradient, at most Delta / n; the mean of a step moves by -c E V / n for sigma = -1, at most Delta / n again, as what the
  row adds to the sampled part it takes from the full one; 0, a and b are in a ball of diameter drift Delta for k = 1, and at
  that mutual distance for k >= 2. No noise is split.
* *split*: independent parts a^2 + b^2 <= 1 of the variance for the two parts of the step, any such a and b.

Why: proofs_notes/accounting.md, *DP-VRPCA*.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, Self, TypeAlias, get_args

from scipy.optimize import minimize_scalar

from dppca.reference.accounting import certificates
from dppca.reference.accounting.certificates import Certificate
from dppca.reference.accounting.floating import estimate_delta
from dppca.reference.accounting.gaussians import GaussianCertificate
from dppca.reference.accounting.grid import choose_grid
from dppca.reference.accounting.mechanisms import (
    RATIO_MAX,
    Mechanism,
    Shape,
    UniformIndex,
    check_level,
    check_number,
    check_shape,
    check_size,
    check_target,
)
from dppca.reference.accounting.moments import (
    SmallStepCertificate,
    SmallSteps,
    StepsCertificate,
    small_steps_delta,
    smallest_small_steps_std,
)
from dppca.reference.accounting.renyi import RenyiCertificate, renyi_delta, smallest_renyi_std
from dppca.reference.accounting.search import (
    CERTIFY_SECONDS,
    NUDGE,
    SMALL_STEPS_MIN,
    SMALL_TOLERANCE,
    TOLERANCE,
    Account,
    delta_bound,
    smallest_std,
)
from dppca.reference.accounting.stored import read, write
from dppca.reference.primitives.bisection import least_positive
from dppca.reference.primitives.validation import check_positive, check_real, shown

#: Smallest bound on the drift.
LEAST_DRIFT = 1e-6
Inner: TypeAlias = Certificate | SmallStepCertificate | RenyiCertificate | GaussianCertificate
_INNER: dict[str, type[Inner]] = {of.kind: of for of in get_args(Inner)}


@dataclass(frozen=True)
class VarianceReduced:
    """What is accounted: `steps` noisy gradients in all epochs.

    Attributes:
        n: number of rows; one is drawn uniformly in each step.
        steps: number of noisy gradients.
        sensitivity: Delta, the largest c |E V|_F.
        shape: "ball" for k = 1, "diameter" for k >= 2.
        drift: a bound on the spectral norm of V - V~; 2 always holds.
        sign: sigma.
    """

    n: int
    steps: int
    sensitivity: float
    shape: Shape = "diameter"
    drift: float = 2.0
    sign: Literal[-1, 1] = -1

    def __post_init__(self) -> None:
        check_number("n", self.n)
        check_number("steps", self.steps)
        check_size("sensitivity", check_positive("sensitivity", self.sensitivity))
        check_shape(self.shape)
        if not LEAST_DRIFT <= check_real("drift", f"in [{LEAST_DRIFT:g}, 2]", self.drift) <= 2.0:
            raise ValueError(f"drift must be in [{LEAST_DRIFT:g}, 2], got {self.drift!r}")
        if type(self.sign) is not int or self.sign not in (-1, 1):
            raise ValueError(f"sign must be -1 or 1, got {shown(self.sign)}")

    @property
    def mean(self) -> float:
        """Return how far the mean of a step moves, times n, rounded up."""
        s = Fraction(self.sensitivity)
        return _up(s if self.sign == -1 else s * (1 + Fraction(self.drift)))

    def small_steps(self) -> SmallSteps:
        """Return the steps with their means, each bound rounded up."""
        spread = _up(Fraction(self.sensitivity) * Fraction(self.drift))
        return SmallSteps(self.n, 1, self.steps, self.mean, spread, self.sensitivity, self.shape)

    def split(self, share: float) -> Mechanism:
        """Return the split account's mechanism; `share` is the part of the noise's std that the sampled row gets.

        For n = 1 nothing is sampled: a step is one Gaussian release, which its mean describes, and the share is 1.
        """
        if self.n == 1:
            if share != 1.0:
                raise ValueError(f"share must be 1.0 for n = 1, got {share!r}")
            return Mechanism(UniformIndex(1), self.steps, self.mean)
        rest = _other_share(share)
        s, root = Fraction(self.sensitivity), Fraction(_root_up(self.steps))
        sampled = _up(s * Fraction(self.drift) / Fraction(share))
        return Mechanism(UniformIndex(self.n), self.steps, sampled, _up(s * root / self.n / Fraction(rest)))


def _up(x: Fraction) -> float:
    """Return a float >= x, next to it."""
    value = float(x)
    return value if Fraction(value) >= x else math.nextafter(value, math.inf)


def _root_up(x: int) -> float:
    root = math.sqrt(x)
    while Fraction(root) ** 2 < x:
        root = math.nextafter(root, math.inf)
    return root


def _other_share(share: float) -> float:
    """Return the largest float b with share^2 + b^2 <= 1, or one next to it."""
    rest = math.sqrt(1.0 - share * share)
    while Fraction(rest) ** 2 + Fraction(share) ** 2 > 1:
        rest = math.nextafter(rest, 0.0)
    return rest


@dataclass(frozen=True)
class VarianceReducedCertificate:
    """A proved statement about `account` with this std; `share` is the split's, None where no noise is split."""

    kind = "variance-reduced"
    account: VarianceReduced
    share: float | None
    inner: Inner

    @property
    def delta(self) -> float:
        """Return the delta that is stated."""
        return self.inner.delta

    @property
    def epsilon(self) -> float:
        """Return the epsilon that is stated."""
        return self.inner.epsilon

    @property
    def std(self) -> float:
        """Return the standard deviation of a step's noise."""
        return self.inner.std

    def check(self) -> bool:
        """Return whether the inner certificate is one of this account, and holds."""
        if self.share is None:
            same = (
                self.account.n > 1
                and isinstance(self.inner, StepsCertificate)
                and self.inner.steps == self.account.small_steps()
            )
        else:
            same = isinstance(self.inner, Certificate | GaussianCertificate) and self.inner.mechanism == self.account.split(
                self.share
            )
        return same and self.inner.check()

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        fields = {"account": asdict(self.account), "share": self.share, "inner": json.loads(self.inner.to_json())}
        return write(self.kind, fields)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the certificate that `to_json` wrote; ValueError for anything else."""
        return read(text, cls.kind, cls._from_fields)

    @classmethod
    def _from_fields(cls, stored: dict[str, Any]) -> Self:
        """Return the certificate with the fields of `to_json`."""
        kind = _INNER[stored["inner"]["kind"]]
        return cls(VarianceReduced(**stored["account"]), stored["share"], kind.from_json(json.dumps(stored["inner"])))


@dataclass(frozen=True)
class VarianceReducedAccount:
    """The noise is (epsilon, delta)-DP: proved where there is a certificate, else a float estimate of the split account."""

    account: VarianceReduced
    std: float
    epsilon: float
    delta: float
    certificate: VarianceReducedCertificate | None

    @property
    def certified(self) -> bool:
        """Whether the statement has been proved."""
        return self.certificate is not None


def check_account(account: Any) -> None:
    """ValueError for what is no `VarianceReduced`."""
    if not isinstance(account, VarianceReduced):
        raise ValueError(f"account must be a VarianceReduced, got {shown(account)}")  # noqa: TRY004 - every refusal is a ValueError


def split_share(account: VarianceReduced, std: float) -> float:
    """Return the share of the std at which the variance of the whole loss is least; any share below 1 gives a bound."""
    if account.n == 1:
        return 1.0
    r, r_full = account.drift * account.sensitivity / std, account.sensitivity / std

    def variance(theta: float) -> float:
        return math.expm1(min(r * r / theta, 600.0)) + r_full * r_full / (1.0 - theta)

    theta = float(minimize_scalar(variance, bounds=(r / (r + r_full), 1.0), method="bounded").x)
    return math.sqrt(theta)


def variance_reduced_delta(
    account: VarianceReduced, std: float, epsilon: float, delta: float, *, certify: bool | None = None
) -> VarianceReducedAccount:
    """Return a delta at this epsilon: one without a split where that is at most `delta`, else the best of all accounts.

    An estimate of the split account, which is not proved, is returned only where the others give no bound below 1.
    """
    check_account(account)
    check_level(epsilon)
    delta = check_target(delta)
    if account.n == 1:
        one = delta_bound(account.split(1.0), check_positive("std", std), check_level(epsilon))
        return VarianceReducedAccount(account, std, epsilon, one.delta, _of_one_row(account, one))
    if certify is False:
        return _split(account, std, epsilon, delta, certify)
    steps = account.small_steps()
    proof: SmallStepCertificate | RenyiCertificate = renyi_delta(steps, std, epsilon)
    if account.steps >= SMALL_STEPS_MIN:
        small = small_steps_delta(steps, std, epsilon, delta)
        if small.delta < 1.0:
            small = min(small, small_steps_delta(steps, std, epsilon, delta, small), key=lambda found: found.delta)
        proof = min(proof, small, key=lambda found: found.delta)
    whole = VarianceReducedAccount(account, std, epsilon, proof.delta, VarianceReducedCertificate(account, None, proof))
    if proof.delta <= delta:
        return whole
    split = _split(account, std, epsilon, delta, certify)
    if not split.certified and whole.delta < 1.0:
        return whole
    return min(whole, split, key=lambda found: found.delta)


def _of_one_row(account: VarianceReduced, found: Account) -> VarianceReducedCertificate | None:
    inner = found.certificate
    return VarianceReducedCertificate(account, 1.0, inner) if isinstance(inner, GaussianCertificate) else None


def _split(account: VarianceReduced, std: float, epsilon: float, delta: float, certify: bool | None) -> VarianceReducedAccount:
    share = split_share(account, std)
    mechanism = account.split(share)
    grid = choose_grid(mechanism, std, delta)
    if certify or (certify is None and certificates.seconds(mechanism, grid, delta) <= CERTIFY_SECONDS):
        inner = certificates.certify(mechanism, std, epsilon, delta, grid=grid)
        return VarianceReducedAccount(account, std, epsilon, inner.delta, VarianceReducedCertificate(account, share, inner))
    return VarianceReducedAccount(account, std, epsilon, estimate_delta(mechanism, std, epsilon, grid=grid), None)


def _smallest_by_split(account: VarianceReduced, epsilon: float, delta: float) -> float:
    def enough(std: float) -> bool:
        return estimate_delta(account.split(split_share(account, std)), std, epsilon, like=delta) <= delta

    least = 1.5 * account.drift * account.sensitivity / RATIO_MAX
    found = least_positive(enough, max(3.0 * account.sensitivity, least), TOLERANCE, least=least)
    if found is None:
        raise ValueError(f"no std is enough; epsilon = {epsilon!r} or delta = {delta!r} must be larger")
    if found == least:
        raise ValueError(
            f"epsilon = {epsilon!r} or delta = {delta!r} must be smaller: std = {least!r} is enough for them already, and the "
            "account covers no smaller one"
        )
    return found


def variance_reduced_std(
    account: VarianceReduced, epsilon: float, delta: float, *, certify: bool | None = None
) -> VarianceReducedAccount:
    """Return a standard deviation at which the account is (epsilon, delta)-DP, nearly the smallest that the accounts give."""
    check_account(account)
    return _least_std(account, check_level(epsilon), check_target(delta), certify)


@lru_cache(maxsize=256)
def _least_std(account: VarianceReduced, epsilon: float, delta: float, certify: bool | None) -> VarianceReducedAccount:
    if account.n == 1:
        one = smallest_std(account.split(1.0), epsilon, delta, certify=certify)
        return VarianceReducedAccount(account, one.std, epsilon, delta, _of_one_row(account, one))
    std = _smallest_by_split(account, epsilon, delta)
    best = _smallest_without_split(account, epsilon, delta, std) if certify is not False else None
    if best is not None:
        return VarianceReducedAccount(account, best.std, epsilon, delta, VarianceReducedCertificate(account, None, best))
    nudge = NUDGE
    while True:
        found_split = _split(account, std, epsilon, delta, certify)
        if found_split.certificate is None or found_split.delta <= delta:
            return VarianceReducedAccount(account, std, epsilon, delta, found_split.certificate)
        std, nudge = std * (1.0 + nudge), 4.0 * nudge


def _smallest_without_split(
    account: VarianceReduced, epsilon: float, delta: float, high: float
) -> SmallStepCertificate | RenyiCertificate | None:
    """Return a certificate with nearly the smallest std < high of the accounts that split no noise; None without one."""
    steps = account.small_steps()
    best: SmallStepCertificate | RenyiCertificate | None = smallest_renyi_std(steps, epsilon, delta, high)
    if account.steps >= SMALL_STEPS_MIN:
        best = smallest_small_steps_std(steps, epsilon, delta, best.std if best else high, SMALL_TOLERANCE) or best
    return best
