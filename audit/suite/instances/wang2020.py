"""Audits of wang2020 Algorithms 1 and 2, whose clients are the same.

A client's message is a Gaussian release, so the truth about every pair of rows is known: it is decided by
enclosure, and the sampled views must agree with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dppca.audit.enclosure.gaussian import ball, decide, gaussian_profile, threshold
from dppca.audit.engine.results import Claim
from dppca.audit.suite.datasets import rand_health
from dppca.audit.suite.instance import Exact, Instance, OneRun, Output, Transcript
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm, Noise, Sample, record
from dppca.reference.primitives import gaussian
from dppca.reference.primitives.gaussian import GaussianCalibration
from dppca.reference.primitives.subspaces import projector
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1

LOW, HIGH = "wang2020.local_gaussian_mechanism", "wang2020.local_gaussian_mechanism_high_dimension"
#: Claims audited: the paper's own setting for its low-dimensional experiments, a common one, and one at which
#: a few thousand outputs suffice to see the failure.
PAPER, COMMON, LARGE = Claim(0.5, 1e-4), Claim(1.0, 1e-5), Claim(4.0, 1e-2)
#: More of the (epsilon, delta) plane, for the exact view. Theorem 2 is stated for every epsilon, Theorem 4 for
#: epsilon < 1.
GRID = tuple(Claim(*target) for target in ((0.1, 1e-6), (0.9, 1e-4), (2.0, 1e-4), (8.0, 1e-4), (10.0, 1e-5), (20.0, 1e-2)))
FORMULA_AS_PRINTED = "CORRECTED but D2 as printed"
#: The penalty of Algorithm 2's audits; only the server reads it.
PENALTY = 0.05
_EPSILON_WIDTH = Fraction(1, 10**6)

Row = NDArray[np.float64]


def message_distance(x: Row, y: Row) -> Fraction:
    """Exact square of the L2 distance between two clients' unnoised messages."""
    a, b = ([[Fraction(u) * Fraction(v) for u in row] for v in row] for row in (x.tolist(), y.tolist()))
    p = len(a)
    return sum(((a[i][j] - b[i][j]) ** 2 for i in range(p) for j in range(i, p)), Fraction(0))


def pair_holds(claim: Claim, std: float, distance_squared: Fraction, epsilon: Fraction | None = None) -> bool:
    """Whether a message with this noise satisfies the claim (at another epsilon, if given) on such a pair: proved."""
    at = Fraction(claim.epsilon) if epsilon is None else epsilon

    def profile() -> arb:
        return gaussian_profile(ball(at), ball(distance_squared).sqrt() / ball(std))

    return decide(profile, lambda: ball(claim.delta))


def pair_epsilon(claim: Claim, std: float, distance_squared: Fraction) -> float:
    """The pair's epsilon at the claim's delta, to 1e-6 from below."""
    if pair_holds(claim, std, distance_squared, Fraction(0)):
        return 0.0
    high = Fraction(1)
    while not pair_holds(claim, std, distance_squared, high):
        high *= 2
    low, _ = threshold(lambda epsilon: not pair_holds(claim, std, distance_squared, epsilon), Fraction(0), high, _EPSILON_WIDTH)
    return float(low)


def instances() -> list[Instance]:
    """Every audit of this paper."""
    both = ("AS_PRINTED", "CORRECTED")
    return [
        *(instance for choice in both for instance in _low(choice)),
        *(instance for choice in both for instance in _high(choice)),
        *_plane(),
        *_unclipped(),
    ]


