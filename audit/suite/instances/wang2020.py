"""Audits of wang2020 Algorithms 1 and 2, whose clients are the same.

A client's message is a Gaussian release, so the truth about every pair of rows is known: it is decided by
enclosure, and the sampled views must agree with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.engine.results import Claim
from dppca.audit.suite.datasets import rand_health
from dppca.audit.suite.instance import Audits, Built, How, Maximiser, OneRun, Output, Transcript, View, Word
from dppca.audit.suite.pairs import gaussian_pair, message_distance
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
FORMULA_AS_PRINTED = "CORRECTED but the formula as printed"
#: The penalty of Algorithm 2's audits; only the server reads it.
PENALTY = 0.05
TRUSTING = "CORRECTED, trusting client"

Row = NDArray[np.float64]


def _low(choice: str) -> Iterator[Built]:
    """Yield the views of Algorithm 1."""
    e1, e2 = np.eye(2)
    if choice == TRUSTING:  # a row's norm exceeds 1 and nobody clips: no noise for the unit ball is enough
        for claim in (COMMON, LARGE):
            yield _exact(LOW, choice, "(2,0)/0", claim, 2.0 * e1, np.zeros(2))
            yield _transcript(LOW, choice, "(2,0)/0", claim, 2.0 * e1[None], np.zeros((1, 2)))
        return
    for claim in GRID:
        yield _exact(LOW, choice, "e1/e2", claim, e1, e2)
    if choice == FORMULA_AS_PRINTED:
        return
    half = np.array([math.sqrt(0.5), math.sqrt(0.5)])
    rand = rand_health()[:25]
    canary, other = np.eye(rand.shape[1])[:2]

    # one client in the plane: the worst pair, and a pair as far apart as adding or removing a record
    for claim in (PAPER, COMMON, LARGE):
        yield _exact(LOW, choice, "e1/e2", claim, e1, e2)
    yield _exact(LOW, choice, "e1/0", COMMON, e1, np.zeros(2))
    for claim in (COMMON, PAPER):
        yield _transcript(LOW, choice, "e1/e2", claim, e1[None], e2[None])
    yield _message(LOW, choice, "message e1/e2", LARGE, e1, e2)
    yield _message(LOW, choice, "message e1/(1,1)/sqrt2", LARGE, e1, half)

    # a client among rows of the RAND Health Insurance Experiment, replaced by a canary: the first, and the last one
    with_canary, with_other = (np.vstack([row, rand[1:]]) for row in (canary, other))
    yield _exact(LOW, choice, "RAND canary e1/e2", COMMON, canary, other)
    yield _transcript(LOW, choice, "RAND, canary e1/e2", COMMON, with_canary, with_other)
    yield _transcript(LOW, choice, "RAND, last canary e1/e2", COMMON, with_canary[::-1], with_other[::-1])
    yield _message(LOW, choice, "RAND message, row/canary", LARGE, rand[0], other)
    yield _protocol(LOW, choice, "RAND subspace, canary e1/e2", LARGE, with_canary[:5], with_other[:5])


def _high(choice: str) -> Iterator[Built]:
    """Yield the views of Algorithm 2: its client; the whole protocol's transcript, its output, and all of it in one run."""
    e1, e2 = np.eye(4)[:2]
    data, neighbour = _four_clients()
    for claim in (PAPER, COMMON, LARGE, *GRID):
        yield _exact(HIGH, choice, "e1/e2", claim, e1, e2)
    yield _transcript(HIGH, choice, "canary e1/e2", PAPER, data, neighbour)
    yield _transcript(HIGH, choice, "last canary e1/e2", PAPER, data[::-1], neighbour[::-1])
    yield _protocol(HIGH, choice, "subspace, canary e1/e2", LARGE, data, neighbour)
    yield _one_run(HIGH, choice, "one run, clients e1/e2", LARGE, *np.eye(2))


def _four_clients() -> tuple[Row, Row]:
    """Four clients in R^4; the first has e1 or e2."""
    e1, e2, e3, e4 = np.eye(4)
    data, neighbour = (np.vstack([row, e1, 0.8 * e3, 0.5 * (e1 + e4)]) for row in (e1, e2))
    return data, neighbour


low, high = AUDITS = [Audits(LOW, _low), Audits(HIGH, _high)]

