"""Results of utility experiments as plain data: a table, notes and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Axis:
    """An axis of a plot."""

    label: str
    log: bool = False


@dataclass(frozen=True)
class Series:
    """Points (x, y, low, high) of a plot, low and high the ends of an interval for y or None.

    `marks` says how they are drawn: as points, as points joined by a line, or as a line alone: full,
    dashed (a level) or dotted (what the paper states).
    """

    name: str
    points: list[tuple[float, float, float | None, float | None]]
    marks: Literal["points", "joined", "line", "dashes", "dots"] = "joined"


@dataclass(frozen=True)
class Plot:
    """A plot of y against x."""

    title: str
    x: Axis
    y: Axis
    series: list[Series]
    kind: Literal["xy"] = "xy"


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, beside the one that it is compared with."""

    name: str
    value: float
    low: float
    high: float
    reference: float | None = None


@dataclass(frozen=True)
class Intervals:
    """A plot of intervals, one below the other; `reference` says what their reference values are."""

    title: str
    x: Axis
    estimates: list[Estimate]
    reference: str = ""
    kind: Literal["intervals"] = "intervals"


@dataclass(frozen=True)
class Experiment:
    """One utility experiment."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: Sequence[str] = ()
    plots: Sequence[Plot | Intervals] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the experiment as plain data for the JSON report."""
        return asdict(self)


def level(name: str, y: float, xs: Sequence[float]) -> Series:
    """Return a dashed horizontal line over these x."""
    return Series(name, [(min(xs), y, None, None), (max(xs), y, None, None)], "dashes")
