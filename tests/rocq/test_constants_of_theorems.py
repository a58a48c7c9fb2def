"""The constants of the code are those of the theorems: both are read, and neither can change alone.

The theorems' stand in the statements that Rocq compiled, in THEOREMS.md; Rocq is not needed here. Norms are squared there. What
the code has is what an algorithm declares for the releases of its worked example, and what its calibration says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dppca.proofs_notes.liu2022.section_3 import C_PRIME
from dppca.reference.baselines import (
    dp_sgd,
    exponential,
    matrix_exponential,
    mod_sulq,
    noisy_power_method,
    output_perturbation,
)
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.liu2022 import algorithm_2_private_oja, algorithm_4_top_eigenvalue, equation_7_minibatch
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.liu2022.private_update import printed_multiplier
from dppca.reference.noise import Noise, ReleaseTerm, condition, lockstep, record
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.private_selection import Repetitions
from dppca.reference.primitives.sparse_histogram import REPLACE_ONE_SENSITIVITY, stability_threshold
from dppca.reference.relation import Relation
from dppca.reference.rigour.outwards import divide_up
from dppca.reference.shang2021 import algorithm_1_dp_spca, algorithm_2_dp_vrpca
from dppca.reference.singhal2021 import (
    algorithm_1_threshold,
    algorithm_2_gap_max,
    section_2_3_unknown_dimension,
    section_3_3_unknown_dimension,
)
from dppca.reference.singhal2021.algorithm_1_exact import VALUES_SENSITIVITY, calibrate
from dppca.reference.singhal2021.gap_threshold import LEAD_SENSITIVITY
from dppca.reference.wang2020 import algorithm_1_local_gaussian as local_gaussian
from tests.rocq.printed_statements import bound, by_size, calibrated, definition, part, statement, theorems, value

EXACT = 1e-12  # relative; the code takes square roots, in floats


def agree(code: float, theorem: Any) -> bool:
    """Whether a number of the code is that of a theorem."""
    return bool(code == pytest.approx(float(theorem), rel=EXACT))


def releases(key: str, names: str, choices: str = "CORRECTED", **arguments: Any) -> list[ReleaseTerm]:
    """What an algorithm releases on its example under names that match; some arguments may be others."""
    entry = ALGORITHMS[key]
    run = entry.bind(choices=entry.choices[choices], **{**entry.example.arguments, **arguments})
    terms = condition(run, entry.example.data, record(run, entry.example.data, np.random.default_rng(5))[1]).terms
    found = [term for term in terms if re.fullmatch(names, term.name)]
    assert found, f"{key} must release {names}, and releases {[term.name for term in terms]}"
    return found


def declared(key: str, names: str, choices: str = "CORRECTED", **arguments: Any) -> float:
    """The one sensitivity that an algorithm declares for such releases."""
    (sensitivity,) = {term.sensitivity for term in releases(key, names, choices, **arguments)}
    return sensitivity


# --- row changes of X^T X: theorem by theorem, and the code's supremum

ADDED = Relation.ADD_REMOVE
ROW_CHANGES: Mapping[str, Callable[[], float]] = {
    "frobenius_replaced": lambda: row_changes.frobenius(3),
    "frobenius_replaced_reached": lambda: row_changes.frobenius(3),
    "frobenius_removed": lambda: row_changes.frobenius(3, ADDED),
    "frobenius_removed_reached": lambda: row_changes.frobenius(3, ADDED),
    "upper_replaced": lambda: row_changes.frobenius(3),
    "upper_replaced_reached": lambda: row_changes.frobenius(3),
    "upper_removed": lambda: row_changes.frobenius(3, ADDED),
    "upper_removed_reached": lambda: row_changes.frobenius(3, ADDED),
    "line_replaced": lambda: row_changes.frobenius(1),
    "line_replaced_reached": lambda: row_changes.frobenius(1),
    "upper_line_replaced": lambda: row_changes.frobenius(1),
    "upper_line_replaced_reached": lambda: row_changes.frobenius(1),
    "basis_replaced": lambda: row_changes.on_basis(3, 2),
    "basis_replaced_reached": lambda: row_changes.on_basis(3, 3),
    "basis1_replaced": lambda: row_changes.on_basis(3, 1),
    "basis1_replaced_reached": lambda: row_changes.on_basis(3, 1),
    "basis_removed": lambda: row_changes.on_basis(3, 2, ADDED),
    "basis_removed_reached": lambda: row_changes.on_basis(3, 2, ADDED),
}


@pytest.mark.parametrize("theorem", ROW_CHANGES)
def test_row_changes_in_frobenius_norm(theorem: str) -> None:
    assert agree(ROW_CHANGES[theorem]() ** 2, bound(f"primitives/row_changes.v:{theorem}"))


def test_every_theorem_on_row_changes_is_read() -> None:
    """The norms that are not squared have tests of their own."""
    others = r"(nuclear|spectral|score)_\w+"
    found = {name.partition(":")[2] for name in theorems() if name.startswith("primitives/row_changes.v:")}
    assert {name for name in found if not re.fullmatch(others, name)} == set(ROW_CHANGES)


def test_row_changes_in_nuclear_norm() -> None:
    file, most = "primitives/row_changes.v", r"nuclear_at_most \(gram X - gram X'\) (\S+)$"
    assert value(part(f"{file}:nuclear_replaced", most)) == row_changes.nuclear(3)
    assert value(part(f"{file}:nuclear_replaced_reached", r"-> (\S+) <= c$")) == row_changes.nuclear(3)
    assert value(part(f"{file}:nuclear_removed", most)) == row_changes.nuclear(3, ADDED)
    assert declared("baselines.wishart_mechanism", "A_hat") == row_changes.nuclear(3) / 3  # of X^T X / n


def test_row_changes_in_spectral_norm_and_in_scores() -> None:
    """A contraction has operator norm at most 1: |v W|^2 <= 1 |v|^2."""
    assert definition("rocq/lib/squared_norms.v", "contraction") == "forall v : 'rV_d, sqnorm (v *m W) <= sqnorm v"
    for theorem in ("spectral_replaced", "spectral_removed"):
        assert statement(f"primitives/row_changes.v:{theorem}").endswith("-> contraction (gram X - gram X')")
    assert row_changes.spectral() == 1.0
    for theorem in ("score_replaced", "score_replaced_reached"):
        assert row_changes.spectral() == bound(f"primitives/row_changes.v:{theorem}")


# --- noise on X^T X and its products: the change for which a theorem wants the noise, and what the algorithm declares

COVERED: Mapping[str, Callable[[], float]] = {
    "shang2021/hidden_rows.v:dp_spca_private": lambda: declared("shang2021.dp_spca", r"g\[\d\]"),
    "shang2021/hidden_rows.v:dp_spca_private1": lambda: declared("shang2021.dp_spca", r"g\[\d\]", k=1),
}


@pytest.mark.parametrize("theorem", COVERED)
def test_declared_sensitivity_is_what_the_theorem_wants_noise_for(theorem: str) -> None:
    """c = 2 is the factor of the gradient of shang2021's Algorithm 1."""
    c = algorithm_1_dp_spca.CORRECTED.gradient_factor
    assert agree(COVERED[theorem](), calibrated(theorem, c=c))


