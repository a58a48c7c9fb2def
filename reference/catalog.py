"""Every algorithm of the project: where it comes from, what it claims, and how to run it.

`ALGORITHMS` maps a key such as "wang2020.local_gaussian_mechanism" to its entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dppca.reference.baselines import entries as baselines_entries
from dppca.reference.entry import Entry, Example
from dppca.reference.liu2022 import entries as liu2022_entries
from dppca.reference.shang2021 import entries as shang2021_entries
from dppca.reference.singhal2021 import entries as singhal2021_entries
from dppca.reference.wang2020 import entries as wang2020_entries

__all__ = ["ALGORITHMS", "Entry", "Example"]

ALGORITHMS: Mapping[str, Entry] = MappingProxyType(
    {
        **liu2022_entries.ENTRIES,
        **wang2020_entries.ENTRIES,
        **singhal2021_entries.ENTRIES,
        **shang2021_entries.ENTRIES,
        **baselines_entries.ENTRIES,
    }
)
