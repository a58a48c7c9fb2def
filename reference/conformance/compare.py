"""How an answer is compared with a case.

exact      equal, as JSON trees
allclose   floats differ by at most `rtol` times the largest entry of their array, plus `atol`; the rest is equal
projector  the case holds a projector P, the answer an orthonormal basis B: B B^T is close to P within `atol`, entry by
           entry, so that neither sign nor rotation of B matters
any-basis  every orthonormal basis of this shape is right: the eigenvalues that decide are equal
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.conformance.tracer import symbols
from dppca.reference.conformance.values import encode
from dppca.reference.rigour.validation import shown

EXACT = {"rule": "exact"}
ALLCLOSE = {"rule": "allclose", "rtol": 1e-8, "atol": 1e-10}
PROJECTOR = {"rule": "projector", "atol": 1e-8}


def field(algorithm: str, name: str, value: Any, *, any_basis: bool = False) -> dict[str, Any]:
    """Return a value of the reference as a case holds it, with its rule. `name` is its published name, or "output"."""
    entry = ALGORITHMS[algorithm]
    returned = entry.returns.rule == "projector" and name in {"output", _symbols(algorithm).get("return", "return")}
    if returned and np.ndim(value) == 2:
        if any_basis:
            return {"value": None, "compare": {"rule": "any-basis", "shape": list(value.shape), "atol": PROJECTOR["atol"]}}
        return {"value": encode(value @ value.T), "compare": PROJECTOR}
    tree = encode(value)
    return {"value": tree, "compare": ALLCLOSE if _has_float(tree) else EXACT}


@cache
def _symbols(algorithm: str) -> Mapping[str, str]:
    """Return the symbols of an algorithm's file."""
    return symbols(sys.modules[ALGORITHMS[algorithm].function.__module__])


def _has_float(tree: Any) -> bool:
    if isinstance(tree, (list, dict)):
        return any(map(_has_float, tree.values() if isinstance(tree, dict) else tree))
    return isinstance(tree, float)


def expected(algorithm: str, answer: Mapping[str, Any], *, any_basis: bool = False) -> dict[str, Any]:
    """Return an answer of the reference as the `expected` of a case; `any_basis` if its eigenvectors are not determined."""
    times: Counter[tuple[str, str]] = Counter()
    intermediates = []
    for seen in answer["intermediates"]:
        key = (seen["line"], seen["name"])
        times[key] += 1
        value = field(algorithm, seen["name"], seen["value"], any_basis=any_basis)
        intermediates.append({"line": key[0], "name": key[1], "time": times[key], **value})
    return {
        "output": field(algorithm, "output", answer["output"], any_basis=any_basis),
        "releases": [{"name": name, **field(algorithm, name, seen)} for name, seen in answer["releases"].items()],
        "intermediates": intermediates,
    }


