"""The report of a campaign: that of a study, rewritten only if something changed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.campaign.cache_keys import REPORT_SOURCES, digest, sources_digest
from airtcp.execution.cores import cores
from airtcp.report.folder import MARK, output_folder
from airtcp.report.table import Table

if TYPE_CHECKING:
    from airtcp.campaign.campaign_runner import CampaignResult
    from airtcp.studies.results import Results

# Charts of each run take 40 ms and 20 kB; a page with more runs is slow to write and to open.
PAGE_RUNS_MOST = 300


@dataclass(frozen=True)
class Shown:
    """What the terminal shows of a report."""

    tables: Sequence[Table]
    notes: Sequence[str]


@dataclass(frozen=True)
class CampaignReport:
    """Writes the report of a campaign into `folder`; `command` is the command line it names."""

    result: "CampaignResult"
    folder: Path
    command: str

    def results(self) -> "Results":
        """The results as a study's."""
        from airtcp.studies.results import Results

        cases = self.result.cases()
        # In the order of the campaign: that in which runs end differs from one time to the next.
        measured = {folder: self.result.measured[folder] for _, folder in cases}
        return Results(self.result.schedule.study, cases, measured)

    def write(self) -> Shown:
        """Writes the folder, unless it is up to date; what the terminal shows of it."""
        about = {"digest": self._digest()}
        failed = [one.facts() for one in self.result.failed]
        if not self.result.folders:
            from airtcp.studies.report import FAILED_FILE, failed_json

            with output_folder(self.folder, {"campaign": self.result.schedule.study.name, **about}) as out:
                (out / FAILED_FILE).write_text(failed_json(failed), "utf-8")
            return Shown([], [])
        written = self._up_to_date(about["digest"])
        if written is not None:
            return written
        from airtcp.studies.report import ReportRequest, StudyReport

        seeds = self.result.schedule.seeds
        request = ReportRequest(self.command, seeds, False, failed, PAGE_RUNS_MOST, about)
        report = StudyReport(self.results(), request)
        report.write(self.folder, cores())
        return Shown(report.tables, report.notes)

    def _digest(self) -> str:
        """A hash of everything in the report except the command."""
        schedule = self.result.schedule
        study = {
            name: _plain(getattr(schedule.study, name))
            for name in (
                "name",
                "title",
                "notes",
                "factors",
                "parts",
                "metrics",
                "figures",
                "tables",
                "paper_style",
            )
        }
        runs = [(number, str(folder)) for number, folder in sorted(self.result.folders.items())]
        failed = [one.facts() for one in self.result.failed]
        return digest(sources_digest(REPORT_SOURCES), study, schedule.seeds, runs, failed)

    def _up_to_date(self, digest: str) -> Shown | None:
        """What the folder's report shows, if it is of these runs."""
        try:
            written = json.loads((self.folder / MARK).read_text(encoding="utf-8"))
            if written["digest"] != digest:
                return None
            shown = written["shown"]
            return Shown([Table(**table) for table in shown["tables"]], list(shown["notes"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value.model_dump() if hasattr(value, "model_dump") else value
