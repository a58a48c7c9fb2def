"""Privacy accounts of subsampled Gaussian steps: searched in floats, certified in integers.

    from dppca.reference.accounting import Mechanism, UniformIndex, smallest_std

    mechanism = Mechanism(UniformIndex(1000), steps=5000, sensitivity=2.0)
    found = smallest_std(mechanism, epsilon=0.5, delta=1e-5)
    found.std, found.certified, found.certificate.check()

Why it is right: proofs_notes/accounting.md.
"""

from dppca.reference.accounting.certificates import Certificate, certify
from dppca.reference.accounting.floating import estimate_delta
from dppca.reference.accounting.grid import Grid, choose_grid
from dppca.reference.accounting.mechanisms import FixedBatch, Mechanism, Poisson, UniformIndex
from dppca.reference.accounting.search import Account, delta_at, epsilon_at, profile, smallest_std

__all__ = [
    "Account",
    "Certificate",
    "FixedBatch",
    "Grid",
    "Mechanism",
    "Poisson",
    "UniformIndex",
    "certify",
    "choose_grid",
    "delta_at",
    "epsilon_at",
    "estimate_delta",
    "profile",
    "smallest_std",
]