# Of the printed noise the epsilons are those of a Gaussian release, sensitivity sqrt(2), std sqrt(2 ln(1.25/delta)) / epsilon;
# the corrected noise is the smallest for the claim, so the worst pair has the claim's epsilon.
_PRIVACY = {low: "wang2020.theorem-2-privacy", high: "wang2020.theorem-4-privacy"}
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
for audits, privacy in _PRIVACY.items():
    for claim, (epsilon, word) in _PRINTED.items():
        audits.of("AS_PRINTED", "exact", "e1/e2", claim, word, epsilon=epsilon, because=privacy)
        audits.of("CORRECTED", "exact", "e1/e2", claim, epsilon=claim.epsilon)
for claim, epsilon, word in (
    (GRID[0], 0.0666761, "NOT REFUTED"),
    (GRID[1], 0.625985, "NOT REFUTED"),
    (GRID[2], 1.54534, "NOT REFUTED"),
    (GRID[3], 8.00228, "REFUTED"),
    (GRID[4], 10.3939, "REFUTED"),
    (GRID[5], 34.8333, "REFUTED"),
):
    low.of(FORMULA_AS_PRINTED, "exact", "e1/e2", claim, word, epsilon=epsilon, because="wang2020.algorithm-1-line-2-formula")

_BOUND: Any = {"because": _PRIVACY[low]}
low.of("AS_PRINTED", "exact", "e1/0", COMMON, epsilon=0.750977, **_BOUND)
low.of("AS_PRINTED", "transcript", "e1/e2", COMMON, "REFUTED", epsilon=1.09821, trials=4_000, least=2_000, **_BOUND)
low.of("AS_PRINTED", "transcript", "e1/e2", PAPER, epsilon=0.477275, trials=3_000, **_BOUND)
low.of("AS_PRINTED", "output", "message e1/e2", LARGE, "REFUTED", epsilon=5.25624, trials=200_000, **_BOUND)
low.of("AS_PRINTED", "output", "message e1/(1,1)/sqrt2", LARGE, epsilon=2.68297, trials=20_000, **_BOUND)
low.of("AS_PRINTED", "exact", "RAND canary e1/e2", COMMON, "REFUTED", epsilon=1.09821, **_BOUND)
low.of("AS_PRINTED", "transcript", "RAND, canary e1/e2", COMMON, "REFUTED", epsilon=1.09821, trials=1_600, **_BOUND)
low.of("AS_PRINTED", "output", "RAND message, row/canary", LARGE, epsilon=3.47239, trials=20_000, **_BOUND)
low.of("CORRECTED", "exact", "e1/0", COMMON, epsilon=0.684149)
low.of("CORRECTED", "transcript", "e1/e2", COMMON, epsilon=1.0, trials=3_000)
low.of("CORRECTED", "transcript", "e1/e2", PAPER, epsilon=0.5, trials=3_000)
low.of("CORRECTED", "output", "message e1/e2", LARGE, epsilon=4.0, trials=200_000)
low.of("CORRECTED", "output", "message e1/(1,1)/sqrt2", LARGE, epsilon=2.05833, trials=20_000)
low.of("CORRECTED", "exact", "RAND canary e1/e2", COMMON, epsilon=1.0)
low.of("CORRECTED", "transcript", "RAND, canary e1/e2", COMMON, epsilon=1.0, trials=1_000)
low.of("CORRECTED", "transcript", "RAND, last canary e1/e2", COMMON, epsilon=1.0, trials=1_000)
low.of("CORRECTED", "output", "RAND message, row/canary", LARGE, epsilon=2.65731, trials=20_000)
low.of("CORRECTED", "output", "RAND subspace, canary e1/e2", LARGE, trials=10_000)
_NORM: Any = {"because": "wang2020.algorithm-1-input-norm"}
for claim, epsilon in ((COMMON, 3.18579), (LARGE, 17.9797)):
    low.of(TRUSTING, "exact", "(2,0)/0", claim, "REFUTED", epsilon=epsilon, **_NORM)
    low.of(TRUSTING, "transcript", "(2,0)/0", claim, "REFUTED", epsilon=epsilon, trials=2_000, least=2_000, **_NORM)

