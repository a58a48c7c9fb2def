"""Checks of claims of shang2021: section 3, definitions. Arguments: proofs_notes/shang2021/note.md."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from functools import partial

import numpy as np
from flint import acb, arb, ctx

from dppca.proofs_notes.ledger.evidence import BITS, Evidence, refused, verdict
from dppca.proofs_notes.ledger.rational import (
    ZERO,
    Matrix,
    diagonal,
    identity,
    matrix,
    near,
    random_orthogonal,
    random_unit,
    random_vector,
    second_moment,
    squares,
    unit,
    vec,
)
from dppca.proofs_notes.primitives.evaluators import classical_gaussian
from dppca.proofs_notes.shang2021.runs import (
    DATA,
    NEIGHBOUR,
    SIGN_CORRECTED,
    STEPS,
    rational_cases,
    run_1,
    run_2,
    spca_value,
    vrpca_value,
)
from dppca.reference.noise import GaussianLaw, condition, record
from dppca.reference.primitives import gaussian
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.rigour.gaussian import gaussian_holds, threshold
from dppca.reference.shang2021 import algorithm_1_dp_spca as spca


def norm_assumption() -> Evidence:
    """A row of norm 2 against 0 changes the sampled gradient by 4 c; the calibration is for at most c (k = 1)."""
    x, v = vec(2, 0), vec(1, 0)
    change = x @ v * 2 * 2  # |2 x (x . v)| for x = 2 e_1 is 2 * 2 * 2
    claimed = Fraction(spca.calibrate(1.0, 1e-3, 4, 2, STEPS, choices=spca.AS_PRINTED).sensitivity)
    outside = [refused(partial(record, run, 2.0 * DATA, np.random.default_rng(0))) for run in (run_1(), run_2())]
    return Evidence(
        verdict(printed=change > claimed and all(outside)),
        f"x = 2 e_1 against 0 moves the gradient at e_1 by {change}, not by at most {float(claimed):g}; both refuse it.",
    )


def data_layout() -> Evidence:
    """x_i as a row of X: x_i^T x_i is d x d and their mean is A, as in the code; as a column it is the scalar |x_i|^2."""
    as_rows, first = True, True
    for rows, V, _ in rational_cases(1, 5, 1):
        mean = sum(np.outer(r, r) for r in rows) / 3
        as_rows &= np.array_equal(mean, second_moment(rows))
        released = vrpca_value(rows, V, V, 0, SIGN_CORRECTED)  # the full gradient alone
        first &= near(released, -(mean @ V))
    as_columns = len(rows[0][:, np.newaxis].T @ rows[0][:, np.newaxis]) == 3
    return Evidence(
        verdict(printed=as_columns and as_rows, corrected=as_rows and first),
        "with x_i a column, as the list of vectors has it, x_i^T x_i is 1 x 1; with x_i a row of X their mean is A.",
    )


def svd_identities() -> Evidence:
    """X = U S V^T with exactly orthogonal rational U, V: |X|_F^2, |X V_k|_F^2, and |X w| <= s_1 with equality at v_1."""
    source, good = random.Random(2), True
    for _ in range(10):
        U, V = random_orthogonal(4, source), random_orthogonal(3, source)
        s = [Fraction(source.randint(1, 9), 3) + 4 * (2 - i) for i in range(3)]  # distinct, so that V_k is unique
        S = np.vstack([diagonal(*s), vec(0, 0, 0)])
        X = U @ S @ V.T
        good &= squares(X) == sum(x * x for x in s)
        for k in (1, 2, 3):
            V_k = V[:, :k]
            good &= squares(X @ V_k) == sum(x * x for x in s[:k])
            found = principal_subspace((X.T @ X).astype(float), k)
            good &= near(found @ found.T, V_k @ V_k.T, 1e-9)
        w = random_unit(3, source)
        Xw, top = X @ w, X @ V[:, 0]
        good &= Xw @ Xw <= s[0] ** 2 == top @ top
    return Evidence(
        verdict(printed=good),
        "exact on 10 matrices built from rational orthogonal factors, whose V_k the code finds; proof by invariance.",
    )


def svd_max_unconstrained() -> Evidence:
    """P = 2 V_k gives four times the sum; over P^T P = I the weights |row_i(V^T P)|^2 lie in [0, 1] and sum to k."""
    source, weights_good = random.Random(3), True
    X = diagonal(3, 2, 1)
    top = squares(X @ identity(3)[:, :2])
    doubled = squares(X @ (2 * identity(3))[:, :2])
    for _ in range(20):
        P = random_orthogonal(3, source)[:, :2]
        weights = [row @ row for row in P]
        weights_good &= all(0 <= w <= 1 for w in weights) and sum(weights) == 2
        weights_good &= squares(X @ P) == sum(s * s * w for s, w in zip((3, 2, 1), weights, strict=True)) <= top
    V = principal_subspace((X @ X).astype(float), 2)
    reached = abs(Fraction(float(np.sum((X.astype(float) @ V) ** 2))) - top) <= Fraction(1, 10**12)
    return Evidence(
        verdict(printed=doubled <= top, corrected=weights_good and reached),
        f"for diag(3, 2, 1), k = 2: {top} at V_k, {doubled} at 2 V_k.",
    )


def sigma_overloaded() -> Evidence:
    """Eigenvalues of X^T X / n against singular values of X."""
    X = diagonal(3, 2)
    A = second_moment(X)
    eigenvalues, singular, n = (A[0][0], A[1][1]), (3, 2), len(X)
    same = all(e == s for e, s in zip(eigenvalues, singular, strict=True))
    related = all(e == Fraction(s * s, n) for e, s in zip(eigenvalues, singular, strict=True))
    return Evidence(
        verdict(printed=same, corrected=related),
        f"X = diag(3, 2): singular values 3, 2 (section 3.1), eigenvalues of A {eigenvalues[0]}, {eigenvalues[1]} (Table 1).",
    )


def second_moment_name() -> Evidence:
    """A - m m^T is the mean of the centred squares; rows that are all e_1 do not vary, the code's full gradient is not 0."""
    source, good = random.Random(31), True
    for _ in range(5):
        rows = [random_vector(3, source) for _ in range(4)]
        mean = sum(rows) / Fraction(4)
        centred = second_moment([row - mean for row in rows])
        good &= np.array_equal(centred, second_moment(rows) - np.outer(mean, mean))
    V = np.array([[0.6], [0.8]])
    released = vrpca_value(np.array([[1.0, 0.0]] * 3), V, V, 0, SIGN_CORRECTED)  # -A V
    uncentred = near(released, [[Fraction(-3, 5)], [ZERO]])
    return Evidence(
        verdict(printed=good and uncentred),
        "rows that are all e_1 have the covariance matrix 0 and A = e_1 e_1^T, which the code uses.",
    )


