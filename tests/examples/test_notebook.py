"""The example notebook runs from its first cell to its last."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "tour.ipynb"

pytestmark = pytest.mark.services


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning", "ignore::ResourceWarning")
async def test_every_cell_runs_and_shows_what_it_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    kernel = tmp_path / "kernels" / "noughts"
    kernel.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "Noughts", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=200, kernel_name="noughts", allow_errors=False)
    await client.async_execute(cwd=str(tmp_path))
    shown: list[dict[str, Any]] = [
        output["data"] for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output
    ]
    assert any("image/svg+xml" in data for data in shown), "a position, or a tree"
    assert sum("application/vnd.jupyter.widget-view+json" in data for data in shown) == 2
    assert any("checkmate" in data.get("text/plain", "") for data in shown)
