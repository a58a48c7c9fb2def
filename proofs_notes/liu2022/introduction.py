"""Checks of claims of liu2022: the abstract and Sections 1 and 2. Arguments: proofs_notes/liu2022/note.md."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb, ctx
from scipy.stats import beta as beta_law
from scipy.stats import chi2

from dppca.audit.suite.liu2022.models import Assumption1, gaussian_model
from dppca.proofs_notes.ledger.evidence import BITS, Evidence, verdict
from dppca.proofs_notes.ledger.rational import ONE, ZERO, diagonal, random_unit, squares, vec
from dppca.proofs_notes.liu2022 import distributions, step_sizes
from dppca.proofs_notes.liu2022.distributions import directions, eigenvalue_ratio, lower_bound
from dppca.proofs_notes.liu2022.point_laws import gaussian_points
from dppca.proofs_notes.liu2022.runs import (
    ROWS,
    changed_releases,
    dp_pca,
    dp_pca_noise,
    one_batch_or_none,
    sampler,
    with_row_replaced,
)
from dppca.proofs_notes.liu2022.section_3 import growth_power
from dppca.proofs_notes.liu2022.section_5 import section_5_match, theorem_5_3, worst_of_the_recursion
from dppca.reference.baselines import analyze_gauss
from dppca.reference.liu2022 import algorithm_1_oja as algorithm_1
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022 import equation_7_minibatch as equation_7
from dppca.reference.liu2022.private_update import TAIL_CORRECTED, ClippedNoise
from dppca.reference.noise import Noise, lockstep, record
from dppca.reference.rigour.gaussian import ball, classical_std, gaussian_profile


def definition_2_3() -> Evidence:
    """One record less: no step instead of one. One record replaced: the releases of its half batch alone change."""
    with_step, without, epsilon = one_batch_or_none()
    delta = with_step - math.exp(epsilon) * without
    inside = all(
        changed_releases(lockstep(dp_pca(), ROWS, with_row_replaced(place), np.random.default_rng(place)))
        <= ({"eigenvalue[1]"} if place < 160 else {"t=1 bin[1]", "t=1 bin[2]", "t=1 mean"})
        for place in (0, 159, 160, 319)
    )
    return Evidence(
        verdict(printed=delta <= 1e-2, corrected=inside),
        f"n = B against n = B - 1, the same B: the output of Algorithm 3 is near e_1 with probability {with_step:.4f} "
        f"against {without:.6f}, so (0.89, 0.01) becomes delta >= {delta:.3f}. A replaced record changes the releases of "
        "its half batch and no others.",
    )


def few_steps() -> Evidence:
    """n steps of one record each, fixed order, the same target: the multiplier does not depend on the number of steps."""
    one = equation_7.calibrate(0.5, 1e-6, n=1000, d=2, lambda_1=1.0, K=4.0, gamma=1.0).alpha
    rows = ROWS[:20]
    changed = {}
    for T in (1, 4, 20):
        calibration = equation_7.calibrate(0.5, 1e-6, n=20, d=2, lambda_1=1.0, K=4.0, gamma=1.0)

        def run(A: np.ndarray, noise: Noise, T: int = T, of: ClippedNoise = calibration) -> np.ndarray:
            return equation_7.minibatch_private_oja(A, [0.1] * T, of, noise)

        other = rows.copy()
        other[0] = [0.0, 0.3]
        changed[T] = len(changed_releases(lockstep(run, rows, other, np.random.default_rng(T))))
    return Evidence(
        verdict(printed=changed[20] > changed[1], corrected=set(changed.values()) == {1}),
        f"a replaced record changes one release for T = 1, 4 and 20 = n; the multiplier {one:.2f} serves them all. Fewer steps "
        "help because the mean of B gradients moves by 2 beta / B.",
    )


def _tilted(d: int, g: float, p: float, u: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Return the two largest eigenvalues and v_1 of (1 - p) (I + g e_1 e_1^T) + sqrt(p) y y^T, y = (e_1 + u)/sqrt(2)."""
    y = np.concatenate([[1.0], u]) / math.sqrt(2.0)
    base = np.diag([1.0 + g, *[1.0] * (d - 1)])
    values, vectors = np.linalg.eigh((1.0 - p) * base + math.sqrt(p) * np.outer(y, y))
    top = vectors[:, -1]
    return float(values[-1]), float(values[-2]), top * np.sign(top[0])


