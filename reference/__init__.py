"""Plain transcriptions of differentially private PCA algorithms, with every constant explicit.

Each algorithm is a function whose last argument is a `reference.noise.Noise`; `reference.catalog`
lists them all. This is a measuring instrument, not a library for deployment.
"""

__version__ = "0.1.0"
