"""What an algorithm spends, found from its tape: which releases a record reaches, and what they cost together.

A run is recorded, records are replaced, and the releases that move are those that a record reaches: found, not believed. What
these cost is composed by composition.py, and compared elsewhere with what the algorithm was calibrated for.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dppca.audit.suite.accounting.composition import (
    ROUNDING,
    Part,
    Spent,
    composed,
    cost,
    mixture_pair,
    reduced_pair,
    sampled,
    shuffled,
)
from dppca.audit.suite.independent_draws import drawn_twice, repetitions_law
from dppca.audit.suite.neighbours import Rows, as_data, dataset, longest, replaced
from dppca.audit.suite.same_output import same_output
from dppca.audit.suite.sizes import calibration_of
from dppca.reference.declaration import Declaration
from dppca.reference.noise import (
    SENSITIVITY_SLACK,
    Algorithm,
    Condition,
    Entry,
    Record,
    ReleaseLaw,
    ReleaseTerm,
    Role,
    Tape,
    TapeError,
    condition,
    draw_independent,
)

#: Laws of releases that are sums over records, in every algorithm but those: what a record adds depends on no other record.
SUMS, NO_SUMS = ("gaussian", "wishart", "bingham", "matrix_bingham"), ("baselines.output_perturbation",)
#: Secret draws at either end of a tape that are drawn anew one by one, and how often; how often all of `auxiliary` is.
SECRETS = 3
#: Blocks of records that are replaced, in search of the record that moves most.
MOST_BLOCKS = 32


@dataclass
class Reached:
    """What one run of an algorithm shows of a record: the releases that it moves, and what is wrong with what it shows."""

    moved: dict[int, set[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """One run on one dataset: what it returned, the tape, and its releases as computed on that dataset."""

    entry: Declaration
    arguments: Mapping[str, Any]
    choices: Any
    algorithm: Algorithm[Any]
    rows: Rows
    output: Any
    tape: Tape
    terms: Mapping[str, ReleaseTerm]
    calibration: Any

    @property
    def n(self) -> int:
        """Return the number of records."""
        return len(self.rows)

    def neighbours(self, places: Iterable[int], rng: np.random.Generator) -> Iterator[tuple[int, Algorithm[Any], Rows]]:
        """Yield the place of a record that is replaced, the algorithm, and the data; `auxiliary` has the places from n on."""
        for place in places:
            for rows in replaced(self.entry, self.rows, place, rng):
                yield place, self.algorithm, rows
        further = np.asarray(self.arguments.get("auxiliary", ()), dtype=float)
        for place in dict.fromkeys([0, len(further) - 1]) if len(further) else ():
            for rows in replaced(self.entry, further, place, rng):
                yield self.n + place, self._with_auxiliary(rows), self.rows

    def others(self, rng: np.random.Generator) -> Iterator[tuple[Algorithm[Any], Rows]]:
        """Yield the algorithm and data in which all records are others, or 0; then, a few times, all of `auxiliary`."""
        for rows in (dataset(self.entry, *self.rows.shape[:2], rng), np.zeros_like(self.rows)):
            yield self.algorithm, rows
        for _ in range(SECRETS if "auxiliary" in self.arguments else 0):
            yield self._with_auxiliary(dataset(self.entry, *np.shape(self.arguments["auxiliary"]), rng)), self.rows

    def _with_auxiliary(self, rows: Rows) -> Algorithm[Any]:
        return self.entry.bind(**{**self.arguments, "auxiliary": as_data(self.entry, rows)}, choices=self.choices)

    @property
    def has_rare_draws(self) -> bool:
        """Return whether rare draws are other ones than most are, in this run."""
        return any(_may_be_rare(term.law) for term in self.terms.values()) or bool(self.secrets("integers"))

    def secrets(self, law: str) -> dict[str, Any]:
        """Return the secret draws of a law, by name."""
        return {e.name: e.draw for e in self.tape.entries if e.role == "secret" and e.law.startswith(law)}


def _may_be_rare(law: ReleaseLaw) -> bool:
    """Return whether what a release shows may be suppressed, or is chosen."""
    return "threshold" in vars(law) or law.kind in ("gap_threshold", "gap_max")


class RareDraws(Record):
    """A seam whose noise is so large that no count is suppressed and a candidate shown; secret integers are small more often.

    Every transcript is possible, and what is declared has to hold for each: what comes after a shown count is reached with few
    records, and one run, where their number is drawn, in few cases.
    """

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Any:
        draw = super()._independent(role, name, law, shape)
        if role == "secret" and law.startswith("integers") and shape == ():  # a table hides by the law of the whole
            draw = [draw, draw * 0, draw >> int(self._rng.integers(int(draw).bit_length() + 1))][self._rng.integers(3)]
            self._entries[-1] = replace(self._entries[-1], draw=draw.copy())
        return draw

    def _release(self, name: str, value: Any, law: ReleaseLaw, sensitivity: float) -> Any:
        del sensitivity
        parameters: dict[str, float] = dict(vars(law))
        draw = law.draw(value, self._rng)
        if "threshold" in parameters:
            draw = np.abs(draw) + max(parameters["threshold"], 0.0) / parameters["scale"]
        elif law.kind == "gap_threshold":
            draw = 1.0 - 1e-9 * draw
        elif law.kind == "gap_max" and len(value) > 1:
            draw = 1e-9 * draw
            draw[int(value[1 + np.argmax(value[1:, 0]), 1])] = 1.0 - draw[0]
        released = law.apply(value, draw)
        self._entries.append(Entry("release", name, law.kind, draw, deepcopy(released), parameters))
        return released


class LateRefusalError(Exception):
    """The error for a run that is refused after something was drawn: what was drawn, and with it the data, decide."""


def recorded(
    entry: Declaration, arguments: Mapping[str, Any], choices: Any, rows: Rows, rng: np.random.Generator, *, rare: bool
) -> Run:
    """Return a run of a reading, with rare draws or without.

    Raises:
        ValueError: the arguments or the sizes are refused.
        LateRefusalError: the run is refused after something was drawn.
    """
    algorithm = entry.bind(**arguments, choices=choices)
    data = as_data(entry, rows)
    seam = (RareDraws if rare else Record)(rng)
    try:
        algorithm(data, seam)
    except ValueError as error:
        if seam.tape.entries:
            raise LateRefusalError(f"the run is refused after {seam.tape.entries[-1].name!r} was drawn: {error}") from error
        raise
    own = Condition(seam.tape)  # as other datasets are followed: a seam decides how what it returns lies in memory
    output = algorithm(data, own)
    own.finish()
    terms = {term.name: term for term in own.terms}
    return Run(entry, arguments, choices, algorithm, rows, output, seam.tape, terms, calibration_of(entry, arguments, choices))


def reached(run: Run, places: Iterable[int], rng: np.random.Generator) -> Reached:
    """Replace the records at some places, and all of them, against the same transcript, and say which releases move.

    A fault is what changes by more than is declared, noise that depends on a record, and whatever else a record changes: what
    is drawn, how many releases there are, the output.
    """
    found = Reached()
    for place, algorithm, neighbour in run.neighbours(places, rng):
        moved = found.moved.setdefault(place, set())
        seam, faults = _followed(run, algorithm, neighbour, f"record {place}")
        found.faults += faults
        for term in seam.terms:
            own = run.terms[term.name]
            if np.array_equal(own.value, term.value):
                continue
            moved.add(term.name)
            change, rounding = own.law.change(own.value, term.value), 1e-15 * float(np.abs(own.value).sum())
            if change > min(own.sensitivity, term.sensitivity) * (1.0 + SENSITIVITY_SLACK) + rounding:
                found.faults.append(
                    f"release {term.name!r} changes by {change:.6g} in the norm {own.law.norm!r} where record {place} is "
                    f"replaced, {own.sensitivity:.6g} is declared: n = {run.n}, rows of length "
                    f"{np.round(np.linalg.norm(run.rows, axis=1), 3).tolist()[:8]}"
                )
    for algorithm, rows in run.others(rng):
        found.faults += _followed(run, algorithm, rows, "the records, where all are others,")[1]
    found.faults += [*drawn_twice(run.tape.entries), *_shows_secrets(run, rng)]
    if run.entry.key not in NO_SUMS and any(term.law.kind in SUMS for term in run.terms.values()):
        found.faults += _no_sums(run, [place for place in found.moved if place < run.n], rng)
    return found


def crowded(run: Run, rng: np.random.Generator) -> list[int]:
    """Return the place of a record that moves most releases, and those beside it, where parts of the records meet.

    A block of records moves what each of them moves. So the block that moves most is halved next, the shortest of several,
    until it is a single record, or there have been enough runs. A half that has not been run counts as what its whole moves.
    """
    others = longest(run.entry, run.rows, run.n, rng)
    blocks = [(-len(run.terms), run.n, 0, True)]
    runs = 0
    while runs < MOST_BLOCKS and (blocks[0][1] > 1 or not blocks[0][3]):
        most, length, low, has_run = heapq.heappop(blocks)
        if has_run:
            for start, stop in ((low, low + length // 2), (low + length // 2, low + length)):
                heapq.heappush(blocks, (most, stop - start, start, False))
            continue
        rows = run.rows.copy()
        rows[low : low + length] = others[low : low + length]
        terms = _followed(run, run.algorithm, rows, "")[0].terms
        moved = sum(not np.array_equal(run.terms[term.name].value, term.value) for term in terms)
        heapq.heappush(blocks, (-moved, length, low, True))
        runs += 1
    place = blocks[0][2]
    return [each for each in (place, place - 1, place + 1) if 0 <= each < run.n]


def _followed(run: Run, algorithm: Algorithm[Any], rows: Rows, who: str) -> tuple[Condition, list[str]]:
    """Return the transcript of a run on other records, and what of its course, its noise and its output depends on them."""
    seam, faults = Condition(run.tape), list[str]()
    try:
        output = algorithm(as_data(run.entry, rows), seam)
        seam.finish()
        if not same_output(output, run.output):
            faults.append(
                f"the output depends on {who} though every release and draw is the same: "
                f"it shows more of the data than {', '.join(list(run.terms)[:4])}"
            )
    except TapeError as error:
        faults.append(f"what is drawn or released depends on {who}: {error}")
    except ValueError as error:
        faults.append(f"whether the run is refused depends on {who}: {error}")
    for term in seam.terms:
        if (own := run.terms[term.name].law) != term.law:
            faults.append(f"the noise of release {term.name!r} depends on {who}: {own}, {term.law}")
    return seam, faults


class OtherSecrets(Condition):
    """A seam with the releases and the public draws of a tape, and with some of its secret draws drawn anew."""

    def __init__(self, tape: Tape, secrets: Iterable[str], rng: np.random.Generator) -> None:
        super().__init__(tape)
        self._secrets = frozenset(secrets)
        self._rng = rng

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Any:
        draw = super()._independent(role, name, law, shape)
        return draw_independent(self._rng, law, np.shape(draw)) if name in self._secrets else draw


def _shows_secrets(run: Run, rng: np.random.Generator) -> Iterator[str]:
    """Yield which secret draws the output depends on, given every release: all of them drawn anew, and each of a few alone.

    Hidden draws protect a record only where nothing but the releases tells of them. A draw that decides how many releases there
    are, or of which shape, is left as it is: its value is no secret.
    """
    names = [entry.name for entry in run.tape.entries if entry.role == "secret"]
    several = {name: [name] for name in dict.fromkeys([*names[:SECRETS], *names[-SECRETS:]])}
    for who, secrets in {**several, ", ".join(names[:4]): names}.items():
        for _ in range(SECRETS if names else 0):
            seam = OtherSecrets(run.tape, secrets, rng)
            try:
                output = run.algorithm(as_data(run.entry, run.rows), seam)
                seam.finish()
            except (TapeError, ValueError):
                continue
            if not same_output(output, run.output):
                yield (
                    f"the output depends on the secret draw {who} though every release is the same: what is hidden, and "
                    "accounted as hidden, is shown"
                )
                break


def _no_sums(run: Run, places: Iterable[int], rng: np.random.Generator) -> Iterator[str]:
    """Yield which releases change by something else where a record is replaced and another record is another one.

    The sensitivity of a sum is that of what one record adds, which few datasets show; where records act on each other, only
    rare ones show it.
    """
    for place in places if run.n > 1 else ():
        other = int((place + rng.integers(1, run.n)) % run.n)
        one, two = (_another(run, at, rng) for at in (place, other))
        both = one.copy()
        both[other] = two[other]
        try:
            several = [condition(run.algorithm, as_data(run.entry, rows), run.tape).terms for rows in (one, two, both)]
        except (TapeError, ValueError):  # which is a fault of its own
            continue
        for own, a, b, ab in zip(run.terms.values(), *several, strict=True):
            size = sum(float(np.abs(term.value).sum()) for term in (own, a, b, ab))
            if own.law.kind in SUMS and np.abs(own.value - a.value - b.value + ab.value).sum() > 1e-9 * size:
                yield f"release {own.name!r} is no sum over records: what record {place} adds depends on record {other}"


def _another(run: Run, place: int, rng: np.random.Generator) -> Rows:
    """Return the rows with another record at a place."""
    several = [rows for rows in replaced(run.entry, run.rows, place, rng) if len(rows) == run.n]
    return several[rng.integers(len(several))]


def spent(run: Run, found: Reached) -> Spent:
    """Return what the run spends on the record that costs most.

    Raises:
        ValueError: a use of a secret draw that no formula here is for, in words.
    """
    if run.secrets("permutation"):
        return _ordered(run, found)
    if run.secrets("bernoulli"):
        return _coins(run, found)
    names = run.secrets("integers")
    if "K" in names:
        return _selected(run, found)
    if "subsets" in names:
        return _subsets(run, found)
    if names:
        return _indices(run, found)
    return _worst([composed(cost(run.terms[name]) for name in sorted(moved)) for moved in found.moved.values()])


def _worst(several: Sequence[Spent]) -> Spent:
    return Spent(
        lambda epsilon: max((of.delta(epsilon) for of in several), default=0.0),
        max((of.pure for of in several), default=0.0),
        max((of.tolerance for of in several), default=ROUNDING),
    )


def _ordered(run: Run, found: Reached) -> Spent:
    ((name, order),) = run.secrets("permutation").items()
    if sorted(order.tolist()) != list(range(run.n)):
        raise ValueError(f"{name!r} is no order of the {run.n} records")
    shown = dict(zip(order.tolist(), run.terms, strict=True))
    for place, moved in found.moved.items():
        if len(moved) > 1:
            raise ValueError(f"record {place} moves {sorted(moved)}; a hidden order protects a record in one release")
        if moved - {shown[place]}:
            raise ValueError(f"release {min(moved)!r} shows record {place}, which has another place in {name!r}")
    mus = {cost(run.terms[name]).mu for moved in found.moved.values() for name in moved}
    return _worst([shuffled(run.n, mu) for mu in mus])


def _secret_before(run: Run) -> dict[str, Any]:
    """Return the secret draw that each release has for itself: the one between it and the release before."""
    found: dict[str, Any] = {}
    pending: list[Any] = []
    for e in run.tape.entries:
        if e.role == "secret":
            pending.append(e)
        elif e.role == "release":
            if len(pending) != 1:
                drawn = ", ".join(repr(each.name) for each in pending) or "none"
                raise ValueError(f"release {e.name!r} has {drawn} as its secret draw; one of its own is what hides a record")
            found[e.name], pending = pending[0], []
    return found


def _sampled_ratio(run: Run) -> tuple[float, int]:
    """Return the largest sensitivity / std of a step, and the number of steps."""
    ratios = [cost(term).mu for term in run.terms.values()]
    return max(ratios), len(ratios)


def _coins(run: Run, found: Reached) -> Spent:
    for name, secret in _secret_before(run).items():
        for place, moved in found.moved.items():
            if name in moved and not secret.draw[place]:
                raise ValueError(f"release {name!r} shows record {place}, which {secret.name!r} has not drawn")
    r, steps = _sampled_ratio(run)
    rates = {float(e.law.partition("(")[2][:-1]) for e in _secret_before(run).values()}
    return sampled(mixture_pair(max(rates), r), steps)


def _indices(run: Run, found: Reached) -> Spent:
    sign = getattr(run.calibration, "full_gradient_sign", None)  # of steps that all records move, by their mean
    for name, secret in _secret_before(run).items():
        if secret.law != f"integers({run.n})":
            raise ValueError(f"{secret.name!r} is drawn from {secret.law}; a record among {run.n} is what it hides")
        for place, moved in found.moved.items():
            if sign is None and name in moved and int(secret.draw) != place:
                raise ValueError(f"release {name!r} shows record {place}, which {secret.name!r} has not drawn")
    r, steps = _sampled_ratio(run)
    if sign is not None:
        return sampled(reduced_pair(run.n, r / (2.0 + sign / run.n), sign), steps)
    return composed([Part(mu=r)] * steps) if run.n == 1 else sampled(mixture_pair(1.0 / run.n, r), steps)


def _selected(run: Run, found: Reached) -> Spent:
    """A record reaches one histogram or one score a run: the scores are of other records, which no histogram shows."""
    for place, moved in found.moved.items():
        if len({name.endswith("score") for name in moved}) > 1:
            raise ValueError(f"record {place} moves a score as well as a histogram")
    costs = [cost(term) for term in run.terms.values()]
    costs += [Part(0.0, each.epsilon, each.delta) for each in run.calibration.runs]  # what a run may spend, at other sizes too
    eta, gamma = run.calibration.repetitions.eta, run.calibration.repetitions.gamma
    law, secrets = repetitions_law(eta, gamma), run.secrets("integers")
    chosen = list(law)[int(np.searchsorted(np.cumsum(list(law.values())), (int(secrets["K"]) + 0.5) / 2.0**53))]
    if (done := sum(name != "K" for name in secrets)) != chosen:
        raise ValueError(f"there are {done} runs, where the draw of K stands for {chosen}, whatever the runs release")
    runs = math.fsum(j * mass for j, mass in law.items())
    if (stated := run.calibration.repetitions.mean) < runs * (1.0 - ROUNDING):
        raise ValueError(f"each of {runs:.6g} runs on average spends delta, and the calibration is for {stated:.6g}")
    return composed([Part(0.0, (2.0 + eta) * max(c.epsilon for c in costs), runs * max(c.delta for c in costs))])


def _subsets(run: Run, found: Reached) -> Spent:
    """A subspace that counts holds more than `floor` points; m subsets of k miss it with probability (1 - hit)^m."""
    m, k = run.secrets("integers")["subsets"].shape
    hit = ((run.calibration.floor + 1) / run.n) ** k
    missed = 2.0 * (1.0 - hit) ** m
    costs = [cost(term) for term in run.terms.values()]
    del found
    return composed([Part(0.0, c.epsilon, c.delta + (1.0 - c.delta) * missed) for c in costs])
