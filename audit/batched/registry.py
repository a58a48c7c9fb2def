"""Which algorithms have a batched implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.batched.base import Batched
from dppca.audit.batched.gaussian_subspace import AnalyzeGauss, LocalGaussian, LocalGaussianMessage, ModSulq
from dppca.audit.batched.noisy_steps import DPSPCA, DPVRPCA, NoisyPowerMethod, NoisySteps, PrivateOja
from dppca.reference.catalog import ALGORITHMS

_MAKERS: Mapping[str, Callable[..., Batched]] = {
    "baselines.analyze_gauss": AnalyzeGauss.bind,
    "baselines.mod_sulq": ModSulq.bind,
    "baselines.noisy_power_method": NoisyPowerMethod.bind,
    "liu2022.private_oja": PrivateOja.bind,
    "shang2021.dp_spca": DPSPCA.bind,
    "shang2021.dp_vrpca": DPVRPCA.bind,
    "wang2020.local_gaussian_mechanism": LocalGaussian.bind,
    "wang2020.local_gaussian_mechanism:messages": LocalGaussianMessage.bind,
    "wang2020.local_gaussian_mechanism_high_dimension:messages": LocalGaussianMessage.bind,
}
#: Keys of the catalogue, and those with ":messages" for one client of a local protocol.
KEYS = tuple(_MAKERS)


def sampler(key: str, choice: str, arguments: Mapping[str, Any], start: NDArray[np.float64] | None = None) -> Batched | None:
    """Return the batched implementation of an algorithm as a catalogued choice reads it; None where there is none.

    Args:
        key: of the catalogue; with ":messages" after it, one client of a local protocol.
        choice: a name among the entry's choices; of any other there is none.
        arguments: those of the entry's `bind`.
        start: the public start of an iteration, (d, k), in all trials; None for a random one.
    """
    entry = ALGORITHMS[key.removesuffix(":messages")]
    if key not in _MAKERS or choice not in entry.choices:
        return None
    made = _MAKERS[key](**arguments, calibrate=entry.calibrate, choices=entry.choices[choice])
    if start is None:
        return made
    return replace(made, start=start) if isinstance(made, NoisySteps) else None
