"""Reproducer of bingham-acceptance-ratio.md: what diffprivlib and OpenDP draw, and what it costs. Needs their extras.

python -m dppca.audit.findings.bingham_acceptance_ratio [diffprivlib | opendp]
"""

from __future__ import annotations

import sys
from importlib import import_module

import numpy as np
from scipy.stats import kstest

from dppca import audit
from dppca.audit.adapters.divided import off_axis_cdf, tie_epsilon

SEED = 1


def main(package: str) -> None:
    """Print the law that is drawn, then the audit of the claim."""
    peer = import_module(f"dppca.audit.adapters.{package}")
    rng = np.random.default_rng(SEED)

    # The matrix diag(4, 0, 0) at epsilon = 4: the density is to be exp(4 v_1^2), up to a constant.
    drawn = [1.0 - peer.eigenvector(np.diag([4.0, 0.0, 0.0]), rng, epsilon=4.0)[0] ** 2 for _ in range(2000)]
    print(f"{package} {peer.VERSION}: mean of 1 - v_1^2 over {len(drawn):,} draws: {np.mean(drawn):.4f}")
    w = np.linspace(0.0, 1.0, 100_001)
    for name, divided in (("Bingham law", False), ("divided law", True)):
        cdf = off_axis_cdf(4.0, 3, divided=divided)
        mean = 1.0 - float(np.mean(cdf(w)))
        print(f"  {name}: mean {mean:.4f}, Kolmogorov-Smirnov p = {kstest(np.clip(drawn, 0.0, 1.0), cdf).pvalue:.2g}")

    # 201 rows of R^6: one at e_1 or e_2, 100 at each. Replacing it changes v^T X^T X v by at most 1.
    data = np.vstack([np.eye(1, 6), np.tile(np.eye(2, 6), (100, 1))])
    neighbour = np.vstack([np.eye(1, 6, 1), data[1:]])
    claim = audit.Claim(epsilon=2.0)
    print(f"  claim: epsilon = 2; of the divided law on this pair: {tie_epsilon(6, 100, claim.epsilon / 4.0):.3f}")

    def mechanism(X: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        return peer.mechanism(X, generator, epsilon=claim.epsilon, k=1)[:2, 0] ** 2

    verdict = audit.check(mechanism, data, neighbour, claim, trials=7000, confidence=0.999, seed=SEED)
    print(f"  {verdict.bound}")
    print(f"  {'REFUTED' if verdict.refuted else 'NOT REFUTED'}")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or ["diffprivlib", "opendp"]:
        main(chosen)
