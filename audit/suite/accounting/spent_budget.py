"""Whether an algorithm spends no more than it was calibrated for, at all its sizes; and what a false reading spends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.optimize import bisect

from dppca.audit.suite.accounting.composition import Spent
from dppca.audit.suite.accounting.recorded_runs import LateRefusalError, Reached, Run, crowded, reached, recorded, spent
from dppca.audit.suite.neighbours import as_data, dataset
from dppca.audit.suite.sizes import SizedCase, cases, far_cases, find
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration

#: Cases of a reading by budget; those that take a second each have a share of them, and none with long records.
CASES = {"quick": 8, "standard": 24, "deep": 200}
SLOW = MappingProxyType(
    {
        "shang2021.dp_spca": 3,
        "shang2021.dp_vrpca": 3,
        "baselines.dp_sgd": 3,
        "liu2022.private_oja": 3,
        "wang2020.local_gaussian_mechanism_high_dimension": 3,
        "singhal2021.approximate_subspace_estimator_unknown_dimension": 24,
    }
)
FEWEST = 4
#: Records that are replaced in one run: all of so few, or six times as many where there is one release, else so many.
ALL_PLACES, PLACES = 12, 6
#: The same of data far larger than others.
FAR_PLACES = 3

#: A smaller delta tells nothing: the epsilon at the target's delta is stated.
LEAST_STATED = 1e-9

#: Readings that claim what a paper claims, be it true or false; what is spent is stated instead.
PRINTED = ("AS_PRINTED", "LITERAL", "PPCA")


def readings(entry: Declaration) -> list[str]:
    """Return the readings of an algorithm that are claimed private."""
    return [name for name in entry.choices if name not in PRINTED]


def target(arguments: Mapping[str, Any]) -> tuple[float, float]:
    """Return the epsilon and the delta of a target."""
    return arguments["epsilon"], arguments.get("delta", 0.0)


def budget_faults(key: str, choice: str, limit: int, seed: int) -> list[str]:
    """Return where a reading spends more than its target, or moves a release by more than it declares; in sentences."""
    entry = ALGORITHMS[key]
    found: list[str] = []
    refused = 0
    chosen = [*cases(entry, max(limit // SLOW.get(key, 1), FEWEST), seed), *far_cases(entry)[: 1 if key in SLOW else 2]]
    for number, case in enumerate(chosen):
        try:
            rng = np.random.default_rng([seed, number])
            one = case.is_far or (number > 0 and key in SLOW)  # else a run with rare draws and one without, on other data
            found += case_faults(entry, choice, case, rng, [bool(rng.random() < 0.5)] if one else [True, False])
        except RefusedError as error:
            refused += 1
            if number == 0:
                found.append(f"{key}, {choice}: the declared example is refused: {error}")
        if len(found) > 3:
            break
    if refused > 0.8 * len(chosen):
        found.append(f"{key}, {choice}: {refused} of {len(chosen)} cases are refused, so that nothing is checked there")
    return found


class RefusedError(ValueError):
    """The error for a case that an algorithm refuses."""


def case_faults(entry: Declaration, choice: str, case: SizedCase, rng: np.random.Generator, runs: Iterable[bool]) -> list[str]:
    """Return what is wrong in one case, over a few runs, each with rare draws or without; one run where all draws are alike."""
    found: list[str] = []
    where = f"{entry.key}, {choice}, {case.name}"
    for rare in runs:
        try:
            run, moved = one_run(entry, choice, case, rng, rare)
        except LateRefusalError as error:
            return [f"{where}: {error}"]
        found += [f"{where}: {fault}" for fault in dict.fromkeys(moved.faults)]
        try:
            cost = spent(run, moved)
        except ValueError as error:
            found.append(f"{where}: {error}")
            break
        epsilon, delta = target(case.arguments)
        for of in (run.calibration, getattr(run.calibration, "spent", None)):  # the second is what it adds up itself
            for name, asked in case.arguments.items():
                if name in ("epsilon", "delta") and (stated := getattr(of, name, asked)) > asked:
                    found.append(f"{where}: the calibration is for {name} = {stated}, {asked} was asked for")
        if claimed(run) and cost.exceeds(epsilon, delta):
            found.append(f"{where}: {words(cost, epsilon, delta)}, composed over {releases(run, moved)}")
        if found or not run.has_rare_draws:
            break
    return found


def one_run(entry: Declaration, choice: str, case: SizedCase, rng: np.random.Generator, rare: bool) -> tuple[Run, Reached]:
    """Return a run of a case and what records reach; RefusedError where the case is."""
    rows = dataset(entry, case.n, case.d, rng)
    arguments = dict(case.arguments)
    if "auxiliary" in arguments:  # records as well: some of the others again
        arguments["auxiliary"] = as_data(entry, rows[: len(arguments["auxiliary"])])
    try:
        run = recorded(entry, arguments, entry.choices[choice], rows, rng, rare=rare)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    every = run.n <= ALL_PLACES or run.n * len(run.terms) <= PLACES * ALL_PLACES
    edges = [0, run.n - 1, run.n // 2 - 1, run.n // 2]  # where parts of the records begin and end
    if not every and not run.tape.secrets:
        edges = [*crowded(run, rng), *edges]
    places = range(run.n) if every else [*dict.fromkeys([*edges, *rng.permutation(run.n).tolist()])][:PLACES]
    drawn = [int(i) for law in (f"integers({run.n})", "permutation") for of in run.secrets(law).values() for i in np.ravel(of)]
    if drawn:  # those that come first and last
        places = [*dict.fromkeys([*drawn[: PLACES // 2], *drawn[-2:], *places])][: max(PLACES, len(places))]
    return run, reached(run, list(places)[: FAR_PLACES if case.is_far else None], rng)


def claimed(run: Run) -> bool:
    """Return whether the paper's conditions hold under which it claims privacy; none where a reading has no conditions."""
    stated = (each for conditions in find("conditions", run.calibration) for each in conditions)
    return all(condition.holds for condition in stated if condition.place == "printed")


