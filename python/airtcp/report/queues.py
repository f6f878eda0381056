"""The queues of every interface that carried packets."""

from collections.abc import Mapping
from typing import Any

from airtcp.data.run_folder import Run
from airtcp.report.table import Table

# They hold packets for a delay or a rate, and count what their inner queue counts once more.
OUTER = ("netem", "tbf")

_Place = tuple[str, str, int]


def queues_table(run: Run) -> Table:
    """One row per queueing discipline that saw a packet; of a chain only the queue itself.

    What waited and what was marked is known from samples (`[sampling] qdiscs`).
    """
    columns = ("node", "interface", "qdisc", "packets", "MB", "dropped", "marked", "peak backlog", "mean")
    table = Table("Queues (packets)", columns, left=("interface", "qdisc"))
    waited = _waited(run) if "qdiscs" in run.recorded else {}
    inner = innermost(run)
    for qdisc in run.agent["qdiscs"]:
        handle = int(qdisc["handle"].rstrip(":"), 16)
        if qdisc["packets"] and (qdisc["node"], qdisc["interface"], handle) in inner:
            marked, most, mean = waited.get((qdisc["node"], qdisc["interface"], handle), ("-", "-", "-"))
            place = (qdisc["node"], qdisc["interface"], f"{qdisc['kind']} {qdisc['handle']}")
            counts = (str(qdisc["packets"]), f"{qdisc['bytes'] / 1e6:.2f}", str(qdisc["drops"]))
            table.add(*place, *counts, marked, most, mean)
    return table


def innermost(run: Run) -> set[_Place]:
    """Node, interface and handle of each queueing discipline that is a queue itself."""
    return {
        (qdisc["node"], qdisc["interface"], int(qdisc["handle"].rstrip(":"), 16))
        for qdisc in run.agent["qdiscs"]
        if qdisc["kind"] != "noqueue" and not _has_inner(run, qdisc)
    }


def _has_inner(run: Run, qdisc: Mapping[str, Any]) -> bool:
    place = (qdisc["node"], qdisc["interface"])
    others = (other for other in run.agent["qdiscs"] if (other["node"], other["interface"]) == place)
    return qdisc["kind"] in OUTER and any(other["kind"] not in (*OUTER, "noqueue") for other in others)


def _waited(run: Run) -> dict[_Place, tuple[str, str, str]]:
    """Of each discipline: packets marked, most and mean number that waited at the samples."""
    found: dict[_Place, tuple[str, str, str]] = {}
    for rows in run.qdiscs.partition_by("node", "interface", "handle"):
        node, interface, handle = (rows[column][0] for column in ("node_name", "interface_name", "handle"))
        backlog = rows["backlog_packets"].to_numpy()
        marks = int(rows["marks"].to_numpy().max())
        found[node, interface, handle] = (str(marks), str(int(backlog.max())), f"{float(backlog.mean()):.1f}")
    return found
