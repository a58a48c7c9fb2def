"""Checks of claims of shang2021: the abstract and sections 1 and 2. Arguments: proofs_notes/shang2021/note.md."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
from flint import acb, arb, ctx

from dppca.proofs_notes.ledger.evidence import BITS, Evidence, verdict
from dppca.proofs_notes.ledger.rational import diagonal, second_moment, unit, vec
from dppca.proofs_notes.shang2021.published_tables import MEANS, SIZES, SPCA, SPREADS, VRPCA, numbers
from dppca.proofs_notes.shang2021.runs import DATA, with_draws
from dppca.proofs_notes.shang2021.section_4_3 import noise_inverse_n2
from dppca.reference.baselines import analyze_gauss, exponential, mod_sulq, noisy_power_method
from dppca.reference.noise import Noise, condition, record, replay
from dppca.reference.primitives import gaussian
from dppca.reference.primitives.subspaces import principal_subspace, projector
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.rigour.gaussian import ball, gaussian_profile, normal_cdf
from dppca.reference.shang2021 import algorithm_1_dp_spca as spca
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as vrpca


def delta_meaning() -> Evidence:
    """Pairs of laws on three points, split into parts within e^epsilon and parts of weight delta; and P(loss > epsilon).

    The second reading is of a Gaussian release with mu = 1 at epsilon = 1: the smallest delta, the code's too.
    """
    with ctx.workprec(BITS):
        delta, exceeds = gaussian_profile(arb(1), arb(1)), normal_cdf(arb(-1) / 2)
        # E (1 - e^(eps - loss))_+ over the loss N(1/2, 1), by rigorous quadrature; beyond 40 it is below exp(-700)
        mean = acb.integral(
            lambda x, _: (1 - (1 - x).exp()) * (-((x - arb("0.5")) ** 2) / 2).exp() / (2 * acb.pi()).sqrt(), acb(1), acb(40)
        ).real + arb(0, "1e-200")
        same = bool(abs(delta - mean) < arb("1e-20")) and bool(abs(ball(gaussian.profile(1.0, 1.0)) - mean) < arb("1e-12"))
    split, source = 0, random.Random(17)
    for E, _ in itertools.product((Fraction(1), Fraction(3, 2), Fraction(4)), range(200)):
        P, Q = (
            [Fraction(w, sum(law)) for w in law] for law in ([source.randint(0, 6) + (i == 0) for i in range(3)] for _ in "PQ")
        )
        split += _fails_with_probability_delta(P, Q, E)
    return Evidence(
        verdict(printed=split == 600 and same and bool(delta < exceeds)),
        f"{split} of 600 pairs of laws are such mixtures at their smallest delta; for a Gaussian release "
        f"delta = {float(delta):.4f}, while the loss exceeds epsilon with probability {float(exceeds):.4f}.",
    )


def _fails_with_probability_delta(P: list[Fraction], Q: list[Fraction], E: Fraction) -> bool:
    """Whether P and Q are mixtures with weights 1 - delta of laws within a factor E, as the note builds them.

    delta is the smallest for which both directions are (log E, delta)-close.
    """
    delta = max(sum((max(Fraction(0), p - E * q) for p, q in zip(A, B, strict=True)), Fraction(0)) for A, B in ((P, Q), (Q, P)))
    within = [
        (min(p, E * q), min(q, E * p)) for p, q in zip(P, Q, strict=True)
    ]  # of masses 1 minus each direction's delta; the heavier one is lowered towards the other over E
    masses = [sum(pair[i] for pair in within) for i in (0, 1)]
    heavy = int(masses[1] > masses[0])
    floor = [pair[1 - heavy] / E for pair in within]
    down = masses[heavy] - sum(floor)
    t = (masses[heavy] - (1 - delta)) / down if down else Fraction(0)
    lowered = [pair[heavy] - t * (pair[heavy] - low) for pair, low in zip(within, floor, strict=True)]
    parts = (lowered, [pair[1 - heavy] for pair in within])
    whole = (Q, P) if heavy else (P, Q)
    return (
        all(sum(part) == 1 - delta for part in parts)
        and all(0 <= e <= w for part, law in zip(parts, whole, strict=True) for e, w in zip(part, law, strict=True))
        and all(a <= E * b and b <= E * a for a, b in zip(*parts, strict=True))
    )


def sensitive_eigenvector() -> Evidence:
    """p rows e_1, p rows e_2 and a last row e_1 or e_2: the top eigenvector is e_1 or e_2, and the code's is."""
    p, found, agree = 3, [], True
    for last in (0, 1):
        A = second_moment([unit(2, 0)] * p + [unit(2, 1)] * p + [unit(2, last)])
        diagonal_only = A[0][1] == 0
        found.append((0 if A[0][0] > A[1][1] else 1) if diagonal_only and A[0][0] != A[1][1] else None)
        agree &= bool(np.array_equal(np.abs(principal_subspace(A.astype(float), 1)), np.eye(2)[:, [last]]))
    return Evidence(
        verdict(printed=found == [0, 1] and agree),
        "n = 7: one changed row turns the top eigenvector from e_1 to e_2.",
    )


