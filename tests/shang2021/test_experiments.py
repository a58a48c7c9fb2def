"""What the experiments say of their data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def test_the_sparsity_of_a9a_in_table_2_is_its_density() -> None:
    path = Path(os.environ.get("DPPCA_DATA", ""), "a9a.svmlight")
    if not path.is_file():
        pytest.skip("needs the directory with a9a.svmlight in DPPCA_DATA")
    with path.open() as lines:
        entries = [sum(1 for _ in line.split()[1:]) for line, _ in zip(lines, range(32561), strict=False)]
    assert len(entries) == 32561
    assert round(100 * sum(entries) / (32561 * 123), 4) == 11.2757
