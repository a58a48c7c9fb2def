"""The machine-checked proofs: builds them, checks them independently, and writes THEOREMS.md and statements.json of rocq/.

`make proofs` runs this file as a program. It needs Python's standard library and Rocq, which rocq/installation.py finds or
builds. What is checked: the sources hold no Admitted, no Axiom and no flag that weakens the kernel; every definition is used
by an example or an extracted program; every file builds; coqchk accepts the compiled files; each theorem of a theorems.toml
exists, and what it assumes is on the list of AXIOMS.

THEOREMS.md has the digest of every file as it was proved. A test compares them, so that on a machine without Rocq a proof or a
statement that has changed since is noticed.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dppca.proofs_notes.rocq.installation import Rocq, RocqError, made

NOTES = Path(__file__).resolve().parents[1]
LOGICAL_NAME = "DPPCA"
LONGEST_FILE = 500
#: What one coqc may take of the memory, in bytes: so many run at once as there is room for.
MEMORY = 1.5e9

#: What a theorem may assume: classical logic as mathcomp-analysis states it, that of Rocq's own real numbers, and the
#: machine integers and floats (with their specification) that the interval tactic computes with.
AXIOMS = frozenset(
    {
        "boolp.propositional_extensionality",
        "boolp.functional_extensionality_dep",
        "boolp.constructive_indefinite_description",
        "Classical_Prop.classic",
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Epsilon.epsilon_statement",
    }
)
MACHINE_NUMBERS = ("PrimInt63", "Uint63", "PrimFloat", "FloatAxioms", "PArray", "Sint63")

#: Words of a source file that would add an assumption or weaken the kernel, wherever they stand.
FORBIDDEN = (
    "Admitted",
    "admit",
    "give_up",
    "Axiom",
    "Axioms",
    "Parameter",
    "Parameters",
    "Conjecture",
    "Conjectures",
    "Declare Module",
    "bypass_check",
    "Unset Guard Checking",
    "Unset Positivity Checking",
    "Unset Universe Checking",
    "Extract Constant",
    "Extract Inlined Constant",
)
#: What coqchk has to report as <none>.
KERNEL_REPORT = (
    "Constants/Inductives relying on type-in-type",
    "Constants/Inductives relying on unsafe (co)fixpoints",
    "Inductives whose positivity is assumed",
)
#: Files of programs that tests/rocq extracts to OCaml and runs: their definitions need no example.
EXTRACTED = ("singhal2021/subspace_programs.v", "liu2022/counting_programs.v")
DEFINITIONS = ("Definition", "Fixpoint", "CoFixpoint", "Inductive", "CoInductive", "Variant", "Record")
#: What a definition may be reached through: other definitions, and the statements of theorems.
DECLARATIONS = (*DEFINITIONS, "Let", "Notation", "Example", "Theorem", "Lemma", "Corollary", "Proposition", "Fact", "Remark")
#: Words that stand for an assumption outside of a section.
SECTION_ONLY = ("Variable", "Variables", "Hypothesis", "Hypotheses", "Context")


class ProofError(Exception):
    """The error that says in one line what is wrong with the proofs and what to do."""


@dataclass(frozen=True)
class Theorem:
    """One entry of theorems.toml: a claim and a theorem that proves it."""

    claim: str
    proof: str
    weaker: str = ""

    @property
    def file(self) -> str:
        """Return the source file, relative to proofs_notes."""
        return self.proof.partition(":")[0]

    @property
    def name(self) -> str:
        """Return the theorem's name in that file."""
        return self.proof.partition(":")[2]


@dataclass(frozen=True)
class Compiled:
    """Rocq's answer about a theorem: its statement, and the axioms that the theorems of its file use."""

    statement: str
    axioms: tuple[str, ...] = field(default=())


def theorem_files(notes: Path = NOTES) -> list[Path]:
    """Return the files theorems.toml: one in each room with theorems about its claims, one in rocq/ for the shared theory."""
    return sorted(notes.glob("*/theorems.toml"))


