"""Stations that roam: with which access point each is, how often it changes it, and what that costs.

As the series `stations` samples them: a station of mac80211 has an entry for its access point, and says so.
In runs of older versions and of real networks nobody says so: there it is the entry of a station of the plan
for an access point of the plan, of which it has no other. An access point may keep that of a station that
left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from airtcp.data.series_file import in_time
from airtcp.metrics.arrays import Booleans, Floats, Integers
from airtcp.quantities.chosen_rates import DATA, RECEIVED
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.line import Join
from airtcp.quantities.quantity import Override, Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

Values = TypeVar("Values", Integers, Floats)
# In place of the number of an access point.
NOBODY = -1


@dataclass(frozen=True)
class Association:
    """With which access point the radio `station` is, from each time to the next."""

    station: int
    times_ns: Integers
    access_points: Integers

    def at(self, times_ns: Integers) -> Integers:
        """The access point at each time; `NOBODY` before the first sample."""
        places = np.searchsorted(self.times_ns, times_ns, side="right")
        found: Integers = np.concatenate(([NOBODY], self.access_points))[places]
        return found


@dataclass(frozen=True)
class Handover:
    """A change of the access point, which came after the sample at `after_ns`, and by that at `by_ns`."""

    after_ns: int
    by_ns: int
    old: int
    new: int


def associations(view: RunView) -> list[Association]:
    """Each station's; cells of airtcp's own MAC, whose stations stay where they are, have none.

    Where programs make networks of radios, those are stations that were ever associated.
    """
    frame = in_time(view.series("stations"))
    frame = frame.filter(_of_access_points(view, frame))
    plan = view.run.plan["air"]
    made = []
    for number, radio in enumerate(plan["nics"]):
        own = frame.filter(frame["nic"] == number)
        linux = plan["cells"][radio["cell"]].get("linux")
        must_be = linux and linux.get("setup") != "programs"
        if radio["role"] == "station" and (own.height or must_be):
            seen = own.unique("time_ns", keep="last", maintain_order=True)
            times, peers = (seen[name].to_numpy().astype(np.int64) for name in ("time_ns", "peer"))
            made.append(Association(number, *with_gaps(view, times, peers, NOBODY)))
    return made


def _of_access_points(view: RunView, frame: "polars.DataFrame") -> "polars.Series":
    """Which entries are those of stations for their access points."""
    if "access_point" in frame.columns:
        return frame["access_point"] == 1
    nics = view.run.plan["air"]["nics"]
    access_points, stations = (
        [number for number, nic in enumerate(nics) if nic["role"] == role]
        for role in ("access_point", "station")
    )
    return frame["nic"].is_in(stations) & frame["peer"].is_in(access_points)


def by_station(view: RunView) -> dict[int, Association]:
    """The associations by radio; none where they were not recorded."""
    return {own.station: own for own in associations(view)} if view.has("stations") else {}


def is_there(stations: Mapping[int, Association], nic: int, peer: int, times_ns: Integers) -> Booleans:
    """At which times an entry of radio `nic` for a peer is of one that is there.

    An access point keeps the entry of a station that has roamed, with what was last true of it: one that is
    with another access point is not there.
    """
    if peer not in stations:
        return np.ones(times_ns.size, bool)
    there: Booleans = np.isin(stations[peer].at(times_ns), (nic, NOBODY))
    return there


def with_gaps(
    view: RunView, times_ns: Integers, values: Values, nothing: float, series: str = "stations"
) -> tuple[Integers, Values]:
    """The samples of an entry of a series, and `nothing` from the instant on at which one is not there."""
    step_ns = view.interval_ns(series)
    if times_ns.size > 1:
        # Programs that sample real machines take longer than they were asked to.
        step_ns = max(step_ns, int(np.median(np.diff(times_ns))))
    before, after = np.concatenate(([0], times_ns)), np.concatenate((times_ns, [view.run.end_ns]))
    # Half a step late is late, a whole one is a sample without an entry.
    missing = before[after - before > 1.5 * step_ns] + step_ns
    times = np.concatenate((times_ns, missing))
    order = np.argsort(times, kind="stable")
    filled = np.concatenate((values, np.full(missing.size, nothing, values.dtype)))
    return times[order], filled[order]


def handovers_of(association: Association) -> list[Handover]:
    """From one access point to another; to lose one and find it again is none."""
    known = association.access_points != NOBODY
    times, peers = association.times_ns[known], association.access_points[known]
    places = np.flatnonzero(np.diff(peers)) + 1
    return [Handover(int(times[n - 1]), int(times[n]), int(peers[n - 1]), int(peers[n])) for n in places]


def gaps(handovers: Sequence[Handover], ends_ns: Integers, senders: Integers) -> tuple[Integers, Integers]:
    """Begin and length in ns of the gap of each handover, from the PPDUs that reached the station, in time.

    It lasts from the last one from the old access point to the first one from the new one. What the old one
    still sends later on the same channel comes too late. A handover without both has no gap.
    """
    begins, lengths = [], []
    for number, handover in enumerate(handovers):
        until_ns = handovers[number + 1].by_ns if number + 1 < len(handovers) else np.iinfo(np.int64).max
        from_new = (senders == handover.new) & (ends_ns > handover.after_ns) & (ends_ns <= until_ns)
        if from_new.any():
            first = int(np.argmax(from_new))
            from_old = np.flatnonzero(senders[:first] == handover.old)
            if from_old.size:
                begins.append(int(ends_ns[from_old[-1]]))
                lengths.append(int(ends_ns[first]) - begins[-1])
    return np.array(begins, np.int64), np.array(lengths, np.int64)


def _of_station(view: RunView, association: Association, values: Integers | Booleans) -> Entity:
    nic = association.station
    as_numbers = values.astype(np.float64)
    return Entity(
        view.radio_names[nic], association.times_ns, as_numbers, node=view.node_of(nic), join=Join.UNTIL
    )


def associated(view: RunView) -> list[Entity]:
    """1 while a station is with an access point that `peer` names, 0 while it is not."""
    radios = range(len(view.radio_names))
    chosen = [n for n in radios if fnmatchcase(view.node_of(n), view.arguments.peer)]
    return [_of_station(view, own, np.isin(own.access_points, chosen)) for own in associations(view)]


def _met(view: RunView) -> list[int]:
    """The access points with which a station ever was."""
    found = {int(number) for own in associations(view) for number in np.unique(own.access_points)}
    return sorted(found - {NOBODY})


def drawn_associations(view: RunView) -> list[Entity]:
    """The place of each station's access point among those of `_met`; none while it has none."""
    met = _met(view)
    places = {number: float(place) for place, number in enumerate(met)} | {NOBODY: float("nan")}
    made = []
    for own in associations(view):
        values = np.array([places[int(number)] for number in own.access_points])
        made.append(_of_station(view, own, values))
    return made


