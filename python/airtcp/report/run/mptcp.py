"""MPTCP connections of programs: each direction, and its subflows."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.quantities.mptcp import connection_goodput_mbps
from airtcp.report.run.flows import FlowRecord
from airtcp.report.table import Table, number


@dataclass(frozen=True)
class SubflowRecord:
    """A TCP flow that is a part of an MPTCP connection; `flows` has its numbers."""

    flow: str
    """Its name among the flows."""
    from_address: str
    """Address of its sender."""
    to_address: str
    """Address of its receiver."""


@dataclass(frozen=True)
class MptcpRecord:
    """One direction of an MPTCP connection."""

    connection: str
    """Its name."""
    from_: str
    """Node that the data comes from."""
    to: str
    """Node that gets it."""
    goodput_mbps: float
    """At the receiver, in order of all subflows: bytes over its own time, from its start to its end."""
    bytes_received: int
    """Bytes of it; the DATA_FIN is one."""
    bytes_reinjected: int | None
    """Bytes that the connection sent again, on any subflow; `null` where the kernel does not count them."""
    most_subflows: int
    """Most subflows at a time."""
    subflows: list[SubflowRecord]
    """Subflows that delivered enough to be flows."""


def mptcp_records(run: Run) -> list[MptcpRecord]:
    """Each direction that delivered enough."""
    sampled = "mptcp" in run.recorded
    return [
        MptcpRecord(
            connection=one["name"],
            from_=one["from"]["node"],
            to=one["to"]["node"],
            goodput_mbps=connection_goodput_mbps(run, connection) if sampled else float("nan"),
            bytes_received=one["bytes_received"],
            bytes_reinjected=one["bytes_reinjected"],
            most_subflows=one["subflows"],
            subflows=[
                SubflowRecord(flow["name"], flow["from"]["address"], flow["to"]["address"])
                for flow in run.flow_reports
                if flow.get("mptcp") == connection
            ],
        )
        for connection, one in enumerate(run.connections)
    ]


def mptcp_table(connections: Sequence[MptcpRecord], flows: Sequence[FlowRecord]) -> Table:
    """A row for each direction, and below it one for each of its subflows, with the flow's own numbers."""
    columns = ("connection", "path", "Mbit/s", "MB", "sent again MB", "subflows")
    table = Table("MPTCP connections and their subflows (at the receiver)", columns, left=("path",))
    known = {flow.flow: flow for flow in flows}
    for one in connections:
        again = "-" if one.bytes_reinjected is None else f"{one.bytes_reinjected / 1e6:.2f}"
        amount = (number(one.goodput_mbps), number(one.bytes_received / 1e6))
        table.add(one.connection, f"{one.from_} > {one.to}", *amount, again, str(one.most_subflows))
        for subflow in one.subflows:
            flow, path = known[subflow.flow], f"{subflow.from_address} > {subflow.to_address}"
            amount = (number(flow.goodput_mbps), number(flow.bytes_received / 1e6))
            table.add(f"- {subflow.flow}", path, *amount, "", "")
    return table
