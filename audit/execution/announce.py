"""Says on the log `dppca.audit` that trials will take minutes, or that looking at their outputs will."""

from __future__ import annotations

import logging

LOG = logging.getLogger("dppca.audit")
#: Trials are announced that will take longer than so many seconds.
LONG = 60.0
#: Seconds: what took less says nothing of it, as it may have gone into something else.
LEAST = 0.2
#: Outputs are announced of which one dataset's trials hold more numbers than this in all: they take minutes and gigabytes.
MANY = 5e7


def announce_time(seconds: float, done: int, planned: int) -> bool:
    """Announce planned runs of a mechanism where those done say that they take minutes; return whether it did.

    Fewer than LEAST seconds say nothing: most of them may have gone into something else.
    """
    expected = seconds / done * planned
    announced = seconds >= LEAST and expected > LONG
    if announced:
        LOG.warning(
            "%s runs at %.3g seconds each will take about %.0f minutes; trials= makes them fewer, workers= runs some at once",
            f"{planned:,}",
            seconds / done,
            expected / 60.0,
        )
    return announced


def announce_size(size: int, trials: int) -> None:
    """Announce outputs that hold very many numbers, `size` of them."""
    if size * trials > MANY:
        LOG.warning(
            "an output holds about %s numbers, and %s trials on each dataset are compared in all of them, which takes minutes "
            "and gigabytes; features= can name those that matter",
            f"{size:,}",
            f"{trials:,}",
        )


def announce_threads(seconds: float, threads: int) -> None:
    """Announce a call in a forked process that takes long, where the caller has threads that the process does not."""
    LOG.warning(
        "a call has taken %.0f s in a process of its own, which has none of this one's other threads (%d): if the mechanism "
        "waits for one of them, as of a pool that was made before or of jax, it waits without end; let it make its pool in the "
        "call, and call jax there first, or use isolate=False and workers=1 without limits of calls",
        seconds,
        threads,
    )
