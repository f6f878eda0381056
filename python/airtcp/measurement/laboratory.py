"""The machines of a lab, connected for a measurement."""

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.measurement.changes import Changer, planned_changes
from airtcp.measurement.clocks import Comparison, compare, shares_clock
from airtcp.measurement.connection import Connection, Event
from airtcp.measurement.facts import MachineFacts, machine_facts
from airtcp.measurement.lab_file import LabFile
from airtcp.measurement.ways_in import way_in
from airtcp.plans.nodes import node_of
from airtcp.plans.types.plan import Plan

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass
class Machine:
    """A connected machine."""

    connection: Connection
    facts: MachineFacts
    changer: Changer
    shared: bool = False
    """Whether the clock is this machine's."""
    differing: list[tuple[str, str, str]] = field(default_factory=list)
    """Settings of TCP that are not as in the scenario: key, value there, value of the machine."""

    def compare_clock(self) -> Comparison:
        """Compares its clock with this machine's."""
        return compare(self.connection)


@dataclass
class Laboratory:
    """All machines by the names of their nodes."""

    lab: LabFile
    machines: dict[str, Machine]
    events: "queue.SimpleQueue[Event]"
    prepared: bool = False
    """The changes that the lab allows have been made."""


@contextmanager
def connected(lab: LabFile, agent: Path, say: Callable[[str], None]) -> Iterator[Laboratory]:
    """The machines of a lab. At the end, whatever happens, all agents end and undo what they changed."""
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    connections = {
        name: Connection(name, way_in(machine, agent), events) for name, machine in lab.node.items()
    }
    try:
        with ThreadPoolExecutor(max(1, len(connections))) as pool:
            list(pool.map(Connection.open, connections.values()))
        machines = {name: _machine(lab, name, connection) for name, connection in connections.items()}
        for name, machine in machines.items():
            for note in machine.facts.notes:
                say(f"node {name}: {note}")
        yield Laboratory(lab, machines, events)
    finally:
        _close(connections, say)


def _machine(lab: LabFile, name: str, connection: Connection) -> Machine:
    machine = lab.node[name]
    facts = machine_facts(connection, machine)
    made = Machine(connection, facts, Changer(connection, machine, facts))
    own_boot_id = _BOOT_ID.read_text(encoding="ascii").strip()
    made.shared = shares_clock(facts.boot_id, own_boot_id, made.compare_clock())
    return made


def settings_of(plan: Plan, lab: LabFile) -> tuple[str, ...]:
    """What is set for a plan. Runs of the same settings follow each other without a change; between others
    everything is undone."""
    found = []
    for name, machine in lab.node.items():
        node = node_of(plan, name)
        found += [str(change.make) for change in planned_changes(plan, name, machine)]
        found += [node["offloads"]] if "queues" in machine.set else []
        found += (
            [f"{each['key']}={each['value']}" for each in node["sysctls"]] if "sysctls" in machine.set else []
        )
    return tuple(found)


def prepare(laboratory: Laboratory, plan: Plan) -> None:
    """Makes the changes that the lab allows, and notes which settings differ from the scenario."""
    for name, machine in laboratory.machines.items():
        machine.changer.apply(plan, name)
        node = node_of(plan, name)
        machine.differing = machine.changer.differing(node)
    laboratory.prepared = True


def _close(connections: dict[str, Connection], say: Callable[[str], None]) -> None:
    with ThreadPoolExecutor(max(1, len(connections))) as pool:
        for name, left in zip(connections, pool.map(Connection.close, connections.values()), strict=True):
            if left:
                say(f"node {name}: not undone: {left}")


def require_controls(laboratory: Laboratory, plan: Plan) -> None:
    """Refuses a congestion control that the kernel of its sender lacks, before anything is measured."""
    for number, flow in enumerate(plan["flows"]):
        machine = laboratory.machines[flow["from"]]
        path = "/proc/sys/net/ipv4/tcp_available_congestion_control"
        available = machine.connection.execute(["cat", path])["output"].split()
        wanted = flow["congestion_control"]
        # With root the kernel loads the module when a socket asks for it.
        if wanted not in available and machine.connection.ready["uid"] != 0:
            what = f"the kernel has no congestion control {wanted}; it has {', '.join(available)}"
            remedy = (
                f'Load its module there: modprobe tcp_{wanted}, or set = ["congestion_controls"] in the lab'
            )
            raise AirtcpError(what, f"node {flow['from']}, flow[{number}]", remedy)
