"""The other side of `airtcp enter`: this terminal, in a node of a session that another process holds."""

import json
import os
import select
import shutil
import socket
import stat
import sys
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.plans.content import content_bytes, content_of
from airtcp.shell.terminal import raw, size, size_changes
from airtcp.shell.visitors import SOCKET, within


def running(folder: Path) -> list[str]:
    """Numbers of the sessions that can be entered; what is left of others is removed."""
    found = []
    for session in sorted(folder.glob("*")):
        try:
            _connect(session).close()
            found.append(session.name)
        except ConnectionRefusedError:
            shutil.rmtree(session, ignore_errors=True)
        except OSError:
            # Of another user, or not open yet.
            continue
    return found


def chosen(folder: Path, session: str) -> Path:
    """The folder of a session: the one that is named, or the only one."""
    found = running(folder)
    if session and session in found:
        return folder / session
    if session:
        known = f"Running: {', '.join(found)}" if found else "No session is running"
        raise AirtcpError("is not a running session", session, known)
    if not found:
        raise AirtcpError("no session is running", "enter", "Start one: airtcp shell FILE")
    if len(found) > 1:
        raise AirtcpError(
            "several sessions are running", "enter", f"Add --session, one of {', '.join(found)}"
        )
    return folder / found[0]


def enter(session: Path, node: str) -> int:
    """Opens a shell in a node on this terminal; returns its exit status."""
    if not sys.stdin.isatty():
        raise AirtcpError("needs a terminal", node, "Call it at a terminal")
    try:
        connection = _connect(session)
    except OSError as error:
        raise AirtcpError(f"can't be entered: {error.strerror}", str(session), "Is it still there?") from None
    with connection:
        _send(connection, node=node, size=size())
        with raw(), size_changes() as changes:
            ended = _pass_on(connection, changes)
    if "refused" in ended:
        raise AirtcpError(str(ended["refused"]), node, "")
    return max(0, int(ended["ended"]))


def _connect(session: Path) -> socket.socket:
    about = (session / SOCKET).lstat()
    if not stat.S_ISSOCK(about.st_mode) or about.st_uid != os.geteuid():
        raise PermissionError(1, "is not a socket of yours")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with within(session) as short:
            connection.connect(f"{short}/{SOCKET}")
    except OSError:
        connection.close()
        raise
    return connection


def _send(connection: socket.socket, **message: Any) -> None:
    connection.sendall(json.dumps(message).encode() + b"\n")


def _pass_on(connection: socket.socket, changes: int) -> dict[str, Any]:
    """What is typed goes there, and the terminal's size, and what comes is shown, until the end."""
    received, watched = b"", [connection.fileno(), sys.stdin.fileno(), changes]
    while True:
        ready, _, _ = select.select(watched, [], [])
        if changes in ready:
            os.read(changes, 4096)
            _send(connection, size=size())
        if sys.stdin.fileno() in ready:
            typed = os.read(sys.stdin.fileno(), 4096)
            if not typed:
                watched.remove(sys.stdin.fileno())
            else:
                _send(connection, data=content_of(typed))
        if connection.fileno() not in ready:
            continue
        chunk = connection.recv(1 << 16)
        if not chunk:
            return {"refused": "the session has ended"}
        *lines, received = (received + chunk).split(b"\n")
        for message in map(json.loads, lines):
            if "data" not in message:
                return dict(message)
            sys.stdout.buffer.write(content_bytes(message["data"]))
            sys.stdout.flush()
