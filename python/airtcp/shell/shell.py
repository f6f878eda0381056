"""What the prompt does with a line."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from airtcp.errors import AirtcpError, suggestion
from airtcp.plans.nodes import address_of, with_addresses
from airtcp.sessions.job import Chunk, Job, Result
from airtcp.sessions.lab import Lab
from airtcp.shell.terminal import open_terminal
from airtcp.shell.visitors import Visitors

# A command beside gets so much time to begin.
BEGIN = "1 ms"
# Status of a command that a shell has not found (POSIX, 2.8.2).
NOT_FOUND = 127


class Words(Enum):
    """Whether words follow the name of a command."""

    NONE = "none"
    ALLOWED = "allowed"
    NEEDED = "needed"


@dataclass(frozen=True)
class Command:
    """A word of the prompt that is no node."""

    name: str
    usage: str
    """What follows the name."""
    help: str
    """One sentence."""
    run: "Callable[[Shell, list[str]], None]"
    """Carries it out; gets the words that follow the name."""
    words: Words = Words.NONE
    """How many words may follow."""

    def misused(self) -> AirtcpError:
        """The error of wrong words."""
        return AirtcpError("can't be understood", self.name, f"Write: {self.name} {self.usage}".rstrip())


@dataclass(frozen=True)
class Pictures:
    """What draws a run."""

    plot: Callable[[Path, str, Path | None], None]
    """A run, its quantities, and the file."""
    report: Callable[[Path, Path | None], None]
    """A run, and the folder."""


class Audience(Protocol):
    """Who follows the session elsewhere, on a page for example, and may ask for lines to be carried out.

    All of it is called where the prompt is.
    """

    def heard(self, text: str) -> None:
        """Something was said at the prompt."""

    def look(self) -> None:
        """A line was carried out, or time has passed: the session may be looked at now."""

    @property
    def has_asked(self) -> bool:
        """Whether somebody has asked for a line."""

    def asked(self) -> str | None:
        """The next line that somebody has asked for."""


class Shell:
    """A session with someone who types. `over`: whether it was ended."""

    def __init__(self, lab: Lab, pictures: Pictures, commands: Mapping[str, Command]) -> None:
        self.lab = lab
        self.pictures = pictures
        self.commands = commands
        self.over = False
        self.pace: float | None = None
        self.visitors: Visitors | None = None
        """Who has entered from other terminals, if the session is open for them."""
        self.audience: Audience | None = None
        self._addresses = {
            node["name"]: address for node in lab.plan["nodes"] if (address := address_of(node)) is not None
        }
        self._silent: Job | None = None
        lab.session.on_output = self._heard

    def say(self, text: str) -> None:
        """A line of output."""
        print(text, flush=True)
        self.tell_audience(f"{text}\n")

    def tell_audience(self, text: str) -> None:
        """What is shown here is shown there."""
        if self.audience is not None:
            self.audience.heard(text)

    def address(self, node: str) -> str:
        """The address of a node."""
        if node not in self._addresses:
            raise AirtcpError("has no address", node, "Name a node that has one; dump lists them")
        return self._addresses[node]

    def set_pace(self, of_real_time: float | None) -> None:
        """How fast time passes from now on."""
        self.pace = of_real_time
        self.lab.session.set_pace(of_real_time)

    def execute(self, line: str) -> None:
        """Carries out a line; what is wrong with it is an `AirtcpError`."""
        line = line.strip()
        if not line or line.startswith("#"):
            return
        word, _, rest = line.partition(" ")
        if word in self.lab.nodes:
            self._in_node(word, rest.strip())
        elif word in self.commands:
            command = self.commands[word]
            words = rest.split()
            if command.words is (Words.NONE if words else Words.NEEDED):
                raise command.misused()
            command.run(self, words)
        else:
            near = suggestion(word, [*self.lab.nodes, *self.commands])
            raise AirtcpError("is neither a node nor a command", word, near or "The command help lists them")

    def _in_node(self, node: str, command: str) -> None:
        if not command:
            open_terminal(self.lab.session, node, self.pace)
            self.say("")
            return
        beside = command.endswith("&") and not command.endswith("&&")
        line = with_addresses(command.removesuffix("&").rstrip() if beside else command, self._addresses)
        process = self.lab[node].popen(line)
        if beside:
            self.lab.run_for(BEGIN)
            self.require(process.job)
            self.say(f"[{process.job.number}] {node} {line}")
            return
        process.close_input()
        result = process.wait()
        if result.status == NOT_FOUND:
            raise AirtcpError(
                "is not installed on this host", line.split()[0], "Install it, or correct its name"
            )

    def require(self, job: Job) -> None:
        """A job that was refused, or a flow that has failed, is an `AirtcpError`."""
        if job.refused is not None:
            raise AirtcpError(job.refused, job.node, "")
        if job.is_flow and job.status:
            raise AirtcpError("has failed", job.command, "")

    def run_quietly(self, node: str, command: str) -> Result:
        """Runs a command in a node whose output is not shown."""
        process = self.lab[node].popen(command)
        self._silent = process.job
        try:
            process.close_input()
            return process.wait()
        finally:
            self._silent = None

    def _heard(self, job: Job, chunk: Chunk) -> None:
        if job is self._silent or (self.visitors is not None and self.visitors.show(job, chunk)):
            return
        self.tell_audience(chunk.data.decode(errors="replace"))
        stream = sys.stderr if chunk.error else sys.stdout
        if hasattr(stream, "buffer"):
            stream.buffer.write(chunk.data)
        else:
            # Above a prompt that waits.
            stream.write(chunk.data.decode(errors="replace"))
        stream.flush()
