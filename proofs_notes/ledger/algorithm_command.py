"""`dppca list`, `dppca describe KEY`, `dppca new FILE --for KEY`: what an algorithm's declaration tells its implementer."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from dppca.proofs_notes.ledger.claims import LedgerClaim, load
from dppca.reference.catalog import ALGORITHMS, Declaration
from dppca.reference.citations import authors
from dppca.reference.command_line import DONE, Parser, UsageError, check_keys, new_file
from dppca.reference.declaration import argument_meaning
from dppca.reference.readings import Readings

WIDTH = 110
_COMPARED = {"entries": "entry by entry", "projector": "as projectors on what they span, so that no sign or rotation matters"}


def list_algorithms(arguments: list[str] | None = None) -> int:
    """Print a line for each algorithm whose key, title or source holds the words; return 0, or 2 where there is none."""
    parser = Parser(prog="dppca list", description="Print the keys of the catalogue's algorithms, with what they are.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="words that the line holds (default: all algorithms)")
    words = [word.lower() for word in parser.parse_args(arguments).words]
    lines = [f"{key:56} {_source(entry)}: {entry.title}" for key, entry in ALGORITHMS.items()]
    found = [line for line in lines if all(word in line.lower() for word in words)]
    if not found:
        parser.error(f"no algorithm has the words {' '.join(words)!r}; `dppca list` prints all")
    sys.stdout.write("\n".join([*found, "", "`dppca describe KEY` says what one takes, draws and returns.", ""]))
    return DONE


def describe(arguments: list[str] | None = None) -> int:
    """Print all that one who implements an algorithm has to know; return 0, or 2 where there is no such key."""
    parser = Parser(prog="dppca describe", description="Print what an algorithm takes, draws, in which order, and returns.")
    parser.add_argument("key", metavar="KEY", help="of the catalogue, as `dppca list` prints them")
    key = parser.parse_args(arguments).key
    check_keys(parser, [key], ALGORITHMS)
    sys.stdout.write(description(ALGORITHMS[key], {claim.id: claim for claim in load()}))
    return DONE


def new(arguments: list[str] | None = None) -> int:
    """Write a file with all that is to be filled in for one algorithm; return 0, or 2 where it cannot be written."""
    parser = Parser(
        prog="dppca new", description="Write a Python file that says, and fails with, what is to be written for an algorithm."
    )
    parser.add_argument("file", metavar="FILE.py", help="a file that does not exist yet")
    parser.add_argument("--for", dest="key", required=True, metavar="KEY", help="of the catalogue, as `dppca list` prints them")
    options = parser.parse_args(arguments)
    check_keys(parser, [options.key], ALGORITHMS)
    if Path(options.file).suffix != ".py" or not Path(options.file).stem.isidentifier():
        parser.error(f"FILE must be the name of a Python module, such as mine.py, got {options.file!r}")
    try:
        path = new_file("FILE", Path(options.file))
    except UsageError as error:
        parser.error(str(error))
    path.write_text(stub(ALGORITHMS[options.key], path.stem), encoding="utf-8")
    sys.stdout.write(
        f"Written: {path}. Fill in `run`, then `{options.key.partition('.')[2]}`, and try each with the command above it.\n"
    )
    return DONE


# --- texts --------------------------------------------------------------------------------------------


def _source(entry: Declaration) -> str:
    return f"{authors(entry.paper)}, {entry.number}"


def description(entry: Declaration, claims: dict[str, LedgerClaim]) -> str:
    """Return an algorithm's data, arguments, result, draws, readings, claims and published steps, and an example, as text."""
    module = sys.modules[entry.function.__module__].__doc__ or ""
    compared = "" if entry.returns.rule == "entries" and not entry.returns.is_basis else "; two are compared "
    sections = {
        "What it does": [_head(entry.function), *([_head(entry.calibrate)] if entry.calibrate else [])],
        "Data": [_data(entry), f"Outside of its domain: {entry.data.refuses}.", f"Neighbours: {entry.relation.value}."],
        "Arguments": [f"{name}: {meaning}" for name, meaning in _arguments(entry)],
        "Result": [f"{entry.returns.meaning}{compared}{_COMPARED[entry.returns.rule] if compared else ''}."],
        "Draws and releases, in order, on the example (where names differ in numbers alone, the first)": list(entry.draws()),
        "Readings": list(_readings(entry, claims)),
        "Claims about it (`dppca claim ID` says all)": [
            f"{claims[name].status}: {name}. {_short(claims[name].statement, 100)}" for name in entry.claims
        ],
    }
    lines = [entry.key, f"{entry.title}: {_source(entry)}"]
    for title, items in sections.items():
        lines += ["", title, *(line for item in items for line in _wrapped(item))] if items else []
    lines += ["", "Published steps, and how they are read", textwrap.indent(module.strip(), "  ")]
    lines += ["", "Example", textwrap.indent(example(entry), "  ")]
    lines += ["To implement it:", f"  dppca new mine.py --for {entry.key}", ""]
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    paragraphs = text.split("\n\n")
    options: Any = {"break_long_words": False, "break_on_hyphens": False, "subsequent_indent": "    ", "initial_indent": "  "}
    return [line for part in paragraphs for line in textwrap.wrap(part, WIDTH, **options)]


