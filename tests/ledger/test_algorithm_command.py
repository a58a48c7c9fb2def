"""What `dppca list`, `dppca describe` and `dppca new` tell somebody who implements an algorithm."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from dppca.__main__ import main
from dppca.proofs_notes.ledger import algorithm_command
from dppca.proofs_notes.ledger.claims import load
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.citations import authors

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = {claim.id: claim for claim in load()}
#: Runs a command where nothing but what `dppca.reference` needs can be imported.
BARE = """
import sys

ABSENT = {"cloudpickle", "greenlet", "joblib", "matplotlib", "pytest", "sklearn", "statsmodels", "threadpoolctl"}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from dppca.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def said(*words: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(list(words)) == 0
    return out.getvalue()


def test_the_list_has_every_key_and_finds_words() -> None:
    lines = [line for line in said("list").splitlines() if "." in line.split(" ")[0]]
    assert [line.split()[0] for line in lines] == list(ALGORITHMS)
    assert "Wang and Xu (2020), Algorithm 1: Local Gaussian Mechanism" in said("list", "WANG")
    assert "Analyze Gauss" not in said("list", "wang")


def test_authors_are_named_as_a_sentence_names_them() -> None:
    assert authors("wang2020") == "Wang and Xu (2020)"
    assert authors("jiang2016") == "Jiang, Xie and Zhang (2016)"
    assert authors("amin2019") == "Amin et al. (2019)"


@pytest.mark.parametrize("key", ALGORITHMS)
def test_a_description_leaves_no_argument_draw_or_reading_out(key: str) -> None:
    entry, text = ALGORITHMS[key], algorithm_command.description(ALGORITHMS[key], CLAIMS)
    parts = dict(re.findall(r"^(\w[^\n]*)\n((?:  .*\n|\n(?=  ))+)", text, re.MULTILINE))
    arguments = dict(re.findall(r"^  (\w+): (.*)", parts["Arguments"], re.MULTILINE))
    assert set(entry.example.arguments) <= set(arguments)
    for name, meaning in arguments.items():
        if "described above" in meaning:  # it is in the text of the functions, or among the symbols
            told = parts["What it does"] + parts["Published steps, and how they are read"]
            assert re.search(rf"(?<!\w){re.escape(name.rstrip('_'))}(?![A-Za-z])", told), (key, name)
    for draw in entry.draws():
        assert draw in text
    for claim in entry.claims:
        assert claim in parts["Claims about it (`dppca claim ID` says all)"].replace("\n    ", " ")
    assert not re.search(r"<function|<class|object at", text)
    for name in entry.choices:
        assert name in parts["Arguments"].partition("choices:")[2]


def test_the_example_of_a_description_runs() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(algorithm_command.example(ALGORITHMS["liu2022.dp_pca"]), vars(ModuleType("example")))  # noqa: S102 - our own
    assert re.fullmatch(r"\[-?[\d.]+ +-?[\d.]+\]\n", out.getvalue())


@pytest.mark.parametrize("key", ALGORITHMS)
def test_a_stub_takes_what_audit_and_vectors_hand_it_and_fails_with_what_is_to_be_written(key: str) -> None:
    entry, module = ALGORITHMS[key], ModuleType("mine")
    exec(algorithm_command.stub(entry, "mine"), vars(module))  # noqa: S102 - our own
    mine = module.implementation
    function = mine.algorithms[key]
    inspect.signature(function).bind(entry.example.data, None, **entry.example.arguments)
    with pytest.raises(NotImplementedError, match=rf"^{function.__name__}: calibrate the noise"):
        function(entry.example.data, None, **entry.example.arguments)
    assert sum(mine.supports(key, choice) for choice in entry.choices) == 1
    given = {"algorithm": key, "choice": "CORRECTED", "parameters": {}, "calibration": None, "inputs": {}, "draws": []}
    with pytest.raises(NotImplementedError, match=rf"^run: compute the output from inputs\['{entry.data_name}'\]"):
        mine.run(**given)


@pytest.mark.slow
def test_a_stub_is_written_once_and_fails_the_known_answers(tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "dppca", *words]
        path = ":".join([str(ROOT), *filter(None, sys.path)])
        done = subprocess.run(  # noqa: S603
            command,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": path},
        )
        return done.returncode, done.stdout + done.stderr

    assert run("new", "mine.py", "--for", "liu2022.dp_pca")[0] == 0
    assert run("new", "mine.py", "--for", "liu2022.dp_pca")[0] == 2
    assert run("new", "not-a-module.py", "--for", "liu2022.dp_pca")[0] == 2
    status, text = run("check-vectors", "--implementation", "mine:implementation", "liu2022.dp_pca")
    assert (status, "NotImplementedError: run: compute the output from inputs['A']" in text) == (1, True), text


@pytest.mark.parametrize(
    "words",
    [["claim", "wang2020", "theorem", "2"], ["list"], ["describe", "liu2022.oja"], ["cite", "wang2020.theorem-2-privacy"]],
)
def test_what_is_looked_up_needs_no_extra(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", BARE, *words], capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout) > 500


def test_close_words_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clam"]) == 2
    assert main(["--version"]) == 0
    with pytest.raises(SystemExit):
        main(["claim", "--prof", "a"])
    with pytest.raises(SystemExit):
        main(["describe", "liu2022.dppca"])
    captured = capsys.readouterr()
    assert re.fullmatch(r"dppca \d+\.\d+\.\d+\n", captured.out)
    first, second, third = captured.err.splitlines()
    assert first == "dppca: unknown command 'clam'; did you mean claim?"
    assert second.endswith("unrecognized arguments: --prof; did you mean --proof?")
    assert "close: liu2022.dp_pca" in third


def test_a_search_prints_eight_results_unless_all_are_asked_for() -> None:
    few, all_of_them = said("claim", "wang2020").splitlines(), said("claim", "wang2020", "--all").splitlines()
    assert len(few) == 2 * 8 + 1
    count = sum(claim.id.startswith("wang2020.") for claim in CLAIMS.values())
    assert re.fullmatch(r"(\d+) claims; --all prints (\d+) more; `dppca claim ID` prints one", few[-1])
    assert len(all_of_them) > 2 * count
