"""The qlogs that programs of a run wrote: the ends of QUIC connections, by the run's virtual time."""

import fnmatch
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.program_flows import is_udp
from airtcp.data.series.quic import QUIC
from airtcp.errors import AirtcpError
from airtcp.formats.gzip_file import unpacked
from airtcp.formats.measurement import frame_of
from airtcp.formats.qlog import read_qlog
from airtcp.formats.recognition import content_of

if TYPE_CHECKING:
    import polars

JsonObject = dict[str, Any]

PROGRAMS = "programs"
FOLDER = "qlog"
"""Folder of `$RUN_DIR` in which each program with `qlog = true` has one of its name."""
PATTERNS = ("*.qlog", "*.sqlog", "*.qlog.gz", "*.sqlog.gz")
# Of a run with some thousand connections; programs may write anything below their folder.
_FILES_MOST = 10_000
_DEPTH_MOST = 8


@dataclass(frozen=True)
class QuicLogs:
    """What the logs of a run hold.

    `connections` has for each end of a connection `name`, `program`, `node`, `file`, `vantage_point`,
    `implementation`, `id`, `first_ns`, `last_ns` and what it counted, by its number in `frame`. `left_out`
    says of each log without a place in it why.
    """

    connections: list[JsonObject]
    frame: "polars.DataFrame"
    left_out: tuple[str, ...]


def log_files(folder: Path) -> list[Path]:
    """The files of a run folder that are qlogs by their names, in the order of their paths."""
    found = []
    for file in _below(str(folder / PROGRAMS), _DEPTH_MOST):
        if any(fnmatch.fnmatchcase(file.name, pattern) for pattern in PATTERNS):
            found.append(Path(file.path))
            if len(found) == _FILES_MOST:
                break
    return sorted(found)


def _below(folder: str, depth: int) -> Iterator["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                # A link could lead anywhere.
                if entry.is_dir(follow_symlinks=False):
                    yield from _below(entry.path, depth - 1) if depth else ()
                elif stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                    yield entry
    except OSError:
        return


@dataclass(frozen=True)
class _End:
    """An end of a connection, with its rows by the clock of its log."""

    file: str
    program: JsonObject | None
    trace: JsonObject
    rows: "polars.DataFrame"

    @property
    def node(self) -> str:
        return str(self.program["node"]) if self.program else ""


@dataclass
class _Reading:
    """Logs on their way into a series."""

    folder: Path
    plan: JsonObject
    flows: list[JsonObject]
    left_out: list[str] = field(default_factory=list)

    def ends(self) -> list[_End]:
        """The ends of all logs, by the run's time; what can't be read or dated is left out, and said."""
        return [dated for end in self._found() if (dated := self._dated(end)) is not None]

    def _found(self) -> list[_End]:
        found = []
        for path in log_files(self.folder):
            file = str(path.relative_to(self.folder))
            try:
                measurement = read_qlog(path, unpacked(path, content_of(path)))
            except AirtcpError as error:
                self.left_out.append(f"{file}: {error.what}")
                continue
            parts = measurement.frame("recovery").partition_by("connection", as_dict=True)
            program = _program(file, self.plan.get("programs", []))
            for trace in measurement.frame("connections").iter_rows(named=True):
                found.append(_End(file, program, trace, parts[(trace["connection"],)]))
        return found

    def _dated(self, end: _End) -> _End | None:
        """An end with times from the epoch."""
        offset_ns = self._offset_ns(end)
        if offset_ns is None:
            self.left_out.append(f"{end.file}: its times have no date, and no UDP flow tells when it began")
            return None
        first_ns = end.trace["first_ns"] + offset_ns
        if not -self._epoch_ns <= first_ns <= self.plan["duration_ns"]:
            self.left_out.append(f"{end.file}: its times are not those of the run")
            return None
        trace = {**end.trace, "first_ns": first_ns, "last_ns": end.trace["last_ns"] + offset_ns}
        rows = end.rows.with_columns(end.rows["time_ns"] + offset_ns)
        return replace(end, trace=trace, rows=rows)

    @property
    def _epoch_ns(self) -> int:
        return int(self.plan.get("epoch_ns", 0))

    def _offset_ns(self, end: _End) -> int | None:
        """From the times of a log to those of the run."""
        if end.trace["clock"] == "unix":
            # Plans of older versions have no date.
            date_ns = int(self.plan.get("date_s", 0)) * 1_000_000_000
            return -date_ns - _wall_clock_ahead_ns(self.plan, end.node)
        monotonic = -self._epoch_ns
        if end.trace["first_ns"] + monotonic >= 0:
            return monotonic
        # Times from the beginning of the connection: the first packet is the first datagram of a flow.
        sent = [flow for flow in self.flows if is_udp(flow) and flow["from"] == end.node]
        if len(sent) != 1 or end.trace["first_sent_ns"] is None:
            return None
        return int(sent[0]["start_ns"]) - int(end.trace["first_sent_ns"])


def _wall_clock_ahead_ns(plan: JsonObject, node: str) -> int:
    """How far the wall clock of a node was ahead when it started (`[node.NAME.clock]`)."""
    clocks = (each.get("clock") for each in plan["nodes"] if each["name"] == node)
    return next((int(clock["offset_ns"]) for clock in clocks if clock), 0)


def _program(file: str, programs: list[JsonObject]) -> JsonObject | None:
    """The program that wrote a file: it, or a folder of it, has the program's name."""
    words = [*Path(file).parts[1:], Path(file).name.partition(".")[0]]
    named = {program["name"]: program for program in programs}
    return next((named[word] for word in words if word in named), None)


def read_logs(folder: Path, plan: JsonObject, flows: list[JsonObject]) -> QuicLogs:
    """The logs of a run; `flows` are those of its plan and its programs."""
    import polars

    reading = _Reading(folder, plan, flows)
    ends = sorted(reading.ends(), key=lambda end: (end.trace["first_ns"], end.file))
    owners = [end.program["name"] if end.program else Path(end.file).name.partition(".")[0] for end in ends]
    frames = [
        end.rows.with_columns(polars.lit(number, polars.Int64).alias("connection"))
        for number, end in enumerate(ends)
    ]
    frame = polars.concat(frames) if frames else frame_of(QUIC, [])
    names = _numbered(owners)
    connections = [_report(name, end) for name, end in zip(names, ends, strict=True)]
    return QuicLogs(connections, frame.select(each.name for each in QUIC.columns), tuple(reading.left_out))


def _numbered(owners: list[str]) -> list[str]:
    """Names of programs, with numbers where one has several: as those of flows."""
    counts, seen, names = Counter(owners), Counter[str](), []
    for owner in owners:
        seen[owner] += 1
        names.append(owner if counts[owner] == 1 else f"{owner} #{seen[owner]}")
    return names


def _report(name: str, end: _End) -> JsonObject:
    kept = ("vantage_point", "implementation", "id", "first_ns", "last_ns")
    last = end.rows.row(-1, named=True)
    counts = ("packets_sent", "bytes_sent", "packets_received", "bytes_received", "packets_lost")
    return {
        "name": name,
        "program": end.program["name"] if end.program else None,
        "node": end.node,
        "file": end.file,
        **{key: end.trace[key] for key in kept},
        **{key: last[key] for key in counts},
    }
