"""Generators that belong to the process, seeded for each block of trials; and datasets, which must stay as they are."""

from __future__ import annotations

import hashlib
import pickle
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from dppca.audit.execution.batches import BatchError

#: Words of a seed that numpy's generators take; those of the process take the next ones.
_OWN_WORDS = 8
#: What the functions of numpy.random draw from.
_numpys: Any = np.random.mtrand._rand  # noqa: SLF001 - numpy has no other name for it


def seedable() -> tuple[str, ...]:
    """Return the libraries loaded so far whose generators `reseed` seeds."""
    return ("random", "numpy", *(name for name in ("torch",) if hasattr(sys.modules.get(name), "manual_seed")))


def reseed(seed: np.random.SeedSequence) -> None:
    """Seed the generators of the process: numpy's, Python's and torch's own."""
    words = seed.generate_state(_OWN_WORDS + 4)[_OWN_WORDS:]
    _numpys.seed(words)
    word = int.from_bytes(words.tobytes()[:8], "little")
    random.seed(word)
    if "torch" in seedable():
        sys.modules["torch"].manual_seed(word % 2**63)


@contextmanager
def generators_put_back() -> Iterator[None]:
    """Put the generators of the process back afterwards, as they are now."""
    numpys, pythons = _numpys.get_state(legacy=False), random.getstate()
    torchs = sys.modules["torch"].get_rng_state() if "torch" in seedable() else None
    try:
        yield
    finally:
        _numpys.set_state(numpys)
        random.setstate(pythons)
        if torchs is not None:
            sys.modules["torch"].set_rng_state(torchs)


# --- datasets -----------------------------------------------------------------------------------------


def fingerprint(value: Any) -> bytes:
    """Return a digest of a dataset made of Python's and numpy's own types, in which nothing is cached; of any other nothing."""
    content = hashlib.blake2b(digest_size=16)
    if _is_plain(value):
        with suppress(Exception):  # what holds functions, say
            content.update(pickle.dumps(value, protocol=5, buffer_callback=lambda buffer: content.update(buffer.raw())))
            return content.digest()
    return b""


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, value.keys())) and all(map(_is_plain, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(_is_plain, value))
    if isinstance(value, np.ndarray) and value.dtype.hasobject:  # of others, whose own code would pickle them
        return value.dtype == object and all(map(_is_plain, value.ravel()))
    return type(value).__module__ in ("builtins", "numpy", "collections")


@contextmanager
def unchanged(datasets: Sequence[Any], advice: str, offset: Callable[[int], int]) -> Iterator[None]:
    """Raise BatchError where one of the datasets is another one afterwards; `offset` names a trial on each."""
    before = list(map(fingerprint, datasets))
    yield
    for number, (data, digest) in enumerate(zip(datasets, before, strict=True)):
        if fingerprint(data) != digest:
            raise BatchError("changed its dataset, so its trials are not independent", offset(number), [], advice)
