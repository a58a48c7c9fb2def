"""Trials that depend on more than their seed: seeded where that can be, refused where not; caches are left alone.

Mechanisms here have the same law on both datasets, or epsilon 1, unless they say otherwise: a bound above that is wrong.
"""

from __future__ import annotations

import copy
import functools
import pickle
import random
import sys
import threading
import time
import types
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from dppca import audit
from dppca.audit.engine.state import State, _Reader, fingerprint, later
from dppca.audit.engine.trials import BATCH
from dppca.reference.noise import Noise

WAYS: list[dict[str, Any]] = [{}, {"call_timeout": 60.0}, {"workers": 2}, {"workers": 3, "call_timeout": 60.0}]
TRIALS = 2 * BATCH + 200
GLOBAL = np.random.default_rng(0)
KEPT: dict[str, Any] = {}


def numpys(x: float, _: np.random.Generator) -> float:
    return float(x * np.random.choice([-1, 1]) + np.random.laplace())  # noqa: NPY002 - what the code of others does


def pythons(x: float, _: np.random.Generator) -> float:
    return x * random.choice([-1, 1]) + random.gauss(0.0, 1.0)  # noqa: S311


class Numpys:
    def sample(self, x: float, n: int, _: np.random.Generator) -> Any:
        return (1.0 - 2.0 * x) * np.random.laplace(size=n)  # noqa: NPY002


def torchs(x: float, _: np.random.Generator) -> float:
    return float(x * sys.modules["torch"].rand())


class Torch(types.ModuleType):
    """A stand-in for as much of torch as is asked for: a generator of the process with a fixed first seed."""

    def __init__(self) -> None:
        super().__init__("torch")
        self.Tensor = type("Tensor", (), {})  # which scipy asks for
        self.manual_seed(0)

    def manual_seed(self, seed: int) -> None:
        self.own = np.random.default_rng(seed)

    def get_rng_state(self) -> Any:
        return self.own.bit_generator.state

    def set_rng_state(self, state: Any) -> None:
        self.own.bit_generator.state = state

    def rand(self) -> float:
        return float(self.own.normal())


@pytest.mark.parametrize(("mechanism", "pair"), [(numpys, (1.0, -1.0)), (pythons, (1.0, -1.0)), (Numpys(), (0.0, 1.0))])
def test_generators_of_the_process_are_seeded_for_every_batch(mechanism: Any, pair: tuple[float, float]) -> None:
    """The law is the same on both, so at most 1 in 20 bounds is above 0; the review's were 7.2."""
    before = np.random.get_state(legacy=False)["state"]["key"].tolist(), random.getstate()  # noqa: NPY002
    bounds = [audit.lower_bound(mechanism, *pair, trials=TRIALS, **how) for how in WAYS]
    assert {bound.epsilon for bound in bounds} == {0.0}
    assert len({bound.event for bound in bounds}) == 1
    assert (np.random.get_state(legacy=False)["state"]["key"].tolist(), random.getstate()) == before  # noqa: NPY002


@pytest.mark.slow
def test_a_library_loaded_by_the_mechanism_is_seeded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def loads_late(x: float, rng: np.random.Generator) -> float:
        sys.modules.setdefault("torch", Torch())
        return torchs(x, rng)

    epsilons = []
    monkeypatch.setitem(sys.modules, "torch", None)  # put back as it was in the end
    for how in WAYS:
        del sys.modules["torch"]
        epsilons.append(audit.lower_bound(loads_late, 1.0, -1.0, trials=8 * BATCH, **how).epsilon)
        sys.modules.setdefault("torch", Torch())
    assert epsilons == [0.0] * len(WAYS)


def test_on_a_cluster_too() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL") as local,
        distributed.Client(local),
        joblib.parallel_config("dask"),
    ):
        assert audit.lower_bound(numpys, 1.0, -1.0, trials=TRIALS, workers=2).epsilon == 0.0
        with pytest.raises(audit.MechanismError, match="Draw from rng alone"):
            audit.lower_bound(Own(), 1.0, -1.0, trials=TRIALS, workers=2)