def power_method_cost() -> Evidence:
    """Power iteration on diag(1, 1/4, s) from (1, 1, 1): the error after t steps does not see s; the code without noise."""
    errors, code = {}, []
    for s in (Fraction(1, 16), Fraction(1, 2**40)):
        v = vec(1, 1, 1)
        for _ in range(20):
            v = diagonal(1, "1/4", s) @ v
        errors[s] = (v[1] ** 2 + v[2] ** 2) / v[0] ** 2
        X = np.diag([1.0, 0.5, math.sqrt(s)])  # X^T X as above, exactly
        calibration = noisy_power_method.calibrate(1.0, 1e-3, 3, 1, 20)

        def run(rows: np.ndarray, noise: Noise, c: noisy_power_method.PowerCalibration = calibration) -> np.ndarray:
            return noisy_power_method.noisy_power_method(rows, c, noise)

        tape = with_draws(record(run, X, np.random.default_rng(0))[1], np.zeros_like, ("release",))
        found = replay(run, X, with_draws(tape, np.ones_like, ("public",)))[:, 0]
        code.append(Fraction(float((found[1] ** 2 + found[2] ** 2) / found[0] ** 2)) / errors[s])
    gap_only = all(Fraction(1, 16**20) <= e <= 2 * Fraction(1, 16**20) for e in errors.values())
    same = all(abs(ratio - 1) < Fraction(1, 10**9) for ratio in code)
    slower = errors[Fraction(1, 2**40)] > errors[Fraction(1, 16)]
    return Evidence(
        verdict(printed=slower, corrected=gap_only and same),
        "condition numbers 16 and 2^40, same gap: squared tangents after 20 steps both within [1, 2] 16^-20, the code's too.",
    )


def smaller_noise() -> Evidence:
    """lambda_1^2 >= 80 T G^2 L / (n eps)^2, as alpha/mu >= 4 L/eps, against Gaussian noise on A and on the rows."""
    source, quarter = random.Random(6), True
    for _ in range(30):
        mu, a = Fraction(source.randint(1, 99), 100), Fraction(source.randint(1, 99), 7)
        quarter &= (a / (1 - mu) + 1) / mu >= 4 * a
    n, T, eps, delta = 10**4, 2 * 10**4, 0.1, 1e-3
    gradient = min(spca.theorem_1_noise(eps, delta, n, T, mu, G=2.0)[0] ** 2 for mu in (0.3, 0.5, 0.7))
    on_A = 2 * (analyze_gauss.calibrate(eps, delta, 3, analyze_gauss.AS_PRINTED).std / n) ** 2  # sensitivity sqrt(2)
    on_rows = 4 * analyze_gauss.calibrate(eps, delta, 3, analyze_gauss.AS_PRINTED).std ** 2  # sensitivity 2
    floor = 80 * T * 4 * math.log(1 / delta) / (n * eps) ** 2
    # 80 log(1/delta) - ln(1.25/delta) falls in delta, so its end decides
    least = 80 * math.log(1 / 0.99) - math.log(1.25 / 0.99) > 0.1
    silent = 1 - (1 - Fraction(1, SIZES["a9a"][0])) ** 30  # no row of 30 drawn is the one replaced
    return Evidence(
        verdict(
            printed=gradient < on_A and gradient < on_rows,
            corrected=quarter
            and floor <= gradient
            and least
            and T * on_A < gradient
            and 10 * gradient < on_rows
            and silent < Fraction(1, 1000),
        ),
        f"(0.1, 1e-3), n = 1e4, T = 2n, variances per entry: rows {on_rows:.3g}, gradients {gradient:.3g}, "
        f"A {on_A:.3g}. 30 gradients at the size of a9a without noise are (0, {float(silent):.5f})-DP.",
    )


def dwork_objective() -> Evidence:
    """Analyze Gauss releases X^T X with noise, once, and its output is a function of that; the power method is as described."""
    calibration = analyze_gauss.calibrate(1.0, 1e-3, 3, analyze_gauss.AS_PRINTED)

    def run(X: np.ndarray, noise: Noise) -> np.ndarray:
        return analyze_gauss.analyze_gauss(X, 2, calibration, noise)

    output, tape = record(run, DATA, np.random.default_rng(3))
    values = [np.asarray(term.value) for term in condition(run, DATA, tape).terms]
    once = len(values) == 1 and bool(np.allclose(values[0], upper_triangle(DATA.T @ DATA), rtol=0.0, atol=1e-12))
    (released,) = (entry.released for entry in tape.entries if entry.role == "release")
    after = bool(np.allclose(projector(principal_subspace(symmetric_matrix(released, 3), 2)), projector(output), atol=1e-9))
    power = noisy_power_method.calibrate(1.0, 1e-3, 3, 1, 5)
    _, steps = record(lambda X, noise: noisy_power_method.noisy_power_method(X, power, noise), DATA, np.random.default_rng(3))
    inside = sum(entry.role == "release" for entry in steps.entries)
    return Evidence(
        verdict(printed=not once, corrected=once and after and inside == 5),
        f"one release, of X^T X, before any eigenvector is computed: input perturbation; the noisy power method has {inside} "
        "in 5 steps.",
    )


