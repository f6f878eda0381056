"""Instants of a run: what was lost, dropped or sent again, and states of congestion control."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.timeline.packets import Packets
from airtcp.timeline.places import Place, Places, queue_place
from airtcp.timeline.ppdus import Integers, whole

# What identifies a queueing discipline.
_QUEUE = ("node", "interface", "handle")
# `enum tcp_ca_state` of Linux's include/net/tcp.h.
CA_STATES = ("open", "disorder", "CWR", "recovery", "loss")


@dataclass(frozen=True)
class Marks:
    """Instants of one kind at one place: a flow, a queue or a radio.

    `sampled`: a count at the end of a sampling interval, in which it happened; else the exact time. `text`
    of an instant is `texts[value]`, or without texts the value is how many they were.
    """

    place: Place
    name: str
    times_ns: Integers
    values: Integers
    texts: tuple[str, ...] = ()
    sampled: bool = False


def marks_of(run: Run, packets: Packets | None) -> list[Marks]:
    """All marks of a run, of what it recorded."""
    found = [*_of_flows(run, packets), *_states(run), *_of_queues(run), *_of_radios(run)]
    return [marks for marks in found if marks.times_ns.size]


def _of_flows(run: Run, packets: Packets | None) -> Iterator[Marks]:
    for number, place in enumerate(Places(run).flows()):
        if packets is not None:
            own = packets.flow == number
            again, lost = (np.flatnonzero(own & which) for which in (packets.again, packets.delay_ns < 0))
            yield Marks(place, "sent again", packets.time_ns[again], packets.sequence[again])
            yield Marks(place, "sent and lost", packets.time_ns[lost], packets.sequence[lost])
        elif "flows" in run.recorded:
            yield _increments(place, "sent again", run, ("flows", "total_retrans", {"flow": number}))


def _states(run: Run) -> Iterator[Marks]:
    source = next((name for name in ("acks", "flows") if name in run.recorded), None)
    if source is None:
        return
    for number, place in enumerate(Places(run).flows()):
        frame = run.part(source, "flow", number)
        state = np.minimum(whole(frame, "ca_state"), len(CA_STATES) - 1)
        changes = np.flatnonzero(np.diff(state)) + 1
        times = whole(frame, "time_ns")[changes]
        sampled = source == "flows"
        yield Marks(place, "CA state", times, state[changes], CA_STATES, sampled)


def _of_queues(run: Run) -> Iterator[Marks]:
    if "qdiscs" not in run.recorded:
        return
    for key, part in run.parts("qdiscs", *_QUEUE, named=True).items():
        place = queue_place(part)
        keys = dict(zip(_QUEUE, key, strict=True))
        for column, name in (("drops", "dropped"), ("marks", "marked")):
            yield _increments(place, name, run, ("qdiscs", column, keys))


def _of_radios(run: Run) -> Iterator[Marks]:
    if "air" not in run.recorded:
        return
    for number, place in enumerate(Places(run).radios()):
        yield _increments(place, "given up", run, ("air", "dropped", {"nic": number}))


def _increments(place: Place, name: str, run: Run, of: tuple[str, str, dict[str, int]]) -> Marks:
    """Where a counter of a series went up, and by how much."""
    series, column, keys = of
    part = run.parts(series, *keys).get(tuple(keys.values()))
    none = np.zeros(0, np.int64)
    if part is None:
        return Marks(place, name, none, none)
    counts = whole(part, column)
    steps = np.diff(np.concatenate(([0], counts)))
    ups = np.flatnonzero(steps > 0)
    return Marks(place, name, whole(part, "time_ns")[ups], steps[ups], sampled=True)
