"""Whether a report may be written to a place: it can be, and nothing is lost that was not one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dppca.audit.report import document
from dppca.reference.command_line import takes_files

#: How a page begins that this package wrote.
_PAGE = ("<!DOCTYPE html>", "<title>Privacy audit, ")


def replaceable_page(path: Path) -> bool:
    """Return whether nothing is at the path, or an earlier page."""
    if not path.exists():
        return True
    try:
        head = document.text_of(path, 2000)
    except (OSError, ValueError):
        return False
    return head.startswith(_PAGE[0]) and _PAGE[1] in head


def check_report(path: Path, formats: Mapping[str, int] = document.SUITE) -> None:
    """Raise ValueError where a report, or its page, cannot be written, or would replace what is none of these formats."""
    page = path.with_suffix(".html") if path.name else path
    if path.suffix == ".html":
        raise ValueError(f"--report must not end in .html, the name of the page beside it, got {str(path)!r}")
    for place in (path, page):
        there = next(each for each in (place, *place.absolute().parents) if each.exists())
        is_file = there == place and there.is_file()
        folder = place.parent if is_file else there
        if (there == place and not is_file) or not folder.is_dir() or not takes_files(folder):
            raise ValueError(f"--report: {str(place)!r} cannot be written: {str(there)!r} is in the way, or may not be changed")
    if path.exists():
        try:
            document.of_format(path, formats)
        except (OSError, ValueError) as error:
            raise ValueError(f"--report must be a new file or an earlier report, got {str(path)!r}") from error
    if not replaceable_page(page):
        raise ValueError(f"--report must leave {str(page)!r} alone, which is no earlier page: give another name")
