"""The noise interface: every random draw and every release of every algorithm is made through it.

An algorithm is a plain function whose last argument is a `Noise`. It draws nothing by itself; it asks for

* *public* randomness: independent of the data and known to the adversary (a start vector, a grid offset),
* *secret* randomness: independent of the data and hidden (a permutation, a sampled index, which rows are in a batch),
* *releases*: a value that depends on the data, the law of what is shown instead of it, and the sensitivity
  that the algorithm claims for the value.

Interpreters of that interface:

=============  ====================================================================================
`Sample`       draws from a numpy Generator
`Record`       draws, and writes the `Tape` of what was drawn and what was released
`Replay`       runs an algorithm on the standard draws of a tape
`Condition`    runs an algorithm on a dataset against the releases of a tape; sums their log-likelihood
`lockstep`     two neighbouring datasets against one shared transcript: each release's observed change
               beside the sensitivity declared for it, and the exact privacy loss
=============  ====================================================================================

Every name may be used once per run, so a tape is a sequence of uniquely named entries.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

Array: TypeAlias = NDArray[Any]
Role: TypeAlias = Literal["public", "secret", "release"]
Output = TypeVar("Output")

#: Relative slack when an observed change is compared with a declared sensitivity: rounding only.
SENSITIVITY_SLACK = 1e-9
_EPSILON = 2.0**-52
#: Types of the numbers on a tape.
_TYPES = ("float64", "int64", "int32", "bool")
_LOG_2PI = math.log(2.0 * math.pi)


class TapeError(ValueError):
    """The error for a tape that does not fit the run: wrong name, role, law or shape, or a missing or unread entry.

    `secret` names the secret draw at which a run and a tape part, if it is one.
    """

    def __init__(self, message: str, secret: str | None = None) -> None:
        super().__init__(message)
        self.secret = secret


# --- laws of releases ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReleaseLaw(ABC):
    """The law of what is released in place of a value; its fields are the parameters of the law.

    A law splits sampling into a *standard draw*, which does not depend on the data, and a deterministic
    `apply`, so that a tape of standard draws determines a run.
    """

    kind: ClassVar[str]
    norm: ClassVar[str]
    #: Whether the shape of the standard draw follows from what is released.
    shape_is_public: ClassVar[bool] = True

    @abstractmethod
    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        """Return a standard draw for a value of this shape."""

    @abstractmethod
    def apply(self, value: Array, draw: Array) -> Any:
        """Return what is released for this value and this standard draw."""

    @abstractmethod
    def log_likelihood(self, value: Array, released: Any) -> float:
        """Return the log-density (or log-mass) of the release, given the value; -inf where it is impossible."""

    @abstractmethod
    def change(self, value: Array, other: Array) -> float:
        """Return the distance between two values in the norm in which this law's sensitivity is stated."""

    def draw_shape(self, value: Array) -> tuple[int, ...]:
        """Return the shape of the standard draw for a value."""
        return value.shape

    def can_release(self, value: Array, released: Any) -> bool:
        """Return whether something has the form of a release for this value, likely or not."""
        return True

    def can_draw(self, draw: Array) -> bool:
        """Return whether something of the right shape can be a standard draw."""
        return draw.dtype.kind == "f" and bool(np.isfinite(draw).all())


@dataclass(frozen=True)
class GaussianLaw(ReleaseLaw):
    """The law of value + N(0, std^2 I); sensitivity in the L2 norm. std = 0 releases the value itself."""

    std: float
    kind: ClassVar[str] = "gaussian"
    norm: ClassVar[str] = "l2"

    def __post_init__(self) -> None:
        if not 0.0 <= self.std < math.inf:
            raise ValueError(f"std must be finite and >= 0, got {self.std!r}")

    def can_release(self, value: Array, released: Any) -> bool:
        return bool(released is not None and np.shape(released) == value.shape)

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        return np.asarray(rng.standard_normal(value.shape))

    def apply(self, value: Array, draw: Array) -> Any:
        return (value + self.std * draw)[()]

    def log_likelihood(self, value: Array, released: Any) -> float:
        if self.std == 0.0:
            return 0.0 if np.array_equal(released, value) else -math.inf
        z = (np.asarray(released, dtype=float) - value) / self.std
        return float(-0.5 * np.sum(z * z) - z.size * (0.5 * _LOG_2PI + math.log(self.std)))

    def change(self, value: Array, other: Array) -> float:
        return float(np.linalg.norm(np.ravel(value - other)))


