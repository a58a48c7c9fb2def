"""From declared cases to files: runs the reference, asserts why each case exists, finds which bugs it catches."""

from __future__ import annotations

import importlib
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dppca.reference.catalog import ALGORITHMS, PAPERS
from dppca.reference.conformance import files
from dppca.reference.conformance.bugs import BUGS, NO_REFUSAL, OTHER_READING
from dppca.reference.conformance.cases import Case, Seen
from dppca.reference.conformance.compare import differences, expected
from dppca.reference.conformance.draws import Scripted, pack, unpack
from dppca.reference.conformance.implementation import Reference, data_name, data_of
from dppca.reference.conformance.values import encode
from dppca.reference.declaration import Declaration, UnitRows
from dppca.reference.noise import replay

#: An object that fits in a line of this width stands on one line.
WIDTH = 200


def declared() -> Mapping[str, tuple[Case, ...]]:
    """Return every case, by algorithm: those that are written down, or else what follows from the declaration."""
    modules = [importlib.import_module(f"dppca.reference.{paper}.cases") for paper in PAPERS]
    written = {algorithm: cases for module in modules for algorithm, cases in module.CASES.items()}
    for algorithm in written.keys() - ALGORITHMS.keys():
        raise ValueError(f"cases must be of an algorithm of the catalogue, got {algorithm}")
    return {key: (*(written.get(key) or _derived(entry)), *_short_rows(entry)) for key, entry in ALGORITHMS.items()}


def _derived(entry: Declaration) -> Iterator[Case]:
    """Yield the declaration's example, its neighbour, and what its domain refuses."""
    parameters, data = _plain(dict(entry.example.arguments)), _plain(np.asarray(entry.example.data).tolist())
    neighbour = _plain(np.asarray(entry.example.neighbour).tolist())
    yield Case("example", "the declared example", parameters, data, lambda seen: bool(seen.releases))
    yield Case("neighbour", "the declared example's neighbour", parameters, neighbour, lambda seen: bool(seen.releases))
    yield Case("refuses-shape", "one record in the place of a dataset", parameters, data[0], refuses=entry.data_name)
    yield Case("refuses-epsilon", "epsilon = 0", {**parameters, "epsilon": 0.0}, data, refuses="epsilon")


def _short_rows(entry: Declaration) -> Iterator[Case]:
    """Yield the declared example at half its length, where rows are in the unit ball."""
    if isinstance(entry.data, UnitRows):
        parameters, data = _plain(dict(entry.example.arguments)), _plain((0.5 * np.asarray(entry.example.data)).tolist())
        why = "no row has length 1: rows are not to be divided by the longest, which would depend on the data"
        yield Case("short-rows", why, parameters, data, lambda seen: bool(seen.releases), choices=("CORRECTED",))


