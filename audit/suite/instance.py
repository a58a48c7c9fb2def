"""What `pytest audit/` runs: instances of audits, and how one is run and reported.

An instance is literal: what is audited, on which pair, at which claim, and what must come out. None of that is computed from
the code under audit, so breaking the code cannot move the expectation. What is run is built when the instance runs.
"""

from __future__ import annotations

import math
import re
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.outputs import Features, Outputs
from dppca.audit.auditor.results import Claim, Losses, LowerBound, Nested, Verdict
from dppca.audit.execution.batches import Batch, BatchError, Clock, Failure
from dppca.audit.report.curves import FEW_POINTS, POINTS, Curves, curves, describe_pair, grid
from dppca.audit.suite.power import ENOUGH, power
from dppca.reference.declaration import Declaration
from dppca.reference.noise import Algorithm, Lockstep, Sample, lockstep
from dppca.reference.relation import Relation
from dppca.reference.rigour.validation import error_text

if TYPE_CHECKING:
    from dppca.audit.execution.store import Store
    from dppca.audit.execution.trials import Held

# What runs an audit imports the engine's views itself: they cost a second, which collecting the audits must not.

View: TypeAlias = Literal["exact", "transcript", "output"]
#: A pair's smallest delta at an epsilon, for the report's curve.
Profile: TypeAlias = Callable[[float], float]
Word: TypeAlias = Literal["NOT REFUTED", "REFUTED", "NO DIFFERENCE", "DIFFERS"]
Progress: TypeAlias = Callable[[int], None]

#: What is said of a claim that stands and of one that falls: of privacy, and of one law where there might be two.
PRIVACY: tuple[Word, Word] = ("NOT REFUTED", "REFUTED")
DIFFERENCE: tuple[Word, Word] = ("NO DIFFERENCE", "DIFFERS")
#: Probability that any sampled bound of one whole run is wrong; it is shared out evenly.
FAMILY_ERROR = 0.01
#: Trials of an instance are multiplied by this.
BUDGETS = {"quick": 0.2, "standard": 1.0, "deep": 10.0}
#: Trials that the auditor needs at least: `MIN_TRIALS` of audit/execution/arguments.py.
LEAST_TRIALS = 100
#: Where a batched implementation runs an audit, the reference itself runs this share of its trials, and so many at least.
REFERENCE_SHARE, REFERENCE_LEAST = 0.02, 1_000
#: Relative difference up to which a computed epsilon equals the literal one, which has six digits.
SAME_EPSILON = 2e-5


@dataclass(frozen=True)
class Exact:
    """An exact view: a function that returns (does the claim hold on the pair, epsilon of the pair at the claim's delta).

    The pair of datasets, where it is one, and its profile, where it is known, are for the report.
    """

    decide: Callable[[], tuple[bool, float]]
    data: Any = None
    neighbour: Any = None
    profile: Profile | None = None


@dataclass(frozen=True)
class Transcript:
    """A transcript audit: algorithm and pair of datasets, and the pair's profile, where it is known."""

    algorithm: Algorithm[Any]
    data: Any
    neighbour: Any
    profile: Profile | None = None


@dataclass(frozen=True)
class Output:
    """An output audit: mechanism, pair of datasets, features.

    `arguments` are those of the catalogue's `bind`, with which another implementation can take the mechanism's place
    (audit/suite/implementations.py); None where none can. With `message` the mechanism is one client: a row in, its message
    out. With `start` the mechanism begins there, (d, k), instead of at random, which the catalogue's arguments do not say.
    `implementation` is what runs, in words.
    """

    mechanism: Any
    data: Any
    neighbour: Any
    features: Features | None = None
    arguments: Mapping[str, Any] | None = None
    message: bool = False
    start: NDArray[np.float64] | None = None
    profile: Profile | None = None
    implementation: str = "reference"


