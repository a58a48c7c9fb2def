"""Limits of a run."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dppca.audit.execution import runner


@pytest.mark.parametrize("call_timeout", [0.0, -1.0, math.inf, math.nan, "1", None])
def test_a_time_limit_is_a_positive_number(call_timeout: Any) -> None:
    if call_timeout is None:
        runner.checked_limits(1, call_timeout, None, False)
        return
    with pytest.raises(ValueError, match="call_timeout must be finite and > 0, got"):
        runner.checked_limits(1, call_timeout, None, False)