def _low(choice: str) -> Iterator[Instance]:
    """Algorithm 1."""
    e1, e2 = np.eye(2)
    half = np.array([math.sqrt(0.5), math.sqrt(0.5)])
    rand = rand_health()[:25]
    canary, other = np.eye(rand.shape[1])[:2]

    # one client in the plane: the worst pair, and a pair as far apart as adding or removing a record
    for claim in (PAPER, COMMON, LARGE):
        yield _exact(LOW, choice, "e1/e2", claim, e1, e2)
    yield _exact(LOW, choice, "e1/0", COMMON, e1, np.zeros(2))
    yield _transcript(LOW, choice, "e1/e2", COMMON, e1[None], e2[None], trials=10_000)
    yield _transcript(LOW, choice, "e1/e2", PAPER, e1[None], e2[None], trials=10_000)
    yield _message(LOW, choice, "message e1/e2", LARGE, e1, e2, trials=200_000)
    yield _message(LOW, choice, "message e1/(1,1)/sqrt2", LARGE, e1, half, trials=20_000)

    # a client among rows of the RAND Health Insurance Experiment, replaced by a canary
    with_canary, with_other = (np.vstack([row, rand[1:]]) for row in (canary, other))
    yield _exact(LOW, choice, "RAND canary e1/e2", COMMON, canary, other)
    yield _transcript(LOW, choice, "RAND, canary e1/e2", COMMON, with_canary, with_other, trials=4_000)
    yield _message(LOW, choice, "RAND message, row/canary", LARGE, rand[0], other, trials=20_000)
    if choice == "CORRECTED":
        yield _protocol(LOW, choice, "RAND subspace, canary e1/e2", LARGE, with_canary[:5], with_other[:5], trials=10_000)


def _high(choice: str) -> Iterator[Instance]:
    """Algorithm 2: its client; the whole protocol's transcript, its output, and all of it in one run."""
    e1, e2, e3, e4 = np.eye(4)
    data, neighbour = (np.vstack([row, e1, 0.8 * e3, 0.5 * (e1 + e4)]) for row in (e1, e2))
    for claim in (PAPER, COMMON, LARGE):
        yield _exact(HIGH, choice, "e1/e2", claim, e1, e2)
    yield _transcript(HIGH, choice, "canary e1/e2", PAPER, data, neighbour, trials=4_000)
    yield _protocol(HIGH, choice, "subspace, canary e1/e2", LARGE, data, neighbour, trials=4_000)
    trials = 250_000 if choice == "AS_PRINTED" else 50_000
    yield _one_run(HIGH, choice, "one run, clients e1/e2", LARGE, *np.eye(2), trials=trials)


def _plane() -> Iterator[Instance]:
    """The worst pair over more of the plane; for Algorithm 1 the printed formula with the right sensitivity too."""
    e1, e2 = np.eye(2)
    for key in (LOW, HIGH):
        for claim in GRID:
            for choice in _readings(key):
                yield _exact(key, choice, "e1/e2", claim, e1, e2)


def _unclipped() -> Iterator[Instance]:
    """What happens when a row's norm exceeds 1 and nobody clips: no noise for the unit ball is enough."""
    long, zero = np.array([2.0, 0.0]), np.zeros(2)
    for claim in (COMMON, LARGE):
        yield _exact(LOW, "CORRECTED, trusting client", "(2,0)/0", claim, long, zero)
        yield _transcript(LOW, "CORRECTED, trusting client", "(2,0)/0", claim, long[None], zero[None], trials=10_000)


# --- algorithms ---------------------------------------------------------------------------------------


def _trusting(calibration: GaussianCalibration) -> Algorithm[None]:
    """Algorithm 1's clients, but each takes it on trust that its row lies in the unit ball."""

    def run(X: Row, noise: Noise) -> None:
        for i, row in enumerate(X):
            product = upper_triangle(np.outer(row, row))
            noise.gaussian(f"message[{i}]", product, std=calibration.std, sensitivity=calibration.sensitivity)

    return run


def _readings(key: str) -> Mapping[str, Any]:
    """The catalogue's choices, and D2 of Algorithm 1 undone by itself."""
    printed_formula = replace(algorithm_1.CORRECTED, formula=algorithm_1.AS_PRINTED.formula)
    extra = {FORMULA_AS_PRINTED: printed_formula} if key == LOW else {}
    return MappingProxyType({**ALGORITHMS[key].choices, **extra})


def _choices(key: str, choice: str) -> Any:
    return _readings(key)[choice.removesuffix(", trusting client")]


def _calibration(key: str, choice: str, claim: Claim, p: int) -> GaussianCalibration:
    calibrate = ALGORITHMS[key].calibrate
    if calibrate is None:
        raise TypeError(f"{key} must have a calibration")
    calibration: GaussianCalibration = calibrate(claim.epsilon, claim.delta, p, _choices(key, choice))
    return calibration


