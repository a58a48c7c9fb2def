"""The audits that look for planted bugs: one class a view, each with its standard budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.engine.output_view import check
from dppca.audit.engine.outputs import Features
from dppca.audit.engine.results import Claim
from dppca.audit.engine.transcript_view import transcript_check
from dppca.reference.noise import Algorithm, TapeError, lockstep, record, replay

#: Every sampled verdict of the table holds with this confidence.
CONFIDENCE = 1.0 - 1e-4
SEED = 20240601


@dataclass(frozen=True)
class Finding:
    """Whether an audit objects, what it saw, and how many runs per dataset that took (0: nothing was sampled)."""

    caught: bool
    seen: str
    trials: int


@dataclass(frozen=True)
class Exact:
    """An inequality that the claim rests on, computed: both sides, to hold up to rounding."""

    sides: Callable[[], tuple[float, float]]
    view: ClassVar[str] = "exact"
    standard: ClassVar[int] = 0

    def run(self, trials: int) -> Finding:  # noqa: ARG002 - one interface
        """Caught where the left side exceeds the right one."""
        left, right = self.sides()
        return Finding(left > right * (1.0 + 1e-9), f"{left:.4g} against {right:.4g}", 0)


@dataclass(frozen=True)
class Sensitivity:
    """Both datasets against one transcript: what a release moves by, beside what it declares."""

    algorithm: Algorithm[Any]
    data: Any
    neighbour: Any
    view: ClassVar[str] = "sensitivity"
    standard: ClassVar[int] = 20

    def run(self, trials: int) -> Finding:
        """Caught at the first release that moves by more than it declares; an input that is refused is no finding."""
        largest = 0.0
        for done in range(1, trials + 1):
            try:
                found = lockstep(self.algorithm, self.data, self.neighbour, np.random.default_rng([SEED, done]))
            except ValueError as error:
                return Finding(False, f"refused: {str(error).split(',', maxsplit=1)[0]}", done)
            largest = max([largest, *(release.change / release.sensitivity for release in found.releases)])
            if found.violations:
                return Finding(True, f"change / declared = {largest:.3g}", done)
        return Finding(False, f"change / declared = {largest:.3g}", trials)


@dataclass(frozen=True)
class Tape:
    """A run, and the same run again from its tape."""

    algorithm: Algorithm[Any]
    data: Any
    view: ClassVar[str] = "tape"
    standard: ClassVar[int] = 3

    def run(self, trials: int) -> Finding:
        """Caught where the second run asks for other draws, or ends elsewhere."""
        for done in range(1, trials + 1):
            output, tape = record(self.algorithm, self.data, np.random.default_rng([SEED, done]))
            try:
                again = replay(self.algorithm, self.data, tape)
            except TapeError as error:
                return Finding(True, str(error), done)
            if not np.array_equal(output, again):
                return Finding(True, "the replay ends elsewhere", done)
        return Finding(False, "the replay ends alike", trials)


@dataclass(frozen=True)
class Transcript:
    """The transcript view."""

    algorithm: Algorithm[Any]
    data: Any
    neighbour: Any
    claim: Claim
    view: ClassVar[str] = "transcript"
    standard: ClassVar[int] = 1000

    def run(self, trials: int) -> Finding:
        """Caught where the claim is refuted and no secret was shown to the adversary."""
        verdict = transcript_check(
            self.algorithm, self.data, self.neighbour, self.claim, trials=trials, confidence=CONFIDENCE, seed=SEED
        )
        seen = f"epsilon > {verdict.bound.epsilon:.3f}" + (", secrets shown" if verdict.bound.secrets else "")
        return Finding(verdict.refuted, seen, verdict.bound.trials)


@dataclass(frozen=True)
class Output:
    """The output view."""

    mechanism: Any
    data: Any
    neighbour: Any
    claim: Claim
    features: Features | None = None
    view: ClassVar[str] = "output"
    standard: ClassVar[int] = 10_000

    def run(self, trials: int) -> Finding:
        """Caught where the claim is refuted."""
        verdict = check(
            self.mechanism,
            self.data,
            self.neighbour,
            self.claim,
            trials=trials,
            confidence=CONFIDENCE,
            seed=SEED,
            features=self.features,
        )
        return Finding(verdict.refuted, f"epsilon > {verdict.bound.epsilon:.3f}", verdict.bound.trials)


Audit: TypeAlias = Exact | Sensitivity | Tape | Transcript | Output


def shown(algorithm: Algorithm[Any]) -> Callable[[Any, np.random.Generator], NDArray[np.float64]]:
    """An algorithm as a mechanism that shows everything that it releases, as one vector; all releases are arrays."""

    def mechanism(data: Any, rng: np.random.Generator) -> NDArray[np.float64]:
        _, tape = record(algorithm, data, rng)
        return np.concatenate([np.ravel(entry.released) for entry in tape.entries if entry.role == "release"])

    return mechanism
