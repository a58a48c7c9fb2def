"""The navigation of a page that is in no table of contents: it is the same for all such pages of one directory."""

from __future__ import annotations

import functools
import posixpath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

#: Directory of the page and arguments of the navigation, to its HTML.
_Cache = dict[tuple[str, tuple[tuple[str, Any], ...]], str]


def _reuse(cache: _Cache, app: Sphinx, page: str, _template: str, context: dict[str, Any], _document: nodes.document) -> None:
    """Replace the function that makes a page's navigation by one that makes it once for each directory."""
    if any(page in listed for listed in app.env.toctree_includes.values()) or page == app.config.root_doc:
        return
    make = context["toctree"]

    def navigation(**arguments: Any) -> str:
        key = (posixpath.dirname(page), tuple(sorted(arguments.items())))
        if key not in cache:
            cache[key] = make(**arguments)
        return cache[key]

    context["toctree"] = navigation


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what runs before the theme asks for the navigation."""
    app.connect("html-page-context", functools.partial(_reuse, {}), priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
