"""Audits of wang2020 Algorithms 1 and 2, whose clients are the same.

A client's message is a Gaussian release, so the truth about every pair of rows is known: it is decided by
enclosure, and the sampled views must agree with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.results import Claim
from dppca.audit.suite.datasets import RAND_LIMITS, rand_health
from dppca.audit.suite.instance import (
    Exact,
    Instance,
    Maximiser,
    OneRun,
    Output,
    Profile,
    Setup,
    Transcript,
    View,
    Word,
    sampled,
)
from dppca.audit.suite.pairs import gaussian_curve, gaussian_pair, message_distance
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm, Noise, Sample, record
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
FORMULA_AS_PRINTED = "CORRECTED but the formula as published"
#: The penalty of Algorithm 2's audits; only the server reads it.
PENALTY = 0.05
TRUSTING = "CORRECTED, trusting client"

Row = NDArray[np.float64]


E1, E2 = np.eye(2)


# --- algorithms ---------------------------------------------------------------------------------------


def _trusting(calibration: GaussianCalibration) -> Algorithm[None]:
    """Algorithm 1's clients, but each takes it on trust that its row lies in the unit ball."""

    def run(X: Row, noise: Noise) -> None:
        for i, row in enumerate(X):
            product = upper_triangle(np.outer(row, row))
            noise.gaussian(f"message[{i}]", product, std=calibration.std, sensitivity=calibration.sensitivity)

    return run


def _readings(key: str) -> Mapping[str, Any]:
    """Return the catalogue's choices, and CORRECTED with the printed formula of the noise."""
    printed_formula = replace(algorithm_1.CORRECTED, formula=algorithm_1.AS_PRINTED.formula)
    extra = {FORMULA_AS_PRINTED: printed_formula} if key == LOW else {}
    return MappingProxyType({**ALGORITHMS[key].choices, **extra})


def _choices(of: Instance) -> Any:
    return _readings(of.algorithm)[of.choice.removesuffix(", trusting client")]


def _calibration(of: Instance, p: int) -> GaussianCalibration:
    calibrate = ALGORITHMS[of.algorithm].calibrate
    if calibrate is None:
        raise TypeError(f"{of.algorithm} must have a calibration")
    calibration: GaussianCalibration = calibrate(of.claim.epsilon, of.claim.delta, p, _choices(of))
    return calibration


def _arguments(of: Instance, p: int) -> dict[str, Any]:
    penalty = {"lambda_": PENALTY} if of.algorithm == HIGH else {}
    return {"epsilon": of.claim.epsilon, "delta": of.claim.delta, "p": p, "k": 1, **penalty}


def _algorithm(of: Instance, p: int) -> Algorithm[Any]:
    if of.choice == TRUSTING:
        return _trusting(_calibration(of, p))
    return ALGORITHMS[of.algorithm].bind(**_arguments(of, p), choices=_choices(of))


# --- what runs ----------------------------------------------------------------------------------------


def _exact(name: str, x: Row, y: Row) -> Setup:
    """One client's message, exactly."""

    def how(of: Instance) -> Exact:
        return gaussian_pair(of.claim, _calibration(of, len(x)).std, message_distance(x, y), (x[None], y[None]))

    return Setup("exact", name, how)


def _transcript(name: str, X: Row, Y: Row) -> Setup:
    """The server's view of all messages; the datasets differ in one row."""
    (row,) = np.flatnonzero((X != Y).any(axis=1))

    def how(of: Instance) -> Transcript:
        return Transcript(_algorithm(of, X.shape[1]), X, Y, _curve(of, X[row], Y[row]))

    return Setup("transcript", name, how)


def _message(name: str, x: Row, y: Row) -> Setup:
    """One client's message as an output."""

    def how(of: Instance) -> Output:
        calibration = _calibration(of, len(x))

        def mechanism(row: Row, rng: np.random.Generator) -> Row:
            return algorithm_1.client(row, calibration, Sample(rng), "message")

        return Output(mechanism, x, y, arguments=_arguments(of, len(x)), message=True, profile=_curve(of, x, y))

    return Setup("output", name, how)


def _protocol(name: str, X: Row, Y: Row) -> Setup:
    """The final subspace, compared as a projector."""

    def how(of: Instance) -> Output:
        algorithm = _algorithm(of, X.shape[1])
        return Output(sampled(algorithm), X, Y, features=_projector, arguments=_arguments(of, X.shape[1]))

    return Setup("output", name, how)


def _one_run(name: str, x: Row, y: Row) -> Setup:
    """The whole protocol in one run, its messages read off the tape of its releases."""

    def how(of: Instance) -> OneRun:
        algorithm = _algorithm(of, len(x))

        def messages(rows: Row, rng: np.random.Generator) -> list[Any]:
            _, tape = record(algorithm, rows, rng)
            return [entry.released for entry in tape.entries]

        return OneRun(messages, x, y, _arguments(of, len(x)), _curve(of, x, y))

    return Setup("output", name, how)


