"""The adapters of other people's DP-PCA, and the law that their samplers have instead of Bingham's."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import kstest

from dppca.audit.adapters.divided import off_axis_cdf, tie_epsilon
from dppca.audit.suite import adapter_audits as adapters
from dppca.reference.primitives.bingham import BinghamLaw, envelope

PACKAGES = sorted(adapters.DIVIDES)


def log_divided(gaps: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Return the logarithm of the divided law's density at directions with these squares, up to a constant."""
    b, _ = envelope(gaps)
    form = squares @ gaps
    return -form - len(gaps) * np.log1p(2.0 * form / b)


def test_off_axis_law_of_the_exact_sampler() -> None:
    """The reference's own sampler is Bingham's and not the divided one; false alarm below 1e-6."""
    rng, law = np.random.default_rng(5), BinghamLaw(1.0)
    matrix = np.diag([4.0, 0.0, 0.0, 0.0])
    drawn = [1.0 - law.apply(matrix, law.draw(matrix, rng))[0] ** 2 for _ in range(3000)]
    assert kstest(drawn, off_axis_cdf(4.0, 4, divided=False)).pvalue > 1e-6
    assert kstest(drawn, off_axis_cdf(4.0, 4, divided=True)).pvalue < 1e-6


def test_off_axis_cdf_against_adaptive_quadrature() -> None:
    gaps = np.array([0.0, 3.0, 3.0])

    def density(w: float) -> float:  # d = 3: 1 - v_1^2 of a uniform direction has the density (1 - w)^(-1/2) / 2
        return math.exp(log_divided(gaps, np.array([1.0 - w, w, 0.0])))

    cdf = off_axis_cdf(3.0, 3, divided=True)
    total, _ = quad(density, 0.0, 1.0, weight="alg", wvar=(0.0, -0.5))
    below, _ = quad(lambda w: density(w) / math.sqrt(1.0 - w), 0.0, 0.3)
    assert float(cdf(np.array(0.3))) == pytest.approx(below / total, abs=1e-6)


def test_tie_epsilon_is_the_largest_loss() -> None:
    """Over random directions no loss exceeds it, and e_1 reaches it: the normalisers of the pair are equal."""
    d, rows, multiplier = 6, 100, 0.5
    low = multiplier * np.array([0.0, 1.0, *[rows + 1.0] * (d - 2)])
    high = low[[1, 0, *range(2, d)]]
    points = np.random.default_rng(0).standard_normal((20_000, d)) * np.array([1.0, 1.0, *[0.05] * (d - 2)])
    squares = np.vstack([points**2 / np.sum(points**2, axis=1, keepdims=True), np.eye(d)])
    losses = log_divided(low, squares) - log_divided(high, squares)
    assert losses.max() == pytest.approx(tie_epsilon(d, rows, multiplier), rel=1e-12)
    assert losses.argmax() == len(points)
    # the exact law's largest loss is the multiplier itself: a quarter of the epsilon that it is to spend
    assert tie_epsilon(d, rows, multiplier) > 4.0 * multiplier


@pytest.mark.parametrize("package", PACKAGES)
def test_adapter(package: str) -> None:
    pytest.importorskip(f"dppca.audit.adapters.{package}", reason=f"needs the extra `{package}`", exc_type=ImportError)
    adapter = adapters.load(package)
    rows = np.random.default_rng(1).normal(size=(20, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for algorithms, k in ((adapter.MECHANISM, 1), (adapter.PCA, 1), (adapter.PCA, 2)):
        run = algorithms["baselines.exponential_mechanism"]
        basis, again = (run(rows, np.random.default_rng(2), epsilon=1.0, k=k) for _ in range(2))
        assert basis.shape == (3, k)
        np.testing.assert_allclose(basis.T @ basis, np.eye(k), atol=1e-9)
        np.testing.assert_array_equal(basis, again)
    at_once = adapter.mechanism(np.tile(np.eye(1, 3), (50, 1)), np.random.default_rng(3), epsilon=1e4, k=1)
    assert abs(at_once[0, 0]) > 0.99


@pytest.mark.parametrize("package", PACKAGES)
def test_instances(package: str) -> None:
    pytest.importorskip(f"dppca.audit.adapters.{package}", reason=f"needs the extra `{package}`", exc_type=ImportError)
    found = list(adapters.instances(adapters.load(package)))
    assert {i.algorithm for i in found} == {f"{package}.mechanism", f"{package}.PCA"}
    assert len({i.id for i in found}) == len(found)
    wrong = [i for i in found if i.expected == "REFUTED"]
    assert [i.algorithm for i in wrong] == [f"{package}.mechanism"] * (
        adapters.load(package).VERSION in adapters.DIVIDES[package]
    )


def test_missing_extra_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "diffprivlib", None)
    monkeypatch.delitem(sys.modules, "dppca.audit.adapters.diffprivlib", raising=False)
    with pytest.raises(ImportError):
        adapters.load("diffprivlib")
