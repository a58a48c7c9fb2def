"""The line protocol: a program in any language, a case in and an answer out, each one line of JSON.

A case has a number, `id`, which its answer repeats: an answer that is late, or one of two, is not taken for another case's.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping
from typing import Any, NoReturn

#: Seconds and bytes that an answer may take; seconds in which a program ends when its input is closed.
SECONDS, BYTES, END = 60.0, 1 << 26, 10.0


class Unsupported(Exception):  # noqa: N818 -- no error: the program says that it does not do this
    """The program does not support a case."""


class Command:
    """A program that reads cases and writes answers, started at the first case, and again after an error.

    Raises:
        ValueError: there is no such program.
    """

    def __init__(self, command: str) -> None:
        words = shlex.split(command)
        if not words or shutil.which(words[0]) is None:
            raise ValueError(f"must begin with a program that can be run, got {command!r}")
        self.command = command
        self.has_answered = False
        self._process: Any = None  # a subprocess.Popen from the first case on
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._cases = 0

    def run(self, **case: Any) -> Mapping[str, Any]:
        """Return the answer of the program.

        Raises:
            Unsupported: the program says so.
            RuntimeError: it ended, took too long, or wrote anything but one JSON object with the case's id.
        """
        self._cases += 1
        if self._process is None:
            self._start()
        line = self._exchange(json.dumps({"id": self._cases, **case}).encode() + b"\n")
        try:
            answer = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            self._fail(f"must answer one line of JSON, got {line[:200]!r} ({error})")
        if not isinstance(answer, dict):
            self._fail(f"must answer a JSON object, got {line[:200]!r}")
        if answer.get("id") != self._cases or isinstance(answer["id"], bool):
            self._fail(f"must answer with the id {self._cases} of its case, got {answer.get('id')!r:.100}")
        if "unsupported" in answer:
            raise Unsupported(answer["unsupported"])
        del answer["id"]
        return answer

    def close(self) -> None:
        """End the program: close its input, then wait; RuntimeError where it wrote more than its answers, or does not end."""
        if self._process is None:
            return
        self._writer.join(END)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._fail(f"must end when its input does, still runs after {END:g} s")
        line = self._lines.get(timeout=END)
        if line:
            self._fail(f"must write one line for each case, got another one, {line[:200]!r}")
        self._kill()

    def _start(self) -> None:
        words = shlex.split(self.command)
        self._lines = queue.Queue()
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)  # noqa: S603 -- the user's own command
        threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()

    def _exchange(self, question: bytes) -> bytes:
        """Return what the program writes on a question, the end of the line included."""
        self._writer = threading.Thread(target=_write, args=(self._process.stdin, question), daemon=True)
        self._writer.start()
        try:
            line = self._lines.get(timeout=SECONDS)
        except queue.Empty:
            self._fail(f"took longer than {SECONDS:g} s for an answer")
        if len(line) > BYTES:
            self._fail(f"must answer with at most {BYTES:,} bytes, got {line[:200]!r} and more")
        if not line:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END)
            self._fail(f"ended with status {self._process.poll()} instead of an answer")
        self.has_answered = True
        return line

    def _fail(self, problem: str) -> NoReturn:
        """End the program, with all that it started in its group."""
        self._kill()
        raise RuntimeError(f"{self.command!r} {problem}")

    def _kill(self) -> None:
        process, self._process = self._process, None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
        process.wait()
        self._writer.join(END)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()


def _read(pipe: Any, lines: queue.Queue[bytes]) -> None:
    """Pass on every line, the beginning of one that is too long, and an empty one at the end."""
    with pipe, contextlib.suppress(OSError):
        while line := pipe.readline(BYTES + 1):
            lines.put(line)
            if len(line) > BYTES:
                return
    lines.put(b"")


def _write(pipe: Any, question: bytes) -> None:
    """In a thread of its own: a program that reads nothing blocks it."""
    with contextlib.suppress(BrokenPipeError, ValueError):  # it has ended, or was ended
        pipe.write(question)
        pipe.flush()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