@pytest.mark.parametrize(
    ("theorem", "p"),
    [("client_message", 2), ("client_message_reached", 7), ("client_message_line", 1), ("client_message_line_reached", 1)],
)
def test_sensitivity_of_a_client_of_wang2020(theorem: str, p: int) -> None:
    assert agree(local_gaussian.sensitivity(p) ** 2, bound(f"wang2020/client_sensitivity.v:{theorem}"))


def test_sensitivity_of_mod_sulq() -> None:
    for n in (1, 7):
        for theorem in ("mod_sulq_sensitivity", "mod_sulq_sensitivity_reached"):
            squared = bound(f"baselines/sensitivities.v:{theorem}", n=Fraction(n))
            assert agree(mod_sulq.calibrate(1.0, 0.01, n, 3).sensitivity ** 2, squared)


CLIENT, GAUSS, POWER = "wang2020/local_gaussian.v", "baselines/normal_noise.v", "baselines/power_method.v"


def test_declared_sensitivity_is_what_normal_noise_is_calibrated_for() -> None:
    for d in (1, 3):
        bound_of_a_row = by_size(GAUSS, "row_bound", d)
        for theorem in ("client_private", "algorithms_private"):
            wanted = calibrated(f"{CLIENT}:{theorem}", bound=by_size(CLIENT, "bound", d))
            assert agree(local_gaussian.sensitivity(d), wanted)
        assert agree(row_changes.frobenius(d), calibrated(f"{GAUSS}:analyze_gauss_replaced", row_bound=bound_of_a_row))
        wanted = calibrated(f"{GAUSS}:mod_sulq_private", row_bound=bound_of_a_row, n=Fraction(7))
        assert agree(mod_sulq.calibrate(1.0, 0.01, 7, d).sensitivity, wanted)
    for key in ("local_gaussian_mechanism", "local_gaussian_mechanism_high_dimension"):
        wanted = calibrated(f"{CLIENT}:algorithms_private", bound=by_size(CLIENT, "bound", 3))
        assert agree(declared(f"wang2020.{key}", r"message\[\d\]"), wanted)
    wanted = calibrated(f"{GAUSS}:analyze_gauss_replaced", row_bound=by_size(GAUSS, "row_bound", 3))
    assert agree(declared("baselines.analyze_gauss", "C_hat"), wanted)
    wanted = calibrated(f"{GAUSS}:analyze_gauss_removed")
    assert agree(declared("baselines.analyze_gauss", "C_hat", "AS_PRINTED"), wanted)


