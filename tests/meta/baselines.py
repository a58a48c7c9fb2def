"""Bugs in the baselines."""

from __future__ import annotations

from typing import Any

import numpy as np

from dppca.audit.engine.results import Claim
from dppca.audit.suite import marginal
from dppca.audit.suite.instance import sampled
from dppca.audit.suite.marginal import with_start
from dppca.reference.baselines import (
    analyze_gauss,
    dp_sgd,
    exponential,
    matrix_exponential,
    mod_sulq,
    noisy_power_method,
    wishart,
)
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import UnitRows
from dppca.reference.noise import Algorithm
from dppca.reference.primitives.bingham import BinghamLaw, log_normaliser
from dppca.reference.primitives.matrix_bingham import MatrixBinghamLaw
from dppca.reference.primitives.subspaces import projector
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.primitives.wishart import WishartLaw, exact_delta
from tests.meta.audits import Exact, Output, Sensitivity, Transcript, shown
from tests.meta.bug import Bug
from tests.meta.planting import Edit

GAUSS = "baselines.analyze_gauss"
SULQ = "baselines.mod_sulq"
POWER = "baselines.noisy_power_method"
WISHART = "baselines.wishart_mechanism"
EXPONENTIAL = "baselines.exponential_mechanism"
MATRIX = "baselines.matrix_exponential_mechanism"
SGD = "baselines.dp_sgd"

COMMON, LARGE = Claim(1.0, 1e-6), Claim(4.0, 0.2)
N = 21
E1, E2 = np.eye(2)
#: e_1 replaced by e_2, or by nothing, among rows of length 1/2 on the diagonal between them.
PAIR = tuple(np.vstack([row, np.full((N - 1, 2), 0.5**1.5)]) for row in (E1, E2))
GONE = (PAIR[0], np.vstack([0.0 * E1, PAIR[0][1:]]))
#: A row of R^16 whose entries are all 1/4, or nothing.
FLAT = np.full((1, 16), 0.25), np.zeros((1, 16))
#: e_1 replaced by e_2 beside a row at e_2.
POLE = tuple(np.vstack([np.eye(1, 3, j), np.eye(1, 3, 1)]) for j in (0, 1))
PURE = Claim(4.0, 0.0)


def _bind(key: str, **arguments: Any) -> Algorithm[Any]:
    return ALGORITHMS[key].bind(**arguments, choices=ALGORITHMS[key].choices["CORRECTED"])


def _clipped_rows() -> Sensitivity:
    """Every row is drawn; of two rows, 80 degrees on either side of the start vector, one goes."""
    run = _bind(SGD, epsilon=1.0, delta=0.01, d=2, k=1, rate=1.0, C=0.05, lot=1.0, step_sizes=(0.5,))
    angle = np.radians(80.0)
    rows = np.array([[np.cos(angle), sign * np.sin(angle)] for sign in (1.0, -1.0)])
    return Sensitivity(with_start(run, np.eye(2, 1)), rows, rows[:1])


def _sgd_output() -> Output:
    """A row between the start vector and another axis, or none; the output across the start vector."""
    steps = {"lot": 1.0, "step_sizes": (1e-6,) * 4}
    run = with_start(_bind(SGD, epsilon=1.0, delta=0.01, d=2, rate=0.1, C=0.5, **steps), np.eye(2, 1))
    pair = np.vstack([np.full((1, 2), 0.5**0.5), np.zeros((1, 2))]), np.zeros((1, 2))
    return Output(sampled(run), *pair, Claim(1.0, 0.01), features=lambda basis: float(basis[1, 0]) / 1e-6)


def _sgd_releases() -> Transcript:
    """A row along the start vector, or none, its samples summed out."""
    calibration = dp_sgd.calibrate(1.0, 0.01, d=2, T=4, rate=0.1, C=0.5)
    run = with_start(lambda X, noise: marginal.dp_sgd(X, 1.0, (1e-6,) * 4, calibration, noise), np.eye(2, 1))
    return Transcript(run, np.eye(2)[:1], np.zeros((1, 2)), Claim(1.0, 0.01))


def _gauss(claim: Claim) -> Algorithm[Any]:
    return _bind(GAUSS, epsilon=claim.epsilon, delta=claim.delta, d=2, k=1)


def _sulq() -> Algorithm[Any]:
    return _bind(SULQ, epsilon=COMMON.epsilon, delta=COMMON.delta, n=N, d=2, k=1)


def _power(claim: Claim, L: int, d: int = 16, k: int = 1) -> Algorithm[Any]:
    """From the start vector along (1, ..., 1), or for k > 1 from the first coordinates."""
    start = np.full((d, 1), d**-0.5) if k == 1 else np.eye(d, k)
    return with_start(_bind(POWER, epsilon=claim.epsilon, delta=claim.delta, d=d, k=k, L=L), start)


def _gauss_transcript() -> Transcript:
    return Transcript(_gauss(COMMON), *PAIR, COMMON)


def _gauss_sensitivity() -> Sensitivity:
    return Sensitivity(_gauss(COMMON), *PAIR)


def _sulq_sensitivity() -> Sensitivity:
    return Sensitivity(_sulq(), *GONE)


