"""Every algorithm of the project, collected from the declarations in the algorithms' own files.

`ALGORITHMS` maps a key such as "wang2020.local_gaussian_mechanism" to its `Declaration`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import dppca.reference
from dppca.reference.declaration import Declaration

__all__ = ["ALGORITHMS", "PAPERS", "Declaration"]

#: Packages below `dppca.reference` that hold algorithms.
PAPERS = ("liu2022", "wang2020", "singhal2021", "shang2021", "baselines")


def _declared() -> Iterator[Declaration]:
    """Yield the declarations, paper by paper, module by module, in the order in which they stand there."""
    for paper in PAPERS:
        package = importlib.import_module(f"{dppca.reference.__name__}.{paper}")
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for value in vars(module).values():
                declaration = getattr(value, "declaration", None)
                if isinstance(declaration, Declaration) and declaration.function.__module__ == module.__name__:
                    yield declaration


def _collected() -> Mapping[str, Declaration]:
    """Return the declarations by key; ValueError if two have one key."""
    found: dict[str, Declaration] = {}
    for declaration in _declared():
        if declaration.key in found:
            raise ValueError(f"key {declaration.key!r} is declared twice")
        found[declaration.key] = declaration
    return MappingProxyType(found)


ALGORITHMS: Mapping[str, Declaration] = _collected()
