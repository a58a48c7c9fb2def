"""Shows mathematics that a claim has in plain text, such as lambda_1^2 <= e^(-C_1 p), with symbols, indices and exponents.

The text is prose in which formulas are not marked, so only what cannot be a word is changed: names of Greek letters, operators,
and what hangs on one letter. Formulas of their own are LaTeX: a claim's `formula`.
"""

from __future__ import annotations

import re

from docutils import nodes

#: Names of letters in the order of Unicode, from alpha to omega and from Alpha to Omega; the final sigma has no name.
_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho - sigma tau upsilon "
    "phi chi psi omega"
)
_SMALL = {name: chr(0x3B1 + place) for place, name in enumerate(_NAMES.split()) if name != "-"}
_CAPITAL = {name.capitalize(): letter.upper() for name, letter in _SMALL.items()}
SYMBOLS = {**_SMALL, **_CAPITAL, "sqrt": "\u221a", "infinity": "\u221e", "inf": "\u221e", "ell": "\u2113"}
_OPERATORS = {
    "<=": "\u2264",
    ">=": "\u2265",
    "!=": "\u2260",
    "->": "\u2192",
    "||": "\u2016",
    " - ": " \u2212 ",
    " ^ ": " \u2227 ",
    "*": "\u22c5",
}
_NAMED = "|".join(SYMBOLS)
#: The underscore of `lambda_`, which is Python's for lambda, is not shown.
_WORD = re.compile(rf"(?<![A-Za-z])(?:{_NAMED})(?![A-Za-z])(?:(?<=lambda)_(?!\w))?|{'|'.join(map(re.escape, _OPERATORS))}")
_GROUP = r"\{[^{}]*\}|\((?:[^()]|\([^()]*\))*\)"
#: What stands above a letter: it is written as its index, such as S_tilde, or as a sign behind it, such as S~ and S^.
ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "bar": "\u0304", "~": "\u0303", "^": "\u0302"}
_ACCENT = r"_(?:tilde|hat|bar)(?![A-Za-z])|~|\^(?![A-Za-z0-9({*+-])"
_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![A-Za-z0-9])"
#: An index hangs below one letter, the name of a symbol, a norm or a parenthesis, an exponent above anything.
_RAISED = re.compile(
    rf"(?P<base>(?<![A-Za-z])(?:[A-Za-z]|{_NAMED})'?(?![A-Za-z]))(?P<accent>{_ACCENT})"
    rf"|(?P<below>(?<![A-Za-z])(?:[A-Za-z]|{_NAMED})'?|\|\|?|\)|(?<=[~^])|(?<=_bar|_hat)|(?<=_tilde)|(?<=\^\d))_(?P<index>{_GROUP}|[A-Za-z0-9]+|[*+])"
    rf"|(?<=[\w)}}\]|'>~^+])(?:\^|\*\*)(?P<power>{_GROUP}|{_NUMBER}|-?\w+(?:{_ACCENT})?|[*+])"
)


def shown(text: str) -> list[nodes.Node]:
    """Return the nodes of a plain text."""
    result: list[nodes.Node] = []
    end = 0
    for found in _RAISED.finditer(text):
        before = _symbols(text[end : found.start()]) + _symbols(found["base"] or found["below"] or "")
        end = found.end()
        if found["accent"]:
            result.append(nodes.Text(before + ACCENTS[found["accent"].removeprefix("_")]))
            continue
        part = found["index"] or found["power"]
        inside = part[1:-1] if part[0] in "{(" else part
        raised = (nodes.subscript if found["index"] else nodes.superscript)("", "", *shown(inside))
        result += [nodes.Text(before), raised]
    return [*result, nodes.Text(_symbols(text[end:]))]


def _symbols(text: str) -> str:
    return _WORD.sub(lambda found: SYMBOLS.get(found[0].rstrip("_")) or _OPERATORS[found[0]], text)
