"""Bugs planted in shang2021: DP-SPCA and DP-VRPCA, and the accounts that their calibrations rest on."""

from __future__ import annotations

from dppca.audit.suite.planted import Bug, Edit
from dppca.reference.accounting import checker
from dppca.reference.accounting.mechanisms import Poisson, UniformIndex, VarianceReduced
from dppca.reference.declaration import UnitRows
from dppca.reference.noise import Record
from dppca.reference.shang2021 import algorithm_1_dp_spca as algorithm_1
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as algorithm_2

SPCA, VRPCA = "shang2021.dp_spca", "shang2021.dp_vrpca"
_ACCOUNT = "epsilon, delta, n, T, sensitivity, k, certify, progress"
_INDEX_1 = 'int(noise.secret_integers(f"i[{t}]", n, ()))'
_GRADIENT = 'f"g[{t}]", gradient, std=calibration.std'


BUGS = [
    Bug(
        "noise halved",
        SPCA,
        (Edit(algorithm_1.calibrate, "noise = lambda_1,", "noise = 0.5 * lambda_1,"),),
        "shang2021.dp_spca-AS_PRINTED-transcript-e1_or_0_among_zeros-(1,0.01)",
    ),
    Bug(
        "account of one step for T",
        SPCA,
        (Edit(algorithm_1.calibrate, _ACCOUNT, "epsilon, delta, n, 1, sensitivity, k, certify, progress"),),
        "shang2021.dp_spca-CORRECTED-transcript-e1_or_0_among_zeros-(1,0.01)",
    ),
    Bug(
        "subsampling counted twice",
        SPCA,
        (Edit(algorithm_1.calibrate, _ACCOUNT, "epsilon, delta, n * n, T, sensitivity, k, certify, progress"),),
        "shang2021.dp_spca-CORRECTED-transcript-e1_or_0_among_zeros-(1,0.01)",
    ),
    Bug(
        "gradient without its factor 2 in the sensitivity",
        SPCA,
        (Edit(algorithm_1.calibrate, "sensitivity = c * row_changes", "sensitivity = row_changes"),),
        "test_declared_sensitivity_and_output[shang2021.dp_spca-CORRECTED-transcript-e1_or_0_among_zeros-(1,0.01)]",
    ),
    Bug(
        "index drawn in public",
        SPCA,
        (Edit(algorithm_1.dp_spca, _INDEX_1, 'int(n * float(noise.public_uniform(f"i[{t}]", ())))'),),
        "test_search_reaches_each_declared_sensitivity_and_no_more[shang2021.dp_spca-AS_PRINTED-1-1]",
    ),
    Bug(
        "rows in turn, not at random",
        SPCA,
        (Edit(algorithm_1.dp_spca, _INDEX_1, "(t - 1) % n"),),
        "test_likelihood_is_the_mean_over_all_indices[shang2021.dp_spca--1]",
    ),
    Bug(
        "index outside the seam",
        SPCA,
        (Edit(algorithm_1.dp_spca, _INDEX_1, "int(np.random.default_rng().integers(n))"),),
        "test_search_reaches_each_declared_sensitivity_and_no_more[shang2021.dp_spca-AS_PRINTED-3-1]",
    ),
    Bug(
        "line 4 forgotten: the iterate is not normalised",
        SPCA,
        (Edit(algorithm_1.dp_spca, "V = polar_factor(V_prime)", "V = V_prime"),),
        "test_the_named_maximisers_reach_the_sensitivity[shang2021.dp_spca-]",
    ),
    Bug(
        "unit ball taken on trust",
        SPCA,
        (Edit(UnitRows.check, "check_unit_rows(name, data)", "check_rows(name, data)"),),
        "test_the_unit_ball_is_that_of_the_euclidean_norm[shang2021.dp_spca-]",
    ),
    Bug(
        "noise multiplied by the step size twice",
        SPCA,
        (Edit(algorithm_1.dp_spca, _GRADIENT, f"{_GRADIENT} * eta[t - 1]"),),
        "shang2021.dp_spca-AS_PRINTED-output-across,_output-(1,0.01)",
    ),
    Bug(
        "noise in the first step only",
        SPCA,
        (Edit(algorithm_1.dp_spca, _GRADIENT, f"{_GRADIENT} * (t == 1)"),),
        "shang2021.dp_spca-AS_PRINTED-output-e1/e2_among_others,_k=2,_output-(1,0.01)",
    ),
    Bug(
        "the first step's noise used again in every step",
        SPCA,
        (
            Edit(
                Record._release,
                "draw = law.draw(value, self._rng)",
                "earlier = [entry.draw for entry in self._entries if entry.role == 'release']\n"
                "    draw = earlier[0] if earlier else law.draw(value, self._rng)",
            ),
        ),
        "GaussianLaw",
    ),
    Bug(
        "epochs not counted",
        VRPCA,
        (Edit(algorithm_2.calibrate, "T * m", "T"),),
        "shang2021.dp_vrpca-AS_PRINTED-exact-across,_n=1,_T=3,_m=2-(1,1e-05)",
    ),
    Bug(
        "noise halved",
        VRPCA,
        (Edit(algorithm_2.calibrate, "noise = lambda_2,", "noise = 0.5 * lambda_2,"),),
        "shang2021.dp_vrpca-AS_PRINTED-exact-one_step,_e1/0-(1,1e-05)",
    ),
    Bug(
        "noise divided by n, the mean's noise on a gradient",
        VRPCA,
        (Edit(algorithm_2.calibrate, "noise = lambda_2,", "noise = lambda_2 / n,"),),
        "shang2021.dp_vrpca-AS_PRINTED-transcript-across,_n=2,_T=16,_k=1-(4,0.2)",
    ),
    Bug(
        "full gradient as a sum, not as a mean",
        VRPCA,
        (Edit(algorithm_2.dp_vrpca, "A = X.T @ X / n", "A = X.T @ X"),),
        "test_search_reaches_each_declared_sensitivity_and_no_more[shang2021.dp_vrpca-AS_PRINTED-3-1]",
    ),
    Bug(
        "last update from the full gradient, without noise",
        VRPCA,
        (Edit(algorithm_2.dp_vrpca, "return V_tilde", "return polar_factor(V_tilde - eta * mu_tilde * 1e3)"),),
        "test_no_more_is_spent_than_the_target[shang2021.dp_vrpca-CORRECTED]",
    ),
    Bug(
        "row drawn by its norm, not uniformly",
        VRPCA,
        (
            Edit(
                algorithm_2.dp_vrpca,
                'int(noise.secret_integers(f"i[{s},{t}]", n, ()))',
                'int(np.argsort(-np.linalg.norm(X, axis=1))[int(noise.secret_integers(f"i[{s},{t}]", n, ()))])',
            ),
        ),
        "test_search_reaches_each_declared_sensitivity_and_no_more[shang2021.dp_vrpca-AS_PRINTED-3-1]",
    ),
    Bug(
        "account: sampling counted twice",
        SPCA,
        (
            Edit(UniformIndex.__dict__["rate"].fget, "Fraction(1, self.n)", "Fraction(1, self.n) ** 2"),
            Edit(Poisson.__dict__["rate"].fget, "Fraction(self.probability)", "Fraction(self.probability) ** 2"),
        ),
        "the_grid_covers_brute_force",
    ),
    Bug(
        "account: one of the two pairs for a replaced row",
        SPCA,
        (Edit(UniformIndex.__dict__["pairs"].fget, '("replace",)', '("add",)'),),
        "replacing_covers_each_pair",
    ),
    Bug(
        "account: second moment of the hinge 3 % too small",
        SPCA,
        (Edit(checker.second_moment, "square.expm1() if", "square.expm1() * 97 / 100 if"),),
        "the_hinge_covers_each_pair",
    ),
    Bug(
        "account: hinge's point below 1 left out",
        SPCA,
        (Edit(checker.hinge_step, "add_point(masses, below - surplus, below, grid)", "pass"),),
        "the_hinge_covers_each_pair",
    ),
    Bug(
        "account: hinge halved",
        SPCA,
        (Edit(checker.hinge_mean, "return total *", "return total / 2 *"),),
        "the_hinge_covers_each_pair",
    ),
    Bug(
        "account: drift halved",
        VRPCA,
        (
            Edit(VarianceReduced.small_steps, "Fraction(self.drift)", "Fraction(self.drift) / 2"),
            Edit(VarianceReduced.split, "Fraction(self.drift)", "Fraction(self.drift) / 2"),
        ),
        "all_of_dp_vrpca_is_covered",
    ),
    Bug(
        "account: full gradient left out",
        VRPCA,
        (
            Edit(VarianceReduced.small_steps, "self.mean, spread, self.sensitivity,", "1e-6, spread, 0.0,"),
            Edit(VarianceReduced.split, "sampled, _up(s * root / self.n / Fraction(rest)))", "sampled)"),
        ),
        "all_of_dp_vrpca_is_covered",
    ),
    Bug(
        "account: second moment of small steps too small",
        VRPCA,
        (Edit(checker.moments, "return Moments(of.even(2),", 'return Moments(of.even(2) * arb("0.6"),'),),
        "all_of_dp_vrpca_is_covered",
    ),
    Bug(
        "account: Renyi moments from the second moment alone",
        VRPCA,
        (Edit(checker.step_moments, "for m in range(2, p + 1)), arb(0))", "for m in range(2, 3)), arb(0))"),),
        "renyi_moments_cover_the_worst_pair",
    ),
    Bug(
        "account: Renyi payoff of the next order",
        VRPCA,
        (Edit(checker.renyi_payoff, "(-(p - 1) * epsilon)", "(-p * epsilon)"),),
        "renyi_moments_cover_the_worst_pair",
    ),
    Bug(
        "account: Renyi moments of half the steps",
        VRPCA,
        (Edit(checker.proved_delta, "** steps.steps", "** ((steps.steps + 1) // 2)"),),
        "all_of_dp_vrpca_is_covered",
    ),
]
