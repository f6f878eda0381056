"""The report of a study of recordings: as Markdown, JSON, one page, and its figures."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from airtcp.plots.style import FORMATS, save_figure
from airtcp.recorded.recorded_study import Found, RecordedFile
from airtcp.report.claims import Claim, Finding, claims_table, verdicts_markdown
from airtcp.report.folder import output_folder
from airtcp.report.html.figure import page_figure
from airtcp.report.html.page import Page, write_page
from airtcp.report.html.runs import Runs

Judged = Sequence[tuple[Claim, Finding]]


def write_recorded(study: RecordedFile, found: Found, judged: Judged, out: Path, command: str) -> None:
    """Writes everything into `out`, which appears only when complete."""
    with output_folder(out, {"study": study.name, "command": command}) as folder:
        for chart in found.charts:
            save_figure(chart.figure, folder / chart.name, FORMATS)
        (folder / "report.md").write_text(_markdown(study, found, judged), encoding="utf-8")
        claims = [{**asdict(claim), "finding": asdict(finding)} for claim, finding in judged]
        content = {"values": found.values, "claims": claims, **found.everything}
        (folder / "results.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        page = Page(
            title=f"{study.name}: {study.title}",
            lead=[study.recordings],
            commands=[command],
            notes=[*study.notes, *found.notes],
            claims=judged,
            tables=found.tables,
            figures=[page_figure(chart.title, chart.figure) for chart in found.charts],
        )
        with Runs.of([]) as none:
            write_page(page, none, folder / "report.html")


def _markdown(study: RecordedFile, found: Found, judged: Judged) -> str:
    notes = "\n".join(f"* {line}" for line in [*study.notes, *found.notes])
    tables = "\n".join(table.markdown() for table in [*found.tables, claims_table(judged)])
    pictures = "\n\n".join(f"![{one.title}]({one.name}.png)\n\n{one.caption}" for one in found.charts)
    return (
        f"# {study.name}\n\n{study.title}\n\n{study.recordings}\n\n{notes}\n\n{tables}\n"
        f"{verdicts_markdown(judged)}\n{pictures}\n"
    )
