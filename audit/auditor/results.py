"""What goes into and comes out of an audit: claims, lower bounds, verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.curves import Curve
from dppca.audit.auditor.presentation import Presented
from dppca.audit.auditor.profile import Band, TradeOffBand, band_from_events, band_from_losses, trade_off_from_events
from dppca.reference.rigour.validation import as_floats, check_delta, check_real, plain_numbers, printable, shown

#: Letters of a value that an error quotes.
_LONGEST_VALUE = 60
#: Where bands are given if nothing else is asked for.
_EPSILONS, _LEVELS = tuple(i / 20 for i in range(81)), tuple(i / 50 for i in range(51))


@dataclass(frozen=True)
class Claim:
    """Claim (epsilon, delta)-differential privacy for the pair of datasets on which it is checked.

    Example:
        >>> import dppca.audit as audit
        >>> print(audit.Claim(epsilon=1.0, delta=1e-5))
        (1, 1e-05)-differential privacy
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        plain_numbers(self)
        if not 0.0 <= check_real("epsilon", "finite and >= 0", self.epsilon) < math.inf:
            raise ValueError(f"epsilon must be finite and >= 0, got {shown(self.epsilon)}")
        check_delta(self.delta, allow_zero=True)

    def __str__(self) -> str:
        return f"({self.epsilon:g}, {self.delta:g})-differential privacy"

    @property
    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the epsilons and the deltas that are claimed: one of each."""
        return np.array([float(self.epsilon)]), np.array([float(self.delta)])

    def epsilon_at(self, delta: float) -> float:
        """Return the epsilon that is claimed at the claim's delta; ValueError at another."""
        if delta != self.delta:
            raise ValueError(f"claim.delta must equal the bound's delta {shown(delta)}, got {shown(self.delta)}")
        return float(self.epsilon)


@dataclass(frozen=True)
class LowerBound(Presented):
    """Holds a lower bound: with probability `confidence` the mechanism is (e, delta)-DP on the pair for no e < epsilon.

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
        repeated: how many batches were run again: those that runs before this one left under way in the store, and the first
            of each dataset where this run found them there, as they must give what is stored.
        unchecked: what of the independence of trials was not checked, and why; empty where all was.
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
    repeated: int = field(default=0, compare=False)
    unchecked: str = field(default="", compare=False)

    def reservation(self) -> str:
        """Return what the bound rests on that was not checked, as the end of a sentence."""
        return ", if its trials are independent, which was not wholly checked" if self.unchecked and self.epsilon > 0.0 else ""

    def refutes(self, claim: Claim | Curve) -> bool:
        """Return whether the claim is false at this confidence, by what it says at the bound's delta."""
        if not isinstance(claim, Claim | Curve):
            raise ValueError(f"claim must be a Claim, got {described(claim)}")  # noqa: TRY004 - every refusal is a ValueError
        return self.epsilon > claim.epsilon_at(self.delta)


@dataclass(frozen=True, eq=False)
class Nested:
    """The test outputs in nested events S_1, S_2, ..., which were fixed before they were drawn.

    Attributes:
        on_data: how many outputs on the data lie in each event.
        on_neighbour: the same on the neighbour.
        trials: test outputs on each dataset.
        looks: how many times the run could have stopped.
        hits: outputs that the audit's event gave to the dataset that they are from; None where it was not counted.
        counters: outputs that it gave to the other one.
    """

    on_data: NDArray[np.int64]
    on_neighbour: NDArray[np.int64]
    trials: int
    looks: int
    hits: int | None = None
    counters: int | None = None


@dataclass(frozen=True, eq=False)
class Losses:
    """The privacy losses of test transcripts and the log-weights of the law that they were drawn from, each of shape (n,).

    `planned`: how many there would have been if the run had not stopped when its claim was refuted.
    """

    losses: NDArray[np.float64]
    log_weights: NDArray[np.float64]
    planned: int


