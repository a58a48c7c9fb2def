"""Runs of both algorithms on four rows, and what they release at frames of one's own choice."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from dppca.proofs_notes.ledger.evidence import Evidence, verdict
from dppca.proofs_notes.ledger.rational import Matrix, matrix, random_orthogonal, random_unit
from dppca.reference.noise import Noise, Tape, condition, record, replay
from dppca.reference.shang2021 import algorithm_1_dp_spca as spca
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as vrpca

DATA = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, -0.6], [0.2, -0.3, 0.5]])
NEIGHBOUR = np.array([[0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [0.0, 0.6, -0.6], [0.2, -0.3, 0.5]])
STEPS, BATCH = 3, 2
#: Theorem 3's noise with the sign of line 2 that makes the algorithm find the largest direction.
SIGN_CORRECTED = replace(vrpca.AS_PRINTED, full_gradient_sign=vrpca.CORRECTED.full_gradient_sign)


def run_1(k: int = 1, choices: spca.Choices = spca.AS_PRINTED) -> Callable[..., np.ndarray]:
    """Return Algorithm 1 with a calibration for four rows in R^3."""
    calibration = spca.calibrate(1.0, 1e-3, 4, 3, STEPS, k, choices=choices)
    return lambda X, noise: spca.dp_spca(X, [0.1, 0.2, 0.3], calibration, noise)


def run_2(k: int = 1, choices: vrpca.Choices = vrpca.AS_PRINTED, T: int = STEPS, m: int = BATCH) -> Callable[..., np.ndarray]:
    """Return Algorithm 2 with a calibration for four rows in R^3."""
    calibration = vrpca.calibrate(1.0, 1e-3, 4, 3, T, m, k, choices)
    return lambda X, noise: vrpca.dp_vrpca(X, 0.3, calibration, noise)


def with_draws(tape: Tape, change: Callable[[np.ndarray], np.ndarray], roles: tuple[str, ...]) -> Tape:
    """Return the tape with the standard draws of these roles changed, and nothing released yet."""
    return Tape(tuple(replace(e, draw=change(e.draw), released=None) if e.role in roles else e for e in tape.entries))


def with_secret(tape: Tape, index: int) -> Tape:
    """Return the tape with every sampled index set to this one, releases kept."""
    return Tape(tuple(replace(e, draw=np.full_like(e.draw, index)) if e.role == "secret" else e for e in tape.entries))


def spca_value(X: np.ndarray, V: np.ndarray, index: int) -> np.ndarray:
    """Return what a step of the code of Algorithm 1 releases, before noise, at the frame V if this index is drawn."""
    X, V = X.astype(float), V.astype(float)
    calibration = spca.calibrate(1.0, 1e-3, *X.shape, 1, V.shape[1], choices=spca.AS_PRINTED)

    def run(rows: np.ndarray, noise: Noise) -> np.ndarray:
        return spca.dp_spca(rows, [0.1], calibration, noise)

    tape = with_secret(_started(record(run, X, np.random.default_rng(0))[1], V), index)
    return condition(run, X, tape).terms[0].value


def vrpca_value(X: np.ndarray, V: np.ndarray, V_tilde: np.ndarray, index: int, choices: vrpca.Choices) -> np.ndarray:
    """Return what the second step of an epoch releases, before noise, at these frames; the first release leads to V."""
    X, V, V_tilde, eta = X.astype(float), V.astype(float), V_tilde.astype(float), 0.25
    calibration = vrpca.calibrate(1.0, 1e-3, *X.shape, 2, 1, V.shape[1], choices)

    def run(rows: np.ndarray, noise: Noise) -> np.ndarray:
        return vrpca.dp_vrpca(rows, eta, calibration, noise)

    tape = with_secret(_started(record(run, X, np.random.default_rng(0))[1], V_tilde), index)
    first = next(place for place, entry in enumerate(tape.entries) if entry.role == "release")
    entries = list(tape.entries)
    entries[first] = replace(entries[first], released=(V_tilde - V) / eta)
    return condition(run, X, Tape(tuple(entries))).terms[1].value


def _started(tape: Tape, V: np.ndarray) -> Tape:
    """Return the tape with this frame as its start."""
    return Tape(tuple(replace(e, draw=V) if e.role == "public" else e for e in tape.entries))


def rational_cases(k: int, count: int, seed: int) -> Iterator[tuple[Matrix, Matrix, Matrix]]:
    """Rational data sets of three rows in R^3, of norm at most 1, and two frames of k columns."""
    source = random.Random(seed)
    for _ in range(count):
        lengths = [Fraction(source.randint(1, 4), 4) for _ in range(3)]
        rows = matrix([length * random_unit(3, source) for length in lengths])
        yield rows, *(random_orthogonal(3, source)[:, :k] for _ in range(2))


def noise_is_the_calibrations() -> bool:
    """Return whether every release of both algorithms has its calibration's std, and printed calibrations the paper's noise."""
    good = True
    first = spca.calibrate(1.0, 1e-3, 4, 3, STEPS, mu=0.25, choices=spca.AS_PRINTED)
    second = vrpca.calibrate(1.0, 1e-3, 4, 3, STEPS, BATCH, choices=vrpca.AS_PRINTED)
    good &= first.std == spca.theorem_1_noise(1.0, 1e-3, 4, STEPS, 0.25, G=2.0)[0]
    good &= second.std == vrpca.theorem_3_noise(1.0, 1e-3, 4, STEPS * BATCH, G=1.0)[0]
    runs: tuple[Callable[..., np.ndarray], ...] = (
        lambda X, noise: spca.dp_spca(X, [0.1, 0.2, 0.3], first, noise),
        lambda X, noise: vrpca.dp_vrpca(X, 0.3, second, noise),
    )
    for run, std, count in zip(runs, (first.std, second.std), (STEPS, STEPS * BATCH), strict=True):
        _, tape = record(run, DATA, np.random.default_rng(10))
        stds = [entry.parameters["std"] for entry in tape.entries if entry.role == "release"]
        good &= stds == [std] * count
    return good


def post_processing(run: Callable[..., np.ndarray], k: int) -> Evidence:
    """Return whether the output follows from the releases: on one tape it is the same for every dataset."""
    _, tape = record(run, DATA, np.random.default_rng(7))
    outputs: list[np.ndarray] = []
    for rows in (DATA, NEIGHBOUR, np.zeros((4, 3))):
        condition(lambda X, noise: outputs.append(run(X, noise)), rows, tape)
    same = all(np.array_equal(outputs[0], output) for output in outputs)
    orthonormal = bool(np.allclose(outputs[0].T @ outputs[0], np.eye(k), atol=1e-12))
    return Evidence(
        verdict(printed=same and orthonormal),
        "three data sets on one transcript give bit-identical orthonormal outputs.",
    )


def _negated(tape: Tape) -> Tape:
    """Start and noise negated, indices kept."""
    return Tape(tuple(e if e.role == "secret" else replace(e, draw=-e.draw, released=None) for e in tape.entries))


def is_odd(run: Callable[..., np.ndarray]) -> bool:
    """Return whether the output is negated when start and noise are, in which case E |v - v^|^2 = 2 for a symmetric start."""
    for seed in range(5):
        output, tape = record(run, DATA, np.random.default_rng(seed))
        if not np.allclose(replay(run, DATA, _negated(tape)), -output, rtol=0.0, atol=1e-12):
            return False
    return True


def antipodal_sum() -> bool:
    """|v - w|^2 + |-v - w|^2 = 4 for unit v, w, exactly."""
    source = random.Random(1)
    pairs = ((random_unit(3, source), random_unit(3, source)) for _ in range(20))
    return all((v - w) @ (v - w) + (v + w) @ (v + w) == 4 for v, w in pairs)
