"""Which code runs: what a stored batch and a batch from a worker must have in common with this process."""

from __future__ import annotations

import ast
import functools
import hashlib
import platform
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

#: Packages told by their source, and by their version.
_OWN, _VERSIONED = ("dppca.reference", "dppca.audit"), ("numpy", "scipy")
_SUFFIXES = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)
_STARTED = time.time()


class VersionError(RuntimeError):
    """Says that several versions of the code would take part in one audit, or that it is unknown which one does."""


@functools.cache
def environment() -> dict[str, str]:
    """Return what every result depends on: the version of this program and of what it computes with."""
    for package in _OWN:  # a worker that has just begun has not imported them all
        import_module(package)
    return {
        **{f"source of {package}": _source_digest(package) for package in _OWN},
        "python": platform.python_version(),
        **{package: version(package) for package in _VERSIONED},
        "machine": platform.machine(),
    }


def defining_modules(callables: Iterable[Any]) -> set[str]:
    """Return the names of the modules that define callables and the callables that they hold."""
    return {name for function in callables for name in _modules(function, set())}


def is_installed(module: str) -> bool:
    """Return whether a module is this program's, Python's or of what it computes with, whose state is not asked."""
    return module.partition(".")[0] in {"", "dppca", *_VERSIONED, *sys.stdlib_module_names} - {"__main__"}


def is_distributed(module: str) -> bool:
    """Return whether a top-level module stands where distributions are installed, or is not there."""
    return module not in sys.modules or _is_in_site(module)


def _is_in_site(module: str) -> bool:
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def processor() -> str:
    """Return what decides about the last bits beside the program: the kernels chosen by BLAS, and what the CPU offers numpy."""
    from threadpoolctl import threadpool_info  # noqa: PLC0415 - the plugin is loaded without the extra too

    own = (library for library in threadpool_info() if any(name in library["filepath"] for name in _VERSIONED))
    blas = sorted({str(library["architecture"]) for library in own if "architecture" in library})
    features = getattr(sys.modules.get("numpy._core._multiarray_umath"), "__cpu_features__", {})
    return " ".join([platform.machine(), *blas, *(name for name, there in features.items() if there)])


def sources(callables: Iterable[Any]) -> dict[str, str]:
    """Return digests of the packages and modules that define callables and what they hold, but for the environment's.

    So of what these import that is loaded, and what that imports; of installed distributions among that, the versions.
    """
    defining = {name.partition(".")[0] for name in defining_modules(callables) if not is_installed(name)}
    waiting, found = set(defining), dict[str, str]()
    while waiting:
        name = waiting.pop()
        distribution = None if name in defining else _distribution(name)
        found[name] = f"{distribution} {version(distribution)}" if distribution else _source_digest(name)
        if _distribution(name) is None:
            own = {other for other in imported_names(name) if other in sys.modules and not is_installed(other)}
            waiting |= own - found.keys()
    return dict(sorted(found.items()))


def check_worker(expected: Mapping[str, str], packages: Mapping[str, str]) -> None:
    """Raise VersionError where this process, a worker, has another environment or has loaded other sources than expected."""
    imported = {name: package for name, package in packages.items() if name != "__main__" and name in sys.modules}
    here = {**environment(), **({"processor": processor()} if "processor" in expected else {})}
    differ = differences(
        {**expected, **imported}, {**here, **{name: _loaded(name, package) for name, package in imported.items()}}
    )
    if differ:
        raise VersionError(f"a worker runs another version ({differ}): bring it to the same version and start again")


def differences(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """Return in words what differs; empty if nothing does."""
    differ = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return "; ".join(f"{name}: {there.get(name)} there, {here.get(name)} here" for name in differ)


@functools.cache
def _loaded(package: str, expected: str) -> str:
    """Return what a package was when this process first asked, which is what it has loaded; told as what is expected is."""
    distribution = expected.partition(" ")[0] if " " in expected else None
    return f"{distribution} {version(distribution)}" if distribution else _source_digest(package)


def _modules(function: Any, seen: set[int]) -> Iterator[str]:
    """Yield the names of the modules that define a callable and the callables that it holds."""
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
    """Return a digest of a package's or single module's files; of nothing where there are none, as for what is typed in."""
    content = hashlib.sha256()
    for root, file in _files(package):
        if file.stat().st_mtime > _STARTED:
            problem = "was changed after this process began, so which of its versions runs is unknown: start again"
            raise VersionError(f"{file} {problem}")
        content.update(f"{file.relative_to(root).as_posix()}\0{file.stat().st_size}\0".encode())
        content.update(file.read_bytes())
    return content.hexdigest()[:32]


def _files(package: str) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a package or single module, each with the folder or file that it was found by."""
    module = sys.modules.get(package)
    roots = list(getattr(module, "__path__", ())) or [getattr(module, "__file__", None)]
    for root in (Path(root) for root in roots if root):
        for file in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if file.name.endswith(_SUFFIXES) and file.is_file():
                yield root, file


@functools.cache  # a file that is changed meanwhile is an error elsewhere
def imported_names(package: str) -> set[str]:
    """Return the top-level names that a package's files import, as their text says."""
    names: set[str] = set()
    for _, file in _files(package):
        if file.suffix not in SOURCE_SUFFIXES:
            continue
        with suppress(SyntaxError, ValueError):  # a file of the package that is not loaded, perhaps of another Python
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, ast.Import):
                    names.update(alias.name.partition(".")[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names.add(node.module.partition(".")[0])
    return names


def _distribution(module: str) -> str | None:
    """Return the installed distribution whose files a top-level module is among; None for one that is found by its path."""
    if not _is_in_site(module):
        return None
    return next(iter(_distributions().get(module, ())), None)


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()