def sampled(algorithm: Algorithm[Any]) -> Callable[[Any, np.random.Generator], Any]:
    """Return an algorithm as a mechanism (data, rng) -> output."""
    return lambda data, rng: algorithm(data, Sample(rng))


@dataclass(frozen=True)
class OneRun:
    """An output audit of a local protocol in ONE run: each client holds one of two rows, by a fair coin of its own.

    Given the coins, the messages are independent, so each client is a trial on the row that it holds.
    `arguments` as in `Output`.
    """

    messages: Callable[[NDArray[np.float64], np.random.Generator], Sequence[Any]]
    data: NDArray[np.float64]
    neighbour: NDArray[np.float64]
    arguments: Mapping[str, Any] | None = None
    profile: Profile | None = None
    implementation: str = "reference"

    def hold(self, trials: int, seed: int, execution: Execution | None = None, store: Store | None = None) -> Held:
        """Return the messages of one run with 2 * trials clients, on a seed of its own, by the row that the clients hold.

        The run may take the limit of a call for every batch that its clients would fill.
        """
        from dppca.audit.execution.runner import Runner  # noqa: PLC0415 - see the top
        from dppca.audit.execution.trials import BATCH, Held, mechanism_error  # noqa: PLC0415

        batch = OneRunBatch(np.random.SeedSequence([seed, 1]), trials, "one run", self)
        how, pair = execution or Execution(), (self.data, self.neighbour)
        limit = None if how.call_timeout is None else math.ceil(2 * trials / BATCH) * how.call_timeout
        with Runner(1, store, limit, isolate=how.isolate, callables=(self.messages,), data=pair) as runner:
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

    def parts(self) -> tuple[Any, ...]:
        """Return the protocol with its datasets."""
        return (self.how,)

    def run(self, clock: Clock) -> list[tuple[Any, float]]:
        """Return the outputs of one call."""
        rng = np.random.default_rng(self.seed)
        coins = rng.integers(2, size=2 * self.size)
        try:
            clock.start(0)
            messages = self.how.messages(np.where(coins[:, None] == 0, self.how.data, self.how.neighbour), rng)
            Outputs.of(messages)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also what would end the process or the test
            raise BatchError(f"raised {error_text(error)}", 0, []) from error
        return list(zip(messages, coins.tolist(), strict=True))

    def head(self) -> None:
        """Return None: a run has no part that could be run alone."""


How: TypeAlias = Exact | Transcript | Output | OneRun


@dataclass(frozen=True)
class Setup:
    """What is run: a view of a pair of datasets, which `name` describes in words, made when it is run.

    Several instances may share it: at other claims, or of other readings, which `build` is told.
    """

    view: View
    name: str
    build: Callable[[Instance], How] = field(repr=False, compare=False)


@dataclass(frozen=True)
class Instance:
    """One audit of one claim: every field is a literal, but for what makes the setup when it is run.

    Attributes:
        algorithm: key of the catalogue.
        choice: name of the reading, or of one that differs from it as the name says.
        setup: the view, and the pair of datasets.
        claim: what is audited.
        expected: the verdict that a correct auditor gives of a correct implementation of this reading.
        epsilon: the pair's exact epsilon at the claim's delta, to six digits, where it is known: no sampled bound may exceed
            it, and the exact view must compute it.
        because: id of the ledger's claim that says why, for anything but a reading that claims privacy, at its own claim and
            under the algorithm's declared relation; those are expected to be NOT REFUTED.
        trials: trials per dataset at the standard budget; 0 in the exact view.
        least: trials that are run at any budget: fewer of a slow mechanism show nothing.
        relation: the relation of the pair, where it is not the declared one.
        target: what the reading was calibrated for, where that is not the claim.
        seconds: processor seconds that it may take at the standard budget: fewer trials are run where these take longer.
        words: what it says where the claim stands, and where it falls.
        asks: whether it asks what so many trials find: both verdicts are in order.
        after: the choice of which something must have been found, else nothing will be here.
    """

    algorithm: str
    choice: str
    setup: Setup
    claim: Claim
    expected: Word = "NOT REFUTED"
    _: KW_ONLY
    epsilon: float | None = None
    because: str = ""
    trials: int = 0
    least: int = LEAST_TRIALS
    relation: Relation | None = None
    target: Claim | None = None
    seconds: float | None = None
    words: tuple[Word, Word] = PRIVACY
    asks: bool = False
    after: str = ""

    @property
    def view(self) -> View:
        """The view."""
        return self.setup.view

    @property
    def name(self) -> str:
        """The pair of datasets, in words."""
        return self.setup.name

    @property
    def id(self) -> str:
        """Test id: algorithm, choice, view, instance and claim."""
        words = (self.algorithm, self.choice, self.view, self.name, f"({self.claim.epsilon:g},{self.claim.delta:g})")
        return "-".join(words).replace(" ", "_")

    def built(self) -> How:
        """Return what this instance runs."""
        return self.setup.build(self)

    def budgeted(self, budget: str) -> int:
        """Return the trials per dataset at a budget, as many as the auditor needs at least; 0 in the exact view."""
        return 0 if self.view == "exact" else max(int(self.trials * BUDGETS[budget]), self.least)


