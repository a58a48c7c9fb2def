"""Plain transcriptions of differentially private PCA algorithms, with every constant explicit.

Each algorithm is a function whose last argument is a `reference.noise.Noise`; `reference.catalog`
lists them all, and `reference.cite` says what to cite for one. This is a measuring instrument, not a
library for deployment.
"""

from reference.cite import cite

__all__ = ["__version__", "cite"]

__version__ = "0.1.0"
