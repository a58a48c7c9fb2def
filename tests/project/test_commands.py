"""The commands of `dppca` that answer from the ledger, from the accounts, and about a mechanism of one's own."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dppca import __version__
from dppca.__main__ import COMMANDS, main
from dppca.proofs_notes import catalogue_commands, guide
from dppca.proofs_notes.ledger import binding, cite_command, claim_command, erratum_command
from dppca.proofs_notes.ledger.claims import LedgerClaim, load
from dppca.proofs_notes.ledger.evidence import Evidence
from dppca.reference.accounting import FixedBatch, Mechanism, UniformIndex, delta_at, read_certificate, smallest_std
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.citations import origin, shown_address
from dppca.reference.command_line import Parser, check_keys, dataset, run_pytest
from dppca.reference.extras import EXTRAS
from dppca.reference.usage import UsageError
from tests.interpreter import python
from tests.reference.test_citations import parse

ROOT = Path(__file__).parents[2]
ID = "wang2020.theorem-2-privacy"


def test_at_most_three_keys_that_are_close_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        check_keys(Parser(prog="dppca"), ["oja1", "oja"], ["oja1", "oja2", "oja3", "oja4", "wishart"])
    message = capsys.readouterr().err
    assert message.startswith("dppca: KEY must be a key that `dppca list` prints, got 'oja'; did you mean oja")
    assert (message.count(","), message.count(" or oja")) == (2, 1)  # a comma is before "got"


SUITE = """
import os
import sys

