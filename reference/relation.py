"""The neighbouring relations."""

from __future__ import annotations

from enum import Enum


class Relation(Enum):
    """The relations under which two datasets can be neighbours; the value states it in words."""

    REPLACE_ONE = "replace-one, n public"
    ADD_REMOVE = "one record more or less"
    LOCAL = "local: any two rows of the domain, for one client"
