"""The algorithms of liu2022 around the extracted programs.

What Rocq proves about runs: pairs and subsets, batches and halves, counts, what a histogram shows and its largest cell, bins,
truncated sums, the clipped scores of the search. Floats are exact fractions there: they come as integers over a common
denominator. Not proved and written here, in floats: gradients, the top eigenvalue of a subset and its bin, the norms that
clip and normalise, the noise of a mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.rocq.extracted_programs import Models, Point

#: Bins this far out are merged, as a float does not tell them apart.
LARGEST_BIN = 10**300

Array = NDArray[np.float64]
Draws = Mapping[str, Any]


def as_integers(*groups: Sequence[float]) -> tuple[int, list[list[int]]]:
    """Return a common denominator, and the numerators of the numbers of each group."""
    fractions = [[Fraction(number) for number in group] for group in groups]
    unit = max(fraction.denominator for group in fractions for fraction in group)  # powers of two, so each divides it
    return unit, [[int(fraction * unit) for fraction in group] for group in fractions]


def largest_shown(
    models: Models, items: Sequence[Point], calibration: Mapping[str, Any], draw: Sequence[float]
) -> Point | None:
    """Return the cell with the largest noisy count above the threshold."""
    unit, ((threshold,), noise) = as_integers([calibration["threshold"]], [calibration["scale"] * u for u in draw])
    return models.histogram(unit, threshold, noise, items)[1]


def private_top_eigenvalue(models: Models, g: Array, calibration: Mapping[str, Any], draw: Sequence[float]) -> float | None:
    """Return Lambda_hat of Algorithm 4."""
    unit, rows = as_integers(*g.tolist())
    subsets = models.subsets(calibration["k"], calibration["b"], [tuple(row) for row in rows])
    items = []
    for subset in subsets:
        differences = np.array([[float(Fraction(entry, unit)) for entry in row] for row in subset])
        eigenvalue = np.linalg.norm(differences, ord=2) ** 2 / calibration["divisor"]
        items.append((0, 1) if eigenvalue == 0.0 else (math.floor(4.0 * math.log2(eigenvalue)), 0))
    found = largest_shown(models, items, calibration, draw)
    if found is None:
        return None
    return 0.0 if found == (0, 1) else float(2.0 ** (found[0] / 4.0))


def private_mean(
    models: Models, g: Array, eigenvalue: float, calibration: Mapping[str, Any], drawn: Draws, prefix: str = ""
) -> Array | None:
    """Return mu_hat of Algorithm 5."""
    root = math.sqrt(eigenvalue)
    tau, radius = calibration["tau"] * root, calibration["radius"] * root
    g_bar, mean = [], []
    for j, column in enumerate(g.T.tolist()):
        _, (integers, (width,)) = as_integers(column, [tau])
        items = [(max(-LARGEST_BIN, min(index, LARGEST_BIN)),) for index in models.bins(width, integers)]
        found = largest_shown(models, items, calibration, drawn[f"{prefix}bin[{j + 1}]"])
        if found is None:
            return None
        g_bar.append(found[0] * tau)
        unit, (integers, (limit, centre)) = as_integers(column, [radius, g_bar[-1]])
        mean.append(float(Fraction(models.truncated_sum(limit, centre, integers), unit * len(column))))
    noise = calibration["std"] * root * np.asarray(drawn[f"{prefix}mean"])
    return np.asarray(np.array(g_bar) + (np.array(mean) + noise))


def dp_pca(
    models: Models, A: Array, step_sizes: Sequence[float], calibration: Mapping[str, Any], drawn: Draws, prefix: str = ""
) -> Array:
    """Return w_T of Algorithm 3."""
    w = _normalise(np.asarray(drawn[prefix + "w[0]"]))
    for t, batch in enumerate(models.batches(calibration["T"], calibration["B"], len(A)), start=1):
        g_hat = _step(models, _gradients(A[batch], w), calibration, drawn, prefix, t)
        if g_hat is not None:
            w = _normalise(w + step_sizes[t - 1] * g_hat)
    return w


def _step(models: Models, g: Array, calibration: Mapping[str, Any], drawn: Draws, prefix: str, t: int) -> Array | None:
    """Return the private mean of a batch's gradients, lines 3 and 4; None where a sub-routine gives bottom."""
    first, second = models.halves(len(g))
    Lambda = private_top_eigenvalue(models, g[first], calibration["eigenvalue"], drawn[f"{prefix}eigenvalue[{t}]"])
    if not Lambda:
        return None
    eigenvalue = calibration["handed_on"] * Lambda
    return private_mean(models, g[second], eigenvalue, calibration["mean"], drawn, f"{prefix}t={t} ")


