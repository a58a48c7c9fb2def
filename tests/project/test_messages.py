"""What is said: verdicts that explain themselves, failures that pytest does not cut, runs that will take minutes."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.audit.auditor.results import Losses, LowerBound, Nested, Verdict
from dppca.audit.execution.announce import announce_size, announce_time

ROOT = Path(__file__).resolve().parents[2]
CLAIM = audit.Claim(1.0, 1e-2)
COUNTS = Nested(np.array([3]), np.array([1]), 800, 4, hits=512, counters=103)


def verdict(bound: float, *, tested: Nested | Losses = COUNTS, refuted: bool | None = None, **changed: Any) -> Verdict:
    settings = {"delta": 1e-2, "confidence": 0.95, "trials": 1000, "seconds": 1.0, "event": "for data: output > 3", "seed": 7}
    found = LowerBound(epsilon=bound, **{**settings, "method": "betting"}, **changed)
    return Verdict(bound > CLAIM.epsilon if refuted is None else refuted, found, CLAIM, tested)


def test_a_refutation_explains_itself() -> None:
    assert verdict(1.5).explain().splitlines() == [
        "REFUTED: (1, 0.01)-differential privacy was claimed; epsilon is at least 1.5 on this pair of datasets, "
        "with 95 % confidence",
        "Tested: outputs of 1,000 runs for each dataset, seed 7. Event: for data: output > 3. Shown 1,600 fresh "
        "outputs, half of them from each dataset, the event named a dataset 615 times: 512 right, 103 wrong.",
        "A claim that is true is refuted with probability at most 0.05.",
        "Next: compare the sensitivity that the noise is scaled to with how far this pair moves what the event sees; "
        "repeat the audit with another seed.",
    ]


def test_what_not_refuted_does_not_mean_and_what_to_try() -> None:
    text = verdict(0.5).explain()
    assert text.startswith("NOT REFUTED: ")
    assert "It does not show that the claim is true" in text
    assert "audit.lower_bound_over_pairs" in text
    assert "transcript_check" not in text
    small = audit.check(lambda data, rng: data + rng.normal(), 0.1, 0.0, audit.Claim(3.0, 1e-5), trials=1000)
    assert "use audit.transcript_check" in small.explain()  # an event of this probability is in no 1,000 outputs


def test_rounding_infinity_and_secrets_are_named() -> None:
    assert "no epsilon holds" in verdict(float("inf")).explain()
    rounding = verdict(2.0, ideal=0.25).explain()
    assert "without it the bound is 0.25" in rounding
    assert 'floats="ideal"' in rounding
    losses = Losses(np.array([0.5, 1.5, 2.5]), np.zeros(3), 3)
    secret = verdict(2.0, tested=losses, refuted=False, secrets=("permutation",)).explain()
    assert "Of 3 test transcripts, 2 have a privacy loss above the claimed epsilon." in secret
    assert "secret draws (permutation)" in secret
    assert "audit.check, which shows no secrets" in secret


def test_the_counts_are_those_of_the_event() -> None:
    """A mechanism that publishes its data: every test output goes to the dataset that it is from."""
    tested = audit.check(lambda data, rng: data + rng.integers(2) / 4, 1.0, 0.0, audit.Claim(1.0), trials=1000).tested
    assert isinstance(tested, Nested)
    assert tested.hits is not None
    assert tested.hits >= tested.trials
    assert tested.counters == 0


def test_pytest_shows_the_whole_explanation(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import dppca.audit\n\n\n"
        "def mechanism(data, rng):\n    return sum(data) + rng.laplace()\n\n\n"
        "def test_it(audit):\n"
        "    audit.assert_not_refuted(audit.check(mechanism, [9, 0], [0, 0], audit.Claim(0.5), trials=2000))\n"
    )
    path = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    path.pop("CI", None)  # there pytest cuts nothing
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "dppca.audit.plugin", "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 1
    for words in ("REFUTED: (0.5, 0)-differential privacy was claimed", "Event: ", "A claim that is true is refuted", "Next: "):
        assert words in done.stdout, done.stdout
    assert "..." not in next(line for line in done.stdout.splitlines() if "Tested: " in line)


def test_a_verdict_that_is_not_refuted_passes() -> None:
    audit.assert_not_refuted(verdict(0.5))
    with pytest.raises(AssertionError, match=r"^REFUTED: "):
        audit.assert_not_refuted(verdict(1.5))


def test_minutes_are_announced(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="dppca.audit"):
        assert not announce_time(0.1, 1, 1000)  # too short to say anything
        assert not announce_time(2.0, 100, 2900)  # 58 seconds
        announce_size(1000, 100)
        assert caplog.messages == []
        assert announce_time(2.0, 100, 60_000)
        announce_size(1_000_000, 200)
    assert "60,000 runs at 0.02 seconds each will take about 20 minutes" in caplog.messages[0]
    assert "features= can name those that matter" in caplog.messages[1]


class _Enough(Exception):  # noqa: N818 - no error: the audit is long enough
    pass


class _Stop(logging.Handler):
    """Ends an audit as soon as it has announced what is waited for."""

    def __init__(self, awaited: str) -> None:
        super().__init__()
        self.awaited = awaited

    def emit(self, record: logging.LogRecord) -> None:
        if re.search(self.awaited, record.getMessage()):
            raise _Enough


@pytest.mark.parametrize("transcript", [False, True])
def test_a_slow_audit_is_announced_before_it_runs(transcript: bool) -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        time.sleep(0.02)
        return float(data + rng.normal())

    def algorithm(data: Any, noise: Any) -> Any:
        time.sleep(0.02)
        return noise.gaussian("x", float(data), std=1.0, sensitivity=1.0)

    stop, log = _Stop(r"seconds each will take about \d+ minutes"), logging.getLogger("dppca.audit")
    log.addHandler(stop)
    try:
        bound, function = (audit.transcript_lower_bound, algorithm) if transcript else (audit.lower_bound, mechanism)
        with pytest.raises(_Enough):
            bound(function, 1.0, 0.0, delta=1e-5, trials=20_000)
    finally:
        log.removeHandler(stop)


def test_large_outputs_are_announced() -> None:
    class Large:
        def sample(self, data: Any, trials: int, rng: np.random.Generator) -> Any:
            return rng.normal(size=(trials, 300_000))

    stop, log = _Stop(r"an output holds about 300,\d+ numbers"), logging.getLogger("dppca.audit")
    log.addHandler(stop)
    try:
        with pytest.raises(_Enough):
            audit.lower_bound(Large(), 1.0, 0.0, trials=200)
    finally:
        log.removeHandler(stop)
