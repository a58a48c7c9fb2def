"""What is missing of any algorithm and reading, in one list: `python -m tests.project.completeness [KEY ...]`.

Each line is a sentence with the place or the command. Without a key the list begins with what only the owner of the
repository knows: its address, the DOI.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from dppca.audit.suite import implementations
from dppca.audit.suite.accounting.spent_budget import PRINTED
from dppca.audit.suite.audits import WITHOUT, instances, maximisers
from dppca.audit.suite.planted import GENERIC, bugs
from dppca.proofs_notes.ledger.claims import NOTES, load
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.citations import BIBTEX
from dppca.reference.conformance import load as known_answers
from dppca.reference.declaration import Declaration
from dppca.reference.usage import did_you_mean

CLAIMS = {claim.id: claim for claim in load()}
#: What `make new` writes where something is left to say.
UNFILLED = "FILL"
#: Files that have places for the owner of the repository.
OWNED = ("README.md", "CITATION.cff", "SECURITY.md")
NOTE_PARTS = ("Precondition", "Postcondition", "Sensitivity", "Privacy")


def missing(keys: tuple[str, ...] = (), *, pairs: bool = True) -> list[str]:
    """Return every missing piece as a sentence; of these algorithms alone, if some are named.

    Without `pairs` nothing is said of those on which other implementations are audited: to make them takes seconds.
    """
    found: list[str] = []
    for key, entry in ALGORITHMS.items():
        if not keys or key in keys:
            of_audits = (*_audits(entry), *(_pairs(entry) if pairs else ())) if entry.private else ()
            found += [f"{key}: {piece}" for piece in (*_pieces(entry), *of_audits)]
    return found


def owner(folder: Path = NOTES.parent) -> list[str]:
    """Return what the owner has to fill in, each with its file and line."""
    return [
        f"{name}, line {at}: fill in {' '.join(line.partition(f'{UNFILLED}:')[2].replace('-->', '').split())}"
        for name in OWNED
        for at, line in enumerate((folder / name).read_text(encoding="utf-8").splitlines(), 1)
        if f"{UNFILLED}:" in line
    ]


def _pieces(entry: Declaration) -> Iterator[str]:
    """Yield what is missing of an algorithm, its audits aside."""
    folder, module = entry.key.partition(".")[0], entry.function.__module__
    file = f"{module.removeprefix('dppca.').replace('.', '/')}.py"
    unfilled = [at for at, line in enumerate(inspect.getsource(sys.modules[module]).splitlines(), 1) if UNFILLED in line]
    if unfilled:
        yield f"{UNFILLED} is left in {file}, lines {', '.join(map(str, unfilled))}"
    papers = {entry.paper, *(claim.partition(".")[0] for claim in entry.claims)}
    yield from (f"the paper {paper} needs an entry in reference/citations.py" for paper in sorted(papers - BIBTEX.keys()))
    yield from (f"write the claim {name} in proofs_notes/{folder}/claims.toml" for name in entry.claims if name not in CLAIMS)
    if not any(claim.code.partition(":")[0] == module for claim in CLAIMS.values()):
        yield f"no claim of proofs_notes/{folder}/claims.toml has its `code` in {module}"
    if entry.key not in known_answers():
        yield f"run `make vectors KEY={entry.key}` for its known answers"
    note = NOTES / folder / "note.md"
    section = re.search(rf"^## [^\n]*`{re.escape(entry.key)}`\n(.*?)(?=^## |\Z)", note.read_text(), re.MULTILINE | re.DOTALL)
    place = f"{note.relative_to(NOTES.parent)}, section of `{entry.key}`"
    if section is None or UNFILLED in section[1]:
        yield f"{UNFILLED} is left in {place}" if section else f"write {place}"
    else:
        yield from (f"write the part **{part}** in {place}" for part in NOTE_PARTS if f"**{part}" not in section[1])


def _audits(entry: Declaration) -> Iterator[str]:
    """Yield the bugs, sensitivities and views that are missing without a reason."""
    place = f"audit/suite/{entry.key.partition('.')[0]}"
    if not any(bug.subject == entry.key for bug in bugs()):
        yield "plant a bug of its own"
    if not any(bug.applies(entry) for bug in GENERIC):
        yield "plant a generic bug that applies to it"
    yield from maximisers()[entry.key].faults(entry)
    own = [instance for instance in instances() if instance.algorithm == entry.key]
    for choice in entry.choices:
        views = {instance.view for instance in own if instance.choice == choice}
        for view, there in (("exact or transcript", views & {"exact", "transcript"}), ("output", views & {"output"})):
            if not there and choice not in PRINTED and (entry.key, choice, view) not in WITHOUT:
                yield f"write an audit of {choice} in the {view} view in {place}"
        if not views and choice in PRINTED and (entry.key, choice, "any") not in WITHOUT:
            yield f"write an audit of {choice} in {place}"


def _pairs(entry: Declaration) -> Iterator[str]:
    """Yield if other implementations have too few pairs."""
    try:
        pairs = implementations.audits({entry.key: _nothing}, instances())
    except implementations.ImplementationError:
        pairs = implementations.audits({f"{entry.key}:messages": _nothing}, instances())
    if (number := sum(pair.choice == implementations.OWN for pair in pairs)) < 3:
        yield f"another implementation is audited on {number} pairs of audit/suite/{entry.key.partition('.')[0]}, fewer than 3"


def _nothing(*_args: object, **_kwargs: object) -> None:
    """An implementation that is never called."""


def main(keys: list[str]) -> int:
    """Print the list; 1 if there is any entry, 2 for a key that is of no algorithm."""
    unknown = [key for key in keys if key not in ALGORITHMS]
    if unknown:
        meant = did_you_mean(unknown[0], ALGORITHMS)
        sys.stderr.write(f"KEY must be a key that `dppca list` prints, got {unknown[0]!r}{meant}\n")
        return 2
    found = [*([] if keys else owner()), *missing(tuple(keys))]
    sys.stdout.write("".join(f"{piece}\n" for piece in found) or "nothing is missing\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
