"""Logs of mahimahi's `mm-link` (`--uplink-log`, `--downlink-log`): a line for each event.

`TIME + BYTES` is an arrival, `TIME - BYTES DELAY` a departure, `TIME # BYTES` an opportunity to deliver,
`TIME d PACKETS BYTES` a drop. Times are whole milliseconds of a clock of its own, of which the log begins at
`base timestamp`.
"""

import re
from pathlib import Path
from typing import Any

from airtcp.formats.columns import MM_LINK_EVENTS
from airtcp.formats.measurement import Measurement, damaged, frame_of
from airtcp.formats.text_file import damaged_line, text_of

FORMAT = "mahimahi log"
_EVENT = re.compile(r"(?P<time>\d{1,15}) (?P<event>[+#d-]) (?P<first>\d{1,12})(?: (?P<second>\d{1,12}))?")
_ABOUT = re.compile(
    r"# (?P<key>queue|command line|init timestamp|base timestamp|mahimahi config): (?P<value>.*)"
)
_NAMES = {"+": "arrival", "-": "departure", "#": "opportunity", "d": "drop"}
_NS_PER_MS = 1_000_000


def is_mahimahi_log(content: bytes) -> bool:
    """Whether comments of mm-link, or events, are the first lines."""
    head = content[:2_000].decode("utf-8", "replace")
    return head.startswith("# mahimahi mm-link") or "# base timestamp:" in head


def read_mahimahi_log(file: Path, content: bytes) -> Measurement:
    """The frame `events`; a line that is none is an `AirtcpError`."""
    about: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    base_ms: int | None = None
    text = text_of(file, content)
    if not text.endswith("\n"):
        raise damaged(file, "its last line is cut")
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#"):
            if match := _ABOUT.match(line):
                about[match["key"].replace(" ", "_")] = match["value"]
            continue
        if base_ms is None:
            base_ms = _base(file, about)
        match = _EVENT.fullmatch(line.strip())
        if match is None or (match["event"] in "-d") != (match["second"] is not None):
            raise damaged_line(file, number, "is no event of mm-link")
        if int(match["time"]) < base_ms:
            raise damaged_line(file, number, "is before the log's base timestamp")
        rows.append(_row(match, base_ms))
    if not rows:
        raise damaged(file, "it has no event")
    return Measurement(file, FORMAT, {"events": frame_of(MM_LINK_EVENTS, rows)}, about)


def _base(file: Path, about: dict[str, Any]) -> int:
    value = about.get("base_timestamp", "")
    if not re.fullmatch(r"\d{1,15}", value):
        raise damaged(file, "it has no base timestamp")
    return int(value)


def _row(match: "re.Match[str]", base_ms: int) -> dict[str, Any]:
    event, first, second = _NAMES[match["event"]], int(match["first"]), match["second"]
    row: dict[str, Any] = {
        "time_ns": (int(match["time"]) - base_ms) * _NS_PER_MS,
        "event": event,
        "bytes": first,
    }
    if event == "departure":
        row["delay_ns"] = int(second) * _NS_PER_MS
    elif event == "drop":
        row |= {"packets": first, "bytes": int(second)}
    return row
