"""Checks of the claims of liu2022 about the accuracy of DP-PCA, Theorems 5.1, 6.1 and Lemma 6.2 (proofs_notes/liu2022.md)."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from flint import arb, ctx
from scipy.optimize import brentq
from scipy.special import gammainc
from scipy.stats import binom, chi2

from dppca.proofs.evidence import Evidence, verdict
from dppca.reference.baselines import analyze_gauss
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022 import distributions, step_sizes
from dppca.reference.liu2022 import equation_7_minibatch as equation_7
from dppca.reference.liu2022.models import gaussian_model, signal_and_noise_model
from dppca.reference.noise import Sample, record
from dppca.reference.primitives.sparse_histogram import stability_threshold

_BITS = 128
_READINGS = {"as printed": algorithm_3.AS_PRINTED, "corrected": algorithm_3.CORRECTED, "lean": algorithm_3.LEAN}


# --- Theorem 5.1 ------------------------------------------------------------------------------------------------


def equation_9() -> Evidence:
    """Gradients of random signs with b = d/8 differences in a subset.

    The estimate is over 4 times the eigenvalue, in the code too.
    """
    d, k = 400, 60
    b = d // 8
    # rank <= b, so the top eigenvalue of G G^T / b is at least its trace / b = sum |g~|^2 / b^2, |g~|^2 = 4 Bin(d, 1/2)
    least = 4.0 * (0.4 * b * d) / b**2
    fails = k * float(binom.cdf(0.4 * b * d, b * d, 0.5))
    halved = least / 2.0 * 2.0**-0.25
    run = algorithm_4.calibrate(4.0, 1e-3, B=1200, zeta=1e-2)
    signs = np.random.default_rng(6).choice([-1.0, 1.0], size=(1200, d))
    found = algorithm_4.private_top_eigenvalue(signs, run, Sample(np.random.default_rng(6))) or 0.0
    refuted = halved > math.sqrt(2.0) and fails < 1e-12 and run.b == b and found >= halved
    # with gamma -> 0 all other terms of (9) may be small beside sqrt(d) log^1.5(1/delta) / epsilon
    log = math.log(1e6)
    short = {dim: math.sqrt(dim) * log**1.5 / (dim * log) for dim in (10**3, 10**6)}
    model = replace(gaussian_model(np.diag([1.0, 1e-9]), 100, 0.01), d=10**6, V=1e-9, M=1e-9, gamma2=1e-18)
    added = step_sizes.theorem_5_1_sample_size(model, 0.5, 1e-6) >= 10**6 * log / 0.5
    return Evidence(
        verdict(printed=not refuted or min(short.values()) >= 1.0, corrected=added),
        "symbolic",
        f"d = {d}, b = {b}: the halved estimate is at least {halved:.2f} times the eigenvalue but for {fails:.0e} (the "
        "code gives "
        f"{found:.2f}), so b has to grow with d and B with d log(1/delta)/epsilon; at gamma = 0 (9) asks for "
        f"{short[10**6]:.4f} of that "
        "at d = 1e6. The conference text adds the term.",
    )


def equation_63_last_term() -> Evidence:
    """The code's last term of (63) at T = c' log^2 n, alpha = c log n: the same for every n.

    With T = c' kappa^2 log^2 n, 1/4.
    """
    zeta = 0.01
    log = math.log1p(zeta / 100.0)
    always = True
    for c, c_prime in ((0.5, 1.0), (1.0, 1e5), (3.0, 1e9)):
        kappa = math.sqrt(2.0 * c_prime * log / c**2) + 1.0
        values = set()
        for log_n in (kappa**2, 2.0 * kappa**2, 100.0 * kappa**2):
            term = step_sizes.last_term_of_equation_63(kappa, c_prime * log_n**2, c * log_n, zeta)
            always &= math.isclose(term, (kappa**2 * c**2 / (c_prime * log)) ** 2, rel_tol=1e-9)
            values.add(term)
        always &= min(values) > 1.0
    terms = [
        step_sizes.last_term_of_equation_63(kappa, 2.0 / log * kappa**2 * log_n**2, log_n, zeta)
        for kappa in (1.0, 10.0, 1000.0)
        for log_n in (10.0, 1000.0)
    ]
    return Evidence(
        verdict(printed=not always, corrected=all(math.isclose(term, 0.25, rel_tol=1e-9) for term in terms)),
        "symbolic",
        "the term is (kappa^2 c^2/(c' log(1 + zeta/100)))^2 for every n, above 1 for kappa^2 > c' log(1 + zeta/100)/c^2 "
        "however large n is; T = c' kappa^2 log^2 n with c' = 2 c^2/log(1.0001) makes it 1/4, and then no e^(kappa^2) "
        "is needed.",
    )


def theorem_5_1_sizes() -> Evidence:
    """T > xi with alpha = log n, kappa = 1 and zeta = 0.01, enclosed at two n; n / log^2 n grows from n = e^2 on."""
    with ctx.workprec(_BITS):

        def batch(n: int) -> arb:
            return arb(n) * (1 + arb("0.0001")).log() / (20 * arb(n).log() ** 2)

        short, enough = bool(batch(64 * 10**6) < 1), bool(batch(66 * 10**6) > 1)
    by_code = [n / step_sizes.least_steps(1.0, math.log(n), 0.01) for n in (64 * 10**6, 66 * 10**6)]
    return Evidence(
        verdict(printed=short and enough and by_code[0] < 1.0 < by_code[1]),
        "interval",
        f"T > xi >= 2.0e5 kappa^2 alpha^2 leaves {by_code[0]:.3f} of a record per batch at n = 6.4e7 and "
        f"{by_code[1]:.3f} at 6.6e7.",
    )


def theorem_5_1_subsets() -> Evidence:
    """The code refuses the batches that T > xi leaves at 2^38 records, too few for two gradients a subset, not at 2^39."""
    accepted = {}
    for power in (37, 38, 39, 40):
        n = 2**power
        T = math.floor(step_sizes.least_steps(4.0 / 3.0, math.log(n), 0.01)) + 1
        try:
            run = algorithm_3.calibrate(0.9, 1.0 / n, n=n, d=10, B=n // T, K=4.0, choices=algorithm_3.AS_PRINTED)
            accepted[power] = run.eigenvalue.b
        except ValueError:
            accepted[power] = 0
    return Evidence(
        verdict(printed=accepted[37] == accepted[38] == 0 and accepted[39] >= 1 and accepted[40] > accepted[39]),
        "symbolic",
        f"differences in each subset at n = 2^37, 2^38, 2^39, 2^40: {list(accepted.values())}; 2^39 is {2**39:.1e}.",
    )


def remark_on_t() -> Evidence:
    """The second term of (62) is a bound on sin^2 and proportional to T; in (10), a bound on sin, its root appears."""
    # powers of kappa, gamma, d, 1/(epsilon n) in the term of (62) with T = c kappa^2 log^2 n
    squared = np.array([2 + 2, 2, 2, 2])
    printed, rooted = np.array([4, 2, 2, 2]), squared / 2
    return Evidence(
        verdict(printed=bool(np.array_equal(printed, rooted)), corrected=bool(np.array_equal(rooted, [2, 1, 1, 1]))),
        "symbolic",
        "in (10) the term is kappa^2 gamma d sqrt(log(1/delta))/(epsilon n), a factor kappa on the one that is there.",
    )


def equation_64() -> Evidence:
    """The second term of (63), V kappa^2 log(dT) alpha^2 / (n T) with alpha^2 = T, at the printed n and at the corrected."""
    V, kappa, log = Fraction(100), Fraction(10), Fraction(4)
    printed = kappa * 20  # kappa sqrt(V log(dT)), a root of 400
    terms = [V * kappa**2 * log / n for n in (printed, V * kappa**2 * log)]
    model = gaussian_model(np.diag([1.0, 0.9]), 100, 0.01)
    n, T = 10**6, 200
    fourth = step_sizes.equation_64(model, n, T, 0.5, 1e-6) >= model.kappa**2 * model.V * math.log(model.d * T)
    return Evidence(
        verdict(printed=terms[0] <= 1, corrected=terms[1] == 1 and fourth),
        "symbolic",
        f"V = 100, kappa = 10, log(dT) = 4: the term is {terms[0]} at n = kappa sqrt(V log(dT)), without bound in V, "
        "and 1 at kappa^2 V "
        "log(dT); the code's (64) is larger than that by its fourth term.",
    )


def equation_62() -> Evidence:
    """(xi/T)^2 and V~/T by the code's (60), where one term of (63) and of (62) decides: the constants of the note."""
    B, T, K, epsilon, delta, alpha, zeta = 10**6, 10**3, 4.0, 0.5, 1e-9, 3.0, 0.01
    n, log = B * T, math.log1p(zeta / 100.0)
    over = 512.0 * math.log(2.5 / delta) / math.log(1.0 / delta)
    good, found = True, []
    # the parameters, the term of (63) that decides, its constant, and the one of (62)
    cases = (
        (2, 1e12, 1.0, 1e-9, 0, 1600.0, 1.0),
        (4, 1.0, 1e14, 1e-9, 3, 400.0, 1.0),
        (64, 1.0, 1.0, 1e8, 4, 400.0 * over**2, over),
        (2, 1.0, 1.0, 1e-9, 5, 400.0, 1.0),
    )
    for d, M, V, gamma, place, constant, second in cases:
        model = replace(gaussian_model(np.diag([1.0, 0.5]), 100, 0.01), d=d, M=M, V=V, gamma2=gamma**2, K=K, a=1.0)
        steps = step_sizes.equation_60(model, T, B, step_sizes.printed_noise(model, B, epsilon, delta, zeta), alpha, zeta)
        h = (model.kappa * alpha) ** 2
        noise = (K * gamma * d * math.log(B * d / zeta) / (epsilon * n)) ** 2 * math.log(1.0 / delta)
        level = math.log(d * T / zeta)
        terms = [
            M**2 * h * level**2 / n**2,
            V * level * h / (n * T),
            noise * math.log(T / zeta) * h,
            (V * h / (log * n)) ** 2,
            (noise * T * h / log) ** 2,
            (h / (log * T)) ** 2,
        ]
        found.append((steps.xi / T) ** 2 / terms[place])
        good &= terms[place] == max(terms) and math.isclose(found[-1], constant, rel_tol=1e-3)
        good &= math.isclose(steps.V_tilde / T, second * max(V / n, noise * T), rel_tol=1e-3)
    shown = ", ".join(f"{x:.0f}" for x in found)
    return Evidence(
        verdict(printed=good),
        "symbolic",
        f"by the code the first, fourth, fifth and sixth term of (63) come with {shown} where they decide; the second and "
        "third do not decide for constants of the size of 20 and log(1 + zeta/100).",
    )


