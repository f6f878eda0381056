"""The tins of every CAKE of a run in a table: its last sample, and the delays over the run."""

from airtcp.data.run_folder import Run
from airtcp.metrics.means import mean_over_time
from airtcp.report.table import Table, number


def tins_table(run: Run) -> Table:
    """One row per tin that a packet entered."""
    counts = ("packets", "MB", "dropped", "marked")
    waiting = ("peak kB", "mean kB", "peak ms", "mean ms")
    columns = ("queue", "tin", "priority up to Mbit/s", *counts, *waiting)
    table = Table("Tins of CAKE (kB waiting, and ms that packets wait)", columns, left=("tin",))
    if "tins" not in run.recorded:
        return table
    for rows in run.parts("tins", "node", "interface", "handle", "tin", named=True).values():
        last = rows.row(-1, named=True)
        if not last["packets"]:
            continue
        times_ns = rows["time_ns"].to_numpy()
        means = (
            mean_over_time(times_ns, rows[column].to_numpy() / 1e3, run.end_ns)
            for column in ("backlog_bytes", "avg_delay_us")
        )
        backlog, delay = (number(mean) for mean in means)
        table.add(
            f"{last['node_name']} {last['interface_name']} {last['handle']:x}:",
            last["tin_name"],
            number(last["threshold_bps"] / 1e6) if last["threshold_bps"] else "-",
            str(last["packets"]),
            f"{last['bytes'] / 1e6:.2f}",
            str(last["drops"]),
            str(last["marks"]),
            number(rows["backlog_bytes"].to_numpy().max() / 1e3),
            backlog,
            number(rows["peak_delay_us"].to_numpy().max() / 1e3),
            delay,
        )
    return table
