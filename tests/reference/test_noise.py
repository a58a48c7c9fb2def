"""The noise interface: every interpreter against independent computations, and every refusal."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dppca.reference.conformance import SCHEMA
from dppca.reference.conformance.draws import Scripted, pack, unpack
from dppca.reference.noise import (
    Entry,
    ExponentialLaw,
    GaussianLaw,
    LaplaceLaw,
    Noise,
    Record,
    ReleaseLaw,
    Replay,
    Sample,
    Tape,
    TapeError,
    ThresholdedLaplaceLaw,
    condition,
    lockstep,
    record,
    replay,
)
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw


def everything(data: float, noise: Noise) -> list[Any]:
    """Asks for every kind of draw and release, adaptively."""
    start = noise.public_normal("start", (2,))
    grid = noise.public_uniform("grid", ())
    order = noise.secret_permutation("order", 4)
    index = noise.secret_integers("index", 7, (3,))
    kept = noise.secret_bernoulli("kept", 0.25, (3,))
    vector = noise.gaussian("vector", start * data, std=0.5, sensitivity=2.0)
    scalar = noise.laplace("scalar", vector.sum() + grid, scale=0.3, sensitivity=1.0)
    count = noise.thresholded_laplace("count", 1.0 + data, scale=1.0, threshold=1.5, sensitivity=1.0)
    chosen = noise.exponential("chosen", [0.0, data, float(index[0])], multiplier=0.5, sensitivity=1.0)
    return [order, index, kept, vector, scalar, count, chosen]


def same(first: list[Any], second: list[Any]) -> bool:
    return all(np.array_equal(a, b) if a is not None and b is not None else a is b for a, b in zip(first, second, strict=True))


@given(seed=st.integers(0, 2**32), data=st.floats(-3, 3))
def test_record_then_replay_is_bit_exact(seed: int, data: float) -> None:
    output, tape = record(everything, data, np.random.default_rng(seed))
    assert same(output, replay(everything, data, tape))
    assert same(output, everything(data, Sample(np.random.default_rng(seed))))
    assert same(output, replay(everything, data, Tape.from_json(tape.to_json())))


@given(seed=st.integers(0, 2**32))
def test_json_keeps_every_entry(seed: int) -> None:
    _, tape = record(everything, 0.7, np.random.default_rng(seed))
    for entry, back in zip(tape.entries, Tape.from_json(tape.to_json()).entries, strict=True):
        assert (entry.role, entry.name, entry.law, entry.parameters) == (back.role, back.name, back.law, back.parameters)
        assert entry.draw.dtype == back.draw.dtype
        assert np.array_equal(entry.draw, back.draw)
        assert (entry.released is None and back.released is None) or np.array_equal(entry.released, back.released)


def summed(data: Any, noise: Noise) -> Any:
    order = noise.secret_permutation("order", 3)
    factor = noise.secret_integers("factor", 3, (2,))
    start = noise.public_uniform("start", ())
    found = noise.release("found", 1.0, TruncatedLaplaceLaw(1.0, 2.0), sensitivity=1.0)
    return noise.gaussian("g", data[order].sum(axis=0) * factor + start + found, std=1.0, sensitivity=1.0)


@pytest.mark.parametrize(
    ("place", "changes", "message"),
    [
        (0, {"values": [0, 0, 0]}, r"tape entry 0 \('order'\): array\(\[0, 0, 0\]\) is not a draw of the law permutation\(3\)"),
        (0, {"values": [-1, 0, 1]}, "is not a draw of the law permutation"),
        (0, {"values": [0, 1, 99]}, "is not a draw of the law permutation"),
        (0, {"values": [10**30, 0, 1]}, "tape entry 0 must be as Tape.to_json writes it: OverflowError"),
        (0, {"values": [0, 1]}, "tape entry 0 must be as Tape.to_json writes it: ValueError, cannot reshape"),
        (0, {"type": "object"}, "tape entry 0 must be as Tape.to_json writes it: ValueError, type is 'object', not one of"),
        (0, {"type": "S100000000000"}, "ValueError, type is 'S100000000000', not one of"),
        (1, {"values": [7, 1]}, r"tape entry 1 \('factor'\): array\(\[7, 1\]\) is not a draw of the law integers\(3\)"),
        (1, {"values": ["0x0p+0", "0x1p-1"], "type": "float64"}, "is not a draw of the law integers"),
        (2, {"values": ["0x1p+0"]}, r"tape entry 2 \('start'\): array\(1.\) is not a draw of the law uniform"),
        (3, {"values": ["0x1p+0"]}, r"entry 3 \('found'\): array\(1.\) is not a standard draw of the law truncated_laplace"),
        (4, {"values": ["nan", "0x0p+0"]}, "tape entry 4 must be as Tape.to_json writes it: ValueError, values are not finite"),
        (4, {"values": ["x", "0x0p+0"]}, "tape entry 4 must be as Tape.to_json writes it: ValueError"),
    ],
)
def test_a_draw_that_its_law_does_not_give_is_refused(place: int, changes: dict[str, Any], message: str) -> None:
    data = np.arange(6.0).reshape(3, 2)
    rows = json.loads(record(summed, data, np.random.default_rng(0))[1].to_json())
    rows[place]["draw"] |= changes
    with pytest.raises(TapeError, match=f"^{message}" if message.startswith("tape") else message):
        replay(summed, data, Tape.from_json(json.dumps(rows)))


def test_other_parameters_than_the_runs_are_refused() -> None:
    data = np.arange(6.0).reshape(3, 2)
    rows = json.loads(record(summed, data, np.random.default_rng(0))[1].to_json())
    rows[4]["parameters"] = {"std": 99.0}
    with pytest.raises(TapeError, match=r"tape entry 4 \('g'\): parameters are {'std': 99.0}, the run has {'std': 1.0}"):
        replay(summed, data, Tape.from_json(json.dumps(rows)))


@pytest.mark.parametrize("text", ["", "3", "null", "{}", "[3]", "[[]]", '[{"role": "release"}]', "[" * 100_000, "NaN", "\0"])
def test_what_is_no_tape_is_refused(text: str) -> None:
    with pytest.raises(TapeError, match=r"(text|tape entry 0) must be as Tape.to_json writes it"):
        Tape.from_json(text)


def test_a_damaged_tape_is_refused_or_gives_a_finite_result() -> None:
    """One to four characters of its text changed, left out or put in, at random."""
    data = np.arange(6.0).reshape(3, 2)
    text = record(summed, data, np.random.default_rng(0))[1].to_json()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(500):
        damaged = list(text)
        for place in rng.integers(len(text) - 4, size=rng.integers(1, 5)):
            damaged[place : place + int(rng.integers(2))] = rng.choice(
                list('0123456789abx[]{}",:-.+ eN\0'), size=rng.integers(2)
            )
        try:
            assert np.isfinite(replay(summed, data, Tape.from_json("".join(damaged)))).all()
        except TapeError:
            refused += 1
    assert 300 < refused < 500


def _tampered(tape: Tape, position: int, **changes: Any) -> Tape:
    entries = list(tape.entries)
    entries[position] = dataclasses.replace(entries[position], **changes)
    return Tape(tuple(entries))


@pytest.mark.parametrize("run", [replay, condition])
@pytest.mark.parametrize(
    ("position", "changes", "message"),
    [
        (5, {"name": "other"}, "name is 'other', the run asks for 'vector'"),
        (5, {"law": "laplace"}, "law is 'laplace', the run asks for 'gaussian'"),
        (2, {"law": "permutation(5)"}, r"law is 'permutation\(5\)'"),
        (4, {"law": "bernoulli(0.5)"}, r"law is 'bernoulli\(0\.5\)', the run asks for 'bernoulli\(0\.25\)'"),
        (
            4,
            {"draw": np.array([0, 2, 1])},
            r"tape entry 4 \('kept'\): array\(\[0, 2, 1\]\) is not a draw of the law bernoulli\(0.25\)",
        ),
        (0, {"role": "secret"}, "role is 'secret', the run asks for 'public'"),
        (5, {"draw": np.zeros(3)}, r"shape is \(3,\), the run asks for \(2,\)"),
    ],
)
def test_a_tape_that_does_not_fit_is_refused(run: Any, position: int, changes: dict[str, Any], message: str) -> None:
    _, tape = record(everything, 1.0, np.random.default_rng(0))
    with pytest.raises(TapeError, match=message):
        run(everything, 1.0, _tampered(tape, position, **changes))


@pytest.mark.parametrize("run", [replay, condition])
def test_missing_and_unread_draws_are_refused(run: Any) -> None:
    _, tape = record(everything, 1.0, np.random.default_rng(0))
    with pytest.raises(TapeError, match="tape ends after 8 entries, the run asks for release 'chosen'"):
        run(everything, 1.0, Tape(tape.entries[:-1]))
    extra = Entry("release", "late", "gaussian", np.zeros(()))
    with pytest.raises(TapeError, match="1 unread tape entries: late"):
        run(everything, 1.0, Tape((*tape.entries, extra)))


def test_a_name_may_be_used_once() -> None:
    noise = Sample(np.random.default_rng(0))
    noise.gaussian("g", 0.0, std=1.0, sensitivity=1.0)
    with pytest.raises(ValueError, match="name 'g' is used twice"):
        noise.public_uniform("g", ())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda n: n.gaussian("g", [1.0, math.nan], std=1.0, sensitivity=1.0), "value of release 'g' must be finite"),
        (lambda n: n.gaussian("g", 0.0, std=-1.0, sensitivity=1.0), "std must be finite and >= 0, got -1.0"),
        (lambda n: n.gaussian("g", 0.0, std=1.0, sensitivity=0.0), "sensitivity of 'g' must be finite and > 0, got 0.0"),
        (lambda n: n.laplace("l", 0.0, scale=0.0, sensitivity=1.0), "scale must be finite and > 0, got 0.0"),
        (lambda n: n.exponential("e", [], multiplier=1.0, sensitivity=1.0), "scores must be a non-empty vector"),
        (lambda n: n.thresholded_laplace("t", [1.0, 2.0], scale=1.0, threshold=0.0, sensitivity=1.0), "must be a scalar"),
        (lambda n: n.secret_permutation("p", 0), "n must be >= 1, got 0"),
        (lambda n: n.secret_integers("i", 0, ()), "high must be >= 1, got 0"),
        (lambda n: n.secret_bernoulli("b", -0.1, ()), r"probability must be in \[0, 1\], got -0.1"),
        (lambda n: n.secret_bernoulli("b", 1.5, ()), r"probability must be in \[0, 1\], got 1.5"),
        (lambda n: n.secret_bernoulli("b", math.nan, ()), r"probability must be in \[0, 1\], got nan"),
        (lambda n: n.secret_bernoulli("b", True, ()), r"probability must be in \[0, 1\], got True"),
    ],
)
def test_bad_arguments_are_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(Sample(np.random.default_rng(0)))


def test_secret_bernoulli_draws_have_their_law() -> None:
    noise = Sample(np.random.default_rng(7))
    drawn = noise.secret_bernoulli("b", 0.3, (10_000, 3))
    assert drawn.dtype == np.bool_
    patterns = np.bincount(drawn @ [4, 2, 1], minlength=8)  # three at a time: independent of each other
    expected = [10_000 * 0.3 ** i.bit_count() * 0.7 ** (3 - i.bit_count()) for i in range(8)]
    assert stats.chisquare(patterns, expected).pvalue > 1e-6  # false alarm: 1e-6
    assert not noise.secret_bernoulli("never", 0.0, (10_000,)).any()
    assert noise.secret_bernoulli("always", 1.0, (10_000,)).all()


@pytest.mark.parametrize("drawn", [2, 3, 5])
def test_datasets_of_other_sizes_share_the_draws_of_the_rows_that_both_have(drawn: int) -> None:
    """Further rows count as drawn; a public draw, or one of another law, must fit."""

    def algorithm(rows: list[float], noise: Noise) -> None:
        noise.gaussian(
            "sum", np.sum(np.array(rows)[noise.secret_bernoulli("kept", 0.5, (len(rows),))]), std=1.0, sensitivity=1.0
        )

    rows = [1.0, 2.0, 4.0, 8.0, 16.0]
    _, tape = record(algorithm, rows[:3], np.random.default_rng(3))
    kept = [*tape.entries[0].draw.tolist(), 1, 1][:drawn]
    (term,) = condition(algorithm, rows[:drawn], tape).terms
    assert float(term.value) == sum(row for row, is_kept in zip(rows, kept, strict=False) if is_kept)
    with pytest.raises(TapeError, match="shape"):
        replay(algorithm, rows[:2], tape)


def test_scripted_bernoulli_draws_are_the_schemas_and_come_back() -> None:
    """A probability that is written with an exponent, too."""
    pattern = json.loads(SCHEMA.read_text())["$defs"]["draw"]["properties"]["law"]["pattern"]

    def algorithm(data: float, noise: Noise) -> list[Any]:
        kept = [noise.secret_bernoulli(f"b[{i}]", q, (4,)) for i, q in enumerate((0.5, 2.0**-30, 1.0))]
        return [*kept, noise.gaussian("g", data, std=1.0, sensitivity=1.0)]

    noise = Scripted("seed", {"b[0]": [1, 0, 0, 1]})
    output = algorithm(1.0, noise)
    noise.finish()
    assert output[0].tolist() == [True, False, False, True]
    packed = json.loads(json.dumps(pack(noise.tape)))
    assert [draw["law"] for draw in packed] == [
        "bernoulli(0.5)",
        "bernoulli(9.313225746154785e-10)",
        "bernoulli(1.0)",
        "gaussian",
    ]
    assert packed[2]["draw"] == [1, 1, 1, 1]
    assert all(re.fullmatch(pattern, draw["law"]) for draw in packed)
    assert same(output, replay(algorithm, 1.0, unpack(packed)))


# --- likelihoods --------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(value=st.floats(-3, 3), released=st.floats(-3, 3), scale=st.floats(0.1, 3))
def test_plain_likelihoods_agree_with_scipy(value: float, released: float, scale: float) -> None:
    pairs = [
        (GaussianLaw(scale), stats.norm(value, scale).logpdf(released)),
        (LaplaceLaw(scale), stats.laplace(value, scale).logpdf(released)),
    ]
    for law, expected in pairs:
        assert law.log_likelihood(np.array(value), released) == pytest.approx(expected)


@pytest.mark.parametrize("value", [-2.0, 0.0, 1.5, 4.0])
def test_thresholded_likelihood_is_a_law(value: float) -> None:
    law = ThresholdedLaplaceLaw(scale=0.7, threshold=1.2)
    grid = np.linspace(1.2, 30.0, 400_001)[1:]
    density = np.exp([law.log_likelihood(np.array(value), x) for x in grid])
    shown = float(np.sum(0.5 * (density[1:] + density[:-1])) * (grid[1] - grid[0]))
    suppressed = math.exp(law.log_likelihood(np.array(value), None))
    assert shown + suppressed == pytest.approx(1.0, abs=1e-3)
    assert suppressed == pytest.approx(stats.laplace(value, 0.7).cdf(1.2))
    assert law.log_likelihood(np.array(value), 1.0) == -math.inf


def test_exponential_likelihood_is_the_softmax_and_is_what_is_drawn() -> None:
    law, scores = ExponentialLaw(0.8), np.array([0.0, 1.0, 3.0])
    expected = np.exp(0.8 * scores) / np.exp(0.8 * scores).sum()
    assert np.exp([law.log_likelihood(scores, i) for i in range(3)]) == pytest.approx(expected)
    rng = np.random.default_rng(5)
    drawn = np.bincount([law.apply(scores, law.draw(scores, rng)) for _ in range(20_000)], minlength=3)
    assert stats.chisquare(drawn, 20_000 * expected).pvalue > 1e-6  # false alarm once in a million seeds


@pytest.mark.parametrize(
    ("law", "cdf"),
    [(GaussianLaw(2.0), stats.norm(1.0, 2.0).cdf), (LaplaceLaw(0.5), stats.laplace(1.0, 0.5).cdf)],
)
def test_plain_noise_has_its_law(law: ReleaseLaw, cdf: Any) -> None:
    rng, value = np.random.default_rng(6), np.ones(20_000)
    assert stats.kstest(law.apply(value, law.draw(value, rng)), cdf).pvalue > 1e-6  # false alarm: 1e-6


def test_no_noise_is_a_point_mass() -> None:
    law = GaussianLaw(0.0)
    assert law.log_likelihood(np.array(1.0), 1.0) == 0.0
    assert law.log_likelihood(np.array(1.0), 1.1) == -math.inf


@given(seed=st.integers(0, 2**32), data=st.floats(-2, 2), other=st.floats(-2, 2))
def test_condition_sums_the_releases_likelihoods(seed: int, data: float, other: float) -> None:
    _, tape = record(everything, data, np.random.default_rng(seed))
    by_name = {entry.name: entry for entry in tape.entries}
    start, grid, index = (by_name[name].draw for name in ("start", "grid", "index"))
    vector, scalar, count, chosen = (by_name[name].released for name in ("vector", "scalar", "count", "chosen"))
    expected = stats.norm(start * other, 0.5).logpdf(vector).sum()
    expected += stats.laplace(vector.sum() + grid, 0.3).logpdf(scalar)
    noisy = stats.laplace(1.0 + other, 1.0)
    expected += noisy.logcdf(1.5) if count is None else noisy.logpdf(count)
    scores = 0.5 * np.array([0.0, other, float(index[0])])
    expected += scores[chosen] - np.log(np.exp(scores).sum())
    assert condition(everything, other, tape).log_likelihood == pytest.approx(expected, rel=1e-9, abs=1e-9)


# --- lockstep -----------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32), data=st.floats(-2, 2), other=st.floats(-2, 2))
def test_lockstep_loss_is_the_difference_of_likelihoods(seed: int, data: float, other: float) -> None:
    _, tape = record(everything, data, np.random.default_rng(seed))
    expected = condition(everything, data, tape).log_likelihood - condition(everything, other, tape).log_likelihood
    found = lockstep(everything, data, other, np.random.default_rng(seed))
    assert found.loss == pytest.approx(expected, abs=1e-9)
    assert found.secrets == ("order", "index", "kept")


def test_lockstep_catches_a_sensitivity_that_is_too_small() -> None:
    def honest(data: float, noise: Noise) -> None:
        noise.gaussian("g", [data, -data], std=1.0, sensitivity=math.sqrt(2.0))

    def optimistic(data: float, noise: Noise) -> None:
        noise.gaussian("g", [data, -data], std=1.0, sensitivity=1.4)

    rng = np.random.default_rng(0)
    assert lockstep(honest, 1.0, 0.0, rng).violations == ()
    (violation,) = lockstep(optimistic, 1.0, 0.0, rng).violations
    assert violation.change == pytest.approx(math.sqrt(2.0))
    assert (violation.name, violation.norm, violation.sensitivity) == ("g", "l2", 1.4)


@pytest.mark.parametrize(
    ("law", "expected"),
    [(GaussianLaw(1.0), math.sqrt(5.0)), (LaplaceLaw(1.0), 3.0), (ExponentialLaw(1.0), 2.0)],
)
def test_change_is_in_the_norm_of_the_law(law: ReleaseLaw, expected: float) -> None:
    assert law.change(np.array([1.0, 2.0]), np.array([0.0, 4.0])) == pytest.approx(expected)


def test_lockstep_reports_control_flow_that_depends_on_the_data() -> None:
    def stops_early(data: float, noise: Noise) -> None:
        noise.gaussian("first", 0.0, std=1.0, sensitivity=1.0)
        if data > 0:
            noise.gaussian("second", 0.0, std=1.0, sensitivity=1.0)

    for pair in ((1.0, -1.0), (-1.0, 1.0)):
        found = lockstep(stops_early, *pair, np.random.default_rng(0))
        assert found.loss == math.inf
        assert found.diverged is not None


def test_an_algorithm_cannot_change_what_was_recorded() -> None:
    def meddles(data: float, noise: Noise) -> None:
        released = noise.gaussian("g", np.zeros(3), std=1.0, sensitivity=1.0)
        released += 100.0
        start = noise.public_normal("start", (3,))
        start += 100.0

    noise = Record(np.random.default_rng(0))
    meddles(0.0, noise)
    assert np.abs(noise.tape.entries[0].released).max() < 50.0
    replay_noise = Replay(noise.tape)
    meddles(0.0, replay_noise)
    replay(meddles, 0.0, noise.tape)  # the tape is as it was after a run on it


@pytest.mark.parametrize(
    ("name", "released"),
    [("scalar", np.zeros(5)), ("vector", None), ("chosen", -1), ("chosen", 1.0), ("count", np.zeros(2))],
)
def test_a_release_of_the_wrong_form_is_refused(name: str, released: object) -> None:
    _, tape = record(everything, 1.0, np.random.default_rng(0))
    position = next(i for i, entry in enumerate(tape.entries) if entry.name == name)
    with pytest.raises(TapeError, match="is not a release of a"):
        condition(everything, 1.0, _tampered(tape, position, released=released))


def test_an_index_that_a_dataset_does_not_have_is_impossible() -> None:
    def algorithm(data: int, noise: Noise) -> None:
        noise.exponential("chosen", np.zeros(data), multiplier=1.0, sensitivity=1.0)

    tape = Tape((Entry("release", "chosen", "exponential", np.zeros(4), released=3),))
    assert condition(algorithm, 3, tape).log_likelihood == -math.inf
    assert condition(algorithm, 4, tape).log_likelihood == pytest.approx(-math.log(4.0))


def test_rounding_of_large_values_is_no_violation() -> None:
    def algorithm(data: float, noise: Noise) -> None:
        noise.laplace("sum", 1e9 / 3.0 + data, scale=1.0, sensitivity=0.1)

    assert lockstep(algorithm, 0.0, 0.1, np.random.default_rng(0)).violations == ()
