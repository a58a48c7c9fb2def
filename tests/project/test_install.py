"""What is installed: the source distribution, the wheel made of it beside another project, one copy of each module."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
from pathlib import Path

import pytest

from dppca.__main__ import COMMANDS
from dppca.reference.extras import EXTRAS
from tests.interpreter import python

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
import audit
import reference

import dppca.audit


def mechanism(data, rng):
    return sum(data) + rng.laplace()


def test_its_own_packages():
    assert (audit.NAME, reference.NAME) == ("its own audit", "its own reference")


def test_the_fixture(audit):
    assert not audit.check(mechanism, [1, 0], [0, 0], audit.Claim(3.0), trials=1000).refuted  # it is exactly 1-DP
    assert audit.check(mechanism, [1, 0], [0, 0], audit.Claim(0.2), trials=5000).refuted
"""
LOADED = """
import importlib, json, pathlib, pkgutil, sys
for name in {names!r}:
    importlib.import_module(name)
files = {{}}
for name, module in list(sys.modules.items()):
    file = getattr(module, "__file__", None)
    if file and name != "__main__":
        files.setdefault(str(pathlib.Path(file).resolve()), []).append(name)
print(json.dumps({{file: names for file, names in files.items() if file.startswith({root!r} + "/") and "/.venv/" not in file}}))
"""


def run(python: Path | str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}  # no PYTHONPATH
    command = [str(python), *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603


def pip(command: str, *words: str) -> None:
    """Run pip of this environment on what is here already."""
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index"]
    arguments = [sys.executable, "-m", "pip", command, *options, *words]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked source distribution."""
    place = tmp_path_factory.mktemp("sdist")
    source = place / "source"
    listing = ["git", "ls-files", "-co", "--exclude-standard"]
    tracked = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    for name in tracked.stdout.splitlines():
        if (ROOT / name).exists():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name, follow_symlinks=False)  # the links in dppca/ as links
    build = "from setuptools.build_meta import build_sdist; import sys; build_sdist(sys.argv[1])"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", build, str(place)], cwd=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (archive,) = place.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        content.extractall(place, filter="data")
    return place / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def installed(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with the wheel, and with the present one's dependencies without its editable install.

    The wheel is made of the source distribution.
    """
    place = tmp_path_factory.mktemp("environment")
    pip("wheel", "-w", str(place), str(unpacked))
    (wheel,) = place.glob("*.whl")
    venv.create(place / "venv", with_pip=False)
    python = place / "venv" / "bin" / "python"
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).stdout.strip())
    pip("install", "--target", str(own), str(wheel))
    # A path in a .pth file is searched, but the .pth files in that path are not read: no editable install.
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


