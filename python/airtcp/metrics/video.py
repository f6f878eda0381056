"""What a viewer of adaptive streaming sees, from the times at which segments arrived.

The player is that of `docs/models/workloads.md`: it plays when `startup` of playing time is in its buffer,
stalls when the buffer is empty and a segment comes later than that, and goes on at `resume`, or when the
whole film is there.

* **Start-up delay** (join time): from the start of the connection to the first picture.
* **Stall**: from the empty buffer to the next picture; the **stall ratio** is the time of stalls over the
  time from the first picture on. A stall that lasts until the end counts until then.
* **Mean rate**: of the segments that arrived, weighted by their playing time.
* **Switches**: segments whose rate differs from that of the one before.

Dobrian et al., SIGCOMM 2011 (join time, buffering ratio, average bitrate); Seufert et al., IEEE
Communications Surveys & Tutorials 17(1), 2015, section III (initial delay, stalling, adaptation).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from airtcp.metrics.arrays import Floats


@dataclass(frozen=True)
class Stall:
    """Nothing to show, from `start_ns` for `length_ns`."""

    start_ns: int
    length_ns: int


@dataclass(frozen=True)
class Levels:
    """The levels of the buffer at which playing begins, and goes on after a stall."""

    startup_ns: int
    resume_ns: int


@dataclass(frozen=True)
class Segment:
    """A segment that arrived at `end_ns` and has `length_ns` of playing time."""

    end_ns: int
    length_ns: int
    rate_bps: int


@dataclass(frozen=True)
class Playback:
    """What a viewer saw. `startup_s` is `nan` if there never was a picture.

    `levels` are points of the buffer's level over time, in ns, between which it is straight: before and
    after each segment, and where it ran empty.
    """

    startup_s: float
    stalls: tuple[Stall, ...]
    stalled_s: float
    stall_ratio: float
    mean_rate_mbps: float
    switches: int
    levels: tuple[tuple[int, int], ...]


@dataclass
class _Player:
    """The player at `now_ns`; `levels.startup_ns` is what it waits for before its first picture."""

    levels: Levels
    now_ns: int
    level_ns: int = 0
    begun_ns: int | None = None
    empty_ns: int | None = None

    @property
    def playing(self) -> bool:
        return self.begun_ns is not None and self.empty_ns is None

    def play_until(self, now_ns: int) -> int | None:
        """Plays; returns when the buffer ran empty, if it did."""
        passed_ns, ran_empty_ns = now_ns - self.now_ns, None
        if self.playing:
            if passed_ns > self.level_ns:
                ran_empty_ns = self.empty_ns = self.now_ns + self.level_ns
            self.level_ns = max(0, self.level_ns - passed_ns)
        self.now_ns = now_ns
        return ran_empty_ns

    def resumes(self, whole: bool) -> bool:
        """Whether it plays (again) with what it has."""
        needed_ns = self.levels.startup_ns if self.begun_ns is None else self.levels.resume_ns
        return not self.playing and (whole or self.level_ns >= needed_ns)


def playback(
    segments: Sequence[Segment], levels: Levels, start_ns: int, end_ns: int, whole_film: bool
) -> Playback:
    """What a viewer saw from the start of the connection until `end_ns`.

    `segments` are in the order of arrival; with `whole_film` the last is the film's last, after which
    nothing can stall.
    """
    player, stalls = _Player(levels, start_ns), list[Stall]()
    points: list[tuple[int, int]] = [(start_ns, 0)]
    for number, segment in enumerate(segments):
        if segment.end_ns < player.now_ns:
            raise ValueError(f"segment {number} arrived before the one before it")
        empty_ns = player.play_until(segment.end_ns)
        points += [(empty_ns, 0)] if empty_ns is not None else []
        points.append((segment.end_ns, player.level_ns))
        player.level_ns += segment.length_ns
        points.append((segment.end_ns, player.level_ns))
        if player.resumes(whole_film and number == len(segments) - 1):
            if player.empty_ns is not None:
                stalls.append(Stall(player.empty_ns, segment.end_ns - player.empty_ns))
                player.empty_ns = None
            if player.begun_ns is None:
                player.begun_ns = segment.end_ns
    watched_until_ns = _finish(player, stalls, points, end_ns, whole_film)
    return _summary(player, segments, stalls, points, watched_until_ns)


def _finish(
    player: _Player, stalls: list[Stall], points: list[tuple[int, int]], end_ns: int, whole_film: bool
) -> int:
    """Plays what is left; returns when the viewer stopped."""
    if end_ns < player.now_ns:
        return player.now_ns
    over_ns = min(end_ns, player.now_ns + player.level_ns) if whole_film and player.playing else end_ns
    empty_ns = player.play_until(over_ns)
    points += [(empty_ns, 0)] if empty_ns is not None else []
    points.append((over_ns, player.level_ns))
    if player.empty_ns is not None:
        stalls.append(Stall(player.empty_ns, over_ns - player.empty_ns))
    return over_ns


def _summary(
    player: _Player,
    segments: Sequence[Segment],
    stalls: list[Stall],
    points: list[tuple[int, int]],
    until_ns: int,
) -> Playback:
    nothing = float("nan")
    stalled_ns = sum(stall.length_ns for stall in stalls)
    watched_ns = until_ns - player.begun_ns if player.begun_ns is not None else 0
    length_ns = sum(segment.length_ns for segment in segments)
    rates = [segment.rate_bps for segment in segments]
    bits = sum(segment.rate_bps * segment.length_ns for segment in segments)
    return Playback(
        startup_s=nothing if player.begun_ns is None else (player.begun_ns - points[0][0]) / 1e9,
        stalls=tuple(stalls),
        stalled_s=stalled_ns / 1e9,
        stall_ratio=stalled_ns / watched_ns if watched_ns > 0 else nothing,
        mean_rate_mbps=bits / length_ns / 1e6 if length_ns else nothing,
        switches=sum(one != other for one, other in pairwise(rates)),
        levels=tuple(points),
    )


def buffer_levels(seen: Playback, times_s: Floats) -> Floats:
    """Playing time in s in the buffer at these times, of those within the playback."""
    levels = np.array(seen.levels, np.float64).reshape(-1, 2) / 1e9
    if not len(levels):
        return np.empty(0)
    inside = times_s[(times_s >= levels[0, 0]) & (times_s <= levels[-1, 0])]
    found: Floats = np.interp(inside, levels[:, 0], levels[:, 1])
    return found
