"""The report of a study: tables, claims, figures; for the terminal, as Markdown, CSV, JSON and one page."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from airtcp.plots.paper import on_paper
from airtcp.plots.style import FORMATS, save_figure
from airtcp.report import latex
from airtcp.report.claims import Claim, Finding, claims_table, verdicts_markdown
from airtcp.report.folder import output_folder
from airtcp.report.html.figure import page_figure
from airtcp.report.html.page import Page, write_page
from airtcp.report.html.run_factors import RunFactors
from airtcp.report.html.runs import Runs
from airtcp.report.table import Table, number
from airtcp.studies.claims import judge_claims
from airtcp.studies.figures.charts import DrawnFigure, caption, draw_figures
from airtcp.studies.measuring import AT_LEAST, Measured
from airtcp.studies.results import Results
from airtcp.studies.study_file import FigureFile
from airtcp.studies.tables.kinds import make_tables, table_notes

FAILED_FILE = "failed.json"

Judged = Sequence[tuple[Claim, Finding]]


@dataclass(frozen=True)
class ReportRequest:
    """How a report was requested, and what to say of it beside the results of the study."""

    command: str
    seeds: tuple[int, ...]
    quick: bool
    # Of a campaign, which goes on after failures: each with its case, kind, what, place, remedy and console.
    failed: Sequence[Mapping[str, object]] = ()
    # A page with the charts of more runs than this would be too large; it then has none.
    page_runs_most: int | None = None
    # Further facts for `report.json`.
    about: Mapping[str, object] = field(default_factory=dict)


class StudyReport:
    """Everything that is shown of a study's results; made once, written in each form."""

    def __init__(self, results: Results, request: ReportRequest) -> None:
        self.results = results
        self.request = request
        self.judged: Judged = judge_claims(results)
        self.tables = make_tables(results)
        self._own_notes = _notes(results, request)
        self.notes = [*self._own_notes, *_doubts(results)]

    def write(self, out: Path, processes: int) -> None:
        """Writes everything into `out`, which appears only when complete."""
        study = self.results.study
        with on_paper(study.paper_style):
            figures = draw_figures(self.results, self.request.quick)
        empty = self._without_values(figures)
        self._own_notes, self.notes = [*self._own_notes, *empty], [*self.notes, *empty]
        about: dict[str, object] = {
            "study": study.name,
            "parts": list(study.parts),
            "seeds": list(self.request.seeds),
            "quick": self.request.quick,
            "command": self.request.command,
            "failed": len(self.request.failed),
            "shown": {"tables": [table.facts() for table in self.tables], "notes": self.notes},
            **self.request.about,
        }
        with output_folder(out, about) as folder:
            with on_paper(study.paper_style):
                for name, drawn in figures.items():
                    save_figure(drawn.figure, folder / name, FORMATS, drawn.data)
            (folder / "report.md").write_text(
                self.markdown([drawn.request for drawn in figures.values()]), "utf-8"
            )
            (folder / "results.csv").write_text(runs_table(self.results).csv(), "utf-8")
            (folder / latex.FILE).write_text(
                latex.latex_tables(self.tables, self.results.study.name), "utf-8"
            )
            (folder / "results.json").write_text(self.json(), "utf-8")
            (folder / "index.txt").write_text(self.index(), "utf-8")
            if self.request.failed:
                (folder / FAILED_FILE).write_text(failed_json(self.request.failed), "utf-8")
            self._page(folder / "report.html", figures, processes)

    def _without_values(self, drawn: Mapping[str, DrawnFigure]) -> list[str]:
        """Figures that were asked for and have nothing to draw."""
        asked = [one for one in self.results.study.figures if self.results.chosen(one.part, one.where)]
        return [
            f"Figure {one.id} has nothing to draw: no run has a value of {', '.join(one.metrics)}."
            for one in asked
            if one.id not in drawn
        ]

    def markdown(self, figures: Sequence[FigureFile]) -> str:
        """The report as text."""
        study = self.results.study
        parts = "".join(f"* {name}: {part.title}\n" for name, part in study.parts.items())
        shown = [*self.tables, *([claims_table(self.judged)] if self.judged else [])]
        tables = "\n".join(table.markdown() for table in shown)
        pictures = "\n\n".join(
            f"![{one.title}]({one.id}.png)\n\n{caption(self.results, one, self.request.quick)}"
            for one in figures
        )
        text = "\n".join(f"* {line}" for line in self.notes)
        judged = f"\n{verdicts_markdown(self.judged)}" if self.judged else ""
        return (
            f"# {study.name}\n\n{study.title}\n\n{study.paper}\n\n{parts}\n{text}\n\n{tables}{judged}\n"
            f"{pictures}\n\nEvery number with its run folder: `index.txt` and `results.csv`.\n"
        )

    def json(self) -> str:
        """Every run's numbers, and the claims."""
        runs = [
            {
                "part": case.part,
                **case.levels,
                "seed": case.seed,
                "folder": str(folder),
                **numbers(self.results, folder),
            }
            for case, folder in self.results.ends
        ]
        claims = [{**asdict(claim), "finding": asdict(finding)} for claim, finding in self.judged]
        return json.dumps({"runs": runs, "claims": claims}, indent=2, default=str) + "\n"

    def index(self) -> str:
        """The text that says where every number comes from."""
        lines = ["Where every number comes from: a line per number, then its run folders.", ""]
        groups: dict[str, list[str]] = {}
        for case, folder in self.results.ends:
            levels = ", ".join(f"{name} {level}" for name, level in case.levels.items())
            groups.setdefault(f"{case.part}: {levels}", []).append(str(folder))
        lines += [f"{name}: {' '.join(folders)}" for name, folders in groups.items()]
        lines.append("")
        lines += [f"claim {claim.id}: runs {' '.join(one.runs) or 'none'}" for claim, one in self.judged]
        return "\n".join(lines) + "\n"

    def _page_runs(self) -> list[Path]:
        """The runs that the page has charts of."""
        every, most = list(self.results.measured), self.request.page_runs_most
        return every if most is None or len(every) <= most else []

    def _page(self, out: Path, figures: dict[str, DrawnFigure], processes: int) -> None:
        study = self.results.study
        names = self.results.factors
        values = {}
        for case, folder in self.results.ends:
            own = [study.label(name, case.levels[name]) if name in case.levels else "-" for name in names]
            values[str(folder)] = (case.part, *own, str(case.seed))
        heads = ("part", *(study.factors[name].name for name in names), "seed")
        page = Page(
            title=f"{study.name}: {study.title}",
            lead=[
                *([study.paper] if study.paper else []),
                *(f"{name}: {part.title}" for name, part in study.parts.items()),
            ],
            commands=[self.request.command],
            # The page itself puts together what the runs that it holds were warned of.
            notes=self._own_notes if self._page_runs() else self.notes,
            claims=self.judged,
            tables=self.tables,
            figures=[page_figure(drawn.request.title, drawn.figure) for drawn in figures.values()],
            factors=RunFactors(heads, values),
        )
        with Runs.of(self._page_runs(), processes) as runs:
            write_page(page, runs, out)


