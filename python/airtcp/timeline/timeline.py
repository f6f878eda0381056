"""The timeline of a run: everything that its series say happened, and what they do not say."""

from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.data.series.catalogue import SERIES
from airtcp.timeline.counters import Counter, counters_of
from airtcp.timeline.marks import Marks, marks_of
from airtcp.timeline.packets import Packets, packets_of
from airtcp.timeline.places import Place, Places
from airtcp.timeline.ppdus import Ppdus, Txops, ppdus_of, txops_of
from airtcp.timeline.segments import Crossings, crossings_of, has_air_capture

# What a series of events shows. Samples need no word: their intervals are.
_SHOWS = {
    "ppdus": "PPDUs and TXOPs",
    "delays": "TCP packets with their delays, losses and retransmissions at their times",
    "acks": "congestion control at every acknowledgement; else only at sampling instants",
    "air": "queues, airtime and losses of radios over time",
}
_AIR_CAPTURE = "[[capture]] with air = true"


@dataclass(frozen=True)
class Lacking:
    """What a run did not record, and what a scenario says to have it; "" if nothing can."""

    what: str
    setting: str


@dataclass(frozen=True)
class Timeline:
    """Columns of what happened; `None` is what the run did not record, and `lacking` says why.

    Times are nanoseconds of virtual time from the epoch, when traffic may start.
    """

    run: Run
    radios: tuple[Place, ...]
    flows: tuple[Place, ...]
    ppdus: Ppdus | None
    txops: Txops | None
    packets: Packets | None
    crossings: Crossings | None
    marks: tuple[Marks, ...]
    counters: tuple[Counter, ...]
    lacking: tuple[Lacking, ...]


def timeline_of(run: Run) -> Timeline:
    """The timeline of a run, of all that it recorded."""
    known = set(run.recorded)
    ppdus = ppdus_of(run) if "ppdus" in known else None
    packets = packets_of(run) if "delays" in known else None
    crossings = crossings_of(run, ppdus, packets) if ppdus is not None and has_air_capture(run) else None
    return Timeline(
        run,
        Places(run).radios(),
        Places(run).flows(),
        ppdus,
        txops_of(run) if "txops" in known else None,
        packets,
        crossings,
        tuple(marks_of(run, packets)),
        tuple(counters_of(run)),
        tuple(_lacking(run, known)),
    )


def _lacking(run: Run, known: set[str]) -> list[Lacking]:
    found = [Lacking(what, SERIES[name].setting) for name, what in _SHOWS.items() if name not in known]
    if run.measured:
        # Machines show only what their kernels tell anybody.
        return [Lacking(one.what, "") for one in found]
    if not has_air_capture(run):
        found.append(Lacking("which PPDUs carried a TCP segment and its acknowledgement", _AIR_CAPTURE))
    return found
