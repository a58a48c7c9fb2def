"""The account of shuffled releases against sums over the clones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dppca.audit.suite.accounting.composition import gaussian_delta
from dppca.reference.accounting import Shuffled, read_certificate, smallest_std
from dppca.reference.accounting.checker import ShuffleProof


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(1, 1.0, 1e-3), (40, 0.5, 1e-4), (1000, 0.3, 1e-6)])
def test_shuffling_is_enclosed(n: int, epsilon: float, delta: float) -> None:
    """Clones of every number by sums of binomial probabilities, no blocks; and the float account beside it."""
    found = smallest_std(Shuffled(n), epsilon, delta, certify=True).certificate
    assert found is not None
    proof = found.proof
    assert isinstance(proof, ShuffleProof)
    assert 0.95 * delta <= found.delta <= delta
    assert read_certificate(found.to_json()).check()
    if proof.epsilon_0 == 0.0:
        assert found.delta == pytest.approx(gaussian_delta(epsilon, 1 / found.std), rel=1e-6)
        return
    q, keep, growth = 1 / (1 + math.exp(-proof.epsilon_0)), math.exp(-proof.epsilon_0), math.exp(epsilon)
    total = 0.0
    for c in range(n):
        p = np.append(0.0, binom.pmf(np.arange(c + 1), c, 0.5))
        here = np.append(binom.pmf(np.arange(c + 1), c, 0.5), 0.0)
        one, other = q * p + (1 - q) * here, (1 - q) * p + q * here
        total += binom.pmf(c, n - 1, keep) * float(np.sum(np.maximum(one - growth * other, 0.0)))
    local = (1 + growth) * (1 + 2 * (n - 1) * keep) * gaussian_delta(proof.epsilon_0, 1 / found.std)
    assert total + local <= found.delta * (1 + 1e-9)
    assert found.delta <= 1.1 * (total + local)
