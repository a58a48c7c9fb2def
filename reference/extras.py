"""Which extra of `dppca` brings a package that is absent, and the command that installs it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: Modules of other packages to the extra that brings them.
EXTRAS: Mapping[str, str] = MappingProxyType(
    {
        "cloudpickle": "audit",
        "greenlet": "audit",
        "joblib": "audit",
        "jsonschema": "audit",
        "sklearn": "audit",
        "threadpoolctl": "audit",
        "array_api_compat": "suite",
        "hypothesis": "suite",
        "mpmath": "suite",
        "pytest": "suite",
        "statsmodels": "suite",
        "xdist": "suite",
        "matplotlib": "plot",
        "distributed": "cluster",
        "opendp": "opendp",
        "randomgen": "opendp",
        "diffprivlib": "diffprivlib",
        "markdown_it": "pages",
        "math_core": "pages",
        "mdit_py_plugins": "pages",
        "myst_nb": "docs",
        "sphinx": "docs",
    }
)

#: What an extra that installs others brings with it.
WITHIN: Mapping[str, tuple[str, ...]] = MappingProxyType({"suite": ("audit",), "pages": ("audit", "suite", "plot")})


def needs(module: str | None, what: str, *, least: str = "") -> str | None:
    """Return one line that states what to install for `what` where a module is absent; None where no extra brings it.

    Args:
        module: the name of what could not be imported, `ModuleNotFoundError.name`.
        what: what was asked for.
        least: an extra that is named in place of a smaller one that is part of it.
    """
    extra = EXTRAS.get((module or "").partition(".")[0])
    if extra is None:
        return None
    if extra in WITHIN.get(least, ()):
        extra = least
    return f'{what} needs the package {module}, which is not installed: pip install "dppca[{extra}]"'
