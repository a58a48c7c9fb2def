"""Algorithms of the reference for many trials at once, for the audits of the output view.

Written against the Array API standard: what the trials draw may be arrays of numpy, of PyTorch or of CuPy, and the outputs
are arrays of the same kind. Every implementation separates its draws from what it computes with them, so that it can be run
on the reference's tapes; tests compare the two trial by trial. The audits use it wherever it covers an instance.

    sampler = batched.sampler("shang2021.dp_spca", "CORRECTED", arguments)   # the arguments of the catalogue's `bind`
    outputs = sampler.sample(data, 10_000, np.random.default_rng(0))         # first axis: trials
"""

from __future__ import annotations

from dppca.audit.batched.base import Batched
from dppca.audit.batched.registry import KEYS, sampler

__all__ = ["KEYS", "Batched", "sampler"]
