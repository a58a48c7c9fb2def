"""Algorithm 2 of singhal2021 around the extracted programs: with its histogram, and with the cell selected by its lead.

What Rocq proves about runs: blocks of rows, counts of cells, what the histogram shows and its largest cell, the lead and
whether the leading cell is shown. Not proved and written here, in floats: subspaces, projections and the cells they fall into.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.liu2022.extracted_algorithms import Array, as_integers, largest_shown
from tests.rocq.extracted_programs import Models, Point


def projector(models: Models, X: Array, calibration: Mapping[str, Any], drawn: Mapping[str, Any]) -> Array | None:
    """Return the projector that is the output, or None for bottom."""
    k, side, offset = calibration["k"], calibration["cell"], drawn["offset"]
    references = np.array(drawn["reference points"])
    items = []
    for block in models.batches(calibration["t"], calibration["m"], len(X)):
        projections = references @ _projector(X[block], k)
        items.append(tuple(math.floor(entry / side - offset) for entry in projections.ravel()))
    if "histogram" in drawn:
        cell = largest_shown(models, items, calibration, drawn["histogram"])
    else:
        cell = _leading(models, items, calibration, drawn["cell"])
    if cell is None:
        return None
    point = (offset + np.array(cell, dtype=float) + np.array(drawn["point in cell"])) * side
    return _projector(point.reshape(references.shape), k)


def noise(u: float, scale: float, bound: float) -> float:
    """Return the u-quantile of the density proportional to exp(-|x| / scale) on [-bound, bound]."""
    tail = 1.0 - abs(2.0 * u - 1.0) * (1.0 - math.exp(-bound / scale))
    return math.copysign(-scale * math.log(tail), u - 0.5)


def _leading(models: Models, items: list[Point], calibration: Mapping[str, Any], u: float) -> Point | None:
    """Return the leading cell where its lead exceeds the bound with its noise."""
    lead, cell = models.lead(items)
    bound = calibration["bound"]
    unit, ((limit, shift),) = as_integers([bound, noise(u, calibration["scale"], bound)])
    return cell if models.threshold(unit, limit, shift, [lead]) is not None else None


def _projector(rows: Array, k: int) -> Array:
    """Return the projector onto the k leading right singular vectors."""
    basis = np.linalg.svd(rows, full_matrices=False)[2][:k]
    return np.asarray(basis.T @ basis)