def intro_lower_bound() -> Evidence:
    """The laws of the note: equal eigenvalues, the tilt in closed form, the separation; 200 of them. A sine is at most 1."""
    source = np.random.default_rng(0)
    good, worst = True, math.inf
    for _ in range(200):
        d = int(source.integers(2, 13))
        g, p = 10.0 ** source.uniform(-3, math.log10(2.0)), 10.0 ** source.uniform(-6, math.log10(0.25))
        (l1, l2, v), (m1, m2, w) = (_tilted(d, g, p, u) for u in directions(d - 1, source))
        kappa = l1 / (l1 - l2)
        good &= (
            math.isclose(l1, m1)
            and math.isclose(l2, m2, rel_tol=1e-9)
            and math.isclose(kappa, eigenvalue_ratio(g, p), rel_tol=1e-6)
        )
        good &= math.isclose(2.0 * v[0] * math.sqrt(1.0 - v[0] ** 2), kappa * math.sqrt(p) / l1, rel_tol=1e-6) and l1 <= 4.0
        worst = min(worst, math.sqrt(max(0.0, 1.0 - float(v @ w) ** 2)) / (kappa * math.sqrt(p)))
    fixed = [lower_bound(d, n, 0.5, 1e-9, 2.0) for d, n in ((2, 10**3), (2, 10**9), (100, 10**6))]
    # delta = epsilon/1000 leaves log(1/delta) >= 2; no C serves a sine as epsilon -> 0 at n = 1
    alone = [math.sqrt(min(2, math.log(1000.0 / e)) / e) for e in (1e-2, 1e-6, 1e-12)]
    return Evidence(
        verdict(printed=max(alone) <= 1e3, corrected=good and worst >= 1.0 / 23.0 and min(fixed) >= 5e-4),
        f"at n = 1, d = 2 the published rate is {alone[0]:.0f}, {alone[1]:.0f}, {alone[2]:.0e} for a sine. Mass p beside a "
        "fixed spike tilts v_1 by sin(2t) = kappa sqrt(p)/lambda_1 in all of 200 laws; the sine of two of them is at least "
        f"{worst:.3f} kappa sqrt(p), 1/23 is used. At kappa = 2 the bound is at least {min(fixed):.1e} of the rate.",
    )


def lemma_2_1() -> Evidence:
    """Y = log 5 with probability 1/4, else 0: E e^Y = 2, and P(Y > log(1/zeta)) = 1/4 > zeta = 11/50."""
    p, zeta = Fraction(1, 4), Fraction(11, 50)
    mean = (1 - p) + p * 5
    exceeds = 1 / zeta < 5 and p > zeta
    inside = 2 / zeta > 5  # Markov: P(e^Y > 2/zeta) <= E e^Y zeta / 2
    return Evidence(
        verdict(
            printed=not (mean == 2 and exceeds),
            corrected=inside and mean * zeta / 2 <= zeta and mean == TAIL_CORRECTED,
        ),
        "with 2 on the right of A.4, d = 1, A - Sigma = +-s with probability 1/8 each and else 0, K^2 = 1/(p log^2 5): the "
        "bound with 1/zeta fails with probability 1/4 > 0.22; Markov's inequality gives 2/zeta.",
    )


