"""A network to work with in a notebook: its cells run beside the notebook's own event loop, and show what they are."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from support.command import environment

pytestmark = pytest.mark.guest

NETWORK = """
name = "notebook"
duration = "10 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
"""
CELLS = (
    "import airtcp\nlab = airtcp.lab('notebook.toml')\nlab",
    "lab['sta1'].run('ping -c 1 h1; echo \"<b>\"').check()",
    "flow = lab.flow('sta1', 'h1', 'bbr')\nlab.run_for('1 s')\nflow",
    "lab.series('flows').select('flow_name', 'cwnd').tail(2)",
    "import asyncio\nawait asyncio.sleep(0)\nlab.step()",
    "lab.goto('0.5 s')\nrun = lab.measured()\nrun",
    "run.flows.height, run.end_ns",
    "lab.close()",
)


def test_cells_of_a_notebook_work_in_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notebook.toml").write_text(NETWORK)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute(cwd=str(tmp_path))
    shown = [
        "".join(
            output.get("text") or output["data"].get("text/html", output["data"]["text/plain"])
            for output in cell.outputs
        )
        for cell in notebook.cells
    ]
    assert "Network notebook, seed 1" in shown[0]
    assert "ap1, sta1, h1" in shown[0]
    assert "1 received" in shown[1]
    assert "&lt;b&gt;" in shown[1]
    assert "<Job 2, flow sta1 h1 bbr: runs>" in shown[2]
    assert "sta1-h1" in shown[3]
    assert "outcome=" in shown[4]
    assert "Run notebook, seed 1" in shown[5]
    assert ", 500000" in shown[6]
    assert notebook.cells[-1].outputs == []
