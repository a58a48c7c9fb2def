"""The statements of the theorems, as Rocq printed them into statements.json, and the numbers that stand in them.

A formula of a statement is read as Python and computed: m%:R is m, a ^+ m is a power, a^-1 an inverse.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from fractions import Fraction
from functools import cache

from dppca.proofs_notes.rocq import proofs

_OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}

Number = Fraction | float


@cache
def _compiled() -> dict[str, proofs.Compiled]:
    return proofs.statements()


def theorems() -> list[str]:
    """Return all theorems of statements.json, as file.v:name."""
    return list(_compiled())


def _one(found: list[str], what: str) -> str:
    """Return the only match, on one line."""
    if len(found) != 1:
        raise ValueError(f"{what} must stand there once, and {found} does; run make proofs if statements.json is old")
    return " ".join(found[0].split())


def statement(theorem: str) -> str:
    """Return the compiled statement of file.v:name, on one line."""
    return " ".join(_compiled()[theorem].statement.split())


def axioms(theorem: str) -> tuple[str, ...]:
    """Return the axioms that a theorem's proof uses."""
    return _compiled()[theorem].axioms


def definition(file: str, name: str) -> str:
    """Return what a file defines a name to be, on one line; from the source."""
    text = (proofs.NOTES / file).read_text(encoding="utf-8")
    pattern = rf"^\s*Definition {name}\b[^=]*?:=(.*?)\.\s*$"
    return _one(re.findall(pattern, text, re.DOTALL | re.MULTILINE), f"the definition of {name} in {file}")


def part(theorem: str, pattern: str) -> str:
    """Return the group of a pattern that a statement has to contain exactly once."""
    return _one(re.findall(pattern, statement(theorem)), f"{pattern!r} in {theorem}")


def value(formula: str, **names: Number) -> Number:
    """Compute a formula of a statement."""
    formula = re.sub(r"\b(Num\.sqrt|ln) (\w+(?:%:R)?(?:\^-1)?)", r"\1(\2)", formula).replace("Num.sqrt", "sqrt")
    for written, meant in (("%:R", ""), ("%N", ""), ("%R", ""), ("%E", ""), ("^-1", "**(-1)"), ("^+", "**"), ("^-", "**-")):
        formula = formula.replace(written, meant)
    return _compute(ast.parse(formula.strip(), mode="eval").body, names)


def _compute(node: ast.expr, names: dict[str, Number]) -> Number:
    if isinstance(node, ast.Constant):
        return Fraction(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return {"sqrt": math.sqrt, "ln": math.log}[node.func.id](float(_compute(node.args[0], names)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_compute(node.operand, names)
    if isinstance(node, ast.BinOp):
        left, right = _compute(node.left, names), _compute(node.right, names)
        return _OPERATIONS[type(node.op)](left, right)  # type: ignore[no-any-return]
    raise ValueError(f"{ast.dump(node)} is no part of a formula")


def bound(theorem: str, **names: Number) -> Number:
    """Compute what a statement ends with: ... <= bound, or ... = value that is reached; in a list of statements or alone."""
    return value(part(theorem, r"(?:<=|=) ([^<>=\]]*)\]?$"), **names)


def calibrated(theorem: str, **names: Number) -> Number:
    """Compute the changes in standard deviations for which a theorem wants a calibration, times the standard deviation s.

    A bound that depends on the size is computed from its definition, `if p == 1%N then 1 else 2`; names gives its value.
    """
    formula = part(theorem, r"-> calibrated e t \((.*?) / s\) ->")
    return value(re.sub(r"\((\w+) R (?:\w+)(?: \w+)?\)", r"(\1)", formula), **names)


def by_size(file: str, name: str, size: int) -> Fraction:
    """Return what a definition `if p == 1%N then A else B` is at a size."""
    branches = re.fullmatch(r"if \w+ == 1%N then (\d+) else (\d+)", definition(file, name))
    if branches is None:
        raise ValueError(f"{name} of {file} must distinguish the size 1 alone")
    return Fraction(branches[1 if size == 1 else 2])
