"""The auditor beside others, on the same arrays: `make peers`, or `python -m tests.studies.peers [--seeds N] [--write]`.

jax-privacy and privacy-estimates run as published, where they are installed. DP-Sniper, StatDP and Delta-Siege are written
anew here from what is published of them. Figures are kept in peers.json after every audit; PEERS.md shows them.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, hypergeom, norm
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from dppca import audit
from dppca.reference.primitives.gaussian import epsilon_at
from tests.studies.benchmark_mechanisms import benchmarks
from tests.studies.known_mechanisms import Known, gaussian, laplace
from tests.studies.stored_tables import Rows, say

Float = NDArray[np.float64]
KEPT, TABLE = (Path(__file__).with_name(name) for name in ("peers.json", "PEERS.md"))
TRIALS, CONFIDENCE = 100_000, 0.95
ALPHA = 1.0 - CONFIDENCE
#: Of the benchmark.
CHOSEN = (
    "geometric", "rare bump", "mixture with a rare branch", "subsampled Gaussian, replaced, delta 0.01",
    "histogram, 10 of 10 changed", "prefix sums, 1 of 10 changed", "RAPPOR", "parity of signs, d = 10",
    "noisy max with gap", "sparse vector 1, 6 queries",
)  # fmt: skip


@dataclass(frozen=True)
class Outputs:
    """Outputs on both datasets as matrices, and what a tool is told."""

    data: Float
    neighbour: Float
    delta: float
    gaussian: bool
    seed: int

    def part(self, start: float, stop: float) -> tuple[Float, Float]:
        """Return the trials between two shares of all."""
        low, high = (round(share * len(self.data)) for share in (start, stop))
        return self.data[low:high], self.neighbour[low:high]


def known() -> list[Known]:
    """Return the three that every tool should manage, and ten of the benchmark."""
    rest = {of.name: of.known for of in benchmarks()}
    return [laplace(), gaussian(), gaussian(shrink=math.sqrt(2.0)), *(rest[name] for name in CHOSEN)]


# --- scores for tools that take scores ----------------------------------------------------------------


def classifier(x: Float, y: Float) -> Callable[[Float], Float]:
    """Return the log-odds of logistic regression, for the first against the second."""
    labels = np.repeat([1, 0], [len(x), len(y)])
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)).fit(np.concatenate([x, y]), labels)
    return lambda z: np.asarray(model.decision_function(z))


def scored(of: Outputs) -> tuple[Float, Float]:
    """Scores, larger on data: of numbers, themselves or their opposites; of vectors, the classifier's, on the last 3/4."""
    if of.data.shape[1] == 1:
        x, y = of.data[:, 0], of.neighbour[:, 0]
        return (x, y) if x.mean() >= y.mean() else (-x, -y)
    score = classifier(*of.part(0.0, 0.25))
    x, y = of.part(0.25, 1.0)
    return score(x), score(y)


def lower(hits: Any, n: int, alpha: float) -> Any:
    """Clopper and Pearson's lower limit of a probability."""
    return np.where(np.asarray(hits) > 0, beta.ppf(alpha, np.maximum(hits, 1), n - np.asarray(hits) + 1), 0.0)


def upper(hits: Any, n: int, alpha: float) -> Any:
    """Return the upper end of the interval."""
    return np.where(np.asarray(hits) < n, beta.isf(alpha, np.asarray(hits) + 1, np.maximum(n - np.asarray(hits), 1)), 1.0)