test_on_a_cluster_too = pytest.mark.filterwarnings("default")(test_on_a_cluster_too)  # of dask's own


# --- refused ------------------------------------------------------------------------------------------


def of_a_module(x: float, _: np.random.Generator) -> float:
    return float(x * GLOBAL.choice([-1, 1]) + GLOBAL.laplace())


class Own:
    def __init__(self) -> None:
        self.rng = np.random.RandomState(3)

    def __call__(self, x: float, _: np.random.Generator) -> float:
        return float(x * self.rng.choice([-1, 1]) + self.rng.laplace())


class Rarely:
    """Draws from its own generator once in about 1500 calls."""

    def __init__(self) -> None:
        self.deep = {"generators": [random.Random(1)]}  # noqa: S311

    def __call__(self, x: float, rng: np.random.Generator) -> float:
        y = float(rng.laplace())
        return x + y if y < 6.6 else self.deep["generators"][0].random()


def in_a_closure() -> Callable[..., float]:
    rng = np.random.default_rng(0)
    laplace = rng.laplace
    return lambda x, _: x * float(np.sign(laplace()))


def of_the_system(x: float, _: np.random.Generator) -> float:
    return float(x + np.random.default_rng().laplace())


class Drift:
    calls = 0

    def __call__(self, _: float, rng: np.random.Generator) -> float:
        self.calls += 1
        return 0.01 * self.calls + float(rng.normal())


class DriftsLate:
    """A mechanism that is as it says for 1000 calls, and then drifts."""

    calls = 0

    def __call__(self, _: float, rng: np.random.Generator) -> float:
        self.calls += 1
        return max(0, self.calls - 1000) + float(rng.normal())


class Fixed:
    def sample(self, x: float, n: int, _: np.random.Generator) -> Any:
        return (1.0 - 2.0 * x) * np.random.default_rng(0).laplace(size=n)


class HalfFixed:
    def sample(self, x: float, n: int, rng: np.random.Generator) -> Any:
        return np.column_stack([rng.normal(size=n), (1.0 - 2.0 * x) * np.random.default_rng(0).laplace(size=n)])


class KeepsTheFirst:
    seen: Any = None

    def __call__(self, x: float, rng: np.random.Generator) -> float:
        self.seen = x if self.seen is None else self.seen
        return float(self.seen + rng.laplace())


def keeps_the_first(x: float, rng: np.random.Generator) -> float:
    return float(KEPT.setdefault("x", x) + rng.laplace())


class Uncopied(KeepsTheFirst):
    """One that nobody can copy."""

    def __init__(self) -> None:
        self.stream = iter(x for x in range(3))


