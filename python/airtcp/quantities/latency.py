"""What each application waits for: round trips of pings, delays of datagrams, times of transfers, in ms.

What was lost is censored at infinity, what was under way at the run's end at the time that it had taken.
"""

from typing import TYPE_CHECKING

from airtcp.data.run_folder import Run
from airtcp.data.series_file import within
from airtcp.metrics.completion import transfer_times
from airtcp.metrics.delay import arrival_times
from airtcp.metrics.rtt import RoundTrips, round_trips
from airtcp.metrics.survival import Sample
from airtcp.quantities.flows import flows_with

if TYPE_CHECKING:
    import polars

# Workloads whose transfers are recorded, and what one is.
TRANSFERS = {"requests": "responses", "web": "pages", "video": "segments", "on_off": "bursts"}

# From and to, in ns from the epoch; what begins in it counts.
Span = tuple[int, int]


def latencies(run: Run, span: Span) -> dict[str, Sample]:
    """By name and kind, as `voice (datagrams)`; what nothing was sent of is left out."""
    found: dict[str, Sample] = {}
    for number, ping in enumerate(run.plan["pings"]):
        found[f"{ping['name']} (ping)"] = ping_sample(run, number, span)
    for number, stream in enumerate(run.plan.get("datagrams", ())):
        found[f"{stream['name']} (datagrams)"] = stream_sample(run, number, span)
    if "transfers" in run.recorded:
        for kind, what in TRANSFERS.items():
            for flow in flows_with(run, kind):
                found[f"{run.flow_plans[flow]['name']} ({what})"] = transfer_sample(run, flow, span)
    return {name: sample for name, sample in found.items() if sample.size}


def ping_sample(run: Run, ping: int, span: Span) -> Sample:
    """Round-trip times of a ping."""
    return arrived(begun_in(run.ping_samples(ping), span), "rtt_ns", run.end_ns)


def stream_sample(run: Run, stream: int, span: Span) -> Sample:
    """One-way delays of the datagrams of a stream."""
    return arrived(begun_in(run.stream_datagrams(stream), span), "delay_ns", run.end_ns)


def transfer_sample(run: Run, flow: int, span: Span) -> Sample:
    """Times from asking for a transfer until all of it was there."""
    frame = begun_in(run.transfers_of(flow), span)
    return transfer_times(frame["time_ns"].to_numpy(), frame["end_ns"].to_numpy(), run.end_ns)


def arrived(frame: "polars.DataFrame", column: str, end_ns: int) -> Sample:
    """Times of packets, whose rows are in the order in which they were sent."""
    return arrival_times(frame["time_ns"].to_numpy(), frame[column].to_numpy(), end_ns)


def ping_round_trips(run: Run, ping: int, start_ns: int, stop_ns: int) -> RoundTrips:
    """Round trips of one ping's requests sent in the span."""
    samples = run.ping_samples(ping)
    return round_trips(samples["time_ns"].to_numpy(), samples["rtt_ns"].to_numpy(), start_ns, stop_ns)


def begun_in(frame: "polars.DataFrame", span: Span) -> "polars.DataFrame":
    """The rows of what began in the span."""
    return within(frame, span[0], span[1] - 1)