@functools.cache
def toml(text: str) -> dict[str, Any]:
    """Return what a text says, which is parsed once."""
    return tomllib.loads(text)


def load(notes: Path = NOTES) -> list[Theorem]:
    """Return the theorems of all theorems.toml; raise ProofError for a malformed entry, or one that names no claim there."""
    theorems: list[Theorem] = []
    for file in theorem_files(notes):
        place, claims = f"{file.parent.name}/theorems.toml", file.with_name("claims.toml")
        ids = {claim["id"] for claim in toml(claims.read_text("utf-8"))["claim"]} if claims.exists() else set()
        for entry in toml(file.read_text("utf-8")).get("theorem", ()):
            try:
                theorem = Theorem(**entry)
            except TypeError as error:
                raise ProofError(f"{place}: {entry.get('proof', entry)}: {error}") from error
            if not re.fullmatch(r"[\w/]+\.v:[\w']+", theorem.proof):
                raise ProofError(f"{place}: proof must be 'file.v:theorem', got {theorem.proof!r}")
            if theorem.claim not in ids and not theorem.claim.startswith("foundations."):
                raise ProofError(
                    f"{place}: {theorem.proof}: {theorem.claim!r} is not a claim of {claims.parent.name}/claims.toml"
                )
            if theorem in theorems:
                raise ProofError(f"{place}: {theorem.claim} and {theorem.proof} stand together twice")
            theorems.append(theorem)
    return theorems


def folders(notes: Path = NOTES) -> dict[str, str]:
    """Return the folders of _CoqProject and the logical names of their files, as DPPCA.lib."""
    return dict(re.findall(r"^-Q (\S+) (\S+)$", (notes / "_CoqProject").read_text("utf-8"), re.MULTILINE))


def source_files(notes: Path = NOTES) -> list[str]:
    """Return all .v files, relative to proofs_notes; raise ProofError for one in a folder that _CoqProject does not name."""
    files = sorted(path.relative_to(notes).as_posix() for path in notes.rglob("*.v"))
    named = folders(notes)
    for file in files:
        if file.rpartition("/")[0] not in named:
            raise ProofError(f"_CoqProject: add the folder of {file}, or move the file")
    return files


def without_comments(text: str) -> str:
    """Return the source with comments and strings blanked out, line by line as before."""
    kept, depth, index, in_string = [], 0, 0, False
    while index < len(text):
        pair = text[index : index + 2]
        if in_string or (text[index] == '"'):
            if text[index] == '"':
                in_string = not in_string
            kept.append("\n" if text[index] == "\n" else " ")
            index += 1
        elif pair == "(*":
            depth, index = depth + 1, index + 2
            kept.append("  ")
        elif pair == "*)" and depth:
            depth, index = depth - 1, index + 2
            kept.append("  ")
        else:
            kept.append(text[index] if depth == 0 or text[index] == "\n" else " ")
            index += 1
    return "".join(kept)


def check_source(name: str, text: str) -> None:
    """Raise ProofError for a forbidden word, an assumption outside of a section, or a file that is too long."""
    lines = without_comments(text).split("\n")
    if len(lines) - 1 > LONGEST_FILE:
        raise ProofError(f"{name}: {len(lines) - 1} lines; split it, {LONGEST_FILE} is the most")
    for number, line in enumerate(lines, 1):
        for word in FORBIDDEN:
            if re.search(rf"(?<![\w'.]){word}(?![\w'])", line):
                raise ProofError(
                    f"{name}:{number}: {word} is not allowed; prove it, or state it as a hypothesis of the theorem"
                )
    opened = 0
    for number, line in enumerate(lines, 1):
        first = re.match(r"\s*(?:#\[[^\]]*\]\s*)?(?:(?:Local|Global|Polymorphic)\s+)?(\w+)", line)
        word = first[1] if first else ""
        opened += (word == "Section") - (word == "End")
        if word in SECTION_ONLY and opened <= 0:
            raise ProofError(f"{name}:{number}: {word} outside of a section is an axiom; move it into one")


