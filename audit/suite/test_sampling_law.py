"""What other people's Bingham samplers draw, against the law that they are to draw from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy  # scipy.stats is loaded when it is first asked for

from dppca.audit.adapters.divided import off_axis_cdf
from dppca.audit.report.experiments import Experiment
from dppca.audit.suite import adapter_audits as adapters

#: A Kolmogorov-Smirnov test rejects below this level; it is the false-alarm rate of each test here.
LEVEL = 1e-6
DRAWS = 2000


@pytest.mark.parametrize("d", [3, 5])
@pytest.mark.parametrize("package", sorted(adapters.DIVIDES))
def test_bingham(package: str, d: int, request: pytest.FixtureRequest, utility: Callable[[Experiment], None]) -> None:
    """1 - v_1^2 for the matrix diag(4, 0, ..., 0) at epsilon = 4, where the density is exp(-4 (1 - v_1^2))."""
    try:
        adapter = adapters.load(package)
    except ImportError as error:
        pytest.skip(f"needs the extra `{package}`: {error}")
    rng = np.random.default_rng([request.config.getoption("--seed"), d])
    matrix = np.diag([4.0] + [0.0] * (d - 1))
    drawn = np.array([adapter.eigenvector(matrix, rng, epsilon=4.0) for _ in range(DRAWS)])
    off_axis = np.clip(1.0 - drawn[:, 0] ** 2, 0.0, 1.0)
    to_bingham, to_divided = (scipy.stats.kstest(off_axis, off_axis_cdf(4.0, d, divided=divided)) for divided in (False, True))
    laws = (("Bingham", to_bingham), ("divided", to_divided))
    utility(
        Experiment(
            f"{package} {adapter.VERSION}, d = {d}: {DRAWS:,} draws of 1 - v_1^2 against two laws",
            ("law", "Kolmogorov distance", "p"),
            [(law, f"{test.statistic:.3f}", f"{test.pvalue:.1g}") for law, test in laws],
        )
    )
    if adapter.VERSION in adapters.DIVIDES[package]:
        assert to_bingham.pvalue < LEVEL
        assert to_divided.pvalue > LEVEL
    else:
        assert to_bingham.pvalue > LEVEL
