"""A place of its own for campaigns that go wrong: what runs there and what is left there can be told from others'."""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.execution.locate import find_kernel

SHARED_MEMORY = Path("/dev/shm")
# A killed process takes the host a moment to remove, on a busy machine.
GONE_WITHIN_S = 10
END_WITHIN_S = 120

BASE = """
name = "base"
duration = "1 s"
[[wire]]
between = ["h1", "h2"]
rate = "10 Mbit/s"
delay = "1 ms"
[[ping]]
from = "h1"
to = "h2"
[[program]]
name = "user"
node = "h1"
command = "true"
"""


def campaign_text(commands: dict[str, str]) -> str:
    """A campaign with a run for each of these programs, by names."""
    levels = [
        f"levels.{name} = {{ 'program[0].command' = {json.dumps(line)} }}" for name, line in commands.items()
    ]
    head = 'name = "faults"\nscenario = "base.toml"\nmetrics = ["rtt"]\n[factor.case]\n'
    return head + "\n".join(levels) + "\n"


def names(folder: Path) -> set[str]:
    """What is in a folder."""
    return {path.name for path in folder.iterdir()}


@dataclass
class Lab:
    """A folder with a campaign, its store, a kernel of its own and all temporary files."""

    folder: Path
    commands: dict[str, str]
    _shared_before: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        kernel = self.folder / "kernels" / "6.12"
        kernel.mkdir(parents=True)
        for name in ("linux", "kernel.json"):
            shutil.copy(find_kernel("6.12") / name, kernel / name)
        self.temporary.mkdir()
        (self.folder / "base.toml").write_text(BASE, encoding="utf-8")
        (self.folder / "faults.toml").write_text(campaign_text(self.commands), encoding="utf-8")
        self._shared_before = names(SHARED_MEMORY)

    @property
    def store(self) -> Path:
        return self.folder / "runs"

    @property
    def temporary(self) -> Path:
        return self.folder / "temporary"

    @property
    def kernel(self) -> Path:
        return self.folder / "kernels" / "6.12" / "linux"

    def command(self, *options: str, verb: str = "sweep", file: str = "faults.toml") -> list[str]:
        return [sys.executable, "-m", "airtcp", verb, file, "--store", str(self.store), *options]

    def environment(self) -> dict[str, str]:
        python = str(Path(__file__).parents[3] / "python")
        own = {
            "PYTHONPATH": python,
            "AIRTCP_KERNELS": str(self.kernel.parents[1]),
            "TMPDIR": str(self.temporary),
        }
        return {**os.environ, **own}

    def start(self, *options: str, before: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
        """A campaign under way, with its events as lines; `before`: what the command is handed to."""
        command = [*before, *self.command("--json", *options)]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def sweep(self, *options: str, before: tuple[str, ...] = ()) -> "Ended":
        """A campaign, to its end."""
        return ended(self.start(*options, before=before))

    def processes(self, text: str = "") -> list[int]:
        """Runners and guests of this lab, the oldest first; `text`: those whose command line has it."""
        found = []
        for number in sorted(int(name) for name in names(Path("/proc")) if name.isdigit()):
            try:
                line = Path(f"/proc/{number}/cmdline").read_bytes().decode(errors="replace")
                mine = Path(f"/proc/{number}/exe").readlink() == self.kernel or str(self.folder) in line
            except OSError:
                continue
            if mine and text in line and number != os.getpid():
                found.append(number)
        return found

    def await_guest(self) -> int:
        """The process of a guest's kernel, once its agent shows that time moves."""
        deadline = time.monotonic() + END_WITHIN_S
        while not list(self.store.glob(".working-*/agent-progress")):
            assert time.monotonic() < deadline, "no guest has booted"
            time.sleep(0.02)
        return self.processes("time-travel=")[0]

    def runs(self) -> list[str]:
        """Complete runs of the store."""
        return sorted(path.parent.name for path in self.store.glob("[!.]*/manifest.json"))

    def assert_nothing_left(self) -> None:
        """No process, no temporary file, nothing in the store that is neither a run, nor the campaign's cache, nor the
        output of programs of a failed run."""
        deadline = time.monotonic() + GONE_WITHIN_S
        while (left := self._left()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not left, left

    def _left(self) -> list[str]:
        expected = {*self.runs(), ".campaigns"}
        stored = [path.name for path in self.store.glob("*") if path.name not in expected]
        stored = [name for name in stored if not name.startswith("failed-")]
        # Others use shared memory too; a guest's memory has no name from its first moment on.
        shared = [name for name in names(SHARED_MEMORY) - self._shared_before if name.startswith("vm_file")]
        return [*map(str, self.processes()), *names(self.temporary), *stored, *shared]


@dataclass(frozen=True)
class Ended:
    """How a campaign ended: exit status, events, and what it said on standard error."""

    status: int
    events: list[dict]
    errors: str

    def failed(self) -> dict[str, dict]:
        """Failures by the name of their case."""
        return {event["levels"]["case"]: event for event in self.events if event["event"] == "failed"}

    def done(self) -> list[str]:
        return sorted(event["label"].split(",")[0] for event in self.events if event["event"] == "done")


def ended(process: "subprocess.Popen[str]") -> Ended:
    """Waits for a campaign."""
    out, errors = process.communicate(timeout=END_WITHIN_S)
    return Ended(
        process.returncode, [json.loads(line) for line in out.splitlines() if line.startswith("{")], errors
    )
