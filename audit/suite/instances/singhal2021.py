"""Audits of singhal2021: the exact estimator, its extensions, and the approximate estimator.

The exact estimator has finitely many outputs. With integer noise its law is computed in fractions, over all
neighbouring pairs of a small domain; with the continuous noise of print the laws of a pair come from quadrature.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.enclosure.finite import delta_of_laws, epsilon_of_laws
from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import Exact, Instance, Output, Transcript
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.choices import Choice
from dppca.reference.noise import Algorithm, Sample, condition, record
from dppca.reference.primitives.sparse_histogram import stability_delta
from dppca.reference.primitives.truncated_laplace import DiscreteTruncatedLaplace
from dppca.reference.singhal2021.algorithm_1_exact import AS_PRINTED, CORRECTED
from dppca.reference.singhal2021.algorithm_2_approximate import AS_PRINTED as APPROXIMATE_AS_PRINTED
from dppca.reference.singhal2021.exact_law import (
    Dataset,
    DiscreteMechanism,
    Worst,
    corrected_mechanism,
    divergence,
    output_law,
    printed_mechanism,
    worst_delta,
)
from dppca.reference.singhal2021.exact_linear_algebra import Subspace
from dppca.reference.singhal2021.gap_max import GapMaxLaw, win_probability
from dppca.reference.singhal2021.section_3_3_unknown_dimension import CHOICES as SELECTION_CHOICES

EXACT = "singhal2021.exact_subspace_estimator"
ALL_DIMENSIONS = "singhal2021.exact_subspace_estimator_all_dimensions"
RANDOM_SUBSETS = "singhal2021.exact_subspace_estimator_random_subsets"
DIMENSION = "singhal2021.dimension_by_exponential_mechanism"
AT_MOST = "singhal2021.dimension_is_at_most"
APPROXIMATE = "singhal2021.approximate_subspace_estimator"
SELECTION = "singhal2021.approximate_subspace_estimator_unknown_dimension"

Laws = tuple[dict[Any, float], dict[Any, float]]

_LINES = [(1, 0), (0, 1), (1, 1)]
_PLANE = [(0, 0), *_LINES]
_SPACE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)]


def instances() -> list[Instance]:
    """Every audit of this paper."""
    return [*_exhaustive(), *_exact_estimator(), *_extensions(), *_approximate_estimator()]


# --- Algorithm 1, exhaustively ------------------------------------------------------------------------


def _exhaustive() -> Iterator[Instance]:
    """All neighbouring pairs of small domains, in fractions; and each departure undone by itself."""
    three_halves = Fraction(3, 2)
    as_printed = printed_mechanism(k=1, ell=0, ratio=three_halves, j=2, choices=AS_PRINTED)
    yield _over_domain("AS_PRINTED", "all of 3 lines, n=10", as_printed, _LINES, 10)
    for k, domain, n in ((1, _PLANE, 8), (2, _PLANE, 6), (1, _SPACE, 5), (2, _SPACE, 6)):
        name = f"all of {len(domain)} points in R^{len(domain[0])}, k={k}, n={n}"
        yield _over_domain("CORRECTED", name, corrected_mechanism(k, DiscreteTruncatedLaplace(three_halves, 2)), domain, n)
    short = DiscreteMechanism(1, DiscreteTruncatedLaplace(Fraction(8), 2), Fraction(4), CORRECTED, Fraction(1, 64))
    yield _over_domain("CORRECTED but D3 as printed", "all of 3 lines, n=8", short, _LINES, 8)
    out, curve = (0, 0, 0, 1), [(1, t, t * t, 0) for t in range(1, 10)]
    pair = ((out, out, out, *curve[:8]), (out, out, *curve))
    spans = corrected_mechanism(3, DiscreteTruncatedLaplace(Fraction(3), 2))
    yield _on_pair("CORRECTED", "three dependent points, k=3", spans, pair)
    as_print_has_it = replace(spans, choices=replace(CORRECTED, candidates=AS_PRINTED.candidates))
    yield _on_pair("CORRECTED but D1 as printed", "three dependent points, k=3", as_print_has_it, pair)


def _over_domain(choice: str, name: str, mechanism: DiscreteMechanism, domain: Sequence[Sequence[int]], n: int) -> Instance:
    """The profile is that of the pair which is worst at the claim's epsilon."""

    @cache
    def worst() -> Worst:
        return worst_delta(domain, n, mechanism)

    @cache
    def laws() -> Laws:
        return _float_laws(mechanism, (worst().data, worst().neighbour))

    def decide() -> tuple[bool, float]:
        return worst().value <= mechanism.delta, epsilon_of_laws(*laws(), float(mechanism.delta))

    return _discrete(choice, name, mechanism, Exact(decide), lambda epsilon: delta_of_laws(*laws(), epsilon))


