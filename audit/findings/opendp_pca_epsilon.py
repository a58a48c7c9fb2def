"""Reproducer of opendp-pca-epsilon.md: the guarantee that OpenDP's PCA computes for itself. Needs the extra `opendp`.

python -m dppca.audit.findings.opendp_pca_epsilon
"""

from __future__ import annotations

from importlib.metadata import version

import opendp.prelude as dp
from opendp.extras.sklearn.decomposition import PCA, make_private_pca

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")


def main() -> None:
    """Print privacy maps for one changed record, next to the epsilon that was asked for."""
    domain = dp.numpy.array2_domain(num_columns=3, size=50, T=float)
    constructor = make_private_pca(domain, dp.symmetric_distance(), unit_epsilon=1.0, norm=1.0)
    estimator = PCA(epsilon=1.0, row_norm=1.0, n_samples=50, n_features=3, n_changes=1).measurement()
    print(f"opendp {version('opendp')}, one changed record (d_in = 2):")
    print(f"  make_private_pca(unit_epsilon=1.0): epsilon = {constructor.map(2):.6f}")
    print(f"  PCA(epsilon=1.0, n_changes=1):      epsilon = {estimator.map(2):.6f}")


if __name__ == "__main__":
    main()
