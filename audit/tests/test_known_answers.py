"""The reference draws the noise of its known answers."""

from __future__ import annotations

import pytest

from dppca.audit.suite.known_answers import wrong_answers
from dppca.reference.catalog import ALGORITHMS

PRIVATE = {f"{key}-": key for key, entry in ALGORITHMS.items() if entry.private}


@pytest.mark.parametrize("key", PRIVATE)
def test_releases_and_outputs_are_the_known_ones(key: str) -> None:
    assert not wrong_answers(PRIVATE[key])
