"""Planted bugs: the mistakes that ports make, each as a patch of the reference.

A case names the bugs that it catches: those with which the reference no longer gives the case's output. The generator
finds them by planting each one, so the names are facts, not intentions.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from dppca.reference import declaration
from dppca.reference import noise as seam
from dppca.reference.conformance.draws import unpack
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue, algorithm_5_mean, hyperparameter_search
from dppca.reference.liu2022.data import check_data, clip, normalise
from dppca.reference.noise import Array, ExponentialLaw, GaussianLaw, LaplaceLaw, Noise, ReleaseLaw, Tape, ThresholdedLaplaceLaw
from dppca.reference.primitives.orthonormal import polar_factor, qr_factor
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw
from dppca.reference.rigour.validation import check_rows, check_step_sizes, check_unit_rows
from dppca.reference.singhal2021 import algorithm_2_approximate, gap_max

Plant = Callable[[], AbstractContextManager[Any]]


def _everywhere(function: Callable[..., Any], wrong: Callable[..., Any]) -> list[Any]:
    """Return patches of a function under its own name in every module of `reference` that has it, other than this one."""
    modules = [m for name, m in sys.modules.items() if name.startswith("dppca.reference.") and name != __name__]
    name = function.__name__
    return [mock.patch.object(m, name, wrong) for m in modules if vars(m).get(name) is function]


def _numpy_in(modules: tuple[ModuleType, ...], **wrong: Callable[..., Any]) -> list[Any]:
    """Return patches of numpy functions, in some modules alone."""
    return [mock.patch.object(module, "np", SimpleNamespace(**{**vars(np), **wrong})) for module in modules]


def _release_of(law: type[ReleaseLaw], change: Callable[[Any, Array], tuple[Any, Array]]) -> Any:
    """Return a patch of a law's releases: they become those that it makes of another (law, draw)."""
    apply = law.apply

    def wrong(law: ReleaseLaw, value: Array, draw: Array) -> Any:
        changed, other_draw = change(law, draw)
        return apply(changed, value, other_draw)

    return mock.patch.object(law, "apply", wrong)


def _bug(patches: Callable[[], list[Any]]) -> Plant:
    @contextmanager
    def plant() -> Iterator[None]:
        with ExitStack() as stack, np.errstate(all="ignore"):
            for patch in patches():
                stack.enter_context(patch)
            yield

    return plant


def _noise_sign() -> list[Any]:
    noise = TruncatedLaplaceLaw.noise
    laws = (GaussianLaw, LaplaceLaw, ThresholdedLaplaceLaw, SparseHistogramLaw, ExponentialLaw)
    patches = [_release_of(law, lambda law, draw: (law, -draw)) for law in laws]
    return [*patches, mock.patch.object(TruncatedLaplaceLaw, "noise", lambda law, draw: -noise(law, draw))]


def _variance_for_deviation() -> list[Any]:
    return [_release_of(GaussianLaw, lambda law, draw: (replace(law, std=law.std**2), draw))]


def _at_least_the_threshold() -> list[Any]:
    def lower(law: Any) -> Any:
        return replace(law, threshold=math.nextafter(law.threshold, -math.inf))

    return [_release_of(law, lambda law, draw: (lower(law), draw)) for law in (ThresholdedLaplaceLaw, SparseHistogramLaw)]


def _no_clipping() -> list[Any]:
    unclipped = _numpy_in((algorithm_5_mean, hyperparameter_search), clip=lambda array, *_: array)
    return [*_everywhere(clip, lambda g, *_: g), *unclipped]


def _smallest_eigenvectors() -> list[Any]:
    return _everywhere(principal_subspace, lambda matrix, k: np.linalg.eigh(matrix)[1][:, :k])


def _rows_off_by_one() -> list[Any]:
    """Return row i + 1 for row i, the first one last: what a batch that starts one record late sees."""
    patches = [mock.patch.object(declaration, "check_rows", lambda *args: np.roll(check_rows(*args), -1, axis=0))]
    for check in (check_unit_rows, check_data):
        patches += _everywhere(check, lambda *args, check=check: np.roll(check(*args), -1, axis=0))
    return patches


def _rows_rescaled() -> list[Any]:
    """Divide rows by the longest one, so that the data decide how long all of them are."""

    def wrong(*args: Any) -> Array:
        rows = check_unit_rows(*args)
        return np.asarray(rows / max(float(np.max(np.linalg.norm(rows, axis=1))), 1e-300))

    return _everywhere(check_unit_rows, wrong)


def _indices_from_one() -> list[Any]:
    integers, permutation = Noise.secret_integers, Noise.secret_permutation

    def next_integers(noise: Noise, name: str, high: int, shape: Sequence[int]) -> Array:
        return np.asarray((integers(noise, name, high, shape) + 1) % high)

    def next_permutation(noise: Noise, name: str, n: int) -> Array:
        return np.asarray((permutation(noise, name, n) + 1) % n)

    return [
        mock.patch.object(Noise, "secret_integers", next_integers),
        mock.patch.object(Noise, "secret_permutation", next_permutation),
    ]


def _step_sizes_off_by_one() -> list[Any]:
    return _everywhere(check_step_sizes, lambda *args: np.roll(check_step_sizes(*args), 1))


def _no_orthonormalising() -> list[Any]:
    functions = (normalise, polar_factor, qr_factor)
    return [patch for function in functions for patch in _everywhere(function, lambda matrix: matrix)]


def _last_of_ties() -> list[Any]:
    modules = (
        algorithm_4_top_eigenvalue,
        algorithm_5_mean,
        algorithm_2_approximate,
        gap_max,
        seam,
    )
    return _numpy_in(modules, argmax=lambda array: len(array) - 1 - np.argmax(array[::-1]))


def _column_major() -> list[Any]:
    def wrong(draws: Any) -> Tape:
        entries = unpack(draws).entries
        return Tape(tuple(replace(e, draw=np.reshape(np.ravel(e.draw), np.shape(e.draw), order="F")) for e in entries))

    return _everywhere(unpack, wrong)


#: Every planted bug by its name. Two more need no patch: another reading of the paper, and an answer where none is due.
BUGS: Mapping[str, Plant] = MappingProxyType(
    {
        "noise-sign": _bug(_noise_sign),
        "variance-for-deviation": _bug(_variance_for_deviation),
        "at-least-the-threshold": _bug(_at_least_the_threshold),
        "no-clipping": _bug(_no_clipping),
        "smallest-eigenvectors": _bug(_smallest_eigenvectors),
        "rows-off-by-one": _bug(_rows_off_by_one),
        "rows-rescaled": _bug(_rows_rescaled),
        "indices-from-one": _bug(_indices_from_one),
        "step-sizes-off-by-one": _bug(_step_sizes_off_by_one),
        "no-orthonormalising": _bug(_no_orthonormalising),
        "last-of-ties": _bug(_last_of_ties),
        "column-major-draws": _bug(_column_major),
    }
)
OTHER_READING = "other-reading"
NO_REFUSAL = "no-refusal"