def _on_pair(choice: str, name: str, mechanism: DiscreteMechanism, pair: tuple[Dataset, Dataset]) -> Instance:
    @cache
    def decide() -> tuple[bool, float]:
        p, q = (output_law(points, mechanism) for points in pair)
        delta = divergence(p, q, mechanism.e_epsilon)
        return delta <= mechanism.delta, epsilon_of_laws(*laws(), float(mechanism.delta))

    @cache
    def laws() -> Laws:
        return _float_laws(mechanism, pair)

    return _discrete(choice, name, mechanism, Exact(decide, *pair), lambda epsilon: delta_of_laws(*laws(), epsilon))


def _discrete(choice: str, name: str, mechanism: DiscreteMechanism, how: Exact, profile: Callable[[float], float]) -> Instance:
    claim = Claim(math.log(mechanism.e_epsilon), float(mechanism.delta))
    holds = choice == "CORRECTED"  # the exact view itself decides; this is what the ledger's claims say of it
    return Instance(EXACT, choice, name, claim, how, holds, exact_epsilon=None, profile=profile)


def _float_laws(mechanism: DiscreteMechanism, pair: tuple[Dataset, Dataset]) -> Laws:
    p, q = ({s: float(mass) for s, mass in output_law(points, mechanism).items()} for points in pair)
    return p, q


# --- Algorithm 1, continuous noise --------------------------------------------------------------------


def _exact_estimator() -> Iterator[Instance]:
    """A near tie of NULL and s_1, where print shows which spans exist; and the step at which s_1 is found."""
    claim = Claim(1.0, 0.01)
    score_of_null = round(4.0 * math.log(1.0 / claim.delta) / claim.epsilon + 1.0)
    near_tie = ([[1, 0]] * score_of_null + [[0, 1]], [[1, 0]] * (score_of_null + 1))
    found = ([[1, 0]] * 28 + [[0, 1]], [[1, 0]] * 27 + [[0, 1]] * 2)
    for choice in ("AS_PRINTED", "CORRECTED"):
        arguments = {"epsilon": claim.epsilon, "delta": claim.delta, "ell": 0, "k": 1}
        algorithm = _bind(EXACT, choice, arguments)
        for name, pair in (("near tie with NULL", near_tie), ("a line found or not", found)):
            if choice == "AS_PRINTED" and pair is found:
                continue
            yield _finite(EXACT, choice, name, claim, algorithm, pair, Transcript(algorithm, *pair, trials=2000))
            how = Output(_output(algorithm), *pair, trials=4000, features=_label, arguments=arguments)
            yield _finite(EXACT, choice, name, claim, algorithm, pair, how)


def _finite(
    key: str, choice: str, name: str, claim: Claim, algorithm: Algorithm[Any], pair: Any, how: Transcript | Output
) -> Instance:
    p, q = (_law(algorithm, data) for data in pair)
    epsilon = epsilon_of_laws(p, q, claim.delta)
    holds = epsilon <= claim.epsilon + 1e-9
    return Instance(key, choice, name, claim, how, holds, epsilon, lambda e: delta_of_laws(p, q, e))


def _law(algorithm: Algorithm[Any], data: Any) -> dict[Any, float]:
    """The output law of an algorithm whose one release is a GapMaxLaw, by quadrature."""
    _, tape = record(algorithm, data, np.random.default_rng(0))
    term = condition(algorithm, data, tape).terms[-1]
    if not isinstance(term.law, GapMaxLaw):
        raise TypeError(f"algorithm must end in a GapMaxLaw, got {term.law!r}")
    values = term.value[:, 0]
    labels = [None, *(tuple(row) for row in term.value[1:, 2:].tolist())]
    return {label: win_probability(j, values, term.law.scale, term.law.bound) for j, label in enumerate(labels)}


