"""Empirical lower bounds on epsilon: this package can refute a privacy claim, it can never prove one."""

from audit.engine.output_view import check, lower_bound, lower_bound_from_outputs
from audit.engine.results import Claim, LowerBound, Verdict
from audit.engine.store import Store, StoreError
from audit.engine.transcript_view import transcript_check, transcript_lower_bound
from audit.engine.trials import MechanismError, rerun
from audit.engine.versions import VersionError

__all__ = [
    "Claim",
    "LowerBound",
    "MechanismError",
    "Store",
    "StoreError",
    "Verdict",
    "VersionError",
    "check",
    "lower_bound",
    "lower_bound_from_outputs",
    "rerun",
    "transcript_check",
    "transcript_lower_bound",
]
