"""The batched implementations as one for the conformance suite, a trial at a time.

pytest reference/conformance --implementation dppca.audit.batched.conformance:implementation
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dppca.audit.batched.registry import KEYS, sampler
from dppca.reference.conformance.draws import unpack
from dppca.reference.conformance.implementation import data_of


class Conformance:
    """The batched implementations as one for the conformance suite, which answers with outputs alone."""

    def supports(self, algorithm: str, choice: str) -> bool:  # noqa: ARG002 - every reading of these
        """Return whether there is a batched implementation."""
        return algorithm in KEYS

    def run(
        self,
        *,
        algorithm: str,
        choice: str,
        parameters: Mapping[str, Any],
        calibration: Any,  # noqa: ARG002 - it calibrates
        inputs: Mapping[str, Any],
        draws: Sequence[Mapping[str, Any]],
    ) -> dict[str, Any]:
        """Run one case; see `dppca.reference.conformance.implementation.Implementation.run`."""
        batched = sampler(algorithm, choice, parameters)
        if batched is None:
            raise TypeError(f"{algorithm} must have a batched implementation")
        data = data_of(algorithm, inputs)
        if draws:
            return {"output": batched.run(data, batched.draws_of(data, [unpack(draws)]))[0]}
        return {"output": batched.sample(data, 1, np.random.default_rng(0))[0]}  # a case without draws is to be refused


implementation = Conformance()
