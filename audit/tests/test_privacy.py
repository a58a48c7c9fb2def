"""Every privacy claim in every view: what is false must be REFUTED, what is true must not be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dppca.audit.suite.instance import Instance, Row


def test_verdict(instance: Instance, audit_run: Callable[[Instance], Row]) -> None:
    row = audit_run(instance)
    assert row.verdict == instance.expected, row
    if row.view == "exact":
        assert instance.exact_epsilon is None or row.lower_bound == pytest.approx(instance.exact_epsilon, abs=1e-5)