def theorem_2_2() -> Evidence:
    """A_i = Sigma = diag(1, 0, ..., 0), alpha = 1, T > 2 xi: tan theta_T = tan theta_0 (xi + 1)/(xi + T + 1), by the code too.

    Near zeta = 1 the bound is of order 1 - zeta, and so small an angle has a probability of order (1 - zeta)^((d - 1)/2).
    """
    d = 10
    still = Assumption1(d=d, lambda_1=1.0, lambda_2=0.0, M=1e-9, V=1e-9, K=2.0, a=1.0, gamma2=1e-18, samples=1, failure=0.0)
    shown, found = [], []
    for C, success in ((1.0, 0.03), (10.0, 1e-3), (1000.0, 1e-6)):
        zeta = 1.0 - success
        T = math.ceil(40.0 * (1.0 + 1e-6) / math.log1p(zeta / 100.0))
        steps = step_sizes.theorem_2_2(still, T, 1.0, zeta)
        shrink = (steps.xi + 1.0) / (steps.xi + T + 1.0)
        if not (steps.conditions_hold and math.isclose(float(np.prod(1.0 + steps.eta)), 1.0 / shrink, rel_tol=1e-9)):
            return Evidence("open", "the code's steps are not those of the argument.")
        bound = C * steps.bound
        tangent = bound / (1.0 - bound) / shrink**2  # of the start, squared, for sin^2 theta_T = bound
        found.append(float(beta_law.cdf(tangent / (1.0 + tangent), (d - 1) / 2.0, 0.5)) < success)
        shown.append(f"{float(beta_law.cdf(tangent / (1.0 + tangent), (d - 1) / 2.0, 0.5)):.1e} < {success:g} at C = {C:g}")
    rows = np.tile(np.eye(1, d), (50, 1))
    w, tape = record(lambda A, noise: algorithm_1.oja(A, [0.1] * 50, noise), rows, np.random.default_rng(1))
    start = np.asarray(tape.entries[0].draw)
    by_code = math.isclose(w[1] / w[0], start[1] / start[0] / 1.1**50, rel_tol=1e-9)
    return Evidence(
        verdict(printed=not (all(found) and by_code), corrected=theorem_2_2_range().status == "holds"),
        f"d = {d}, V, M -> 0, probability of (2) against 1 - zeta: {'; '.join(shown)}. At zeta <= 1/2 the example does not "
        "contradict it (theorem-2.2-range).",
    )


@cache
def theorem_2_2_range() -> Evidence:
    """The note's constants in ball arithmetic; exact moments of products for a law of four matrices, with the code's steps."""
    worst = {"mean": 0.0, "square": 0.0, "rest": 0.0}
    same, long = True, 0
    for zeta, alpha, scale, M in (
        *((0.5, 0.51, 0.3, 1.0), (0.5, 1.0, 0.05, 1.0), (0.1, 0.6, 1.0, 1.0), (1e-3, 3.0, 0.3, 1.0)),
        (0.5, 1.0, 0.3, 1e4),  # in A.2 M may be larger than need be
    ):
        atoms, model = _four_matrices(scale, M)  # kappa = 2
        V = model.V
        xi = 20.0 * max(2.0 * M * alpha, 4.0 * (V + 1.0) * alpha**2 / math.log1p(zeta / 100.0))
        for T in (1, 30, 20_000):
            bracket = 4.0 * alpha**2 * V / ((2.0 * alpha - 1.0) * T) + 3.0 * (xi / T) ** (2.0 * alpha)
            steps = step_sizes.theorem_2_2(model, T, alpha, zeta)
            same &= math.isclose(steps.xi, xi) and np.allclose(steps.eta, alpha / (xi + np.arange(1, T + 1)), rtol=1e-12)
            same &= math.isclose(steps.bound, math.log(1.0 / zeta) / zeta**2 * bracket)
            long += xi < T
            growth = 4.0 * float(steps.eta.sum())
            S = (V + 1.0) * 4.0 * float(np.sum(steps.eta**2))
            mean, square, rest = _moments_of_products(atoms, steps.eta)
            worst["mean"] = max(worst["mean"], (growth - S) - mean)
            worst["square"] = max(worst["square"], square - (2.0 * growth + 6.21 * S))
            worst["rest"] = max(worst["rest"], rest / (1.01 * bracket))
    good = same and max(worst["mean"], worst["square"]) <= 1e-9 and worst["rest"] <= 1.0 and long > 0
    C = _constant_of_theorem_2_2()
    return Evidence(
        verdict(printed=good and C <= 76.0),
        f"C = {C:.2f} by the steps of the note. In 15 runs of a law of four matrices the exact "
        f"moments keep the bounds of steps 2 and 3, and E tau / E D is at most {worst['rest']:.3f} of step 5's.",
    )


