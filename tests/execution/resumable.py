"""Long audits to be killed and run again: `python -m tests.execution.resumable WORKERS STORE LOG`.

Prints the two bounds. The mechanism adds a line to LOG for every block that it begins.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from dppca import audit
from dppca.reference.noise import Noise

TRIALS = 60_000


def slow(log: Path, x: float, trials: int, rng: np.random.Generator) -> Any:
    """Laplace noise on a number, refused when negative; 2 ms a block of trials."""
    with log.open("a") as file:
        file.write("block\n")
    time.sleep(0.002)
    return [y if y >= 0.0 else None for y in (x + rng.laplace(size=trials)).tolist()]


class Slow:
    """`slow` as a mechanism."""

    def __init__(self, log: Path) -> None:
        self.log = log

    def sample(self, data: float, trials: int, rng: np.random.Generator) -> Any:
        """Return a block of outputs."""
        return slow(self.log, data, trials, rng)


def algorithm(data: float, noise: Noise) -> None:
    """Two releases, together exactly Gaussian with mu = sqrt(2) / 4."""
    first = noise.gaussian("first", data, std=4.0, sensitivity=1.0)
    noise.gaussian("second", data + 0.1 * first, std=4.0, sensitivity=1.0)


def run(workers: int, path: Path | None, log: Path) -> str:
    """Both audits, as JSON; the store is not in it, and neither are the time and how many batches were run again."""
    stores = [None if path is None else audit.Store(path, key) for key in ("slow", "algorithm")]
    bounds = [
        audit.check(Slow(log), 0.0, 1.0, audit.Claim(1.0), trials=TRIALS, workers=workers, store=stores[0]).bound,
        audit.transcript_check(
            algorithm, 0.0, 1.0, audit.Claim(5.0, 1e-3), trials=TRIALS // 5, workers=workers, store=stores[1]
        ).bound,
    ]
    with log.with_suffix(".repeated").open("a") as file:
        file.write(f"{bounds[0].repeated}\n")
    return json.dumps([{**asdict(bound), "seconds": None, "repeated": None} for bound in bounds])


if __name__ == "__main__":
    sys.stdout.write(run(int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])))