@pytest.mark.parametrize(("k", "L"), [(1, 1), (1, 4), (2, 4), (3, 2)])
def test_noise_of_the_power_method_is_calibrated_for_all_steps(k: int, L: int) -> None:
    """The theorem's N steps change by basis_bound each, squared: the noise is analytic for sqrt(basis_bound N)."""
    squared = by_size(POWER, "basis_bound", k)
    wanted = calibrated(f"{POWER}:power_method_private", basis_bound=squared, N=Fraction(L))
    assert agree(noisy_power_method.calibrate(0.7, 1e-3, 3, k, L).multiplier, analytic_std(0.7, 1e-3, float(wanted)))
    assert agree(declared("baselines.noisy_power_method", r"Y\[\d\]", k=k) ** 2, squared)


@pytest.mark.parametrize(("epsilon", "delta", "k", "L"), [(1.0, 0.01, 2, 3), (9.0, 1e-6, 1, 1)])
def test_published_noise_of_the_power_method(epsilon: float, delta: float, k: int, L: int) -> None:
    formula = definition(POWER, "printed_sigma")
    sigma = noisy_power_method.calibrate(epsilon, delta, 3, k, L, noisy_power_method.AS_PRINTED).multiplier
    assert agree(sigma, value(formula, e=epsilon, t=delta, k=Fraction(k), N=Fraction(L)))


BETA = "baselines/mod_sulq_beta.v"


@pytest.mark.parametrize(
    ("epsilon", "delta", "n", "d"), [(1.0, 0.01, 5, 2), (0.2, 0.9, 1, 3), (30.0, 1e-9, 100, 20), (2.0, 0.39, 7, 1)]
)
def test_published_beta_of_mod_sulq(epsilon: float, delta: float, n: int, d: int) -> None:
    logarithm = value(definition(BETA, "printed_log"), t=delta, d=Fraction(d), pi=math.pi)
    formula = definition(BETA, "printed_beta").replace("printed_log t", "logarithm")
    wanted = value(formula, e=epsilon, logarithm=logarithm, n=Fraction(n), d=Fraction(d))
    assert agree(mod_sulq.printed_beta(epsilon, delta, n, d), wanted)


@pytest.mark.parametrize(("delta", "d"), [(0.3989, 1), (0.399, 1), (0.999, 2)])
def test_published_beta_is_defined_where_its_logarithm_is_not_negative(delta: float, d: int) -> None:
    assert definition(BETA, "beta_defined") == "0 <= printed_log t"
    defined = value(definition(BETA, "printed_log"), t=delta, d=Fraction(d), pi=math.pi) >= 0
    with nullcontext() if defined else pytest.raises(ValueError, match="delta"):
        mod_sulq.printed_beta(1.0, delta, 5, d)


@pytest.mark.parametrize(("d", "k"), [(1, 1), (2, 1), (5, 2), (5, 4), (5, 5)])
def test_distance_of_projectors(d: int, k: int) -> None:
    file = "baselines/output_perturbation.v"
    assert definition(file, "projector_bound") == "2 * (maxn 1 (minn k (d - k)))%:R"
    squared = Fraction(2 * max(1, min(k, max(0, d - k))))
    assert agree(output_perturbation.projector_distance(d, k) ** 2, squared)
    wanted = calibrated(f"{file}:output_perturbation_private", projector_bound=squared)
    assert agree(output_perturbation.calibrate(1.0, 0.01, d, k).sensitivity, wanted)