def _constant_of_theorem_2_2() -> float:
    """Return the constant that the note's steps give; infinity where a step fails. Its sizes are largest at zeta = 1/2."""
    with ctx.workprec(BITS):
        half = arb(1) / 2
        L = (1 + half / 100).log()
        q = arb(1) / 20 + L / 10  # eta |A|, with kappa = 1 and alpha = 1/2
        S, xi = L / 20, 5 / L
        second = 6 + 4 * q + q**2
        chebyshev = 4 * (second + 2) / 20 / 100  # over zeta: (1 + x)^p - 1 <= p x for p < 1
        start = (arb(2) / (11 * arb.pi())).sqrt()
        ratio = (arb("2.01") * S).exp() * (1 + 1 / xi) ** 2 * (L / 5).exp()
        sizes = q < arb("0.051") and second < arb("6.21") and xi > 1000 and (2 * L / 10).exp() < arb("1.005")
        if not (sizes and ratio < arb("1.01") and chebyshev + start + arb(1) / 4 < 1):
            return math.inf
        return float((4 * (4 * half + 11) * arb("1.01") / arb(2).log()).upper())


def _four_matrices(scale: float, M: float) -> tuple[list[np.ndarray], Assumption1]:
    """Return four equally likely matrices that are not symmetric, with a diagonal mean, and their parameters for this M."""
    Sigma = np.diag([2.0, 1.0, 0.25])
    first = scale * np.array([[0.3, -1.0, 0.4], [0.8, 0.2, 0.0], [0.0, -0.5, 0.6]])
    second = scale * np.array([[-0.2, 0.1, 0.9], [0.0, 1.1, -0.3], [0.7, 0.0, -0.4]])
    deviations = [first, -first, second, -second]
    squares = [sum(D @ D.T for D in deviations) / 4.0, sum(D.T @ D for D in deviations) / 4.0]
    V = max(float(np.linalg.norm(square, 2)) for square in squares) / 4.0
    if max(float(np.linalg.norm(D, 2)) for D in deviations) > 2.0 * M:
        raise ValueError(f"M must be at least that of the matrices, got {M}")
    model = Assumption1(d=3, lambda_1=2.0, lambda_2=1.0, M=M, V=V, K=2.0, a=1.0, gamma2=V, samples=1, failure=0.0)
    return [Sigma + D for D in deviations], model


def _moments_of_products(atoms: list[np.ndarray], eta: np.ndarray) -> tuple[float, float, float]:
    """Return log E D, log E D^2 and E tau / E D for D = |P^T e_1|^2, tau the squared norm of the other rows of P.

    P is the product of I + eta_t A_t with A_t drawn from the atoms. Moments are matrices, which each step maps linearly, and
    are divided by their size to stay in range.
    """
    d = len(atoms[0])
    squares, fourth = np.eye(d), np.diag(np.eye(1, d * d)[0])
    size = size_of_fourth = 0.0
    forward = np.eye(d) + np.multiply.outer(eta, atoms)
    backward = np.swapaxes(forward[::-1], 2, 3)
    pairs = np.einsum("taij,takl->taikjl", backward, backward).reshape(len(eta), len(atoms), d * d, d * d)
    for F, FF in zip(forward, pairs, strict=True):
        squares = np.mean(F @ squares @ np.swapaxes(F, 1, 2), axis=0)
        size, squares = size + math.log(squares[0, 0]), squares / squares[0, 0]
        fourth = np.mean(FF @ fourth @ np.swapaxes(FF, 1, 2), axis=0)
        size_of_fourth, fourth = size_of_fourth + math.log(fourth[0, 0]), fourth / fourth[0, 0]
    square = size_of_fourth + math.log(float(np.einsum("iijj->", fourth.reshape(d, d, d, d))))
    return size, square, float(np.trace(squares)) - 1.0


