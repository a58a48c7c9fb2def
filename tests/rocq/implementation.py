"""The programs that are extracted from Rocq as an implementation for the conformance suite.

    pytest reference/conformance --implementation tests.rocq.implementation:models
    pytest reference/conformance --command "python -m tests.rocq.implementation"

What Rocq proves about is extracted and runs: candidates, scores, values, draws, the winner, the threshold form, SCORE(i); for
liu2022 and Algorithm 2 of singhal2021 see extracted_algorithms.py in the tests of each. Not proved and written here: the noise
as a function of its standard draw, and the reduced rows that name a subspace. Noisy values are floats, so exact fractions:
they are compared as integers.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dppca.reference.conformance.command import Unsupported
from tests.liu2022 import extracted_algorithms as liu2022
from tests.rocq.extracted_programs import Models, Point, Unavailable
from tests.singhal2021.extracted_algorithms import noise, projector

ESTIMATORS = {
    "singhal2021.exact_subspace_estimator",
    "singhal2021.exact_subspace_estimator_all_dimensions",
    "singhal2021.exact_subspace_estimator_random_subsets",
}
DIMENSION = "singhal2021.dimension_by_exponential_mechanism"
DIMENSION_TEST = "singhal2021.dimension_is_at_most"
THRESHOLD = "singhal2021.exact_subspace_estimator_threshold"
MINIBATCH = "liu2022.minibatch_private_oja"
#: The readings of these differ in what calibrates them, which a case hands over.
CALIBRATED = {
    "liu2022.private_top_eigenvalue",
    "liu2022.private_mean",
    "liu2022.dp_pca",
    "liu2022.hyperparameter_search",
    "liu2022.deflation",
    "liu2022.block_dp_pca",
    "singhal2021.approximate_subspace_estimator",
    "singhal2021.approximate_subspace_estimator_gap_max",
}


class FormalModels:
    """The extracted programs, started at the first case."""

    def supports(self, algorithm: str, choice: str) -> bool:
        """Whether the algorithm and its reading are modelled."""
        if algorithm in CALIBRATED:
            return True
        return algorithm in {*ESTIMATORS, DIMENSION, DIMENSION_TEST, THRESHOLD, MINIBATCH} and choice == "CORRECTED"

    def run(
        self,
        *,
        algorithm: str,
        choice: str,
        parameters: Mapping[str, Any],
        calibration: Any,
        inputs: Mapping[str, Any],
        draws: Sequence[Mapping[str, Any]],
    ) -> Mapping[str, Any]:
        """The output of one case.

        Raises:
            Unsupported: the algorithm is not modelled, or the case has no draws: a refusal, and the models refuse nothing.
        """
        if not self.supports(algorithm, choice):
            raise Unsupported(f"{algorithm} with the choice {choice} is not modelled")
        if not draws:
            raise Unsupported("the models take valid inputs")
        drawn = {draw["name"]: draw["draw"] for draw in draws}
        if algorithm.startswith("liu2022."):
            return {"output": _liu2022(algorithm, parameters, calibration, inputs, drawn)}
        if algorithm in CALIBRATED:
            found = projector(shared_models(), np.array(inputs["X"], dtype=float), calibration, drawn)
            return {"output": None if found is None else found.tolist()}
        points = [tuple(row) for row in inputs["X"]]
        if algorithm == THRESHOLD:
            return {"output": _show(points, parameters, calibration, drawn["subspace"])}
        if algorithm in ESTIMATORS:
            return {"output": _estimate(points, parameters, calibration, drawn)}
        scores = shared_models().dimension_scores(points, parameters["k_max"])
        if algorithm == DIMENSION:
            noisy = [0.5 * parameters["epsilon"] * u + xi for u, xi in zip(scores, drawn["dimension"], strict=True)]
            return {"output": 1 + noisy.index(max(noisy))}
        noisy_score = max(scores) + drawn["largest score"] / parameters["epsilon"]
        return {"output": noisy_score > 0.5 * (len(points) - parameters["ell"])}


def _estimate(points: list[Point], parameters: Mapping[str, Any], calibration: Any, drawn: Mapping[str, Any]) -> Any:
    floor = calibration.get("floor", 0)
    gap_max = calibration.get("gap_max", calibration)
    if "subsets" in drawn:
        candidates = shared_models().candidates(points, drawn["subsets"])
    else:
        sizes = [parameters["k"]] if "k" in parameters else list(range(1, parameters["k_max"] + 1))
        candidates = shared_models().candidates_of_sizes(points, sizes)
    rows = [reduced_rows(candidate.points) for candidate in candidates]
    order = sorted(range(len(candidates)), key=rows.__getitem__)  # of equal noisy values the first in this order wins
    values = shared_models().values([candidate.score for candidate in candidates], floor)
    noises = [noise(u, gap_max["scale"], gap_max["bound"]) for u in drawn["subspace"]]
    noisy = [gap_max["null"] + noises[0], *(values[i] + noises[candidates[i].draw] for i in order)]
    _, ((null, *others),) = liu2022.as_integers(noisy)
    winner = shared_models().winner(null, others)
    return None if winner is None else {"ambient": len(points[0]), "rows": [list(row) for row in rows[order[winner]]]}


def _show(points: list[Point], parameters: Mapping[str, Any], calibration: Any, u: float) -> Any:
    candidates = shared_models().candidates_of_sizes(points, [parameters["k"]])
    values = shared_models().values([candidate.score for candidate in candidates])
    bound = calibration["bound"]
    unit, ((limit, shift),) = liu2022.as_integers([bound, noise(u, calibration["scale"], bound)])
    shown = shared_models().threshold(unit, limit, shift, values)
    if shown is None:
        return None
    return {"ambient": len(points[0]), "rows": [list(row) for row in reduced_rows(candidates[shown].points)]}


def _liu2022(
    algorithm: str, parameters: Mapping[str, Any], calibration: Any, inputs: Mapping[str, Any], drawn: Mapping[str, Any]
) -> Any:
    found: Any
    if algorithm == "liu2022.private_top_eigenvalue":
        return liu2022.private_top_eigenvalue(shared_models(), np.array(inputs["g"]), calibration, drawn["eigenvalue"])
    if algorithm == "liu2022.private_mean":
        found = liu2022.private_mean(shared_models(), np.array(inputs["g"]), parameters["eigenvalue"], calibration, drawn)
        return None if found is None else found.tolist()
    if algorithm == "liu2022.hyperparameter_search":
        return liu2022.hyperparameter_search(shared_models(), np.array(inputs["A"]), parameters["target"], calibration, drawn)
    run = getattr(liu2022, algorithm.removeprefix("liu2022."))
    return run(shared_models(), np.array(inputs["A"]), parameters["step_sizes"], calibration, drawn).tolist()


def reduced_rows(points: Sequence[Point]) -> tuple[Point, ...]:
    """The reduced row echelon form of independent points, each row an integer vector without a common divisor."""
    rows = [[Fraction(entry) for entry in point] for point in points]
    done = 0
    for column in range(len(points[0])):
        pivot = next((i for i in range(done, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[done], rows[pivot] = rows[pivot], rows[done]
        head = rows[done][column]
        rows[done] = [entry / head for entry in rows[done]]
        for i, row in enumerate(rows):
            if i != done:
                rows[i] = [entry - row[column] * first for entry, first in zip(row, rows[done], strict=True)]
        done += 1
    scaled = ([entry * math.lcm(*(other.denominator for other in row)) for entry in row] for row in rows)
    return tuple(tuple(int(entry) for entry in row) for row in scaled)


#: The extracted programs, once they run; in no cache, as studies of mutants empty these.
_STARTED: list[Models] = []


def shared_models() -> Models:
    """Return the extracted programs, compiled and started at the first call."""
    if not _STARTED:
        _STARTED.append(Models())
    return _STARTED[0]


#: What --implementation names.
models = FormalModels()


def main() -> None:
    """Speak the line protocol."""
    for line in sys.stdin:
        case = json.loads(line)
        number = case.pop("id")
        try:
            answer = models.run(**case)
        except (Unsupported, Unavailable) as reason:
            answer = {"unsupported": str(reason)}
        print(json.dumps({"id": number, **answer}), flush=True)  # noqa: T201 -- the protocol


if __name__ == "__main__":
    main()
