"""The text for people that iperf 2 and iperf3 print: lines with an interval.

Its numbers have three digits. `iperf -y C` and `iperf3 -J` say more.
"""

import re
from pathlib import Path
from typing import Any

from airtcp.formats.columns import IPERF_TEXT_INTERVALS
from airtcp.formats.measurement import Measurement, damaged, frame_of
from airtcp.formats.text_file import damaged_line, text_of

FORMAT = "iperf text"
_STREAM = r"\[ *(?P<stream>SUM|\d+)\](?:\[[A-Z-]+\])?"
_LINE = re.compile(
    rf"{_STREAM} +(?P<start>\d+\.\d+) *- *(?P<end>\d+\.\d+) +sec +"
    r"(?P<amount>\d+(?:\.\d+)?) (?P<unit>[KMGT]?Bytes) +(?P<rate>\d+(?:\.\d+)?) "
    r"(?P<rate_unit>[KMGT]?bits/sec)(?P<rest>.*)"
)
_INTERVAL = re.compile(rf"{_STREAM} +\d+\.\d+ *- *\d+\.\d+ +sec ")
_UDP = re.compile(
    r" +(?P<jitter>\d+(?:\.\d+)?) ms +(?P<lost>\d+)/ *(?P<packets>\d+) +\((?:[\d.e+-]+|nan|-nan)%\)"
)
_TCP = re.compile(r" +(?P<retransmits>\d+)(?: +(?P<cwnd>\d+(?:\.\d+)?) (?P<cwnd_unit>[KMG]?Bytes))?")
_BEGINS = ("Client connecting to", "Server listening on", "Connecting to host", "Accepted connection from")
# Bytes are counted in powers of 1024, bits in powers of 1000 (iperf 2: byte_snprintf; iperf3: unit_snprintf).
_BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_BITS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def is_iperf_text(content: bytes) -> bool:
    """Whether a line with an interval, or how iperf begins, is among the first lines."""
    head = content[:3_000].decode("utf-8", "replace")
    return any(_INTERVAL.match(line) or line.startswith(_BEGINS) for line in head.splitlines())


def read_iperf_text(file: Path, content: bytes) -> Measurement:
    """The frame `intervals`; a line that is cut is an `AirtcpError`."""
    text = text_of(file, content)
    if not text.endswith("\n"):
        raise damaged(file, "its last line is cut")
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if _INTERVAL.match(line):
            match = _LINE.match(line)
            if match is None:
                raise damaged_line(file, number, "is not an interval as iperf prints it")
            rows.append(_row(match))
    if not rows:
        raise damaged(file, "it has no line with an interval")
    _mark_totals(rows)
    warnings = ("the text has three digits; iperf -y C and iperf3 -J have all, and the windows of TCP",)
    return Measurement(file, FORMAT, {"intervals": frame_of(IPERF_TEXT_INTERVALS, rows)}, {}, warnings)


def _row(match: "re.Match[str]") -> dict[str, Any]:
    rest = match["rest"]
    row: dict[str, Any] = {
        "start_ns": round(float(match["start"]) * 1e9),
        "end_ns": round(float(match["end"]) * 1e9),
        "kind": "interval",
        "stream": match["stream"],
        "end": next((word for word in ("sender", "receiver") if rest.rstrip().endswith(word)), None),
        "bytes": float(match["amount"]) * _BYTES[match["unit"].removesuffix("Bytes")],
        "rate_bps": float(match["rate"]) * _BITS[match["rate_unit"].removesuffix("bits/sec")],
    }
    if udp := _UDP.match(rest):
        row |= {"jitter_ms": float(udp["jitter"]), "lost": int(udp["lost"]), "packets": int(udp["packets"])}
    elif tcp := _TCP.match(rest):
        row["retransmits"] = int(tcp["retransmits"])
        if tcp["cwnd"]:
            row["cwnd_bytes"] = float(tcp["cwnd"]) * _BYTES[tcp["cwnd_unit"].removesuffix("Bytes")]
    return row


def _mark_totals(rows: list[dict[str, Any]]) -> None:
    """A stream's line that begins at 0 after others, or that says of which end it is, is over all of it."""
    last: dict[str, int] = {}
    for row in rows:
        covers = row["start_ns"] == 0 and row["stream"] in last and row["end_ns"] >= last[row["stream"]]
        if covers or row["end"]:
            row["kind"] = "total"
        last[row["stream"]] = max(last.get(row["stream"], 0), row["end_ns"])
    streams = {stream: [row for row in rows if row["stream"] == stream] for stream in last}
    for own in streams.values():
        if len(own) == 1:
            own[0]["kind"] = "total"