_BOUND = {"because": _PRIVACY[high]}
high.of("AS_PRINTED", "transcript", "canary e1/e2", PAPER, epsilon=0.477275, trials=500, **_BOUND)
high.of(
    "AS_PRINTED", "output", "one run, clients e1/e2", LARGE, "REFUTED", epsilon=5.25624, trials=200_000, least=50_000, **_BOUND
)
high.of("CORRECTED", "transcript", "canary e1/e2", PAPER, epsilon=0.5, trials=500)
high.of("CORRECTED", "transcript", "last canary e1/e2", PAPER, epsilon=0.5, trials=500)
high.of("CORRECTED", "output", "subspace, canary e1/e2", LARGE, trials=1_000)
high.of("CORRECTED", "output", "one run, clients e1/e2", LARGE, epsilon=4.0, trials=30_000)
# Taken literally, line 11 returns the start value: a constant, whatever the messages are.
_LINE_11: Any = {"because": "wang2020.algorithm-2-line-11"}
high.of("LITERAL", "output", "subspace, canary e1/e2", LARGE, epsilon=0.0, trials=1_000, **_LINE_11)
high.of("LITERAL", "exact", "e1/e2", COMMON, "REFUTED", epsilon=1.09821, **_BOUND)
high.of("LITERAL", "transcript", "canary e1/e2", PAPER, epsilon=0.477275, trials=500, **_BOUND)


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


# --- what runs ----------------------------------------------------------------------------------------


def _built(view: View, choice: str, name: str, claim: Claim, key: str, rows: tuple[Row, Row], how: How) -> Built:
    """Return a view with the curve of a Gaussian release between two clients' rows."""
    std = _calibration(key, choice, claim, len(rows[0])).std
    mu = math.sqrt(message_distance(*rows)) / std
    return Built(view, name, claim, how, lambda epsilon: gaussian.profile(epsilon, mu))


def _exact(key: str, choice: str, name: str, claim: Claim, x: Row, y: Row) -> Built:
    std = _calibration(key, choice, claim, len(x)).std
    how = gaussian_pair(claim, std, message_distance(x, y), (x[None], y[None]))
    return _built("exact", choice, name, claim, key, (x, y), how)


def _transcript(key: str, choice: str, name: str, claim: Claim, X: Row, Y: Row) -> Built:
    """Return the server's view of all messages; the datasets differ in one row."""
    algorithm = _algorithm(key, choice, claim, X.shape[1])
    (row,) = np.flatnonzero((X != Y).any(axis=1))
    return _built("transcript", choice, name, claim, key, (X[row], Y[row]), Transcript(algorithm, X, Y))


def _message(key: str, choice: str, name: str, claim: Claim, x: Row, y: Row) -> Built:
    """Return the view of one client's message as an output."""
    calibration = _calibration(key, choice, claim, len(x))

    def mechanism(row: Row, rng: np.random.Generator) -> Row:
        return algorithm_1.client(row, calibration, Sample(rng), "message")

    how = Output(mechanism, x, y, arguments=_arguments(key, claim, len(x)), message=True)
    return _built("output", choice, name, claim, key, (x, y), how)


def _protocol(key: str, choice: str, name: str, claim: Claim, X: Row, Y: Row) -> Built:
    """Return the view of the final subspace, compared as a projector; the datasets differ in their first row."""
    algorithm = _algorithm(key, choice, claim, X.shape[1])

    def mechanism(rows: Row, rng: np.random.Generator) -> Row:
        basis: Row = algorithm(rows, Sample(rng))
        return basis

    how = Output(mechanism, X, Y, features=_projector, arguments=_arguments(key, claim, X.shape[1]))
    return Built("output", name, claim, how)


def _one_run(key: str, choice: str, name: str, claim: Claim, x: Row, y: Row) -> Built:
    """Return the view of the whole protocol in one run, its messages read off the tape of its releases."""
    algorithm = _algorithm(key, choice, claim, len(x))

    def messages(rows: Row, rng: np.random.Generator) -> list[Any]:
        _, tape = record(algorithm, rows, rng)
        return [entry.released for entry in tape.entries]

    how = OneRun(messages, x, y, arguments=_arguments(key, claim, len(x)))
    return _built("output", choice, name, claim, key, (x, y), how)


def _projector(basis: Row) -> Row:
    """Return a subspace as the upper triangle of its projector."""
    return upper_triangle(projector(basis))


#: e_1 or -e_1 replaced by e_2, for the first client.
MAXIMISERS = {
    LOW: Maximiser({}, (np.eye(3, 2), np.vstack([np.eye(2)[1], np.eye(3, 2)[1:]])), (r"message\[0\]",)),
    HIGH: Maximiser({"p": 2, "k": 1}, (-np.eye(1, 2), np.eye(1, 2, 1)), (".*",)),
}
