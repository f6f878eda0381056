"""Movements that ns-3 writes (`MobilityHelper::EnableAscii`): a line for each change of a node's course.

    now=+2000000000.0ns node=0 pos=10:20:1.5 vel=0.5:-1:0

From that time on the node moves from that place with that velocity in m/s. Where the next line of the node
has it at another place, it was put there at once.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.formats.text_file import damaged_line, text_of
from airtcp.traces.recording import Recording
from airtcp.traces.ways import METRES_MOST, NUMBER, TIME_MOST_S, Place, metres, way_recording

_VECTOR = rf"{NUMBER}:{NUMBER}:{NUMBER}"
_LINE = re.compile(
    rf"now=(?P<now>{NUMBER})(?P<unit>s|ms|us|ns|ps|fs) node=(?P<node>\d+) "
    rf"pos=(?P<place>{_VECTOR}) vel=(?P<velocity>{_VECTOR})"
)
_UNITS_S = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "fs": 1e-15}
_RECOGNISED_BYTES = 4_000
# Streams of C++ write six digits: places and velocities are known to these shares, and to a centimetre.
_SHARE, _METRES = 1e-3, 0.01


@dataclass
class _Course:
    """The places of a node until now, and its velocity."""

    points: list[tuple[float, Place]] = field(default_factory=list)
    velocity: Place = (0.0, 0.0, 0.0)

    def turn(self, time_s: float, place: Place, velocity: Place) -> None:
        if self.points:
            since_s, start = self.points[-1]
            moved = [speed * (time_s - since_s) for speed in self.velocity]
            there = (start[0] + moved[0], start[1] + moved[1], start[2] + moved[2])
            if since_s == time_s:
                self.points.pop()
            elif math.dist(there, place) > _METRES + _SHARE * (math.hypot(*moved) + math.hypot(*place)):
                self.points.append((time_s - 1e-9, there))
        self.points.append((time_s, place))
        self.velocity = velocity


def is_ns3_courses(content: bytes) -> bool:
    """Whether the first line is about the course of a node."""
    return _LINE.match(content[:_RECOGNISED_BYTES].decode("utf-8", "replace").lstrip()) is not None


def read_ns3_courses(file: Path, content: bytes) -> list[Recording]:
    """The way of each node, by its number; a line that is not about a course is an `AirtcpError`."""
    courses: dict[int, _Course] = {}
    last_s = 0.0
    for number, line in enumerate(text_of(file, content).splitlines(), start=1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise damaged_line(file, number, "is not about a course (now=... node=... pos=... vel=...)")
        time_s = float(found["now"]) * _UNITS_S[found["unit"]]
        if not last_s <= time_s <= TIME_MOST_S:
            raise damaged_line(file, number, "has a time that falls, or is longer than a day")
        last_s = time_s
        x, y, z = (metres(part, (file, number)) for part in found["place"].split(":"))
        velocity = _velocity(found["velocity"], (file, number))
        courses.setdefault(int(found["node"]), _Course()).turn(time_s, (x, y, z), velocity)
    return [_recording(file, node, courses[node]) for node in sorted(courses)]


def _velocity(text: str, place: tuple[Path, int]) -> Place:
    x, y, z = (float(part) for part in text.split(":"))
    if not max(abs(x), abs(y), abs(z)) <= METRES_MOST:
        raise damaged_line(*place, f"has a velocity of {text} m/s")
    return x, y, z


def _recording(file: Path, node: int, course: _Course) -> Recording:
    moves = any(course.velocity)
    notes = ("the node still moved at its last line: what came then is not in the file",) if moves else ()
    return way_recording(file, node, course.points, notes)
