"""What a claim quantifies over, as data: variables with ranges, conditions, and the points at which they are at their ends.

A range is an interval of numbers, "(0, 1]"; integers, "1..d - 1" or "1.."; finitely many values, "{1/2, 1}"; or, for what is
no number, "each" and words: "each row of the unit ball". An end is a Python expression of other variables, or inf.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

Value: TypeAlias = int | Fraction | float
Point: TypeAlias = Mapping[str, Value]

#: So many corners of a domain are tried at most.
LIMIT = 200
#: What a variable ranges over where a claim does not name it.
DEFAULTS = {"epsilon": "(0, inf)", "delta": "(0, 1)"} | dict.fromkeys(("n", "d", "p", "T", "m"), "1..")

_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "log": lambda x: math.log1p(float(x - 1)) if abs(x - 1) < 0.5 else math.log(x),
    "exp": lambda x: math.exp(min(700.0, x)),
    "sqrt": math.sqrt,
    "ceil": math.ceil,
    "floor": math.floor,
    "min": min,
    "max": max,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Value]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: Fraction(a) / Fraction(b) if math.isfinite(a) and math.isfinite(b) else a / b,
    ast.Pow: lambda a, b: a**b,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}


class DomainError(ValueError):
    """A domain is not well-formed, or text, check or another claim does not agree with it."""


@functools.cache
def _parsed(expression: str) -> ast.expr:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except SyntaxError as error:
        raise DomainError(f"{expression!r} is no expression") from error


@functools.cache
def names(expression: str) -> frozenset[str]:
    """Return the variables in an expression."""
    found = {node.id for node in ast.walk(_parsed(expression)) if isinstance(node, ast.Name)}
    return frozenset(found - set(_FUNCTIONS) - {"inf"})


def evaluate(expression: str, point: Point) -> Value | bool:
    """Return the value of an expression, exact where its parts are; a comparison gives a bool."""
    return _value(_parsed(expression), point)


def _value(node: ast.expr, point: Point) -> Any:  # noqa: PLR0911 - one return a kind of node
    match node:
        case ast.Constant(value=int() | float() as number):
            return Fraction(str(number)) if isinstance(number, float) else number
        case ast.Name(id=name):
            return math.inf if name == "inf" else point[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, point)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](_value(left, point), _value(right, point))
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(argument, point) for argument in arguments))
        case ast.Compare(left=left, ops=ops, comparators=rights):
            values = [_value(side, point) for side in (left, *rights)]
            return all(_COMPARE[type(op)](a, b) for op, a, b in zip(ops, values, values[1:], strict=False))
        case ast.BoolOp(op=op, values=parts):
            return (any if isinstance(op, ast.Or) else all)(_value(part, point) for part in parts)
    raise DomainError(f"{ast.unparse(node)!r} must be made of numbers, variables, + - * / **, comparisons and {[*_FUNCTIONS]}")


@dataclass(frozen=True)
class Range:
    """What a variable ranges over.

    Attributes:
        text: the range as written.
        ends: the expressions of the two ends; empty for a set of values.
        closed: whether each end belongs to it.
        whole: whether it holds integers alone.
        values: the values of a finite set.
    """

    text: str
    ends: tuple[str, ...] = ()
    closed: tuple[bool, bool] = (True, True)
    whole: bool = False
    values: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        """Return whether the variable is a number, so that it has corners."""
        return bool(self.ends or self.values)

    @property
    def words(self) -> str:
        """Return the range in a sentence."""
        if not self.whole:
            return f"in {self.text}" if self.is_number else f"is {self.text}"
        return f">= {self.ends[0]}" if self.ends[1] == "inf" else f"in {{{self.ends[0]}, ..., {self.ends[1]}}}"

    def uses(self) -> frozenset[str]:
        """Return the variables that its ends depend on."""
        return frozenset().union(*(names(end) for end in (*self.ends, *self.values)))

    def corners(self, point: Point) -> tuple[Value, ...]:
        """Return the ends that belong to it, points next to those that do not, and some between; `point` gives the others."""
        if self.values:
            return tuple(evaluate(value, point) for value in self.values)
        low, high = (evaluate(end, point) for end in self.ends)
        return _integers(low, high) if self.whole else _reals(low, high, self.closed)


@functools.cache
def _integers(low: Value, high: Value) -> tuple[int, ...]:
    """Return the integers at and next to the ends of a range, and some further on."""
    low = math.ceil(low)
    near = [low, low + 1, low + 2, low + 9, low + 999]
    near += [] if high == math.inf else [math.floor(high) - 1, math.floor(high)]
    return tuple(sorted({x for x in near if low <= x <= high}))


@functools.cache
def _reals(low: Value, high: Value, closed: tuple[bool, bool]) -> tuple[Value, ...]:
    """Return the ends of an interval that belong to it, points 1e-9 and 1e-3 from each, and some further on."""
    if low == -math.inf:
        right = _reals(0 if high == math.inf else -high, math.inf, (closed[1], False))
        return tuple(sorted({-x for x in right} | ({0, *right} if high == math.inf else set())))
    width, tiny = min(1, high - low), (Fraction(1, 10**9), Fraction(1, 10**3), Fraction(1, 2))
    near = [low + width * x for x in tiny]
    near += [low + 1, low + 10, low + 1000] if high == math.inf else [high - width * x for x in tiny]
    near += [end for end, is_in in zip((low, high), closed, strict=True) if is_in and end != math.inf]
    near = near if low < high else [low] * all(closed)
    return tuple(sorted({x if isinstance(x, float) else Fraction(x) for x in near}))


def parse_range(text: str) -> Range:
    """Return the range that a text says; DomainError where it says none."""
    if re.match(r"each \w", text):
        return Range(text)
    if found := re.fullmatch(r"\{(.+)\}", text):
        return Range(text, values=tuple(part.strip() for part in found[1].split(",")))
    if found := re.fullmatch(r"([(\[])(.+),(.+)([)\]])", text):
        return Range(text, (found[2].strip(), found[3].strip()), (found[1] == "[", found[4] == "]"))
    if found := re.fullmatch(r"(.+?)\.\.(.*)", text):
        return Range(text, (found[1].strip(), found[2].strip() or "inf"), whole=True)
    raise DomainError(f'a range is "(0, 1]", "1..d - 1", "{{1, 2}}" or "each ...", got {text!r}')


@dataclass(frozen=True)
class ClaimDomain:
    """What a sentence quantifies over.

    Attributes:
        ranges: the variables with their ranges.
        given: conditions under which the sentence is said, as comparisons.
        cases: conditions in its text that split the domain into cases, and do not restrict it.
    """

    ranges: Mapping[str, Range]
    given: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> ClaimDomain:
        """Return the domain of an entry of claims.toml; DomainError if it is not well-formed."""
        variables = {name: parse_range(text) for name, text in entry.items() if name not in ("given", "cases")}
        domain = cls(variables, tuple(entry.get("given", ())), tuple(entry.get("cases", ())))
        for place, used in [
            *((f"{name} = {range_.text!r}", range_.uses()) for name, range_ in variables.items()),
            *((condition, names(condition)) for condition in (*domain.given, *domain.cases)),
        ]:
            if unknown := sorted(used - set(variables)):
                raise DomainError(f"{place} names {unknown}, which the domain does not have")
        for condition in (*domain.given, *domain.cases):
            if not isinstance(_parsed(condition), ast.Compare | ast.BoolOp):
                raise DomainError(f"{condition!r} must be a comparison")
        return domain

    @property
    def numbers(self) -> list[str]:
        """Return the variables that are numbers, each after those on which its range depends."""
        left = {name: range_.uses() for name, range_ in self.ranges.items() if range_.is_number}
        order: list[str] = []
        while left:
            ready = [name for name, used in left.items() if used <= set(order)]
            if not ready:
                raise DomainError(f"the ranges of {sorted(left)} depend on each other")
            order += ready
            left = {name: used for name, used in left.items() if name not in ready}
        return order

    @property
    def words(self) -> str:
        """Return the domain as a phrase, or "" if there is nothing to quantify over."""
        variables = [f"{name} {range_.words}" for name, range_ in self.ranges.items()]
        return "; ".join(part for part in (", ".join(variables), " and ".join(self.given)) if part)

    def holds(self, point: Point) -> bool:
        """Return whether a point satisfies the conditions."""
        return all(evaluate(condition, point) for condition in self.given)

    def contains(self, point: Point) -> bool:
        """Return whether the point's variables are in their ranges and satisfy the conditions."""
        for name, range_ in self.ranges.items():
            if not range_.is_number:
                continue
            value = point[name]
            if range_.values:
                inside = value in [evaluate(each, point) for each in range_.values]
            else:
                low, high = (evaluate(end, point) for end in range_.ends)
                inside = (low <= value if range_.closed[0] else low < value) and (
                    value <= high if range_.closed[1] else value < high
                )
            if not inside or (range_.whole and value != int(value)):
                return False
        return self.holds(point)

    @functools.cached_property
    def corners(self) -> tuple[Point, ...]:
        """At most LIMIT corners: every choice of ends, or a fixed draw of them, and the conditions at equality."""
        order = self.numbers
        every: Iterable[Point] = list(itertools.islice(self._products(order, {}), LIMIT + 1))
        if len(every) > LIMIT:
            source = random.Random(1)
            every = (point for _ in range(LIMIT * 8) if (point := self._drawn(order, source)) is not None)
        met: dict[tuple[Value, ...], Point] = {}
        for point in every:
            edges = [edge for edge in self._at_equality(point) if self.contains(edge)]
            met |= {tuple(each.values()): each for each in [*edges, *([point] if self.holds(point) else [])]}
            if len(met) >= LIMIT:
                break
        if not met:
            raise DomainError("no corner satisfies all conditions")
        return tuple(met.values())

    def _products(self, order: list[str], point: Point) -> Iterator[Point]:
        if not order:
            yield point
            return
        for value in self.ranges[order[0]].corners(point):
            yield from self._products(order[1:], {**point, order[0]: value})

    def _drawn(self, order: list[str], source: random.Random) -> Point | None:
        point: dict[str, Value] = {}
        for name in order:
            choices = self.ranges[name].corners(point)
            if not choices:
                return None
            point[name] = source.choice(choices)
        return point

    @functools.cached_property
    def _solved(self) -> list[tuple[str, ast.expr]]:
        """Return variables that are a side of a condition, each with the other side, in which it does not stand."""
        compared = [node for each in (*self.given, *self.cases) if isinstance(node := _parsed(each), ast.Compare)]
        sides = [(node.left, node.comparators[0]) for node in compared if len(node.ops) == 1]
        both = [pair for left, right in sides for pair in ((left, right), (right, left))]
        return [(of.id, other) for of, other in both if isinstance(of, ast.Name) and of.id not in names(ast.unparse(other))]

    def _at_equality(self, point: Point) -> Iterator[Point]:
        for name, other in self._solved:
            value = _value(other, point)
            rounded = [math.floor(value), math.ceil(value)] if self.ranges[name].whole else [value]
            yield from ({**point, name: x} for x in rounded)