def assumptions_required() -> Evidence:
    """x = r e_1 with unbounded r violates A.2, and one record gives v_1 exactly."""
    recovered = all(not np.any(np.outer(vec(r, 0), vec(r, 0))[1]) for r in (1, 10, 10**6))
    unbounded = [squares(np.outer(vec(r, 0), vec(r, 0))) for r in (1, 10, 10**6)] == [1, 10**4, 10**24]
    return Evidence(
        verdict(printed=not (recovered and unbounded)),
        "A.2 fails for every M and the first eigenvector of any record's matrix is v_1; the assumptions are those of Theorem "
        "2.2.",
    )


def section_2_centering() -> Evidence:
    """A_i holds the unknown mean; half of the outer square of a difference of two records has the same expectation."""
    q, mean = [Fraction(2), Fraction(1)], vec(7, -3)
    points = [(p, [a + m for a, m in zip(x, mean, strict=True)]) for p, x in gaussian_points(q)]
    raw = [[sum((p * x[i] * x[j] for p, x in points), ZERO) for j in range(2)] for i in range(2)]
    pairs = [(p * r, [a - b for a, b in zip(x, y, strict=True)]) for p, x in points for r, y in points]
    halved = [[sum((p * z[i] * z[j] for p, z in pairs), ZERO) / 2 for j in range(2)] for i in range(2)]
    Sigma = diagonal(*[a * a / 3 for a in q])
    return Evidence(
        verdict(printed=raw[0][0] == Sigma[0][0] + 49 and raw[0][1] == -21 and np.array_equal(halved, Sigma)),
        "with A = x x^T the mean (7, -3) is part of the second moment; (x - y)(x - y)^T / 2 for pairs of records needs no "
        "mean.",
    )


def oja_objective() -> Evidence:
    """The derivative of w^T A w is (A + A^T) w, which for a matrix that is not symmetric has another direction than A w."""
    w = vec(1, 0)
    skew = [[ONE, ZERO], [ONE, ONE]]
    gradient = [2 * skew[0][0], skew[0][1] + skew[1][0]]
    step = skew @ w
    symmetric = diagonal(2, 1)
    doubled = [2 * x for x in symmetric @ w]
    found, tape = record(
        lambda A, noise: algorithm_1.oja(A, [0.5], noise), np.array([[[1.0, 0.0], [1.0, 1.0]]]), np.random.default_rng(1)
    )
    start = np.asarray(tape.entries[0].draw) / np.linalg.norm(tape.entries[0].draw)
    moved = start + 0.5 * np.array([start[0], start[0] + start[1]])
    by_code = bool(np.allclose(found, moved / np.linalg.norm(moved), rtol=0.0, atol=1e-12))
    return Evidence(
        verdict(
            printed=step[0] * gradient[1] == step[1] * gradient[0],
            corrected=by_code and doubled == [2 * symmetric[0][0], ZERO],
        ),
        "Assumption 1 allows A = [[1, 0], [1, 1]]: at e_1 the step is (1, 1), the gradient (2, 1). For symmetric A the step "
        "is half of it.",
    )


def tilde_o() -> Evidence:
    """(2) holds 1/zeta^2 and 1/log(1 + zeta/100): polynomial in 1/zeta."""
    values = {zeta: math.log(1 / zeta) / zeta**2 / math.log1p(zeta / 100) for zeta in (1e-2, 1e-4)}
    growth = values[1e-4] / values[1e-2]
    return Evidence(
        verdict(printed=growth < 100.0, corrected=growth > 1e5),
        f"from zeta = 0.01 to 0.0001 the factors grow by {growth:.1e}; the theorems are stated for zeta = 0.01, where they "
        "are constants.",
    )


