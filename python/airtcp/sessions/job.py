"""What runs in a node of a lab: a command, or a change of the network."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

from airtcp.errors import AirtcpError
from airtcp.plans.content import content_bytes
from airtcp.plans.types.messages import JobEvent
from airtcp.plans.types.plan import PlanSessionAct
from airtcp.scenario.keys.session import DATA_BYTES_MOST

KILL, INTERRUPT = 9, 2  # signal(7)


@dataclass(frozen=True)
class Chunk:
    """What a command has written at an instant."""

    at_ns: int
    """Virtual time, from traffic time zero."""
    error: bool
    """Whether to standard error."""
    data: bytes
    """What."""


@dataclass(frozen=True)
class Result:
    """Output, status and times of a command that has ended.

    Attributes:
        output: what it wrote to standard output.
        error: what it wrote to standard error; a command on a terminal has all in `output`.
        status: exit status; the negative number of a signal that ended it.
        began_ns: start in nanoseconds of virtual time from traffic time zero.
        ended_ns: end, likewise.

    Example:
        >>> result = lab["h1"].run("echo out; exit 3")
        >>> result.output, result.error, result.status
        ('out\\n', '', 3)
        >>> result.began_ns <= result.ended_ns
        True
    """

    output: str
    """Text on standard output."""
    error: str
    """Text on standard error; of a command on a terminal all is output."""
    status: int
    """Exit status; the negative number of a signal that ended the command."""
    began_ns: int
    """Start of the command, from traffic time zero."""
    ended_ns: int
    """End of the command, from traffic time zero."""

    @property
    def began_s(self) -> float:
        """Start of the command in seconds from traffic time zero.

        Example:
            >>> result.began_s == result.began_ns / 1e9
            True
        """
        return self.began_ns / 1e9

    @property
    def ended_s(self) -> float:
        """End of the command in seconds from traffic time zero.

        Example:
            >>> result.ended_s >= result.began_s
            True
        """
        return self.ended_ns / 1e9

    def __str__(self) -> str:
        return f"{self.output}{self.error}"

    def _repr_html_(self) -> str:
        ended = f"status {self.status}, from {self.began_s:.6f} s to {self.ended_s:.6f} s"
        return f"<pre>{escape(str(self))}</pre><small>{escape(ended)}</small>"

    def check(self) -> "Result":
        """Returns the result itself if the status is 0.

        Returns:
            This result.

        Raises:
            subprocess.CalledProcessError: the status is not 0.

        Example:
            >>> lab["h1"].run("true").check().status
            0
        """
        if self.status:
            raise subprocess.CalledProcessError(self.status, "the command", self.output, self.error)
        return self


@dataclass(eq=False, repr=False)
class Job:
    """A command in a node, or a change of the network. What it wrote so far, and whether it has ended."""

    number: int
    act: PlanSessionAct
    began_ns: int
    chunks: list[Chunk] = field(default_factory=list)
    status: int | None = None
    """Exit status of the job, negative for a signal; `None` while it runs."""
    ended_ns: int | None = None
    refused: str | None = None
    """Reason why the job was refused."""

    def __repr__(self) -> str:
        state = "runs" if self.runs else self.refused or f"status {self.status}"
        return f"<Job {self.number}, {self.line}: {state}>"

    @property
    def node(self) -> str:
        """Node of the job: of a flow the one that sends; of a change of the air none."""
        return str(self.act.get("node", self.act.get("from", "")))

    @property
    def command(self) -> str:
        """Command line of the job; of a flow the line of the prompt that starts it."""
        if self.act["kind"] == "flow":
            return f"flow {self.act['from']} {self.act['to']} {self.act['congestion_control']}"
        return str(self.act.get("command", self.act["kind"]))

    @property
    def line(self) -> str:
        """The line of the prompt that starts it."""
        return self.command if self.is_flow else f"{self.node} {self.command}".strip()

    @property
    def is_process(self) -> bool:
        """Whether the job is a command or a flow, which run while time goes on."""
        return self.act["kind"] == "start" or self.is_flow

    @property
    def is_flow(self) -> bool:
        """Whether the job is a flow."""
        return self.act["kind"] == "flow"

    @property
    def runs(self) -> bool:
        """Whether the job has not ended."""
        return self.status is None and self.refused is None

    def output_bytes(self, *, error: bool = False) -> bytes:
        """Bytes that the job wrote to standard output, or to standard error."""
        return b"".join(chunk.data for chunk in self.chunks if chunk.error == error)

    @property
    def output(self) -> str:
        """Text that the job wrote to standard output."""
        return self.output_bytes().decode(errors="replace")

    @property
    def error(self) -> str:
        """Text that the job wrote to standard error."""
        return self.output_bytes(error=True).decode(errors="replace")

    def result(self) -> Result:
        """Output, status and times of the job; one that was refused is an `AirtcpError`."""
        if self.refused is not None:
            raise AirtcpError(self.refused, self.node, "")
        if self.status is None or self.ended_ns is None:
            raise AirtcpError("still runs", f"job {self.number}", "Wait for its end first")
        return Result(self.output, self.error, self.status, self.began_ns, self.ended_ns)

    def take(self, at_ns: int, happened: JobEvent) -> Chunk | None:
        """Takes an event of it; returns what it wrote, if it wrote something."""
        if happened["kind"] == "output":
            chunk = Chunk(at_ns, happened["error"], content_bytes(happened["data"]))
            self.chunks.append(chunk)
            return chunk
        self.ended_ns = at_ns
        if happened["kind"] == "refused":
            self.refused = happened["why"]
        elif happened["kind"] == "ended":
            signal = happened["signal"]
            self.status = happened["status"] if signal is None else -signal
        return None


def pieces(data: bytes) -> list[bytes]:
    """The bytes in pieces that are no longer than an input may be."""
    return [data[start : start + DATA_BYTES_MOST] for start in range(0, len(data), DATA_BYTES_MOST)]


Listener = Callable[[Job, Chunk], None]
