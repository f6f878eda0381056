"""MPTCP connections of programs: each direction, and its subflows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.quantities.mptcp import connection_goodput_mbps
from airtcp.report.run.flows import FlowRecord
from airtcp.report.table import Table, number


@dataclass(frozen=True)
class MptcpRecord:
    """A direction of an MPTCP connection that delivered enough."""

    connection: str
    """Its name."""
    from_: str
    """Node that the data comes from."""
    to: str
    """Node that gets it."""
    goodput_mbps: float
    """Quantity `mptcp_throughput`: bytes in order of all subflows, over the time of the connection."""
    bytes_received: int
    """Delivered in order, over the whole run."""
    bytes_reinjected: int | None
    """Sent again on any subflow; `null` where the kernel does not count them (6.1)."""
    subflows: int
    """Most subflows that the sender had."""
    flows: list[str]
    """Those of its subflows that are flows of the run."""


def mptcp_records(run: Run) -> list[MptcpRecord]:
    """Each direction of each connection."""
    return [
        MptcpRecord(
            connection=one["name"],
            from_=one["from"]["node"],
            to=one["to"]["node"],
            goodput_mbps=connection_goodput_mbps(run, number),
            bytes_received=one["bytes_received"],
            bytes_reinjected=one["bytes_reinjected"],
            subflows=one["subflows"],
            flows=[report["name"] for report in run.flow_reports if report.get("mptcp") == number],
        )
        for number, one in enumerate(run.connections)
    ]


def mptcp_table(connections: Sequence[MptcpRecord], flows: Sequence[FlowRecord]) -> Table:
    """A row for each direction, and one for each of its subflows."""
    columns = ("connection", "path", "Mbit/s", "MB", "sent again MB", "subflows")
    table = Table("MPTCP connections and their subflows (at the receiver)", columns, left=("path",))
    subflows = {flow.flow: flow for flow in flows}
    for one in connections:
        again = "-" if one.bytes_reinjected is None else f"{one.bytes_reinjected / 1e6:.2f}"
        amount = _amount(one.goodput_mbps, one.bytes_received)
        table.add(one.connection, f"{one.from_} > {one.to}", *amount, again, str(one.subflows))
        for flow in (subflows[name] for name in one.flows):
            amount = _amount(flow.goodput_mbps, flow.bytes_received)
            table.add(f"- {flow.flow}", f"{flow.from_} > {flow.to}", *amount, "", "")
    return table


def _amount(goodput_mbps: float, received: int) -> tuple[str, str]:
    return number(None if math.isnan(goodput_mbps) else goodput_mbps), number(received / 1e6)
