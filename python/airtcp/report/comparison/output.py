"""A comparison as files: a folder with tables and figure, or one page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from airtcp.plots.cdf import draw_cdf
from airtcp.plots.chart_data import chart_csv
from airtcp.plots.style import FORMATS, save_figure
from airtcp.report import latex
from airtcp.report.comparison.comparison import Comparison
from airtcp.report.comparison.figure import ratio_chart
from airtcp.report.comparison.side import Side
from airtcp.report.comparison.tables import (
    comparison_tables,
    differences_table,
    lone_text,
    notes,
    sides_text,
)
from airtcp.report.folder import output_folder
from airtcp.report.html.figure import page_figure
from airtcp.report.html.page import Page, write_page
from airtcp.report.html.run_factors import RunFactors
from airtcp.report.html.runs import Runs
from airtcp.report.table import Table

TITLE = "Ours and theirs"


def write_comparison(
    found: Comparison,
    out: Path,
    command: str,
    first: Sequence[Table] = (),
    files: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """`ratios.csv` with all digits, `differences.csv`, `report.md`, and the figure, in a folder.

    `first` are tables before those of the comparison, `files` further files by name.
    """
    about: dict[str, object] = {"ours": found.ours.label, "theirs": found.theirs.label, "command": command}
    chart = ratio_chart(found)
    with output_folder(out, about) as folder:
        found.ratios.table.write_csv(folder / "ratios.csv")
        for value in found.names.values:
            table = differences_table(found, value)
            if table.rows:
                (folder / f"differences-{value}.csv").write_text(table.csv(), encoding="utf-8")
        if chart is not None:
            save_figure(draw_cdf(chart), folder / "ratio-cdf", FORMATS, chart_csv(chart))
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
        text = _markdown(found, command, chart is not None, first)
        (folder / "report.md").write_text(text, encoding="utf-8")
        tables = latex.latex_tables([*first, *comparison_tables(found)], out.name)
        (folder / latex.FILE).write_text(tables, encoding="utf-8")


def _markdown(found: Comparison, command: str, drawn: bool, first: Sequence[Table]) -> str:
    head = "\n".join(f"* {line}" for line in (*sides_text(found), *notes(found)))
    tables = "\n".join(table.markdown() for table in (*first, *comparison_tables(found)))
    figure = "\n![Distribution of the ratios](ratio-cdf.png)\n" if drawn else ""
    return f"# {TITLE}\n\n{head}\n\n    {command}\n\n{tables}{figure}"


def write_comparison_page(found: Comparison, runs: Runs, out: Path, command: str) -> None:
    """One page, with every run of both sides."""
    chart = ratio_chart(found)
    page = Page(
        title=f"{TITLE}: {_title(found)}",
        lead=[f"{line}." for line in sides_text(found)],
        commands=[command],
        notes=notes(found),
        tables=comparison_tables(found),
        figures=[page_figure("Distribution of the ratios", draw_cdf(chart))] if chart else [],
        factors=_factors(found),
    )
    write_page(page, runs, out)


def _title(found: Comparison) -> str:
    """The places of both sides; of one place what the sides differ in."""
    if found.ours.label != found.theirs.label or not found.names.ours:
        return f"{_name(found.ours)} and {_name(found.theirs)}"
    return f"{_name(found.ours)}, {lone_text(found.names.ours)} and {lone_text(found.names.theirs)}"


def _name(side: Side) -> str:
    """The last part of what the user called it."""
    return Path(side.label).resolve().name


def _factors(found: Comparison) -> RunFactors:
    """For the list of runs: the side, and the keys."""
    sides: dict[str, list[str]] = {}
    keys: dict[str, list[str]] = {}
    for name, side in (("ours", found.ours), ("theirs", found.theirs)):
        for row in side.rows:
            sides.setdefault(row.place, []).append(name)
            keys[row.place] = [row.keys[key] for key in found.names.keys]
    values = {place: (" and ".join(sides[place]), *keys[place]) for place in sides}
    return RunFactors(("side", *found.names.keys), values)
