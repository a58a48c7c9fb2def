"""The machine-checked proofs: what can be said of the sources without Rocq, what Rocq says where it is installed."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dppca.proofs_notes.rocq import installation, proofs
from dppca.proofs_notes.rocq.installation import Rocq, RocqError
from dppca.proofs_notes.rocq.proofs import ProofError

CLAIMS = """
[[claim]]
id = "a.claim"
"""
PROVED = """Section Numbers.
Variable n : nat.
(* Axiom and Admitted in a comment are words. *)
Theorem trivial : n = n.
Proof. exact (eq_refl n). Qed.
End Numbers.
"""


def plant(notes: Path, source: str = PROVED, proof: str = "paper/one.v:trivial", extra: str = "") -> None:
    """Make a folder like proofs_notes with one room, one file and one theorem."""
    (notes / "paper").mkdir(exist_ok=True)
    (notes / "rocq").mkdir(exist_ok=True)
    (notes / "_CoqProject").write_text("-Q paper DPPCA.paper\n")
    (notes / "paper" / "one.v").write_text(source)
    (notes / "paper" / "claims.toml").write_text(CLAIMS)
    (notes / "paper" / "theorems.toml").write_text(f'[[theorem]]\nclaim = "a.claim"\nproof = "{proof}"\n{extra}')


@pytest.fixture
def rocq() -> Iterator[Rocq]:
    """The Rocq that `make proofs` finds, in a folder of its own."""
    try:
        found = installation.found()
    except RocqError as error:
        pytest.skip(f"needs Rocq, which `make proofs` installs: {error}")
    folder = Path(tempfile.mkdtemp(prefix="test_", dir=found.folder))
    yield dataclasses.replace(found, folder=folder, seen_as=f"{found.seen_as}/{folder.name}")
    shutil.rmtree(folder)


def everything(notes: Path, rocq: Rocq) -> tuple[str, str]:
    """Run all steps on a planted folder and return THEOREMS.md and statements.json."""
    lines = proofs.check_sources(notes)
    proofs.build(rocq, notes)
    proofs.check_objects(rocq, notes)
    compiled = proofs.verify(rocq, notes)
    return proofs.table(lines, compiled, proofs.digests(notes)), proofs.stated(compiled)


# The proofs themselves.


def test_the_sources_declare_every_theorem_and_assume_nothing() -> None:
    lines = proofs.check_sources()
    assert all(line > 0 for line in lines.values())


def test_every_file_is_as_it_was_proved() -> None:
    """On a machine without Rocq this is what notices that a proof or a statement has been changed."""
    assert proofs.unproved() == [], "run `make proofs`"


def test_the_table_is_that_of_the_sources() -> None:
    """Every theorem stands in THEOREMS.md with its file and line, and in what it is weaker."""
    page = (proofs.NOTES / "rocq" / "THEOREMS.md").read_text()
    for theorem, line in proofs.check_sources().items():
        place = f"| {theorem.claim} | [{theorem.name}](../{theorem.file}#L{line}) |"
        assert f"{place} {theorem.weaker or '-'} |" in page, "run `make proofs`"
    shown = sum(line.startswith("| ") for line in page.partition("| file |")[0].split("\n")) - 2
    assert shown == len(proofs.load()), "run `make proofs`"


def test_the_statements_are_those_of_the_theorems_with_axioms_that_are_allowed() -> None:
    stated, theorems = proofs.statements(), proofs.load()
    assert stated.keys() == {theorem.proof for theorem in theorems}, "run `make proofs`"
    for theorem in theorems:
        proofs.check_theorem(theorem, stated[theorem.proof])


@pytest.mark.parametrize("file", ["rocq/lib/discrete.v", "primitives/laplace_mechanism.v"])
def test_the_statements_are_those_that_were_compiled(file: str) -> None:
    """For two files; `make proofs` asks Rocq about all of them, in minutes."""
    try:
        found = installation.found()
    except RocqError as error:
        pytest.skip(f"needs Rocq, which `make proofs` installs: {error}")
    copied = found.folder / file
    if not copied.with_suffix(".vo").exists() or copied.read_bytes() != (proofs.NOTES / file).read_bytes():
        pytest.skip("the proofs are not built; `make proofs` builds and checks them")
    names = sorted({theorem.name for theorem in proofs.load() if theorem.file == file})
    assert names
    stated = proofs.statements()
    for proof, compiled in proofs.query(found, [{file: names}]).items():
        assert stated[proof] == compiled


def test_a_proof_that_has_changed_since_is_found(tmp_path: Path) -> None:
    """A proof that is cut short, a statement that is made weaker, a file that is new, gone or compiled otherwise."""
    plant(tmp_path)
    answer = proofs.Compiled("forall n : nat, n = n")
    (theorem,) = proofs.load(tmp_path)
    page = proofs.table({theorem: 4}, {theorem: answer}, proofs.digests(tmp_path))
    (tmp_path / "rocq" / "THEOREMS.md").write_text(page)
    assert proofs.unproved(tmp_path) == []
    for changed in (PROVED.replace("exact (eq_refl n)", "trivial"), PROVED.replace("n = n.", "n = n \\/ True.")):
        assert changed != PROVED
        (tmp_path / "paper" / "one.v").write_text(changed)
        assert proofs.unproved(tmp_path) == ["paper/one.v"]
    (tmp_path / "paper" / "one.v").rename(tmp_path / "paper" / "two.v")
    assert proofs.unproved(tmp_path) == ["paper/one.v", "paper/two.v"]
    plant(tmp_path)
    (tmp_path / "paper" / "two.v").unlink()
    (tmp_path / "_CoqProject").write_text("-Q paper DPPCA.paper\n-arg -type-in-type\n")
    assert proofs.unproved(tmp_path) == ["_CoqProject"]


# Faults that the sources show.


def test_a_sound_folder_passes(tmp_path: Path) -> None:
    plant(tmp_path)
    assert list(proofs.check_sources(tmp_path).values()) == [4]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (PROVED.replace("Qed", "Admitted"), r"paper/one.v:5: Admitted is not allowed"),
        (PROVED.replace("exact (eq_refl n)", "admit"), r"paper/one.v:5: admit is not allowed"),
        ("Axiom false : False.\n" + PROVED, r"paper/one.v:1: Axiom is not allowed"),
        ("#[bypass_check(guard)]\n" + PROVED, r"paper/one.v:1: bypass_check is not allowed"),
        ("Unset Guard Checking.\n" + PROVED, r"paper/one.v:1: Unset Guard Checking is not allowed"),
        ("Variable m : nat.\n" + PROVED, r"paper/one.v:1: Variable outside of a section"),
        (PROVED + "Hypothesis no : False.\n", r"paper/one.v:7: Hypothesis outside of a section"),
        (PROVED + "\n" * 500, r"paper/one.v: 506 lines"),
        (PROVED.replace("trivial", "other"), r"a.claim: paper/one.v has no theorem trivial"),
        (PROVED.replace("Theorem trivial", "(* Theorem trivial *) Definition trivial"), r"paper/one.v has no theorem trivial"),
    ],
)
def test_a_fault_in_a_source_is_found(tmp_path: Path, source: str, message: str) -> None:
    plant(tmp_path, source)
    with pytest.raises(ProofError, match=message):
        proofs.check_sources(tmp_path)


DOUBLE = "Definition once (n : nat) := n.\nDefinition twice (n : nat) := once n + once n.\n"
SAYS = "Theorem says n : twice n = n + n.\nProof. reflexivity. Qed.\n"


@pytest.mark.parametrize(
    ("example", "unused"),
    [
        ("", "paper/one.v:once, paper/one.v:twice"),
        ("Example one : once 1 = 1.\nProof. reflexivity. Qed.\n", "paper/one.v:twice"),
        ("(* Example two : twice 1 = 2. *)\n", "paper/one.v:once, paper/one.v:twice"),
        ("Theorem two : twice 1 = 2.\nProof. reflexivity. Qed.\n", "paper/one.v:once, paper/one.v:twice"),
        ("Example three : 1 = 1.\nProof. reflexivity. Qed.\n" + SAYS, "paper/one.v:once, paper/one.v:twice"),
    ],
)
def test_a_definition_that_no_example_uses_is_found(tmp_path: Path, example: str, unused: str) -> None:
    plant(tmp_path, PROVED + DOUBLE + example)
    with pytest.raises(ProofError, match=f"^no Example and no extracted program uses {re.escape(unused)}; add an Example"):
        proofs.check_sources(tmp_path)


@pytest.mark.parametrize(
    "example",
    [
        "Example two : twice 1 = 2.\nProof. reflexivity. Qed.\n",
        SAYS + "Example two : 1 + 1 = 2.\nProof. rewrite <- says. reflexivity. Qed.\n",
    ],
)
def test_a_definition_may_be_used_through_others(tmp_path: Path, example: str) -> None:
    """In an example's statement, or in that of a theorem that its proof applies."""
    plant(tmp_path, PROVED + DOUBLE + example)
    proofs.check_sources(tmp_path)


