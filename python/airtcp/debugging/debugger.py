"""Holds the network that gdb looks into: it runs, waits and goes back as the commands in gdb ask for it.

gdb is a process of its own, attached to that of the kernel, and in it `gdb_script.py` has the commands. Both
talk by lines of JSON: a request of a command, then an answer. Whatever needs time to go on is ordered here
first; gdb continues the kernel, and is interrupted by a signal when the clock stands.
"""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.guest_activity import children
from airtcp.execution.locate import find_kernel
from airtcp.kernels.folder_name import kernels_folder
from airtcp.kernels.name import debugged, parsed
from airtcp.plans.types.plan import Plan
from airtcp.sessions.condition import ConditionReader, split_limit, tokens
from airtcp.sessions.happening import happened
from airtcp.sessions.lab import Lab
from airtcp.sessions.lengths import nanoseconds
from airtcp.sessions.opening import Opened
from airtcp.sessions.session import Session

SCRIPT = Path(__file__).with_name("gdb_script.py")
# The environment variable with the descriptor of gdb's end.
CONNECTION = "AIRTCP_DEBUG_CONNECTION"
# Nothing else sends it to the kernel's process; gdb stops at it (`gdb_script.py`).
STANDS = signal.SIGUSR2
_LONGEST_REQUEST = 1 << 16


@dataclass(frozen=True)
class DebuggedKernel:
    """A kernel with symbols: its name, what runs, and the tree in which it was built."""

    name: str
    folder: Path
    tree: Path


def debugged_kernel(name: str) -> DebuggedKernel:
    """The kernel with symbols and source of a plan's kernel.

    Raises:
        AirtcpError: none is built.
    """
    wanted = parsed(name)
    assert wanted is not None, "a plan names it"
    try:
        with_symbols = str(debugged(wanted))
    except ValueError as error:
        raise AirtcpError(str(error), f"kernel {name}", "") from None
    tree = kernels_folder() / f".own-{with_symbols}" / "tree"
    built = tree / ".airtcp-built"
    if not built.is_file() or "DEBUG_INFO_DWARF5=y" not in built.read_text(encoding="utf-8").split():
        command = f"--name {name} --source DIR --debug" if wanted.is_own else f"--series {name} --debug"
        raise AirtcpError(
            f"no kernel {name} with symbols is built", "", f"Build it: airtcp kernel build {command}"
        )
    return DebuggedKernel(with_symbols, find_kernel(with_symbols), tree)


def with_kernel(opened: Opened, kernel: DebuggedKernel) -> Opened:
    """The same network with the kernel that has symbols in place of its own."""
    plan: Plan = {**opened.plan, "kernel": kernel.name}
    return replace(opened, plan=plan, tools=replace(opened.tools, kernels={kernel.name: kernel.folder}))


