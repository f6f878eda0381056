"""Tables on terminals of any width: every number can be read back."""

import io
import re

import pytest
from airtcp.report.table import Table
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

WIDTHS = (60, 80, 130, 200)


def shown(table: Table, width: int | None) -> list[str]:
    """The lines that a terminal of this width gets; `None`: a file."""
    out = io.StringIO()
    table.show(Console(file=out, width=width or 130, highlight=False), width)
    return out.getvalue().splitlines()


def read_back(lines: list[str]) -> dict[tuple[str, str], str]:
    """The cells of a table of rows that each stand on one line, by row and heading, from what a terminal shows."""
    found: dict[tuple[str, str], str] = {}
    rules = [number for number, line in enumerate(lines) if line.strip(" ─") == "" and "─" in line]
    for rule in rules:
        above = [line for line in lines[:rule] if line.strip()]
        below = lines[rule + 1 :]
        rows = []
        for line in below:
            if not line.strip():
                break
            rows.append(re.split(r"\s{2,}", line.strip()))
        heading = re.split(r"\s{2,}", above[-1].strip())
        assert all(len(row) == len(heading) for row in rows)
        for row in rows:
            found |= {(row[0], name): cell for name, cell in zip(heading, row, strict=True)}
    return found


def flows(ends: str) -> Table:
    columns = ("flow", "CCA", "Mbit/s", "mean", "min", "max", "MB", "lost", "resent", "peak", "late")
    table = Table("Flows", columns, left=("CCA",))
    for number in range(3):
        values = (
            f"{72.4 + number * 1000:.2f}",
            "18.1",
            "0.02",
            "1234567.89",
            "-",
            "7",
            "100%",
            "0.0004",
            "12",
        )
        table.add(f"sta{number}{ends}", "cubic", *values)
    return table


@pytest.mark.parametrize("width", [30, *WIDTHS, None])
@pytest.mark.parametrize("ends", ["-h1", "-a-server-with-a-rather-long-name"])
def test_every_cell_can_be_read_back(width: int | None, ends: str) -> None:
    table = flows(ends)
    lines = shown(table, width)
    wanted = {
        (row[0], name): cell for row in table.rows for name, cell in zip(table.columns, row, strict=True)
    }
    assert read_back(lines) == wanted
    if width is None:
        assert sum("─" in line for line in lines) == 1
    elif width >= 60:
        assert max(map(len, lines)) <= width


CELL = st.one_of(
    st.floats(-1e9, 1e9).map(lambda value: f"{value:.2f}"),
    st.integers(0, 10**12).map(str),
    st.just("-"),
    st.just("0.610 ± 0.013"),
)
NAME = st.text(st.sampled_from("abcdefgh= ,"), min_size=1, max_size=60).filter(str.strip)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from([*WIDTHS, None]))
def test_no_number_of_any_table_is_cut(data: st.DataObject, width: int | None) -> None:
    headings = data.draw(st.lists(NAME, min_size=1, max_size=12))
    table = Table("T", ("what", *(f"{number} {name}" for number, name in enumerate(headings))))
    for _ in range(data.draw(st.integers(1, 4))):
        table.add(data.draw(NAME), *(data.draw(CELL) for _ in headings))
    text = "\n".join(shown(table, width))
    for row in table.rows:
        for cell in row[1:]:
            assert re.search(rf"(?<!\S){re.escape(cell)}(?!\S)", text), cell


def test_sentences_fold_at_words() -> None:
    table = Table("T", ("flow", "Mbit/s", "in control"), left=("in control",))
    table.add("sta1-h1", "12.34", "no: TCP small queues 100% of the time, the receiver's window 3%")
    lines = shown(table, 60)
    assert max(map(len, lines)) <= 60
    assert "TCP small queues 100%" in " ".join(" ".join(lines).split())


def test_a_path_is_never_broken() -> None:
    table = Table("Programs", ("program", "status", "output"), left=("status", "output"))
    path = "/home/somebody/measurements/of/wifi/runs/0123456789abcdef/programs/iperf3-server.out"
    table.add("iperf3-server", "exit 0", path)
    assert any(path in line for line in shown(table, 60))
