"""Whether a release draws from the law that it declares.

Every verdict from a transcript trusts `ReleaseLaw.log_likelihood`, and every verdict from an output trusts `draw` and `apply`.
Each law is held against its textbook (`textbook_laws.py`) in three ways, at several parameters, values and dimensions:

* the log-likelihood is the textbook's, outcome by outcome, up to rounding;
* the norm of the sensitivity is the textbook's;
* what `Sample` (which users run) and `Record` (which is audited) release is drawn from that density. For the density p, and q
  of another law whose sampler and density are the check's own, E_p[q / (p + q)] = E_q[p / (p + q)]: both are the integral of
  p q / (p + q). If something else is drawn than p, the left side moves. The weights lie in [0, 1], so no tail spoils the test.

The two means are compared by a bet that wins where they differ: its capital has mean 1 where they do not, so that by Markov's
inequality the false-alarm level holds exactly, for every number of draws and without a normal approximation. At sizes and
parameters that are drawn anew with every seed, and where all numbers, scores or items of a value are alike, the densities of
what is drawn are compared by their distribution. Noise that is added is besides drawn with all digits of double precision, up
to its largest values: two draws are never equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from scipy.special import expit, logsumexp
from scipy.stats import binom, chi2, chi2_contingency, kstest

from dppca.audit.suite import marginal
from dppca.audit.suite import textbook_laws as textbook
from dppca.audit.suite.textbook_laws import Array, Textbook
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration
from dppca.reference.noise import (
    ExponentialLaw,
    GaussianLaw,
    LaplaceLaw,
    Record,
    ReleaseLaw,
    Sample,
    ThresholdedLaplaceLaw,
    condition,
    record,
)
from dppca.reference.primitives.bingham import BinghamLaw
from dppca.reference.primitives.matrix_bingham import MatrixBinghamLaw
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw
from dppca.reference.primitives.wishart import WishartLaw
from dppca.reference.singhal2021.gap_max import GapMaxLaw
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw

#: Draws on either side of a comparison; of a sampler that makes hundreds of proposals for a draw, an eighth.
DRAWS = {"quick": 2_000, "standard": 20_000, "deep": 200_000}
SLOW, FEWEST = (BinghamLaw, MatrixBinghamLaw), 1_500
#: Settings of a law that are drawn, two of a slow law; draws at each, and those of its textbook for each of them; parts of the
#: densities. A law that is off by 0.041 in total variation is seen in half of the runs, by 0.05 nearly always; a slow law by
#: 0.029 in three dimensions, and by 0.075 in twenty (`resolution`).
DRAWN_SETTINGS, FIT_DRAWS, SLOW_DRAWS, TEXTBOOK_SHARE, PARTS = 3, 10_000, 60_000, 10, 10
#: Probability that one comparison finds a difference where there is none, and how many comparisons there may be at most: the
#: probability that any does is below 1e-7.
LEVEL, COMPARISONS = 1e-10, 1_000
#: Shares of the capital that are bet on a difference, of either sign.
STAKES = (*(0.9**k for k in range(1, 60, 3)), *(-(0.9**k) for k in range(1, 60, 3)))
#: Outcomes at which likelihoods are compared, and the relative difference that rounding and a quadrature may make.
OUTCOMES, ROUNDING = 40, 1e-7
#: Largest multiple of a gap of eigenvalues: with epsilon = 600 on 300 rows, the most that sizes.py draws.
#: Of a whole basis far fewer proposals are taken, so that it is less.
MOST_CONCENTRATED, MOST_OF_A_BASIS = 90_000.0, 40.0
#: So many draws may have an equal one by chance: with the 50 bits that are left beside a value, one in a thousand runs has any.
MOST_EQUAL = 3


@dataclass(frozen=True)
class Setting:
    """One law at one value, with its textbook."""

    law: ReleaseLaw
    value: Array
    family: Textbook

    @property
    def name(self) -> str:
        """Return the law with its parameters, and the value's shape."""
        return f"{self.law} at a value of shape {self.value.shape}"


def _table(*rows: tuple[float, ...]) -> Array:
    return np.array(rows, dtype=float)