def declared(text: str, name: str, kinds: str = "Theorem|Lemma|Corollary|Proposition|Fact|Example") -> int:
    """Return the line on which a source file declares a theorem (or another kind of name), 0 if it does not."""
    pattern = re.compile(rf"\s*(?:{kinds})\s+{re.escape(name)}(?![\w'])")
    return next((number for number, line in enumerate(without_comments(text).split("\n"), 1) if pattern.match(line)), 0)


@dataclass
class RocqDeclaration:
    """A declaration of a source file: its kind, and the words of its statement (of an example also those of its proof)."""

    kind: str
    words: set[str] = field(default_factory=set)


def sentences(text: str) -> list[str]:
    """Return the sentences of a source file without its comments, each on one line."""
    return [" ".join(part.split()) for part in re.split(r"(?<=\.)(?=\s)", without_comments(text)) if part.strip()]


def declarations(lines: Iterable[str]) -> dict[str, RocqDeclaration]:
    """Return what the sentences of a source file declare, by name."""
    pattern = re.compile(rf"[-+*{{}} ]*(?:#\[[^\]]*\] )?(?:(?:Local|Global) )?({'|'.join(DECLARATIONS)}) ([A-Za-z_][\w']*)(.*)")
    found: dict[str, RocqDeclaration] = {}
    example: RocqDeclaration | None = None
    for sentence in lines:
        if match := pattern.match(sentence):
            declaration = found.setdefault(match[2], RocqDeclaration(match[1]))
            declaration.words.update(re.findall(r"[A-Za-z_][\w']*", match[3]))
            example = declaration if match[1] == "Example" else None
        elif sentence in ("Qed.", "Defined."):
            example = None
        elif example is not None:
            example.words.update(re.findall(r"[A-Za-z_][\w']*", sentence))
    return found


def imported(lines: Iterable[str], named: Mapping[str, str]) -> set[str]:
    """Return the files of ours that the sentences of a source file require; `named` as `folders` returns it."""
    folder_of = {name: folder for folder, name in named.items()}
    files = set()
    for sentence in lines:
        match = re.match(r"From (\S+) Require (?:Import |Export )?(.*)\.", sentence)
        if match and match[1] in folder_of:
            files |= {f"{folder_of[match[1]]}/{name}.v" for name in match[2].split()}
    return files


def check_definitions(texts: Mapping[str, str], named: Mapping[str, str]) -> None:
    """Raise ProofError that names the definitions that no example and no extracted program uses.

    An example uses what its statement names, and what is named by the statements of the theorems that it applies, by the
    definitions there, and so on. A theorem of a file whose name has the word "examples" counts as one.
    """
    split = {file: sentences(text) for file, text in texts.items()}
    declared_in = {file: declarations(lines) for file, lines in split.items()}
    visible = {file: [file, *sorted(imported(lines, named) & texts.keys())] for file, lines in split.items()}
    used = {
        (file, name)
        for file, names in declared_in.items()
        for name, declaration in names.items()
        if declaration.kind == "Example"
        or file in EXTRACTED
        or (declaration.kind == "Theorem" and "examples" in Path(file).name)
    }
    pending = sorted(used)
    while pending:
        file, name = pending.pop()
        for word in declared_in[file][name].words:
            owner = next((other for other in visible[file] if word in declared_in[other]), "")
            if owner and (owner, word) not in used:
                used.add((owner, word))
                pending.append((owner, word))
    unused = [
        f"{file}:{name}"
        for file, names in declared_in.items()
        for name, declaration in names.items()
        if declaration.kind in DEFINITIONS and (file, name) not in used
    ]
    if unused:
        raise ProofError(f"no Example and no extracted program uses {', '.join(unused)}; add an Example that computes with it")


