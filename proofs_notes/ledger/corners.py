"""Evaluates claims at the corners of their domains."""

from __future__ import annotations

import ast
import functools
import inspect
import math
import textwrap
from collections import defaultdict
from collections.abc import Callable
from typing import TypeAlias

from dppca.proofs_notes.ledger.domain import ClaimDomain, Point

#: Says whether a claim holds at a point, or, where only a necessary condition can be computed, whether it may. Its parameters
#: are the variables that are numbers, by name; values are int where a range is of integers, and else Fraction, or float where
#: the end of a range has no exact value.
Evaluator: TypeAlias = Callable[..., bool]


def false_corner(evaluator: Evaluator, domain: ClaimDomain) -> Point | None:
    """Return the first corner at which the claim is false, or None."""
    return next((point for point in domain.corners if not evaluator(**point)), None)


def unvaried(evaluator: Evaluator, domain: ClaimDomain) -> str:
    """Return which variables of a domain an evaluator does not take or does not use, or ""."""
    parameters = list(inspect.signature(evaluator).parameters)
    if set(parameters) != set(domain.numbers):
        return f"takes {sorted(parameters)}, and the variables that are numbers are {sorted(domain.numbers)}"
    if ignored := sorted(set(parameters) - _used(evaluator)):
        return f"never reads {ignored}"
    points = domain.corners
    fixed = [
        name for name in parameters if len(domain.ranges[name].values) != 1 and len({point[name] for point in points}) == 1
    ]
    return f"never varies {fixed}" if fixed else ""


@functools.cache
def _used(function: Callable[..., object]) -> set[str]:
    """Return the parameters that a function reads, and does not assign to; to hand one to a function that ignores it is no use.

    Followed are plain calls of functions of the ledger's own modules.
    """
    parameters = list(inspect.signature(function).parameters)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    read: dict[str, float] = defaultdict(float)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            read[node.id] += 1 if isinstance(node.ctx, ast.Load) else -math.inf
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = getattr(inspect.getmodule(function), node.func.id, None)
            room = called.__module__ if inspect.isfunction(called) and called is not function else ""
            if room == function.__module__ or room.startswith("dppca.proofs_notes."):
                for name, given in zip(inspect.signature(called).parameters, node.args, strict=False):
                    if isinstance(given, ast.Name) and name not in _used(called):
                        read[given.id] -= 1
    return {name for name in parameters if read[name] > 0}
