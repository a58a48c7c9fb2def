"""What a calibration rests on, beside the numbers that it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dppca.reference.declaration import TheoremCondition


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """The grounds of a calibration.

    Attributes:
        sizes: the public sizes that it was made for.
        conditions: what the paper's theorem asks for; empty where the noise comes from an account.
        assumptions: what an account that is not certified rests on.
        certificate: the proof that the noise is enough; None where the noise is the published one, or a float estimate.
            `certificate.to_json()` is read by `accounting.read_certificate`.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    conditions: tuple[TheoremCondition, ...] = ()
    assumptions: tuple[str, ...] = ()
    certificate: Any = field(default=None, repr=False)

    @property
    def certified(self) -> bool:
        """Return whether it has been proved that the noise is enough."""
        return self.certificate is not None

    @property
    def conditions_hold(self) -> bool:
        """Return whether every condition of the theorem holds."""
        return all(condition.holds for condition in self.conditions)
