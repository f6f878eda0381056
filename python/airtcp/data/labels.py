"""Names beside the numbers of a series: flow, congestion control, node, interface, queueing discipline."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from airtcp.data.column import Column
from airtcp.data.program_flows import is_udp
from airtcp.data.station_labels import ACCESS_CATEGORIES, STATION_LABELS, with_choices, with_modes

if TYPE_CHECKING:
    import polars

JsonObject = dict[str, Any]

PPDU_KINDS = ("data", "ack", "blockack", "rts", "cts", "bar", "beacon", "management")
PPDU_OUTCOMES = ("received", "collision", "corrupted")
# `to` of a PPDU to a group.
GROUP = 0xFFFF_FFFF

_FLOW_LABELS = (
    Column("flow_name", "text", "", "name of the flow"),
    Column("cca", "text", "", "its planned and verified congestion control"),
)
# What the series of flows has of UDP.
_OF_UDP = ("time_ns", "flow", "bytes_received")
_NODE = Column("node_name", "text", "", "name of the radio's node")

# The columns that `run.flows`, `run.pings`, ... have beside those of the file.
LABELS: dict[str, tuple[Column, ...]] = {
    "flows": _FLOW_LABELS,
    "acks": _FLOW_LABELS,
    "delays": _FLOW_LABELS,
    "transfers": (*_FLOW_LABELS, Column("workload", "text", "", "kind of the flow's workload in the plan")),
    "datagrams": (Column("stream_name", "text", "", "name of the stream"),),
    "pings": (Column("ping_name", "text", "", "name of the ping"),),
    "qdiscs": (
        Column("node_name", "text", "", "name of the node"),
        Column("interface_name", "text", "", "name of the interface"),
        Column("qdisc", "text", "", "kind of the queueing discipline; null if it was gone at the run's end"),
    ),
    "air": (_NODE,),
    "links": (_NODE, Column("peer_name", "text", "", "name of the node it sends to")),
    **STATION_LABELS,
    "ppdus": (
        _NODE,
        Column("to_name", "text", "", "name of the node it is for; null for a group"),
        Column("kind_name", "text", "", "what it carries"),
        Column("outcome_name", "text", "", "what became of it"),
    ),
}


def with_labels(
    name: str, frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject
) -> "polars.DataFrame":
    """The rows of a series, and the names of what their numbers mean."""
    return _LABELLERS[name](frame, plan, agent)


def _chosen(names: list[str], label: str, numbers: "polars.Series") -> "polars.Series":
    """For each number the name at its place; null where there is no such place."""
    import polars

    known = polars.Series(label, names, dtype=polars.String)
    inside = numbers.cast(polars.Int64)
    # polars gathers null for the place null.
    return known.gather(inside.set(inside >= len(names), None)).alias(label)


def _flows(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":
    names = [flow["name"] for flow in plan["flows"]]
    ccas = [flow["congestion_control"] for flow in agent["flows"]]
    frame = _without_tcp(frame, [n for n, flow in enumerate(plan["flows"]) if is_udp(flow)])
    return frame.with_columns(_chosen(names, "flow_name", frame["flow"]), _chosen(ccas, "cca", frame["flow"]))


def _without_tcp(frame: "polars.DataFrame", flows: list[int]) -> "polars.DataFrame":
    """UDP flows have none of the columns but what was received."""
    import polars

    if not flows:
        return frame
    known = polars.col("flow").is_in(flows).not_()
    others = [name for name in frame.columns if name not in _OF_UDP]
    return frame.with_columns(polars.when(known).then(polars.col(name)).alias(name) for name in others)


def _transfers(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":
    kinds = [flow["workload"]["kind"] for flow in plan["flows"]]
    return _flows(frame, plan, agent).with_columns(_chosen(kinds, "workload", frame["flow"]))


def _datagrams(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    names = [stream["name"] for stream in plan["datagrams"]]
    return frame.with_columns(_chosen(names, "stream_name", frame["stream"]))


def _pings(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    return frame.with_columns(_chosen([ping["name"] for ping in plan["pings"]], "ping_name", frame["ping"]))


def _qdiscs(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":
    import polars

    keys = ("node", "interface", "handle")
    # Handles are hexadecimal, as `tc` writes them: "8001:".
    kinds = {
        (qdisc["node"], qdisc["interface"], int(qdisc["handle"].split(":")[0] or "0", 16)): qdisc["kind"]
        for qdisc in agent["qdiscs"]
    }
    rows = []
    for node, interface, handle in frame.select(keys).unique().rows():
        planned = plan["nodes"][node]
        # As the agent numbers devices: a node's bridges after its interfaces.
        known = [each["name"] for each in (*planned["interfaces"], *planned["bridges"])]
        interface_name = known[interface] if interface < len(known) else None
        kind = kinds.get((planned["name"], interface_name, handle))
        rows.append((node, interface, handle, planned["name"], interface_name, kind))
    schema = {**{key: frame.schema[key] for key in keys}, **_texts("node_name", "interface_name", "qdisc")}
    names = polars.DataFrame(rows, schema=schema, orient="row")
    return frame.join(names, on=keys, how="left", maintain_order="left")


def _texts(*names: str) -> "dict[str, Any]":
    import polars

    return dict.fromkeys(names, polars.String)


def _radios(plan: JsonObject) -> list[str]:
    return [nic["node"] for nic in plan["air"]["nics"]]


def _air(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    return frame.with_columns(_chosen(_radios(plan), "node_name", frame["nic"]))


def _links(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    radios = _radios(plan)
    peers = _chosen(radios, "peer_name", frame["peer"])
    return frame.with_columns(_chosen(radios, "node_name", frame["nic"]), peers)


def _peers(frame: "polars.DataFrame", plan: JsonObject) -> "polars.DataFrame":
    radios = _radios(plan)
    peers = _chosen(radios, "peer_name", frame["peer"])
    return frame.with_columns(_chosen(radios, "node_name", frame["nic"]), peers)


def _stations(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    return with_modes(with_modes(_peers(frame, plan), "tx_", "tx_mode"), "rx_", "rx_mode")


def _station_queues(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    return _peers(frame, plan).with_columns(_chosen(list(ACCESS_CATEGORIES), "ac_name", frame["ac"]))


def _station_rates(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    return with_choices(with_modes(_peers(frame, plan), "", "mode"))


def _ppdus(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    radios = _radios(plan)
    return frame.with_columns(
        _chosen(radios, "node_name", frame["nic"]),
        _chosen(radios, "to_name", frame["to"]),
        _chosen(list(PPDU_KINDS), "kind_name", frame["kind"]),
        _chosen(list(PPDU_OUTCOMES), "outcome_name", frame["outcome"]),
    )


_Labeller = Callable[["polars.DataFrame", JsonObject, JsonObject], "polars.DataFrame"]
_LABELLERS: dict[str, _Labeller] = {
    "flows": _flows,
    "acks": _flows,
    "delays": _flows,
    "transfers": _transfers,
    "datagrams": _datagrams,
    "pings": _pings,
    "qdiscs": _qdiscs,
    "air": _air,
    "links": _links,
    "stations": _stations,
    "station_queues": _station_queues,
    "radio_queues": _air,
    "station_rates": _station_rates,
    "ppdus": _ppdus,
}
