"""The line protocol: a program in any language, a case in and an answer out, each one line of JSON."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Any


class Unsupported(Exception):  # noqa: N818 -- no error: the program says that it does not do this
    """The program does not support a case."""


class Command:
    """A program that reads cases and writes answers, started at the first case and again after it has ended.

    Raises:
        ValueError: there is no such program.
    """

    def __init__(self, command: str) -> None:
        words = shlex.split(command)
        if not words or shutil.which(words[0]) is None:
            raise ValueError(f"must begin with a program that can be run, got {command!r}")
        self.command = command
        self.has_answered = False
        self._process: subprocess.Popen[str] | None = None

    def run(self, **case: Any) -> Mapping[str, Any]:
        """The answer of the program.

        Raises:
            Unsupported: the program says so.
            RuntimeError: it ended, or wrote no JSON object.
        """
        if self._process is None:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
            self._process = subprocess.Popen(shlex.split(self.command), **pipes)  # noqa: S603 -- the user's own command
        try:
            self._process.stdin.write(json.dumps(case) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RuntimeError(f"{self.command!r} ended with status {self._end()} instead of an answer")
        self.has_answered = True
        try:
            answer = json.loads(line)
        except json.JSONDecodeError as error:
            raise RuntimeError(f"{self.command!r} must answer one line of JSON, got {line!r:.200}") from error
        if not isinstance(answer, dict):
            raise RuntimeError(f"{self.command!r} must answer a JSON object, got {line!r:.200}")  # noqa: TRY004 -- not a type here
        if "unsupported" in answer:
            raise Unsupported(answer["unsupported"])
        return answer

    def _end(self) -> int:
        """Close the pipes of a program that has ended, and return its status."""
        ended, self._process = self._process, None
        with suppress(BrokenPipeError):  # what was not read
            ended.stdin.close()
        ended.stdout.close()
        return ended.wait()

    def close(self) -> None:
        """End the program: close its input, then wait."""
        if self._process is not None:
            self._process.communicate()