def eq2_trace() -> Evidence:
    """V^T A V has k^2 entries; its trace is a number, the mean of |x_i^T V|^2, and minus half the gradient's product with V."""
    scalar, good = True, True
    for rows, V, _ in rational_cases(2, 5, 4):
        value = V.T @ second_moment(rows) @ V
        scalar &= len(value) == 1
        good &= np.trace(value) == squares(rows @ V) / 3
        mean = sum(spca_value(rows, V, i) for i in range(3)) / 3  # d f(V + t V)/dt at 0 is 2 f(V)
        good &= near(np.array([[np.sum(mean * V.astype(float))]]), [[-2 * np.trace(value)]])
    return Evidence(
        verdict(printed=scalar, corrected=good),
        f"for k = 2 the published objective is a {len(value)} x {len(value)} matrix.",
    )


def eq2_equivalence() -> Evidence:
    """V_k R is as good as V_k for every orthogonal R, and the subspace is unique only with a gap."""
    source, invariant, moved = random.Random(5), True, False

    def value(M: Matrix, V: Matrix) -> Fraction:
        return np.trace(V.T @ M @ V)

    V = identity(3)[:, :2]
    span = V @ V.T
    for _ in range(10):
        R = random_orthogonal(2, source)
        invariant &= value(diagonal(3, 2, 1), V @ R) == 5 and np.array_equal(V @ R @ (V @ R).T, span)
        moved |= not np.array_equal(V @ R, V)
    other = identity(3)[:, [0, 2]]
    tie = value(diagonal(3, 1, 1), V) == value(diagonal(3, 1, 1), other)
    found = principal_subspace(diagonal(3, 2, 1).astype(float), 2)
    return Evidence(
        verdict(printed=not moved, corrected=invariant and tie and near(found @ found.T, span)),
        "V_k R has the same objective for every orthogonal R; diag(3, 1, 1) has two optimal planes.",
    )


