"""What all batched implementations share: draws, what is made of the data once, and outputs, trial by trial."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from dppca.reference.noise import Tape

Array = Any
#: Numbers that are drawn at a time.
_CHUNK = 1 << 20


class Batched(ABC):
    """A base for an algorithm that runs many trials at once; the first axis of draws and outputs is trials."""

    @abstractmethod
    def numbers(self, data: Any) -> int:
        """Return how many numbers a trial draws."""

    @abstractmethod
    def draw(self, data: Any, trials: int, rng: np.random.Generator) -> Any:
        """Return the draws that the trials will use."""

    @abstractmethod
    def draws_of(self, data: Any, tapes: Sequence[Tape]) -> Any:
        """Return the draws of the reference's runs on these data, one tape a trial."""

    @abstractmethod
    def prepared(self, data: Any) -> Any:
        """Return what the trials use of the data, such as its second moments; ValueError for data outside the domain."""

    @abstractmethod
    def outputs(self, prepared: Any, draws: Any) -> Array:
        """Return the outputs of trials on prepared data, as arrays of the draws' library."""

    def run(self, data: Any, draws: Any) -> Array:
        """Return the outputs on these draws."""
        return self.outputs(self.prepared(data), draws)

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> Array:
        """Return outputs on fresh draws, which are taken for a part of the trials at a time, so that memory is bounded."""
        prepared = self.prepared(data)
        most = max(1, _CHUNK // max(1, self.numbers(data)))
        parts = [min(most, trials - done) for done in range(0, trials, most)]
        return np.concatenate([self.outputs(prepared, self.draw(data, part, rng)) for part in parts])
