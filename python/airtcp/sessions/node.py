"""A node of a lab, in which commands run."""

import subprocess

from airtcp.sessions.job import KILL, Job, Result
from airtcp.sessions.lengths import nanoseconds
from airtcp.sessions.session import Session


class LabNode:
    """A node of a running network, in which commands run.

    Attributes:
        name: name of the node.

    Example:
        >>> node = lab["sta1"]
        >>> node.name
        'sta1'
    """

    def __init__(self, session: Session, name: str) -> None:
        self.name = name
        self._session = session

    def __repr__(self) -> str:
        return f"LabNode({self.name!r})"

    def run(self, command: str, timeout: float | str | None = None, input: bytes | str = b"") -> Result:
        """Runs a command to its end, while virtual time goes on as it needs.

        Args:
            command: line for `/bin/sh -c`.
            timeout: virtual time in seconds, or a text such as `"500 ms"`; a command that takes longer is
                killed.
            input: standard input of the command.

        Returns:
            Output, status and times of the command.

        Raises:
            subprocess.TimeoutExpired: the command took longer than `timeout`.
            AirtcpError: the command was refused, or a program keeps virtual time from moving.

        Example:
            >>> node.run("wc -c", input="four").output.strip()
            '4'
        """
        process = self.popen(command)
        if input:
            process.write(input)
        process.close_input()
        return process.wait(timeout)

    def popen(self, command: str, terminal: tuple[int, int] | None = None) -> "LabProcess":
        """Starts a command, which runs as time goes on.

        Args:
            command: line for `/bin/sh -c`.
            terminal: lines and columns of a terminal; default: pipes.

        Returns:
            The command that was started.

        Raises:
            AirtcpError: the command was refused.

        Example:
            >>> process = node.popen("cat")
            >>> process.poll() is None
            True
        """
        return LabProcess(self._session, self._session.start(self.name, command, terminal))


class LabProcess:
    """A command or flow that was started: its pipes, and its end.

    Attributes:
        job: the job of the session.

    Example:
        >>> process = node.popen("cat")
        >>> process.job.runs
        True
    """

    def __init__(self, session: Session, job: Job) -> None:
        self.job = job
        self._session = session

    def __repr__(self) -> str:
        return repr(self.job)

    @property
    def output(self) -> str:
        """What the command has written to standard output so far.

        Example:
            >>> process.output
            ''
        """
        return self.job.output

    @property
    def error(self) -> str:
        """What the command has written to standard error so far.

        Example:
            >>> process.error
            ''
        """
        return self.job.error

    def poll(self) -> int | None:
        """The exit status, negative for a signal; `None` while the command runs. Time does not pass.

        Example:
            >>> process.poll() is None
            True
        """
        return self.job.status

    def write(self, data: bytes | str) -> None:
        """Writes to the standard input of the command, or types on its terminal.

        Args:
            data: text or bytes.

        Raises:
            AirtcpError: the command has ended.

        Example:
            >>> process.write("hello\\n")
        """
        self._session.write(self.job, data.encode() if isinstance(data, str) else data)

    def close_input(self) -> None:
        """Ends the standard input of the command; of a flow, what it sends.

        Example:
            >>> process.close_input()
        """
        self._session.close_input(self.job)

    def signal(self, number: int) -> None:
        """Sends a signal to the command and to all that it has started.

        Args:
            number: number of the signal (signal(7)).

        Example:
            >>> sleeper = node.popen("exec sleep 10")
            >>> sleeper.signal(15)
            >>> sleeper.wait().status
            -15
        """
        self._session.signal(self.job, number)

    def wait(self, timeout: float | str | None = None) -> Result:
        """Lets time go on until the command has ended.

        Args:
            timeout: virtual time in seconds, or a text; a command that takes longer is killed.

        Returns:
            Output, status and times of the command.

        Raises:
            subprocess.TimeoutExpired: the command took longer than `timeout`.
            AirtcpError: the command was refused.

        Example:
            >>> process.wait(timeout="1 s").output
            'hello\\n'
        """
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