def test_an_example_reaches_only_what_its_file_imports() -> None:
    two = "Example two : twice 1 = 2.\nProof. reflexivity. Qed.\n"
    rooms = {"rocq/lib": "DPPCA.lib", "paper": "DPPCA.paper"}
    one = {"rocq/lib/one.v": DOUBLE}
    proofs.check_definitions({**one, "paper/two.v": "From DPPCA.lib Require Import one.\n" + two}, rooms)
    with pytest.raises(ProofError, match=r"uses rocq/lib/one.v:once, rocq/lib/one.v:twice; add"):
        proofs.check_definitions({**one, "paper/two.v": two}, rooms)


def test_programs_and_files_of_examples_need_no_more() -> None:
    proofs.check_definitions({proofs.EXTRACTED[0]: DOUBLE}, {})
    proofs.check_definitions({"paper/examples.v": DOUBLE + SAYS}, {})


def test_a_string_does_not_open_a_comment() -> None:
    assert (
        proofs.without_comments('Notation "x (* y" := x. (* "*)" *) z') == "Notation " + 8 * " " + " := x. " + 10 * " " + " z"
    )


TRIVIAL = "paper/one.v:trivial"


@pytest.mark.parametrize(
    ("proof", "extra", "message"),
    [
        ("paper/two.v:trivial", "", "there is no file paper/two.v"),
        ("paper/one.v", "", "paper/theorems.toml: proof must be 'file.v:theorem', got 'paper/one.v'"),
        (TRIVIAL, "strength = 3\n", f"{TRIVIAL}: .*strength"),
        (TRIVIAL, f'[[theorem]]\nclaim = "a.claim"\nproof = "{TRIVIAL}"\n', "stand together twice"),
        (TRIVIAL, f'[[theorem]]\nclaim = "no.claim"\nproof = "{TRIVIAL}"\n', "'no.claim' is not a claim of paper/claims.toml"),
    ],
)
def test_a_fault_in_the_binding_is_found(tmp_path: Path, proof: str, extra: str, message: str) -> None:
    plant(tmp_path, proof=proof, extra=extra)
    with pytest.raises(ProofError, match=message):
        proofs.check_sources(tmp_path)