def _steps() -> Transcript:
    """Five steps on a row that fills the iterates."""
    return Transcript(_power(COMMON, 5), np.tile(FLAT[0], (400, 1)), np.vstack([FLAT[1], np.tile(FLAT[0], (399, 1))]), COMMON)


def _clean_step() -> Output:
    return Output(sampled(_power(LARGE, 1)), *FLAT, LARGE, features=lambda basis: float(basis.sum()))


def _block() -> Sensitivity:
    return Sensitivity(_power(COMMON, 1, d=3, k=2), *(np.eye(1, 3, j) for j in (0, 1)))


def _wishart_delta() -> Exact:
    return Exact(lambda: (exact_delta(3, wishart.calibrate(1.0, 0.1, 3).scale), 0.1))


def _wishart_matrix() -> Output:
    """Whether the released matrix less the other dataset's is positive definite."""
    claim, pair = Claim(1.0, 0.1), (np.zeros((1, 2)), E2[None])
    run = _bind(WISHART, epsilon=claim.epsilon, delta=claim.delta, n=1, k=1)

    def smallest(flat: Any) -> float:
        return float(np.linalg.eigvalsh(flat.reshape(2, 2) - np.outer(E2, E2))[0])

    return Output(shown(run), *pair, claim, features=smallest)


def _directions(k: int) -> Transcript:
    return Transcript(_bind(EXPONENTIAL, epsilon=PURE.epsilon, k=k), *POLE, PURE)


def _direction() -> Transcript:
    return _directions(1)


def _two_directions() -> Transcript:
    return _directions(2)


def _direction_output() -> Output:
    """One direction, at the exact epsilon of the two Bingham laws, which is below the calibration's."""
    run = _bind(EXPONENTIAL, epsilon=PURE.epsilon, k=1)
    m = 0.5 * PURE.epsilon
    tight = Claim(m + log_normaliser(np.diag([0.0, 2.0 * m, 0.0])) - log_normaliser(np.diag([m, m, 0.0])))
    return Output(sampled(run), *POLE, tight, features=lambda v: float(v[0, 0] ** 2 - v[1, 0] ** 2))


def _plane_output() -> Output:
    """A plane in R^3, at the exact epsilon of the two laws of its normal."""
    run = _bind(MATRIX, epsilon=PURE.epsilon)
    m = 0.5 * PURE.epsilon
    tight = Claim(m + abs(log_normaliser(np.diag([-m, -m, 0.0])) - log_normaliser(np.diag([0.0, -2.0 * m, 0.0]))))
    return Output(sampled(run), *POLE, tight, features=lambda V: float(V[1] @ V[1] - V[0] @ V[0]))


_GAUSS, _SULQ, _POWER = analyze_gauss.analyze_gauss, mod_sulq.mod_sulq, noisy_power_method.noisy_power_method
_POWER_STD = "std=calibration.multiplier * calibration.step_scale(basis)"

