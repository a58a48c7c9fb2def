"""`dppca list`, `dppca describe` and `dppca new`: what algorithms there are, what one takes and draws, a stub to begin from."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any

from dppca.proofs_notes.ledger.claims import load
from dppca.reference.catalog import ALGORITHMS, Declaration
from dppca.reference.citations import BIBTEX
from dppca.reference.command_line import DONE, Parser, check_keys, new_file
from dppca.reference.conformance import cases_of
from dppca.reference.declaration import argument_meaning
from dppca.reference.readings import Readings
from dppca.reference.usage import UsageError

WIDTH = 110
_FIELD = re.compile(r"^\s*(author|year)\s*=\s*\{(.*?)\},$", re.MULTILINE | re.DOTALL)


def authors(paper: str) -> str:
    """Return the surnames and the year of a paper, such as "Wang & Xu 2020"; the key itself where it is not known."""
    found = dict(_FIELD.findall(BIBTEX.get(paper, "")))
    if not {"author", "year"} <= found.keys():
        return paper
    names = [person.split(",")[0].strip(" {}") for person in " ".join(found["author"].split()).split(" and ")]
    shown = f"{names[0]} et al." if len(names) > 3 else ", ".join([*names[:-2], " & ".join(names[-2:])])
    return f"{shown} {found['year']}"


def list_algorithms(arguments: list[str] | None = None) -> int:
    """Print a line for each algorithm of the catalogue; return 0."""
    Parser(prog="dppca list", description="List the algorithms: key, title, where it is from.").parse_args(arguments)
    rows = [(key, of.title, f"{authors(of.paper)}, {of.number}") for key, of in ALGORITHMS.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        sys.stdout.write("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n")
    sys.stdout.write(f"{len(rows)} algorithms; `dppca describe KEY` says what one takes, draws and returns\n")
    return DONE


def describe(arguments: list[str] | None = None) -> int:
    """Print what is known of one algorithm; 2 where there is none of this key."""
    parser = Parser(prog="dppca describe", description="Say what an algorithm takes, draws and returns, and what is claimed.")
    parser.add_argument("key", metavar="KEY", help="key of an algorithm, such as liu2022.dp_pca; `dppca list` has all")
    key = parser.parse_args(arguments).key
    check_keys(parser, [key], ALGORITHMS)
    sys.stdout.write(description(ALGORITHMS[key]))
    return DONE


def description(algorithm: Declaration) -> str:
    """Return what is known of an algorithm, as text."""
    verdicts = {claim.id: claim.verdict for claim in load()}
    where = f"{algorithm.number} of {authors(algorithm.paper)}"
    parts = {
        "listing, as published, and how it is read": _listing(algorithm),
        "takes": _columns(_arguments(algorithm)),
        "calibration": _calibration(algorithm),
        "calls": _columns([(of.__name__, _first(of)) for of in algorithm.subroutines()]),
        "refuses": [f"data that hold {algorithm.data.refuses}; arguments outside their ranges"],
        "neighbours": [algorithm.relation.value],
        "returns": [algorithm.returns.of(algorithm.function), f"two results are compared by {_RULES[algorithm.returns.rule]}"],
        "readings": _readings(algorithm),
        "draws, in order (names that differ in a number alone are listed once)": list(algorithm.draws()),
        "claims (`dppca claim ID` prints one)": _columns([(of, verdicts.get(of, "")) for of in algorithm.claims]),
        "example": example(algorithm).splitlines(),
        "check your own": [
            f"dppca new mine.py --for {algorithm.key}",
            f"dppca check-vectors --implementation mine:implementation {algorithm.key}",
            "dppca audit --implementation mine:implementation --epsilon 1 --delta 0.05",
        ],
    }
    lines = [f"{algorithm.key}: {algorithm.title}", where, *textwrap.wrap(_first(algorithm.function), WIDTH)]
    for title, content in parts.items():
        if not content:
            continue
        lines += ["", title, *(f"  {line}" for line in content)]
    return "\n".join([*lines, ""])


_RULES = {"entries": "their entries", "projector": "the subspaces that they span"}


def _first(function: Callable[..., Any]) -> str:
    """Return the first paragraph of a docstring as one line."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def _listing(algorithm: Declaration) -> list[str]:
    """Return what the algorithm's file says first: the published lines, what is claimed, and the symbols."""
    text = inspect.getdoc(sys.modules[algorithm.function.__module__]) or ""
    return text.partition("\n")[2].strip().splitlines()


