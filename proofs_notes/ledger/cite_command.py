"""`dppca cite`: print the BibTeX entries to cite for an algorithm, a paper, or a claim of the ledger.

dppca cite liu2022.dp_pca                 an algorithm: its paper, and this code with its version
dppca cite wang2020.theorem-2-privacy     a claim: what was found, its paper, and this code
dppca cite wang2020 theorem 2             the most important claim that holds these words
"""

from __future__ import annotations

import re
import sys

from dppca.proofs_notes.catalogue_commands import authors
from dppca.proofs_notes.ledger.claim_command import search
from dppca.proofs_notes.ledger.claims import LedgerClaim, load, paper
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.citations import BIBTEX, cite, software
from dppca.reference.command_line import DONE, Parser
from dppca.reference.usage import did_you_mean

#: What TeX would read as a command.
_TEX = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", **{mark: f"\\{mark}" for mark in "#$%&_{}"}}


def main(arguments: list[str] | None = None) -> int:
    """Return 0; 2 where the key is of no algorithm, paper or claim."""
    parser = Parser(prog="dppca cite", description=__doc__)
    parser.add_argument("words", nargs="+", metavar="KEY or WORD", help="a key or an id, or words of a claim")
    words = parser.parse_args(arguments).words
    key = " ".join(words)
    if key in ALGORITHMS or key in BIBTEX:
        sys.stdout.write(cite(key))
        return DONE
    claims = {claim.id: claim for claim in load()}
    if len(words) > 1 and (found := search(list(claims.values()), words)):
        key = found[0].id
    if key not in claims:
        meant = did_you_mean(key, [*ALGORITHMS, *BIBTEX, *claims], 3)
        parser.error(f"KEY must be of an algorithm, a paper ({', '.join(BIBTEX)}) or a claim, got {key!r}{meant}")
    sys.stdout.write(of_claim(claims[key]))
    return DONE


def of_claim(claim: LedgerClaim) -> str:
    """Return the entries for a claim: what was found, the paper that it is from, and this code."""
    note = f"{claim.source}: {claim.statement} Verdict: {claim.verdict}."
    if claim.correction:
        note += f" Correction: {claim.correction}"
    first, _, place = claim.source.partition(", ")
    where = f"{place}{',' * (',' in place)} of {authors(first)}" if first == paper(claim) else claim.source
    finding = "\n".join(
        (
            f"@misc{{{claim.id},",
            "  author = {{The dp-pca-reference maintainers}},",
            f"  title  = {{{{{'Erratum to' if claim.printed is False else 'Verdict on'} {_tex(where)}}}}},",
            f"  note   = {{{_tex(note)} Executed by {_tex(claim.check)}.}},",
            "  year   = {2026},",
            "}",
            "",
        )
    )
    return "\n".join([finding, *([BIBTEX[paper(claim)]] if paper(claim) in BIBTEX else []), software()])


def _tex(text: str) -> str:
    return re.sub(r"[\\^~#$%&_{}]", lambda mark: _TEX[mark[0]], text)


if __name__ == "__main__":
    sys.exit(main())
