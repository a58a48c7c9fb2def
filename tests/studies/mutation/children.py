"""Forked processes for mutants, and which functions a run calls."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType
from typing import Any, Literal

from tests.studies.mutation.mutants import Place

#: Memory that a child may have, in bytes.
MEMORY = 6 * 2**30
_END = "end of what is sent"


@contextmanager
def called() -> Iterator[set[Place]]:
    """The functions of the project that are called within the context, also in threads that it starts; there at its end."""
    seen: dict[CodeType, str] = {}
    found: set[Place] = set()

    def note(frame: Any, _event: str, _: object) -> None:
        if frame.f_code not in seen:
            seen[frame.f_code] = str(frame.f_globals.get("__name__"))

    before = sys.gettrace()
    threading.settrace(note)
    sys.settrace(note)
    try:
        yield found
    finally:
        sys.settrace(before)
        threading.settrace(before)  # type: ignore[arg-type]
        for code, module in seen.items():
            if module.startswith(("dppca.", "tests.")):
                found.add((module, code.co_qualname.partition(".<locals>")[0]))


def in_child(
    work: Callable[[Callable[[Any], None]], None], seconds: float
) -> tuple[list[Any], Literal["done", "died", "late"]]:
    """What `work(send)` sends from a forked process, and how that ended: "done", "died", or "late".

    It is late, and is killed with all that it has started, when it has sent nothing for so many seconds.
    """
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)

    def child() -> None:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        work(theirs.send)
        theirs.send(_END)
        os._exit(0)

    process = fork.Process(target=child, daemon=False)
    process.start()
    theirs.close()
    sent: list[Any] = []
    end: Literal["done", "died", "late"] = "done"
    try:
        while not sent or sent[-1] != _END:
            if not ours.poll(seconds):
                end = "late"
                break
            sent.append(ours.recv())
    except EOFError:
        end = "died"
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.join()
        ours.close()
    return [item for item in sent if item != _END], end