def equation_64_display() -> Evidence:
    """(9) by the code holds sqrt(d) log^1.5(1/delta)/epsilon, beside which all terms of the display can be small."""
    shares = []
    for d in (10**2, 10**4):
        model = replace(gaussian_model(np.diag([1.0, 1e-9]), 100, 0.01), d=d, V=1e-9, M=1e-9, gamma2=1e-18)
        nine = step_sizes.theorem_5_1_sample_size(model, 1e-3, 1e-6)
        display = math.exp(model.kappa**2) + model.kappa * model.M + model.kappa**2 * model.V
        display += d * model.kappa * model.gamma * math.sqrt(math.log(1e6)) / 1e-3
        rest = nine - display - d * math.log(1e6) / 1e-3
        shares.append(rest / (math.sqrt(d) * math.log(1e6) ** 1.5 / 1e-3))
    return Evidence(
        verdict(printed=max(shares) < 0.5, corrected=all(math.isclose(share, 1.0, rel_tol=1e-6) for share in shares)),
        "symbolic",
        "what (9) has beyond the display, and beyond the d log(1/delta)/epsilon of the conference text, is sqrt(d) "
        "log^1.5(1/delta)/"
        "epsilon, at d = 100 and 10^4.",
    )


def equation_15_beta() -> Evidence:
    """What Algorithm 5 adds when Algorithm 3 calls it, against the printed beta_t; per sqrt(2 Lambda_hat)."""
    epsilon, delta, d, B, T, K, zeta = 0.5, 1e-6, 10, 10**6, 100, 4.0, 0.01
    run = algorithm_3.calibrate(epsilon, delta, n=B * T, d=d, B=B, K=K, zeta=zeta, choices=algorithm_3.AS_PRINTED)
    tail = math.sqrt(2.0 * d * math.log(2.5 / delta)) / (epsilon * B)
    printed = 8.0 * K * math.log(B * d / zeta) * tail
    meant = 48.0 * K * math.log(B * d * T / zeta) * math.sqrt(2.0 * d * math.log(5.0 / delta)) / (epsilon * B)
    return Evidence(
        verdict(
            printed=math.isclose(run.mean.std, printed, rel_tol=0.01), corrected=math.isclose(run.mean.std, meant, rel_tol=1e-9)
        ),
        "symbolic",
        "epsilon/2, delta/2 and B/2 make 12 K log^a(.) into 48, log(2.5/delta) into log(5/delta), and zeta/(2T) the "
        "logarithm's zeta: "
        f"{run.mean.std / printed:.2f} times the printed value at d = {d}, B = 1e6, T = {T}.",
    )


