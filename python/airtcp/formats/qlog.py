"""qlog, the event logs of QUIC implementations: JSON (`.qlog`) and JSON text sequences (`.sqlog`).

The format: draft-ietf-quic-qlog-main-schema, versions 0.3 and 0.4 (the later drafts name a `file_schema`);
the events: draft-ietf-quic-qlog-quic-events. Times are ms. An event of metrics has what has changed.
"""

import datetime
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from airtcp.errors import AirtcpError
from airtcp.formats.column import Column, Table
from airtcp.formats.measurement import Measurement, damaged, frame_of

FORMAT = "qlog"
VERSIONS = ("0.3", "0.4")
SCHEMA = "urn:ietf:params:qlog:file:"
_RECORD_SEPARATOR = b"\x1e"  # RFC 7464
_HEAD_BYTES = 4_000
_MARKS = (b'"qlog_version"', b'"qlog_format"', SCHEMA.encode())
# Python's objects of a JSON text are some ten times as large; of a sequence there is one record at once.
_CONTAINED_BYTES_MOST = 256 << 20
_TRACES_MOST = 10_000
# Before 2001: a time since 1970 that is less is one of a clock that began at another time.
_UNIX_MS_LEAST = 978_307_200_000
# Times and counters are i64.
_MOST = 2**62
NOT_TOLD = -1
STATES = ("", "slow_start", "congestion_avoidance", "recovery", "application_limited")
"""Congestion states of Reno and CUBIC in qlog; the first stands for one that was not told."""

_LEVELS = (
    Column("cwnd_bytes", "i64", "byte", "congestion window; -1: not told", least=-1),
    Column("ssthresh_bytes", "i64", "byte", "slow start threshold; -1: not told, or none yet", least=-1),
    Column("bytes_in_flight", "i64", "byte", "sent, not acknowledged and not lost; -1: not told", least=-1),
    Column("latest_rtt_us", "i64", "us", "latest round-trip time; -1: not told", least=-1),
    Column("srtt_us", "i64", "us", "smoothed round-trip time (RFC 9002); -1: not told", least=-1),
    Column("min_rtt_us", "i64", "us", "least round-trip time; -1: not told", least=-1),
    Column("rttvar_us", "i64", "us", "variation of the round-trip time; -1: not told", least=-1),
    Column("pacing_rate_bps", "i64", "bit/s", "pacing rate; -1: not told", least=-1),
    Column(
        "congestion_state",
        "i64",
        "",
        "0 not told, 1 slow start, 2 congestion avoidance, 3 recovery, 4 application limited, 5 another",
    ),
)
_COUNTS = (
    Column("packets_sent", "i64", "packet", "QUIC packets sent so far", counter=True),
    Column("bytes_sent", "i64", "byte", "of these, as far as the log has their sizes", counter=True),
    Column("packets_received", "i64", "packet", "QUIC packets received so far", counter=True),
    Column("bytes_received", "i64", "byte", "of these, as far as the log has their sizes", counter=True),
    Column("packets_lost", "i64", "packet", "sent and deemed lost so far", counter=True),
)
STATE_COLUMNS = (*_LEVELS, *_COUNTS)
"""What both the frame of a file and the series of a run have of a connection at a time."""

QLOG_RECOVERY = Table(
    "qlog: recovery",
    "The state of each connection at each event of loss detection and congestion control, and at its last "
    "event.",
    (
        Column("time_ns", "i64", "ns", "time: since 1970, or by the clock that `clock` names", least=None),
        Column("connection", "i64", "", "number of its trace in the frame `connections`"),
        *STATE_COLUMNS,
    ),
)
QLOG_CONNECTIONS = Table(
    "qlog: connections",
    "Each trace of a file: a connection, as one of its ends sees it.",
    (
        Column("connection", "i64", "", "number of the trace, in the order of the file"),
        Column("vantage_point", "text", "", "which end wrote it: `client`, `server`, `network`, `unknown`"),
        Column("implementation", "text", "", "the name that the log gives its writer"),
        Column("id", "text", "", "the original destination connection ID (ODCID), or the group's ID"),
        Column("clock", "text", "", "what times count from: `unix` (1970) or `unknown`"),
        Column("first_ns", "i64", "ns", "time of the first event", least=None),
        Column("last_ns", "i64", "ns", "time of the last event", least=None),
        Column("first_sent_ns", "i64", "ns", "time of the first packet sent; null: none", least=None),
    ),
)