def test_printed_noise_of_the_power_method_covers_one_entry() -> None:
    """|c E V|^2 <= k m^2 for a change c of one entry, m the largest entry of V."""
    basis = np.array([[0.5, 0.5], [0.5, -0.5], [0.5, 0.5], [0.5, -0.5]])
    calibration = noisy_power_method.calibrate(1.0, 0.01, 4, 2, 3, noisy_power_method.AS_PRINTED)
    for theorem in ("power_method_entry", "power_method_entry_reached"):
        squared = bound(f"baselines/sensitivities.v:{theorem}", k=Fraction(2), m=Fraction(1, 2))
        assert agree(calibration.sensitivity(basis) ** 2, squared)


def test_multipliers_of_the_exponential_mechanisms() -> None:
    epsilon = Fraction(3, 4)
    one = part("baselines/exponential_sampling.v:exponential_law_private", r"m <= (.*?) ->")
    several = part("baselines/exponential_sampling.v:deflation_private", r"sampled .*?\((e / .*?)\) j X s")
    assert agree(exponential.calibrate(0.75, 1).multiplier, value(one, e=epsilon))
    assert agree(exponential.calibrate(0.75, 3).multiplier, value(several, e=epsilon, j=Fraction(3)))
    assert agree(matrix_exponential.calibrate(0.75).multiplier, value(one, e=epsilon))
    for theorem in ("directions_replaced", "directions_replaced_reached"):
        assert matrix_exponential.calibrate(0.75).sensitivity == bound(f"baselines/matrix_exponential.v:{theorem}")
    assert exponential.calibrate(0.75).sensitivity == bound("primitives/row_changes.v:score_replaced")


def test_sensitivity_of_clipped_sums() -> None:
    """A drawn unit row in the span of V moves the sum by C, which is what the release declares."""
    assert bound("baselines/dp_sgd.v:clipped_sum_sensitivity", C=Fraction(1, 2)) == Fraction(1, 4)
    assert bound("baselines/dp_sgd.v:clipped_sum_sensitivity_reached", C=Fraction(1, 2)) == Fraction(1, 4)
    calibration = dp_sgd.calibrate(1.0, 0.01, 1, 1, 1.0, C=0.5)

    def run(X: Any, noise: Noise) -> Any:
        return dp_sgd.dp_sgd(X, 1.0, (0.1,), calibration, noise)

    (release,) = lockstep(run, np.array([[1.0]]), np.array([[0.0]]), np.random.default_rng(3)).releases
    assert release.change == release.sensitivity == 0.5


# --- shang2021


@pytest.mark.parametrize(
    ("theorem", "k"),
    [
        ("gradient_sensitivity", 2),
        ("gradient_sensitivity_reached", 3),
        ("gradient_sensitivity1", 1),
        ("gradient_sensitivity1_reached", 1),
    ],
)
def test_sensitivity_of_a_gradient_of_shang2021(theorem: str, k: int) -> None:
    calibration = algorithm_1_dp_spca.calibrate(0.5, 0.01, 9, 3, 2, k)
    squared = bound(f"shang2021/gradients.v:{theorem}", c=calibration.gradient_factor)
    assert agree(calibration.sensitivity**2, squared)


@pytest.mark.parametrize("reading", ["CORRECTED", "AS_PRINTED"])
@pytest.mark.parametrize(
    ("theorem", "k"),
    [
        ("reduced_gradient_sensitivity", 2),
        ("reduced_gradient_sensitivity_reached", 3),
        ("reduced_gradient_sensitivity1", 1),
        ("reduced_gradient_sensitivity1_reached", 1),
    ],
)
def test_sensitivity_of_a_variance_reduced_gradient(theorem: str, k: int, reading: str) -> None:
    """c^2 (2 + s / n)^2 times the change of X^T X V, with the sign s of the reading; in the release too, at n = 3."""
    choices = getattr(algorithm_2_dp_vrpca, reading)
    s = choices.full_gradient_sign
    calibration = algorithm_2_dp_vrpca.calibrate(0.5, 0.01, 3, 3, 2, 2, k, choices)
    squared = bound(f"shang2021/gradients.v:{theorem}", c=calibration.gradient_factor, s=Fraction(s), n=Fraction(3))
    assert agree(calibration.sensitivity**2, squared)
    assert declared("shang2021.dp_vrpca", r"g\[\d,\d\]", reading, k=k) == calibration.sensitivity


