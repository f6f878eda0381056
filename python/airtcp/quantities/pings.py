"""Round-trip times of echo requests (ping), before the traffic and during it."""

from airtcp.metrics.means import mean_of_known
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.latency import ping_round_trips, ping_times
from airtcp.quantities.quantity import Override, Quantity
from airtcp.quantities.run_view import RunView


def round_trip_times(view: RunView) -> list[Entity]:
    """The round-trip time in ms of each echo request of the chosen pings."""
    view.series("pings")
    return [ping_times(view.run, ping) for ping in view.pings]


def idle_rtt(view: RunView) -> float:
    """Mean before the first flow, without the very first request, which waits for ARP."""
    view.series("pings")
    found = []
    for ping in view.pings:
        planned = view.run.plan["pings"][ping]
        begin_ns = planned["start_ns"] + planned["interval_ns"]
        found.append(ping_round_trips(view.run, ping, begin_ns, view.start_ns).mean_ms)
    return mean_of_known(found)


QUANTITIES = {
    "rtt": Quantity(
        "RTT (ping)",
        "ms",
        "round-trip time of the echo requests of a `[[ping]]` that were sent in the span; number: mean "
        "of those answered",
        ("pings",),
        entities=round_trip_times,
        kind=Kind.EVENT,
        higher_is_better=False,
    ),
    "idle_rtt": Quantity(
        "RTT of the idle network",
        "ms",
        "mean of the echo requests before the first flow, without the first one, which waits for ARP",
        ("pings",),
        override=Override("its time is before the span", idle_rtt),
    ),
}
