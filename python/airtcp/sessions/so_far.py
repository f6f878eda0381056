"""What a session has recorded so far, read from the files of the run that goes on."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.plain_file import read_plain
from airtcp.data.program_flows import connections, planned_and_found
from airtcp.data.record_file import RecordFile, as_frame
from airtcp.data.series.catalogue import SERIES
from airtcp.errors import AirtcpError
from airtcp.plans.types.plan import Plan

if TYPE_CHECKING:
    import polars

# Files of the guest (crates/plan/src/report.rs), and more than any of their reports has.
RECORDS_FOLDER = "records"
SOCKETS_REPORT = "sockets.json"
_REPORT_BYTES_MOST = 64 << 20


class SoFar:
    """The records of a session, in the folder of its run; whoever asks has flushed them."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder = folder
        self.plan: dict[str, Any] = {**plan}

    @property
    def recorded(self) -> tuple[str, ...]:
        """The names of the series that can be read while time goes on."""
        return tuple(name for name in SERIES if _has_begun(self._file(name)))

    def series(self, name: str) -> "polars.DataFrame":
        """A series so far, with names beside numbers, as `Run.named` has it."""
        frame = self.rows(name)
        flows, _ = self.flows()
        # The agent reports at the end of a run; until then flows have what was planned.
        agent: dict[str, Any] = {
            "flows": flows,
            "mptcp": connections(self.plan, self.sockets(), {}),
            "qdiscs": [],
        }
        return SERIES[name].label(frame, {**self.plan, "flows": flows}, agent)

    def rows(self, name: str) -> "polars.DataFrame":
        """A series so far, without names; numbers of flows are their places in `flows`."""
        if name not in self.recorded:
            known = ", ".join(self.recorded) or "none"
            raise AirtcpError(f'there is no series "{name}" so far', "series", f"There are: {known}")
        file = RecordFile(self._file(name))
        try:
            frame = as_frame(file.rows())
        finally:
            file.close()
        if name == "flows":
            planned = {number: number for number in range(len(self.plan["flows"]))}
            frame = _renumbered(frame, "flow", planned | self.flows()[1])
        if name == "mptcp":
            places = {one["number"]: place for place, one in enumerate(self.sockets().get("mptcp", []))}
            frame = _renumbered(frame, "connection", places)
        return frame

    def flows(self) -> tuple[list[dict[str, Any]], dict[int, int]]:
        """All flows so far, and the place of each flow of programs in them by its number in the records."""
        sockets = self.sockets()
        planned = len(self.plan["flows"])
        flows = planned_and_found(self.plan, sockets, {})
        found = sockets.get("flows", [])
        return flows, {planned + flow["number"]: planned + place for place, flow in enumerate(found)}

    def sockets(self) -> dict[str, Any]:
        """The report on what programs send to each other, as it was last written."""
        try:
            content = read_plain(self.folder / SOCKETS_REPORT, self.folder, _REPORT_BYTES_MOST)
            sockets: dict[str, Any] = json.loads(content)
        except (FileNotFoundError, ValueError):
            return {}
        return sockets

    def _file(self, name: str) -> Path:
        return self.folder / RECORDS_FOLDER / f"{name}.rec"


def _has_begun(file: Path) -> bool:
    """Whether there is a file with a header; one that is written at the end is empty until then."""
    return file.is_file() and file.stat().st_size > 0


def _renumbered(frame: "polars.DataFrame", column: str, places: Mapping[int, int]) -> "polars.DataFrame":
    """What programs have with its places; connections that are no flows go."""
    import polars

    kept = frame.filter(polars.col(column).is_in(list(places)))
    return kept.with_columns(polars.col(column).replace_strict(places, return_dtype=polars.UInt32))
