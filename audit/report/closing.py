"""The end of a run on the terminal: what is unexpected, a line for each utility experiment, the verdicts in 120 columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dppca.audit.report.document import number

WIDTH = 120
_HEAD = ("pair", "view", "claim", "bound", "exact", "verdict", "expected", "s")


def is_unexpected(row: Mapping[str, Any]) -> bool:
    """Whether the verdict is not the one that the audit must give."""
    return bool(row["verdict"] != row["expected"])


def verdicts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Unexpected rows with all that tells them apart, then a block of lines for each algorithm and reading."""
    lines = []
    wrong = [row for row in rows if is_unexpected(row)]
    for row in wrong:
        why = f" (claim {row['because']})" if row["because"] else ""
        lines += [f"UNEXPECTED: {row['verdict']}, it must be {row['expected']}{why}", f"    {row['id']}"]
    if wrong:
        lines.append("")
    cells = [_cells(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*([_HEAD, *cells] if cells else [_HEAD]), strict=True)]
    widths[0] = max(len(_HEAD[0]), min(widths[0], WIDTH - sum(widths[1:]) - 2 * len(widths)))
    lines += [_line(_HEAD, widths), "-" * WIDTH]
    group = None
    for row, row_cells in zip(rows, cells, strict=True):
        if group != (row["algorithm"], row["choice"]):
            group = (row["algorithm"], row["choice"])
            lines.append(crop(f"{row['algorithm']}, {row['choice']}", WIDTH))
        lines.append(_line(row_cells, widths))
    return lines


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        row["instance"],
        row["view"],
        f"({row['epsilon']:.4g}, {row['delta']:.4g})",
        _epsilon(row["lower_bound"]),
        "" if row["exact_epsilon"] is None else _epsilon(row["exact_epsilon"]),
        row["verdict"],
        "NO" if is_unexpected(row) else "yes",
        f"{row['seconds']:.1f}",
    )


def _epsilon(value: float | str) -> str:
    epsilon = number(value)
    return f"{epsilon:.3f}" if math.isfinite(epsilon) else "inf"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  " + "  ".join(crop(cell, width).ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def crop(text: str, width: int) -> str:
    """The text, shortened to a width where it is longer."""
    return text if len(text) <= width else f"{text[: width - 3]}..."


def utility(experiments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each experiment: what it is, and its first note or its size."""
    for experiment in experiments:
        said = experiment["notes"][0] if experiment["notes"] else f"{len(experiment['rows'])} rows"
        yield crop(f"{experiment['title']}: {said}", WIDTH)
