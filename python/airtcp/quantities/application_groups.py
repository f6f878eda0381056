"""Flows and streams of a run by application, where too many are in a figure to be told apart."""

from collections.abc import Mapping
from typing import Any

from airtcp.data.program_flows import WORKLOAD
from airtcp.data.run_folder import Run
from airtcp.quantities.flows import workload_of

_KINDS = {"web": "web", "video": "video", "requests": "requests", "on_off": "bursts"}
_CALL = "talk_spurts"


def application_groups(run: Run) -> dict[str, list[str]]:
    """Names of flows and streams by application, and by congestion control where one application has several.

    Pings are in none: they measure.
    """
    stations = {nic["node"] for nic in run.plan["air"]["nics"] if nic.get("role", "station") == "station"}
    kinds = [(_kind(flow, stations), flow["congestion_control"], flow["name"]) for flow in run.flow_plans]
    groups: dict[str, list[str]] = {}
    for kind, congestion_control, name in kinds:
        several = len({other for of, other, _ in kinds if of == kind}) > 1
        groups.setdefault(f"{kind}, {congestion_control}" if several else kind, []).append(name)
    for stream in run.plan.get("datagrams", ()):
        groups.setdefault(_stream_kind(stream), []).append(stream["name"])
    return groups


def _kind(flow: Mapping[str, Any], stations: set[str]) -> str:
    kind = workload_of(dict(flow))["kind"]
    if kind == WORKLOAD:
        # Connections of one program are numbered.
        return str(flow["name"]).partition(" #")[0]
    if kind in _KINDS:
        return _KINDS[kind]
    sends, receives = flow["from"] in stations, flow["to"] in stations
    return "transfers" if sends == receives else "uploads" if sends else "downloads"


def _stream_kind(stream: Mapping[str, Any]) -> str:
    spacing = stream.get("spacing", {})
    return "calls" if spacing.get("kind") == _CALL else "datagrams"
