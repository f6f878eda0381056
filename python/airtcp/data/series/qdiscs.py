"""What the kernel records of queueing disciplines."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from airtcp.data.series.series import (
    TIME,
    JsonObject,
    Series,
    counter,
    end_ns,
    first_ns,
    last_ns,
    place_in,
    widest_gap_ns,
)
from airtcp.formats.column import Column

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


def _label_qdiscs(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":
    import polars

    # Handles are hexadecimal, as `tc` writes them: "8001:".
    kinds = {
        (qdisc["node"], qdisc["interface"], int(qdisc["handle"].split(":")[0] or "0", 16)): qdisc["kind"]
        for qdisc in agent["qdiscs"]
    }
    keys = [frame[key].to_numpy() for key in ("node", "interface", "handle")]
    number_of_row, first_rows = _numbered(keys)
    rows = []
    for node, interface, handle in zip(*(key[first_rows].tolist() for key in keys), strict=True):
        planned = plan["nodes"][node]
        # As the agent numbers devices: a node's bridges after its interfaces.
        known = [each["name"] for each in (*planned["interfaces"], *planned["bridges"])]
        interface_name = known[interface] if interface < len(known) else None
        kind = kinds.get((planned["name"], interface_name, handle))
        rows.append((planned["name"], interface_name, kind))
    schema = dict.fromkeys(("node_name", "interface_name", "qdisc"), polars.String)
    names = polars.DataFrame(rows, schema=schema, orient="row")
    return frame.hstack(names[number_of_row])


# The names of CAKE's tins as `tc` prints them, by their number: `diffserv3` and `diffserv4`. Of other modes
# (`besteffort`, `precedence`, `diffserv8`) it prints numbers.
_TINS = {3: ("Bulk", "Best Effort", "Voice"), 4: ("Bulk", "Best Effort", "Video", "Voice")}


def tin_name(tin: int, count: int) -> str:
    """The name of one of `count` tins, as `tc -s qdisc` prints it."""
    return _TINS[count][tin] if count in _TINS and tin < count else f"Tin {tin}"


def _label_tins(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":
    import polars

    known = frame.select("tin", "tin_count").unique()
    names = polars.Series("tin_name", [tin_name(*row) for row in known.rows()], dtype=polars.String)
    named = frame.join(known.with_columns(names), on=["tin", "tin_count"], how="left", maintain_order="left")
    return _label_qdiscs(named, plan, agent)


def _numbered(keys: "Sequence[Integers]") -> "tuple[Integers, Integers]":
    """The number of each row, equal for rows of equal keys, and the first row of each number."""
    import numpy as np

    order = np.lexsort(keys)
    begins = np.ones(order.size, bool)
    begins[1:] = np.logical_or.reduce([key[order][1:] != key[order][:-1] for key in keys])
    numbers = np.empty_like(order)
    numbers[order] = np.cumsum(begins) - 1
    return numbers, order[begins]


def _has_queue(plan: JsonObject) -> bool:
    """Whether a device has a queue that can be sampled; plans of earlier versions do not tell."""
    interfaces = (interface for node in plan["nodes"] for interface in node["interfaces"])
    queues = (interface.get("egress", {}).get("queue", {}) for interface in interfaces)
    return any(queue.get("kind") != "none" for queue in queues)


def _missing_of_qdiscs(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:
    """Some row at every instant until the run's end, if the plan has a queue; programs may change them."""
    interval = plan["sampling"].get("qdiscs_interval_ns", 0)
    if not interval or not _has_queue(plan):
        return ""
    times, end = frame["time_ns"], end_ns(plan, agent)
    if not times.len():
        return "there are none"
    if max(widest_gap_ns(times), first_ns(times)) > interval or last_ns(times) + interval <= end:
        return "there is a gap"
    return ""


_DISCIPLINE = (
    TIME,
    place_in("nodes", "node", "the node"),
    Column("interface", "u32", "", "number of the interface: its place in the node's `interfaces`"),
    Column("handle", "u32", "", "major number of its handle, as in `tc`"),
)
_NAMES = (
    Column("node_name", "text", "", "name of the node"),
    Column("interface_name", "text", "", "name of the interface"),
    Column("qdisc", "text", "", "kind of the queueing discipline; null if it was gone at the run's end"),
)
_SAMPLED = partial(
    Series, recorder="guest", early_end="cut_with_last_sample", interval_key="qdiscs_interval_ns"
)

QDISCS = _SAMPLED(
    "qdiscs",
    "The statistics of every queueing discipline at every sampling instant (`tc -s qdisc`).",
    (
        *_DISCIPLINE,
        Column("backlog_packets", "u32", "packet", "waiting"),
        Column("backlog_bytes", "u32", "byte", "waiting"),
        counter("packets", "u64", "packet", "sent"),
        counter("bytes", "u64", "byte", "sent"),
        counter("drops", "u64", "packet", "dropped"),
        counter("overlimits", "u64", "", "times its rate held a packet back"),
        counter("marks", "u64", "packet", "marked with ECN congestion experienced"),
    ),
    keys=("node", "interface", "handle"),
    setting='qdiscs = "100 ms" in [sampling]',
    labels=_NAMES,
    label=_label_qdiscs,
    missing=_missing_of_qdiscs,
)