def differences(case: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    """Return where an answer differs from what a case expects, one line each; empty if it conforms."""
    try:
        return _differences(case, answer)
    except TypeError as error:  # no JSON, a number that is not finite, or no mapping
        return [f"answer: {error}"]


def _differences(case: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    if not isinstance(answer, Mapping):
        return [f"answer: must be a mapping with the key 'output', got {answer!r:.200}"]
    wanted = case["expected"]
    if "refuses" in wanted:
        if "error" not in answer:
            return [f"refuses: {wanted['refuses']!r} must be refused, got an answer"]
        argument = wanted["refuses"].partition("[")[0]  # which of its rows an error need not say
        named = re.search(rf"(?<!\w){re.escape(argument)}(?!\w)", str(answer["error"]))
        return [] if named else [f"refuses: the error must name {argument!r}, got {answer['error']!r}"]
    if "error" in answer:
        return [f"output: got the error {answer['error']!r}"]
    if "output" not in answer:
        return ["output: missing in the answer"]
    found = list(_field("output", wanted["output"], answer["output"]))
    if answer.get("calibration") is not None:
        found += _tree("calibration", case["calibration"], encode(answer["calibration"]), ALLCLOSE)
    releases = {release["name"]: release for release in wanted["releases"]}
    if not isinstance(given := answer.get("releases", {}), Mapping):
        raise TypeError(f"releases must be a mapping of names to releases, got {shown(given)}")
    for name, seen in given.items():
        label = f"release {name!r}"
        # An answer may hold some of a release's fields only.
        known = {k: v for k, v in releases[name]["value"].items() if k in seen} if name in releases else None
        found += [f"{label}: no such release"] if known is None else _tree(label, known, encode(seen), ALLCLOSE)
    times: Counter[tuple[str, str]] = Counter()
    produced = {(seen["line"], seen["name"], seen["time"]): seen for seen in wanted["intermediates"]}
    for seen in answer.get("intermediates", ()):
        key = (seen["line"], seen["name"])
        times[key] += 1
        label = f"line {key[0]}, {key[1]}, time {times[key]}"
        one = produced.get((*key, times[key]))
        found += _field(label, one, seen["value"]) if one else [f"{label}: no such intermediate value"]
    return found


def _field(label: str, wanted: Mapping[str, Any], value: Any) -> Iterator[str]:
    rule = wanted["compare"]
    if rule["rule"] not in {"projector", "any-basis"}:
        yield from _tree(label, wanted["value"], encode(value), rule)
        return
    try:
        basis = np.asarray(value, dtype=float)
        gram, span = basis.T @ basis, basis @ basis.T
        if rule["rule"] == "projector":
            off = float(np.max(np.abs(span - np.asarray(wanted["value"]))))
        else:
            off = float(np.max(np.abs(gram - np.eye(rule["shape"][1])))) if list(basis.shape) == rule["shape"] else np.inf
    except (TypeError, ValueError) as error:  # ragged, no numbers, or of another shape
        yield f"{label}: must be an orthonormal basis: {error}"
        return
    if not off <= rule["atol"]:
        yield f"{label}: off by {off:.3g} as a {rule['rule']}"


def _tree(label: str, wanted: Any, value: Any, rule: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(wanted, dict):
        if not isinstance(value, dict) or wanted.keys() != value.keys():
            yield f"{label}: must be an object with the keys {sorted(wanted)}, got {value!r:.200}"
            return
        for key in wanted:
            yield from _tree(f"{label}.{key}", wanted[key], value[key], rule)
    elif isinstance(wanted, list) and not _numbers(wanted):
        if not isinstance(value, list) or len(wanted) != len(value):
            yield f"{label}: must be a list of {len(wanted)}, got {value!r:.200}"
            return
        for i, (a, b) in enumerate(zip(wanted, value, strict=True)):
            yield from _tree(f"{label}[{i}]", a, b, rule)
    elif _has_float(wanted) and rule["rule"] == "allclose" and _numbers(value):
        yield from _close(label, wanted, value, rule)
    elif wanted != value or isinstance(wanted, bool) != isinstance(value, bool):
        yield f"{label}: must be {wanted!r:.200}, got {value!r:.200}"


def _close(label: str, wanted: Any, value: Any, rule: Mapping[str, Any]) -> Iterator[str]:
    a, b = np.asarray(wanted, dtype=float), np.asarray(value, dtype=float)
    if a.shape != b.shape:
        yield f"{label}: must have shape {a.shape}, got {b.shape}"
        return
    off, largest = (float(np.max(np.abs(array), initial=0.0)) for array in (a - b, a))
    if not off <= rule["rtol"] * largest + rule["atol"]:
        yield f"{label}: off by {off:.3g}: must be {wanted!r:.200}, got {value!r:.200}"


def _numbers(tree: Any) -> bool:
    """Return whether a tree is a number, or a rectangular array of numbers."""
    if isinstance(tree, list):
        return all(map(_numbers, tree)) and len({_shape(entry) for entry in tree}) <= 1
    return isinstance(tree, (int, float)) and not isinstance(tree, bool)


def _shape(tree: Any) -> tuple[int, ...]:
    return (len(tree), *(_shape(tree[0]) if tree else ())) if isinstance(tree, list) else ()
