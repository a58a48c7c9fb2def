"""The notebooks of the guides run from the first cell to the last, and show what is kept in their files."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from dppca.proofs_notes.site.notebooks import executed, notebooks, shown
from tests.project.test_readme import same

#: Seconds of an audit; the rest of a number is compared as README's are.
SECONDS = re.compile(r"(?<=seconds=)[\d.e-]+")
#: A folder from the root of a machine's disk; not a quotient, a closing tag, an address on the web or what comes after a name.
ABSOLUTE = re.compile(r"(?:file://|(?<![\w:/.<+=-]))/(?:[\w.-]+/)+|\b[A-Z]:\\\\")


def test_there_is_one_for_each_task() -> None:
    assert [path.stem for path in notebooks()] == ["audit-a-mechanism", "check-an-implementation", "read-a-theorem"]


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_each_is_kept_as_it_was_executed_and_names_no_machine(path: Path) -> None:
    kept = nbformat.read(path, as_version=4)
    nbformat.validate(kept)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert all(output.output_type != "error" and output.get("name") != "stderr" for cell in code for output in cell.outputs)
    assert not ABSOLUTE.search(path.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_each_runs_and_shows_what_is_kept(path: Path) -> None:
    """The plain text of every output; a card's page is made of the same result."""
    kept, now = (shown(notebook) for notebook in (nbformat.read(path, as_version=4), executed(path)))
    assert len(kept) == len(now) >= 3
    for before, after in zip(kept, now, strict=True):
        assert same(SECONDS.sub("1", before), SECONDS.sub("1", after)), (before, after)
