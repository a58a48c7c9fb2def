"""How often audits of exactly known mechanisms are wrong: `python -m tests.studies.validity [--repetitions N] [--write]`.

At confidence 0.5 half of the bounds may be wrong, and a fault is easiest to see. Counts are stored in validity_rows.json
after each round of 25 audits a row and confidence, and the same command goes on with them, unless the engine is another by
then: another discovery is asked anew. VALIDITY.md shows them. `--processes 2` runs two rows at a time.
"""

from __future__ import annotations

import argparse
import functools
import math
import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom, norm

from dppca import audit
from dppca.audit import auditor as engine
from dppca.audit.auditor.profile import band_from_events, band_from_losses
from dppca.reference.noise import Noise
from dppca.reference.primitives.gaussian import profile
from tests.studies.benchmark_mechanisms import Benchmark, benchmarks
from tests.studies.known_mechanisms import TRANSCRIPTS, KnownAlgorithm
from tests.studies.stored_tables import Rows, say, version

KEPT = Path(__file__).with_name("validity_rows.json")
TABLE = Path(__file__).with_name("VALIDITY.md")
CONFIDENCES = (0.5, 0.95)
#: Trials per dataset, in turn: most audits are small, as an error shows at any size. From 6,668 on discovery learns a score.
SIZES = (300, 1000, 300, 3000, 300, 1000, 300, 7000)
#: `check` looks at its trials after every 5,000 of them: here three times.
CHECKED, SEARCHED, TRANSCRIBED = 20_000, 4000, 300
#: Wider outputs take too long for hundreds of audits.
WIDEST = 60
ROUND = 25
CHECKS = ("Laplace, epsilon 1", "geometric", "truncated geometric", "Gaussian, delta 0.01", "permute-and-flip", "noisy max")
GRID = np.linspace(0.0, 3.0, 31)


@dataclass(frozen=True)
class Case:
    """A row: what is audited and how, and whether the audits of a seed say something false, at each confidence."""

    name: str
    kind: str
    exact: float
    wrong: Callable[[int], list[bool]]

    @property
    def title(self) -> str:
        """Return the name of the row."""
        return f"{self.name}, {self.kind}"


def _each(wrong: Callable[[int, float], bool]) -> Callable[[int], list[bool]]:
    """Return an audit at one confidence as audits at each, which share nothing."""
    return lambda seed: [wrong(seed, confidence) for confidence in CONFIDENCES]


def cases() -> Iterator[Case]:
    """Yield every row."""
    known = {of.name: of for of in benchmarks()}
    for of in known.values():
        shape = np.shape(of.known.mechanism.sample(of.known.data, 1, np.random.default_rng(0)))
        if math.isfinite(of.known.epsilon) and (len(shape) < 2 or shape[1] <= WIDEST):
            yield _bounds(of)
    for name in CHECKS:
        yield _check(known[name])
    yield _over_pairs()
    for transcribed in (*TRANSCRIPTS, seldom_used()):
        yield _transcripts(transcribed)
    yield from _bands(known["Laplace, epsilon 1"])


def _bounds(of: Benchmark) -> Case:
    """The same outputs are audited at each confidence."""

    def wrong(seed: int) -> list[bool]:
        rng = np.random.default_rng([1234, seed])
        pair = (of.known.data, of.known.neighbour)
        outputs = [of.known.mechanism.sample(x, SIZES[seed % len(SIZES)], rng) for x in pair]
        bounds = [
            audit.lower_bound_from_outputs(*outputs, delta=of.known.delta, confidence=confidence, seed=seed)
            for confidence in CONFIDENCES
        ]
        return [bound.epsilon > of.known.epsilon for bound in bounds]

    return Case(of.name, "lower_bound", of.known.epsilon, wrong)


def _check(of: Benchmark) -> Case:
    """The claim is exactly true."""
    known = of.known

    def wrong(seed: int, confidence: float) -> bool:
        claim = audit.Claim(known.epsilon, known.delta)
        pair = (known.mechanism, known.data, known.neighbour)
        return audit.check(*pair, claim, trials=CHECKED, confidence=confidence, seed=seed).refuted

    return Case(of.name, "check", known.epsilon, _each(wrong))


class _Shifted:
    """Laplace noise on one of the numbers of a dataset, at random: datasets that differ by t in each lose t."""

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> Any:
        return rng.choice(np.asarray(data, dtype=np.float64), trials) + rng.laplace(size=trials)