def _arguments(key: str, claim: Claim, p: int) -> dict[str, Any]:
    penalty = {"lambda_": PENALTY} if key == HIGH else {}
    return {"epsilon": claim.epsilon, "delta": claim.delta, "p": p, "k": 1, **penalty}


def _algorithm(key: str, choice: str, claim: Claim, p: int) -> Algorithm[Any]:
    if choice.endswith("trusting client"):
        return _trusting(_calibration(key, choice, claim, p))
    return ALGORITHMS[key].bind(**_arguments(key, claim, p), choices=_choices(key, choice))


# --- instances ----------------------------------------------------------------------------------------


def _instance(
    key: str, choice: str, name: str, claim: Claim, x: Row, y: Row, how: Exact | Transcript | Output | OneRun
) -> Instance:
    std, distance = _calibration(key, choice, claim, len(x)).std, message_distance(x, y)
    return Instance(
        algorithm=key,
        choice=choice,
        name=name,
        claim=claim,
        how=how,
        holds=pair_holds(claim, std, distance),
        exact_epsilon=pair_epsilon(claim, std, distance),
        profile=lambda epsilon: gaussian.profile(epsilon, math.sqrt(distance) / std),
    )


def _exact(key: str, choice: str, name: str, claim: Claim, x: Row, y: Row) -> Instance:
    std, distance = _calibration(key, choice, claim, len(x)).std, message_distance(x, y)
    how = Exact(lambda: (pair_holds(claim, std, distance), pair_epsilon(claim, std, distance)), x[None], y[None])
    return _instance(key, choice, name, claim, x, y, how)


def _transcript(key: str, choice: str, name: str, claim: Claim, X: Row, Y: Row, *, trials: int) -> Instance:
    """The server's view of all messages; the datasets differ in their first row."""
    algorithm = _algorithm(key, choice, claim, X.shape[1])
    return _instance(key, choice, name, claim, X[0], Y[0], Transcript(algorithm, X, Y, trials))


def _message(key: str, choice: str, name: str, claim: Claim, x: Row, y: Row, *, trials: int) -> Instance:
    """One client's message as an output."""
    calibration = _calibration(key, choice, claim, len(x))

    def mechanism(row: Row, rng: np.random.Generator) -> Row:
        return algorithm_1.client(row, calibration, Sample(rng), "message")

    how = Output(mechanism, x, y, trials, arguments=_arguments(key, claim, len(x)), message=True)
    return _instance(key, choice, name, claim, x, y, how)


def _protocol(key: str, choice: str, name: str, claim: Claim, X: Row, Y: Row, *, trials: int) -> Instance:
    """The final subspace as an output, compared as a projector; the datasets differ in their first row."""
    algorithm = _algorithm(key, choice, claim, X.shape[1])

    def mechanism(rows: Row, rng: np.random.Generator) -> Row:
        basis: Row = algorithm(rows, Sample(rng))
        return basis

    how = Output(mechanism, X, Y, trials, features=_projector, arguments=_arguments(key, claim, X.shape[1]))
    instance = _instance(key, choice, name, claim, X[0], Y[0], how)
    # The subspace is a function of the messages: if they satisfy the claim, so does it; its own epsilon is not known.
    # As printed, line 11 of Algorithm 2 returns the start value: a constant.
    constant = key == HIGH and choice == "AS_PRINTED"
    if constant:
        return replace(instance, holds=True, exact_epsilon=0.0, profile=lambda _: 0.0)
    return replace(instance, exact_epsilon=None, profile=None)


def _one_run(key: str, choice: str, name: str, claim: Claim, x: Row, y: Row, *, trials: int) -> Instance:
    """The whole protocol in one run, its messages read off the tape of its releases."""
    algorithm = _algorithm(key, choice, claim, len(x))

    def messages(rows: Row, rng: np.random.Generator) -> list[Any]:
        _, tape = record(algorithm, rows, rng)
        return [entry.released for entry in tape.entries]

    how = OneRun(messages, x, y, trials, arguments=_arguments(key, claim, len(x)))
    return _instance(key, choice, name, claim, x, y, how)


def _projector(basis: Row) -> Row:
    """A subspace as the upper triangle of its projector."""
    return upper_triangle(projector(basis))
