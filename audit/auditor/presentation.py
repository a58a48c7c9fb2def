"""How results show themselves: as JSON, as a plot, in a notebook.

What draws and writes lies in `dppca.audit.report`, which is imported when a result is asked to show itself, so that deciding
needs none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Presented:
    """Base of results that have a headline, a JSON document, a plot and a card."""

    def headline(self) -> str:
        """Return what was found, in one sentence."""
        return str(self.to_dict()["headline"])

    def to_dict(self) -> dict[str, Any]:
        """Return all that is known of the result as plain data; `dppca.audit/report/result.schema.json` describes it."""
        found: dict[str, Any] = _report("card").document(self)
        return found

    def to_json(self) -> str:
        """Return `to_dict()` as a JSON text, with the version of its format."""
        return str(_report("card").as_json(self.to_dict()))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw delta against epsilon: the claim, the lower bound, and the profile that the trials show; return the axes.

        Raises:
            ModuleNotFoundError: matplotlib is missing; the message names the command that installs it.
        """
        axes: Axes = _report("plots").profile(self.to_dict(), ax)
        return axes

    def _repr_html_(self) -> str:
        return str(_report("card").render(self.to_dict()))


def _report(name: str) -> Any:
    return import_module(f"dppca.audit.report.{name}")
