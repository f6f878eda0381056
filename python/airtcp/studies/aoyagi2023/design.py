"""The runs of section 4.2: congestion controls x queues x clients x seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.pool import Job
from airtcp.scenario.compiler import compile_scenario
from airtcp.scenario.known import suggestion
from airtcp.scenario.reading import parse_toml, read_text, scenario_from_tables
from airtcp.scenario.units import TIME
from airtcp.studies.catalogue import read_data, study_folder

NAME = "aoyagi2023"
SECTION = "4.2"


@dataclass(frozen=True)
class Case:
    """One cell of the design, and its seed."""

    cca: str
    queue_packets: int
    clients: int
    seed: int

    @property
    def label(self) -> str:
        """For people."""
        clients = "1 client" if self.clients == 1 else f"{self.clients} clients"
        return f"{self.cca}, queue {self.queue_packets}, {clients}, seed {self.seed}"


@dataclass(frozen=True)
class Design:
    """What the section varies, and how long it measures."""

    folder: Path
    title: str
    names: Mapping[str, str]
    ccas: tuple[str, ...]
    queues_packets: tuple[int, ...]
    scenarios: Mapping[int, str]
    backhaul_wire: int
    idle_ns: int
    flow_ns: int
    claims_file: str
    seeds: tuple[int, ...] = (1,)
    quick: bool = False

    def cases(self) -> list[Case]:
        """Every run, in the order of the tables."""
        return [
            Case(cca, queue, clients, seed)
            for clients in self.scenarios
            for cca in self.ccas
            for queue in self.queues_packets
            for seed in self.seeds
        ]

    def job(self, case: Case) -> Job:
        """The plan of a case: the scenario file with the case's values in place."""
        file = self.folder / self.scenarios[case.clients]
        tables = parse_toml(read_text(file), file)
        tables["name"] = f"{NAME}-{SECTION}-{case.cca}-q{case.queue_packets}-c{case.clients}"
        tables["duration"] = TIME.text(self.idle_ns + self.flow_ns)
        tables["seed"] = case.seed
        tables["wire"][self.backhaul_wire]["queue"] = f"{case.queue_packets} packets"
        for flow in tables["flow"]:
            flow["cca"] = case.cca
            flow["start"] = TIME.text(self.idle_ns)
        return Job(case.label, compile_scenario(scenario_from_tables(tables, file)))


def read_design(ccas: Sequence[str] = (), reps: int = 1, quick: bool = False) -> Design:
    """The section's design, or the part of it that is asked for."""
    folder = study_folder(NAME)
    study = read_data(folder / "study.toml")
    section: dict[str, Any] = study["section"][SECTION]
    known = section["ccas"]
    for cca in ccas:
        if cca not in known:
            hint = suggestion(cca, known)
            remedy = f"D{hint[1:]}" if hint else f"Known: {', '.join(known)}"
            raise AirtcpError(f'"{cca}" is not a congestion control of this study', "--cca", remedy)
    if reps < 1:
        raise AirtcpError(f"{reps} replications make no study", "--reps", "Ask for at least 1")
    return Design(
        folder=folder,
        title=section["title"],
        names=study["names"],
        ccas=tuple(cca for cca in known if cca in ccas or not ccas),
        queues_packets=tuple(section["queues_packets"]),
        scenarios={int(clients): file for clients, file in section["scenarios"].items()},
        backhaul_wire=section["backhaul_wire"],
        idle_ns=int(TIME.read(section["idle"])),
        flow_ns=int(TIME.read(section["flow_length_quick" if quick else "flow_length"])),
        claims_file=section["claims"],
        seeds=tuple(range(1, reps + 1)),
        quick=quick,
    )