def section_2_3_sensitivity() -> Evidence:
    """d = 1, n points at -beta, one moved to beta: the centred variance changes by 4 (n - 1)/n^2 beta^2, not beta^2/n."""
    n = 100

    def variance(x: list[int]) -> Fraction:
        mean = Fraction(sum(x), len(x))
        return sum(((a - mean) ** 2 for a in x), ZERO) / len(x)

    equal = [-1] * n
    moved = [-1] * (n - 1) + [1]
    change = variance(moved) - variance(equal)
    source = random.Random(5)
    uncentred = max(
        squares([[a * b - c * e for b, e in zip(x, y, strict=True)] for a, c in zip(x, y, strict=True)])
        for x, y in ((random_unit(3, source), random_unit(3, source)) for _ in range(30))
    )
    e, d = 0.5, 1e-6
    with ctx.workprec(BITS):
        std = classical_std(ball(e), ball(d), arb(1) / n)
        delta = gaussian_profile(ball(e), ball(change) / std)
        enough = bool(gaussian_profile(ball(e), arb(2).sqrt() / n / (std * arb(2).sqrt())) <= ball(d))
        used = bool(gaussian_profile(ball(e), arb(2).sqrt() / ball(analyze_gauss.calibrate(e, d, 2).std)) <= ball(d))
    return Evidence(
        verdict(printed=bool(delta <= ball(d)), corrected=enough and uncentred <= 2 and used),
        f"n = {n}: the change is {change} beta^2, and delta = {float(delta):.3f} instead of 1e-06 at epsilon = 0.5. Without "
        "centring |xx^T - yy^T|_F^2 = |x|^4 + |y|^4 - 2 (x.y)^2 <= 2 beta^4.",
    )


def _analyze_gauss_error(d: int) -> float:
    """sqrt(d) times the std of an entry, for Gaussian rows with lambda_1 = 1 clipped to the norm that n = 1e12 of them keep."""
    return analyze_gauss.calibrate(0.5, 1e-6, d).std * float(chi2.isf(1e-14, d)) * math.sqrt(d)


def _dp_pca_error(d: int) -> float:
    """Return the length of Algorithm 5's noise at Lambda_hat = 1, over the logarithm of line 10."""
    run = algorithm_5.calibrate(0.5, 1e-6, B=10**6, d=d, K=1.0, zeta=0.01)
    return run.std * math.sqrt(d) / math.log(2.0 * 10**6 * d / 0.01)


def equation_3() -> Evidence:
    """sqrt(d) times the std of one entry at beta^2 of order d: the power of d, from the code's calibration."""
    power = growth_power(_analyze_gauss_error)
    return Evidence(
        verdict(printed=abs(power - 1.5) < 0.01),
        f"the spectral norm of symmetric Gaussian noise is of order sqrt(d) std, here a power {power:.4f} of d; over the gap "
        "this is kappa d^(3/2) sqrt(log(1/delta))/(epsilon n), up to log(n/zeta).",
    )


def equation_3_gap() -> Evidence:
    """x -> c x multiplies the gap by c^2 and leaves the right side alone."""
    c = 10
    gaps = (Fraction(1, 100), Fraction(1, 100) * c * c)
    right = Fraction(1, 20)
    return Evidence(
        verdict(printed=(gaps[0] > right) == (gaps[1] > right), corrected=gaps[0] / 1 == gaps[1] / (c * c)),
        "a gap of 0.01 below 0.05 becomes 1 after x -> 10 x; lambda_1 has to multiply the right side.",
    )


def gaussian_norm() -> Evidence:
    """2d + 3t <= 5 d t for t = log(n/zeta) >= 1, and P(|x|^2 > lambda_1 (2d + 3t)) <= e^-t."""
    algebra = all(5 * d * t >= 2 * d + 3 * t for d in (1, 2, 50) for t in (1, 2, 30))
    tail = all(chi2.sf(5.0 * d * t, d) <= math.exp(-t) for d in (1, 2, 10, 1000) for t in (1.0, 10.0, 100.0))
    return Evidence(
        verdict(printed=algebra and tail),
        "beta = sqrt(5 lambda_1 d log(n/zeta)) for log(n/zeta) >= 1, on a grid of d and t.",
    )