_MATRIX_2, _MATRIX_3 = _table((1.0, 0.3), (0.3, -0.5)), _table((1.0, 0.4, 0.0), (0.4, 0.2, -0.3), (0.0, -0.3, 0.1))
_TWO_CELLS = _table(*[(0.0, 1.0)] * 3, (1.0, 0.0))
_TIED_CELLS = _table((1.0, 2.0), (-3.0, 0.0), (1.0, 2.0), (-3.0, 0.0), (0.0, 1.0))
_CANDIDATES = _table((2.0, 0.0, 0.0, 0.0), (1.5, 1.0, 1.0, 0.0), (0.0, 3.0, 0.0, 1.0), (0.0, 2.0, 1.0, 1.0))
_TIES = _table((1.0, 0.0, 0.0), (1.0, 2.0, 1.0), (1.0, 1.0, 2.0))


def _concentrated(d: int, top: float) -> Array:
    """Return a matrix of rank one whose axis is no coordinate: most proposals of a rejection sampler are refused there."""
    axis = np.arange(1.0, d + 1.0) / np.linalg.norm(np.arange(1.0, d + 1.0))
    return np.asarray(top * np.outer(axis, axis))


#: Every law at several parameters, values and dimensions: low acceptance, both sides of a threshold, ties, one dimension.
SETTINGS: dict[type[ReleaseLaw], tuple[tuple[ReleaseLaw, Array], ...]] = {
    GaussianLaw: (
        (GaussianLaw(2.0), np.zeros(3)),
        (GaussianLaw(0.1), _table((1.0, -2.0), (0.3, 5.0))),
        (GaussianLaw(7.0), np.array(1.5)),
        (GaussianLaw(1.0), np.zeros((4, 5))),
    ),
    LaplaceLaw: ((LaplaceLaw(2.0), np.array(3.0)), (LaplaceLaw(0.2), _table((1.0, -2.0)))),
    TruncatedLaplaceLaw: (
        (TruncatedLaplaceLaw(1.0, 3.0), np.array(0.5)),
        (TruncatedLaplaceLaw(2.0, 1.0), np.array([1.0, -1.0])),
    ),
    ThresholdedLaplaceLaw: tuple((ThresholdedLaplaceLaw(1.5, t), np.array(2.0)) for t in (0.5, 2.0, 3.0)),
    ExponentialLaw: (
        (ExponentialLaw(0.7), np.array([2.0, 0.0, 1.0, 2.0])),
        (ExponentialLaw(3.0), np.array([0.5, 0.0])),
    ),
    SparseHistogramLaw: ((SparseHistogramLaw(1.0, 1.5), _TWO_CELLS), (SparseHistogramLaw(0.7, 2.5), _TIED_CELLS)),
    BinghamLaw: (
        (BinghamLaw(1.0), np.eye(1)),
        (BinghamLaw(1.5), _MATRIX_2),
        (BinghamLaw(3.0), _MATRIX_3),
        (BinghamLaw(0.5), _concentrated(8, 200.0)),
        (BinghamLaw(1.0), _concentrated(12, 400.0)),
        (BinghamLaw(300.0), _concentrated(6, MOST_CONCENTRATED / 300.0)),
    ),
    MatrixBinghamLaw: ((MatrixBinghamLaw(1.5), _MATRIX_2), (MatrixBinghamLaw(3.0), _MATRIX_3)),
    WishartLaw: (
        (WishartLaw(0.5), np.eye(1)),
        (WishartLaw(0.5), np.diag([3.0, 1.0])),
        (WishartLaw(2.0), _MATRIX_3),
    ),
    GapMaxLaw: ((GapMaxLaw(1.0, 3.0, 4), _CANDIDATES), (GapMaxLaw(2.0, 1.5, 3), _TIES)),
    GapThresholdLaw: (
        (GapThresholdLaw(1.0, 2.0), np.array([2.0, 1.0, 0.0])),
        (GapThresholdLaw(2.0, 5.0), np.array([1.0, 3.0])),
        (GapThresholdLaw(1.0, 2.0), np.array([0.0, 0.0])),
    ),
    marginal.GaussianMixtureLaw: ((marginal.GaussianMixtureLaw(0.5), _table((1.0, 0.0), (0.0, 1.0), (-1.0, 0.5))),),
    marginal.TwoMeansLaw: ((marginal.TwoMeansLaw(0.5, 0.3), _table((1.0, 0.0), (0.0, 1.0))),),
}

