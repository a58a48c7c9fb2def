"""Formulas become MathML when the site is built: browsers need no script for it."""

from __future__ import annotations

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_LOG = logging.getLogger(__name__)
_CONVERTER = LatexToMathML(fancy_error=False)


def _mathml(node: nodes.Element, *, display: bool) -> str:
    """Return MathML for a formula; a command that the converter does not know is a warning, which ends the build."""
    try:
        return str(_CONVERTER.convert_with_local_state(node.astext(), displaystyle=display))
    except LatexError as error:
        _LOG.warning("not understood in the formula %s: %s", node.astext(), error, location=node)
        return ""


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(_mathml(node, display=False))
    raise nodes.SkipNode


def _block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(f'<div class="formula">{_mathml(node, display=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
