"""A run over time: which of its series show a quantity."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.metrics.rates import per_second
from airtcp.plots.time_series import Line, Panel, TimeSeriesChart, prepare_time_series

if TYPE_CHECKING:
    import polars

# Linux's TCP_INFINITE_SSTHRESH (include/net/tcp.h): no slow start threshold yet.
_NO_THRESHOLD = 0x7FFF_FFFF


def run_chart(run: Run, what: Sequence[str]) -> TimeSeriesChart:
    """The quantities of these names, one panel each; an unknown or unsampled one is an `AirtcpError`."""
    panels = []
    for name in what:
        if name not in QUANTITIES:
            raise AirtcpError(f'there is no quantity "{name}"', "--what", f"Known: {', '.join(QUANTITIES)}")
        label, lines = QUANTITIES[name]
        made = tuple(lines(run))
        if not any(line.values for line in made):
            raise AirtcpError(f'the run has no samples of "{name}"', str(run.folder), "Leave it out")
        panels.append(Panel(label, made))
    caption = f"{run.plan['name']}, run {run.name}, seed {run.plan['seed']}."
    return prepare_time_series(panels, caption, run.plan["duration_ns"] / 1e9)


def _flows(run: Run) -> Iterable[tuple[str, "polars.DataFrame"]]:
    for number, flow in enumerate(run.plan["flows"]):
        yield f"{flow['name']} ({flow['congestion_control']})", run.flow_samples(number)


def _radios(run: Run) -> Iterable[tuple[str, "polars.DataFrame"]]:
    frame = run.series("air")
    names = [nic["node"] for nic in run.plan["air"]["nics"]]
    for number, name in enumerate(names):
        label = name if names.count(name) == 1 else f"{name}, radio {number}"
        yield label, frame.filter(frame["nic"] == number).sort("time_ns")


def _values(label: str, frame: "polars.DataFrame", column: str, scale: float, dashed: bool = False) -> Line:
    times = tuple(time / 1e9 for time in frame["time_ns"])
    return Line(label, times, tuple(value * scale for value in frame[column]), dashed=dashed)


def _rates(label: str, frame: "polars.DataFrame", column: str, scale: float) -> Line:
    times, rates = per_second(frame["time_ns"].to_list(), frame[column].to_list())
    return Line(label, tuple(times), tuple(rate * scale for rate in rates))


def _of_flows(column: str, scale: float) -> Callable[[Run], list[Line]]:
    return lambda run: [_values(label, frame, column, scale) for label, frame in _flows(run)]


def _of_radios(column: str, scale: float) -> Callable[[Run], list[Line]]:
    return lambda run: [_rates(label, frame, column, scale) for label, frame in _radios(run)]


def _rate(run: Run) -> list[Line]:
    return [_rates(label, frame, "bytes_received", 8e-6) for label, frame in _flows(run)]


def _cwnd(run: Run) -> list[Line]:
    lines = []
    for label, frame in _flows(run):
        lines.append(_values(label, frame, "cwnd", 1.0))
        known = frame.filter(frame["ssthresh"] < _NO_THRESHOLD)
        if len(known):
            lines.append(_values(f"{label} ssthresh", known, "ssthresh", 1.0, dashed=True))
    return lines


def _pacing(run: Run) -> list[Line]:
    # "No limit" is the largest number.
    limited = ((label, frame.filter(frame["pacing_rate_bps"] < 2**62)) for label, frame in _flows(run))
    return [_values(label, frame, "pacing_rate_bps", 1e-6) for label, frame in limited]


def _ping_rtt(run: Run) -> list[Line]:
    lines = []
    for number, ping in enumerate(run.plan["pings"]):
        frame = run.ping_samples(number)
        answered = frame.filter(frame["rtt_ns"] >= 0)
        line = _values(ping["name"], answered, "rtt_ns", 1e-6)
        lines.append(Line(line.label, line.times_s, line.values, points=True))
    return lines


def _queue(run: Run) -> list[Line]:
    return [_values(label, frame, "queue_packets", 1.0) for label, frame in _radios(run)]


# By name: what stands at the axis, and how the lines are made.
QUANTITIES: dict[str, tuple[str, Callable[[Run], list[Line]]]] = {
    "rate": ("Received\n[Mbit/s]", _rate),
    "cwnd": ("cwnd, ssthresh\n[segments]", _cwnd),
    "srtt": ("srtt [ms]", _of_flows("srtt_us", 1e-3)),
    "inflight": ("Unacked\n[segments]", _of_flows("unacked", 1.0)),
    "delivery_rate": ("Delivery rate\n[Mbit/s]", _of_flows("delivery_rate_bps", 1e-6)),
    "pacing_rate": ("Pacing rate\n[Mbit/s]", _pacing),
    "resent": ("Resent so far\n[segments]", _of_flows("total_retrans", 1.0)),
    "rtt": ("Ping RTT [ms]", _ping_rtt),
    "queue": ("Radio queue\n[packets]", _queue),
    "retries": ("MAC retries\n[1/s]", _of_radios("retries", 1.0)),
    "collisions": ("Collisions\n[1/s]", _of_radios("collisions", 1.0)),
    "airtime": ("Airtime\n[%]", _of_radios("airtime_ns", 1e-7)),
}
