"""Rates over time as CSV: a first line that names time and rate with their units, then a line for each step.

`time,bit/s`, `time_s,rate_bps`, `seconds,Mbit/s`: the time in seconds (`_ms`: milliseconds).
"""

import re
from pathlib import Path

from airtcp.formats.columns import RATES
from airtcp.formats.measurement import Measurement, damaged, frame_of
from airtcp.formats.text_file import damaged_line, first_line, text_of

FORMAT = "rates CSV"
_TIME = re.compile(r"(?:time|t|seconds|timestamp)(?:[_ ]?\(?(?P<unit>s|ms|us)\)?)?")
_RATE = re.compile(
    r"(?:(?:rate|bandwidth|throughput|goodput|bitrate)[_ ]?)?\(?(?P<unit>[kmg]?(?:bps|bit/s|bits/s))\)?"
)
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
_PREFIXES = {"b": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}


def _units(content: bytes) -> tuple[float, float] | None:
    """Seconds of a unit of time, and bit/s of a unit of rate, as the first line says."""
    words = [word.strip().strip('"').lower() for word in re.split("[,;\t]", first_line(content))]
    if len(words) != 2:
        return None
    time, rate = _TIME.fullmatch(words[0]), _RATE.fullmatch(words[1])
    if time is None or rate is None:
        return None
    return _SECONDS[time["unit"] or "s"], _PREFIXES[rate["unit"][0]]


def is_rates_csv(content: bytes) -> bool:
    """Whether the first line names a time and a rate with its unit."""
    return _units(content) is not None


def read_rates_csv(file: Path, content: bytes) -> Measurement:
    """The frame `rates`; times that do not rise, and what is no number, are an `AirtcpError`."""
    units = _units(content)
    assert units, "recognised"
    rows: list[dict[str, float]] = []
    last_s = first_s = None
    for number, line in enumerate(text_of(file, content).splitlines()[1:], start=2):
        if not line.strip():
            continue
        words = re.split("[,;\t]", line)
        try:
            time_s, rate = (float(word) for word in words)
        except ValueError:
            raise damaged_line(file, number, "is not a time and a rate") from None
        time_s *= units[0]
        if last_s is not None and not time_s > last_s:
            raise damaged_line(file, number, "has a time that does not rise")
        if not 0 <= rate < float("inf"):
            raise damaged_line(file, number, f"has the rate {rate:g}")
        last_s, first_s = time_s, time_s if first_s is None else first_s
        rows.append({"time_ns": round((time_s - first_s) * 1e9), "rate_bps": rate * units[1]})
    if len(rows) < 2:
        raise damaged(file, "it has fewer than two lines: a step has no length")
    return Measurement(file, FORMAT, {"rates": frame_of(RATES, rows)}, {"first_s": first_s})