def test_accounts_of_shang2021_are_asked_for_the_changes_of_the_theorems(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def recorded(of: Callable[..., Any]) -> Callable[..., Any]:
        def account(*arguments: Any) -> Any:
            asked.append(arguments[4])  # epsilon, delta, n, steps, sensitivity
            return of(*arguments)

        return account

    monkeypatch.setattr(algorithm_1_dp_spca, "spca_account", recorded(algorithm_1_dp_spca.spca_account))
    monkeypatch.setattr(algorithm_2_dp_vrpca, "vrpca_account", recorded(algorithm_2_dp_vrpca.vrpca_account))
    for k, theorem, names in ((2, "dp_spca_private", "vrpca_changes"), (1, "dp_spca_private1", "vrpca_changes1")):
        c = algorithm_1_dp_spca.calibrate(0.5, 0.01, 9, 3, 2, k).gradient_factor
        assert agree(asked.pop(), calibrated(f"shang2021/hidden_rows.v:{theorem}", c=c))
        c = algorithm_2_dp_vrpca.calibrate(0.5, 0.01, 9, 3, 2, 2, k).gradient_factor
        drawn = part(f"shang2021/hidden_rows.v:{names}", r"drawn_part c V W X' j\) <= (.*?) &")
        full = part(f"shang2021/hidden_rows.v:{names}", r"full_gradient c sg X' W\) <= (.*?)\]$")
        moved = asked.pop()
        # V - V~ has operator norm at most 2, what the account calls drift; the row's share of the full gradient is 1 / n
        assert agree((2.0 * moved) ** 2, value(drawn, c=c))
        assert agree((moved / 9) ** 2, value(full.replace("n.+1%:R", "n"), c=c, n=Fraction(9)))


# --- histograms: two counts change by 1 each, and r^2 stands for e^epsilon where a count that changes by 1 costs r


def test_histogram_counts_change_by_two() -> None:
    for theorem in ("histogram_sensitivity", "histogram_sensitivity_reached"):
        assert bound(f"primitives/histogram_counts.v:{theorem}") == REPLACE_ONE_SENSITIVITY
    assert bound("liu2022/parts_of_the_data.v:eigenvalue_sensitivity") == REPLACE_ONE_SENSITIVITY


@pytest.mark.parametrize(
    ("key", "names"),
    [("liu2022.private_top_eigenvalue", "eigenvalue"), ("singhal2021.approximate_subspace_estimator", "histogram")],
)
def test_histograms_are_calibrated_as_the_theorem_says(key: str, names: str) -> None:
    """Laplace noise of scale 2 / e, where two counts change by 1 each."""
    law = re.fullmatch(r"histogram_law \((\d+) / e\) T \(counts X\)", definition("primitives/laplace_histogram.v", "histogram"))
    assert law is not None
    change = int(law[1])
    for term in releases(key, names):
        assert term.sensitivity == change == REPLACE_ONE_SENSITIVITY
        assert agree(term.law.scale, change / ALGORITHMS[key].example.arguments["epsilon"])  # type: ignore[attr-defined]


def test_histograms_of_the_private_mean() -> None:
    """Algorithm 5 spends half of its target on d histograms together, by Lemma B.4, each with noise of scale 2 / e."""
    share = definition("rocq/lib/gaussian_response.v", "share").replace("e / (2", "e * (2", 1)
    assert share == "e * (2 * Num.sqrt (2 * k%:R * ln (2 / t)))"
    assert "histogram_kernel t5 e5_gt0 " in definition(DP_PCA, "step5")
    assert "counts_law (stability_threshold e t) " in definition("primitives/histogram_kernel.v", "histogram_kernel")
    arguments = dict(ALGORITHMS["liu2022.private_mean"].example.arguments)
    del arguments["eigenvalue"]
    epsilon, delta = arguments.pop("epsilon"), arguments.pop("delta")
    calibration = algorithm_5.calibrate(epsilon, delta, **arguments)
    each = epsilon / 2.0 / (2.0 * math.sqrt(2.0 * arguments["d"] * math.log(2.0 / (delta / 2.0))))
    assert agree(calibration.histogram.epsilon, each)
    assert agree(calibration.histogram.delta, delta / 2.0 / (2.0 * arguments["d"]))
    for term in releases("liu2022.private_mean", r"bin\[\d\]"):
        assert agree(term.law.scale, 2.0 / calibration.histogram.epsilon)  # type: ignore[attr-defined]


def test_threshold_of_the_histogram() -> None:
    """It is 1 + 2 / e max(0, ln(1 / (2 t)))."""
    formula = definition("primitives/histogram_kernel.v", "stability_threshold")
    assert formula == "1 + 2 / e * maxr 0 (ln (1 / (2 * t)))"
    for epsilon, delta in ((0.5, 1e-6), (3.0, 0.2), (1.0, 0.7)):
        assert agree(stability_threshold(epsilon, delta), 1.0 + 2.0 / epsilon * max(0.0, math.log(1.0 / (2.0 * delta))))


# --- liu2022

DP_PCA = "liu2022/dp_pca.v"


def _oja(module: Any, key: str) -> Any:
    arguments = {name: entry for name, entry in ALGORITHMS[key].example.arguments.items() if name != "step_sizes"}
    return module.calibrate(arguments.pop("epsilon"), arguments.pop("delta"), **arguments)


def test_clipped_gradients_of_private_oja() -> None:
    key = "liu2022.private_oja"
    calibration = _oja(algorithm_2_private_oja, key)
    wanted = [bound(f"liu2022/clipping.v:clip_sensitivity{end}", beta=calibration.beta) for end in ("", "_reached")]
    assert "const_mx (alpha * (2 * beta))" in statement("liu2022/minibatch_normal_noise.v:local_randomiser")
    for term in releases(key, r"g\[\d+\]"):
        assert all(agree(term.sensitivity**2, squared) for squared in wanted)
        assert agree(term.law.std, calibration.alpha * term.sensitivity)  # type: ignore[attr-defined]


def test_multiplier_of_private_oja_in_a_hidden_order() -> None:
    epsilon, delta, n = 0.01, 1e-6, 1000
    formula = part("liu2022/private_oja.v:private_oja_private", r"let alpha := (.*?) in")
    names = {"e": epsilon, "N": n, "L": math.log(n / delta)}
    assert agree(printed_multiplier(epsilon, delta, n, C_PRIME), value(formula, **names))


def test_means_of_clipped_gradients_of_minibatch_oja() -> None:
    key = "liu2022.minibatch_private_oja"
    calibration = _oja(equation_7_minibatch, key)
    names = {"beta": calibration.beta, "B": Fraction(3)}  # six records in two batches
    wanted = [bound(f"liu2022/clipping.v:clipped_mean_sensitivity{end}", **names) for end in ("", "_reached")]
    wanted += [calibrated("liu2022/minibatch_normal_noise.v:minibatch_oja_private", **names) ** 2]
    for term in releases(key, r"g\[\d+\]"):
        assert all(agree(term.sensitivity**2, squared) for squared in wanted)
        assert agree(term.law.std, analytic_std(calibration.epsilon, calibration.delta, term.sensitivity))  # type: ignore[attr-defined]


def test_truncated_mean() -> None:
    """Algorithm 5 declares the diagonal of the box over B; the unit of its lengths is the root of the eigenvalue."""
    calibration = algorithm_5.calibrate(1.0, 0.01, B=50, d=3, K=1.0, zeta=0.1)
    names: dict[str, Fraction | float] = {
        "d": Fraction(3),
        "B": Fraction(50),
        "radius": calibration.radius,
        "r": calibration.radius,
    }
    wanted = [bound(f"liu2022/clipping.v:truncated_mean_sensitivity{end}", **names) for end in ("", "_reached")]
    assert definition(DP_PCA, "sensitivity6").split(":= ")[-1] == "Num.sqrt d%:R * (2 * radius z / B./2%:R)"
    assert "(e / 2) (t / 2)" in definition(DP_PCA, "step6")
    assert all(agree(calibration.sensitivity**2, squared) for squared in wanted)
    (term,) = releases("liu2022.private_mean", "mean")
    entry = ALGORITHMS["liu2022.private_mean"].example
    calibration = algorithm_5.calibrate(8.0, 0.1, B=640, d=2, K=1.0, zeta=0.5)
    assert agree(term.sensitivity, calibration.sensitivity * math.sqrt(entry.arguments["eigenvalue"]))


def test_halves_of_dp_pca() -> None:
    """Both halves have B/2 records, and 2 k b of the first fit into it."""
    calibration = algorithm_3.calibrate(8.0, 0.1, n=1281, d=2, B=641, K=1.0, zeta=0.5)
    assert calibration.mean.B == calibration.eigenvalue.B == 641 // 2
    assert 2 * calibration.eigenvalue.k * calibration.eigenvalue.b <= calibration.eigenvalue.B
    assert "((k * b).*2 <= B./2)%N" in statement(f"{DP_PCA}:dp_pca_private")
    assert algorithm_4_top_eigenvalue.calibrate(8.0, 0.1, B=641, zeta=0.5).sensitivity == REPLACE_ONE_SENSITIVITY


def test_score_of_the_search() -> None:
    """1 / m over m held-out records, in the noise and in what the releases declare."""
    names = {"m": Fraction(320), "held_out": Fraction(320)}
    wanted = [bound(f"liu2022/clipping.v:search_score_sensitivity{end}", **names) for end in ("", "_reached")]
    wanted += [calibrated("liu2022/deflation_and_search.v:noisy_score_private", **names)]
    assert all(agree(declared("liu2022.hyperparameter_search", r"\d+\.\d+ score"), change) for change in wanted)
    calibration = search.calibrate(16.0, 0.1, n=640, d=2, B=320, K=1.0, ceiling=2.0, rounds=1, zeta=0.5)
    for r, std in zip(calibration.rounds, calibration.score_std, strict=True):
        assert all(agree(std, analytic_std(*r.each, float(change))) for change in wanted)


# --- singhal2021: truncated Laplace noise of scale 2 / e

NOISE, ESTIMATORS, SELECTION = (f"singhal2021/noisy_{name}.v" for name in ("gap_max", "estimators", "selection"))


def test_values() -> None:
    assert bound("singhal2021/values.v:values_sensitivity") == VALUES_SENSITIVITY
    assert bound("singhal2021/values.v:values_sensitivity_reached") == VALUES_SENSITIVITY


def test_scores() -> None:
    assert statement("singhal2021/scores.v:dimension_score_sensitivity").endswith("<= (dimension_score X' i).+1")
    assert statement("singhal2021/scores.v:score_sensitivity").endswith("u <= u'.+1 /\\ u' <= u.+1")
    assert section_2_3_unknown_dimension.SCORE_SENSITIVITY == 1
    assert section_3_3_unknown_dimension.SCORE_SENSITIVITY == 1


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("singhal2021.exact_subspace_estimator", "subspace"),
        ("singhal2021.exact_subspace_estimator_threshold", "subspace"),
        ("singhal2021.exact_subspace_estimator_random_subsets", "subspace"),
        ("singhal2021.approximate_subspace_estimator_gap_max", "cell"),
    ],
)
def test_values_and_leads_are_declared_with_the_scale_of_the_theorems(key: str, names: str) -> None:
    density = re.fullmatch(r"tlap_pdf \((\d+) / e\) noise_bound v", definition(NOISE, "noisy_value"))
    assert density is not None
    shift = int(density[1])
    assert shift == VALUES_SENSITIVITY == LEAD_SENSITIVITY
    for term in releases(key, names):
        assert term.sensitivity == shift
        assert agree(term.law.scale, shift / ALGORITHMS[key].example.arguments["epsilon"])  # type: ignore[attr-defined]


