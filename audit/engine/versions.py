"""Which code runs: what a stored batch and a batch from a worker must have in common with this process."""

from __future__ import annotations

import functools
import hashlib
import platform
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from importlib.metadata import version
from pathlib import Path
from typing import Any

#: Packages told by their source, and by their version.
_OWN, _VERSIONED = ("dppca.reference", "dppca.audit"), ("numpy", "scipy")
_SUFFIXES = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)
_STARTED = time.time()


class VersionError(RuntimeError):
    """Several versions of the code would take part in one audit, or it is unknown which one does."""


@functools.cache
def environment() -> dict[str, str]:
    """What every result depends on: the version of this program and of what it computes with."""
    for package in _OWN:  # a worker that has just begun has not imported them all
        import_module(package)
    return {
        **{f"source of {package}": _source_digest(package) for package in _OWN},
        "python": platform.python_version(),
        **{package: version(package) for package in _VERSIONED},
        "machine": platform.machine(),
    }


def defining_modules(callables: Iterable[Any]) -> set[str]:
    """Names of the modules that define callables and the callables that they hold."""
    return {name for function in callables for name in _modules(function, set())}


def is_installed(module: str) -> bool:
    """Whether a module belongs to this program, to Python or to what this program computes with, whose state is not asked."""
    return module.partition(".")[0] in {"", "dppca", *_VERSIONED, *sys.stdlib_module_names} - {"__main__"}


def sources(callables: Iterable[Any]) -> dict[str, str]:
    """Digests of the packages, other than those of the environment, that define callables and what they hold."""
    names = {name.partition(".")[0] for name in defining_modules(callables) if not is_installed(name)}
    return {name: _source_digest(name) for name in sorted(names)}


def check_worker(expected: Mapping[str, str], packages: Mapping[str, str]) -> None:
    """VersionError where this process, a worker, has another environment or has loaded other sources than expected."""
    imported = {name: package for name, package in packages.items() if name != "__main__" and name in sys.modules}
    differ = differences({**expected, **imported}, {**environment(), **{name: _loaded(name) for name in imported}})
    if differ:
        raise VersionError(f"a worker runs another version ({differ}): bring it to the same version and start again")


def differences(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """In words, what differs; empty if nothing does."""
    differ = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return "; ".join(f"{name}: {there.get(name)} there, {here.get(name)} here" for name in differ)


@functools.cache
def _loaded(package: str) -> str:
    """What a package was when this process first asked, which is what it has loaded."""
    return _source_digest(package)


def _modules(function: Any, seen: set[int]) -> Iterator[str]:
    """Names of the modules that define a callable and the callables that it holds."""
    if id(function) in seen or isinstance(function, type(sys)):
        return
    seen.add(id(function))
    yield str(getattr(function, "__module__", None) or "")
    held = [getattr(function, name, None) for name in ("func", "__self__", "__wrapped__")]
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # not yet filled
            held.append(cell.cell_contents)
    held += getattr(function, "__dict__", {}).values()
    for other in held:
        if callable(other) or hasattr(other, "sample"):
            yield from _modules(other, seen)


def _source_digest(package: str) -> str:
    """A digest of a package's or single module's files; of nothing where there are none, as for what is typed in."""
    module = sys.modules.get(package)
    roots = list(getattr(module, "__path__", ())) or [getattr(module, "__file__", None)]
    content = hashlib.sha256()
    for root in (Path(root) for root in roots if root):
        files = sorted(root.rglob("*")) if root.is_dir() else [root]
        for file in files:
            if not file.name.endswith(_SUFFIXES) or not file.is_file():
                continue
            if file.stat().st_mtime > _STARTED:
                problem = "was changed after this process began, so which of its versions runs is unknown: start again"
                raise VersionError(f"{file} {problem}")
            content.update(f"{file.relative_to(root).as_posix()}\0{file.stat().st_size}\0".encode())
            content.update(file.read_bytes())
    return content.hexdigest()[:32]