def _arguments(algorithm: Declaration) -> list[tuple[str, str]]:
    """Return the data and the arguments of `bind`, each with its meaning; no argument that the declaration fills in."""
    given: dict[str, inspect.Parameter] = {}
    for function in filter(None, (algorithm.calibrate, algorithm.function)):
        given |= inspect.signature(function).parameters
    rows = [(algorithm.data_name, f"{algorithm.data.accepts}: {' by '.join(algorithm.data.sizes)}")]
    for name in given:
        if name in {algorithm.data_name, "calibration", "noise", "prefix", "choices"}:
            continue
        default = given[name].default
        ends = "" if default is inspect.Parameter.empty else f" (default: {_shown(default)})"
        rows.append((name, argument_meaning(name, algorithm, "see the calibration") + ends))
    return [*rows, ("choices", f"a reading: {', '.join(algorithm.choices)}")]


def _calibration(algorithm: Declaration) -> list[str]:
    """Return what the calibration says of itself."""
    text = (inspect.getdoc(algorithm.calibrate) or "").partition("\nArgs:")[0] if algorithm.calibrate else ""
    return [line for part in text.strip().split("\n\n") for line in textwrap.wrap(" ".join(part.split()), WIDTH - 2)]


def _readings(algorithm: Declaration) -> list[str]:
    """Return a table of the points on which the paper is silent, ambiguous or wrong, with their value in each reading.

    Before it what the points decide, after their values the claims that give the reason.
    """
    readings = {name: reading for name, reading in algorithm.choices.items() if isinstance(reading, Readings)}
    points = {name: {point: value for point, value, _ in _points(reading)} for name, reading in readings.items()}
    names = list(dict.fromkeys(point for of in points.values() for point in of))
    if not names:
        return [f"{', '.join(algorithm.choices)}: the paper leaves nothing to decide"]
    first = next(iter(readings.values()))
    said = [line for part in (inspect.getdoc(type(first)) or "").split("\n\n") for line in textwrap.wrap(part, WIDTH - 2)]
    why = {point: claims for point, _, claims in _points(first)}
    rows = [("", *points, "reason: `dppca claim ID`")]
    rows += [(name, *(of.get(name, "") for of in points.values()), ", ".join(why.get(name, ()))) for name in names]
    return [*said, "", *_columns(rows)]


def _points(reading: Readings, prefix: str = "") -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each point by its name, its value, and the claims that give the reason."""
    for each in fields(reading):  # type: ignore[arg-type]
        value = getattr(reading, each.name)
        if isinstance(value, Readings):
            yield from _points(value, f"{prefix}{each.name}.")
        else:
            yield f"{prefix}{each.name}", _shown(value), reading.claims(each.name)


def _shown(value: Any) -> str:
    if isinstance(value, Enum):
        return value.name
    return getattr(value, "__name__", None) or repr(value)


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Return rows with their columns aligned; the last one is wrapped."""
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    lines = []
    for row in rows:
        head = "".join(cell.ljust(width + 2) for cell, width in zip(row, widths, strict=False))
        lines += textwrap.wrap(row[-1], WIDTH, initial_indent=head, subsequent_indent=" " * len(head)) or [head.rstrip()]
    return lines


def example(algorithm: Declaration) -> str:
    """Return a program that runs an algorithm on its example."""
    simple = (int, float, str, tuple)
    arguments = "".join(
        f"    {name}={value!r},\n" if isinstance(value, simple) else f'    {name}=entry.example.arguments["{name}"],\n'
        for name, value in algorithm.example.arguments.items()
    )
    return (
        "import numpy as np\n"
        "from dppca.reference.catalog import ALGORITHMS\n"
        "from dppca.reference.noise import record\n"
        f'entry = ALGORITHMS["{algorithm.key}"]\n'
        f'algorithm = entry.bind(\n{arguments}    choices=entry.choices["{_reading(algorithm)}"],\n)\n'
        "output, tape = record(algorithm, entry.example.data, np.random.default_rng(0))\n"
    )