def _short(text: str, most: int = 220) -> str:
    return textwrap.shorten(text, most, placeholder=" ...")


def _head(function: Any) -> str:
    return (inspect.getdoc(function) or "").partition("\n\nArgs:")[0]


def _data(entry: Declaration) -> str:
    return f"{entry.data_name}: {entry.data.accepts}, {' by '.join(entry.data.sizes)}; in the example {_shape(entry)}."


def _shape(entry: Declaration) -> str:
    return " by ".join(map(str, np.shape(entry.example.data)))


def _arguments(entry: Declaration) -> Iterator[tuple[str, str]]:
    """Yield the arguments that `bind` takes, each with what it is, and its default where it has one."""
    run = inspect.signature(entry.function).parameters
    calibrating = inspect.signature(entry.calibrate).parameters if entry.calibrate else {}
    inside = {entry.data_name, "calibration", "noise", "choices", "prefix"}
    for name, parameter in {**calibrating, **run}.items():
        if name in inside or (name == "T" and "step_sizes" in run) or str(parameter.annotation) == "str":
            continue
        default = "" if parameter.default is parameter.empty else f"; {parameter.default} unless given"
        meaning = argument_meaning(name, str(parameter.annotation), entry)
        known = f"{meaning}, described above" if meaning == str(parameter.annotation) else meaning
        yield name, f"{known}{default}"
    yield "choices", f"a reading: one of {', '.join(entry.choices)}"


def _readings(entry: Declaration, claims: dict[str, LedgerClaim]) -> Iterator[str]:
    """Yield each point that the paper leaves open or has wrong: its value in each reading, and what the ledger says."""
    read = {name: choices for name, choices in entry.choices.items() if isinstance(choices, Readings)}
    if not read:
        yield f"{', '.join(entry.choices)}: the text leaves nothing to decide."
        return
    for point, reasons in _points(next(iter(read.values()))):
        values = {name: _value(choices, point) for name, choices in read.items()}
        same = len(set(values.values())) == 1
        shown = f"{next(iter(values.values()))} in every reading" if same else ", ".join(f"{k} {v}" for k, v in values.items())
        yield f"{point}: {shown}."
        for reason in reasons:
            claim = claims[reason]
            yield f"    {claim.status}: {reason}. {_short(claim.correction or claim.statement)}"


def _points(read: Readings, before: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, (reasons, _) in read.points().items():
        value = getattr(read, name)
        if isinstance(value, Readings):
            yield from _points(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", reasons


def _value(read: Any, path: str) -> str:
    for name in path.split("."):
        read = getattr(read, name)
    if isinstance(read, Enum):
        return str(read.value if isinstance(read.value, str) else read.name)
    return getattr(read, "__name__", None) or str(read)


def example(entry: Declaration) -> str:
    """Return a program that runs the algorithm on its example and prints the result."""
    return f"""\
import numpy as np
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Sample

entry = ALGORITHMS["{entry.key}"]
algorithm = entry.bind(**entry.example.arguments, choices=entry.choices["{list(entry.choices)[-1]}"])
print(algorithm(entry.example.data, Sample(np.random.default_rng(1))))
"""


def stub(entry: Declaration, module: str) -> str:
    """Return a module that hands out an implementation of an algorithm whose two functions are still to be written."""
    name, choice = entry.key.partition(".")[2], "CORRECTED" if "CORRECTED" in entry.choices else list(entry.choices)[-1]
    arguments = ", ".join(key for key in entry.example.arguments)
    draws = "\n".join(f"          {draw}" for draw in entry.draws())
    lines = "\n".join(f"            {line}" for key, of in _arguments(entry) for line in textwrap.wrap(f"{key}: {of}", 100))
    private = "" if entry.private else "    # not private, so no audit runs it"
    return f'''\
"""An implementation of {entry.key}: {entry.title}, {_source(entry)}.

`dppca describe {entry.key}` says what each argument, draw and reading is; `dppca guide implementation` how both parts are used.
"""


def {name}(data, rng, *, {arguments}):{private}
    """Draw from rng and return {entry.returns.meaning}.

    Try it: dppca audit --implementation {module}:implementation --budget quick
    """
    raise NotImplementedError("{name}: calibrate the noise, draw it from rng, and return {entry.returns.meaning}")


class Mine:
    algorithms = {{"{entry.key}": {name}}}    # for audits: what draws by itself

    def supports(self, algorithm, choice):
        return (algorithm, choice) == ("{entry.key}", "{choice}")

    def run(self, *, algorithm, choice, parameters, calibration, inputs, draws):
        """Return {{"output": {entry.returns.meaning}}} for the draws that are given; refuse wrong arguments by ValueError.

        Try it: dppca check-vectors --implementation {module}:implementation {entry.key}

        Args:
          parameters: a dict of
{lines}
          calibration: the noise scales that the reference derives from them, as a dict; `dppca vectors --output known
            {entry.key}` writes cases that show its fields.
          inputs: {{"{entry.data_name}": {entry.data.accepts}, as lists}}.
          draws: a list of {{"role", "name", "law", "draw"}} in the order below; "draw" is the standard draw, of scale 1.
{draws}
        """
        raise NotImplementedError("run: compute the output from inputs['{entry.data_name}'] with these draws in place of noise")


implementation = Mine()
'''
