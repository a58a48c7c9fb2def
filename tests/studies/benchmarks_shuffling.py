"""Figures of liu2022 for `tests.studies.benchmarks`: what shuffling can and does buy, and the time of a transcript audit."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

from dppca import audit
from dppca.audit.suite.instance import Transcript
from dppca.audit.suite.liu2022 import audits as liu2022
from dppca.reference.accounting.clones import shuffled_gaussian_delta, shuffled_multiplier
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.rigour.hidden_shift import HiddenShift, best_event

SETTINGS = ((1.0, 1e-3, 64), (0.5, 1e-3, 1000), (0.1, 1e-3, 1000), (0.1, 1e-5, 1000), (0.1, 1e-5, 10_000))


def liu2022_figures() -> list[str]:
    """Return the lines to the paper."""
    return ["liu2022", *_brackets(), *_transcripts()]


def _brackets() -> Iterator[str]:
    """No account can prove a multiplier below that at which w among -w alone is worse than the claim."""
    for epsilon, delta, n in SETTINGS:
        proved, alone = shuffled_multiplier(epsilon, delta, n), analytic_std(epsilon, delta, 1.0)
        printed = math.log(n / delta) / (epsilon * math.sqrt(n))
        low, high = 0.1, proved
        while high > low * 1.01:
            middle = math.sqrt(low * high)
            shown = best_event(delta, 1.0 / middle, n)[1] > epsilon
            shown = shown or HiddenShift(1.0 / middle, n, 1.5 * epsilon).delta_bounds(epsilon)[0] > delta
            low, high = (middle, high) if shown else (low, middle)
        pair = HiddenShift(1.0 / proved, n, 1.5 * epsilon).delta_bounds(epsilon)
        account = shuffled_gaussian_delta(epsilon, proved, n)
        yield (
            f"  Algorithm 2, ({epsilon:g}, {delta:g}), n = {n:,}: multiplier needed by w among -w > {low:.3f}, proved by the "
            f"account {proved:.3f}, without shuffling {alone:.3f}, printed with C' = 1 {printed:.3f}; at the proved one delta "
            f"of the pair in [{pair[0]:.1e}, {pair[1]:.1e}], of the account {account:.1e}"
        )


def _transcripts() -> Iterator[str]:
    """Algorithm 3 at n = 2,000, d = 4, two batches: 10,000 transcripts of each audited pair (under 2 minutes)."""
    for instance in liu2022.AUDITS:
        if instance.algorithm == liu2022.DP_PCA and instance.view == "transcript" and "n=2000, d=4, B=1000" in instance.name:
            how = instance.built()
            if not isinstance(how, Transcript):
                raise TypeError(f"{instance.id} must be a transcript audit")
            started = time.perf_counter()
            found = audit.transcript_lower_bound(
                how.algorithm, how.data, how.neighbour, delta=instance.claim.delta, trials=10_000, confidence=0.999
            )
            yield (
                f"  {instance.id}: lower bound {found.epsilon:.3f}, 10,000 trials in {time.perf_counter() - started:.0f} s "
                "(under 120)"
            )