BUGS = [
    Bug(
        "sensitivity of a removed row, not of a replaced one",
        GAUSS,
        "sensitivity",
        (Edit(analyze_gauss.calibrate, "frobenius(d, choices.relation.value)", "frobenius(d, Relation.ADD_REMOVE)"),),
        _gauss_sensitivity,
    ),
    Bug(
        "noise of the mean on the sum: divided by n",
        GAUSS,
        "noise",
        (Edit(_GAUSS, "std=calibration.std", "std=calibration.std / len(X)"),),
        _gauss_transcript,
    ),
    Bug(
        "unit ball taken on trust",
        GAUSS,
        "clipping",
        (Edit(UnitRows.check, "check_unit_rows(name, data)", "check_rows(name, data)"),),
        lambda: Sensitivity(_gauss(COMMON), 3.0 * PAIR[0], np.vstack([0.0 * E1, 3.0 * PAIR[0][1:]])),
    ),
    Bug(
        "noise scaled with the longest row",
        GAUSS,
        "data-dependent parameter",
        (Edit(_GAUSS, "std=calibration.std", "std=calibration.std * np.max(np.linalg.norm(X, axis=1))"),),
        lambda: Transcript(_gauss(COMMON), *GONE, COMMON),
    ),
    Bug(
        "returns the eigenvectors of the matrix without noise",
        GAUSS,
        "leak",
        (Edit(_GAUSS, "principal_subspace(C_hat, k)", "principal_subspace(X.T @ X, k)"),),
        lambda: Output(sampled(_gauss(LARGE)), *PAIR, LARGE, features=lambda V: upper_triangle(projector(V))),
    ),
    Bug(
        "divides by the number of rows that are not 0",
        SULQ,
        "data-dependent parameter",
        (Edit(_SULQ, "A = X.T @ X / n", "A = X.T @ X / max(1, np.count_nonzero(X.any(axis=1)))"),),
        lambda: Sensitivity(_sulq(), np.vstack([E1, np.zeros((N - 1, 2))]), np.vstack([E1, E2, np.zeros((N - 2, 2))])),
    ),
    Bug(
        "calibration divides by n twice",
        SULQ,
        "calibration",
        (Edit(mod_sulq.calibrate, 'frobenius(d) / check_count("n", n)', 'frobenius(d) / check_count("n", n) ** 2'),),
        _sulq_sensitivity,
    ),
    Bug(
        "L steps charged as one",
        POWER,
        "composition",
        (Edit(noisy_power_method.calibrate, "row_changes.on_basis(d, k) * math.sqrt(L)", "row_changes.on_basis(d, k)"),),
        _steps,
    ),
    Bug(
        "noise falls with the step",
        POWER,
        "noise",
        (Edit(_POWER, _POWER_STD, f"{_POWER_STD} / step"),),
        _steps,
    ),
    Bug(
        "noise scaled with the largest entry of the iterate",
        POWER,
        "data-dependent parameter",
        (Edit(_POWER, _POWER_STD, f"{_POWER_STD} * np.max(np.abs(basis))"),),
        _steps,
    ),
    Bug(
        "one clean step at the end",
        POWER,
        "leak",
        (Edit(_POWER, "return basis", "return qr_factor(A @ basis)"),),
        _clean_step,
    ),
    Bug(
        "sensitivity of one column for a basis of two",
        POWER,
        "sensitivity",
        (
            Edit(noisy_power_method.calibrate, "row_changes.on_basis(d, k)", "row_changes.on_basis(d, 1)"),
            Edit(
                noisy_power_method.PowerCalibration.sensitivity,
                "on_basis(basis.shape[0], self.k)",
                "on_basis(basis.shape[0], 1)",
            ),
        ),
        _block,
    ),
    Bug(
        "scale without the factor 2 of the exponent",
        WISHART,
        "calibration",
        (Edit(wishart.calibrate, "scale = -1.0 / (2.0 * n * ", "scale = -1.0 / (4.0 * n * "),),
        _wishart_delta,
    ),
    Bug(
        "d degrees of freedom, not d + 1",
        WISHART,
        "noise",
        (Edit(WishartLaw.draw_shape, "value.shape[0] + 1, value.shape[0]", "value.shape[0], value.shape[0]"),),
        _wishart_matrix,
    ),
    Bug(
        "multiplier epsilon, not epsilon / 2",
        EXPONENTIAL,
        "calibration",
        (Edit(exponential.calibrate, "cost = 2.0 * sensitivity", "cost = sensitivity"),),
        _direction,
    ),
    Bug(
        "every direction spends the whole epsilon",
        EXPONENTIAL,
        "composition",
        (Edit(exponential.calibrate, ' * check_count("k", k)', ""),),
        _two_directions,
    ),
    Bug(
        "Bingham sampler: proposals not scaled by a square root",
        EXPONENTIAL,
        "noise",
        (Edit(BinghamLaw.apply, "np.sqrt(1.0 + 2.0 * gaps / b)", "(1.0 + 2.0 * gaps / b)"),),
        _direction_output,
    ),
    Bug(
        "Bingham sampler: density of the proposals left out of the ratio",
        EXPONENTIAL,
        "noise",
        (Edit(BinghamLaw.apply, "-exponent + 0.5 * d * np.log1p(2.0 * exponent / b) - log_bound", "-exponent"),),
        _direction_output,
    ),
    Bug(
        "multiplier epsilon, not epsilon / 2",
        MATRIX,
        "calibration",
        (Edit(matrix_exponential.calibrate, ", 2.0 * sensitivity)", ", sensitivity)"),),
        _plane_output,
    ),
    Bug(
        "the normal drawn from twice the matrix",
        MATRIX,
        "noise",
        (Edit(MatrixBinghamLaw.apply, "apply(-value, draw)", "apply(-2.0 * value, draw)"),),
        _plane_output,
    ),
    Bug(
        "gradients clipped entry by entry",
        SGD,
        "sensitivity",
        (
            Edit(
                dp_sgd.dp_sgd, "gradients / np.maximum(1.0, norms / C)[:, np.newaxis, np.newaxis]", "np.clip(gradients, -C, C)"
            ),
        ),
        _clipped_rows,
    ),
    Bug(
        "the sum is clipped, not each gradient of it",
        SGD,
        "sensitivity",
        (
            Edit(
                dp_sgd.dp_sgd,
                "clipped.sum(axis=0)",
                "gradients.sum(axis=0) / max(1.0, np.linalg.norm(gradients.sum(axis=0)) / C)",
            ),
        ),
        _clipped_rows,
    ),
    Bug(
        "the account of one step for all",
        SGD,
        "composition",
        (Edit(dp_sgd.calibrate, 'check_count("T", T)', "1"),),
        _sgd_releases,
    ),
    Bug(
        "the rate accounted twice",
        SGD,
        "calibration",
        (Edit(dp_sgd.calibrate, "Poisson(drawn_rate(rate))", "Poisson(drawn_rate(rate) ** 2)"),),
        _sgd_releases,
    ),
    Bug(
        "every row is drawn, and accounted as sampled",
        SGD,
        "secret",
        (Edit(dp_sgd.dp_sgd, "calibration.rate, (n,)", "1.0, (n,)"),),
        _sgd_output,
    ),
]