def section_2_3_factor() -> Evidence:
    """The powers of d of the two noises."""
    powers = growth_power(_analyze_gauss_error), growth_power(_dp_pca_error)
    return Evidence(
        verdict(printed=abs(powers[0] - powers[1] - 0.5) < 0.01),
        f"powers of d: {powers[0]:.3f} and {powers[1]:.3f}, up to log^a(Bd/zeta).",
    )


def section_1_improvement() -> Evidence:
    """The least power of 2 that is a d at which DP-PCA's noise on Gaussian rows is below Analyze Gauss's: n = 2^80, T = 4.

    Four conventions for Analyze Gauss: beta^2 the quantile that all n rows keep with probability 0.99, or Section 2.3's
    5 lambda_1 d log(n/zeta); the sensitivity sqrt(2) of the code (a row replaced), or 1.
    """
    n, found = 2**80, {}
    for bound in ("quantile", "5 d log(n/zeta)"):
        for sensitivity in (math.sqrt(2.0), 1.0):
            for reading in ("as published", "corrected"):
                d = 2
                while True:
                    ours = dp_pca_noise(d, math.sqrt(2.0), n, 0.8, 4, reading)
                    norm = float(chi2.isf(0.01 / n, d)) if bound == "quantile" else 5.0 * d * math.log(n / 0.01)
                    std = analyze_gauss.calibrate(0.8, 1e-6, d).std * sensitivity / math.sqrt(2.0)
                    if ours < std * norm / n:
                        break
                    d *= 2
                found[bound, sensitivity, reading] = d.bit_length() - 1
    powers = [35, 33, 36, 34, 18, 16, 19, 17]
    return Evidence(
        verdict(printed=list(found.values()) == powers),
        "per entry of the gradient against the matrix (the quotient depends on n through logarithms): powers of 2 at which "
        f"d begins, as published and corrected: {', '.join(str(x) for x in found.values())}, for the quantile with sensitivity "
        "sqrt(2) and 1, then for 5 lambda_1 d log(n/zeta) with both.",
    )


def intro_oja_rate() -> Evidence:
    """Oja's error by the code on a constant A is far below sqrt(d/n); at large kappa every estimator's is far above it."""
    n, d = 200, 4
    A = np.broadcast_to(np.diag([1.0, 0.5, 0.5, 0.5]), (n, d, d))
    w = algorithm_1.oja(A, [1.0] * n, sampler(1))
    constant = math.sqrt(float(w[1:] @ w[1:])) / math.sqrt(d / n)
    far, ordered, first = [], True, []
    for kappa in (2.0, 1e6, 1e12):
        floor = distributions.theorem_5_3_rate(1.0, 1.0 - 1.0 / kappa, 6, 10**30, math.inf)
        far.append(floor / math.sqrt(20.0) / 8.0 / math.sqrt(6.0 / 10**30))
    for low, size, T in ((0.5, 6, 10**6), (0.9, 30, 10**6), (1e-6, 6, 10**6)):
        model = gaussian_model(np.diag([1.0] + [low] * (size - 1)), T, 0.01)
        rate = model.kappa * math.sqrt(model.V / T)
        ordered &= distributions.theorem_5_3_rate(1.0, low, size, T, math.inf) <= rate
        h, quiet = math.log(T), replace(model, M=1e-9)
        steps = step_sizes.theorem_2_2(quiet, T, h, 0.5)
        first.append(h * h / (2.0 * h - 1.0) * steps.V_tilde / (model.gap**2 * T) / rate**2 / h)
    return Evidence(
        verdict(printed=not (constant < 1e-9 and far[-1] > 1e9), corrected=ordered and 0.5 <= min(first) <= max(first) <= 1.0),
        f"on A = diag(1, 1/2, 1/2, 1/2) the code's sine is {constant:.0e} sqrt(d/n) after 200 steps; for Gaussian laws at "
        f"n = 1e30 the least mean error is {far[0]:.2g}, {far[1]:.2g}, {far[2]:.2g} sqrt(d/n) at kappa = 2, 1e6, 1e12. The "
        "first term of (2) at alpha = log n is kappa^2 V/n times between log(n)/2 and log n.",
    )