def lost(mine: ClaimDomain, other: ClaimDomain) -> str:
    """Return what of another domain's ranges and conditions fails at a corner of this one, or "".

    Variables are compared by name. One that this domain lacks has its range in DEFAULTS; if it has none there, it is the
    other claim's own, and so are the conditions in which it stands unless this domain repeats them.
    """
    filled = {name: parse_range(text) for name, text in DEFAULTS.items() if name in other.ranges and name not in mine.ranges}
    whole = ClaimDomain({**mine.ranges, **filled}, mine.given)
    shared = {
        name: r for name, r in other.ranges.items() if r.is_number and name in whole.numbers and r.uses() <= {*whole.numbers}
    }
    points = whole.corners if shared or set(other.given) - set(mine.given) else ()
    for name, range_ in shared.items():
        one = ClaimDomain({name: range_})
        for point in points:
            if not one.contains(point):
                return f"{name} {range_.words}, which fails at {shown(point)}"
    for condition in other.given:
        if condition in mine.given:
            continue
        if not names(condition) <= set(whole.numbers):
            return f"{condition}, in which {sorted(names(condition) - set(whole.numbers))} is not named"
        for point in points:
            if not evaluate(condition, point):
                return f"{condition}, which fails at {shown(point)}"
    return ""


def shown(point: Point) -> str:
    """Return a point as text."""
    return ", ".join(
        f"{name} = {value if isinstance(value, int) else format(float(value), '.10g')}" for name, value in point.items()
    )


