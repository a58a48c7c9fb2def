"""Options, the shared run and the report of `pytest audit/`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from dppca.audit.auditor.results import Claim
from dppca.audit.execution.isolation import CAN_FORK
from dppca.audit.report.collect import Collector
from dppca.audit.report.experiments import Experiment
from dppca.audit.report.progress import Progress
from dppca.audit.suite import adapter_audits as adapters
from dppca.audit.suite.audits import instances
from dppca.audit.suite.instance import BUDGETS, DIFFERENCE, FAMILY_ERROR, PRIVACY, Execution, Instance, Row, run
from dppca.audit.suite.options import check_options

REPORT = "build/audit.json"

# No test may depend on how busy the machine is.
settings.register_profile("any speed", deadline=None)
settings.load_profile("any speed")

AUDITS: pytest.StashKey[list[Any]] = pytest.StashKey()
#: Pair on which something was found, by algorithm and choice.
FOUND: pytest.StashKey[dict[tuple[str, str], str]] = pytest.StashKey()
#: Whether each audit of an algorithm had a verdict, so far.
VERDICTS: pytest.StashKey[dict[str, list[bool]]] = pytest.StashKey()
#: Keys that --implementation names.
NAMED: pytest.StashKey[tuple[str, ...]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("audit")
    group.addoption("--budget", choices=sorted(BUDGETS), default="standard", help="how many trials (default: standard)")
    group.addoption("--seed", type=int, default=20240601, help="seed of the whole run (default: 20240601)")
    group.addoption(
        "--data",
        default=os.environ.get("DPPCA_DATA"),
        help="directory of the real data sets (default: the variable DPPCA_DATA); without it their experiments are skipped",
    )
    group.addoption("--workers", type=int, default=1, help="batches of trials under way at a time (default: 1)")
    group.addoption("--store", help="SQLite file that stores finished batches, from which a killed run continues")
    group.addoption("--call-timeout", type=float, help="seconds that one call of a mechanism may take (default: no limit)")
    group.addoption("--dask", metavar="ADDRESS", help="run batches on the Dask cluster of this scheduler, --workers at a time")
    group.addoption(
        "--report",
        default=REPORT,
        const=REPORT,
        nargs="?",
        help=f"where the JSON report goes, the HTML page beside it (default: {REPORT})",
    )
    group.addoption("--epsilon", type=float, help="with --implementation: the target to audit (default: the suite's claims)")
    group.addoption("--delta", type=float, help="with --epsilon: its delta (default: 0)")
    shared = parser.getgroup("implementation")
    if not shared.options:  # reference/conformance/conftest.py adds it too
        shared.addoption(
            "--implementation",
            metavar="PKG.MODULE:OBJECT",
            help="audit another implementation (audit/suite/implementations.py); a call may take 60 s, or --call-timeout",
        )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--seed") < 0:
        raise pytest.UsageError(f"--seed must be >= 0, got {config.getoption('--seed')}")
    config.addinivalue_line("markers", "algorithms(*keys): the algorithms that a test is about; a `-k` with a key finds it")
    check_options(config)
    _check_execution(config)
    named_only = config.getoption("--implementation") is not None
    config.stash[AUDITS] = _implementation_audits(config) if named_only else [*instances(), *_adapter_audits()]
    config.pluginmanager.register(Collector(config, _sampled(config)), "audit report")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Progress(config), "audit progress")


def _check_execution(config: pytest.Config) -> None:
    """Refuse what no audit could use: one error, not one for each."""
    workers, store, call_timeout = (config.getoption(f"--{name}") for name in ("workers", "store", "call-timeout"))
    if (workers, store, call_timeout) == (1, None, None):
        return  # what needs no check imports none of what makes it
    from dppca.audit.execution.runner import Runner  # noqa: PLC0415 - collection must stay cheap
    from dppca.audit.execution.store import Store, StoreError, StoreFile  # noqa: PLC0415
    from dppca.audit.execution.versions import VersionError  # noqa: PLC0415

    try:
        Runner(workers, None, call_timeout, callables=(), data=()).close()
        if store is not None:
            StoreFile(Store(store, "suite").path).close()
    except (ValueError, StoreError, VersionError) as error:
        raise pytest.UsageError(str(error)) from error


def _adapter_audits() -> Iterator[Any]:
    """Yield the instances of the adapters, those whose extra is missing as skips."""
    for package in adapters.DIVIDES:
        try:
            yield from adapters.instances(adapters.load(package))
        except ImportError as error:
            yield pytest.param(None, marks=pytest.mark.skip(reason=f"needs the extra `{package}`: {error}"), id=package)


def _implementation_audits(config: pytest.Config) -> list[Any]:
    """Return the audits of the named implementation."""
    from dppca.audit.suite import implementations  # noqa: PLC0415 - the whole catalogue, which no other collection needs

    name = config.getoption("--implementation")
    if config.getoption("--call-timeout") is None and CAN_FORK:
        config.option.call_timeout = implementations.CALL_TIMEOUT
    sys.path.insert(0, str(config.invocation_params.dir))  # as `python -m` would find it
    try:
        algorithms = implementations.load(name)
        config.stash[NAMED] = tuple(algorithms)
        return implementations.audits(algorithms, instances(), _target(config))
    except implementations.ImplementationError as error:
        raise pytest.UsageError(f"--implementation: {error}") from error


def _target(config: pytest.Config) -> Claim | None:
    """Return the target that --epsilon and --delta name; None if they name none."""
    epsilon, delta = config.getoption("--epsilon"), config.getoption("--delta")
    if epsilon is None:
        if delta is not None:
            raise pytest.UsageError("--delta needs --epsilon")
        return None
    try:
        return Claim(epsilon, delta or 0.0)
    except ValueError as error:
        raise pytest.UsageError(f"--epsilon, --delta: {error}") from error


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "instance" in metafunc.fixturenames:
        metafunc.parametrize("instance", metafunc.config.stash[AUDITS], ids=lambda instance: instance.id)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let `-k` find a test by the algorithms that it is about; keep, with another implementation, only what audits that."""
    for item in items:
        item.extra_keyword_matches.update(f"{key}-" for mark in item.iter_markers("algorithms") for key in mark.args)
    if config.getoption("--implementation") is None:
        return
    here = [item for item in items if item.path.is_relative_to(Path(__file__).parent)]
    others = [item for item in here if "instance" not in getattr(item, "fixturenames", ())]
    items[:] = [item for item in items if item not in others]
    config.hook.pytest_deselected(items=others)


