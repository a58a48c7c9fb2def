"""Bugs planted in wang2020: the client of both algorithms, the protocol around it, and the seam that it draws through."""

from __future__ import annotations

from dppca.audit.suite.planted import Bug, Edit
from dppca.reference.declaration import UnitRows
from dppca.reference.noise import GaussianLaw, Record
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1
from dppca.reference.wang2020 import algorithm_2_sparse as algorithm_2

LOW, HIGH = "wang2020.local_gaussian_mechanism", "wang2020.local_gaussian_mechanism_high_dimension"
_CLIENT, _PROTOCOL, _CALIBRATE = algorithm_1.client, algorithm_1.local_gaussian_mechanism, algorithm_1.calibrate
_STD = "std=calibration.std"
_MESSAGES = 'messages.append(client(X[i], calibration, noise, name=f"message[{i}]"))'

BUGS = [
    Bug(
        "client: noise halved",
        LOW,
        (Edit(_CLIENT, _STD, "std=0.5 * calibration.std"),),
        "wang2020.local_gaussian_mechanism-AS_PRINTED-transcript-e1/e2-(1,1e-05)",
    ),
    Bug(
        "client: standard deviation taken for a variance",
        LOW,
        (Edit(_CLIENT, _STD, "std=math.sqrt(calibration.std)"),),
        "wang2020.local_gaussian_mechanism-AS_PRINTED-transcript-e1/e2-(1,1e-05)",
    ),
    Bug(
        "calibration: a whole epsilon for every coordinate",
        HIGH,
        (Edit(algorithm_2.calibrate, "algorithm_1.calibrate(epsilon,", "algorithm_1.calibrate(epsilon * p,"),),
        "wang2020.local_gaussian_mechanism_high_dimension-AS_PRINTED-exact-e1/e2-(0.5,0.0001)",
    ),
    Bug(
        "noise drawn from a fixed seed",
        LOW,
        (Edit(GaussianLaw.draw, "rng.standard_normal(", "np.random.default_rng(0).standard_normal("),),
        "GaussianLaw",
    ),
    Bug(
        "one draw for all entries of a message",
        LOW,
        (Edit(GaussianLaw.draw, "rng.standard_normal(value.shape)", "rng.standard_normal()"),),
        "test_declared_sensitivity_and_output[wang2020.local_gaussian_mechanism-CORRECTED-transcript-e1/e2-(1,1e-05)]",
    ),
    Bug(
        "the first client's noise used again for every row",
        LOW,
        (
            Edit(
                Record._release,
                "draw = law.draw(value, self._rng)",
                "draw = self._entries[0].draw if self._entries else law.draw(value, self._rng)",
            ),
        ),
        "GaussianLaw",
    ),
    Bug(
        "client: diagonal left without noise",
        LOW,
        (Edit(_CLIENT, "return message", "return np.where(upper_triangle(np.eye(len(row))) > 0.0, product, message)"),),
        "test_declared_sensitivity_and_output[wang2020.local_gaussian_mechanism-CORRECTED-transcript-e1/e2-(1,1e-05)]",
    ),
    Bug(
        "client: noise outside the seam",
        LOW,
        (
            Edit(
                _CLIENT,
                "noise.gaussian(  # line 2: X~_i, upper triangle\n"
                "        name, product, std=calibration.std, sensitivity=calibration.sensitivity\n    )",
                "product + calibration.std * np.random.standard_normal(product.shape)",
            ),
        ),
        "test_declared_sensitivity_and_output[wang2020.local_gaussian_mechanism-CORRECTED-transcript-e1/e2-(1,1e-05)]",
    ),
    Bug(
        "client: noise of single precision",
        LOW,
        (Edit(GaussianLaw.draw, "rng.standard_normal(value.shape)", "rng.standard_normal(value.shape, dtype=np.float32)"),),
        "GaussianLaw",
    ),
    Bug(
        "sensitivity of a removed row, not of a replaced one",
        LOW,
        (Edit(algorithm_1.sensitivity, "math.sqrt(2.0) if p > 1 else 1.0", "1.0"),),
        "test_declared_sensitivity_and_output[wang2020.local_gaussian_mechanism-CORRECTED-transcript-e1/e2-(1,1e-05)]",
    ),
    Bug(
        "client: unit ball taken on trust",
        LOW,
        (
            Edit(_CLIENT, 'check_unit_ball("x", check_vector("x", x))', 'check_vector("x", x)'),
            Edit(UnitRows.check, "check_unit_rows(name, data)", "check_rows(name, data)"),
        ),
        "test_the_unit_ball_is_that_of_the_euclidean_norm[wang2020.local_gaussian_mechanism-]",
    ),
    Bug(
        "calibration: classical formula beyond epsilon = 1",
        LOW,
        (Edit(_CALIBRATE, "choices.formula(epsilon, delta, delta_2)", "classical_std(epsilon, delta, delta_2)"),),
        "wang2020.local_gaussian_mechanism-CORRECTED-exact-e1/e2-(0.5,0.0001)",
    ),
    Bug(
        "server: sums the rows themselves, not the messages",
        LOW,
        (
            Edit(
                _PROTOCOL,
                "return server(messages, p, k)",
                "return server([upper_triangle(np.outer(x, x)) for x in X], p, k)",
            ),
        ),
        "test_declared_sensitivity_and_output[wang2020.local_gaussian_mechanism-CORRECTED-transcript-e1/e2-(1,1e-05)]",
    ),
    Bug(
        "client: noise scaled with the row's norm",
        HIGH,
        (Edit(_CLIENT, _STD, "std=calibration.std * float(np.linalg.norm(row))"),),
        "test_no_more_is_spent_than_the_target[wang2020.local_gaussian_mechanism_high_dimension-CORRECTED]",
    ),
    Bug(
        "protocol: every client sends two messages, each at the whole budget",
        HIGH,
        (
            Edit(
                algorithm_2.local_gaussian_mechanism_high_dimension,
                _MESSAGES,
                f"{_MESSAGES}; {_MESSAGES.replace('message[', 'again[')}",
            ),
        ),
        "wang2020.local_gaussian_mechanism_high_dimension-AS_PRINTED-transcript-canary_e1/e2-(0.5,0.0001)",
    ),
]