@pytest.mark.parametrize(("epsilon", "delta"), [(1.5, 0.01), (0.1, 0.5), (12.0, 1e-9)])
def test_bound_of_the_truncated_noise(epsilon: float, delta: float) -> None:
    formula = definition(NOISE, "noise_bound").replace("expR e", "E")
    wanted = value(formula, e=epsilon, t=delta, E=math.exp(epsilon))
    assert agree(calibrate(epsilon, delta, 7).bound, wanted)


def test_calibration_of_algorithm_1() -> None:
    """NULL's value is 2 A; 3 ell + 4 A + 1 points are enough, 3 ell + 2 A + 1 for the threshold form."""
    calibration = calibrate(1.5, 0.01, 7)
    assert calibration.scale == divide_up(VALUES_SENSITIVITY, 1.5)
    assert calibration.null == 2 * calibration.bound
    assert "mean (noisy_value (2 * noise_bound))" in definition(NOISE, "gap_max_law")
    threshold = algorithm_1_threshold.calibrate(1.5, 0.01, 7)
    assert threshold.scale == divide_up(LEAD_SENSITIVITY, 1.5)
    for found, theorem, relation in ((calibration, "exact_law_accurate", "<="), (threshold, "threshold_rule", "<")):
        formula = part(f"{ESTIMATORS}:{theorem}", rf"-> ([^>]*?) {relation} n%:R").replace("noise_bound e t", "A")
        enough = value(formula, ell=Fraction(7), A=found.bound)
        assert found.sufficient_n - 1 <= enough <= found.sufficient_n


