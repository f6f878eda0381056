"""What a report needs and what does not depend on all runs: made as runs end, while further runs go on."""

import contextlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from airtcp.campaign.campaign_report import PAGE_RUNS_MOST
from airtcp.campaign.schedule import Schedule
from airtcp.campaign.shared_file import FOLDER
from airtcp.report.html.kept_runs import read_or_kept
from airtcp.report.html.runs import points_of


def page_parts(schedule: Schedule) -> Callable[[Path], None]:
    """What to call with the folder of each run that ends; it keeps the run's part of the page in the store.

    It decides nothing: the report is the same without it. A page that has no charts of runs needs none.
    """
    points_most = points_of(schedule.runs)

    def prepare(folder: Path) -> None:
        _load_libraries()
        if schedule.runs > PAGE_RUNS_MOST:
            return
        # An error here is one of the report, which reads the run again and tells it.
        with contextlib.suppress(Exception):
            (folder.parent / FOLDER).mkdir(exist_ok=True)
            read_or_kept(folder, points_most)

    return prepare


@cache
def _load_libraries() -> None:
    """Those that are loaded when they are first needed, which is at the end; together they take a second."""
    import jinja2  # noqa: F401
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_pdf
    import matplotlib.backends.backend_svg  # noqa: F401
    import scipy.stats  # noqa: F401
