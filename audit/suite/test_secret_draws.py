"""Transcript audits sum the secret draws out: the algorithms' own code has the likelihood that the audits use."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

from dppca.audit.suite import marginal
from dppca.reference.baselines import dp_sgd as sgd
from dppca.reference.liu2022 import algorithm_2_private_oja as oja
from dppca.reference.noise import Algorithm, Entry, Tape, condition, record, replay
from dppca.reference.shang2021 import algorithm_1_dp_spca as spca
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as vrpca

N, STEPS = 3, 4
#: What it means that the two sides differ.
DIFFERS = (
    "the mean likelihood of the algorithm's releases over its secret draws is not the one that audits use: it releases "
    "something else, or draws by another law, than the paper's steps"
)
X = np.array([[0.8, 0.1, 0.0], [0.0, -0.6, 0.7], [0.5, 0.5, 0.5]])


def _spca(k: int) -> tuple[Algorithm[Any], Algorithm[Any]]:
    calibration = spca.calibrate(1.0, 0.1, N, 3, STEPS, k, choices=spca.AS_PRINTED)
    calibration = replace(calibration, std=0.5)
    eta = (0.5, 0.2, 0.4, 0.3)
    return tuple(lambda data, noise, f=f: f(data, eta, calibration, noise) for f in (spca.dp_spca, marginal.dp_spca))


def _vrpca(k: int) -> tuple[Algorithm[Any], Algorithm[Any]]:
    calibration = vrpca.calibrate(1.0, 0.1, N, 3, 2, 2, k, choices=vrpca.AS_PRINTED)
    calibration = replace(calibration, std=0.5)
    return tuple(lambda data, noise, f=f: f(data, 0.4, calibration, noise) for f in (vrpca.dp_vrpca, marginal.dp_vrpca))


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("pair", [_spca, _vrpca], ids=["shang2021.dp_spca-", "shang2021.dp_vrpca-"])
def test_likelihood_is_the_mean_over_all_indices(pair: Callable[[int], tuple[Algorithm[Any], Algorithm[Any]]], k: int) -> None:
    original, summed = pair(k)
    output, tape = record(summed, X, np.random.default_rng(1))
    assert np.array_equal(replay(summed, X, tape), output), "what the audits run draws something that is not on its tape"
    terms = []
    for indices in itertools.product(range(N), repeat=STEPS):
        entries: list[Entry] = [tape.entries[0]]
        for i, entry in zip(indices, tape.entries[1:], strict=True):
            entries.append(Entry("secret", entry.name.replace("g", "i"), f"integers({N})", np.array(i)))
            entries.append(replace(entry, law="gaussian", draw=np.zeros((3, k))))
        terms.append(condition(original, X, Tape(tuple(entries))).log_likelihood)
    mean = float(logsumexp(terms)) - STEPS * math.log(N)
    assert condition(summed, X, tape).log_likelihood == pytest.approx(mean, abs=1e-9), DIFFERS


@pytest.mark.parametrize("C", [0.3, 2.0], ids=["baselines.dp_sgd-clipped", "baselines.dp_sgd-short"])
def test_dp_sgd_has_the_mean_likelihood_over_all_samples(C: float) -> None:
    rows = np.array([[0.6, 0.7, -0.3], [0.0, 0.0, 0.0]])
    calibration = replace(sgd.calibrate(1.0, 0.1, 3, 3, 0.25, C, 2), std=0.4)
    eta = (0.5, 0.2, 0.4)
    original, summed = (lambda data, noise, f=f: f(data, 2.0, eta, calibration, noise) for f in (sgd.dp_sgd, marginal.dp_sgd))
    _, tape = record(summed, rows, np.random.default_rng(2))
    terms = []
    for drawn in itertools.product((0, 1), repeat=6):
        entries: list[Entry] = [tape.entries[0]]
        for t, entry in enumerate(tape.entries[1:]):
            entries.append(Entry("secret", entry.name.replace("g", "L"), "bernoulli(0.25)", np.array(drawn[2 * t : 2 * t + 2])))
            entries.append(replace(entry, law="gaussian", draw=np.zeros((3, 2))))
        chance = sum(math.log(0.25 if one else 0.75) for one in drawn)
        terms.append(chance + condition(original, rows, Tape(tuple(entries))).log_likelihood)
    assert condition(summed, rows, tape).log_likelihood == pytest.approx(float(logsumexp(terms)), abs=1e-9), DIFFERS


@pytest.mark.parametrize("rows", [True, False], ids=["liu2022.private_oja-rows", "liu2022.private_oja-matrices"])
def test_private_oja_has_the_mean_likelihood_over_all_orders(rows: bool) -> None:
    n = 4
    first, other = np.array([[0.2, 0.9, -0.4], [1.5, 0.3, 0.1]])
    A = np.vstack([first, np.tile(other, (n - 1, 1))])
    if not rows:
        A = A[:, :, np.newaxis] * np.array([1.0, -2.0, 0.5])
    calibration = replace(oja.calibrate(1.0, 0.1, n=n, d=3, lambda_1=1.0, K=1.0, gamma=1.0), alpha=0.3, beta=0.8)
    eta = (0.5, 2.0, 0.4, 0.3)
    output, tape = record(lambda data, noise: marginal.private_oja(data, eta, calibration, noise), A, np.random.default_rng(3))
    terms = []
    for order in itertools.permutations(range(n)):
        start, *released = tape.entries
        entries = [Entry("secret", "order", f"permutation({n})", np.array(order)), start]
        entries += [replace(entry, law="gaussian", draw=np.zeros(3)) for entry in released]
        run = condition(lambda data, noise: oja.private_oja(data, eta, calibration, noise), A, Tape(tuple(entries)))
        terms.append(run.log_likelihood)
    mean = float(logsumexp(terms)) - math.log(len(terms))
    own = condition(lambda data, noise: marginal.private_oja(data, eta, calibration, noise), A, tape)
    assert own.log_likelihood == pytest.approx(mean, abs=1e-9), DIFFERS
    assert np.linalg.norm(output) == pytest.approx(1.0), "what the audits run returns no unit vector"
