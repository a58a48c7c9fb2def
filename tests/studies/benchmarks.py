"""The auditor's figures, printed: `make benchmark` or `python -m tests.studies.benchmarks`.

Not a test: times depend on the machine. The share of wrong bounds is another study (tests/studies/validity.py).
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from dppca import audit
from dppca.audit.suite.wang2020.distributions import random_orthonormal, row_sparse_orthonormal
from dppca.audit.suite.wang2020.experiments import Spiked, drawn_rows, noisy, second_moments
from dppca.audit.suite.wang2020.penalty import theorem_4_lambda
from dppca.audit.suite.wang2020.simulate import simulate_algorithm_1
from dppca.reference.noise import Noise, Sample
from dppca.reference.primitives.bingham import BinghamLaw
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1
from dppca.reference.wang2020.certified_admm import Stopping, sparse_subspace
from tests.studies.benchmarks_accounting import beside_dp_accounting
from tests.studies.benchmarks_oracle import share_of_the_oracle
from tests.studies.benchmarks_shuffling import liu2022_figures
from tests.studies.benchmarks_variance_reduced import shang2021_figures
from tests.studies.known_mechanisms import field, gaussian, laplace
from tests.studies.limits import largest_median, sparse_vector_3_masses, sparse_vector_masses
from tests.studies.stored_tables import say


def output_view() -> None:
    """100,000 trials per dataset, 95 % confidence, 20 seeds."""
    say("Output view: 100,000 trials per dataset, confidence 0.95, 20 seeds")
    for known in (laplace(), gaussian(), gaussian(shrink=math.sqrt(2.0))):
        started = time.perf_counter()
        bounds = [
            audit.lower_bound(known.mechanism, known.data, known.neighbour, delta=known.delta, seed=seed).epsilon
            for seed in range(20)
        ]
        seconds = (time.perf_counter() - started) / 20
        say(
            f"  {known.name:26} exact {known.epsilon:.3f}  median {np.median(bounds):.4f}  "
            f"range [{min(bounds):.4f}, {max(bounds):.4f}]  {seconds:.2f} s each"
        )


def field_mechanisms() -> None:
    """The benchmark mechanisms of the field at epsilon 0.1: 2,000,000 trials per dataset, 95 % confidence, 3 seeds.

    `limit`: the share of the exact epsilon that no valid lower bound's median can exceed at this size (limits.py).
    """
    trials = 2_000_000
    say(f"Benchmark mechanisms, epsilon 0.1: {trials:,} trials per dataset, confidence 0.95, median of 3 seeds")
    laws = {f"sparse vector {number}": sparse_vector_masses(number, 0.1) for number in (1, 2, 4, 6)}
    laws["sparse vector 3"] = sparse_vector_3_masses(0.1)
    for known in field(0.1):
        started = time.perf_counter()
        bounds = [
            audit.lower_bound(known.mechanism, known.data, known.neighbour, trials=trials, seed=seed).epsilon
            for seed in range(3)
        ]
        seconds = (time.perf_counter() - started) / 3
        share = "" if math.isinf(known.epsilon) else f", share {np.median(bounds) / known.epsilon:.3f}"
        if known.name in laws:
            share += f", limit {largest_median(*laws[known.name], trials) / known.epsilon:.2f}"
        say(
            f"  {known.name:30} exact {known.epsilon:.4f}  median {np.median(bounds):.4f}{share}  "
            f"range [{min(bounds):.4f}, {max(bounds):.4f}]  {seconds:.0f} s each"
        )


def transcript_view() -> None:
    """20 adaptive Gaussian releases, together exactly (1, 1e-6)-tight."""
    std = analytic_std(1.0, 1e-6, 1.0) * math.sqrt(20.0)

    def algorithm(data: float, noise: Noise) -> None:
        x = 0.0
        for t in range(20):
            x = noise.gaussian(f"g[{t}]", data + 0.1 * x, std=std, sensitivity=1.0)

    say("Transcript view: 20 adaptive Gaussian releases, exactly (1, 1e-6), 20,000 trials, confidence 0.999")
    for seed in range(3):
        started = time.process_time()
        bound = audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=1e-6, trials=20_000, confidence=0.999, seed=seed)
        say(f"  seed {seed}: lower bound {bound.epsilon:.4f}, {time.process_time() - started:.1f} s of one core")


def bingham_draws() -> None:
    """Draws of the Bingham law in dimension 64."""
    rows = np.random.default_rng(7).standard_normal((200, 64))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    law, rng, matrix = BinghamLaw(1.0), np.random.default_rng(1), rows.T @ rows
    started = time.process_time()
    for _ in range(200):
        law.apply(matrix, law.draw(matrix, rng))
    say(f"Bingham law, d = 64: {200.0 / (time.process_time() - started):,.0f} draws a second on one core")


def wang2020_figures() -> None:
    """Algorithm 1 simulated at n = 1e5, p = 40; Algorithm 2 at p = 400, k = 10 to a duality gap of 1e-6."""
    say("wang2020")
    rng = np.random.default_rng(0)
    X = drawn_rows(Spiked.equation_7(random_orthonormal(40, 10, rng)), 100_000, rng)
    started = time.perf_counter()
    simulate_algorithm_1(X, 10, algorithm_1.calibrate(0.5, 1e-4, 40), Sample(rng))
    say(f"  Algorithm 1 simulated, n = 1e5, p = 40, k = 10: {time.perf_counter() - started:.2f} s")
    of = Spiked.equation_7(row_sparse_orthonormal(400, 10, 20, rng))
    for n in (2000, 10**11, 10**13):
        std = algorithm_1.calibrate(1.0, 1e-4, 400).std
        lambda_ = theorem_4_lambda(std, n, 400, 0.05, float(np.max(np.diag(of.covariance))))
        S_tilde = noisy(second_moments(of, n, rng), n, std, rng)
        started = time.perf_counter()
        found = sparse_subspace(S_tilde, 10, lambda_, stopping=Stopping(gap=1e-6))
        say(
            f"  Algorithm 2, n = {n:.0e}, p = 400, k = 10, s = 20: gap / bound = {found.gap / abs(found.bound):.1e} in "
            f"{found.iterations} passes, {time.perf_counter() - started:.1f} s"
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.benchmarks", description=__doc__)
    parser.add_argument("--oracle", action="store_true", help="only the share of the oracle")
    parser.add_argument("--write", action="store_true", help="write tests/studies/BENCHMARK.md; with --oracle")
    parser.add_argument("--trials", type=int, default=100_000, help="trials per dataset there (default: 100,000)")
    parser.add_argument("--seeds", type=int, default=3, help="seeds there (default: 3)")
    parser.add_argument("--only", default="", help="there, only mechanisms with this in their name, anew")
    arguments = parser.parse_args()
    share_of_the_oracle(arguments.trials, arguments.seeds, write=arguments.oracle and arguments.write, anew=arguments.only)
    if arguments.oracle:
        return
    output_view()
    field_mechanisms()
    transcript_view()
    bingham_draws()
    wang2020_figures()
    for line in (*shang2021_figures(), *liu2022_figures(), *beside_dp_accounting()):
        say(line)


if __name__ == "__main__":
    main()
