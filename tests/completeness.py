"""What is missing of any algorithm and reading, in one list: `python -m tests.completeness [KEY ...]`."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from dppca.audit.suite import foreign
from dppca.audit.suite.instances import WITHOUT, audits, maximisers
from dppca.audit.suite.known_answers import PRINTED
from dppca.proofs.ledger import LEDGER, load
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration
from dppca.reference.vectors.generate import declared
from tests.meta.bugs import BUGS
from tests.meta.generic import GENERIC

CLAIMS = {claim.id: claim for claim in load()}
#: What `make new` writes where something is left to say.
UNFILLED = "FILL"
NOTE_PARTS = ("Precondition", "Postcondition", "Sensitivity", "Privacy")


def missing(keys: tuple[str, ...] = ()) -> list[str]:
    """Return every missing piece in words; of these algorithms alone, if some are named."""
    found: list[str] = []
    for key, entry in ALGORITHMS.items():
        if not keys or key in keys:
            found += [f"{key}: {piece}" for piece in (*_pieces(entry), *(_views(entry) if entry.private else ()))]
    return found


def _pieces(entry: Declaration) -> Iterator[str]:
    """Yield what is missing of an algorithm, its audits aside."""
    if UNFILLED in Path(inspect.getfile(inspect.unwrap(entry.function))).read_text():
        yield f"{UNFILLED} is left in its file"
    yield from (f"claim {name} is not in claims.toml" for name in entry.claims if name not in CLAIMS)
    if not any(claim.code.partition(":")[0] == entry.function.__module__ for claim in CLAIMS.values()):
        yield f"no claim has its `code` in {entry.function.__module__}"
    cases = {case.name for case in declared()[entry.key]}
    if not cases:
        yield "no known-answer case"
    note = LEDGER.parent / f"{entry.key.partition('.')[0]}.md"
    section = re.search(rf"^## [^\n]*`{re.escape(entry.key)}`\n(.*?)(?=^## |\Z)", note.read_text(), re.MULTILINE | re.DOTALL)
    if section is None:
        yield f"no section in {note.name}"
    else:
        if UNFILLED in section[1]:
            yield f"{UNFILLED} is left in its section of {note.name}"
        yield from (f"no part **{part}** in its section of {note.name}" for part in NOTE_PARTS if f"**{part}" not in section[1])
    if entry.private:
        if not any(bug.subject == entry.key for bug in BUGS):
            yield "no planted bug of its own in tests/meta"
        if not any(bug.applies(entry) for bug in GENERIC):
            yield "no generic planted bug applies to it"
        if entry.key not in maximisers():
            yield "no maximiser"


def _views(entry: Declaration) -> Iterator[str]:
    """Yield which views have no instance of a reading, without a reason; whether another implementation could be audited."""
    own = [instance for each in audits() if each.algorithm == entry.key for instance in each.instances]
    for choice in entry.choices:
        views = {instance.view for instance in own if instance.choice == choice}
        for view, there in (("exact or transcript", views & {"exact", "transcript"}), ("output", views & {"output"})):
            if not there and choice not in PRINTED and (entry.key, choice, view) not in WITHOUT:
                yield f"{choice}: no {view} audit"
        if not views and (entry.key, choice, "any") not in WITHOUT:
            yield f"{choice}: no audit"
    try:
        pairs = foreign.audits({entry.key: _nothing}, audits())
    except foreign.ImplementationError:
        pairs = foreign.audits({f"{entry.key}:messages": _nothing}, audits())
    if len(pairs) < 3:
        yield f"another implementation is audited on {len(pairs)} pairs, fewer than 3"


def _nothing(*_args: object, **_kwargs: object) -> None:
    """An implementation that is never called."""


def main(keys: list[str]) -> int:
    """Print the list; 1 if there is any entry."""
    found = missing(tuple(keys))
    sys.stdout.write("".join(f"{piece}\n" for piece in found) or "nothing is missing\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
