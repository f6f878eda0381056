"""The numbers of a run for programs: those of its tables and of reports, by names with units."""

import math
from typing import Any

from airtcp.data.program_flows import is_udp
from airtcp.data.read_once import ReadOnce
from airtcp.metrics.control import LIMITERS
from airtcp.quantities.flows import flow_control, flow_throughput
from airtcp.quantities.latency import ping_round_trips, ping_sample, stream_sample
from airtcp.quantities.named_number import number_named
from airtcp.quantities.run_view import RunView
from airtcp.report.run.report import run_warnings

Facts = dict[str, Any]


def run_facts(run: ReadOnce) -> Facts:
    """What `airtcp run --json` prints; `docs/reference/json.md` says what each key is. What is not known is
    `None`.
    """
    view = RunView.while_flows_ran(run)
    numbers: Facts = {key: known(number_named(key, "JSON").of(view).value) for key in _OF_ALL}
    return {
        "scenario": run.plan["name"],
        "seed": run.plan["seed"],
        "run": run.name,
        "folder": str(run.folder),
        "virtual_s": run.end_ns / 1e9,
        **numbers,
        "retransmits": int(numbers["retransmits"]),
        "flows": [_flow(run, flow) for flow in range(len(run.flow_plans))],
        "pings": [_ping(run, ping) for ping in range(len(run.plan["pings"]))],
        "streams": [_stream(run, stream) for stream in range(len(run.agent.get("datagrams", ())))],
        "programs": [
            {"program": program["name"], "exit_status": program["status"], "signal": program["signal"]}
            for program in run.agent["programs"]
        ],
        "warnings": run_warnings(run),
    }


# The keys that `airtcp run --json` promises: names of quantities, some of them former ones.
_OF_ALL = ("goodput_mbps", "rtt_ms", "srtt_ms", "retransmits", "jain_index", "airtime_jain_index")


def _flow(run: ReadOnce, flow: int) -> Facts:
    planned, report = run.flow_plans[flow], run.flow_reports[flow]
    sampled = run.plan["sampling"]["flows_interval_ns"] > 0
    rate = flow_throughput(run, flow) if sampled else None
    control = flow_control(run, flow) if sampled else None
    shares = control.shares if control is not None and control.exact else {}
    return {
        "flow": report["name"],
        "from": planned["from"],
        "to": planned["to"],
        "congestion_control": None if is_udp(report) else report["congestion_control"],
        "goodput_mbps": known(rate.mean_mbps) if rate else None,
        "goodput_least_mbps": known(rate.min_mbps) if rate else None,
        "goodput_most_mbps": known(rate.max_mbps) if rate else None,
        "bytes_received": report["bytes_received"],
        "retransmits": None if is_udp(report) else report["retransmits"],
        "in_control": None if control is None else control.in_control,
        "limited_share": {
            name.lower().replace(" ", "_").replace("'", ""): shares[name] for name in LIMITERS.values()
        }
        if shares
        else None,
        "lost_share": _share(report["datagrams_sent"], report["datagrams_received"])
        if is_udp(report)
        else None,
        "error": report["error"],
    }


def _ping(run: ReadOnce, ping: int) -> Facts:
    trips, sample = ping_round_trips(run, ping, 0, run.end_ns), ping_sample(run, ping, (0, run.end_ns))
    return {
        "ping": run.plan["pings"][ping]["name"],
        "mean_ms": known(trips.mean_ms),
        "least_ms": known(trips.min_ms),
        "most_ms": known(trips.max_ms),
        "answered": trips.answered,
        "unanswered": trips.lost,
        "lost": sample.lost,
        "under_way": sample.under_way,
    }


def _stream(run: ReadOnce, stream: int) -> Facts:
    report = run.agent["datagrams"][stream]
    sample = stream_sample(run, stream, (0, run.end_ns))
    return {
        "stream": report["name"],
        "sent": report["sent"],
        "received": report["received"],
        "lost": sample.lost,
        "under_way": sample.under_way,
        "lost_share": known(sample.missing),
    }


def _share(sent: int, received: int) -> float | None:
    """Of those sent, what did not arrive."""
    return max(0, sent - received) / sent if sent else None


def known(value: float | None) -> float | None:
    """JSON cannot represent what is not a number."""
    return None if value is None or not math.isfinite(value) else value
