"""What the catalogue says of an algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dppca.reference.noise import Algorithm


@dataclass(frozen=True)
class Example:
    """A small worked instance: a dataset, a neighbour of it, and the arguments of `bind`."""

    data: Any
    neighbour: Any
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """One algorithm.

    Attributes:
        paper: key of the paper, e.g. "wang2020".
        number: its number there, e.g. "Algorithm 1", or the section that describes it.
        title: its name there.
        function: the transcription.
        calibrate: from a privacy target to noise scales; returns what it assumed. None where one formula
            in the algorithm's own signature does it.
        choices: names of readings of the paper to instances of the algorithm's Choices.
        adjacency: the neighbouring relation of the privacy claim.
        claims: ids in proofs_notes/claims.toml of the main claims about this algorithm.
        bind: (**arguments, choices=...) -> callable (data, noise) -> output, calibrated.
        example: a small worked instance.
        lines: how many lines the algorithm has as printed; 0 if print gives no numbered lines.
    """

    paper: str
    number: str
    title: str
    function: Callable[..., Any]
    calibrate: Callable[..., Any] | None
    choices: Mapping[str, Any]
    adjacency: str
    claims: tuple[str, ...]
    bind: Callable[..., Algorithm[Any]]
    example: Example
    lines: int
