"""Checks of the claims of wang2020. The arguments behind them are in proofs_notes/wang2020.md."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
from flint import arb

from dppca.audit.enclosure.gaussian import ball, classical_std, decide, gaussian_holds, gaussian_profile, threshold
from dppca.proofs.evidence import Evidence, verdict
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Entry, Tape, condition, lockstep, record, replay
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.wang2020.algorithm_1_local_gaussian import AS_PRINTED, CORRECTED, calibrate, client, sensitivity, server

_ENTRY = ALGORITHMS["wang2020.local_gaussian_mechanism"]
_WIDTH = Fraction(1, 10**8)


def _sqrt2() -> arb:
    return arb(2).sqrt()


def printed_profile(epsilon: Fraction, delta: Fraction) -> arb:
    """delta at epsilon of the printed noise on the worst pair, two rows at message distance sqrt(2)."""
    return gaussian_profile(ball(epsilon), _sqrt2() / classical_std(ball(epsilon), ball(delta), arb(1)))


def printed_holds(epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the printed noise is private for p >= 2."""
    return decide(lambda: printed_profile(epsilon, delta), lambda: ball(delta))


def _message_distance(x: list[Fraction], y: list[Fraction], diagonal: Fraction = Fraction(1)) -> Fraction:
    """sum over i <= j of w (x_i x_j - y_i y_j)^2, with weight w = diagonal where i = j and 1 elsewhere."""
    p = len(x)
    pairs = itertools.combinations_with_replacement(range(p), 2)
    return sum(((x[i] * x[j] - y[i] * y[j]) ** 2 * (diagonal if i == j else 1) for i, j in pairs), Fraction(0))


def _random_rationals(p: int, source: random.Random) -> list[Fraction]:
    return [Fraction(source.randint(-50, 50), source.randint(1, 50)) for _ in range(p)]


def _identity_holds(diagonal: Fraction, coefficient: Fraction) -> bool:
    """Whether distance^2 = (||D||_F^2 + coefficient * sum_i D_ii^2) / 2 and ||D||_F^2 = |x|^4 + |y|^4 - 2 (x.y)^2.

    Both sides are polynomials of degree 4: agreement at random rational points in exact arithmetic is a test that
    a false identity of this degree fails at almost every point.
    """
    source = random.Random(1)
    for p in (1, 2, 3, 5):
        for _ in range(25):
            x, y = _random_rationals(p, source), _random_rationals(p, source)
            xx, yy, xy = (sum(a * b for a, b in zip(u, v, strict=True)) for u, v in ((x, x), (y, y), (x, y)))
            frobenius = xx * xx + yy * yy - 2 * xy * xy
            on_diagonal = sum((a * a - b * b) ** 2 for a, b in zip(x, y, strict=True))
            if _message_distance(x, y, diagonal) != (frobenius + coefficient * on_diagonal) / 2:
                return False
    return True


def line_2_sensitivity() -> Evidence:
    """The witness, the identity behind the upper bound, and the declared value."""
    e1, e2 = ([Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)])
    witness = _message_distance(e1, e2)
    # with the identity, distance^2 <= ||D||_F^2 <= |x|^4 + |y|^4 <= 2
    bounded = _identity_holds(Fraction(1), Fraction(1))
    declared = Fraction(sensitivity(2)) ** 2 >= 2 and sensitivity(1) == 1.0
    return Evidence(
        verdict(printed=witness <= 1, corrected=witness == 2 and bounded and declared),
        "exact",
        f"squared change at x = e_1, y = e_2 is {witness}; the supremum is 2 for p >= 2 and 1 for p = 1.",
    )


def line_2_diagonal_repair() -> Evidence:
    """With variance 2 sigma_1^2 on the diagonal the scaled message has sensitivity exactly 1."""
    e1, e2 = ([Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)])
    half = Fraction(1, 2)
    # weighted distance^2 = ||D||_F^2 / 2 <= 1
    reached = _message_distance(e1, e2, half)
    return Evidence(
        verdict(printed=_identity_holds(half, Fraction(0)) and reached == 1),
        "exact",
        f"weighted squared change is ||D||_F^2 / 2 <= 1, and {reached} at x = e_1, y = e_2.",
    )


