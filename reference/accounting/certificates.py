"""Certificates: a statement in words and in numbers, with the numbers of its proof, stored as JSON.

The JSON has a format and a version, the statement in words, and each float twice: in decimals for people, and in hexadecimal
digits, which lose nothing. Whoever reads one gets what the exact numbers say, and only if the words and the decimals say the
same. `check` proves the statement again (checker.py), without a search.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from typing import Any

from dppca.reference.accounting import checker
from dppca.reference.accounting.checker import (
    GaussianProof,
    GridProof,
    HingeProof,
    Progress,
    Proof,
    RenyiProof,
    ShuffleProof,
    SmallStepsProof,
)
from dppca.reference.accounting.mechanisms import (
    FixedBatch,
    Mechanism,
    Poisson,
    Shuffled,
    SmallSteps,
    Statement,
    UniformIndex,
    VarianceReduced,
    check_delta_bound,
    check_level,
    check_statement,
    check_std,
)
from dppca.reference.rigour.validation import distinct_fields, shown

FORMAT, VERSION = "dppca account certificate", 1
#: Longest text of a certificate, and most digits of an integer in it.
TEXT_MAX, DIGITS_MAX = 20_000, 1_000

_SAMPLINGS: tuple[type[Any], ...] = (UniformIndex, FixedBatch, Poisson)
_STATEMENTS: tuple[type[Any], ...] = (Mechanism, VarianceReduced, SmallSteps, Shuffled)
_PROOFS: tuple[type[Any], ...] = (GaussianProof, GridProof, HingeProof, SmallStepsProof, RenyiProof, ShuffleProof)


@dataclass(frozen=True)
class Certificate:
    """Proves that `mechanism` with this std is (epsilon, delta)-DP; `check` does so again, without a search."""

    mechanism: Statement
    std: float
    epsilon: float
    delta: float
    proof: Proof

    def __post_init__(self) -> None:
        check_statement(self.mechanism)
        check_std(self.std)
        check_level(self.epsilon)
        check_delta_bound(self.delta)
        if not isinstance(self.proof, _PROOFS):
            raise ValueError(f"proof must be one of the checker's, got {shown(self.proof)}")  # noqa: TRY004 - always ValueError

    @property
    def kind(self) -> str:
        """Return the kind of the proof."""
        return self.proof.kind

    @property
    def seconds(self) -> float:
        """Return about how long `check` takes."""
        return checker.seconds(self.mechanism, self.std, self.proof)

    @property
    def words(self) -> str:
        """Return the statement in words."""
        return (
            f"{self.mechanism.describe(self.std)} All releases together are (epsilon, delta)-differentially private with "
            f"epsilon = {self.epsilon!r} and delta = {self.delta!r}."
        )

    def bound(self, progress: Progress | None = None) -> float:
        """Return the delta that the arithmetic gives."""
        return checker.bound(self.mechanism, self.std, self.epsilon, self.proof, progress)

    def check(self, progress: Progress | None = None) -> bool:
        """Return whether the arithmetic, done again, gives at most the delta that is stated."""
        return self.bound(progress) <= self.delta

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        stored = {
            "format": FORMAT,
            "version": VERSION,
            "statement": self.words,
            "std": _written(self.std),
            "epsilon": _written(self.epsilon),
            "delta": _written(self.delta),
            "mechanism": _written(self.mechanism),
            "proof": _written(self.proof),
        }
        return json.dumps(stored, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Return the certificate that `to_json` wrote; ValueError that names the field for anything else."""
        stored = _parsed(text)
        names = ["format", "version", "statement", "std", "epsilon", "delta", "mechanism", "proof"]
        _check_fields("text", stored, names)
        for name, wanted in (("format", FORMAT), ("version", VERSION)):
            if type(stored[name]) is not type(wanted) or stored[name] != wanted:
                raise ValueError(f"{name} must be {wanted!r}, got {shown(stored[name])}")
        std, epsilon, delta = (_number(name, stored[name]) for name in ("std", "epsilon", "delta"))
        mechanism, proof = _built("mechanism", stored["mechanism"], _STATEMENTS), _built("proof", stored["proof"], _PROOFS)
        found = cls(mechanism, std, epsilon, delta, proof)
        if stored["statement"] != found.words:
            raise ValueError(f"statement must say what the numbers say, {shown(found.words)}, got {shown(stored['statement'])}")
        return found


def read_certificate(text: str) -> Certificate:
    """Return the certificate that the `to_json` of an account's certificate wrote; its `check` proves the statement again.

    Raises:
        ValueError: the text is none of that; one line that names the field.
    """
    return Certificate.from_json(text)


def _written(x: Any) -> Any:
    if isinstance(x, float):
        return {"decimal": repr(x), "exact": x.hex()}
    if not hasattr(x, "kind"):
        return x
    return {"kind": x.kind, **{field.name: _written(getattr(x, field.name)) for field in fields(x)}}


def _parsed(text: str) -> Any:
    if not isinstance(text, str):
        raise ValueError(f"text must be that of a certificate, got {shown(text)}")  # noqa: TRY004 - every refusal is a ValueError
    if len(text) > TEXT_MAX:
        raise ValueError(f"text must have at most {TEXT_MAX} characters, got {len(text)}")
    try:
        return json.loads(
            text, parse_int=_integer, parse_float=_refused, parse_constant=_refused, object_pairs_hook=distinct_fields
        )
    except RecursionError:
        raise ValueError("text must not be nested deeper than its mechanism's sampling") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"text must be JSON: {error}") from None


def _integer(digits: str) -> int:
    if len(digits) > DIGITS_MAX:
        raise ValueError(f"text must have integers of at most {DIGITS_MAX} digits, got {len(digits)}")
    return int(digits)


def _refused(digits: str) -> float:
    raise ValueError(f"text must have floats that are objects with decimal and exact digits, got {shown(digits)}")


def _check_fields(what: str, stored: Any, names: list[str]) -> None:
    if not isinstance(stored, dict) or sorted(stored) != sorted(names):
        got = sorted(stored) if isinstance(stored, dict) else stored
        raise ValueError(f"{what} must have the fields {', '.join(names)}, got {shown(got)}")


def _number(name: str, stored: Any) -> float:
    _check_fields(name, stored, ["decimal", "exact"])
    try:
        found, decimal = float.fromhex(stored["exact"]), float(stored["decimal"])
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{name} must be a float in decimal and exact digits, got {shown(stored)}") from None
    if found != decimal or not math.isfinite(found):
        raise ValueError(f"{name} must be one finite float, twice, got {shown(stored)}")
    return found


def _built(name: str, stored: Any, classes: tuple[type[Any], ...]) -> Any:
    """Return the object of one of the classes whose fields these are."""
    kinds = {of.kind: of for of in classes}
    if not isinstance(stored, dict) or stored.get("kind") not in list(kinds):
        raise ValueError(f"{name} must be an object whose kind is one of {sorted(kinds)}, got {shown(stored)}")
    of = kinds[stored["kind"]]
    _check_fields(name, stored, ["kind", *(field.name for field in fields(of))])
    values: dict[str, Any] = {}
    for field in fields(of):
        value = stored[field.name]
        if field.name == "sampling":
            value = _built("sampling", value, _SAMPLINGS)
        elif isinstance(value, dict):
            value = _number(field.name, value)
        values[field.name] = value
    return of(**values)
