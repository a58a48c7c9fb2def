"""The examples in the docstrings of `dppca.audit` run, and give what they say."""

from __future__ import annotations

import doctest

import pytest

from dppca import audit

#: What has no example: results, errors and the store, which examples of other objects and the guides show.
WITHOUT = {"LowerBound", "MechanismError", "PairBound", "Store", "StoreError", "Verdict", "VersionError", "rerun"}
EXAMPLES = {name: doctest.DocTestFinder(recurse=False).find(getattr(audit, name), name)[0] for name in audit.__all__}


def test_all_but_results_and_errors_have_an_example() -> None:
    assert {name for name, example in EXAMPLES.items() if not example.examples} == WITHOUT


@pytest.mark.parametrize("name", [name for name, example in EXAMPLES.items() if example.examples])
def test_an_example_gives_what_it_says(name: str) -> None:
    said: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(EXAMPLES[name], out=said.append).failed == 0, "".join(said)
