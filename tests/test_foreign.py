"""`pytest audit/ --implementation`: what is right passes, what is broken is refuted, what is malformed is named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dppca.audit.engine.output_view import MIN_TRIALS
from dppca.audit.suite import foreign
from dppca.audit.suite.instance import Instance, OneRun, Output
from dppca.audit.suite.instances import INSTANCES
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Sample
from tests import foreign_implementations as these

ROOT = Path(__file__).parent.parent
LOCAL = [key for key in ALGORITHMS if key.startswith("wang2020.")]


def audit(name: str, tmp_path: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], list[dict[str, object]]]:
    """The run and the rows of its report."""
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "audit/", "--report", str(report)]
    target = f"tests.foreign_implementations:{name}"
    run = subprocess.run(  # noqa: S603 - our own command
        [*command, "--implementation", target, *options], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    return run, json.loads(report.read_text())["audits"] if report.exists() else []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RIGHT", "RIGHT_AS_ATTRIBUTE"])
def test_right(name: str, tmp_path: Path) -> None:
    run, rows = audit(name, tmp_path)
    assert run.returncode == 0, run.stdout
    assert [(row["algorithm"], row["choice"], row["verdict"]) for row in rows] == [(these.KEY, "foreign", "NOT REFUTED")]
    for reason in ("the exact view looks inside the reference", "the implementation has no shang2021.dp_spca"):
        assert reason in run.stdout


@pytest.mark.slow
def test_broken(tmp_path: Path) -> None:
    run, rows = audit("BROKEN", tmp_path)
    assert run.returncode == 1
    assert [row["verdict"] for row in rows] == ["REFUTED"]
    assert "1 failed" in run.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RAISES", "mechanism raised ZeroDivisionError: planted on data, trial 0"),
        ("CRASHES", "mechanism was killed by SIGABRT on data, trial 0"),
        ("HANGS", "mechanism took longer than 2 s on data, trial 0"),
        ("FLAT", "output must have shape (2, 1), as the catalogue's has, got (2,)"),
        ("MISCOUNTS", "messages must be one a row, got 2 for 1 rows"),
    ],
)
def test_mechanism_that_fails(name: str, message: str, tmp_path: Path) -> None:
    run, rows = audit(name, tmp_path, "--call-timeout", "2")
    assert run.returncode == 1
    assert message in run.stdout
    assert not rows


@pytest.mark.slow
def test_refused_arguments_are_skipped(tmp_path: Path) -> None:
    run, rows = audit("REFUSES", tmp_path)
    assert run.returncode == 0, run.stdout
    assert "d = 2 is beyond us" in run.stdout
    assert not rows


@pytest.mark.slow
def test_usage_error(tmp_path: Path) -> None:
    run, _ = audit("NUMBER", tmp_path)
    assert run.returncode == 4
    assert "ERROR: --implementation: tests.foreign_implementations:NUMBER must be a mapping" in run.stderr


@pytest.mark.slow
def test_nothing_to_audit(tmp_path: Path) -> None:
    run, _ = audit("FITS_NOTHING", tmp_path)
    assert run.returncode == 4
    assert "no audit fits" in run.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tests.foreign_implementations", "must be pkg.module:object"),
        (":RIGHT", "must be pkg.module:object"),
        ("tests.no_such_module:RIGHT", "cannot import tests.no_such_module: ModuleNotFoundError"),
        ("tests.foreign_implementations:WRONG", "has no 'WRONG'"),
        ("tests.foreign_implementations:NUMBER", "must be a mapping"),
        ("tests.foreign_implementations:EMPTY", "has no algorithms"),
        ("tests.foreign_implementations:UNKNOWN_KEY", "unknown key 'baselines.analyse_gauss'"),
        ("tests.foreign_implementations:NOT_CALLABLE", "must be a callable"),
        ("tests.foreign_implementations:SAMPLED_MESSAGES", "must be a callable"),
    ],
)
def test_malformed(name: str, message: str) -> None:
    with pytest.raises(foreign.ImplementationError, match=message):
        foreign.load(name)


def test_every_corrected_instance_is_taken_or_skipped_with_a_reason() -> None:
    everything = {i.algorithm: these.Lines(1.0) for i in INSTANCES}
    taken, skipped = foreign.audits(everything, INSTANCES)
    corrected = [i for i in INSTANCES if i.choice == "CORRECTED"]
    examples = [i for i in taken if i.name == "the catalogue's example"]
    assert len(taken) - len(examples) + len(skipped) == len(corrected)
    assert all(reason for _, reason in skipped)
    assert all(i.holds and isinstance(i.how, Output) for i in taken)
    assert {i.algorithm for i in examples} >= {"liu2022.block_dp_pca", "baselines.noisy_power_method"}


def test_every_private_algorithm_can_be_audited() -> None:
    algorithms = {key: these.Lines(1.0) for key in ALGORITHMS} | {f"{key}:messages": these._one_message for key in LOCAL}
    taken, _ = foreign.audits(algorithms, INSTANCES)
    assert {i.algorithm for i in taken} == {key for key in ALGORITHMS if key != "liu2022.oja"}


@pytest.mark.parametrize("key", [key for key in ALGORITHMS if key != "liu2022.oja"])
def test_the_example_audits_the_reference(key: str) -> None:
    """The reference in its own place: the shape check passes, and a few trials run."""
    entry = ALGORITHMS[key]

    def reference(data: Any, rng: np.random.Generator, **arguments: Any) -> Any:
        return entry.bind(**arguments, choices=entry.choices["CORRECTED"])(data, Sample(rng))

    ((instance,), _) = foreign.audits({key: reference}, [])
    assert isinstance(instance.how, Output)
    assert instance.how.features is not None
    for trial in range(3):
        output = instance.how.mechanism(instance.how.data, np.random.default_rng(trial))
        instance.how.features(output)


def test_one_run_takes_messages() -> None:
    key = "wang2020.local_gaussian_mechanism_high_dimension:messages"
    taken, _ = foreign.audits({key: these._one_message}, INSTANCES)
    assert [type(i.how) for i in taken] == [OneRun]


def test_trials_are_those_that_show_the_printed_failure() -> None:
    (taken,), _ = foreign.audits(these.RIGHT, INSTANCES)
    assert taken.how.trials == 80_000


@pytest.mark.parametrize("instance", [i for i in INSTANCES if isinstance(i.how, Output)], ids=lambda i: i.id)
def test_every_budget_has_trials_enough_to_run(instance: Instance) -> None:
    assert instance.trials("quick") >= MIN_TRIALS
