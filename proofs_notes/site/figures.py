"""`python -m dppca.proofs_notes.site.figures [REPORT]`: draw the plots of README and the site.

They show closed forms and stored results. Each file names a digest of its numbers; a test computes these anew. From a JSON
report of `pytest audit/` the fitted rates are stored first.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from dppca.audit.report import plots
from dppca.proofs_notes.ledger.claims import ROOT
from dppca.reference.primitives.gaussian import analytic_std, classical_std, profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOLDER = ROOT / "proofs_notes" / "figures"
STUDIES = ROOT / "tests" / "studies"
RATES = STUDIES / "utility.json"
Data = dict[str, Any]


def theorem_2() -> Data:
    """Return delta(epsilon) of a message of wang2020, calibrated for (1, 1e-5), with the published noise and with enough."""
    root = math.sqrt(2.0)  # by which a message moves: the diagonal of a change counts twice
    stds = {"published noise": classical_std(1.0, 1e-5, 1.0), "enough noise": analytic_std(1.0, 1e-5, root)}
    grid = np.linspace(0.0, 1.6, 33).tolist()
    curves = {f"{name}, std {std:.3f}": [(e, profile(e, root / std)) for e in grid] for name, std in stds.items()}
    return {"curves": curves, "promised": [1.0, 1e-5], "at": profile(1.0, root / stds["published noise"])}


def suite() -> Data:
    """Return the exact epsilon of each audited pair as a share of what is claimed, by reading."""
    from dppca.audit.suite.audits import instances  # noqa: PLC0415 - the whole catalogue

    shares: dict[str, list[float]] = {}
    for each in instances():
        found = plots.share(each.epsilon, each.claim.epsilon)
        if found is not None:
            reading = each.choice if re.fullmatch("[A-Z_]+", each.choice) else "variants"
            shares.setdefault(reading, []).append(found if math.isfinite(found) else -1.0)
    return {"shares": {name: sorted(of) for name, of in sorted(shares.items())}}


def _draw_suite(data: Data, ax: Axes) -> None:
    names, end = list(data["shares"]), 100.0
    for y, of in enumerate(data["shares"].values()):
        points = [(min(share if share >= 0.0 else end, end), y + 0.3 * (i % 5 - 2) / 2, share) for i, share in enumerate(of)]
        for colour, within in ((plots.WITHIN, True), (plots.ABOVE, False)):
            kept = [point[:2] for point in points if (0.0 <= point[2] <= 1.0 + 1e-6) == within]
            ax.plot([x for x, _ in kept], [y for _, y in kept], "o", color=colour, ms=3.5, alpha=0.7, mew=0)
    ax.axvline(1.0, color=plots.CLAIM, ls="--")
    ax.set_yticks(range(len(names)), [f"{name} ({len(of)})" for name, of in data["shares"].items()])
    ax.set(xscale="log", xlim=(plots.LEAST_SHARE, 1.2 * end), ylim=(len(names) - 0.4, -0.6))
    ax.set_xlabel("exact \u03b5 as a share of the claimed one (100: or more)")
    ax.xaxis.set_major_formatter(plots.power)


def power() -> Data:
    """Return the median bound and the best event's, as shares of the exact epsilon."""
    rows = json.loads((STUDIES / "benchmark.json").read_text(encoding="utf-8"))["rows"]
    kept = {name: row for name, row in rows.items() if row["exact"]}
    return {
        "bound": {name: median(row["bounds"].values()) / row["exact"] for name, row in kept.items()},
        "best": {name: row["oracle"] / row["exact"] if row.get("oracle") else None for name, row in kept.items()},
    }


def _draw_power(data: Data, ax: Axes) -> None:
    order = sorted(data["bound"], key=lambda name: -data["bound"][name])
    for y, name in enumerate(order):
        ax.plot([0.0, data["bound"][name]], [y, y], color=plots.WITHIN, lw=2.5)
        if data["best"][name] is not None:
            ax.plot([data["best"][name]], [y], "|", color=plots.ABOVE, ms=8, mew=2)
    ax.set_yticks(range(len(order)), order)
    ax.set(xlim=(0.0, 1.05), ylim=(len(order) - 0.4, -0.6))
    ax.set_xlabel("share of the exact \u03b5; mark: the best event")


def validity() -> Data:
    """Return how often a bound of confidence 0.95 is wrong."""
    rows = json.loads((STUDIES / "validity_rows.json").read_text(encoding="utf-8"))["rows"]
    return {"wrong": sorted(row["wrong"][1] / row["of"] for row in rows.values()), "of": [row["of"] for row in rows.values()]}


def _draw_validity(data: Data, ax: Axes) -> None:
    ax.bar(range(len(data["wrong"])), data["wrong"], color=plots.WITHIN, width=0.9)
    ax.axhline(0.05, color=plots.ABOVE, ls="--", label="allowed")
    ax.set(xlabel=f"{len(data['wrong'])} audits of exactly known mechanisms", ylabel="share of wrong results", xticks=[])
    ax.legend(loc="upper left")


