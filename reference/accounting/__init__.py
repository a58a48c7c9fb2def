"""Privacy accounts of subsampled Gaussian steps: searched in floats, certified in integers.

The smallest noise of 5,000 steps on one of 1,000 rows each, with a proof that can be stored and checked again:

>>> from dppca.reference.accounting import Certificate, Mechanism, Poisson, UniformIndex, epsilon_at, profile, smallest_std
>>> found = smallest_std(Mechanism(UniformIndex(1000), steps=5000, sensitivity=1.0), epsilon=0.5, delta=1e-5)
>>> round(found.std, 3), found.certified
(0.918, True)
>>> Certificate.from_json(found.certificate.to_json()).check()
True

Poisson sampling, a row added or removed, beside one Gaussian release that sees every row:

>>> mechanism = Mechanism(Poisson(0.01), steps=1000, sensitivity=1.0, fixed_ratio=0.1)
>>> round(epsilon_at(mechanism, std=1.0, delta=1e-5).epsilon, 3)
1.87

A whole profile:

>>> [f"{account.delta:.2e}" for account in profile(mechanism, 1.0, [0.5, 1.0, 2.0])]
['3.33e-02', '3.10e-03', '3.73e-06']

Why it is right: proofs_notes/accounting/note.md.
"""

from dppca.reference.accounting.certificates import Certificate, read_certificate
from dppca.reference.accounting.checker import Grid
from dppca.reference.accounting.floating import certify, estimate_delta
from dppca.reference.accounting.grid import choose_grid
from dppca.reference.accounting.mechanisms import (
    FixedBatch,
    Mechanism,
    Poisson,
    Shuffled,
    SmallSteps,
    UniformIndex,
    VarianceReduced,
)
from dppca.reference.accounting.search import NOT_CERTIFIED, Account, delta_at, epsilon_at, profile, smallest_std

__all__ = [
    "NOT_CERTIFIED",
    "Account",
    "Certificate",
    "FixedBatch",
    "Grid",
    "Mechanism",
    "Poisson",
    "Shuffled",
    "SmallSteps",
    "UniformIndex",
    "VarianceReduced",
    "certify",
    "choose_grid",
    "delta_at",
    "epsilon_at",
    "estimate_delta",
    "profile",
    "read_certificate",
    "smallest_std",
]
