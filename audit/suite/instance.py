"""What `pytest audit/` runs: instances of audits, and how one is run and reported."""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit import batched
from dppca.audit.engine.batches import Batch, BatchError, Clock, Failure
from dppca.audit.engine.output_view import MIN_TRIALS, check
from dppca.audit.engine.outputs import Features, Outputs
from dppca.audit.engine.profile import band_from_events, band_from_losses
from dppca.audit.engine.results import Claim, Losses, verdict_word
from dppca.audit.engine.runner import Runner
from dppca.audit.engine.store import Store
from dppca.audit.engine.transcript_view import transcript_check
from dppca.audit.engine.trials import BATCH, Held, mechanism_error
from dppca.audit.report.curves import FEW_POINTS, POINTS, Curves, curves, describe_pair, grid
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm

View: TypeAlias = Literal["exact", "transcript", "output"]
Progress: TypeAlias = Callable[[int], None]

#: Probability that any sampled bound of one whole run is wrong; it is shared out evenly.
FAMILY_ERROR = 0.01
#: Trials of an instance are multiplied by this.
BUDGETS = {"quick": 0.2, "standard": 1.0, "deep": 10.0}


@dataclass(frozen=True)
class Exact:
    """How an exact view is computed: (does the claim hold on the pair, epsilon of the pair at the claim's delta).

    The pair of datasets, where it is one, is for the report.
    """

    decide: Callable[[], tuple[bool, float]]
    data: Any = None
    neighbour: Any = None


@dataclass(frozen=True)
class Transcript:
    """A transcript audit: algorithm, pair of datasets, trials at the standard budget."""

    algorithm: Algorithm[Any]
    data: Any
    neighbour: Any
    trials: int


@dataclass(frozen=True)
class Output:
    """An output audit: mechanism, pair of datasets, trials at the standard budget, features.

    `arguments` are those of the catalogue's `bind`, with which another implementation can take the mechanism's place
    (audit/suite/foreign.py); None where none can. With `message` the mechanism is one client: a row in, its message out.
    `least` trials are run at any budget: fewer of a slow mechanism show nothing.
    """

    mechanism: Any
    data: Any
    neighbour: Any
    trials: int
    features: Features | None = None
    arguments: Mapping[str, Any] | None = None
    message: bool = False
    least: int = MIN_TRIALS


@dataclass(frozen=True)
class OneRun:
    """An output audit of a local protocol in ONE run: each client holds one of two rows, by a fair coin of its own.

    Given the coins, the messages are independent, so each client is a trial on the row that it holds.
    `trials` counts per row: there are twice as many clients. `arguments` as in `Output`.
    """

    messages: Callable[[NDArray[np.float64], np.random.Generator], Sequence[Any]]
    data: NDArray[np.float64]
    neighbour: NDArray[np.float64]
    trials: int
    arguments: Mapping[str, Any] | None = None

    def hold(self, trials: int, seed: int, store: Store | None = None, call_timeout: float | None = None) -> Held:
        """One run with 2 * trials clients, on a seed apart from the test's; what they sent, by the row that they hold.

        The run may take `call_timeout` for every batch that its clients would fill.
        """
        batch = OneRunBatch(np.random.SeedSequence([seed, 1]), trials, "one run", self)
        limit = None if call_timeout is None else math.ceil(2 * trials / BATCH) * call_timeout
        with Runner(1, store, limit, callables=(self.messages,), data=(self.data, self.neighbour)) as runner:
            (result,) = runner.run([batch])
        if isinstance(result, Failure):
            raise mechanism_error(batch, result, 0)
        sent: tuple[list[Any], list[Any]] = ([], [])
        for message, coin in result:
            sent[int(coin)].append(message)
        return Held((iter(sent[0]), iter(sent[1])), min(map(len, sent)))


@dataclass(frozen=True, eq=False)
class OneRunBatch(Batch):
    """One run of a local protocol with 2 * size clients: each one's message and the coin that gave it its row."""

    how: OneRun

    def run(self, clock: Clock) -> list[tuple[Any, float]]:
        """One call."""
        rng = np.random.default_rng(self.seed)
        coins = rng.integers(2, size=2 * self.size)
        try:
            clock.start(0)
            messages = self.how.messages(np.where(coins[:, None] == 0, self.how.data, self.how.neighbour), rng)
            Outputs.of(messages)
        except Exception as error:
            raise BatchError(f"raised {type(error).__name__}: {error}", 0, []) from error
        return list(zip(messages, coins.tolist(), strict=True))

    def head(self) -> None:
        """A run has no part that could be run alone."""


@dataclass(frozen=True)
class Instance:
    """One audit of one claim.

    `holds` says whether the claim is true of this pair, from an exact computation; the audit's verdict must
    agree. `exact_epsilon` is the pair's epsilon at the claim's delta where it is known, `profile` the pair's
    smallest delta at an epsilon.
    """

    algorithm: str
    choice: str
    name: str
    claim: Claim
    how: Exact | Transcript | Output | OneRun
    holds: bool
    exact_epsilon: float | None
    profile: Callable[[float], float] | None = None

    @property
    def view(self) -> View:
        """Which of the three views this is."""
        views: dict[type, View] = {Exact: "exact", Transcript: "transcript", Output: "output", OneRun: "output"}
        return views[type(self.how)]

    @property
    def id(self) -> str:
        """Test id: algorithm, choice, view, instance and claim."""
        words = (self.algorithm, self.choice, self.view, self.name, f"({self.claim.epsilon:g},{self.claim.delta:g})")
        return "-".join(words).replace(" ", "_")

    @property
    def expected(self) -> str:
        """The verdict that a correct auditor gives."""
        return verdict_word(not self.holds)

    def trials(self, budget: str) -> int:
        """Trials per dataset at a budget, as many as the auditor needs at least; 0 in the exact view."""
        if isinstance(self.how, Exact):
            return 0
        return max(int(self.how.trials * BUDGETS[budget]), self.how.least if isinstance(self.how, Output) else MIN_TRIALS)


