"""What stands beside the code: one version everywhere, issue forms that are valid, commands that exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import dppca
from dppca.__main__ import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def test_every_file_names_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = str(yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"])
    (latest, *_) = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert dppca.__version__ == project == citation
    assert latest in {project, "Unreleased"}
    assert f"\n## {project}\n" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_an_issue_form_is_one(form: Path) -> None:
    """As the schema of forms has it: each part has a type, an id of its own, and a label."""
    held = yaml.safe_load(form.read_text())
    assert {"name", "description", "body"} <= held.keys() <= {"name", "description", "body", "labels"}
    ids = [part["id"] for part in held["body"]]
    assert len(ids) == len(set(ids)) > 0
    for part in held["body"]:
        assert part["type"] in {"input", "textarea", "checkboxes", "dropdown"}
        assert part["attributes"]["label"]
    assert any(part.get("validations", {}).get("required") for part in held["body"])


def test_a_wrong_verdict_can_be_reported_by_whoever_reads_contributing() -> None:
    assert {form.stem for form in FORMS} == {"erratum", "problem", "wrong-verdict"}
    assert "(SECURITY.md)" in (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("name", ["SECURITY.md", "CONTRIBUTING.md", *(str(form.relative_to(ROOT)) for form in FORMS)])
def test_commands_that_are_named_exist(name: str) -> None:
    text = (ROOT / name).read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"`dppca ([a-z][a-z-]*)", text)
    assert set(named) <= COMMANDS.keys()
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets
