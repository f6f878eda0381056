"""`ss -tin` of iproute2, again and again: two lines for each socket, or one.

A line of seconds before each print, as `date +%s.%N` prints them, is its time. What a version of ss or a
kernel does not print is null.
"""

import re
from pathlib import Path
from typing import Any

from airtcp.formats.columns import SOCKETS
from airtcp.formats.measurement import Measurement, damaged, frame_of
from airtcp.formats.text_file import damaged_line, text_of

FORMAT = "ss -tin text"
_TIME = re.compile(r"\d{1,12}(\.\d+)?")
_HEAD = re.compile(r"State\s+Recv-Q\s+Send-Q\s")
_STATES = "ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-1|FIN-WAIT-2|TIME-WAIT|CLOSE-WAIT|LAST-ACK|CLOSING|UNCONN|LISTEN"
_SOCKET = re.compile(
    rf"(?P<state>{_STATES})\s+\d+\s+\d+\s+(?P<local>\S+:[\d*]+)\s+(?P<peer>\S+:[\d*]+)(?P<rest>.*)"
)
_CCA = re.compile(r"[a-z][a-z0-9_-]*")
# What stands before the name of the congestion control.
_FLAGS = ("ts", "sack", "ecn", "ecnseen", "fastopen")
_NUMBERS = {
    "rto": ("rto_us", 1e3),
    "minrtt": ("min_rtt_us", 1e3),
    "cwnd": ("cwnd", None),
    "ssthresh": ("ssthresh", None),
    "mss": ("mss_bytes", None),
    "unacked": ("unacked", None),
    "bytes_acked": ("bytes_acked", None),
    "bytes_received": ("bytes_received", None),
}
_RATES = {"pacing_rate": "pacing_rate_bps", "delivery_rate": "delivery_rate_bps"}
_PREFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}


def is_ss(content: bytes) -> bool:
    """Whether a socket with what TCP says of it is among the first lines."""
    head = content[:4_000].decode("utf-8", "replace")
    return any(_SOCKET.match(line.strip()) for line in head.splitlines()) and " rto:" in head


def read_ss(file: Path, content: bytes) -> Measurement:
    """The frame `sockets`; a line of another form is an `AirtcpError`."""
    text = text_of(file, content)
    if not text.endswith("\n"):
        raise damaged(file, "its last line is cut")
    rows: list[dict[str, Any]] = []
    times: list[float | None] = []
    begun = False
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.strip()
        if _TIME.fullmatch(words):
            if times and times[-1] is not None and float(words) <= times[-1]:
                raise damaged_line(file, number, "is a time that does not rise")
            times.append(float(words))
            begun = True
        elif _HEAD.match(words):
            if not begun:
                times.append(None)
            begun = False
        elif socket := _SOCKET.match(words):
            times = times or [None]
            begun = False
            rows.append({"print": len(times) - 1, **socket.groupdict(), "line": number})
        elif words:
            if not rows or not line[:1].isspace():
                raise damaged_line(file, number, "is neither a socket nor what TCP says of one")
            rows[-1]["rest"] += f" {words}"
    return _measurement(file, rows, times)


def _measurement(file: Path, rows: list[dict[str, Any]], times: list[float | None]) -> Measurement:
    known = [time for time in times if time is not None]
    for row in rows:
        time_s = times[row["print"]]
        row["time_ns"] = None if time_s is None else round((time_s - known[0]) * 1e9)
        try:
            row.update(_values(row.pop("rest").split()))
        except ValueError as error:
            raise damaged_line(file, row["line"], f"begins a socket with {error}") from None
    connected = [row for row in rows if "rto_us" in row]
    if not connected:
        raise damaged(file, "it has no socket with what TCP says of it: give ss the option -i")
    warnings = () if known else ("prints have no times: print a line of seconds before each (date +%s.%N)",)
    about = {"prints": len(times), "unix_s": known[0] if known else None}
    return Measurement(file, FORMAT, {"sockets": frame_of(SOCKETS, connected)}, about, warnings)


def _values(words: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for place, word in enumerate(words):
        key, colon, value = word.partition(":")
        if key in _RATES and place + 1 < len(words):
            found[_RATES[key]] = _rate(words[place + 1])
        elif key == "rtt" and colon:
            smoothed, _, varied = value.partition("/")
            found["rtt_us"], found["rttvar_us"] = float(smoothed) * 1e3, float(varied) * 1e3
        elif key == "retrans" and colon:
            found["retransmits"] = int(value.partition("/")[2])
        elif key in _NUMBERS and colon:
            name, factor = _NUMBERS[key]
            found[name] = int(value) if factor is None else float(value) * factor
        elif "cca" not in found and _CCA.fullmatch(word) and word not in _FLAGS:
            found["cca"] = word
    # ss leaves out what is zero.
    return {"retransmits": 0, **found} if "rto_us" in found else found


def _rate(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)bps", text)
    if match is None:
        raise ValueError(f'the rate "{text}"')
    return float(match[1]) * _PREFIXES[match[2]]
