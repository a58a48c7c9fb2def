"""Plain transcriptions of differentially private PCA algorithms, with every constant explicit.

Each algorithm is a function whose last argument is a `dppca.reference.noise.Noise`; `dppca.reference.catalog`
lists them all, and `dppca.reference.cite` says what to cite for one. This is a measuring instrument, not a
library for deployment.
"""

from dppca.reference.cite import cite

__all__ = ["__version__", "cite"]

__version__ = "0.1.0"