def deflation(models: Models, A: Array, step_sizes: Sequence[float], calibration: Mapping[str, Any], drawn: Draws) -> Array:
    """Return r components, one after the other, each from its own part of the records."""
    r, one = calibration["r"], calibration["dp_pca"]
    components = np.empty((A.shape[-1], 0))
    for j, part in enumerate(models.batches(r, one["n"], len(A)), start=1):
        complement = np.eye(A.shape[-1]) - components @ components.T
        records = A[part] @ complement if A.ndim == 2 else complement @ A[part] @ complement
        w = dp_pca(models, records, step_sizes, one, drawn, f"component {j} ")
        components = _qr_factor(np.column_stack([components, w]))
    return components


def block_dp_pca(models: Models, A: Array, step_sizes: Sequence[float], calibration: Mapping[str, Any], drawn: Draws) -> Array:
    """Return r components at once: Algorithm 3 with bases in place of directions."""
    one = calibration["dp_pca"]
    W = _qr_factor(np.array(drawn["w[0]"]))
    for t, batch in enumerate(models.batches(one["T"], one["B"], len(A)), start=1):
        records = A[batch] if A.ndim == 3 else A[batch][:, :, np.newaxis] * A[batch][:, np.newaxis, :]
        g_hat = _step(models, (records @ W).reshape(len(batch), -1), one, drawn, "", t)
        if g_hat is not None:
            W = _qr_factor(W + step_sizes[t - 1] * g_hat.reshape(W.shape))
    return W


def minibatch_private_oja(
    models: Models, A: Array, step_sizes: Sequence[float], calibration: Mapping[str, Any], drawn: Draws
) -> Array:
    """Return w_T of Equation (7)."""
    beta, alpha = calibration["beta"], calibration["alpha"]
    w = _normalise(np.asarray(drawn["w[0]"]))
    B = len(A) // len(step_sizes)
    for t, batch in enumerate(models.batches(len(step_sizes), B, len(A)), start=1):
        clipped = [g * min(1.0, beta / max(np.linalg.norm(g), beta)) for g in _gradients(A[batch], w)]
        noise = 2.0 * beta * alpha / B * np.asarray(drawn[f"g[{t}]"])
        w = _normalise(w + step_sizes[t - 1] * (np.sum(clipped, axis=0) / B + noise))
    return w


def hyperparameter_search(models: Models, A: Array, target: float, calibration: Mapping[str, Any], drawn: Draws) -> Any:
    """Return the first candidate whose noisy score reaches the target, or None."""
    train, held_out = (A[half] for half in models.halves(len(A)))
    for i, (r, training, std) in enumerate(
        zip(calibration["rounds"], calibration["training"], calibration["score_std"], strict=True), start=1
    ):
        steps = np.arange(1, training["T"] + 1)
        for k, (c_1, c_2) in enumerate(r["pairs"], start=1):
            w = dp_pca(models, train, c_1 / (c_2 + steps), training, drawn, f"{i}.{k} ")
            _, (captured, (ceiling,)) = as_integers((_gradients(held_out, w) @ w).tolist(), [calibration["ceiling"]])
            mean = float(Fraction(models.score_sum(ceiling, captured), ceiling * len(held_out)))
            score = mean + std * drawn[f"{i}.{k} score"]
            if score >= target:
                return {"c_1": c_1, "c_2": c_2, "w": w.tolist(), "score": score}
    return None


def _gradients(A: Array, w: Array) -> Array:
    products = A @ w
    return products if A.ndim == 3 else A * products[:, np.newaxis]


def _normalise(w: Array) -> Array:
    scaled = np.ldexp(w, -math.frexp(float(np.max(np.abs(w))))[1])  # its square does not overflow
    return np.asarray(scaled / np.linalg.norm(scaled))


def _qr_factor(matrix: Array) -> Array:
    q, r = np.linalg.qr(matrix)
    return np.asarray(q * np.where(np.diag(r) < 0.0, -1.0, 1.0))
