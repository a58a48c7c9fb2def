"""What to cite: every algorithm has its paper and this code, and the facts agree with CITATION.cff."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest
import yaml

import dppca.reference
from dppca.proofs_notes.ledger.cite_command import main
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.citations import BIBTEX, UnknownAlgorithmError
from tests.interpreter import python

ROOT = Path(__file__).resolve().parents[2]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _braced(text: str, start: int) -> int:
    """Return where the group that opens at `start` ends."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    raise ValueError(f"a brace is not closed: {text[start:]!r}")


def parse(bibtex: str) -> dict[str, dict[str, str]]:
    """Keys to fields, with the kind as the field ""; ValueError for what is not a list of entries of braced fields."""
    entries = {}
    while bibtex.strip():
        head = re.match(r"\s*@(\w+)(?=\{)", bibtex)
        if not head:
            raise ValueError(f"no entry: {bibtex!r}")
        end = _braced(bibtex, head.end())
        key, _, body = bibtex[head.end() + 1 : end - 1].partition(",")
        bibtex = bibtex[end:]
        fields = {"": head[1]}
        while body.strip():
            name = re.match(r"\s*([a-z]+)\s*=\s*(?=\{)", body)
            if not name or name[1] in fields:
                raise ValueError(f"no field, or one again, in {key}: {body!r}")
            end = _braced(body, name.end())
            fields[name[1]] = " ".join(body[name.end() + 1 : end - 1].split())
            body = body[end:].removeprefix(",")
        if key in entries:
            raise ValueError(f"{key} twice")
        entries[key] = fields
    return entries


@pytest.mark.parametrize("text", ["@article{a, title = {b}", "@article{a, title = b}", "a", "@article{a, x={b} y={c}} z"])
def test_the_parser_refuses_what_is_not_bibtex(text: str) -> None:
    with pytest.raises(ValueError, match=r"brace|no entry|no field"):
        parse(text)


REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "software": {"author", "title", "version", "year"},
}


@pytest.mark.parametrize("key", ALGORITHMS)
def test_every_algorithm_has_its_paper_and_this_code(key: str) -> None:
    entries = parse(dppca.reference.cite(key))
    assert next(iter(entries)) == ALGORITHMS[key].paper
    assert list(entries)[-1] == "dp-pca-reference"
    assert entries["dp-pca-reference"]["version"] == PROJECT["version"]
    for name, fields in entries.items():
        assert REQUIRED[fields[""]] <= set(fields), name
        assert all(fields.values()), name
        if name in BIBTEX:
            assert name.endswith(fields["year"])
            assert name.startswith(fields["author"].split(",")[0].lower())


def test_an_algorithm_from_two_papers_has_both() -> None:
    assert list(parse(dppca.reference.cite("baselines.exponential_mechanism"))) == [
        "amin2019",
        "chaudhuri2013",
        "dp-pca-reference",
    ]


def test_no_paper_without_an_algorithm() -> None:
    cited = {name for key in ALGORITHMS for name in parse(dppca.reference.cite(key))}
    assert set(BIBTEX) == cited - {"dp-pca-reference"}


def test_an_unknown_key_names_close_ones() -> None:
    with pytest.raises(UnknownAlgorithmError, match=r"got 'liu2022\.dppca'; did you mean liu2022\.dp_pca"):
        dppca.reference.cite("liu2022.dppca")
    with pytest.raises(UnknownAlgorithmError, match=r"`dppca list` prints, got '\?'$"):
        dppca.reference.cite("?")


def test_command() -> None:
    done = python("-W", "error", "-m", "dppca", "cite", "liu2022.dp_pca", check=True)
    assert done.stdout == dppca.reference.cite("liu2022.dp_pca")


def test_command_with_an_unknown_key(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["liu2022.dppca"])
    assert "liu2022.dp_pca" in capsys.readouterr().err


def test_the_citation_file_follows_its_format() -> None:
    """The rules of the Citation File Format 1.2.0 for the keys that the file uses."""
    assert CITATION["cff-version"] == "1.2.0"
    assert set(CITATION) <= {
        "cff-version", "message", "title", "type", "version", "date-released", "license", "authors", "keywords"
    }  # fmt: skip
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)
    assert CITATION["type"] in {"software", "dataset"}
    assert isinstance(CITATION["date-released"], date)
    assert CITATION["authors"]
    for author in CITATION["authors"]:
        assert set(author) == {"name"}
    assert len(set(CITATION["keywords"])) == len(CITATION["keywords"]) > 0


def test_versions_licence_and_code_agree() -> None:
    assert CITATION["version"] == PROJECT["version"] == dppca.reference.__version__
    assert CITATION["license"] == PROJECT["license"]
    software = parse(dppca.reference.cite("liu2022.oja"))["dp-pca-reference"]
    assert software["title"].replace("{", "").replace("}", "") == CITATION["title"]
    assert software["author"].strip("{}") == CITATION["authors"][0]["name"]
    assert software["year"] == str(CITATION["date-released"].year)