def _when_run(make: Callable[[str, Row, Row], Setup], view: View, name: str, pair: Callable[[], tuple[Row, ...]]) -> Setup:
    """The same on datasets that are loaded when the audit runs."""
    return Setup(view, name, lambda of: make(name, *pair()).build(of))


def _among_rand(n: int) -> tuple[Row, Row]:
    """Return n rows whose first one is either canary."""
    with_canary, with_other = (np.vstack([row, rand_health()[1:n]]) for row in (_CANARY, _OTHER))
    return with_canary, with_other


def _curve(of: Instance, x: Row, y: Row) -> Profile:
    """Return the curve of a Gaussian release between two clients' rows."""
    return gaussian_curve(math.sqrt(message_distance(x, y)) / _calibration(of, len(x)).std)


def _projector(basis: Row) -> Row:
    """Return a subspace as the upper triangle of its projector."""
    return upper_triangle(projector(basis))


# --- the audits ---------------------------------------------------------------------------------------

#: One client in the plane: the worst pair, one as far apart as adding or removing a record, and a closer one.
E1_E2, E1_GONE = _exact("e1/e2", E1, E2), _exact("e1/0", E1, np.zeros(2))
MESSAGES = _transcript("e1/e2", E1[None], E2[None])
MESSAGE, CLOSER_MESSAGE = _message("message e1/e2", E1, E2), _message("message e1/(1,1)/sqrt2", E1, np.full(2, math.sqrt(0.5)))
#: A client among rows of the RAND Health Insurance Experiment, replaced by a canary: the first, and the last one.
_CANARY, _OTHER = np.eye(len(RAND_LIMITS))[:2]
RAND_CANARY = _exact("RAND canary e1/e2", _CANARY, _OTHER)
RAND_MESSAGES = _when_run(_transcript, "transcript", "RAND, canary e1/e2", lambda: _among_rand(25))
RAND_LAST = _when_run(
    _transcript, "transcript", "RAND, last canary e1/e2", lambda: tuple(data[::-1] for data in _among_rand(25))
)
RAND_MESSAGE = _when_run(_message, "output", "RAND message, row/canary", lambda: (rand_health()[0], _OTHER))
RAND_SUBSPACE = _when_run(_protocol, "output", "RAND subspace, canary e1/e2", lambda: _among_rand(5))
#: A row's norm exceeds 1 and nobody clips: no noise for the unit ball is enough.
LONG_ROW = _exact("(2,0)/0", 2.0 * E1, np.zeros(2))
LONG_ROW_MESSAGE = _transcript("(2,0)/0", 2.0 * E1[None], np.zeros((1, 2)))
#: Four clients in R^4, the first with e1 or e2; one of them alone; and two rows held by many.
_FOUR = tuple(np.vstack([row, np.eye(4)[0], 0.8 * np.eye(4)[2], 0.5 * (np.eye(4)[0] + np.eye(4)[3])]) for row in np.eye(4)[:2])
CLIENT = _exact("e1/e2", *np.eye(4)[:2])
CLIENTS, LAST_CLIENT = _transcript("canary e1/e2", *_FOUR), _transcript("last canary e1/e2", _FOUR[0][::-1], _FOUR[1][::-1])
SUBSPACE, ONE_RUN = _protocol("subspace, canary e1/e2", *_FOUR), _one_run("one run, clients e1/e2", E1, E2)
AUDITS: list[Instance] = []
low, high = partial(Instance, LOW), partial(Instance, HIGH)

# Of the printed noise the epsilons are those of a Gaussian release, sensitivity sqrt(2), std sqrt(2 ln(1.25/delta)) / epsilon;
# the corrected noise is the smallest for the claim, so the worst pair has the claim's epsilon.
_LOW, _HIGH = "wang2020.theorem-2-privacy", "wang2020.theorem-4-privacy"
_PRINTED: dict[Claim, tuple[float, Word]] = {
    PAPER: (0.477275, "NOT REFUTED"),
    COMMON: (1.09821, "REFUTED"),
    LARGE: (5.25624, "REFUTED"),
    GRID[0]: (0.0966778, "NOT REFUTED"),
    GRID[1]: (0.925155, "REFUTED"),
    GRID[2]: (2.3016, "REFUTED"),
    GRID[3]: (12.4616, "REFUTED"),
    GRID[4]: (16.0963, "REFUTED"),
    GRID[5]: (61.7082, "REFUTED"),
}
for audit, pair, privacy in ((low, E1_E2, _LOW), (high, CLIENT, _HIGH)):
    for claim, (epsilon, word) in _PRINTED.items():
        AUDITS += [
            audit("AS_PRINTED", pair, claim, word, epsilon=epsilon, because=privacy),
            audit("CORRECTED", pair, claim, epsilon=claim.epsilon),
        ]
