"""Mutants: small changes of one function each, made in its syntax tree and put into the running code.

The module's tree is compiled with the change, and the code object of the function replaced, methods, properties and cached
functions included: whoever imported it runs the mutant, and nothing is written to disk. What a module computes when it is
imported (constants, defaults of arguments) is not touched. A mutant lives in a forked child (children.py); mutmut and
cosmic-ray write mutants to files and run a command on each, which costs more than most checks of the ledger.
"""

from __future__ import annotations

import ast
import copy
import functools
import gc
import importlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeAlias

#: Module and qualified name of a function; what is nested in it belongs to it.
Place: TypeAlias = tuple[str, str]
OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.Mult,),
}
COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),  # codespell:ignore notin
    ast.NotIn: (ast.In,),  # codespell:ignore notin
}
PAIRS = (("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("any", "all"), ("ceil", "floor"))
SWAPS = {name: other for pair in PAIRS for name, other in (pair, pair[::-1])}
#: Verbs of the seam that release a value with noise.
RELEASES = frozenset({"gaussian", "laplace", "truncated_laplace", "thresholded_laplace", "release"})
_UNCHANGED = frozenset({"annotation", "returns", "decorator_list", "args"})


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        module: that the function is in.
        function: its qualified name.
        kind: what was changed: operator, comparison, constant, bound, negation, logic, index, statement, arguments, norm, draw,
            release or data.
        line: where, in the module's file.
        change: before and after, as code.
        repeated: how many changes with the same text stand before it in the function.
        guard: whether it is in a check of the arguments: an `if` that only raises, or a call of `check_...`.
    """

    module: str
    function: str
    kind: str
    line: int
    change: str
    repeated: int
    guard: bool

    @property
    def place(self) -> Place:
        """The function."""
        return self.module, self.function

    @property
    def id(self) -> str:
        """A name that stays when other lines of the file move."""
        place = f"{self.module.removeprefix('dppca.')}.{self.function}"
        return f"{place}: {self.change}" + (f" [{self.repeated + 1}]" if self.repeated else "")


# --- what can be changed ------------------------------------------------------------------------------


def alternatives(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:  # noqa: C901, PLR0912 - a case for each kind
    """What a node may become, with the kind of the change."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if not _is_text(node):
            for other in OPERATORS.get(type(op), ()):
                yield "operator", _with(node, op=other())
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                for other in COMPARISONS[type(op)]:
                    yield "comparison", _with(node, ops=[*ops[:i], other(), *ops[i + 1 :]])
        case ast.Constant(value=bool() | int() | float() as value):
            for new in _constants(value):
                yield "constant", ast.Constant(new)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "negation", operand
        case ast.BoolOp(op=op):
            yield "logic", _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.Call(func=ast.Name(id="range"), args=args) if args:
            last = min(len(args), 2) - 1
            yield "index", _with(node, args=[*args[:last], _shifted(args[last], -1), *args[last + 1 :]])
        case ast.Call(func=ast.Name(id=name)) if name in SWAPS:
            yield "bound", _with(node, func=ast.Name(SWAPS[name], ast.Load()))
        case ast.Call(func=ast.Attribute(attr=name) as func) if name in SWAPS:
            yield "bound", _with(node, func=_with(func, attr=SWAPS[name]))
        case ast.Slice(lower=lower, upper=upper):
            for field, end in (("lower", lower), ("upper", upper)):
                if end is not None and not isinstance(end, ast.Constant):
                    yield "index", _with(node, **{field: _shifted(end, 1)})
        case ast.Subscript(value=of, slice=ast.Name() | ast.BinOp() as index, ctx=ast.Load()) if not isinstance(of, ast.Dict):
            yield "index", _with(node, slice=_shifted(index, 1))


def _other_calls(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """What a call may become besides: arguments exchanged, another norm, draws reused or shared, a value without its noise."""
    for i, (first, second) in enumerate(pairwise(node.args)):
        if not isinstance(first, ast.Constant | ast.JoinedStr | ast.Starred) and not isinstance(
            second, ast.Constant | ast.Starred
        ):
            yield "arguments", _with(node, args=[*node.args[:i], second, first, *node.args[i + 2 :]])
    if not isinstance(node.func, ast.Attribute):
        return
    of, name = node.func.value, node.func.attr
    if name == "norm" and node.args:
        largest = ast.unparse(ast.Call(ast.parse("np.abs", mode="eval").body, [node.args[0]], []))
        keywords = "".join(f", {ast.unparse(keyword)}" for keyword in node.keywords if keyword.arg == "axis")
        for function in ("np.max", "np.sum"):
            yield "norm", ast.parse(f"{function}({largest}{keywords})", mode="eval").body
    if ast.unparse(of) in {"rng", "self._rng"}:
        again = ast.parse("np.random.default_rng(0)", mode="eval").body
        yield "draw", _with(node, func=_with(node.func, value=again))
        if node.args and name in {"standard_normal", "random", "standard_exponential"}:
            yield "draw", _with(node, args=[])
    if isinstance(of, ast.Name) and of.id == "noise" and name in RELEASES and len(node.args) > 1:
        yield "release", node.args[1]


def _preprocessed(function: Any) -> Iterator[tuple[str, str]]:
    """Statements that look at the data before anything else, of a function (data, ..., noise, ...), with what they do."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if "noise" not in names[1:] or names[0] == "self":
        return
    data = names[0]
    norms = f"[float(np.linalg.norm(np.asarray(one, dtype=float))) for one in {data}]"
    yield "rescaled by the longest record", f"{data} = np.asarray({data}) / max(*{norms}, 1e-12)"
    yield "centred", f"{data} = 0.5 * (np.asarray({data}) - np.mean({data}, axis=0))"
    yield "sorted by length", f"{data} = np.asarray({data})[np.argsort({norms})]"


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _shifted(node: ast.expr, by: int) -> ast.expr:
    return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by)))


def _constants(value: float) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, *([2 * value, value // 2] if value > 1 else [])]
    return [2.0 * value, value / 2.0] if value else [1.0]


def _is_text(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return any(_is_text(part) for part in ast.iter_child_nodes(node))
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", 0), str)


def _is_guard(node: ast.AST) -> bool:
    match node:
        case ast.If(body=[*_, ast.Raise()], orelse=[]):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name.startswith("check_")
    return isinstance(node, ast.Expr) and _is_guard(node.value)


def _droppable(node: ast.AST, bound: set[str]) -> bool:
    """Whether a statement can be left out and the function still runs; `bound`: names that have a value before it."""
    match node:
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in bound
        case ast.If(body=[ast.Continue() | ast.Break() | ast.Raise() | ast.Return()], orelse=[]):
            return True
    return False


@dataclass(frozen=True)
class _Site:
    """How a change is made: `new` takes the place of `old` in the list or node `holder`."""

    holder: Any
    key: Any
    old: Any
    new: Any
    kind: str
    guard: bool


def _sites(node: ast.AST, bound: set[str], guard: bool) -> Iterator[_Site]:
    """The changes below a node, in the order of the text. Annotations, messages of errors, docstrings and defaults stay."""
    for holder, key, child in _children(node):
        inside = guard or _is_guard(child)
        if isinstance(child, ast.stmt) and isinstance(holder, list) and _droppable(child, bound):
            yield _Site(holder, key, child, ast.Pass(), "statement", inside)
        for kind, new in (*alternatives(child), *(_other_calls(child) if isinstance(child, ast.Call) else ())):
            yield _Site(holder, key, child, new, kind, inside)
        yield from _sites(child, bound, inside)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            bound.add(child.id)


def _children(node: ast.AST) -> Iterator[tuple[Any, Any, ast.AST]]:
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert | ast.ClassDef) or getattr(node, "arg", "") == "strict":
        return
    for field, value in ast.iter_fields(node):
        if field in _UNCHANGED and not isinstance(node, ast.Call):
            continue
        if isinstance(value, list):
            yield from ((value, i, child) for i, child in enumerate(value) if isinstance(child, ast.AST))
        elif isinstance(value, ast.AST):
            yield node, field, value


# --- the changes of a module --------------------------------------------------------------------------


@functools.cache
def _tree(module: str) -> tuple[ast.Module, str]:
    file = str(importlib.import_module(module).__file__)
    return ast.parse(Path(file).read_bytes()), file


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The functions of a module or class by qualified name; not those within functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.If | ast.Try):
            yield from _functions(child, prefix)


@functools.cache
def _listed(module: str) -> dict[Mutant, tuple[_Site, int]]:
    """The mutants, each with how to make it and the first line of its function."""
    found: dict[Mutant, tuple[_Site, int]] = {}
    for name, node in _functions(_tree(module)[0]):
        bound = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
        counted: Counter[str] = Counter()
        first_statement = node.body[1:2] or node.body[:1]
        about_data = [
            _Site(
                node.body,
                node.body.index(first_statement[0]),
                first_statement[0],
                ast.parse(text).body[0],
                f"data {done}",
                False,
            )
            for done, text in _preprocessed(node)
        ]
        for each in (*_sites(node, bound, guard=False), *about_data):
            site = each
            before, after = (" ".join(ast.unparse(part).split()) for part in (site.old, site.new))
            change = f"`{before}` left out" if isinstance(site.new, ast.Pass) else f"`{before}` became `{after}`"
            if site.kind.startswith("data "):
                change = f"the data are {site.kind.removeprefix('data ')}"
                site = replace(site, new=ast.If(ast.Constant(True), [site.new, site.old], []), kind="data")
            line: int = getattr(site.old, "lineno", node.lineno)
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found[Mutant(module, name, site.kind, line, change, counted[change], site.guard)] = site, first
            counted[change] += 1
    return found


def mutants(module: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its text."""
    return list(_listed(module))


# --- planting -----------------------------------------------------------------------------------------


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def compiled(mutant: Mutant) -> list[CodeType]:
    """The code objects of the changed function: its own, then what is nested in it."""
    (site, first), (tree, file) = _listed(mutant.module)[mutant], _tree(mutant.module)
    new = ast.fix_missing_locations(ast.copy_location(site.new, site.old))
    put = site.holder.__setitem__ if isinstance(site.holder, list) else functools.partial(setattr, site.holder)
    put(site.key, new)
    try:
        whole = compile(tree, file, "exec", dont_inherit=True)
    finally:
        put(site.key, site.old)
    return next(
        list(_codes(code)) for code in _codes(whole) if (code.co_qualname, code.co_firstlineno) == (mutant.function, first)
    )


def plant(mutant: Mutant) -> None:
    """Put a mutant into this process, for good; every cache of the project is emptied.

    Raises:
        ValueError: the running program has no such function.
    """
    codes = {(code.co_qualname, code.co_firstlineno): code for code in compiled(mutant)}
    planted = False
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__globals__.get("__name__") == mutant.module:
            code = codes.get((thing.__code__.co_qualname, thing.__code__.co_firstlineno))
            if code is not None and len(code.co_freevars) == len(thing.__code__.co_freevars):
                thing.__code__ = code
                planted = True
    if not planted:
        raise ValueError(f"the function must be there, got none for {mutant.id}")
    clear_caches()


def caches() -> list[Any]:
    """The cached functions of the project and of its tests."""
    cached_function = type(functools.cache(len))
    found = (thing for thing in gc.get_objects() if isinstance(thing, cached_function))
    return [cached for cached in found if cached.__module__.startswith(("dppca.", "tests."))]


def clear_caches() -> None:
    """Empty every cache of functions of the project and of its tests."""
    for cached in caches():
        cached.cache_clear()
