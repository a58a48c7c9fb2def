"""The machine-checked proofs: what can be said of the sources without Rocq, what Rocq says where it is installed."""

from __future__ import annotations

import re
import shutil
import stat
from pathlib import Path

import pytest

from dppca.proofs import formal
from dppca.proofs.formal import ProofError
from tests.formal_models import statements

HAS_ROCQ = shutil.which("coqc") is not None
needs_rocq = pytest.mark.skipif(not HAS_ROCQ, reason="Rocq is not installed")

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


def plant(folder: Path, source: str = PROVED, proof: str = "one.v:trivial", extra: str = "") -> None:
    """Make a folder like rocq/ with one file and one theorem."""
    (folder / "one.v").write_text(source)
    (folder / "_CoqProject").write_text("-R . DPPCA\n\none.v\n")
    (folder / "claims.toml").write_text(CLAIMS)
    (folder / "theorems.toml").write_text(f'[[theorem]]\nclaim = "a.claim"\nproof = "{proof}"\n{extra}')
    shutil.copy(formal.ROCQ / "Makefile", folder)


def everything(folder: Path) -> str:
    """Run all steps on a planted folder and return the table."""
    lines = formal.check_sources(folder, folder / "claims.toml")
    formal.build(formal.rocq_version(), folder, jobs=1)
    formal.check_objects(formal.project_files(folder), folder)
    return formal.table(lines, formal.verify(folder, folder / "claims.toml"))


# The proofs themselves.


def test_the_sources_declare_every_theorem_and_assume_nothing() -> None:
    lines = formal.check_sources()
    assert all(line > 0 for line in lines.values())


def test_the_table_is_that_of_the_sources() -> None:
    """Every theorem stands in THEOREMS.md with its file and line."""
    page = (formal.ROCQ / "THEOREMS.md").read_text()
    for theorem, line in formal.check_sources().items():
        assert f"| {theorem.claim} | [{theorem.name}]({theorem.file}#L{line}) |" in page, "run `make proofs`"
        assert f"[{theorem.file}:{line}]({theorem.file}#L{line})\n\n```coq\n" in page, "run `make proofs`"
    shown = sum(line.startswith("| ") for line in page.partition("| hypothesis |")[0].split("\n")) - 2
    assert shown == len(formal.load()), "run `make proofs`"
    for hypothesis in formal.named_hypotheses():
        assert f"| [{hypothesis.name}]({hypothesis.file}) | {hypothesis.says} |" in page, "run `make proofs`"


def test_the_table_lists_allowed_axioms_only() -> None:
    """Every theorem in the table says what it assumes, and that is on the list of formal.py."""
    listed = statements.theorems()
    assert listed
    assert len(re.findall(r"^Axioms:", (formal.ROCQ / "THEOREMS.md").read_text(), re.MULTILINE)) == len(listed)
    used = {axiom for theorem in listed for axiom in statements.axioms(theorem)}
    named = {axiom for axiom in used if not re.fullmatch(r"machine numbers \(\d+\)", axiom)}
    assert [axiom for axiom in sorted(named) if not formal.allowed(axiom)] == []


@needs_rocq
@pytest.mark.parametrize("file", ["lib/discrete.v", "primitives_truncated_laplace.v"])
def test_the_table_has_the_statements_that_were_compiled(file: str) -> None:
    """For two files; `make proofs` asks Rocq about all of them, in minutes."""
    source = formal.ROCQ / file
    compiled = source.with_suffix(".vo")
    if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
        pytest.skip("the proofs are not built; `make proofs` builds and checks them")
    names = [theorem.name for theorem in formal.load() if theorem.file == file]
    assert names
    page = (formal.ROCQ / "THEOREMS.md").read_text()
    for name, found in formal.query(file, names).items():
        section = page.partition(f"\n## {file}:{name}\n")[2].partition("\n## ")[0]
        assert f"```coq\n{found.statement}\n```\n\nAxioms: {formal.summary(found.axioms)}.\n" in section + "\n", name


# Faults that the sources show.