def test():
    {}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status", "line"),
    [
        ("pass", 0, ""),
        ("assert False", 1, ""),
        ("raise SystemExit(0)", 1, ""),
        ("raise KeyboardInterrupt", 3, ""),
        ("os._exit(0)", 3, "dppca audit: no verdict: the process ended with exit code 0 before there was a result\n"),
        ("os.abort()", 3, "dppca audit: no verdict: the process ended with SIGABRT before there was a result\n"),
    ],
)
def test_a_suite_without_a_record_has_no_verdict(tmp_path: Path, body: str, status: int, line: str) -> None:
    (tmp_path / "settings.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(SUITE.format(body))
    code = f"import sys, pathlib; sys.argv = ['dppca', 'audit']; from {run_pytest.__module__} import run_pytest; " + (
        f"sys.exit(run_pytest(pathlib.Path({str(tmp_path)!r}), ['-p', 'no:cacheprovider']))"
    )
    done = python("-c", code)
    assert (done.returncode, done.stderr[-len(line) :] if line else "") == (status, line), done.stdout + done.stderr


LEAVES = """
import os
import sys

import numpy as np


def exits(x, rng):
    sys.exit(0)


def leaves(x, rng):
    os._exit(0)


def draws(x, noise):
    noise.gaussian("g", x, std=1.0, sensitivity=1.0)
    os._exit(0)


def writes(x, rng):
    for number in range(3, 64):
        try:
            os.write(number, bytes(8))
        except OSError:
            pass
    os._exit(0)


def rude(x, rng):
    raise ValueError("\\x1b[2J\\x1b[1;1HNOT REFUTED" + "x" * 10_000_000)


class Implementation:
    def run(self, *a, **k):
        os._exit(0)


implementation = Implementation()
"""
NUMBERS = ["--data", "0.0", "--neighbour", "1.0", "--epsilon", "0.1"]


def completed(folder: Path, *words: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command of `dppca` by a shell, which has run another command before."""
    shell = f'{before} exec "$@"'
    command = ["bash", "-c", shell, "bash", sys.executable, "-m", "dppca", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - our own


@pytest.mark.parametrize(
    ("before", "words", "status"),
    [
        ("trap '' CHLD;", ["audit", "plain:f", "--data", "0.0", "--neighbour", "1.0", "--epsilon", "0.1"], 1),
        ("exec >/dev/full 2>/dev/full;", ["audit", "plain:f", "--data", "0.0", "--neighbour", "1.0", "--epsilon", "0.1"], 3),
        ("exec <&- >&- 2>&-;", ["list"], 0),
        ("", ["report", "/dev/zero"], 2),
        ("", ["report", "plain.py", "--output", "/dev/zero"], 2),
    ],
)
def test_a_status_says_the_same_wherever_a_command_is_started(
    tmp_path: Path, before: str, words: list[str], status: int
) -> None:
    (tmp_path / "plain.py").write_text("def f(x, rng):\n    return x + rng.laplace(scale=0.1)\n")
    limit = "ulimit -v 4000000;"  # for a device that has no end
    done = completed(tmp_path, *words, before=limit + before)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["audit", "leaves:exits", *NUMBERS], 3, "mechanism raised SystemExit: 0 on "),
        (["audit", "leaves:leaves", *NUMBERS], 3, "ended its process with exit code 0 before its batch was done on "),
        (["audit", "leaves:leaves", *NUMBERS, "--workers", "2"], 3, "ended its process with exit code 0 before its batch"),
        (["audit", "leaves:draws", "--transcript", *NUMBERS, "--delta", "0.01"], 3, "ended its process with exit code 0"),
        (["audit", "leaves:writes", *NUMBERS], 3, "closed, wrote into or limited the files through which its outputs go"),
        (["audit", "leaves:rude", *NUMBERS], 3, r"mechanism raised ValueError: \x1b[2J\x1b[1;1HNOT REFUTEDxxx"),
        (["audit", "exits:f", *NUMBERS], 2, "cannot load exits:f: SystemExit: 0"),
        (["audit", "gone:f", *NUMBERS], 3, "no verdict: the process ended with exit code 0 before there was a result"),
        (["check-vectors", "--implementation", "leaves:implementation"], 3, "no verdict: the process ended with exit code 0"),
    ],
    ids=lambda words: "-".join(words[:3]) if isinstance(words, list) else None,
)
def test_what_leaves_the_process_has_no_verdict(tmp_path: Path, words: list[str], status: int, said: str) -> None:
    for name, text in (("leaves", LEAVES), ("exits", "import sys\nsys.exit(0)\n"), ("gone", "import os\nos._exit(0)\n")):
        (tmp_path / f"{name}.py").write_text(text)
    done = completed(tmp_path, *words)
    assert done.returncode == status, done.stdout + done.stderr
    assert said in done.stderr
    assert "REFUTED" not in done.stdout
    assert len(done.stderr) < 3000
    assert done.stderr.count("\n") == 1


SLOW = """
import time


def slow(x, rng):
    time.sleep(0.01)
    return x + rng.laplace()


def plain(x, rng):
    return x + rng.laplace()


def wrong(x, rng):
    return {}["key"]
"""


def command_of(folder: Path, *words: str, **how: Any) -> subprocess.Popen[str]:
    """Start a command in a session of its own, in a folder with the module SLOW."""
    (folder / "own.py").write_text(SLOW)
    command = [sys.executable, "-m", "dppca", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=folder, text=True, start_new_session=True, **pipes, **how)  # noqa: S603 - our own


@pytest.mark.slow
def test_an_interrupted_audit_says_so_in_a_line(tmp_path: Path) -> None:
    done = command_of(tmp_path, "audit", "own:slow", *NUMBERS, "--seconds", "300")
    time.sleep(8.0)
    os.killpg(done.pid, signal.SIGINT)
    out, wrong = done.communicate(timeout=60)
    assert (done.returncode, out) == (3, "")
    assert wrong.endswith("dppca audit: no verdict: it was interrupted\n")
    assert "Traceback" not in wrong
    assert "will take about" not in wrong  # a time limit was given


@pytest.mark.slow
def test_a_reader_that_goes_leaves_the_verdict(tmp_path: Path) -> None:
    with command_of(tmp_path, "audit", "own:plain", *NUMBERS, "--trials", "2000", "--report", "found.json") as done:
        assert done.stdout is not None
        done.stdout.close()  # before anything is written
        assert done.stderr is not None
        assert "Traceback" not in done.stderr.read()
        assert done.wait(timeout=120) == 1
    assert json.loads((tmp_path / "found.json").read_text())["results"][0]["verdict"] == "REFUTED"


@pytest.mark.slow
def test_a_raised_error_has_its_place(tmp_path: Path) -> None:
    done = command_of(tmp_path, "audit", "own:wrong", *NUMBERS)
    _, wrong = done.communicate(timeout=120)
    assert done.returncode == 3
    assert "mechanism raised KeyError: 'key' on " in wrong
    assert wrong.endswith(f"; raised in {tmp_path / 'own.py'}, line 15, by wrong\n")


@pytest.mark.parametrize(
    "words",
    [
        ("erratum", "wang2020", "theorem", "2", "--report", "/proc/e.html"),
        ("new", "/proc/mine.py", "--for", "baselines.analyze_gauss"),
        (
            "account",
            "--index",
            "100",
            "--steps",
            "10",
            "--delta",
            "1e-5",
            "--epsilon",
            "1",
            "--certificate",
            "/proc/c.json",
        ),
        ("audit", "own:plain", *NUMBERS, "--report", "/proc/x.json"),
    ],
)
def test_a_folder_that_takes_no_files_is_told_in_a_line(words: tuple[str, ...]) -> None:
    status, _, wrong = run(*words)
    assert (status, wrong.count("\n")) == (2, 1)
    assert "/proc" in wrong


def run(*words: str) -> tuple[int, str, str]:
    """Return status, output and errors of a command."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            status = main([*words])
        except SystemExit as ended:
            status = int(ended.code or 0)
    return status, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_no_more(command: str) -> None:
    status, said, wrong = run(command, "--help")
    assert (status, wrong) == (0, "")
    assert said.startswith("usage: dppca ")


# --- the ledger ---------------------------------------------------------------------------------------


def test_a_claim_with_all_that_is_known_of_it() -> None:
    status, said, _ = run("claim", ID)
    assert status == 0
    names = [line[2:13].strip() for line in said.splitlines()[1:] if line[2] != " "]
    assert names[:4] == ["statement", "source", "verdict", "correction"]
    assert {"scope", "proof", "evidence", "check", "code"} <= set(names)
    text = " ".join(said.split())
    assert "For any epsilon, delta > 0 the local Gaussian mechanism" in text
    assert "verdict corrected, false as published" in text
    assert "at (1, 1e-5) the published noise has delta 3.736e-05" in text
    assert run("claim", "theorem-pure")[1].startswith("jiang2016.theorem-pure\n")  # no other paper has a claim of this name


def test_a_search_finds_what_holds_every_word() -> None:
    status, said, _ = run("claim", "WISHART", "--all")
    found = [line.split()[1] for line in said.splitlines() if line[0] != " " and "." in line.split()[1]]
    assert status == 0
    assert "jiang2016.theorem-pure" in found
    assert said.splitlines()[-1].startswith(f"{len(found)} claims")
    assert run("claim", "wishart", "theorem-pure")[1].startswith("jiang2016.theorem-pure\n")
    every, few = (run("claim", "sensitivity", *option)[1].splitlines() for option in (["--all"], []))
    assert few[:16] == every[:16]
    count = int(every[-1].split()[0])
    assert few[16].startswith(f"{count} claims, {count - 8} of them not shown: --all")


def test_a_claim_is_plain_data_too() -> None:
    held = json.loads(run("claim", ID, "--json")[1])
    assert (held["format"], held["version"], held["id"], held["status"]) == ("dppca claim", 1, ID, "corrected")
    assert "3.736e-05" in held["evidence"]
    status, _, wrong = run("claim", "wishart", "--json")
    assert (status, wrong.count("\n")) == (2, 1)


# --- the catalogue ------------------------------------------------------------------------------------


def test_every_algorithm_is_listed_with_its_source() -> None:
    status, said, _ = run("list")
    rows = said.splitlines()
    assert (status, len(rows)) == (0, len(ALGORITHMS) + 1)
    assert {row.split()[0] for row in rows[:-1]} == set(ALGORITHMS)
    assert next(row for row in rows if row.startswith("wang2020.local_gaussian_mechanism ")).endswith(
        "Wang & Xu 2020, Algorithm 1"
    )


@pytest.mark.parametrize("key", ALGORITHMS)
def test_a_description_has_arguments_draws_claims_and_an_example_that_runs(key: str) -> None:
    status, said, _ = run("describe", key)
    assert (status, said.splitlines()[0].partition(":")[0]) == (0, key)
    entry = ALGORITHMS[key]
    words = set(re.findall(r"[\w.-]+", said))
    assert {*entry.example.arguments, *entry.claims, *entry.choices} <= words
    assert max(map(len, said.splitlines())) <= 200
    assert not re.search(r"<function|Choices\(|<Relation", said)
    program = {}
    exec(said.partition("\nexample\n")[2].partition("\n\n")[0].replace("\n  ", "\n").strip(), program)  # noqa: S102 - our own
    assert [entry.name for entry in program["tape"].entries][:1] == [line.split('"')[1] for line in entry.draws()][:1]


def test_what_is_alike_is_named() -> None:
    assert run("descrbe")[2] == "dppca: unknown command 'descrbe'; did you mean describe?\n"
    assert "did you mean liu2022.dp_pca" in run("describe", "dp_pca")[2]
    assert run("--version")[1] == f"dppca {__version__}\n"
    assert "did you mean mechanism?" in run("guide", "mechanisms")[2]
    assert "did you mean wang2020.theorem-2-privacy?" in run("claim", "wang2020.theorem-2-privasy")[2]
    assert "did you mean wang2020?" in run("erratum", "wang2021", "theorem", "2")[2]


def test_a_stub_says_what_is_to_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for i, (key, entry) in enumerate(ALGORITHMS.items()):
        status, said, _ = run("new", f"mine{i}.py", "--for", key)
        assert (status, said.splitlines()[0]) == (0, f"Written: mine{i}.py. Next, from its folder:")
        module: dict[str, Any] = {}
        exec(Path(f"mine{i}.py").read_text(), module)  # noqa: S102 - our own
        stub = module["implementation"]
        with pytest.raises(NotImplementedError, match=rf"^mine{i}\.py: write {key.partition('.')[2]}: "):
            stub.algorithms[key](None, None, **entry.example.arguments)
        with pytest.raises(NotImplementedError, match=rf"^mine{i}\.py: write Implementation\.run: "):
            stub.run(algorithm=key, choice="", parameters={}, calibration={}, inputs={}, draws=[])
    for file, words in (
        ("mine0.py", "must be a file that does not exist yet"),
        ("a-b.py", "must be the name of a Python module"),
    ):
        status, _, wrong = run("new", file, "--for", "liu2022.oja")
        assert (status, wrong.count("\n"), words in wrong) == (2, 1, True), wrong


BARE = """
import sys
for name in {hidden!r}:
    sys.modules[name] = None
from dppca.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words", [("claim", ID), ("claim", "--proof", ID), ("cite", ID), ("erratum", ID), ("list",), ("describe", "liu2022.oja")]
)
def test_what_reads_the_ledger_and_the_catalogue_needs_no_extra(words: tuple[str, ...]) -> None:
    done = python("-c", BARE.format(hidden=list(EXTRAS)), *words)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("absent", ["threadpoolctl", "markdown_it", "math_core"])
def test_a_page_of_an_erratum_asks_once_for_all_that_it_needs(absent: str, tmp_path: Path) -> None:
    done = python("-c", BARE.format(hidden=[absent]), "erratum", ID, "--report", tmp_path / "e.html")
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, "")
    assert done.stderr.endswith('which is not installed: pip install "dppca[pages]"\n')
    assert not list(tmp_path.iterdir())


def test_a_theorem_is_found_first_by_its_place_and_a_number_is_a_word() -> None:
    for words in (["shang2021", "theorem", "2"], ["shang2021 Theorem 2"]):  # quoted or not
        status, said, _ = run("claim", *words)
        found = [line.split()[1] for line in said.splitlines()[:-1] if line[0] != " "]
        assert status == 0
        assert set(found[:2]) == {"shang2021.theorem-2", "shang2021.theorem-2-privacy"}
        assert "shang2021.mu-free" not in found  # it has a 2 in its paper's key alone
    assert run("claim", "theorem 5.1")[1].split()[1] == "liu2022.theorem-5.1-privacy"


def test_an_erratum_has_the_items_about_a_theorem_and_how_to_cite_it() -> None:
    status, said, _ = run("erratum", "wang2020", "theorem", "2")
    assert status == 0
    parts = [
        "wang2020, E1. The noise of both",
        "*Symbols.* $x$ is a row",
        "**As published.**",
        "**Witness.**",
        "```latex",
        "wang2020, E2. ",
        "To cite it:",
        "@misc{wang2020.theorem-2-privacy",
    ]
    assert [said.index(part) for part in parts] == sorted(said.index(part) for part in parts)
    assert "{{Erratum to Theorem 2, first sentence, of Wang \\& Xu 2020}}" in said
    assert "E3. " not in said  # it is about another theorem
    assert run("erratum", ID)[1].startswith("wang2020, E1. The noise of both")
    assert "`dppca erratum wang2020 theorem 2` says what is false there" in run("claim", "wang2020", "theorem", "2")[1]
    assert f"`dppca erratum {ID}`" in " ".join(run("claim", ID)[1].split())
    for words, line in (
        (("no", "such", "words"), "no claim has the id"),
        (("primitives.gaussian-profile",), "no item of the errata"),
    ):
        status, _, wrong = run("erratum", *words)
        assert (status, wrong.count("\n")) == (2, 1)
        assert line in wrong


def test_an_erratum_is_a_page_with_formulas_and_a_plot(tmp_path: Path) -> None:
    pytest.importorskip("math_core", reason="needs the extra pages")
    status, said, wrong = run("erratum", "jiang2016.theorem-pure", "--report", str(tmp_path / "e.html"))
    assert (status, wrong) == (0, "")
    page = (tmp_path / "e.html").read_text()
    assert said.endswith(f"Written: {tmp_path / 'e.html'}\n")
    assert page.count("<svg") == 1
    assert page.count("<math") > 10
    assert "<details><summary>The statement in LaTeX" in page
    assert "At epsilon = 2 the algorithm as published has delta = 0.4866, and 0 is promised" in page  # 1 - exp(-2/3) = 0.48658
    assert "$" not in page.partition("<details>")[0]  # each formula is typeset
    assert run("erratum", "jiang2016.theorem-pure", "--report", str(tmp_path / "e.html"))[0] == 2  # nothing is overwritten


def test_the_argument_for_a_claim_is_printed() -> None:
    status, said, _ = run("claim", "--proof", "shang2021.theorem-4")
    assert status == 0
    assert said.startswith("### Theorem 4 is refuted\n")
    assert "[theorem-4-m]" in said
    assert "### Theorem 2" not in said  # another section
    said = run("claim", "--proof", "wang2020.algorithm-1-line-2-sensitivity")[1]
    assert said.startswith("(* wang2020/client_sensitivity.v;")
    assert "Theorem client_message :" in said
    assert "in_ball x -> in_ball y -> upper_sqnorm (outer x - outer y) <= 2" in " ".join(said.split())
    assert "Proof" not in said
    status, _, wrong = run("claim", "--proof", "wang2020.figure-3-growth")
    assert (status, wrong.count("\n")) == (2, 1)
    assert "--proof needs a claim with an argument, and wang2020.figure-3-growth is computed" in wrong


@pytest.mark.parametrize("words", [("claim", ID), ("cite", ID), ("erratum", ID), ("describe", "liu2022.oja")])
def test_a_claim_that_is_not_well_formed_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    def wrong() -> list[LedgerClaim]:
        return [replace(load()[0], status="holdz")]

    for module in (claim_command, cite_command, erratum_command, catalogue_commands):
        monkeypatch.setattr(module, "load", wrong)
    status, said, error = run(*words)
    assert (status, said, error.count("\n")) == (2, "", 1)
    assert error.startswith(f"dppca {words[0]}: ")
    assert "status must be one of" in error


def test_guides_are_in_the_package() -> None:
    names = [line.split()[0] for line in run("guide")[1].splitlines()]
    assert {"claims", "implementation", "mechanism", "new-implementation", "training"} <= set(names)
    assert run("guide", "implementation")[1].startswith("# Is my implementation right?\n")
    status, _, wrong = run("guide", "implementations")
    assert (status, wrong.count("\n")) == (2, 1)
    assert "NAME must be one of ci, claims, figures, how-a-bound-comes-about, implementation, " in wrong


@pytest.mark.parametrize("installed", [False, True])
def test_each_link_of_a_guide_leads_somewhere_from_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    """In a wheel a guide may link to what is in the repository alone, and says so."""
    if installed:
        folder = tmp_path / "proofs_notes" / "guides"
        shutil.copytree(guide.FOLDER, folder)
        monkeypatch.setattr(guide, "FOLDER", folder)
    names = {line.split()[0] for line in run("guide")[1].splitlines()}
    leads = Counter[str]()
    for name in names:
        said = "".join(run("guide", name)[1].split("```")[::2])
        assert not re.search(r"\]\([^)\s]", said), name
        for command in re.findall(r"\[`dppca guide ([\w-]+)`\]", said):
            assert command in names
        here, elsewhere = re.findall(r"\[(/[^\]]+)\]", said), re.findall(r"\[(\S+) in the repository\]", said)
        assert all(Path(path).exists() for path in here)
        assert all((ROOT / path).exists() for path in elsewhere)
        leads += Counter(here=len(here), elsewhere=len(elsewhere))
    assert (leads["here"] > 20, leads["elsewhere"] > 20) == ((True, False), (False, True))[installed]


@pytest.mark.parametrize(
    ("found", "status", "words"), [("corrected", 0, "executed    corrected"), ("holds", 1, "the check found holds")]
)
def test_a_check_is_executed(monkeypatch: pytest.MonkeyPatch, found: str, status: int, words: str) -> None:
    claim = next(claim for claim in load() if claim.id == ID)
    monkeypatch.setattr(claim_command, "load", lambda: [replace(claim, check=f"{__name__}:says_{found}")])
    monkeypatch.setattr(binding, "faults", lambda key: ())  # of the code, which take seconds to look for
    left, said, wrong = run("claim", ID, "--run")
    assert left == status
    assert words in said + wrong


def says_corrected() -> Evidence:
    return Evidence("corrected", "one")


def says_holds() -> Evidence:
    return Evidence("holds", "one")


def test_every_claim_can_be_cited() -> None:
    claims: list[LedgerClaim] = load()
    for claim in claims[::25]:
        status, said, _ = run("cite", claim.id)
        entries = parse(said)
        assert status == 0
        assert next(iter(entries)) == claim.id
        assert list(entries)[-1] == "dp-pca-reference"
        assert entries[claim.id]["title"].startswith("{Erratum to " if claim.printed is False else "{Verdict on ")
        assert f"Verdict: {claim.verdict}." in entries[claim.id]["note"]
    assert list(parse(run("cite", "wang2020")[1])) == ["wang2020", "dp-pca-reference"]
    assert run("cite", "wang2020", "theorem", "2") == run("cite", ID)
    note = parse(run("cite", ID)[1])[ID]["note"]
    assert r"dppca.proofs\_notes.wang2020.section\_4:theorem\_2\_privacy" in note


def test_an_address_shows_no_user_and_no_folder() -> None:
    assert shown_address("https://user:word@example.org/a/b.git") == "https://example.org/a/b.git"
    assert shown_address("/home/somebody/project") == shown_address("file:///home/somebody/project") == ""
    assert all("/home" not in part for part in origin())


# --- accounts -----------------------------------------------------------------------------------------


def test_two_of_three_give_the_third(tmp_path: Path) -> None:
    """Four steps of every row, std 2: a Gaussian release with mu = 1, whose epsilon at 1e-5 is 4.3772 (scipy's root)."""
    steps = ["account", "--poisson", "1", "--steps", "4"]
    status, said, _ = run(*steps, "--std", "2", "--delta", "1e-5")
    assert status == 0
    epsilon = float(said.split("epsilon = ")[1].split(",")[0])
    assert EPSILON <= epsilon <= 1.001 * EPSILON  # an upper bound, on a grid
    std = float(run(*steps, "--epsilon", str(EPSILON), "--delta", "1e-5")[1].split("std = ")[1].split(",")[0])
    assert 2.0 <= std <= 1.001 * 2.0
    proof = tmp_path / "proof.json"
    status, said, _ = run(*steps, "--std", "2", "--epsilon", str(EPSILON), "--certificate", str(proof))
    assert "(proved)" in said
    assert float(said.split("delta = ")[1].split(" ")[0]) == pytest.approx(1e-5, rel=1e-2)
    assert read_certificate(proof.read_text()).check()
    status, said, _ = run("account", "--check", str(proof))
    assert (status, said.splitlines()[1][:44]) == (0, "holds: a proof of kind gaussian gives delta ")
    assert "one of them has one row more" in said
    stored = json.loads(proof.read_text())
    less = 0.9 * float(stored["delta"]["decimal"])
    words = stored["statement"].replace(stored["delta"]["decimal"], repr(less))
    proof.write_text(json.dumps({**stored, "delta": {"decimal": repr(less), "exact": less.hex()}, "statement": words}))
    status, said, _ = run("account", "--check", str(proof))
    assert (status, said.splitlines()[1][:15]) == (1, "does not hold: ")
    proof.write_text(json.dumps(stored).replace("one row more", "one row less"))
    status, said, error = run("account", "--check", str(proof))
    assert (status, said, error.count("\n")) == (2, "", 1)
    assert "statement must say what the numbers say" in error
    status, _, error = run("account", "--check", str(tmp_path / "none.json"))
    assert (status, "cannot check" in error) == (2, True)
    assert "not proved" in run(*steps, "--std", "2", "--delta", "1e-5", "--no-certify")[1]


ENTRIES = ["--data", "[0]", "--neighbour", "[1]", "--trials", "1000"]


@pytest.mark.slow
def test_a_command_that_writes_names_what_it_has_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("def noisy(data, rng):\n    return sum(data) + rng.laplace()\n")
    command = [sys.executable, "-m", "dppca", "audit", "own:noisy", "--epsilon", "1", *ENTRIES, "--report", "r.json"]
    said = [
        subprocess.check_output(command, text=True),  # noqa: S603
        run("report", "r.json", "-o", "page.html")[1],
        run("vectors", "--output", "known", "liu2022.oja")[1],
        run("new", "mine.py", "--for", "liu2022.oja")[1],
        run("account", "--poisson", "1", "--steps", "1", "--std", "2", "--epsilon", "1", "--certificate", "proof.json")[1],
        run("erratum", "wang2020", "theorem", "2", "--report", "erratum.html")[1],
    ]
    named = {word.strip(".,") for text in said for line in text.splitlines() if "Written: " in line for word in line.split()}
    written = {path.name for path in tmp_path.iterdir()} - {"own.py", "__pycache__"}
    assert len(written) == 7
    assert written <= named


def test_an_account_of_a_ball_of_a_release_beside_the_steps_and_a_profile() -> None:
    batch = Mechanism(FixedBatch(100, 2), 50, 1.0, unsampled=0.5)
    said = run("account", "--batch", "100", "2", "--steps", "50", "--unsampled", "0.5", "--epsilon", "1", "--delta", "1e-4")[1]
    assert said == f"std = {smallest_std(batch, 1.0, 1e-4).std:.6g}, epsilon = 1, delta = 0.0001 (proved)\n"
    index = ["account", "--index", "1000", "--steps", "100000", "--epsilon", "1", "--delta", "1e-5"]
    ball = Mechanism(UniformIndex(1000, "ball"), 100_000, 1.0)
    assert f"std = {smallest_std(ball, 1.0, 1e-5).std:.6g}," in run(*index, "--shape", "ball")[1]
    assert run(*index, "--shape", "diameter")[1] == run(*index)[1] != run(*index, "--shape", "ball")[1]
    status, said, _ = run("account", "--index", "50", "--steps", "20", "--std", "2", "--epsilon", "0.5", "1")
    assert status == 0
    found = [f"delta = {delta_at(Mechanism(UniformIndex(50), 20, 1.0), 2.0, x).delta:.6g} " for x in (0.5, 1.0)]
    assert [part in line for part, line in zip(found, said.splitlines(), strict=True)] == [True, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--poisson", "0.1", "--std", "1", "--epsilon", "1", "--shape", "ball"], "--shape is of --index and --batch"),
        (["--index", "9", "--delta", "0.1", "--epsilon", "1", "2"], "several --epsilon need --std"),
        (["--index", "9", "--std", "1", "--epsilon", "1", "2", "--certificate", "none.json"], "several --epsilon need --std"),
        (["--index", "9", "--std", "1", "--epsilon", "900"], "epsilon must be < 900.0: delta there is below 1e-100"),
    ],
)
def test_what_no_account_is_asked_for(options: list[str], message: str) -> None:
    status, said, error = run("account", "--steps", "4", *options)
    assert (status, said) == (2, "")
    assert message in error


#: Root in epsilon of Phi(1/2 - epsilon) - e^epsilon Phi(-1/2 - epsilon) = 1e-5.
EPSILON = 4.377178


# --- datasets and mechanisms --------------------------------------------------------------------------


def test_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    np.save("rows.npy", np.eye(2))
    np.save("objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    Path("rows.json").write_text(json.dumps({"a": [1, 2]}))
    Path("rows.csv").write_text("1,2\n3,4\n")
    Path("my_datasets.py").write_text("class Kept:\n    rows = (5, 6)\n")
    assert np.array_equal(dataset("--data", "rows.npy"), np.eye(2))
    assert dataset("--data", "rows.json") == {"a": [1, 2]}
    assert np.array_equal(dataset("--data", "rows.csv"), [[1.0, 2.0], [3.0, 4.0]])
    assert dataset("--data", "my_datasets:Kept.rows") == (5, 6)
    assert dataset("--data", "{'a': [1, None]}") == {"a": [1, None]}
    with pytest.raises(UsageError, match=r"--data: cannot read objects\.npy"):  # what it holds would be run
        dataset("--data", "objects.npy")


MINE = """
import numpy as np


def mechanism(data, rng):
    return np.sum(data) + rng.laplace()


def algorithm(data, noise):
    return noise.gaussian("sum", float(np.sum(data)), std=1.0, sensitivity=1.0)


def basis(data, rng):
    noisy = np.asarray(data).T @ np.asarray(data) + np.diag(rng.laplace(size=2))
    return np.linalg.eigh(noisy)[1][:, -1:]


def failing(data, rng):
    raise OSError("no disk")
"""
PAIR = ["--data", "[1, 0]", "--neighbour", "[0, 0]"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["mine:mechanism", *PAIR, "--epsilon", "0.2", "--trials", "5000"], 1, "REFUTED: "),
        (["mine:mechanism", *PAIR, "--epsilon", "2", "--trials", "5000"], 0, "NOT REFUTED: "),
        (["mine:mechanism", *PAIR, "--gdp", "0.2", "--trials", "5000"], 1, "REFUTED: GDP(0.2) was claimed"),
        (["mine:mechanism", *PAIR, "--gdp", "0.2", "--seconds", "60"], 1, "REFUTED: GDP(0.2) was claimed"),
        (["mine:mechanism", *PAIR, "--zcdp", "2", "--trials", "5000"], 0, "NOT REFUTED: zCDP(2) was claimed"),
        (["mine:mechanism", *PAIR, "--rdp", "2", "4", "--trials", "5000"], 0, "NOT REFUTED: RDP(2, 4) was claimed"),
        (["mine:mechanism", *PAIR, "--curve", "math:expm1", "--trials", "5000"], 2, "function must give a number"),
        (["mine:mechanism", *PAIR, "--trials", "5000", "--seed", "3"], 0, "Epsilon is at least 0."),
        (["mine:algorithm", "--transcript", *PAIR, "--epsilon", "2", "--delta", "1e-5", "--trials", "500"], 1, "REFUTED: "),
        (["mine:algorithm", "--transcript", *PAIR, "--delta", "1e-5", "--trials", "500"], 0, "Epsilon is at least 4."),
        (["mine:basis", "--subspace", "--data", "[[1, 0]]", "--neighbour", "[[0, 1]]", "--epsilon", "0.1"], 1, "REFUTED: "),
        (
            ["mine:mechanism", *PAIR, "--trials", "500", "--store", "runs.sqlite", "--key", "version 1"],
            0,
            "Epsilon is at",
        ),
        (["mine:failing", *PAIR, "--trials", "500"], 3, "mechanism raised OSError: no disk on "),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else None,
)
def test_a_mechanism_of_ones_own(tmp_path: Path, words: list[str], status: int, said: str) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    done = python("-m", "dppca", "audit", *words, cwd=tmp_path)
    assert done.returncode == status, done.stdout + done.stderr
    assert (done.stdout if status < 2 else done.stderr.removeprefix("dppca audit: ")).startswith(said)
    told = [line for line in done.stderr.splitlines() if not re.match(r"dppca audit: \d+ s; ", line)]  # on a slow machine
    assert len(told) == (0 if status < 2 else 1)
    assert (tmp_path / "runs.sqlite").is_file() == ("--store" in words)
