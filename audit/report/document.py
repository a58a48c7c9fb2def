"""The JSON document of a run: the one thing that the page is rendered from. `schema.json` beside this file describes it."""

from __future__ import annotations

import json
import math
import os
import platform
import re
import shlex
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from dppca.reference.command_line import GIVEN
from dppca.reference.rigour.validation import distinct_fields, printable, shown

FORMAT, VERSION = "dp-pca-reference audit", 1
#: Formats of reports with their versions: of a run of the suite, and of results one by one (`dppca.audit.report.card`).
SUITE: Mapping[str, int] = MappingProxyType({FORMAT: VERSION})
RESULTS: Mapping[str, int] = MappingProxyType({"dppca results": 1})
SCHEMA = Path(__file__).with_name("schema.json")
#: The schema of each format.
SCHEMAS: Mapping[str, Path] = MappingProxyType({FORMAT: SCHEMA, "dppca results": SCHEMA.with_name("result.schema.json")})
#: Characters of a document: a run of the whole suite has two million.
MOST = 1 << 26
_PACKAGES = ("dppca", "numpy", "scipy", "statsmodels", "python-flint", "greenlet", "pytest")
#: The directories of an absolute path.
_DIRECTORIES = re.compile(r"(?<![\w.])/(?:[\w.+-]+/)+")


def plain(value: Any) -> Any:
    """Return the value in JSON's terms: tuples as lists, "inf" for infinity, None for what is no number."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "inf" if value == math.inf else None
    return value


def number(value: float | str) -> float:
    """Return the number that `plain` wrote."""
    return float(value)


def portable(text: str, root: Path) -> str:
    """Return the text without directories of this machine: below the root relative, others left out."""
    return _DIRECTORIES.sub(".../", text.replace(f"{root}{os.sep}", ""))


def command(arguments: Sequence[str], seed: int, budget: str, root: Path) -> str:
    """Return the command that repeats a run with these arguments of pytest: seed and budget spelled out, no report's place."""
    given = shlex.split(os.environ.get(GIVEN, ""))  # what was typed, where `dppca` has started pytest
    start, *words = ["dppca", *given[1:]] if given else ["python -m pytest", *arguments]
    words = [portable(argument, root) for argument in _without("--report", words)]
    for option, value in (("--seed", str(seed)), ("--budget", budget)):
        if not any(word == option or word.startswith(f"{option}=") for word in words):
            words += [option, value]
    return f"{start} {shlex.join(words)}"


def _without(option: str, arguments: Sequence[str]) -> list[str]:
    """Return the arguments without an option and its value, which may be left out."""
    kept: list[str] = []
    after = False
    for argument in arguments:
        if not (after and not argument.startswith("-")) and argument.partition("=")[0] != option:
            kept.append(argument)
        after = argument == option
    return kept


def about_the_run() -> dict[str, Any]:
    """Return when and on what a run took place: the time (or SOURCE_DATE_EPOCH), versions, no names of machines."""
    moment = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), UTC)
    return {
        "date": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "versions": {name: _version(name) for name in _PACKAGES},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # this project itself may be run from its sources
        return "not installed"


def write(document: Mapping[str, Any], path: Path) -> None:
    """Write the document; its numbers must be finite."""
    replace(path, json.dumps(document, indent=1, allow_nan=False) + "\n")


def replace(path: Path, text: str) -> None:
    """Write a file, or leave what is there as it is: never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory")
    descriptor, name = tempfile.mkstemp(dir=path.parent)  # a name that nobody can have made a link of
    beside = Path(name)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        beside.chmod(0o666 & ~_mask())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _mask() -> int:
    """Return which rights new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def text_of(path: Path, most: int) -> str:
    """Return so many characters of a file; ValueError where it is none, such as a device, which may have no end."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{str(path)!r} is no file")
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(most)
    except UnicodeError as error:
        raise ValueError(f"{path.name} is no text: {error}") from error


def read(path: Path, formats: Mapping[str, int] = SUITE) -> dict[str, Any]:
    """Read a document of one of these formats; ValueError where it is not as the schema of its format says."""
    document = of_format(path, formats)
    from jsonschema import Draft202012Validator, exceptions  # noqa: PLC0415 - what only a document that is read needs

    schema = SCHEMAS[document["format"]]
    wrong = exceptions.best_match(Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).iter_errors(document))
    if wrong is not None:
        place = wrong.json_path.removeprefix("$").removeprefix(".") or "the document"
        raise ValueError(f"the document must be as {schema.name} says, got {place}: {printable(wrong.message)}")
    return document


def of_format(path: Path, formats: Mapping[str, int]) -> dict[str, Any]:
    """Read what says that it has one of these formats, in this version, and may hold anything; ValueError for all else."""
    text = text_of(path, MOST + 1)
    if len(text) > MOST:
        raise ValueError(f"{path.name} must have at most {MOST:,} characters, or be split")
    try:
        document = json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=distinct_fields)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path.name} is no JSON document: {error}") from error
    found = document.get("format") if isinstance(document, dict) else None
    version = formats.get(found) if isinstance(found, str) else None
    if version is None:
        raise ValueError(f"format must be {' or '.join(map(repr, formats))}: {path.name} is no report of an audit")
    if document.get("version") != version:
        raise ValueError(f"version must be {version}, got {shown(document.get('version'))}")
    return dict(document)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no finite number")