FAMILIES: dict[type[ReleaseLaw], Textbook] = {
    GaussianLaw: textbook.Gaussian(),
    LaplaceLaw: textbook.Laplace(),
    TruncatedLaplaceLaw: textbook.TruncatedLaplace(),
    ThresholdedLaplaceLaw: textbook.ThresholdedLaplace(),
    ExponentialLaw: textbook.Exponential(),
    SparseHistogramLaw: textbook.SparseHistogram(),
    BinghamLaw: textbook.Bingham(),
    MatrixBinghamLaw: textbook.MatrixBingham(),
    WishartLaw: textbook.Wishart(),
    GapMaxLaw: textbook.GapMax(),
    GapThresholdLaw: textbook.GapThreshold(),
    marginal.GaussianMixtureLaw: textbook.GaussianMixture(),
    marginal.TwoMeansLaw: textbook.GaussianMixture(),
}


def settings(law: type[ReleaseLaw]) -> list[Setting]:
    """Return the settings at which a law is checked."""
    return [Setting(of, value, FAMILIES[law]) for of, value in SETTINGS[law]]


def declared_laws() -> set[type[ReleaseLaw]]:
    """Return every law that the reference and the audits define, found as the subclasses of `ReleaseLaw`."""
    found, pending = set(), [ReleaseLaw]
    while pending:
        of = pending.pop()
        pending += of.__subclasses__()
        if of is not ReleaseLaw and of.__module__.startswith(("dppca.reference.", "dppca.audit.")):
            found.add(of)
    return found


@cache
def released_laws(key: str) -> frozenset[type[ReleaseLaw]]:
    """Return the laws of the releases on tapes of an algorithm's declared example, under each of its readings."""
    entry: Declaration = ALGORITHMS[key]
    found = set()
    for choices in entry.choices.values():
        run = entry.bind(**entry.example.arguments, choices=choices)
        for seed in range(3):
            _, tape = record(run, entry.example.data, np.random.default_rng(seed))
            found |= {type(term.law) for term in condition(run, entry.example.data, tape).terms}
    return frozenset(found)


def law_faults(law: type[ReleaseLaw], draws: int, seed: int) -> list[str]:
    """Return what is wrong with a law, in sentences; empty if nothing is."""
    if law not in SETTINGS:
        return [f"{law.__name__} has no textbook in audit/suite/textbook_laws.py and no settings in audit/suite/laws.py"]
    rng = np.random.default_rng([seed, crc32(law.__name__.encode())])
    count = 2 if issubclass(law, SLOW) else DRAWN_SETTINGS
    at = [random_setting(law, (part + rng.random()) / count, rng) for part in range(count)]
    one = at[rng.integers(count)]
    at.append(replace(one, value=one.family.alike(one.value)))
    found = [fault for number, at in enumerate(settings(law)) for fault in setting_faults(at, draws, seed + number)]
    return found + [fault for each in at for fault in fit_faults(each, draws, rng)]


@dataclass(frozen=True)
class Scale:
    """What a law and a value are drawn for: a scale of the noise, a dimension, a number of entries or candidates."""

    rng: np.random.Generator
    scale: float
    d: int
    many: int


Drawn: TypeAlias = Callable[[Scale], tuple[ReleaseLaw, Array]]


def _matrix(rng: np.random.Generator, top: float, d: int, most: float = MOST_CONCENTRATED) -> Array:
    """Return a matrix of two eigenvalues, for which there is a textbook in every dimension, log-uniform up to the largest."""
    basis, _ = np.linalg.qr(rng.standard_normal((d, d)))
    gap = top * 0.5 * (2.0 * most) ** rng.random()
    return np.asarray(basis * np.where(np.arange(d) < rng.integers(1, d), gap, 0.0) @ basis.T)


def _histogram(of: Scale) -> tuple[SparseHistogramLaw, Array]:
    """Return a histogram and items of which most are in one cell, whose count is near the threshold, as large as that is."""
    rng, cells = of.rng, np.array(textbook.SparseHistogram.CELLS)[of.rng.permutation(5)[: int(of.rng.integers(1, 5))]]
    counts = [of.many, *np.ceil(of.many ** rng.random(len(cells) - 1)).astype(int)]
    law = SparseHistogramLaw(of.scale, of.many + of.scale * rng.uniform(-2.0, 2.0))
    return law, rng.permutation(np.repeat(cells, counts, axis=0))


