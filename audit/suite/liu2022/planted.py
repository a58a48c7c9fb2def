"""Bugs planted in liu2022."""

from __future__ import annotations

from dppca.audit.suite.planted import Bug, Edit
from dppca.reference.liu2022 import algorithm_2_private_oja as algorithm_2
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022 import data, rank_r
from dppca.reference.liu2022 import equation_7_minibatch as equation_7
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.primitives.composition import optimal_component

DEFLATION, BLOCK = "liu2022.deflation", "liu2022.block_dp_pca"
OJA, MINIBATCH, DP_PCA = "liu2022.private_oja", "liu2022.minibatch_private_oja", "liu2022.dp_pca"
EIGENVALUE, MEAN = "liu2022.private_top_eigenvalue", "liu2022.private_mean"
SEARCH = "liu2022.hyperparameter_search"
_ALPHA = "std=2.0 * beta * alpha"

BUGS = [
    Bug(
        "noise halved",
        OJA,
        (Edit(algorithm_2.private_oja, _ALPHA, "std=beta * alpha"),),
        "test_private_oja_has_the_mean_likelihood_over_all_orders[liu2022.private_oja-rows]",
    ),
    Bug(
        "largest matrix of a batch doubled",
        MINIBATCH,
        (
            Edit(
                equation_7.minibatch_private_oja,
                "batch = A[B * (t - 1) : B * (t - 1) + used]",
                "batch = A[B * (t - 1) : B * (t - 1) + used].copy()\n"
                "        batch[np.argmax([np.linalg.norm(each) for each in batch])] *= 2.0",
            ),
        ),
        "test_no_more_is_spent_than_the_target[liu2022.minibatch_private_oja-CORRECTED]",
    ),
    Bug(
        "not clipped",
        OJA,
        (
            Edit(
                algorithm_2.private_oja,
                "clip(gradients(A[order[t - 1] : order[t - 1] + 1], w), beta)[0]",
                "gradients(A[order[t - 1] : order[t - 1] + 1], w)[0]",
            ),
        ),
        "test_the_named_maximisers_reach_the_sensitivity[liu2022.private_oja-]",
    ),
    Bug(
        "coordinates clipped, not the norm",
        OJA,
        (Edit(data.clip, "np.linalg.norm(g, axis=1, keepdims=True)", "np.abs(g)"),),
        "test_declared_sensitivity_and_output[liu2022.private_oja-CORRECTED-transcript-w_among_-w,_n=64-(5,0.001)]",
    ),
    Bug(
        "sensitivity of a removed record: beta",
        OJA,
        (Edit(algorithm_2.private_oja, "sensitivity=2.0 * beta", "sensitivity=beta"),),
        "test_the_named_maximisers_reach_the_sensitivity[liu2022.private_oja-]",
    ),
    Bug(
        "order drawn in public",
        OJA,
        (
            Edit(
                algorithm_2.private_oja,
                'noise.secret_permutation("order", n)',
                'noise.public_uniform("order", (n,)).argsort()',
            ),
        ),
        "test_private_oja_has_the_mean_likelihood_over_all_orders[liu2022.private_oja-rows]",
    ),
    Bug(
        "order of the file",
        OJA,
        (Edit(algorithm_2.private_oja, 'noise.secret_permutation("order", n)', "range(n)"),),
        "test_private_oja_has_the_mean_likelihood_over_all_orders[liu2022.private_oja-rows]",
    ),
    Bug(
        "mean clipped, not its terms",
        MINIBATCH,
        (
            Edit(
                equation_7.minibatch_private_oja,
                "np.sum(clip(gradients(batch, w), beta), axis=0) / B",
                "clip(np.mean(gradients(batch, w), axis=0, keepdims=True), beta)[0]",
            ),
        ),
        "test_declared_sensitivity_and_output[liu2022.minibatch_private_oja-CORRECTED-transcript-w/-w,_first_of_a_batch-(1,1e-05)]",
    ),
    Bug(
        "threshold: the largest norm of the batch",
        MINIBATCH,
        (
            Edit(
                equation_7.minibatch_private_oja,
                "mean = np.sum(",
                "beta = min(beta, np.max(np.linalg.norm(gradients(batch, w), axis=1)) + 1e-9); mean = np.sum(",
            ),
        ),
        "test_no_more_is_spent_than_the_target[liu2022.minibatch_private_oja-CORRECTED]",
    ),
    Bug(
        "off by one: a batch ends with the first record of the next",
        MINIBATCH,
        (Edit(equation_7.minibatch_private_oja, "B * (t - 1) + used]", "B * (t - 1) + used + 1]"),),
        "liu2022.minibatch_private_oja-AS_PRINTED-transcript-w/-w,_last_of_a_batch-(1,1e-05)",
    ),
    Bug(
        "noise divided by n, not by B",
        MINIBATCH,
        (Edit(equation_7.minibatch_private_oja, f"{_ALPHA} / B", f"{_ALPHA} / n"),),
        "liu2022.minibatch_private_oja-AS_PRINTED-transcript-w/-w,_first_of_a_batch-(1,1e-05)",
    ),
    Bug(
        "amplified noise of Algorithm 2 without its hidden order",
        MINIBATCH,
        (
            Edit(
                equation_7.calibrate,
                "analytic_std(epsilon, delta, 1.0)",
                "analytic_std(epsilon, delta, 1.0) / n**0.5",
            ),
        ),
        "liu2022.minibatch_private_oja-CORRECTED-exact-w/-w,_first_of_a_batch-(1,1e-05)",
    ),
    Bug(
        "differences of consecutive gradients, not of pairs",
        EIGENVALUE,
        (Edit(algorithm_4.private_top_eigenvalue, "g[1::2] - g[: B - 1 : 2]", "g[1:] - g[:-1]"),),
        "test_declared_sensitivity_and_output[liu2022.private_top_eigenvalue-CORRECTED-transcript-between_two_occupied_bins-(1,0.001)]",
    ),
    Bug(
        "every occupied bin is shown",
        EIGENVALUE,
        (Edit(algorithm_4.calibrate, "stability_threshold(epsilon, delta)", "0.0"),),
        "liu2022.private_top_eigenvalue-AS_PRINTED-exact-two_occupied_bins,_and_one_alone-(1,0.1)",
    ),
    Bug(
        "returns the largest eigenvalue, not its bin",
        EIGENVALUE,
        (Edit(algorithm_4.private_top_eigenvalue, "float(2.0 ** (i / 4.0))", "float(np.max(eigenvalues))"),),
        "test_declared_sensitivity_and_output[liu2022.private_top_eigenvalue-CORRECTED-transcript-alone,_to_an_occupied_bin-(1,0.1)]",
    ),
    Bug(
        "sensitivity of one coordinate",
        MEAN,
        (Edit(algorithm_5.calibrate, "math.sqrt(d) * 2.0 * radius / B", "2.0 * radius / B"),),
        "test_declared_sensitivity_and_output[liu2022.private_mean-CORRECTED-transcript-across_the_box,_between_occupied_bins-(0.8,0.001)]",
    ),
    Bug(
        "d histograms, each at the whole budget",
        MEAN,
        (
            Edit(
                optimal_component,
                "optimal_component_epsilon(epsilon, delta, each, k)",
                "epsilon",
            ),
        ),
        "liu2022.private_mean-LEAN-exact-the_mean:_the_bins_of_a_coordinate-(0.8,0.001)",
    ),
    Bug(
        "not truncated",
        MEAN,
        (Edit(algorithm_5.private_mean, "np.clip(g[:, j] - g_bar[j], -radius, radius)", "g[:, j] - g_bar[j]"),),
        "test_declared_sensitivity_and_output[liu2022.private_mean-CORRECTED-transcript-across_the_box,_between_occupied_bins-(0.8,0.001)]",
    ),
    Bug(
        "truncated where the gradients are, which rounds far from 0",
        MEAN,
        (
            Edit(
                algorithm_5.private_mean,
                "np.clip(g[:, j] - g_bar[j], -radius, radius)",
                "np.clip(g[:, j], g_bar[j] - radius, g_bar[j] + radius) - g_bar[j]",
            ),
        ),
        "test_gradients_far_out_are_truncated_to_the_declared_box[liu2022.private_mean-]",
    ),
    Bug(
        "box around the empirical mean",
        MEAN,
        (Edit(algorithm_5.private_mean, "survivors[np.argmax(survivors[:, 0]), 1] * tau", "np.mean(g[:, j])"),),
        "test_declared_sensitivity_and_output[liu2022.private_mean-CORRECTED-transcript-across_the_box,_between_occupied_bins-(0.8,0.001)]",
    ),
    Bug(
        "mean without noise",
        MEAN,
        (Edit(algorithm_5.private_mean, "return g_bar + released", "return g_bar + mu"),),
        "test_declared_sensitivity_and_output[liu2022.private_mean-CORRECTED-transcript-across_the_box,_between_occupied_bins-(0.8,0.001)]",
    ),
    Bug(
        "every step on the first batch",
        DP_PCA,
        (Edit(algorithm_3.dp_pca, "A[B * (t - 1) : B * t]", "A[:B]"),),
        "liu2022.dp_pca-LEAN-transcript-a_record_of_the_first_half,_n=2000,_d=4,_B=1000-(4,0.01)",
    ),
    Bug(
        "every step on the first batch",
        BLOCK,
        (Edit(rank_r.block_dp_pca, "A[one.B * (t - 1) : one.B * (t - 1) + 2 * half]", "A[: 2 * half]"),),
        "test_no_more_is_spent_than_the_target[liu2022.block_dp_pca-CORRECTED]",
    ),
    Bug(
        "components sorted by the variance of the data along them",
        DEFLATION,
        (
            Edit(
                rank_r.deflation,
                "return components",
                "return components[:, np.argsort(-np.sum((A @ components) ** 2, axis=0))]",
            ),
        ),
        DEFLATION,
    ),
    Bug(
        "round's share not divided by its pairs",
        SEARCH,
        (Edit(search.schedule, "2.0**i * len(listed)", "2.0**i"),),
        "liu2022.hyperparameter_search-CORRECTED-exact-2_rounds_of_mechanisms_that_fail_outright_with_their_delta-(16,0.1)",
    ),
]
