"""No test of the project depends on how busy the machine is; what several folders' tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("any speed", deadline=None)
settings.load_profile("any speed")


@pytest.fixture
def without_new_processes() -> Iterator[None]:
    """Let audits draw no trials in new interpreters, which take more time than all else of a small audit.

    For tests of what is decided from outputs, wherever these were drawn; tests/execution/test_independence.py is about those.
    """
    from dppca.audit.execution.independence import in_this_process_alone  # noqa: PLC0415 - slow to import, for a few tests

    with in_this_process_alone():
        yield
