"""Compute lower bounds on epsilon from runs of a mechanism: that can refute a claim of privacy, and never proves one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dppca.audit.execution.versions import VersionError  # at once: it notes when this process began
from dppca.reference.extras import needs

if TYPE_CHECKING:
    from dppca.audit.auditor.curves import GDP, RDP, ZCDP, PrivacyCurve, TradeOff
    from dppca.audit.auditor.one_run import one_run_gdp_bound, one_run_lower_bound
    from dppca.audit.auditor.results import Claim, LowerBound, Verdict, assert_not_refuted
    from dppca.audit.execution.output_view import check, lower_bound, lower_bound_from_outputs
    from dppca.audit.execution.pair_search import PairBound, lower_bound_over_pairs, transcript_lower_bound_over_pairs
    from dppca.audit.execution.pairs import Edges, Records, Rows, Values
    from dppca.audit.execution.store import Store, StoreError
    from dppca.audit.execution.transcript_view import transcript_check, transcript_lower_bound
    from dppca.audit.execution.trials import MechanismError, rerun
    from dppca.audit.features import Subspace

__all__ = [
    "GDP",
    "RDP",
    "ZCDP",
    "Claim",
    "Edges",
    "LowerBound",
    "MechanismError",
    "PairBound",
    "PrivacyCurve",
    "Records",
    "Rows",
    "Store",
    "StoreError",
    "Subspace",
    "TradeOff",
    "Values",
    "Verdict",
    "VersionError",
    "assert_not_refuted",
    "check",
    "lower_bound",
    "lower_bound_from_outputs",
    "lower_bound_over_pairs",
    "one_run_gdp_bound",
    "one_run_lower_bound",
    "rerun",
    "transcript_check",
    "transcript_lower_bound",
    "transcript_lower_bound_over_pairs",
]

_MODULES = {
    "dppca.audit.auditor.curves": ("GDP", "RDP", "ZCDP", "PrivacyCurve", "TradeOff"),
    "dppca.audit.auditor.one_run": ("one_run_gdp_bound", "one_run_lower_bound"),
    "dppca.audit.execution.output_view": ("check", "lower_bound", "lower_bound_from_outputs"),
    "dppca.audit.execution.pair_search": ("PairBound", "lower_bound_over_pairs", "transcript_lower_bound_over_pairs"),
    "dppca.audit.execution.pairs": ("Edges", "Records", "Rows", "Values"),
    "dppca.audit.auditor.results": ("Claim", "LowerBound", "Verdict", "assert_not_refuted"),
    "dppca.audit.execution.store": ("Store", "StoreError"),
    "dppca.audit.execution.transcript_view": ("transcript_check", "transcript_lower_bound"),
    "dppca.audit.execution.trials": ("MechanismError", "rerun"),
    "dppca.audit.features": ("Subspace",),
}


def _exported(name: str) -> Any:
    """Return what is exported, imported when it is first asked for: the plugin must not cost other projects a second."""
    for module, names in _MODULES.items():
        if name in names:
            try:
                return getattr(import_module(module), name)
            except ModuleNotFoundError as error:
                if line := needs(error.name, "dppca.audit"):
                    raise ModuleNotFoundError(line, name=error.name) from None
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if not TYPE_CHECKING:  # type checkers know the names above, and no others
    __getattr__ = _exported
