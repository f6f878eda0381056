"""What a measurement would do, without doing it."""

from collections.abc import Iterator

from airtcp.measurement.changes import planned_changes
from airtcp.measurement.lab_file import LabFile
from airtcp.plans.nodes import node_of
from airtcp.plans.types.plan import Plan

# What is asked of every machine (`facts.py`), and of the interfaces that the lab names.
_ASKED = "uname, /etc/os-release, /proc/cpuinfo, /proc/sys/net/ipv4/tcp_available_congestion_control"
_ASKED_OF_INTERFACES = "ip link, ethtool, tc qdisc, iw dev"


def dry_run_lines(plan: Plan, lab: LabFile) -> Iterator[str]:
    """Lines for the terminal: per machine how it is reached, what is changed and how that is undone."""
    for name, machine in lab.node.items():
        yield f"node {name}: {machine.way} {_target(lab, name)}, address {machine.address or 'not needed'}"
        if machine.way in ("ssh", "docker"):
            yield "  the agent is copied to a folder of temporary files, and removed when it runs"
        yield f"  reads: {_ASKED}"
        if machine.interfaces:
            yield f"  reads, of {', '.join(machine.interfaces.values())}: {_ASKED_OF_INTERFACES}"
        yield from (f"  {line}" for line in _changes(plan, lab, name))
        yield from (f"  {line}" for line in _traffic(plan, name))


def _target(lab: LabFile, name: str) -> str:
    machine = lab.node[name]
    return "" if machine.way == "local" else str(getattr(machine, machine.way))


def _changes(plan: Plan, lab: LabFile, name: str) -> Iterator[str]:
    machine = lab.node[name]
    node = node_of(plan, name)
    if "queues" in machine.set and node["offloads"] == "none":
        for device in machine.interfaces.values():
            yield f"changes: offloads of {device} off (ethtool -K), gso_max_segs 1 (ip link); restores both"
    for change in planned_changes(plan, name, machine):
        yield f"changes: {change.make}"
        if change.undo.words != ["true"]:
            yield f"restores: {change.undo}"
    if "sysctls" in machine.set:
        keys = [setting["key"] for setting in node["sysctls"] if not setting["key"].startswith("net.ipv6.")]
        yield f"changes those of {', '.join(keys)} that differ, by tee /proc/sys/...; restores their values"
    if not machine.set:
        yield "changes nothing"


def _traffic(plan: Plan, name: str) -> Iterator[str]:
    for flow in plan["flows"]:
        if flow["from"] == name:
            yield f"sends flow {flow['name']} ({flow['congestion_control']}) to {flow['to']}"
        if flow["to"] == name:
            yield f"receives flow {flow['name']}"
    for stream in plan["datagrams"]:
        if stream["from"] == name:
            yield f"sends datagrams {stream['name']} to {stream['to']}"
    for ping in plan["pings"]:
        if ping["from"] == name:
            yield f"pings {ping['to']} ({ping['name']})"
    for program in plan["programs"]:
        if program["node"] == name:
            yield f"runs: {program['command']}"
    for capture in plan["captures"]:
        if capture["point"].get("node") == name:
            yield f"captures {capture['name']} with tcpdump"
