"""Wrong uses: one line that names the argument, what it must be and what it was; nothing that exists is lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.__main__ import main
from dppca.audit.report.place import replaceable_page
from dppca.reference.accounting import Mechanism, Poisson, smallest_std
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.citations import cite
from dppca.reference.noise import Sample
from tests.interpreter import python

ROOT = Path(__file__).resolve().parents[2]
PAIR = ([1, 0], [0, 0])
CLAIM = audit.Claim(1.0, 1e-2)
MINE = """
def mechanism(data, rng):
    return sum(data) + rng.normal(scale=2.0)


class Sampler:
    def sample(self, data, trials, rng):
        return rng.normal(size=trials)


NOTHING = None
"""


def mechanism(data: Any, rng: np.random.Generator) -> float:
    return float(sum(data) + rng.normal(scale=2.0))


def algorithm(data: Any, noise: Any) -> Any:
    return noise.gaussian("sum", float(sum(data)), std=1.0, sensitivity=1.0)


class Sampler:
    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> Any:
        return rng.normal(size=trials)


def gauss(**changed: Any) -> Any:
    arguments = {"epsilon": 1.0, "delta": 1e-6, "d": 2, "k": 1} | changed
    entry = ALGORITHMS["baselines.analyze_gauss"]
    return entry.bind(**arguments, choices=entry.choices["CORRECTED"])


#: What is done, and how the one line of its error begins.
PYTHON: dict[str, tuple[Callable[[], Any], str]] = {
    "claim as a tuple": (lambda: audit.check(mechanism, *PAIR, (1.0, 1e-2)), r"claim must be a Claim, .* got \(1\.0, 0\.01\)"),
    "transcripts against a curve": (
        lambda: audit.transcript_check(algorithm, *PAIR, audit.GDP(1.0)),  # type: ignore[arg-type]
        r"claim must be a Claim\(epsilon, delta\) for transcripts, got GDP\(1\)",
    ),
    "negative mu": (lambda: audit.GDP(-1.0), r"mu must be .*> 0, got -1\.0"),
    "rho as text": (lambda: audit.ZCDP("0.5"), r"rho must be .*> 0, got '0\.5'"),  # type: ignore[arg-type]
    "order of 1": (lambda: audit.RDP(1.0, 0.5), r"alpha must be finite and > 1, got 1\.0"),
    "order without an end": (lambda: audit.RDP(float("inf"), 0.5), "alpha must be finite and > 1, got inf"),
    "curve as a number": (lambda: audit.PrivacyCurve(0.1), r"function must be a callable .*, got 0\.1"),  # type: ignore[arg-type]
    "curve above 1": (lambda: audit.PrivacyCurve(lambda epsilon: 2.0), r"function must give a number in \[0, 1\] at 0, got 2"),
    "curve that raises": (
        lambda: audit.PrivacyCurve(lambda epsilon: 1 / 0),
        "function must give .* at 0, got ZeroDivisionError",
    ),
    "rising curve": (lambda: audit.PrivacyCurve(lambda epsilon: min(1.0, epsilon)), "function must not rise with epsilon"),
    "rising trade-off": (lambda: audit.TradeOff(lambda a: a), "function must be .*at a level a"),
    "concave trade-off": (lambda: audit.TradeOff(lambda a: 0.5 * (1.0 - a**2) * (a > 0.3)), "function must be convex"),
    "levels beyond 1": (
        lambda: audit.check(Sampler(), *PAIR, audit.GDP(1.0), trials=200).trade_off([2.0]),
        r"levels must be numbers in \[0, 1\], at least one, got \[2\.0\]",
    ),
    "no seed": (lambda: audit.check(mechanism, *PAIR, CLAIM, seed=None), "seed must be an integer >= 0, got None"),
    "half a seed": (lambda: audit.lower_bound(mechanism, *PAIR, seed=1.5), r"seed must be an integer >= 0, got 1\.5"),
    "negative seed": (lambda: audit.lower_bound(mechanism, *PAIR, seed=-1), "seed must be >= 0, got -1"),
    "trials as a float": (
        lambda: audit.check(mechanism, *PAIR, CLAIM, trials=1e5),
        r"trials must be an integer >= 100, got 100000\.0",
    ),
    "few trials": (
        lambda: audit.transcript_check(algorithm, *PAIR, CLAIM, trials=99),
        "trials must be an integer >= 100, got 99",
    ),
    "percent": (lambda: audit.check(mechanism, *PAIR, CLAIM, confidence=95), r"confidence must be in \(0, 1\), got 95"),
    "confidence as text": (
        lambda: audit.check(mechanism, *PAIR, CLAIM, confidence="0.95"),
        r"confidence must be in \(0, 1\), got '0\.95'",
    ),
    "no delta": (lambda: audit.lower_bound(mechanism, *PAIR, delta=None), r"delta must be in \[0, 1\), got None"),
    "epsilon as text": (lambda: audit.Claim("1"), "epsilon must be finite and >= 0, got '1'"),
    "negative epsilon": (lambda: audit.Claim(-1.0), r"epsilon must be finite and >= 0, got -1\.0"),
    "claim of a pair": (lambda: audit.Claim((1.0, 1e-5)), r"epsilon must be finite and >= 0, got \(1\.0, 1e-05\)"),
    "delta of 1": (lambda: audit.Claim(1.0, 1.0), r"delta must be in \[0, 1\), got 1\.0"),
    "no mechanism": (lambda: audit.check(3, *PAIR, CLAIM), "mechanism must be callable or have a method sample, got 3"),
    "result for a mechanism": (
        lambda: audit.check(mechanism([1], np.random.default_rng(0)), *PAIR, CLAIM),
        "mechanism must be callable or have a method sample, got 1.2",
    ),
    "class of a sampler": (
        lambda: audit.check(Sampler, *PAIR, CLAIM),
        "mechanism must be .*, got the class Sampler: make an object",
    ),
    "data first": (lambda: audit.check([1], mechanism, [0], CLAIM), r"mechanism must be callable or .*, got \[1\]"),
    "mechanism for an algorithm": (
        lambda: audit.transcript_check(mechanism, *PAIR, CLAIM, trials=200),
        r".*no attribute 'normal'.* it is a mechanism \(data, rng\): audit it with audit\.check",
    ),
    "algorithm for a mechanism": (
        lambda: audit.check(algorithm, *PAIR, CLAIM, trials=200),
        r".*no attribute 'gaussian'.* it is an algorithm \(data, noise\): audit it with audit\.transcript_check",
    ),
    "sampler for an algorithm": (
        lambda: audit.transcript_check(Sampler(), *PAIR, CLAIM),
        "algorithm must be a callable .*audit.check",
    ),
    "path for a store": (
        lambda: audit.check(mechanism, *PAIR, CLAIM, store="x.sqlite"),
        "store must be a Store, .* got 'x.sqlite'",
    ),
    "store without a key": (lambda: audit.Store("x.sqlite", ""), "key must be a string that is not empty, got ''"),
    "store without a path": (lambda: audit.Store(3, "key"), "path must be that of a file, as a string or a path, got 3"),
    "no workers": (lambda: audit.check(mechanism, *PAIR, CLAIM, workers=0), "workers must be an integer >= 1, got 0"),
    "seconds as text": (lambda: audit.check(mechanism, *PAIR, CLAIM, seconds="3"), "seconds must be .*> 0, got '3'"),  # type: ignore[arg-type]
    "clock that is none": (lambda: audit.check(mechanism, *PAIR, CLAIM, clock=3), "clock must be callable or None, got 3"),  # type: ignore[arg-type]
    "no time": (lambda: audit.check(mechanism, *PAIR, CLAIM, call_timeout=0), "call_timeout must be finite and > 0, got 0"),
    "class of features": (
        lambda: audit.check(mechanism, *PAIR, CLAIM, features=audit.Subspace),
        "features must be .* the class Subspace",
    ),
    "one exception": (
        lambda: audit.check(mechanism, *PAIR, CLAIM, exceptions=ValueError),
        "exceptions must be a tuple .*ValueError'>",
    ),
    "floats": (lambda: audit.check(mechanism, *PAIR, CLAIM, floats="real"), "floats must be .*, got 'real'"),
    "progress": (lambda: audit.check(mechanism, *PAIR, CLAIM, progress=True), "progress must be callable or None, got True"),
    "pair for pairs": (
        lambda: audit.lower_bound_over_pairs(mechanism, PAIR),
        r"pairs must be a callable \(rng\) .* got \(\[1, 0\]",
    ),
    "one dataset for pairs": (
        lambda: audit.lower_bound_over_pairs(mechanism, lambda rng: 3),
        r"pairs must return a tuple .*, got 3",
    ),
    "no rows": (lambda: audit.Rows(0, 3), "n must be >= 1, got 0"),
    "no outputs": (lambda: audit.lower_bound_from_outputs(3, 4), "outputs must be a sequence of outputs, got 3"),
    "few outputs": (lambda: audit.lower_bound_from_outputs([1], [2]), "outputs must be at least 100 outputs, got 1"),
    "canaries": (lambda: audit.Subspace([1, 0]), r"canaries must have shape \(r, d\), r >= 1, got \(2,\)"),
    "bound for a verdict": (lambda: audit.assert_not_refuted(True), "verdict must be what audit.check .*, got True"),
    "misspelt option": (lambda: audit.check(mechanism, *PAIR, CLAIM, trails=3), ".*unexpected keyword argument 'trails'"),
    "misspelt function": (lambda: audit.chek, "module 'dppca.audit' has no attribute 'chek'"),
    "nothing to cite": (lambda: cite("liu2022.dppca"), r"key must be one .*, got 'liu2022\.dppca'; .*liu2022\.dp_pca"),
    "long row": (
        lambda: gauss()([[2.0, 0.0]], Sample(np.random.default_rng(0))),
        r"X\[0\] must lie in the unit ball, got norm 2\.0",
    ),
    "many dimensions": (lambda: gauss(k=3)([[1.0, 0.0]], Sample(np.random.default_rng(0))), r"k must be in 1\.\.2, got 3"),
    "no epsilon": (lambda: gauss(epsilon=0.0), r"epsilon must be finite and > 0, got 0\.0"),
    "reused name": (lambda: _twice(Sample(np.random.default_rng(0))), "name 'x' is used twice in one run"),
    "negative noise": (
        lambda: Sample(np.random.default_rng(0)).gaussian("x", 0.0, std=-1.0, sensitivity=1.0),
        "std must be finite and >= 0",
    ),
    "sampling rate": (lambda: Mechanism(Poisson(1.5), 10, 1.0), r"probability must be in \(0, 1\], got 1\.5"),
    "delta of an account": (
        lambda: smallest_std(Mechanism(Poisson(0.5), 10, 1.0), 1.0, 1.0),
        r"delta must be in \(0, 1\), got 1\.0",
    ),
}


def _twice(noise: Any) -> None:
    noise.gaussian("x", 0.0, std=1.0, sensitivity=1.0)
    noise.gaussian("x", 0.0, std=1.0, sensitivity=1.0)


@pytest.mark.parametrize("use", PYTHON)
def test_python(use: str) -> None:
    wrong, message = PYTHON[use]
    with pytest.raises((ValueError, TypeError, AttributeError, audit.MechanismError), match=f"^{message}") as caught:
        wrong()
    assert "\n" not in str(caught.value)


OWN = ["audit", "mine:mechanism", "--data", "[1, 0]", "--neighbour", "[0, 0]"]
#: Words of a command, and what its one line holds.
COMMANDS: dict[str, tuple[list[str], str]] = {
    "unknown command": (["adit"], "unknown command 'adit'"),
    "unknown option": ([*OWN, "--trails", "3"], "unrecognized arguments: --trails 3"),
    "shortened option": ([*OWN, "--eps", "3"], "unrecognized arguments: --eps 3"),
    "epsilon as text": ([*OWN, "--epsilon", "one"], "argument --epsilon: invalid float value: 'one'"),
    "negative epsilon": ([*OWN, "--epsilon", "-1"], "epsilon must be finite and >= 0, got -1.0"),
    "seconds without a claim": ([*OWN, "--seconds", "3"], "--seconds is for a claim"),
    "no seconds": ([*OWN, "--gdp", "1", "--seconds", "0"], "seconds must be finite and > 0, got 0.0"),
    "two claims": ([*OWN, "--gdp", "1", "--zcdp", "1"], "argument --zcdp: not allowed with argument --gdp"),
    "curve beside a point": ([*OWN, "--gdp", "1", "--epsilon", "1"], "--epsilon must not be given beside --gdp"),
    "negative mu": ([*OWN, "--gdp", "-1"], "mu must be finite and > 0, got -1.0"),
    "curve of no module": ([*OWN, "--curve", "f"], "--curve must be pkg.module:object, got 'f'"),
    "few trials": ([*OWN, "--trials", "3"], "trials must be an integer >= 100, got 3"),
    "percent": ([*OWN, "--confidence", "95"], "confidence must be in (0, 1), got 95.0"),
    "missing file": (
        ["audit", "mine:mechanism", "--data", "no.npy", "--neighbour", "[0]"],
        "--data: cannot read no.npy: there is no",
    ),
    "no neighbour": (["audit", "mine:mechanism", "--data", "[1]"], "--neighbour must name a dataset"),
    "no dataset": (
        ["audit", "mine:mechanism", "--data", "me", "--neighbour", "[0]"],
        "--data must be a file (.npy, .json or .csv)",
    ),
    "no such module": (["audit", "yours:mechanism", *OWN[2:]], "cannot load yours:mechanism: ModuleNotFoundError"),
    "no such object": (["audit", "mine:mechanisms", *OWN[2:]], "cannot load mine:mechanisms: AttributeError"),
    "class": (["audit", "mine:Sampler", *OWN[2:]], "got the class Sampler: make an object of it"),
    "None": (["audit", "mine:NOTHING", *OWN[2:]], "mechanism must be callable or have a method sample, got None"),
    "suite's option": ([*OWN, "--budget", "quick"], "--budget is for the suite, not for a mechanism of your own"),
    "mechanism's option": (["audit", "--trials", "500"], "--trials is for a mechanism of your own"),
    "budget": (["audit", "--budget", "big"], "argument --budget: invalid choice: 'big'"),
    "no processes": (["audit", "--processes", "0"], "--processes must be >= 1, got 0"),
    "store without a key": ([*OWN, "--store", "x.sqlite"], "--store and --key go together"),
    "text for a store": ([*OWN, "--store", "notes.txt", "--key", "a"], "store notes.txt: it is no store, or damaged"),
    "report of a text": (["report", "notes.txt"], "RESULTS must be a JSON document that `dppca audit` wrote, got 'notes.txt'"),
    "page over a text": (
        ["report", "any.json", "--output", "notes.txt"],
        "--output must be a new file or an earlier page of `dppca",
    ),
    "page over a page": (
        ["report", "results.json"],
        "--output must be a new file or an earlier page of `dppca report`, got 'results",
    ),
    "unknown claim": (["claim", "nosuchword"], "no claim has the id, or holds all words of, 'nosuchword'"),
    "run of many": (["claim", "--run", "gaussian"], "--run needs one claim"),
    "unknown key": (["cite", "wang202"], "got 'wang202'; did you mean wang2020"),
    "two of three": (
        ["account", "--index", "9", "--steps", "2", "--std", "1"],
        "exactly two of --std, --epsilon, --delta must be given, got 1",
    ),
    "no sampling": (["account", "--steps", "2", "--std", "1", "--delta", "0.1"], "--index --batch --poisson is required"),
    "big batch": (
        ["account", "--batch", "3", "4", "--steps", "2", "--std", "1", "--delta", "0.1"],
        "batch must be <= n = 3, got 4",
    ),
    "taken certificate": (
        ["account", "--index", "9", "--steps", "2", "--std", "1", "--delta", "0.1", "--certificate", "notes.txt"],
        "--certificate must be a file that does not exist yet, as nothing is overwritten, got 'notes.txt'",
    ),
    "taken folder": (
        ["vectors", "--output", "full"],
        "--output must be an empty or new folder, as nothing is overwritten, got 'full'",
    ),
    "unknown algorithm": (
        ["vectors", "--check", "liu2022.ojo"],
        "KEY must be a key that `dppca list` prints, got 'liu2022.ojo'; did you mean liu2022.oja",
    ),
    "unknown vectors": (["check-vectors", "ojo"], "KEY must be a key that `dppca list` prints, got 'ojo'"),
    "two implementations": (
        ["check-vectors", "--implementation", "a:b", "--command", "c"],
        "argument --command: not allowed with",
    ),
    "unknown proofs": (["proofs", "liu2022.ojo"], "KEY must be a key that `dppca list` prints, got 'liu2022.ojo'"),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with files that must stay as they are."""
    (tmp_path / "mine.py").write_text(MINE)
    os.utime(tmp_path / "mine.py", (0, 0))  # older than this process, as a store asks for
    (tmp_path / "notes.txt").write_text("mine\n")
    (tmp_path / "results.html").write_text("<p>mine</p>\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept").write_text("kept\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    before = held(tmp_path)
    yield tmp_path
    assert held(tmp_path) == before


def held(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder and what is in them."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("use", COMMANDS)
def test_command_line(use: str, capfd: pytest.CaptureFixture[str]) -> None:
    words, message = COMMANDS[use]
    try:
        status = main(words)
    except SystemExit as ended:
        status = int(ended.code or 0)
    out, err = capfd.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert message in err


PYTEST = {
    "seed": (["audit/", "--seed", "-1"], "--seed must be >= 0, got -1"),
    "data": (["audit/", "--data", "no/such"], "--data must be a directory that exists, got 'no/such'"),
    "report": (["audit/", "--report", "{place}/notes.txt"], "--report must be a new file or an earlier report, got"),
    "page": (["audit/", "--report", "{place}/results.json"], "results.html' alone, which is no earlier page"),
    "target": (["audit/", "--epsilon", "1"], "--epsilon is the target of --implementation, which must be given too, got 1.0"),
    "workers": (["audit/", "--workers", "0"], "workers must be an integer >= 1, got 0"),
    "store": (["audit/", "--store", "{place}/notes.txt"], "it is no store, or damaged. It was left as it is"),
    "implementation": (["audit/", "--implementation", "mine"], "--implementation: must be pkg.module:object, got 'mine'"),
    "two implementations": (["reference/conformance", "--implementation", "a:b", "--command", "c"], "exclude each other"),
    "program": (
        ["reference/conformance", "--command", "nosuch"],
        "--command must begin with a program that can be run, got 'nosuch'",
    ),
}


@pytest.mark.parametrize("use", PYTEST)
def test_pytest(use: str, place: Path) -> None:
    words, message = PYTEST[use]
    done = python("-m", "pytest", "-p", "no:cacheprovider", "-k", "nothing", *(w.format(place=place) for w in words))
    lines = [line for line in done.stderr.splitlines() if line]
    assert (done.returncode, len(lines)) == (4, 1), done.stdout + done.stderr
    assert message in lines[0]


def test_only_an_earlier_page_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert replaceable_page(page)
    page.write_text("<!DOCTYPE html>\n<html><head><title>Privacy audit, 2026-01-01</title></head></html>\n")
    assert replaceable_page(page)
    page.write_text("<!DOCTYPE html>\n<html><head><title>My page</title></head></html>\n")
    assert not replaceable_page(page)
    page.write_bytes(b"\xff\xfe")
    assert not replaceable_page(page)


def test_there_are_sixty() -> None:
    assert len(PYTHON) + len(COMMANDS) + len(PYTEST) >= 60