class Budget:
    """A mechanism that gives no answer after so many calls."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self, x: float, rng: np.random.Generator) -> float | None:
        self.left -= 1
        return float(abs(x) + rng.laplace()) if self.left >= 0 else None


def of_a_copy(x: float, rng: np.random.Generator) -> float:
    """As where a call is sent to a pool of processes: what it draws is never drawn from rng."""
    return float(abs(x) + pickle.loads(pickle.dumps(rng)).laplace())  # noqa: S301 - its own


def bits_of_a_copy(x: float, rng: np.random.Generator) -> int:
    return int(copy.deepcopy(rng).random() < 0.5)


class KeepsAnswers:
    """A noisy answer is drawn once for a dataset, and kept."""

    def __init__(self) -> None:
        self.answers: dict[float, float] = {}

    def __call__(self, x: float, rng: np.random.Generator) -> float:
        if x not in self.answers:
            self.answers[x] = float(abs(x) + rng.laplace())
        return self.answers[x]


@functools.lru_cache
def kept_noise(x: float) -> float:
    return float(abs(x) + np.random.laplace())  # noqa: NPY002 - a draw that is kept


def of_a_cache(x: float, _: np.random.Generator) -> float:
    return kept_noise(x)


def of_a_local_cache() -> Callable[..., float]:
    @functools.cache
    def noise(x: float) -> float:
        return float(abs(x) + np.random.laplace())  # noqa: NPY002 - a draw that is kept

    return lambda x, _: noise(x)


def seeded_by_the_clock(x: float, _: np.random.Generator) -> float:
    return float(x + np.random.default_rng(int(time.time())).laplace())


def seeds_all_by_the_clock(x: float, _: np.random.Generator) -> float:
    np.random.seed(time.time_ns() // 10**9)  # noqa: NPY002 - a common habit
    return float(x + np.random.laplace())  # noqa: NPY002 - a common habit


class InSlots:
    """Randomised response whose coin comes from a generator of its own, out of sight of pickle."""

    __slots__ = ("lock", "rng")

    def __init__(self) -> None:
        self.lock, self.rng = threading.Lock(), np.random.default_rng(1)

    def __call__(self, x: float, _: np.random.Generator) -> bool:
        return (x > 0.0) ^ bool(self.rng.random() < 0.002)


def beside_a_lock() -> Callable[..., bool]:
    held = {"lock": threading.Lock(), "parts": [deque([np.random.default_rng(1)])]}
    return lambda x, _: (x > 0.0) ^ bool(held["parts"][0][0].random() < 0.002)  # type: ignore[index]


def in_a_stream() -> Callable[..., bool]:
    def coins() -> Iterator[bool]:
        rng = np.random.default_rng(1)
        while True:
            yield bool(rng.random() < 0.002)

    stream = coins()
    return lambda x, _: (x > 0.0) ^ next(stream)


HELPER = """
import numpy as np

_rng, _kept = np.random.default_rng(0), {}


def flip():
    return bool(_rng.random() < 0.002)


def first(x):
    return _kept.setdefault("x", x)


def same(x):
    return x
"""


@pytest.fixture
def helper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module of the user's, beside the one that defines the mechanism."""
    (tmp_path / "users_helper.py").write_text(HELPER)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("users_helper", None)


def flips_in_a_helper() -> Callable[..., bool]:
    import users_helper  # type: ignore[import-not-found]  # noqa: PLC0415 - a fixture makes it

    return lambda x, _: (x > 0.0) ^ users_helper.flip()


def keeps_in_a_helper() -> Callable[..., float]:
    def mechanism(x: float, rng: np.random.Generator) -> float:
        import users_helper  # noqa: PLC0415 - where a user may import

        return float(users_helper.first(x) + rng.laplace())

    mechanism(1.0, np.random.default_rng(0))
    sys.modules["users_helper"]._kept.clear()
    return mechanism


@pytest.mark.usefixtures("helper")
@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (KeepsAnswers, "when it is run with another seed first: it keeps a draw"),
        (lambda: of_a_cache, "when it is run with another seed first: it keeps a draw"),
        (of_a_local_cache, "when it is run with another seed first: it keeps a draw"),
        (lambda: seeded_by_the_clock, "when it is run again with the same seed"),
        (lambda: seeds_all_by_the_clock, "when it is run again with the same seed"),
        (InSlots, r"drew from a generator of its own \(numpy Generator\)"),
        (beside_a_lock, r"drew from a generator of its own \(numpy Generator\)"),
        (in_a_stream, r"keeps a state, and cannot be copied \(pickled\)"),
        (flips_in_a_helper, r"drew from a generator of its own \(numpy Generator\)"),
        (keeps_in_a_helper, r"keeps a state, and cannot be copied \(pickled\)"),
    ],
)
def test_draws_and_states_out_of_sight_are_refused(make: Callable[[], Any], message: str, how: dict[str, Any]) -> None:
    with pytest.raises(audit.MechanismError, match=message):
        audit.lower_bound(make(), 1.0, -1.0, trials=TRIALS, **how)


class Locked(KeepsTheFirst):
    def __init__(self) -> None:
        self.lock = threading.Lock()


class PrivateSlot:
    """Keeps the first dataset where only its own methods say the name."""

    __slots__ = ("__first", "stream")

    def __init__(self) -> None:
        self.__first: float | None = None
        self.stream = iter(x for x in range(3))

    def __call__(self, x: float, rng: np.random.Generator) -> float:
        self.__first = x if self.__first is None else self.__first
        return float(self.__first + rng.laplace())