def texts(keys: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of every file of vectors; of these algorithms alone, if some are named."""
    for algorithm, declarations in declared().items():
        if keys and algorithm not in keys:
            continue
        entry = ALGORITHMS[algorithm]
        made = [make(algorithm, choice, case) for case in declarations for choice in case.choices or tuple(entry.choices)]
        yield (
            file_name(algorithm),
            text({"algorithm": algorithm, "paper": entry.paper, "number": entry.number, "cases": made}),
        )


def file_name(algorithm: str) -> str:
    """Return the path of an algorithm's file of known answers below the folder of the reference."""
    return f"{algorithm.replace('.', '/', 1)}.json"


def make(algorithm: str, choice: str, case: Case) -> dict[str, Any]:
    """Return one case for one reading, as the file holds it.

    Raises:
        ValueError: the case no longer takes the branch that it is there for, or does not refuse what it should.
    """
    identity = f"{case.name}/{choice}"
    question: dict[str, Any] = {
        "id": identity,
        "choice": choice,
        "why": case.why,
        "catches": [],
        "parameters": _plain(case.parameters),
        "calibration": None,
        "inputs": {data_name(algorithm): _plain(case.data)},
        "draws": [],
    }
    noise = Scripted(f"{algorithm}/{case.name}", case.draws)
    try:
        run = ALGORITHMS[algorithm].bind(**question["parameters"], choices=ALGORITHMS[algorithm].choices[choice])
        run(data_of(algorithm, question["inputs"]), noise)
    except ValueError:
        if case.refuses is None:
            raise
    noise.finish()
    question["draws"] = pack(noise.tape)
    if case.refuses is not None:
        question["catches"] = [NO_REFUSAL]
        question["expected"] = {"refuses": case.refuses}
        wrong = differences(question, ask(Reference(), algorithm, question))
        if wrong:
            raise ValueError(f"{algorithm} {identity}: {wrong}")
        return question
    answer = Reference().run(**_arguments(algorithm, question))
    if case.exercises is None or not case.exercises(
        Seen(
            choice,
            answer["output"],
            answer["calibration"],
            answer["releases"],
            answer["intermediates"],
            lambda data: replay(run, data_of(algorithm, {data_name(algorithm): data}), unpack(question["draws"])),
        )
    ):
        raise ValueError(f"{algorithm} {identity} does not exercise what it is there for: {case.why}")
    question["calibration"] = encode(answer["calibration"])
    question["expected"] = expected(algorithm, answer, any_basis=choice in case.any_basis)
    wrong = differences(question, answer)
    if wrong:
        raise ValueError(f"{algorithm} {identity}: the reference differs from itself: {wrong}")
    question["catches"] = caught(algorithm, question)
    return question


def caught(algorithm: str, case: Mapping[str, Any]) -> list[str]:
    """Return the planted bugs with which the reference gives another output to a case."""
    names = []
    for name, plant in BUGS.items():
        with plant():
            if _fails(algorithm, case, case):
                names.append(name)
    others = [choice for choice in ALGORITHMS[algorithm].choices if choice != case["choice"]]
    if any(_fails(algorithm, case, {**case, "choice": other}) for other in others):
        names.append(OTHER_READING)
    return names


def _fails(algorithm: str, case: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    answer = ask(Reference(trace=False), algorithm, asked)
    return bool(differences(case, {key: answer[key] for key in ("output", "error") if key in answer}))


def ask(implementation: Any, algorithm: str, case: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an implementation answers to a case; a ValueError is a refusal."""
    try:
        answer: Mapping[str, Any] = implementation.run(**_arguments(algorithm, case))
    except ValueError as error:
        return {"error": str(error)}
    return answer


def _arguments(algorithm: str, case: Mapping[str, Any]) -> dict[str, Any]:
    return {"algorithm": algorithm, **{key: case[key] for key in ("choice", "parameters", "calibration", "inputs", "draws")}}


def _plain(tree: Any) -> Any:
    """Return declared numbers as they are: exact."""
    return json.loads(json.dumps(tree))


def text(tree: Mapping[str, Any]) -> str:
    """Return JSON with a line for every field and case, and numbers side by side."""
    return _lines(tree, "") + "\n"


def _lines(tree: Any, margin: str) -> str:
    compact = json.dumps(tree, ensure_ascii=False, allow_nan=False)
    if len(compact) + len(margin) <= WIDTH or not isinstance(tree, (dict, list)) or not _holds_object(tree):
        return compact
    inner = margin + " "
    if isinstance(tree, dict):
        rows = [f"{inner}{json.dumps(key)}: {_lines(entry, inner)}" for key, entry in tree.items()]
        return "{\n" + ",\n".join(rows) + f"\n{margin}}}"
    return "[\n" + ",\n".join(inner + _lines(entry, inner) for entry in tree) + f"\n{margin}]"


def _holds_object(tree: Any) -> bool:
    return isinstance(tree, dict) or (isinstance(tree, list) and any(map(_holds_object, tree)))


def write(directory: Path, keys: Collection[str] = ()) -> None:
    """Write every file, and remove those of algorithms that are gone; with keys, write the files of these algorithms alone."""
    made = dict(texts(keys))
    for path in files(directory):
        if not keys and path.relative_to(directory).as_posix() not in made:
            path.unlink()
    for name, content in made.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(content, encoding="utf-8")


def changed(directory: Path, keys: Collection[str] = ()) -> list[str]:
    """Return the names of files that are not, byte for byte, what would be written; with keys, of these algorithms alone."""
    made = {name: content.encode() for name, content in texts(keys)}
    stored = {path.relative_to(directory).as_posix(): path.read_bytes() for path in files(directory)}
    names = made.keys() if keys else made.keys() | stored.keys()
    return sorted(name for name in names if made.get(name) != stored.get(name))
