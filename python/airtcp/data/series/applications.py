"""What the agent records of its applications: transfers, datagrams and pings."""

from typing import TYPE_CHECKING

from airtcp.data.series.series import JsonObject, Series, names_by_number, place_in
from airtcp.data.series.tcp import FLOW, FLOW_LABELS, label_flows
from airtcp.formats.column import Column

if TYPE_CHECKING:
    import polars


def _label_transfers(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":
    # Plans before version 4 have bulk transfers only, and do not say so.
    kinds = [flow.get("workload", {"kind": "bulk"})["kind"] for flow in plan["flows"]]
    return label_flows(frame, plan, agent).with_columns(names_by_number(kinds, "workload", frame["flow"]))


def _missing_transfers(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:  # noqa: ARG001
    """The transfers of each flow have all numbers from 0."""
    for (flow,), rows in frame.group_by("flow"):
        numbers = rows["number"].sort()
        if numbers[-1] != numbers.len() - 1 or numbers.n_unique() != numbers.len():
            return f"flow {agent['flows'][flow]['name']} has {numbers.len()} of {numbers[-1] + 1} transfers"
    return ""


def _label_datagrams(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    names = [stream["name"] for stream in plan["datagrams"]]
    return frame.with_columns(names_by_number(names, "stream_name", frame["stream"]))


def _missing_datagrams(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:  # noqa: ARG001
    """As many datagrams, sent and received, as the summary counts."""
    for number, report in enumerate(agent["datagrams"]):
        delays = frame.filter(frame["stream"] == number)["delay_ns"]
        found = (delays.len(), int((delays >= 0).sum()))
        if found != (report["sent"], report["received"]):
            sent = f"{report['sent']} datagrams and {report['received']} received"
            return f"stream {report['name']} has {found[0]} datagrams and {found[1]} received, not {sent}"
    return ""


def _label_pings(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    return frame.with_columns(
        names_by_number([ping["name"] for ping in plan["pings"]], "ping_name", frame["ping"])
    )


def _missing_of_pings(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:  # noqa: ARG001
    """As many requests and answers as the summary counts."""
    numbers, rtts_ns = frame["ping"].to_numpy(), frame["rtt_ns"].to_numpy()
    for number, report in enumerate(agent["pings"]):
        own = rtts_ns[numbers == number]
        found = (own.size, int((own >= 0).sum()))
        if found != (report["sent"], report["received"]):
            sent = f"{report['sent']} requests and {report['received']} answers"
            return f"ping {report['name']} has {found[0]} requests and {found[1]} answers, not {sent}"
    return ""


TRANSFERS = Series(
    "transfers",
    "Each transfer of a flow that has them, in the order of their ends, at last those without one: a burst "
    "(`[[flow]]` with `off`), an answer (`[[request]]`), a page (`[[web]]`), a segment (`[[video]]`).",
    (
        Column(
            "time_ns",
            "i64",
            "ns",
            "virtual time at which it was asked for, or a burst's writing began, from the epoch; of a flow's "
            "first page the start of its connection",
        ),
        FLOW,
        Column("number", "u32", "", "number of the transfer in its flow, from 0"),
        Column("first_byte_ns", "i64", "ns", "time at which its first byte came; -1: never", least=-1),
        Column("end_ns", "i64", "ns", "time at which its last byte came; -1: never", least=-1),
        Column(
            "bytes",
            "u64",
            "byte",
            "application bytes; of one without an end what was asked for, or written, so far",
        ),
        Column("rate_bps", "u64", "bit/s", "of video the rate of the segment, else 0"),
        Column(
            "buffer_ns",
            "i64",
            "ns",
            "of video the playing time in the buffer at the end of the segment, with it; else -1",
            least=-1,
        ),
    ),
    keys=("flow", "number"),
    recorder="agent",
    early_end="keep",
    setting="a [[request]], [[web]], [[video]] or a [[flow]] with off",
    labels=(*FLOW_LABELS, Column("workload", "text", "", "kind of the flow's workload in the plan")),
    label=_label_transfers,
    missing=_missing_transfers,
)

DATAGRAMS = Series(
    "datagrams",
    "Each datagram of a stream (`[[udp]]`, `[[voip]]`), in the order of sending.",
    (
        Column("time_ns", "i64", "ns", "virtual time at which it was sent, from the epoch"),
        place_in("datagrams", "stream", "the stream"),
        Column("sequence", "u32", "", "number of the datagram, from 0"),
        Column("delay_ns", "i64", "ns", "time to the receiver's host; -1: not received", least=-1),
    ),
    keys=("stream",),
    recorder="agent",
    early_end="keep",
    setting="a [[udp]] or [[voip]]",
    labels=(Column("stream_name", "text", "", "name of the stream"),),
    label=_label_datagrams,
    missing=_missing_datagrams,
)

PINGS = Series(
    "pings",
    "Each echo request of a ping, and its answer.",
    (
        Column("time_ns", "i64", "ns", "virtual time at which the request was sent, from the epoch"),
        place_in("pings", "ping", "the ping"),
        Column("sequence", "u32", "", "number of the request, from 0"),
        Column("rtt_ns", "i64", "ns", "round-trip time; -1: no answer", least=-1),
    ),
    keys=("ping",),
    recorder="agent",
    early_end="keep",
    setting="a [[ping]]",
    labels=(Column("ping_name", "text", "", "name of the ping"),),
    label=_label_pings,
    missing=_missing_of_pings,
)


class ApplicationSeries:
    """`run.transfers`, `run.datagrams`, `run.pings`."""

    transfers = TRANSFERS
    datagrams = DATAGRAMS
    pings = PINGS
