"""The rounds of liu2022's search for step sizes: which pairs of constants each tries, and what they may spend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dppca.reference.arguments import checked
from dppca.reference.primitives.composition import Guarantee
from dppca.reference.rigour.outwards import divide_down

if TYPE_CHECKING:
    from dppca.reference.liu2022.hyperparameter_search import Choices


@dataclass(frozen=True)
class Round:
    """The pairs (c_1, c_2) of one round and what each may spend, on training and on its score."""

    pairs: tuple[tuple[float, float], ...]
    each: Guarantee


@checked
def schedule(i: int, epsilon: float, delta: float, choices: Choices) -> Round:
    """Return round i >= 1: pairs of powers of 2 on the border of the square of exponents [-(i - 1), i - 1]^2, and their share.

    As published the corners are listed twice, and R rounds spend 2 epsilon (1 - 2^-R). Corrected: round i has max(1, 8 (i - 1))
    distinct pairs, which share epsilon / 2^i.
    """
    edge = i - 1
    inside = [2.0**e for e in range(-edge, edge + 1)]
    ends = (2.0**edge, 2.0**-edge)
    listed = [(c_1, c_2) for c_1 in ends for c_2 in inside] + [(c_1, c_2) for c_1 in inside for c_2 in ends]
    if choices.schedule == "printed":
        shares = 2.0 ** (i + 1) * (2 * i - 1)
    else:
        listed = list(dict.fromkeys(listed))
        shares = 2.0**i * len(listed)
    return Round(tuple(listed), Guarantee(divide_down(epsilon, shares), divide_down(delta, shares)))
