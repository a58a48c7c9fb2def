"""Formulas become MathML when the site is built: browsers need no script for it."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_LOG = logging.getLogger(__name__)


def _mathml(node: nodes.Element, display: str) -> str:
    """The converter passes commands on that it does not know; here they are warnings."""
    formula = convert(node.astext(), display=display)
    if "\\" in formula:
        _LOG.warning("not understood in the formula %s: %s", node.astext(), formula, location=node)
    return formula


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(_mathml(node, "inline"))
    raise nodes.SkipNode


def _block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(f'<div class="formula">{_mathml(node, "block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
