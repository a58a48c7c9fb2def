"""How certificates are stored: JSON whose floats are hexadecimal, so that nothing is lost."""

from __future__ import annotations

from typing import Any


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