def equation_57_beta() -> Evidence:
    """beta_t <= beta: 8 sqrt(2 Lambda_hat) <= 16 sqrt(L) for Lambda_hat up to sqrt(2) L, and up to 2^(9/8) L."""
    with ctx.workprec(_BITS):
        claimed = 8 * (2 * arb(2).sqrt()).sqrt()
        real = 8 * (2 * 2 * arb(2) ** arb("0.125")).sqrt()
        doubled = 8 * (2 * 2 * arb(2).sqrt()).sqrt()
        noise = 48 * (2 * 2 * arb(2) ** arb("0.125")).sqrt()
        inside, outside = bool(claimed <= 16), bool(real > 16)
    return Evidence(
        verdict(printed=not outside, corrected=inside),
        "interval",
        f"{float(claimed):.2f} <= 16 in Theorem 6.1's range; Algorithm 4 as printed returns up to 2^(9/8) times the "
        "eigenvalue: "
        f"{float(real):.2f} ({float(doubled):.2f} for twice the range), and {float(noise):.1f} with the noise that is added. "
        "It holds with the "
        "covariance halved, up to the factor of beta_t.",
    )


def equation_57_average() -> Evidence:
    """The mean is over the second half of a batch."""
    run = algorithm_3.calibrate(0.5, 1e-3, n=20_000, d=2, B=20_000, K=1.0)
    return Evidence(
        verdict(printed=run.mean.B == run.B, corrected=run.mean.B == run.B // 2),
        "symbolic",
        f"of B = {run.B} records {run.mean.B} enter the mean, so V/B in (59) is 2V/B.",
    )


def equation_59() -> Evidence:
    """A.3 is an upper bound: a constant A has second moment 0 of its deviation and satisfies A.3 with every V."""
    deviation, V, B = Fraction(0), Fraction(3), 10
    return Evidence(
        verdict(printed=deviation / B == V / B, corrected=deviation / B <= V / B),
        "exact",
        "<= for =; the mean of B independent deviations has 1/B of the second moment of one.",
    )


def equation_57_independence() -> Evidence:
    """beta_t follows Lambda_hat_t, which follows w_(t-1): records on a line through e_1 and two iterates, two laws of B_t."""
    calibration = algorithm_4.calibrate(4.0, 0.1, B=640, zeta=0.5)
    rows = np.tile([[1.0, 0.0], [3.0, 0.0]], (320, 1))  # gradients x (x.w): differences 8 w_1, eigenvalue 32 w_1^2 halved
    found = [
        algorithm_4.private_top_eigenvalue(rows * (rows @ w)[:, np.newaxis], calibration, Sample(np.random.default_rng(2)))
        for w in (np.array([1.0, 0.0]), np.array([0.6, 0.8]))
    ]
    expected = (32.0, 2.0 ** (math.floor(4.0 * math.log2(32.0 * 0.36)) / 4.0))
    return Evidence(
        verdict(printed=found[0] == found[1]) if found == list(expected) else "open",
        "sampled",
        f"on one batch Lambda_hat is {found[0]} at w = e_1 and {found[1]:.3f} at w = (0.6, 0.8), so the noise of B_t "
        "depends on the "
        "past, and Theorem 2.2 does not apply. It does to Algorithm 2, whose noise is fixed, and to noise made up to a "
        "constant.",
    )


def theorem_5_1_probability() -> Evidence:
    """T zeta/(2T) for Algorithm 4, as much or three times as much for Algorithm 5, the norms and Oja's own zeta."""
    zeta = Fraction(1, 100)
    total = zeta / 2 + zeta / 2 + zeta + zeta
    return Evidence(
        verdict(printed=total <= zeta, corrected=3 * (zeta / 3) == zeta),
        "exact",
        f"the events of the proof can fail with {total} in all for zeta = 1/100 (1/2 + 1/2 + 1 + 1 times zeta); zeta/3 "
        "leaves 0.99.",
    )


def corollary_5_2() -> Evidence:
    """(10) with V <= d + 1 and gamma^2 = 2 is (11) up to constants; A.2 and Theorem 5.1 itself are missing."""
    constants = math.sqrt(2.0), math.sqrt(2.0)
    return Evidence(
        "open",
        "cited",
        f"sqrt(V) <= {constants[0]:.3f} sqrt(d) and gamma = {constants[1]:.3f} turn (10) into (11); missing: Theorem 5.1, "
        "and A.2 for "
        "Gaussian rows.",
    )


def section_5_example() -> Evidence:
    """(10) by the code at Example 4.1, over sigma (sqrt(d/n) + d sqrt(log(1/delta))/(epsilon n)).

    Between constants for sigma <= 1.
    """
    quotients = []
    for d in (2, 10, 1000):
        for s in (1e-6, 1e-2, 0.99):
            for n in (10**3, 10**9):
                rate = step_sizes.theorem_5_1_rate(signal_and_noise_model(d, s, 100, 0.01), n, 0.5, 1e-6)
                target = math.sqrt(s) * (math.sqrt(d / n) + d * math.sqrt(math.log(1e6)) / (0.5 * n))
                quotients.append(rate / target)
    return Evidence(
        verdict(printed=max(quotients) <= 4.0 and min(quotients) >= 0.5),
        "symbolic",
        f"sqrt(V) <= sqrt(3 d) sigma, gamma <= 2 sigma, kappa <= 2; the quotient is between {min(quotients):.2f} and "
        f"{max(quotients):.2f} (about (10) as a formula; its proof is theorem-5.1).",
    )


def section_5_vanishing() -> Evidence:
    """Gradients 2^-20 times as large, Lambda_hat 2^-40: bins, box and noise scale along exactly."""
    calibration = algorithm_5.calibrate(8.0, 0.1, B=640, d=2, K=1.0, zeta=0.5)
    rows = np.tile([[1.0, 0.1], [1.0, -0.1]], (320, 1))
    small = 2.0**-20
    one = algorithm_5.private_mean(rows, 0.05, calibration, Sample(np.random.default_rng(3)))
    other = algorithm_5.private_mean(rows * small, 0.05 * small**2, calibration, Sample(np.random.default_rng(3)))
    good = one is not None and other is not None and bool(np.array_equal(one * small, other))
    return Evidence(
        verdict(printed=good),
        "symbolic",
        "with the same draws Algorithm 5 returns exactly 2^-20 times the value: its noise is proportional to "
        "sqrt(Lambda_hat), without a "
        "constant that stays.",
    )


def _minibatch_noise(d: int, sigma: float, n: int, epsilon: float, steps: int) -> float:
    """Std per coordinate of Equation (7)'s mean gradient on Example 4.1, over lambda_1."""
    gamma = math.sqrt(4 * sigma**2 + 2 * sigma**4) / (1 + sigma**2)
    run = equation_7.calibrate(epsilon, 1e-6, n=n, d=d, lambda_1=1.0, K=4.0, gamma=gamma)
    return 2.0 * run.beta * run.alpha / (n // steps)


def _dp_pca_noise(d: int, gamma: float, n: int, epsilon: float, steps: int, reading: str) -> float:
    """The same for DP-PCA at the eigenvalue gamma^2 lambda_1^2, doubled where Algorithm 4 doubles it."""
    choices = _READINGS[reading]
    run = algorithm_3.calibrate(epsilon, 1e-6, n=n, d=d, B=n // steps, K=4.0, choices=choices)
    return run.mean.std * math.sqrt(run.handed_on * 2.0 / choices.eigenvalue.divisor.value) * gamma


def section_5_improvement() -> Evidence:
    """The sigma of Example 4.1 below which DP-PCA's noise is below that of Equation (7); four batches."""
    d, n, epsilon, steps = 4, 10**6, 0.8, 4
    found = {}
    for reading in _READINGS:

        def excess(x: float, reading: str = reading) -> float:
            sigma = math.exp(x)
            gamma = math.sqrt(4 * sigma**2 + 2 * sigma**4) / (1 + sigma**2)
            return math.log(_dp_pca_noise(d, gamma, n, epsilon, steps, reading) / _minibatch_noise(d, sigma, n, epsilon, steps))

        found[reading] = math.exp(brentq(excess, math.log(1e-12), math.log(10.0)))
    shown = ", ".join(f"{sigma:.1e} ({reading})" for reading, sigma in found.items())
    return Evidence(
        verdict(printed=min(found.values()) >= 1.0, corrected=max(found.values()) < 0.1),
        "symbolic",
        f"d = {d}, n = 1e6, epsilon = {epsilon}, delta = 1e-6, K = 4: less noise only for sigma below {shown}.",
    )


def section_1_improvement() -> Evidence:
    """The least power of 2 that is a d at which DP-PCA's noise on Gaussian rows is below Analyze Gauss's: n = 2^80, T = 4.

    Four conventions for Analyze Gauss: beta^2 the quantile that all n rows keep with probability 0.99, or Section 2.3's
    5 lambda_1 d log(n/zeta); the sensitivity sqrt(2) of the code (a row replaced), or 1.
    """
    n, found = 2**80, {}
    for bound in ("quantile", "5 d log(n/zeta)"):
        for sensitivity in (math.sqrt(2.0), 1.0):
            for reading in ("as printed", "corrected"):
                d = 2
                while True:
                    ours = _dp_pca_noise(d, math.sqrt(2.0), n, 0.8, 4, reading)
                    norm = float(chi2.isf(0.01 / n, d)) if bound == "quantile" else 5.0 * d * math.log(n / 0.01)
                    std = analyze_gauss.calibrate(0.8, 1e-6, d).std * sensitivity / math.sqrt(2.0)
                    if ours < std * norm / n:
                        break
                    d *= 2
                found[bound, sensitivity, reading] = d.bit_length() - 1
    powers = [35, 33, 36, 34, 18, 16, 19, 17]
    return Evidence(
        verdict(printed=list(found.values()) == powers),
        "symbolic",
        "per entry of the gradient against the matrix (the quotient depends on n through logarithms): powers of 2 at which "
        f"d begins, as printed and corrected: {', '.join(str(x) for x in found.values())}, for the quantile with sensitivity "
        "sqrt(2) and 1, then for 5 lambda_1 d log(n/zeta) with both.",
    )


# --- Theorem 6.1 --------------------------------------------------------------------------------------------------


def theorem_6_1_sample_size() -> Evidence:
    """(14) of the arXiv text holds n, which Algorithm 4 has not; 2 k b with the b of the proof needs log(d k / zeta)."""
    d, delta, epsilon, n = 10, 1e-6, 0.5, 10**6
    factors = {}
    for zeta in (1e-2, 1e-8, 1e-32):
        k = 4.0 * math.log(1.0 / (delta * zeta)) / epsilon
        printed = math.log(n * d * math.log(1.0 / (delta * zeta)) / epsilon)
        factors[zeta] = math.log(d * k / zeta) / printed
    conference = math.log(d * math.log(1.0 / (delta * 1e-32)) / (1e-32 * epsilon))
    needed = math.log(d * 4.0 * math.log(1.0 / (delta * 1e-32)) / epsilon / 1e-32)
    return Evidence(
        verdict(printed=max(factors.values()) <= 2.0, corrected=needed <= 2.0 * conference),
        "symbolic",
        f"log(dk/zeta), which the proof's b needs, is {factors[1e-32]:.2f} times the printed logarithm at zeta = 1e-32, "
        "without bound; the "
        "conference text has 1/zeta inside, and B for n.",
    )


def appendix_e_2_interval() -> Evidence:
    """(1 - 2^(1/8), 1 + 2^(1/8)) against (2^(-1/8), 2^(1/8)): whose ends are within a factor 2^(1/4)."""
    with ctx.workprec(_BITS):
        root = arb(2) ** arb("0.125")
        printed = bool(1 - root > 0) and bool((1 + root) / (1 - root) <= root * root)
        meant = bool(abs(root / (1 / root) - root * root) < arb("1e-30"))
        low, high = float(1 - root), float(1 + root)
    return Evidence(
        verdict(printed=printed, corrected=meant),
        "interval",
        f"the printed factors are {low:.3f} and {high:.3f}; 2^(-1/8) and 2^(1/8) are meant, times 2 lambda_1^2 |H_u| (1 for "
        "halved pairs).",
    )


def appendix_e_2_bins() -> Evidence:
    """Ends a factor 2^(1/4) apart: at most two bins; the code's left ends are within 2^(3/8) below and 2^(1/8) above."""
    worst, most = 0.0, 0
    for shift in np.linspace(0.0, 1.0, 1001):
        low, high = shift - 0.5, shift + 0.5  # in quarter powers of 2, the eigenvalue at `shift`
        bins = range(math.floor(low), math.floor(high - 1e-12) + 1)
        most = max(most, len(bins))
        worst = max(worst, *(abs(i - shift) for i in bins))
    calibration = algorithm_4.calibrate(4.0, 1e-3, B=64, zeta=1e-2)
    inside = True
    for middle in (1.0, 1.05, 1.13, 1.18):
        for end in (-0.4999, 0.0, 0.4999):
            x = middle * 2.0 ** (end / 4.0)
            g = np.tile([[0.0], [math.sqrt(2.0 * x)]], (32, 1))  # every eigenvalue is x
            found = algorithm_4.private_top_eigenvalue(g, calibration, Sample(np.random.default_rng(1))) or 0.0
            inside &= 2.0**-0.375 <= found / middle <= 2.0**0.125
    return Evidence(
        verdict(printed=most <= 2 and worst <= 2.0 and inside),
        "symbolic",
        f"at most {most} bins; the left end is off by 2^({worst:.2f}/4) at most, and 2^(1/2) is claimed; 12 eigenvalues "
        "by the code.",
    )


def appendix_e_2_order() -> Evidence:
    """Two equally full bins: either can win; one of the two is all that is needed."""
    zeta, epsilon, delta = 0.01, 0.5, 1e-6
    k = 2 * math.ceil(1.0 + 2.0 / epsilon * math.log(1.0 / (4.0 * delta * zeta)))
    # k/2 and k/2 + 1: the smaller one wins if the difference of two Laplace(2/eps) exceeds 1
    t = epsilon / 2.0
    changes = 0.5 * math.exp(-t) * (1.0 + t / 2.0)
    released = 1.0 - 0.5 * math.exp(-(k / 2.0 - stability_threshold(epsilon, delta)) * t)
    # six eigenvalues 1.01 and four 4.04, both bins shown: the fuller one is taken
    run = algorithm_4.calibrate(8.0, 1e-4, B=20, zeta=1e-4)
    g = np.repeat(np.sqrt([2.02] * 6 + [8.08] * 4), 2)[:, np.newaxis] * np.tile([[0.0], [1.0]], (10, 1))
    fuller = [algorithm_4.private_top_eigenvalue(g, run, Sample(np.random.default_rng(seed))) for seed in range(5)] == [1.0] * 5
    return Evidence(
        verdict(printed=changes <= zeta, corrected=released >= 1.0 - zeta and fuller),
        "symbolic",
        f"k = {k} with counts k/2 - 1/2 and k/2 + 1/2: the order changes with probability {changes:.3f}; one of them is "
        "shown with "
        f"probability {released:.5f}.",
    )


def appendix_e_2_unbounded() -> Evidence:
    """The same estimate for eigenvalues 2^(+-40) times as large, from the same draws."""
    calibration = algorithm_4.calibrate(4.0, 0.1, B=640, zeta=0.5)
    rows = np.tile([[1.0, 0.1], [1.0, -0.1]], (320, 1))
    found = [
        algorithm_4.private_top_eigenvalue(rows * scale, calibration, Sample(np.random.default_rng(4)))
        for scale in (2.0**-20, 1.0, 2.0**20)
    ]
    good = found[1] is not None and found[0] == found[1] * 2.0**-40 and found[2] == found[1] * 2.0**40
    return Evidence(verdict(printed=good), "symbolic", f"Lambda_hat = {found[0]:.2e}, {found[1]:.4f}, {found[2]:.2e}.")


def appendix_e_2_concentration() -> Evidence:
    """The two requirements on b at eta = 1 - 2^(-1/8), enclosed where they are met with equality.

    The code within the factor.
    """
    good = True
    with ctx.workprec(_BITS):
        eta = 1 - arb(2) ** arb("-0.125")
        good &= bool(1 + eta <= arb(2) ** arb("0.125"))
        for K, d, k, zeta, a in ((4, 10, 100, "0.01", 1), (2, 1, 1, "0.5", "0.5"), (1, 1000, 10**4, "1e-9", 2)):
            z, power = arb(zeta), arb(a)
            b = arb(1)
            for _ in range(60):  # the fixed point of b = C K^2 d log(2dk/zeta) y(b)^(2a)
                y = (4 * b * b * d * k / z).log()
                R = 4 * K * K * d * y ** (2 * power)  # over L
                bernstein = 2 * (2 + eta / 3) / eta**2 * R * (2 * d * k / z).log()
                bias = 4 * K * K * (2 * (4 * power + 1).gamma()).sqrt() / eta
                b = bernstein.mid() * (1 + arb("1e-9")) + bias.mid() * (1 + arb("1e-9"))
            y = (4 * b * b * d * k / z).log()
            R = 4 * K * K * d * y ** (2 * power) * (1 - arb("1e-6"))
            good &= bool(2 * d * (-b * eta**2 / (2 * R * (2 + eta / 3))).exp() <= z / k)
            good &= bool(4 * K * K * (2 * (4 * power + 1).gamma() * z / k).sqrt() / b <= eta)
            good &= bool(4 * d * (-y).exp() <= z / (b * b * k) * (1 + arb("1e-20")))
    rows = np.random.default_rng(11).standard_normal((24_000, 3))
    run = algorithm_4.calibrate(4.0, 1e-3, B=24_000, zeta=1e-2)
    found = algorithm_4.private_top_eigenvalue(rows, run, Sample(np.random.default_rng(12))) or 0.0
    return Evidence(
        verdict(printed=good and 2.0**-0.375 <= found <= 2.0**0.125),
        "interval",
        "truncation at 4 b^2 d k/zeta, Bernstein and the fourth moment of A.4, proved in the note; its three "
        "inequalities hold at the b "
        f"asked for in three cases. The code gives {found:.3f} for 24000 standard normal gradients of R^3.",
    )


def equation_66() -> Evidence:
    """d = 1, in fractions: +-r with probability q/2 each, else 0; cut at less than r the conditional variance is 0.

    Both sides: variance V, fourth moment F, P outside: V - sqrt(F P) <= E g^2 1(inside), and the whole over 1 - P.
    """
    upper_alone = True
    both = True
    for q in (Fraction(1, 10), Fraction(1, 1000)):
        conditional, variance = Fraction(0), q * 100  # r = 10, cut at 9: inside only 0
        upper_alone &= conditional <= variance / (1 - q)  # (66) holds
        both &= abs(conditional - variance) <= math.sqrt(q * 10**4 * q) + variance * q / (1 - q)
    # a tail that A.4 allows at a = 1: two-sided exponential, inside [-y, y], by the incomplete gamma function
    gaps = []
    for y in (5.0, 10.0, 30.0, 100.0):
        outside = math.exp(-y)
        inside = 2.0 * float(gammainc(3.0, y)) / (1.0 - outside)
        gaps.append(abs(inside - 2.0))
        both &= gaps[-1] <= math.sqrt(24.0 * outside) + 2.0 * outside / (1.0 - outside)
    return Evidence(
        verdict(printed=not upper_alone, corrected=both and gaps == sorted(gaps, reverse=True) and gaps[-1] < 1e-12),
        "symbolic",
        "a law with all of its variance outside obeys (66) and has the conditional variance 0; for the two-sided exponential "
        f"of variance 2 the gap at y = 5, 10, 30 is {gaps[0]:.2f}, {gaps[1]:.1e}, {gaps[2]:.1e}, within the two-sided bound.",
    )


# --- Lemma 6.2 ------------------------------------------------------------------------------------------------------


def appendix_e_3_min() -> Evidence:
    """Shares (0, 1, 0) of three bins: the smallest is 0, the largest at least a third of the sum."""
    shares = (Fraction(0), Fraction(1), Fraction(0))
    largest = all(max(a, b, Fraction(96, 100) - a - b) >= Fraction(32, 100) for a in _GRID for b in _GRID)
    return Evidence(
        verdict(printed=min(shares) >= Fraction(32, 100), corrected=largest and max(shares) >= Fraction(32, 100)),
        "exact",
        "a sum of 0.96 makes the largest of three at least 0.32; the argument after it uses the largest.",
    )


_GRID = [Fraction(i, 25) for i in range(25)]


def appendix_e_3_bins() -> Evidence:
    """I_l of width sqrt(Lambda_hat) or tau: which one holds mu +- K lambda sqrt(H) log^a(25) in three bins."""
    run = algorithm_5.calibrate(0.5, 1e-6, B=1000, d=2, K=4.0, zeta=0.1, choices=algorithm_5.AS_PRINTED)
    reach = 4.0 * math.log(25.0) * 2.0**0.25  # in sqrt(Lambda_hat), at Lambda_hat = L / sqrt(2)
    return Evidence(
        verdict(printed=reach <= 1.0, corrected=reach <= run.tau * (1 + 1e-12)),
        "symbolic",
        f"the interval reaches {reach:.2f} sqrt(Lambda_hat) to either side (K = 4, a = 1); tau = {run.tau:.2f} "
        "sqrt(Lambda_hat) covers it, a bin of "
        "sqrt(Lambda_hat) does not.",
    )


def appendix_e_3_winner() -> Evidence:
    """With 2 exp(-log 25) = 0.08 outside instead of 0.04: largest bin inside >= 0.92/3, any bin outside <= 0.08.

    The code's tau.
    """
    tail, error = Fraction(8, 100), Fraction(1, 100)
    inside = (1 - tail) / 3
    reach = []
    for choices in (algorithm_5.AS_PRINTED, algorithm_5.CORRECTED):
        run = algorithm_5.calibrate(0.5, 1e-6, B=1000, d=2, K=1.0, zeta=0.1, choices=choices)
        reach.append(2.0 * math.exp(-run.tau / 2.0**0.25))  # P(|g_j - mu_j| > tau) at Lambda_hat = L / sqrt(2), a = 1
    run = algorithm_5.calibrate(8.0, 0.1, B=640, d=1, K=1.0, zeta=0.1)
    g = np.repeat([[0.5], [1000.5]], [450, 190], axis=0)  # the box around the fuller bin ends far below 1000
    found = algorithm_5.private_mean(g, 1.0, run, Sample(np.random.default_rng(2)))
    fuller = found is not None and abs(float(found[0])) < run.tau + run.radius
    return Evidence(
        verdict(printed=inside - error > tail + error and max(reach) <= float(tail) * (1 + 1e-12) and fuller),
        "symbolic",
        f"{float(inside - error):.4f} > {float(tail + error):.2f}: the argument survives the doubled tail of A.4, with "
        f"log^a(25) in tau; beyond the code's tau are at most {reach[0]:.2f} as printed and {reach[1]:.2f} as corrected.",
    )


def appendix_e_3_distance() -> Evidence:
    """The left end of one of three bins around mu; tau at Lambda_hat = sqrt(2) L."""
    farthest = 2.0  # mu at the right end of bin k, bin k - 1 wins: 2 tau
    run = algorithm_5.calibrate(0.5, 1e-6, B=1000, d=2, K=1.0, zeta=0.1, choices=algorithm_5.AS_PRINTED)
    tau = run.tau * math.sqrt(math.sqrt(2.0))
    good = farthest * tau <= 2.0**1.5 * math.log(25.0) * (1 + 1e-12)
    return Evidence(
        verdict(printed=good), "symbolic", f"2 tau = {farthest * tau:.3f} K lambda_1 sqrt(|H|) = 2^1.5 log(25), reached."
    )


def appendix_e_3_dkw() -> Evidence:
    """B = 1, all bins of probability at most 0.1: the occupied one is off by 0.9 always; sqrt(log(1/0.5)) is less."""
    zeta, share = 0.5, 0.1
    deviation, printed = 1.0 - share, math.sqrt(math.log(1.0 / zeta))
    exact_dkw = 2.0 * math.sqrt(math.log(2.0 / zeta) / 2.0)  # two ends, each by the one-dimensional inequality
    return Evidence(
        verdict(printed=deviation <= printed, corrected=deviation <= exact_dkw),
        "symbolic",
        f"d = B = 1, zeta = 1/2: deviation {deviation:.2f} with probability 1 against {printed:.3f}; an interval needs both "
        "ends, "
        "2 sqrt(log(2d/zeta)/(2B)).",
    )


def appendix_e_3_probability() -> Evidence:
    """Tails, empirical shares and histograms fail with zeta each."""
    zeta = Fraction(1, 100)
    total = 3 * zeta
    return Evidence(
        verdict(printed=total <= zeta, corrected=3 * (zeta / 3) <= zeta), "exact", "3 zeta; zeta/3 in each gives zeta."
    )


def appendix_e_3_last_line() -> Evidence:
    """3 K lambda_1 sqrt(H) against the box 3 K sqrt(Lambda_hat): sqrt(Lambda_hat) can be 2^(-1/4) of the former."""
    with ctx.workprec(_BITS):
        smallest = arb(2) ** arb("-0.25")
        inside = bool(smallest >= 1)
        share = float(smallest)
    sides = []
    for a in (1.0, 2.0):
        outer, inner = math.log(2.0 * 10**7) ** a, math.log(50.0) ** a
        sides.append(2.0**0.25 * outer + 2.0**1.25 * inner <= 3.0 * outer)
    # with print's 25 and Bd/zeta = e^y: the least Bd/zeta at which 2^(1/4) (y + log 2)^a + 2^(5/4) log^a(25) is at most 3 y^a
    least = [
        math.exp(
            brentq(
                lambda y, a=a: 3.0 * y**a - 2.0**0.25 * (y + math.log(2.0)) ** a - 2.0**1.25 * math.log(25.0) ** a, 0.5, 50.0
            )
        )
        for a in (0.5, 1.0, 2.0)
    ]
    sides.append([math.ceil(x) for x in least] == [399, 109, 68])
    return Evidence(
        verdict(printed=inside, corrected=all(sides)),
        "interval",
        f"at Lambda_hat = lambda_1^2 |H|/sqrt(2) the box is {share:.3f} of what the last line bounds; the direct bound "
        "2^(1/4) log^a(.) + 2^(5/4) log^a(50) <= 3 log^a(.) is what is needed.",
    )


def lemma_6_2_sample_size() -> Evidence:
    """B for a bin with a share of 0.32 to reach the threshold, and for an error of 0.005; d = 10, halves of (0.5, 1e-6)."""
    run = algorithm_5.calibrate(0.25, 5e-7, B=10**6, d=10, K=4.0, zeta=5e-5)
    release = run.threshold / 0.32
    error = 8.0 / (run.histogram.epsilon * 0.005) * math.log(4.0 / (5e-5 / 10 * run.histogram.delta))
    scale = math.sqrt(10 * math.log(1.0 / 5e-7)) / 0.25 * math.log(10 / (5e-5 * 5e-7))
    return Evidence(
        "unspecified" if error > release > 0.0 else "open",
        "symbolic",
        f"the constant in Omega is not printed: {error / scale:.1e} for the proof's accuracy 0.005 (B = {error:.1e}), "
        f"{release / scale:.1f} for a "
        f"bin of 0.32 to reach the threshold (B = {release:.1e}).",
    )


def lemma_6_2_unbiased() -> Evidence:
    """100 with probability 1/1000, else 0, box 30: three means.

    The code's output less its noise is the plain mean if nothing is cut.
    """
    p, far, edge = Fraction(1, 1000), Fraction(100), Fraction(30)
    mean, truncated, given_inside = p * far, p * min(far, edge), 0 * far
    calibration = algorithm_5.calibrate(8.0, 0.1, B=640, d=2, K=1.0, zeta=0.5)
    rows = np.tile([[1.0, 0.1], [1.0, 0.1], [1.0, 0.1], [1.0, -0.1]], (160, 1))
    outlier = rows.copy()
    outlier[0] = [1e4, 0.0]
    errors = []
    for g in (rows, outlier):
        found, tape = record(
            lambda A, noise: algorithm_5.private_mean(A, 0.05, calibration, noise), g, np.random.default_rng(3)
        )
        last = tape.entries[-1]
        if found is None:
            raise ArithmeticError("the example has to release every histogram")
        errors.append(float(np.max(np.abs(found - last.parameters["std"] * last.draw - np.mean(g, axis=0)))))
    return Evidence(
        verdict(printed=mean == truncated, corrected=mean != given_inside and errors[0] < 1e-12 and errors[1] > 1.0),
        "symbolic",
        f"mean {mean}, of the truncated value {truncated}, given that nothing is truncated {given_inside}: biased, "
        "conditionally too. The code's "
        f"output less its noise is the plain mean to {errors[0]:.0e} where nothing is cut, and {errors[1]:.0f} off with "
        "an outlier.",
    )


def section_6_noise_scale() -> Evidence:
    """Std per coordinate grows like sqrt(d); the noise vector's length like d."""
    stds = {}
    for d in (10, 1000):
        run = algorithm_5.calibrate(0.5, 1e-6, B=10**6, d=d, K=1.0, zeta=0.1)
        stds[d] = run.std / math.log(2.0 * 10**6 * d / 0.1)
    growth = stds[1000] / stds[10]
    return Evidence(
        verdict(printed=math.isclose(growth, 10.0, rel_tol=1e-9)),
        "symbolic",
        f"up to the logarithm the std of one coordinate grows by {growth:.3f} from d = 10 to 1000; the vector's length by "
        f"{growth * 10:.1f}, which is the d of (10).",
    )


# --- summaries ---------------------------------------------------------------------------------------------------------


def intro_rate() -> Evidence:
    """(11) by the code.

    It grows with kappa, and with sqrt(log(1/delta)), which the introduction's rate and its O~ do not hold.
    """
    rates = []
    for low, delta in ((0.5, 1e-3), (0.95, 1e-3), (0.5, 1e-12)):
        model = gaussian_model(np.diag([1.0, low]), 100, 0.01)
        rates.append(step_sizes.theorem_5_1_rate(model, 10**4, 1e-6, delta))
    growth = rates[1] / rates[0], rates[2] / rates[0]
    return Evidence(
        verdict(
            printed=max(growth) <= 1.0,
            corrected=math.isclose(growth[0], 10.0, rel_tol=1e-3) and math.isclose(growth[1], 2.0, rel_tol=1e-3),
        ),
        "symbolic",
        f"(11) is {growth[0]:.2f} times as large at kappa = 20 as at 2, and {growth[1]:.2f} times at delta = 1e-12 as at 1e-3.",
    )


def intro_optimal() -> Evidence:
    """A bound for delta = 0 says nothing at delta > 0: releasing the answer with probability delta has no error then."""
    delta, error_private = Fraction(1, 100), Fraction(1, 2)
    mixed = delta * 0 + (1 - delta) * error_private
    return Evidence(
        verdict(printed=mixed >= error_private, corrected=mixed < error_private),
        "exact",
        "Theorem 5.3 is for pure privacy; an (epsilon, delta) algorithm that shows the exact answer with probability delta "
        "already has a "
        f"smaller error ({mixed} against {error_private}). Sections 5 and 7 say so.",
    )


def abstract_sample_size() -> Evidence:
    """(11) below a constant needs n of order d: a bound's algebra; Theorem 5.1 is what is missing."""
    d, epsilon = 1000, 0.5
    n = d * (1.0 + math.sqrt(math.log(1e6)) / epsilon)
    value = math.sqrt(d / n) + d * math.sqrt(math.log(1e6)) / (epsilon * n)
    return Evidence(
        "open",
        "cited",
        f"(11) is {value:.2f} at n = {n:.0f} for d = {d}, up to what O~ hides, which is above 1e5 by theorem-5.1-sizes; "
        "missing: Theorem 5.1.",
    )


def discussion_optimal() -> Evidence:
    """(11) over (12) by the code where the second terms decide.

    Sqrt(2 log(1/delta) lambda_1/lambda_2), and (12) is for delta = 0.
    """
    model = gaussian_model(np.diag([1.0, 1e-6]), 100, 0.01)
    n, epsilon = 10**12, 1e-9
    gap = step_sizes.theorem_5_1_rate(model, n, epsilon, 1e-6) / distributions.theorem_5_3_rate(1.0, 1e-6, 2, n, epsilon)
    expected = math.sqrt(2.0 * math.log(1e6) * 1e6)
    return Evidence(
        verdict(printed=gap <= 1.0, corrected=math.isclose(gap, expected, rel_tol=1e-3)),
        "symbolic",
        f"the quotient is {gap:.0f} for lambda_2 = 1e-6 lambda_1, delta = 1e-6, before O~; near-optimal, as in the arXiv "
        "text, up to these.",
    )


def section_5_match() -> Evidence:
    """(11) over (12) by the code, where the minimum of (12) is not 1: at most 3 sqrt(log(1/delta) lambda_1/lambda_2)."""
    worst = 0.0
    for d in (2, 50):
        for low in (1e-6, 0.5, 0.99):
            model = gaussian_model(np.diag([1.0] + [low] * (d - 1)), 100, 0.01)
            for n in (10**7, 10**12):
                for epsilon in (1.0, 1e-2):
                    for delta in (1e-2, 1e-9):
                        lower = distributions.theorem_5_3_rate(1.0, low, d, n, epsilon)
                        upper = step_sizes.theorem_5_1_rate(model, n, epsilon, delta)
                        if lower < 1.0:
                            worst = max(worst, upper / lower / math.sqrt(math.log(1.0 / delta) / low))
    return Evidence(
        verdict(printed=0.1 < worst <= 2.0**0.5 * (1 + 1e-9)),
        "symbolic",
        f"V <= 2d and gamma^2 = 2: at most {worst:.3f} sqrt(log(1/delta) lambda_1/lambda_2) for delta <= 1/e, 48 settings. As "
        "formulas: (11) needs theorem-5.1-floor, and (12) is for delta = 0.",
    )


def discussion_clipping() -> Evidence:
    """A lower bound for methods that clip is in neither text; the conference text withdraws adaptive clipping."""
    parts = (4.0 * 2.0, math.sqrt(4.0) * 2.0)
    return Evidence(
        "open",
        "cited",
        f"with the sharper threshold of lemma-3.2-order the part that stays falls by sqrt(d) ({parts[0] / parts[1]:.0f} at d "
        "= 4). Missing: a lower bound for clipping at a fixed threshold (Fano for the Gaussian channel suggests alpha "
        "sqrt(d T)/n at sigma = "
        "0), and which adaptive thresholds are meant.",
    )


def discussion_moments() -> Evidence:
    """d (sqrt(log(1/delta))/(epsilon n))^(1 - 1/k): k to infinity gives (10); at k = 2 it exceeds Theorem 5.4's rate."""
    d, x = 50.0, 1e-6
    rates = {k: d * x ** (1.0 - 1.0 / k) for k in (2, 4, 1000)}
    lower = math.sqrt(d * x)
    return Evidence(
        "open",
        "cited",
        f"d = {d:g}: {rates[2]:.1e}, {rates[4]:.1e}, {rates[1000]:.1e} at k = 2, 4, 1000 against {d * x:.1e} and Theorem 5.4's "
        f"{lower:.1e}; no contradiction. Missing: a proof, announced as an expectation.",
    )