def assumption_1() -> Evidence:
    """|grad f_i(v) - grad f_i(w)| = 2 |x| |x . (v - w)| <= 2 |v - w|, equality for v - w along a unit x; and in the code."""
    source, bounded = random.Random(7), True
    for _ in range(50):
        x, u = random_unit(3, source), random_vector(3, source)
        bounded &= 4 * (x @ x) * (x @ u) ** 2 <= 4 * (u @ u)
    for rows, V, W in rational_cases(1, 5, 7):
        apart = [spca_value(rows, frame, 0) for frame in (V, W)]
        bounded &= Fraction(float(np.sum((apart[0] - apart[1]) ** 2))) <= 4 * squares(V - W) + Fraction(1, 10**12)
    X = np.eye(2)
    flipped = spca_value(X, np.eye(2, 1), 0) - spca_value(X, -np.eye(2, 1), 0)  # v - w = 2 e_1 along x = e_1
    reached = near(flipped, [[Fraction(-4)], [ZERO]])
    return Evidence(verdict(printed=bounded and reached), "Cauchy-Schwarz; L = 2 for f_i = -(x_i . v)^2, 1 for half of it.")


def eq4_component() -> Evidence:
    """x_1 = e_1, other rows 0: f has curvature 2/n, f_1 has curvature 2. For one function (3) and (4) say the same.

    The identity of the note's proof in fractions, and both conditions on v^T M v / 2 for M = U diag(a, b) U^T, where each
    holds exactly for L >= max(|a|, |b|).
    """
    n = 10
    rows = [unit(2, 0)] + [vec(0, 0)] * (n - 1)
    A = second_moment(rows)
    mean_constant, component_constant = 2 * A[0][0], Fraction(2)
    v, w = vec(1, 0), vec(0, 0)
    gap = -2 * (rows[0] @ (v - w)) * rows[0]
    component_holds = gap @ gap <= mean_constant**2
    own = gap @ gap <= component_constant**2
    source = random.Random(41)
    for _ in range(40):
        x, y, s = (random_vector(3, source) for _ in range(3))
        h, z, u = (x - y) / 2, (x + y) / 2 + s, (x + y) / 2 - s
        own &= sum((p - q) @ (p - q) for p in (z, u) for q in (x, y)) == 4 * (s @ s) + 4 * (h @ h)
        U, a, b = random_orthogonal(2, source), Fraction(source.randint(-9, 9)), Fraction(source.randint(-9, 9))
        M, most = U @ diagonal(a, b) @ U.T, max(abs(a), abs(b))
        steep = U[:, 0] if abs(a) >= abs(b) else U[:, 1]
        for p in (steep, random_vector(2, source)):
            for L in (most, most - Fraction(1, 100)):
                bounded, smooth = abs(p @ M @ p) <= L * (p @ p), (M @ p) @ (M @ p) <= L**2 * (p @ p) and L >= 0
                own &= (bounded and smooth) if most == L else (p is not steep or not (bounded or smooth))
    return Evidence(
        verdict(printed=component_holds, corrected=own),
        f"n = {n}: (4) holds for f with L = {mean_constant}, while (3) needs {component_constant} for f_1. On 40 quadratic "
        "functions (3) and (4) hold from the same L on.",
    )


def assumption_2_order() -> Evidence:
    """-v_1^2 at 0 and t e_1: a quotient for each t, and no number above all of them; on unit vectors 1 is above all."""
    quotients = [abs(-(vec(t, 0) @ vec(t, 0))) / Fraction(t) for t in (1, 10, 1000, 10**6)]
    each_has_one = all(quotient >= 0 for quotient in quotients)
    common = all(larger <= 1000 * smaller for smaller, larger in itertools.pairwise(quotients))
    common &= quotients[-1] <= 1000 * quotients[0]
    source, on_sphere = random.Random(5), True
    for _ in range(200):
        v, w = random_unit(2, source), random_unit(2, source)
        on_sphere &= (v[0] ** 2 - w[0] ** 2) ** 2 <= (v - w) @ (v - w)
    return Evidence(
        verdict(printed=not each_has_one or common, corrected=not common and on_sphere),
        f"f(v) = -v_1^2 has the quotients {', '.join(str(q) for q in quotients)} at 0 and t e_1, each a G for its own pair, "
        "and no common one; between 200 pairs of unit vectors G = 1 serves all.",
    )


def assumption_2() -> Evidence:
    """The quotient at 0 and t x grows with t; between unit vectors it is at most 1; the code's gradient reaches norm 2."""
    x = vec(1, 0)
    quotient = max((x @ (t * x + 0 * x)) ** 2 / Fraction(t) for t in (1, 10, 1000))
    source, bounded, largest = random.Random(8), True, ZERO
    for _ in range(300):
        v, w, row = (random_unit(2, source) for _ in range(3))
        u = v - w
        if u @ u:
            ratio = ((row @ v) ** 2 - (row @ w) ** 2) ** 2 / (u @ u)
            bounded, largest = bounded and ratio <= 1, max(largest, ratio)
    gradient = near(spca_value(np.eye(2), np.eye(2, 1), 0), [[Fraction(-2)], [ZERO]])
    gradient &= not np.any(spca_value(np.zeros((2, 2)), np.eye(2, 1), 0))  # the row 0 has f_i = 0
    return Evidence(
        verdict(printed=quotient <= 2, corrected=bounded and gradient),
        f"|f(t x) - f(0)| / |t x| is {quotient} at t = 1000; between unit vectors its square was at most "
        f"{float(largest):.6f} <= 1.",
    )


