"""Connections and UDP flows of programs as entries beside the plan's flows and their reports."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

JsonObject = dict[str, Any]

TCP, UDP = "tcp", "udp"
# Where others have the name of a congestion control.
NO_CONGESTION_CONTROL = "UDP"
# The workload of what nobody planned.
WORKLOAD = "program"


def planned_and_found(plan: JsonObject, sockets: JsonObject, agent: JsonObject) -> list[JsonObject]:
    """The plan's flows, then an entry for each flow of programs, by their numbers in `flows`."""
    found = sockets.get("flows", [])
    names = _names(plan, found, agent.get("programs", []))
    return [*plan["flows"], *map(_as_planned, names, found)]


def reports(plan: JsonObject, sockets: JsonObject, agent: JsonObject) -> list[JsonObject]:
    """The reports of the plan's flows, then of those of programs."""
    found = sockets.get("flows", [])
    names = _names(plan, found, agent.get("programs", []))
    return [*agent["flows"], *map(_as_reported, names, found)]


def connections(plan: JsonObject, sockets: JsonObject, agent: JsonObject) -> list[JsonObject]:
    """The reports of MPTCP connections of programs, with names, by their numbers in `mptcp`."""
    found = sockets.get("mptcp", [])
    names = _names(plan, found, agent.get("programs", []))
    return [{**one, "name": f"{name} (MPTCP)"} for name, one in zip(names, found, strict=True)]


def is_udp(flow: JsonObject) -> bool:
    """Whether an entry of either list is a UDP flow: then nothing is known of a sender's TCP."""
    return flow.get("protocol") == UDP


def _names(plan: JsonObject, found: list[JsonObject], programs: Iterable[JsonObject]) -> list[str]:
    """The program that connected; numbered in the order of beginning where it has several."""
    groups = {program["group"]: program["name"] for program in programs if program.get("group")}
    owners = [_owner(plan, flow, groups) for flow in found]
    counts, seen = Counter(owners), Counter[str]()
    taken = {flow["name"] for flow in plan["flows"]}
    names = []
    for owner in owners:
        seen[owner] += 1
        plain = counts[owner] == 1 and owner not in taken
        names.append(owner if plain else f"{owner} #{seen[owner]}")
    return names


def _owner(plan: JsonObject, flow: JsonObject, groups: dict[int, str]) -> str:
    if flow["group"] in groups:
        return groups[flow["group"]]
    first, second = (flow["from"], flow["to"]) if flow["connecting"] else (flow["to"], flow["from"])
    if (second["node"], second["port"]) in _flows_of_session(plan):
        return f"{first['node']}-{second['node']}"
    at_node = [program["name"] for program in plan["programs"] if program["node"] == first["node"]]
    # Whose datagrams they are is not known, but where only one program runs there is no question.
    return at_node[0] if len(at_node) == 1 else f"{first['node']}-{second['node']}:{second['port']}"


def _flows_of_session(plan: JsonObject) -> set[tuple[str, int]]:
    """Node and port at which flows that a session started are received."""
    acts = (one["act"] for one in (plan.get("session") or {}).get("inputs", ()))
    return {(act["to"], act["port"]) for act in acts if act["kind"] == "flow"}


def _as_planned(name: str, flow: JsonObject) -> JsonObject:
    return {
        "name": name,
        "from": flow["from"]["node"],
        "to": flow["to"]["node"],
        "start_ns": flow["connected_ns"],
        "congestion_control": flow["congestion_control"] or NO_CONGESTION_CONTROL,
        "workload": {"kind": WORKLOAD},
        "protocol": flow["protocol"],
    }


def _as_reported(name: str, flow: JsonObject) -> JsonObject:
    congestion_control = flow["congestion_control"] or NO_CONGESTION_CONTROL
    return {**flow, "name": name, "congestion_control": congestion_control, "error": None}
