"""Finds checks that evaluate nothing of a correction: a constant, or the sentence in the paper with a "not" in front."""

from __future__ import annotations

import ast
import inspect
import random
import textwrap
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

#: A condition as text, and whether it has to be true.
Literal: TypeAlias = tuple[str, bool]

_NEGATED = {ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.NotEq: ast.Eq}
_PASSED_ON = ("bool", "all", "any")


def nothing_evaluated(check: Callable[[], Any]) -> str:
    """Return why a check evaluates nothing of its correction, or "".

    Read are the calls `verdict(printed=..., corrected=...)` of the check and of the functions of its module that it calls.
    Names stand for all that is assigned to them. A correction has to rest on at least one condition of its own, or on one
    that the paper rests on, too; to rest on the opposites of the paper's conditions alone is to negate it.
    """
    for function in _with_helpers(check):
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        meaning = _assigned(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "verdict":
                given = {keyword.arg: keyword.value for keyword in node.keywords}
                if "corrected" not in given or "printed" not in given:
                    continue
                sides = ("printed", "corrected")
                printed, corrected = (_literals(given[side], True, meaning, frozenset()) for side in sides)
                if all(_identity(text) for text, _ in corrected):
                    return "`corrected` is a constant"
                if corrected <= {(text, not positive) for text, positive in printed}:
                    return "`corrected` is the negation of `printed`"
    return ""


def _identity(text: str) -> bool:
    """Return whether a condition without calls is true whatever its variables are, as 3 * (x / 3) == x; at 32 points."""
    node = ast.parse(text, mode="eval")
    if any(isinstance(part, ast.Call | ast.Subscript | ast.Attribute) for part in ast.walk(node)) or not isinstance(
        node.body, ast.Compare
    ):
        return False
    free = sorted({part.id for part in ast.walk(node) if isinstance(part, ast.Name)})
    source = random.Random(3)
    points = [{name: Fraction(10) ** source.randint(-9, 9) * source.randint(-99, 99) for name in free} for _ in range(32)]
    return all(_true(node, point) for point in points)


def _true(node: ast.Expression, point: dict[str, Fraction]) -> bool:
    """Return a condition's truth at a point; False where it has none."""
    try:
        return bool(eval(compile(node, "condition", "eval"), {}, point))  # noqa: S307 - a condition of this repository's checks
    except (ArithmeticError, TypeError, ValueError):
        return False


def _with_helpers(check: Callable[[], Any]) -> list[Callable[..., Any]]:
    """Return a check, and the functions of its own module that it calls."""
    module = inspect.getmodule(check)
    called = {n.func.id for n in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(check)))) if _is_plain_call(n)}
    helpers = [getattr(module, name, None) for name in sorted(called)]
    return [check, *(h for h in helpers if inspect.isfunction(h) and h.__module__ == check.__module__)]


def _is_plain_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _assigned(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Return what every name is assigned; tuples are taken apart where both sides are one."""
    meaning: dict[str, list[ast.expr]] = defaultdict(list)

    def assign(target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            meaning[target.id].append(value)
        elif isinstance(target, ast.Tuple):
            parts = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
            for each, part in zip(target.elts, parts, strict=False):
                assign(each, part)

    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    assign(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                assign(target, value)
    return meaning


def _literals(  # noqa: PLR0911 - one return a kind of node
    node: ast.expr, positive: bool, meaning: dict[str, list[ast.expr]], seen: frozenset[str]
) -> set[Literal]:
    """Return the conditions that an expression is made of, with their signs; constants are none."""
    match node:
        case ast.Constant():
            return set()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _literals(operand, not positive, meaning, seen)
        case ast.BoolOp(values=parts):
            return set().union(*(_literals(part, positive, meaning, seen) for part in parts))
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr(), right=right):
            return _literals(left, positive, meaning, seen) | _literals(right, positive, meaning, seen)
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _PASSED_ON:
            return _literals(inner, positive, meaning, seen)
        case ast.GeneratorExp(elt=element) | ast.ListComp(elt=element):
            return _literals(element, positive, meaning, seen)
        case ast.Name(id=name) if name in meaning and name not in seen:
            return set().union(*(_literals(value, positive, meaning, seen | {name}) for value in meaning[name]))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _NEGATED:
            return {(ast.unparse(ast.Compare(left, [_NEGATED[type(op)]()], [right])), not positive)}
    return {(ast.unparse(node), positive)}
