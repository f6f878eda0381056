"""The report of a campaign: that of a study, left alone where it would be the same again."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.campaign.conduct import Swept
from airtcp.campaign.dependence import REPORT_SOURCES, digest, sources_digest
from airtcp.execution.cores import cores
from airtcp.report.folder import MARK, output_folder
from airtcp.studies.report import FAILED_FILE, ReportRequest, StudyReport, failed_json
from airtcp.studies.results import Results

# Charts of each run take 40 ms and 20 kB; a page of more runs than this is slow to make and to open.
PAGE_RUNS_MOST = 300


@dataclass(frozen=True)
class CampaignReport:
    """What is told of a campaign; `folder` holds it all, `report` makes its tables."""

    swept: Swept
    folder: Path
    command: str

    def results(self) -> Results:
        """The results as a study's."""
        return Results(self.swept.schedule.study, self.swept.cases(), self.swept.measured)

    def write(self, shown: bool) -> StudyReport | None:
        """Writes the folder, unless it tells the same already.

        Returns what can be `shown` to a person; `None` if nobody asks, or there is nothing to tell of.
        """
        about = {"digest": self._digest()}
        failed = [one.facts() for one in self.swept.failed]
        if not self.swept.ends:
            with output_folder(self.folder, {"campaign": self.swept.schedule.study.name, **about}) as out:
                (out / FAILED_FILE).write_text(failed_json(failed), "utf-8")
            return None
        told_already = self._told_already(about["digest"])
        if told_already and not shown:
            return None
        seeds = self.swept.schedule.seeds
        request = ReportRequest(self.command, seeds, False, failed, PAGE_RUNS_MOST, about)
        report = StudyReport(self.results(), request)
        if not told_already:
            report.write(self.folder, cores())
        return report

    def _digest(self) -> str:
        """A hash of all that the report holds but the command."""
        schedule = self.swept.schedule
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
        runs = [(number, str(folder)) for number, folder in sorted(self.swept.ends.items())]
        failed = [one.facts() for one in self.swept.failed]
        return digest(sources_digest(REPORT_SOURCES), study, schedule.seeds, runs, failed)

    def _told_already(self, wanted: str) -> bool:
        try:
            told = json.loads((self.folder / MARK).read_text(encoding="utf-8"))
            return bool(told["digest"] == wanted)
        except (OSError, ValueError, KeyError, TypeError):
            return False


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value.model_dump() if hasattr(value, "model_dump") else value