# --- extensions ---------------------------------------------------------------------------------------


def _extensions() -> Iterator[Instance]:
    """Section 2.3 and Section 3.3."""
    line, plane = [[1, 0, 0]], [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0], [2, 1, 0]]
    claim, pure = Claim(1.0, 0.01), Claim(1.0, 0.0)

    pair = (line * 14 + [[0, 1, 0]], line * 13 + [[0, 1, 0]] * 2)
    arguments = {"epsilon": claim.epsilon, "delta": claim.delta, "ell": 0, "k_max": 2}
    algorithm = _bind(ALL_DIMENSIONS, "CORRECTED", arguments)
    for how in (
        Transcript(algorithm, *pair, trials=1000),
        Output(_output(algorithm), *pair, trials=1000, features=_label, arguments=arguments),
    ):
        yield _finite(ALL_DIMENSIONS, "CORRECTED", "lines and planes", claim, algorithm, pair, how)

    pair = ([*plane, [0, 0, 1]], [*plane, [1, 3, 0]])
    arguments = {"epsilon": 1.0, "k_max": 3}
    algorithm = _bind(DIMENSION, "CORRECTED", arguments)
    law = [_exponential_law(algorithm, data) for data in pair]
    epsilon = epsilon_of_laws(*law, 0.0)
    profile = partial(delta_of_laws, *law)
    holds = epsilon <= 1.0 + 1e-12
    output = Output(_output(algorithm), *pair, trials=500, arguments=arguments)
    for how in (Transcript(algorithm, *pair, trials=500), output):
        yield Instance(DIMENSION, "CORRECTED", "plane and one more", pure, how, holds, epsilon, profile)

    arguments = {"epsilon": 1.0, "k_max": 2, "ell": 0}
    algorithm = _bind(AT_MOST, "CORRECTED", arguments)
    # Laplace noise of scale 1 on a score that goes from 4 to 5, with the answer from 3 on
    no = 0.5 * math.exp(-1.0), 0.5 * math.exp(-2.0)
    epsilon = epsilon_of_laws(*({0: x, 1: 1.0 - x} for x in no), 0.0)
    yield Instance(
        AT_MOST,
        "CORRECTED",
        "plane and one more",
        pure,
        Transcript(algorithm, *pair, trials=500),
        holds=True,
        exact_epsilon=1.0,
        profile=lambda epsilon: max(0.0, -math.expm1(0.5 * (epsilon - 1.0))),
    )
    yield Instance(
        AT_MOST,
        "CORRECTED",
        "plane and one more",
        pure,
        Output(_output(algorithm), *pair, trials=500, features=int, arguments=arguments),
        holds=epsilon <= 1.0 + 1e-12,
        exact_epsilon=epsilon,
    )

    n = 12
    arguments = {"epsilon": 4.0, "delta": 0.2, "ell": 0, "n": n, "k": 1}
    algorithm = _bind(RANDOM_SUBSETS, "CORRECTED", arguments)
    subset_pair = ([[1, 0]] * (n - 1) + [[0, 1]], [[1, 0]] * (n - 2) + [[0, 1]] * 2)
    yield Instance(
        RANDOM_SUBSETS,
        "CORRECTED",
        "a line found or not",
        Claim(4.0, 0.2),
        Output(_output(algorithm), *subset_pair, trials=2000, features=_label, arguments=arguments),
        holds=True,  # claim singhal2021.section-2.3-random-subsets
        exact_epsilon=None,
    )

    t, m = 37, 4  # blocks and rows of a block, at the budget of one run and k = 2
    axes = np.eye(3)
    data = np.repeat(axes[np.where(np.arange(t) < t // 2, 0, 1)], m, axis=0)
    neighbour = data.copy()
    neighbour[0] = 1e9 * axes[1]
    claim = Claim(6.0, 0.05)
    runs = Choice(3.0, "E[K] = 3 k_max: fewer runs than CORRECTED has, to save time", "singhal2021.section-3.3")
    algorithm = ALGORITHMS[SELECTION].bind(
        epsilon=claim.epsilon,
        delta=claim.delta,
        gamma=1e-5,
        gamma_hat=0.1,
        n=m * t,
        d=3,
        k_max=2,
        auxiliary=np.tile(axes[:2], (5, 1)),
        choices=replace(SELECTION_CHOICES, runs_per_dimension=runs),
    )
    yield Instance(
        SELECTION,
        "CORRECTED with fewer runs",
        "half of the blocks",
        claim,
        Output(_output(algorithm), data, neighbour, trials=500, features=_axis),
        holds=True,  # claim singhal2021.section-3.3
        exact_epsilon=None,
    )


def _exponential_law(algorithm: Algorithm[Any], data: Any) -> dict[int, float]:
    _, tape = record(algorithm, data, np.random.default_rng(0))
    term = condition(algorithm, data, tape).terms[-1]
    return {i: math.exp(term.law.log_likelihood(term.value, i)) for i in range(len(term.value))}


# --- Algorithm 2 --------------------------------------------------------------------------------------


def _approximate_estimator() -> Iterator[Instance]:
    """All blocks apart, where one moves; and half of the blocks in either cell, where one changes sides."""
    claim, m = Claim(1.0, 0.01), 3
    few_blocks = replace(APPROXIMATE_AS_PRINTED, C_0=Choice(0.5, "print hides C_0", "singhal2021.algorithm-2-threshold"))
    readings = {**ALGORITHMS[APPROXIMATE].choices, "AS_PRINTED with C_0 = 0.5": few_blocks}
    for choice, choices in readings.items():
        t = math.ceil(choices.C_0.value * math.log(1.0 / claim.delta) / claim.epsilon)
        arguments = {"epsilon": claim.epsilon, "delta": claim.delta, "gamma": 1e-5, "n": m * t, "d": 2, "k": 1}
        algorithm = ALGORITHMS[APPROXIMATE].bind(**arguments, choices=choices)
        threshold = 0.5 * t if choices.threshold.value == "half" else math.inf
        holds = threshold == math.inf or stability_delta(claim.epsilon, threshold) <= claim.delta
        apart, halves = np.arange(t), np.where(np.arange(t) < t // 2, 0, t // 2)
        for name, lines in (("all blocks apart", apart), ("half of the blocks", halves)):
            if lines is halves and not holds:
                continue  # the first pair refutes it
            angles = math.pi / t * np.repeat(lines, m)
            data = np.column_stack([np.cos(angles), np.sin(angles)])
            neighbour = data.copy()
            neighbour[0] = 1e9 * data[-1]  # the first block's subspace is now this row's
            for how in (
                Transcript(algorithm, data, neighbour, trials=1000),
                Output(_output(algorithm), data, neighbour, 2000, partial(_line, t=t), arguments),
            ):
                yield Instance(APPROXIMATE, choice, name, claim, how, holds, exact_epsilon=None)


def _line(Pi: NDArray[np.float64] | None, t: int) -> int | None:
    """Which of t lines, pi / t apart, is the nearest."""
    if Pi is None:
        return None
    return round(t / (2.0 * math.pi) * math.atan2(2.0 * Pi[0, 1], Pi[0, 0] - Pi[1, 1])) % t


# --- shared -------------------------------------------------------------------------------------------


def _bind(key: str, choice: str, arguments: Mapping[str, Any]) -> Algorithm[Any]:
    return ALGORITHMS[key].bind(**arguments, choices=ALGORITHMS[key].choices[choice])


def _output(algorithm: Algorithm[Any]) -> Any:
    """The algorithm as a mechanism (data, rng) -> output."""
    return lambda data, rng: algorithm(data, Sample(rng))


def _label(subspace: Subspace | None) -> str | None:
    """A subspace as a category."""
    return None if subspace is None else str(subspace.rows)


def _axis(Pi: NDArray[np.float64] | None) -> str | None:
    """Rank of a projector, and the axis that it moves least."""
    return None if Pi is None else f"{round(float(np.trace(Pi)))}, axis {int(np.argmax(np.diag(Pi)))}"
