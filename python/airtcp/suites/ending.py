"""How a case of a suite ended: exit status, virtual time, and what its program wrote."""

from dataclasses import dataclass
from pathlib import Path

from airtcp.data.json_file import read_json
from airtcp.execution.events import Done, RunFailed
from airtcp.input_file import read_input

# What a test writes in a moment; a broken one may write without end.
_OUTPUT_BYTES_MOST = 64 << 20
# With which programs are ended that still run at the end.
_SIGTERM = 15


@dataclass(frozen=True)
class Ending:
    """What can be compared of a case to the bit: exit status, end and output."""

    status: int | None
    end_ns: int
    output: bytes
    failure: str = ""
    """Why there is no result: the run failed, or the program took too long."""


def ending_of_run(done: Done) -> Ending:
    """The ending of a run that is complete: that of its last program."""
    agent = read_json(done.folder / "summary.json", ("agent",))["agent"]
    program = agent["programs"][-1]
    output = _written(done.folder, program["name"])
    if program["status"] is None and program.get("signal") not in (None, _SIGTERM):
        return Ending(None, agent["end_ns"], output, f"ended by signal {program['signal']}")
    if program["status"] is None:
        why = f"took longer than {done.virtual_s:.0f} s of virtual time"
        return Ending(None, agent["end_ns"], output, why)
    return Ending(program["status"], agent["end_ns"], output)


def ending_of_failure(failed: RunFailed) -> Ending:
    """The ending of a run that has no result: it hangs, or its guest fell."""
    return Ending(None, 0, "\n".join(failed.console).encode(), failed.what)


def _written(folder: Path, program: str) -> bytes:
    files = [folder / "programs" / f"{program}.{end}" for end in ("err", "out")]
    return b"".join(read_input(file, _OUTPUT_BYTES_MOST, follow=False) for file in files if file.is_file())