def _audited(config: pytest.Config) -> tuple[list[str], list[str]]:
    """Return the algorithms that --implementation names, and those of them that were audited to the end."""
    named = sorted({key.removesuffix(":messages") for key in config.stash.get(NAMED, ())})
    found = {row["algorithm"] for row in _own_rows(config)}
    return named, [key for key in named if key in found]


def _found_errors(config: pytest.Config, key: str) -> str:
    """Return in words which shares of the noise these audits found to be too little, of the reference, and how."""
    from dppca.audit.suite.implementations import NOISE_SHARES, with_noise  # noqa: PLC0415 - the whole catalogue

    collector: Collector | None = config.pluginmanager.getplugin("audit report")
    rows = [row for row in collector.audits if row["algorithm"] == key] if collector is not None else []
    told = []
    for share in NOISE_SHARES:
        found = [row for row in rows if row["choice"].startswith(with_noise(share))]
        words = {row["verdict"] for row in found} - {PRIVACY[False], DIFFERENCE[False]}
        told.append(f"noise x {share:g}: {' and '.join(sorted(words, reverse=True)) or 'not found'}")
    if any(row["choice"] == "implementation" and row["verdict"] == PRIVACY[True] for row in rows):
        return f"{key}: refuted, so it was not asked what else these audits would have found"
    if not any(row["choice"].startswith("reference, ") for row in rows):
        return f"{key}: it was not measured which errors these audits would have found"
    weak = "" if any("not found" not in each for each in told) else "; so finding nothing says little here: try --budget deep"
    return f"{key}: had the reference too little noise, these audits would find: {'; '.join(told)}{weak}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End a run of another implementation without a verdict if nothing was found, and something failed or was left out.

    That a named algorithm has no audit counts unless -k chose the tests.
    """
    option = session.config.option
    if hasattr(session.config, "workerinput") or option.collectonly or option.implementation is None:
        return
    named, audited = _audited(session.config)
    failed = session.exitstatus == pytest.ExitCode.TESTS_FAILED or (named != audited and not option.keyword)
    known = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.TESTS_FAILED)
    found = any(row["verdict"] != row["expected"] for row in _own_rows(session.config))
    if failed and session.exitstatus in known and not found:
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR


def _own_rows(config: pytest.Config) -> list[dict[str, Any]]:
    """Return the rows of the named implementation, without those of the reference's too little noise."""
    collector: Collector | None = config.pluginmanager.getplugin("audit report")
    return [row for row in collector.audits if row["choice"].startswith("implementation")] if collector is not None else []


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how many of the named algorithms were audited."""
    named, audited = _audited(config)
    if named:
        missing = [key for key in named if key not in audited]
        terminalreporter.write_line(
            f"audited: {len(audited)} of the {len(named)} named algorithms"
            + (f"; not audited: {', '.join(missing)}" if missing else "")
        )
        for key in audited:
            terminalreporter.write_line(_found_errors(config, key))
        terminalreporter.write_line("Outputs show no deltas far below 0.01. --epsilon and --delta choose the target.")
        terminalreporter.write_line(
            "DIFFERS says that outputs have another law than the reference's, and nothing of privacy. That a run says it or "
            f"REFUTED of an implementation of which it is not true has probability at most {FAMILY_ERROR:g}."
        )


def _sampled(config: pytest.Config) -> int:
    """Return over how many bounds the run's error is shared out."""
    return sum(isinstance(i, Instance) and i.view != "exact" for i in config.stash[AUDITS])


