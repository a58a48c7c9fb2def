"""`python -m dppca.reference.cite liu2022.dp_pca`: the BibTeX entries to cite for an algorithm."""

from __future__ import annotations

import sys

from dppca.reference.cite import UnknownAlgorithmError, cite
from dppca.reference.command_line import Parser


def main(arguments: list[str] | None = None) -> int:
    """Print the citation and return 0; end with status 2 where there is no such algorithm."""
    parser = Parser(prog="python -m dppca.reference.cite", description="Print what to cite for an algorithm.")
    parser.add_argument("algorithm", help='its key, such as "liu2022.dp_pca"')
    try:
        sys.stdout.write(cite(parser.parse_args(arguments).algorithm))
    except UnknownAlgorithmError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
