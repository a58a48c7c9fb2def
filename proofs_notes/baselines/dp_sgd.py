"""Checks of the claims about DP-SGD. The argument is in proofs_notes/baselines/note.md."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from flint import arb

from dppca.proofs_notes.ledger.evidence import Evidence, verdict
from dppca.reference.accounting import Mechanism, Poisson, smallest_std
from dppca.reference.baselines import dp_sgd
from dppca.reference.noise import draw_independent, lockstep
from dppca.reference.rigour.gaussian import ball, decide, gaussian_profile, normal_cdf

#: Noise smaller by this factor is not enough: what is left to the search in floats.
_SLACK = Fraction(999, 1000)
#: Rates, thresholds, epsilons and deltas of one step.
_ONE_STEP = ((0.25, 0.5, 1.0, 0.01), (0.01, 1.0, 0.5, 1e-5), (0.5, 2.0, 3.0, 1e-6))


def sampled_sum() -> Evidence:
    """In R^1, where V = 1 or -1, everything is a dyadic number: what a row that goes takes from the sum, clipped and not."""
    changes = []
    base = dp_sgd.calibrate(1.0, 0.01, 1, 1, 1.0)
    for x, C in ((1.0, 0.5), (0.5, 1.0), (1.0, 1.0), (0.25, 0.03125), (0.0, 0.5)):
        calibration = replace(base, C=C)
        algorithm = lambda X, noise, of=calibration: dp_sgd.dp_sgd(X, 1.0, (0.5,), of, noise)  # noqa: E731
        found = lockstep(algorithm, np.array([[0.5], [x]]), np.array([[0.5]]), np.random.default_rng(1))
        (release,) = found.releases
        changes.append(found.diverged is None and release.change == min(x * x, C) and release.sensitivity == C)
    drawn = []
    for rate in (0.1, 0.25, 1.0 / 3.0, 2.0**-60, 1.0):
        used = Fraction(dp_sgd.drawn_rate(rate))
        units = used * 2**53
        drawn.append(units.denominator == 1 and Fraction(rate) <= used < Fraction(rate) + Fraction(1, 2**53))
        drawn.append(_is_drawn(float(used), units - 1) and (used == 1 or not _is_drawn(float(used), units)))
    return Evidence(
        verdict(printed=all(changes) and all(drawn)),
        "Five dyadic rows change the sum by min(x^2, C); uniform multiples of 2^-53 fall below the rate as often as accounted.",
    )


def _is_drawn(rate: float, units: Fraction) -> bool:
    """Return whether a row is drawn when the generator gives so many units of 2^-53."""

    class One:
        def random(self, shape: tuple[int, ...]) -> np.ndarray:
            return np.full(shape, float(units / 2**53))

    return bool(draw_independent(One(), f"bernoulli({rate!r})", (1,))[0])  # type: ignore[arg-type]


def account() -> Evidence:
    """At the noise returned: one step by its closed form, longer runs by their certificates."""
    single = all(_enough(*setting, Fraction(1)) for setting in _ONE_STEP)
    longer = []
    for rate, T, epsilon, delta in ((0.25, 4, 1.0, 0.01), (0.02, 200, 1.0, 1e-5)):
        calibration = dp_sgd.calibrate(epsilon, delta, 2, T, rate, 0.5)
        found = smallest_std(Mechanism(Poisson(dp_sgd.drawn_rate(rate)), T, 0.5), epsilon, delta)
        proof = found.certificate
        longer.append(proof is not None and proof.check() and calibration.std >= found.std and proof.delta <= delta)
    return Evidence(
        verdict(printed=single and all(longer)),
        "T = 1 at three settings: both divergences are at most delta; T = 4 and T = 200: the certificates hold.",
    )


def smallest_noise() -> Evidence:
    """One step by its closed form, at the noise returned and at a share of it."""
    shares = {Fraction(1): True, _SLACK: False}
    tight = all(_enough(*setting, share) is enough for setting in _ONE_STEP for share, enough in shares.items())
    loose = _enough(0.01, 1.0, 0.1, 0.00995, Fraction(100, 107))
    return Evidence(
        verdict(printed=tight and loose),
        "T = 1 at three settings: enough, and 0.999 of it is not; near delta = q 1/1.07 of it is.",
    )


def _enough(rate: float, C: float, epsilon: float, delta: float, share: Fraction) -> bool:
    """Return whether a share of the noise that is returned for one step is enough for a row that reaches C."""
    std = Fraction(dp_sgd.calibrate(epsilon, delta, 2, 1, rate, C).std) * share
    return _one_step_holds(Fraction(dp_sgd.drawn_rate(rate)), Fraction(C) / std, Fraction(epsilon), Fraction(delta))


def _one_step_holds(q: Fraction, ratio: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether (1 - q) N(0) + q N(ratio) and N(0) are (epsilon, delta)-close, both ways."""

    def above(level: arb) -> arb:
        """Where the ratio of densities, 1 - q + q exp(r x - r^2/2), is above a level: beyond this point."""
        return ((level - 1 + ball(q)) / ball(q)).log() / ball(ratio) + ball(ratio) / 2

    def removed() -> arb:
        p, r, gamma = ball(q), ball(ratio), ball(epsilon).exp()
        x = above(gamma)
        return (1 - p - gamma) * normal_cdf(-x) + p * normal_cdf(r - x)

    def added() -> arb:
        p, r, gamma = ball(q), ball(ratio), ball(epsilon).exp()
        x = above(1 / gamma)
        return normal_cdf(x) - gamma * ((1 - p) * normal_cdf(x) + p * normal_cdf(x - r))

    never = decide(lambda: 1 / ball(epsilon).exp(), lambda: 1 - ball(q))  # the ratio stays above exp(-epsilon)
    return decide(removed, lambda: ball(delta)) and (never or decide(added, lambda: ball(delta)))


