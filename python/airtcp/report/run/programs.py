"""Programs: how each ended, and where its output is."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.report.table import Table


@dataclass(frozen=True)
class ProgramRecord:
    """A `[[program]]`."""

    program: str
    """Its name."""
    started: bool
    """Whether the run lasted until its start."""
    exit_status: int | None
    """`null` if a signal ended it."""
    signal: int | None
    """Number of the signal that ended it."""
    output: str
    """File of what it printed."""


def program_records(run: Run) -> list[ProgramRecord]:
    """Each program."""
    starts_ns = {planned["name"]: planned["start_ns"] for planned in run.plan.get("programs", ())}
    return [
        ProgramRecord(
            program=program["name"],
            started=starts_ns.get(program["name"], 0) < run.end_ns,
            exit_status=program["status"],
            signal=program["signal"],
            output=str(run.folder / "programs" / f"{program['name']}.out"),
        )
        for program in run.agent["programs"]
    ]


def program_table(programs: Sequence[ProgramRecord]) -> Table:
    """One row per program."""
    table = Table("Programs", ("program", "status", "output"), left=("status", "output"))
    for program in programs:
        ended = f"signal {program.signal}" if program.exit_status is None else f"exit {program.exit_status}"
        table.add(program.program, ended if program.started else "not started", program.output)
    return table
