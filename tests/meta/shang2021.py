"""Bugs in shang2021: DP-SPCA and DP-VRPCA.

Calibrations are audited in the transcript view with the index summed out (audit/suite/marginal.py); the algorithms' own
code by its releases' sensitivities, in the output view, or in the transcript view where the bug shows the index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dppca.audit.engine.results import Claim
from dppca.audit.suite import marginal
from dppca.audit.suite.instance import sampled
from dppca.audit.suite.marginal import with_start
from dppca.reference.declaration import UnitRows
from dppca.reference.noise import Algorithm, Record
from dppca.reference.shang2021 import algorithm_1_dp_spca as algorithm_1
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as algorithm_2
from tests.meta.audits import Output, Sensitivity, Tape, Transcript, shown
from tests.meta.bug import Bug
from tests.meta.planting import Edit

SPCA, VRPCA = "shang2021.dp_spca", "shang2021.dp_vrpca"
COMMON, LARGE = Claim(1.0, 1e-2), Claim(4.0, 0.2)
#: Steps this small keep the iterates at the start vector e_1.
TINY = 1e-6
START = np.eye(2, 1)
#: Rows at -45 degrees, one of them moved to +45; a gradient at e_1 moves by c e_2.
_ROW = np.array([0.5**0.5, -(0.5**0.5)])


def _across(n: int) -> Any:
    data = np.tile(_ROW, (n, 1))
    return data, np.vstack([np.abs(_ROW), data[1:]])


def _alone(n: int) -> Any:
    """e_1 or nothing among rows of nothing."""
    return np.zeros((n, 2)), np.vstack([START.T, np.zeros((n - 1, 2))])


def _spca(claim: Claim, n: int, T: int, step: float, *, indices: bool) -> Algorithm[Any]:
    function = algorithm_1.dp_spca if indices else marginal.dp_spca
    calibration = algorithm_1.calibrate(claim.epsilon, claim.delta, n, 2, T)
    return with_start(lambda X, noise: function(X, np.full(T, step), calibration, noise), START)


def _vrpca(claim: Claim, n: int, T: int, m: int, step: float, *, indices: bool) -> Algorithm[Any]:
    function = algorithm_2.dp_vrpca if indices else marginal.dp_vrpca
    calibration = algorithm_2.calibrate(claim.epsilon, claim.delta, n, 2, T, m)
    return with_start(lambda X, noise: function(X, step, calibration, noise), START)


def _spca_account() -> Transcript:
    return Transcript(_spca(COMMON, 3, 9, TINY, indices=False), *_alone(3), COMMON)


def _spca_indices() -> Transcript:
    return Transcript(_spca(COMMON, 3, 9, TINY, indices=True), *_alone(3), COMMON)


def _spca_sensitivity() -> Sensitivity:
    """Large steps, opposite rows; only runs in which the changed row is used say anything."""
    return Sensitivity(_spca(COMMON, 2, 9, 5.0, indices=True), *_across(2))


def _spca_tape() -> Tape:
    return Tape(_spca(COMMON, 3, 9, 5.0, indices=True), _across(3)[1])


def _long_rows() -> Sensitivity:
    return Sensitivity(_spca(COMMON, 2, 9, 5.0, indices=True), *(3.0 * X for X in _across(2)))


def _spca_output() -> Output:
    """The output across the start vector, in units of the step."""
    run = sampled(_spca(LARGE, 1, 2, TINY, indices=True))
    return Output(run, *_across(1), LARGE, features=lambda V: float(V[1, 0]) / TINY)


def _spca_releases() -> Output:
    """Whether both steps release the same."""
    return Output(
        shown(_spca(LARGE, 2, 2, TINY, indices=True)), *_across(2), LARGE, features=lambda g: str(np.ptp(g[1::2]) > 0.1)
    )


def _vrpca_account() -> Transcript:
    return Transcript(_vrpca(COMMON, 1, 1, 16, TINY, indices=False), *_across(1), COMMON)


def _vrpca_output() -> Output:
    run = sampled(_vrpca(COMMON, 16, 2, 1, TINY, indices=True))
    return Output(run, *_across(16), COMMON, features=lambda V: float(V[1, 0]) / TINY)


def _vrpca_sensitivity() -> Sensitivity:
    return Sensitivity(_vrpca(COMMON, 2, 4, 2, 5.0, indices=True), *_across(2))


_ACCOUNT = "check_epsilon(epsilon), delta, n, T, sensitivity, k, certify, progress"
_INDEX_1 = 'int(noise.secret_integers(f"i[{t}]", n, ()))'
_GRADIENT = 'f"g[{t}]", gradient, std=calibration.std'

BUGS = [
    Bug("noise halved", SPCA, "noise", (Edit(algorithm_1.calibrate, "std=lambda_1", "std=0.5 * lambda_1"),), _spca_account),
    Bug(
        "account of one step for T",
        SPCA,
        "composition",
        (Edit(algorithm_1.calibrate, _ACCOUNT, "check_epsilon(epsilon), delta, n, 1, sensitivity, k, certify, progress"),),
        _spca_account,
    ),
    Bug(
        "subsampling counted twice",
        SPCA,
        "composition",
        (Edit(algorithm_1.calibrate, _ACCOUNT, "check_epsilon(epsilon), delta, n * n, T, sensitivity, k, certify, progress"),),
        _spca_account,
    ),
    Bug(
        "gradient without its factor 2 in the sensitivity",
        SPCA,
        "sensitivity",
        (Edit(algorithm_1.calibrate, "sensitivity = c * row_changes", "sensitivity = row_changes"),),
        _spca_sensitivity,
    ),
    Bug(
        "index drawn in public",
        SPCA,
        "secret",
        (Edit(algorithm_1.dp_spca, _INDEX_1, 'int(n * float(noise.public_uniform(f"i[{t}]", ())))'),),
        _spca_indices,
    ),
    Bug(
        "rows in turn, not at random",
        SPCA,
        "secret",
        (Edit(algorithm_1.dp_spca, _INDEX_1, "(t - 1) % n"),),
        _spca_indices,
    ),
    Bug(
        "index outside the seam",
        SPCA,
        "secret",
        (Edit(algorithm_1.dp_spca, _INDEX_1, "int(np.random.default_rng().integers(n))"),),
        _spca_tape,
    ),
    Bug(
        "line 4 forgotten: the iterate is not normalised",
        SPCA,
        "clipping",
        (Edit(algorithm_1.dp_spca, "V = polar_factor(V_prime)", "V = V_prime"),),
        _spca_sensitivity,
    ),
    Bug(
        "unit ball taken on trust",
        SPCA,
        "clipping",
        (Edit(UnitRows.check, "check_unit_rows(name, data)", "check_rows(name, data)"),),
        _long_rows,
    ),
    Bug(
        "noise multiplied by the step size twice",
        SPCA,
        "noise",
        (Edit(algorithm_1.dp_spca, _GRADIENT, f"{_GRADIENT} * eta[t - 1]"),),
        _spca_output,
    ),
    Bug(
        "noise in the first step only",
        SPCA,
        "noise",
        (Edit(algorithm_1.dp_spca, _GRADIENT, f"{_GRADIENT} * (t == 1)"),),
        _spca_output,
    ),
    Bug(
        "the first step's noise used again in every step",
        SPCA,
        "noise",
        (
            Edit(
                Record._release,
                "draw = law.draw(value, self._rng)",
                "earlier = [entry.draw for entry in self._entries if entry.role == 'release']\n"
                "    draw = earlier[0] if earlier else law.draw(value, self._rng)",
            ),
        ),
        _spca_releases,
    ),
    Bug(
        "epochs not counted",
        VRPCA,
        "composition",
        (Edit(algorithm_2.calibrate, 'check_count("T", T) * check_count("m", m)', 'check_count("T", T)'),),
        _vrpca_account,
    ),
    Bug(
        "noise halved",
        VRPCA,
        "noise",
        (Edit(algorithm_2.calibrate, "std=lambda_2", "std=0.5 * lambda_2"),),
        _vrpca_account,
    ),
    Bug(
        "noise divided by n, the mean's noise on a gradient",
        VRPCA,
        "noise",
        (Edit(algorithm_2.calibrate, "std=lambda_2", "std=lambda_2 / n"),),
        _vrpca_output,
    ),
    Bug(
        "full gradient as a sum, not as a mean",
        VRPCA,
        "sensitivity",
        (Edit(algorithm_2.dp_vrpca, "A = X.T @ X / n", "A = X.T @ X"),),
        _vrpca_output,
    ),
    Bug(
        "full gradient as a sum, not as a mean: sensitivities",
        VRPCA,
        "sensitivity",
        (Edit(algorithm_2.dp_vrpca, "A = X.T @ X / n", "A = X.T @ X"),),
        _vrpca_sensitivity,
        missed="the declared sensitivity is 2 - 1/n, and the error shows in the account of the full gradient, not in a release",
    ),
    Bug(
        "last update from the full gradient, without noise",
        VRPCA,
        "leak",
        (Edit(algorithm_2.dp_vrpca, "return V_tilde", "return polar_factor(V_tilde - eta * mu_tilde * 1e3)"),),
        _vrpca_output,
    ),
    Bug(
        "row drawn by its norm, not uniformly",
        VRPCA,
        "data-dependent parameter",
        (
            Edit(
                algorithm_2.dp_vrpca,
                'int(noise.secret_integers(f"i[{s},{t}]", n, ()))',
                'int(np.argsort(-np.linalg.norm(X, axis=1))[int(noise.secret_integers(f"i[{s},{t}]", n, ()))])',
            ),
        ),
        lambda: Sensitivity(_vrpca(COMMON, 2, 4, 2, 5.0, indices=True), np.eye(2), np.array([[0.0, 0.5], [0.0, 1.0]])),
    ),
]
