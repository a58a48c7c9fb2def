"""Runs of an algorithm on draws that a check chooses, with everything that was released."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from dppca.reference.noise import Array, Noise, ReleaseLaw, Role

#: A draw, or a function of its shape.
Script: TypeAlias = "Any | Callable[[tuple[int, ...]], Any]"


@dataclass(frozen=True)
class Release:
    """One release as an algorithm asked for it: its value, its law and its sensitivity."""

    value: Array
    law: ReleaseLaw
    sensitivity: float


class ScriptedNoise(Noise):
    """Takes every standard draw from a script, by its name, else from `otherwise`; `releases` keeps what was handed over."""

    def __init__(self, draws: Mapping[str, Script], otherwise: Callable[[tuple[int, ...]], Any] = np.zeros) -> None:
        super().__init__()
        self.draws = draws
        self.otherwise = otherwise
        self.releases: dict[str, Release] = {}

    def _draw(self, name: str, shape: Sequence[int]) -> Array:
        script = self.draws.get(name, self.otherwise)
        draw = np.asarray(script(tuple(shape)) if callable(script) else script)
        if draw.shape != tuple(shape):
            raise ValueError(f"draw of {name!r} must have the shape {draw.shape} of the script, got {tuple(shape)}")
        return draw

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Array:  # noqa: ARG002
        return self._draw(name, shape)

    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any:
        self.releases[name] = Release(value, law, sensitivity)
        return law.apply(value, self._draw(name, law.draw_shape(value)))
