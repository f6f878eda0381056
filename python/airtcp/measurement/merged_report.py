"""The reports of a run's flows, streams, pings and programs, from those of its nodes."""

import json
from collections.abc import Mapping
from typing import Any

from airtcp.measurement.node_records import NodeRecords
from airtcp.scenario.plan_types.plan import Plan

Records = Mapping[str, NodeRecords]
# Of a node that was lost.
_NO_FLOW = {
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
QDISCS_BEFORE, QDISCS_AFTER = "qdiscs-before", "qdiscs-after"


def merged_report(plan: Plan, records: Records, end_ns: int, warnings: list[str]) -> dict[str, Any]:
    """The part `agent` of a summary. Each end of a flow is reported by its own node."""
    said = [warning for own in records.values() for warning in own.report["warnings"]]
    return {
        "failure": None,
        "kernel_release": "",
        "ready_ns": 0,
        "end_ns": end_ns,
        "flows": [_flow(dict(flow), records) for flow in plan["flows"]],
        "datagrams": [
            _stream(number, dict(stream), records) for number, stream in enumerate(plan["datagrams"])
        ],
        "pings": [
            _report(records, ping["from"], "pings", ping["name"])
            or {"name": ping["name"], "sent": 0, "received": 0}
            for ping in plan["pings"]
        ],
        "programs": [
            _report(records, program["node"], "programs", program["name"])
            or {"name": program["name"], "group": 0, "status": None, "signal": None}
            for program in plan["programs"]
        ],
        "qdiscs": [report for own in records.values() for report in _qdiscs(own)],
        "warnings": [*warnings, *said],
    }


def _report(records: Records, node: str, kind: str, name: str) -> dict[str, Any] | None:
    return records[node].reports(kind).get(name) if node in records else None


def _flow(flow: dict[str, Any], records: Records) -> dict[str, Any]:
    sender = _report(records, flow["from"], "flows", flow["name"]) or _NO_FLOW
    receiver = _report(records, flow["to"], "flows", flow["name"]) or _NO_FLOW
    return {
        **_NO_FLOW,
        **sender,
        "name": flow["name"],
        "congestion_control": flow["congestion_control"],
        "finished_ns": receiver["finished_ns"],
        "bytes_received": receiver["bytes_received"],
        "error": sender["error"] or receiver["error"],
    }


def _stream(number: int, stream: dict[str, Any], records: Records) -> dict[str, Any]:
    sent = _report(records, stream["from"], "datagrams", stream["name"])
    report = {"name": stream["name"], "sent": 0, "refused": 0, **(sent or {}), "received": 0}
    arrivals = records[stream["to"]].frame("arrivals") if stream["to"] in records else None
    if arrivals is not None:
        own = arrivals.filter(arrivals["stream"] == number)
        report["received"] = own["sequence"].n_unique()
    return report


def _qdiscs(own: NodeRecords) -> list[dict[str, Any]]:
    """What the disciplines of the named interfaces counted during the run (`tc -s -j qdisc show`)."""
    found = []
    for interface in own.facts.interfaces:
        before, after = (_shown(own, f"{name}-{interface}") for name in (QDISCS_BEFORE, QDISCS_AFTER))
        for key, now in after.items():
            first = before.get(key, {})
            since = {
                name: now.get(name, 0) - first.get(name, 0)
                for name in ("bytes", "packets", "drops", "overlimits")
            }
            found.append(
                {
                    "node": own.node,
                    "interface": interface,
                    "kind": now["kind"],
                    "handle": now["handle"],
                    **since,
                    "backlog_packets": now.get("qlen", 0),
                    "backlog_bytes": now.get("backlog", 0),
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
