"""What goes into and comes out of an audit: claims, lower bounds, verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dppca.reference.primitives.validation import check_delta


@dataclass(frozen=True)
class Claim:
    """A privacy claim: (epsilon, delta)-DP for the pair of datasets it is checked on."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.epsilon < float("inf"):
            raise ValueError(f"epsilon must be finite and >= 0, got {self.epsilon!r}")
        check_delta(self.delta, allow_zero=True)


@dataclass(frozen=True)
class LowerBound:
    """With probability `confidence`, the mechanism is not (e, delta)-DP on the pair for any e < epsilon.

    Attributes:
        epsilon: the bound; 0.0 where nothing could be shown, inf where no epsilon can hold.
        delta: the delta it is for, fixed in advance.
        confidence: after everything that was chosen from data.
        trials: runs per dataset, discovery included.
        seconds: wall time.
        event: what separates the two datasets, in words.
        seed: entropy of the audit's seed sequence.
        method: how the bound was computed.
        secrets: secret draws that the adversary of this bound was shown; where not empty, the bound may not
            refute a claim that rests on them.
        ideal: where the event is the rounding of floats, the bound without it: that of outputs on a coarser grid, at the
            same confidence. Otherwise None.
    """

    epsilon: float
    delta: float
    confidence: float
    trials: int
    seconds: float
    event: str
    seed: int
    method: str
    secrets: tuple[str, ...] = field(default=())
    ideal: float | None = None

    def refutes(self, claim: Claim) -> bool:
        """Whether the claim is false at this confidence. The deltas must be equal."""
        if claim.delta != self.delta:
            raise ValueError(f"claim.delta must equal the bound's delta {self.delta!r}, got {claim.delta!r}")
        return self.epsilon > claim.epsilon


@dataclass(frozen=True, eq=False)
class Nested:
    """Test outputs in nested events S_1, S_2, ..., which were fixed before they were drawn.

    Attributes:
        on_data: how many outputs on the data lie in each event.
        on_neighbour: the same on the neighbour.
        trials: test outputs on each dataset.
        looks: how many times the run could have stopped.
    """

    on_data: NDArray[np.int64]
    on_neighbour: NDArray[np.int64]
    trials: int
    looks: int


@dataclass(frozen=True, eq=False)
class Losses:
    """Privacy losses of test transcripts and the log-weights of the law that they were drawn from, each of shape (n,).

    `planned`: how many there would have been if the run had not stopped when its claim was refuted.
    """

    losses: NDArray[np.float64]
    log_weights: NDArray[np.float64]
    planned: int


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check: `str(verdict)` is REFUTED or NOT REFUTED; `tested` estimates the privacy profile."""

    refuted: bool
    bound: LowerBound
    claim: Claim
    tested: Nested | Losses = field(repr=False)

    def __str__(self) -> str:
        return verdict_word(self.refuted)


def verdict_word(refuted: bool) -> str:
    """The two words that a verdict can be."""
    return "REFUTED" if refuted else "NOT REFUTED"
