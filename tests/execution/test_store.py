"""The store: an audit killed at any moment goes on without losing a batch; a bad file is an error and stays as it is."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dppca import audit
from dppca.audit.auditor.leaves import OutputTypeError
from dppca.audit.auditor.outputs import Outputs
from dppca.audit.execution import store
from dppca.audit.execution.packing import pack, unpack
from dppca.audit.execution.store import StoreFile
from tests.execution import resumable
from tests.studies.known_mechanisms import Vectorised

pytestmark = pytest.mark.usefixtures("without_new_processes")

ROOT = Path(__file__).parents[2]
CLAIM = audit.Claim(1.0)


def _python(*arguments: str | Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *map(str, arguments)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True, **pipes)  # noqa: S603 - our own


def _batches(path: Path) -> int:
    """Return how many batches a store has; 0 while it is being made."""
    if not path.exists():
        return 0
    connection = sqlite3.connect(path, timeout=10.0)
    try:
        return int(connection.execute("SELECT count(*) FROM batch").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def laplace(x: float, rng: np.random.Generator) -> float:
    return x + rng.laplace()


VECTORISED = Vectorised(lambda x, trials, rng: x + rng.laplace(size=trials))


def scaled(scale: float) -> Callable[[float, np.random.Generator], float]:
    return lambda x, rng: x + scale * rng.laplace()


# --- killed and run again -----------------------------------------------------------------------------


@pytest.mark.slow
def test_an_audit_killed_at_random_moments_ends_with_the_same_bits(tmp_path: Path) -> None:
    store, log = tmp_path / "store.sqlite", tmp_path / "log"
    never_stopped = resumable.run(1, None, tmp_path / "other log")
    when = random.Random(0)  # noqa: S311 - moments, not secrets
    workers = (1, 2, 1)
    kept = 0
    for number in workers:
        process = _python("-m", "tests.execution.resumable", str(number), store, log)
        goal = kept + when.randrange(1, 5)
        while _batches(store) < goal and process.poll() is None:
            time.sleep(0.002)
        time.sleep(when.uniform(0.0, 0.05))
        assert process.poll() is None  # killed, not done
        process.kill()
        process.communicate()  # ends when no child holds the pipes
        assert _batches(store) >= goal
        kept = _batches(store)
    assert kept > len(workers)
    process = _python("-m", "tests.execution.resumable", "1", store, log)
    printed, errors = process.communicate()
    assert printed == never_stopped, errors
    # In the two killed runs that went on and in the last the first batch was run again, and each kill may have hit as many
    # batches as were under way, in either view; of these only batches of outputs are counted here.
    repeated = int(log.with_suffix(".repeated").read_text())
    assert 1 <= repeated <= 1 + sum(workers)
    process = _python("-m", "tests.execution.resumable", "1", store, log)
    assert process.communicate()[0] == never_stopped
    assert log.with_suffix(".repeated").read_text().splitlines()[-1] == str(repeated)


@pytest.mark.slow
def test_finished_batches_are_read_and_others_run(tmp_path: Path) -> None:
    """Calls are counted, which no outputs depend on."""
    calls = [0]

    def mechanism(x: float, rng: np.random.Generator) -> float:
        calls[0] += 1
        if calls[0] == 23_100:
            raise KeyboardInterrupt
        return x + rng.laplace()

    store = audit.Store(tmp_path / "store.sqlite", "counting")
    with pytest.raises(KeyboardInterrupt):
        audit.check(mechanism, 0.0, 1.0, CLAIM, trials=20_000, store=store)
    stopped = audit.check(mechanism, 0.0, 1.0, CLAIM, trials=20_000, store=store)
    # Two batches with 5000 trials on each dataset and one with 1000 were kept. Of each, whole blocks of 64 trials or fewer
    # are run again until they are 20 trials; the probe runs 20 on each dataset, twice.
    again = calls[0] - (23_100 + 40_000 - 22_000)
    assert 3 * 20 <= again - 80 < 3 * (20 + 64)
    whole = audit.check(laplace, 0.0, 1.0, CLAIM, trials=20_000)
    assert replace(stopped.bound, seconds=0.0) == replace(whole.bound, seconds=0.0)


@pytest.mark.parametrize("workers", [1, 2])
def test_batches_of_other_processes_are_kept(workers: int, tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    for _ in range(2):
        audit.lower_bound(laplace, 0.0, 1.0, trials=500, store=audit.Store(path, "k"), isolate=True, workers=workers)
        assert _batches(path) == 1


def test_batches_that_are_run_again_are_counted(tmp_path: Path) -> None:
    """A run that goes on runs the first trials again; and one batch that was begun and has no result."""
    path = tmp_path / "runs.sqlite"

    def run() -> audit.Verdict:
        return audit.check(VECTORISED, 0.0, 1.0, audit.Claim(3.0), trials=20_000, store=audit.Store(path, "laplace"))

    first = run()
    assert first.bound.repeated == 0
    assert "run again" not in first.explain()
    assert [run().bound.repeated for _ in range(2)] == [1, 1]
    _change(path, "DELETE FROM batch WHERE key = (SELECT key FROM batch ORDER BY rowid DESC LIMIT 1)")
    last = run()
    assert last.bound == replace(first.bound, seconds=last.bound.seconds)
    assert last.bound.repeated == 1 + 1
    assert "(2 batches were run again)" in last.explain()
    _change(path, "UPDATE begun SET times = 'often'")
    with pytest.raises(audit.StoreError, match="it is damaged"):
        run()


def test_audits_with_other_claims_share_batches_and_others_share_none(tmp_path: Path) -> None:
    store = audit.Store(tmp_path / "store.sqlite", "laplace")

    def batches(**changes: Any) -> int:
        arguments: dict[str, Any] = {"mechanism": laplace, "data": 0.0, "neighbour": 1.0, "claim": CLAIM, "trials": 1000}
        arguments |= {"store": store, **changes}
        audit.check(**arguments)
        return _batches(tmp_path / "store.sqlite")

    assert batches() == 2
    assert batches(claim=audit.Claim(0.9, 1e-3), confidence=0.9) == 2
    assert batches(seed=1) == 4
    assert batches(neighbour=2.0) == 6
    assert batches(features=float) == 8
    assert batches(store=replace(store, key="laplace again")) == 10
    assert batches(trials=1100) == 12


def raises_rarely(x: float, rng: np.random.Generator) -> float:
    """Laplace noise on a number; refused with one error in 100 calls, though not in the first 20, and with another in 100."""
    y = x + float(rng.laplace())
    if y > 5.0:
        raise KeyError if y > 6.0 else ValueError
    return y


def test_audits_with_other_exceptions_share_no_batch(tmp_path: Path) -> None:
    """What one audit takes for an output is a failure of another, whose bound would be wrong."""
    store = audit.Store(tmp_path / "store.sqlite", "raises rarely")
    how: dict[str, Any] = {"trials": 4000, "store": store}
    both = audit.lower_bound(raises_rarely, 0.0, 1.0, exceptions=(ValueError, KeyError), **how)
    assert replace(
        audit.lower_bound(raises_rarely, 0.0, 1.0, exceptions=(ValueError, KeyError), **how), seconds=0.0
    ) == replace(both, seconds=0.0)
    kept = _batches(tmp_path / "store.sqlite")
    with pytest.raises(audit.MechanismError, match="raised KeyError"):
        audit.lower_bound(raises_rarely, 0.0, 1.0, exceptions=(ValueError,), **how)
    audit.lower_bound(raises_rarely, 0.0, 1.0, exceptions=(LookupError, ValueError), **how)
    assert _batches(tmp_path / "store.sqlite") == 2 * kept


# --- what has changed ---------------------------------------------------------------------------------


def test_a_changed_mechanism_under_the_same_key_is_found_out(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"trials": 1000, "store": audit.Store(tmp_path / "store.sqlite", "scaled")}
    audit.check(scaled(1.0), 0.0, 1.0, CLAIM, **arguments)
    with pytest.raises(
        audit.StoreError, match=r"store\.sqlite: what is audited no longer gives the outputs kept under its key"
    ):
        audit.check(scaled(0.99), 0.0, 1.0, CLAIM, **arguments)


RARE = """
def mechanism(x, rng):
    y = x + rng.laplace()
    return {rare} if y > 9.0 else y
