"""Where an audit runs changes nothing: workers, a cluster, processes of their own; what crashes or hangs is named."""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor
from scipy.stats import binom

from dppca import audit
from dppca.audit.execution import transcript_view, versions
from dppca.audit.execution.runner import Runner
from dppca.audit.suite.instance import Execution, Instance, OneRun, Row, Setup, run
from dppca.reference.noise import Noise
from dppca.reference.primitives.gaussian import composed_mu, epsilon_at
from tests.interpreter import python
from tests.studies.known_mechanisms import Vectorised, laplace, refusing

ROOT = Path(__file__).parents[2]
TRIALS = 12_000


@pytest.fixture(scope="module", autouse=True)
def _no_workers_stay() -> Iterator[None]:
    yield
    get_reusable_executor().shutdown(wait=True)


def mixed(x: int, rng: np.random.Generator) -> tuple[str, float | None, np.ndarray]:
    return "ab"[int(rng.random() < 0.2 + 0.6 * x)], rng.normal() if rng.random() < 0.1 else None, rng.standard_normal(2)


def algorithm(data: float, noise: Noise) -> None:
    first = noise.gaussian("first", data, std=4.0, sensitivity=1.0)
    noise.laplace("second", first + data, scale=9.0, sensitivity=2.0)


def with_secret(data: float, noise: Noise) -> None:
    noise.gaussian("g", data * noise.secret_integers("i", 3, (1,)), std=4.0, sensitivity=2.0)


def lower_bound(**how: Any) -> audit.LowerBound:
    return audit.lower_bound(mixed, 0, 1, trials=TRIALS, **how)


def check(**how: Any) -> audit.LowerBound:
    known = refusing()
    return audit.check(known.mechanism, known.data, known.neighbour, audit.Claim(0.99), trials=TRIALS, **how).bound


def check_that_stops(**how: Any) -> audit.LowerBound:
    """Not at the last look of a round of workers, and features that leave one coordinate."""
    mechanism = Vectorised(lambda x, n, rng: np.column_stack([rng.random(n), x + rng.laplace(size=n)]))
    claim = audit.Claim(0.85)
    return audit.check(mechanism, 0.0, 1.0, claim, trials=200_000, features=lambda output: output[1], **how).bound


def transcript(**how: Any) -> audit.LowerBound:
    return audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=1e-3, trials=TRIALS, **how)


