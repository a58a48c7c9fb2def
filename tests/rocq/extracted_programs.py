"""Extracts the programs of proofs.EXTRACTED to OCaml in the Rocq that the proofs are checked with, and talks to them.

Numbers that stand for reals come as integers, numerators over one denominator; the programs take its value as `unit`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from dppca.proofs_notes.rocq import installation, proofs

HERE = Path(__file__).resolve().parent

Point: TypeAlias = tuple[int, ...]
T = TypeVar("T")


class Unavailable(Exception):  # noqa: N818 -- no error: a machine need not have Rocq
    """Rocq or OCaml is missing."""


@dataclass(frozen=True)
class Candidate:
    """A candidate of lines 3-8: points that span it, its score, and the number of its draw."""

    points: tuple[Point, ...]
    score: int
    draw: int


class Models:
    """The extracted programs, compiled and started."""

    def __init__(self) -> None:
        try:
            rocq = installation.found()
        except installation.RocqError as error:
            raise Unavailable(f"needs Rocq and OCaml (`make proofs` installs them): {error}") from error
        rocq.folder.mkdir(exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="models_", dir=rocq.folder))
        folder = self._folder
        for source in (*(proofs.NOTES / program for program in proofs.EXTRACTED), HERE / "extract.v", HERE / "driver.ml"):
            (folder / source.parent.name).mkdir(exist_ok=True)
            shutil.copy(source, folder / source.parent.name)
        rooms = [
            part for file in proofs.EXTRACTED for part in ("-Q", Path(file).parent.name, proofs.module(file).rpartition(".")[0])
        ]
        coqc = ("coqc", "-q", "-w", "none", *rooms)
        here = HERE.name
        for command in (
            *((*coqc, program) for program in proofs.EXTRACTED),
            (*coqc, f"{here}/extract.v"),
            ("ocamlopt", "-w", "-a", "models.mli", "models.ml", f"{here}/driver.ml", "-o", "models"),
        ):
            done = rocq.run(*command, below=folder.name)
            if done.returncode != 0:
                shutil.rmtree(folder)
                raise RuntimeError(f"{' '.join(command)} failed: {done.stderr or done.stdout}")
        self._process = rocq.open("./models", below=folder.name)

    def close(self) -> None:
        """End the program and remove what was compiled."""
        self._process.communicate()
        shutil.rmtree(self._folder)

    def candidates(self, points: Sequence[Point], subsets: Iterable[Sequence[int]]) -> list[Candidate]:
        """Lines 3-8 for a list of subsets of indices."""
        chosen = [[len(S), *S] for S in subsets]
        return self._candidates("candidates", points, [len(chosen), *(entry for S in chosen for entry in S)])

    def candidates_of_sizes(self, points: Sequence[Point], sizes: Sequence[int]) -> list[Candidate]:
        """Lines 3-8 for all subsets of the sizes given."""
        return self._candidates("candidates_of_sizes", points, [len(sizes), *sizes])

    def score(self, points: Sequence[Point], spanning: Sequence[Point]) -> int:
        """The score of the span of some points, which need not be points of the dataset."""
        (found,) = self._ask("score", len(points[0]), *_flat(spanning), *_flat(points))
        return found

    def dimension_scores(self, points: Sequence[Point], k_max: int) -> list[int]:
        """SCORE(1), ..., SCORE(k_max) of section 2.3."""
        return self._ask("dimension_scores", len(points[0]), k_max, *_flat(points))

    def values(self, scores: Sequence[int], floor: int = 0) -> list[int]:
        """The values of line 11."""
        return self._ask("values", floor, *scores)

    def winner(self, null: int, noisy: Sequence[int]) -> int | None:
        """The index of the first largest noisy value, or None where none exceeds NULL's."""
        (number,) = self._ask("winner", *map(_binary, (null, *noisy)))
        return None if number == 0 else number - 1

    def threshold(self, unit: int, bound: int, noise: int, values: Sequence[int]) -> int | None:
        """The index of the positive value that exceeds the bound with its noise, or None for NULL."""
        (number,) = self._ask("threshold", *map(_binary, (unit, bound, noise)), *values)
        return None if number == 0 else number - 1

    def histogram(
        self, unit: int, threshold: int, noise: Sequence[int], items: Sequence[Point]
    ) -> tuple[dict[Point, int], Point | None]:
        """The noisy counts, times the unit, of the cells that are shown; the first of the largest."""
        answer = self._words("histogram", _binary(unit), _binary(threshold), *_numbers(noise), *_cells(items))
        shown = _list(answer, lambda: (_cell(answer), int(next(answer), 2)))
        largest = _list(answer, lambda: _cell(answer))
        return dict(shown), largest[0] if largest else None

    def counts(self, items: Sequence[Point]) -> list[tuple[Point, int]]:
        """The different cells in their order, with their counts."""
        answer = self._words("counts", *_cells(items))
        return _list(answer, lambda: (_cell(answer), int(next(answer))))

    def lead(self, items: Sequence[Point]) -> tuple[int, Point | None]:
        """The lead and the leading cell."""
        answer = self._words("lead", *_cells(items))
        lead, leading = int(next(answer)), _list(answer, lambda: _cell(answer))
        return lead, leading[0] if leading else None

    def subsets(self, k: int, b: int, points: Sequence[Point]) -> list[list[Point]]:
        """The differences of k subsets of b pairs of points."""
        answer = self._words("subsets", k, b, *_cells(points))
        return _list(answer, lambda: _list(answer, lambda: _cell(answer)))

    def batches(self, count: int, size: int, n: int) -> list[list[int]]:
        """The numbers of the items of so many batches of n items, from 0."""
        return self._indices("batches", count, size, n)

    def halves(self, n: int) -> list[list[int]]:
        """The numbers of the items of the halves of n items, from 0."""
        return self._indices("halves", n)

    def truncated_sum(self, radius: int, centre: int, numbers: Sequence[int]) -> int:
        """The sum of the deviations from the centre, each truncated to [-radius, radius]."""
        return int(next(self._words("truncated_sum", _binary(radius), _binary(centre), *_numbers(numbers))), 2)

    def score_sum(self, ceiling: int, numbers: Sequence[int]) -> int:
        """The sum of the numbers, each clipped to [0, ceiling]."""
        return int(next(self._words("score_sum", _binary(ceiling), *_numbers(numbers))), 2)

    def clip(self, beta: int, norm: int, vector: Sequence[int]) -> tuple[Point, int]:
        """A vector of this norm clipped to the norm beta: numerators and their denominator."""
        answer = self._words("clip", _binary(beta), _binary(norm), *_numbers(vector))
        return _cell(answer), int(next(answer), 2)

    def bins(self, tau: int, numbers: Sequence[int]) -> Point:
        """The bins (i tau, (i + 1) tau] of the numbers."""
        return _cell(self._words("bins", _binary(tau), *_numbers(numbers)))

    def _indices(self, *request: int | str) -> list[list[int]]:
        answer = self._words(*request)
        return _list(answer, lambda: _list(answer, lambda: int(next(answer))))

    def _candidates(self, name: str, points: Sequence[Point], subsets: list[int]) -> list[Candidate]:
        d = len(points[0])
        answer, found = self._ask(name, d, *subsets, *_flat(points)), []
        while answer:
            size = answer[0]
            entries, (score, draw), answer = answer[1 : 1 + size * d], answer[1 + size * d :][:2], answer[3 + size * d :]
            found.append(Candidate(tuple(tuple(entries[i * d : (i + 1) * d]) for i in range(size)), score, draw))
        return found

    def _ask(self, *request: int | str) -> list[int]:
        return [int(word) for word in self._words(*request)]

    def _words(self, *request: int | str) -> Iterator[str]:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the program must have been started with pipes")
        self._process.stdin.write(" ".join(map(str, request)) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the extracted programs ended at the request {' '.join(map(str, request))!r:.200}")
        return iter(line.split())


def _flat(points: Sequence[Point]) -> list[int]:
    return [len(points), *(entry for point in points for entry in point)]


def _binary(number: int) -> str:
    return f"{number:b}"


def _numbers(numbers: Sequence[int]) -> list[int | str]:
    """A list of numbers of any size."""
    return [len(numbers), *map(_binary, numbers)]


def _cells(cells: Sequence[Point]) -> list[int | str]:
    """A list of cells, or of points."""
    return [len(cells), *(word for cell in cells for word in _numbers(cell))]


def _list(answer: Iterator[str], read: Callable[[], T]) -> list[T]:
    """A list in an answer."""
    return [read() for _ in range(int(next(answer)))]


def _cell(answer: Iterator[str]) -> Point:
    return tuple(_list(answer, lambda: int(next(answer), 2)))
