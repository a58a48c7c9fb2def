"""The laws of releases a second time, from the textbook: density, sampler and norm, for many outcomes at once.

Nothing here calls the law that it describes, or anything else of `reference/` but the names of the classes. `laws.py` holds
the reference's samplers and likelihoods against these.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from mpmath import hyp1f1, log
from numpy.typing import NDArray
from scipy.special import gammaln, i0e, logsumexp

from dppca.reference.noise import ReleaseLaw

Array: TypeAlias = NDArray[Any]
Parameters: TypeAlias = Mapping[str, float]

#: Points of a grid on which a distribution function is inverted, or a product of them integrated.
GRID = 100_001
#: What an outcome is coded as where no law of the family could release it.
IMPOSSIBLE = -2.0


@dataclass(frozen=True)
class Alternative:
    """A law with a sampler and a log-density of its own: (count, rng) -> outcomes, outcomes -> log-densities."""

    name: str
    sample: Callable[[int, np.random.Generator], Array]
    log_density: Callable[[Array], Array]


class Textbook(ABC):
    """One family of laws. Outcomes are coded in one array, the first axis of which counts them."""

    #: Parameters that are multiplied to make alternatives, and those that a value is moved by, in units of the noise.
    scaled: tuple[str, ...] = ()

    @abstractmethod
    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        """Return releases of a law as outcomes."""

    @abstractmethod
    def log_density(self, parameters: Parameters, value: Array, outcomes: Array) -> Array:
        """Return the log-density of each outcome, with respect to one measure for all parameters and values."""

    @abstractmethod
    def sample(self, parameters: Parameters, value: Array, count: int, rng: np.random.Generator) -> Array:
        """Return independent outcomes."""

    @abstractmethod
    def change(self, value: Array, other: Array) -> float:
        """Return the distance of two values in the norm of the sensitivity."""

    @abstractmethod
    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        """Return other values by a name that says how they differ."""

    def own(self, parameters: Parameters, value: Array) -> list[Alternative]:
        """Return alternatives that are not of the family."""
        del parameters, value
        return []

    def alike(self, value: Array) -> Array:
        """Return a value of this shape whose numbers, scores or items are all alike."""
        return 0.0 * value

    def alternatives(self, law: ReleaseLaw, value: Array) -> list[Alternative]:
        """Return what a law at a value is compared with: scaled parameters, moved values, laws of other families."""
        base: dict[str, float] = asdict(law)
        of = [
            (f"{name} x {by:g}", {**base, name: by * base[name]}, value) for name in self.scaled for by in (0.5, 0.8, 1.25, 2)
        ]
        of += [(name, base, other) for name, other in self.moved(base, value).items()]
        return [*(self._member(*each) for each in of), *self.own(base, value)]

    def _member(self, name: str, parameters: Parameters, value: Array) -> Alternative:
        return Alternative(
            name,
            lambda count, rng: self.sample(parameters, value, count, rng),
            lambda outcomes: self.log_density(parameters, value, outcomes),
        )


# --- noise that is added to every entry ---------------------------------------------------------------


class Additive(Textbook):
    """A family of values plus independent noise in every entry."""

    norm: float = 2.0

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        return np.array([np.asarray(of, dtype=float) for of in releases]).reshape(len(releases), *value.shape)

    @abstractmethod
    def log_noise(self, parameters: Parameters, z: Array) -> Array:
        """Return the log-density of the noise at every entry of z."""

    @abstractmethod
    def noise(self, parameters: Parameters, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        """Return noise."""

    def log_density(self, parameters: Parameters, value: Array, outcomes: Array) -> Array:
        return self.log_noise(parameters, outcomes - value).reshape(len(outcomes), -1).sum(axis=1)

    def sample(self, parameters: Parameters, value: Array, count: int, rng: np.random.Generator) -> Array:
        return value + self.noise(parameters, (count, *value.shape), rng)

    def change(self, value: Array, other: Array) -> float:
        return float(np.sum(np.abs(value - other) ** self.norm) ** (1.0 / self.norm))

    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        step = parameters[self.scaled[0]]
        units = np.eye(max(1, value.size)).reshape(-1, *value.shape)
        along = {f"entry {i} moved": value + step * unit for i, unit in enumerate(units)}
        return {**along, "all entries moved": value - 0.5 * step, "entries reversed": np.flip(value) + 0.3 * step}

    def own(self, parameters: Parameters, value: Array) -> list[Alternative]:
        """Return noise that is the same in every entry but for a part: what a draw that is used twice looks like."""
        step, size = parameters[self.scaled[0]], max(1, value.size)
        covariance = step**2 * (0.6 * np.eye(size) + 0.4)
        inverse, log_det = np.linalg.inv(covariance), float(np.linalg.slogdet(covariance)[1])
        root = np.linalg.cholesky(covariance)

        def log_density(outcomes: Array) -> Array:
            z = (outcomes - value).reshape(len(outcomes), size)
            return np.asarray(-0.5 * np.sum(z @ inverse * z, axis=1) - 0.5 * log_det - 0.5 * size * math.log(2.0 * math.pi))

        return [
            Alternative(
                "normal, correlation 0.4",
                lambda count, rng: value + (rng.standard_normal((count, size)) @ root.T).reshape(count, *value.shape),
                log_density,
            )
        ]


class Gaussian(Additive):
    """N(value, std^2 I)."""

    scaled = ("std",)

    def log_noise(self, parameters: Parameters, z: Array) -> Array:
        s = parameters["std"]
        return np.asarray(-((z / s) ** 2) / 2.0 - math.log(s * math.sqrt(2.0 * math.pi)))

    def noise(self, parameters: Parameters, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        return rng.normal(0.0, parameters["std"], shape)


class Laplace(Additive):
    """Entries of density exp(-|z| / scale) / (2 scale)."""

    scaled, norm = ("scale",), 1.0

    def log_noise(self, parameters: Parameters, z: Array) -> Array:
        return np.asarray(-np.abs(z) / parameters["scale"] - math.log(2.0 * parameters["scale"]))

    def noise(self, parameters: Parameters, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        return rng.exponential(parameters["scale"], shape) * rng.choice([-1.0, 1.0], shape)


class TruncatedLaplace(Additive):
    """Entries of density proportional to exp(-|z| / scale) on [-bound, bound]."""

    scaled, norm = ("scale", "bound"), 1.0

    def log_noise(self, parameters: Parameters, z: Array) -> Array:
        s, a = parameters["scale"], parameters["bound"]
        inside = np.abs(z) <= a * (1.0 + 1e-12)
        return np.where(inside, -np.abs(z) / s - math.log(2.0 * s * (1.0 - math.exp(-a / s))), -np.inf)

    def noise(self, parameters: Parameters, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        return np.reshape(rng.choice([-1.0, 1.0], shape) * _truncated_exponential(parameters, rng.random(shape)), shape)


def _truncated_exponential(parameters: Parameters, u: Array) -> Array:
    """Return exponential variables of this scale given that they are at most the bound."""
    s, a = parameters["scale"], parameters["bound"]
    return np.asarray(-s * np.log(1.0 - u * (1.0 - math.exp(-a / s))))


def truncated_cdf(parameters: Parameters, z: Array) -> Array:
    """Return P(noise <= z) of truncated Laplace noise."""
    s, a = parameters["scale"], parameters["bound"]
    size = np.minimum(np.abs(z), a)
    half = 0.5 * (1.0 - np.exp(-size / s)) / (1.0 - math.exp(-a / s))
    return np.asarray(0.5 + np.sign(z) * half)


class GaussianMixture(Textbook):
    """The mean of N(value_i, std^2 I) over the rows of a value, with equal weights, or with (share, 1 - share)."""

    scaled = ("std",)

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        return np.array(releases).reshape(len(releases), *value.shape[1:])

    @staticmethod
    def _weights(parameters: Parameters, value: Array) -> Array:
        share = parameters.get("share")
        return np.full(len(value), 1.0 / len(value)) if share is None else np.array([share, 1.0 - share])

    def log_density(self, parameters: Parameters, value: Array, outcomes: Array) -> Array:
        parts = np.stack([Gaussian().log_density(parameters, mean, outcomes) for mean in value])
        return np.asarray(logsumexp(parts, axis=0, b=self._weights(parameters, value)[:, None]))

    def sample(self, parameters: Parameters, value: Array, count: int, rng: np.random.Generator) -> Array:
        rows = rng.choice(len(value), count, p=self._weights(parameters, value))
        return value[rows] + rng.normal(0.0, parameters["std"], (count, *value.shape[1:]))

    def change(self, value: Array, other: Array) -> float:
        return max(Gaussian().change(a, b) for a, b in zip(value, other, strict=True))

    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        first = value.copy()
        first[0] += parameters["std"]
        return {"first mean moved": first, "means exchanged": value[::-1] + 0.2 * parameters["std"], "one mean": 0.0 * value}

    def own(self, parameters: Parameters, value: Array) -> list[Alternative]:
        return Gaussian().own(parameters, value.mean(axis=0))


# --- counts that are shown above a threshold ----------------------------------------------------------


class ThresholdedLaplace(Textbook):
    """A count plus Laplace noise where that exceeds the threshold; otherwise nothing, coded as nan."""

    scaled = ("scale",)

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        return np.array([math.nan if of is None else of for of in releases], dtype=float)

    def log_density(self, parameters: Parameters, value: Array, outcomes: Array) -> Array:
        s, t, v = parameters["scale"], parameters["threshold"], float(value)
        log_below = math.log(0.5) + (t - v) / s if t < v else math.log1p(-0.5 * math.exp((v - t) / s))
        shown = np.where(outcomes > t, -np.abs(outcomes - v) / s - math.log(2.0 * s), -np.inf)
        return np.where(np.isnan(outcomes), log_below, shown)

    def sample(self, parameters: Parameters, value: Array, count: int, rng: np.random.Generator) -> Array:
        noisy = Laplace().sample(parameters, value, count, rng)
        return np.where(noisy > parameters["threshold"], noisy, math.nan)

    def change(self, value: Array, other: Array) -> float:
        return abs(float(value) - float(other))

    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        up, down = value + parameters["scale"], value - 0.5 * parameters["scale"]
        return {"count moved up": up, "count moved down": down, "count 0": 0.0 * value}

    def own(self, parameters: Parameters, value: Array) -> list[Alternative]:
        s = parameters["scale"]
        t = {**parameters, "threshold": parameters["threshold"] + 0.5 * s}
        lower = {**parameters, "threshold": parameters["threshold"] - 0.5 * s}
        return [self._member("threshold moved up", t, value), self._member("threshold moved down", lower, value)]


class SparseHistogram(Textbook):
    """Every occupied cell as a thresholded count. An outcome has one column for each cell of `CELLS`, and one for the rest."""

    scaled = ("scale",)
    CELLS = ((-3.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 2.0), (4.0, -1.0))

    def _counts(self, value: Array) -> dict[tuple[float, ...], int]:
        rows = [tuple(row) for row in value.tolist()]
        return {cell: rows.count(cell) for cell in sorted(set(rows))}

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        outcomes = np.full((len(releases), len(self.CELLS) + 1), math.nan)
        for outcome, released in zip(outcomes, releases, strict=True):
            cells = [tuple(row[1:]) for row in released.tolist()]
            if cells != sorted(set(cells)) or not set(cells) <= set(self.CELLS):
                outcome[-1] = 1.0
                continue
            outcome[[self.CELLS.index(cell) for cell in cells]] = released[:, 0]
        return outcomes

    def log_density(self, parameters: Parameters, value: Array, outcomes: Array) -> Array:
        counts = self._counts(value)
        total = np.where(np.isnan(outcomes[:, -1]), 0.0, -np.inf)
        for column, cell in enumerate(self.CELLS):
            if cell in counts:
                total = total + ThresholdedLaplace().log_density(parameters, np.array(float(counts[cell])), outcomes[:, column])
            else:
                total = np.where(np.isnan(outcomes[:, column]), total, -np.inf)
        return total

    def sample(self, parameters: Parameters, value: Array, count: int, rng: np.random.Generator) -> Array:
        outcomes = np.full((count, len(self.CELLS) + 1), math.nan)
        for cell, number in self._counts(value).items():
            column = self.CELLS.index(cell)
            outcomes[:, column] = ThresholdedLaplace().sample(parameters, np.array(float(number)), count, rng)
        return outcomes

    def change(self, value: Array, other: Array) -> float:
        mine, theirs = self._counts(value), self._counts(other)
        return float(sum(abs(mine.get(cell, 0) - theirs.get(cell, 0)) for cell in {*mine, *theirs}))

    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        into, new = value.copy(), value.copy()
        into[0] = value[-1]
        new[0] = next(cell for cell in self.CELLS if cell not in self._counts(value))
        return {"item to another cell": into, "item to a new cell": new, "one cell alone": np.repeat(value[-1:], 2, axis=0)}

    def alike(self, value: Array) -> Array:
        return np.repeat(value[:1], len(value), axis=0)

    def own(self, parameters: Parameters, value: Array) -> list[Alternative]:
        s = parameters["scale"]
        return [
            self._member(f"threshold {by:+g} scale", {**parameters, "threshold": parameters["threshold"] + by * s}, value)
            for by in (0.5, -0.5)
        ]


# --- choices ------------------------------------------------------------------------------------------


class Finite(Textbook):
    """A family of laws on finitely many outcomes, coded by their number."""

    @abstractmethod
    def masses(self, parameters: Parameters, value: Array) -> Array:
        """Return the probabilities of the outcomes."""

    def log_density(self, parameters: Parameters, value: Array, outcomes: Array) -> Array:
        masses = self.masses(parameters, value)
        inside = (outcomes >= 0) & (outcomes < len(masses))
        with np.errstate(divide="ignore"):
            return np.where(inside, np.log(masses)[np.where(inside, outcomes, 0).astype(int)], -np.inf)

    def sample(self, parameters: Parameters, value: Array, count: int, rng: np.random.Generator) -> Array:
        masses = self.masses(parameters, value)
        return rng.choice(len(masses), count, p=masses / masses.sum()).astype(float)

    def own(self, parameters: Parameters, value: Array) -> list[Alternative]:
        found = []
        masses = self.masses(parameters, value)
        for outcome in range(len(masses)):
            mixed = 0.7 * masses + 0.3 * np.eye(len(masses))[outcome]

            def sample(count: int, rng: np.random.Generator, mixed: Array = mixed) -> Array:
                return rng.choice(len(mixed), count, p=mixed / mixed.sum()).astype(float)

            def log_density(outcomes: Array, mixed: Array = mixed) -> Array:
                inside = outcomes >= 0
                with np.errstate(divide="ignore"):
                    return np.where(inside, np.log(mixed)[np.where(inside, outcomes, 0).astype(int)], -np.inf)

            found.append(Alternative(f"outcome {outcome} more often", sample, log_density))
        return found


class Exponential(Finite):
    """An index of probability proportional to exp(multiplier score)."""

    scaled = ("multiplier",)

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        return np.array(releases, dtype=float)

    def masses(self, parameters: Parameters, value: Array) -> Array:
        weights = np.exp(parameters["multiplier"] * (value - value.max()))
        return np.asarray(weights / weights.sum())

    def change(self, value: Array, other: Array) -> float:
        return float(np.abs(value - other).max())

    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        step = np.eye(len(value)) / parameters["multiplier"]
        return {**{f"score {i} moved": value + step[i] for i in range(len(value))}, "scores 0": 0.0 * value}


class GapMax(Finite):
    """The label of the largest value plus truncated Laplace noise; a value's rows are [value, index, label...], NULL first."""

    scaled = ("scale", "bound")

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        labels = [row[2:].tolist() for row in value]
        found = [0.0 if of is None else float(_index(labels[1:], np.asarray(of).tolist()) + 1) for of in releases]
        return np.array(found)

    def masses(self, parameters: Parameters, value: Array) -> Array:
        """Return the integral of density(y) prod P(noise <= y + lead), by the trapezoidal rule."""
        a, s = parameters["bound"], parameters["scale"]
        y = np.linspace(-a, a, GRID // 5)
        density = np.exp(-np.abs(y) / s) / (2.0 * s * (1.0 - math.exp(-a / s)))
        found = []
        for i, own in enumerate(value[:, 0]):
            others = np.delete(value[:, 0], i)
            found.append(np.trapezoid(density * np.prod([truncated_cdf(parameters, y + own - of) for of in others], axis=0), y))
        return np.array(found)

    def change(self, value: Array, other: Array) -> float:
        mine, theirs = (
            {(row[2:].any(), *row[2:].tolist()) if i else None: row[0] for i, row in enumerate(of)} for of in (value, other)
        )
        return float(sum(abs(mine.get(label, 0.0) - theirs.get(label, 0.0)) for label in {*mine, *theirs}))

    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        found = {}
        for i in range(len(value)):
            other = value.copy()
            other[i, 0] += parameters["scale"]
            found[f"value {i} moved"] = other
        return found

    def alike(self, value: Array) -> Array:
        return np.column_stack([0.0 * value[:, :1], value[:, 1:]])


def _index(labels: list[list[float]], label: list[float]) -> int:
    return labels.index(label) if label in labels else int(IMPOSSIBLE) - 1


class GapThreshold(Finite):
    """A label where its lead plus truncated Laplace noise exceeds the bound; otherwise nothing. Outcome 1 is the label."""

    scaled = ("scale",)

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        shown = [0.0 if of is None else 1.0 if np.array_equal(of, value[1:]) else IMPOSSIBLE for of in releases]
        return np.array(shown)

    def masses(self, parameters: Parameters, value: Array) -> Array:
        hidden = float(truncated_cdf(parameters, np.array(parameters["bound"] - value[0])))
        return np.array([hidden, 1.0 - hidden])

    def change(self, value: Array, other: Array) -> float:
        leads: dict[tuple[float, ...], float] = {}
        for of, sign in ((value, 1.0), (other, -1.0)):
            label = tuple(of[1:].tolist())
            leads[label] = leads.get(label, 0.0) + sign * float(of[0])
        return sum(abs(lead) for lead in leads.values())

    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        more, less = value.copy(), value.copy()
        more[0], less[0] = value[0] + parameters["scale"], max(0.0, value[0] - parameters["scale"])
        return {
            "lead moved up": more,
            "lead moved down": less,
            "another label": np.array([parameters["bound"], *(value[1:] + 1.0)]),
        }


# --- directions ---------------------------------------------------------------------------------------


class Bingham(Textbook):
    """A unit vector of density proportional to exp(multiplier v^T A v), with respect to the uniform probability."""

    scaled = ("multiplier",)
    sign = 1.0

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        outcomes = np.array(releases)
        wrong = np.abs(np.linalg.norm(outcomes, axis=1) - 1.0) > 1e-9
        outcomes[wrong] = math.nan
        return outcomes

    def matrix(self, parameters: Parameters, value: Array) -> Array:
        """Return M of the density exp(v^T M v)."""
        return self.sign * parameters["multiplier"] * value

    def log_density(self, parameters: Parameters, value: Array, outcomes: Array) -> Array:
        M = self.matrix(parameters, value)
        found = np.einsum("ni,ij,nj->n", outcomes, M, outcomes) - log_mean_exp(np.linalg.eigvalsh(M))
        return np.where(np.isnan(found), -np.inf, found)

    def sample(self, parameters: Parameters, value: Array, count: int, rng: np.random.Generator) -> Array:
        eigenvalues, basis = np.linalg.eigh(self.matrix(parameters, value))
        low, high = _two(eigenvalues)
        if low is None:
            return _rejected(eigenvalues, count, rng) @ basis.T
        d, m = len(eigenvalues), int(np.sum(eigenvalues > 0.5 * (low + high)))
        if m in (0, d):
            return _uniform(count, d, rng)
        theta = np.linspace(0.0, 0.5 * math.pi, GRID)[1:-1]
        log_weight = (m - 1) * np.log(np.sin(theta)) + (d - m - 1) * np.log(np.cos(theta)) - (high - low) * np.cos(theta) ** 2
        cumulative = np.cumsum(np.exp(log_weight - log_weight.max()))
        drawn = np.interp(rng.random(count) * cumulative[-1], cumulative, theta)[:, None]
        inside = np.hstack([np.cos(drawn) * _uniform(count, d - m, rng), np.sin(drawn) * _uniform(count, m, rng)])
        return inside @ basis.T

    def change(self, value: Array, other: Array) -> float:
        return float(np.abs(np.linalg.eigvalsh(value - other)).max())

    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        d = len(value)
        if d == 1 or np.ptp(np.linalg.eigvalsh(value)) * parameters["multiplier"] > 20.0:
            return {}  # the concentrated ones are compared with laws of another family, and with other multipliers
        diagonal, off, turn = np.zeros((d, d)), np.zeros((d, d)), np.roll(np.eye(d), 1, axis=0)
        diagonal[0, 0] = off[0, 1] = off[1, 0] = 1.0 / parameters["multiplier"]
        return {
            "diagonal entry moved": value + diagonal,
            "entry off the diagonal moved": value + off,
            "axes exchanged": turn @ value @ turn.T,
            "value 0": 0.0 * value,
        }

    def own(self, parameters: Parameters, value: Array) -> list[Alternative]:
        """Return angular central normal laws, as concentrated as the law and less so, and half a sphere."""
        d = len(value)
        eigenvalues, basis = np.linalg.eigh(self.matrix(parameters, value))
        found = []
        for name, by in (("normal direction", 2.0), ("wide normal direction", 0.5), ("narrow normal direction", 4.0)):
            precision = 1.0 + by * (eigenvalues[-1] - eigenvalues) / (0.5 * d)
            root, log_det = np.sqrt(precision), float(np.sum(np.log(precision)))

            def sample(count: int, rng: np.random.Generator, root: Array = root) -> Array:
                z = rng.standard_normal((count, d)) / root
                return np.asarray(z / np.linalg.norm(z, axis=1, keepdims=True) @ basis.T)

            def log_density(outcomes: Array, precision: Array = precision, log_det: float = log_det) -> Array:
                squares = (outcomes @ basis) ** 2 @ precision
                return np.where(np.isnan(squares), -np.inf, 0.5 * log_det - 0.5 * d * np.log(squares))

            found.append(Alternative(name, sample, log_density))
        return [*found, *self.half(d)]

    def half(self, d: int) -> list[Alternative]:
        """Return the uniform law on the directions with a positive first entry: the sign of a draw is fair."""

        def sample(count: int, rng: np.random.Generator) -> Array:
            drawn = _uniform(count, d, rng)
            return np.asarray(drawn * np.sign(drawn[:, :1]))

        return [Alternative("half a sphere", sample, lambda outcomes: np.where(outcomes[:, 0] > 0.0, math.log(2.0), -np.inf))]


class MatrixBingham(Bingham):
    """A basis of all directions but one, of density proportional to exp(multiplier tr V^T A V); an outcome is its normal."""

    sign = -1.0

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        bases = np.array(releases)
        outcomes = np.linalg.svd(bases)[0][:, :, -1]
        wrong = np.abs(bases.transpose(0, 2, 1) @ bases - np.eye(bases.shape[2])).max(axis=(1, 2)) > 1e-9
        outcomes[wrong] = math.nan
        return np.asarray(outcomes * np.sign(outcomes[:, :1]))

    def sample(self, parameters: Parameters, value: Array, count: int, rng: np.random.Generator) -> Array:
        outcomes = super().sample(parameters, value, count, rng)
        return np.asarray(outcomes * np.sign(outcomes[:, :1]))

    def change(self, value: Array, other: Array) -> float:
        """Return the largest change of tr V^T A V, a sum of all eigenvalues but the last or but the first, either sign."""
        moved = np.sort(np.linalg.eigvalsh(value - other))
        return float(max(moved.sum() - moved[0], moved[-1] - moved.sum()))

    def half(self, d: int) -> list[Alternative]:
        del d  # a normal has no sign
        return []


def _two(eigenvalues: Array) -> tuple[float | None, float]:
    """Return the two values that eigenvalues have, or None and the largest where there are more."""
    low, high = float(eigenvalues[0]), float(eigenvalues[-1])
    between = np.minimum(np.abs(eigenvalues - low), np.abs(eigenvalues - high)) > 1e-9 * max(1.0, high - low)
    return (None if between.any() else low), high


def log_mean_exp(eigenvalues: Array) -> float:
    """Return the log of the mean of exp(v^T M v) over the unit sphere, for two eigenvalues or in three dimensions.

    The squared length of v in m of d directions is Beta(m / 2, (d - m) / 2), whose moment generating function is 1F1. In three
    dimensions v_3 is uniform on [-1, 1], and the rest is a circle, on which the mean of exp(a cos) is I_0(a).
    """
    low, high = _two(eigenvalues)
    d = len(eigenvalues)
    if low is not None:
        m = int(np.sum(eigenvalues > 0.5 * (low + high)))
        return low + float(log(hyp1f1(0.5 * m, 0.5 * d, high - low)))
    if d != 3:
        raise ValueError(f"no textbook normaliser for {d} eigenvalues of more than two values")
    a, b, c = eigenvalues
    nodes, weights = np.polynomial.legendre.leggauss(400)
    rest, bend = 1.0 - nodes**2, 0.5 * (c - b) * (1.0 - nodes**2)
    exponent = a * nodes**2 + 0.5 * (b + c) * rest + np.abs(bend)
    return float(logsumexp(exponent, b=0.5 * weights * i0e(bend)))


def _uniform(count: int, d: int, rng: np.random.Generator) -> Array:
    z = rng.standard_normal((count, d))
    return np.asarray(z / np.linalg.norm(z, axis=1, keepdims=True))


def _rejected(eigenvalues: Array, count: int, rng: np.random.Generator) -> Array:
    """Return draws in eigencoordinates: uniform directions, taken with probability exp(v^T M v - the largest eigenvalue)."""
    found: list[Array] = []
    while sum(map(len, found)) < count:
        v = _uniform(2 * count, len(eigenvalues), rng)
        found.append(v[rng.random(2 * count) < np.exp(v**2 @ eigenvalues - eigenvalues[-1])])
    return np.concatenate(found)[:count]


class Wishart(Textbook):
    """A symmetric value plus W of d + 1 degrees of freedom and scale matrix scale I."""

    scaled = ("scale",)

    def code(self, value: Array, releases: Sequence[Any]) -> Array:
        outcomes = np.array(releases)
        wrong = np.abs(outcomes - outcomes.transpose(0, 2, 1)).max(axis=(1, 2)) > 1e-9
        outcomes[wrong] = math.nan
        return outcomes

    def log_density(self, parameters: Parameters, value: Array, outcomes: Array, freedom: int = 1) -> Array:
        """Return the log-density; `freedom` is the number of degrees of freedom beyond d."""
        c, d = parameters["scale"], len(value)
        nu = d + freedom
        noise = outcomes - value
        whole = np.isfinite(noise).all(axis=(1, 2))
        eigenvalues = np.full((len(noise), d), -1.0)
        eigenvalues[whole] = np.linalg.eigvalsh(noise[whole])
        gamma = 0.25 * d * (d - 1) * math.log(math.pi) + float(sum(gammaln(0.5 * (nu - i)) for i in range(d)))
        constant = 0.5 * nu * d * math.log(2.0 * c) + gamma
        positive = eigenvalues[:, 0] > 0.0
        logs = np.log(np.where(positive[:, None], eigenvalues, 1.0)).sum(axis=1)
        density = 0.5 * (nu - d - 1) * logs - eigenvalues.sum(axis=1) / (2.0 * c) - constant
        return np.where(positive, density, -np.inf)

    def sample(self, parameters: Parameters, value: Array, count: int, rng: np.random.Generator, freedom: int = 1) -> Array:
        """Return draws by Bartlett's triangular factor: chi variables on the diagonal, normal ones below."""
        d = len(value)
        T = np.tril(rng.standard_normal((count, d, d)), -1)
        for i in range(d):
            T[:, i, i] = np.sqrt(rng.chisquare(d + freedom - i, count))
        return value + parameters["scale"] * (T @ T.transpose(0, 2, 1))

    def change(self, value: Array, other: Array) -> float:
        return float(np.abs(np.linalg.eigvalsh(value - other)).sum())

    def moved(self, parameters: Parameters, value: Array) -> dict[str, Array]:
        d = len(value)
        diagonal, off, turn = np.zeros((d, d)), np.zeros((d, d)), np.roll(np.eye(d), 1, axis=0)
        diagonal[0, 0] = off[0, -1] = off[-1, 0] = parameters["scale"]
        return {
            "diagonal entry moved": value + diagonal,
            "entry off the diagonal moved": value + 0.5 * off,
            "axes exchanged": turn @ value @ turn.T - 0.5 * parameters["scale"] * np.eye(d),
            "value moved down": value - parameters["scale"] * np.eye(d),
        }

    def own(self, parameters: Parameters, value: Array) -> list[Alternative]:
        return [
            Alternative(
                "one degree of freedom more",
                lambda count, rng: self.sample(parameters, value, count, rng, 2),
                lambda outcomes: self.log_density(parameters, value, outcomes, 2),
            )
        ]
