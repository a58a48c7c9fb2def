"""What an entry of the table of planted bugs says."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tests.meta.audits import Audit, Finding
from tests.meta.planting import Edit, planted

Layer: TypeAlias = Literal[
    "noise",
    "sensitivity",
    "clipping",
    "threshold",
    "batch",
    "composition",
    "calibration",
    "secret",
    "data-dependent parameter",
    "leak",
    "float",
]


@dataclass(frozen=True)
class Bug:
    """A planted bug, and the audit that looks for it. Without the bug the same audit must not object.

    Attributes:
        name: unique, in words.
        subject: key of the algorithm in the catalogue, or "primitives." and a module.
        layer: what is wrong.
        edits: how it is planted.
        audit: makes the audit, with the bug planted or without; what it calibrates is calibrated then.
        trials: runs per dataset: more than the view's standard budget where that does not find it, fewer where they are
            slow and fewer do; None: the standard budget.
        missed: why no budget here finds it; empty if one does.
        behind: why no audit of `pytest audit/` is meant to see it; empty if one is.
    """

    name: str
    subject: str
    layer: Layer
    edits: tuple[Edit, ...]
    audit: Callable[[], Audit]
    trials: int | None = None
    missed: str = ""
    behind: str = ""

    @property
    def id(self) -> str:
        """Subject and name."""
        return f"{self.subject}: {self.name}"

    @functools.cached_property
    def sound_audit(self) -> Audit:
        """The audit of the code as it is."""
        return self.audit()

    @property
    def view(self) -> str:
        """The view that looks for it."""
        return self.sound_audit.view

    @property
    def budget(self) -> int:
        """Runs per dataset that the table's entry takes."""
        return self.sound_audit.standard if self.trials is None else self.trials

    def find(self) -> Finding:
        """The audit with the bug planted."""
        budget = self.budget  # known before the bug is there, for it is kept
        with planted(self.edits):
            return self.audit().run(budget)

    def sound(self) -> Finding:
        """The same audit of the code as it is."""
        return self.sound_audit.run(self.budget)
