"""The machine-checked proofs of rocq/: builds them, checks them independently, and writes the table THEOREMS.md.

`make proofs` runs this file as a program. It needs Python's standard library and Rocq, nothing else. What is checked:
the sources hold no Admitted, no Axiom and no flag that weakens the kernel; every definition is used by an example or an
extracted program; every file builds; coqchk accepts the compiled files; each theorem of theorems.toml exists, what it
assumes is on the list of AXIOMS, and the named hypotheses in its statement are those that theorems.toml declares.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

NOTES = Path(__file__).resolve().parent
ROCQ = NOTES / "rocq"
CLAIMS = NOTES / "claims.toml"
LOGICAL_NAME = "DPPCA"
VERSION = "8.16"
LONGEST_FILE = 600
PACKAGES = "coq libcoq-mathcomp-analysis libcoq-interval libcoq-mathcomp-algebra-tactics libcoq-mathcomp-zify ocaml-nox"
INSTALL = f"apt-get install {PACKAGES}"
LIBRARIES = (
    "mathcomp/ssreflect/ssreflect.vo",
    "mathcomp/algebra_tactics/ring.vo",
    "mathcomp/zify/zify.vo",
    "mathcomp/analysis/lebesgue_integral.vo",
    "Coquelicot/Coquelicot.vo",
    "Interval/Tactic.vo",
)

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
MACHINE_NUMBERS = ("PrimInt63", "Uint63", "PrimFloat", "FloatAxioms")

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
#: Files of programs that tests/formal_models extracts to OCaml and runs: their definitions need no example.
EXTRACTED = ("singhal2021_programs.v", "counts_programs.v")
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
    hypotheses: tuple[str, ...] = ()
    weaker: str = ""

    @property
    def file(self) -> str:
        """Return the source file, relative to the folder of the proofs."""
        return self.proof.partition(":")[0]

    @property
    def name(self) -> str:
        """Return the theorem's name in that file."""
        return self.proof.partition(":")[2]


@dataclass(frozen=True)
class NamedHypothesis:
    """A definition that states what some theorems take for granted, in words and in its file."""

    name: str
    file: str
    says: str


@dataclass(frozen=True)
class Compiled:
    """Rocq's answer about a theorem: its statement and the axioms its proof uses."""

    statement: str
    axioms: tuple[str, ...] = field(default=())


def load(folder: Path = ROCQ, claims: Path = CLAIMS) -> list[Theorem]:
    """Return the theorems of theorems.toml; raise ProofError for an entry that is malformed or names no claim."""
    ids = {claim["id"] for claim in tomllib.loads(claims.read_text())["claim"]}
    theorems = []
    for entry in tomllib.loads((folder / "theorems.toml").read_text())["theorem"]:
        try:
            theorem = Theorem(**{**entry, "hypotheses": tuple(entry.get("hypotheses", ()))})
        except TypeError as error:
            raise ProofError(f"theorems.toml: {entry.get('proof', entry)}: {error}") from error
        if not re.fullmatch(r"[\w/]+\.v:[\w']+", theorem.proof):
            raise ProofError(f"theorems.toml: proof must be 'file.v:theorem', got {theorem.proof!r}")
        if theorem.claim not in ids and not theorem.claim.startswith("foundations."):
            raise ProofError(f"theorems.toml: {theorem.proof}: {theorem.claim!r} is not a claim of claims.toml")
        if theorem in theorems:
            raise ProofError(f"theorems.toml: {theorem.claim} and {theorem.proof} stand together twice")
        theorems.append(theorem)
    return theorems


def named_hypotheses(folder: Path = ROCQ) -> list[NamedHypothesis]:
    """Return the hypotheses of theorems.toml; raise ProofError for one that is malformed, repeated or not in its file."""
    hypotheses: list[NamedHypothesis] = []
    for entry in tomllib.loads((folder / "theorems.toml").read_text()).get("hypothesis", ()):
        try:
            hypothesis = NamedHypothesis(**entry)
        except TypeError as error:
            raise ProofError(f"theorems.toml: hypothesis {entry.get('name', entry)}: {error}") from error
        path = folder / hypothesis.file
        if not path.exists() or not declared(path.read_text(), hypothesis.name, "Definition"):
            raise ProofError(f"theorems.toml: {hypothesis.file} has no Definition {hypothesis.name}")
        if hypothesis.name in {other.name for other in hypotheses}:
            raise ProofError(f"theorems.toml: the hypothesis {hypothesis.name} stands there twice")
        hypotheses.append(hypothesis)
    return hypotheses


