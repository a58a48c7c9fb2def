"""Draws that no data enter have the joint law that audits and accounts take them to have (independent_draws.py)."""

from __future__ import annotations

import numpy as np
import pytest

from dppca.audit.suite.independent_draws import (
    COUNTS,
    DRAWS,
    KINDS,
    PUBLIC,
    RUNS,
    WIDE,
    WIDE_COINS,
    DrawKind,
    dependence_faults,
    distance_faults,
    draw_faults,
    equal_entries,
    public_faults,
    tape_faults,
    wide_faults,
)
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Noise, record

PRIVATE = [key for key, entry in ALGORITHMS.items() if entry.private]


def _drawing() -> dict[str, set[str]]:
    """Return the keys of the algorithms that draw from each law."""
    keys: dict[str, set[str]] = {}
    for key, entry in ALGORITHMS.items():
        for choices in entry.choices.values() if entry.private else ():
            run = entry.bind(**entry.example.arguments, choices=choices)
            for each in record(run, entry.example.data, np.random.default_rng(0))[1].entries:
                if each.role != "release":
                    keys.setdefault(each.law.partition("(")[0], set()).add(key)
    return keys


DRAWING = _drawing()


def _drawn_by(law: str) -> pytest.MarkDecorator:
    return pytest.mark.algorithms(*DRAWING[law])


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.name, marks=_drawn_by(kind.drawn)) for kind in KINDS])
def test_secret_draws_have_their_joint_law(kind: DrawKind, request: pytest.FixtureRequest) -> None:
    """The false alarms of all counts together have a probability below 1e-7: 2 x 1,500 exact binomial tests at 1e-11."""
    option = request.config.getoption
    faults = draw_faults(kind, DRAWS[option("--budget")], option("--seed"))
    assert not faults, "\n".join(faults)


@pytest.mark.algorithms(*PRIVATE)
def test_draws_and_releases_of_one_run_are_independent(request: pytest.FixtureRequest) -> None:
    """About 12,000 exact tests at 1e-11; a fourth of the draws of other tests, as a run has 40."""
    option = request.config.getoption
    faults = dependence_faults(DRAWS[option("--budget")] // 4, option("--seed"))
    assert not faults, "\n".join(faults[:5])


@pytest.mark.parametrize("key", [f"{key}-" for key in PRIVATE])
def test_draws_of_an_algorithm_are_independent(key: str, request: pytest.FixtureRequest) -> None:
    """At most 30,000 exact tests at 1e-11 an algorithm: false alarms of all together have a probability below 1e-5."""
    option, entry = request.config.getoption, ALGORITHMS[key[:-1]]
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    runs = RUNS[option("--budget")] // (4 if len(entry.example.data) > 100 else 1)
    faults = tape_faults(run, entry.example.data, runs, option("--seed"))
    assert not faults, f"{key[:-1]} runs on draws that are not independent: " + "\n".join(faults[:5])


@pytest.mark.parametrize("name", [pytest.param(name, marks=_drawn_by(name.removeprefix("public_"))) for name in PUBLIC])
def test_public_draws_have_their_law(name: str, request: pytest.FixtureRequest) -> None:
    """Twelve Kolmogorov-Smirnov tests at 1e-11."""
    option = request.config.getoption
    faults = public_faults(name, DRAWS[option("--budget")], option("--seed"))
    assert not faults, "\n".join(faults)


@pytest.mark.algorithms(*ALGORITHMS)
@pytest.mark.parametrize("kind", WIDE)
def test_no_two_entries_of_a_wide_draw_are_equal(kind: str, request: pytest.FixtureRequest) -> None:
    equal = equal_entries(kind, 3000, request.config.getoption("--seed"))
    assert equal == 0, f"{equal} of 6,000 numbers of two draws by {kind} have come before: noise is used again"


@pytest.mark.algorithms(*ALGORITHMS)
@pytest.mark.parametrize("kind", [*WIDE, *WIDE_COINS])
@pytest.mark.parametrize("size", [170, 3000])
def test_the_entries_of_a_wide_draw_are_independent(kind: str, size: int, request: pytest.FixtureRequest) -> None:
    """About 50,000 exact tests at 1e-11 a draw."""
    faults = wide_faults(kind, size, request.config.getoption("--seed"))
    assert not faults, "\n".join(faults[:3])


@_drawn_by("bernoulli")
def test_coins_of_a_wide_draw_are_independent_at_every_distance(request: pytest.FixtureRequest) -> None:
    """9,000 exact tests at 1e-11."""
    faults = distance_faults(3000, request.config.getoption("--seed"))
    assert not faults, "\n".join(faults[:3])


def test_every_kind_of_draw_is_checked() -> None:
    """A method of the interface that is added later needs a kind here."""
    methods = {name for name in vars(Noise) if name.startswith(("secret_", "public_"))}
    assert (
        methods == {kind.name.partition(" ")[0].partition("(")[0] for kind in KINDS if "secret" in kind.name} | PUBLIC.keys()
    ), "a method of the interface draws by a law that no test compares with its textbook"
    assert sum(len(kind.law) + len(kind.successive) for kind in KINDS) <= COUNTS, "there are more counts than the level is for"
