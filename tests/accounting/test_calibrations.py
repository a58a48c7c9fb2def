"""The calibrations that rest on the accounts are proved, in known answers, audits and claims; planted errors are noticed."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from dppca.audit.suite.audits import instances
from dppca.audit.suite.planted import Bug, bugs, planted
from dppca.proofs_notes.ledger.claims import load, resolve
from dppca.proofs_notes.shang2021 import section_4_1, section_4_2
from dppca.reference.accounting import (
    NOT_CERTIFIED,
    Shuffled,
    read_certificate,
)
from dppca.reference.baselines.dp_sgd import DPSGDCalibration
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.conformance import DIRECTORY
from dppca.reference.shang2021.algorithm_2_dp_vrpca import VarianceReducedCalibration
from dppca.reference.shang2021.calibration import NoiseCalibration


@pytest.mark.parametrize("key", ["shang2021.dp_spca", "shang2021.dp_vrpca", "baselines.dp_sgd", "liu2022.private_oja"])
def test_calibrations_of_the_known_answers_are_proved(key: str) -> None:
    entry, tried = ALGORITHMS[key], 0
    for case in json.loads((DIRECTORY / f"{key.replace('.', '/')}.json").read_text())["cases"]:
        if case["choice"] == "CORRECTED" and case.get("calibration"):
            wanted = inspect.signature(entry.calibrate).parameters
            given = entry.completed(case["parameters"])
            arguments = {name: value for name, value in given.items() if name in wanted}
            found = entry.calibrate(**arguments, choices=entry.choices["CORRECTED"])
            assert getattr(found, "certified", NOT_CERTIFIED not in found.assumptions)
            tried += 1
    assert tried >= 1


def test_a_calibration_of_shuffled_releases_carries_its_proof() -> None:
    """Of a multiplier at most alpha, and within the last places of it."""
    calibrate = ALGORITHMS["liu2022.private_oja"].calibrate
    sizes = {"n": 500, "d": 3, "lambda_1": 1.0, "K": 1.0, "gamma": 1.0}
    found = calibrate(0.5, 1e-3, **sizes)
    certificate = found.certificate
    assert (certificate.mechanism, certificate.epsilon) == (Shuffled(500), 0.5)
    assert certificate.delta <= 1e-3
    assert certificate.check()
    assert found.alpha * (1 - 2e-14) < certificate.std < found.alpha
    assert calibrate(0.5, 1e-3, **sizes, choices=ALGORITHMS["liu2022.private_oja"].choices["AS_PRINTED"]).certificate is None


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calibrations that are made during a test, of the algorithms whose noise comes from an account of sampled steps."""
    found: list[Any] = []
    for kind in (NoiseCalibration, VarianceReducedCalibration, DPSGDCalibration):

        def kept(self: Any, *arguments: Any, _first: Callable[..., None] = kind.__init__, **named: Any) -> None:
            _first(self, *arguments, **named)
            found.append(self)

        monkeypatch.setattr(kind, "__init__", kept)
    return found


def unproved(found: list[Any]) -> list[Any]:
    """Those of the account that have no certificate of what they say."""
    of_account = [one for one in found if getattr(one, "formula", "account") == "account"]
    assert of_account
    proofs = [(one, one.certificate) for one in of_account]
    return [
        one
        for one, proof in proofs
        if proof is None or (proof.std, proof.epsilon) != (one.std, one.epsilon) or not proof.delta <= one.delta
    ]


@pytest.mark.parametrize("key", ["shang2021.dp_spca", "shang2021.dp_vrpca", "baselines.dp_sgd"])
def test_calibrations_of_the_audits_are_proved(key: str, made: list[Any]) -> None:
    for instance in instances():
        if instance.algorithm == key and instance.choice in ALGORITHMS[key].choices:
            instance.built()
    assert unproved(made) == []


@pytest.mark.slow
def test_calibrations_of_the_claims_are_proved(made: list[Any]) -> None:
    """Every check of a module that makes a calibration of these algorithms."""
    checks = {claim.check for claim in load() if re.search(r"proofs_notes\.(shang2021|baselines\.dp_sgd)\b", claim.check)}
    tried = [
        check for check in sorted(checks) if "calibrate(" in inspect.getsource(importlib.import_module(check.split(":")[0]))
    ]
    for check in tried:
        resolve(check)()
    assert len(tried) >= 40
    assert unproved(made) == []


def test_a_calibration_carries_its_proof() -> None:
    """With certify=True it is there at once; without, where it takes seconds; never with False, and then that is said."""
    spca, vrpca, sgd = (ALGORITHMS[key] for key in ("shang2021.dp_spca", "shang2021.dp_vrpca", "baselines.dp_sgd"))
    shown: list[tuple[int, int]] = []
    sizes: list[tuple[Any, dict[str, Any]]] = [
        (spca, {"n": 50, "d": 3, "T": 20, "progress": lambda done, total: shown.append((done, total))}),
        (vrpca, {"n": 50, "d": 3, "T": 20, "m": 1}),
        (sgd, {"d": 3, "T": 20, "rate": 0.1}),
    ]
    for entry, of in sizes:
        of |= {"epsilon": 1.0, "delta": 1e-3, "choices": entry.choices["CORRECTED"]}
        certain, usual, never = (entry.calibrate(**of, certify=certify) for certify in (True, None, False))
        for found in (certain, usual):
            again = read_certificate(found.certificate.to_json())
            assert again == found.certificate
            assert again.check()
            assert (again.std, again.epsilon) == (found.std, found.epsilon)
            assert again.delta <= found.delta
            assert NOT_CERTIFIED not in found.assumptions
        assert certain.std <= usual.std
        assert never.certificate is None
        assert not never.certified
        assert NOT_CERTIFIED in never.assumptions
    assert shown[-1][0] == shown[-1][1] > 1
    printed = spca.calibrate(1.0, 1e-3, 50, 3, 20, choices=spca.choices["AS_PRINTED"])
    assert printed.certificate is None
    assert NOT_CERTIFIED not in printed.assumptions


#: A check of the ledger that must notice each.
CHECKS = {
    "sampling counted twice": section_4_1.account_numerics,
    "one of the two pairs for a replaced row": section_4_1.account_numerics,
    "second moment of the hinge 3 % too small": section_4_1.account_hinge,
    "hinge's point below 1 left out": section_4_1.account_hinge,
    "hinge halved": section_4_1.account_hinge,
    "drift halved": section_4_2.account_vrpca,
    "full gradient left out": section_4_2.account_vrpca,
    "second moment of small steps too small": section_4_1.account_small_steps,
    "Renyi moments from the second moment alone": section_4_1.account_renyi,
    "Renyi payoff of the next order": section_4_1.account_renyi,
    "Renyi moments of half the steps": section_4_1.account_renyi,
    "tail dropped": section_4_1.account_numerics,
    "masses rounded down": section_4_1.account_numerics,
    "products rounded down": section_4_1.account_numerics,
    "final sum 3 % too small": section_4_1.account_numerics,
    "masses of the lower bound rounded up": section_4_1.account_numerics,
}


@pytest.mark.parametrize("bug", [bug for bug in bugs() if bug.name.startswith("account: ")], ids=lambda bug: bug.name)
def test_a_planted_error_lets_a_claim_fall(bug: Bug) -> None:
    """That an examination of audit/suite/accounting fails as well is looked at with the other planted bugs."""
    with planted(bug.edits):
        assert CHECKS[bug.name.removeprefix("account: ")]().status == "refuted"