def check_sources(notes: Path = NOTES) -> dict[Theorem, int]:
    """Check everything that needs no Rocq; return the line of each theorem's declaration."""
    theorems = load(notes)
    texts = {name: (notes / name).read_text("utf-8") for name in source_files(notes)}
    for name, text in texts.items():
        check_source(name, text)
    lines = {}
    for theorem in theorems:
        if theorem.file not in texts:
            raise ProofError(f"theorems.toml: {theorem.claim}: there is no file {theorem.file}")
        lines[theorem] = declared(texts[theorem.file], theorem.name)
        if not lines[theorem]:
            raise ProofError(f"theorems.toml: {theorem.claim}: {theorem.file} has no theorem {theorem.name}")
    check_definitions(texts, folders(notes))
    return lines


def digests(notes: Path = NOTES) -> dict[str, str]:
    """Return the SHA-256 digest of every source file, and of _CoqProject, which says how they are compiled."""
    files = [*source_files(notes), "_CoqProject"]
    return {file: hashlib.sha256((notes / file).read_bytes()).hexdigest() for file in files}


def unproved(notes: Path = NOTES) -> list[str]:
    """Return the source files that are not those that `make proofs` has seen: their digests are not those of THEOREMS.md."""
    page = (notes / "rocq" / "THEOREMS.md").read_text("utf-8")
    proved = dict(re.findall(r"^\| \[(\S+)\]\(\S+\) \|.*\| `([0-9a-f]{64})` \|$", page, re.MULTILINE))
    present = digests(notes)
    return sorted(file for file in proved.keys() | present.keys() if proved.get(file) != present.get(file))


def copy(files: Sequence[str], folder: Path, version: str, notes: Path = NOTES) -> None:
    """Make a folder hold these sources and no others; a file that has not changed keeps its date, and with it its object.

    Objects that another version of Rocq left are removed first.
    """
    stamp = folder / ".rocq-version"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != version:
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        stamp.write_text(version, encoding="utf-8")
    for path in folder.rglob("*.v"):
        if path.relative_to(folder).as_posix() not in files:
            path.unlink()
            path.with_suffix(".vo").unlink(missing_ok=True)
    for file in files:
        content, copied = (notes / file).read_bytes(), folder / file
        if not copied.exists() or copied.read_bytes() != content:
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(content)


def jobs() -> int:
    """Return how many files are compiled at once: one a processor, as far as the memory reaches."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(len(os.sched_getaffinity(0)), int(memory / MEMORY)))


def build(rocq: Rocq, notes: Path = NOTES) -> None:
    """Compile every file that has changed, and those that rest on it."""
    files = source_files(notes)
    copy([*files, "_CoqProject"], rocq.folder, rocq.versions(), notes)
    result = rocq.run("coq_makefile", "-f", "_CoqProject", "-o", "Makefile.coq", *files)
    if not result.returncode:
        result = rocq.run("make", "--silent", "--file=Makefile.coq", f"--jobs={jobs()}")
    if result.returncode:
        raise ProofError(f"{first_error(result.stdout + result.stderr)}; correct the proof and run make proofs again")


def first_error(output: str) -> str:
    """Return Rocq's first error as file:line and message, on one line."""
    place = re.search(r'File "\./?([^"]+)", line (\d+).*?\n(Error:.*?)(?:\n\s*\n|\nmake|\Z)', output, re.DOTALL)
    if place:
        return f"{place[1]}:{place[2]}: {' '.join(place[3].split())[:300]}"
    return "the build failed: " + " ".join(output.split())[-300:]


def module(file: str, notes: Path = NOTES) -> str:
    """Return the logical name of a file, as DPPCA.lib.discrete."""
    folder, _, name = file.rpartition("/")
    return f"{folders(notes)[folder]}.{name.removesuffix('.v')}"