def project_files(folder: Path = ROCQ) -> list[str]:
    """Return the .v files of _CoqProject; raise ProofError if they are not the files that are there."""
    lines = (folder / "_CoqProject").read_text().split("\n")
    listed = [line.strip() for line in lines if line.strip().endswith(".v")]
    present = {str(path.relative_to(folder)) for path in folder.rglob("*.v")}
    if missing := sorted(present - set(listed)):
        raise ProofError(f"_CoqProject: add {missing[0]}, or remove the file")
    if absent := sorted(set(listed) - present):
        raise ProofError(f"_CoqProject: {absent[0]} is listed, and there is no such file")
    if len(set(listed)) < len(listed):
        raise ProofError("_CoqProject: a file is listed twice")
    return listed


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


def imported(lines: Iterable[str]) -> set[str]:
    """Return the files of ours that the sentences of a source file require."""
    files = set()
    for sentence in lines:
        if match := re.match(rf"From {LOGICAL_NAME}([\w.]*) Require (?:Import |Export )?(.*)\.", sentence):
            files |= {f"{match[1]}.{name}".strip(".").replace(".", "/") + ".v" for name in match[2].split()}
    return files


def check_definitions(texts: Mapping[str, str]) -> None:
    """Raise ProofError that names the definitions that no example and no extracted program uses.

    An example uses what its statement names, and what is named by the statements of the theorems that it applies, by the
    definitions there, and so on. A theorem of a file of examples counts as one.
    """
    split = {file: sentences(text) for file, text in texts.items()}
    declared_in = {file: declarations(lines) for file, lines in split.items()}
    visible = {file: [file, *sorted(imported(lines) & texts.keys())] for file, lines in split.items()}
    used = {
        (file, name)
        for file, names in declared_in.items()
        for name, declaration in names.items()
        if declaration.kind == "Example" or file in EXTRACTED or (declaration.kind == "Theorem" and file.endswith("examples.v"))
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


def check_sources(folder: Path = ROCQ, claims: Path = CLAIMS) -> dict[Theorem, int]:
    """Check everything that needs no Rocq; return the line of each theorem's declaration."""
    theorems = load(folder, claims)
    known = {hypothesis.name for hypothesis in named_hypotheses(folder)}
    texts = {name: (folder / name).read_text() for name in project_files(folder)}
    for name, text in texts.items():
        check_source(name, text)
    lines = {}
    for theorem in theorems:
        if theorem.file not in texts:
            raise ProofError(f"theorems.toml: {theorem.claim}: there is no file {theorem.file}")
        if unknown := sorted(set(theorem.hypotheses) - known):
            raise ProofError(f"theorems.toml: {theorem.proof}: {unknown[0]} is not a hypothesis of theorems.toml")
        lines[theorem] = declared(texts[theorem.file], theorem.name)
        if not lines[theorem]:
            raise ProofError(f"theorems.toml: {theorem.claim}: {theorem.file} has no theorem {theorem.name}")
    check_definitions(texts)
    return lines


def run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of the Rocq installation in a folder, and keep what it prints."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 (no user input)


def rocq_version(coqc: str = "coqc") -> str:
    """Return the version of Rocq and of OCaml; raise ProofError if it is not the one these proofs are for."""
    path = shutil.which(coqc)
    if path is None:
        raise ProofError(f"Rocq {VERSION} is needed and was not found: {INSTALL}  (Debian 12)")
    version = run([path, "--print-version"], NOTES).stdout.strip()
    if not version.startswith(VERSION + "."):
        raise ProofError(f"Rocq {VERSION} is needed, {path} is {version or 'of no version'}: {INSTALL}  (Debian 12)")
    where = Path(run([path, "-where"], NOTES).stdout.strip())
    for library in LIBRARIES:
        if not (where / "user-contrib" / library).exists():
            raise ProofError(f"Rocq's library {library.partition('.')[0]} is missing: {INSTALL}  (Debian 12)")
    return version


def build(version: str, folder: Path = ROCQ, jobs: int = 2) -> None:
    """Compile every file; objects that another version left are removed first."""
    stamp = folder / ".rocq-version"
    if not stamp.exists() or stamp.read_text() != version:
        run(["make", "-s", "clean"], folder)
        for pattern in ("*.vo", "*.vok", "*.vos", "*.glob"):
            for path in folder.rglob(pattern):
                path.unlink()
        stamp.write_text(version)
    result = run(["make", "-s", f"-j{jobs}"], folder)
    if result.returncode:
        raise ProofError(f"{first_error(result.stdout + result.stderr)}; correct the proof and run make proofs again")


def first_error(output: str) -> str:
    """Return Rocq's first error as file:line and message, on one line."""
    place = re.search(r'File "\./?([^"]+)", line (\d+).*?\n(Error:.*?)(?:\n\s*\n|\nmake|\Z)', output, re.DOTALL)
    if place:
        return f"{place[1]}:{place[2]}: {' '.join(place[3].split())[:300]}"
    return "the build failed: " + " ".join(output.split())[-300:]


def module(file: str) -> str:
    """Return the logical name of a file, as DPPCA.lib.discrete."""
    return f"{LOGICAL_NAME}.{file.removesuffix('.v').replace('/', '.')}"


def check_objects(files: Sequence[str], folder: Path = ROCQ) -> None:
    """Run the independent checker on the compiled files, and read its list of axioms."""
    command = ["coqchk", "-silent", "-o", "-R", ".", LOGICAL_NAME]
    for file in files:
        command += ["-norec", module(file)]
    result = run(command, folder)
    output = result.stdout + result.stderr
    if result.returncode:
        reason = " ".join(output.split())[-200:]
        raise ProofError(f"coqchk refuses the compiled files ({reason}); run make -C proofs_notes/rocq clean")
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


def query(file: str, names: Iterable[str], folder: Path = ROCQ) -> dict[str, Compiled]:
    """Ask Rocq for the statement and the axioms of theorems of one compiled file."""
    names = list(names)
    library = module(file)
    # Before anything is imported, so that an axiom's name tells its module.
    lines = [f"Require {library}.", "Set Printing Width 110.", "Set Printing Depth 200."]
    for name in names:
        lines += [f'Goal True. idtac "@@ {name} assumptions". Abort.', f"Print Assumptions {library}.{name}."]
    lines += [preamble((folder / file).read_text()), f"Import {library}."]
    for name in names:
        lines += [f'Goal True. idtac "@@ {name} statement". Abort.', f"Check @{library}.{name}."]
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "query.v"
        source.write_text("\n".join(lines) + "\n")
        result = run(["coqc", "-w", "none", "-R", str(folder.resolve()), LOGICAL_NAME, str(source)], folder)
    parts = re.split(r"^@@ (.*)\n", result.stdout, flags=re.MULTILINE)[1:]
    answers = dict(zip(parts[::2], parts[1::2], strict=True))
    found = {}
    for name in names:
        assumptions = answers.get(f"{name} assumptions", "")
        statement = re.match(rf"@?[\w.]*{re.escape(name)}\s*: (.*)", answers.get(f"{name} statement", ""), re.DOTALL)
        if statement is None or not assumptions.startswith(("Axioms:", "Closed under the global context")):
            raise ProofError(f"{file}: Rocq does not know the theorem {name} ({' '.join(result.stderr.split())[:200]})")
        axioms = re.findall(r"^([\w.']+)(?=\s*(?::|$))", assumptions.partition("Axioms:\n")[2], re.MULTILINE)
        found[name] = Compiled(_dedent(statement[1]), tuple(sorted(axioms)))
    return found


def _dedent(statement: str) -> str:
    """Return a printed type with its own indentation removed."""
    first, *rest = statement.rstrip().split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first.strip(), *(line[max(indent - 2, 0) :] for line in rest)])