def test_a_sound_folder_passes(tmp_path: Path) -> None:
    plant(tmp_path)
    assert list(formal.check_sources(tmp_path, tmp_path / "claims.toml").values()) == [4]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (PROVED.replace("Qed", "Admitted"), r"one.v:5: Admitted is not allowed"),
        (PROVED.replace("exact (eq_refl n)", "admit"), r"one.v:5: admit is not allowed"),
        ("Axiom false : False.\n" + PROVED, r"one.v:1: Axiom is not allowed"),
        ("#[bypass_check(guard)]\n" + PROVED, r"one.v:1: bypass_check is not allowed"),
        ("Unset Guard Checking.\n" + PROVED, r"one.v:1: Unset Guard Checking is not allowed"),
        ("Variable m : nat.\n" + PROVED, r"one.v:1: Variable outside of a section"),
        (PROVED + "Hypothesis no : False.\n", r"one.v:7: Hypothesis outside of a section"),
        (PROVED + "\n" * 600, r"one.v: 606 lines"),
        (PROVED.replace("trivial", "other"), r"a.claim: one.v has no theorem trivial"),
        (PROVED.replace("Theorem trivial", "(* Theorem trivial *) Definition trivial"), r"one.v has no theorem trivial"),
    ],
)
def test_a_fault_in_a_source_is_found(tmp_path: Path, source: str, message: str) -> None:
    plant(tmp_path, source)
    with pytest.raises(ProofError, match=message):
        formal.check_sources(tmp_path, tmp_path / "claims.toml")


DOUBLE = "Definition once (n : nat) := n.\nDefinition twice (n : nat) := once n + once n.\n"
SAYS = "Theorem says n : twice n = n + n.\nProof. reflexivity. Qed.\n"


@pytest.mark.parametrize(
    ("example", "unused"),
    [
        ("", "one.v:once, one.v:twice"),
        ("Example one : once 1 = 1.\nProof. reflexivity. Qed.\n", "one.v:twice"),
        ("(* Example two : twice 1 = 2. *)\n", "one.v:once, one.v:twice"),
        ("Theorem two : twice 1 = 2.\nProof. reflexivity. Qed.\n", "one.v:once, one.v:twice"),
        ("Example three : 1 = 1.\nProof. reflexivity. Qed.\n" + SAYS, "one.v:once, one.v:twice"),
    ],
)
def test_a_definition_that_no_example_uses_is_found(tmp_path: Path, example: str, unused: str) -> None:
    plant(tmp_path, PROVED + DOUBLE + example)
    with pytest.raises(ProofError, match=f"^no Example and no extracted program uses {unused}; add an Example"):
        formal.check_sources(tmp_path, tmp_path / "claims.toml")


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
    formal.check_sources(tmp_path, tmp_path / "claims.toml")


def test_an_example_reaches_only_what_its_file_imports() -> None:
    two = "Example two : twice 1 = 2.\nProof. reflexivity. Qed.\n"
    formal.check_definitions({"lib/one.v": DOUBLE, "two.v": "From DPPCA.lib Require Import one.\n" + two})
    with pytest.raises(ProofError, match=r"uses lib/one.v:once, lib/one.v:twice; add"):
        formal.check_definitions({"lib/one.v": DOUBLE, "two.v": two})


def test_programs_and_files_of_examples_need_no_more() -> None:
    formal.check_definitions({"singhal2021_programs.v": DOUBLE})
    formal.check_definitions({"lib/examples.v": DOUBLE + SAYS})


def test_a_string_does_not_open_a_comment() -> None:
    assert (
        formal.without_comments('Notation "x (* y" := x. (* "*)" *) z') == "Notation " + 8 * " " + " := x. " + 10 * " " + " z"
    )


@pytest.mark.parametrize(
    ("proof", "extra", "message"),
    [
        ("two.v:trivial", "", "there is no file two.v"),
        ("one.v", "", "proof must be 'file.v:theorem', got 'one.v'"),
        ("one.v:trivial", "strength = 3\n", "one.v:trivial: .*strength"),
        ("one.v:trivial", '[[theorem]]\nclaim = "a.claim"\nproof = "one.v:trivial"\n', "stand together twice"),
        ("one.v:trivial", '[[theorem]]\nclaim = "no.claim"\nproof = "one.v:trivial"\n', "'no.claim' is not a claim"),
        ("one.v:trivial", 'hypotheses = ["no_such"]\n', "no_such is not a hypothesis of theorems.toml"),
        (
            "one.v:trivial",
            '[[hypothesis]]\nname = "no_such"\nfile = "one.v"\nsays = "x"\n',
            "one.v has no Definition no_such",
        ),
        ("one.v:trivial", '[[hypothesis]]\nname = "no_such"\nfile = "one.v"\n', "hypothesis no_such: .*says"),
    ],
)
def test_a_fault_in_the_binding_is_found(tmp_path: Path, proof: str, extra: str, message: str) -> None:
    plant(tmp_path, proof=proof, extra=extra)
    with pytest.raises(ProofError, match=message):
        formal.check_sources(tmp_path, tmp_path / "claims.toml")