def test_shown_lead() -> None:
    """The lead is max(0, c_1 - c_2 - 1), shown where lead + noise exceeds the bound; t = 3 + 4 A blocks are enough."""
    assert "if A < y then leading_cell found l else None" in definition(SELECTION, "shown_law")
    calibration = algorithm_2_gap_max.calibrate(4.0, 0.01, 1e-4, n=300, d=3, k=1)
    formula = part(f"{SELECTION}:shown_certain", r"-> ([^>]*?) <= T%:R").replace("noise_bound e t", "A")
    assert calibration.t - 1 < value(formula, A=calibration.bound) <= calibration.t
    lead, _ = algorithm_2_gap_max.leading_cell(np.array([[1.0]] * 5 + [[2.0]] * 2))
    assert lead == 5 - 2 - 1


def test_noise_of_the_dimension() -> None:
    """r^2 = e^epsilon with weights r^SCORE: the multiplier is epsilon / 2; the test adds Laplace noise of scale 1 / e."""
    power = int(part("singhal2021/section_2_3_unknown_dimension.v:dimension_mechanism_dp", r"mechanism_dp \(r \^\+ (\d+)\) 0"))
    key = "singhal2021.dimension_by_exponential_mechanism"
    epsilon = ALGORITHMS[key].example.arguments["epsilon"]
    (term,) = releases(key, "dimension")
    assert agree(term.law.multiplier, epsilon / power)  # type: ignore[attr-defined]
    law = definition("singhal2021/section_2_3_dimension_test.v", "dimension_test_law")
    assert law.startswith("laplace_prob (largest_score X k_max)%:R (1 / e)")
    key = "singhal2021.dimension_is_at_most"
    (term,) = releases(key, "largest score")
    assert agree(term.law.scale, 1.0 / ALGORITHMS[key].example.arguments["epsilon"])  # type: ignore[attr-defined]


