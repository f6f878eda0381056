"""The long output of tcptrace (`-l`, with `-r` also round-trip times): two columns per connection."""

import re
from pathlib import Path
from typing import Any

from airtcp.formats.columns import TCPTRACE_CONNECTIONS
from airtcp.formats.measurement import Measurement, damaged, frame_of
from airtcp.formats.text_file import damaged_line, text_of

FORMAT = "tcptrace text"
_BEGINS = re.compile(r"TCP connection (?P<number>\d+):")
_HOST = re.compile(r"\s*host [a-z]+: +(?P<end>\S+)")
_ELAPSED = re.compile(r"\s*elapsed time: +(?P<h>\d+):(?P<m>\d+):(?P<s>\d+\.\d+)")
_PAIR = re.compile(r"\s+(?P<key>[A-Za-z][^:]*): +(?P<one>\S+)(?: \w+)? +(?P=key): +(?P<two>\S+)(?: \w+)?\s*")
# Labels of tcptrace, our columns, and the factor to its unit.
_VALUES = {
    "total packets": ("packets", 1),
    "unique bytes sent": ("distinct_bytes", 1),
    "actual data bytes": ("payload_bytes", 1),
    "rexmt data pkts": ("retransmits", 1),
    "throughput": ("rate_bps", 8.0),
    "RTT samples": ("rtt_samples", 1),
    "RTT min": ("min_rtt_us", 1e3),
    "RTT avg": ("mean_rtt_us", 1e3),
    "RTT max": ("max_rtt_us", 1e3),
}
_NEEDED = ("packets", "distinct_bytes")


def is_tcptrace(content: bytes) -> bool:
    """Whether a connection of tcptrace is among the first lines."""
    head = content[:3_000].decode("utf-8", "replace")
    return "tcptrace -- version" in head or (
        re.search(r"^TCP connection \d+:$", head, re.MULTILINE) is not None and "host a:" in head
    )


def read_tcptrace(file: Path, content: bytes) -> Measurement:
    """The frame `connections`; a connection without its columns is an `AirtcpError`."""
    found: list[_Connection] = []
    for number, line in enumerate(text_of(file, content).splitlines(), start=1):
        if match := _BEGINS.match(line):
            found.append(_Connection(int(match["number"]), number))
        elif found:
            found[-1].take(line)
    if not found:
        raise damaged(file, "it has no connection in the long form: give tcptrace the option -l")
    rows = []
    for connection in found:
        if len(connection.hosts) != 2 or any(name not in way for way in connection.ways for name in _NEEDED):
            raise damaged_line(
                file, connection.line, "begins a connection that is cut, or not in the long form"
            )
        rows += connection.rows()
    return Measurement(file, FORMAT, {"connections": frame_of(TCPTRACE_CONNECTIONS, rows)})


class _Connection:
    """A connection while its lines come."""

    def __init__(self, number: int, line: int) -> None:
        self.number, self.line = number, line
        self.hosts: list[str] = []
        self.elapsed_ns: int | None = None
        self.ways: tuple[dict[str, Any], dict[str, Any]] = ({}, {})

    def take(self, line: str) -> None:
        """Takes what a line says, if it is known."""
        if host := _HOST.match(line):
            self.hosts.append(host["end"])
        elif elapsed := _ELAPSED.match(line):
            seconds = 3600 * int(elapsed["h"]) + 60 * int(elapsed["m"]) + float(elapsed["s"])
            self.elapsed_ns = round(seconds * 1e9)
        elif (pair := _PAIR.fullmatch(line)) and pair["key"] in _VALUES:
            name, factor = _VALUES[pair["key"]]
            for way, text in zip(self.ways, (pair["one"], pair["two"]), strict=True):
                # "NA" is what tcptrace does not know.
                way[name] = None if text == "NA" else float(text) * factor if factor != 1 else int(text)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each direction."""
        ends = (self.hosts, self.hosts[::-1])
        return [
            {
                "connection": self.number,
                "source": one,
                "destination": other,
                "elapsed_ns": self.elapsed_ns,
                **way,
            }
            for (one, other), way in zip(ends, self.ways, strict=True)
        ]
