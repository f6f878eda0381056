"""Tables, and the folder that a report appears in only when it is complete."""

from pathlib import Path

import pytest
from airtcp.errors import AirtcpError
from airtcp.report.folder import check_output, output_folder
from airtcp.report.table import Table


def write(out, text):
    with output_folder(out, {"study": "x"}) as folder:
        (folder / "report.md").write_text(text)


def test_a_report_replaces_a_report(tmp_path):
    out = tmp_path / "reports" / "x"
    write(out, "first")
    write(out, "second")
    assert (out / "report.md").read_text() == "second"
    assert {file.name for file in out.iterdir()} == {"report.md", "report.json"}
    assert list(out.parent.iterdir()) == [out]


def test_a_report_replaces_nothing_else(tmp_path):
    out = tmp_path / "x"
    out.mkdir()
    (out / "thesis.tex").write_text("")
    with pytest.raises(AirtcpError, match="exists and is not a report"):
        write(out, "text")
    assert [file.name for file in out.iterdir()] == ["thesis.tex"]


def interrupted(out):
    with output_folder(out, {}) as folder:
        (folder / "report.md").write_text("half")
        raise KeyboardInterrupt


def test_an_interrupted_report_leaves_the_old_one(tmp_path):
    out = tmp_path / "x"
    write(out, "old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(out)
    assert (out / "report.md").read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_full_device_is_told(tmp_path):
    with (
        pytest.raises(AirtcpError, match="can't be written: No space left"),
        output_folder(tmp_path / "x", {}),
    ):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written():
    with pytest.raises(AirtcpError, match="can't be written"):
        check_output(Path("/proc/reports/x"))


def test_tables():
    table = Table("T", ("a", "b"), left=("b",))
    table.add("1", "x|y")
    assert table.markdown() == "### T\n\n| a | b |\n| --- | --- |\n| 1 | x/y |\n"
    assert table.csv() == "a,b\n1,x|y\n"
    with pytest.raises(ValueError, match="1 cells in a table of 2"):
        table.add("1")
