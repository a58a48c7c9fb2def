"""Bugs in wang2020: the client of both algorithms, the protocol around it, and the seam that it draws through."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import sampled
from dppca.audit.suite.pairs import message_distance, pair_epsilon
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import UnitRows
from dppca.reference.noise import GaussianLaw, Noise, Record
from dppca.reference.primitives.subspaces import projector
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1
from dppca.reference.wang2020 import algorithm_2_sparse as algorithm_2
from tests.meta.audits import Exact, Output, Sensitivity, Tape, Transcript, shown
from tests.meta.bug import Bug
from tests.meta.planting import Edit

LOW, HIGH = "wang2020.local_gaussian_mechanism", "wang2020.local_gaussian_mechanism_high_dimension"
PAPER, COMMON, LARGE = Claim(0.5, 1e-4), Claim(1.0, 1e-5), Claim(4.0, 1e-2)
E1, E2 = np.eye(2)
#: One client whose row changes, and the same beside another client.
ONE = E1[None], E2[None]
TWO = np.vstack([E1, E1]), np.vstack([E2, E1])
#: Four clients in R^4.
FOUR = tuple(np.vstack([row, np.eye(4)[0], 0.8 * np.eye(4)[2], 0.5 * np.eye(4)[3]]) for row in np.eye(4)[:2])


def _low(claim: Claim) -> Any:
    entry = ALGORITHMS[LOW]
    return entry.bind(epsilon=claim.epsilon, delta=claim.delta, p=2, k=1, choices=entry.choices["CORRECTED"])


def _high(claim: Claim) -> Any:
    """The messages are what is audited, so the server may stop after a pass."""

    def run(X: Any, noise: Noise) -> Any:
        calibration = algorithm_2.calibrate(claim.epsilon, claim.delta, X.shape[1])
        literal = algorithm_2.LITERAL
        return algorithm_2.local_gaussian_mechanism_high_dimension(X, 1, 0.05, calibration, noise, literal)

    return run


def _transcript() -> Transcript:
    return Transcript(_low(COMMON), *ONE, COMMON)


def _high_transcript() -> Transcript:
    return Transcript(_high(PAPER), *FOUR, PAPER)


def _sensitivity() -> Sensitivity:
    return Sensitivity(_low(COMMON), *ONE)


def _long_row() -> Sensitivity:
    return Sensitivity(_low(COMMON), 2.0 * ONE[0], ONE[1])


def _messages() -> Output:
    """What the server sees of two clients."""
    return Output(shown(_low(LARGE)), *TWO, LARGE)


def _message() -> Output:
    """What one client returns."""

    def mechanism(X: Any, rng: np.random.Generator) -> Any:
        calibration = algorithm_1.calibrate(LARGE.epsilon, LARGE.delta, 2)
        return algorithm_1.client(X[0], calibration, Record(rng), "message")

    return Output(mechanism, *ONE, LARGE)


def _subspace() -> Output:
    return Output(sampled(_low(LARGE)), *ONE, LARGE, features=lambda V: upper_triangle(projector(V)))


def _grain() -> Output:
    """Which entries of a message are numbers of single precision."""
    base = _message()
    return replace(base, features=lambda message: str(message == message.astype(np.float32)))


def _account(claim: Claim) -> Exact:
    """Epsilon of the worst pair at the claim's delta, from an enclosure."""

    def sides() -> tuple[float, float]:
        std = algorithm_1.calibrate(claim.epsilon, claim.delta, 2).std
        return pair_epsilon(claim, std, message_distance(*np.eye(2))), claim.epsilon

    return Exact(sides)


_CLIENT, _PROTOCOL, _CALIBRATE = algorithm_1.client, algorithm_1.local_gaussian_mechanism, algorithm_1.calibrate
_STD = "std=calibration.std"
_MESSAGES = 'messages.append(client(X[i], calibration, noise, name=f"message[{i}]"))'