def _candidates(rng: np.random.Generator, scale: float, many: int) -> Array:
    """Return values of as many candidates, NULL first, each with a standard draw and a label of its own."""
    labels = np.column_stack([np.arange(many), np.ones(many)]) * (np.arange(many) > 0)[:, None]
    order = np.concatenate([[0], 1 + rng.permutation(many - 1)])
    return np.column_stack([scale * rng.uniform(0.0, 3.0, many), order, labels])


def _numbers(rng: np.random.Generator, scale: float, d: int, many: int) -> Array:
    """Return a vector or a table."""
    return np.asarray(scale * rng.standard_normal((many,) if rng.random() < 0.5 else (d, d)))


#: A law and a value by a random scale, dimension and number of entries or candidates.
DRAWN: dict[type[ReleaseLaw], Drawn] = {
    GaussianLaw: lambda of: (GaussianLaw(of.scale), _numbers(of.rng, of.scale, of.d, of.many)),
    LaplaceLaw: lambda of: (LaplaceLaw(of.scale), _numbers(of.rng, of.scale, of.d, of.many)),
    TruncatedLaplaceLaw: lambda of: (
        TruncatedLaplaceLaw(of.scale, of.scale * of.rng.uniform(0.5, 5.0)),
        _numbers(of.rng, of.scale, of.d, of.many),
    ),
    ThresholdedLaplaceLaw: lambda of: (
        ThresholdedLaplaceLaw(of.scale, of.scale * of.rng.uniform(-1.0, 3.0)),
        np.array(of.scale * of.rng.uniform(0.0, of.d + of.many)),
    ),
    ExponentialLaw: lambda of: (ExponentialLaw(of.scale), of.rng.uniform(0.0, 3.0, of.many) / of.scale),
    SparseHistogramLaw: _histogram,
    BinghamLaw: lambda of: (BinghamLaw(of.scale), _matrix(of.rng, 1.0 / of.scale, of.d)),
    MatrixBinghamLaw: lambda of: (MatrixBinghamLaw(of.scale), _matrix(of.rng, 1.0 / of.scale, of.d, MOST_OF_A_BASIS)),
    WishartLaw: lambda of: (WishartLaw(of.scale), of.scale * np.diag(of.rng.standard_normal(of.d))),
    GapMaxLaw: lambda of: (
        GapMaxLaw(of.scale, 3.0 * of.scale, min(of.many, 40)),
        _candidates(of.rng, of.scale, min(of.many, 40)),
    ),
    GapThresholdLaw: lambda of: (
        GapThresholdLaw(of.scale, 3.0 * of.scale),
        np.concatenate([[of.scale * of.rng.uniform(0.1, 5.0)], 1.0 + np.arange(of.many)]),
    ),
    marginal.GaussianMixtureLaw: lambda of: (
        marginal.GaussianMixtureLaw(of.scale),
        of.scale * of.rng.standard_normal((of.many, 3)),
    ),
    marginal.TwoMeansLaw: lambda of: (
        marginal.TwoMeansLaw(of.scale, float(of.rng.random())),
        of.scale * of.rng.standard_normal((2, of.d)),
    ),
}


def random_setting(law: type[ReleaseLaw], size: float, rng: np.random.Generator) -> Setting:
    """Return a law of up to 200 numbers or candidates (40 of `GapMaxLaw`), or 20 dimensions, its noise and values of any scale.

    `size` is the place in these ranges, from 0 to 1, in logarithms.
    """
    d, many = (int(2.0 * (0.5 * (most + 1)) ** size) for most in (20, 200))
    of, value = DRAWN[law](Scale(rng, float(np.exp(rng.uniform(-3.0, 3.0))), d, many))
    return Setting(of, np.asarray(value), FAMILIES[law])


