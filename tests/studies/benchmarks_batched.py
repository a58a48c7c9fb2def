"""Trials per second of the batched implementations beside the reference's, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dppca.audit import batched
from dppca.audit.batched.registry import Batched
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Noise, Sample


@dataclass(frozen=True)
class Case:
    """An algorithm, as CORRECTED unless said otherwise, on a dataset."""

    name: str
    key: str
    data: Any
    arguments: dict[str, Any]
    choice: str = "CORRECTED"


def cases() -> list[Case]:
    """Return the local Gaussian mechanism and noisy steps at p = 4."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(10, 4))
    rows /= np.linalg.norm(rows, axis=1).max()
    local = Case(
        "wang2020 Algorithm 1, n = 10, p = 4, k = 2",
        "wang2020.local_gaussian_mechanism",
        rows,
        {"epsilon": 1.0, "delta": 1e-5, "p": 4, "k": 2},
    )
    steps: dict[str, dict[str, Any]] = {
        "shang2021.dp_spca": {"n": 10, "step_sizes": (0.1,) * 20},
        "shang2021.dp_vrpca": {"n": 10, "T": 10, "m": 2, "eta": 0.1},
        "baselines.noisy_power_method": {"L": 20},
    }
    step_target = {"epsilon": 1.0, "delta": 1e-3, "d": 4}
    noisy_steps = [
        Case(f"{key}, n = 10, d = 4, 20 steps, k = {k}", key, rows, {**step_target, "k": k, **sizes})
        for key, sizes in steps.items()
        for k in (1, 2)
    ]
    oja = {"epsilon": 1.0, "delta": 1e-3, "n": 10, "d": 4, "lambda_1": 1.0, "K": 1.0, "gamma": 1.0, "step_sizes": (0.1,) * 10}
    return [local, *noisy_steps, Case("liu2022.private_oja, n = 10, d = 4", "liu2022.private_oja", rows, oja)]


def implementations(case: Case) -> tuple[Callable[[Any, Noise], Any], Batched]:
    """Return the reference and the batched implementation."""
    entry = ALGORITHMS[case.key]
    sampler = batched.sampler(case.key, case.choice, case.arguments)
    if sampler is None:
        raise ValueError(f"{case.key} must have a batched implementation")
    return entry.bind(**case.arguments, choices=entry.choices[case.choice]), sampler


def speeds(case: Case, reference_trials: int = 200, batched_trials: int = 20_000) -> tuple[float, float]:
    """Trials per second of both; the batched one's preparation for the dataset included."""
    run, sampler = implementations(case)
    with threadpool_limits(limits=1):
        rng = np.random.default_rng(1)
        run(case.data, Sample(rng))
        started = time.process_time()
        for _ in range(reference_trials):
            run(case.data, Sample(rng))
        reference = reference_trials / (time.process_time() - started)
        sampler.sample(case.data, 100, rng)
        started = time.process_time()
        sampler.sample(case.data, batched_trials, rng)
        return reference, batched_trials / (time.process_time() - started)


def batched_figures() -> Iterator[str]:
    """Yield one line a case."""
    yield "Trials per second on one core, reference and batched"
    for case in cases():
        reference, fast = speeds(case)
        yield f"  {case.name:62} {reference:8,.0f} {fast:10,.0f}  {fast / reference:5.0f} times"
