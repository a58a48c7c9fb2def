"""The conformance suite itself: bugs planted in another program, skips, expected failures, broken programs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.conformance import by_id
from dppca.reference.conformance.command import Command, Unsupported
from dppca.reference.conformance.compare import differences
from dppca.reference.conformance.generate import ask
from tests.interpreter import python

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "reference" / "conformance" / "examples" / "oja.js"
MINE = {name: entry for name, entry in by_id().items() if entry[0] in {"liu2022.oja", "liu2022.private_oja"}}
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def failing(command: str, cases: Mapping[str, tuple[str, Mapping[str, object]]]) -> set[str]:
    program = Command(command)
    try:
        return {name for name, (algorithm, case) in cases.items() if differences(case, ask(program, algorithm, case))}
    finally:
        program.close()


@needs_node
def test_the_worked_example_conforms() -> None:
    assert failing(f"node {EXAMPLE}", MINE) == set()


@needs_node
@pytest.mark.parametrize(
    ("bug", "right", "wrong"),
    [
        ("noise-sign", "entry + 2 * beta", "entry - 2 * beta"),
        ("no-clipping", "length > beta ?", "false ?"),
        ("rows-off-by-one", "const A = inputs.A;", "const A = [...inputs.A.slice(1), inputs.A[0]];"),
        ("indices-from-one", "A[order[t - 1]]", "A[(order[t - 1] + 1) % n]"),
        ("no-orthonormalising", "return w.map((entry) => entry / length);", "return w;"),
    ],
)
def test_a_bug_in_another_program_fails_exactly_the_cases_that_name_it(
    bug: str, right: str, wrong: str, tmp_path: Path
) -> None:
    source = EXAMPLE.read_text()
    assert right in source
    mutant = tmp_path / "mutant.js"
    mutant.write_text(source.replace(right, wrong))
    answered = {name: entry for name, entry in MINE.items() if "refuses" not in entry[1]["expected"]}
    assert failing(f"node {mutant}", answered) == {name for name, (_, case) in answered.items() if bug in case["catches"]}


def program(tmp_path: Path, body: str) -> str:
    """Return a program that runs a statement for each case, with the case as `c` and its id as `i`."""
    path = tmp_path / "program.py"
    loop = f"for line in sys.stdin:\n    c = json.loads(line); i = c['id']\n    {body}\n    sys.stdout.flush()\n"
    path.write_text(f"import json, os, sys, time\n{loop}")
    return f"{sys.executable} {path}"


GOOD = "print(json.dumps({'id': i, 'unsupported': 'x'}))"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("sys.exit(3)", "ended with status 3 instead of an answer"),
        ("print('no JSON')", r"must answer one line of JSON, got b'no JSON\\n'"),
        ("print()", r"must answer one line of JSON, got b'\\n'"),
        ("sys.stdout.buffer.write(b'\\xff\\n')", r"must answer one line of JSON, got b'\\xff\\n'"),
        ("print('[' * 200000)", r"must answer one line of JSON, got b'\[\[\["),
        ("print('{\"output\": NaN}')", r"must answer one line of JSON, got b'.*' \(NaN is no number of JSON\)"),
        ("print('[]')", "must answer a JSON object"),
        ("print('{\"output\": 1}')", "must answer with the id 1 of its case, got None"),
        ("print(json.dumps({'id': i + 1}))", "must answer with the id 1 of its case, got 2"),
        ("print(json.dumps({'id': str(i)}))", "must answer with the id 1 of its case, got '1'"),
        ("print(json.dumps({'id': True}))", "must answer with the id 1 of its case, got True"),
        ("print('x' * 70000000)", "must answer with at most 67,108,864 bytes, got b'xxx"),
        ("time.sleep(60)", "took longer than 1 s for an answer"),
        ("sys.stdout.write('{'); sys.stdout.flush(); time.sleep(60)", "took longer than 1 s for an answer"),
        ("os.fork() or time.sleep(60); time.sleep(60)", "took longer than 1 s for an answer"),
    ],
)
def test_a_program_without_a_good_answer_is_an_error(
    body: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dppca.reference.conformance.command.SECONDS", 1.0 if "sleep" in body else 60.0)
    name, entry = next(iter(MINE.items()))
    with pytest.raises(RuntimeError, match=rf"program\.py' {message}"):
        failing(program(tmp_path, body), {name: entry})


def test_a_program_that_reads_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case larger than a pipe holds."""
    monkeypatch.setattr("dppca.reference.conformance.command.SECONDS", 0.5)
    (tmp_path / "deaf.py").write_text("import time; time.sleep(60)")
    with pytest.raises(RuntimeError, match="took longer"):
        Command(f"{sys.executable} {tmp_path / 'deaf.py'}").run(large="x" * 10_000_000)


def test_an_answer_is_never_taken_for_another_cases(tmp_path: Path) -> None:
    """Two lines for a case: the next case finds one of them, or the end does; a program that failed is started anew."""
    tested = Command(program(tmp_path, f"{GOOD}; print(json.dumps({{'id': i, 'output': 1}}))"))
    with pytest.raises(Unsupported):
        tested.run()
    with pytest.raises(RuntimeError, match="must answer with the id 2 of its case, got 1"):
        tested.run()
    with pytest.raises(Unsupported):
        tested.run()
    with pytest.raises(RuntimeError, match="must write one line for each case, got another one"):
        tested.close()