#: A share of a sensitivity that differs from the stated one by no more than this is the stated one.
SAME_SHARE = 1e-9


@dataclass(frozen=True)
class Maximiser:
    """A pair of datasets at which releases of an algorithm change by as much as they declare, or nearly; the notes name it.

    Attributes:
        arguments: those of `bind` that differ from the declared example's.
        pair: the two datasets.
        releases: patterns of names; of each one that matches, some release reaches this share of its sensitivity.
        share: 1 where the sensitivity is reached; less where it is an upper bound that no pair reaches.
        reason: why it is not reached, if it is not.
    """

    arguments: Mapping[str, Any]
    pair: tuple[Any, Any]
    releases: tuple[str, ...] = (".*",)
    share: float = 1.0
    reason: str = ""

    def __post_init__(self) -> None:
        if not 0.0 < self.share <= 1.0 or (self.share < 1.0) != bool(self.reason):
            raise ValueError(f"share must be 1, or in (0, 1) with the reason, got {self.share!r} and {self.reason!r}")

    def lockstep(self, algorithm: Declaration) -> Lockstep:
        """Return both datasets against one transcript of the algorithm's corrected reading."""
        arguments = {**algorithm.example.arguments, **self.arguments}
        run = algorithm.bind(**arguments, choices=algorithm.choices["CORRECTED"])
        return lockstep(run, *self.pair, np.random.default_rng(1))

    def reached(self, seen: Lockstep) -> dict[str, float]:
        """Return the largest change over declared sensitivity of each of `releases`; 0 where no release has such a name."""
        return {
            pattern: max((r.change / r.sensitivity for r in seen.releases if re.fullmatch(pattern, r.name)), default=0.0)
            for pattern in self.releases
        }

    def faults(self, algorithm: Declaration) -> list[str]:
        """Return what is wrong with the declared sensitivities: a release that moves by more, or not by the stated share."""
        seen = self.lockstep(algorithm)
        found = [f"release {r.name!r} moves by {r.change:.6g}, {r.sensitivity:.6g} is declared" for r in seen.violations]
        for pattern, share in self.reached(seen).items():
            if abs(share - self.share) > SAME_SHARE:
                found.append(
                    f"releases {pattern!r} reach {share:.6g} of their declared sensitivity, {self.share:.6g} is stated: "
                    "name a pair that reaches more in MAXIMISERS, or the share with the reason"
                )
        return found


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
    inconclusive: str
    because: str
    seconds: float
    seed: int
    event: str
    secrets: tuple[str, ...]
    pair: str
    curves: Curves = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain data for the JSON report."""
        return asdict(self)


def implementation(instance: Instance, how: Output) -> tuple[Any, str]:
    """Return the mechanism of an output audit, batched where there is such an implementation of the catalogue's algorithm."""
    from dppca.audit import batched  # noqa: PLC0415 - the whole catalogue, which no collection needs
    from dppca.reference.catalog import ALGORITHMS  # noqa: PLC0415

    if how.arguments is not None and instance.algorithm in ALGORITHMS:
        key = instance.algorithm + ":messages" * how.message
        sampler = batched.sampler(key, instance.choice, how.arguments, how.start)
        if sampler is not None:
            return sampler, "batched"
    return how.mechanism, how.implementation


