"""Setups of the catalogue's algorithms: bound to an instance's reading and target, on a pair of datasets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from numpy.typing import NDArray

from dppca.audit.auditor.outputs import Features
from dppca.audit.suite.instance import Exact, Instance, Output, Profile, Setup, Transcript, sampled
from dppca.audit.suite.marginal import with_start
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm

#: The profile of an instance's pair, where it is known.
Curve: TypeAlias = Callable[[Instance], Profile | None]


def no_curve(_: Instance) -> None:
    """Return no profile: the pair's is not known."""


def target(of: Instance) -> dict[str, Any]:
    """Return what the algorithm is calibrated for: the instance's target, epsilon alone where the algorithm has no delta."""
    aim = of.target or of.claim
    named = ALGORITHMS[of.algorithm].example.arguments
    return {name: value for name, value in (("epsilon", aim.epsilon), ("delta", aim.delta)) if name in named}


def calibrated(of: Instance, **sizes: Any) -> Any:
    """Return the calibration of an instance's reading for its target at these sizes."""
    entry = ALGORITHMS[of.algorithm]
    if entry.calibrate is None:
        raise TypeError(f"{of.algorithm} must have a calibration")
    return entry.calibrate(**target(of), **sizes, choices=entry.choices[of.choice])


@dataclass(frozen=True)
class OnPair:
    """The algorithm of an instance on a pair of datasets.

    Attributes:
        name: the pair, in words.
        pair: the two datasets.
        sizes: what `bind` takes besides the target.
        curve: the pair's profile, where it is known.
        start: a start vector, where the algorithm draws one.
        readings: readings that the catalogue does not have.
    """

    name: str
    pair: tuple[Any, Any]
    sizes: Mapping[str, Any]
    curve: Curve = no_curve
    start: NDArray[Any] | None = None
    readings: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self, of: Instance) -> dict[str, Any]:
        """Return what `bind` takes, but for the reading."""
        return {**target(of), **self.sizes}

    def run(self, of: Instance) -> Algorithm[Any]:
        """Return the algorithm."""
        entry = ALGORITHMS[of.algorithm]
        bound = entry.bind(**self.arguments(of), choices={**entry.choices, **self.readings}[of.choice])
        return bound if self.start is None else with_start(bound, self.start)

    def exact(self, decide: Callable[[Instance], Exact]) -> Setup:
        """Return the exact view of the pair."""
        return Setup("exact", self.name, decide)

    @property
    def transcript(self) -> Setup:
        """The view of all releases."""
        return Setup("transcript", self.name, lambda of: Transcript(self.run(of), *self.pair, self.curve(of)))

    def output(self, name: str, features: Features | None = None, *, reference_only: bool = False) -> Setup:
        """Return the view of the output, whose features are compared; no other implementation runs what is `reference_only`."""

        def how(of: Instance) -> Output:
            mechanism, arguments = sampled(self.run(of)), None if reference_only else self.arguments(of)
            return Output(mechanism, *self.pair, features, arguments, start=self.start, profile=self.curve(of))

        return Setup("output", name, how)