def _over_pairs() -> Case:
    """The pairs lose between 0 and 1, and the search chooses."""

    def wrong(seed: int, confidence: float) -> bool:
        found = audit.lower_bound_over_pairs(
            _Shifted(),
            lambda rng: ((0.0, 0.0), (t := float(rng.integers(0, 3)) / 2.0, t)),
            trials=SEARCHED,
            candidates=4,
            confidence=confidence,
            seed=seed,
        )
        return found.bound.epsilon > abs(found.neighbour[0] - found.data[0])

    return Case("Laplace, pairs of three kinds", "lower_bound_over_pairs", 1.0, _each(wrong))


def seldom_used(share: float = 0.1, std: float = 0.5, delta: float = 1e-3) -> KnownAlgorithm:
    """A public draw decides whether the data are used: the profile is `share` times the release's."""

    def run(x: float, noise: Noise) -> float:
        used = norm.cdf(float(noise.public_normal("pick", ()))) < share
        return noise.gaussian("g", x * used, std=std, sensitivity=1.0)

    low, high = 0.0, 40.0
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if share * profile(middle, 1.0 / std) > delta else (low, middle)
    return KnownAlgorithm(f"Gaussian release by a public draw, delta {delta:g}", run, 0.0, 1.0, delta, low)


def _transcripts(of: KnownAlgorithm) -> Case:
    def wrong(seed: int, confidence: float) -> bool:
        pair = (of.data, of.neighbour)
        bound = audit.transcript_lower_bound(
            of.algorithm, *pair, delta=of.delta, trials=TRANSCRIBED, confidence=confidence, seed=seed
        )
        return bound.epsilon > of.epsilon * (1.0 + 1e-12)  # where the loss itself is the bound, it is rounded

    return Case(of.name, "transcript_lower_bound", of.epsilon, _each(wrong))


def _bands(laplace: Benchmark) -> Iterator[Case]:
    """A band is wrong if its lower edge is above the profile anywhere on the grid."""
    known = laplace.known
    truth = np.maximum(-np.expm1(0.5 * (GRID - 1.0)), 0.0)

    def from_events(seed: int, confidence: float) -> bool:
        pair = (known.mechanism, known.data, known.neighbour)
        tested = audit.check(*pair, audit.Claim(0.8), trials=CHECKED, confidence=confidence, seed=seed).tested
        return bool(np.any(band_from_events(tested, GRID, confidence).lower > truth))

    yield Case(laplace.name, "band from events", known.epsilon, _each(from_events))
    of, mu = TRANSCRIPTS[0], 3.0**-0.5  # three Gaussian releases
    truth_of = np.array([profile(epsilon, mu) for epsilon in GRID.tolist()])

    def from_losses(seed: int, confidence: float) -> bool:
        claim, pair = audit.Claim(of.epsilon, of.delta), (of.data, of.neighbour)
        tested = audit.transcript_check(of.algorithm, *pair, claim, trials=TRANSCRIBED, confidence=confidence, seed=seed).tested
        return bool(np.any(band_from_losses(tested, GRID, confidence).lower > truth_of))

    yield Case(of.name, "band from losses", of.epsilon, _each(from_losses))


# --- the table ----------------------------------------------------------------------------------------


@functools.cache
def _by_title() -> dict[str, Case]:
    """Return every row by its name, made once a process."""
    return {case.title: case for case in cases()}


def audited(task: tuple[str, range]) -> tuple[str, list[int], float]:
    """Return a row's name, how many of its audits with some seeds are wrong at each confidence, and the processor seconds."""
    title, seeds = task
    case, started = _by_title()[title], time.process_time()
    wrong = np.sum([case.wrong(seed) for seed in seeds], axis=0)
    return title, wrong.tolist(), time.process_time() - started


def settings() -> dict[str, Any]:
    """Return what all results that are shown together have in common."""
    return {"trials": SIZES, "confidences": CONFIDENCES, "engine": version(Path(next(iter(engine.__path__))))}