def transcript_with_secret(**how: Any) -> audit.LowerBound:
    return audit.transcript_check(with_secret, 0.0, 1.0, audit.Claim(0.1, 1e-3), trials=TRIALS // 2, **how).bound


AUDITS = [lower_bound, check, check_that_stops, transcript, transcript_with_secret]


def _timeless(bound: audit.LowerBound) -> audit.LowerBound:
    return replace(bound, seconds=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("run_audit", AUDITS)
def test_where_it_runs_changes_no_bit(
    run_audit: Callable[..., audit.LowerBound], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = _timeless(run_audit())
    assert here.epsilon > 0.0
    store = audit.Store(tmp_path / "store.sqlite", "same")
    assert _timeless(run_audit(call_timeout=20.0)) == here
    assert _timeless(run_audit(workers=2)) == here
    assert _timeless(run_audit(workers=3, store=store)) == here
    assert _timeless(run_audit(store=store)) == here
    monkeypatch.setattr(Runner, "_forks", False)  # as on systems where the workers are joblib's
    assert _timeless(run_audit(workers=2)) == here


def test_a_check_stops_between_rounds_of_workers() -> None:
    """What the parametrised test above needs of its case: batches were run ahead and left unused."""
    trials = check_that_stops().trials
    assert 50_453 < trials < 200_000  # discovery ends at 50,453
    assert (trials - 50_453) // 5000 % 3 != 0


def test_one_run_is_kept_too(tmp_path: Path) -> None:
    def messages(X: np.ndarray, rng: np.random.Generator) -> list[int]:
        with (tmp_path / "log").open("a") as log:
            log.write("run\n")
        return np.where(rng.random(len(X)) < 0.7, X.argmax(axis=1), X.argmin(axis=1)).tolist()

    setup = Setup("output", "", lambda _: OneRun(messages, *np.eye(2)))
    instance = Instance("response", "", setup, audit.Claim(1.0), trials=5000)

    def row(execution: Execution) -> Row:
        found = run(instance, budget="standard", seed=0, confidence=0.99, progress=lambda _: None, execution=execution)
        return replace(found, seconds=0.0)

    store = Execution(store=str(tmp_path / "store.sqlite"), call_timeout=20.0)
    assert row(Execution()) == row(store) == row(store) == row(replace(store, workers=2))
    assert (tmp_path / "log").read_text().count("run") == 2  # without the store, and once with it


@pytest.mark.slow
def test_a_worker_with_other_code_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A worker that has loaded a module, whose file is then changed; and one with another numpy."""
    source = "def mechanism(x, rng):\n    return x + {scale} * rng.laplace()\n"
    use = (
        "import pathlib, subprocess, sys\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import module_of_workers as m\n"
        "from dppca import audit\n"
        "from dppca.audit.execution.runner import Runner\n"
        "Runner._forks = False\n"
        "audit.lower_bound(m.mechanism, 0.0, 1.0, trials=200, workers=2)\n"
        "pathlib.Path(m.__file__).write_text(sys.argv[1])\n"
        "audit.lower_bound(m.mechanism, 0.0, 1.0, trials=200, workers=2)\n"
    )
    (tmp_path / "module_of_workers.py").write_text(source.format(scale=1.0))
    done = python("-B", "-c", use, source.format(scale=2.0))
    assert "module_of_workers.py was changed after this process began" in done.stderr
    monkeypatch.setattr(Runner, "_forks", False)
    monkeypatch.setattr("dppca.audit.execution.runner.environment", lambda: {**versions.environment(), "numpy": "1.0"})
    with pytest.raises(audit.VersionError, match=r"a worker runs another version \(numpy: 1\.0 there, .* here\)"):
        check(workers=2)
    with pytest.raises(audit.VersionError, match="tests: abc there, "):
        versions.check_worker(versions.environment(), {"tests": "abc", "not_imported_here": "abc"})


# --- the cluster --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a Dask cluster on this machine: two processes of two threads."""
    distributed = pytest.importorskip("distributed")
    local = distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None, silence_logs="CRITICAL"
    )
    with local, distributed.Client(local):
        yield local.scheduler_address


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of dask's own
@pytest.mark.parametrize("run_audit", AUDITS)
def test_a_cluster_gives_the_same_bits(run_audit: Callable[..., audit.LowerBound], cluster: str, tmp_path: Path) -> None:
    here = _timeless(run_audit())
    store = audit.Store(tmp_path / "store.sqlite", "same")
    with joblib.parallel_config("dask"):
        assert _timeless(run_audit(workers=4, store=store)) == here
        assert _timeless(run_audit(workers=4)) == here
    assert _timeless(run_audit(store=store)) == here


@pytest.mark.filterwarnings("default")
def test_on_a_cluster_a_crash_or_a_hang_is_named_and_the_cluster_lives_on(cluster: str) -> None:
    with joblib.parallel_config("dask"):
        for action, message in (
            (lambda: os._exit(7), "ended its process with exit code 7"),
            (_sleep, r"took longer than 0\.5 s"),
        ):
            with pytest.raises(audit.MechanismError, match=message):
                audit.check(rarely(action), 0.0, 1.0, audit.Claim(1.0), trials=20_000, workers=2, call_timeout=0.5)
        with pytest.raises(TypeError, match="must be picklable to run in workers"):
            audit.check(_unpicklable(), 0.0, 1.0, audit.Claim(1.0), trials=TRIALS, workers=2)
        assert check(workers=2).trials == TRIALS


def _suite(*options: str) -> subprocess.CompletedProcess[str]:
    """`pytest audit/` on one of its instances."""
    one = "wang2020.local_gaussian_mechanism-CORRECTED-output-message_e1/(1,1)/sqrt2-(4,0.01)"
    test = f"audit/suite/test_privacy.py::test_verdict[{one}]"
    return python("-m", "pytest", "-p", "no:cacheprovider", test, "--budget", "quick", *options)


@pytest.mark.slow
def test_the_suite_runs_on_workers_and_on_a_cluster_with_a_store(cluster: str, tmp_path: Path) -> None:
    rows = []
    there = ["--dask", cluster, "--workers", "2", "--store", str(tmp_path / "store.sqlite"), "--call-timeout", "20"]
    for number, options in enumerate(([], there)):
        report = tmp_path / f"{number}.json"
        done = _suite("--report", str(report), *options)
        assert done.returncode == 0, done.stdout
        (row,) = json.loads(report.read_text())["audits"]
        rows.append({**row, "seconds": None})
    assert rows[0] == rows[1]
    assert (tmp_path / "store.sqlite").stat().st_size > 100_000


def test_a_bad_store_is_one_error_of_the_suite(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no store")
    done = _suite("--store", str(tmp_path / "notes.txt"))
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "notes.txt: it is no store, or damaged" in done.stderr


# --- crashing and hanging -----------------------------------------------------------------------------


def rarely(action: Callable[[], Any]) -> Callable[[float, np.random.Generator], float]:
    """Return a mechanism that does something once in about 10,000 calls."""

    def mechanism(x: float, rng: np.random.Generator) -> float:
        u = rng.random()
        if u < 1e-4:
            action()
        return u

    return mechanism


def _sleep() -> None:
    time.sleep(1e6)


def _compute_in_c() -> None:
    sum(range(10**12))


def _swallow_everything() -> None:
    while True:
        with suppress(BaseException):
            time.sleep(1e6)


def _segmentation_fault() -> None:
    faulthandler.disable()  # pytest's, whose traceback would be in the output of the tests
    ctypes.string_at(0)


def _exit() -> None:
    os._exit(7)


@pytest.mark.usefixtures("without_new_processes")
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("action", "message"),
    [
        (_sleep, r"took longer than 0\.5 s"),
        (_compute_in_c, r"took longer than 0\.5 s"),
        (_swallow_everything, r"took longer than 0\.5 s"),
        (_segmentation_fault, "was killed by SIGSEGV"),
        (_exit, "ended its process with exit code 7"),
    ],
)
def test_a_call_that_hangs_or_crashes_is_named(
    action: Callable[[], None], message: str, workers: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mechanism, store = rarely(action), audit.Store(tmp_path / "store.sqlite", "rarely")
    with pytest.raises(audit.MechanismError, match=rf"^mechanism {message} on (data|neighbour), trial [\d,]+ ") as caught:
        audit.check(mechanism, 0.0, 1.0, audit.Claim(1.0), trials=40_000, workers=workers, call_timeout=0.5, store=store)
    error = caught.value
    drawn = error.seed.generator().random(error.seed.offset + 1)
    assert (drawn < 1e-4).tolist() == [False] * error.seed.offset + [True]
    completed = [len(error.completed[dataset]) for dataset in ("data", "neighbour")]
    assert completed[0] == completed[1] <= error.trial
    with pytest.raises(audit.MechanismError):  # again, from the store
        audit.check(mechanism, 0.0, 1.0, audit.Claim(1.0), trials=40_000, workers=workers, call_timeout=0.5, store=store)
    capfd.readouterr()  # tracebacks of what crashed


@pytest.mark.usefixtures("without_new_processes")
def test_workers_crash_without_a_time_limit_too(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(audit.MechanismError, match=r"ended its process with exit code 7 on (data|neighbour), trial [\d,]+ "):
        audit.check(rarely(_exit), 0.0, 1.0, audit.Claim(1.0), trials=20_000, workers=2)
    assert check(workers=2).trials == TRIALS


@pytest.mark.usefixtures("without_new_processes")
def test_an_algorithm_that_hangs_is_named() -> None:
    def hanging(data: float, noise: Noise) -> None:
        if noise.gaussian("g", data, std=1.0, sensitivity=1.0) > 3.5:
            _sleep()

    with pytest.raises(
        audit.MechanismError, match=r"took longer than 0\.5 s on the pair, transcripts drawn on neighbour, trial [\d,]+ "
    ):
        audit.transcript_check(hanging, 0.0, 1.0, audit.Claim(9.0, 1e-3), trials=TRIALS, call_timeout=0.5)


@pytest.mark.usefixtures("without_new_processes")
def test_many_short_calls_may_take_longer_than_the_limit_of_one() -> None:
    def mechanism(x: float, rng: np.random.Generator) -> float:
        time.sleep(0.01)
        return x + rng.laplace()

    assert audit.lower_bound(mechanism, 0.0, 1.0, trials=100, call_timeout=0.5).trials == 100


def test_what_a_mechanism_started_ends_with_it(tmp_path: Path) -> None:
    """A call that hangs in a program of its own."""
    process_id = tmp_path / "pid"

    def mechanism(x: float, rng: np.random.Generator) -> float:
        os.system(f"sleep 1000 & echo $! > {process_id}; wait")  # noqa: S605 - our own command
        return 0.0

    with pytest.raises(audit.MechanismError, match="took longer than"):
        audit.lower_bound(mechanism, 0.0, 1.0, trials=100, call_timeout=0.5)
    deadline = time.monotonic() + 60.0
    child = Path(f"/proc/{int(process_id.read_text())}")
    while child.exists() and "Z" not in (child / "stat").read_text().split()[2] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not child.exists() or "Z" in (child / "stat").read_text().split()[2]


def test_an_error_in_a_worker_shows_where_it_was_raised() -> None:
    def mechanism(x: float, rng: np.random.Generator) -> float:
        if rng.random() < 1e-3:
            raise RuntimeError("no luck")
        return 0.0

    errors = []
    for workers in (1, 2):
        with pytest.raises(audit.MechanismError, match="raised RuntimeError: no luck on data") as caught:
            audit.lower_bound(mechanism, 0.0, 1.0, trials=TRIALS, workers=workers)
        errors.append(caught.value)
    assert str(errors[0]) == str(errors[1])
    assert errors[0].completed == errors[1].completed
    assert isinstance(errors[0].__cause__, RuntimeError)
    assert "no luck" in errors[1].__notes__[0]


# --- bad arguments ------------------------------------------------------------------------------------


def _unpicklable() -> Callable[[float, np.random.Generator], float]:
    lock = threading.Lock()

    def mechanism(x: float, rng: np.random.Generator) -> float:
        with lock:
            return rng.random()

    return mechanism


@pytest.mark.usefixtures("without_new_processes")
def test_what_cannot_be_pickled_is_refused_where_workers_are_no_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert audit.check(_unpicklable(), 0.0, 1.0, audit.Claim(1.0), trials=TRIALS, workers=2).bound.trials == TRIALS
    monkeypatch.setattr(Runner, "_forks", False)
    with pytest.raises(TypeError, match=r"must be picklable to run in workers: cannot pickle '_thread\.lock' object"):
        audit.check(_unpicklable(), 0.0, 1.0, audit.Claim(1.0), trials=TRIALS, workers=2)
    assert audit.check(_unpicklable(), 0.0, 1.0, audit.Claim(1.0), trials=TRIALS).bound.trials == TRIALS


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"workers": 0}, "workers must be an integer >= 1, got 0"),
        ({"workers": 1.5}, "workers must be an integer >= 1, got 1.5"),
        ({"call_timeout": 0.0}, "call_timeout must be finite and > 0, got 0.0"),
        ({"call_timeout": float("nan")}, "call_timeout must be finite and > 0, got nan"),
        ({"call_timeout": "5"}, "call_timeout must be finite and > 0, got '5'"),
    ],
)
def test_bad_arguments_are_named_before_any_trial(how: dict[str, Any], message: str) -> None:
    known = laplace()
    with pytest.raises(ValueError, match=message):
        audit.check(known.mechanism, known.data, known.neighbour, audit.Claim(1.0), **how)
    with pytest.raises(ValueError, match=message):
        audit.transcript_check(algorithm, 0.0, 1.0, audit.Claim(1.0, 1e-3), **how)


