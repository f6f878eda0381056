"""Movements in the language of ns-2 (`setdest`, BonnMotion, SUMO), which ns-3 reads too.

`$node_(0) set X_ 10.0` gives a place at the start, `$ns_ at 5.0 "$node_(0) setdest 30.0 20.0 1.5"` sends a
node to another at a speed in m/s, `$ns_ at 5.0 "$node_(0) set X_ 10.0"` puts it there. A new order ends the
one before, wherever the node is. Other lines, as those about distances (`$god_`), have no effect.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.formats.text_file import damaged_line, text_of
from airtcp.traces.recording import Recording
from airtcp.traces.ways import METRES_MOST, NUMBER, TIME_MOST_S, Place, metres, way_recording

_NODE = r"\$node_\((?P<node>\d+)\)"
_SET = re.compile(rf"{_NODE} +set +(?P<axis>[XYZ])_ +(?P<value>{NUMBER})\s*;?")
_GO = re.compile(rf"{_NODE} +setdest +(?P<x>{NUMBER}) +(?P<y>{NUMBER}) +(?P<speed>{NUMBER})")
_AT = re.compile(rf'\$ns_? +at +(?P<time>{NUMBER}) +"(?P<order>[^"]*)"\s*;?(\s*#.*)?')
_AXES = "XYZ"


@dataclass
class _Way:
    """Where a node was, when, and where it goes: since a time, from a place, with a velocity until an end."""

    points: list[tuple[float, Place]] = field(default_factory=list)
    start: Place = (0.0, 0.0, 0.0)
    goal: Place = (0.0, 0.0, 0.0)
    since_s: float = 0.0
    until_s: float = 0.0

    def at(self, time_s: float) -> Place:
        if time_s >= self.until_s:
            return self.goal
        share = (time_s - self.since_s) / (self.until_s - self.since_s)
        x, y, z = (a + share * (b - a) for a, b in zip(self.start, self.goal, strict=True))
        return x, y, z

    def note(self, time_s: float, place: Place) -> None:
        if not self.points or self.points[-1] != (time_s, place):
            self.points.append((time_s, place))

    def arrive(self, before_s: float) -> None:
        """The end of the present movement, if it comes before that time."""
        if self.since_s < self.until_s < before_s:
            self.note(self.until_s, self.goal)

    def go(self, time_s: float, goal: Place, speed: float) -> None:
        self.arrive(time_s)
        here = self.at(time_s)
        self.note(time_s, here)
        distance = math.dist(here, goal)
        moves = speed > 0 and distance > 0
        self.start, self.goal, self.since_s = here, goal if moves else here, time_s
        self.until_s = time_s + distance / speed if moves else time_s

    def put(self, time_s: float, place: Place) -> None:
        """At once: at the end of the last nanosecond it is where it was."""
        self.arrive(time_s)
        if time_s > 0:
            self.note(time_s - 1e-9, self.at(time_s))
        self.start = self.goal = place
        self.since_s = self.until_s = time_s
        if time_s == 0:
            self.points.clear()
        self.note(time_s, place)


def is_setdest(content: bytes) -> bool:
    """Whether an order about a node is among its first lines."""
    return b"$node_(" in content[:20_000]


def read_setdest(file: Path, content: bytes) -> list[Recording]:
    """The way of each node, by its number; an order that is no order of the language is an `AirtcpError`."""
    ways: dict[int, _Way] = {}
    last_s = 0.0
    for number, line in enumerate(text_of(file, content).splitlines(), start=1):
        text = line.strip()
        if "$node_(" not in text or text.startswith("#") or text.startswith("$god_"):
            continue
        timed = _AT.fullmatch(text)
        time_s = float(timed["time"]) if timed else 0.0
        order = timed["order"].strip() if timed else text
        if order.startswith("$god_"):
            continue
        if not 0 <= time_s <= TIME_MOST_S or time_s < last_s:
            raise damaged_line(file, number, "has a time that falls, or is longer than a day")
        last_s = time_s
        _obey(ways, time_s, order, (file, number))
    for way in ways.values():
        way.arrive(math.inf)
    return [way_recording(file, node, ways[node].points) for node in sorted(ways)]


def _obey(ways: dict[int, _Way], time_s: float, order: str, place: tuple[Path, int]) -> None:
    file, number = place
    if given := _SET.fullmatch(order):
        way = ways.setdefault(int(given["node"]), _Way())
        spot = list(way.at(time_s))
        spot[_AXES.index(given["axis"])] = metres(given["value"], place)
        way.put(time_s, (spot[0], spot[1], spot[2]))
    elif given := _GO.fullmatch(order):
        way = ways.setdefault(int(given["node"]), _Way())
        goal = (metres(given["x"], place), metres(given["y"], place), way.at(time_s)[2])
        speed = float(given["speed"])
        if not 0 <= speed <= METRES_MOST:
            raise damaged_line(file, number, f"has a speed of {speed:g} m/s")
        way.go(time_s, goal, speed)
    else:
        raise damaged_line(file, number, "is no order of this language (set X_, set Y_, set Z_, setdest)")