def neighbours() -> Evidence:
    """Replacing a row leaves n, and so the sampling law 1/n and the factor of A; the seam confirms both."""
    other = condition(run_1(), NEIGHBOUR, record(run_1(), DATA, np.random.default_rng(1))[1])
    X, Y = matrix(DATA.tolist()), matrix(NEIGHBOUR.tolist())
    change = second_moment(X) - second_moment(Y)
    moved = np.array_equal(change, Fraction(1, 4) * (np.outer(X[0], X[0]) - np.outer(Y[0], Y[0])))
    removed = refused(lambda: condition(run_1(), DATA[1:], record(run_1(), DATA, np.random.default_rng(1))[1]))
    return Evidence(
        verdict(printed=moved and removed and len(other.terms) == STEPS),
        "A moves by (x x^T - y y^T) / n exactly; a data set with another n is another mechanism.",
    )


def definition_2() -> Evidence:
    """The sensitivity is used for gradients in R^d (R^(d x k)); a real-valued query has one coordinate."""
    output, tape = record(run_1(2), DATA, np.random.default_rng(2))
    matrix = output.shape == (3, 2) and bool(np.allclose(output.T @ output, np.eye(2), rtol=0.0, atol=1e-12))
    sizes = {np.size(entry.released) for entry in tape.entries if entry.role == "release"}
    law = GaussianLaw(1.0)
    euclidean = law.change(np.zeros((2, 2)), np.array([[3.0, 0.0], [0.0, 4.0]])) == 5.0
    return Evidence(
        verdict(printed=sizes == {1} and output.size == 1, corrected=sizes == {6} and euclidean and matrix),
        f"the released gradients have {sizes} entries for d = 3, k = 2, the output is 3 x 2; the norm is Euclidean over them.",
    )


def definition_3() -> Evidence:
    """The classical formula at a large epsilon, and the code's; the analytic one there."""
    delta = Fraction(1, 1000)
    low, high = threshold(lambda e: classical_gaussian(e, delta), Fraction(1), Fraction(16), Fraction(1, 10**6))
    within = all(classical_gaussian(Fraction(k, 8), delta) for k in range(1, 9))
    code = gaussian_holds(1.0, 1e-3, gaussian.classical_std(1.0, 1e-3, 1.0), lambda: arb(1))
    code &= not gaussian_holds(8.0, 1e-3, gaussian.classical_std(8.0, 1e-3, 1.0), lambda: arb(1))
    code &= all(gaussian_holds(e, 1e-3, gaussian.analytic_std(e, 1e-3, 1.0), lambda: arb(1)) for e in (1.0, 8.0, 40.0))
    return Evidence(
        verdict(printed=classical_gaussian(Fraction(8), delta), corrected=within and code),
        f"at delta = 1e-3 it holds up to epsilon in [{float(low):.6f}, {float(high):.6f}]; for epsilon <= 1 see "
        "primitives.classical-gaussian.",
    )


def definition_4() -> Evidence:
    """E of (p/q)^alpha for two unit Gaussians at distance D, under q and under p, by rigorous quadrature."""
    alpha, D = arb(3), arb("0.7")
    with ctx.workprec(BITS):

        def moment(under: arb) -> arb:
            def f(x: acb, _: bool) -> acb:
                ratio = (alpha * (D * x - D * D / 2)).exp()
                return ratio * (-((x - under) ** 2) / 2).exp() / (2 * acb.pi()).sqrt()

            # beyond 40 the integrand is below exp(alpha D |x| - (|x| - 1)^2 / 2) < exp(-600)
            return acb.integral(f, acb(-40), acb(40)).real + arb(0, "1e-200")

        target = alpha * D * D / 2  # the known divergence, which composes and converts
        second, first = (moment(u).log() / (alpha - 1) - target for u in (arb(0), D))
    return Evidence(
        verdict(printed=bool(first.contains(0)) and bool(second.contains(0)), corrected=bool(second.contains(0))),
        f"alpha = 3, distance 0.7: divergence {float(target):.4f}; expectation under the first law gives "
        f"{float(first + target):.4f}.",
    )
