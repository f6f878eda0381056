"""The text of ping: iputils (also with `-D` and `-O`), busybox and BSD.

A request without an answer is not a line of its own; it is known from the gap in the sequence numbers, and at
the end from the count of transmitted packets in the statistics.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airtcp.data.foreign.columns import PINGS
from airtcp.data.foreign.measurement import Measurement, damaged, frame_of

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

# Every request is a row, also one of which nothing but the count is told: a day of a hundred in a second.
_REQUESTS_MOST = 10_000_000


@dataclass
class _Text:
    """What the lines have told so far."""

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
    told = _Text()
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        _take(told, line, first, file, number)
    if text.rpartition("\n")[2]:
        raise damaged(file, "its last line is cut")
    rows, warnings = _complete(told, file)
    about = {"destination": head["name"], "address": head["address"]}
    return Measurement(file, FORMAT, {"pings": frame_of(PINGS, rows)}, about, warnings)


def _take(told: _Text, line: str, first: int, file: Path, number: int) -> None:
    counts = _COUNTS.match(line)
    if counts:
        told.counted = (int(counts["sent"]), int(counts["received"]), int(counts["duplicates"] or 0))
        return
    answer = _ANSWER.match(line)
    if not answer:
        if "bytes from" in line and "time" in line:
            raise damaged(file, f"line {number} is no answer that ping writes")
        return
    sequence = _unwrapped(int(answer["seq"]) - first, told.last)
    if answer["duplicate"] or sequence in told.rows:
        told.duplicates += 1
        if sequence in told.rows:
            told.rows[sequence]["duplicates"] += 1
        return
    told.last = max(told.last, sequence)
    told.rows[sequence] = {
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


def _complete(told: _Text, file: Path) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """All requests in order, those without an answer too, and what the reader should know."""
    sent = told.last + 1
    warnings: tuple[str, ...] = ()
    if told.counted:
        sent, received, _ = told.counted
        if received != len(told.rows) or told.last >= sent:
            raise damaged(
                file, f"it has {len(told.rows)} answers and its statistics count {received} of {sent}"
            )
    else:
        warnings = ("there are no statistics: requests without an answer may be missing at the end",)
        if not told.rows:
            raise damaged(file, "it has neither answers nor statistics")
    if sent > _REQUESTS_MOST:
        raise damaged(file, f"it tells of {sent} requests, of at most {_REQUESTS_MOST}")
    lost = {"rtt_ns": -1, "duplicates": 0}
    return [told.rows.get(number, {"sequence": number, **lost}) for number in range(sent)], warnings
