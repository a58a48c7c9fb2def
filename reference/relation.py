"""The neighbouring relations."""

from __future__ import annotations

from enum import Enum


class Relation(Enum):
    """The relations that say which two datasets are neighbours; the value says it in words."""

    REPLACE_ONE = "replace-one, n public"
    ADD_REMOVE = "one record more or less"
    LOCAL = "local: any two rows of the domain, for one client"