_NAME = r"(?:epsilon|delta|eta|lambda_|sigma|gamma|kappa|alpha|beta|zeta|theta|mu|[b-zB-HJ-Z])(?:_\w+)?"
_ATOM = rf"(?:{_NAME}|\d+(?:\.\d+)?(?:e-?\d+)?)(?:\^\d+)?"
_TERM = rf"\(?{_ATOM}\)?(?:(?: ?[*/+-] ?| ){_ATOM}\)?)*"
_CONDITION = re.compile(
    rf"(?i:\b(?:for|if|when|where|whose|with|at|under|given|and|or|require|every|any|all|each|some)|[,;(])\s+"
    rf"(?:every |any |all |each |some |also )?(?<![\w^])(?:{_NAME}(?: and|,) )?({_NAME})\s*(<=|>=|<|>|=)\s*"
    rf"((?>{_TERM})(?![\w(|^]|\s*[/*^+-]))?"
)
_MEMBER = re.compile(rf"(?<![\w^])({_NAME}) in ([(\[])({_TERM}), ({_TERM})([)\]])")
_EVERY = re.compile(rf"\b(?:every|any|all|each) ({_NAME})(?![\w(|^'-])")
#: What follows these words says what comes out, not for what.
_CONCLUSION = re.compile(r"exactly (?:when|if|up to).*|\bcosts?\b.*|\bso that\b.*", re.DOTALL)


