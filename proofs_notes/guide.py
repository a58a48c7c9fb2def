"""`dppca guide NAME`: print one of the guides, or without a name their names."""

from __future__ import annotations

import sys
from pathlib import Path

from dppca.reference.command_line import DONE, Parser
from dppca.reference.suggestion import did_you_mean

_FOLDER = Path(__file__).resolve().parent / "guides"


def main(arguments: list[str] | None = None) -> int:
    """Return 0; 2 where there is no such guide."""
    parser = Parser(prog="dppca guide", description=__doc__)
    parser.add_argument("name", nargs="?", help="name of the guide")
    name = parser.parse_args(arguments).name
    guides = {path.stem: path for path in [*sorted(_FOLDER.glob("*.md")), *sorted(_FOLDER.glob("examples/*.md"))]}
    if name is None:
        width = max(map(len, guides))
        sys.stdout.write("".join(f"{stem:{width}}  {_title(path)}\n" for stem, path in guides.items()))
        return DONE
    if name not in guides:
        parser.error(f"NAME must be one of {', '.join(guides)}, got {name!r}{did_you_mean(name, guides)}")
    sys.stdout.write(guides[name].read_text(encoding="utf-8"))
    return DONE


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


if __name__ == "__main__":
    sys.exit(main())