@dataclass(frozen=True)
class LaplaceLaw(ReleaseLaw):
    """The law of value + Laplace(scale) in every entry; sensitivity in the L1 norm."""

    scale: float
    kind: ClassVar[str] = "laplace"
    norm: ClassVar[str] = "l1"

    def __post_init__(self) -> None:
        if not 0.0 < self.scale < math.inf:
            raise ValueError(f"scale must be finite and > 0, got {self.scale!r}")

    def can_release(self, value: Array, released: Any) -> bool:
        return bool(released is not None and np.shape(released) == value.shape)

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        return np.asarray(rng.laplace(size=value.shape))

    def apply(self, value: Array, draw: Array) -> Any:
        return (value + self.scale * draw)[()]

    def log_likelihood(self, value: Array, released: Any) -> float:
        z = np.abs(np.asarray(released, dtype=float) - value) / self.scale
        return float(-np.sum(z) - z.size * math.log(2.0 * self.scale))

    def change(self, value: Array, other: Array) -> float:
        return float(np.sum(np.abs(value - other)))


@dataclass(frozen=True)
class ThresholdedLaplaceLaw(ReleaseLaw):
    """The law of a scalar plus Laplace(scale) where the sum exceeds a threshold, otherwise None (suppressed)."""

    scale: float
    threshold: float
    kind: ClassVar[str] = "thresholded_laplace"
    norm: ClassVar[str] = "abs"

    def __post_init__(self) -> None:
        if not 0.0 < self.scale < math.inf:
            raise ValueError(f"scale must be finite and > 0, got {self.scale!r}")
        if not math.isfinite(self.threshold):
            raise ValueError(f"threshold must be finite, got {self.threshold!r}")

    def can_release(self, value: Array, released: Any) -> bool:
        return bool(np.shape(released) == ())

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        if value.shape != ():
            raise ValueError(f"value must be a scalar, got shape {value.shape}")
        return np.asarray(rng.laplace())

    def apply(self, value: Array, draw: Array) -> Any:
        noisy = float(value + self.scale * draw)
        return noisy if noisy > self.threshold else None

    def log_likelihood(self, value: Array, released: Any) -> float:
        if released is None:
            z = (self.threshold - float(value)) / self.scale  # log of the Laplace distribution function
            return math.log(0.5) + z if z < 0 else math.log1p(-0.5 * math.exp(-z))
        if released <= self.threshold:
            return -math.inf
        return -abs(float(released) - float(value)) / self.scale - math.log(2.0 * self.scale)

    def change(self, value: Array, other: Array) -> float:
        return float(abs(value - other))


@dataclass(frozen=True)
class ExponentialLaw(ReleaseLaw):
    """The law of an index of probability proportional to exp(multiplier * score); sensitivity per score.

    The standard draw is a vector of Gumbel variables: the index of the largest noisy score has this law.
    """

    multiplier: float
    kind: ClassVar[str] = "exponential"
    norm: ClassVar[str] = "linf"
    shape_is_public: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0.0 < self.multiplier < math.inf:
            raise ValueError(f"multiplier must be finite and > 0, got {self.multiplier!r}")

    def can_release(self, value: Array, released: Any) -> bool:
        return isinstance(released, int) and released >= 0

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        if value.ndim != 1 or value.size == 0:
            raise ValueError(f"scores must be a non-empty vector, got shape {value.shape}")
        return np.asarray(rng.gumbel(size=value.shape))

    def apply(self, value: Array, draw: Array) -> Any:
        return int(np.argmax(self.multiplier * value + draw))

    def log_likelihood(self, value: Array, released: Any) -> float:
        scores = self.multiplier * value
        return float(scores[released] - logsumexp(scores)) if released < len(scores) else -math.inf

    def change(self, value: Array, other: Array) -> float:
        return float(np.max(np.abs(value - other))) if value.shape == other.shape else math.inf


# --- the interface ------------------------------------------------------------------------------------


