"""Values of which a metric takes a statistic: delays, times of transfers, stalls, buffers, queues, losses,
airtime.

Each is by what has it (a flow, a stream, a queue, a radio). What had not ended when it was seen last is
censored there, and what was lost for good is so at infinity (`metrics/survival.py`).
"""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from airtcp.data.program_flows import is_udp
from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.counter import count_at
from airtcp.metrics.survival import Sample
from airtcp.report.applications import flow_playback, flows_with
from airtcp.report.latency import Span, arrived, latencies, ping_sample, transfer_sample
from airtcp.report.queues import innermost
from airtcp.studies.quantities.quantity import Quantity, Values
from airtcp.studies.quantities.view import View

if TYPE_CHECKING:
    import polars

DATA, ACKS = 0, 1


def in_span(view: View, frame: "polars.DataFrame") -> "polars.DataFrame":
    """The rows of the span, by their time."""
    from polars import col

    return frame.filter((col("time_ns") >= view.start_ns) & (col("time_ns") < view.stop_ns))


def of_samples(column: str, scale: float, unknown: float | None = None) -> Callable[[View], Values]:
    """A column of `tcp_info` at every sample of the span; `unknown` stands where there is no value yet."""

    def values(view: View) -> Values:
        found = {}
        for flow in view.flows:
            if not is_udp(view.run.flow_plans[flow]):
                every = view.samples(flow)[column].to_numpy().astype(np.float64)
                found[view.flow_name(flow)] = Sample(every[every != unknown] * scale)
        return found

    return values


def packet_delay(direction: int) -> Callable[[View], Values]:
    """One-way delays in ms of the packets of TCP flows."""

    def values(view: View) -> Values:
        from polars import col

        frame = in_span(view, view.run.series("delays")).filter(col("direction") == direction)
        return {
            view.flow_name(n): arrived(frame.filter(col("flow") == n), "delay_ns", view.run.end_ns)
            for n in view.flows
        }

    return values


def streams(view: View) -> Iterator[tuple[str, "polars.DataFrame"]]:
    """Name and datagrams of each chosen stream, of those sent in the span."""
    for number, stream in enumerate(view.run.plan.get("datagrams", ())):
        if fnmatchcase(stream["name"], view.arguments.flows):
            yield str(stream["name"]), in_span(view, view.run.stream_datagrams(number))


def span_of(view: View) -> Span:
    """Begin and end of the span."""
    return view.start_ns, view.stop_ns


def ping_round_trips(view: View) -> Values:
    """Round-trip times in ms of those sent in the span."""
    pings = view.run.plan["pings"]
    return {str(pings[ping]["name"]): ping_sample(view.run, ping, span_of(view)) for ping in view.pings}


def datagram_delay(view: View) -> Values:
    """One-way delays in ms of datagrams."""
    return {name: arrived(frame, "delay_ns", view.run.end_ns) for name, frame in streams(view)}


def datagram_loss(view: View) -> Values:
    """Share of the datagrams sent in each whole bin of the span that never arrived."""
    edges, found = view.edges_ns(), {}
    for name, frame in streams(view):
        sent_ns, delays = frame["time_ns"].to_numpy(), frame["delay_ns"].to_numpy()
        last_ns = sent_ns[delays >= 0].max(initial=0)
        is_lost = (delays < 0) & (sent_ns < last_ns)
        sent, lost = (np.histogram(times, edges)[0] for times in (sent_ns, sent_ns[is_lost]))
        found[name] = Sample(lost[sent > 0] / sent[sent > 0])
    return found


def transfers(kind: str) -> Callable[[View], Values]:
    """Times in ms of what a workload asked for in the span, until all of it was there."""

    def values(view: View) -> Values:
        own = (flow for flow in flows_with(view.run, kind) if flow in view.flows)
        return {view.flow_name(flow): transfer_sample(view.run, flow, span_of(view)) for flow in own}

    return values


def latency(view: View) -> Values:
    """What each application waits for, in ms: pings, datagrams, and what flows ask for."""
    return latencies(view.run, span_of(view))


def whole_flow(view: View) -> Values:
    """Time in s from each flow's start until its receiver had all of it; of those that ran to the end, at
    least that.
    """
    found = {}
    for flow in view.flows:
        start_ns, finished_ns = (
            view.run.flow_plans[flow]["start_ns"],
            view.run.flow_reports[flow]["finished_ns"],
        )
        if finished_ns is not None:
            found[view.flow_name(flow)] = Sample(np.array([(finished_ns - start_ns) / 1e9]))
        elif view.run.end_ns > start_ns:
            lasted = np.array([(view.run.end_ns - start_ns) / 1e9])
            found[view.flow_name(flow)] = Sample(np.empty(0), lasted)
    return found


