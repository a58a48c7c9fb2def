"""Certificates: what is stored, what it says, and what is refused."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dppca.reference.accounting import (
    Certificate,
    FixedBatch,
    Mechanism,
    Poisson,
    Shuffled,
    UniformIndex,
    VarianceReduced,
    certify,
    checker,
    read_certificate,
    smallest_std,
)
from dppca.reference.accounting.certificates import TEXT_MAX
from dppca.reference.accounting.checker import GaussianProof, GridProof, HingeProof, RenyiProof, ShuffleProof, SmallStepsProof
from dppca.reference.accounting.hinges import SQUARED_HINGE
from dppca.reference.accounting.moments import MANY_SMALL_STEPS, RENYI_MOMENTS
from dppca.reference.accounting.shuffling import SHUFFLED_RELEASES
from dppca.reference.accounting.variance_reduced import SPLIT_NOISE
from dppca.reference.primitives.gaussian import analytic_std

FEW = VarianceReduced(20, 150, 1.0, "ball")
#: One release of every row with mu = 1, of 1.0 / 1.0, at epsilon = 1: delta is Phi(-1/2) - e Phi(-3/2) = 0.1269367375066439...
TEXT = """{
 "format": "dppca account certificate",
 "version": 1,
 "statement": "1 adaptive steps; each draws one of the n = 1 rows, uniformly, keeps the draw hidden, and releases a function \
of the rows drawn plus Gaussian noise of standard deviation 1.0 per coordinate; its values on two draws that differ in one row \
are at most 1.0 apart in L2. Neighbours: two data sets, equal but for one replaced row; their size n is public. All releases \
together are (epsilon, delta)-differentially private with epsilon = 1.0 and delta = 0.12693673750664397.",
 "std": {"decimal": "1.0", "exact": "0x1.0000000000000p+0"},
 "epsilon": {"decimal": "1.0", "exact": "0x1.0000000000000p+0"},
 "delta": {"decimal": "0.12693673750664397", "exact": "0x1.03f76882040a2p-3"},
 "mechanism": {
  "kind": "sampled-steps",
  "sampling": {"kind": "uniform-index", "n": 1, "shape": "diameter"},
  "steps": 1,
  "sensitivity": {"decimal": "1.0", "exact": "0x1.0000000000000p+0"},
  "unsampled": {"decimal": "0.0", "exact": "0x0.0p+0"},
  "fixed_ratio": {"decimal": "0.0", "exact": "0x0.0p+0"}
 },
 "proof": {"kind": "gaussian"}
}"""


def test_a_certificate_is_what_it_was_in_this_version() -> None:
    """Byte for byte but for the layout: a program that reads it relies on every name."""
    found = read_certificate(TEXT)
    assert found == Certificate(Mechanism(UniformIndex(1), 1, 1.0), 1.0, 1.0, 0.12693673750664397, GaussianProof())
    assert json.loads(found.to_json()) == json.loads(TEXT)
    assert found.check()
    assert not replace(found, delta=0.12693673750664397 * (1 - 1e-12)).check()


CERTIFICATES: list[Callable[[], Certificate]] = [
    lambda: certify(Mechanism(FixedBatch(100, 3), 20, 0.7, unsampled=0.1, fixed_ratio=0.2), 2.0, 0.9, 1e-2),
    lambda: certify(Mechanism(Poisson(0.3), 2, 1.0), 1.0, 0.2, 1e-2),
    lambda: SQUARED_HINGE.prove(Mechanism(UniformIndex(20, "ball"), 30, 1.0), 1.0, 0.6, 1e-2),
    lambda: MANY_SMALL_STEPS.prove(Mechanism(UniformIndex(100, "ball"), 10_000, 1.0), 4.5, 1.0, 1e-3),
    lambda: RENYI_MOMENTS.prove(FEW, 9.0, 0.2, 1e-3),
    lambda: SPLIT_NOISE.prove(FEW, 9.0, 0.2, 1e-2),
    lambda: SPLIT_NOISE.certified(VarianceReduced(1, 50, 1.0), 20.0, 1.0, GaussianProof()),
    lambda: SHUFFLED_RELEASES.prove(Shuffled(500), 2.2, 0.5, 1e-3),
]


@pytest.mark.parametrize("made", CERTIFICATES)
def test_a_certificate_of_every_kind_is_stored_and_proves_itself_and_nothing_else(made: Callable[[], Certificate]) -> None:
    found = made()
    again = read_certificate(found.to_json())
    assert again == found
    assert 0.0 < again.delta < 1.0
    assert again.check()
    for other in (
        replace(again, std=again.std * 0.998),
        replace(again, delta=again.delta * 0.999),
        replace(again, epsilon=again.epsilon * 0.998),
        *(replace(again, mechanism=of) for of in worse(again.mechanism, split=again.kind == "grid")),
    ):
        assert not proves(other)
        assert not proves(read_certificate(other.to_json()))


def proves(certificate: Certificate) -> bool:
    """Return whether the certificate is accepted; one whose proof has no meaning for its statement is refused by an error."""
    try:
        return certificate.check()
    except ValueError:
        return False


def worse(of: Any, *, split: bool) -> list[Any]:
    """Return statements that need a larger delta; a split of the noise is the same for both signs."""
    if isinstance(of, Shuffled):
        return [Shuffled(of.n - 1)]
    found = [replace(of, steps=of.steps + max(1, of.steps // 10)), replace(of, sensitivity=1.01 * of.sensitivity)]
    if isinstance(of, VarianceReduced):
        return found if split else [*found, replace(of, sign=1)]
    return [*found, replace(of, sampling=Poisson(0.31)) if isinstance(of.sampling, Poisson) else replace_rows(of)]


def replace_rows(of: Mechanism) -> Mechanism:
    """Return the mechanism with one row fewer to hide among."""
    sampling = of.sampling
    assert not isinstance(sampling, Poisson)
    return replace(of, sampling=replace(sampling, n=sampling.n - 1))


@pytest.mark.parametrize("of", [Mechanism(UniformIndex(3), 2, 1.0), VarianceReduced(2, 5, 1.0), Shuffled(9)])
def test_a_proof_is_of_its_own_statements(of: Any) -> None:
    others = [GaussianProof(), RenyiProof(4) if not isinstance(of, Mechanism) or of.sees_every_row else GaussianProof()]
    others += [HingeProof(0.1, 3, 9, 30, 0)] if not isinstance(of, Mechanism) else [ShuffleProof(1.0, 0, 1, 1)]
    for proof in others:
        if isinstance(of, VarianceReduced) and isinstance(proof, RenyiProof):
            continue
        with pytest.raises(ValueError, match=r"^mechanism must "):
            Certificate(of, 2.0, 1.0, 0.5, proof).check()


def test_one_row_is_one_gaussian_release() -> None:
    """Nothing is sampled, and the mean moves by the sensitivity in each of 50 steps."""
    one = smallest_std(VarianceReduced(1, 50, 1.0), 80.0, 1e-3).certificate
    assert one is not None
    assert one.kind == "gaussian"
    assert one.check()
    assert one.std == pytest.approx(analytic_std(80.0, 1e-3, math.sqrt(50.0)), rel=1e-8)


# --- what is refused ----------------------------------------------------------------------------------

HINGE = {"kind": "hinge", "gap": {"decimal": "0.5", "exact": "0x1p-1"}, "bits": 4, "top": 90, "scale": 60, "budget": 9}
GRID = {"kind": "grid", "bits": 4, "top": 90, "bottom": 9, "scale": 60, "budget": 9, "share": None}
SMALL = {"kind": "small-steps", **{name: {"decimal": "0.5", "exact": "0x1p-1"} for name in ("start", "reach", "range")}}
SHUFFLE = {"kind": "shuffle", "epsilon_0": {"decimal": "0.5", "exact": "0x1p-1"}, "least": 0, "most": 5, "blocks": 3}
RENYI = {"kind": "renyi", "order": 5}


def number(x: str) -> dict[str, str]:
    return {"decimal": x, "exact": float(x).hex()}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["format"], "another", "format must be 'dppca account certificate'"),
        (["version"], 2, "version must be 1, got 2"),
        (["version"], True, "version must be 1, got True"),
        (["statement"], "All is private.", "statement must say what the numbers say"),
        (["std"], 1.5, "text must have floats that are objects"),
        (["std"], {"decimal": "1.0"}, "std must have the fields decimal, exact"),
        (["std"], {"decimal": "1.1", "exact": "0x1p0"}, "std must be one finite float, twice"),
        (["std"], {"decimal": "1e999", "exact": "0x1p2000"}, "std must be a float in decimal and exact digits"),
        (["std"], {"decimal": "inf", "exact": "inf"}, "std must be one finite float, twice"),
        (["std"], {"decimal": [], "exact": {}}, "std must be a float in decimal and exact digits"),
        (["std"], number("-1.0"), "std must be finite and > 0"),
        (["std"], number("1e-200"), "std must be between 1e-60 and"),
        (["epsilon"], number("-1.0"), "epsilon must be finite and >= 0"),
        (["epsilon"], number("2000.0"), "epsilon must be <= 1024"),
        (["delta"], number("1.5"), r"delta must be in \[0, 1\]"),
        (["delta"], None, "delta must have the fields decimal, exact"),
        (["mechanism"], 3, "mechanism must be an object whose kind is one of"),
        (["mechanism", "kind"], ["sampled-steps"], "mechanism must be an object whose kind is one of"),
        (["mechanism", "steps"], 10**19, "steps must be <= 1000000000000000000"),
        (["mechanism", "steps"], 0, "steps must be >= 1"),
        (["mechanism", "sensitivity"], "1.0", "sensitivity must be finite and > 0"),
        (["mechanism", "sensitivity"], number("1e70"), "sensitivity must be between"),
        (["mechanism", "sampling"], {"kind": "poisson", "probability": number("2.0")}, r"probability must be in \(0, 1\]"),
        (["mechanism", "sampling", "n"], 10**19, "n must be <= 1000000000000000000"),
        (["mechanism", "sampling", "shape"], "cube", "shape must be 'ball' or 'diameter'"),
        (["mechanism", "sampling"], {"kind": "sampled-steps"}, "sampling must be an object whose kind is one of"),
        (["proof"], {"kind": "belief"}, "proof must be an object whose kind is one of"),
        (["proof"], {"kind": "grid"}, "proof must have the fields kind, bits, top"),
        (["proof"], {**GRID, "scale": 10**7}, "scale must be >= 1 and <= 2048"),
        (["proof"], {**GRID, "scale": 0}, "scale must be >= 1"),
        (["proof"], {**GRID, "bits": 53}, "bits must be >= 0 and <= 52"),
        (["proof"], {**GRID, "bits": -1}, "bits must be >= 0"),
        (["proof"], {**GRID, "bits": True}, "bits must be an integer"),
        (["proof"], {**GRID, "top": 0}, "top must be >= 1"),
        (["proof"], {**GRID, "top": 10**9}, "top must be >= 1 and <= 8388608"),
        (["proof"], {**GRID, "bottom": 10**9}, "bottom must be >= 0 and <= 8388608"),
        (["proof"], {**GRID, "bottom": -1}, "bottom must be >= 0"),
        (["proof"], {**GRID, "budget": -1}, "budget must be >= 0"),
        (["proof"], {**GRID, "budget": 2**61}, "budget must be >= 0 and <= "),
        (
            ["proof"],
            {**GRID, "top": 2**23, "bottom": 2**23, "scale": 2048},
            "budget must be larger, or bits, top or scale smaller",
        ),
        (["proof"], {**HINGE, "gap": number("1.0")}, r"gap must be in \(0, 1\)"),
        (["proof"], {**HINGE, "gap": number("0.0")}, r"gap must be in \(0, 1\)"),
        (["proof"], {**HINGE, "gap": 1}, r"gap must be in \(0, 1\)"),
        (["proof"], {**HINGE, "scale": 2049}, "scale must be >= 1 and <= 2048"),
        (["proof"], {**HINGE, "top": 2**24}, "top must be >= 1 and <= 8388608"),
        (["proof"], {**SMALL, "start": number("-0.5")}, "start must be finite and > 0"),
        (["proof"], {**SMALL, "reach": number("0.0")}, "reach must be finite and > 0"),
        (["proof"], {**SMALL, "range": number("1e200")}, "range must be between"),
        (["proof"], {**RENYI, "order": 97}, "order must be >= 2 and <= 96"),
        (["proof"], {**RENYI, "order": 1}, "order must be >= 2"),
        (["proof"], {**RENYI, "order": number("5.0")}, "order must be an integer"),
        (["proof"], {**SHUFFLE, "epsilon_0": number("-1.0")}, "epsilon_0 must be finite and > 0"),
        (["proof"], {**SHUFFLE, "most": 10**9}, "most must be >= 0 and <= 4194304"),
        (["proof"], {**SHUFFLE, "least": -1}, "least must be >= 0"),
        (["proof"], {**SHUFFLE, "blocks": 10**6}, "blocks must be >= 1 and <= 16384"),
        (["proof"], {**SHUFFLE, "blocks": 0}, "blocks must be >= 1"),
    ],
)
def test_a_stored_certificate_is_of_something(path: list[str], value: Any, message: str) -> None:
    """One line that names the field, before anything is computed."""
    stored = copy.deepcopy(json.loads(TEXT))
    at = stored
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    with pytest.raises(ValueError, match=f"^{message}") as refusal:
        read_certificate(json.dumps(stored))
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 1200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be JSON"),
        ("{}", "must have the fields"),
        ("[]", "must have the fields"),
        ("[" * 19_000, "must not be nested"),
        ('{"a":' * 3_000, "must (not be nested|be JSON)"),  # Python 3.13 reads that deep
        ("7" * 5_000, "at most 1000 digits"),
        ('{"version": NaN}', "text must have floats"),
        ('{"version": 1, "version": 1}', "must name each field once"),
        (" " * (TEXT_MAX + 1), f"at most {TEXT_MAX} characters"),
        (None, "text must be that of a certificate"),
        ('{"kind": "grid"}', "must have the fields"),
    ],
)
def test_what_is_no_certificate_is_refused(text: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refusal:
        read_certificate(text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("of", "proof", "message"),
    [
        # ever more points, as nothing is cut: a product is refused before it is made
        (Mechanism(UniformIndex(3), 10**18, 1.0), {**GRID, "budget": 0, "scale": 200}, "budget must be larger"),
        (Mechanism(UniformIndex(3), 10**18, 1.0), {**HINGE, "budget": 0, "scale": 200}, "budget must be larger"),
        (Shuffled(10**9), {**SHUFFLE, "epsilon_0": number("1.5")}, "least must be nearer to the mean number of clones"),
        (Shuffled(3), SHUFFLE, "most must be >= 0 and <= 2"),
        (Mechanism(UniformIndex(3), 2, 1.0), SHUFFLE, "mechanism must be shuffled"),
        (Mechanism(Poisson(0.5), 2, 1.0), RENYI, "mechanism must replace a row"),
        (VarianceReduced(3, 2, 1.0), {**GRID, "share": number("1.0")}, r"share must be in \(0, 1\)"),
        (VarianceReduced(3, 2, 1.0), GRID, "mechanism must be sampled steps, or variance-reduced"),
    ],
)
def test_a_size_that_shows_in_the_check_is_refused_there(
    of: Any, proof: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker, "MEMORY_MAX", 2**20)  # the limit itself takes a minute to reach
    stored = json.loads(Certificate(of, 1.0, 1.0, 0.5, SmallStepsProof(1.0, 1.0, 1.0)).to_json())
    found = read_certificate(json.dumps({**stored, "proof": proof}))
    with pytest.raises(ValueError, match=f"^{message}"):
        found.check()


def test_numbers_at_their_ends_give_an_answer() -> None:
    """Parameters that no search proposes: a bound, however bad."""
    of = Mechanism(UniformIndex(10), 10**18, 1.0)
    for start, reach, span in ((1e-60, 1e-60, 1e-60), (1e60, 1e60, 1e60), (1e-60, 1e60, 1e-60), (1e60, 1e-60, 1e60)):
        assert Certificate(of, 1e3, 1.0, 1.0, SmallStepsProof(start, reach, span)).bound() == 1.0
    assert Certificate(of, 1e-60, 1.0, 1.0, RenyiProof(12)).bound() == 1.0
    assert 0.0 < Certificate(of, 1e60, 1.0, 1.0, RenyiProof(2)).bound() <= math.exp(-1.0) / 4.0 * (1.0 + 1e-9)


def test_a_check_says_how_long_it_takes() -> None:
    """The longer, the more points, bits, steps, clones or moments."""
    of = Mechanism(UniformIndex(1000), 10**5, 1.0)
    for proof, longer in (
        (GridProof(9, 10**5, 9, 100, 9), GridProof(9, 10**6, 9, 100, 9)),
        (GridProof(9, 10**5, 9, 100, 9), GridProof(9, 10**5, 9, 400, 9)),
        (HingeProof(0.1, 9, 10**5, 100, 9), HingeProof(0.1, 9, 10**6, 100, 9)),
        (RenyiProof(9), RenyiProof(90)),
        (ShuffleProof(1.0, 0, 10**4, 9), ShuffleProof(1.0, 0, 10**6, 9)),
    ):
        one: Any = Shuffled(10**7) if isinstance(proof, ShuffleProof) else of
        assert 0.0 < 2.0 * Certificate(one, 1.0, 1.0, 1.0, proof).seconds < Certificate(one, 1.0, 1.0, 1.0, longer).seconds
    once, twice = (Certificate(replace(of, steps=n), 1.0, 1.0, 1.0, GridProof(9, 10**5, 9, 100, 9)).seconds for n in (9, 10**9))
    assert 5.0 * once < twice
