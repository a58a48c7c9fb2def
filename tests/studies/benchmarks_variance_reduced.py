"""Times of shang2021 and the Bingham sampler, for `tests.studies.benchmarks`."""

from __future__ import annotations

import time

import numpy as np

from dppca.reference.noise import Sample
from dppca.reference.primitives.bingham import BinghamLaw
from dppca.reference.shang2021 import algorithm_1_dp_spca as algorithm_1


def shang2021_figures() -> list[str]:
    """One run of DP-SPCA at the size of a9a (under 20 s), and Bingham draws a second at d = 64 (above 200)."""
    rng = np.random.default_rng(0)
    n, d, k, draws = 32_561, 123, 10, 200
    X = rng.standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    calibration = algorithm_1.calibrate(1.0, 1e-3, n, d, n, k, choices=algorithm_1.AS_PRINTED)
    started = time.perf_counter()
    algorithm_1.dp_spca(X, np.full(n, 1.0 / (2 * n)), calibration, Sample(rng))
    seconds = time.perf_counter() - started
    law, M = BinghamLaw(1.0), np.diag(np.linspace(0.0, 100.0, 64))
    started = time.perf_counter()
    for _ in range(draws):
        law.apply(M, law.draw(M, rng))
    rate = draws / (time.perf_counter() - started)
    return [
        f"DP-SPCA, n = T = {n:,}, d = {d}, k = {k}: {seconds:.1f} s (under 20)",
        f"Bingham law, d = 64: {rate:,.0f} draws a second (above 200)",
    ]