def words(cost: Spent, epsilon: float, delta: float) -> str:
    """Return what is spent beside the target."""
    if delta == 0.0:
        return f"epsilon = {cost.pure:.6g} is spent, {epsilon:.6g} is the target"
    return f"delta = {cost.delta(epsilon):.6g} is spent at epsilon = {epsilon:.6g}, {delta:.6g} is the target"


def releases(run: Run, moved: Reached) -> str:
    """Return the releases of the record that moves most; all of them where none was moved, and each is charged."""
    most: Sequence[str] = max((sorted(names) for names in moved.moved.values()), key=len, default=[]) or list(run.terms)
    return ", ".join(most[:6]) + (f" and {len(most) - 6} more" if len(most) > 6 else "")


def spent_by_example(key: str, choice: str) -> float:
    """Return the delta at the target's epsilon that a reading spends on the declared example.

    Where that delta is 0, or nearly, it is the epsilon at the target's delta. It is the largest over two transcripts: what
    follows a suppressed count spends less than what follows one that is shown.
    """
    entry = ALGORITHMS[key]
    rows = np.asarray(entry.example.data, dtype=float)
    epsilon, delta = target(entry.example.arguments)
    costs = []
    for rare in (True, False):
        rng = np.random.default_rng(1)
        run = recorded(entry, entry.example.arguments, entry.choices[choice], rows, rng, rare=rare)
        costs.append(spent(run, reached(run, range(min(run.n, PLACES)), np.random.default_rng(2))))
    if delta == 0.0:
        return max(cost.pure for cost in costs)
    worst = max(costs, key=lambda cost: cost.delta(epsilon))
    found = worst.delta(epsilon)
    return found if found >= LEAST_STATED else float(bisect(lambda at: worst.delta(at) - delta, 0.0, epsilon))