def fit_faults(at: Setting, draws: int, rng: np.random.Generator) -> list[str]:
    """Return what is wrong with a law at a random size: its likelihood, equal draws of noise, how often densities are drawn.

    The densities of what is drawn are as often between quantiles as those of a sample of the textbook's are (chi-square); of
    finitely many outcomes each comes as often as its binomial law allows.
    """
    draws = max(draws, SLOW_DRAWS // len(at.value) if isinstance(at.law, SLOW) else FIT_DRAWS)
    found = _likelihood_faults(at, rng, 2)
    outcomes = at.family.code(at.value, _released(at, draws, rng))
    found += _atoms(at, outcomes)
    if isinstance(at.law, SparseHistogramLaw):
        found += _histogram_noise(at.law, len(at.value), rng)
    own = _log_density(at, outcomes)
    if np.isneginf(own).any():
        return [*found, f"{at.name} is drawn as {outcomes[np.isneginf(own)][0]!r:.200}, which it says is impossible"]
    parameters: dict[str, float] = dict(vars(at.law))
    if isinstance(at.family, textbook.Finite):
        for outcome, mass in enumerate(at.family.masses(parameters, at.value).tolist()):
            count, p = int(np.sum(outcomes == outcome)), min(max(mass, 0.0), 1.0)
            if min(binom.cdf(count, draws, p), binom.sf(count - 1, draws, p)) < LEVEL / 2.0:
                found.append(f"what is drawn is not {at.name}: outcome {outcome} comes {count} times, {draws * p:.1f} expected")
        return found
    theirs = _log_density(at, at.family.sample(parameters, at.value, TEXTBOOK_SHARE * draws, rng))
    edges = np.unique(np.quantile(np.round(theirs, 9), np.linspace(0.0, 1.0, PARTS + 1)[1:-1]))
    counts = np.array([np.bincount(np.searchsorted(edges, np.round(of, 9)), minlength=len(edges) + 1) for of in (own, theirs)])
    counts = counts[:, counts.sum(axis=0) > 0]
    p = 1.0 if counts.shape[1] < 2 else float(chi2_contingency(counts, correction=False).pvalue)
    if p < LEVEL:
        shares = counts / counts.sum(axis=1, keepdims=True)
        found.append(
            f"what is drawn is not {at.name}: of {draws} draws the parts {np.round(shares[0], 3).tolist()} have log-densities "
            f"between quantiles where the law has {np.round(shares[1], 3).tolist()} (p-value {p:.1g}): about "
            f"{0.5 * float(np.abs(shares[0] - shares[1]).sum()):.3f} in total variation, and {resolution(draws):.3f} is seen"
        )
    return found


def resolution(draws: int) -> float:
    """Return the total variation from which on `fit_faults` sees a law in half of the runs.

    It is that of a law which gives too much to one half of the densities, and too little to the other: the chi-square statistic
    of so many parts then has the noncentrality 4 draws t^2 for a distance of t.
    """
    noncentrality = float(chi2.isf(LEVEL, PARTS - 1)) - (PARTS - 1)
    return math.sqrt(noncentrality * (1.0 + 1.0 / TEXTBOOK_SHARE) / (4.0 * draws))


def _histogram_noise(law: SparseHistogramLaw, items: int, rng: np.random.Generator) -> list[str]:
    """Return whether cells of so many items, all of them shown, share noise, or have noise of another law."""
    value = np.repeat(np.arange(float(items)), rng.integers(1, 4, size=items))[:, None]
    counts = np.bincount(value[:, 0].astype(int))
    shown = SparseHistogramLaw(law.scale, -1e9)
    several = [np.asarray(of)[:, 0] - counts for of in _released(Setting(shown, value, FAMILIES[type(law)]), 60, rng)]
    found = []
    if (equal := sum(_equal(np.round(noise / law.scale, 9)) for noise in several)) > MOST_EQUAL:
        found.append(f"{law} on {items} cells shows {equal} cells with the noise of another one: their difference is exact")
    if (p := float(kstest(np.concatenate(several) / law.scale, "laplace").pvalue)) < LEVEL:
        found.append(f"{law} on {items} cells has noise of another law than Laplace: p-value {p:.1g}")
    return found


def setting_faults(at: Setting, draws: int, seed: int) -> list[str]:
    """Return what is wrong with a law at one value."""
    rng = np.random.default_rng([seed, draws])
    draws = max(draws // 8, FEWEST) if isinstance(at.law, SLOW) else draws
    found = [*_norm_faults(at), *_likelihood_faults(at, rng)]
    outcomes = at.family.code(at.value, _released(at, draws, rng))
    found += _atoms(at, outcomes)
    own = _log_density(at, outcomes)
    if np.isneginf(own).any():
        return [*found, f"{at.name} is drawn as {outcomes[np.isneginf(own)][0]!r:.200}, which it says is impossible"]
    for other in at.family.alternatives(at.law, at.value):
        found += _difference(at, own - other.log_density(outcomes), other, draws, rng)
    return found


def _atoms(at: Setting, outcomes: Array) -> list[str]:
    """Return that a law without atoms has some: noise that is added, entry by entry; of a direction its first entry."""
    if isinstance(at.family, textbook.Additive):
        numbers = outcomes - at.value
    elif isinstance(at.family, textbook.Bingham) and len(at.value) > 1:
        numbers = outcomes.reshape(len(outcomes), -1)[:, 0]
    else:
        return []
    equal = _equal(numbers)
    few = f"{at.name} is drawn with few digits, cut off or used again: {equal} draws of noise have an equal one"
    return [few] if equal > MOST_EQUAL else []


def _equal(noise: Array) -> int:
    """Return how many of all numbers equal one before."""
    return noise.size - len(np.unique(noise))


def _log_density(at: Setting, outcomes: Array) -> Array:
    parameters: dict[str, float] = dict(vars(at.law))
    return at.family.log_density(parameters, at.value, outcomes)


def _difference(at: Setting, gaps: Array, other: textbook.Alternative, draws: int, rng: np.random.Generator) -> list[str]:
    """Compare the two sides of the identity; `gaps` are log p - log q at what the law drew."""
    theirs = other.sample(draws, rng)
    ours, reverse = expit(-gaps), expit(_log_density(at, theirs) - other.log_density(theirs))
    # A bet on the sign of the differences, whose capital has mean 1 if theirs is 0, whatever the stake and the number of draws.
    capital = np.array([np.sum(np.log1p(stake * (ours - reverse))) for stake in STAKES])
    log_mean = float(logsumexp(capital)) - math.log(len(STAKES))
    if log_mean < -math.log(LEVEL):
        return []
    return [
        f"what is drawn is not {at.name}: against the alternative {other.name!r}, E_p[q / (p + q)] is {np.mean(ours):.4f} on "
        f"{draws} draws and {np.mean(reverse):.4f} by the declared density (p-value 1e-{log_mean / math.log(10.0):.0f})"
    ]


def _released(at: Setting, draws: int, rng: np.random.Generator) -> list[Any]:
    """Return what `Sample` releases, and what the tape of `Record` says that it released, by turns."""
    sample, written = Sample(rng), Record(rng)
    for number in range(draws // 2):
        written.release(str(number), at.value, at.law, sensitivity=1.0)
    sampled = [sample.release(str(number), at.value, at.law, sensitivity=1.0) for number in range(draws - draws // 2)]
    return [*sampled, *(entry.released for entry in written.tape.entries)]


def _likelihood_faults(at: Setting, rng: np.random.Generator, most: int | None = None) -> list[str]:
    """Compare likelihoods at what the law releases for its own value, and for others, of which there are so many at most."""
    found = []
    values = {"": at.value, **dict(list(at.family.moved(vars(at.law), at.value).items())[:most])}
    for name, value in values.items():
        releases = [at.law.apply(value, at.law.draw(value, rng)) for _ in range(OUTCOMES)]
        coded = at.family.code(at.value, releases)
        expected = _log_density(at, coded)
        for release, log_density in zip(releases, expected, strict=True):
            found_here = at.law.log_likelihood(at.value, release)
            close = math.isfinite(log_density) and abs(found_here - log_density) <= ROUNDING * (1.0 + abs(log_density))
            if not (found_here == log_density or close):
                where = f" ({name})" if name else ""
                found.append(
                    f"{at.name} gives {release!r:.120}{where} the log-likelihood {found_here:.9g}, "
                    f"the textbook {log_density:.9g}"
                )
                break
    return found


def _norm_faults(at: Setting) -> list[str]:
    """Compare the distance of the value and other ones, moved as the alternatives are and by multiples of that."""
    others = at.family.moved(vars(at.law), at.value)
    for name, value in others.items():
        ours, theirs = at.law.change(at.value, value), at.family.change(at.value, value)
        if abs(ours - theirs) > ROUNDING * (1.0 + theirs):
            return [f"{at.name} says that {name!r} moves it by {ours:.9g} in its norm {at.law.norm!r}, which is {theirs:.9g}"]
    return []
