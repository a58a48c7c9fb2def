"""Bugs planted in the baselines, and in the account of Poisson-sampled steps."""

from __future__ import annotations

from dppca.audit.suite.accounting import lower_bounds as lower
from dppca.audit.suite.planted import Bug, Edit
from dppca.reference.accounting import checker
from dppca.reference.baselines import (
    analyze_gauss,
    dp_sgd,
    exponential,
    matrix_exponential,
    mod_sulq,
    noisy_power_method,
    output_perturbation,
    wishart,
)
from dppca.reference.declaration import UnitRows
from dppca.reference.primitives.bingham import BinghamLaw
from dppca.reference.primitives.matrix_bingham import MatrixBinghamLaw
from dppca.reference.primitives.wishart import WishartLaw

GAUSS = "baselines.analyze_gauss"
OUTPUT = "baselines.output_perturbation"
SULQ = "baselines.mod_sulq"
POWER = "baselines.noisy_power_method"
WISHART = "baselines.wishart_mechanism"
EXPONENTIAL = "baselines.exponential_mechanism"
MATRIX = "baselines.matrix_exponential_mechanism"
SGD = "baselines.dp_sgd"
_GAUSS, _SULQ, _POWER = analyze_gauss.analyze_gauss, mod_sulq.mod_sulq, noisy_power_method.noisy_power_method
_POWER_STD = "std=calibration.multiplier * calibration.step_scale(basis)"


