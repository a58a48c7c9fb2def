"""Shows mathematics that a claim has in plain text, such as lambda_1^2 <= e^(-C_1 p), with symbols, indices and exponents."""

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
SYMBOLS = {**_SMALL, **_CAPITAL, "sqrt": "\u221a", "infinity": "\u221e"}
_OPERATORS = {"<=": "\u2264", ">=": "\u2265", "!=": "\u2260", "->": "\u2192", "||": "\u2016", " - ": " \u2212 "}
_WORD = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(SYMBOLS)})(?![A-Za-z])|{'|'.join(map(re.escape, _OPERATORS))}")
_GROUP = r"\{[^{}]*\}|\((?:[^()]|\([^()]*\))*\)"
#: What stands above a letter and is written as its index, such as S_tilde.
ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "bar": "\u0304"}
#: An index hangs below one letter, the name of a symbol or a norm, an exponent above anything.
_RAISED = re.compile(
    rf"(?:(?P<base>(?<![A-Za-z])(?:[A-Za-z]|{'|'.join(SYMBOLS)})'?|\|\|)_(?P<index>{_GROUP}|\w+))|(?<=[\w)}}\]|'])\^(?P<power>{_GROUP}|-?\w+|\*)"
)


def shown(text: str) -> list[nodes.Node]:
    """Return the nodes of a plain text."""
    result: list[nodes.Node] = []
    end = 0
    for found in _RAISED.finditer(text):
        part = found["index"] or found["power"]
        before = _symbols(text[end : found.start()] + (found["base"] or ""))
        end = found.end()
        if part in ACCENTS and found["index"]:
            result.append(nodes.Text(before + ACCENTS[part]))
            continue
        inside = part[1:-1] if part[0] in "{(" else part
        raised = (nodes.subscript if found["index"] else nodes.superscript)("", "", *shown(inside))
        result += [nodes.Text(before), raised]
    return [*result, nodes.Text(_symbols(text[end:]))]


def _symbols(text: str) -> str:
    return _WORD.sub(lambda found: SYMBOLS.get(found[0]) or _OPERATORS[found[0]], text)
