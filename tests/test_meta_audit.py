"""The meta-audit: how bugs are planted, that the kept table is of these bugs, and a sample of it run again."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from scipy.stats import binom

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.primitives.composition import Guarantee, parallel, serial
from dppca.reference.primitives.gaussian import composed_mu
from tests.meta import table
from tests.meta.bug import Bug, Layer
from tests.meta.bugs import BUGS
from tests.meta.known import OUTPUTS, TRANSCRIPTS
from tests.meta.planting import Edit, planted

KEPT: dict[str, Any] = json.loads(table.KEPT.read_text())
#: Views that sample little, and some bugs of the others that take about a second.
QUICK_VIEWS = {"exact", "sensitivity", "tape"}
QUICK = {
    "wang2020.local_gaussian_mechanism: client: noise halved",
    "wang2020.local_gaussian_mechanism: noise drawn from a fixed seed, transcript view",
    "singhal2021.exact_subspace_estimator: NULL at A, not at 2A",
    "shang2021.dp_spca: index drawn in public",
    "liu2022.minibatch_private_oja: off by one: a batch ends with the first record of the next",
    "baselines.analyze_gauss: noise scaled with the longest row",
    "primitives.gaussian: profile: tails as 1 - Phi, which cancel",
    "primitives.truncated_laplace: noise on one side only",
    "primitives.sparse_histogram: threshold counted from 0, not from 1",
}
#: One that took longer when the table was written is a slow test.
SECONDS = 2.0
ROWS = {(row["subject"], row["bug"]): row for row in KEPT["bugs"]}
SAMPLE = [
    (bug, ROWS[bug.subject, bug.name])
    for bug in BUGS
    if (bug.view in QUICK_VIEWS or bug.id in QUICK) and (bug.subject, bug.name) in ROWS
]

# --- planting -----------------------------------------------------------------------------------------


def _double(x: float) -> float:
    return 2.0 * x


def _refuse(x: float) -> float:
    if x > 0.0:
        return x
    raise ValueError("too small")


def test_an_edit_is_in_force_within_the_context_and_for_everybody() -> None:
    elsewhere = composed_mu
    with planted([Edit(composed_mu, "math.sqrt(math.fsum(mu * mu for mu in mus))", "max(mus)")]):
        assert elsewhere([3.0, 4.0]) == 4.0
    assert elsewhere([3.0, 4.0]) == 5.0


def test_an_edit_is_undone_when_the_run_fails() -> None:
    with planted([Edit(_refuse, "> 0.0", "> -1.0")]):
        assert _refuse(0.0) == 0.0
    with pytest.raises(ValueError, match="too small"), planted([Edit(_refuse, "> 0.0", "> 5.0")]):
        _refuse(1.0)
    assert _refuse(1.0) == 1.0


def test_the_text_to_edit_must_occur_once() -> None:
    with pytest.raises(ValueError, match=r"old must occur once in .*_double, got 0 times: 'triple'"):
        Edit(_double, "triple", "x").code()
    with pytest.raises(ValueError, match="got 2 times: 'float'"):
        Edit(_double, "float", "int").code()


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_every_planted_bug_can_be_put_in(bug: Bug) -> None:
    """Its edits are of code that is there."""
    with planted(bug.edits):
        pass


def test_a_function_is_edited_once() -> None:
    twice = [Edit(_double, "2.0", "3.0"), Edit(_double, "* x", "+ x")]
    with pytest.raises(ValueError, match="edits must be of different functions"), planted(twice):
        pass


def test_an_edit_that_cannot_be_made_leaves_the_others_undone() -> None:
    edits = [Edit(serial, "part.delta", "part.epsilon"), Edit(parallel, "no such text", "x")]
    with pytest.raises(ValueError, match="old must occur once"), planted(edits):
        pass
    assert serial([Guarantee(1.0, 0.5)]) == Guarantee(1.0, 0.5)


# --- the kept table -----------------------------------------------------------------------------------


def test_the_kept_table_is_of_exactly_these_bugs() -> None:
    described = [table.description(bug) for bug in BUGS]
    assert [{name: row[name] for name in described[0]} for row in KEPT["bugs"]] == described
    assert len({bug.id for bug in BUGS}) == len(BUGS) >= 40
    assert KEPT["standard"] == table.STANDARD


def test_every_private_algorithm_and_every_layer_has_a_bug() -> None:
    assert {bug.subject for bug in BUGS} >= ALGORITHMS.keys() - {"liu2022.oja"}  # which is not private
    assert {bug.layer for bug in BUGS} == set(get_args(Layer))


def test_every_kept_bug_is_caught_or_says_why_not() -> None:
    for bug, row in zip(BUGS, KEPT["bugs"], strict=True):
        assert row["planted"]["caught"] == (not bug.missed), bug.id
        assert not row["sound"]["caught"], bug.id
        assert row["outcome"] == table.outcome(bug, row["planted"]["caught"])


def test_the_text_says_what_the_kept_table_says() -> None:
    assert table.TEXT.read_text() == table.text(KEPT)


@pytest.mark.parametrize(
    ("bug", "row"),
    [pytest.param(bug, row, id=bug.id, marks=[pytest.mark.slow] if row["seconds"] > SECONDS else []) for bug, row in SAMPLE],
)
def test_a_sampled_entry_keeps_its_verdict(bug: Any, row: dict[str, Any]) -> None:
    assert bug.find().caught == row["planted"]["caught"]
    assert bug.sound().caught == row["sound"]["caught"]


def test_the_sample_is_there() -> None:
    assert {bug.id for bug in BUGS} >= QUICK
    assert len(SAMPLE) >= 40


# --- true claims --------------------------------------------------------------------------------------


def test_true_claims_are_refuted_within_the_nominal_rate() -> None:
    """False alarm below 1e-4 a mechanism."""
    names = [(known.name, view) for view, of in (("output", OUTPUTS), ("transcript", TRANSCRIPTS)) for known in of]
    assert [(row["mechanism"], row["view"]) for row in KEPT["rates"]] == names
    for row in KEPT["rates"]:
        assert row["of"] == table.REPEATS[row["view"]]
        assert len(row["refuted_seeds"]) == row["refuted"]
        assert binom.sf(row["refuted"] - 1, row["of"], 1.0 - KEPT["nominal"]) > 1e-4, row
    whole = table.interval(sum(row["refuted"] for row in KEPT["rates"]), sum(row["of"] for row in KEPT["rates"]))
    assert KEPT["all"] == whole
    assert whole["of"] >= 5000
    assert whole["interval"][0] < 1.0 - KEPT["nominal"]


@pytest.mark.parametrize("number", [2, 6], ids=lambda number: OUTPUTS[number].name)
def test_sampled_audits_of_true_claims_end_as_kept(number: int) -> None:
    kept = next(row for row in KEPT["rates"] if row["mechanism"] == OUTPUTS[number].name)
    seeds = [*range(40), *kept["refuted_seeds"]]
    assert [seed for seed in seeds if table.refuted("output", number, seed)] == [
        seed for seed in seeds if seed in kept["refuted_seeds"]
    ]