def decorated() -> Callable[..., float]:
    """Return a mechanism whose answers to rare questions are drawn once, in the closure of a decorator."""

    def remembering(function: Callable[..., float]) -> Callable[..., float]:
        answers: dict[int, float] = {}

        @functools.wraps(function)
        def wrapper(x: float, rng: np.random.Generator) -> float:
            return answers.setdefault(int(rng.integers(5000)), function(x, rng))

        return wrapper

    @remembering
    def mechanism(x: float, rng: np.random.Generator) -> float:
        return float(abs(x) + rng.laplace())

    return mechanism


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Locked, "it keeps something of a dataset"),
        (PrivateSlot, "cannot be copied"),
        (decorated, "it keeps"),
    ],
)
def test_what_is_kept_behind_locks_names_and_decorators_is_seen(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(audit.MechanismError, match=message):
        audit.lower_bound(make(), 1.0, -1.0, trials=20_000)


class Summing:
    calls = 0

    @functools.cached_property
    def scale(self) -> float:
        return 2.0

    def __call__(self, x: float, rng: np.random.Generator) -> float:
        import colorsys  # noqa: PLC0415 - where a user may import

        import users_helper  # noqa: PLC0415 - a module of the user's

        self.calls += 1
        return float(users_helper.same(x) + rng.laplace(scale=self.scale * SCALE) + 0.0 * colorsys.ONE_THIRD)


class Chained:
    """A dataset of objects that hold each other."""

    def __init__(self, length: int) -> None:
        self.value, self.lock, self.next, self.before = float(length % 2), threading.Lock(), None, None
        last: Any = self
        for _ in range(length):
            last.next = Chained(0)
            last.next.before = last
            last = last.next


SCALE = 1.0


@functools.singledispatch
def shown(x: Any) -> float:
    return float(x)


@pytest.mark.usefixtures("helper")
@pytest.mark.parametrize("how", WAYS)
def test_honest_mechanisms_are_not_refused(monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]) -> None:
    """Kept: what is no draw, a count, a module that is loaded late. Optional parts move others. Data are what they are."""

    def optional(x: float, rng: np.random.Generator) -> Any:
        few = {"b": 1.0} if rng.random() < 0.05 else {}
        return {"a": x + float(rng.laplace()), **few, "c": 7.0, "d": 9.0, "e": "word"}

    def ragged(x: float, rng: np.random.Generator) -> Any:
        return ([x] * int(rng.integers(1, 3)), 5, 3, float(rng.laplace()))

    def dispatched(x: float, rng: np.random.Generator) -> float:
        return shown(x) + float(rng.laplace())

    for mechanism in (optional, ragged, dispatched):
        for seed in range(3):
            assert audit.lower_bound(mechanism, 0.0, 1.0, trials=2000, seed=seed, **how).epsilon > 0.0
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert audit.lower_bound(Summing(), 0.0, 1.0, trials=TRIALS, **how).epsilon > 0.3
    chains = Chained(2000), Chained(2001)
    found = audit.lower_bound(lambda data, rng: data.value + rng.laplace(), *chains, trials=200, **how)
    assert found.epsilon >= 0.0


def test_of_a_long_chain_that_cannot_be_pickled_a_part_is_read() -> None:
    """All of it, link by link, would take time as the square of its length."""
    assert len(_Reader(Chained(300))._seen) < 120
    assert len(_Reader(Chained(20))._seen) > 20