"""
USE = """
import sys
sys.path.insert(0, {directory!r})
from dppca import audit
from rare import mechanism
print(audit.lower_bound(mechanism, 0.0, 1.0, trials=20_000, store=audit.Store({store!r}, "rare")).epsilon)
"""


@pytest.mark.slow
def test_a_change_that_the_first_trials_do_not_show_is_seen_in_the_source(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    printed = []
    for rare in ("9.0", "None"):
        (tmp_path / "rare.py").write_text(RARE.format(rare=rare))
        process = _python("-B", "-c", USE.format(directory=str(tmp_path), store=str(store)))
        out, errors = process.communicate()
        assert process.returncode == 0, errors
        printed.append((float(out), _batches(store)))
    assert [batches for _, batches in printed] == [4, 8]


HELPED = """
import helper, json
def mechanism(x, rng):
    y = x + rng.laplace()
    return helper.RARE if y > 9.0 else y
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["helper", "more"])
def test_a_changed_module_beside_the_mechanisms_counts_as_its_source(name: str, tmp_path: Path) -> None:
    """The helper, and what only the helper imports; the same files give the same key."""
    store = tmp_path / "store.sqlite"
    files = {"rare": HELPED, "helper": "import more\nRARE = 9.0\n", "more": "WORD = 'first'\n"}
    batches = []
    for change in ("", "", "# changed\n"):
        files[name] += change
        for module, text in files.items():
            (tmp_path / f"{module}.py").write_text(text)
        process = _python("-B", "-c", USE.format(directory=str(tmp_path), store=str(store)))
        _, errors = process.communicate()
        assert process.returncode == 0, errors
        batches.append(_batches(store))
    assert batches == [4, 4, 8]