def stalls(view: View) -> Values:
    """Each stall of video players in s; one that lasts at the end is censored there."""
    found = {}
    for flow in flows_with(view.run, "video"):
        if flow in view.flows:
            planned = view.run.flow_plans[flow]
            end_ns = min(planned["stop_ns"], view.run.end_ns)
            seen = flow_playback(view.run, flow).stalls
            lengths = np.array([stall.length_ns / 1e9 for stall in seen], np.float64)
            ended = np.array([stall.start_ns + stall.length_ns < end_ns for stall in seen], bool)
            found[view.flow_name(flow)] = Sample(lengths[ended], lengths[~ended])
    return found


def buffer(view: View) -> Values:
    """Playing time in s in each video player's buffer, every 100 ms."""
    found = {}
    for flow in flows_with(view.run, "video"):
        if flow in view.flows:
            levels = np.array(flow_playback(view.run, flow).levels, np.float64).reshape(-1, 2) / 1e9
            times = np.arange(view.start_ns / 1e9, view.stop_ns / 1e9, 0.1)
            inside = times[(times >= levels[0, 0]) & (times <= levels[-1, 0])] if len(levels) else times[:0]
            found[view.flow_name(flow)] = Sample(np.interp(inside, levels[:, 0], levels[:, 1]))
    return found


def queues(view: View) -> Iterator[tuple[str, "polars.DataFrame"]]:
    """Each queueing discipline of the chosen interfaces: its name and samples of the span."""
    from polars import col

    samples = view.run.qdiscs.filter(col("time_ns").is_between(view.start_ns, view.stop_ns))
    samples = samples.drop_nulls(["node_name", "interface_name"])
    node, interface = view.arguments.node, view.arguments.interface
    inner = innermost(view.run)
    for key, frame in samples.group_by("node_name", "interface_name", "handle", maintain_order=True):
        named = fnmatchcase(str(key[0]), node) and fnmatchcase(str(key[1]), interface)
        if named and key in inner:
            yield f"{key[0]} {key[1]} {key[2]:x}:", frame.sort("time_ns")


def backlog(view: View) -> Values:
    """Packets that wait, at every sample."""
    return {
        name: Sample(frame["backlog_packets"].to_numpy().astype(np.float64)) for name, frame in queues(view)
    }


def drops(view: View) -> Values:
    """Packets dropped in each whole bin of the span."""
    return {name: Sample(_per_bin(view, frame, "drops")) for name, frame in queues(view)}


def airtime(view: View) -> Values:
    """Share of each whole bin of the span that a radio's own PPDUs took."""
    found = {}
    samples = view.run.air
    for key, frame in samples.group_by("node_name", "nic", maintain_order=True):
        if fnmatchcase(str(key[0]), view.arguments.node):
            taken_ns = _per_bin(view, frame.sort("time_ns"), "airtime_ns")
            found[f"{key[0]} {key[1]}"] = Sample(taken_ns / view.arguments.bin)
    return found


def _per_bin(view: View, frame: "polars.DataFrame", column: str) -> Floats:
    times: Integers = frame["time_ns"].to_numpy()
    return np.asarray(np.diff(count_at(times, frame[column].to_numpy(), view.edges_ns())), np.float64)


QUANTITIES = {
    "latency": Quantity("latency", "ms", values=latency),
    "delay": Quantity("one-way delay", "ms", values=packet_delay(DATA)),
    "ack_delay": Quantity("one-way delay of ACKs", "ms", values=packet_delay(ACKS)),
    "datagram_delay": Quantity("delay of datagrams", "ms", values=datagram_delay),
    "datagram_loss": Quantity("loss of datagrams", "", 4, values=datagram_loss),
    "response_time": Quantity("response time", "ms", values=transfers("requests")),
    "page_time": Quantity("page load time", "ms", values=transfers("web")),
    "segment_time": Quantity("time of a video segment", "ms", values=transfers("video")),
    "burst_time": Quantity("time of a burst", "ms", values=transfers("on_off")),
    "flow_time": Quantity("time of a flow", "s", values=whole_flow),
    "stall_time": Quantity("stall", "s", values=stalls),
    "buffer": Quantity("buffered video", "s", values=buffer),
    "queue": Quantity("backlog", "packets", 1, values=backlog),
    "drops": Quantity("drops per bin", "packets", 1, values=drops),
    "airtime": Quantity("airtime of a radio", "", 3, values=airtime),
}
