"""Shows the guarantee that OpenDP 0.16.0's `PCA` computes for itself, before and after the remedy.

It needs opendp, numpy, scikit-learn and randomgen, and nothing else:

    python opendp_pca_epsilon.py

See opendp-pca-epsilon.md.
"""

import inspect
import sys
import textwrap
from importlib.metadata import version

import opendp.prelude as dp
from opendp.extras.sklearn import decomposition
from opendp.extras.sklearn.decomposition import PCA, make_private_pca

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")

#: The expression that is wrong, and what it should be.
WRONG, RIGHT = "self.epsilon / self.n_changes * 2", "self.epsilon / self.n_changes"


class Repaired(PCA):
    """The package's class with that one expression replaced."""


def repair():
    """Give `Repaired` its method."""
    source = textwrap.dedent(inspect.getsource(PCA._prepare_fitter))
    if source.count(WRONG) != 1:
        sys.exit(f"opendp {version('opendp')} does not have this expression: {WRONG}")
    namespace = dict(vars(decomposition))
    exec(source.replace(WRONG, RIGHT), namespace)  # noqa: S102 - the package's own source
    Repaired._prepare_fitter = namespace["_prepare_fitter"]


def main():
    """Print privacy maps for one changed record, next to the epsilon that was asked for."""
    repair()
    domain = dp.numpy.array2_domain(num_columns=3, size=50, T=float)
    constructor = make_private_pca(domain, dp.symmetric_distance(), unit_epsilon=1.0, norm=1.0)
    print(f"opendp {version('opendp')}, the epsilon of its own privacy map for one changed record (d_in = 2):")
    print(f"  make_private_pca(unit_epsilon=1.0):             {constructor.map(2):.6f}")
    for name, estimator in (("as it is", PCA), ("with the remedy", Repaired)):
        made = estimator(epsilon=1.0, row_norm=1.0, n_samples=50, n_features=3, n_changes=1).measurement()
        print(f"  PCA(epsilon=1.0, n_changes=1), {name + ':':16} {made.map(2):.6f}")


if __name__ == "__main__":
    main()
