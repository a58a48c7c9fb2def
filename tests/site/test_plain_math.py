"""Mathematics in plain text is shown with symbols, indices and exponents; words and names of code are left alone."""

from __future__ import annotations

import re

import pytest

from dppca.proofs_notes.ledger.claims import LedgerClaim, load, quantifier

nodes = pytest.importorskip("docutils.nodes", reason="needs the extra docs")
from dppca.proofs_notes.site.claims import inline  # noqa: E402
from dppca.proofs_notes.site.plain_math import ACCENTS, SYMBOLS, shown  # noqa: E402

CLAIMS = {claim.id: claim for claim in load()}
#: What only a computer's notation has.
ASCII = re.compile(r"[_^*~]|<=|>=|->|\|\||\b(?:sqrt|inf|ell|lambda|epsilon|Sigma)\b")


def written(parts: list[object]) -> str:
    """Return nodes with marks for what is raised or lowered."""
    marks = {nodes.subscript: "_[", nodes.superscript: "^["}
    text = (
        part.astext() if isinstance(part, nodes.Text) else f"{marks[type(part)]}{written(part.children)}]" for part in parts
    )
    return "".join(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lambda_{k+1} <= e^(-C_1 p)", "\u03bb_[k+1] \u2264 e^[-C_[1] p]"),
        ("||V V^T||_F^2", "\u2016V V^[T]\u2016_[F]^[2]"),
        ("||S_tilde - x_hat||_2", "\u2016S\u0303 \u2212 x\u0302\u2016_[2]"),
        ("(epsilon, delta)-DP for n >= sqrt(2)", "(\u03b5, \u03b4)-DP for n \u2265 \u221a(2)"),
        ("2^(i/4), x_i'", "2^[i/4], x_[i]'"),
        ("a deltaic section_4 of mu_0, Sigma", "a deltaic section_4 of \u03bc_[0], \u03a3"),
        ("no mathematics", "no mathematics"),
        ("e^0.5 and 2^1.5 K, at 2^2.", "e^[0.5] and 2^[1.5] K, at 2^[2]."),
        ("|V_k - V^_k|_F^2 of V^^T and V^ V", "|V_[k] \u2212 V\u0302_[k]|_[F]^[2] of V\u0302^[T] and V\u0302 V"),
        ("O~(d ^ n), xi~^alpha, e^epsilon^ n", "O\u0303(d \u2227 n), \u03be\u0303^[\u03b1], e^[\u03b5\u0302] n"),
        ("|g_bar_j - x_1|, (t - 1)_+^2", "|g\u0304_[j] \u2212 x_[1]|, (t \u2212 1)_[+]^[2]"),
        ("chi^2_n, <v, w>^2", "\u03c7^[2]_[n], <v, w>^[2]"),
        ("lambda_ in (0, inf), n**2*q <= 3*ell", "\u03bb in (0, \u221e), n^[2]\u22c5q \u2264 3\u22c5\u2113"),
        ("a well known bar_chart, inferior", "a well known bar_chart, inferior"),
    ],
)
def test_symbols_indices_and_exponents(text: str, expected: str) -> None:
    assert written(shown(text)) == expected


def plain(parts: list[object]) -> str:
    """Return what is read of nodes, without what is marked as code or as LaTeX."""
    read = {nodes.Text: lambda part: part.astext(), nodes.literal: lambda _: "", nodes.math: lambda _: ""}
    return "".join(read.get(type(part), lambda raised: f" {plain(raised.children)} ")(part) for part in parts)


def words(text: str) -> list[str]:
    """Return the words of a text, in order, without those that stand for a symbol."""
    return [word for word in re.findall(r"(?<![A-Za-z])[a-z]{4,}(?![A-Za-z])", text) if word not in SYMBOLS | ACCENTS]


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_no_notation_of_a_computer_is_left_in_a_claim_and_no_word_is_lost(claim: LedgerClaim) -> None:
    said = quantifier(claim)
    for text in (claim.statement, claim.correction, said.get("For", ""), said.get("Correction for", "")):
        seen = plain(inline(text))
        assert not ASCII.search(seen), seen
        assert words(seen) == words(re.sub(r"`[^`]+`|\$[^$]+\$", "", text))
