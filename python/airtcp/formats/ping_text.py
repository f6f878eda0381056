"""The text of ping: iputils (also with `-D` and `-O`), busybox and BSD.

A request without an answer is not a line of its own; it is known from the gap in the sequence numbers, and at
the end from the count of transmitted packets in the statistics.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airtcp.formats.columns import PINGS
from airtcp.formats.measurement import Measurement, damaged, frame_of

FORMAT = "ping text"
_HEAD = re.compile(
    r"PING (?P<name>[^\s(]+) ?\((?P<address>[^)]+)\)(?P<colon>:?)[^\n]* (?:data bytes|bytes of data)"
)
_ANSWER = re.compile(
    r"^(?:\[(?P<unix>\d+\.\d+)\] )?\d+ bytes from [^\n]*?(?P<key>icmp_seq|seq)=(?P<seq>\d+) ttl=(?P<ttl>\d+) "
    r"time=(?P<time>\d+(?:\.\d+)?) ms(?P<duplicate> \(DUP!\))?[^\n]*$"
)
_COUNTS = re.compile(
    r"^(?P<sent>\d+) packets transmitted, (?P<received>\d+) (?:packets )?received"
    r"(?:, \+(?P<duplicates>\d+) duplicates)?"
)
# Sequence numbers have 16 bits (RFC 792).
_WRAP = 1 << 16

# Every request is a row, also one that only the statistics count; these are a hundred per second for a day.
_REQUESTS_MOST = 10_000_000


@dataclass
class _Parsed:
    """What was read so far."""

    rows: dict[int, dict[str, Any]] = field(default_factory=dict)
    duplicates: int = 0
    counted: tuple[int, int, int] | None = None
    last: int = -1


def is_ping(content: bytes) -> bool:
    """Whether the file begins as such output does."""
    return _HEAD.match(content[:400].decode("utf-8", "replace")) is not None


def read_ping(file: Path, content: bytes) -> Measurement:
    """The frame `pings`; text whose answers are not those that its statistics count is an `AirtcpError`.

    Without statistics (ping was killed, or the text is cut) a warning says that requests may be missing at
    the end.
    """
    text = content.decode("utf-8", "replace")
    head = _HEAD.match(text)
    assert head, "recognised"
    # iputils counts from 1; BSD and busybox, whose head has a colon there, from 0.
    first = 0 if head["colon"] else 1
    parsed = _Parsed()
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        _take(parsed, line, first, file, number)
    if text.rpartition("\n")[2]:
        raise damaged(file, "its last line is cut")
    rows, warnings = _complete(parsed, file)
    about = {"destination": head["name"], "address": head["address"]}
    return Measurement(file, FORMAT, {"pings": frame_of(PINGS, rows)}, about, warnings)


def _take(parsed: _Parsed, line: str, first: int, file: Path, number: int) -> None:
    counts = _COUNTS.match(line)
    if counts:
        parsed.counted = (int(counts["sent"]), int(counts["received"]), int(counts["duplicates"] or 0))
        return
    answer = _ANSWER.match(line)
    if not answer:
        if "bytes from" in line and "time" in line:
            raise damaged(file, f"line {number} is not an answer as ping writes it")
        return
    sequence = _unwrapped(int(answer["seq"]) - first, parsed.last)
    if answer["duplicate"] or sequence in parsed.rows:
        parsed.duplicates += 1
        if sequence in parsed.rows:
            parsed.rows[sequence]["duplicates"] += 1
        return
    parsed.last = max(parsed.last, sequence)
    parsed.rows[sequence] = {
        "sequence": sequence,
        "rtt_ns": round(float(answer["time"]) * 1e6),
        "unix_ns": _unix_ns(answer["unix"]),
        "ttl": int(answer["ttl"]),
        "duplicates": 0,
    }


def _unwrapped(sequence: int, last: int) -> int:
    """The number nearest to the last one, of those with these 16 bits."""
    rounds = max(0, round((last - sequence) / _WRAP))
    return sequence + rounds * _WRAP


def _unix_ns(text: str | None) -> int | None:
    if text is None:
        return None
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 1_000_000_000 + int(fraction[:9].ljust(9, "0"))


def _complete(parsed: _Parsed, file: Path) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """All requests in order, those without an answer too, and what the reader should know."""
    sent = parsed.last + 1
    warnings: tuple[str, ...] = ()
    if parsed.counted:
        sent, received, _ = parsed.counted
        if received != len(parsed.rows) or parsed.last >= sent:
            raise damaged(
                file, f"it has {len(parsed.rows)} answers and its statistics count {received} of {sent}"
            )
    else:
        warnings = ("there are no statistics: requests without an answer may be missing at the end",)
        if not parsed.rows:
            raise damaged(file, "it has neither answers nor statistics")
    if sent > _REQUESTS_MOST:
        raise damaged(file, f"it has {sent} requests, more than {_REQUESTS_MOST}")
    lost = {"rtt_ns": -1, "duplicates": 0}
    return [parsed.rows.get(number, {"sequence": number, **lost}) for number in range(sent)], warnings
