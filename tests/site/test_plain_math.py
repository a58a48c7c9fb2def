"""Mathematics in plain text is shown with symbols, indices and exponents; words and names of code are left alone."""

from __future__ import annotations

import pytest

nodes = pytest.importorskip("docutils.nodes", reason="needs the extra docs")
from dppca.proofs_notes.site.plain_math import shown  # noqa: E402


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
    ],
)
def test_symbols_indices_and_exponents(text: str, expected: str) -> None:
    assert written(shown(text)) == expected