for claim, epsilon, word in (
    (GRID[0], 0.0666761, "NOT REFUTED"),
    (GRID[1], 0.625985, "NOT REFUTED"),
    (GRID[2], 1.54534, "NOT REFUTED"),
    (GRID[3], 8.00228, "REFUTED"),
    (GRID[4], 10.3939, "REFUTED"),
    (GRID[5], 34.8333, "REFUTED"),
):
    AUDITS += [
        low(FORMULA_AS_PRINTED, E1_E2, claim, word, epsilon=epsilon, because="wang2020.algorithm-1-line-2-formula"),
    ]

_BOUND: Any = {"because": _LOW}
AUDITS += [
    low("AS_PRINTED", E1_GONE, COMMON, epsilon=0.750977, **_BOUND),
    low("AS_PRINTED", MESSAGES, COMMON, "REFUTED", epsilon=1.09821, trials=4_000, least=2_000, **_BOUND),
    low("AS_PRINTED", MESSAGES, PAPER, epsilon=0.477275, trials=3_000, **_BOUND),
    low("AS_PRINTED", MESSAGE, LARGE, "REFUTED", epsilon=5.25624, trials=200_000, **_BOUND),
    low("AS_PRINTED", CLOSER_MESSAGE, LARGE, epsilon=2.68297, trials=20_000, **_BOUND),
    low("AS_PRINTED", RAND_CANARY, COMMON, "REFUTED", epsilon=1.09821, **_BOUND),
    low("AS_PRINTED", RAND_MESSAGES, COMMON, "REFUTED", epsilon=1.09821, trials=1_600, **_BOUND),
    low("AS_PRINTED", RAND_MESSAGE, LARGE, epsilon=3.47239, trials=20_000, **_BOUND),
    low("CORRECTED", E1_GONE, COMMON, epsilon=0.684149),
    low("CORRECTED", MESSAGES, COMMON, epsilon=1.0, trials=3_000),
    low("CORRECTED", MESSAGES, PAPER, epsilon=0.5, trials=3_000),
    low("CORRECTED", MESSAGE, LARGE, epsilon=4.0, trials=200_000),
    low("CORRECTED", CLOSER_MESSAGE, LARGE, epsilon=2.05833, trials=20_000),
    low("CORRECTED", RAND_CANARY, COMMON, epsilon=1.0),
    low("CORRECTED", RAND_MESSAGES, COMMON, epsilon=1.0, trials=1_000),
    low("CORRECTED", RAND_LAST, COMMON, epsilon=1.0, trials=1_000),
    low("CORRECTED", RAND_MESSAGE, LARGE, epsilon=2.65731, trials=20_000),
    low("CORRECTED", RAND_SUBSPACE, LARGE, trials=10_000),
]
_NORM: Any = {"because": "wang2020.algorithm-1-input-norm"}
for claim, epsilon in ((COMMON, 3.18579), (LARGE, 17.9797)):
    AUDITS += [
        low(TRUSTING, LONG_ROW, claim, "REFUTED", epsilon=epsilon, **_NORM),
        low(TRUSTING, LONG_ROW_MESSAGE, claim, "REFUTED", epsilon=epsilon, trials=2_000, least=2_000, **_NORM),
    ]

_BOUND = {"because": _HIGH}
AUDITS += [
    high("AS_PRINTED", CLIENTS, PAPER, epsilon=0.477275, trials=500, **_BOUND),
    high("AS_PRINTED", ONE_RUN, LARGE, "REFUTED", epsilon=5.25624, trials=200_000, least=50_000, **_BOUND),
    high("CORRECTED", CLIENTS, PAPER, epsilon=0.5, trials=500),
    high("CORRECTED", LAST_CLIENT, PAPER, epsilon=0.5, trials=500),
    high("CORRECTED", SUBSPACE, LARGE, trials=1_000),
    high("CORRECTED", ONE_RUN, LARGE, epsilon=4.0, trials=30_000),
]
# Taken literally, line 11 returns the start value: a constant, whatever the messages are.
_LINE_11: Any = {"because": "wang2020.algorithm-2-line-11"}
AUDITS += [
    high("LITERAL", SUBSPACE, LARGE, epsilon=0.0, trials=1_000, **_LINE_11),
    high("LITERAL", CLIENT, COMMON, "REFUTED", epsilon=1.09821, **_BOUND),
    high("LITERAL", CLIENTS, PAPER, epsilon=0.477275, trials=500, **_BOUND),
]


#: e_1 or -e_1 replaced by e_2, for the first client.
MAXIMISERS = {
    LOW: Maximiser({}, (np.eye(3, 2), np.vstack([np.eye(2)[1], np.eye(3, 2)[1:]])), (r"message\[0\]",)),
    HIGH: Maximiser({"p": 2, "k": 1}, (-np.eye(1, 2), np.eye(1, 2, 1)), (".*",)),
}