@pytest.fixture(scope="session")
def execution(request: pytest.FixtureRequest) -> Iterator[Execution]:
    """Return how this run's audits are executed; open the Dask cluster, if there is one."""
    workers, store, call_timeout, dask = (
        request.config.getoption(f"--{name}") for name in ("workers", "store", "call-timeout", "dask")
    )
    with ExitStack() as stack:
        if dask is not None:
            import joblib  # noqa: PLC0415 - collection must stay cheap
            from distributed import Client  # noqa: PLC0415 - an optional extra

            stack.enter_context(Client(dask))
            stack.enter_context(joblib.parallel_config("dask"))
        yield Execution(workers, store, call_timeout, isolate=CAN_FORK)


def _basic(data: dict[str, Any]) -> Any:
    """Return a value in Python's own types, as processes exchange them."""
    return json.loads(json.dumps(data))


@pytest.fixture
def budget(request: pytest.FixtureRequest) -> str:
    """Return the name of the run's budget."""
    return str(request.config.getoption("--budget"))


@pytest.fixture
def repetitions(request: pytest.FixtureRequest, budget: str) -> int:
    """Return how often the experiments of a module are repeated at the run's budget."""
    return int(request.module.REPETITIONS[budget])


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Return the generator of one test, from the run's seed and the test's name."""
    return np.random.default_rng([request.config.getoption("--seed"), sum(request.node.name.encode())])


def _skip_what_tells_nothing(instance: Instance, ended: Mapping[tuple[str, str], str]) -> None:
    """Skip what is asked where the implementation is refuted, where something is found already, or where nothing will be."""
    if instance.seconds is None:
        return
    for choice in ("implementation", instance.choice):
        if (instance.algorithm, choice) in ended:
            pytest.skip(f"found already, on: {ended[instance.algorithm, choice]}")
    if instance.after and (instance.algorithm, instance.after) not in ended:
        pytest.skip(f"nothing was found of: {instance.after}")


@pytest.fixture
def audit_run(request: pytest.FixtureRequest, execution: Execution) -> Any:
    """Run one instance at the run's budget and seed, and keep its row for the report."""
    from dppca.audit.execution.independence import in_this_process_alone  # noqa: PLC0415 - collection must stay cheap

    config = request.config

    def run_one(instance: Instance) -> Row:
        ended, group = config.stash.setdefault(FOUND, {}), (instance.algorithm, instance.choice)
        _skip_what_tells_nothing(instance, ended)
        had = config.stash.setdefault(VERDICTS, {}).setdefault(instance.algorithm, [])
        if instance.asks and had and not any(had):
            pytest.skip("no audit of the implementation had a verdict, so nothing is asked of what it would have found")
        had.append(False)
        # an implementation is run in new processes by its first audit, the reference by none
        with in_this_process_alone() if instance.seconds is not None and any(had) else nullcontext():
            row = run(
                instance,
                budget=config.getoption("--budget"),
                seed=config.getoption("--seed"),
                confidence=1.0 - FAMILY_ERROR / _sampled(config),
                progress=lambda _: None,  # what the terminal shows is one line for the run: audit/report/progress.py
                execution=execution,
            )
        had[-1] = True
        request.node.user_properties.append(("audit", _basic(row.as_dict())))
        if row.verdict == instance.words[True]:
            ended[group] = instance.name
        return row

    return run_one


@pytest.fixture
def utility(request: pytest.FixtureRequest) -> Callable[[Experiment], None]:
    """Add a utility experiment to the report."""

    def add(experiment: Experiment) -> None:
        request.node.user_properties.append(("utility", _basic(experiment.as_dict())))

    return add


@pytest.fixture
def data_file(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """Return the path of a real data set; skips the test where it is missing."""
    directory = request.config.getoption("--data")

    def find(name: str) -> Path:
        if directory is None:
            pytest.skip(f"needs {name}: name its directory with --data or DPPCA_DATA")
        path = Path(directory) / name
        if not path.is_file():
            pytest.skip(f"needs {name}: {directory} has no such file")
        return path

    return find
