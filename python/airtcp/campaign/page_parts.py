"""What a report needs and what does not depend on all runs: made as runs end, while further runs go on."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from airtcp.campaign.campaign_report import PAGE_RUNS_MOST
from airtcp.campaign.schedule import Schedule
from airtcp.campaign.shared_file import FOLDER


def page_parts(schedule: Schedule) -> Callable[[Path], None]:
    """What to call with the folder of each run that ends; it keeps the run's part of the page in the store.

    It decides nothing: the report is the same without it. A page that has no charts of runs needs none.
    """

    def prepare(folder: Path) -> None:
        # A campaign whose runs are all in the store needs none of these.
        from airtcp.report.html.kept_runs import read_or_kept
        from airtcp.report.html.libraries import load_libraries, load_statistics
        from airtcp.report.html.read_run import PageAsked
        from airtcp.report.html.runs import points_of

        load_libraries()
        load_statistics()
        if schedule.runs > PAGE_RUNS_MOST:
            return
        # An error here is one of the report, which reads the run again and tells it.
        with contextlib.suppress(Exception):
            (folder.parent / FOLDER).mkdir(exist_ok=True)
            read_or_kept(folder, PageAsked(points_of(schedule.runs)))

    return prepare
