"""What the kernel records of queueing disciplines."""

from collections.abc import Sequence
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


QDISCS = Series(
    "qdiscs",
    "The statistics of every queueing discipline at every sampling instant (`tc -s qdisc`).",
    (
        TIME,
        place_in("nodes", "node", "the node"),
        Column("interface", "u32", "", "number of the interface: its place in the node's `interfaces`"),
        Column("handle", "u32", "", "major number of its handle, as in `tc`"),
        Column("backlog_packets", "u32", "packet", "waiting"),
        Column("backlog_bytes", "u32", "byte", "waiting"),
        counter("packets", "u64", "packet", "sent"),
        counter("bytes", "u64", "byte", "sent"),
        counter("drops", "u64", "packet", "dropped"),
        counter("overlimits", "u64", "", "times its rate held a packet back"),
        counter("marks", "u64", "packet", "marked with ECN congestion experienced"),
    ),
    keys=("node", "interface", "handle"),
    recorder="guest",
    early_end="cut_with_last_sample",
    setting='qdiscs = "100 ms" in [sampling]',
    interval_key="qdiscs_interval_ns",
    labels=(
        Column("node_name", "text", "", "name of the node"),
        Column("interface_name", "text", "", "name of the interface"),
        Column("qdisc", "text", "", "kind of the queueing discipline; null if it was gone at the run's end"),
    ),
    label=_label_qdiscs,
    missing=_missing_of_qdiscs,
)


class QdiscSeries:
    """`run.qdiscs`."""

    qdiscs = QDISCS
