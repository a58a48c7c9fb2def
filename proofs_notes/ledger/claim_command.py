"""`dppca claim`: print a claim of the ledger, search the ledger, or show and execute what a claim rests on.

dppca claim wang2020.theorem-2-privacy           the statement, its verdict, the correction, the evidence
dppca claim shang2021 theorem 2                  the first claims that hold all of these words, those about it first
dppca claim --proof wang2020.theorem-2-privacy   print its argument: a section of the note, or a theorem in Rocq
dppca claim --run wang2020.theorem-2-privacy     execute its check now
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from dataclasses import asdict

from dppca.proofs_notes.ledger.claims import NOTES, LedgerClaim, LedgerError, execute, figures, load, quantifier, sections
from dppca.proofs_notes.ledger.errata import items
from dppca.proofs_notes.rocq import proofs
from dppca.reference.command_line import DONE, FOUND_WRONG, Parser, one_line
from dppca.reference.usage import did_you_mean

#: Columns of the text.
WIDTH = 110
#: Claims that a search prints.
SHOWN = 8
#: What a scope says about the range for which the verdict was established.
SCOPES = {
    "proved": "for all parameters, by a proof that Rocq has checked",
    "derived": "for all parameters, by the argument in the note, whose steps are executed",
    "computed": "for all parameters, by a computation that covers them",
    "exhaustive": "for all parameters, which are finitely many and were all tried",
    "witness": "by one example, which is enough for this verdict",
    "instances": "at the parameters that were tried, and no others",
}


def main(arguments: list[str] | None = None) -> int:
    """Return 0; 1 if an executed check does not bear its claim out; 2 where no claim is found."""
    parser = Parser(prog="dppca claim", description=__doc__)
    parser.add_argument("words", nargs="+", metavar="ID or WORD", help="the id of a claim, or words that it holds")
    shown_too = parser.add_mutually_exclusive_group()
    shown_too.add_argument("--run", action="store_true", help="execute the check of the one claim that is found")
    shown_too.add_argument("--proof", action="store_true", help="print the argument for the one claim that is found")
    shown_too.add_argument("--json", action="store_true", help="print the one claim that is found as JSON")
    parser.add_argument("--all", action="store_true", help=f"print every claim that is found, not the first {SHOWN}")
    options = parser.parse_args(arguments)
    found = search(load(), options.words)
    if not found:
        parser.error(nothing_found(options.words))
    if len(found) > 1:
        if options.run or options.proof or options.json:
            option = "--run" if options.run else "--proof" if options.proof else "--json"
            words = " ".join(options.words)
            parser.error(f"{option} needs one claim, but {len(found)} hold all words of {words!r}: give an id")
        told = found if options.all else found[:SHOWN]
        more = f", {len(found) - len(told)} of them not shown: --all" if len(told) < len(found) else ""
        sys.stdout.write("".join(_row(claim) for claim in told))
        false = (
            f"; `dppca erratum {' '.join(options.words)}` says what is false there"
            if items(named(options.words, found))
            else ""
        )
        sys.stdout.write(f"{len(found)} claims{more}; `dppca claim ID` prints one{false}\n")
        return DONE
    if options.json:
        sys.stdout.write(as_json(found[0]))
        return DONE
    if options.proof and not found[0].proof:
        parser.error(f"--proof needs a claim with an argument, and {found[0].id} is {found[0].scope}: --run executes its check")
    sys.stdout.write(argument(found[0]) if options.proof else shown(found[0]))
    return _run(found[0]) if options.run else DONE


def nothing_found(words: list[str]) -> str:
    """Return the line for words that no claim holds, with an id or a paper that is like one of them."""
    claims = load()
    known = [*(claim.id for claim in claims), *{claim.id.partition(".")[0] for claim in claims}]
    meant = next(filter(None, (did_you_mean(word, known) for word in words if word not in known)), "")
    return f"no claim has the id, or holds all words of, {' '.join(words)!r}{meant}"


def search(claims: list[LedgerClaim], words: list[str]) -> list[LedgerClaim]:
    """Return the claim of this id, with or without its paper, or else the claims that hold every word in some field.

    Those whose place in the paper is named by the words come first, and of these those that matter most. A number is a word.
    """
    if len(words) == 1:
        named = [claim for claim in claims if words[0] in (claim.id, claim.id.partition(".")[2])]
        if named:
            return named
    patterns = [_pattern(word) for word in " ".join(words).lower().split()]

    def holds(text: str) -> bool:
        return all(pattern.search(text.lower()) for pattern in patterns)

    phrase = f" {' '.join(words).lower()} "

    def rank(claim: LedgerClaim) -> tuple[bool, bool, int]:
        source = f" {claim.source.lower().replace(',', '')} "
        about = holds(f"{claim.id} {claim.source}")
        return phrase not in source, not about, ("main", "supporting", "remark").index(claim.weight)

    return sorted((claim for claim in claims if holds(_text(claim))), key=rank)


def named(words: list[str], found: list[LedgerClaim]) -> list[LedgerClaim]:
    """Return those of the claims that a search has found whose source the words name, such as "wang2020 theorem 2"."""
    phrase = f" {' '.join(words).lower()} "
    return [claim for claim in found if phrase in f" {claim.source.lower().replace(',', '')} "]


def _pattern(word: str) -> re.Pattern[str]:
    """Finds a word, or its part; but a number only as a whole."""
    return re.compile(rf"(?<![\w.]){re.escape(word)}(?![\w.]*\d)" if re.fullmatch(r"[\d.]+", word) else re.escape(word))


def argument(claim: LedgerClaim) -> str:
    """Return the section of the note in which a claim is argued, or the theorem in Rocq that states it."""
    file, place = claim.proof_place
    if file.endswith(".md"):
        return sections((NOTES / file).read_text(encoding="utf-8"))[place]
    stated = textwrap.indent(proofs.statements()[claim.proof].statement, "  ")
    return f"(* {file}; its proof follows there *)\nTheorem {place} :\n{stated}.\n"


def shown(claim: LedgerClaim) -> str:
    """Return a claim as text."""
    file, place = claim.proof_place
    fields = {
        "statement": claim.statement,
        "source": claim.source,
        "verdict": claim.verdict,
        "correction": claim.correction,
        "erratum": "".join(f"{item.title}: `dppca erratum {claim.id}`" for item in items([claim])),
        "formula": claim.formula,
        **{name.lower(): text for name, text in quantifier(claim).items()},
        "about": ", ".join((claim.kind, claim.weight, *([f"false: {claim.severity}"] if claim.severity else []))),
        "scope": f"{claim.scope}: {SCOPES[claim.scope]}",
        "proof": f"proofs_notes/{file}{'#' if file.endswith('.md') else ':'}{place}; --proof prints it" if file else "",
        "rests on": ", ".join(claim.needs),
        "evidence": f"{figures().get(claim.id, 'none kept: execute the check with --run')} ({claim.method})",
        "check": claim.check,
        "code": claim.code,
    }
    lines = [claim.id]
    for name, text in fields.items():
        if text:
            lines += textwrap.wrap(
                text,
                WIDTH,
                initial_indent=f"  {name:11} ",
                subsequent_indent=" " * 14,
                break_long_words=False,
                break_on_hyphens=False,
            )
    return "\n".join([*lines, ""])


def as_json(claim: LedgerClaim) -> str:
    """Return a claim as a JSON text: the fields of the ledger, and what its check found."""
    held = {"format": "dppca claim", "version": 1, **asdict(claim), "evidence": figures().get(claim.id)}
    return json.dumps(held, indent=1, default=str) + "\n"


def _text(claim: LedgerClaim) -> str:
    return " ".join((claim.id, claim.source, claim.statement, claim.correction, claim.status, claim.kind, claim.code)).lower()


def _row(claim: LedgerClaim) -> str:
    return f"{claim.status:11} {claim.id}\n{textwrap.shorten(claim.statement, WIDTH - 12, initial_indent=' ' * 12)}\n"


def _run(claim: LedgerClaim) -> int:
    try:
        found = execute(claim)
    except LedgerError as error:
        sys.stderr.write(f"dppca claim: {one_line(error)}\n")
        return FOUND_WRONG
    sys.stdout.write(f"  executed    {found.status} ({claim.method}): {found.figures}\n")
    return DONE


if __name__ == "__main__":
    sys.exit(main())
