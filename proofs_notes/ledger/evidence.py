"""What a check returns, and how it arrives at a status."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Status: TypeAlias = Literal["holds", "corrected", "refuted", "unspecified", "open"]
Method: TypeAlias = Literal["exact", "interval", "symbolic", "sampled", "cited"]
#: How the quantifier of a statement is covered: see "How a claim is established" in CONTRIBUTING.md.
Scope: TypeAlias = Literal["proved", "derived", "computed", "exhaustive", "witness", "instances"]
Kind: TypeAlias = Literal["privacy", "sensitivity", "utility", "lower bound", "algorithm", "experiment", "data", "notation"]
Weight: TypeAlias = Literal["main", "supporting", "remark"]
#: What of a sentence that is false as published is false: the sentence, its proof alone, a constant in it, a degenerate case
#: (one dimension, k = p, an empty set, an end of a range), or a slip of the pen.
Severity: TypeAlias = Literal["statement", "proof", "constant", "degenerate", "typo"]
#: Which datasets are neighbours: as in `dppca.reference.relation`, or those with one entry of the
#: matrix changed; or the sentence is about a pair that it names, or about none.
Relation: TypeAlias = Literal["replace_one", "add_remove", "local", "one_entry", "named", "none"]

#: Bits at which the checks enclose what they compare.
BITS = 128


@dataclass(frozen=True)
class Evidence:
    """The verdict that a check arrived at, and the figures behind it in a line."""

    status: Status
    figures: str


def verdict(*, printed: bool, corrected: bool | None = None) -> Status:
    """Return the status from what a check computed.

    Args:
        printed: whether the claim is true as published.
        corrected: whether the correction makes it true; None where no correction is offered.
    """
    if printed:
        return "holds"
    return "corrected" if corrected else "refuted"


def proved(steps: bool) -> Status:
    """A proof that does not go through leaves its claim open."""
    return "holds" if steps else "open"


def by_readings(readings: Mapping[str, bool]) -> Status:
    """Return the status of a claim on which the paper is silent: unspecified if it is true under one reading only."""
    if len(set(readings.values())) > 1:
        return "unspecified"
    return verdict(printed=all(readings.values()))


def refused(call: Callable[[], object]) -> bool:
    """Return whether a call ends in the ValueError with which code refuses its arguments."""
    try:
        call()
    except ValueError:
        return True
    return False
