"""Every privacy claim in every view: what is false must be REFUTED, what is true must not be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dppca.audit.suite.instance import Instance, Row, unexpected


def test_verdict(instance: Instance, audit_run: Callable[[Instance], Row]) -> None:
    row = audit_run(instance)
    problems = unexpected(row)
    if problems:
        pytest.fail(f"{instance.id}: {'; '.join(problems)}", pytrace=False)