def run(repetitions: int, *, kept: Path | None = None, table: Path | None = None, only: str = "", processes: int = 1) -> Rows:
    """Audit with seeds 0, 1, ... what has not been audited with them; go on with what is kept, and write the page."""
    rows = Rows(kept, settings())
    if rows.others:
        say(f"  {kept} was made by another version of the engine, or with other trials: starting anew")
    chosen = [title for title in _by_title() if only in title]
    with ExitStack() as stack:
        each: Any = map
        if processes > 1:
            each = stack.enter_context(multiprocessing.get_context("spawn").Pool(processes)).imap
        for until in range(ROUND, repetitions + ROUND, ROUND):
            tasks = [(title, range(rows.row(title).get("of", 0), min(until, repetitions))) for title in chosen]
            tasks = [(title, seeds) for title, seeds in tasks if seeds]
            for (_, seeds), (title, wrong, seconds) in zip(tasks, each(audited, tasks), strict=True):
                case = _by_title()[title]
                row = rows.row(title) or {"exact": case.exact, "kind": case.kind, "of": 0, "wrong": [0, 0], "seconds": 0.0}
                counts = [old + new for old, new in zip(row["wrong"], wrong, strict=True)]
                rows.put(title, {**row, "of": seeds.stop, "wrong": counts, "seconds": round(row["seconds"] + seconds, 2)})
                say(f"  {title}: {counts} of {seeds.stop}, {rows.row(title)['seconds']} s")
                if table is not None:
                    table.write_text(text(rows.rows, rows.settings, len(_by_title())))
    return rows


def text(rows: dict[str, dict[str, Any]], made: dict[str, Any], known: int) -> str:
    """Return the page, from what was run with which settings, of so many rows that there are."""
    least, most = (pick(row["of"] for row in rows.values()) for pick in (min, max))
    sizes = ", ".join(f"{size:,}" for size in made["trials"])
    lines = [
        "# How often the auditor is wrong",
        "",
        f"Made by `python -m tests.studies.validity --repetitions {most} --write`.",
        "",
        "This table counts audits that say something false about mechanisms whose epsilon is known exactly: the bound is above",
        "it, a true claim is refuted, or a band is above the profile anywhere. Seeds are 0, 1, ... at both confidences. Trials",
        "per dataset:",
        f"`lower_bound` {sizes} in turn (discovery, test and all as in `lower_bound`,",
        "from outputs that are drawn before, the same ones at both confidences);",
        f"`check` {CHECKED:,} with three looks, on the claim that is exactly true;",
        f"`lower_bound_over_pairs` {SEARCHED:,} over all pairs; transcripts {TRANSCRIBED}; band from events {CHECKED:,}.",
        "",
        f"The version of the auditor, a digest of its modules, is {made.get('engine', 'not stored')}.",
        "",
        "The p-value of a row is the probability of so many or more, were the error as large as allowed.",
        "",
        "| mechanism | audit | exact | wrong at 0.5 | wrong at 0.95 | p-values |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    totals, worst = [0, 0], [1.0, 1.0]
    for name, row in rows.items():
        found = [float(binom.sf(n - 1, row["of"], 1.0 - c)) for n, c in zip(row["wrong"], CONFIDENCES, strict=True)]
        totals = [total + n for total, n in zip(totals, row["wrong"], strict=True)]
        worst = [min(pair) for pair in zip(worst, found, strict=True)]
        counts = " | ".join(f"{n} of {row['of']}" for n in row["wrong"])
        mechanism = name.removesuffix(f", {row['kind']}")
        lines.append(f"| {mechanism} | {row['kind']} | {row['exact']:.3f} | {counts} | {found[0]:.2g}, {found[1]:.2g} |")
    missing = known - len(rows)
    audits = sum(row["of"] for row in rows.values())
    lines += [
        "",
        f"{len(rows)} rows of {least if least == most else f'{least} to {most}'} audits at each confidence: of {audits:,},",
        f"{totals[0]:,} wrong at 0.5 ({totals[0] / audits:.1%}), {totals[1]:,} at 0.95 ({totals[1] / audits:.2%}). Least "
        f"p-value of {len(rows)}: {worst[0]:.2g} and {worst[1]:.2g}.",
        *([f"{missing} more rows have not been run yet: the same command goes on with them."] if missing else []),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.validity", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100, help="audits of each row at each confidence (default: 100)")
    parser.add_argument(
        "--write", action="store_true", help="go on with tests/studies/validity_rows.json and write tests/studies/VALIDITY.md"
    )
    parser.add_argument("--only", default="", help="only rows with this in their name")
    parser.add_argument("--processes", type=int, default=1, help="rows audited at a time, each in a process (default: 1)")
    arguments = parser.parse_args()
    kept, table = (KEPT, TABLE) if arguments.write else (None, None)
    rows = run(arguments.repetitions, kept=kept, table=table, only=arguments.only, processes=arguments.processes)
    say(text(rows.rows, rows.settings, len(_by_title())))


if __name__ == "__main__":
    main()
