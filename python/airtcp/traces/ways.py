"""Ways of nodes: what formats of movements share."""

from pathlib import Path

from airtcp.formats.text_file import damaged_line
from airtcp.traces.recording import PLACE, Recording, Values

# How programs write a number.
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
# A day, and a place that a scenario can have.
TIME_MOST_S, METRES_MOST = 86_400.0, 1e6

Place = tuple[float, float, float]


def metres(text: str, place: tuple[Path, int]) -> float:
    """A coordinate; one that is too far away is an `AirtcpError` about this line of this file."""
    value = float(text)
    if not abs(value) <= METRES_MOST:
        raise damaged_line(*place, f"has {text} m, which is more than {METRES_MOST:g} m away")
    return value


def way_recording(
    file: Path, node: int, points: list[tuple[float, Place]], notes: tuple[str, ...] = ()
) -> Recording:
    """The way of a node with this number: times in seconds, and places in metres."""
    times = [time_s for time_s, _ in points]
    columns: dict[str, Values] = {axis: [place[n] for _, place in points] for n, axis in enumerate(PLACE)}
    return Recording(f"{file.stem}-node{node}", "way", times, columns, times[-1], notes)