@dataclass(frozen=True)
class Row:
    """One line of the report."""

    id: str
    algorithm: str
    choice: str
    view: View
    instance: str
    epsilon: float
    delta: float
    lower_bound: float
    confidence: float | None
    exact_epsilon: float | None
    implementation: str
    trials: int
    verdict: str
    expected: str
    seconds: float
    seed: int
    event: str
    secrets: tuple[str, ...]
    pair: str
    curves: Curves = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """For the JSON report."""
        return asdict(self)


def implementation(instance: Instance) -> tuple[Any, str]:
    """The mechanism of an output audit, batched where there is such an implementation of the catalogue's algorithm."""
    how = instance.how
    if not isinstance(how, Output):
        raise TypeError(f"instance must be an output audit, got {instance.id}")
    if how.arguments is not None and instance.algorithm in ALGORITHMS:
        key = instance.algorithm + ":messages" * how.message
        sampler = batched.sampler(key, instance.choice, how.arguments)
        if sampler is not None:
            return sampler, "batched"
    return how.mechanism, "reference"


def instance_seed(seed: int, instance: Instance) -> int:
    """A seed of the instance's own, from the run's seed and the instance's id."""
    return int(np.random.SeedSequence([seed, zlib.crc32(instance.id.encode())]).generate_state(1, np.uint64)[0])


@dataclass(frozen=True)
class Execution:
    """How the audits of a run are executed; no part of it changes a result. See `audit.lower_bound`.

    Attributes:
        workers: batches under way at a time.
        store: path of the store, or None.
        call_timeout: seconds that one call may take, or None.
    """

    workers: int = 1
    store: str | None = None
    call_timeout: float | None = None


def run(
    instance: Instance,
    *,
    budget: str,
    seed: int,
    confidence: float,
    progress: Progress,
    execution: Execution = Execution(),
) -> Row:
    """Run one audit; `progress` is called with trials done."""
    started = time.perf_counter()
    trials = instance.trials(budget)
    own_seed = instance_seed(seed, instance)
    claim, how = instance.claim, instance.how
    event, used, band = "", None, None
    secrets: tuple[str, ...] = ()
    by = "reference"
    exact_epsilon = instance.exact_epsilon
    if isinstance(how, Exact):
        holds, bound = how.decide()
        refuted, exact_epsilon = not holds, bound
        event = "privacy loss above the claim's epsilon"
        if instance.profile is not None:
            event += f", for which delta would have to be {instance.profile(claim.epsilon):.4g}"
    else:
        store = None if execution.store is None else Store(execution.store, instance.id)
        kept: dict[str, Any] = {"workers": execution.workers, "store": store, "call_timeout": execution.call_timeout}
        common: dict[str, Any] = {"confidence": confidence, "seed": own_seed, "progress": progress}
        if isinstance(how, Transcript):
            verdict = transcript_check(how.algorithm, how.data, how.neighbour, claim, trials=trials, **common, **kept)
        elif isinstance(how, Output):
            mechanism, by = implementation(instance)
            verdict = check(mechanism, how.data, how.neighbour, claim, trials=trials, features=how.features, **common, **kept)
        else:
            held = how.hold(trials, own_seed, store, execution.call_timeout)
            verdict = check(held, 0, 1, claim, trials=held.trials, **common)
        bound, refuted, used = verdict.bound.epsilon, verdict.refuted, confidence
        event, secrets, trials = verdict.bound.event, verdict.bound.secrets, verdict.bound.trials
        if isinstance(verdict.tested, Losses):
            band = band_from_losses(verdict.tested, grid(claim, exact_epsilon, FEW_POINTS), confidence)
        else:
            band = band_from_events(verdict.tested, grid(claim, exact_epsilon, POINTS), confidence)
    return Row(
        id=instance.id,
        algorithm=instance.algorithm,
        choice=instance.choice,
        view=instance.view,
        instance=instance.name,
        epsilon=claim.epsilon,
        delta=claim.delta,
        lower_bound=bound,
        confidence=used,
        exact_epsilon=exact_epsilon,
        implementation=by,
        trials=trials,
        verdict=verdict_word(refuted),
        expected=instance.expected,
        seconds=time.perf_counter() - started,
        seed=own_seed,
        event=event,
        secrets=secrets,
        pair=f"the worst pair of: {instance.name}" if how.data is None else describe_pair(how.data, how.neighbour),
        curves=curves(instance.profile, grid(claim, exact_epsilon, POINTS), band),
    )


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Rows, as dictionaries, as aligned lines of text."""
    head = ("algorithm", "choice", "view", "instance", "claim", "lower bound", "exact", "trials", "verdict", "s")
    body = [
        (
            row["algorithm"],
            row["choice"],
            row["view"],
            row["instance"],
            f"({row['epsilon']:g}, {row['delta']:g})",
            f"{row['lower_bound']:.3f}" + (f" @ {100 * row['confidence']:.3f} %" if row["confidence"] else ""),
            "" if row["exact_epsilon"] is None else f"{row['exact_epsilon']:.3f}",
            f"{row['trials']:,}" if row["trials"] else "",
            row["verdict"] + ("" if row["verdict"] == row["expected"] else f" (expected {row['expected']})"),
            f"{row['seconds']:.1f}",
        )
        for row in rows
    ]
    return align([head, *body])


def align(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns padded to equal width; a rule under the first row."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]
