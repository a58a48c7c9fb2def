"""The two tables of the meta-audit: `make meta` or `python -m tests.meta.table`.

They are kept in table.json and, for reading, in TABLE.md beside it; both are generated, nothing in them is by hand.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from statsmodels.stats.proportion import proportion_confint

from dppca.audit.engine.output_view import check
from dppca.audit.engine.results import Claim
from dppca.audit.engine.transcript_view import transcript_check
from tests.meta.audits import CONFIDENCE, SEED, Exact, Output, Sensitivity, Tape, Transcript
from tests.meta.bug import Bug
from tests.meta.bugs import BUGS
from tests.meta.known import OUTPUTS, TRANSCRIPTS

COMMAND = "python -m tests.meta.table"
KEPT, TEXT = (Path(__file__).with_name(name) for name in ("table.json", "TABLE.md"))
STANDARD = {view.view: view.standard for view in (Exact, Sensitivity, Tape, Transcript, Output)}
#: Confidence of the audits of true claims; trials per dataset, in turn; audits of each mechanism.
NOMINAL = 0.95
SIZES = {"output": (500, 2000, 12_000), "transcript": (200, 400, 800)}
REPEATS = {"output": 249, "transcript": 99}


# --- planted bugs -------------------------------------------------------------------------------------


def outcome(bug: Bug, caught: bool) -> str:
    """In words, with the budget where it is above the standard one."""
    if not caught:
        return "not caught"
    return "caught" if bug.budget <= STANDARD[bug.view] else f"caught, needs {bug.budget:,}"


def found(number: int, sound: bool) -> tuple[dict[str, Any], float]:
    """The finding of one bug's audit, of the sound code or with the bug; and its seconds."""
    started = time.perf_counter()
    try:
        finding = BUGS[number].sound() if sound else BUGS[number].find()
    except Exception as error:
        raise RuntimeError(f"{BUGS[number].id}, {'sound' if sound else 'planted'}") from error
    return asdict(finding), time.perf_counter() - started