@pytest.mark.usefixtures("helper")
def test_a_copy_changes_nothing_of_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copied class was taken for the class itself, whose methods then read what globals were at the first audit."""
    call = Summing.__call__
    before = audit.lower_bound(Summing(), 0.0, 1.0, trials=TRIALS).epsilon
    assert Summing.__call__ is call
    assert call.__globals__ is globals()
    monkeypatch.setitem(globals(), "SCALE", 20.0)
    assert audit.lower_bound(Summing(), 0.0, 1.0, trials=TRIALS).epsilon < 0.1 < before


def test_two_audits_that_ask_at_another_time_leave_the_clock_as_it_was() -> None:
    clocks = time.time, time.time_ns
    with later():
        with later():
            assert time.time() - clocks[0]() > 3600.0
        assert time.time is clocks[0]
    assert (time.time, time.time_ns) == clocks


def test_what_functions_keep_may_be_kept_if_it_is_no_draw() -> None:
    calls = []

    @functools.cache
    def kept(x: float) -> float:
        calls.append(x)
        return 2.0 * x

    def mechanism(x: float, rng: np.random.Generator) -> float:
        return kept(x) + float(rng.laplace(scale=2.0))

    bounds = [audit.lower_bound(mechanism, 0.0, 1.0, trials=TRIALS, **how).epsilon for how in WAYS]
    assert len(set(bounds)) == 1
    assert 0.8 < bounds[0] < 1.0
    assert calls == [0.0, 1.0]  # the user's own cache is as it was, and no other was filled by hand


class PartlyShared:
    """Half of each output is drawn once for all trials."""

    def sample(self, x: float, n: int, rng: np.random.Generator) -> Any:
        return np.column_stack([rng.normal(size=n), np.full(n, abs(x) + rng.laplace())])


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: of_a_copy, r"gives the same in all trials with one seed, .* Draw anew in each trial, and from rng itself"),
        (lambda: bits_of_a_copy, "gives the same in all trials with one seed, and something else with another"),
        (PartlyShared, "gives the same in all trials with one seed, and something else with another"),
        (Uncopied, r"cannot be copied .* Keep nothing from call to call"),
    ],
)
def test_trials_that_share_draws_or_what_nobody_can_copy_are_refused(
    make: Callable[[], Any], message: str, how: dict[str, Any]
) -> None:
    with pytest.raises(audit.MechanismError, match=message):
        audit.lower_bound(make(), 1.0, -1.0, trials=TRIALS, **how)


def test_few_trials_that_agree_by_chance_are_not_refused() -> None:
    """Two of a kind for each seed, an eighth of the time: coins, and what is nearly always the same."""
    for seed in range(40):
        audit.lower_bound(lambda x, rng: int(rng.random() < 0.5), 0.0, 1.0, trials=200, seed=seed)
        audit.lower_bound(lambda x, rng: int(rng.random() < 0.95), 0.0, 1.0, trials=200, seed=seed)


@pytest.mark.parametrize("calls", [16_500, 18_000, 30_000])
def test_a_budget_that_ends_in_a_later_batch_is_seen(calls: int) -> None:
    """Both datasets have the same law; the bounds were 0.25, 0.31 and 0.23."""
    with pytest.raises(audit.MechanismError, match="keeps a state that changes its outputs"):
        audit.lower_bound(Budget(calls), 1.0, -1.0, trials=20_000)
    for how in WAYS[1:]:  # there each batch begins with the whole budget
        assert audit.lower_bound(Budget(calls), 1.0, -1.0, trials=20_000, **how).epsilon == 0.0


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: of_a_module, "drew from a generator of its own"),
        (Own, "drew from a generator of its own"),
        (Rarely, "drew from a generator of its own"),
        (in_a_closure, "drew from a generator of its own"),
        (lambda: of_the_system, "gives other outputs when it is run again with the same seed"),
        (Drift, "gives other outputs when it is run again with the same seed"),
        (DriftsLate, "it keeps something of a dataset or a call"),
        (Fixed, "gives the same outputs with 10 seeds"),
        (HalfFixed, "gives the same outputs with 10 seeds"),
        (KeepsTheFirst, "it keeps something of a dataset"),
        (lambda: keeps_the_first, "it keeps something of a dataset"),
    ],
)
def test_what_depends_on_more_than_its_seed_is_refused(make: Callable[[], Any], message: str, how: dict[str, Any]) -> None:
    KEPT.clear()
    with pytest.raises(audit.MechanismError, match=rf"{message}.* on .*\. Draw from rng alone, or from a generator"):
        audit.lower_bound(make(), 1.0, -1.0, trials=TRIALS, **how)


def appends(data: list[float], rng: np.random.Generator) -> float:
    out = float(sum(data) + rng.laplace())
    data.append(data[0] * 0.01)
    return out


def appends_nothing(data: Any, rng: np.random.Generator) -> float:
    data["rows"][0].append(0.0)
    return float(sum(data["rows"][0]) + rng.laplace())


def seldom_changes(data: list[float], rng: np.random.Generator) -> float:
    y = float(rng.laplace())
    if y > 6.6:
        data[0] = 5.0
    return data[0] + y


class BehindALock:
    """Data that nobody can pickle."""

    def __init__(self, rows: list[float]) -> None:
        self.lock, self.rows = threading.Lock(), rows


def prunes(data: BehindALock, rng: np.random.Generator) -> float:
    y = float(sum(data.rows) + rng.laplace())
    if abs(y) > 9.0 and data.rows:
        data.rows.pop()
    return y


@pytest.mark.parametrize("how", WAYS)
def test_a_change_of_data_that_nobody_can_pickle_is_seen(how: dict[str, Any]) -> None:
    """The same data twice; bounds were up to 0.56."""
    with pytest.raises(audit.MechanismError, match="changed its dataset"):
        audit.lower_bound(prunes, *(BehindALock([1.0] * 3) for _ in range(2)), trials=TRIALS, **how)


class Opaque:
    """Data with a cache of its own sum, and with a change that is none."""

    def __init__(self, value: float) -> None:
        self.value = value

    @functools.cached_property
    def total(self) -> float:
        return 2.0 * self.value


def changes_opaque(data: Opaque, rng: np.random.Generator) -> float:
    data.value += 0.01
    return float(data.value + rng.laplace())


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    ("mechanism", "pair"),
    [
        (appends, ([0.0], [1.0])),
        (appends_nothing, ({"rows": ([0.0],)}, {"rows": ([1.0],)})),
        (seldom_changes, ([0.0], [1.0])),
    ],
)
def test_a_dataset_that_is_changed_is_seen(mechanism: Any, pair: tuple[Any, Any], how: dict[str, Any]) -> None:
    kept = fingerprint(pair)
    with pytest.raises(audit.MechanismError, match="changed its dataset, so its trials are not independent"):
        audit.check(mechanism, *pair, audit.Claim(1.0), trials=TRIALS, **how)
    assert fingerprint(pair) == kept or how == {}  # in a process of its own it cannot do even that


@pytest.mark.parametrize("how", WAYS)
def test_a_change_of_data_of_any_type_is_seen(how: dict[str, Any]) -> None:
    with pytest.raises(audit.MechanismError, match=r"gives other outputs when it is run again|changed its dataset"):
        audit.lower_bound(changes_opaque, Opaque(0.0), Opaque(1.0), trials=TRIALS, **how)


# --- not refused --------------------------------------------------------------------------------------


class Caches:
    def __init__(self) -> None:
        self.doubled: dict[float, float] = {}
        self.calls = 0

    def __call__(self, x: float, rng: np.random.Generator) -> float:
        self.calls += 1  # which no output depends on
        if x not in self.doubled:
            self.doubled[x] = 2.0 * x
        return float(self.doubled[x] + rng.laplace(scale=2.0))


@functools.lru_cache
def _doubled(x: float) -> float:
    return 2.0 * x


class HoldsTheAuditors:
    """Keeps the generator that it was given, and a generator that it never draws from."""

    def __init__(self) -> None:
        self.rng: Any = None
        self.unused = np.random.default_rng(0)

    def __call__(self, x: float, rng: np.random.Generator) -> float:
        self.rng = rng
        return float(x + self.rng.laplace())


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    ("make", "pair"),
    [
        (Caches, (0.0, 1.0)),
        (lambda: lambda x, rng: _doubled(x) + rng.laplace(scale=2.0), (0.0, 1.0)),
        (HoldsTheAuditors, (0.0, 1.0)),
        (lambda: lambda x, rng: 0.5 * x.total + rng.laplace(), (Opaque(0.0), Opaque(1.0))),
        (lambda: lambda x, rng: x + np.random.default_rng(rng.integers(2**63)).laplace(), (0.0, 1.0)),
    ],
)
def test_caches_and_generators_seeded_by_the_auditors_are_no_reason(make: Any, pair: Any, how: dict[str, Any]) -> None:
    assert 0.5 < audit.lower_bound(make(), *pair, trials=TRIALS, confidence=0.999, **how).epsilon <= 1.0


@pytest.mark.parametrize("mechanism", [lambda x, _: x, lambda _, __: "always", lambda _, rng: rng.random() < 1e-4])
def test_outputs_that_seldom_or_never_differ_are_no_reason(mechanism: Any) -> None:
    assert audit.lower_bound(mechanism, 0.0, 0.0, trials=1000).epsilon == 0.0


def test_a_state_tells_what_it_holds_from_what_it_names() -> None:
    state = State(Rarely())
    assert state.moved() is None
    mechanism = in_a_closure()
    state = State(mechanism)
    mechanism(1.0, np.random.default_rng(0))
    assert state.moved() == "numpy Generator"
    assert State(len).digest == State(len).digest


# --- transcripts --------------------------------------------------------------------------------------


def draws_itself(x: float, noise: Noise) -> Any:
    return noise.gaussian("g", 5 * np.random.laplace() + 0 * x, std=4.0, sensitivity=1.0)  # noqa: NPY002


def draws_of_the_system(x: float, noise: Noise) -> Any:
    return noise.gaussian("g", 5 * np.random.default_rng().laplace() + 0 * x, std=4.0, sensitivity=1.0)


class Counts:
    calls = 0

    def __call__(self, x: float, noise: Noise) -> Any:
        self.calls += 1
        return noise.gaussian("g", x + self.calls, std=4.0, sensitivity=1.0)


class DrawsOwn:
    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def __call__(self, x: float, noise: Noise) -> Any:
        return noise.gaussian("g", x + self.rng.laplace(), std=4.0, sensitivity=1.0)


def seeds_by_the_clock(x: float, noise: Noise) -> Any:
    own = np.random.default_rng(int(time.time()))
    return noise.gaussian("g", x + own.laplace(), std=4.0, sensitivity=1.0)


def keeps_first(x: float, noise: Noise) -> Any:
    return noise.gaussian("g", KEPT.setdefault("x", x), std=4.0, sensitivity=1.0)


def alternates() -> Callable[..., Any]:
    """Return an algorithm of which the second of any two runs is another one: running twice gives the same twice."""
    turn = [0]

    def algorithm(x: float, noise: Noise) -> Any:
        turn[0] = 1 - turn[0]
        return noise.gaussian("g", x + turn[0], std=4.0, sensitivity=1.0)

    return algorithm


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: draws_itself, "drew from numpy's, Python's or torch's own generator instead of noise"),
        (lambda: draws_of_the_system, "gives other transcripts when it is run again"),
        (Counts, "keeps a state that changes its transcripts"),
        (DrawsOwn, "drew from a generator of its own"),
        (lambda: seeds_by_the_clock, "gives other transcripts when it is run again"),
        (lambda: keeps_first, "it keeps something of a dataset"),
        (alternates, "loses privacy between two runs on the same dataset"),
    ],
)
def test_an_algorithm_that_draws_outside_the_seam_is_refused(
    make: Callable[[], Any], message: str, how: dict[str, Any]
) -> None:
    KEPT.clear()
    with pytest.raises(audit.MechanismError, match=rf"{message}.*\. Draw through noise alone"):
        audit.transcript_lower_bound(make(), 1.0, 0.0, delta=1e-3, trials=400, **how)


@pytest.mark.parametrize("how", WAYS)
def test_an_algorithm_that_changes_its_list_is_refused(how: dict[str, Any]) -> None:
    def algorithm(x: list[float], noise: Noise) -> Any:
        x.append(0.0)
        return noise.gaussian("g", sum(x), std=4.0, sensitivity=1.0)

    with pytest.raises(audit.MechanismError, match="changed its dataset"):
        audit.transcript_lower_bound(algorithm, [1.0], [0.0], delta=1e-3, trials=400, **how)


class BudgetOfReleases:
    """An algorithm that releases nothing after so many runs."""

    def __init__(self, runs: int) -> None:
        self.left = runs

    def __call__(self, x: float, noise: Noise) -> Any:
        self.left -= 1
        return noise.gaussian("g", x, std=1.0, sensitivity=1.0) if self.left >= 0 else None


@pytest.mark.parametrize("how", [{}, {"workers": 2}])
@pytest.mark.parametrize("runs", [8001, 8400])
def test_a_budget_of_releases_that_ends_is_seen(runs: int, how: dict[str, Any]) -> None:
    """Data and neighbour are the same; where the budget ended between two runs, the loss was infinite."""
    with pytest.raises(audit.MechanismError, match="keeps a state that changes its transcripts"):
        audit.transcript_lower_bound(BudgetOfReleases(runs), 1.0, 1.0, delta=0.0, trials=6000, **how)


def test_an_algorithm_that_nobody_can_copy_may_keep_nothing() -> None:
    class KeepsFirst:
        def __init__(self) -> None:
            self.stream, self.first = iter(x for x in range(3)), None

        def __call__(self, x: Any, noise: Noise) -> Any:
            self.first = x if self.first is None else self.first
            return noise.gaussian("g", self.first, std=4.0, sensitivity=1.0)

    with pytest.raises(audit.MechanismError, match=r"cannot be copied \(pickled\) .* Keep nothing from call to call"):
        audit.transcript_lower_bound(KeepsFirst(), 1.0, 0.0, delta=1e-3, trials=400)


class Table:
    """What pandas' tables have of this, and no attributes."""

    __slots__ = ("held",)

    def __init__(self, x: float) -> None:
        self.held = np.array([["a", x]], dtype=object)

    @property
    def axes(self) -> Any:
        return [range(1), ["name", "value"]]

    def to_numpy(self) -> Any:
        return self.held


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x: float) -> None:
        self.x = x


