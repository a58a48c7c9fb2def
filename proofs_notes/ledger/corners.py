"""Evaluates claims at the corners of their domains."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import TypeAlias

from dppca.proofs_notes.ledger.domain import Domain, Point

#: Says whether a claim holds at a point, or, where only a necessary condition can be computed, whether it may. Its parameters
#: are the variables that are numbers, by name; values are int where a range is of integers, and else Fraction, or float where
#: the end of a range has no exact value.
Evaluator: TypeAlias = Callable[..., bool]


def false_corner(evaluator: Evaluator, domain: Domain) -> Point | None:
    """Return the first corner at which the claim is false, or None."""
    return next((point for point in domain.corners if not evaluator(**point)), None)


def unvaried(evaluator: Evaluator, domain: Domain) -> str:
    """Return which variables of a domain an evaluator does not take or does not read, or ""."""
    parameters = list(inspect.signature(evaluator).parameters)
    if set(parameters) != set(domain.numbers):
        return f"takes {sorted(parameters)}, and the variables that are numbers are {sorted(domain.numbers)}"
    tree = ast.parse(textwrap.dedent(inspect.getsource(evaluator)))
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    if ignored := sorted(set(parameters) - read):
        return f"never reads {ignored}"
    points = domain.corners
    fixed = [
        name for name in parameters if len(domain.ranges[name].values) != 1 and len({point[name] for point in points}) == 1
    ]
    return f"never varies {fixed}" if fixed else ""
