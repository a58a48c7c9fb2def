"""`dppca guide NAME`: print one of the guides, or without a name their names."""

from __future__ import annotations

import re
import sys
from os.path import normpath
from pathlib import Path

from dppca.reference.command_line import DONE, Parser
from dppca.reference.usage import did_you_mean

#: Where the guides are: in the package, or in a checkout.
FOLDER = Path(__file__).resolve().parent / "guides"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def main(arguments: list[str] | None = None) -> int:
    """Return 0; 2 where there is no such guide."""
    parser = Parser(prog="dppca guide", description=__doc__)
    parser.add_argument("name", nargs="?", help="name of the guide")
    name = parser.parse_args(arguments).name
    guides = {path.stem: path for path in [*sorted(FOLDER.glob("*.md")), *sorted(FOLDER.glob("examples/*.md"))]}
    if name is None:
        width = max(map(len, guides))
        sys.stdout.write("".join(f"{stem:{width}}  {_title(path)}\n" for stem, path in guides.items()))
        return DONE
    if name not in guides:
        parser.error(f"NAME must be one of {', '.join(guides)}, got {name!r}{did_you_mean(name, guides)}")
    sys.stdout.write(for_a_terminal(guides[name], set(guides.values())))
    return DONE


def for_a_terminal(guide: Path, guides: set[Path]) -> str:
    """Return a guide in which each link says what leads there: a command, a file that is here, or one of the repository."""

    def shown(link: re.Match[str]) -> str:
        picture, words, target = link.groups()
        path, _, heading = target.partition("#")
        there = Path(normpath(guide.parent / path))
        if not path:
            where = f'below: "{heading.replace("-", " ")}"'
        elif "://" in target:
            where = target
        elif there in guides:
            where = f"`dppca guide {there.stem}`"
        elif there.exists():
            where = str(there)
        else:
            where = f"{there.relative_to(FOLDER.parents[1])} in the repository"
        return f"{'Picture: ' * bool(picture)}{words} [{where}]"

    prose_and_code = guide.read_text(encoding="utf-8").split("```")
    return "```".join(part if i % 2 else _LINK.sub(shown, part) for i, part in enumerate(prose_and_code))


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


if __name__ == "__main__":
    sys.exit(main())