def stated(text: str) -> tuple[list[str], set[str]]:
    """Return the conditions that a sentence says in symbols, as comparisons, and the variables that it quantifies over."""
    text = re.sub(r"\blambda\b", "lambda_", _CONCLUSION.sub("", text))
    found = _CONDITION.findall(text)
    conditions = [f"{x} {'==' if sign == '=' else sign} {_python(right)}" for x, sign, right in found if right]
    for x, opened, low, high, closed in _MEMBER.findall(text):
        below, above = ">=" if opened == "[" else ">", "<=" if closed == "]" else "<"
        conditions += [f"{x} {below} {_python(low)}", f"{x} {above} {_python(high)}"]
    named = {name for condition in conditions for name in names(condition)}
    return conditions, named | {x for x, _, _ in found} | set(_EVERY.findall(text))


def _python(term: str) -> str:
    spaced = re.sub(rf"({_ATOM}) (?={_ATOM})", r"\1 * ", term)
    spaced = spaced.replace("^", "**").strip()
    for cut in (spaced, spaced.rstrip(")"), spaced.lstrip("(")):
        try:
            ast.parse(cut, mode="eval")
        except SyntaxError:
            continue
        return cut
    return spaced.split()[0].strip("()")


def unsaid(text: str, domain: ClaimDomain) -> str:
    """Return what a sentence says about its quantifier that its domain does not, or ""."""
    conditions, named = stated(text)
    if unknown := sorted(named - set(domain.ranges)):
        return f"the text names {unknown}, which the domain does not have"
    if not conditions:
        return ""
    points = domain.corners
    for condition in conditions:
        if condition in domain.given or not names(condition) <= set(domain.numbers):
            continue
        truths = {bool(evaluate(condition, point)) for point in points}
        if condition in domain.cases:
            if len(truths) == 1:
                return f"the case {condition!r} does not split the domain"
        elif False in truths:
            return f"the text says {condition!r}, which the domain does not"
    return ""
