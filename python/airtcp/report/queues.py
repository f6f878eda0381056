"""The queues of every interface that carried packets, at the end of a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from airtcp.report.table import Table


def queues_table(qdiscs: Sequence[Mapping[str, Any]]) -> Table:
    """One row per qdisc that saw a packet; those without a queue are left out."""
    columns = ("node", "interface", "qdisc", "packets", "MB", "drops", "left packets")
    table = Table("Queues (left: still waiting at the end)", columns, left=("interface", "qdisc"))
    for qdisc in qdiscs:
        if qdisc["packets"] and qdisc["kind"] != "noqueue":
            place = (qdisc["node"], qdisc["interface"], f"{qdisc['kind']} {qdisc['handle']}")
            counts = (qdisc["drops"], qdisc["backlog_packets"])
            table.add(*place, str(qdisc["packets"]), f"{qdisc['bytes'] / 1e6:.2f}", *map(str, counts))
    return table
