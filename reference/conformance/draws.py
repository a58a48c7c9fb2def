"""Draws for the vectors: short decimals from a hash, the same with every version of every library.

A case may script a draw by its name, to reach a rare branch; the stream gives all others.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from statistics import NormalDist
from typing import Any, cast

import numpy as np

from dppca.reference.noise import Array, Entry, Record, ReleaseLaw, Replay, Role, Tape, draw_independent

#: Normal, Laplace, Gumbel and uniform draws are multiples of 10^-3.
DECIMALS = 3


class HashStream:
    """A source of what the laws of `dppca.reference.noise` ask of a numpy Generator, from SHA-256 in counter mode."""

    def __init__(self, seed: str) -> None:
        self._uniforms = _uniforms(seed)

    def random(self, size: Any = ()) -> Any:
        """Return uniform draws on [0, 1)."""
        return self._fill(size, lambda u: math.floor(u * 10**DECIMALS) / 10**DECIMALS)

    def standard_normal(self, size: Any = ()) -> Any:
        """Return standard normal draws."""
        return self._fill(size, lambda u: round(NormalDist().inv_cdf(u), DECIMALS))

    def laplace(self, size: Any = ()) -> Any:
        """Return Laplace draws of scale 1."""
        return self._fill(size, lambda u: round(math.copysign(math.log1p(-abs(2.0 * u - 1.0)), 0.5 - u), DECIMALS))

    def gumbel(self, size: Any = ()) -> Any:
        """Return standard Gumbel draws."""
        return self._fill(size, lambda u: round(-math.log(-math.log(u)), DECIMALS))

    def integers(self, high: int, size: Any = ()) -> Any:
        """Return draws uniform on 0..high-1."""
        return self._fill(size, lambda u: math.floor(u * high)).astype(int)

    def permutation(self, n: int) -> Any:
        """Return a draw uniform on the orders of 0..n-1."""
        return np.argsort([next(self._uniforms) for _ in range(n)])

    def _fill(self, size: Any, transform: Callable[[float], float]) -> Any:
        shape = (size,) if isinstance(size, int) else tuple(size)
        return np.array([transform(next(self._uniforms)) for _ in range(math.prod(shape))]).reshape(shape)


def _uniforms(seed: str) -> Iterator[float]:
    """Yield multiples of 2^-53 inside (0, 1)."""
    for i in count():
        number = int.from_bytes(hashlib.sha256(f"{seed}/{i}".encode()).digest()[:8], "big") >> 11
        if number:
            yield number * 2.0**-53


class Scripted(Record):
    """A seam that writes the tape of a run on scripted draws, and on a stream where nothing is scripted."""

    def __init__(self, seed: str, script: Mapping[str, Any]) -> None:
        super().__init__(cast(np.random.Generator, HashStream(seed)))
        self._script = dict(script)

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Array:
        self._claim(name)
        drawn = draw_independent(self._rng, law, shape)
        draw = np.asarray(self._script.pop(name, drawn), dtype=drawn.dtype)
        self._entries.append(Entry(role, name, law, draw.copy()))
        return draw

    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any:  # noqa: ARG002
        draw = law.draw(value, self._rng)
        draw = np.asarray(self._script.pop(name, draw), dtype=draw.dtype)
        self._entries.append(Entry("release", name, law.kind, draw))
        return law.apply(value, draw)

    def finish(self) -> None:
        """Raise ValueError if a scripted draw was not asked for."""
        if self._script:
            raise ValueError(f"script must name draws of the run, got {sorted(self._script)}")


class Observed(Replay):
    """A seam that replays a tape and keeps, by name, each release's law, value and sensitivity and what was shown."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.releases: dict[str, dict[str, Any]] = {}

    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any:
        released = super()._release(name, value, law, sensitivity)
        seen = {"parameters": {**vars(law)}, "sensitivity": sensitivity, "value": value.copy(), "released": released}
        self.releases[name] = {"law": law.kind, **seen}
        return released


def pack(tape: Tape) -> list[dict[str, Any]]:
    """Return the draws of a tape as JSON, in order."""
    return [{"role": e.role, "name": e.name, "law": e.law, "draw": np.asarray(e.draw).tolist()} for e in tape.entries]


def unpack(draws: Iterable[Mapping[str, Any]]) -> Tape:
    """Return the tape whose draws `pack` listed."""
    return Tape(tuple(Entry(d["role"], d["name"], d["law"], np.asarray(d["draw"], dtype=_type(d["law"]))) for d in draws))


def _type(law: str) -> type[float] | type[int]:
    return int if law.startswith(("permutation", "integers", "bernoulli")) else float
