"""How certificates are stored: JSON whose floats are hexadecimal, so that nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

Certificate = TypeVar("Certificate")


def write(kind: str, fields: dict[str, Any]) -> str:
    """Return the fields of a certificate of this kind as JSON."""
    return json.dumps(hexadecimal({"kind": kind, **fields}), indent=1, sort_keys=True)


def read(text: str, kind: str, build: Callable[[dict[str, Any]], Certificate]) -> Certificate:
    """Return what `build` makes of the fields that `write` wrote; ValueError for anything else."""
    try:
        stored = plain(json.loads(text))
    except OverflowError as error:
        raise ValueError(f"a certificate's numbers must be floats: {error}") from error
    if not isinstance(stored, dict) or stored.pop("kind", None) != kind:
        raise ValueError(f'a certificate must be an object of kind "{kind}"')
    try:
        return build(stored)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a certificate must have the fields that to_json writes: {error}") from error


def hexadecimal(x: Any) -> Any:
    """Return the value with every float in it as a hexadecimal string."""
    if isinstance(x, dict):
        return {key: hexadecimal(value) for key, value in x.items()}
    return x.hex() if isinstance(x, float) else x


def plain(x: Any) -> Any:
    """Return the value with every hexadecimal string in it as a float: the inverse of `hexadecimal`."""
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return float.fromhex(x) if isinstance(x, str) and "0x" in x else x


def check_integer(name: str, value: Any, least: int) -> None:
    """Raise ValueError naming the field unless it is an integer >= least."""
    if type(value) is not int:
        raise ValueError(f"{name} must be an integer, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be >= {least}, got {value!r}")
