"""The example notebook runs to its end on a store that was just made, and is kept without outputs."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient
from test_result_set import plan, write_run_folder

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "first-look.ipynb"


def text_of(cell):
    outputs = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return "".join(outputs)


def test_the_notebook_runs(tmp_path, monkeypatch):
    ping = [{"from": "sta1", "to": "h1"}]
    for cca in ("bbr", "cubic"):
        for queue in (20, 100):
            write_run_folder(tmp_path / "runs", plan(cca, queue=queue, ping=ping))
    monkeypatch.setenv("AIRTCP_STORE", str(tmp_path / "runs"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute(cwd=str(tmp_path))
    said = "\n".join(text_of(cell) for cell in notebook.cells if cell.cell_type == "code")
    assert "cca: ('bbr', 'cubic')" in said
    assert "queue_packets: (20, 100)" in said
    assert "goodput 8.00 Mbit/s, in bins of 1 s 8.00 to 8.00" in said
    assert "median_rtt_ms" in said
    figures = [
        out
        for cell in notebook.cells
        for out in cell.get("outputs", [])
        if "image/png" in out.get("data", {})
    ]
    assert len(figures) >= 2


def test_the_notebook_is_kept_without_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(
        not cell.outputs and cell.execution_count is None
        for cell in notebook.cells
        if cell.cell_type == "code"
    )
