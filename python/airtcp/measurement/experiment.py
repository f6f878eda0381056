"""One run on the machines of a lab, from the order to start to its run folder."""

import errno
import json
import queue
import shlex
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.measurement.clocks import Comparison, NodeClock
from airtcp.measurement.connection import Connection, MachineLostError, failure
from airtcp.measurement.laboratory import Laboratory, Machine
from airtcp.measurement.merged_report import QDISCS_AFTER, QDISCS_BEFORE
from airtcp.measurement.merged_series import STATIONS_FILE
from airtcp.measurement.node_records import NodeRecords
from airtcp.measurement.real_plan import real_plan
from airtcp.measurement.run_writer import Measured, write_run
from airtcp.measurement.ways_in import as_root
from airtcp.measurement.working_folder import working_folder
from airtcp.plans.content import content_bytes
from airtcp.plans.nodes import node_of
from airtcp.plans.types.messages import MeasurementAnswerCollected, MeasurementOrder, Poll, Recorder
from airtcp.plans.types.plan import Plan, PlanCapture

# The agents' patience is 15 s (SILENCE_MOST_NS).
ALIVE_S = 4.0
LOOK_S = 0.2
# A capture of a minute over a slow link.
COLLECT_MOST_S = 600.0
# Of `iw station dump`, if the scenario does not say how often.
STATIONS_INTERVAL_NS = 1_000_000_000
_NS = 1_000_000_000

Progress = Callable[[float], None]