@dataclass(frozen=True, slots=True)
class _Event:
    """An event: of a packet its size, of recovery its data; a log has a million packets, and their frames."""

    time_ns: int
    name: str
    packet_bytes: int = 0
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Trace:
    """What a trace says of itself, and its events as they are in the file."""

    about: dict[str, Any]
    events: Iterable[Any]


def is_qlog(content: bytes) -> bool:
    """Whether a file begins as a qlog does."""
    head = content[:_HEAD_BYTES]
    begins = head.lstrip(_RECORD_SEPARATOR + b" \t\r\n").startswith(b"{")
    return begins and any(mark in head for mark in _MARKS)


def read_qlog(file: Path, content: bytes) -> Measurement:
    """The frames `connections` and `recovery`; a damaged file or another version is an `AirtcpError`.

    A record at the end of a sequence that its writer did not finish is left out.
    """
    try:
        warnings = list[str]()
        about, traces = _sequence(content, warnings) if _is_sequence(content) else _contained(file, content)
        _check_version(file, about)
        connections, rows = list[dict[str, Any]](), list[dict[str, Any]]()
        for number, trace in enumerate(traces):
            clock, events = _in_time(trace)
            connections.append(_connection(number, trace, clock, events))
            rows += [{"connection": number, **row} for row in _states(events)]
        frames = {
            "connections": frame_of(QLOG_CONNECTIONS, connections),
            "recovery": frame_of(QLOG_RECOVERY, rows),
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise damaged(file, f"it is not qlog: {_said(error)}") from None
    return Measurement(file, FORMAT, frames, about, tuple(warnings))


def _said(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else f"{error!s:.200}"


def _is_sequence(text: bytes) -> bool:
    """Whether it has a record for each event: with separators (JSON-SEQ), or in a line each (NDJSON)."""
    if text.lstrip().startswith(_RECORD_SEPARATOR):
        return True
    head = text.lstrip()[:_HEAD_BYTES].split(b"\n", 1)[0]
    return any(mark in head for mark in (b'"NDJSON"', b'"JSON-SEQ"', b"file:sequential", b"qlog+json-seq"))


def _json(text: bytes) -> Any:
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(text: str) -> NoReturn:
    # Python reads NaN and Infinity, which JSON (RFC 8259) does not have.
    raise ValueError(f"{text} is not JSON")


def _contained(file: Path, text: bytes) -> tuple[dict[str, Any], list[_Trace]]:
    """A file that is one JSON object."""
    if len(text) > _CONTAINED_BYTES_MOST:
        what = f"is too large: it has {len(text)} bytes, of at most {_CONTAINED_BYTES_MOST} of one JSON text"
        raise AirtcpError(what, str(file), "Let the program write a sequence (.sqlog), or log a shorter time")
    try:
        log = _json(text)
    except ValueError:
        raise ValueError("it is not JSON to its end; the program may have ended before its log") from None
    traces = log["traces"] if isinstance(log, dict) else None
    if not isinstance(traces, list) or len(traces) > _TRACES_MOST:
        raise ValueError(f'it has no "traces", or more than {_TRACES_MOST}')
    about = {key: value for key, value in log.items() if key != "traces"}
    # A trace that could not be converted stands there as an error (`TraceError`).
    return about, [_Trace(trace, trace["events"]) for trace in traces if "error_description" not in trace]


def _sequence(text: bytes, warnings: list[str]) -> tuple[dict[str, Any], list[_Trace]]:
    """A file with a record for the log, and one for each event."""
    separator = _RECORD_SEPARATOR if text.lstrip().startswith(_RECORD_SEPARATOR) else b"\n"
    first, _, rest = text.lstrip().removeprefix(_RECORD_SEPARATOR).partition(separator)
    log = _json(first)
    about = {key: value for key, value in log.items() if key != "trace"}
    return about, [_Trace(log.get("trace") or {}, _records(rest, separator, warnings))]


def _records(text: bytes, separator: bytes, warnings: list[str]) -> Iterator[Any]:
    begin = 0
    while begin < len(text):
        end = text.find(separator, begin)
        end = len(text) if end < 0 else end
        record, begin, number = text[begin:end].strip(), end + 1, begin
        if not record:
            continue
        try:
            yield _json(record)
        except ValueError:
            if end < len(text):
                raise ValueError(f"a record at byte {number} after the first is not JSON") from None
            warnings.append("the last record is not whole: the program ended while it wrote it")


def _check_version(file: Path, about: dict[str, Any]) -> None:
    if str(about.get("file_schema", "")).startswith(SCHEMA):
        return
    version = about.get("qlog_version")
    if version not in VERSIONS:
        remedy = f"Known: {', '.join(VERSIONS)}, and files with a file_schema"
        raise AirtcpError(f"qlog's version {version!s:.40} is not known", str(file), remedy)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r:.40} is not a number")
    return value


def _ns(milliseconds: float) -> int:
    """From ms; those of an integer exactly."""
    return round(milliseconds * 1_000_000)


def _reference_ms(common: dict[str, Any]) -> float:
    """The time that relative times count from; 0 if the file does not say it."""
    reference = common.get("reference_time", 0)
    if not isinstance(reference, dict):
        return _number(reference)
    # The later drafts: an epoch, or the wall clock at the beginning of another clock.
    for key in ("wall_clock_time", "epoch"):
        moment = reference.get(key)
        if isinstance(moment, str) and moment != "unknown":
            parsed = datetime.datetime.fromisoformat(moment)
            return (parsed if parsed.tzinfo else parsed.replace(tzinfo=datetime.UTC)).timestamp() * 1e3
    return 0


def _time_ns(common: dict[str, Any], time_ms: float, before_ns: int | None) -> int:
    """The time of an event after one at `before_ns` (`None`: of the first)."""
    form = common.get("time_format", "absolute")
    if form not in _FORMS:
        raise ValueError(f'time_format "{form!s:.40}" is not known; known: {", ".join(_FORMS)}')
    if form == "absolute":
        return _ns(time_ms)
    if form in ("delta", "relative_to_previous_event") and before_ns is not None:
        return before_ns + _ns(time_ms)
    return _ns(_reference_ms(common)) + _ns(time_ms)


_FORMS = ("absolute", "relative", "delta", "relative_to_epoch", "relative_to_previous_event")


def _in_time(trace: _Trace) -> tuple[str, list[_Event]]:
    """What times count from, and the events in their order: threads may write one after a later one."""
    common = trace.about.get("common_fields") or {}
    offset_ns = _ns(_number((trace.about.get("configuration") or {}).get("time_offset", 0)))
    events, time_ns = list[_Event](), None
    for entry in trace.events:
        # A field of an event stands before one that all have in common.
        own = entry if "time_format" not in entry else {**common, **entry}
        fields = own if own is not entry else common
        time_ns = _time_ns(fields, _number(entry["time"]), time_ns)
        if abs(time_ns) > _MOST:
            raise ValueError(f"the time {entry['time']!r:.40} is too large")
        events.append(_event(time_ns + offset_ns, entry))
    events.sort(key=lambda event: event.time_ns)
    is_unix = bool(events) and events[0].time_ns >= _UNIX_MS_LEAST * 1_000_000
    return "unix" if is_unix else "unknown", events


def _event(time_ns: int, entry: dict[str, Any]) -> _Event:
    name = sys.intern(str(entry["name"]).rpartition(":")[2].removeprefix("recovery_"))
    data = entry.get("data")
    if not isinstance(data, dict):
        return _Event(time_ns, name)
    if name in _OF_PACKETS:
        return _Event(time_ns, name, _packet_bytes(data))
    return _Event(time_ns, name, data=data) if name in _OF_RECOVERY else _Event(time_ns, name)


def _connection(number: int, trace: _Trace, clock: str, events: Sequence[_Event]) -> dict[str, Any]:
    point, common = trace.about.get("vantage_point") or {}, trace.about.get("common_fields") or {}
    if not events:
        raise ValueError(f"trace {number} has no events")
    named = common.get("ODCID", common.get("group_id", ""))
    return {
        "connection": number,
        "vantage_point": str(point.get("type", "unknown")),
        "implementation": str(point.get("name", "")),
        "id": named if isinstance(named, str) else json.dumps(named),
        "clock": clock,
        "first_ns": events[0].time_ns,
        "last_ns": events[-1].time_ns,
        "first_sent_ns": next((event.time_ns for event in events if event.name == "packet_sent"), None),
    }


_OF_PACKETS = ("packet_sent", "packet_received")
_OF_RECOVERY = ("packet_lost", "metrics_updated", "congestion_state_updated")
# Names of metrics, those of versions before 0.3 too, which some 0.3 logs have; ours; and how much of our unit
# theirs is.
_METRICS = {
    "congestion_window": ("cwnd_bytes", 1),
    "cwnd": ("cwnd_bytes", 1),
    "ssthresh": ("ssthresh_bytes", 1),
    "bytes_in_flight": ("bytes_in_flight", 1),
    "latest_rtt": ("latest_rtt_us", 1000),
    "smoothed_rtt": ("srtt_us", 1000),
    "min_rtt": ("min_rtt_us", 1000),
    "rtt_variance": ("rttvar_us", 1000),
    "pacing_rate": ("pacing_rate_bps", 1),
}


@dataclass
class _State:
    """A connection between two events."""

    values: dict[str, int] = field(
        default_factory=lambda: {
            **{column.name: NOT_TOLD for column in _LEVELS},
            "congestion_state": 0,
            **{column.name: 0 for column in _COUNTS},
        }
    )

    def take(self, event: _Event) -> bool:
        """Takes over what an event says; whether that is of loss detection or congestion control."""
        values = self.values
        if event.name in _OF_PACKETS:
            what = event.name.removeprefix("packet_")
            values[f"packets_{what}"] += 1
            values[f"bytes_{what}"] += event.packet_bytes
            return False
        if event.name == "packet_lost":
            values["packets_lost"] += 1
        elif event.name == "congestion_state_updated":
            values["congestion_state"] = _state_number(str(event.data.get("new", "")))
        elif event.name == "metrics_updated":
            self._take_metrics(event.data)
        else:
            return False
        return True

    def _take_metrics(self, data: dict[str, Any]) -> None:
        for theirs, (ours, factor) in _METRICS.items():
            value = data.get(theirs)
            if value is not None:
                told = round(_number(value) * factor)
                # "None yet" is the largest number of 64 bits in some logs.
                self.values[ours] = told if 0 <= told < _MOST else NOT_TOLD


def _packet_bytes(data: dict[str, Any]) -> int:
    raw, header = data.get("raw"), data.get("header")
    for holder, key in ((raw, "length"), (header, "packet_size"), (data, "packet_size")):
        length = holder.get(key) if isinstance(holder, dict) else None
        # No packet is longer than the largest datagram of UDP.
        if isinstance(length, int) and 0 <= length < 1 << 16:
            return length
    return 0


def _state_number(name: str) -> int:
    return STATES.index(name) if name in STATES else len(STATES)


def _states(events: Sequence[_Event]) -> Iterator[dict[str, int]]:
    """The state after each instant with an event of recovery, and after the last event."""
    state, has_news = _State(), False
    for place, event in enumerate(events):
        has_news |= state.take(event)
        is_last = place + 1 == len(events)
        if is_last or (has_news and events[place + 1].time_ns > event.time_ns):
            yield {"time_ns": event.time_ns, **state.values}
            has_news = False