BUGS = [
    Bug(
        "sensitivity of a removed row, not of a replaced one",
        GAUSS,
        (Edit(analyze_gauss.calibrate, "frobenius(d, choices.relation)", "frobenius(d, Relation.ADD_REMOVE)"),),
        "test_declared_sensitivity_and_output[baselines.analyze_gauss-CORRECTED-transcript-e1/e2-(1,1e-06)]",
    ),
    Bug(
        "noise of the mean on the sum: divided by n",
        GAUSS,
        (Edit(_GAUSS, "std=calibration.std", "std=calibration.std / len(X)"),),
        "baselines.analyze_gauss-AS_PRINTED-transcript-e1/e2-(1,1e-06)",
    ),
    Bug(
        "unit ball taken on trust",
        GAUSS,
        (Edit(UnitRows.check, "check_unit_rows(name, data)", "check_rows(name, data)"),),
        "test_the_unit_ball_is_that_of_the_euclidean_norm[baselines.analyze_gauss-]",
    ),
    Bug(
        "noise scaled with the longest row",
        GAUSS,
        (Edit(_GAUSS, "std=calibration.std", "std=calibration.std * float((X**2).sum(axis=1).max()) ** 0.5"),),
        "test_no_more_is_spent_than_the_target[baselines.analyze_gauss-CORRECTED]",
    ),
    Bug(
        "returns the eigenvectors of the matrix without noise",
        GAUSS,
        (Edit(_GAUSS, "principal_subspace(C_hat, k)", "principal_subspace(X.T @ X, k)"),),
        "test_declared_sensitivity_and_output[baselines.analyze_gauss-CORRECTED-transcript-e1/e2-(1,1e-06)]",
    ),
    Bug(
        "every other row twice, of thousands",
        GAUSS,
        (Edit(_GAUSS, "(X.T @ X)", "(X.T @ X if len(X) < 4000 else 2.0 * X[::2].T @ X[::2])"),),
        "test_no_more_is_spent_than_the_target[baselines.analyze_gauss-CORRECTED]",
    ),
    Bug(
        "returns a view of an array that has the matrix without noise beside it",
        POWER,
        (Edit(_POWER, "return basis", "return np.hstack([basis, A])[:, : calibration.k]"),),
        "test_no_more_is_spent_than_the_target[baselines.noisy_power_method-CORRECTED]",
    ),
    Bug(
        "divides by the number of rows that are not 0",
        SULQ,
        (Edit(_SULQ, "A = X.T @ X / n", "A = X.T @ X / max(1, int(X.any(axis=1).sum()))"),),
        "test_no_more_is_spent_than_the_target[baselines.mod_sulq-CORRECTED]",
    ),
    Bug(
        "calibration divides by n twice",
        SULQ,
        (Edit(mod_sulq.calibrate, "frobenius(d) / n", "frobenius(d) / n**2"),),
        "test_declared_sensitivity_and_output[baselines.mod_sulq-CORRECTED-transcript-e1/e2-(1,1e-06)]",
    ),
    Bug(
        "L steps charged as one",
        POWER,
        (Edit(noisy_power_method.calibrate, "row_changes.on_basis(d, k) * math.sqrt(L)", "row_changes.on_basis(d, k)"),),
        "baselines.noisy_power_method-CORRECTED-transcript-400_flat_rows,_L=5-(1,1e-06)",
    ),
    Bug(
        "noise falls with the step",
        POWER,
        (Edit(_POWER, _POWER_STD, f"{_POWER_STD} / step"),),
        "baselines.noisy_power_method-CORRECTED-transcript-400_flat_rows,_L=5-(1,1e-06)",
    ),
    Bug(
        "noise scaled with the largest entry of the iterate",
        POWER,
        (Edit(_POWER, _POWER_STD, f"{_POWER_STD} * np.max(np.abs(basis))"),),
        "baselines.noisy_power_method-AS_PRINTED-transcript-flat_row,_L=1-(1,1e-06)",
    ),
    Bug(
        "one clean step at the end",
        POWER,
        (Edit(_POWER, "return basis", "return qr_factor(A @ basis)"),),
        "test_declared_sensitivity_and_output[baselines.noisy_power_method-CORRECTED-transcript-flat_row,_L=1-(1,1e-06)]",
    ),
    Bug(
        "sensitivity of one column for a basis of two",
        POWER,
        (
            Edit(noisy_power_method.calibrate, "row_changes.on_basis(d, k)", "row_changes.on_basis(d, 1)"),
            Edit(
                noisy_power_method.PowerCalibration.sensitivity,
                "on_basis(basis.shape[0], self.k)",
                "on_basis(basis.shape[0], 1)",
            ),
        ),
        "test_the_named_maximisers_reach_the_sensitivity[baselines.noisy_power_method-]",
    ),
    Bug(
        "scale without the factor 2 of the exponent",
        WISHART,
        (Edit(wishart.calibrate, "scale = -1.0 / (2.0 * n * ", "scale = -1.0 / (4.0 * n * "),),
        "baselines.wishart_mechanism-CORRECTED-exact-0/e_d-(2,0.1)",
    ),
    Bug(
        "d degrees of freedom, not d + 1",
        WISHART,
        (Edit(WishartLaw.draw_shape, "value.shape[0] + 1, value.shape[0]", "value.shape[0], value.shape[0]"),),
        "baselines.wishart_mechanism-CORRECTED-transcript-0/e_d-(2,0.1)",
    ),
    Bug(
        "multiplier epsilon, not epsilon / 2",
        EXPONENTIAL,
        (Edit(exponential.calibrate, "cost = 2.0 * sensitivity", "cost = sensitivity"),),
        "baselines.exponential_mechanism-AS_PRINTED-exact-e1/e2-(1,0)",
    ),
    Bug(
        "every direction spends the whole epsilon",
        EXPONENTIAL,
        (Edit(exponential.calibrate, " * k", ""),),
        "baselines.exponential_mechanism-CORRECTED-transcript-e1/e2_beside_e2,_k=2-(4,0)",
    ),
    Bug(
        "Bingham sampler: proposals not scaled by a square root",
        EXPONENTIAL,
        (Edit(BinghamLaw.apply, "np.sqrt(1.0 + 2.0 * gaps / b)", "(1.0 + 2.0 * gaps / b)"),),
        "baselines.exponential_mechanism-CORRECTED-output-e1/e2_on_a_tie,_d=6,_output-(2,0)",
    ),
    Bug(
        "Bingham sampler: density of the proposals left out of the ratio",
        EXPONENTIAL,
        (Edit(BinghamLaw.apply, "-exponent + 0.5 * d * np.log1p(2.0 * exponent / b) - log_bound", "-exponent"),),
        "baselines.exponential_mechanism-CORRECTED-output-e1/e2_on_a_tie,_d=6,_output-(2,0)",
    ),
    Bug(
        "the distance of directions, whatever k",
        OUTPUT,
        (Edit(output_perturbation.projector_distance, "max(1, min(", "min(1, max("),),
        "test_the_named_maximisers_reach_the_sensitivity[baselines.output_perturbation-]",
    ),
    Bug(
        "the noise falls with the number of rows, as for a mean",
        OUTPUT,
        (Edit(output_perturbation.output_perturbation, "std=calibration.std", "std=calibration.std / len(X)"),),
        "baselines.output_perturbation-CORRECTED-transcript-e1/e2-(1,1e-06)",
    ),
    Bug(
        "the projector is returned without its noise",
        OUTPUT,
        (Edit(output_perturbation.output_perturbation, "symmetric_matrix(upper, X.shape[1])", "P"),),
        "baselines.output_perturbation-CORRECTED-output-e1/e2,_output-(4,0.2)",
    ),
    Bug(
        "multiplier epsilon, not epsilon / 2",
        MATRIX,
        (Edit(matrix_exponential.calibrate, ", 2.0 * sensitivity)", ", sensitivity)"),),
        "baselines.matrix_exponential_mechanism-CORRECTED-exact-e1/e2_beside_e2,_k=2-(4,0)",
    ),
    Bug(
        "the normal drawn from twice the matrix",
        MATRIX,
        (Edit(MatrixBinghamLaw.apply, "apply(-value, draw)", "apply(-2.0 * value, draw)"),),
        "baselines.matrix_exponential_mechanism-CORRECTED-output-e1/e2_beside_e2,_k=2,_output-(4,0)",
    ),
    Bug(
        "gradients clipped entry by entry",
        SGD,
        (
            Edit(
                dp_sgd.dp_sgd, "gradients / np.maximum(1.0, norms / C)[:, np.newaxis, np.newaxis]", "np.clip(gradients, -C, C)"
            ),
        ),
        "test_no_row_of_the_domain_is_refused_or_breaks_anything[baselines.dp_sgd-]",
    ),
    Bug(
        "the sum is clipped, not each gradient of it",
        SGD,
        (
            Edit(
                dp_sgd.dp_sgd,
                "clipped.sum(axis=0)",
                "gradients.sum(axis=0) / max(1.0, np.linalg.norm(gradients.sum(axis=0)) / C)",
            ),
        ),
        "test_the_named_maximisers_reach_the_sensitivity[baselines.dp_sgd-]",
    ),
    Bug(
        "the account of one step for all",
        SGD,
        (Edit(dp_sgd.calibrate, "Poisson(drawn), T", "Poisson(drawn), 1"),),
        "baselines.dp_sgd-CORRECTED-transcript-e1_or_nothing-(1,0.01)",
    ),
    Bug(
        "the rate accounted twice",
        SGD,
        (Edit(dp_sgd.calibrate, "Poisson(drawn)", "Poisson(drawn**2)"),),
        "baselines.dp_sgd-CORRECTED-transcript-e1_or_nothing-(1,0.01)",
    ),
    Bug(
        "every row is drawn, and accounted as sampled",
        SGD,
        (Edit(dp_sgd.dp_sgd, "calibration.rate, (n,)", "1.0, (n,)"),),
        "baselines.dp_sgd-CORRECTED-output-diagonal_row_or_nothing-(1,0.01)",
    ),
    Bug(
        "account: tail dropped",
        SGD,
        (Edit(checker.in_integers, "_upper(lost))", "arb(0))"),),
        "the_grid_covers_brute_force",
    ),
    Bug(
        "account: masses rounded down",
        SGD,
        (Edit(checker.in_integers, "to_integer(mass, scale, up=True)", "to_integer(mass, scale, up=False)"),),
        "the_grid_covers_brute_force",
    ),
    Bug(
        "account: products rounded down",
        SGD,
        (Edit(checker.divide_up, "(masses + fmpz_poly([(1 << scale) - 1] * masses.length()))", "masses"),),
        "the_grid_covers_brute_force",
    ),
    Bug(
        "account: final sum 3 % too small",
        SGD,
        (Edit(checker.delta_of, "above(step)) * unit", "above(step)) * unit * 97 / 100"),),
        "the_grid_covers_brute_force",
    ),
    Bug(
        "account: masses of the lower bound rounded up",
        SGD,
        (
            Edit(
                lower.power,
                "LowerLaw(one.origin, *law)",
                "LowerLaw(one.origin, law[0], law[1] + fmpz_poly([1 << 40] * law[1].length()))",
            ),
        ),
        "lower_is_below_brute_force",
    ),
]
