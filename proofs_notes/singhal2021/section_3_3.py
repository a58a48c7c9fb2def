"""Checks of claims of singhal2021: section 3.3, unknown dimension. Arguments: proofs_notes/singhal2021/note.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx

from dppca.proofs_notes.ledger.evidence import Evidence, by_readings, verdict
from dppca.proofs_notes.ledger.scripted import ScriptedNoise
from dppca.proofs_notes.primitives.noise import fixed_number_of_runs_ratio
from dppca.proofs_notes.singhal2021.approximate_case import corners
from dppca.reference.noise import LaplaceLaw, Sample
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.singhal2021.algorithm_2_approximate import approximate_subspace_estimator
from dppca.reference.singhal2021.algorithm_2_approximate import calibrate as calibrate_2
from dppca.reference.singhal2021.section_3_3_unknown_dimension import approximate_subspace_estimator_unknown_dimension
from dppca.reference.singhal2021.section_3_3_unknown_dimension import calibrate as calibrate_selection


def unknown_dimension_overhead() -> Evidence:
    """A fixed number of runs, and a random one, with the best kept: what it costs in epsilon and delta."""
    base = Fraction(3, 2)
    fixed = fixed_number_of_runs_ratio(base, 10)
    selection = calibrate_selection(3.0, 1e-6, 1e-7, 0.2, n=3000, d=12, k_max=3)
    epsilon, delta = selection.repetitions.guarantee(selection.runs[0].epsilon, selection.runs[0].delta)
    random_number = math.isclose(epsilon, 3.0) and math.isclose(delta, 1e-6)
    random_number = random_number and math.isclose(selection.repetitions.mean, 30.0)
    return Evidence(
        by_readings({"10 runs": fixed <= base**3, "a geometric number of runs": random_number}),
        f"10 runs: a ratio of {float(fixed):.1f} = e^(10 epsilon) for e^epsilon = 3/2; geometric with mean 10 k_max: 3 "
        "epsilon and 10 k_max delta. The paper gives neither the law nor a constant, and says k where k_max is needed.",
    )


def unknown_dimension_selection() -> Evidence:
    """The code on chosen noises: the run of the highest noisy score is the output; and the budgets of one run."""
    s = calibrate_selection(6.0, 0.05, 1e-4, 0.1, n=1200, d=3, k_max=1)
    rows = np.outer(np.linspace(-1.0, 2.0, 1200), [0.6, 0.8, 0.0])
    auxiliary = np.array([[3.0, 4.0, 0.0], [6.0, 8.0, 0.0], [-3.0, -4.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    gamma = Fraction(1, 10)  # K is geometric with mean 10 k_max
    two = math.floor((gamma + gamma * (1 - gamma) / 2) * 2**53)  # between P(K = 1) and P(K <= 2)
    run = s.runs[0]
    public = {"reference points": corners(run.q, 3), "offset": 0.25}
    points = [np.full(run.q * 3, u) for u in (0.1, 0.8)]
    own = [approximate_subspace_estimator(rows, run, ScriptedNoise({**public, "point in cell": point})) for point in points]
    selected, scores = [], True
    for noises in ((-5.0, 3.0), (3.0, -5.0)):
        draws: dict[str, Any] = {"K": two}
        for i, noise in enumerate(noises):
            draws |= {f"run[{i}].{name}": draw for name, draw in public.items()}
            draws |= {f"run[{i}].k": 0, f"run[{i}].score": noise, f"run[{i}].point in cell": points[i]}
        scripted = ScriptedNoise(draws)
        output = approximate_subspace_estimator_unknown_dimension(rows, auxiliary, s, scripted)
        selected.append([i for i in (0, 1) if output is not None and np.array_equal(output, own[i])])
        for i in (0, 1):
            release = scripted.releases[f"run[{i}].score"]
            scores = scores and release.value == 3.0 and release.sensitivity == 1.0 and release.law == LaplaceLaw(s.scale)
        scores = scores and "run[2].histogram" not in scripted.releases
    budgets = math.isclose(1.0 / s.scale, 2.0, rel_tol=1e-12) and s.repetitions.eta == 1.0
    budgets = budgets and math.isclose(run.epsilon, 2.0, rel_tol=1e-12) and math.isclose(run.delta, 0.005, rel_tol=1e-12)
    return Evidence(
        verdict(printed=selected == [[1], [0]] and bool(scores) and budgets),
        "two runs with the count 3 of 5: the one with the larger noise is the output, either way; for (6, 0.05) one run "
        "has (2, 0.005), its score Laplace noise of scale 1/2.",
    )


def unknown_dimension_score() -> Evidence:
    """The count of auxiliary points near the subspace at k' = d, and what is found there; and shares at k' < k, below d.

    Normal rows, exact subspaces, d = 400, gamma -> 0, gamma_hat = c gamma. With eigenvalues (1, 1, gamma^2, ...) the share of
    rows that count for k' = 2 is E exp(-Y/(2 c^2)) = (1 + 1/c^2)^(-199), Y chi-squared with 398 degrees of freedom. With
    (1, 25 gamma^2, 25 gamma^4, ...), where k = 2, too, the share for k' = 1 is P(5 |z_2| <= c |z_1|) = 2 arctan(c/5)/pi.
    """
    auxiliary = [(10, 0), (7, 0), (-3, 0), (5, 5)]  # k = 1, the line of e_1, and one point off it
    gamma_hat_square = Fraction(1, 25)

    def near(axes: tuple[int, ...], points: Sequence[tuple[int, int]]) -> int:
        return sum(sum(x[i] ** 2 for i in (0, 1) if i not in axes) <= gamma_hat_square * sum(v * v for v in x) for x in points)

    right, whole = near((0,), auxiliary), near((0, 1), auxiliary)
    rng = np.random.default_rng(7)
    everything = approximate_subspace_estimator(
        rng.standard_normal((200, 2)), calibrate_2(4.0, 0.01, 1e-3, n=200, d=2, k=2), Sample(rng)
    )
    whole_space = everything is not None and np.allclose(everything, np.eye(2), atol=1e-12)
    with ctx.workprec(128):
        c = 1 / (arb("0.9") ** (arb(-1) / 199) - 1).sqrt()
        wrong = 2 * (c / 5).atan() / arb.pi()
        low = not wrong > arb("0.92")
    return Evidence(
        verdict(printed=right > whole or not whole_space or low),
        f"k = 1: the line scores {right} of 4, the whole plane {whole}. The count never falls as the subspace grows, and at "
        f"k' = d the whole space is found in any data. Below d: in 400 dimensions a gamma_hat at which 90 % of the rows count "
        f"for the right k = 2, the eigenvalues 1, 1, gamma^2, ..., is {float(c):.1f} gamma or more, and there "
        f"{float(wrong):.3f} of them count for the wrong k' = 1, the eigenvalues 1, 25 gamma^2, 25 gamma^4, ... (gamma small).",
    )


def unknown_dimension_score_privacy() -> Evidence:
    """The count as it is, and with Laplace noise of scale 1 / epsilon."""
    counts = [sum(x[1] == 0 for x in auxiliary) for auxiliary in ([(1, 0), (2, 0)], [(1, 0), (0, 2)])]
    bare = hockey_stick({counts[0]: Fraction(1)}, {counts[1]: Fraction(1)}, Fraction(1))
    selection = calibrate_selection(3.0, 1e-6, 1e-7, 0.2, n=3000, d=12, k_max=3)
    # Laplace(s) on a count that changes by c: the log-density ratio is at most c / s
    ratio = abs(counts[0] - counts[1]) / selection.scale
    return Evidence(
        verdict(printed=bare <= Fraction(1, 10**6), corrected=ratio <= selection.runs[0].epsilon * (1 + 1e-12)),
        f"auxiliary sets that differ in one point have counts {counts[0]} and {counts[1]}: shown as it is, delta = {bare}; "
        f"with Laplace noise of scale 1 / epsilon_0 the loss is {ratio:.3f} = epsilon_0. Zero rows always count.",
    )
