"""Audits of wang2020 Algorithm 1.

A client's message is a Gaussian release, so the truth about every pair of rows is known: it is decided by
enclosure, and the sampled views must agree with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from audit.datasets import rand_health
from audit.engine.enclosure import ball, decide, gaussian_profile, threshold
from audit.engine.results import Claim
from audit.suite import Exact, Instance, Output, Transcript
from reference.catalog import ALGORITHMS
from reference.noise import Sample
from reference.primitives.gaussian import GaussianCalibration
from reference.primitives.subspaces import projector
from reference.primitives.symmetric import upper_triangle
from reference.wang2020.algorithm_1_local_gaussian import calibrate, client, local_gaussian_mechanism

KEY = "wang2020.local_gaussian_mechanism"
#: Claims audited: the paper's own setting for its low-dimensional experiments, a common one, and one at which
#: a few thousand outputs suffice to see the failure.
PAPER, COMMON, LARGE = Claim(0.5, 1e-4), Claim(1.0, 1e-5), Claim(4.0, 1e-2)
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
    return [instance for choice in ("AS_PRINTED", "CORRECTED") for instance in _of_choice(choice)]


def _of_choice(choice: str) -> Iterator[Instance]:
    e1, e2 = np.eye(2)
    half = np.array([math.sqrt(0.5), math.sqrt(0.5)])
    rand = rand_health()[:25]
    canary, other = np.eye(rand.shape[1])[:2]

    # one client in the plane: the worst pair, and a pair as far apart as adding or removing a record
    for claim in (PAPER, COMMON, LARGE):
        yield _exact(choice, "e1/e2", claim, e1, e2)
    yield _exact(choice, "e1/0", COMMON, e1, np.zeros(2))
    yield _transcript(choice, "e1/e2", COMMON, e1[None], e2[None], trials=10_000)
    yield _transcript(choice, "e1/e2", PAPER, e1[None], e2[None], trials=10_000)
    yield _message(choice, "message e1/e2", LARGE, e1, e2, trials=200_000)
    yield _message(choice, "message e1/(1,1)/sqrt2", LARGE, e1, half, trials=20_000)

    # a client among rows of the RAND Health Insurance Experiment, replaced by a canary
    with_canary, with_other = (np.vstack([row, rand[1:]]) for row in (canary, other))
    yield _exact(choice, "RAND canary e1/e2", COMMON, canary, other)
    yield _transcript(choice, "RAND, canary e1/e2", COMMON, with_canary, with_other, trials=1_000)
    yield _message(choice, "RAND message, row/canary", LARGE, rand[0], other, trials=20_000)
    if choice == "CORRECTED":
        yield _protocol(choice, "RAND subspace, canary e1/e2", LARGE, with_canary[:5], with_other[:5], trials=10_000)


def _calibration(choice: str, claim: Claim, p: int) -> GaussianCalibration:
    return calibrate(claim.epsilon, claim.delta, p, ALGORITHMS[KEY].choices[choice])


def _instance(choice: str, name: str, claim: Claim, x: Row, y: Row, how: Exact | Transcript | Output) -> Instance:
    std, distance = _calibration(choice, claim, len(x)).std, message_distance(x, y)
    return Instance(
        algorithm=KEY,
        choice=choice,
        name=name,
        claim=claim,
        how=how,
        holds=pair_holds(claim, std, distance),
        exact_epsilon=pair_epsilon(claim, std, distance),
    )


def _exact(choice: str, name: str, claim: Claim, x: Row, y: Row) -> Instance:
    std, distance = _calibration(choice, claim, len(x)).std, message_distance(x, y)
    how = Exact(lambda: (pair_holds(claim, std, distance), pair_epsilon(claim, std, distance)))
    return _instance(choice, name, claim, x, y, how)


def _transcript(choice: str, name: str, claim: Claim, X: Row, Y: Row, *, trials: int) -> Instance:
    """The server's view of all messages; the datasets differ in their first row."""
    algorithm = ALGORITHMS[KEY].bind(
        epsilon=claim.epsilon, delta=claim.delta, p=X.shape[1], k=1, choices=ALGORITHMS[KEY].choices[choice]
    )
    return _instance(choice, name, claim, X[0], Y[0], Transcript(algorithm, X, Y, trials))


def _message(choice: str, name: str, claim: Claim, x: Row, y: Row, *, trials: int) -> Instance:
    """One client's message as an output."""
    calibration = _calibration(choice, claim, len(x))

    def mechanism(row: Row, rng: np.random.Generator) -> Row:
        return client(row, calibration, Sample(rng), "message")

    return _instance(choice, name, claim, x, y, Output(mechanism, x, y, trials))


def _protocol(choice: str, name: str, claim: Claim, X: Row, Y: Row, *, trials: int) -> Instance:
    """The final subspace as an output, compared as a projector; the datasets differ in their first row."""
    calibration = _calibration(choice, claim, X.shape[1])

    def mechanism(rows: Row, rng: np.random.Generator) -> Row:
        return local_gaussian_mechanism(rows, 1, calibration, Sample(rng))

    how = Output(mechanism, X, Y, trials, features=lambda basis: upper_triangle(projector(basis)))
    instance = _instance(choice, name, claim, X[0], Y[0], how)
    # the subspace is a function of the messages: if they satisfy the claim, so does it; its own epsilon is not known
    return Instance(**{**instance.__dict__, "exact_epsilon": None})