def chaudhuri_pure() -> Evidence:
    """MOD-SULQ releases X^T X / n with normal noise, of a positive delta at every epsilon; PPCA releases directions alone."""
    calibration = mod_sulq.calibrate(1.0, 1e-3, 4, 3, mod_sulq.AS_PRINTED)

    def run(X: np.ndarray, noise: Noise) -> np.ndarray:
        return mod_sulq.mod_sulq(X, 1, calibration, noise)

    terms = condition(run, DATA, record(run, DATA, np.random.default_rng(4))[1]).terms
    on_A = len(terms) == 1 and bool(np.allclose(terms[0].value, upper_triangle(DATA.T @ DATA) / 4, rtol=0.0, atol=1e-12))
    with ctx.workprec(BITS):
        mu = ball(calibration.sensitivity) / ball(calibration.std)
        impure = all(bool(gaussian_profile(arb(epsilon), mu) > 0) for epsilon in (1, 3, 10))
    ppca = exponential.calibrate(1.0)
    output, tape = record(lambda X, noise: exponential.exponential_mechanism(X, ppca, noise), DATA, np.random.default_rng(4))
    (entry,) = (entry for entry in tape.entries if entry.role == "release")
    direction = entry.released.shape == (3,) and abs(float(np.linalg.norm(output)) - 1) < 1e-12
    return Evidence(
        verdict(printed=not (on_A and impure), corrected=on_A and impure and direction),
        "MOD-SULQ at (1, 1e-3) has delta > 0 at epsilon = 1, 3 and 10, as at every other; PPCA releases a unit vector of R^3.",
    )


def better_than_others() -> Evidence:
    """Projector distances on one scale, constants dropped: a9a, k = 10, eps = 0.1; and the noise floors, by the codes."""
    n, d = SIZES["a9a"]
    k, eps, delta = 10, 0.1, 1e-3
    ours = math.sqrt(math.sqrt(k * d * math.log(1 / delta)) / (n * math.sqrt(eps)))  # root of (13)
    steps = math.ceil(Fraction(n * n, 10))  # the least in the range
    noise_ours = spca.theorem_1_noise(eps, delta, n, steps, 0.5, G=1.0)[0] ** 2
    noise_gauss = 2 * (analyze_gauss.calibrate(eps, delta, d, analyze_gauss.AS_PRINTED).std / n) ** 2
    floor = noise_inverse_n2().status == "corrected"
    # sqrt(kd)/(m sqrt(eps)) > kd/(m eps)^2, squared distances, exactly if m^2 eps^3 > kd
    crossing = all(m**2 * Fraction(1, 1000) > k * d for m in (10**5, 10**6, 10**8))
    return Evidence(
        verdict(printed=not (floor and crossing and noise_ours > 1000 * noise_gauss)),
        f"a9a, (0.1, 1e-3): variance per entry >= {noise_ours:.3g} G^2 in Lemma 1's range, {noise_gauss:.2g} for noise on A; "
        f"(13) bounds a squared distance, so the distance ({ours:.3f}) falls as n^(-1/2) against n^-1.",
    )


def large_scale() -> Evidence:
    """Passes that the theorems' ranges ask for, T/n >= eps n, by the codes' conditions; and the account's, two."""
    passes, least = {}, True
    for name, (n, _) in SIZES.items():
        passes[name] = math.ceil(Fraction(n, 10))
        for p, wanted in ((passes[name] - 1, False), (passes[name] + 1, True)):
            first = spca.theorem_1_noise(0.1, 1e-3, n, n * p, 0.5, G=2.0)[1][0].holds
            second = vrpca.theorem_3_noise(0.1, 1e-3, n, n * p, G=1.0)[1][0].holds
            least &= first is wanted and second is wanted
    # the account's noise has no condition, at two passes
    free = spca.calibrate(0.1, 1e-2, 50, 3, 100)
    unconditional = free.conditions == () and free.formula == "account"
    return Evidence(
        verdict(printed=not (least and min(passes.values()) > 1000), corrected=least and unconditional),
        "at epsilon = 0.1 at least "
        + ", ".join(f"{v} ({name})" for name, v in passes.items())
        + " passes, growing with n; two with the account.",
    )


def vr_more_stable() -> Evidence:
    """DP-VRPCA against DP-SPCA in Table 3."""
    means, spreads = numbers(MEANS), numbers(SPREADS)
    better = all(row[VRPCA] > row[SPCA] for row in means.values())
    steadier = all(row[VRPCA] < row[SPCA] for row in spreads.values())
    return Evidence(
        verdict(printed=better and steadier),
        "a9a: equal means, 82.5539; Real-sim: spread 0.13 against 0.10 of DP-SPCA.",
    )