class Noise(ABC):
    """The interface through which an algorithm draws and releases. Every method takes the draw's name first."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    # public and secret randomness

    def public_normal(self, name: str, shape: Sequence[int]) -> Array:
        """Return standard normal draws known to the adversary, shape as given."""
        return self._independent("public", name, "normal", tuple(shape))

    def public_uniform(self, name: str, shape: Sequence[int]) -> Array:
        """Return draws uniform on [0, 1) known to the adversary, shape as given."""
        return self._independent("public", name, "uniform", tuple(shape))

    def secret_permutation(self, name: str, n: int) -> Array:
        """Return a hidden uniform permutation of 0..n-1, shape (n,)."""
        return self._independent("secret", name, f"permutation({_positive('n', n)})", (n,))

    def secret_integers(self, name: str, high: int, shape: Sequence[int]) -> Array:
        """Return hidden integers, each uniform on 0..high-1, shape as given."""
        return self._independent("secret", name, f"integers({_positive('high', high)})", tuple(shape))

    def secret_bernoulli(self, name: str, probability: float, shape: Sequence[int]) -> NDArray[np.bool_]:
        """Return hidden truth values, each true with this probability and independent of the others, shape as given.

        What is sampled is the probability rounded up to a multiple of 2^-53. Tapes hold the integers 0 and 1.
        """
        if isinstance(probability, (bool, np.bool_)) or not 0.0 <= probability <= 1.0:
            raise ValueError(f"probability must be in [0, 1], got {probability!r}")
        drawn = self._independent("secret", name, f"bernoulli({float(probability)!r})", tuple(shape))
        if not np.isin(drawn, (0, 1)).all():
            raise TapeError(f"draws of {name!r} must be 0 or 1, got {drawn!r}", name)
        return np.asarray(drawn, dtype=np.bool_)

    # releases

    def release(self, name: str, value: ArrayLike, law: ReleaseLaw, *, sensitivity: float) -> Any:
        """Release what `law` puts in place of a value: every verb below is a call of this.

        `sensitivity` is the change between neighbours that the algorithm claims, in the law's norm.
        """
        array = np.asarray(value, dtype=float)
        if np.count_nonzero(np.isfinite(array)) != array.size:
            raise ValueError(f"value of release {name!r} must be finite, got {array!r}")
        if not 0.0 < sensitivity < math.inf:
            raise ValueError(f"sensitivity of {name!r} must be finite and > 0, got {sensitivity!r}")
        self._claim(name)
        return self._release(name, array, law, sensitivity)

    def gaussian(self, name: str, value: ArrayLike, *, std: float, sensitivity: float) -> Any:
        """Release value + N(0, std^2 I). `sensitivity`: claimed L2 change between neighbours."""
        return self.release(name, value, GaussianLaw(std), sensitivity=sensitivity)

    def laplace(self, name: str, value: ArrayLike, *, scale: float, sensitivity: float) -> Any:
        """Release value + Laplace(scale) noise. `sensitivity`: claimed L1 change between neighbours."""
        return self.release(name, value, LaplaceLaw(scale), sensitivity=sensitivity)

    def thresholded_laplace(
        self, name: str, value: float, *, scale: float, threshold: float, sensitivity: float
    ) -> float | None:
        """Release a noisy scalar if it exceeds the threshold, None otherwise."""
        law = ThresholdedLaplaceLaw(scale, threshold)
        released: float | None = self.release(name, value, law, sensitivity=sensitivity)
        return released

    def exponential(self, name: str, scores: ArrayLike, *, multiplier: float, sensitivity: float) -> int:
        """Release an index with probability proportional to exp(multiplier * score).

        With multiplier = epsilon / (2 * sensitivity) this is the exponential mechanism.
        """
        return int(self.release(name, scores, ExponentialLaw(multiplier), sensitivity=sensitivity))

    # what interpreters implement

    @abstractmethod
    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Array: ...

    @abstractmethod
    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any: ...

    def _claim(self, name: str) -> None:
        if name in self._names:
            raise ValueError(f"name {name!r} is used twice in one run")
        self._names.add(name)


def _positive(argument: str, value: int) -> int:
    if value < 1:
        raise ValueError(f"{argument} must be >= 1, got {value!r}")
    return value


def draw_independent(rng: np.random.Generator, law: str, shape: tuple[int, ...]) -> Array:
    """Return a draw that no data enter, of the named law: normal, uniform, permutation(n), integers(high), bernoulli(p)."""
    name, _, argument = law.partition("(")
    if name == "normal":
        return np.asarray(rng.standard_normal(shape))
    if name == "uniform":
        return np.asarray(rng.random(shape))
    if name == "permutation":
        return np.asarray(rng.permutation(int(argument[:-1])))
    if name == "integers":
        return np.asarray(rng.integers(int(argument[:-1]), size=shape))
    if name == "bernoulli":
        return np.asarray(rng.random(shape) < float(argument[:-1])).astype(np.int64)
    raise ValueError(f"law must be normal, uniform, permutation(n), integers(high) or bernoulli(probability), got {law!r}")


def can_draw_independent(law: str, draw: Array) -> bool:
    """Return whether something of the right shape can be a draw of the named law."""
    name, _, argument = law.partition("(")
    if name in ("normal", "uniform"):
        inside = np.isfinite(draw) if name == "normal" else is_uniform(draw)
        return draw.dtype.kind == "f" and bool(np.all(inside))
    if name == "permutation":
        return np.array_equal(np.sort(draw), np.arange(int(argument[:-1])))
    high = 2 if name == "bernoulli" else int(argument[:-1])
    return draw.dtype.kind in "iu" and bool(np.all((draw >= 0) & (draw < high)))


def is_uniform(draw: Array) -> bool:
    """Return whether every entry is in [0, 1)."""
    return bool(np.all((draw >= 0.0) & (draw < 1.0)))


# --- tapes --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """One draw or release of a run.

    `law` names the law (with the range of discrete public or secret draws), `draw` is the standard draw;
    for a release, `released` is what the adversary saw and `parameters` the law's parameters.
    """

    role: Role
    name: str
    law: str
    draw: Array
    released: Any = None
    parameters: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Tape:
    """The entries of one run, in order."""

    entries: tuple[Entry, ...]

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the names of the secret draws, in order."""
        return tuple(entry.name for entry in self.entries if entry.role == "secret")

    def to_json(self) -> str:
        """Return the tape as JSON text; floats are hexadecimal strings, so nothing is rounded."""
        return json.dumps([{**asdict(e), "draw": _pack(e.draw), "released": _pack(e.released)} for e in self.entries])

    @classmethod
    def from_json(cls, text: str) -> Tape:
        """Return the tape that `to_json` wrote; TapeError that names the entry where the text is not a tape."""
        place = "text"
        try:
            rows = json.loads(text)
            entries = []
            for i, row in enumerate(rows if isinstance(rows, list) else [rows]):
                place = f"tape entry {i}"
                entries.append(_entry(**row))
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError, MemoryError) as error:
            raise TapeError(f"{place} must be as Tape.to_json writes it: {type(error).__name__}, {error!s:.200}") from error
        return cls(tuple(entries))


