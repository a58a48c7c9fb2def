"""Each release draws from the law that it declares: sampler, likelihood and norm against the textbook (laws.py)."""

from __future__ import annotations

import pytest

from dppca.audit.suite.laws import COMPARISONS, DRAWN, DRAWS, SETTINGS, declared_laws, law_faults, released_laws, settings
from dppca.audit.suite.standard_draws import STANDARD, standard_draw_faults
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import ReleaseLaw

KEYS = {law: [key for key, entry in ALGORITHMS.items() if entry.private and law in released_laws(key)] for law in SETTINGS}
LAWS = [pytest.param(law, id=law.__name__, marks=pytest.mark.algorithms(*KEYS[law])) for law in SETTINGS]


@pytest.mark.parametrize("law", LAWS)
def test_a_release_is_drawn_from_its_law(law: type[ReleaseLaw], request: pytest.FixtureRequest) -> None:
    """The false alarms of all comparisons together have a probability below 1e-7."""
    option = request.config.getoption
    faults = law_faults(law, DRAWS[option("--budget")], option("--seed"))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("law", [of for of in LAWS if of.values[0] in STANDARD])
def test_standard_draws_and_what_is_made_of_them_have_their_law(law: type[ReleaseLaw], request: pytest.FixtureRequest) -> None:
    """The 700 exact counts of all laws together raise a false alarm with a probability below 1e-7."""
    faults = standard_draw_faults(law, request.config.getoption("--seed"))
    assert not faults, "\n".join(faults[:4])


@pytest.mark.parametrize("key", [f"{key}-" for key, entry in ALGORITHMS.items() if entry.private])
def test_every_law_on_a_tape_is_checked(key: str) -> None:
    missing = {law.__name__ for law in released_laws(key[:-1]) - SETTINGS.keys()}
    assert not missing, f"no textbook for the laws {missing}, from which {key[:-1]} draws"


def test_every_law_is_checked_and_no_more_comparisons_are_made_than_the_level_is_for() -> None:
    assert declared_laws() == SETTINGS.keys() == DRAWN.keys(), (
        "a law of releases has no textbook that its sampler is compared with"
    )
    assert {law for law in SETTINGS if law.__module__.startswith("dppca.reference.")} == STANDARD.keys(), (
        "a law of the reference has standard draws whose law nobody has stated"
    )
    comparisons = sum(len(at.family.alternatives(at.law, at.value)) for law in SETTINGS for at in settings(law))
    assert comparisons <= COMPARISONS, f"{comparisons} comparisons are more than the level is for, {COMPARISONS}"
