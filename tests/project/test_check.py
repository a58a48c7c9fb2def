"""`make check` names what fails, and runs what concerns the algorithm."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dppca.reference.catalog import ALGORITHMS
from tests.project import check


def test_what_fails_is_named_with_what_it_printed() -> None:
    said: list[str] = []
    good = check.Step("good", (sys.executable, "-c", "print('quiet')"))
    bad = check.Step("bad", (sys.executable, "-c", "print('the reason'); raise SystemExit(3)"))
    assert check.check([good, bad], said.append) == 1
    text = "".join(said)
    assert "    the reason\n" in text
    assert "quiet" not in text
    assert text.endswith("failed: bad\n")
    assert check.check([good], said.append) == 0
    assert said[-1] == "everything passes\n"


@pytest.mark.parametrize("key", ALGORITHMS)
def test_each_algorithm_has_its_commands(key: str) -> None:
    commands = {step.name: step.command for step in check.steps(key)}
    names = {"planted bugs", "audits", "tests", "vectors", "types", "claims", "completeness", "lint", "format"}
    assert commands.keys() == names
    for name in ("planted bugs", "vectors", "claims", "completeness"):
        assert key in commands[name]
    for name in ("types", "lint", "format"):
        assert f"\ndef {key.partition('.')[2]}(" in Path(commands[name][-1]).read_text()


def test_an_unknown_key_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main(["baselines.nothing"]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "KEY must be a key of the catalogue, got 'baselines.nothing'" in captured.err
    assert not captured.out