def test_private_selection_costs_what_the_theorem_says() -> None:
    """dp (a ^+ 3) (d / gamma): 3 epsilon and delta / gamma at eta = 1, where K is geometric."""
    power = int(part("primitives/private_selection.v:selection_private", r"-> dp \(a \^\+ (\d+)\) \(d / gamma\)"))
    repetitions = Repetitions(1.0, 0.125)
    assert repetitions.guarantee(0.5, 0.01) == pytest.approx((power * 0.5, 0.01 / 0.125), rel=EXACT)
    assert repetitions.first_mass == pytest.approx(0.125, rel=EXACT)


def test_budgets_of_the_unknown_dimension() -> None:
    """A run is (epsilon / 3, delta / mean_runs)-private, with 10 k_max of them in the mean."""
    each = r"indist \(expR \(e / (\d+)\)\) \(t / \(mean_runs kk\)%:R\)"
    power = int(part("singhal2021/noisy_runs.v:selected_output_private", each))
    mean = definition("singhal2021/noisy_runs.v", "mean_runs").removesuffix("%N").replace("kk.+1", "k_max")
    calibration = section_3_3_unknown_dimension.calibrate(6.0, 0.05, 1e-4, 0.1, n=1200, d=3, k_max=2)
    assert agree(calibration.repetitions.mean, value(mean, k_max=Fraction(2)))
    for run in calibration.runs:
        assert agree(run.epsilon, 6.0 / power)
        assert agree(run.delta, 0.05 / value(mean, k_max=Fraction(2)))
    assert agree(calibration.scale, power / 6.0)