def instance_seed(seed: int, instance: Instance) -> int:
    """Return a seed of the instance's own, from the run's seed and the instance's id."""
    return int(np.random.SeedSequence([seed, zlib.crc32(instance.id.encode())]).generate_state(1, np.uint64)[0])


@dataclass(frozen=True)
class Execution:
    """The way in which the audits of a run are executed; it changes no result. See `audit.lower_bound`.

    Attributes:
        workers: batches under way at a time.
        store: path of the store, or None.
        call_timeout: seconds that one call may take, or None.
        isolate: whether each batch runs in a process of its own.
    """

    workers: int = 1
    store: str | None = None
    call_timeout: float | None = None
    isolate: bool = False


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
    from dppca.audit.auditor.profile import band_from_events, band_from_losses  # noqa: PLC0415 - see the top
    from dppca.audit.execution.isolation import processor_seconds  # noqa: PLC0415

    started = time.perf_counter()
    how, claim, own_seed = instance.built(), instance.claim, instance_seed(seed, instance)
    trials, by, used, band = 0, "reference", None, None
    secrets: tuple[str, ...] = ()
    if isinstance(how, Exact):
        holds, bound = how.decide()
        refuted, event = not holds, "privacy loss above the claim's epsilon"
        if how.profile is not None:
            event += f", for which delta would have to be {how.profile(claim.epsilon):.4g}"
    else:
        common: dict[str, Any] = {"confidence": confidence, "seed": own_seed, "progress": progress}
        wanted = instance.budgeted(budget)
        if instance.seconds is not None:
            common |= {"seconds": instance.seconds * BUDGETS[budget], "clock": processor_seconds}
        found = _sampled(instance, how, wanted, common, execution)
        refuted, bound, used, by = found.refuted, found.bound.epsilon, confidence, found.by
        event, secrets, trials = found.bound.event, found.bound.secrets, found.bound.trials
        if isinstance(found.tested, Losses):
            band = band_from_losses(found.tested, grid(claim, instance.epsilon, FEW_POINTS), confidence)
        elif found.tested is not None:
            band = band_from_events(found.tested, grid(claim, instance.epsilon, POINTS), confidence)
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
        exact_epsilon=instance.epsilon,
        implementation=by,
        trials=trials,
        verdict=instance.words[refuted],
        expected=instance.expected,
        inconclusive=inconclusive(instance, how, refuted, instance.budgeted(budget), confidence),
        because=instance.because,
        seconds=time.perf_counter() - started,
        seed=own_seed,
        event=event,
        secrets=secrets,
        pair=_pair(instance, how),
        curves=curves(how.profile, grid(claim, instance.epsilon, POINTS), band),
    )


def _pair(instance: Instance, how: How) -> str:
    """Return in words what is compared."""
    if how.data is None:
        return f"the best pair found for: {instance.name}"
    if instance.words == DIFFERENCE:
        return f"{how.data[0]} and {how.neighbour[0]}, on the second dataset of: {instance.name}"
    return describe_pair(how.data, how.neighbour)


@dataclass(frozen=True)
class _Found:
    """The finding of a sampled view, what the profile's band is made of (None: nothing), and the implementation that ran."""

    refuted: bool
    bound: LowerBound
    tested: Nested | Losses | None
    by: str = "reference"


