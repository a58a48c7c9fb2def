"""Bugs planted in the primitives that several algorithms share."""

from __future__ import annotations

from dppca.audit.suite.planted import Bug, Edit
from dppca.reference.accounting.clones import clones_delta
from dppca.reference.primitives import gaussian
from dppca.reference.primitives.clipping import clip_to_unit_ball
from dppca.reference.primitives.composition import (
    advanced_component,
    optimal_delta,
    serial,
)
from dppca.reference.primitives.private_selection import Repetitions
from dppca.reference.primitives.sparse_histogram import (
    SparseHistogramLaw,
    stability_threshold,
)
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw, support_bound

_NAIVE = """difference = float(1.0 - ndtr(-a)) - math.exp(epsilon) * float(1.0 - ndtr(mu - a))
    return math.log(difference) if difference > 0.0 else -math.inf"""

BUGS = [
    Bug(
        "classical formula without the factor 2",
        "primitives.gaussian",
        (Edit(gaussian.classical_std, "2.0 * math.log(1.25", "math.log(1.25"),),
        "baselines.analyze_gauss-AS_PRINTED-exact-e1/e2-(1,1e-06)",
    ),
    Bug(
        "decimal logarithm",
        "primitives.gaussian",
        (Edit(gaussian.classical_std, "math.log(", "math.log10("),),
        "baselines.analyze_gauss-AS_PRINTED-exact-e1/e2-(1,1e-06)",
    ),
    Bug(
        "profile: wrong tail",
        "primitives.gaussian",
        (Edit(gaussian.log_profile, "a = 0.5 * mu - epsilon / mu", "a = -0.5 * mu - epsilon / mu"),),
        "baselines.analyze_gauss-CORRECTED-exact-e1/e2-(1,1e-06)",
    ),
    Bug(
        "profile: tails as 1 - Phi, which cancel",
        "primitives.gaussian",
        (
            Edit(
                gaussian.log_profile,
                "difference = float(erfcx(-a / math.sqrt(2.0))) - float(erfcx((mu - a) / math.sqrt(2.0)))\n"
                "    return -0.5 * a * a - math.log(2.0) + math.log(difference) if difference > 0.0 else -math.inf",
                _NAIVE,
            ),
        ),
        "wang2020.local_gaussian_mechanism-CORRECTED-exact-e1/e2-(20,0.01)",
    ),
    Bug(
        "composed mu: the largest, not the root of the sum of squares",
        "primitives.gaussian",
        (Edit(gaussian.composed_mu, "math.sqrt(math.fsum(mu * mu for mu in mus))", "max(mus)"),),
        "liu2022.hyperparameter_search-CORRECTED-exact-the_scores:_a_record_that_is_scored-(16,0.1)",
    ),
    Bug(
        "advanced composition forgets k under the root",
        "primitives.composition",
        (Edit(advanced_component, "math.sqrt(2.0 * k * math.log(", "math.sqrt(2.0 * math.log("),),
        "liu2022.block_dp_pca-AS_PRINTED-exact-the_mean:_the_bins_of_a_coordinate-(0.8,0.1)",
    ),
    Bug(
        "optimal composition: tails of a fair coin",
        "primitives.composition",
        (Edit(optimal_delta, "heads = tails[::-1]", "heads = binom.pmf(np.arange(k + 1), k, 0.5)"),),
        "liu2022.block_dp_pca-LEAN-exact-the_mean:_the_bins_of_a_coordinate-(0.8,0.1)",
    ),
    Bug(
        "serial composition: the largest, not the sum",
        "primitives.composition",
        (Edit(serial, "math.fsum(part.epsilon for part in listed)", "max(part.epsilon for part in listed)"),),
        "liu2022.hyperparameter_search-CORRECTED-exact-the_training:_a_record_that_decides_bins-(16,0.1)",
    ),
    Bug(
        "support without the shift itself",
        "primitives.truncated_laplace",
        (Edit(support_bound, "sensitivity * (1.0 + math.log1p(", "sensitivity * (math.log1p("),),
        "singhal2021.exact_subspace_estimator-CORRECTED-exact-a_value_that_moves_by_2-(1,0.01)",
    ),
    Bug(
        "noise on one side only",
        "primitives.truncated_laplace",
        (Edit(TruncatedLaplaceLaw.noise, "signed = 2.0 * draw - 1.0", "signed = draw"),),
        "TruncatedLaplaceLaw",
    ),
    Bug(
        "noise clipped to its support, not conditioned on it",
        "primitives.truncated_laplace",
        (Edit(TruncatedLaplaceLaw.noise, "math.expm1(-self.bound / self.scale)", "-1.0"),),
        "TruncatedLaplaceLaw",
    ),
    Bug(
        "threshold counted from 0, not from 1",
        "primitives.sparse_histogram",
        (Edit(stability_threshold, "(1.0 + surplus) * OUTWARDS", "surplus * OUTWARDS"),),
        "liu2022.private_top_eigenvalue-CORRECTED-exact-two_occupied_bins,_and_one_alone-(1,0.1)",
    ),
    Bug(
        "threshold of two-sided noise: delta for half the tail",
        "primitives.sparse_histogram",
        (Edit(stability_threshold, "(0.5 - delta) / delta", "(0.25 - delta) / delta"),),
        "liu2022.private_top_eigenvalue-CORRECTED-exact-two_occupied_bins,_and_one_alone-(1,0.1)",
    ),
    Bug(
        "threshold on the count, before the noise",
        "primitives.sparse_histogram",
        (Edit(SparseHistogramLaw.apply, "shown = noisy >", "shown = counts >"),),
        "SparseHistogramLaw",
    ),
    Bug(
        "one draw for all cells",
        "primitives.sparse_histogram",
        (Edit(SparseHistogramLaw.apply, "draw[first]", "draw[0]"),),
        "SparseHistogramLaw",
    ),
    Bug(
        "base budget for epsilon (1 + eta)",
        "primitives.private_selection",
        (Edit(Repetitions.base_budget, "2 + Fraction(self.eta)", "1 + Fraction(self.eta)"),),
        "singhal2021.approximate_subspace_estimator_unknown_dimension-CORRECTED-exact-the_runs_and_their_scores-(6,0.05)",
    ),
    Bug(
        "K fixed at its mean",
        "primitives.private_selection",
        (Edit(Repetitions.draw, "K, mass = 1, self.first_mass", "return round(self.mean)\n    K, mass = 1, self.first_mass"),),
        "singhal2021.approximate_subspace_estimator_unknown_dimension",
    ),
    Bug(
        "every other record taken for a clone",
        "primitives.shuffling",
        (Edit(clones_delta, 'check_count("n", n) - 1, math.exp(-epsilon_0)', 'check_count("n", n) - 1, 1.0'),),
        "liu2022.private_oja-CORRECTED-exact-w_among_-w,_n=64-(5,0.001)",
    ),
    Bug(
        "clips every coordinate, not the norm",
        "primitives.clipping",
        (
            Edit(
                clip_to_unit_ball,
                "direction / max(float(np.linalg.norm(direction)), 1.0 / scale)",
                "np.clip(vector, -1.0, 1.0)",
            ),
        ),
        "",
        missed="no algorithm calls it: it is for the owner of the data, and has tests of its own",
    ),
]
