"""What a client's published noise is worth, and what the code sends, for the checks of wang2020."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb

from dppca.reference.noise import Entry, Tape, replay
from dppca.reference.primitives.gaussian import GaussianCalibration
from dppca.reference.rigour.gaussian import ball, classical_std, decide, gaussian_profile
from dppca.reference.wang2020.algorithm_1_local_gaussian import client


def sqrt2() -> arb:
    """Return the square root of 2."""
    return arb(2).sqrt()


def printed_profile(epsilon: Fraction, delta: Fraction) -> arb:
    """delta at epsilon of the published noise on the worst pair, two rows at message distance sqrt(2)."""
    return gaussian_profile(ball(epsilon), sqrt2() / classical_std(ball(epsilon), ball(delta), arb(1)))


def printed_holds(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the published noise is private for p >= 2."""
    return decide(lambda: printed_profile(epsilon, delta), lambda: ball(delta))


def client_message(x: list[float], calibration: GaussianCalibration, draw: float) -> np.ndarray:
    """Return what the client sends where every standard draw is the same number."""
    draws = np.full(len(x) * (len(x) + 1) // 2, draw)
    tape = Tape((Entry("release", "message[0]", "gaussian", draws),))
    message: np.ndarray = replay(lambda row, noise: client(row, calibration, noise, "message[0]"), np.array(x), tape)
    return message


def sent_std(calibration: GaussianCalibration) -> float:
    """Return the noise in a message, read off the message of the row 0 at draws of 1; all entries must have the same."""
    message = client_message([0.0, 0.0], calibration, 1.0)
    if not np.all(message == message[0]):
        raise ValueError(f"every entry of a message must have the same noise, got {message!r}")
    return float(message[0])