def _sampled(
    instance: Instance,
    how: Transcript | Output | OneRun,
    trials: int,
    common: dict[str, Any],
    execution: Execution,
) -> _Found:
    """Run a sampled view."""
    from dppca.audit.execution.output_view import check  # noqa: PLC0415 - see the top
    from dppca.audit.execution.store import Store  # noqa: PLC0415
    from dppca.audit.execution.transcript_view import transcript_check  # noqa: PLC0415

    store = None if execution.store is None else Store(execution.store, instance.id)
    kept: dict[str, Any] = {**vars(execution), "store": store}
    claim = instance.claim
    if isinstance(how, Transcript):
        return _of(transcript_check(how.algorithm, how.data, how.neighbour, claim, trials=trials, **common, **kept))
    if isinstance(how, OneRun):
        held = how.hold(trials, common["seed"], replace(execution, store=None), store)
        return _of(check(held, 0, 1, claim, trials=held.trials, **common), how.implementation)
    mechanism, by = implementation(instance, how)
    verdict = check(mechanism, how.data, how.neighbour, claim, trials=trials, features=how.features, **common, **kept)
    if by == "batched" and not verdict.refuted:
        common = {**common, "seed": common["seed"] ^ 1, "features": how.features}
        share = min(trials, max(REFERENCE_LEAST, int(trials * REFERENCE_SHARE)))
        own = check(how.mechanism, how.data, how.neighbour, claim, trials=share, isolate=execution.isolate, **common)
        return _of(own if own.refuted else verdict, "batched, reference")
    return _of(verdict, by)


def _of(verdict: Verdict, by: str = "reference") -> _Found:
    return _Found(verdict.refuted, verdict.bound, verdict.tested, by)


def inconclusive(instance: Instance, how: How, refuted: bool, trials: int, confidence: float) -> str:
    """Return in words why a refutation that did not come out need not have: so many trials cannot show it; empty if they can.

    What a budget shows is known from the pair's exact profile; where none is known, the standard budget must show it.
    """
    if instance.asks and not refuted:
        return "this budget does not find it"
    if refuted or instance.expected != "REFUTED" or instance.view == "exact" or trials >= instance.trials:
        return ""
    if how.profile is None:
        return f"{trials:,} of the {instance.trials:,} trials of the standard budget"
    chance = power(how.profile, instance.claim, trials, confidence)
    return "" if chance >= ENOUGH else f"{trials:,} trials show it with probability {chance:.2g}"


def leak(row: Row) -> str:
    """Return in words what is refuted: the claim, the bound, and what was tested; nothing of a claim that is not."""
    if row.verdict == DIFFERENCE[1]:
        return (
            f": its outputs have another law than the reference's on this dataset, whether private or not; event: {row.event}"
        )
    if row.verdict != PRIVACY[1]:
        return ""
    claim, relation = f"({row.epsilon:g}, {row.delta:g})", "is" if row.view == "exact" else "is at least"
    event = f"; event: {row.event}" if row.event else ""
    return f": {claim}-differential privacy does not hold on this pair, where epsilon {relation} {row.lower_bound:.4g}{event}"


def unexpected(row: Row) -> list[str]:
    """Return in words what of a row is not as the instance says; empty if all is."""
    problems = []
    if row.verdict != row.expected and not row.inconclusive:
        why = f" (claim {row.because})" if row.because else ""
        problems.append(f"the verdict is {row.verdict}, it must be {row.expected}{why}{leak(row)}")
    exact = row.exact_epsilon
    if exact is None:
        return problems
    if row.view == "exact" and not math.isclose(row.lower_bound, exact, rel_tol=SAME_EPSILON, abs_tol=SAME_EPSILON):
        problems.append(f"the pair's epsilon is {row.lower_bound:.6g}, it must be {exact:.6g}")
    if row.view != "exact" and row.lower_bound > exact * (1.0 + SAME_EPSILON) + SAME_EPSILON:
        problems.append(f"the lower bound {row.lower_bound:.6g} exceeds the pair's epsilon, which is {exact:.6g}")
    return problems