def handovers(view: RunView) -> list[Entity]:
    """The handovers of each station so far."""
    made = []
    for own in associations(view):
        at_ns = [each.by_ns for each in handovers_of(own)]
        made.append(_of_station(view, own, np.searchsorted(at_ns, own.times_ns, side="right")))
    return made


def handover_gaps(view: RunView) -> list[Entity]:
    """The gaps in ns of each station that had any, at their begin."""
    from polars import col

    # An A-MPDU of which a part arrived counts as received. Frames of the key handshake are no data here: they
    # go at the lowest rate, like management.
    received = (col("kind") == DATA) & (col("outcome") == RECEIVED)
    arrived = view.series("ppdus").filter(received).sort("end_ns", maintain_order=True)
    made = []
    for own in associations(view):
        rows = arrived.filter(arrived["to"] == own.station)
        ends_ns, senders = (rows[name].to_numpy().astype(np.int64) for name in ("end_ns", "nic"))
        begins_ns, lengths_ns = gaps(handovers_of(own), ends_ns, senders)
        if begins_ns.size:
            name, known = view.radio_names[own.station], np.zeros(begins_ns.size, bool)
            node = view.node_of(own.station)
            made.append(Entity(name, begins_ns, lengths_ns, node=node, at_least=known))
    return made


QUANTITIES = {
    "associated_to": Quantity(
        "Association",
        "",
        "share of time in which a station is with an access point that `peer` names (default: any), as "
        "mac80211 of the station has it (drawn: with which); number: mean over stations",
        ("stations",),
        3,
        entities=associated,
        across="mean",
        override=Override(
            "the name of the access point says more than whether there is one",
            drawn=drawn_associations,
            drawn_names=lambda view: [view.radio_names[number] for number in _met(view)],
        ),
        most=1.0,
    ),
    "handovers": Quantity(
        "Handovers",
        "",
        "how often stations change from one access point to another, as samples of mac80211 show it; number: "
        "of all stations",
        ("stations",),
        0,
        entities=handovers,
        kind=Kind.COUNT,
        across="sum",
    ),
    "handover_gap": Quantity(
        "Handover gap",
        "ms",
        "of each handover, time from the arrival of the last data PPDU from the old access point to that of "
        "the first one from the new one; of a handover without traffic to the station there is none",
        ("stations", "ppdus"),
        1,
        entities=handover_gaps,
        kind=Kind.EVENT,
        scale=1e-6,
        higher_is_better=False,
    ),
}