def allowed(axiom: str) -> bool:
    """Return whether a theorem may use the axiom."""
    return axiom in AXIOMS or axiom.startswith(tuple(f"{name}." for name in MACHINE_NUMBERS))


def hypotheses_of(statement: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return which of the named hypotheses a statement mentions."""
    return tuple(name for name in names if re.search(rf"(?<![\w']){re.escape(name)}(?![\w'])", statement))


def check_theorem(theorem: Theorem, compiled: Compiled, hypotheses: Iterable[str]) -> None:
    """Raise ProofError if a theorem assumes what it must not, or not what it declares."""
    for axiom in compiled.axioms:
        if not allowed(axiom):
            raise ProofError(f"{theorem.proof} assumes {axiom}, which is not allowed; prove it, or state it as a hypothesis")
    used = hypotheses_of(compiled.statement, hypotheses)
    if set(used) != set(theorem.hypotheses):
        raise ProofError(
            f"theorems.toml: {theorem.proof} has the hypotheses {sorted(used)}, and {sorted(theorem.hypotheses)} are declared"
        )


def verify(folder: Path = ROCQ, claims: Path = CLAIMS) -> dict[Theorem, Compiled]:
    """Ask Rocq about every theorem of the compiled files, and check what it assumes."""
    theorems = load(folder, claims)
    hypotheses = [hypothesis.name for hypothesis in named_hypotheses(folder)]
    by_file: dict[str, list[Theorem]] = {}
    for theorem in theorems:
        by_file.setdefault(theorem.file, []).append(theorem)
    with ThreadPoolExecutor(max_workers=2) as pool:
        answers = list(
            pool.map(lambda item: query(item[0], dict.fromkeys(theorem.name for theorem in item[1]), folder), by_file.items())
        )
    found: dict[Theorem, Compiled] = {}
    for of_file, answer in zip(by_file.values(), answers, strict=True):
        for theorem in of_file:
            found[theorem] = answer[theorem.name]
            check_theorem(theorem, found[theorem], hypotheses)
    return found


def summary(axioms: Sequence[str]) -> str:
    """Return the axioms in a few words, the machine numbers taken together."""
    named = [axiom for axiom in axioms if axiom in AXIOMS]
    machine = [axiom for axiom in axioms if axiom not in AXIOMS]
    return ", ".join(named + ([f"machine numbers ({len(machine)})"] if machine else [])) or "none"


def table(
    lines: Mapping[Theorem, int], compiled: Mapping[Theorem, Compiled], hypotheses: Sequence[NamedHypothesis] = ()
) -> str:
    """Return THEOREMS.md: an index by claim, then every formal statement with what it assumes."""
    order = sorted(lines, key=lambda theorem: (theorem.claim, theorem.file, lines[theorem]))
    page = [
        "# Machine-checked theorems",
        "",
        "Generated by `make proofs`. *Hypotheses* are statements that a theorem takes for granted, listed below; *axioms* are",
        "those of Rocq's libraries that its proof uses. *Weaker* says in what the theorem falls short of its claim.",
        "",
        f"{len({t.proof for t in order})} theorems under {len({t.claim for t in order})} claims.",
        "",
        "| claim | theorem | hypotheses | weaker |",
        "| --- | --- | --- | --- |",
    ]
    for theorem in order:
        link = f"[{theorem.name}]({theorem.file}#L{lines[theorem]})"
        page.append(f"| {theorem.claim} | {link} | {', '.join(theorem.hypotheses) or '-'} | {theorem.weaker or '-'} |")
    if hypotheses:
        page += ["", "| hypothesis | what it says |", "| --- | --- |"]
        page += [f"| [{hypothesis.name}]({hypothesis.file}) | {hypothesis.says} |" for hypothesis in hypotheses]
    shown: set[str] = set()
    for theorem in sorted(lines, key=lambda theorem: (theorem.file, lines[theorem])):
        if theorem.proof in shown:
            continue
        shown.add(theorem.proof)
        claims = ", ".join(sorted({other.claim for other in lines if other.proof == theorem.proof}))
        page += ["", f"## {theorem.proof}", ""]
        page += [f"{claims}; [{theorem.file}:{lines[theorem]}]({theorem.file}#L{lines[theorem]})", ""]
        page += ["```coq", compiled[theorem].statement, "```", "", f"Axioms: {summary(compiled[theorem].axioms)}."]
    return "\n".join(page) + "\n"


def main() -> int:
    """Build, check and report; return the exit status."""
    try:
        lines = check_sources()
        version = rocq_version()
        build(version)
        check_objects(project_files())
        compiled = verify()
    except ProofError as error:
        sys.stderr.write(f"proofs: {error}\n")
        return 1
    (ROCQ / "THEOREMS.md").write_text(table(lines, compiled, named_hypotheses()))
    theorems, claims = len({theorem.proof for theorem in lines}), len({theorem.claim for theorem in lines})
    sys.stdout.write(f"proofs: {theorems} theorems under {claims} claims hold (Rocq {version})\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