def load_path(notes: Path = NOTES) -> list[str]:
    """Return the options by which Rocq's programs find the compiled files."""
    return [part for folder, name in folders(notes).items() for part in ("-Q", folder, name)]


def check_objects(rocq: Rocq, notes: Path = NOTES) -> None:
    """Run the independent checker on the compiled files, and read its list of axioms."""
    chosen = [part for file in source_files(notes) for part in ("-norec", module(file, notes))]
    result = rocq.run("coqchk", "-silent", "-o", *load_path(notes), *chosen)
    output = result.stdout + result.stderr
    if result.returncode:
        reason = " ".join(output.split())[-200:]
        raise ProofError(f"coqchk refuses the compiled files ({reason}); remove {rocq.folder}")
    sections = re.split(r"^\* ", output, flags=re.MULTILINE)
    for title in KERNEL_REPORT:
        section = " ".join(next((text for text in sections if text.startswith(title)), f"{title}: not reported").split())
        if "<none>" not in section:
            raise ProofError(f"coqchk: {section[:200]}; remove what weakens the kernel")
    axioms = next((text for text in sections if text.startswith("Axioms")), "")
    own = [line.strip() for line in axioms.split("\n") if line.strip().startswith(LOGICAL_NAME + ".")]
    if own:
        raise ProofError(f"coqchk: {own[0]} is an axiom; prove it, or state it as a hypothesis of the theorem")


def preamble(text: str) -> str:
    """Return the imports and scopes at the top of a file, so that statements are printed as they are written."""
    kept = []
    for part in re.split(r"(?<=\.)\s+", without_comments(text)):
        sentence = " ".join(part.split())
        if re.match(r"(From|Require|Import|Export|Local Open Scope|Open Scope|Set |Unset )", sentence):
            kept.append(sentence)
        elif sentence:
            break
    return "\n".join(kept)


def questions(groups: Sequence[Mapping[str, Sequence[str]]], notes: Path = NOTES) -> str:
    """Return the script that asks Rocq for the axioms of groups of theorems, each given by file, and for their statements.

    Axioms come before anything is imported, so that an axiom's name tells its module. Those of a group are asked for once, of a
    lemma that uses all its theorems: each question goes through the whole library, which takes seconds. Then each file's
    statements are asked for in a module of their own, which imports what the file imports and forgets it at its end.
    """
    files = [(file, theorems) for group in groups for file, theorems in group.items()]
    lines = [f"Require {module(file, notes)}." for file, _ in files] + ["Set Printing Width 110.", "Set Printing Depth 200."]
    for number, group in enumerate(groups):
        used = " ".join(f"pose proof (@{module(file, notes)}.{name})." for file, names in group.items() for name in names)
        lines += [f"Lemma all_of_{number} : True. Proof. {used} exact I. Qed."]
        lines += [f'Goal True. idtac "@@ {number} assumptions". Abort.', f"Print Assumptions all_of_{number}."]
    for number, (file, theorems) in enumerate(files):
        lines += [f"Module Asked{number}.", preamble((notes / file).read_text("utf-8")), f"Import {module(file, notes)}."]
        for name in theorems:
            lines += [f'Goal True. idtac "@@ {file}:{name} statement". Abort.', f"Check @{module(file, notes)}.{name}."]
        lines += [f"End Asked{number}."]
    return "\n".join(lines) + "\n"