def test_a_file_in_a_folder_without_a_logical_name_is_found(tmp_path: Path) -> None:
    plant(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "two.v").write_text("Axiom no : False.\n")
    with pytest.raises(ProofError, match=r"_CoqProject: add the folder of other/two.v, or move the file"):
        proofs.check_sources(tmp_path)


# Rocq missing, another one, or one that is half built.


def program(folder: Path, name: str, script: str) -> None:
    """Put a shell script into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


COQC_8_20 = 'case "$1" in --print-version) echo 8.20.1 5.3.0;; -where) dirname "$0";; esac'
#: As chroot ROOT /usr/bin/env, four options, PROGRAM ARGUMENTS, without the root: a program in ROOT/usr/bin comes first.
CHROOT = 'root=$1; shift 6; name=$1; shift; [ -x "$root/usr/bin/$name" ] || exec "$name" "$@"; exec "$root/usr/bin/$name" "$@"'


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on whose PATH are a few tools and no Rocq; the folder for more programs."""
    for name in ("dirname", "mkdir", "rm", "test", "echo", "cp", "sh"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("ROCQ_ROOT", str(tmp_path / "root"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return tmp_path / "bin"


def quiet(_: str) -> None:
    """Say nothing."""


def test_without_rocq_root_and_container_one_line_says_what_to_do(bare: Path) -> None:
    with pytest.raises(RocqError) as said:
        installation.made(quiet)
    assert str(said.value).startswith("there is no coqc here; ")
    assert "neither podman nor docker works, and only root can fill a root folder. Rocq 8.20.x is needed: " in str(said.value)
    assert "\n" not in str(said.value)


def test_another_version_is_refused(bare: Path) -> None:
    program(bare, "coqc", "echo 8.16.1 4.14.1")
    with pytest.raises(RocqError, match=r"^coqc installed here is 8\.16\.1, and the proofs are for 8\.20\.x; "):
        installation.made(quiet)


def test_a_library_that_is_missing_is_named(bare: Path) -> None:
    program(bare, "coqc", COQC_8_20)
    with pytest.raises(RocqError, match=r"^coqc installed here lacks MathComp Analysis 1\.9 \(.*gauss_integral\.vo\); "):
        installation.made(quiet)


def libraries(folder: Path) -> None:
    """Make the files by which libraries are recognised."""
    for file in installation.LIBRARIES:
        (folder / "user-contrib" / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / "user-contrib" / file).touch()


def test_a_rocq_that_is_installed_is_used(bare: Path) -> None:
    program(bare, "coqc", COQC_8_20)
    libraries(bare)
    assert installation.made(quiet).where == "installed here"


def test_a_half_built_folder_is_never_used_and_is_built_again(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first mmdebstrap ends half-way, after coqc; the second is whole, and the third attempt uses what is there."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    root = bare.parent / "root"
    program(bare, "chroot", CHROOT)
    begins = 'for folder; do :; done; [ -e "$folder" ] && exit 3; mkdir -p "$folder/usr/bin"'
    begins += '; cp "$0.coqc" "$folder/usr/bin/coqc"'
    program(bare, "mmdebstrap.coqc", COQC_8_20)
    program(bare, "mmdebstrap", f"{begins}; echo the network is gone >&2; exit 1")
    with pytest.raises(RocqError, match=r"mmdebstrap cannot fill .*root\.partial: the network is gone"):
        installation.made(quiet)
    assert not root.exists()
    program(bare.parent / "whole", "coqc", "")
    libraries(bare.parent / "whole")
    program(bare, "mmdebstrap", f'{begins}; cp -r "{bare.parent}/whole/user-contrib" "$folder/usr/bin"')
    assert installation.made(quiet).where == f"in {root}"
    assert not root.with_name("root.partial").exists()
    program(bare, "mmdebstrap", "exit 1")
    assert installation.made(quiet).where == f"in {root}"


def test_a_folder_that_holds_something_else_is_left_alone(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    mine = bare.parent / "root" / "thesis.tex"
    mine.parent.mkdir()
    mine.write_text("years")
    with pytest.raises(RocqError, match="holds something else: name another folder by ROCQ_ROOT"):
        installation.made(quiet)
    assert mine.read_text() == "years"


# What only Rocq finds.


def test_a_sound_folder_builds_and_is_tabulated(tmp_path: Path, rocq: Rocq) -> None:
    plant(tmp_path)
    page, stated = everything(tmp_path, rocq)
    assert "1 theorems under 1 claims" in page
    assert "| [paper/one.v](../paper/one.v) | 1 | none | `" in page
    assert stated == '{\n "paper/one.v:trivial": {"statement": "forall n : nat, n = n", "axioms": []}\n}\n'


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (PROVED.replace("eq_refl n", "eq_refl 0"), r"^paper/one.v:5: Error: .*; correct the proof and run make proofs again$"),
        (
            "From Coq Require Import ClassicalEpsilon.\nTheorem trivial : inhabited nat -> nat.\n"
            "Proof. intro i. exact (epsilon i (fun _ => True)). Qed.\n",
            r"paper/one.v:trivial assumes ClassicalEpsilon.constructive_indefinite_description, which is not allowed",
        ),
        (
            "From Coq Require Import Reals.\nModule Type T. Definition t := nat. End T.\n"
            "Declare Module M : T.\nTheorem trivial : M.t = nat.\nProof. reflexivity. Qed.\n",
            r"paper/one.v:3: Declare Module is not allowed",
        ),
    ],
)
def test_a_fault_in_a_proof_is_found(tmp_path: Path, source: str, message: str, rocq: Rocq) -> None:
    plant(tmp_path, source)
    with pytest.raises(ProofError, match=message):
        everything(tmp_path, rocq)


def test_objects_of_another_version_are_rebuilt(tmp_path: Path, rocq: Rocq) -> None:
    plant(tmp_path)
    first = everything(tmp_path, rocq)
    (rocq.folder / "paper" / "one.vo").write_bytes(b"an object of another version")
    (rocq.folder / ".rocq-version").write_text("8.15.0 4.12.0")
    assert everything(tmp_path, rocq) == first