BUGS = [
    Bug("client: noise halved", LOW, "noise", (Edit(_CLIENT, _STD, "std=0.5 * calibration.std"),), _transcript),
    Bug(
        "client: standard deviation taken for a variance",
        LOW,
        "noise",
        (Edit(_CLIENT, _STD, "std=math.sqrt(calibration.std)"),),
        _transcript,
    ),
    Bug(
        "calibration: a whole epsilon for every coordinate",
        HIGH,
        "composition",
        (Edit(algorithm_2.calibrate, "algorithm_1.calibrate(epsilon,", "algorithm_1.calibrate(epsilon * p,"),),
        _high_transcript,
    ),
    Bug(
        "noise drawn from a fixed seed",
        LOW,
        "noise",
        (Edit(GaussianLaw.draw, "rng.standard_normal(", "np.random.default_rng(0).standard_normal("),),
        _message,
    ),
    Bug(
        "noise drawn from a fixed seed, transcript view",
        LOW,
        "noise",
        (Edit(GaussianLaw.draw, "rng.standard_normal(", "np.random.default_rng(0).standard_normal("),),
        _transcript,
        missed="this view draws releases from their declared laws, not with the algorithm's sampler",
    ),
    Bug(
        "one draw for all entries of a message",
        LOW,
        "noise",
        (Edit(GaussianLaw.draw, "rng.standard_normal(value.shape)", "rng.standard_normal()"),),
        _message,
    ),
    Bug(
        "the first client's noise used again for every row",
        LOW,
        "noise",
        (
            Edit(
                Record._release,
                "draw = law.draw(value, self._rng)",
                "draw = self._entries[0].draw if self._entries else law.draw(value, self._rng)",
            ),
        ),
        _messages,
    ),
    Bug(
        "client: diagonal left without noise",
        LOW,
        "noise",
        (Edit(_CLIENT, "return message", "return np.where(upper_triangle(np.eye(len(row))) > 0.0, product, message)"),),
        _message,
    ),
    Bug(
        "client: noise outside the seam",
        LOW,
        "noise",
        (
            Edit(
                _CLIENT,
                "noise.gaussian(  # line 2\n"
                "        name, product, std=calibration.std, sensitivity=calibration.sensitivity\n    )",
                "product + calibration.std * np.random.standard_normal(product.shape)",
            ),
        ),
        lambda: Tape(_low(COMMON), ONE[0]),
    ),
    Bug(
        "client: noise of single precision",
        LOW,
        "float",
        (Edit(GaussianLaw.draw, "rng.standard_normal(value.shape)", "rng.standard_normal(value.shape, dtype=np.float32)"),),
        _grain,
    ),
    Bug(
        "sensitivity of a removed row, not of a replaced one",
        LOW,
        "sensitivity",
        (Edit(algorithm_1.sensitivity, 'math.sqrt(2.0) if check_count("p", p) > 1 else 1.0', "1.0"),),
        _sensitivity,
    ),
    Bug(
        "client: unit ball taken on trust",
        LOW,
        "clipping",
        (
            Edit(_CLIENT, 'check_unit_ball("x", check_vector("x", x))', 'check_vector("x", x)'),
            Edit(UnitRows.check, "check_unit_rows(name, data)", "check_rows(name, data)"),
        ),
        _long_row,
    ),
    Bug(
        "calibration: classical formula beyond epsilon = 1",
        LOW,
        "calibration",
        (Edit(_CALIBRATE, '"analytic": analytic_std', '"analytic": classical_std'),),
        lambda: _account(Claim(10.0, 1e-5)),
    ),
    Bug(
        "server: sums the rows themselves, not the messages",
        LOW,
        "leak",
        (
            Edit(
                _PROTOCOL,
                "return server(messages, p, k)",
                "return server([upper_triangle(np.outer(x, x)) for x in X], p, k)",
            ),
        ),
        _subspace,
    ),
    Bug(
        "server: sums the rows themselves, transcript view",
        LOW,
        "leak",
        (
            Edit(
                _PROTOCOL,
                "return server(messages, p, k)",
                "return server([upper_triangle(np.outer(x, x)) for x in X], p, k)",
            ),
        ),
        _transcript,
    ),
    Bug(
        "client: noise scaled with the row's norm",
        HIGH,
        "data-dependent parameter",
        (Edit(_CLIENT, _STD, "std=calibration.std * float(np.linalg.norm(row))"),),
        lambda: Transcript(_high(PAPER), FOUR[0], np.vstack([0.1 * FOUR[0][:1], FOUR[0][1:]]), PAPER),
    ),
    Bug(
        "protocol: every client sends two messages, each at the whole budget",
        HIGH,
        "composition",
        (
            Edit(
                algorithm_2.local_gaussian_mechanism_high_dimension,
                _MESSAGES,
                f"{_MESSAGES}; {_MESSAGES.replace('message[', 'again[')}",
            ),
        ),
        _high_transcript,
    ),
]