def query(rocq: Rocq, groups: Sequence[Mapping[str, Sequence[str]]], notes: Path = NOTES) -> dict[str, Compiled]:
    """Ask Rocq for the statements of compiled theorems and for the axioms of each group; return them by file.v:theorem."""
    script = questions(groups, notes)
    scratch = rocq.folder / f"questions_{hashlib.sha256(script.encode()).hexdigest()[:8]}"
    scratch.mkdir(exist_ok=True)
    (scratch / "questions.v").write_text(script, encoding="utf-8")
    result = rocq.run("coqc", "-w", "none", *load_path(notes), f"{scratch.name}/questions.v")
    shutil.rmtree(scratch)
    parts = re.split(r"^@@ (.*)\n", result.stdout, flags=re.MULTILINE)[1:]
    answers = dict(zip(parts[::2], parts[1::2], strict=True))
    found = {}
    for number, group in enumerate(groups):
        assumptions = answers.get(f"{number} assumptions", "")
        axioms = re.findall(r"^([\w.']+)(?=\s*(?::|$))", assumptions.partition("Axioms:\n")[2], re.MULTILINE)
        for proof in (f"{file}:{name}" for file, theorems in group.items() for name in theorems):
            name = re.escape(proof.partition(":")[2])
            statement = re.match(rf"@?[\w.]*{name}\s*: (.*)", answers.get(f"{proof} statement", ""), re.DOTALL)
            if statement is None or not assumptions.startswith(("Axioms:", "Closed under the global context")):
                raise ProofError(f"{proof}: Rocq does not know this theorem ({' '.join(result.stderr.split())[:200]})")
            found[proof] = Compiled(_dedent(statement[1]), tuple(sorted(axioms)))
    return found


def in_groups(names: Mapping[str, Sequence[str]], before: Mapping[str, Compiled]) -> dict[object, dict[str, Sequence[str]]]:
    """Return theorems by file, in groups by the axioms that all those of a file had before; others are alone in a group."""
    groups: dict[object, dict[str, Sequence[str]]] = {}
    for file, theorems in names.items():
        known = {before[proof].axioms if proof in before else None for proof in (f"{file}:{name}" for name in theorems)}
        (axioms,) = known if len(known) == 1 else (None,)
        groups.setdefault(file if axioms is None else axioms, {})[file] = theorems
    return groups


def _dedent(statement: str) -> str:
    """Return a printed type with its own indentation removed."""
    first, *rest = statement.rstrip().split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first.strip(), *(line[max(indent - 2, 0) :] for line in rest)])


def allowed(axiom: str) -> bool:
    """Return whether a theorem may use the axiom."""
    return axiom in AXIOMS or axiom.startswith(tuple(f"{name}." for name in MACHINE_NUMBERS))


def check_theorem(theorem: Theorem, compiled: Compiled) -> None:
    """Raise ProofError if a theorem assumes what it must not."""
    for axiom in compiled.axioms:
        if not allowed(axiom):
            raise ProofError(f"{theorem.proof} assumes {axiom}, which is not allowed; prove it, or state it as a hypothesis")


def statements(notes: Path = NOTES) -> dict[str, Compiled]:
    """Return what Rocq said about each theorem when statements.json was written, by file.v:theorem; nothing before that."""
    path = notes / "rocq" / "statements.json"
    entries = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {proof: Compiled(entry["statement"], tuple(entry["axioms"])) for proof, entry in entries.items()}


def _answers(rocq: Rocq, groups: Sequence[Mapping[str, Sequence[str]]], notes: Path) -> dict[str, Compiled]:
    """Return the answers about groups of theorems, asked in two processes."""
    halves = [half for half in (groups[::2], groups[1::2]) if half]
    with ThreadPoolExecutor(max_workers=min(2, jobs())) as pool:
        answers = pool.map(lambda half: query(rocq, half, notes), halves)
        return {proof: compiled for answer in answers for proof, compiled in answer.items()}