def _entry(role: Any, name: Any, law: Any, draw: Any, released: Any, parameters: Any) -> Entry:
    if role not in get_args(Role) or not isinstance(name, str) or not isinstance(law, str):
        raise ValueError(f"role, name and law are {role!r}, {name!r}, {law!r}")
    if not isinstance(draw, dict):
        raise TypeError(f"draw is {draw!r}")
    return Entry(role, name, law, np.asarray(_unpack(draw)), _unpack(released), dict(parameters))


def _pack(value: Any) -> Any:
    if value is None or isinstance(value, int):
        return value
    array = np.asarray(value)
    numbers = [float(x).hex() for x in array.ravel()] if array.dtype.kind == "f" else array.ravel().tolist()
    return {"type": array.dtype.name, "shape": list(array.shape), "values": numbers}


def _unpack(value: Any) -> Any:
    if value is None or isinstance(value, int):
        return value
    if value["type"] not in _TYPES:
        raise ValueError(f"type is {value['type']!r}, not one of {', '.join(_TYPES)}")
    numbers = [float.fromhex(x) if isinstance(x, str) else x for x in value["values"]]
    array = np.array(numbers, dtype=value["type"]).reshape(value["shape"])
    if not np.isfinite(array).all():
        raise ValueError("values are not finite")
    return array[()]


# --- interpreters -------------------------------------------------------------------------------------


