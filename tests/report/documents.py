"""Parts of reports that are as the schema says."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

RUN = MappingProxyType(
    {
        "command": "python -m pytest audit/ --seed 1 --budget quick",
        "seed": 1,
        "budget": "quick",
        "implementation": None,
        "family_error": 0.01,
        "sampled_audits": 97,
        "seconds": 12.5,
        "tests_planned": 7,
        "outcomes": {"failed": 2, "passed": 4, "skipped": 1},
        "date": "2024-06-01T00:00:00Z",
        "python": "3.11.7",
        "platform": "Linux x86_64",
        "versions": {"numpy": "2.4.6"},
    }
)


def audit_row(**changes: Any) -> dict[str, Any]:
    """Return what a report has of an audit, with other values of some fields."""
    return {
        "test": "audit/suite/test_privacy.py::test_verdict[paper.algorithm-AS_PRINTED-output-pair-(1,0.01)]",
        "id": "paper.algorithm-AS_PRINTED-output-pair-(1,0.01)",
        "algorithm": "paper.algorithm",
        "choice": "AS_PRINTED",
        "view": "output",
        "instance": "pair",
        "epsilon": 1.0,
        "delta": 0.01,
        "lower_bound": 1.25,
        "confidence": 0.9999,
        "exact_epsilon": 1.5,
        "implementation": "batched",
        "trials": 12_345,
        "verdict": "REFUTED",
        "expected": "REFUTED",
        "because": "paper.theorem-1",
        "seconds": 0.5,
        "seed": 987654321,
        "event": "for data: output > 2.5",
        "secrets": [],
        "pair": "n = 1, d = 2: (1, 0) replaced by (0, 1)",
        "curves": {
            "exact": [[0.0, 0.3], [1.0, 0.02], [2.0, 0.0]],
            "estimated": [[0.0, 0.29, 0.2, 0.4], [1.0, 0.03, 0.01, 0.1], [2.0, 0.0, 0.0, 0.05]],
        },
    } | changes