def intro_rate() -> Evidence:
    """The rate (11) is compared with the one of the code.

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
        f"(11) is {growth[0]:.2f} times as large at kappa = 20 as at 2, and {growth[1]:.2f} times at delta = 1e-12 as at 1e-3.",
    )


def intro_optimal() -> Evidence:
    """The exponential mechanism over lines on rows N(0, diag(1, s^2)), s tiny: an (epsilon, 0)-DP algorithm far below (11).

    Its score is minus the number of rows at an angle of more than tau, its weight e^(epsilon score / 2). If all rows lie
    within tau / 2 of e_1, lines within tau / 2 have score 0 and lines beyond 3 tau / 2 have score -n.
    """
    n, epsilon, delta, tau, s = 200, 0.5, math.exp(-1.0), 1e-10, 1e-30
    with ctx.workprec(BITS):
        beyond = arb.pi() / ball(tau) * (-ball(epsilon) * n / 2).exp()
        strayed = n * 2 / arb.pi() * (ball(s) / (ball(tau) / 2).tan()).atan()  # some row is not within tau / 2
        error = arb("1.5") * ball(tau) + beyond + strayed
        model = gaussian_model(np.diag([1.0, s * s]), n, 0.01)
        claimed = step_sizes.theorem_5_1_rate(model, n, epsilon, delta)
        beaten = bool(error < arb("1e-6") * ball(claimed))
    # One row moved changes the score by 1 at most: the rows that a line misses, counted at 360 lines.
    lines = np.pi / 360.0 * np.arange(360)
    angles = np.random.default_rng(1).uniform(0.0, np.pi, size=(2, 50))
    angles[1, 1:] = angles[0, 1:]
    gaps = np.abs(angles[:, :, np.newaxis] - lines)
    missed = np.sum(np.minimum(gaps, np.pi - gaps) > 0.1, axis=1)
    private = int(np.max(np.abs(missed[0] - missed[1]))) <= 1
    # The correction: (12) is a lower bound for delta = 0, below this algorithm's error, and near (11).
    lower = distributions.theorem_5_3_rate(1.0, s * s, 2, n, epsilon)
    consistent = bool(ball(lower) < error) and theorem_5_3().status == "corrected" and section_5_match().status == "holds"
    return Evidence(
        verdict(printed=not (beaten and private), corrected=consistent),
        f"d = 2, n = {n}, epsilon = {epsilon:g}, Sigma = diag(1, 1e-60): the exponential mechanism over lines is (epsilon, "
        f"0)-DP, with an error of at most {float(error.upper()):.1e}; there (11) is {claimed:.2f} and (12) {lower:.1e}.",
    )


def abstract_sample_size() -> Evidence:
    """(11) at n = d times powers of log n, kappa, epsilon and log(1/delta) of order 1, with the recursion of corollary-5.2."""
    worst, errors = worst_of_the_recursion(), []
    for d in (10, 10**4, 10**8):
        n = d * 1e6 * math.log(d * 1e6) ** 6
        T = math.log(n) ** 2
        B = n / T
        noise = math.log(B * d * T / 0.01) * d * math.sqrt(math.log(1e6)) / (0.9 * B)
        errors.append(8.0 / 3.0 * (math.sqrt(d * math.log(d * T) / B) + noise))
    return Evidence(
        verdict(printed=worst <= 1.0 and max(errors) <= 0.25 and errors[2] <= errors[0]),
        f"the recursion's error at n = 1e6 d log^6 is {', '.join(f'{x:.1e}' for x in errors)} for d = 10, 1e4, 1e8, kappa = 1; "
        f"the sine is at most {worst:.2f} of its bound in 300 runs with adversarial errors.",
    )
