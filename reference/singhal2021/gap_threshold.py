"""One noise on the lead of the best label: the label is shown where lead + truncated Laplace noise exceeds the noise's bound.

Between neighbours the leads of all labels together move by 2 at most in L1, and two different labels never both have a
positive lead (claims singhal2021.algorithm-1-null-threshold, singhal2021.algorithm-2-gap-max-selection). A lead of 0 is
never shown. So what is shown depends on one number that moves by 2, and the guarantee is that of the noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.noise import Array, ReleaseLaw, is_uniform
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw, cdf
from dppca.reference.rigour.validation import check_positive

#: Largest change of the leads of all labels, in L1.
LEAD_SENSITIVITY = 2


@dataclass(frozen=True)
class GapThresholdLaw(ReleaseLaw):
    """The law of a label, or None; the value is [lead, label...], sensitivity of the leads over all labels in L1.

    The standard draw is one uniform number. Released is the label if lead + noise > bound, None otherwise.
    """

    scale: float
    bound: float
    kind: ClassVar[str] = "gap_threshold"
    norm: ClassVar[str] = "l1"

    def __post_init__(self) -> None:
        check_positive("scale", self.scale)
        check_positive("bound", self.bound)

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        return np.asarray(rng.random())

    def draw_shape(self, value: Array) -> tuple[int, ...]:
        return ()

    def can_draw(self, draw: Array) -> bool:
        return is_uniform(draw)

    def apply(self, value: Array, draw: Array) -> Any:
        noise = float(TruncatedLaplaceLaw(self.scale, self.bound).noise(draw))
        return value[1:].copy() if value[0] + noise > self.bound else None

    def can_release(self, value: Array, released: Any) -> bool:
        return released is None or np.shape(released) == value[1:].shape

    def shown(self, lead: float) -> float:
        """Return the probability that a label with this lead is shown."""
        return 1.0 - float(cdf(np.array(self.bound - lead), self.scale, self.bound))

    def log_likelihood(self, value: Array, released: Any) -> float:
        shown = self.shown(float(value[0]))
        if released is None:
            return math.log1p(-shown) if shown < 1.0 else -math.inf
        return math.log(shown) if shown > 0.0 and np.array_equal(released, value[1:]) else -math.inf

    def change(self, value: Array, other: Array) -> float:
        if np.array_equal(value[1:], other[1:]):
            return abs(float(value[0] - other[0]))
        return float(value[0] + other[0])


def labelled(lead: float, label: ArrayLike, size: int) -> NDArray[np.float64]:
    """Return the value that `GapThresholdLaw` takes: a lead and its label, padded to `size`; no label where the lead is 0."""
    value = np.zeros(1 + size)
    if lead > 0.0:
        entries = np.ravel(label)
        value[0], value[1 : 1 + len(entries)] = lead, entries
    return value
