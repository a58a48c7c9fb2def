"""Analyze Gauss: the noise as published."""

from __future__ import annotations

import math

from dppca.reference.baselines import analyze_gauss
from dppca.reference.primitives.gaussian import profile


def test_printed_analyze_gauss_fails_for_replace_one_at_small_delta() -> None:
    std = analyze_gauss.calibrate(1.0, 1e-6, 2, analyze_gauss.AS_PRINTED).std
    assert profile(1.0, 1.0 / std) <= 1e-6 < profile(1.0, math.sqrt(2.0) / std)
    assert profile(1.0, math.sqrt(2.0) / analyze_gauss.calibrate(1.0, 1e-6, 2).std) <= 1e-6