TINS = _SAMPLED(
    "tins",
    "The tins of every CAKE (`tc -s qdisc`), at the instants of `qdiscs`. Runs without CAKE have no such "
    "series.",
    (
        *_DISCIPLINE,
        Column("tin", "u32", "", "number of the tin in the order of `tc`: the least urgent one is 0"),
        Column("tin_count", "u32", "", "tins that the discipline has: 1, 3, 4 or 8, by its `diffserv` mode"),
        Column("backlog_bytes", "u32", "byte", "waiting"),
        counter("packets", "u64", "packet", "that entered (`pkts` of `tc`)"),
        counter("bytes", "u64", "byte", "that entered (`bytes` of `tc`)"),
        counter("drops", "u64", "packet", "dropped, of those that entered"),
        counter("marks", "u64", "packet", "marked with ECN congestion experienced"),
        counter("ack_drops", "u64", "packet", "acknowledgements that the ACK filter dropped"),
        Column("threshold_bps", "u64", "bit/s", "rate up to which the tin has its priority; 0: no shaper"),
        Column("target_us", "u32", "us", "target delay of its AQM"),
        Column("interval_us", "u32", "us", "interval of its AQM"),
        Column("peak_delay_us", "u32", "us", "delay of packets, as an average that follows rises fast"),
        Column("avg_delay_us", "u32", "us", "delay of packets, as a moving average"),
        Column("base_delay_us", "u32", "us", "delay of packets, as an average that follows falls fast"),
        Column("sparse_flows", "u32", "", "flows with less than their share, which go first"),
        Column("bulk_flows", "u32", "", "flows with a queue"),
        Column("unresponsive_flows", "u32", "", "flows that do not respond to drops and marks"),
        Column("max_packet_bytes", "u32", "byte", "longest packet so far"),
        Column("quantum_bytes", "u32", "byte", "that a flow may send at a time"),
    ),
    keys=("node", "interface", "handle", "tin"),
    setting='qdiscs = "100 ms" in [sampling], with a queue "cake ...",',
    labels=(*_NAMES, Column("tin_name", "text", "", "name of the tin, as `tc -s qdisc` prints it")),
    label=_label_tins,
)

FLOW_QUEUES = _SAMPLED(
    "flow_queues",
    "What every `fq_codel` and `fq_pie` tells of its queues of flows (`tc -s qdisc`), at the instants of "
    "`qdiscs`. Runs without one have no such series.",
    (
        *_DISCIPLINE,
        Column("new_flows", "u32", "", "flows in the list of new ones, which go first"),
        Column("old_flows", "u32", "", "flows in the list of old ones"),
        Column(
            "memory_bytes", "u32", "byte", "memory of waiting packets, with what the kernel needs for each"
        ),
        counter("new_flow_count", "u32", "", "times that a packet made a flow a new one"),
        counter("drop_overlimit", "u32", "packet", "dropped because of the limit in packets"),
        counter("drop_overmemory", "u32", "packet", "dropped because of the limit of memory"),
        counter("ce_threshold_marks", "u32", "packet", "marked by `ce_threshold` (`fq_pie` has none)"),
    ),
    keys=("node", "interface", "handle"),
    setting='qdiscs = "100 ms" in [sampling], with a queue "fq_codel" or "fq_pie",',
    labels=_NAMES,
    label=_label_qdiscs,
)

DUAL_QUEUES = _SAMPLED(
    "dual_queues",
    "What every DualPI2 tells of its two queues, the classic one (C) and that of low latency (L), at the "
    "instants of `qdiscs` (`struct tc_dualpi2_xstats`). Runs without one have no such series.",
    (
        *_DISCIPLINE,
        Column(
            "probability",
            "u32",
            "",
            "base probability, in parts of 2^32 - 1: C marks or drops with its square, L marks with "
            "`coupling_factor` times it, and beyond its step always",
        ),
        Column("c_delay_us", "u32", "us", "how long the first packet of C has waited; 0: C is empty"),
        Column("l_delay_us", "u32", "us", "how long the first packet of L has waited; 0: L is empty"),
        counter("c_packets", "u32", "packet", "that entered C"),
        counter("l_packets", "u32", "packet", "that entered L"),
        Column("most_packets", "u32", "packet", "most that have waited in both"),
        counter("marks", "u32", "", "marks in both; the kernel does not tell them apart"),
        counter("step_marks", "u32", "", "those of them that the step of L made, also on marked packets"),
        Column("credit", "i64", "byte", "credit of the scheduler: L is next at 0 and below", least=None),
        Column("memory_bytes", "u32", "byte", "memory of waiting packets, as the kernel counts"),
    ),
    keys=("node", "interface", "handle"),
    setting='qdiscs = "100 ms" in [sampling], with a queue "dualpi2",',
    labels=_NAMES,
    label=_label_qdiscs,
)


class QdiscSeries:
    """`run.qdiscs`, `run.tins`, `run.flow_queues`, `run.dual_queues`."""

    qdiscs = QDISCS
    tins = TINS
    flow_queues = FLOW_QUEUES
    dual_queues = DUAL_QUEUES