def peers() -> Data:
    """Return the median bounds of this auditor and of others on the same outputs, as shares of the exact epsilon."""
    rows = json.loads((STUDIES / "peers.json").read_text(encoding="utf-8"))["rows"]
    tools: dict[str, dict[str, float]] = {}
    for name, row in rows.items():
        for tool, found in row["tools"].items():
            bounds = [bound for bound in found.get("bounds", ()) if bound is not None]
            if bounds:
                tools.setdefault(tool, {})[name] = median(bounds) / row["exact"]
    return {"mechanisms": list(rows), "tools": tools}


def _draw_peers(data: Data, ax: Axes) -> None:
    for i, (tool, of) in enumerate(data["tools"].items()):
        ours = tool == "this auditor"
        places = [data["mechanisms"].index(name) for name in of]
        colour = plots.ABOVE if ours else plots.CLAIM
        ax.plot(list(of.values()), places, "D" if ours else "o", color=colour, ms=7 if ours else 4, alpha=1.0 if ours else 0.7,
                label=tool if ours else "others" if i == 1 else None, zorder=3 if ours else 2)  # fmt: skip
    ax.axvline(1.0, color=plots.CLAIM, ls="--")
    ax.set_yticks(range(len(data["mechanisms"])), data["mechanisms"])
    ax.set(xlim=(-0.03, 1.15), ylim=(len(data["mechanisms"]) - 0.4, -0.6))
    ax.set_xlabel("median bound as a share of the exact \u03b5")
    ax.legend(loc="upper left")


def accounts() -> Data:
    """Return by how much noise that is proved enough exceeds noise that is proved too little, in percent, by the setting."""
    table = (STUDIES / "ACCOUNTS.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.count("|") == 12]
    return {"excess": {row[0]: float(row[7].rstrip("%")) for row in rows if row[7].endswith("%")}}


def _draw_accounts(data: Data, ax: Axes) -> None:
    order = sorted(data["excess"], key=lambda name: data["excess"][name])
    ax.barh(range(len(order)), [data["excess"][name] for name in order], color=plots.WITHIN, height=0.6)
    ax.set_yticks(range(len(order)), order)
    ax.set(ylim=(len(order) - 0.4, -0.6), xlabel="percent of noise between proved enough and proved too little")


def store_rates(report: Path) -> None:
    """Store what a report has of rates: for each experiment the fitted exponents with their intervals, and the stated ones."""
    held = json.loads(report.read_text(encoding="utf-8"))
    plots_of = {of["title"]: of["plots"][0] for of in held["utility"] if of["plots"] and of["plots"][0]["kind"] == "intervals"}
    kept = {title: plot["estimates"] for title, plot in plots_of.items() if plot["reference"]}
    settings = {key: held["run"][key] for key in ("seed", "budget")}
    RATES.write_text(json.dumps({"settings": settings, "rates": kept}, indent=1) + "\n", encoding="utf-8")


def rates() -> Data:
    """Return the stored rates."""
    return dict(json.loads(RATES.read_text(encoding="utf-8"))["rates"])


def _draw_rates(data: Data, ax: Axes) -> None:
    names: list[str] = []
    for title, estimates in data.items():
        ax.text(0.01, len(names), title, transform=ax.get_yaxis_transform(), va="center", fontsize=8)
        plots.draw_estimates(estimates, ax, len(names) + 1)
        names += ["", *(each["name"] for each in estimates)]
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.4, -0.8), xlabel="fitted exponent with its interval; upright mark: stated")


#: File to its numbers, what draws them, and the height for so many rows.
FIGURES: dict[str, tuple[Callable[[], Data], Callable[[Data, Axes], None], Callable[[Data], float]]] = {
    "theorem-2": (theorem_2, plots.draw_curves, lambda _: plots.HEIGHT),
    "suite": (suite, _draw_suite, lambda data: 0.9 + 0.5 * len(data["shares"])),
    "power": (power, _draw_power, lambda data: 0.9 + 0.16 * len(data["bound"])),
    "validity": (validity, _draw_validity, lambda _: plots.HEIGHT),
    "accounts": (accounts, _draw_accounts, lambda data: 0.9 + plots.ROW * len(data["excess"])),
    "rates": (rates, _draw_rates, lambda data: 0.9 + plots.ROW * sum(1 + len(of) for of in data.values())),
    "peers": (peers, _draw_peers, lambda data: 0.9 + plots.ROW * len(data["mechanisms"])),
}


def digest(data: Data) -> str:
    """Return a digest of numbers, to six digits."""
    rounded = json.loads(json.dumps(data), parse_float=lambda text: f"{float(text):.6g}")
    return hashlib.sha256(json.dumps(rounded, sort_keys=True).encode()).hexdigest()


def main(arguments: list[str]) -> int:
    """Store the rates of a report that is named, and draw every file; return 0."""
    for report in arguments:
        store_rates(Path(report))
    FOLDER.mkdir(exist_ok=True)
    for name, (numbers, draw, height) in FIGURES.items():
        data = numbers()
        (FOLDER / f"{name}.svg").write_text(plots.file(draw, data, height(data), f"data {digest(data)}"), encoding="utf-8")
        sys.stdout.write(f"{Path(FOLDER.name) / name}.svg\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
