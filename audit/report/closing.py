"""Verdicts on the terminal: a line as each arrives; at the end what is unexpected, utility experiments, and a table."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dppca.audit.report.document import number

WIDTH = 120
#: Columns of the table, and which of them a terminal has room for that is narrower than NARROW.
_HEAD = ("pair", "view", "claim", "bound", "exact", "verdict", "expected", "s")
_FEW = ("pair", "claim", "bound", "verdict", "expected")
NARROW = 100


def width() -> int:
    """Return how many columns a line may have: those of the terminal, at most WIDTH, which a file has too."""
    return max(60, min(WIDTH, shutil.get_terminal_size((WIDTH, 0)).columns))


def arrived(row: Mapping[str, Any]) -> str:
    """Return the line of one verdict, to be told as soon as it is known."""
    start = "UNEXPECTED: " if is_unexpected(row) else ""
    found = f"epsilon {'is' if row['view'] == 'exact' else '>='} {_epsilon(row['lower_bound'])}"
    return crop(f"{start}{row['verdict']:11}  {found}, claimed {claim_of(row)}; {row['id']}", width())


def is_unexpected(row: Mapping[str, Any]) -> bool:
    """Return whether the verdict is not the one that the audit must give at its budget."""
    return bool(row["verdict"] != row["expected"] and not row.get("inconclusive"))


def verdicts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return unexpected rows with all that tells them apart, then a block of lines for each algorithm and reading."""
    lines = []
    wrong = [row for row in rows if is_unexpected(row)]
    for row in wrong:
        why = f" (claim {row['because']})" if row["because"] else ""
        lines += [f"UNEXPECTED: {row['verdict']}, it must be {row['expected']}{why}", f"    {row['id']}"]
    if wrong:
        lines.append("")
    columns = width()
    shown = [_HEAD.index(name) for name in (_HEAD if columns >= NARROW else _FEW)]
    head, *cells = [[line[i] for i in shown] for line in (_HEAD, *map(_cells, rows))]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    widths[0] = max(len(head[0]), min(widths[0], columns - sum(widths[1:]) - 2 * len(widths)))
    lines += [_line(head, widths), "-" * columns]
    group = None
    for row, row_cells in zip(rows, cells, strict=True):
        if group != (row["algorithm"], row["choice"]):
            group = (row["algorithm"], row["choice"])
            lines.append(crop(f"{row['algorithm']}, {row['choice']}", columns))
        lines.append(_line(row_cells, widths))
    return lines


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        row["instance"],
        row["view"],
        claim_of(row),
        _epsilon(row["lower_bound"]),
        "" if row["exact_epsilon"] is None else _epsilon(row["exact_epsilon"]),
        row["verdict"],
        "NO" if is_unexpected(row) else "inconclusive" if row.get("inconclusive") else "yes",
        f"{row['seconds']:.1f}",
    )


def claim_of(row: Mapping[str, Any]) -> str:
    """Return the claim of an audit as a pair of numbers."""
    return f"({row['epsilon']:.4g}, {row['delta']:.4g})"


def _epsilon(value: float | str) -> str:
    epsilon = number(value)
    return f"{epsilon:.3f}" if math.isfinite(epsilon) else "inf"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  " + "  ".join(crop(cell, width).ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def crop(text: str, width: int) -> str:
    """Return the text, shortened to a width where it is longer."""
    return text if len(text) <= width else f"{text[: width - 3]}..."


def utility(experiments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each experiment: what it is, and its first note or its size."""
    for experiment in experiments:
        said = experiment["notes"][0] if experiment["notes"] else f"{len(experiment['rows'])} rows"
        yield crop(f"{experiment['title']}: {said}", width())
