"""Section 5 of shang2021 re-run: every algorithm and baseline at the same (epsilon, delta), and that one correct.

Noise is the CORRECTED one throughout. The exponential mechanism spends epsilon only, the others delta too. DP-SPCA and
DP-VRPCA run at the step sizes of Section 5.1 and at multiples of them; which multiple is best was not found privately.
Rows have unit length or less ("normalized rows"); the reference is the principal subspace of the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.reference.baselines import analyze_gauss, exponential, mod_sulq, noisy_power_method, wishart
from dppca.reference.noise import Sample
from dppca.reference.primitives.orthonormal import qr_factor
from dppca.reference.primitives.subspaces import principal_subspace, sin_theta_distance
from dppca.reference.shang2021 import algorithm_1_dp_spca as algorithm_1
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as algorithm_2

#: Section 5.1.
DELTA = 1e-3
#: Steps of the power method; Section 5 names none.
POWER_STEPS = 5

Matrix: TypeAlias = NDArray[np.float64]
Method: TypeAlias = Callable[[Matrix, np.random.Generator], Matrix]


def methods(epsilon: float, n: int, d: int, k: int, multiples: tuple[float, ...]) -> Mapping[str, Method]:
    """Return every algorithm at (epsilon, DELTA) for n rows: name to (rows, generator) -> basis (d, k)."""
    spca = algorithm_1.calibrate(epsilon, DELTA, n, d, n, k)
    vrpca = algorithm_2.calibrate(epsilon, DELTA, n, d, n, 1, k)
    gauss = analyze_gauss.calibrate(epsilon, DELTA, d)
    sulq = mod_sulq.calibrate(epsilon, DELTA, n, d, mod_sulq.AS_PRINTED)
    power = noisy_power_method.calibrate(epsilon, DELTA, d, k, POWER_STEPS)
    positive = wishart.calibrate(epsilon, DELTA, n)
    sphere = exponential.calibrate(epsilon, k)
    found: dict[str, Method] = {
        "no privacy": lambda X, _: principal_subspace(X.T @ X, k),
        "random projection": lambda _, rng: qr_factor(rng.standard_normal((d, k))),
        "Analyze Gauss": lambda X, rng: analyze_gauss.analyze_gauss(X, k, gauss, Sample(rng)),
        "MOD-SULQ (as published, holds)": lambda X, rng: mod_sulq.mod_sulq(X, k, sulq, Sample(rng)),
        "power method": lambda X, rng: noisy_power_method.noisy_power_method(X, power, Sample(rng)),
        "Wishart": lambda X, rng: wishart.wishart_mechanism(X, k, positive, Sample(rng)),
        "exponential": lambda X, rng: exponential.exponential_mechanism(X, sphere, Sample(rng)),
    }
    for a in multiples:
        steps = np.full(n, a / (2.0 * n))
        found[f"DP-SPCA, {a:g} / (2n)"] = lambda X, rng, steps=steps: algorithm_1.dp_spca(X, steps, spca, Sample(rng))
        found[f"DP-VRPCA, {a:g} / n"] = lambda X, rng, a=a: algorithm_2.dp_vrpca(X, a / n, vrpca, Sample(rng))
    return found


# --- measures -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    """One method's runs at one epsilon: sin-theta distances and captured shares of the best k-subspace's variance."""

    method: str
    epsilon: float
    distances: list[float]
    captured: list[float]

    @property
    def row(self) -> tuple[str, ...]:
        """Return the measurements as text, with 95 % t-intervals of the means."""
        return (f"{self.epsilon:g}", self.method, interval(self.distances), interval(self.captured))


HEAD = ("epsilon", "method", "sin-theta", "captured variance")


def mean_interval(values: list[float]) -> tuple[float, float, float]:
    """Return the mean and its 95 % t-interval."""
    from statsmodels.stats.weightstats import DescrStatsW  # noqa: PLC0415 - collection must stay cheap

    low, high = DescrStatsW(values).tconfint_mean()
    return float(np.mean(values)), float(low), float(high)


def interval(values: list[float]) -> str:
    """Return `mean_interval` as text."""
    mean, low, high = mean_interval(values)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def measure(X: Matrix, k: int, epsilon: float, multiples: tuple[float, ...], rngs: list[np.random.Generator]) -> list[Measured]:
    """Return every method's measurements on the same rows, one run per generator."""
    n, d = X.shape
    A = X.T @ X / n
    target = principal_subspace(A, k)
    best = float(np.sum(target * (A @ target)))
    found = []
    for name, method in methods(epsilon, n, d, k, multiples).items():
        bases = [method(X, rng) for rng in (rngs if name != "no privacy" else rngs[:2])]
        distances = [sin_theta_distance(target, V) for V in bases]
        found.append(Measured(name, epsilon, distances, [float(np.sum(V * (A @ V))) / best for V in bases]))
    return found


def accuracy(basis: Matrix, train: tuple[Matrix, NDArray[np.int64]], test: tuple[Matrix, NDArray[np.int64]]) -> float:
    """Return the accuracy of a linear SVM on projected rows."""
    from sklearn.svm import LinearSVC  # noqa: PLC0415 - collection must stay cheap

    return float(LinearSVC(dual=False).fit(train[0] @ basis, train[1]).score(test[0] @ basis, test[1]))