def theorem_2_privacy() -> Evidence:
    """False on one side of a threshold in epsilon, true on the other, for each delta; the correction for all."""
    deltas = [Fraction(1, 10**k) for k in (2, 3, 4, 5, 6, 8)]
    ends = [threshold(lambda e, d=d: printed_holds(e, d), Fraction(1, 10**6), Fraction(8), _WIDTH) for d in deltas]
    witness = not printed_holds(Fraction(1), Fraction(1, 10**5))
    realised = float(printed_profile(Fraction(1), Fraction(1, 10**5)))
    repaired = all(
        gaussian_holds(e, d, calibrate(e, d, 3, CORRECTED).std, _sqrt2)
        for e in (0.05, 0.5, 1.0, 2.0, 8.0)
        for d in (1e-2, 1e-5, 1e-8)
    )
    shown = ", ".join(f"{float(d):.0e}: {float(low):.5f}" for d, (low, _) in zip(deltas, ends, strict=True))
    return Evidence(
        verdict(printed=not witness, corrected=repaired),
        "interval",
        f"at (1, 1e-5) the printed noise has delta {realised:.4g}; it holds exactly up to epsilon, by delta: {shown}.",
    )


def line_2_formula() -> Evidence:
    """The classical formula at a large epsilon, with the right sensitivity."""

    def holds(epsilon: Fraction, delta: Fraction) -> bool:
        def profile() -> arb:
            return gaussian_profile(ball(epsilon), _sqrt2() / classical_std(ball(epsilon), ball(delta), _sqrt2()))

        return decide(profile, lambda: ball(delta))

    delta = Fraction(1, 10**4)
    low, high = threshold(lambda e: holds(e, delta), Fraction(1), Fraction(64), _WIDTH)
    repaired = gaussian_holds(10.0, 1e-4, analytic_std(10.0, 1e-4, sensitivity(2)), _sqrt2)
    return Evidence(
        verdict(printed=holds(Fraction(10), delta), corrected=repaired),
        "interval",
        f"with sensitivity sqrt(2) and delta = 1e-4 "
        f"it holds up to epsilon in [{float(low):.6f}, {float(high):.6f}], not at 10.",
    )


def line_2_classical_repair() -> Evidence:
    """Sensitivity sqrt(2) in the printed formula, at the end of the range in which the formula is a theorem."""
    deltas = [Fraction(1, 10**k) for k in (1, 2, 4, 6, 10)]
    # scaling: sensitivity sqrt(2) with noise sqrt(2) sigma_1 has the same mu as sensitivity 1 with sigma_1
    holds = all(
        decide(lambda d=d: gaussian_profile(arb(1), _sqrt2() / classical_std(arb(1), ball(d), _sqrt2())), lambda d=d: ball(d))
        for d in deltas
    )
    return Evidence(
        verdict(printed=holds),
        "interval",
        f"decided at epsilon = 1 for {len(deltas)} delta; for all of them by primitives.classical-gaussian, as mu is the same.",
    )


def line_2_delta_domain() -> Evidence:
    """The printed variance outside delta < 1.25, and what the calibration does there."""
    at_limit = (arb(5) / 4 / ball(Fraction(5, 4))).log()
    beyond = (arb(5) / 4 / 2).log()
    refused = True
    for delta in (1.0, 1.25, 2.0):
        try:
            calibrate(1.0, delta, 2, AS_PRINTED)
        except ValueError:
            continue
        refused = False
    return Evidence(
        verdict(printed=not (beyond < 0), corrected=refused),
        "interval",
        f"2 ln(1.25/delta) is {float(2 * at_limit):.1f} at delta = 1.25 and {float(2 * beyond):.3f} at delta = 2.",
    )


def line_2_symmetry() -> Evidence:
    """A message for the row 0 whose first draw is negative: no matrix times its transpose has that diagonal."""
    calibration = calibrate(1.0, 1e-5, 2)
    tape = Tape((Entry("release", "message[0]", "gaussian", np.array([-1.0, 0.0, 0.0])),))
    message = replay(lambda x, noise: client(x, calibration, noise, "message[0]"), np.zeros(2), tape)
    return Evidence(
        verdict(printed=bool(message[0] >= 0.0), corrected=bool(np.isfinite(message).all())),
        "exact",
        f"the message of x = 0 has diagonal entry {message[0]:.3f} when the first standard draw is -1, which has density > 0.",
    )


def input_norm() -> Evidence:
    """A row outside the ball: the printed noise on x = 10 e_1 against y = 0, message distance 100."""
    std = calibrate(0.5, 1e-4, 2, AS_PRINTED).std
    realised = gaussian_profile(arb("0.5"), 100 / ball(std))
    refused = False
    try:
        client(np.array([10.0, 0.0]), calibrate(0.5, 1e-4, 2), _no_noise(), "message")
    except ValueError:
        refused = True
    return Evidence(
        verdict(printed=not realised > arb("0.99"), corrected=refused),
        "interval",
        f"at (0.5, 1e-4) the pair 10 e_1, 0 has delta {float(realised):.6f}; the client refuses rows outside the ball.",
    )