class Debugger:
    """A network and the gdb that is attached to its kernel."""

    def __init__(self, opened: Opened, kernel: DebuggedKernel) -> None:
        self._opened = opened
        self._kernel = kernel
        self.lab = Lab(with_kernel(opened, kernel))
        self._received = b""
        # The kind of answer at which gdb is interrupted.
        self._awaited = ""

    def __enter__(self) -> "Debugger":
        return self

    def __exit__(self, *_: object) -> None:
        self.lab.close()

    def run(self, arguments: Sequence[str]) -> int:
        """Runs gdb until it ends; `arguments` are further ones of its command line. Its exit status."""
        gdb = shutil.which("gdb")
        if gdb is None:
            raise AirtcpError("gdb is missing", "", "Install it: apt-get install gdb")
        ours, of_gdb = socket.socketpair()
        words = [gdb, "-q", "-iex", "set auto-load no", "-iex", "set debuginfod enabled off"]
        words += ["-x", str(SCRIPT), *arguments]
        # Ctrl-C of the terminal is for gdb.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with ours:
                with of_gdb:
                    process = subprocess.Popen(
                        words,
                        pass_fds=[of_gdb.fileno()],
                        env=os.environ | {CONNECTION: str(of_gdb.fileno())},
                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                    )
                self._serve(ours)
            return process.wait()
        finally:
            signal.signal(signal.SIGINT, before)

    def _serve(self, gdb: socket.socket) -> None:
        """Answers gdb until its end of the connection is closed."""
        while True:
            session = self.lab.session
            if session.has_more:
                self._hear(session)
                continue
            ready, _, _ = select.select([gdb.fileno(), session.fileno()], [], [])
            if session.fileno() in ready:
                self._hear(session)
            if gdb.fileno() in ready and not self._take_requests(gdb):
                return

    def _hear(self, session: Session) -> None:
        if self._awaited in session.take_answers():
            self._awaited = ""
            os.kill(self._process(), STANDS)

    def _take_requests(self, gdb: socket.socket) -> bool:
        chunk = gdb.recv(_LONGEST_REQUEST)
        self._received += chunk
        while b"\n" in self._received:
            line, _, self._received = self._received.partition(b"\n")
            try:
                answer = self._answer(json.loads(line))
            except AirtcpError as error:
                answer = {"error": str(error)}
            gdb.sendall(json.dumps(answer).encode() + b"\n")
        return bool(chunk)

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        known = {
            "begin": self._begin,
            "where": self._where,
            "go": self._go,
            "until": self._until,
            "back": self._back,
            "ask_hash": self._ask_hash,
            "prove": self._prove,
        }
        return known[request["do"]](request)

    def _begin(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """What the script has to know of the network."""
        plan = self.lab.plan
        return {
            "process": self._process(),
            "tree": str(self._kernel.tree),
            "epoch_ns": plan["epoch_ns"],
            "nodes": self.lab.nodes,
            "end_ns": plan["duration_ns"],
        }

    def _where(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Where the clock stands, and why; `stands` is false while time goes on, which gdb may hold."""
        session = self.lab.session
        stopped = session.stopped
        why = ""
        if stopped.happened:
            why = happened(self.lab.plan, self._flow_name, stopped.happened_ns, stopped.happened).text
        return {"stands": session.stands, "now_ns": session.now_ns, "why": why}

    def _flow_name(self, number: int) -> str:
        flows = self.lab.plan["flows"]
        return flows[number]["name"] if number < len(flows) else "a connection"

    def _go(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Time may go on, for a length from an instant, or to an instant."""
        at_ns = request["at_ns"] if "at_ns" in request else request["now_ns"] + request["length_ns"]
        self.lab.session.let_go(at_ns)
        self._awaited = "stopped"
        return {}

    def _until(self, request: Mapping[str, Any]) -> dict[str, Any]:
        words, length = split_limit(tokens(request["condition"]))
        by_name: dict[str, list[int]] = {}
        for number, flow in enumerate(self.lab.plan["flows"]):
            by_name.setdefault(flow["name"], []).append(number)
        condition = ConditionReader(self.lab.plan, by_name).read(words)
        limit_ns = request["now_ns"] + nanoseconds(length) if length else self.lab.plan["duration_ns"]
        self.lab.session.let_go(limit_ns, condition=condition)
        self._awaited = "stopped"
        return {}

    def _back(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Takes the network back by running it again; gdb has left the kernel, and enters the new one."""
        self.lab.session.go_back_to(max(0, request["at_ns"]))
        return {"process": self._process()}

    def _ask_hash(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Asks the network for the hash of its frames, which it says when gdb lets it go."""
        self.lab.session.ask_for_time()
        self._awaited = "frame_hash"
        return {}

    def _prove(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """The hash of the frames up to now, and that of the network with its own kernel and without gdb."""
        ours = self.lab.session.hash_now
        with Lab(self._opened) as plain:
            plain.session.go_to(ours.at_ns)
            hash_without = plain.frame_hash().hash
        return {"ours": ours.hash, "plain": hash_without, "kernel": self._opened.plan["kernel"]}

    def _process(self) -> int:
        """The process of the kernel: the child of the runner."""
        (kernel,) = children(self.lab.session.runner)
        return kernel
