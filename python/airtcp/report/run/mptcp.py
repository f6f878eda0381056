"""MPTCP connections of programs in a table: each direction, then its subflows."""

from typing import Any

from airtcp.data.run_folder import Run
from airtcp.metrics.throughput import Throughput
from airtcp.quantities.flows import flow_throughput
from airtcp.quantities.mptcp import connection_throughput
from airtcp.report.table import Table, number


def mptcp_table(run: Run) -> Table:
    """A row for each direction that delivered enough, and one for each of its subflows that did."""
    columns = ("connection", "path", "Mbit/s", "MB", "sent again MB", "subflows")
    table = Table("MPTCP connections and their subflows (at the receiver)", columns, left=("path",))
    sampled = "mptcp" in run.recorded
    for connection, one in enumerate(run.connections):
        seen = connection_throughput(run, connection) if sampled else None
        again = one["bytes_reinjected"]
        nodes = f"{one['from']['node']} > {one['to']['node']}"
        more = ("-" if again is None else f"{again / 1e6:.2f}", str(one["subflows"]))
        table.add(one["name"], nodes, *_amount(one, seen), *more)
        for flow, subflow in enumerate(run.flow_reports):
            if subflow.get("mptcp") == connection:
                seen = flow_throughput(run, flow) if sampled else None
                path = f"{subflow['from']['address']} > {subflow['to']['address']}"
                table.add(f"- {subflow['name']}", path, *_amount(subflow, seen), "", "")
    return table


def _amount(report: dict[str, Any], seen: Throughput | None) -> tuple[str, str]:
    rate = number(None if seen is None else seen.mean_mbps)
    return rate, number(report["bytes_received"] / 1e6)
