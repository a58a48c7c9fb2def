"""Every Python snippet of the README runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()
FENCES = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def _run(snippet: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "snippet"}
    exec(compile(snippet, "README.md", "exec"), namespace)  # noqa: S102 - the README is ours
    return namespace


def _with(word: str) -> dict[str, Any]:
    """What the one snippet with this word defines."""
    (snippet,) = (snippet for snippet in FENCES if word in snippet)
    return _run(snippet)


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(FENCES)), ids=lambda place: FENCES[place].partition("\n")[0][:40])
def test_a_snippet_runs_alone(place: int) -> None:
    _run(FENCES[place])


def test_there_are_snippets() -> None:
    assert len(FENCES) == 7


@pytest.mark.slow
def test_the_first_snippet_says_what_the_text_says(capsys: pytest.CaptureFixture[str]) -> None:
    _run(FENCES[0])
    word, bound, _ = capsys.readouterr().out.split("\n", 2)
    assert word in {"REFUTED", "NOT REFUTED"}
    assert 0.0 <= float(bound) < 1.5


def test_the_foreign_implementation_is_one() -> None:
    import numpy as np  # noqa: PLC0415

    rng, functions = np.random.default_rng(0), _with("IMPLEMENTATION")["IMPLEMENTATION"]
    basis = functions["baselines.analyze_gauss"](np.eye(3), rng, epsilon=1.0, delta=1e-6, d=3, k=2)
    assert np.allclose(basis.T @ basis, np.eye(2))
    sent = functions["wang2020.local_gaussian_mechanism:messages"](np.eye(3), rng, epsilon=1.0, delta=1e-6, p=3, k=1)
    assert np.shape(sent) == (3, 6)
