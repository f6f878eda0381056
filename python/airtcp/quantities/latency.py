"""What each application waits for: round trips of pings, delays of datagrams, times of transfers, in ms.

What was lost is infinite, what was under way at the run's end took at least the time that it had taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.data.run_folder import Run
from airtcp.metrics.completion import times_taken
from airtcp.metrics.delay import arrivals
from airtcp.metrics.rtt import RoundTrips, round_trips
from airtcp.metrics.survival import Estimate, Sample, pooled, statistic
from airtcp.plans.groups import Groups, is_in
from airtcp.quantities.entity import Entity, Span
from airtcp.quantities.flows import flows_with
from airtcp.quantities.quantity import Override

if TYPE_CHECKING:
    import polars

# Workloads whose transfers are recorded, and what one is.
TRANSFERS = {"requests": "responses", "web": "pages", "video": "segments", "on_off": "bursts"}


def _estimated_mean(sample: Sample) -> Estimate:
    return statistic(sample, "mean")


PRODUCT_LIMIT = Override(
    "what is under way at the end takes longer than it has taken: the mean is of the product-limit estimate",
    mean=_estimated_mean,
)


@dataclass(frozen=True)
class Wait:
    """What an application waits for: the flow, stream or ping, what is waited for, and the times in ms."""

    name: str
    kind: str
    times: Entity

    @property
    def label(self) -> str:
        """As tables and figures have it."""
        return wait_label(self.name, self.kind)


@dataclass(frozen=True)
class PooledWait:
    """The waits of one kind of a group, taken together: every packet or transfer counts alike."""

    group: str
    kind: str
    members: int
    sample: Sample


def wait_label(name: str, kind: str) -> str:
    """What is waited for, in tables and figures: `voice (datagrams)`."""
    return f"{name} ({kind})"


def pooled_label(group: str, kind: str, members: int) -> str:
    """The same of a group: `calls (datagrams of 12)`."""
    return f"{group} ({kind} of {members})"


def latencies(run: Run, span: Span) -> list[tuple[Wait, Sample]]:
    """What each application waits for, with its times in the span; what nothing was sent of is left out."""
    every = ((wait, wait.times.sample(span)) for wait in waits(run))
    return [(wait, sample) for wait, sample in every if sample.size]


def pooled_latencies(groups: Groups, every: Sequence[tuple[Wait, Sample]]) -> list[PooledWait]:
    """The latency of each group, by the kind of what is waited for: kinds mean different things."""
    found: dict[tuple[str, str], list[Sample]] = {}
    for group, patterns in groups.items():
        for wait, sample in every:
            if is_in(wait.name, patterns):
                found.setdefault((group, wait.kind), []).append(sample)
    return [PooledWait(*key, len(samples), pooled(samples)) for key, samples in found.items()]


def waits(run: Run) -> list[Wait]:
    """Everything that an application waits for."""
    made = []
    for ping, planned in enumerate(run.plan["pings"]) if "pings" in run.recorded else ():
        made.append(Wait(planned["name"], "ping", ping_times(run, ping)))
    for stream, planned in enumerate(run.plan.get("datagrams", ())) if "datagrams" in run.recorded else ():
        made.append(Wait(planned["name"], "datagrams", stream_times(run, stream)))
    for kind, what in TRANSFERS.items() if "transfers" in run.recorded else ():
        for flow in flows_with(run, kind):
            made.append(Wait(run.flow_plans[flow]["name"], what, transfer_times(run, flow)))
    return made


def ping_times(run: Run, ping: int) -> Entity:
    """Round-trip times of a ping."""
    return packets(str(run.plan["pings"][ping]["name"]), run.ping_samples(ping), "rtt_ns", run.end_ns)


def stream_times(run: Run, stream: int) -> Entity:
    """One-way delays of the datagrams of a stream."""
    return packets(
        str(run.plan["datagrams"][stream]["name"]), run.stream_datagrams(stream), "delay_ns", run.end_ns
    )


def transfer_times(run: Run, flow: int) -> Entity:
    """Times from asking for a transfer until all of it was there."""
    frame = run.transfers_of(flow)
    asked_ns = frame["time_ns"].to_numpy()
    taken, at_least = times_taken(asked_ns, frame["end_ns"].to_numpy(), run.end_ns)
    return Entity(str(run.flow_plans[flow]["name"]), asked_ns, taken, at_least=at_least)


def packets(name: str, frame: "polars.DataFrame", column: str, end_ns: int) -> Entity:
    """Packets, whose rows are in the order in which they were sent."""
    sent_ns = frame["time_ns"].to_numpy()
    taken, at_least = arrivals(sent_ns, frame[column].to_numpy(), end_ns)
    return Entity(name, sent_ns, taken, at_least=at_least)


def ping_sample(run: Run, ping: int, span: Span) -> Sample:
    """Round-trip times of a ping's requests sent in the span."""
    return ping_times(run, ping).sample(span)


def ping_round_trips(run: Run, ping: int, start_ns: int, stop_ns: int) -> RoundTrips:
    """Round trips of one ping's requests sent in the span."""
    samples = run.ping_samples(ping)
    return round_trips(samples["time_ns"].to_numpy(), samples["rtt_ns"].to_numpy(), start_ns, stop_ns)
