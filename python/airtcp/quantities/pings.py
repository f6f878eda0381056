"""Round-trip times of echo requests (ping), before the traffic and during it."""

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.means import mean_of_known, weighted_mean
from airtcp.metrics.survival import Sample, pooled
from airtcp.quantities.latency import ping_round_trips, ping_sample
from airtcp.quantities.line import Line, arrived_line
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Drawing, Lines, Quantity, Values
from airtcp.quantities.run_view import RunView
from airtcp.quantities.whole_run import WholeRun


def drawn_round_trips(view: RunView) -> list[Line]:
    """The round-trip time in ms of each echo request."""
    view.series("pings")
    names = [ping["name"] for ping in view.run.plan["pings"]]
    return [arrived_line(name, view.run.ping_samples(n), "rtt_ns") for n, name in enumerate(names)]


def plotted_round_trips(view: RunView) -> Values:
    """The round-trip times in ms of the requests of each ping that were sent in the window."""
    view.series("pings")
    span = view.start_ns, view.stop_ns
    return {
        str(ping["name"]): ping_sample(view.run, number, span)
        for number, ping in enumerate(view.run.plan["pings"])
    }


def by_ping(view: MetricView) -> Values:
    """Round-trip times in ms of the requests sent in the span."""
    pings, span = view.run.plan["pings"], (view.start_ns, view.stop_ns)
    return {str(pings[ping]["name"]): ping_sample(view.run, ping, span) for ping in view.pings}


def of_all_pings(view: MetricView) -> Sample:
    """Of all chosen pings, the requests sent in the span."""
    return pooled(by_ping(view).values())


def _answered_ms(view: MetricView) -> Floats:
    """Of all chosen pings, the requests sent in the span and answered."""
    return of_all_pings(view).known


def rtt(view: MetricView) -> float:
    """Mean."""
    values = _answered_ms(view)
    return float(values.mean()) if values.size else float("nan")


def rtt_least(view: MetricView) -> float:
    """Least."""
    return float(_answered_ms(view).min(initial=np.inf))


def rtt_most(view: MetricView) -> float:
    """Most."""
    return float(_answered_ms(view).max(initial=-np.inf))


def idle_rtt(view: MetricView) -> float:
    """Mean before the first flow, without the very first request, which waits for ARP."""
    found = []
    for ping in view.pings:
        planned = view.run.plan["pings"][ping]
        begin_ns = planned["start_ns"] + planned["interval_ns"]
        found.append(ping_round_trips(view.run, ping, begin_ns, view.start_ns).mean_ms)
    return mean_of_known(found)


def rtt_over_time(view: MetricView) -> Lines:
    """Each answered request of each chosen ping, at its sending time."""
    lines = {}
    for ping in view.pings:
        samples = view.run.ping_samples(ping)
        times, rtts = samples["time_ns"].to_numpy(), samples["rtt_ns"].to_numpy()
        lines[str(view.run.plan["pings"][ping]["name"])] = times[rtts >= 0] / 1e9, rtts[rtts >= 0] / 1e6
    return lines


def rtt_of_run(whole: WholeRun) -> float:
    """Mean over all answered requests sent while flows ran."""
    trips = [
        ping_round_trips(whole.run, ping, *whole.time_ns) for ping in range(len(whole.run.plan["pings"]))
    ]
    answered = [trip for trip in trips if trip.answered]
    return weighted_mean([trip.mean_ms for trip in answered], [trip.answered for trip in answered])


QUANTITIES = {
    "rtt": Quantity(
        "RTT (ping)",
        "ms",
        "round-trip time of the echo requests of a `[[ping]]` that were sent in the span; number: mean "
        "of those answered",
        ("pings",),
        number=rtt,
        values=by_ping,
        drawing=Drawing("Ping RTT [ms]", drawn_round_trips, packets=plotted_round_trips),
    ),
    "rtt_least": Quantity("least RTT", "ms", "least of the same", ("pings",), number=rtt_least),
    "rtt_most": Quantity("longest RTT", "ms", "largest of the same", ("pings",), number=rtt_most),
    "idle_rtt": Quantity(
        "RTT of the idle network",
        "ms",
        "mean of the echo requests before the first flow, without the first one, which waits for ARP",
        ("pings",),
        number=idle_rtt,
    ),
    "rtt_samples": Quantity(
        "RTT (ping)", "ms", "every echo request of all chosen pings", ("pings",), samples=of_all_pings
    ),
    "rtt_over_time": Quantity(
        "RTT (ping)", "ms", "every echo request with an answer", ("pings",), lines=rtt_over_time
    ),
    "rtt_ms": Quantity(
        "Ping RTT",
        "ms",
        "mean of all answered echo requests that were sent while flows ran",
        ("pings",),
        1,
        of_run=rtt_of_run,
        higher_is_better=False,
    ),
}
