"""The state of a running network at a moment: what its records say of flows, radios and queues."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.record_file import RecordFile
from airtcp.plans.types.plan import Plan
from airtcp.sessions.so_far import RECORDS_FOLDER, SoFar

if TYPE_CHECKING:
    import numpy as np

# Columns that tell things of a series apart.
_KEYS = {
    "flows": ("flow",),
    "air": ("nic",),
    "stations": ("nic", "interface", "peer"),
    "qdiscs": ("node", "interface", "handle"),
}


@dataclass(frozen=True)
class FlowMoment:
    """A flow that goes on. Rates are means since the moment before; what is not known is `None`."""

    name: str
    cca: str
    goodput_bps: float | None
    srtt_s: float | None
    cwnd: int | None
    retransmitted: int | None
    """Segments, so far."""
    at_ns: int
    """Time of its latest sample."""


@dataclass(frozen=True)
class RadioMoment:
    """A radio."""

    node: str
    signal_dbm: float | None
    """Mean power of its access point at it; of an access point none."""
    rate_bps: int
    """PHY rate of its last data PPDU; 0 before the first."""
    airtime: float | None
    """Share of time that it was on the air since the moment before."""
    queued: int
    retries: int
    """Attempts after the first, so far."""


@dataclass(frozen=True)
class QueueMoment:
    """A queueing discipline of an interface."""

    node: str
    interface: str
    handle: int
    backlog: int
    drops: int


@dataclass(frozen=True)
class Moment:
    """The network at a moment."""

    at_ns: int
    flows: Sequence[FlowMoment]
    radios: Sequence[RadioMoment]
    queues: Sequence[QueueMoment]


@dataclass(frozen=True)
class _Seen:
    """The latest row of a thing, and the one before which rates are counted."""

    row: Any
    before: Any


class Moments:
    """Looks again and again at the records of a session, which it only reads."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._so_far = SoFar(folder, plan)
        self._plan = plan
        self._files: dict[str, RecordFile] = {}
        self._seen: dict[str, dict[tuple[int, ...], _Seen]] = {name: {} for name in _KEYS}

    def close(self) -> None:
        """Closes the files."""
        for file in self._files.values():
            file.close()

    def now(self, at_ns: int, signals_dbm: Sequence[float | None]) -> Moment:
        """The moment, once all records up to it have been written."""
        for name in _KEYS:
            self._read(name)
        return Moment(at_ns, self._flows(), self._radios(signals_dbm), self._queues())

    def flows(self) -> list[FlowMoment]:
        """The flows alone, as far as their records have been written."""
        self._read("flows")
        return self._flows()

    def _read(self, name: str) -> None:
        """What has a row since the moment before; without any new row all stays as it was."""
        if name not in self._files:
            with contextlib.suppress(FileNotFoundError):
                folder = self._so_far.folder / RECORDS_FOLDER
                self._files[name] = RecordFile(folder / f"{name}.rec")
        rows = self._files[name].new_rows() if name in self._files else None
        if rows is not None and len(rows):
            self._seen[name] = _latest(rows, _KEYS[name], self._seen[name])

    def _flows(self) -> list[FlowMoment]:
        flows, numbers = self._so_far.flows()
        places = {number: number for number in range(len(self._plan["flows"]))} | numbers
        rows = sorted(self._seen["flows"].items())
        # The other direction of a connection is none.
        return [_flow(flows[places[number]], seen) for (number,), seen in rows if number in places]

    def _radios(self, signals_dbm: Sequence[float | None]) -> list[RadioMoment]:
        measured = {nic: int(seen.row["signal_dbm"]) for (nic, *_), seen in self._seen["stations"].items()}
        nics = self._plan["air"]["nics"]
        found = []
        for (nic,), seen in sorted(self._seen["air"].items()):
            row = seen.row
            is_station = nics[nic]["role"] != "access_point"
            signal = measured.get(nic) if is_station else None
            found.append(
                RadioMoment(
                    node=nics[nic]["node"],
                    signal_dbm=signals_dbm[nic] if signal is None else float(signal),
                    rate_bps=int(row["rate_bps"]),
                    airtime=_rate(seen, "airtime_ns", 1e-9),
                    queued=int(row["queue_packets"]),
                    retries=int(row["retries"]),
                )
            )
        return found

    def _queues(self) -> list[QueueMoment]:
        found = []
        for (node, interface, handle), seen in sorted(self._seen["qdiscs"].items()):
            of = self._plan["nodes"][node]
            names = [each["name"] for each in (*of["interfaces"], *of["bridges"])]
            backlog, drops = int(seen.row["backlog_packets"]), int(seen.row["drops"])
            found.append(QueueMoment(of["name"], names[interface], handle, backlog, drops))
        return found


def _latest(
    rows: "np.ndarray[Any, Any]", keys: Sequence[str], before: Mapping[tuple[int, ...], _Seen]
) -> dict[tuple[int, ...], _Seen]:
    """The last row of each thing that has one, in the order of the rows."""
    first: dict[tuple[int, ...], Any] = {}
    last: dict[tuple[int, ...], Any] = {}
    for row in rows:
        key = tuple(int(row[name]) for name in keys)
        first.setdefault(key, row)
        last[key] = row
    return {key: _Seen(row, before[key].row if key in before else first[key]) for key, row in last.items()}


def _rate(seen: _Seen, counter: str, scale: float) -> float | None:
    """How fast a counter rose; `None` if there is only one row."""
    passed_s = (int(seen.row["time_ns"]) - int(seen.before["time_ns"])) / 1e9
    return (int(seen.row[counter]) - int(seen.before[counter])) * scale / passed_s if passed_s > 0 else None


def _flow(flow: Mapping[str, Any], seen: _Seen) -> FlowMoment:
    goodput_bps = _rate(seen, "bytes_received", 8.0)
    if flow.get("protocol") == "udp":
        at_ns = int(seen.row["time_ns"])
        return FlowMoment(flow["name"], flow["congestion_control"], goodput_bps, None, None, None, at_ns)
    row = seen.row
    srtt_us = int(row["srtt_us"])
    return FlowMoment(
        name=flow["name"],
        cca=flow["congestion_control"],
        goodput_bps=goodput_bps,
        srtt_s=srtt_us / 1e6 if srtt_us else None,
        cwnd=int(row["cwnd"]),
        retransmitted=int(row["total_retrans"]),
        at_ns=int(row["time_ns"]),
    )