@pytest.mark.parametrize("command", ["", " ", "no-such-program --fast"])
def test_what_is_no_program_is_refused(command: str) -> None:
    with pytest.raises(ValueError, match="must begin with a program that can be run, got "):
        Command(command)


def test_a_program_says_what_it_does_not_support(tmp_path: Path) -> None:
    name, entry = next(iter(MINE.items()))
    with pytest.raises(Unsupported, match="not yet"):
        failing(program(tmp_path, GOOD.replace("'x'", "'not yet'")), {name: entry})


def suite(*arguments: str, directories: Sequence[str] = ("reference/conformance",)) -> tuple[int, str]:
    """Status and output of pytest on some directories with some arguments."""
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", *directories, *arguments)
    return done.returncode, done.stdout + done.stderr


CAUGHT = [
    name.removeprefix("liu2022.private_oja/")
    for name, (_, case) in MINE.items()
    if name.startswith("liu2022.private_oja/") and case["choice"] == "CORRECTED" and "no-clipping" in case["catches"]
]


@pytest.mark.slow
def test_the_suite_fails_a_planted_bug_and_lists_what_it_skipped(tmp_path: Path) -> None:
    implementation = ("--implementation", "tests.conformance.planted_implementations:no_clipping")
    status, output = suite(*implementation)
    assert status == 1
    assert output.count("_ test_answer[") == len(CAUGHT) > 0
    supported = [name for name in MINE if name.startswith("liu2022.private_oja/") and name.endswith("/CORRECTED")]
    line = f"\nchecked: {len(supported)} cases of 1 of {len(ALGORITHMS)} algorithms; not supported: "
    assert line in output
    assert ", among them some of liu2022.private_oja AS_PRINTED" in output
    assert "no-clipping (gradients, boxes and scores not clipped)" in output
    known = tmp_path / "known.txt"
    known.write_text("".join(f"liu2022.private_oja/{name}  # no clipping yet\n" for name in CAUGHT))
    status, output = suite(*implementation, "--expected-failures", str(known))
    assert status == 0
    assert f"{len(CAUGHT)} xfailed" in output
    known.write_text(known.read_text() + "liu2022.private_oja/rows/CORRECTED\n")
    status, output = suite(*implementation, "--expected-failures", str(known))
    assert status == 1
    assert "XPASS(strict)" in output


def test_a_crash_is_one_line_that_says_where() -> None:
    status, output = suite("--implementation", "tests.conformance.planted_implementations:crashes", "-k", "[liu2022.oja/")
    assert status == 1
    crash = "/AS_PRINTED: run: raised KeyError: 'seed' (planted_implementations.py, line "
    assert output.count(crash) == output.count("run: raised") > 0
    assert "); a ValueError that names 'step_sizes' was expected\n" in output
    assert "def _crash" not in output  # no code of the implementation, nor of the suite
    assert "site-packages" not in output


@pytest.mark.slow
def test_the_suite_refuses_options_that_make_no_sense(tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("liu2022.oja/rows/NONE\n")
    for arguments, message in (
        (("--implementation", "a:b", "--command", "true"), "exclude each other"),
        (("--implementation", ""), "must be pkg.module:object, got ''"),
        (("--implementation", "tests.conformance.planted_implementations"), "must be pkg.module:object"),
        (("--implementation", "tests.conformance.planted_implementations:wrong"), "has no attribute 'wrong'"),
        (("--implementation", "tests.conformance.planted_implementations:BUGS"), "must have a method run"),
        (("--expected-failures", str(known)), "must hold ids of cases"),
        (("--expected-failures", str(tmp_path / "no")), "--expected-failures must be a file"),
        (("--command", "no-such-program --fast"), "must begin with a program that can be run, got 'no-such-program --fast'"),
        (("--command", ""), "must begin with a program that can be run, got ''"),
    ):
        status, output = suite(*arguments)
        assert status == 4
        assert message in output


def test_a_program_that_never_answers_is_one_error(tmp_path: Path) -> None:
    status, output = suite("--command", program(tmp_path, "sys.exit(3)"))
    assert status == 1
    assert output.count("ended with status 3 instead of an answer, and it has answered no case") == 1
    assert "test_answer[" not in output


def test_an_implementation_that_supports_nothing_fails_the_run() -> None:
    status, output = suite(
        "--implementation", "tests.conformance.planted_implementations:supports_nothing", "-k", "[liu2022.oja/"
    )
    assert status == 1
    assert "checked: 0 cases of 0 of 1 algorithms" in output


def test_an_answer_that_is_no_mapping_is_a_failure() -> None:
    case = MINE["liu2022.oja/rows/AS_PRINTED"][1]
    assert differences(case, None) == ["answer: must be a mapping with the key 'output', got None"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "directories",
    [("reference/conformance", "audit/"), ("audit/", "reference/conformance")],
    ids=["both conftest files at the start", "the suite's later"],
)
def test_the_suite_and_the_audit_share_the_implementation(directories: tuple[str, ...]) -> None:
    implementation = ("--implementation", "tests.conformance.planted_implementations:audited_too")
    status, output = suite(*implementation, "--collect-only", directories=directories)
    assert status == 0, output
    assert "test_answer[liu2022.oja/rows/AS_PRINTED]" in output
    assert "test_verdict[baselines.analyze_gauss-implementation-" in output
