"""A project of somebody else's that uses what is public, for mypy --strict: see tests/project/test_install.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca import audit
from dppca.audit.plugin import Auditor
from dppca.proofs_notes.ledger.claims import execute, load
from dppca.reference.accounting import Mechanism, Poisson, epsilon_at, smallest_std
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.citations import cite
from dppca.reference.conformance.implementation import Implementation
from dppca.reference.noise import Noise, Sample, Tape, record, replay

Rows = NDArray[np.float64]


def mechanism(data: list[int], rng: np.random.Generator) -> float:
    return sum(data) + rng.normal(scale=2.0)


def algorithm(data: list[int], noise: Noise) -> float:
    first: float = noise.gaussian("first", sum(data), std=5.0, sensitivity=1.0)
    second: float = noise.gaussian("second", first + max(data), std=5.0, sensitivity=1.0)
    return second


class Batched:
    def sample(self, data: Rows, trials: int, rng: np.random.Generator) -> Rows:
        return rng.normal(size=trials)


def pairs(rng: np.random.Generator) -> tuple[list[int], list[int]]:
    data: list[int] = rng.integers(0, 2, size=10).tolist()
    return data, [1 - data[0], *data[1:]]


def output(data: list[int], rng: np.random.Generator) -> float:
    return algorithm(data, Sample(rng))


verdict: audit.Verdict = audit.check(mechanism, [1, 0, 1], [1, 0, 0], audit.Claim(epsilon=0.5, delta=1e-2))
print("REFUTED" if verdict.refuted else "NOT REFUTED", f"{verdict.bound.epsilon:.2f}", verdict.explain())
audit.assert_not_refuted(verdict)
of_data: Rows = np.zeros(200)
bound: audit.LowerBound = audit.lower_bound_from_outputs(of_data, of_data)
bound = audit.lower_bound(Batched(), of_data, of_data, features=audit.Subspace(), floats="ideal", exceptions=(ValueError,))
bound = audit.transcript_lower_bound(algorithm, [1, 0, 1], [1, 0, 0], delta=1e-6)
verdict = audit.transcript_check(algorithm, [1], [0], audit.Claim(1.0, 1e-6), store=audit.Store("runs.sqlite", key="mine"))
found: audit.PairBound = audit.lower_bound_over_pairs(output, pairs, delta=1e-2, trials=20_000)
found = audit.transcript_lower_bound_over_pairs(algorithm, audit.Rows(n=3, d=2), delta=1e-6)
print(found.bound.epsilon, found.data, found.neighbour)


def test_mine(audit: Auditor) -> None:
    audit.assert_not_refuted(audit.check(mechanism, [1, 0, 1], [1, 0, 0], audit.Claim(epsilon=1.0, delta=1e-2)))


entry = ALGORITHMS["wang2020.local_gaussian_mechanism"]
run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
basis, tape = record(run, entry.example.data, np.random.default_rng(1))
kept: Tape = tape
assert np.array_equal(basis, replay(run, entry.example.data, kept))


class Mine:
    def supports(self, algorithm: str, choice: str) -> bool:
        return (algorithm, choice) == ("baselines.analyze_gauss", "CORRECTED")

    def run(
        self,
        *,
        algorithm: str,
        choice: str,
        parameters: Mapping[str, Any],
        calibration: Any,
        inputs: Mapping[str, Any],
        draws: Any,
    ) -> Mapping[str, Any]:
        return {"output": np.array(inputs["X"])}


implementation: Implementation = Mine()
claim = next(claim for claim in load() if claim.id == "wang2020.theorem-2-privacy")
print(claim.status, claim.printed, execute(claim).figures)
steps = Mechanism(Poisson(0.01), steps=1000, sensitivity=1.0)
std: float = smallest_std(steps, 1.0, 1e-5).std
print(epsilon_at(steps, std, 1e-5).epsilon, cite("liu2022.dp_pca"))
