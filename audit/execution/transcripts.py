"""Two runs of an algorithm against one shared transcript, with the transcript drawn where the loss is large.

The two runs are coroutines (greenlets): at every release both values are known before anything is drawn, so
the release can be drawn from the law r proportional to p^(1 + tilt) q^(-tilt), where p and q are its laws on
the two datasets. The algorithm stays a plain function. `dppca.reference.noise.lockstep` does the same without
tilting and without coroutines, by running twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from greenlet import GreenletExit, getcurrent, greenlet
from numpy.typing import NDArray
from scipy.special import logsumexp

from dppca.reference.noise import (
    Algorithm,
    Array,
    ExponentialLaw,
    GaussianLaw,
    LaplaceLaw,
    Noise,
    ReleaseLaw,
    Role,
    draw_independent,
)

#: A loss is reported lower by this part of the magnitude of the log-likelihoods it was computed from.
_ROUNDING = 32 * 2.0**-53
#: Outputs that differ by this part of a number are the same, or by this part of the largest number beside it.
_OUTPUT_ROUNDING, _ROUNDING_OF_LARGEST = 1e-9, 1e-12
#: A loss beyond this is reported as this.
_LARGEST_LOSS = 1e300
_NUMBERS = (bool, int, float, complex, np.number, np.bool_, np.ndarray)


class _Independent(NamedTuple):
    role: Role
    name: str
    law: str
    shape: tuple[int, ...]


class _Release(NamedTuple):
    name: str
    value: Array
    law: ReleaseLaw


@dataclass(frozen=True)
class Drawn:
    """A transcript drawn from the tilted law.

    Attributes:
        loss: log p(transcript) - log q(transcript), p on data and q on the neighbour, less what rounding may have
            added; inf if q = 0.
        log_weight: log p(transcript) - log r(transcript), r the tilted law.
        scale: variance-like measure of the tilted releases: the loss moves by tilt * scale on average.
        excess: their loss, less its mean without a tilt.
        secrets: names of the secret draws, which both runs shared, or at which they part.
        outputs: what the two runs returned; None where one did not end, since the transcript is impossible on the neighbour.
    """

    loss: float
    log_weight: float
    scale: float
    excess: float
    secrets: tuple[str, ...]
    outputs: tuple[Any, Any] | None = None


class _Side(Noise):
    """Hands every request to the coordinator and waits for its answer."""

    def __init__(self, coordinator: greenlet) -> None:
        super().__init__()
        self._coordinator = coordinator

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Array:
        self._claim(name)
        answer: Array = self._coordinator.switch(_Independent(role, name, law, shape))
        return answer.copy()

    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any:
        answer = self._coordinator.switch(_Release(name, value, law))
        return answer.copy() if isinstance(answer, np.ndarray) else answer


def draw_transcript(
    algorithm: Algorithm[Any],
    data: Any,
    neighbour: Any,
    rng: np.random.Generator,
    tilt: float = 0.0,
    *,
    share: float = 0.0,
    released: list[Any] | None = None,
) -> Drawn:
    """Run on both datasets against one transcript drawn from the tilted law of the first.

    Args:
        algorithm: callable (data, noise) -> output.
        data: dataset under which the transcript is drawn.
        neighbour: the other dataset.
        rng: source of all draws.
        tilt: >= 0; 0 draws from the algorithm's own law.
        share: of the transcripts, drawn without the tilt: r is the mixture, so no weight exceeds 1 / share.
        released: gets what was released, if given.
    """
    tilted = tilt > 0.0 and not (share > 0.0 and rng.random() < share)
    coordinator = getcurrent()
    runs = tuple(greenlet(lambda side, d=d: algorithm(d, side)) for d in (data, neighbour))
    sides = tuple(_Side(coordinator) for _ in runs)
    loss = log_weight = scale = excess = size = 0.0
    outputs: tuple[Any, Any] | None = None
    secrets: list[str] = []
    try:
        first, second = (run.switch(side) for run, side in zip(runs, sides, strict=True))
        while not (runs[0].dead and runs[1].dead):
            if runs[0].dead or runs[1].dead or not _same_request(first, second):
                loss = math.inf  # what the neighbour would have asked for next is not what data asks for
                pending = (request for run, request in zip(runs, (first, second), strict=True) if not run.dead)
                secrets += [r.name for r in pending if isinstance(r, _Independent) and r.role == "secret"]
                break
            if isinstance(first, _Independent):
                answer: Any = draw_independent(rng, first.law, first.shape)
                if first.role == "secret":
                    secrets.append(first.name)
            else:
                answer, log_p_over_q, log_p_over_r, moved, above, magnitude = _draw_release(first, second, rng, tilt, tilted)
                loss += log_p_over_q
                size += magnitude
                log_weight += log_p_over_r
                scale += moved
                excess += above
                if released is not None:
                    released.append(answer)
                if loss == math.inf:
                    break
            first, second = runs[0].switch(answer), runs[1].switch(answer)
        else:
            outputs = (first, second)
    finally:
        for run in runs:
            if not run.dead:
                run.throw(GreenletExit)
    if tilt > 0.0 and share > 0.0:
        log_weight = -float(np.logaddexp(math.log(share), math.log1p(-share) - log_weight))
    return Drawn(loss - _ROUNDING * size, log_weight, scale, excess, tuple(dict.fromkeys(secrets)), outputs)


def agree(first: Any, second: Any) -> bool:
    """Return whether two outputs are the same but for rounding; so are two whose type says nothing of equality."""
    try:
        return _agree(first, second)
    except Exception:  # noqa: BLE001 - whatever the objects of others raise
        return True


def _agree(first: Any, second: Any) -> bool:
    if isinstance(first, _NUMBERS) and isinstance(second, _NUMBERS):
        return _agree_as_numbers(np.asarray(first), np.asarray(second))
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(_agree, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(_agree(first[key], second[key]) for key in first)
    if type(first) is type(second) and callable(getattr(first, "to_numpy", None)):  # a table or a column of one
        tables = [[np.asarray(table.to_numpy()), *map(np.asarray, getattr(table, "axes", ()))] for table in (first, second)]
        return _agree(*tables)
    if type(first) is type(second) and not callable(first) and (state := first.__getstate__()):
        return _agree(state, second.__getstate__())
    says_nothing = getattr(type(first), "__eq__", None) is object.__eq__
    return type(first) is type(second) and (says_nothing or bool(first == second))


def _agree_as_numbers(first: NDArray[Any], second: NDArray[Any]) -> bool:
    if first.shape != second.shape or {first.dtype.kind, second.dtype.kind}.isdisjoint("fc"):
        return np.array_equal(first, second)
    if np.array_equal(first, second):  # as it mostly is, and quicker to see
        return True
    largest = np.abs(first[np.isfinite(first)]).max(initial=0.0)
    return np.allclose(first, second, rtol=_OUTPUT_ROUNDING, atol=_ROUNDING_OF_LARGEST * largest, equal_nan=True)


def _same_request(first: Any, second: Any) -> bool:
    if type(first) is not type(second) or first.name != second.name:
        return False
    if isinstance(first, _Independent):
        return bool(first == second)
    laws = (first.law, second.law)
    if type(laws[0]) is not type(laws[1]) and not all(isinstance(law, (GaussianLaw, LaplaceLaw)) for law in laws):
        return False
    shapes = [law.draw_shape(request.value) for law, request in zip(laws, (first, second), strict=True)]
    return shapes[0] == shapes[1] or not first.law.shape_is_public


@np.errstate(under="ignore")
def _draw_release(
    first: _Release, second: _Release, rng: np.random.Generator, tilt: float, tilted: bool
) -> tuple[Any, float, float, float, float, float]:
    """Return (release, log p/q, log p/r, scale, excess, magnitude of what log p/q was computed from) for one release.

    r is the law with the tilt, whether or not (`tilted`) it is drawn from.
    """
    law = first.law
    if isinstance(law, GaussianLaw) and isinstance(second.law, GaussianLaw) and law.std == second.law.std > 0.0:
        # r = N(v + tilt (v - w), std^2); with m = |v - w|^2 / std^2 and loss l: log p/r = -tilt l + tilt (1 + tilt) m / 2
        gap = (first.value - second.value) / law.std
        z = rng.standard_normal(gap.shape)
        with np.errstate(over="ignore"):
            m = float(np.vdot(gap, gap))
        if m > _LARGEST_LOSS:  # so is the loss, whatever is drawn
            return first.value + law.std * z, _LARGEST_LOSS, 0.0, 0.0, 0.0, 0.0
        drawn = z + tilt * gap if tilted else z
        moved = float(np.vdot(gap, drawn))
        loss = moved + 0.5 * m
        log_p_over_r = -tilt * loss + 0.5 * tilt * (1.0 + tilt) * m
        return first.value + law.std * drawn, loss, log_p_over_r, m, moved, abs(loss) + m
    if isinstance(law, ExponentialLaw) and law == second.law and first.value.shape == second.value.shape:
        p, q = (law.multiplier * side.value for side in (first, second))
        p, q = p - logsumexp(p), q - logsumexp(q)
        r = (1.0 + tilt) * p - tilt * q
        r -= logsumexp(r)
        index = int(rng.choice(len(r), p=np.exp(r if tilted else p)))
        mean = float(np.exp(p) @ (p - q))
        scale = float(np.exp(p) @ (p - q) ** 2 - mean**2)
        size = float(abs(p[index]) + abs(q[index]) + np.max(np.abs(law.multiplier * first.value)))
        loss = float(p[index] - q[index])
        return index, loss, float(p[index] - r[index]), scale, loss - mean, size
    released = law.apply(first.value, law.draw(first.value, rng))
    own, other = law.log_likelihood(first.value, released), second.law.log_likelihood(second.value, released)
    return released, own - other, 0.0, 0.0, 0.0, abs(own) + (abs(other) if other > -math.inf else 0.0)