@dataclass(frozen=True)
class Verdict(Presented):
    """Holds the outcome of a check: `str(verdict)` is REFUTED or NOT REFUTED, and `explain` says what that means.

    Attributes:
        refuted: whether the claim is refuted.
        bound: the lower bound on epsilon that the check found.
        claim: what was claimed.
        tested: what the test saw; `band` and `trade_off` estimate the privacy from it.
    """

    refuted: bool
    bound: LowerBound
    claim: Claim | Curve
    tested: Nested | Losses = field(repr=False)

    def __str__(self) -> str:
        return verdict_word(self.refuted)

    def explain(self) -> str:
        """Say in a few lines what was tested and found, what that means and does not mean, and what to try next."""
        parts = self.parts()
        next_steps = [f"Next: {step}" for step in parts["next"]]
        return "\n".join([self.headline(), *parts["tried"], *parts["certainty"], *next_steps])

    def parts(self) -> dict[str, list[str]]:
        """Return sentences: what was `tried`, what `certainty` the result has, what to do `next`."""
        unchecked = [f"Not checked: {self.bound.unchecked}."] if self.bound.unchecked else []
        return {"tried": [self._tested(), *unchecked], "certainty": self._meaning(), "next": self._next()}

    @property
    def point(self) -> Claim:
        """Return the point of the claim that was tested."""
        return Claim(self.claim.epsilon_at(self.bound.delta), self.bound.delta)

    def band(self, epsilons: Sequence[float] = _EPSILONS) -> Band:
        """Return delta(epsilon) as the test data estimate it, with a band that holds at all epsilons at once.

        It holds at the bound's confidence, for the pair in both directions, whatever was claimed. The lower edge holds for the
        mechanism on this pair; the upper one for the events of the audit alone.
        """
        grid = _grid("epsilons", epsilons, math.inf)
        if isinstance(self.tested, Losses):
            return band_from_losses(self.tested, grid, self.bound.confidence)
        return band_from_events(self.tested, grid, self.bound.confidence)

    def trade_off(self, levels: Sequence[float] = _LEVELS) -> TradeOffBand:
        """Return the trade-off function of the output view with a band that holds at all levels, and together with `band`."""
        if isinstance(self.tested, Losses):
            raise ValueError("trade_off must be asked of a verdict of audit.check: transcripts have no upper limits")  # noqa: TRY004
        return trade_off_from_events(self.tested, _grid("levels", levels, 1.0), self.bound.confidence)

    def headline(self) -> str:
        """Return the verdict with the claim and the bound, in one line."""
        found = "no epsilon holds" if math.isinf(self.bound.epsilon) else f"epsilon is at least {self.bound.epsilon:.4g}"
        at = f", which includes {self.point}" if isinstance(self.claim, Curve) else ""
        return (
            f"{self}: {self.claim} was claimed{at}; "
            f"{found} on this pair of datasets, with {100 * self.bound.confidence:g} % confidence{self.bound.reservation()}"
        )

    def _tested(self) -> str:
        what, of = ("transcripts", self.tested) if isinstance(self.tested, Losses) else ("outputs", self.tested)
        repeated = self.bound.repeated
        again = f" ({repeated:,} {'batch was' if repeated == 1 else 'batches were'} run again)" if repeated else ""
        text = (
            f"Tested: {what} of {self.bound.trials:,} runs for each dataset{again}, seed {self.bound.seed}. "
            f"Event: {self.bound.event}."
        )
        if isinstance(of, Losses):
            above = int(np.sum(of.losses > self.point.epsilon))
            return f"{text} Of {len(of.losses):,} test transcripts, {above:,} have a privacy loss above the claimed epsilon."
        if of.hits is None or of.counters is None:
            return text
        return (
            f"{text} Shown {2 * of.trials:,} fresh outputs, half of them from each dataset, the event named a dataset "
            f"{of.hits + of.counters:,} times: {of.hits:,} right, {of.counters:,} wrong."
        )

    def _meaning(self) -> list[str]:
        if self.bound.secrets:
            shown = ", ".join(self.bound.secrets)
            return [
                f"The bound is for an adversary who is shown secret draws ({shown}), so it refutes nothing that rests on them."
            ]
        if not self.refuted:
            return [
                "This run found nothing against the claim. It does not show that the claim is true: another pair of datasets, "
                "another event or more trials may refute it."
            ]
        lines = [f"A claim that is true is refuted with probability at most {1.0 - self.bound.confidence:.2g}."]
        if self.bound.ideal is not None:
            lines.append(f"The event is the rounding of floats; without it the bound is {self.bound.ideal:.4g}.")
        return lines

    def _next(self) -> list[str]:
        transcript = isinstance(self.tested, Losses)
        if self.bound.secrets:
            return ["audit the outputs with audit.check, which shows no secrets."]
        if self.refuted:
            rounding = self.bound.ideal is not None and self.bound.ideal <= self.point.epsilon
            return [
                'pass floats="ideal" to leave rounding out, and sample the noise on a grid to repair it.'
                if rounding
                else "compare the sensitivity that the noise is scaled to with how far this pair moves what the event sees; "
                "repeat the audit with another seed."
            ]
        search = "transcript_lower_bound_over_pairs" if transcript else "lower_bound_over_pairs"
        steps = [
            f"look for a worse pair of datasets with audit.{search} (dppca audit --pairs), or pass more trials or seconds."
        ]
        if not isinstance(self.tested, Losses) and self.tested.hits == self.tested.counters == self.tested.trials:
            steps.insert(
                0, "all outputs lie in the event: see that the mechanism returns what it releases, and features keep it."
            )
        if not transcript and isinstance(self.claim, Claim) and 0.0 < self.claim.delta < 10.0 / self.bound.trials:
            steps.append(
                "events of probability delta are too rare for this many outputs; record the releases through the seam "
                "and use audit.transcript_check."
            )
        return steps


def assert_not_refuted(verdict: Verdict) -> None:
    """Raise an AssertionError with the verdict's explanation if a check has refuted its claim.

    For tests: pytest shows the whole explanation, where it would cut the comparison of an `assert`.

    Example:
        >>> import dppca.audit as audit
        >>> def noisy_sum(data, rng):
        ...     return sum(data) + rng.laplace(scale=1.0)
        >>> verdict = audit.check(noisy_sum, [1, 0, 1], [1, 0, 0], audit.Claim(epsilon=1.0), trials=2_000)
        >>> audit.assert_not_refuted(verdict)
    """
    __tracebackhide__ = True
    if not isinstance(verdict, Verdict):
        raise ValueError(  # noqa: TRY004 - every refusal is a ValueError
            f"verdict must be what audit.check or audit.transcript_check returned, got {described(verdict)}"
        )
    if verdict.refuted:
        raise AssertionError(verdict.explain())


def _grid(name: str, values: Sequence[float], most: float) -> list[float]:
    """Return a grid of numbers from 0 to the largest that is allowed; ValueError for anything else."""
    grid = as_floats(name, values)
    if grid.ndim != 1 or not len(grid) or not ((grid >= 0.0) & (grid <= most)).all():
        raise ValueError(f"{name} must be numbers in [0, {most:g}], at least one, got {shown(values)}")
    return [float(value) for value in grid]


def described(value: Any) -> str:
    """Return a value in few words, for an error of one line."""
    text, kind = shown(value), printable(type(value).__name__)
    return f"an object of type {kind}" if callable(value) or len(text) > _LONGEST_VALUE else f"{text} of type {kind}"


def verdict_word(refuted: bool) -> str:
    """Return the two words that a verdict can be."""
    return "REFUTED" if refuted else "NOT REFUTED"
