"""What an implementation is to the conformance suite, and the reference as one."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.conformance.draws import Observed, unpack
from dppca.reference.conformance.tracer import Trace
from dppca.reference.noise import Algorithm


class Implementation(Protocol):
    """An implementation of the catalogue's algorithms; it may also have `supports(algorithm, choice) -> bool`."""

    def run(
        self,
        *,
        algorithm: str,
        choice: str,
        parameters: Mapping[str, Any],
        calibration: Any,
        inputs: Mapping[str, Any],
        draws: Sequence[Mapping[str, Any]],
    ) -> Mapping[str, Any]:
        """Run one case.

        Args:
            algorithm: key of the catalogue.
            choice: name of the reading.
            parameters: privacy target and arguments of the algorithm.
            calibration: what the reference derives from them, rounded; for implementations that do not calibrate. None if
                the case is to be refused, or the algorithm needs no calibration.
            inputs: the data, by the name of the argument.
            draws: the tape: every draw in the order in which it is asked for.

        Returns:
            "output"; optionally "calibration", "releases" and "intermediates", which are then compared too.

        Raises:
            ValueError: the parameters or the inputs are refused; the message names the argument.
        """


class Reference:
    """The implementation by the catalogue itself; answers with everything that it computes, or faster without intermediates."""

    def __init__(self, *, trace: bool = True) -> None:
        self._trace = trace

    def run(
        self,
        *,
        algorithm: str,
        choice: str,
        parameters: Mapping[str, Any],
        calibration: Any,  # noqa: ARG002 -- the reference calibrates
        inputs: Mapping[str, Any],
        draws: Sequence[Mapping[str, Any]],
    ) -> dict[str, Any]:
        """Run one case; see `Implementation.run`."""
        entry = ALGORITHMS[algorithm]
        noise = Observed(unpack(draws))
        if not self._trace:
            output = _bound(algorithm, choice, json.dumps(parameters))(data_of(algorithm, inputs), noise)
            noise.finish()
            return {"output": output}
        with Trace(_module(algorithm), entry.calibrate) as trace:
            run = entry.bind(**parameters, choices=entry.choices[choice])
            output = run(data_of(algorithm, inputs), noise)
        noise.finish()
        return {
            "output": output,
            "calibration": trace.calibration,
            "releases": noise.releases,
            "intermediates": [vars(seen) for seen in trace.intermediates],
        }


@cache
def _bound(algorithm: str, choice: str, parameters: str) -> Algorithm[Any]:
    """Return an algorithm with its calibration, which may take a while."""
    entry = ALGORITHMS[algorithm]
    return entry.bind(**json.loads(parameters), choices=entry.choices[choice])


def _module(algorithm: str) -> Any:
    return inspect.getmodule(ALGORITHMS[algorithm].function)


def data_name(algorithm: str) -> str:
    """Return the name of the argument that holds the data."""
    return ALGORITHMS[algorithm].data_name


def data_of(algorithm: str, inputs: Mapping[str, Any]) -> Any:
    """Return the data of a case as the algorithm takes them: exact rows as lists, all others as arrays."""
    data = inputs[data_name(algorithm)]
    return data if isinstance(ALGORITHMS[algorithm].example.data, list) else np.asarray(data, dtype=float)


#: What the conformance suite runs when it is not told otherwise.
reference = Reference()
