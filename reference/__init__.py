"""Plain transcriptions of differentially private PCA algorithms, with every constant explicit.

Each algorithm is a function whose last argument is a `dppca.reference.noise.Noise`; `dppca.reference.catalog`
lists them all, and `dppca.reference.citations` has what to cite for one. This is a measuring instrument, not a
library for deployment.
"""

from dppca import __version__
from dppca.reference.citations import cite

__all__ = ["__version__", "cite"]