@pytest.mark.parametrize(
    "leak",
    [
        float,
        lambda x: (0, {"x": [x]}),
        lambda x: np.array([x, 1.0]),
        Opaque,
        lambda x: None if x else 1,
        Table,
        Slotted,
        lambda x: np.array([1.7e9, x]),
    ],
)
def test_an_output_that_the_releases_do_not_give_refutes_every_epsilon(leak: Callable[[float], Any]) -> None:
    def algorithm(x: float, noise: Noise) -> Any:
        noise.gaussian("g", x, std=4.0, sensitivity=1.0)
        return leak(x)

    verdict = audit.transcript_check(algorithm, 1.0, 0.0, audit.Claim(0.9, 1e-3), trials=400)
    assert verdict.refuted
    assert verdict.bound.epsilon == np.inf


@pytest.mark.parametrize("output", [lambda r, x: r * (1.0 + 1e-15 * x), lambda r, x: object(), lambda r, x: {"r": [r, None]}])
def test_rounding_and_objects_that_say_nothing_are_no_leak(output: Callable[[Any, float], Any]) -> None:
    def algorithm(x: float, noise: Noise) -> Any:
        return output(noise.gaussian("g", x, std=4.0, sensitivity=1.0), x)

    assert audit.transcript_lower_bound(algorithm, 1.0, 0.0, delta=1e-3, trials=400).epsilon < 0.7


def test_an_output_that_rests_on_a_secret_is_not_compared() -> None:
    def algorithm(x: float, noise: Noise) -> Any:
        secret = noise.secret_integers("i", 5, ())
        noise.gaussian("g", x, std=4.0, sensitivity=1.0)
        return x + secret

    bound = audit.transcript_lower_bound(algorithm, 1.0, 0.0, delta=1e-3, trials=400)
    assert bound.epsilon < 0.7
    assert bound.secrets == ("i",)
