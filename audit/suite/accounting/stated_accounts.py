"""Whether the account behind a calibration is of the mechanism that then runs: of its steps, rows, sampling and sensitivities.

What an account gives for its statement is examined elsewhere (known_cases.py, random_cases.py), and so is what a run spends
(spent_budget.py), up to the tolerance of a transform. Here the statement itself is compared with the tape, without a tolerance,
at many sizes: the search for the noise is left out, and what it is asked for is taken down instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np

from dppca.audit.suite.accounting.recorded_runs import Run, recorded
from dppca.audit.suite.accounting.spent_budget import target
from dppca.audit.suite.neighbours import dataset
from dppca.audit.suite.sizes import SizedCase, cases
from dppca.reference.accounting import Account, Mechanism, Poisson, Shuffled, UniformIndex, VarianceReduced, search
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration

#: Relative difference that rounding of a sensitivity and of the noise may make.
ROUNDING = 1e-12


class _Asked:
    """A search for the noise that takes down what it is asked for, and returns noise of ratio 1."""

    def __init__(self) -> None:
        self.accounts: list[Account] = []

    def __call__(self, mechanism: Any, epsilon: float, delta: float, certify: bool | None, progress: Any) -> Account:
        del certify, progress
        self.accounts.append(Account(mechanism, getattr(mechanism, "sensitivity", 1.0), epsilon, delta, None))
        return self.accounts[-1]


def accounted() -> list[str]:
    """Return the algorithms whose calibration, at the declared example, asks for the noise of an account."""
    return [
        key for key, entry in ALGORITHMS.items() if entry.private and any(_accounts(entry, choice) for choice in entry.choices)
    ]


def _accounts(entry: Declaration, choice: str) -> list[Account]:
    with mock.patch.object(search, "_smallest_std", _Asked()) as asked:
        entry.bind(**entry.example.arguments, choices=entry.choices[choice])
    return list(asked.accounts)


def statement_faults(key: str, limit: int, seed: int) -> list[str]:
    """Return where an account, of any reading, is of another mechanism than the one that runs, in sentences."""
    entry, rng = ALGORITHMS[key], np.random.default_rng(seed)
    found: list[str] = []
    with mock.patch.object(search, "_smallest_std", _Asked()) as asked:
        chosen = cases(entry, limit, seed)
        for choice in entry.choices:
            for case in chosen:
                asked.accounts.clear()
                try:
                    rows = dataset(entry, case.n, case.d, rng)
                    run = recorded(entry, case.arguments, entry.choices[choice], rows, rng, rare=False)
                except ValueError:  # what is refused is counted by the budget
                    continue
                found += [
                    f"{key}, {choice}, {case.name}: {fault}" for of in asked.accounts for fault in _differences(run, case, of)
                ]
    return found


def _differences(run: Run, case: SizedCase, of: Account) -> Iterator[str]:
    """Yield in what the statement of an account promises more than what has run."""
    epsilon, delta = target(case.arguments)
    statement: Any = of.mechanism
    if of.epsilon > epsilon or of.delta > delta:
        yield f"the account is for epsilon = {of.epsilon}, delta = {of.delta}"
    steps = getattr(statement, "steps", getattr(statement, "n", 0))
    if steps < len(run.terms):
        yield f"the account is of {steps} steps, and there are {len(run.terms)} releases"
    laws = {e.law for e in run.tape.entries if e.role == "secret"}
    if laws != {_hidden(statement)}:
        yield f"the account is of draws {_hidden(statement)}, and what is hidden are {', '.join(sorted(laws))}"
    for term in run.terms.values():
        moved, std = (1.0 + ROUNDING) * _moved(statement), getattr(term.law, "std", 0.0) * (1.0 + ROUNDING)
        if term.sensitivity * of.std > moved * std:
            yield f"the account is of the ratio {moved} / {of.std}, and release {term.name!r} has {term.sensitivity} / {std}"
            return
        if _shape(statement) == "ball" and term.value.ndim > 1 and term.value.shape[1] > 1:
            columns = term.value.shape[1]
            yield f"the account takes the values of {term.name!r} to lie in a ball: so do those of one column, not of {columns}"
            return


def _hidden(statement: Any) -> str:
    """Return the law of the secret draws that a statement is about."""
    if isinstance(statement, Shuffled):
        return f"permutation({statement.n})"
    if isinstance(statement, Mechanism) and isinstance(statement.sampling, Poisson):
        return f"bernoulli({statement.sampling.probability!r})"
    return f"integers({statement.n if isinstance(statement, VarianceReduced) else statement.sampling.n})"


def _shape(statement: Any) -> str:
    sampling = getattr(statement, "sampling", statement)
    return str(getattr(sampling, "shape", "diameter")) if isinstance(sampling, UniformIndex | VarianceReduced) else "diameter"


def _moved(statement: Any) -> float:
    """Return the largest change of a release that a statement is about, index and iterates fixed."""
    if isinstance(statement, VarianceReduced):  # V - V~ and the mean, at V = -V~
        return float(statement.sensitivity * (statement.drift + statement.sign / statement.n))
    return float(getattr(statement, "sensitivity", 1.0))
