"""Output perturbation by hand: the distance of projectors, what is released, and the pair that ties."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dppca.audit.suite.audits import maximisers
from dppca.audit.suite.instance import Maximiser
from dppca.reference.baselines.output_perturbation import calibrate, output_perturbation, projector_distance
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import record

KEY = "baselines.output_perturbation"


@pytest.mark.parametrize(
    ("d", "k", "square"),
    [(2, 1, 2.0), (3, 1, 2.0), (3, 2, 2.0), (4, 2, 4.0), (7, 3, 6.0), (7, 5, 4.0), (1, 1, 2.0), (3, 3, 2.0)],
)
def test_the_distance_of_two_projectors(d: int, k: int, square: float) -> None:
    assert projector_distance(d, k) == pytest.approx(math.sqrt(square), rel=1e-15)
    assert calibrate(1.0, 1e-6, d, k).sensitivity == projector_distance(d, k)


def test_what_is_released_is_the_projector_and_noise() -> None:
    """Rows along (3, 4)/5, so P has entries 9, 12, 16 over 25; the noise is std times the standard draw."""
    calibration = calibrate(4.0, 0.2, 2, 1)
    output, tape = record(
        lambda X, noise: output_perturbation(X, calibration, noise), [[0.6, 0.8], [0.3, 0.4]], np.random.default_rng(5)
    )
    (entry,) = tape.entries
    assert entry.released - calibration.std * entry.draw == pytest.approx([9 / 25, 12 / 25, 16 / 25], abs=1e-14)
    a, b, c = entry.released
    angle = 0.5 * math.atan2(2 * b, a - c)  # of the leading eigenvector of a symmetric matrix of the plane
    assert abs(output[:, 0] @ [math.cos(angle), math.sin(angle)]) == pytest.approx(1.0, abs=1e-12)


def test_k_comes_from_the_calibration() -> None:
    run = ALGORITHMS[KEY].bind(epsilon=1.0, delta=0.01, d=3, k=2, choices=ALGORITHMS[KEY].choices["CORRECTED"])
    assert record(run, np.eye(3), np.random.default_rng(0))[0].shape == (3, 2)
    with pytest.raises(ValueError, match=r"^X must have the d = 3 of its calibration, got 2$"):
        record(run, np.eye(2), np.random.default_rng(0))


def test_a_share_is_stated_and_needs_a_reason() -> None:
    """2 c (1 + c) / 4 with c the squared cosine of the leading direction's angle at t = 1/10."""
    stated = maximisers()[KEY]
    cosine = 0.5 * (1.0 + 0.48 / math.hypot(0.48, 2 * 0.1 * math.sqrt(0.99)))
    assert stated.share == pytest.approx(math.sqrt(cosine * (1.0 + cosine) / 2.0), rel=1e-9)
    assert stated.faults(ALGORITHMS[KEY]) == []
    whole = Maximiser(stated.arguments, stated.pair, stated.releases)
    (fault,) = whole.faults(ALGORITHMS[KEY])
    assert fault.startswith("releases 'P_hat' reach 0.971363 of their declared sensitivity, 1 is stated: name a pair")
    for share, reason in ((0.5, ""), (1.0, "a reason"), (0.0, "a reason"), (1.5, "a reason")):
        with pytest.raises(ValueError, match=r"^share must be 1, or in \(0, 1\) with the reason"):
            Maximiser({}, stated.pair, share=share, reason=reason)
