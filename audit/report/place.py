"""Whether a file may be replaced by a report: nothing is lost that was not one."""

from __future__ import annotations

from pathlib import Path

from dppca.audit.report import document

#: How a page begins that this package wrote.
_PAGE = ("<!DOCTYPE html>", "<title>Privacy audit, ")


def replaceable_page(path: Path) -> bool:
    """Whether nothing is at the path, or an earlier page."""
    if not path.exists():
        return True
    try:
        head = path.read_text(encoding="utf-8")[:2000]
    except (OSError, ValueError):
        return False
    return head.startswith(_PAGE[0]) and _PAGE[1] in head


def check_report(path: Path) -> None:
    """ValueError where the report of a run, or the page beside it, would replace anything but an earlier one."""
    if path.suffix == ".html":
        raise ValueError(f"--report must not end in .html, which is the page beside it, got {str(path)!r}")
    if path.exists():
        try:
            document.read(path)
        except (OSError, ValueError) as error:
            raise ValueError(f"--report must be a new file or an earlier report, got {str(path)!r}") from error
    page = path.with_suffix(".html")
    if not replaceable_page(page):
        raise ValueError(f"--report must leave {str(page)!r} alone, which is no earlier page: give another name")