@dataclass
class Experiment:
    """A run of a plan."""

    laboratory: Laboratory
    plan: Plan
    store: Path
    stopped: threading.Event
    """A person has asked for the end."""
    say: Callable[[str], None]
    """Told what a person should know and a run folder should not: names of machines, for example."""

    def run(self, progress: Progress) -> Path:
        """Runs it and returns its folder; `progress` is told how many seconds of the run have passed.

        If a machine is lost, the run ends with what was measured until then.
        """
        with working_folder(self.store) as folder:
            nodes = folder / "nodes"
            nodes.mkdir()
            return write_run(self._measure(nodes, progress), folder / "run", self.store)

    def _measure(self, folder: Path, progress: Progress) -> Measured:
        machines, warnings = self.laboratory.machines, []
        while not self.laboratory.events.empty():
            self.laboratory.events.get()
        before = {name: machine.compare_clock() for name, machine in machines.items()}
        for name, machine in machines.items():
            self._save_qdiscs(machine, folder / name, QDISCS_BEFORE)
        epoch, begun_s = self._start(before)
        try:
            end_ns, why = self._wait(epoch, progress)
        finally:
            self._order_all({"order": "stop"})
        if why:
            warnings.append(f"the run ended at {end_ns / 1e9:.1f} s: {why}")
        records = self._collect(before, folder, warnings)
        if not records:
            raise MachineLostError("all machines were lost", "the lab", "Check the machines and the network")
        warnings += self._doubts(records)
        return Measured(self.plan, records, begun_s, end_ns, self._settings(), warnings)

    def _start(self, before: dict[str, Comparison]) -> tuple[int, float]:
        """Starts all agents; returns traffic time zero on this machine's clock, and on its wall clock."""
        machines = self.laboratory.machines
        real = real_plan(self.plan, self.laboratory.lab)
        epoch = time.monotonic_ns() + self.laboratory.lab.lead
        begun_s = time.time() + self.laboratory.lab.lead / 1e9
        for name, machine in machines.items():
            epoch_ns = epoch if machine.shared else before[name].of(epoch)
            machine.connection.order(
                {
                    "order": "start",
                    "node": name,
                    "plan": real,
                    "epoch_ns": epoch_ns,
                    "peers": [own.address for own in self.laboratory.lab.node.values() if own.address],
                    "recorders": self._recorders(name),
                    "polls": self._polls(name),
                }
            )
        for machine in machines.values():
            while machine.connection.next_answer()["answer"] != "started":
                pass
        return epoch, begun_s

    def _recorders(self, name: str) -> list[Recorder]:
        """tcpdump for each interface of a capture."""
        lab, found = self.laboratory.lab.node[name], list[Recorder]()
        for capture, device in self._captures(name):
            path = f"{{folder}}/pcap/{capture['name']}.pcap"
            command = ["tcpdump", "-i", device, "-s", str(capture["snap_bytes"]), "-U", "-n", "-w", path]
            rooted = as_root(lab, command)
            # A user may not signal what runs as root. The shell and the sudo that start it are not meant.
            end = as_root(lab, ["pkill", "-INT", "-f", f"^([^ ]*/)?tcpdump .*{path}"]) if lab.sudo else []
            found.append({"name": f"capture-{capture['name']}", "command": rooted, "end": end})
        return found

    def _captures(self, name: str) -> list[tuple[PlanCapture, str]]:
        machine = self.laboratory.lab.node[name]
        found = []
        for capture in self.plan["captures"]:
            point = capture["point"]
            if point["kind"] == "interfaces" and point["node"] == name:
                devices = [machine.interfaces[own] for own in point["names"] if own in machine.interfaces]
                # tcpdump reads one interface, or all of them.
                device = devices[0] if len(devices) == 1 else "any"
                found.append((capture, device))
        return found

    def _polls(self, name: str) -> list[Poll]:
        """`iw station dump` of each radio."""
        node = node_of(self.plan, name)
        radios = [own["name"] for own in node["interfaces"] if own["attachment"]["kind"] == "air"]
        interval = self.plan["sampling"]["stations_interval_ns"] or STATIONS_INTERVAL_NS
        found: list[Poll] = []
        for own in radios:
            device = self.laboratory.lab.node[name].interfaces.get(own)
            if device is not None:
                file = STATIONS_FILE.format(interface=own).removesuffix(".jsonl")
                command = ["iw", "dev", device, "station", "dump"]
                found.append({"name": file, "command": command, "interval_ns": interval})
        return found

    def _wait(self, epoch: int, progress: Progress) -> tuple[int, str]:
        """Waits for the end; returns when it was, from the epoch, and why, if nobody had planned that."""
        plan, events = self.plan, self.laboratory.events
        flows, programs = set(plan["ends_with"]), set(plan["ends_with_programs"])
        awaited, last_ns = bool(flows or programs), 0
        said = time.monotonic()
        while (now_ns := time.monotonic_ns() - epoch) < plan["duration_ns"]:
            if time.monotonic() - said > ALIVE_S:
                said = time.monotonic()
                self._order_all({"order": "alive"})
            if self.stopped.is_set():
                return max(0, now_ns), "it was stopped by hand"
            progress(max(0.0, now_ns / 1e9))
            left_s = min(LOOK_S, max(0.0, (plan["duration_ns"] - now_ns) / 1e9))
            try:
                node, event = events.get(timeout=left_s)
            except queue.Empty:
                continue
            if event is None:
                return max(0, now_ns), f"node {node} was lost"
            if event["answer"] == "failed":
                raise failure(node, event)
            if event["answer"] == "flow_ended":
                flows.discard(event["flow"])
                last_ns = max(last_ns, event["at_ns"])
            elif event["answer"] == "program_ended":
                programs.discard(event["program"])
                last_ns = max(last_ns, event["at_ns"])
            if awaited and not flows and not programs:
                return last_ns, ""
        return plan["duration_ns"], ""

    def _order_all(self, order: MeasurementOrder) -> None:
        for machine in self.laboratory.machines.values():
            try:
                machine.connection.order(order)
            except MachineLostError:
                # It shows as an event.
                continue

    def _collect(
        self, before: dict[str, Comparison], folder: Path, warnings: list[str]
    ) -> dict[str, NodeRecords]:
        """The records of all machines that are still there."""
        records = {}
        for name, machine in self.laboratory.machines.items():
            try:
                after = machine.compare_clock()
                self._save_qdiscs(machine, folder / name, QDISCS_AFTER)
                report = receive_files(machine.connection, folder / name)
            except MachineLostError as error:
                warnings.append(f"nothing could be collected of node {name}: {error.kept}")
                self.say(str(error))
                continue
            clock = NodeClock(before[name], after, machine.shared)
            records[name] = NodeRecords(name, folder / name, report, machine.facts, clock)
        return records

    def _save_qdiscs(self, machine: Machine, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        lab = self.laboratory.lab.node[machine.connection.node]
        for own, device in lab.interfaces.items():
            shown = machine.connection.execute(["tc", "-s", "-j", "qdisc", "show", "dev", device])
            (folder / f"{name}-{own}.json").write_text(shown["output"], encoding="utf-8")

    def _doubts(self, records: dict[str, NodeRecords]) -> list[str]:
        """What readers of the results should know."""
        found = []
        for name, own in records.items():
            if abs(own.clock.steps_ns()) > _NS // 1000:
                step = own.clock.steps_ns() / 1e6
                found.append(f"node {name}: its wall clock moved by {step:+.1f} ms against its other clock")
        for name, machine in self.laboratory.machines.items():
            found += [
                f"node {name}: {key} is {shlex.quote(old)}, in the scenario {shlex.quote(value)}"
                for key, value, old in machine.differing
            ]
        return found

    def _settings(self) -> dict[str, Any]:
        machines = self.laboratory.machines
        return {
            "changed": {
                name: [change.why for change in machine.changer.made]
                for name, machine in machines.items()
                if machine.changer.made
            },
            "differs": {
                name: {key: {"scenario": value, "machine": old} for key, value, old in machine.differing}
                for name, machine in machines.items()
                if machine.differing
            },
        }


def receive_files(connection: Connection, folder: Path) -> MeasurementAnswerCollected:
    """Takes the files of a run from an agent; returns its report."""
    connection.order({"order": "collect"})
    failed: dict[str, str] = {}
    while True:
        answer = connection.next_answer(COLLECT_MOST_S)
        if answer["answer"] == "collected":
            answer["warnings"] += [f"{name} was left out: {why}" for name, why in failed.items()]
            return answer
        if answer["answer"] != "file":
            continue
        path = folder / _inside(answer["path"], connection.node)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(content_bytes(answer["data"]))
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
            # Its name is longer than this file system's names, for example.
            failed.setdefault(answer["path"], error.strerror or str(error))


def _inside(path: str, node: str) -> Path:
    """A path of an agent, which must stay in the folder."""
    parts = Path(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        raise AirtcpError(
            f"sent a file with the path {json.dumps(path)}", f"node {node}", "Check the machine"
        )
    return Path(*parts)
