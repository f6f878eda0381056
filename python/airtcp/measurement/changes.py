"""What is changed on a machine for a measurement, and how each change is undone."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.measurement.connection import Command, Connection
from airtcp.measurement.facts import MachineFacts
from airtcp.measurement.lab_file import LabNode
from airtcp.measurement.ways_in import as_root
from airtcp.plans.nodes import node_of
from airtcp.plans.types.plan import Plan, PlanEgress, PlanNode
from airtcp.scenario.keys.dualpi2 import dualpi2_words
from airtcp.scenario.values.sysctl import sysctl_path

# A packet of 1500 bytes with its Ethernet header, twice: tbf must let one through while the next is counted.
_BURST_BYTES_LEAST = 2 * 1514
# At high rates tbf's timer comes late by some ten microseconds, which tokens have to cover (tc-tbf(8)).
_BURST_S = 50e-6
# netem's own queue holds packets on their way (tc-netem(8)): 10 Gbit/s for a second of packets of 1500 bytes.
_NETEM_PACKETS = 1_000_000
# Settings that change nothing of TCP over IPv4.
_IGNORED = "net.ipv6."
# What is set on machines: the network's settings, but not those of its compiler of BPF programs.
_SETTABLE = ("net.core.", "net.ipv4.", "net.ipv6.")
_NOT_SETTABLE = "net.core.bpf_"


@dataclass(frozen=True)
class Change:
    """A change of a machine."""

    why: str
    make: Command
    undo: Command


def planned_changes(plan: Plan, name: str, machine: LabNode) -> list[Change]:
    """All changes of a node, in their order; what a setting was before is known on the machine only.

    A setting that may not be made on machines is an `AirtcpError`.
    """
    node = node_of(plan, name)
    changes: list[Change] = []
    if "sysctls" in machine.set:
        _check_settings(node)
    if "queues" in machine.set:
        changes += _queues(node, machine)
    if "congestion_controls" in machine.set:
        changes += _modules(plan, name, machine)
    return changes


def _queues(node: PlanNode, machine: LabNode) -> Iterator[Change]:
    for interface in node["interfaces"]:
        device = machine.interfaces.get(interface["name"])
        egress = interface["egress"]
        if device is None or interface["attachment"]["kind"] != "wire":
            continue
        undo = Command(as_root(machine, ["tc", "qdisc", "del", "dev", device, "root"]))
        nothing = Command(["true"])
        for number, words in enumerate(queue_commands(device, egress)):
            what = f"{node['name']}: {interface['name']} sends as its wire does in the scenario"
            yield Change(what, Command(as_root(machine, words)), nothing if number else undo)


def queue_commands(device: str, egress: PlanEgress) -> list[list[str]]:
    """The disciplines of an interface: delay, then rate, then queue, each the child of the one before.

    In a scenario the queue comes before the delay. Both orders have the same round-trip times and losses;
    with the delay first, packets on their way do not count as queued.
    """
    stages: list[list[str]] = []
    if egress["delay_ns"]:
        # In microseconds: tc of iproute2 6.1 knows no "ns".
        delay = f"{egress['delay_ns'] / 1000:.3f}".rstrip("0").rstrip(".")
        stages.append(["netem", "delay", f"{delay}us", "limit", str(_NETEM_PACKETS)])
    rate = egress["rate_bps"]
    if rate is not None:
        burst = max(_BURST_BYTES_LEAST, round(rate / 8 * _BURST_S))
        stages.append(["tbf", "rate", f"{rate}bit", "burst", str(burst), "limit", "1000000000"])
    queue = egress["queue"]
    if queue["kind"] == "packets":
        stages.append(["pfifo", "limit", str(queue["limit"])])
    elif queue["kind"] == "bytes":
        stages.append(["bfifo", "limit", str(queue["limit"])])
    elif queue["kind"] == "tc":
        stages.append(list(queue["args"]))
    elif queue["kind"] == "dualpi2":
        stages.append(dualpi2_words(queue))
    commands = []
    for number, stage in enumerate(stages, 1):
        # tbf and netem have one class, 1.
        place = ["root"] if number == 1 else ["parent", f"{number - 1}:1"]
        commands.append(["tc", "qdisc", "add", "dev", device, *place, "handle", f"{number}:", *stage])
    return commands


def _modules(plan: Plan, name: str, machine: LabNode) -> Iterator[Change]:
    senders = {flow["congestion_control"] for flow in plan["flows"] if flow["from"] == name}
    for control in sorted(senders):
        module = f"tcp_{control}"
        yield Change(
            f"{name}: the module of {control}",
            Command(as_root(machine, ["modprobe", module])),
            Command(as_root(machine, ["modprobe", "-r", module])),
        )


class Changer:
    """Makes the changes of one machine; its agent undoes them when the connection ends."""

    def __init__(self, connection: Connection, machine: LabNode, facts: MachineFacts) -> None:
        self._connection = connection
        self._machine = machine
        self._facts = facts
        self.made: list[Change] = []

    def apply(self, plan: Plan, name: str) -> None:
        """Makes all changes of the node; one that fails is an `AirtcpError`."""
        node = node_of(plan, name)
        if "queues" in self._machine.set:
            self._check_roots(name)
            if node["offloads"] == "none":
                for change in self._without_offloads(name):
                    self._make(change, name)
        available = self._read("net.ipv4.tcp_available_congestion_control").split()
        for change in planned_changes(plan, name, self._machine):
            if change.make.words[-2:-1] == ["modprobe"] and change.make.words[-1][4:] in available:
                continue
            self._make(change, name)
        if "sysctls" in self._machine.set:
            for key, value, old in self.differing(node):
                path = _path(key)
                write = as_root(self._machine, ["tee", path])
                why = f"{name}: {key} as in the scenario"
                self._make(Change(why, Command(write, value), Command(write, old)), name)

    def _without_offloads(self, name: str) -> Iterator[Change]:
        """Queues of packets hold packets of one MTU, as in the scenario: no segmentation below them, no
        merging before them. TCP makes long packets whatever the features say, unless gso_max_segs is 1."""
        for facts in self._facts.interfaces.values():
            device = self._machine.interfaces[facts.name]
            on = [key for key, enabled in facts.offloads.items() if enabled]
            if on:
                words = [
                    as_root(self._machine, ["ethtool", "-K", device, *_each(on, to)]) for to in ("off", "on")
                ]
                yield Change(f"{name}: {facts.name} without offloads", Command(words[0]), Command(words[1]))
            if facts.gso_max_segs > 1:
                words = [
                    as_root(
                        self._machine, ["ip", "link", "set", "dev", device, "gso_max_segs", str(segments)]
                    )
                    for segments in (1, facts.gso_max_segs)
                ]
                why = f"{name}: {facts.name} sends packets of one segment"
                yield Change(why, Command(words[0]), Command(words[1]))

    def differing(self, node: PlanNode) -> list[tuple[str, str, str]]:
        """Settings of TCP that are not as in the scenario: key, value there, value of the machine."""
        found = []
        for setting in node["sysctls"]:
            if setting["key"].startswith(_IGNORED):
                continue
            old = self._read(setting["key"])
            if old and old.split() != setting["value"].split():
                found.append((setting["key"], setting["value"], old))
        return found

    def _read(self, key: str) -> str:
        return self._connection.execute(["cat", _path(key)])["output"].strip()

    def _make(self, change: Change, name: str) -> None:
        done = self._connection.change(change.make, change.undo)
        if done["status"] != 0:
            what = f"{change.make} failed: {done['error'].strip() or done['status']}"
            remedy = "Give the user the right (sudo = true), or leave it out of set"
            raise AirtcpError(what, f"node {name}", remedy)
        self.made.append(change)

    def _check_roots(self, name: str) -> None:
        """Refuses an interface with disciplines that somebody has set: nobody could restore them."""
        for device in self._machine.interfaces.values():
            shown = self._connection.execute(["tc", "-j", "qdisc", "show", "dev", device])
            if shown["status"] != 0:
                what = f"the queueing disciplines of {device} can't be read: {shown['error'].strip()}"
                raise AirtcpError(what, f"node {name}", "Check the name; install iproute2 there")
            disciplines: list[dict[str, Any]] = json.loads(shown["output"] or "[]")
            for own in disciplines:
                if own.get("root") and own.get("handle", "0:") != "0:":
                    what = (
                        f"{device} has a queueing discipline that somebody set: {own['kind']} {own['handle']}"
                    )
                    remedy = f"Remove it (tc qdisc del dev {device} root), or leave queues out of set"
                    raise AirtcpError(what, f"node {name}", remedy)


def _each(names: list[str], value: str) -> list[str]:
    return [word for name in names for word in (name, value)]


def _check_settings(node: PlanNode) -> None:
    """Refuses settings that are not of the network: others can give a program the rights of root."""
    for setting in node["sysctls"]:
        key = setting["key"]
        if not key.startswith(_SETTABLE) or key.startswith(_NOT_SETTABLE) or sysctl_path(key) is None:
            what = f"{key} is not a setting of TCP or IP, and is not set on a real machine"
            remedy = "Leave it out of the scenario, or leave sysctls out of set"
            raise AirtcpError(what, f"node {node['name']}", remedy)


def _path(key: str) -> str:
    path = sysctl_path(key)
    if path is None:
        raise AirtcpError(f'"{key}" is not a setting below /proc/sys', "sysctls", "Correct the key")
    return path
