"""`make notebooks`: execute the notebooks of the guides, and keep in each file what its cells show."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "guides" / "notebooks"
SECONDS = 300


def notebooks() -> list[Path]:
    """Return the notebooks, in the order of their names."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(path: Path) -> nbformat.NotebookNode:
    """Return a notebook whose cells were run in a new process from its first to its last; nothing of it names this machine.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell raised.
    """
    notebook = nbformat.read(path, as_version=4)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = {}, f"cell-{number}"
    return notebook


def shown(notebook: nbformat.NotebookNode) -> list[str]:
    """Return what the cells print and show, as plain text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output["text"] if output.output_type == "stream" else output["data"]["text/plain"] for output in outputs]


def main() -> int:
    """Execute all notebooks, each into its own file; return 0."""
    for path in notebooks():
        nbformat.write(executed(path), path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
