"""octoping (github.com/private-octopus/octoping): CSV, a line for each packet, times in microseconds.

Of a lost packet only number and time sent are not zero.
"""

from pathlib import Path
from typing import Any

from airtcp.formats.columns import ROUND_TRIPS
from airtcp.formats.measurement import Measurement, damaged, frame_of
from airtcp.formats.text_file import damaged_line, first_line, text_of

FORMAT = "octoping CSV"
_HEAD = ["number", "sent", "received", "echo", "rtt", "up_t", "down_t", "phase"]
_US = 1_000


def is_octoping(content: bytes) -> bool:
    """Whether the first line has its columns."""
    return [word.strip() for word in first_line(content).split(",")] == _HEAD


def read_octoping(file: Path, content: bytes) -> Measurement:
    """The frame `round_trips`; a line that is cut or no numbers is an `AirtcpError`."""
    text = text_of(file, content)
    if not text.endswith("\n"):
        raise damaged(file, "its last line is cut")
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines()[1:], start=2):
        words = line.split(",")
        if len(words) != len(_HEAD):
            raise damaged_line(file, number, f"has {len(words)} values instead of {len(_HEAD)}")
        try:
            values = dict(zip(_HEAD, map(int, words), strict=True))
        except ValueError:
            raise damaged_line(file, number, "has something else than whole numbers") from None
        lost = values["rtt"] == 0
        rows.append(
            {
                "sequence": values["number"],
                "time_ns": values["sent"] * _US,
                "rtt_ns": -1 if lost else values["rtt"] * _US,
                "up_ns": None if lost else values["up_t"] * _US,
                "down_ns": None if lost else values["down_t"] * _US,
                "lost": "somewhere" if lost else "no",
            }
        )
    if not rows:
        raise damaged(file, "it has no packet")
    # A lost packet's line comes when its echo is given up.
    rows.sort(key=lambda row: int(row["sequence"]))
    return Measurement(file, FORMAT, {"round_trips": frame_of(ROUND_TRIPS, rows)})