DISTRIBUTED = """
import sys
sys.path.insert(0, {site!r})
import noisy
def mechanism(x, rng):
    y = x + rng.laplace()
    return noisy.RARE if y > 9.0 else y
"""


@pytest.mark.slow
def test_another_version_of_an_installed_package_counts_as_another_source(tmp_path: Path) -> None:
    """Of one that the mechanism's module imports, as an adapter does; a file of it that alone is changed is not looked at."""
    site = tmp_path / "site-packages"
    (site / "noisy").mkdir(parents=True)
    (site / "noisy-1.dist-info").mkdir()
    (site / "noisy-1.dist-info" / "RECORD").write_text("noisy/__init__.py,,\n")
    (tmp_path / "rare.py").write_text(DISTRIBUTED.format(site=str(site)))
    store, batches = tmp_path / "store.sqlite", []
    for version, rare in (("1.0", "9.0"), ("1.0", "9.0"), ("1.1", "None")):
        (site / "noisy" / "__init__.py").write_text(f"RARE = {rare}\n")
        (site / "noisy-1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: noisy\nVersion: {version}\n")
        process = _python("-B", "-c", USE.format(directory=str(tmp_path), store=str(store)))
        _, errors = process.communicate()
        assert process.returncode == 0, errors
        batches.append(_batches(store))
    assert batches == [4, 4, 8]


def test_a_source_changed_since_the_start_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rare.py").write_text(RARE.format(rare="9.0"))
    use = USE.format(directory=str(tmp_path), store=str(tmp_path / "store.sqlite"))
    # file systems tell times by the tick
    edit = f"import time; time.sleep(0.05); open({str(tmp_path / 'rare.py')!r}, 'a').write('# edited')"
    late = use.replace("print(", f"{edit}\nprint(")
    process = _python("-B", "-c", late)
    _, errors = process.communicate()
    assert "rare.py was changed after this process began" in errors
    assert not (tmp_path / "store.sqlite").exists()


# --- bad files ----------------------------------------------------------------------------------------


def _finished(path: Path) -> None:
    audit.check(laplace, 0.0, 1.0, CLAIM, trials=1000, store=audit.Store(path, "laplace"))


def _change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


def _text(path: Path) -> None:
    path.write_text("epsilon,delta\n" * 1000)


def _foreign(path: Path) -> None:
    _change(path, "CREATE TABLE accounts (name TEXT)")


def _other_format(path: Path) -> None:
    _finished(path)
    _change(path, "PRAGMA user_version = 7")


def _other_numpy(path: Path) -> None:
    _finished(path)
    _change(path, "UPDATE environment SET value = '1.0' WHERE name = 'numpy'")


def _other_processor(path: Path) -> None:
    _finished(path)
    _change(path, "UPDATE environment SET value = 'x86_64 Prescott SSE3' WHERE name = 'processor'")


