"""Files that scenarios replay, and the lines of a scenario that name them."""

import csv
import io
import re
from pathlib import Path

from airtcp.traces.recording import PLACE, Recording

# A nanosecond, as plans have it.
_TIME_DIGITS = 9


def trace_text(recording: Recording) -> str:
    """The CSV of a recording: its rows where something changes, then its end, which `repeat` needs."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time_s", *recording.columns])
    before: list[str] | None = None
    for place, time_s in enumerate(recording.times_s):
        cells = [_cell(values[place]) for values in recording.columns.values()]
        if cells != before:
            writer.writerow([_decimal(time_s), *cells])
        before = cells
    writer.writerow([_decimal(recording.end_s), *("" for _ in recording.columns)])
    return text.getvalue()


def scenario_lines(recording: Recording, file: Path) -> str:
    """Lines for a scenario: the trace of a wire, a recording of a link, or a radio's way."""
    name = file.name
    if recording.use == "way":
        return _way(recording)
    if recording.use == "link":
        head = f"[[channel.trace]]         # {recording.name}"
        return f'{head}\nfrom = "ap1"\nto = "sta1"\nfile = "{name}"\nrepeat = true'
    return (
        f"[wire.towards.h1]         # {recording.name}: below its [[wire]], the direction to this node\n"
        f'trace = {{ file = "{name}", repeat = true }}'
    )


def _way(recording: Recording) -> str:
    lines = [f"[wifi.home.radio.sta1]    # {recording.name}", "waypoints = ["]
    axes = [recording.columns[axis] for axis in PLACE if axis in recording.columns]
    for place, time_s in enumerate(recording.times_s):
        position = ", ".join(f'"{_decimal(axis[place] or 0.0)} m"' for axis in axes)
        lines.append(f'    {{ time = "{_decimal(time_s)} s", position = [{position}] }},')
    return "\n".join([*lines, "]"])


def file_name(base: Path, recording: Recording, several: bool) -> Path:
    """File of a recording: `base`, or, if there are several, beside it with its name."""
    if not several:
        return base
    word = re.sub(r"[^A-Za-z0-9.]+", "-", recording.name).strip("-").lower()
    return base.with_name(f"{base.stem}-{word}{base.suffix}")


def _cell(value: float | None) -> str:
    return "" if value is None else _decimal(value)


def _decimal(value: float) -> str:
    text = f"{value:.{_TIME_DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
