"""One run in tables: flows, pings, radios, and what to know before trusting them.

Columns that are a quantity have its label. Counts of a whole run have words of their own: the quantities are
rates.
"""

from collections.abc import Iterable

from airtcp.data.program_flows import is_udp
from airtcp.data.run_folder import Run
from airtcp.metrics.control import LIMITERS, Control
from airtcp.metrics.means import mean_over_time
from airtcp.metrics.survival import statistic
from airtcp.quantities.flows import begun_flows, flow_control, flow_throughput
from airtcp.quantities.latency import ping_round_trips, ping_sample
from airtcp.quantities.queues import QdiscPlace, handle_of, qdisc_parts, queue_places
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.plan_warnings import plan_warnings
from airtcp.report.run.applications import application_tables
from airtcp.report.run.latency import latency_table
from airtcp.report.run.mptcp import mptcp_table
from airtcp.report.run.tins import tins_table
from airtcp.report.table import Table, estimate, number


def run_tables(run: Run) -> list[Table]:
    """Everything worth a first look."""
    sampled = run.plan["sampling"]["flows_interval_ns"] > 0
    controls = [flow_control(run, flow) for flow in range(len(run.flow_plans))] if sampled else []
    flows = [_flows(run, controls), *([_limits(run, controls)] if sampled else [])]
    tables = [
        *flows,
        mptcp_table(run),
        _udp_flows(run),
        *application_tables(run),
        _pings(run),
        latency_table(run),
        _queues(run),
        tins_table(run),
        _wires(run),
        _radios(run),
        _programs(run),
    ]
    return [table for table in tables if table.rows]


def run_warnings(run: Run) -> list[str]:
    """What a reader should know before trusting the results."""
    warnings = [str(warning) for warning in run.agent["warnings"]]
    for flow in (run.flow_reports[n] for n in begun_flows(run)):
        if flow["error"]:
            warnings.append(f"flow {flow['name']}: {flow['error']}")
        elif flow["connected_ns"] is None:
            warnings.append(f"flow {flow['name']} never connected")
    return warnings + plan_warnings(run.plan)


def _flows(run: Run, controls: list[Control]) -> Table:
    rate, again = (QUANTITIES[name].label_with_unit for name in ("throughput", "retransmits"))
    columns = ("flow", "CCA", rate, "min", "max", "MB", again, "in control")
    table = Table("Flows (at the receiver: mean, and bins of 1 s)", columns, left=("CCA", "in control"))
    for flow, report in enumerate(run.flow_reports):
        seen = flow_throughput(run, flow) if controls else None
        table.add(
            report["name"],
            report["congestion_control"],
            *(number(v) for v in ((seen.mean_mbps, seen.min_mbps, seen.max_mbps) if seen else (None,) * 3)),
            number(report["bytes_received"] / 1e6),
            "-" if is_udp(report) else str(report["retransmits"]),
            controls[flow].text() if controls else "not sampled",
        )
    return table


def _udp_flows(run: Run) -> Table:
    columns = ("flow", "from", "to", "sent", "received", "not received")
    table = Table("UDP flows of programs (datagrams)", columns, left=("from", "to"))
    for report in filter(is_udp, run.flow_reports):
        ends = (f"{end['node']}:{end['port']}" for end in (report["from"], report["to"]))
        sent, received = report["datagrams_sent"], report["datagrams_received"]
        # Only numbers are known of them, so that lost ones and those under way at the end look alike.
        missing = f"{max(0, sent - received) / sent:.2%}" if sent else "-"
        table.add(report["name"], *ends, str(sent), str(received), missing)
    return table


def _pings(run: Run) -> Table:
    columns = ("ping", "mean", "min", "max", "answered", "lost", "under way")
    table = Table(QUANTITIES["rtt"].label_with_unit, columns)
    for ping, planned in enumerate(run.plan["pings"]):
        trips, sample = ping_round_trips(run, ping, 0, run.end_ns), ping_sample(run, ping, (0, run.end_ns))
        values = (number(trips.mean_ms), number(trips.min_ms), estimate(statistic(sample, "most")))
        counts = (str(count) for count in (trips.answered, sample.lost, sample.under_way))
        table.add(planned["name"], *values, *counts)
    return table


