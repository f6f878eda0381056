"""People who enter nodes of a session from other terminals (`airtcp enter`).

```text
airtcp enter --> {"node": "sta1", "size": [24, 80]}          first, and {"size": ...} again when it changes
             --> {"data": ...}                               what is typed, as the contents of inputs
             <-- {"data": ...} ... {"ended": 0}              what the shell writes, and its end
             <-- {"refused": "..."}                          instead
```
Each message is a line of JSON. The socket is for its owner alone: whoever may connect may do what he may.
"""

import contextlib
import json
import os
import shutil
import socket
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.plans.content import content_bytes, content_of
from airtcp.sessions.job import Chunk, Job
from airtcp.sessions.session import Session
from airtcp.shell.terminal import PACE, login

SOCKET = "enter"
HANG_UP = 1  # signal(7)
# A terminal that does not take what is written is left after this time.
SEND_S = 1.0
# More than any message has: keys that are held down, a page that is pasted.
MESSAGE_BYTES_MOST = 1 << 20
SIZE_MOST = 10_000


class Visitor:
    """A visitor: the connection, and the shell."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.job: Job | None = None
        self.received = b""

    def tell(self, **message: Any) -> bool:
        """Sends a message; returns whether that was possible."""
        try:
            self.connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            return False
        return True


class Visitors:
    """The open door of a session."""

    def __init__(self, session: Session, nodes: Sequence[str], folder: Path) -> None:
        self._session = session
        self._nodes = nodes
        self._folder = folder
        self._visitors: dict[int, Visitor] = {}
        self._pace_at_prompt: float | None = None
        with contextlib.suppress(FileNotFoundError):
            # Of a process that had this number and was killed.
            shutil.rmtree(folder)
        folder.mkdir(mode=0o700, parents=True)
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with within(folder) as short:
            self._server.bind(f"{short}/{SOCKET}")
        self.path.chmod(0o600)
        self._server.listen()
        session.listening[self._server.fileno()] = self._accept
        session.on_end = self._ended

    @property
    def path(self) -> Path:
        """The socket."""
        return self._folder / SOCKET

    @property
    def present(self) -> bool:
        """Whether somebody has entered."""
        return any(visitor.job is not None for visitor in self._visitors.values())

    @contextlib.contextmanager
    def at_prompt(self, pace: float | None) -> Iterator[None]:
        """While the prompt waits, time goes on if somebody has entered: at its pace, or that of a clock."""
        self._pace_at_prompt = PACE if pace is None else pace
        self._go_if_present()
        try:
            yield
        finally:
            self._pace_at_prompt = None
            if not self._session.stands:
                self._session.stand()
                self._session.set_pace(pace)

    def _go_if_present(self) -> None:
        if self._pace_at_prompt is not None and self.present and self._session.stands:
            self._session.set_pace(self._pace_at_prompt)
            self._session.let_go()

    def close(self) -> None:
        """Sends everybody home."""
        for visitor in list(self._visitors.values()):
            self._leave(visitor)
        del self._session.listening[self._server.fileno()]
        self._server.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def show(self, job: Job, chunk: Chunk) -> bool:
        """Shows what a job wrote to its visitor; returns whether it has one."""
        visitor = self._visitor_of(job)
        if visitor is not None and not visitor.tell(data=content_of(chunk.data)):
            self._hang_up(visitor)
        return visitor is not None

    def _visitor_of(self, job: Job) -> Visitor | None:
        return next((one for one in self._visitors.values() if one.job is job), None)

    def _accept(self) -> None:
        connection, _ = self._server.accept()
        connection.settimeout(SEND_S)
        visitor = self._visitors[connection.fileno()] = Visitor(connection)
        self._session.listening[connection.fileno()] = partial(self._hear, visitor)

    def _hear(self, visitor: Visitor) -> None:
        try:
            received = visitor.connection.recv(1 << 16)
        except OSError:
            received = b""
        visitor.received += received
        if not received or len(visitor.received) > MESSAGE_BYTES_MOST:
            self._hang_up(visitor)
            return
        *lines, visitor.received = visitor.received.split(b"\n")
        for line in lines:
            try:
                self._take(visitor, json.loads(line))
            except (ValueError, TypeError, KeyError) as error:
                visitor.tell(refused=f"is no message: {type(error).__name__}: {error}")
                self._hang_up(visitor)
                return
            except AirtcpError as error:
                visitor.tell(refused=str(error))
                self._leave(visitor)
                return

    def _take(self, visitor: Visitor, message: Mapping[str, Any]) -> None:
        if visitor.job is None:
            self._enter(visitor, str(message["node"]), _size(message))
        elif "size" in message:
            self._session.resize(visitor.job, *_size(message))
        else:
            self._session.write(visitor.job, content_bytes(message["data"]))

    def _enter(self, visitor: Visitor, node: str, size: tuple[int, int]) -> None:
        if node not in self._nodes:
            raise AirtcpError(f'there is no node "{node}"', "enter", f"Use one of {', '.join(self._nodes)}")
        visitor.job = self._session.start(node, login(node), size)
        self._go_if_present()

    def _ended(self, job: Job) -> None:
        visitor = self._visitor_of(job)
        if visitor is None:
            return
        if job.runs:
            visitor.tell(refused="the network was taken back to an earlier instant")
        elif job.refused is not None:
            visitor.tell(refused=job.refused)
        else:
            visitor.tell(ended=job.status)
        self._leave(visitor)

    def _hang_up(self, visitor: Visitor) -> None:
        """The terminal has gone, and its shell learns that as on any machine."""
        if visitor.job is not None and visitor.job.runs:
            self._session.signal(visitor.job, HANG_UP)
        self._leave(visitor)

    def _leave(self, visitor: Visitor) -> None:
        number = visitor.connection.fileno()
        self._session.listening.pop(number, None)
        self._visitors.pop(number, None)
        visitor.connection.close()
        if self._pace_at_prompt is not None and not self.present and not self._session.stands:
            self._session.order_stop()


def _size(message: Mapping[str, Any]) -> tuple[int, int]:
    lines, columns = (int(number) for number in message["size"])
    if not (0 <= lines <= SIZE_MOST and 0 <= columns <= SIZE_MOST):
        raise ValueError("no such size")
    return lines, columns


@contextlib.contextmanager
def within(folder: Path) -> Iterator[str]:
    """A short path of a folder: that of a socket has at most 107 characters (unix(7))."""
    number = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{number}"
    finally:
        os.close(number)