class Sample(Noise):
    """An interpreter that draws from a numpy Generator."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__()
        self._rng = rng

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Array:
        self._claim(name)
        return draw_independent(self._rng, law, shape)

    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any:
        return law.apply(value, law.draw(value, self._rng))


class Record(Noise):
    """An interpreter that draws from a numpy Generator and writes everything down; `tape` is what was written so far."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__()
        self._rng = rng
        self._entries: list[Entry] = []

    @property
    def tape(self) -> Tape:
        """Return what was drawn and released so far."""
        return Tape(tuple(self._entries))

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Array:
        self._claim(name)
        draw = draw_independent(self._rng, law, shape)
        self._entries.append(Entry(role, name, law, draw.copy()))
        return draw

    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any:
        draw = law.draw(value, self._rng)
        released = law.apply(value, draw)
        self._entries.append(Entry("release", name, law.kind, draw, _frozen(released), asdict(law)))
        return released


class _Reader(Noise):
    """An interpreter that reads a tape entry by entry and refuses whatever does not fit."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._entries = tape.entries
        self._read = 0

    def _next(self, role: Role, name: str, law: str, shape: tuple[int, ...] | None) -> Entry:
        if self._read == len(self._entries):
            message = f"tape ends after {self._read} entries, the run asks for {role} {name!r}"
            raise TapeError(message, name if role == "secret" else None)
        entry = self._entries[self._read]
        found = (entry.role, entry.name, entry.law, np.shape(entry.draw))
        wanted = (role, name, law, np.shape(entry.draw) if shape is None else shape)
        for label, have, want in zip(("role", "name", "law", "shape"), found, wanted, strict=True):
            if have != want:
                message = f"tape entry {self._read} ({entry.name!r}): {label} is {have!r}, the run asks for {want!r}"
                raise TapeError(message, entry.name if entry.role == "secret" else name if role == "secret" else None)
        self._read += 1
        return entry

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Array:
        self._claim(name)
        draw = np.array(self._next(role, name, law, shape).draw)
        if not can_draw_independent(law, draw):
            message = f"tape entry {self._read - 1} ({name!r}): {draw!r:.200} is not a draw of the law {law}"
            raise TapeError(message, name if role == "secret" else None)
        return draw

    def finish(self) -> None:
        """Raise TapeError if an entry of the tape was not read."""
        if self._read < len(self._entries):
            unread = self._entries[self._read :]
            message = f"run ended with {len(unread)} unread tape entries: {', '.join(entry.name for entry in unread[:5])}"
            raise TapeError(message, next((entry.name for entry in unread if entry.role == "secret"), None))


class Replay(_Reader):
    """An interpreter that runs on the standard draws of a tape."""

    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any:
        entry = self._next("release", name, law.kind, law.draw_shape(value))
        draw = np.asarray(entry.draw)
        if not law.can_draw(draw):
            message = f"tape entry {self._read - 1} ({name!r}): {draw!r:.200} is not a standard draw of the law {law.kind}"
            raise TapeError(message)
        if entry.parameters and entry.parameters != asdict(law):
            message = f"tape entry {self._read - 1} ({name!r}): parameters are {entry.parameters}, the run has {asdict(law)}"
            raise TapeError(message)
        return law.apply(value, draw)


@dataclass(frozen=True)
class ReleaseTerm:
    """One release in a conditioned run: the value computed, its law, and the tape's release with its likelihood."""

    name: str
    value: Array
    law: ReleaseLaw
    sensitivity: float
    released: Any

    @cached_property
    def log_likelihood(self) -> float:
        """Return the log-density (or log-mass) of the release, given the value."""
        return self.law.log_likelihood(self.value, self.released)


class Condition(_Reader):
    """An interpreter that runs a dataset against the releases (and the public and secret draws) of a tape.

    `log_likelihood` is the exact log-density of the tape's releases on this dataset, given the tape's
    public and secret draws; `terms` holds each release's part. A dataset that lacks the last rows of the one on which the tape
    was drawn takes the truth values of the rows that both have, as rows are drawn independently of each other; rows that it has
    beyond those count as drawn.
    """

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.terms: list[ReleaseTerm] = []

    @property
    def log_likelihood(self) -> float:
        """Return the sum of the log-likelihoods of the releases read so far."""
        return math.fsum(term.log_likelihood for term in self.terms)

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Array:
        if law.startswith("bernoulli") and len(shape) == 1 and self._read < len(self._entries):
            there = np.shape(self._entries[self._read].draw)
            if len(there) == 1 and shape != there:
                self._claim(name)
                known = np.array(self._next(role, name, law, there).draw)[: shape[0]]
                return np.concatenate([known, np.ones(shape[0] - len(known), dtype=known.dtype)])
        return super()._independent(role, name, law, shape)

    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any:
        shape = law.draw_shape(value) if law.shape_is_public else None
        released = self._next("release", name, law.kind, shape).released
        if not law.can_release(value, released):
            raise TapeError(f"tape entry {name!r}: {released!r} is not a release of a {law.kind} law for shape {value.shape}")
        self.terms.append(ReleaseTerm(name, value.copy(), law, sensitivity, released))
        return _frozen(released)


