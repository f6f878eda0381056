"""iperf 2, `-y C`: comma-separated lines, one per interval and one per transfer.

Without `-e`, and up to iperf 2.1.8 with it, a line has the date, both ends, the transfer's number, the
interval as `0.0-1.0`, bytes and bits per second; UDP adds jitter, lost, datagrams, per cent lost and out of
order. iperf 2.1.9 adds values of the sender's TCP (writes, errors, retries, cwnd, RTT, its variation); from
2.2.0 on a first line names the columns, and the interval is two.
"""

import re
from pathlib import Path
from typing import Any

from airtcp.formats.columns import IPERF2_INTERVALS
from airtcp.formats.measurement import Measurement, damaged, frame_of

FORMAT = "iperf2 CSV"
_HEAD = "time,srcaddress,srcport,dstaddr,dstport,transferid,istart,iend,bytes,speed"
_LINE = re.compile(r"([+-]\d{4}:)?\d{14}(\.\d+)?,[^,]*,\d+,[^,]*,\d+,-?\d+,\d+\.\d+(-|,)\d+\.\d+,")
_ENDS = (
    "time",
    "srcaddress",
    "srcport",
    "dstaddr",
    "dstport",
    "transferid",
    "istart",
    "iend",
    "bytes",
    "speed",
)
_UDP = ("jitter", "errors", "datagrams", "errpercent", "outoforder")
_TCP_OF_2_1_9 = ("writecnt", "writeerr", "tcpretry", "tcpcwnd", "tcprtt", "tcprttvar")
# Columns after the interval, by their number, where no line names them.
_PLAIN = {10: _ENDS, 15: (*_ENDS, *_UDP), 16: (*_ENDS, *_TCP_OF_2_1_9)}
# What iperf 2 prints where it knows no number: -1, unsigned or not.
_UNKNOWN = (-1, 0xFFFF_FFFF)
_KIB = 1024


def is_iperf2(content: bytes) -> bool:
    """Whether the file begins as such output does."""
    first = content[:400].decode("utf-8", "replace").splitlines()[:1]
    return bool(first) and (first[0].startswith(_HEAD) or _LINE.match(first[0]) is not None)


def read_iperf2(file: Path, content: bytes) -> Measurement:
    """The frame `intervals`; a line that is cut or of no known form is an `AirtcpError`."""
    text = content.decode("utf-8", "replace")
    if not text.endswith("\n"):
        raise damaged(file, "its last line is cut")
    names: tuple[str, ...] | None = None
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(_HEAD):
            names = tuple(line.strip().split(","))
        elif line.strip():
            rows.append(_row(line.strip(), names, file, number))
    if not rows:
        raise damaged(file, "it has no line of numbers")
    _mark_totals(rows)
    return Measurement(file, FORMAT, {"intervals": frame_of(IPERF2_INTERVALS, rows)})


def _row(line: str, names: tuple[str, ...] | None, file: Path, number: int) -> dict[str, Any]:
    if not _LINE.match(line):
        raise damaged(file, f"line {number} is not one of iperf2's")
    fields = line.split(",")
    if "-" in fields[6]:
        fields[6:7] = fields[6].split("-")
        names = None
    names = names or _PLAIN.get(len(fields))
    if names is None or len(names) != len(fields):
        raise damaged(file, f"line {number} has {len(fields)} fields")
    try:
        return _values(dict(zip(names, fields, strict=True)))
    except ValueError:
        raise damaged(file, f"line {number} has something else than a number") from None


def _values(cells: dict[str, str]) -> dict[str, Any]:
    sender = "tcpretry" in cells
    return {
        "start_ns": round(float(cells["istart"]) * 1e9),
        "end_ns": round(float(cells["iend"]) * 1e9),
        "kind": "interval",
        "transfer": int(cells["transferid"]),
        "source": cells["srcaddress"],
        "source_port": int(cells["srcport"]),
        "destination": cells["dstaddr"],
        "destination_port": int(cells["dstport"]),
        "reported": cells["time"],
        "bytes": int(cells["bytes"]),
        "rate_bps": float(cells["speed"]),
        "jitter_ms": float(cells["jitter"]) if "jitter" in cells else None,
        "lost": _known(cells, "errors"),
        "packets": _known(cells, "datagrams"),
        "out_of_order": _known(cells, "outoforder"),
        "retransmits": _known(cells, "tcpretry"),
        "cwnd_bytes": _times(_known(cells, "tcpcwnd"), _KIB),
        # Nothing is measured in no time: 0 stands for unknown here.
        "rtt_us": (_known(cells, "tcprtt") or None) if sender else None,
        "rttvar_us": _known(cells, "tcprttvar") if sender and _known(cells, "tcprtt") else None,
    }


def _known(cells: dict[str, str], name: str) -> int | None:
    if name not in cells:
        return None
    value = int(cells[name])
    return None if value in _UNKNOWN else value


def _times(value: int | None, factor: int) -> int | None:
    return None if value is None else value * factor


def _mark_totals(rows: list[dict[str, Any]]) -> None:
    """A transfer's line that begins at 0 after others, or that is its only one, is over all of it."""
    lines: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        ends = ("transfer", "source", "source_port", "destination", "destination_port")
        lines.setdefault(tuple(row[key] for key in ends), []).append(row)
    for own in lines.values():
        for before, row in zip([None, *own[:-1]], own, strict=True):
            covers = before is not None and row["start_ns"] == 0 and row["end_ns"] >= before["end_ns"]
            if covers or len(own) == 1:
                row["kind"] = "total"