def printed_noise() -> Evidence:
    """Theorem 1's noise for constants c_1, c_2 at delta = 1/2: its delta for q = 1, exactly, and for q < 1 from one event."""
    half, root = Fraction(1, 2), math.sqrt(math.log(2.0))
    full, sampled, needed = [], [], []
    for c_1, c_2 in itertools.product((Fraction(1, 10), Fraction(1), Fraction(10)), repeat=2):
        reach = float(c_2) * root
        epsilon = 2.0 * reach * (reach + 3.0)
        T = math.floor(epsilon / c_1) + 1  # epsilon < c_1 T
        sigma = float(c_2) * math.sqrt(T) * root / epsilon
        full.append(gaussian_profile(ball(epsilon), arb(T).sqrt() / ball(sigma)))
        needed.append(dp_sgd.calibrate(epsilon, 0.5, 1, T, 1.0).std / sigma)
        sampled.extend(_event_of_the_sum(q, 10**9, c_1, c_2, half) for q in (half, Fraction(1, 20)))
    refuted = all(bool(delta > ball(half)) for delta in full + sampled) and min(needed) > 1.1
    shown = min(float(delta.lower()) for delta in full), min(float(delta.lower()) for delta in sampled)
    return Evidence(
        verdict(printed=not refuted),
        f"c_1, c_2 from 0.1 to 10 and delta = 1/2: at q = 1 delta is {shown[0]:.4f} or more, and the code's noise is "
        f"{min(needed):.2f} to {max(needed):.2f} times the published one; at q = 1/2 and 1/20, T = 1e9, "
        f"it is {shown[1]:.4f} or more.",
    )


def _event_of_the_sum(q: Fraction, T: int, c_1: Fraction, c_2: Fraction, delta: Fraction) -> arb:
    """Return a lower bound on delta at epsilon = c_1 q^2 T / 2: a unit row, C = 1, the releases' sum above q T / 2."""
    std = 2 * ball(c_2) * (-ball(delta).log()).sqrt() / ball(c_1 * q)  # of their sum, by the published sigma
    drawn = 1 - ball(16 * (1 - q) / (q * T))  # Chebyshev: 3 q T / 4 draws or more
    other = (ball(c_1 * q * q * T / 2) - (ball(q * T / 2) / std) ** 2 / 2).exp()
    return drawn * normal_cdf(ball(q * T / 4) / std) - other