# --- transcripts that stop early ----------------------------------------------------------------------


def two(data: float, noise: Noise) -> None:
    """Exactly Gaussian with mu = sqrt(2) / 2."""
    first = noise.gaussian("first", data, std=2.0, sensitivity=1.0)
    noise.gaussian("second", data + first, std=2.0, sensitivity=1.0)


TRUTH = epsilon_at(1e-2, composed_mu([0.5, 0.5]))


@pytest.mark.slow
def test_a_false_claim_is_refuted_early_and_at_no_other_bits() -> None:
    whole = audit.transcript_lower_bound(two, 0.0, 1.0, delta=1e-2, trials=30_000)
    verdict = audit.transcript_check(two, 0.0, 1.0, audit.Claim(0.8 * TRUTH, 1e-2), trials=30_000)
    assert str(verdict) == "REFUTED"
    assert verdict.bound.trials < whole.trials == 30_000
    assert 0.8 * TRUTH < verdict.bound.epsilon <= TRUTH
    never = audit.transcript_check(two, 0.0, 1.0, audit.Claim(2.0 * TRUTH, 1e-2), trials=30_000)
    assert not never.refuted
    assert _timeless(never.bound) == _timeless(whole)


@pytest.mark.slow
def test_a_true_claim_is_refuted_no_more_often_than_stated_at_many_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """At confidence 0.8, with a look after every 20 transcripts; false alarm below 1e-6."""
    monkeypatch.setattr(transcript_view, "BATCH", 20)
    repetitions, confidence = 60, 0.8
    claim = audit.Claim(TRUTH, 1e-2)
    verdicts = [
        audit.transcript_check(two, 0.0, 1.0, claim, trials=400, confidence=confidence, seed=s) for s in range(repetitions)
    ]
    refuted = sum(verdict.refuted for verdict in verdicts)
    assert binom.sf(refuted - 1, repetitions, 1.0 - confidence) > 1e-6
    assert all(verdict.bound.trials == 400 for verdict in verdicts if not verdict.refuted)


def test_nothing_is_refuted_by_a_secret() -> None:
    verdict = audit.transcript_check(with_secret, 0.0, 1.0, audit.Claim(0.0, 1e-3), trials=TRIALS)
    assert verdict.bound.epsilon > 0.0
    assert verdict.bound.secrets == ("i",)
    assert not verdict.refuted
    assert verdict.bound.trials == TRIALS