def _other_source(path: Path) -> None:
    _finished(path)
    _change(path, "UPDATE environment SET value = 'abc' WHERE name = 'source of dppca.reference'")


def _truncated(path: Path) -> None:
    _finished(path)
    path.write_bytes(path.read_bytes()[:-5000])


def _one_bit(path: Path) -> None:
    _finished(path)
    content = bytearray(path.read_bytes())
    at = content.index(b"NUMPY") + 500  # inside a batch
    content[at] ^= 1
    path.write_bytes(content)


def _swapped(path: Path) -> None:
    _finished(path)
    _change(path, "UPDATE batch SET value = (SELECT value FROM batch LIMIT 1), digest = (SELECT digest FROM batch LIMIT 1)")


def _of_a_screen(path: Path) -> None:
    _finished(path)
    _change(path, "UPDATE environment SET value = char(27) || '[2J' || char(10) || 'x' WHERE name = 'numpy'")


def _without_a_table(path: Path) -> None:
    _finished(path)
    _change(path, "DROP TABLE begun")


def _directory(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_text, "it is no store, or damaged. It was left as it is: move it away or name another file"),
        (_foreign, "it is an SQLite file of another program. Name another file"),
        (_other_format, "its format is version 7, this program's is 2. Move it away or name another file"),
        (_other_numpy, r"another version \(numpy: 1.0 there, .* here\). Go back to that version, or name another file"),
        (_other_source, r"another version \(source of dppca.reference: abc there, [0-9a-f]{32} here\)"),
        (_other_processor, r"of another processor \(x86_64 Prescott SSE3 there, .* here\), which rounds otherwise"),
        (_truncated, "it is damaged. It was left as it is: move it away or name another file"),
        (_one_bit, "it is damaged. It was left as it is: move it away or name another file"),
        (_swapped, "it is damaged. It was left as it is: move it away or name another file"),
        (_of_a_screen, r"another version \(numpy: \\x1b\[2J x there, "),
        (_without_a_table, "it is damaged. It was left as it is: move it away or name another file"),
        (_directory, "it cannot be opened or made. Name a file in a directory that exists and can be written"),
        (_pipe, "it cannot be opened or made. Name a file in a directory that exists and can be written"),
    ],
)
def test_a_bad_file_is_a_clear_error_and_stays_as_it_is(make: Callable[[Path], None], message: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(audit.StoreError, match=rf"^store {path}: .*{message}"):
        _finished(path)
    assert (path.read_bytes() if path.is_file() else None) == before


def _spoiled(tmp_path: Path, content: bytes, expected: audit.LowerBound) -> str:
    """Return what an audit makes of a store with this content: "same", or the words that refuse it."""
    path = tmp_path / "spoiled.sqlite"
    path.write_bytes(content)
    try:
        found = audit.lower_bound(VECTORISED, 0.0, 1.0, trials=100, store=audit.Store(path, "laplace"))
    except audit.StoreError as error:
        return "refused" if str(error).startswith(f"store {path}: ") else str(error)
    assert replace(found, seconds=0.0) == expected
    return "same"


@pytest.fixture
def small(tmp_path: Path) -> tuple[bytes, audit.LowerBound]:
    """Return the content of a store with one small audit, and its bound."""
    path = tmp_path / "small.sqlite"
    found = audit.lower_bound(VECTORISED, 0.0, 1.0, trials=100, store=audit.Store(path, "laplace"))
    return path.read_bytes(), replace(found, seconds=0.0)


def test_a_store_with_a_flipped_bit_is_refused_or_gives_the_same(tmp_path: Path, small: tuple[bytes, audit.LowerBound]) -> None:
    """`FLIPS=1000` for more."""
    content, expected = small
    where = random.Random(0)  # noqa: S311 - places, not secrets
    outcomes = []
    for _ in range(int(os.environ.get("FLIPS", "20"))):
        flipped = bytearray(content)
        flipped[where.randrange(len(content))] ^= 1 << where.randrange(8)
        outcomes.append(_spoiled(tmp_path, bytes(flipped), expected))
    assert set(outcomes) == {"same", "refused"}


def test_a_store_cut_off_at_any_page_is_refused_or_gives_the_same(
    tmp_path: Path, small: tuple[bytes, audit.LowerBound]
) -> None:
    content, expected = small
    page = int.from_bytes(content[16:18], "big")
    outcomes = [_spoiled(tmp_path, content[: page * n], expected) for n in range(len(content) // page)]
    assert outcomes[0] == "same"  # an empty file is made a store
    assert set(outcomes[1:]) == {"refused"}


@pytest.mark.slow
def test_two_writers_at_once_agree(tmp_path: Path) -> None:
    store, logs = tmp_path / "store.sqlite", [tmp_path / "log 1", tmp_path / "log 2"]
    processes = [_python("-m", "tests.execution.resumable", str(number), store, log) for number, log in enumerate(logs, 1)]
    printed = [process.communicate() for process in processes]
    assert printed[0][0] == printed[1][0] == resumable.run(1, None, tmp_path / "log"), printed
    kept = _batches(store)
    assert _python("-m", "tests.execution.resumable", "1", store, tmp_path / "log 3").communicate()[0] == printed[0][0]
    assert _batches(store) == kept  # neither has found the other's batches to be others than its own


def test_a_store_in_no_directory_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(audit.StoreError, match="it cannot be opened or made"):
        _finished(tmp_path / "nowhere" / "runs.sqlite")


def test_an_empty_file_is_made_a_store(tmp_path: Path) -> None:
    """What a kill at the very start leaves behind."""
    (tmp_path / "runs.sqlite").touch()
    _finished(tmp_path / "runs.sqlite")
    assert _batches(tmp_path / "runs.sqlite") == 2


def test_a_store_that_another_process_holds_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.sqlite"
    _finished(path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr("dppca.audit.execution.store.WAIT", 0.1)
    with pytest.raises(audit.StoreError, match="another process holds it"):
        _finished(path)
    holder.close()
    _finished(path)


@pytest.mark.parametrize("key", ["", 3])
def test_a_key_is_a_name(key: Any) -> None:
    with pytest.raises(ValueError, match="key must be a string that is not empty"):
        audit.Store("runs.sqlite", key)


def test_data_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="data and neighbour must be picklable to be audited with a store"):
        audit.check(laplace, threading.Lock(), 1.0, CLAIM, trials=1000, store=audit.Store(tmp_path / "runs.sqlite", "x"))


FULL = """
import resource, sys
from dppca import audit
from tests.execution.test_store import laplace
if sys.argv[2] != "0":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    store = audit.Store(sys.argv[1], "laplace")
    print(audit.check(laplace, 0.0, 1.0, audit.Claim(1.0), trials=40_000, store=store).bound.epsilon)
except audit.StoreError as error:
    sys.exit(str(error))
"""


@pytest.mark.slow
def test_a_full_disk_is_a_clear_error_and_loses_no_batch(tmp_path: Path) -> None:
    """The file may not grow beyond 300 kB; a batch has 80 kB."""
    path = tmp_path / "runs.sqlite"
    process = _python("-c", FULL, path, "300000")
    _, errors = process.communicate()
    assert process.returncode == 1
    assert f"store {path}: " in errors
    assert "Every batch finished before is safe in it" in errors
    kept = _batches(path)
    assert kept >= 2
    process = _python("-c", FULL, path, "0")
    printed, errors = process.communicate()
    unlimited = tmp_path / "unlimited.sqlite"
    whole = audit.check(laplace, 0.0, 1.0, CLAIM, trials=40_000, store=audit.Store(unlimited, "laplace"))
    assert float(printed) == whole.bound.epsilon, errors
    assert _batches(path) == _batches(unlimited) > kept


def test_sqlites_own_word_for_a_full_disk_is_told(tmp_path: Path) -> None:
    file = StoreFile(tmp_path / "runs.sqlite")
    file.connection.execute("PRAGMA max_page_count = 20")
    file.put(b"first", bytes(1000))
    with pytest.raises(
        audit.StoreError, match=r"the disk is full\. Every batch finished before is safe in it: make room and run"
    ):
        file.put(b"second", bytes(10**6))
    assert file.get(b"first") == bytes(1000)
    assert file.get(b"second") is None
    file.close()


# --- packing ------------------------------------------------------------------------------------------


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53) | st.booleans()
ARRAYS = arrays(np.float32, (2,), elements=st.floats(-1e3, 1e3, width=32)) | arrays(np.int16, (2,))
ODD = st.integers() | st.fractions() | st.decimals() | st.floats() | st.complex_numbers() | st.binary() | st.text()


def _can_be_told_in_a_set(value: Any) -> bool:
    """Return whether a set tells the values apart: no signaling NaN, which has no hash, and no value that equals no other."""
    try:
        return hash(value) == hash(value) and bool(value == value)  # noqa: PLR0124
    except (TypeError, ArithmeticError):
        return False


MEMBERS = ODD.filter(_can_be_told_in_a_set)
NESTED = st.recursive(
    ODD,
    lambda inner: (
        st.lists(inner, max_size=3) | st.frozensets(MEMBERS, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
)
KINDS = [NUMBERS, st.text(), ARRAYS, NUMBERS.map(np.float64), NUMBERS.map(np.array), NESTED]
PARTS = st.sampled_from([*KINDS, *(kind | st.none() for kind in KINDS)])
BATCHES = st.one_of(
    PARTS.flatmap(lambda part: st.lists(part, max_size=6)),
    st.lists(PARTS, max_size=3).flatmap(lambda parts: st.lists(st.tuples(*parts) | st.none(), max_size=6)),
    st.lists(PARTS, max_size=3).flatmap(lambda parts: st.lists(st.tuples(*parts).map(list) | st.none(), max_size=6)),
    st.dictionaries(st.text(), PARTS, max_size=3).flatmap(
        lambda parts: st.lists(st.fixed_dictionaries(parts) | st.none(), max_size=6)
    ),
    arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(0, 2)), elements=st.floats(-1.0, 1.0)),
)


@given(BATCHES)
def test_what_an_auditor_sees_survives_packing(batch: Any) -> None:
    try:
        before = Outputs.of(batch)
    except OutputTypeError:
        return
    unpacked = unpack(pack(batch))
    assert isinstance(unpacked, np.ndarray) == isinstance(batch, np.ndarray)
    after = Outputs.of(unpacked)
    assert after.kind == before.kind
    assert list(after.labels) == list(before.labels)
    assert after.numbers.tobytes() == before.numbers.tobytes()
    assert pack(unpack(pack(batch))) == pack(batch)


def test_a_store_that_is_closed_is_used_no_more(tmp_path: Path) -> None:
    file = store.StoreFile(tmp_path / "runs.sqlite")
    file.put(b"key", b"value")
    assert file.get(b"key") == b"value"
    file.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        file.connection.execute("SELECT 1")


@pytest.mark.parametrize("path", ["", " ", ":memory:", "a\0b", b"runs.sqlite", None])
def test_a_store_is_a_file_with_a_path(path: Any) -> None:
    with pytest.raises(ValueError, match="path must be that of a file, as a string or a path, got "):
        audit.Store(path, "key")


def _too_little(x: float, rng: np.random.Generator) -> float:
    return x + float(rng.laplace(scale=0.2))


def test_a_batch_that_was_replaced_is_found_out_wherever_its_trials_are_true(tmp_path: Path) -> None:
    """Of every batch all trials but the first 20 of each dataset are replaced: 20 random ones are among these with 1 - 1e-6."""
    store = audit.Store(tmp_path / "runs.sqlite", "key")

    def run() -> Any:
        return audit.check(_too_little, 0.0, 1.0, audit.Claim(1.0), trials=20_000, store=store)

    assert run().refuted
    rng = np.random.default_rng(0)
    with contextlib.closing(sqlite3.connect(store.path)) as database:
        for key, value in database.execute("SELECT key, value FROM batch").fetchall():
            end = 8 + int.from_bytes(value[:8], "little")
            both = [list(unpack(part)) for part in (value[8:end], value[end:])]
            first, second = (pack(of[:20] + rng.laplace(size=len(of) - 20).tolist()) for of in both)
            new = len(first).to_bytes(8, "little") + first + second
            row = (hashlib.sha256(key + new).digest(), new, key)
            database.execute("UPDATE batch SET digest = ?, value = ? WHERE key = ?", row)
        database.commit()
    with pytest.raises(audit.StoreError, match="no longer gives the outputs"):
        run()
    with contextlib.closing(sqlite3.connect(store.path)) as database:
        for (key,) in database.execute("SELECT key FROM batch").fetchall():
            row = (hashlib.sha256(key + b"[]\n").digest(), b"[]\n", key)
            database.execute("UPDATE batch SET digest = ?, value = ? WHERE key = ?", row)
        database.commit()
    with pytest.raises(audit.StoreError, match="what it holds of a batch are no outputs"):
        run()