def _no_noise() -> object:
    """Stands in for the seam where a run must stop before its first draw."""
    return object()


def _released(count: int, p: int) -> tuple[np.ndarray, Tape]:
    rows = np.full((count, p), 0.3)
    algorithm = _ENTRY.bind(epsilon=1.0, delta=1e-5, p=p, k=1, choices=CORRECTED)
    _, tape = record(algorithm, rows, np.random.default_rng(7))
    return rows, tape


def line_4_noise() -> Evidence:
    """The mean of n messages is the mean of the products plus noise whose covariance is sigma_1^2 / n, by linearity.

    Each message is value + sigma_1 * draw, so the variance of an entry of the mean is sum (sigma_1 / n)^2. The check
    confirms that releases are that linear function of the tape's standard draws.
    """
    rows, tape = _released(8, 3)
    std = calibrate(1.0, 1e-5, 3).std
    draws = np.mean([entry.draw for entry in tape.entries], axis=0)
    values = np.outer(rows[0], rows[0])[np.triu_indices(3)]
    mean = np.mean([entry.released for entry in tape.entries], axis=0)
    linear = bool(np.allclose(mean, values + std * draws, rtol=1e-12, atol=1e-12))
    n = Fraction(8)
    return Evidence(
        verdict(printed=linear and n * (1 / n) ** 2 == 1 / n),
        "exact",
        "messages are value + sigma_1 * draw with independent draws: n (sigma_1 / n)^2 = sigma_1^2 / n.",
    )


def lines_4_5_post_processing() -> Evidence:
    """The output is a function of the messages: two datasets on one transcript give the same output, bit for bit."""
    _, tape = _released(6, 3)
    algorithm = _ENTRY.bind(epsilon=1.0, delta=1e-5, p=3, k=1, choices=CORRECTED)
    outputs = []
    for rows in (np.full((6, 3), 0.3), np.zeros((6, 3)), np.eye(6, 3)):
        collected: list[np.ndarray] = []
        condition(lambda X, noise, kept=collected: kept.append(algorithm(X, noise)), rows, tape)
        outputs.append(collected[0])
    direct = server([np.asarray(entry.released) for entry in tape.entries], 3, 1)
    same = all(np.array_equal(output, direct) for output in outputs)
    return Evidence(verdict(printed=same), "exact", "three datasets on one transcript give bit-identical subspaces.")


def non_interactive() -> Evidence:
    """Replacing one row changes that client's release and no other, and asks for the same releases."""
    algorithm = _ENTRY.bind(epsilon=1.0, delta=1e-5, p=3, k=1, choices=CORRECTED)
    rows, other = np.full((5, 3), 0.3), np.full((5, 3), 0.3)
    other[2] = [0.0, 1.0, 0.0]
    found = lockstep(algorithm, rows, other, np.random.default_rng(3))
    changed = [release.name for release in found.releases if release.change != 0.0]
    return Evidence(
        verdict(printed=changed == ["message[2]"] and found.diverged is None and not found.secrets),
        "exact",
        f"replacing row 2 changes {', '.join(changed)} only.",
    )


def theorem_2_pure_epsilon() -> Evidence:
    """No pure epsilon holds: the profile is positive at every epsilon, as a density ratio of Gaussians is unbounded."""
    std = calibrate(1.0, 1e-5, 2).std
    at_ten = gaussian_profile(arb(10), _sqrt2() / ball(std))
    return Evidence(
        verdict(printed=not at_ten > 0, corrected=gaussian_holds(1.0, 1e-5, std, _sqrt2)),
        "interval",
        f"with noise for (1, 1e-5), delta at epsilon = 10 is {float(at_ten):.1e} > 0, so no pure guarantee.",
    )


def section_6_1_setting() -> Evidence:
    """The low-dimensional experiments' own epsilon and delta with the printed noise: true, by slack."""
    realised = printed_profile(Fraction(1, 2), Fraction(1, 10**4))
    return Evidence(
        verdict(printed=printed_holds(Fraction(1, 2), Fraction(1, 10**4))),
        "interval",
        f"at (0.5, 1e-4) the printed noise has delta {float(realised):.4g} on the worst pair.",
    )