def log_ratio(p: Any, q: Any, delta: float) -> Any:
    """log((p - delta) / q), at least 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.maximum(np.log(np.maximum(p - delta, 1e-300) / q), 0.0))


# --- as published -------------------------------------------------------------------------------------


def jax_privacy(of: Outputs, strategy: str) -> float:
    """`jax_privacy.auditing.CanaryScoreAuditor`: Clopper-Pearson with thresholds chosen as it offers, or Gaussian DP."""
    from jax_privacy import auditing  # noqa: PLC0415 - large, and not a dependency

    found = auditing.CanaryScoreAuditor(*scored(of))
    if strategy == "GDP":
        return float(found.epsilon_from_gdp(ALPHA, of.delta)) if of.delta > 0.0 else math.nan
    chosen = auditing.Bonferroni() if strategy == "Bonferroni" else auditing.Split(0.5, seed=of.seed)
    return max(0.0, float(found.epsilon_clopper_pearson(ALPHA, of.delta, one_sided=False, threshold_strategy=chosen)))


def privacy_estimates(of: Outputs, method: str) -> float:
    """`privacy_estimates.compute_eps_lo` on a half, at the threshold with the largest Clopper-Pearson bound on the other.

    Its method joint-beta took 3 to 25 seconds on these, and ended with a ValueError on seven of the first ten.
    """
    from privacy_estimates import AttackResults, compute_eps_lo  # noqa: PLC0415 - not a dependency

    (x, u), (y, v) = (np.array_split(z, 2) for z in scored(of))
    tried = np.unique(np.quantile(np.concatenate([x, y]), np.linspace(0.001, 0.999, 200)))
    fn, fp = (x[:, np.newaxis] <= tried).sum(axis=0), (y[:, np.newaxis] > tried).sum(axis=0)
    false_out, false_in = upper(fn, len(x), ALPHA / 2.0), upper(fp, len(y), ALPHA / 2.0)
    ways = [log_ratio(1.0 - a, b, of.delta) for a, b in ((false_out, false_in), (false_in, false_out))]
    at = tried[int(np.argmax(np.maximum(*ways)))]
    counts = AttackResults(FN=int((u <= at).sum()), FP=int((v > at).sum()), TN=int((v <= at).sum()), TP=int((u > at).sum()))
    return max(0.0, float(compute_eps_lo(counts, of.delta, ALPHA, method)))


# --- written anew -------------------------------------------------------------------------------------


def _turned(of: Outputs, share: float) -> tuple[Callable[[Float], Float], bool]:
    """Return a classifier from the first trials, and whether the neighbour is to be told from the data, not the other way."""
    score = classifier(*of.part(0.0, share))
    x, y = (score(z) for z in of.part(share, 2.0 * share))
    ends = [(np.quantile(y, 0.99), 1.0), (np.quantile(x, 0.01), -1.0)]
    gains = [np.mean(sign * (x if sign > 0.0 else y) > sign * t) for t, sign in ends]
    return score, bool(gains[1] > gains[0])


def _split(of: Outputs) -> tuple[tuple[Float, Float], tuple[Float, Float]]:
    """Posterior scores to choose a threshold (a quarter) and to test it (a half); a quarter was trained on."""
    score, turned = _turned(of, 0.25)
    parts = [tuple(score(z) for z in of.part(*ends)) for ends in ((0.25, 0.5), (0.5, 1.0))]
    (x, y), (u, v) = [(-b, -a) if turned else (a, b) for a, b in parts]
    return (x, y), (u, v)


def dp_sniper(of: Outputs, c: float = 0.01) -> float:
    """DP-Sniper (Bichsel et al., 2021): outputs of the largest posterior, a share c on one dataset; ties by a coin."""
    (_, y), (u, v) = _split(of)
    target = c * len(y)
    at = np.sort(y)[::-1][int(target)]
    coin = (target - np.sum(y > at)) / max(np.sum(y == at), 1)
    hits = [int(np.sum(z > at) + coin * np.sum(z == at)) for z in (u, v)]
    n = len(u)
    return float(log_ratio(lower(hits[0], n, ALPHA / 2.0), upper(hits[1], n, ALPHA / 2.0), of.delta))


def with_dkw(of: Outputs, *, as_coded: bool) -> float:
    """DP-Sniper's score at 25 thresholds at once, by the inequality of Dvoretzky, Kiefer and Wolfowitz.

    `as_coded`: with the margin of Delta-Siege's public code, which takes the smaller of 2 and 2 / alpha where the
    inequality, for alpha < 1, needs 2 / alpha: it does not depend on alpha.
    """
    _, (u, v) = _split(of)
    tried = np.quantile(u, np.linspace(0.75, 1.0, 25))
    p, q = (np.array([np.mean(z >= t) for t in tried]) for z in (u, v))
    margin = math.sqrt(math.log(2.0 if as_coded else 2.0 / ALPHA) / (2.0 * len(u)))
    return float(np.max(log_ratio(p - margin, q + margin, of.delta)))


def delta_siege(of: Outputs) -> float:
    """Delta-Siege (Lokna et al., 2023): the threshold at which the ratio of the claimed guarantee to the one shown is largest.

    A guarantee is one number for the mechanism's family. For Gaussian noise it is the noise: the (epsilon, delta) at which
    the least noise is shown is chosen too, in closed form by duality, and turned into the epsilon of that noise at our
    delta, which assumes the family. Else epsilon at our delta is the guarantee, and nothing is assumed.
    """
    (x, y), (u, v) = _split(of)
    shown = _gaussian_epsilon if of.gaussian else log_ratio
    tried = np.concatenate([np.sort(z)[:: max(1, len(z) // 100)] for z in (x, y)])
    hits = [np.array([np.sum(z > t) for t in tried]) for z in (x, y)]
    limits = lower(hits[0], len(x), 0.05), upper(hits[1], len(y), 0.05)
    at = tried[int(np.argmax(shown(*limits, of.delta)))]
    p, q = lower(np.sum(u > at), len(u), ALPHA / 2.0), upper(np.sum(v > at), len(v), ALPHA / 2.0)
    return float(np.max(shown(p, q, of.delta)))


def _gaussian_epsilon(p: Any, q: Any, delta: float) -> Any:
    """Return the epsilon at delta of the Gaussian mechanism with the most noise that can give masses p and q to an event."""
    mu = np.clip(norm.ppf(np.atleast_1d(p)) - norm.ppf(np.atleast_1d(q)), 1e-6, 30.0)
    return np.array([epsilon_at(delta, float(m)) for m in mu])


def statdp(of: Outputs) -> float:
    """StatDP (Ding et al., 2018): the event with the least p-value on a half, tested on the other; by bisection in epsilon.

    Events are products over coordinates of a value, or of a half-line below one of ten places in the densest 70 %. A test
    thins the larger count at random and averages 200 p-values of Fisher's exact test (10 to choose). It has no delta.
    """
    first, last = of.part(0.0, 0.5), of.part(0.5, 1.0)
    events = _events(*first)
    if of.delta > 0.0 or events is None:
        return math.nan
    n, rng = len(first[0]), np.random.default_rng(of.seed)
    chosen, tested = (np.sort([[int(event(z).sum()) for z in half] for event in events], axis=1) for half in (first, last))

    def p_value(counts: NDArray[np.int64], epsilon: float, draws: int) -> Float:
        small, large = counts[:, :1], counts[:, 1:]
        thinned = rng.binomial(large, math.exp(-epsilon), (len(counts), draws))
        return np.asarray(hypergeom.sf(thinned - 1, 2 * n, n, thinned + small).mean(axis=1))

    low, high = 0.0, 12.0
    while high - low > 0.005:
        middle = 0.5 * (low + high)
        often = np.flatnonzero(chosen.sum(axis=1) > 0.001 * n * math.exp(middle))
        refuted = False
        if len(often):
            worst = int(often[np.argmin(p_value(chosen[often], middle, 10))])
            refuted = bool(p_value(tested[worst : worst + 1], middle, 200)[0] < ALPHA)
        low, high = (middle, high) if refuted else (low, middle)
    return low


def _events(x: Float, y: Float) -> list[Callable[[Float], NDArray[np.bool_]]] | None:
    """Return the products; None where there are more than 10,000."""
    sides: list[list[Callable[[Float], NDArray[np.bool_]]]] = []
    for j in range(x.shape[1]):
        pooled = np.sort(np.concatenate([x[:, j], y[:, j]]))
        values = np.unique(pooled)
        if len(values) < 0.002 * len(x):
            sides.append([partial(_equals, j, value) for value in values])
        else:
            inner = round(0.7 * len(pooled))
            start = int(np.argmin(pooled[inner:] - pooled[:-inner]))
            sides.append([partial(_below, j, t) for t in np.linspace(pooled[start], pooled[start + inner], 10)])
    if math.prod(map(len, sides)) > 10_000:
        return None
    found: list[Callable[[Float], NDArray[np.bool_]]] = [_always]
    for side in sides:
        found = [partial(_both, event, part) for event in found for part in side]
    return found


def _always(z: Float) -> NDArray[np.bool_]:
    return np.ones(len(z), dtype=bool)


def _equals(j: int, value: float, z: Float) -> NDArray[np.bool_]:
    return np.asarray(z[:, j] == value)


def _below(j: int, t: float, z: Float) -> NDArray[np.bool_]:
    return np.asarray(z[:, j] < t)


def _both(first: Any, second: Any, z: Float) -> NDArray[np.bool_]:
    return np.asarray(first(z) & second(z))


def ours(of: Outputs) -> float:
    """`audit.lower_bound_from_outputs`."""
    pair = [z[:, 0] if z.shape[1] == 1 else z for z in (of.data, of.neighbour)]
    return audit.lower_bound_from_outputs(*pair, delta=of.delta, confidence=CONFIDENCE, seed=of.seed).epsilon


#: Name: (the audit, package that it needs, what it assumes beside independent trials).
TOOLS: dict[str, tuple[Callable[[Outputs], float], str, str]] = {
    "this auditor": (ours, "", ""),
    "jax-privacy, Bonferroni": (partial(jax_privacy, strategy="Bonferroni"), "jax_privacy", ""),
    "jax-privacy, split": (partial(jax_privacy, strategy="split"), "jax_privacy", ""),
    "jax-privacy, GDP": (partial(jax_privacy, strategy="GDP"), "jax_privacy", "Gaussian DP"),
    "privacy-estimates, beta": (partial(privacy_estimates, method="beta"), "privacy_estimates", ""),
    "privacy-estimates, jeffreys": (partial(privacy_estimates, method="jeffreys"), "privacy_estimates", ""),
    "DP-Sniper*": (dp_sniper, "", ""),
    "DP-Sniper*, DKW": (partial(with_dkw, as_coded=False), "", ""),
    "the same, margin as coded": (partial(with_dkw, as_coded=True), "", "a margin smaller than the inequality's"),
    "Delta-Siege*": (delta_siege, "", "that the noise is Gaussian"),
    "StatDP*": (statdp, "", ""),
}


# --- the table ----------------------------------------------------------------------------------------


def run(seeds: int, *, write: bool) -> dict[str, dict[str, Any]]:
    """Audit with what there are no figures of yet, seed after seed."""
    rows = Rows(KEPT if write else None, {"trials": TRIALS, "confidence": CONFIDENCE})
    tools = {name: tool for name, (tool, package, _) in TOOLS.items() if not package or find_spec(package)}
    for seed in range(seeds):
        for mechanism in known():
            rng = np.random.default_rng([77, seed])
            pair = [np.asarray(mechanism.mechanism.sample(x, TRIALS, rng), dtype=np.float64) for x in
                    (mechanism.data, mechanism.neighbour)]  # fmt: skip
            data, neighbour = (z.reshape(TRIALS, -1) for z in pair)
            of = Outputs(data, neighbour, mechanism.delta, mechanism.name.startswith("Gaussian"), seed)
            row = rows.row(mechanism.name) or {"exact": mechanism.epsilon, "delta": mechanism.delta, "tools": {}}
            for name, tool in tools.items():
                kept = row["tools"].setdefault(name, {"bounds": [], "seconds": 0.0})
                if len(kept["bounds"]) > seed:
                    continue
                started = time.process_time()
                with threadpool_limits(limits=1):
                    bound = tool(of)
                kept["bounds"].append(None if math.isnan(bound) else bound)
                kept["seconds"] = round(kept["seconds"] + time.process_time() - started, 3)
                rows.put(mechanism.name, row)
            say(f"  seed {seed}: {_line(mechanism.name, row)}")
            if write:
                TABLE.write_text(text(rows.rows))
    return rows.rows


def _cell(row: dict[str, Any], tool: str) -> str:
    """Return the median, and how many bounds are above the exact value."""
    bounds = [bound for bound in row["tools"].get(tool, {"bounds": []})["bounds"] if bound is not None]
    if not bounds:
        return "-"
    above = sum(bound > row["exact"] for bound in bounds)
    return f"{np.median(bounds):.3f}" + (f" ({above})" if above else "")


def _line(name: str, row: dict[str, Any]) -> str:
    return f"| {name} | {row['exact']:.3f} | " + " | ".join(_cell(row, tool) for tool in TOOLS) + " |"


def _ahead(rows: dict[str, dict[str, Any]]) -> list[str]:
    """Return in words where another has a larger median."""
    found = []
    first = next(iter(TOOLS))
    for name, row in rows.items():
        medians = {tool: [b for b in row["tools"].get(tool, {"bounds": []})["bounds"] if b is not None] for tool in TOOLS}
        own = float(np.median(medians[first]))
        better = {tool: float(np.median(bounds)) for tool, bounds in medians.items() if bounds and np.median(bounds) > own}
        for tool, median in better.items():
            assumes = "" if tool == "Delta-Siege*" and not name.startswith("Gaussian") else TOOLS[tool][2]
            above = sum(bound > row["exact"] for bound in medians[tool])
            why = [f"{tool}, {median:.3f} against {own:.3f}"]
            why += [f"assumes {assumes}"] if assumes else []
            why += [f"{above} of {len(medians[tool])} bounds are above the exact value"] if above else []
            found.append(f"- {name}: {'; '.join(why)}")
    return found


def text(rows: dict[str, dict[str, Any]]) -> str:
    """Return the page, from what was run."""
    first = next(iter(TOOLS))
    counts = [len(row["tools"][first]["bounds"]) for row in rows.values()]
    seeds = max(counts)
    ran = [tool for tool in TOOLS if any(tool in row["tools"] for row in rows.values())]
    wrong, bounds, seconds = [], [], []
    for tool in TOOLS:
        of = [
            (b, row["exact"])
            for row in rows.values()
            for b in row["tools"].get(tool, {"bounds": []})["bounds"]
            if b is not None
        ]
        audits = sum(len(row["tools"].get(tool, {"bounds": []})["bounds"]) for row in rows.values())
        total = sum(row["tools"].get(tool, {"seconds": 0.0})["seconds"] for row in rows.values())
        wrong.append(f"{sum(b > exact for b, exact in of)}")
        bounds.append(f"{len(of)}")
        seconds.append(f"{total / audits:.2f}" if audits else "-")
    lines = [
        "# The auditor beside others",
        "",
        f"Made by `python -m tests.studies.peers --seeds {seeds} --write`, or `make peers`.",
        "",
        f"The table has lower bounds on epsilon at confidence {CONFIDENCE} from the same {TRIALS:,} outputs on each dataset, "
        f"{seeds if min(counts) == seeds else f'{min(counts)} to {seeds}'} seed{'s' * (seeds > 1)}: the",
        "median, and in brackets how many of the bounds are above the exact value; a valid tool has at most one of twenty",
        "there. `-` stands for no answer.",
        "",
        "jax-privacy 2.0.0 and privacy-estimates 0.1.0.post1 are used as published. They take scores: of numbers, the",
        "numbers with the right sign, of vectors the log-odds of a logistic regression on a quarter of the trials.",
        "Columns with a `*` are new code that follows the papers and their public programs (DP-Sniper: Bichsel et al.,",
        "S&P 2021; StatDP: Ding et al., CCS 2018; Delta-Siege: Lokna et al., CCS 2023), the trials",
        "divided up as `peers.py` says. *DKW*: DP-Sniper's",
        "score at 25 thresholds at once;",
        "*margin as coded*: with the margin of Delta-Siege's public code, which has the smaller of two numbers where the",
        "inequality needs the larger, so that it does not depend on the confidence.",
        "",
        "| mechanism | exact | " + " | ".join(TOOLS) + " |",
        "| --- " * (len(TOOLS) + 2) + "|",
        *(_line(name, row) for name, row in rows.items()),
        "| *bounds above the exact value* | | " + " | ".join(wrong) + " |",
        "| *of* | | " + " | ".join(bounds) + " |",
        "| *CPU seconds an audit* | | " + " | ".join(seconds) + " |",
        "",
        *([f"Not installed: {', '.join(tool for tool in TOOLS if tool not in ran)}.", ""] if len(ran) < len(TOOLS) else []),
        "Where another has a larger median than this auditor:",
        "",
        *(_ahead(rows) or ["- nowhere"]),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.peers", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="audits of each mechanism by each tool (default: 20)")
    parser.add_argument("--write", action="store_true", help="go on with peers.json and write tests/studies/PEERS.md")
    arguments = parser.parse_args()
    say(text(run(arguments.seeds, write=arguments.write)))


if __name__ == "__main__":
    main()