def _frozen(released: Any) -> Any:
    return released.copy() if isinstance(released, np.ndarray) else released


# --- runs ---------------------------------------------------------------------------------------------

Algorithm: TypeAlias = Callable[[Any, Noise], Output]


def record(algorithm: Algorithm[Output], data: Any, rng: np.random.Generator) -> tuple[Output, Tape]:
    """Run and write the tape: (output, tape)."""
    noise = Record(rng)
    return algorithm(data, noise), noise.tape


def replay(algorithm: Algorithm[Output], data: Any, tape: Tape) -> Output:
    """Run on the draws of a tape; TapeError if they do not fit exactly."""
    noise = Replay(tape)
    output = algorithm(data, noise)
    noise.finish()
    return output


def condition(algorithm: Algorithm[Any], data: Any, tape: Tape) -> Condition:
    """Run on `data` against the releases of `tape`; TapeError if the run asks for anything else."""
    noise = Condition(tape)
    algorithm(data, noise)
    noise.finish()
    return noise


@dataclass(frozen=True)
class ReleaseComparison:
    """One release on two datasets given one transcript up to it: `change` in the norm of its law."""

    name: str
    kind: str
    norm: str
    change: float
    sensitivity: float
    loss: float
    rounding: float

    @property
    def exceeds(self) -> bool:
        """Return whether the observed change is above the declared sensitivity, beyond what rounding of the values explains."""
        return self.change > self.sensitivity * (1.0 + SENSITIVITY_SLACK) + self.rounding


@dataclass(frozen=True)
class Lockstep:
    """The runs of two datasets against one transcript drawn on the first.

    `loss` is log P(transcript | data) - log P(transcript | neighbour); +inf where the neighbour cannot
    produce the transcript, `diverged` then states what it asked for instead: names, laws and the shapes of what is
    released are part of the transcript. If `secrets` is not empty,
    the loss is that of an adversary to whom those draws were revealed.
    """

    releases: tuple[ReleaseComparison, ...]
    loss: float
    secrets: tuple[str, ...]
    diverged: str | None

    @property
    def violations(self) -> tuple[ReleaseComparison, ...]:
        """Return the releases whose observed change exceeds the declared sensitivity."""
        return tuple(release for release in self.releases if release.exceeds)


def lockstep(algorithm: Algorithm[Any], data: Any, neighbour: Any, rng: np.random.Generator) -> Lockstep:
    """Draw a transcript on `data`, then compute its likelihood and the values released on both datasets."""
    return lockstep_on(record(algorithm, data, rng)[1], algorithm, data, neighbour)


def lockstep_on(tape: Tape, algorithm: Algorithm[Any], data: Any, neighbour: Any) -> Lockstep:
    """Return the likelihoods and changes that two datasets have on a given transcript, which is possible on `data`."""
    own = condition(algorithm, data, tape)
    other = Condition(tape)
    diverged = None
    secrets = tape.secrets
    try:
        algorithm(neighbour, other)
        other.finish()
    except TapeError as error:
        diverged = str(error)
        secrets += (error.secret,) if error.secret and error.secret not in secrets else ()
    releases = tuple(_compare(own.terms, other.terms))
    loss = math.inf if diverged else math.fsum(release.loss for release in releases)
    return Lockstep(releases, loss, secrets, diverged)


def _compare(own: Iterable[ReleaseTerm], other: Iterable[ReleaseTerm]) -> Iterable[ReleaseComparison]:
    for a, b in zip(own, other, strict=False):
        yield ReleaseComparison(
            name=a.name,
            kind=a.law.kind,
            norm=a.law.norm,
            change=a.law.change(a.value, b.value),
            sensitivity=min(a.sensitivity, b.sensitivity),
            loss=a.log_likelihood - b.log_likelihood,
            rounding=4.0 * _EPSILON * float(np.sum(np.abs(a.value)) + np.sum(np.abs(b.value))),
        )
