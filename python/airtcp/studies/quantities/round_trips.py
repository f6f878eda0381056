"""Round-trip times of echo requests (ping), before the traffic and during it."""

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.rtt import round_trips
from airtcp.studies.quantities.distributions import ping_round_trips
from airtcp.studies.quantities.quantity import Lines, Quantity, mean_of
from airtcp.studies.quantities.view import View


def _every_ms(view: View) -> Floats:
    """Of all chosen pings, those sent in the span; without an answer infinite (RFC 7679, section 5.1)."""
    found = [np.empty(0)]
    for ping in view.pings:
        samples = view.run.ping_samples(ping)
        times, rtts = samples["time_ns"].to_numpy(), samples["rtt_ns"].to_numpy()
        sent = rtts[(times >= view.start_ns) & (times < view.stop_ns)]
        found.append(np.where(sent >= 0, sent / 1e6, np.inf))
    return np.concatenate(found)


def _answered_ms(view: View) -> Floats:
    """Of all chosen pings, those sent in the span and answered."""
    every = _every_ms(view)
    return every[np.isfinite(every)]


def rtt(view: View) -> float:
    """Mean."""
    values = _answered_ms(view)
    return float(values.mean()) if values.size else float("nan")


def rtt_least(view: View) -> float:
    """Least."""
    return float(_answered_ms(view).min(initial=np.inf))


def rtt_most(view: View) -> float:
    """Most."""
    return float(_answered_ms(view).max(initial=-np.inf))


def idle_rtt(view: View) -> float:
    """Mean before the first flow, without the very first request, which waits for ARP."""
    found = []
    for ping in view.pings:
        samples, planned = view.run.ping_samples(ping), view.run.plan["pings"][ping]
        times, rtts = samples["time_ns"].to_numpy(), samples["rtt_ns"].to_numpy()
        begin_ns = planned["start_ns"] + planned["interval_ns"]
        found.append(round_trips(times, rtts, begin_ns, view.start_ns).mean_ms)
    return mean_of(found)


def rtt_over_time(view: View) -> Lines:
    """Each answered request of each chosen ping, at its sending time."""
    lines = {}
    for ping in view.pings:
        samples = view.run.ping_samples(ping)
        times, rtts = samples["time_ns"].to_numpy(), samples["rtt_ns"].to_numpy()
        lines[str(view.run.plan["pings"][ping]["name"])] = times[rtts >= 0] / 1e9, rtts[rtts >= 0] / 1e6
    return lines


QUANTITIES = {
    "rtt": Quantity("RTT (ping)", "ms", number=rtt, values=ping_round_trips),
    "rtt_least": Quantity("least RTT", "ms", number=rtt_least),
    "rtt_most": Quantity("longest RTT", "ms", number=rtt_most),
    "idle_rtt": Quantity("RTT of the idle network", "ms", number=idle_rtt),
    "rtt_samples": Quantity("RTT (ping)", "ms", samples=_every_ms),
    "rtt_over_time": Quantity("RTT (ping)", "ms", lines=rtt_over_time),
}