def _limits(run: Run, controls: list[Control]) -> Table:
    """One row per flow with exact times (`metrics/control.py`); empty if the run recorded none."""
    columns = ("flow", "CCA", *LIMITERS.values())
    title = f"{QUANTITIES['limits'].label} (share of each flow's time)"
    table = Table(title, columns, left=("CCA",))
    for report, control in zip(run.flow_reports, controls, strict=True):
        if control.exact and control.shares:
            shares = (f"{control.shares[name]:.1%}" for name in LIMITERS.values())
            table.add(report["name"], report["congestion_control"], *shares)
    return table


def _queues(run: Run) -> Table:
    """One row per queueing discipline that saw a packet; of a chain only the queue itself.

    What waited and what was marked is known from samples (`[sampling] qdiscs`).
    """
    columns = ("node", "interface", "qdisc", "packets", "MB", "dropped", "marked", "peak backlog", "mean")
    table = Table("Queues (packets)", columns, left=("interface", "qdisc"))
    waited = _waited(run) if "qdiscs" in run.recorded else {}
    queues = queue_places(run)
    for qdisc in run.agent["qdiscs"]:
        handle = handle_of(qdisc)
        if qdisc["packets"] and (qdisc["node"], qdisc["interface"], handle) in queues:
            marked, most, mean = waited.get((qdisc["node"], qdisc["interface"], handle), ("-", "-", "-"))
            place = (qdisc["node"], qdisc["interface"], f"{qdisc['kind']} {qdisc['handle']}")
            counts = (str(qdisc["packets"]), f"{qdisc['bytes'] / 1e6:.2f}", str(qdisc["drops"]))
            table.add(*place, *counts, marked, most, mean)
    return table


def _wires(run: Run) -> Table:
    """One row per end of a wire that has a trace."""
    table = Table("Wires with a trace (frames)", ("node", "interface", "sent", "MB", "lost", "share"))
    for wire in run.agent.get("wires", ()):
        share = wire["lost"] / max(1, wire["frames"])
        counts = (str(wire["frames"]), f"{wire['bytes'] / 1e6:.2f}", str(wire["lost"]), f"{share:.2%}")
        table.add(wire["node"], wire["interface"], *counts)
    return table


def _waited(run: Run) -> dict[QdiscPlace, tuple[str, str, str]]:
    """Of each discipline: packets marked, most that waited at a sample, and mean over time."""
    found: dict[QdiscPlace, tuple[str, str, str]] = {}
    for rows in qdisc_parts(run).values():
        node, interface, handle = (rows[column][0] for column in ("node_name", "interface_name", "handle"))
        backlog = rows["backlog_packets"].to_numpy()
        marks = int(rows["marks"].to_numpy().max())
        mean = mean_over_time(rows["time_ns"].to_numpy(), backlog, run.end_ns)
        found[node, interface, handle] = (str(marks), str(int(backlog.max())), f"{mean:.1f}")
    return found


def _radios(run: Run) -> Table:
    counted = ("sent", "retries", "collisions", "corrupted", "dropped", "queued")
    columns = ("radio", *counted, QUANTITIES["airtime"].label)
    table = Table("Radios (frames; queued: the most at a time)", columns)
    for nic in run.air_report["nics"]:
        share = nic["airtime_ns"] / max(1, run.air_report.get("end_ns", 0) - run.plan.get("epoch_ns", 0))
        counts: Iterable[int] = (nic["sent"], nic["retries"], nic["collisions"], nic["corrupted"])
        dropped = sum(nic["dropped"].values())
        counts = (*counts, dropped, nic["queue_max"])
        table.add(nic["node"], *(str(count) for count in counts), f"{share:.1%}")
    return table


def _programs(run: Run) -> Table:
    table = Table("Programs", ("program", "status", "output"), left=("status", "output"))
    starts_ns = {planned["name"]: planned["start_ns"] for planned in run.plan.get("programs", ())}
    for program in run.agent["programs"]:
        ended = f"signal {program['signal']}" if program["status"] is None else f"exit {program['status']}"
        if starts_ns.get(program["name"], 0) >= run.end_ns:
            ended = "not started"
        table.add(program["name"], ended, str(run.folder / "programs" / f"{program['name']}.out"))
    return table