def test_a_hypothesis_that_is_listed_twice_is_found(tmp_path: Path) -> None:
    entry = '[[hypothesis]]\nname = "calibrated"\nfile = "one.v"\nsays = "x"\n'
    source = PROVED + "Definition calibrated := True.\nExample calibrated_holds : calibrated.\nProof. exact I. Qed.\n"
    plant(tmp_path, source, extra=entry)
    formal.check_sources(tmp_path, tmp_path / "claims.toml")
    plant(tmp_path, source, extra=entry + entry)
    with pytest.raises(ProofError, match="the hypothesis calibrated stands there twice"):
        formal.check_sources(tmp_path, tmp_path / "claims.toml")


def test_a_file_that_is_not_built_is_found(tmp_path: Path) -> None:
    plant(tmp_path)
    (tmp_path / "two.v").write_text("Axiom no : False.\n")
    with pytest.raises(ProofError, match=r"_CoqProject: add two.v"):
        formal.check_sources(tmp_path, tmp_path / "claims.toml")
    (tmp_path / "two.v").unlink()
    (tmp_path / "one.v").unlink()
    with pytest.raises(ProofError, match=r"one.v is listed, and there is no such file"):
        formal.check_sources(tmp_path, tmp_path / "claims.toml")


def test_a_hypothesis_has_to_be_declared() -> None:
    theorem = formal.Theorem("a.claim", "one.v:trivial")
    compiled = formal.Compiled("forall n, laws.gaussian_mechanism n -> P n")
    with pytest.raises(ProofError, match=r"has the hypotheses \['gaussian_mechanism'\], and \[\] are declared"):
        formal.check_theorem(theorem, compiled, ["gaussian_mechanism"])
    declared = formal.Theorem("a.claim", "one.v:trivial", ("gaussian_mechanism",))
    formal.check_theorem(declared, compiled, ["gaussian_mechanism"])
    with pytest.raises(ProofError, match=r"has the hypotheses \[\], and \['gaussian_mechanism'\] are declared"):
        formal.check_theorem(declared, formal.Compiled("forall n, gaussian_mechanism' n"), ["gaussian_mechanism"])


# Rocq missing, or another one.


def test_without_rocq_one_line_says_how_to_install_it() -> None:
    with pytest.raises(ProofError, match=r"^Rocq 8.16 is needed and was not found: apt-get install coq [^\n]*$"):
        formal.rocq_version("no-such-program")


def test_another_version_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "coqc"
    program.write_text("#!/bin/sh\necho 8.18.0 4.14.1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(ProofError, match=r"^Rocq 8.16 is needed, [^\n]* is 8.18.0 4.14.1: apt-get install coq [^\n]*$"):
        formal.rocq_version(str(program))


# What only Rocq finds.


@needs_rocq
def test_a_sound_folder_builds_and_is_tabulated(tmp_path: Path) -> None:
    plant(tmp_path)
    page = everything(tmp_path)
    assert "1 theorems under 1 claims" in page
    assert "```coq\nforall n : nat, n = n\n```\n\nAxioms: none." in page


@needs_rocq
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (PROVED.replace("eq_refl n", "eq_refl 0"), r"^one.v:5: Error: .*; correct the proof and run make proofs again$"),
        (
            "From Coq Require Import ClassicalEpsilon.\nTheorem trivial : inhabited nat -> nat.\n"
            "Proof. intro i. exact (epsilon i (fun _ => True)). Qed.\n",
            r"one.v:trivial assumes ClassicalEpsilon.constructive_indefinite_description, which is not allowed",
        ),
        (
            "From Coq Require Import Reals.\nModule Type T. Definition t := nat. End T.\n"
            "Declare Module M : T.\nTheorem trivial : M.t = nat.\nProof. reflexivity. Qed.\n",
            r"one.v:3: Declare Module is not allowed",
        ),
    ],
)
def test_a_fault_in_a_proof_is_found(tmp_path: Path, source: str, message: str) -> None:
    plant(tmp_path, source)
    with pytest.raises(ProofError, match=message):
        everything(tmp_path)


@needs_rocq
def test_objects_of_another_version_are_rebuilt(tmp_path: Path) -> None:
    plant(tmp_path)
    everything(tmp_path)
    (tmp_path / "one.vo").write_bytes(b"an object of another version")
    (tmp_path / ".rocq-version").write_text("8.15.0 4.12.0")
    assert "Axioms: none." in everything(tmp_path)
