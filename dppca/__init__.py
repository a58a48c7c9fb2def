"""A formally checked reference for differentially private PCA, with an auditor that lower-bounds epsilon.

`dppca.reference` holds the algorithms, `dppca.audit` the auditor, `dppca.proofs_notes` the claims and what executes them.
"""

__version__ = "0.1.0"
