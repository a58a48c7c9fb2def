"""The order of the claims as their papers have it, from the place that each claim names as its source."""

from __future__ import annotations

import re

from dppca.proofs_notes.ledger.claims import LedgerClaim, paper

#: Places of each paper from its first page to its last. Appendices of liu2022 are those of the arXiv text.
_ORDER = {
    "wang2020": """
        abstract; section 1; contribution 1; contribution 2; contribution 3; section 2; section 3; section 3.1;
        section 3.2; definition 1; definition 2; section 3.3; section 4; section 4.1; section 4.2; theorem 1; remark 1;
        theorem 2; equation 2; algorithm 1; section 5; definition 3; theorem 3; equation 3; theorem 4; equation 4;
        algorithm 2; definition 4; equation 5; theorem 5; section 6; section 6.1; figure 1; figure 2; section 6.2;
        table 1; figure 3; table 2; figure 4; section 7; section 7.1; lemma 1; lemma 2; lemma 3; lemma 4; lemma 5;
        section 7.2; lemma 6; lemma 7; section 7.3; lemma 8; lemma 9; lemma 10; lemma 11; section 7.4; lemma 12;
        lemma 13; lemma 14; lemma 15; lemma 16; section 7.5; lemma 17; section 8
    """,
    "shang2021": """
        abstract; section 1; section 1.1; section 1.2; section 2; section 3; section 3.1; equation 2; section 3.2;
        section 3.3; assumption 1; assumption 2; section 3.4; definition 1; definition 2; definition 3; definition 4;
        section 4; section 4.1; equation 9; lemma 1; equation 10; theorem 1; algorithm 1; theorem 2; remark 1;
        section 4.2; theorem 3; equation 14; theorem 4; algorithm 2; remark 2; section 4.3; lemma 2; table 1; table 2;
        section 5; section 5.1; table 3; section 5.2; section 5.3; figure 1; section 6
    """,
    "singhal2021": """
        abstract; section 1; section 1.1; theorem 1.1; section 1.2; theorem 1.2; section 1.3; section 1.4; section 2;
        problem 2.1; theorem 2.2; section 2.1; lemma 2.3; section 2.2; algorithm 1; lemma 2.4; lemma 2.5; section 2.3;
        section 3; problem 3.1; algorithm 2; remark 3.2; theorem 3.3; section 3.1; lemma 3.4; section 3.2; section 3.3
    """,
    "liu2022": """
        abstract; section 1; section 2; assumption 1; lemma 2.1; section 2.1; algorithm 1; theorem 2.2; section 2.2;
        definition 2.3; lemma 2.4; section 2.3; equation 3; section 3; algorithm 2; lemma 3.1; lemma 3.2; theorem 3.3;
        equation 4; remark 3.4; equation 6; section 4; figure 1; example 4.1; equation 7; equation 8; section 5;
        algorithm 3; theorem 5.1; equation 9; corollary 5.2; theorem 5.3; equation 12; theorem 5.4; section 6;
        theorem 6.1; equation 14; algorithm 4; lemma 6.2; section 6.1; section 7; appendix a; assumption a.4;
        equation 15; equation 16; equation 17; equation 19; appendix b; lemma b.1; lemma b.2; lemma b.3; lemma b.4;
        appendix c; theorem c.1; theorem c.2; appendix c.1; lemma c.3; equation 20; equation 21; equation 22;
        equation 23; appendix c.2; equation 27; equation 30; equation 31; equation 32; lemma c.4; appendix c.3;
        equation 34; appendix d; appendix d.1; equation 38; equation 39; equation 41; equation 43; equation 44; appendix d.2;
        theorem d.1; appendix d.3; equation 51; equation 52; equation 56; appendix e; appendix e.1; equation 57;
        equation 59; appendix e.2; equation 61; equation 63; equation 64; equation 65; appendix e.3; algorithm 5; appendix f;
        lemma f.1; lemma f.2; lemma f.3; equation 69; equation 72; lemma f.4; lemma f.5
    """,
}
PLACES = {
    name: {" ".join(place.split()): number for number, place in enumerate(text.split(";"))} for name, text in _ORDER.items()
}
_PLACE = re.compile(
    r"\b(abstract|contribution|theorem|lemma|definition|algorithm|corollary|proposition|assumption|remark|table|figure|problem|"
    r"example|section|equation|appendix|appendice)(?:e?s)?(?:\s+\(?([a-z]?\.?\d+(?:\.\d+)*|[a-f])\b)?",
    re.IGNORECASE,
)


def place(claim: LedgerClaim) -> str:
    """Return the first place that the claim's source names, such as "theorem 2"; "" if it names none."""
    found = _PLACE.search(claim.source.partition(",")[2] or claim.source)
    if found is None:
        return ""
    kind = "appendix" if found[1].lower().startswith("append") else found[1].lower()
    return f"{kind} {(found[2] or '').lower()}".strip()


def position(claim: LedgerClaim) -> int:
    """Return where the claim's place stands in its paper: for an unknown place, that of the part around it, or the end."""
    places = PLACES.get(paper(claim), {})
    name = place(claim)
    while name not in places and "." in name:
        name = name.rpartition(".")[0]
    return places.get(name, len(places))


def in_order(claims: list[LedgerClaim]) -> list[LedgerClaim]:
    """Return the claims of one paper in its order; those of one place as in the ledger."""
    return sorted(claims, key=position)