@pytest.mark.slow
def test_a_project_with_packages_of_these_names_passes_its_tests(installed: Path, tmp_path: Path) -> None:
    for name in ("audit", "reference"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f'NAME = "its own {name}"\n')
    (tmp_path / "test_project.py").write_text(PROJECT)
    done = run(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_the_wheel_has_what_the_packages_read(installed: Path, tmp_path: Path) -> None:
    code = """
import dppca.reference.catalog, dppca.audit, dppca.proofs_notes.ledger.claims
from dppca.reference.conformance import by_id
print(dppca.audit.__file__, len(dppca.proofs_notes.ledger.claims.load()) > 500, len(by_id()) > 300)
"""
    done = run(installed, "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    file, *rest = done.stdout.split()
    assert Path(file).is_relative_to(installed.parent.parent)
    assert rest == ["True", "True"]


@pytest.mark.slow
def test_the_command_line(installed: Path, tmp_path: Path) -> None:
    done = run(installed, "-m", "dppca", cwd=tmp_path)
    assert done.returncode == 0
    assert all(f"\n  {command} " in done.stdout for command in COMMANDS)
    cited = run(installed, "-m", "dppca", "cite", "liu2022.oja", cwd=tmp_path)
    assert cited.stdout.startswith("@inproceedings{liu2022,")
    assert run(installed, "-m", "dppca", "cite", "nosuch", cwd=tmp_path).returncode == 2
    unknown = run(installed, "-m", "dppca", "nosuch", cwd=tmp_path)
    assert (unknown.returncode, unknown.stdout, unknown.stderr.count("\n")) == (2, "", 1)
    assert "nosuch" in unknown.stderr
    written = run(installed, "-m", "dppca", "proofs", "--write", cwd=tmp_path)
    assert written.returncode == 2
    assert "checkout" in written.stderr
    ledger = run(installed, "-m", "dppca", "claim", "wang2020.theorem-2-privacy", cwd=tmp_path)
    assert "corrected, false as published" in ledger.stdout, ledger.stderr
    assert "3.736e-05" in ledger.stdout  # the evidence
    argued = run(installed, "-m", "dppca", "claim", "--proof", "wang2020.theorem-2-privacy", cwd=tmp_path)
    assert argued.stdout.startswith("(* wang2020/local_gaussian.v;"), argued.stderr
    erratum = run(installed, "-m", "dppca", "erratum", "wang2020", "theorem", "2", "--report", "e.html", cwd=tmp_path)
    assert erratum.stdout.endswith("Written: e.html\n"), erratum.stderr
    assert "<svg" in (tmp_path / "e.html").read_text()
    guide = run(installed, "-m", "dppca", "guide", "new-implementation", cwd=tmp_path)
    assert "class Mine:" in guide.stdout, guide.stderr


@pytest.mark.slow
def test_the_suite_the_vectors_and_a_mechanism_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    audited = run(installed, "-m", "dppca", "audit", "-k", "wishart and exact", "--budget", "quick", cwd=tmp_path)
    assert audited.returncode == 0, audited.stdout + audited.stderr
    assert "baselines.wishart_mechanism" in audited.stdout
    assert (tmp_path / "build" / "audit.html").is_file()
    checked = run(installed, "-m", "dppca", "check-vectors", "liu2022.oja", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "of 1 of 1 algorithms" in checked.stdout
    (tmp_path / "mine.py").write_text("def mechanism(data, rng):\n    return sum(data) + rng.laplace()\n")
    asked = ["audit", "mine:mechanism", "--data", "[1, 0]", "--neighbour", "[0, 0]", "--trials", "5000"]  # it is exactly 1-DP
    for epsilon, status, word in (("0.2", 1, "REFUTED: "), ("3", 0, "NOT REFUTED: ")):
        done = run(installed, "-m", "dppca", *asked, "--epsilon", epsilon, cwd=tmp_path)
        assert (done.returncode, done.stdout[: len(word)]) == (status, word), done.stderr


@pytest.mark.slow
def test_the_vectors_of_an_installed_copy_are_left_alone(installed: Path, tmp_path: Path) -> None:
    where = run(installed, "-c", "import dppca.reference.conformance as v; print(v.DIRECTORY)", cwd=tmp_path)
    before = {path: path.read_bytes() for path in Path(where.stdout.strip()).glob("*/*.json")}
    assert before
    refused = run(installed, "-m", "dppca", "vectors", "liu2022.oja", cwd=tmp_path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "--output" in refused.stderr
    written = run(installed, "-m", "dppca", "vectors", "liu2022.oja", "--output", "made", cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    assert [path.relative_to(tmp_path) for path in (tmp_path / "made").rglob("*.json")] == [Path("made/liu2022/oja.json")]
    assert run(installed, "-m", "dppca", "vectors", "--output", "made", cwd=tmp_path).returncode == 2
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.slow
def test_what_an_extra_brings_is_named_where_it_is_missing(installed: Path, tmp_path: Path) -> None:
    hidden = {"pytest": "suite", "cloudpickle": "audit", "joblib": "audit"}
    for module, extra in hidden.items():
        code = f"import sys; sys.modules[{module!r}] = None; from dppca.__main__ import main; sys.exit(main(sys.argv[1:]))"
        asked = ["audit", "-k", "nothing"] if module == "pytest" else ["audit", "m:f", "--data", "[1]", "--neighbour", "[0]"]
        done = run(installed, "-c", code, *asked, "--epsilon", "1", cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert f'pip install "dppca[{extra}]"' in done.stderr


@pytest.mark.slow
def test_the_plugin_is_harmless_without_the_extra(installed: Path, tmp_path: Path) -> None:
    """A project that installs `dppca` alone runs its own tests, and is told what to install where it uses the fixture."""
    (tmp_path / "test_project.py").write_text(
        "def test_own():\n    pass\n\n\ndef test_audit(audit):\n    audit.check(None, 0, 1, audit.Claim(1.0))\n"
    )
    modules = [module for module, extra in EXTRAS.items() if extra == "audit"]
    missing = f"import sys\nfor name in {modules!r}:\n    sys.modules[name] = None\n"
    code = f"{missing}import pytest\nsys.exit(pytest.main(sys.argv[1:]))"
    done = run(installed, "-c", code, "-q", "-p", "no:cacheprovider", cwd=tmp_path)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert 'pip install "dppca[audit]"' in done.stdout


def checked_types(python: Path, place: Path, source: str) -> str:
    """Return what mypy --strict says about another project that uses the wheel."""
    (place / "project.py").write_text(source)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python), "--cache-dir", str(place / "c")]
    done = subprocess.run([*command, "project.py"], cwd=place, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout + done.stderr


@pytest.mark.slow
def test_a_strictly_typed_project(installed: Path, tmp_path: Path) -> None:
    """What is public has types, and a misspelt name or a wrong type of argument is an error of mypy."""
    source = Path(__file__).with_name("typed_project.py").read_text()
    assert checked_types(installed, tmp_path, source) == "Success: no issues found in 1 source file\n"
    wrong = {
        "= audit.check(mechanism": "= audit.chek(mechanism",
        "Claim(epsilon=0.5": "Claim(epsilom=0.5",
        "verdict.bound.epsilon": "verdict.bound.epsilom",
        "verdict.explain()": "verdict.explane()",
        "trials=20_000": "trails=20_000",
        'floats="ideal"': 'floats="real"',
        'noise.gaussian("first"': 'noise.gausian("first"',
        "first + max(data), std=5.0, sensitivity=1.0": "first + max(data), std=5.0",
        "audit.Claim(1.0, 1e-6)": "(1.0, 1e-6)",
        "Batched(), of_data": "3, of_data",
        "claim.status": "claim.stats",
        "tape = record(": "tape, more = record(",
    }
    lines: list[str] = []
    for right, changed in wrong.items():
        assert source.count(right) == 1, right
        lines.append(str(source[: source.index(right)].count("\n") + 1))
        source = source.replace(right, changed)
    said = checked_types(installed, tmp_path, source)
    assert sorted(re.findall(r"^project\.py:(\d+): error", said, re.MULTILINE)) == sorted(lines), said


@pytest.mark.slow
def test_the_console_script(installed: Path, tmp_path: Path) -> None:
    code = "import importlib.metadata as m, sys; sys.exit(m.entry_points(group='console_scripts')['dppca'].load()())"
    done = run(installed, "-c", code, cwd=tmp_path)
    assert (done.returncode, done.stdout[:21]) == (0, "usage: dppca COMMAND "), done.stderr


@pytest.mark.slow
def test_the_source_distribution_runs_its_own_tests(unpacked: Path) -> None:
    tests = ("tests/reference/test_citations.py", "tests/ledger/test_notes.py")
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cwd=unpacked, timeout=300, PYTHONPATH=str(unpacked))
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_extra_is_named_for_what_it_brings() -> None:
    """The table of modules agrees with pyproject.toml: each extra brings the distribution of the module."""
    names = {"sklearn": "scikit-learn", "xdist": "pytest-xdist", "markdown_it": "markdown-it-py"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for module, extra in EXTRAS.items():
        wanted = names.get(module, module.replace("_", "-"))
        brought = [re.split(r"[<>=]", line)[0] for line in project["optional-dependencies"][extra]]
        assert wanted in brought, (module, extra)
    installed_alone = {re.split(r"[<>=]", line)[0] for line in project["dependencies"]}
    assert installed_alone == {"numpy", "scipy", "python-flint"}


def test_what_the_wheel_imports_is_installed_with_it_or_by_an_extra() -> None:
    """But for what builds the site, which needs a checkout."""
    imported = set()
    for file in (file for room in ("audit", "reference", "proofs_notes") for file in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            imported |= {(name.partition(".")[0], file.relative_to(ROOT).as_posix()) for name in names}
    known = {*sys.stdlib_module_names, *EXTRAS, "dppca", "numpy", "scipy", "flint"}
    assert not {place for place in imported if place[0] not in known and not place[1].startswith("proofs_notes/site/")}


@pytest.mark.slow
def test_no_file_is_loaded_under_two_names() -> None:
    modules = [path for room in ("audit/suite", "proofs_notes") for path in sorted((ROOT / room).glob("*/[a-su-z]*.py"))]
    names = [
        "dppca.reference.catalog",
        "dppca.proofs_notes.ledger.claims",
        *(".".join(("dppca", *path.relative_to(ROOT).with_suffix("").parts)) for path in modules),
        "tests.studies.mutation.planted_bugs",
        "tests.project.completeness",
    ]
    code = LOADED.format(names=names, root=str(ROOT))
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    _once(done.stdout, at_least=100)


@pytest.mark.slow
def test_collecting_the_audits_is_cheap_and_loads_no_file_twice(tmp_path: Path) -> None:
    """It must import nothing that takes long, so this looks at what is imported rather than at a clock."""
    plugin = tmp_path / "loaded_modules.py"
    names = ["sys"]
    body = LOADED.format(names=names, root=str(ROOT)).replace("\n", "\n    ")
    plugin.write_text(
        f"def pytest_collection_finish(session):{body}\n    print('HEAVY', [m for m in HEAVY if m in sys.modules])\n"
    )
    heavy = [
        "sklearn",
        "statsmodels",
        "pandas",
        "joblib",
        "dppca.audit.execution.output_view",
        "dppca.proofs_notes",
    ]
    plugin.write_text(f"HEAVY = {heavy!r}\n\n\n{plugin.read_text()}")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    options = ["audit/", "--collect-only", "-qq", "-s", "-p", "loaded_modules", "-p", "no:cacheprovider"]
    done = python("-c", code, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = next(line for line in done.stdout.splitlines() if line.startswith("{"))
    _once(loaded, at_least=60)
    assert "HEAVY []" in done.stdout


def _once(printed: str, *, at_least: int) -> None:
    """Check that every file of the project that was loaded has one name, but for what pytest imports by path."""
    files = json.loads(printed)
    assert len(files) >= at_least
    twice = {
        str(Path(file).relative_to(ROOT))
        for file, names in files.items()
        if len(names) > 1 and len(ast.parse(Path(file).read_text(encoding="utf-8")).body) > 1  # more than a docstring
    }
    assert twice <= {"audit/__init__.py"}  # looks its names up in `dppca.audit` when they are asked for; holds nothing