def verify(rocq: Rocq, notes: Path = NOTES) -> dict[Theorem, Compiled]:
    """Ask Rocq about every theorem of the compiled files, and check what it assumes.

    Files whose theorems had the same axioms before are asked about together. Where the answer for all of them is another one,
    each is asked about alone; otherwise each has these axioms at most.
    """
    theorems = load(notes)
    by_file: dict[str, list[str]] = {}
    for theorem in sorted(theorems, key=lambda theorem: theorem.proof):
        names = by_file.setdefault(theorem.file, [])
        if theorem.name not in names:
            names.append(theorem.name)
    groups = in_groups(by_file, statements(notes))
    answered = _answers(rocq, list(groups.values()), notes)
    changed = [
        {file: theorems}
        for axioms, group in groups.items()
        for file, theorems in group.items()
        if len(group) > 1 and answered[f"{file}:{theorems[0]}"].axioms != axioms
    ]
    answered |= _answers(rocq, changed, notes)
    found = {theorem: answered[theorem.proof] for theorem in theorems}
    for theorem, compiled in found.items():
        check_theorem(theorem, compiled)
    return found


def summary(axioms: Sequence[str]) -> str:
    """Return the axioms in a few words, the machine numbers taken together."""
    named = [axiom for axiom in axioms if axiom in AXIOMS]
    machine = [axiom for axiom in axioms if axiom not in AXIOMS]
    return ", ".join(named + ([f"machine numbers ({len(machine)})"] if machine else [])) or "none"


def table(lines: Mapping[Theorem, int], compiled: Mapping[Theorem, Compiled], files: Mapping[str, str]) -> str:
    """Return THEOREMS.md: claims with their theorems, and files with the axioms that they use and their digests."""
    order = sorted(lines, key=lambda theorem: (theorem.claim, theorem.file, lines[theorem]))
    page = [
        "# Machine-checked theorems",
        "",
        "Generated by `make proofs`. *Weaker* says in what a theorem falls short of its claim. The statements as Rocq prints",
        "them are in [statements.json](statements.json), on the site's page of each claim, and in `dppca claim --proof ID`.",
        "",
        f"{len({t.proof for t in order})} theorems under {len({t.claim for t in order})} claims.",
        "",
        "| claim | theorem | weaker |",
        "| --- | --- | --- |",
    ]
    for theorem in order:
        link = f"[{theorem.name}](../{theorem.file}#L{lines[theorem]})"
        page.append(f"| {theorem.claim} | {link} | {theorem.weaker or '-'} |")
    page += ["", "The files as they were last proved. *Axioms* are those of Rocq's libraries that the theorems above use.", ""]
    page += ["| file | theorems above | axioms | SHA-256 |", "| --- | --- | --- | --- |"]
    for file, digest in files.items():
        of_file = {theorem.proof: found for theorem, found in compiled.items() if theorem.file == file}
        axioms = sorted({axiom for found in of_file.values() for axiom in found.axioms})
        page.append(f"| [{file}](../{file}) | {len(of_file)} | {summary(axioms) if of_file else '-'} | `{digest}` |")
    return "\n".join(page) + "\n"


def stated(compiled: Mapping[Theorem, Compiled]) -> str:
    """Return statements.json: each theorem on a line of its own, with its statement and its axioms as Rocq prints them."""
    found = {theorem.proof: answer for theorem, answer in compiled.items()}
    rows = []
    for proof, answer in sorted(found.items()):
        entry = {"statement": answer.statement, "axioms": list(answer.axioms)}
        rows.append(f" {json.dumps(proof)}: {json.dumps(entry, ensure_ascii=False)}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def main() -> int:
    """Build, check and report; return the exit status."""
    try:
        lines = check_sources()
        rocq = made()
        sys.stderr.write(f"proofs: {rocq.versions()}, {rocq.where}\n")
        build(rocq)
        check_objects(rocq)
        compiled = verify(rocq)
    except (ProofError, RocqError) as error:
        sys.stderr.write(f"proofs: {error}\n")
        return 1
    (NOTES / "rocq" / "THEOREMS.md").write_text(table(lines, compiled, digests()), "utf-8")
    (NOTES / "rocq" / "statements.json").write_text(stated(compiled), "utf-8")
    theorems, claims = len({theorem.proof for theorem in lines}), len({theorem.claim for theorem in lines})
    sys.stdout.write(f"proofs: {theorems} theorems under {claims} claims hold ({rocq.versions()})\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
