"""A node of a lab, in which commands run."""

import subprocess

from airtcp.sessions.job import KILL, Job, Result
from airtcp.sessions.lengths import nanoseconds
from airtcp.sessions.session import Session


class LabNode:
    """A node: `lab["sta1"].run("ping -c 1 h1")`."""

    def __init__(self, session: Session, name: str) -> None:
        self.name = name
        self._session = session

    def __repr__(self) -> str:
        return f"LabNode({self.name!r})"

    def run(self, command: str, timeout: float | str | None = None, input: bytes | str = b"") -> Result:
        """Runs a command to its end, while virtual time goes on as it needs.

        `timeout`: virtual time, in seconds or as `"500 ms"`; a command that takes longer is killed, and
        raises `subprocess.TimeoutExpired`. `input`: its standard input.
        """
        process = self.popen(command)
        if input:
            process.write(input)
        process.close_input()
        return process.wait(timeout)

    def popen(self, command: str, terminal: tuple[int, int] | None = None) -> "LabProcess":
        """Starts a command, which runs as time goes on. `terminal`: its lines and columns, if it has one."""
        return LabProcess(self._session, self._session.start(self.name, command, terminal))


class LabProcess:
    """A command that was started: its pipes, and its end."""

    def __init__(self, session: Session, job: Job) -> None:
        self.job = job
        self._session = session

    def __repr__(self) -> str:
        return repr(self.job)

    @property
    def output(self) -> str:
        """What it has written to standard output."""
        return self.job.output

    @property
    def error(self) -> str:
        """What it has written to standard error."""
        return self.job.error

    def poll(self) -> int | None:
        """Its exit status, negative for a signal; `None` while it runs."""
        return self.job.status

    def write(self, data: bytes | str) -> None:
        """Writes to its standard input, or types on its terminal."""
        self._session.write(self.job, data.encode() if isinstance(data, str) else data)

    def close_input(self) -> None:
        """Ends its standard input."""
        self._session.close_input(self.job)

    def signal(self, number: int) -> None:
        """Sends a signal to it and all that it has started."""
        self._session.signal(self.job, number)

    def wait(self, timeout: float | str | None = None) -> Result:
        """Lets time go on until it has ended; a time-out is as in `LabNode.run`."""
        session = self._session
        if timeout is None:
            session.go_until_end_of(self.job)
            return self.job.result()
        limit_ns = session.now_ns + nanoseconds(timeout)
        session.go_until_end_of(self.job, limit_ns)
        if self.job.runs:
            self.signal(KILL)
            session.go_until_end_of(self.job)
            length_s = nanoseconds(timeout) / 1e9
            raise subprocess.TimeoutExpired(
                self.job.command, length_s, self.output.encode(), self.error.encode()
            )
        return self.job.result()
