"""The queues of every interface that carried packets."""

from airtcp.data.run_folder import Run
from airtcp.quantities.queues import QdiscPlace, innermost
from airtcp.report.table import Table


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


def _waited(run: Run) -> dict[QdiscPlace, tuple[str, str, str]]:
    """Of each discipline: packets marked, most and mean number that waited at the samples."""
    found: dict[QdiscPlace, tuple[str, str, str]] = {}
    for rows in run.qdiscs.partition_by("node", "interface", "handle"):
        node, interface, handle = (rows[column][0] for column in ("node_name", "interface_name", "handle"))
        backlog = rows["backlog_packets"].to_numpy()
        marks = int(rows["marks"].to_numpy().max())
        found[node, interface, handle] = (str(marks), str(int(backlog.max())), f"{float(backlog.mean()):.1f}")
    return found
