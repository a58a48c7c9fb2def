"""Step sizes of liu2022 and when its theorems apply: Theorem 2.2, Equations (52) and (60); sample sizes (4), (9), (56), (64).

All three are eta_t = h / ((lambda_1 - lambda_2) (xi + t)) with
    xi = 20 max(M~ h / (lambda_1 - lambda_2), (V~ + lambda_1^2) h^2 / ((lambda_1 - lambda_2)^2 log(1 + zeta / 100))),
for Oja's algorithm on B_1, ..., B_T with E B_t = Sigma, ||B_t - Sigma||_2 <= M~ and ||E (B_t - Sigma)^2||_2 <= V~ (transposed
too). B_t is A_t (Theorem 2.2), A_t + std G_t (Algorithm 2), or the mean of `rows` data matrices + std G_t (Algorithm 3), G_t
with i.i.d. N(0, 1) entries. The paper writes alpha for h in (60); alpha is also the noise multiplier of Algorithm 2.
Nothing here looks at data; the steps depend on parameters of the distribution, which the paper takes as known.
Arguments are those of the ledger's checks, and not examined.

The proofs bound ||B_t - Sigma||_2 with probability 1 - zeta and then use a theorem that needs the bound almost surely, with
the same mean and variance. For the noise this can be mended: G_t is symmetric, so conditioning on a ball leaves its mean
and does not increase E G G^T. For unbounded data conditioning moves Sigma. Each is a `TheoremCondition` below.

Claims: liu2022.theorem-2.2, liu2022.lemma-f.2, liu2022.lemma-f.3, liu2022.lemma-f.5, liu2022.theorem-3.3,
liu2022.theorem-3.3-regime, liu2022.step-size-inputs, liu2022.equation-51, liu2022.equation-63, liu2022.equation-64,
liu2022.equation-64-display, liu2022.theorem-5.1-sizes, liu2022.equation-8, liu2022.section-5-example.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dppca.audit.suite.liu2022.models import Assumption1
from dppca.reference.declaration import TheoremCondition

#: Claim liu2022.lemma-f.3.
C_2 = 1.0
#: Claim liu2022.lemma-f.2.
#: ||G||_2 <= 2 sqrt(d) + sqrt(2 log(1/z)) with probability 1 - z (Davidson, Szarek 2001); matrix Bernstein: sqrt(2 v l) +
#: 2 L l / 3 with l = log(2d/z). With z = zeta / (2T) for each, C_3 = 2 suffices if min(2, d) T >= 4 zeta; none below 2
#: does for large d, as ||G||_2 / sqrt(d) tends to 2.
C_3 = 2.0


@dataclass(frozen=True)
class StepSizes:
    """Step sizes eta_1..eta_T of shape (T,), what they were made of, and the conditions of the theorem they belong to.

    `bound` is the right side of (2), (53) or (61) with its unknown constant C set to 1.
    """

    eta: NDArray[np.float64]
    xi: float
    M_tilde: float
    V_tilde: float
    bound: float
    conditions: tuple[TheoremCondition, ...]

    @property
    def conditions_hold(self) -> bool:
        """Return whether every condition of the theorem holds."""
        return all(condition.holds for condition in self.conditions)


def theorem_2_2(model: Assumption1, T: int, alpha: float, zeta: float) -> StepSizes:
    """Return the step sizes of Theorem 2.2, for Algorithm 1: M~ = lambda_1 M and V~ = lambda_1^2 V.

    Args:
        model: the distribution of the A_i.
        T: the number of steps.
        alpha: h.
        zeta: the failure probability, in (0, 1).
    """
    return _step_sizes(model, T, alpha, zeta, model.lambda_1 * model.M, model.lambda_1**2 * model.V, ())


def equation_52(model: Assumption1, n: int, std: float, h: float, zeta: float) -> StepSizes:
    """Return those of Theorem 3.3, for Algorithm 2 with T = n and noise of standard deviation std = 2 alpha beta before eta_t.

    V~ = lambda_1^2 V + C_2 d std^2, M~ = lambda_1 M + C_3 std (sqrt d + sqrt(log(n / zeta))).
    """
    M_tilde = model.lambda_1 * model.M + C_3 * std * (math.sqrt(model.d) + math.sqrt(math.log(n / zeta)))
    V_tilde = model.lambda_1**2 * model.V + C_2 * model.d * std**2
    return _step_sizes(model, n, h, zeta, M_tilde, V_tilde, (_NOISE_ALMOST_SURELY,))


def equation_60(model: Assumption1, T: int, rows: int, std: float, alpha: float, zeta: float) -> StepSizes:
    """Return those of Theorem 5.1, for Algorithm 3: means of `rows` gradients, with noise of standard deviation at most std.

    V~ = lambda_1^2 V / rows + C_2 d std^2, and with l = log(d T / zeta)
    M~ = C_3 (lambda_1 M l / rows + sqrt(lambda_1^2 V l / rows) + std (sqrt d + sqrt(log(T / zeta)))).

    Args:
        model: the distribution of the A_i.
        T: the number of steps.
        rows: the paper has B, the minibatch; the mean that Algorithm 3 releases is over floor(B / 2) of it.
        std: an upper bound on the noise's standard deviation per coordinate, the paper's beta: `printed_noise` or
            `algorithm_3_noise`.
        alpha: h.
        zeta: the failure probability, in (0, 1).
    """
    level = math.log(model.d * T / zeta)
    variance = model.lambda_1**2 * model.V / rows
    M_tilde = C_3 * (
        model.lambda_1 * model.M * level / rows
        + math.sqrt(variance * level)
        + std * (math.sqrt(model.d) + math.sqrt(math.log(T / zeta)))
    )
    conditions = (
        _NOISE_ALMOST_SURELY,
        TheoremCondition("min(2, d) T >= 4 zeta, for C_3 = 2", "proof", min(2.0, model.d) * T >= 4.0 * zeta),
    )
    return _step_sizes(model, T, alpha, zeta, M_tilde, variance + C_2 * model.d * std**2, conditions)


_NOISE_ALMOST_SURELY = TheoremCondition("the noise is bounded almost surely (A.2 for B_t)", "proof", holds=False)


def _step_sizes(
    model: Assumption1, T: int, h: float, zeta: float, M_tilde: float, V_tilde: float, more: tuple[TheoremCondition, ...]
) -> StepSizes:
    """Return the step sizes for bounds M~ and V~; `more` are conditions of the theorem that uses them."""
    log_term = math.log1p(zeta / 100.0)
    xi = 20.0 * max(M_tilde * h / model.gap, (V_tilde + model.lambda_1**2) * h**2 / (model.gap**2 * log_term))
    bound = math.inf
    if h > 0.5:
        exponent = math.log(model.d) + 2.0 * h * math.log(xi / T)
        decay = math.exp(exponent) if exponent < 700.0 else math.inf
        bound = math.log(1.0 / zeta) / zeta**2 * (h**2 * V_tilde / ((2.0 * h - 1.0) * model.gap**2 * T) + decay)
    conditions = (
        TheoremCondition("h > 1/2 (alpha in Theorem 2.2)", "printed", h > 0.5),
        TheoremCondition("T > xi (the conference text; the preprint has an undefined beta for xi)", "printed", xi < T),
        TheoremCondition("||A_i - Sigma||_2 <= lambda_1 M almost surely (A.2)", "printed", model.almost_surely),
    )
    eta: NDArray[np.float64] = h / (model.gap * (xi + np.arange(1, T + 1, dtype=np.float64)))
    return StepSizes(eta, xi, M_tilde, V_tilde, bound, conditions + more)


# --- the noise that enters V~ and M~ ------------------------------------------------------------------


def algorithm_2_noise(model: Assumption1, n: int, multiplier: float, zeta: float) -> float:
    """Return 2 alpha beta of Algorithm 2, with beta = (K gamma log^a(n d / zeta) + 1) lambda_1 sqrt d of Equation (48)."""
    log_term = math.log(n * model.d / zeta)
    beta = (model.K * model.gamma * math.pow(log_term, model.a) + 1.0) * model.lambda_1 * math.sqrt(model.d)
    return 2.0 * multiplier * beta


def printed_noise(model: Assumption1, B: int, epsilon: float, delta: float, zeta: float) -> float:
    """Return the beta of Appendix E.1: 16 K gamma lambda_1 log^a(B d / zeta) sqrt(2 d log(2.5 / delta)) / (epsilon B)."""
    log_term = math.log(B * model.d / zeta)
    scale = math.sqrt(2.0 * model.d * math.log(2.5 / delta))
    return 16.0 * model.K * model.gamma * model.lambda_1 * math.pow(log_term, model.a) * scale / (epsilon * B)


def algorithm_3_noise(model: Assumption1, B: int, T: int, epsilon: float, delta: float, zeta: float) -> float:
    """Return a bound on the noise of Algorithm 3: 12 K sqrt(L) log^a(m d / z) sqrt(2 d log(2.5 / delta')) / (epsilon' m).

    That is Algorithm 5 as Algorithm 3 calls it: m = floor(B / 2) gradients, epsilon' = epsilon / 2, delta' = delta / 2,
    z = zeta / (2T), and the eigenvalue L = 2 Lambda^ <= 2 sqrt 2 lambda_1^2 gamma2. At least 5 times `printed_noise`.
    """
    m = B // 2
    log_term = math.log(2.0 * m * model.d * T / zeta)
    scale = math.sqrt(2.0 * model.d * math.log(5.0 / delta))
    eigenvalue = 2.0 * math.sqrt(2.0) * model.lambda_1**2 * model.gamma2
    return 24.0 * model.K * math.sqrt(eigenvalue) * math.pow(log_term, model.a) * scale / (epsilon * m)


# --- how many steps the theorems need -----------------------------------------------------------------


def least_steps(kappa: float, h: float, zeta: float) -> float:
    """Return 20 kappa^2 h^2 / log(1 + zeta / 100) <= xi, which T must exceed for any data and noise, even V~ = M~ = 0.

    About 2e5 kappa^2 h^2 at zeta = 0.01. With h = c log n that many steps of Algorithm 3 need
    n >= 2e5 kappa^2 c^2 log^2 n even with one row each.
    """
    return 20.0 * kappa**2 * h**2 / math.log1p(zeta / 100.0)


def last_term_of_equation_63(kappa: float, T: float, alpha: float, zeta: float) -> float:
    """Return kappa^4 alpha^4 / (log^2(1 + zeta / 100) T^2), which the proof of Theorem 5.1 needs to be below 1.

    With its alpha = c log n and T = c' log^2 n this is (kappa^2 c^2 / (c' log(1 + zeta / 100)))^2 for every n, so its
    assumption log n >= kappa^2, the source of exp(kappa^2) in (9), does not make it small: c' has to be of order
    kappa^2. With T = c' log^3 n that assumption would do.
    """
    return (least_steps(kappa, alpha, zeta) / (20.0 * T)) ** 2


# --- sample sizes and rates, with all hidden constants and logarithms set to 1 -------------------------


def theorem_3_3_sample_size(model: Assumption1, epsilon: float, delta: float) -> float:
    """Return equation (4) with all hidden constants and logarithms set to 1."""
    kappa, log_term = model.kappa, math.log(1.0 / delta)
    private = model.d * kappa * (model.gamma + 1.0) * log_term / epsilon
    return kappa**2 + kappa * model.M + kappa**2 * model.V + private


def theorem_5_1_sample_size(model: Assumption1, epsilon: float, delta: float) -> float:
    """Return equation (9) with all hidden constants and logarithms set to 1; inf if exp(kappa^2) overflows.

    The last term, d log(1/delta) / epsilon, stands only in the conference text; Theorem 6.1 needs it.
    """
    kappa, log_term = model.kappa, math.log(1.0 / delta)
    exponential = math.exp(kappa**2) if kappa**2 < 700.0 else math.inf
    private = (
        math.sqrt(model.d) * math.pow(log_term, 1.5) + model.d * kappa * model.gamma * math.sqrt(log_term) + model.d * log_term
    )
    return exponential + kappa * model.M + kappa**2 * model.V + private / epsilon


def theorem_3_3_rate(model: Assumption1, n: int, epsilon: float, delta: float) -> float:
    """Return equation (5), a bound on sin^2, with all hidden constants and logarithms set to 1."""
    scale = (model.gamma + 1.0) * model.d * math.log(1.0 / delta)
    return model.kappa**2 * (model.V / n + (scale / (epsilon * n)) ** 2)


def theorem_5_1_rate(model: Assumption1, n: int, epsilon: float, delta: float) -> float:
    """Return equation (10), a bound on sin, with all hidden constants and logarithms set to 1."""
    scale = model.gamma * model.d * math.sqrt(math.log(1.0 / delta))
    return model.kappa * (math.sqrt(model.V / n) + scale / (epsilon * n))


def equation_56(model: Assumption1, n: int, epsilon: float, delta: float, zeta: float) -> float:
    """Return the right side of (56), which n has to reach, with C = 1; its logarithms are those of the paper."""
    kappa, log_n = model.kappa, math.log(n)
    log_tail = math.pow(math.log(n * model.d / zeta), model.a)
    scale = (model.K * model.gamma * log_tail + 1.0) * kappa * model.d / epsilon
    log_delta = math.log(n / delta)
    return (
        model.M * kappa * log_n
        + math.pow(scale * log_n, 2.0 / 3.0) * log_delta
        + model.V * kappa**2 * log_n**2
        + scale * log_delta * log_n
        + kappa**2 * log_n**2
    )


def equation_64(model: Assumption1, n: int, T: int, epsilon: float, delta: float) -> float:
    """Return the right side of (64), that n >= 3 has to reach beside log n >= kappa^2, for C = 1 and the paper's logarithms."""
    kappa, log_n = model.kappa, math.log(n)
    log_tail = math.pow(math.log(n * model.d / log_n), model.a)
    scale = model.gamma * kappa * log_tail * math.sqrt(math.log(1.0 / delta)) * model.d / epsilon
    return (
        model.M * kappa * log_n * math.log(model.d * log_n)
        + kappa * math.sqrt(model.V * math.log(model.d * T))
        + scale * math.sqrt(math.log(log_n)) * log_n
        + model.V * kappa**2 * log_n**2
        + scale * log_n**2
    )
