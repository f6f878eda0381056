"""The reports of a run's flows, streams, pings and programs, from those of its nodes."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from airtcp.measurement.node_records import NodeRecords
from airtcp.plans.types.messages import (
    DatagramReport,
    FlowReport,
    MeasurementAnswerCollected,
    PingReport,
    ProgramReport,
    QdiscReport,
)
from airtcp.plans.types.plan import Plan, PlanDatagramStream, PlanFlow

Records = Mapping[str, NodeRecords]
ReportT = TypeVar("ReportT", FlowReport, PingReport, ProgramReport, DatagramReport)
QDISCS_BEFORE, QDISCS_AFTER = "qdiscs-before", "qdiscs-after"


def merged_report(plan: Plan, records: Records, end_ns: int, warnings: list[str]) -> dict[str, Any]:
    """The part `agent` of a summary. Each end of a flow is reported by its own node."""
    said = [warning for own in records.values() for warning in own.report["warnings"]]
    return {
        "failure": None,
        "kernel_release": "",
        "ready_ns": 0,
        "end_ns": end_ns,
        "flows": [_flow(flow, records) for flow in plan["flows"]],
        "datagrams": [_stream(number, stream, records) for number, stream in enumerate(plan["datagrams"])],
        "pings": [
            _report(records, ping["from"], lambda report: report["pings"], ping["name"])
            or {"name": ping["name"], "sent": 0, "received": 0}
            for ping in plan["pings"]
        ],
        "programs": [
            _report(records, program["node"], lambda report: report["programs"], program["name"])
            or {"name": program["name"], "group": 0, "status": None, "signal": None}
            for program in plan["programs"]
        ],
        "qdiscs": [report for own in records.values() for report in _qdiscs(own)],
        "warnings": [*warnings, *said],
    }


def _report(
    records: Records, node: str, reports: Callable[[MeasurementAnswerCollected], Sequence[ReportT]], name: str
) -> ReportT | None:
    """What a node reports of something of this name; `None` if it has no report, or was lost."""
    own = reports(records[node].report) if node in records else ()
    return next((each for each in own if each["name"] == name), None)


def _flow(flow: PlanFlow, records: Records) -> FlowReport:
    lost: FlowReport = {
        "name": flow["name"],
        "congestion_control": flow["congestion_control"],
        "connected_ns": None,
        "finished_ns": None,
        "bytes_received": 0,
        "bytes_acked": 0,
        "retransmits": 0,
        "busy_us": 0,
        "rwnd_limited_us": 0,
        "sndbuf_limited_us": 0,
        "error": None,
    }
    sender, receiver = (
        _report(records, flow[end], lambda report: report["flows"], flow["name"]) or lost
        for end in ("from", "to")
    )
    return {
        **sender,
        "congestion_control": flow["congestion_control"],
        "finished_ns": receiver["finished_ns"],
        "bytes_received": receiver["bytes_received"],
        "error": sender["error"] or receiver["error"],
    }


def _stream(number: int, stream: PlanDatagramStream, records: Records) -> DatagramReport:
    sent = _report(records, stream["from"], lambda report: report["datagrams"], stream["name"])
    lost: DatagramReport = {"name": stream["name"], "sent": 0, "refused": 0, "received": 0}
    arrivals = records[stream["to"]].frame("arrivals") if stream["to"] in records else None
    received = 0 if arrivals is None else arrivals.filter(arrivals["stream"] == number)["sequence"].n_unique()
    return {**(sent or lost), "received": received}


def _qdiscs(own: NodeRecords) -> list[QdiscReport]:
    """What the disciplines of the named interfaces counted during the run (`tc -s -j qdisc show`)."""
    found: list[QdiscReport] = []
    for interface in own.facts.interfaces:
        before, after = (_shown(own, f"{name}-{interface}") for name in (QDISCS_BEFORE, QDISCS_AFTER))
        for key, now in after.items():
            first = before.get(key, {})
            found.append(
                {
                    "node": own.node,
                    "interface": interface,
                    "kind": now["kind"],
                    "handle": now["handle"],
                    "bytes": now["bytes"] - first.get("bytes", 0),
                    "packets": now["packets"] - first.get("packets", 0),
                    "drops": now["drops"] - first.get("drops", 0),
                    "overlimits": now["overlimits"] - first.get("overlimits", 0),
                    "backlog_packets": now["qlen"],
                    "backlog_bytes": now["backlog"],
                }
            )
    return found


def _shown(own: NodeRecords, name: str) -> dict[str, dict[str, Any]]:
    file = own.folder / f"{name}.json"
    try:
        disciplines = json.loads(file.read_text(encoding="utf-8") or "[]")
    except (OSError, ValueError):
        return {}
    found: dict[str, dict[str, Any]] = {}
    for each in disciplines:
        # The queues of a card with several have no handle of their own: they count as one.
        known = found.setdefault(
            each["handle"],
            dict.fromkeys(("bytes", "packets", "drops", "overlimits", "qlen", "backlog"), 0)
            | {"kind": each["kind"], "handle": each["handle"]},
        )
        for key, value in each.items():
            if key in known and isinstance(value, int):
                known[key] += value
    return found
