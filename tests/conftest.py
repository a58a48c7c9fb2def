"""No test of the project depends on how busy the machine is."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("any speed", deadline=None)
settings.load_profile("any speed")
