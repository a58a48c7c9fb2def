"""Checks of the options of `pytest audit/` that no audit looks at until much later: one error at the start, nothing lost."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from dppca.audit.report.place import check_report
from dppca.reference.extras import needs


def check_options(config: pytest.Config) -> None:
    """Raise pytest.UsageError where an option names what is not there, or would replace what must be kept."""
    data, dask = config.getoption("--data"), config.getoption("--dask")
    if data is not None and not Path(data).is_dir():
        raise pytest.UsageError(f"--data must be a directory that exists, got {data!r}")
    try:
        check_report(Path(config.getoption("--report")))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error
    if config.getoption("--implementation") is None:
        for option in ("--epsilon", "--delta"):
            if (value := config.getoption(option)) is not None:
                raise pytest.UsageError(f"{option} is the target of --implementation, which must be given too, got {value!r}")
    if dask is not None and importlib.util.find_spec("distributed") is None:
        raise pytest.UsageError(str(needs("distributed", "--dask")))
