"""Sphinx's configuration. The sources are written by `dppca.proofs_notes.site.pages`."""

from pathlib import Path

from dppca.reference import __version__

project = "dp-pca-reference"
author = "The dp-pca-reference maintainers"
version = release = __version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.linkcode",
    "sphinx.ext.napoleon",
    "dppca.proofs_notes.site.claims",
    "dppca.proofs_notes.site.docstrings",
    "dppca.proofs_notes.site.mathml",
    "dppca.proofs_notes.site.navigation",
    "dppca.proofs_notes.site.source_pages",
]
default_role = "code"
smartquotes = False
toc_object_entries = False

myst_enable_extensions = ["dollarmath"]
nb_execution_mode = "off"  # `make notebooks` keeps what the cells show
nb_render_markdown_format = "myst"
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}  # by its name, not by the ten types that it stands for
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "dppca"
html_theme_options = {"navigation_with_keys": True}
html_static_path = [str(Path(__file__).parent / name) for name in ("style.css", "filter.js", "calculator.js")]
html_css_files = ["style.css"]
html_js_files = ["filter.js", "calculator.js"]
html_show_sourcelink = False
html_math_renderer = "mathml"
html_copy_source = False
html_show_copyright = False


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Return where a documented object stands on the source pages; pages that document one lie one directory deep."""
    from dppca.proofs_notes.site.source_pages import locate  # noqa: PLC0415 - Sphinx pickles this module's names

    return f"../{locate(info['module'], info['fullname']).url}" if domain == "py" else None