def _reading(algorithm: Declaration) -> str:
    return "CORRECTED" if "CORRECTED" in algorithm.choices else next(iter(algorithm.choices))


# --- a stub -------------------------------------------------------------------------------------------

_STUB = '''\
"""An implementation of @key@: @title@ (@where@).

    dppca describe @key@                                             what it takes, draws and returns
    dppca check-vectors --implementation @module@:implementation @key@       compares known answers
    dppca audit --implementation @module@:implementation --epsilon 1 --delta 0.05
    dppca guide dp-pca                                              an example: a whole DP-PCA
"""


class Implementation:
    """Answers the known answers by `run`; its `algorithms` are audited."""

    def supports(self, algorithm, choice):
        return (algorithm, choice) == ("@key@", "@choice@")

    def run(self, *, algorithm, choice, parameters, calibration, inputs, draws):
        """Return {"output": ...} for these draws, instead of drawing any.

        parameters: @parameters@
        calibration: @calibration@
        inputs: @inputs@
        draws, in this order, each {"name", "law", "role", "draw"}; numbers in a name grow:
@draws@
        Some cases have an argument outside its range, and then no calibration and no draws: raise ValueError with a text that
        begins with the argument's name.
        """
        raise NotImplementedError("@module@.py: write Implementation.run: compute the output from inputs and draws")


def @name@(data, rng, *, @arguments@):
    """Return @returns@, with all noise drawn from rng, a numpy Generator."""
    raise NotImplementedError("@module@.py: write @name@: run the algorithm on data, and draw its noise from rng")


implementation = Implementation()
implementation.algorithms = {"@key@": @name@}
'''


def stub(algorithm: Declaration, module: str) -> str:
    """Return the text of a module that implements one algorithm and has yet to be written."""
    choice = _reading(algorithm)
    case = next(of for of in cases_of(algorithm.key) if of["choice"] == choice and "draws" in of)

    def keys(of: Mapping[str, Any] | None) -> str:
        return ", ".join(of or {}) or "none"

    words = {
        "key": algorithm.key,
        "title": algorithm.title,
        "where": f"{authors(algorithm.paper)}, {algorithm.number}",
        "module": module,
        "choice": choice,
        "name": algorithm.key.partition(".")[2],
        "parameters": keys(case["parameters"]),
        "calibration": keys(case["calibration"]),
        "inputs": f"{algorithm.data_name}, {algorithm.data.accepts}: {' by '.join(algorithm.data.sizes)}",
        "draws": "\n".join(f"          {line}" for line in algorithm.draws()) or "          none",
        "arguments": ", ".join(algorithm.example.arguments),
        "returns": algorithm.returns.of(algorithm.function),
    }
    return re.sub(r"@(\w+)@", lambda found: words[found[1]], _STUB)


def new(arguments: list[str] | None = None) -> int:
    """Write a stub; return 0, or 2 where something is at the path or the key is of no algorithm."""
    parser = Parser(prog="dppca new", description="Write a stub of your own implementation, which says what is to be written.")
    parser.add_argument("file", metavar="FILE", help="a Python file that does not exist yet, such as mine.py")
    parser.add_argument("--for", dest="key", required=True, metavar="KEY", help="key of an algorithm; `dppca list` has all")
    options = parser.parse_args(arguments)
    check_keys(parser, [options.key], ALGORITHMS)
    path = Path(options.file)
    if path.suffix != ".py" or not path.stem.isidentifier():
        parser.error(f"FILE must be the name of a Python module, such as mine.py, got {options.file!r}")
    try:
        text = stub(ALGORITHMS[options.key], path.stem)
        new_file("FILE", path).write_text(text, encoding="utf-8")
    except UsageError as error:
        parser.error(str(error))
    sys.stdout.write(
        f"Written: {path}. Next, from its folder:\n"
        f"  dppca describe {options.key}\n"
        f"  dppca check-vectors --implementation {path.stem}:implementation {options.key}\n"
        f"  dppca audit --implementation {path.stem}:implementation --epsilon 1 --delta 0.05\n"
        "`dppca guide new-implementation` and `dppca guide dp-pca` have whole examples.\n"
    )
    return DONE