def bug_rows(pool: ProcessPoolExecutor, keys: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """The lines of the first table, of these subjects alone if some are given.

    Bugs that share an audit share its run on the sound code.
    """
    first = {(bug.audit, bug.budget): i for i, bug in reversed(list(enumerate(BUGS)))}
    asked = [i for i, bug in enumerate(BUGS) if not keys or bug.subject in keys]
    sound = {i: pool.submit(found, i, True) for i in sorted({first[BUGS[i].audit, BUGS[i].budget] for i in asked})}
    planted = [(BUGS[i], pool.submit(found, i, False)) for i in asked]
    for bug, future in planted:
        finding, seconds = future.result()
        yield {
            **description(bug),
            "outcome": outcome(bug, finding["caught"]),
            "planted": finding,
            "sound": sound[first[bug.audit, bug.budget]].result()[0],
            "seconds": round(seconds, 1),
        }


def description(bug: Bug) -> dict[str, Any]:
    """What the list says of a bug; the kept table must say the same."""
    return {
        "subject": bug.subject,
        "bug": bug.name,
        "layer": bug.layer,
        "edits": [[edit.place, edit.old, edit.new] for edit in bug.edits],
        "view": bug.view,
        "budget": bug.budget,
        "missed": bug.missed,
    }


# --- true claims --------------------------------------------------------------------------------------


def refuted(view: str, number: int, seed: int) -> bool:
    """Whether one audit refutes the exact epsilon of a known mechanism."""
    trials = SIZES[view][seed % len(SIZES[view])]
    if view == "output":
        output = OUTPUTS[number]
        claim, pair = Claim(output.epsilon, output.delta), (output.data, output.neighbour)
        return check(output.mechanism, *pair, claim, trials=trials, confidence=NOMINAL, seed=seed).refuted
    of = TRANSCRIPTS[number]
    claim, pair = Claim(of.epsilon, of.delta), (of.data, of.neighbour)
    return transcript_check(of.algorithm, *pair, claim, trials=trials, confidence=NOMINAL, seed=seed).refuted


def rate_of(view: str, number: int) -> dict[str, Any]:
    """One line of the second table: audits of one mechanism, on seeds 0, 1, ..."""
    known = (OUTPUTS if view == "output" else TRANSCRIPTS)[number]
    seeds = [seed for seed in range(REPEATS[view]) if refuted(view, number, seed)]
    return {
        "mechanism": known.name,
        "view": view,
        "epsilon": known.epsilon,
        "delta": known.delta,
        **interval(len(seeds), REPEATS[view]),
        "refuted_seeds": seeds,
    }


def interval(false: int, of: int) -> dict[str, Any]:
    """A count of false refutations with its 95 % Clopper-Pearson interval."""
    low, high = proportion_confint(false, of, method="beta")
    return {"refuted": false, "of": of, "interval": [float(low), float(high)]}


# --- the tables ---------------------------------------------------------------------------------------


def generate(workers: int, keys: Sequence[str] = ()) -> dict[str, Any]:
    """Both tables, printed as they grow; with subjects, their bugs anew and the rest as it is kept."""
    known = [(view, i) for view, of in (("output", OUTPUTS), ("transcript", TRANSCRIPTS)) for i in range(len(of))]
    kept = json.loads(KEPT.read_text()) if keys else {"bugs": [], "rates": []}
    with ProcessPoolExecutor(workers) as pool:
        made = list(said(bug_rows(pool, keys), ("subject", "bug", "view", "outcome", "seconds")))
        rates = kept["rates"] or list(
            said(pool.map(rate_of, *zip(*known, strict=True)), ("mechanism", "view", "refuted", "of"))
        )
    rows = {(row["subject"], row["bug"]): row for row in [*kept["bugs"], *made]}
    bugs = [rows[bug.subject, bug.name] for bug in BUGS if (bug.subject, bug.name) in rows]
    return {
        "command": COMMAND,
        "seeds": f"{SEED} for the bugs; 0, 1, ... for true claims",
        "python": platform.python_version(),
        "versions": {
            name: version(name) for name in ("numpy", "scipy", "scikit-learn", "python-flint", "greenlet", "statsmodels")
        },
        "confidence": CONFIDENCE,
        "standard": STANDARD,
        "bugs": bugs,
        "nominal": NOMINAL,
        "trials": SIZES,
        "rates": rates,
        "all": interval(sum(row["refuted"] for row in rates), sum(row["of"] for row in rates)),
    }


def said(rows: Iterator[dict[str, Any]], fields: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows, each printed when it is there."""
    for row in rows:
        sys.stdout.write("  ".join(str(row[name]) for name in fields) + "\n")
        sys.stdout.flush()
        yield row


def text(kept: dict[str, Any]) -> str:
    """TABLE.md."""
    counts = Counter(row["outcome"].split(",")[0] for row in kept["bugs"])
    deeper = sum("needs" in row["outcome"] for row in kept["bugs"])
    budgets = ", ".join(f"{view} {trials:,}" for view, trials in kept["standard"].items() if trials)
    versions = ", ".join(f"{name} {number}" for name, number in {"Python": kept["python"], **kept["versions"]}.items())
    sizes = "; ".join(f"{view} {', '.join(f'{size:,}' for size in of)}" for view, of in kept["trials"].items())
    whole = kept["all"]
    lines = [
        f"<!-- generated by `{kept['command']} --write`; do not edit -->",
        "",
        "# The auditor audited",
        "",
        f"Seeds: {kept['seeds']}. {versions}.",
        "",
        "## Planted bugs",
        "",
        f"{len(kept['bugs'])} bugs, each an edit of one function or two: {counts['caught']} caught, {deeper} of them "
        f"beyond the standard budget, {counts['not caught']} not caught. The same audits of the code without the bugs "
        f"object {sum(row['sound']['caught'] for row in kept['bugs'])} times. "
        f"Standard budget, in runs per dataset: {budgets}; the exact view samples nothing. "
        f"Each sampled verdict holds with confidence {kept['confidence']:g}.",
        "",
        "| algorithm | layer | bug | place | view | runs | with the bug | without | outcome |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in kept["bugs"]:
        places = "<br>".join(dict.fromkeys(f"`{place}`" for place, _, _ in row["edits"]))
        runs = f"{row['planted']['trials']:,}" if row["planted"]["trials"] else ""
        result = f"**{row['outcome']}**: {row['missed']}" if row["missed"] else row["outcome"]
        cells = (row["subject"], row["layer"], row["bug"], places, row["view"], runs)
        lines.append(f"| {' | '.join(cells)} | {row['planted']['seen']} | {row['sound']['seen']} | {result} |")
    lines += ["", "What was edited:", ""]
    for row in kept["bugs"]:
        lines.append(f"* {row['subject']}: {row['bug']}")
        for _, old, new in row["edits"]:
            lines.append(f"  * `{' '.join(old.split())}` became `{' '.join(new.split())}`")
    lines += [
        "",
        "## True claims",
        "",
        f"Audits at confidence {kept['nominal']:g} of mechanisms at their exact epsilon: {whole['refuted']} of "
        f"{whole['of']:,} refute it, a rate of {whole['refuted'] / whole['of']:.4f} with the 95 % interval "
        f"[{whole['interval'][0]:.4f}, {whole['interval'][1]:.4f}] (Clopper-Pearson); at most "
        f"{1 - kept['nominal']:.2f} is promised for each. Runs per dataset, in turn: {sizes}.",
        "",
        "| mechanism | view | epsilon | delta | refuted | of | rate, 95 % interval |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in kept["rates"]:
        low, high = row["interval"]
        rate = f"{row['refuted'] / row['of']:.4f} [{low:.4f}, {high:.4f}]"
        numbers = f"{row['epsilon']:.4g} | {row['delta']:.3g} | {row['refuted']} | {row['of']}"
        lines.append(f"| {row['mechanism']} | {row['view']} | {numbers} | {rate} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Make the tables, and with --write keep them."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--write", action="store_true", help="keep the tables in tests/meta/table.json and TABLE.md")
    parser.add_argument("subjects", nargs="*", help="algorithms whose bugs alone are run again (default: everything)")
    arguments = parser.parse_args()
    kept = generate(arguments.workers, arguments.subjects)
    if arguments.write:
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
        TEXT.write_text(text(kept))


if __name__ == "__main__":
    main()
