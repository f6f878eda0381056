"""The page: claims, tables, figures and runs as one HTML file that needs no network."""

import base64
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.errors import AirtcpError
from airtcp.output_file import whole_file
from airtcp.plots.style import AREA_COLOURS, COLOURS
from airtcp.report.claims import VERDICTS, Claim, Finding, likely_reason
from airtcp.report.html.figure import PageFigure, inline_svg
from airtcp.report.html.run_factors import RunFactors
from airtcp.report.html.run_list import run_list
from airtcp.report.html.runs import Runs
from airtcp.report.html.timeline_script import timeline_script
from airtcp.report.html.warnings import warnings_of
from airtcp.report.table import Table
from airtcp.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
# Says that a file is a page of ours and may be replaced by a newer one.
MARK = "airtcp report"
SCRIPTS = ("sort", "filter", "figures", "series", "charts", "run")
# Text of a cell that is longer than this may stand on several lines.
WRAP_FROM = 28
_DETAILS_HERE = "<!-- details of runs -->"


@dataclass
class Page:
    """What a page holds beside its runs; all text is escaped.

    `lead` says what was run, `commands` make it again, `notes` are what a reader must know.
    """

    title: str
    lead: Sequence[str] = ()
    commands: Sequence[str] = ()
    notes: Sequence[str] = ()
    claims: Sequence[tuple[Claim, Finding]] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[PageFigure] = ()
    factors: RunFactors = field(default_factory=RunFactors)


def write_page(page: Page, runs: Runs, out: Path) -> None:
    """Writes the file, which appears only when complete; a file that is not such a page is not replaced."""
    check_page(out)
    top, bottom = _frame(page, runs).split(_DETAILS_HERE)
    with whole_file(out) as aside, aside.open("w", encoding="utf-8") as file:
        file.write(top)
        for number, packed in enumerate(runs.details()):
            file.write(f'<script type="text/plain" id="details-{number}">{packed}</script>\n')
        file.write(bottom)


def check_page(out: Path) -> None:
    """An existing file that is not such a page, or a place that cannot be written, is an error."""
    try:
        if out.exists():
            with out.open(encoding="utf-8", errors="replace") as file:
                if f'content="{MARK}"' not in file.read(1000):
                    raise AirtcpError(
                        "exists and is not a report", str(out), "Choose another file with --out"
                    )
        out.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(out.parent, os.W_OK):
            raise AirtcpError("can't be written", str(out.parent), "Choose another file with --out")
    except OSError as error:
        raise AirtcpError(f"can't be written: {error.strerror}", str(out), "Choose another file") from None


def _frame(page: Page, runs: Runs) -> str:
    """Everything but the runs' details."""
    from markupsafe import Markup

    charts, script = asset("uplot/uPlot.iife.min.js"), "\n".join(asset(f"{name}.js") for name in SCRIPTS)
    timeline = timeline_script() if runs.timelines else ""
    warned = warnings_of(runs)
    shown = [
        PageFigure(figure.title, Markup(inline_svg(figure.svg, number)))
        for number, figure in enumerate(page.figures)
    ]
    return (
        environment()
        .get_template("page.html.jinja")
        .render(
            page=Page(**{**vars(page), "figures": shown}),
            mark=MARK,
            policy=policy(charts, *([timeline] if timeline else []), script),
            style=Markup(asset("uplot/uPlot.min.css") + asset("report.css") + asset("timeline.css")),
            charts=Markup(charts),
            timeline=Markup(timeline),
            script=Markup(script),
            settings=Markup(_settings()),
            licence=asset("uplot/LICENSE"),
            version=__version__,
            made_of=_made_of(runs),
            parts=_parts(page, runs),
            verdicts=_verdicts(page),
            claims=_claims(page, runs),
            warnings=warned,
            fine=_fine(runs),
            any_doubt=any(warning.runs for warning in warned),
            run_list=run_list(runs, page.factors),
            details_here=Markup(_DETAILS_HERE),
        )
    )


@cache
def asset(name: str) -> str:
    """The text of a file of `assets`."""
    return (HERE / "assets" / name).read_text(encoding="utf-8")


def environment(templates: Path = HERE / "templates") -> "Environment":
    """What reads the templates of a folder: all text is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(loader=FileSystemLoader(templates), autoescape=True, undefined=StrictUndefined)
    made.tests["long"] = lambda cell: len(cell) > WRAP_FROM
    made.tests["doubtful"] = lambda cell: cell.lower().startswith("no:")
    return made


def policy(*scripts: str) -> str:
    """Nothing from outside, and no script but ours, whatever a name in a scenario holds."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
    )


def _settings() -> str:
    return json.dumps({"colours": COLOURS, "areas": AREA_COLOURS, "wrapFrom": WRAP_FROM})


def _made_of(runs: Runs) -> str:
    """How many runs, of which versions, at which cost."""
    records = runs.records
    if not records:
        return ""
    count = len(records)
    made = [
        f"{count} run{'' if count == 1 else 's'} of {sum(r.virtual_s for r in records):.0f} virtual seconds"
    ]
    made += sorted({record.made_by for record in records if record.made_by})
    return " \N{MIDDLE DOT} ".join(made)


def _fine(runs: Runs) -> str:
    """What may be said where there are no warnings."""
    if not runs.records:
        return ""
    unknown = sum(1 for record in runs.records if not record.control_known)
    control = "in every run the congestion control was what limited it"
    if unknown:
        control = f"in {unknown} runs it is not known whether the congestion control was what limited them"
    return f"No warnings: every folder was read, every flow ran, and {control}."


def _parts(page: Page, runs: Runs) -> Iterator[tuple[str, str]]:
    yield "summary", "Summary"
    for name in ("claims", "tables", "figures"):
        if getattr(page, name):
            yield name, name.capitalize()
    if runs.records:
        yield "runs", "Runs"


def _verdicts(page: Page) -> list[tuple[str, int, str]]:
    given = [finding.verdict for _, finding in page.claims]
    return [(verdict, given.count(verdict), words) for verdict, words in VERDICTS.items() if verdict in given]


def _claims(page: Page, runs: Runs) -> list[dict[str, Any]]:
    places: dict[str, int] = {Path(record.folder).name: n for n, record in enumerate(runs.records)}
    return [
        {
            **asdict(claim),
            "verdict": finding.verdict,
            "ours": f"{finding.ours} ({finding.detail})" if finding.detail else finding.ours,
            "why": likely_reason(claim, finding),
            "runs": [places[name] for name in finding.runs if name in places],
        }
        for claim, finding in page.claims
    ]
