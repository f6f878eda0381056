"""One run of a page: its folder opened once, and all made of it that the page needs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.data.read_once import open_once
from airtcp.data.scene_folder import is_scene_folder
from airtcp.errors import AirtcpError
from airtcp.plans.flat import Value, flatten
from airtcp.plans.groups import Groups, those_of
from airtcp.quantities.registry import COMPARED
from airtcp.report.html.packing import packed
from airtcp.report.html.record import Record, details_of, record_of
from airtcp.report.html.timeline_columns import packed_timeline
from airtcp.timeline.timeline import timeline_of


@dataclass(frozen=True)
class PageAsked:
    """What a page asks of each run: points of a line at most, the values by which runs are compared, groups
    beside its own, and whether it shows the timeline.
    """

    points_most: int
    values: Sequence[str] = COMPARED
    groups: Groups = field(default_factory=dict)
    timeline: bool = False


@dataclass(frozen=True)
class Broken:
    """A folder that is not shown as a run, and why."""

    text: str


@dataclass(frozen=True)
class Read:
    """A run: its row, its flattened plan, its details as `DecompressionStream` of a browser opens them."""

    record: Record
    plan: dict[str, Value]
    details: str


def read_run(folder: Path, asked: PageAsked) -> Read | Broken:
    """Opens a run folder once and makes of it all that a page needs for which this is asked."""
    if is_scene_folder(folder):
        return Broken(f"{folder}: is of a run without a guest (airtcp air), which has no flows to compare")
    try:
        run = open_once(folder)
        run = run.with_groups(those_of(asked.groups, run.traffic))
        record = record_of(run, asked.values)
        details = details_of(run, record, asked.points_most)
        if asked.timeline:
            details["timeline"] = packed_timeline(timeline_of(run))
        return Read(record, flatten(run.plan, run.measured), packed(details))
    except AirtcpError as error:
        return Broken(str(error))