def failed_json(failed: Sequence[Mapping[str, object]]) -> str:
    """Every failed run with its reason."""
    return json.dumps({"failed": [dict(one) for one in failed]}, indent=2, default=str) + "\n"


def numbers(results: Results, folder: Path) -> dict[str, float | bool | None]:
    """What was read off a run; `None` where there is no number."""
    found = results.measured[folder].numbers
    values: dict[str, float | bool | None] = {
        name: None if math.isnan(value) else value for name, value in found.items()
    }
    # Only where a lower bound is all that is known.
    return values | {f"{name}{AT_LEAST}": True for name in sorted(results.measured[folder].at_least)}


def _notes(results: Results, request: ReportRequest) -> list[str]:
    lines = [*results.study.notes]
    if len(request.seeds) > 1:
        lines.append("±: half the 95 % confidence interval of the mean over seeds (the wider half).")
    if request.quick:
        lines.append("QUICK: shortened runs, not the paper's length; findings are a first look only.")
    lines += table_notes(results)
    runs = results.measured.values()
    if request.failed:
        lines.append(f"FAILED: {len(request.failed)} runs, which are missing here; reasons: {FAILED_FILE}.")
    if request.page_runs_most is not None and len(runs) > request.page_runs_most:
        lines.append(
            f"The page has no charts of single runs, for there are {len(runs)}: airtcp report RUN_FOLDER."
        )
    return lines


def _doubts(results: Results) -> list[str]:
    """What to know of the runs before trusting them."""
    runs = results.measured.values()
    doubtful = sum(1 for one in runs if one.out_of_control)
    what = f"In {doubtful} of {len(runs)} runs a congestion control was not what limited its flow."
    return [*([what] if doubtful else []), *(f"Warning from a run: {text}" for text in results.warnings())]


def _number(one: Measured, name: str) -> str:
    return f"{'>' if name in one.at_least else ''}{number(one.numbers.get(name), 6)}"


def runs_table(results: Results) -> Table:
    """One row per run: its levels, every number, the folder it comes from."""
    names = results.factors
    metrics = list(dict.fromkeys(name for one in results.measured.values() for name in one.numbers))
    table = Table("Runs", ("part", *names, "seed", *metrics, "in_control", "run", "folder"))
    for case, folder in results.ends:
        one = results.measured[folder]
        table.add(
            case.part,
            *(str(case.levels.get(name, "")) for name in names),
            str(case.seed),
            *(_number(one, name) for name in metrics),
            "; ".join(f"{flow}: {why}" for flow, why in one.out_of_control.items()) or "yes",
            folder.name,
            str(folder),
        )
    return table
