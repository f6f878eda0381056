"""The connection to one agent: orders out, answers in."""

import json
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import IO, Any

from airtcp.errors import AirtcpError
from airtcp.measurement.ways_in import WayIn

# Of `crates/plan/src/measurement.rs`.
VERSION = 1
# A machine that is far away, and a slow link for the agent's two megabytes.
CONNECT_MOST_S = 60.0
ANSWER_MOST_S = 30.0
# After the end of its orders the agent undoes what was changed.
END_MOST_S = 20.0
# Lines of what ssh and the agent say on standard error, for messages.
_LAST_WORDS = 20
# A connection that ssh keeps for others (ControlPersist) holds standard error open.
_LAST_WORDS_S = 1.0
# A piece of a file in base64, and much more than any other answer.
_LINE_BYTES_MOST = 4 << 20

Message = dict[str, Any]


class MachineLostError(AirtcpError):
    """The connection to a machine has ended while it was needed.

    `kept` says so without what ssh and the machine said, which may name hosts and users: for run folders.
    """

    exit_status = 3

    def __init__(self, kept: str, place: str, remedy: str, words: str = "") -> None:
        self.kept = kept
        super().__init__(f"{kept}: {words}" if words else kept, place, remedy)


@dataclass(frozen=True)
class Executed:
    """How a command on a machine ended."""

    status: int | None
    """Exit status; `None`: a signal ended it, or it could not be started."""
    output: str
    error: str


@dataclass
class Connection:
    """A running agent. Answers that nobody waits for are events, in `events` with the name of the node."""

    node: str
    way: WayIn
    events: "queue.SimpleQueue[tuple[str, Message]]"
    ready: Message = field(default_factory=dict)
    _numbers: Any = field(default_factory=lambda: count(1))
    _answers: "queue.SimpleQueue[Message]" = field(default_factory=queue.SimpleQueue)
    _words: "deque[str]" = field(default_factory=lambda: deque(maxlen=_LAST_WORDS))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _process: "subprocess.Popen[bytes] | None" = None
    _readers: list[threading.Thread] = field(default_factory=list)

    def open(self) -> None:
        """Starts the agent and waits until it is there."""
        try:
            # A session of its own: Ctrl-C is for this command, which then ends its agents in order.
            self._process = subprocess.Popen(
                self.way.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            what = f"can't be reached: {error.strerror}: {self.way.command[0]}"
            raise AirtcpError(what, f"node {self.node}", "Install the program") from None
        self._readers = [
            threading.Thread(target=read, daemon=True) for read in (self._read_answers, self._read_words)
        ]
        for reader in self._readers:
            reader.start()
        self._send(self.way.program)
        self.ready = self._next(("ready",), CONNECT_MOST_S)
        if self.ready["version"] != VERSION:
            what = f"speaks version {self.ready['version']} of the agent's messages, not {VERSION}"
            raise AirtcpError(what, f"node {self.node}", "Build runner and agent again: make build")

    def order(self, order: str, **values: Any) -> None:
        """Gives an order."""
        text = json.dumps({"order": order, **values}, separators=(",", ":"))
        self._send(text.encode() + b"\n")

    def ask(self, order: str, answer: str, **values: Any) -> Message:
        """Gives an order and waits for its answer."""
        number = next(self._numbers)
        self.order(order, number=number, **values)
        while True:
            message = self._next((answer,), ANSWER_MOST_S)
            if message["number"] == number:
                return message

    def execute(self, command: Sequence[str], text: str = "") -> Executed:
        """Runs a command on the machine, to its end."""
        message = self.ask("execute", "executed", command=list(command), input=text)
        return Executed(message["status"], message["output"], message["error"])

    def wait_for(self, answer: str, most_s: float = ANSWER_MOST_S) -> Message:
        """The next answer of this kind."""
        return self._next((answer,), most_s)

    def wait_for_any(self, answers: Sequence[str], most_s: float) -> Message:
        """The next answer of one of these kinds."""
        return self._next(answers, most_s)

    def close(self) -> str:
        """Ends the agent, which undoes what it changed; returns what it could not undo."""
        process = self._process
        if process is None:
            return ""
        stdin = process.stdin
        if stdin is not None:
            with self._lock, suppress(OSError):
                stdin.close()
        try:
            process.wait(END_MOST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "the agent did not end in time"
        self._hear_all()
        failed = [line for line in self._words if line.startswith("not undone: ")]
        return "; ".join(line.removeprefix("not undone: ") for line in failed)

    @property
    def lost(self) -> bool:
        """Whether the agent is gone."""
        return self._process is None or self._process.poll() is not None

    def _send(self, content: bytes) -> None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        try:
            with self._lock:
                process.stdin.write(content)
                process.stdin.flush()
        except (OSError, ValueError):
            raise self._lost() from None

    def _next(self, answers: Sequence[str], most_s: float) -> Message:
        """The next answer of these kinds; a failure that comes instead is an error."""
        end = monotonic() + most_s
        while True:
            try:
                message = self._answers.get(timeout=max(0.0, end - monotonic()))
            except queue.Empty:
                what = f"did not answer within {most_s:g} s"
                raise MachineLostError(
                    what, f"node {self.node}", "Check the machine and the network"
                ) from None
            if message["answer"] == "end":
                self._answers.put(message)
                raise self._lost()
            if message["answer"] == "failed":
                raise AirtcpError(message["what"], f"node {self.node}: {message['place']}", message["remedy"])
            if message["answer"] in answers:
                return message

    def _lost(self) -> MachineLostError:
        self._hear_all()
        words = " / ".join(line for line in self._words if line.strip())
        remedy = f"Try it by hand: {' '.join(self.way.command[:5])}"
        return MachineLostError("the connection has ended", f"node {self.node}", remedy, words)

    def _hear_all(self) -> None:
        """Waits for the last words: they may come after the end of orders or answers."""
        for reader in self._readers:
            reader.join(_LAST_WORDS_S)

    def _read_answers(self) -> None:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        for line in _lines(process.stdout):
            try:
                message = json.loads(line)
                kind = message["answer"]
            except (ValueError, TypeError, KeyError):
                # What the machine's login files print.
                self._words.append(line.decode(errors="replace").rstrip())
                continue
            if kind in ("flow_ended", "program_ended"):
                self.events.put((self.node, message))
            else:
                if kind == "failed":
                    self.events.put((self.node, message))
                self._answers.put(message)
        self._answers.put({"answer": "end"})
        self.events.put((self.node, {"answer": "end"}))

    def _read_words(self) -> None:
        process = self._process
        assert process is not None
        assert process.stderr is not None
        for line in _lines(process.stderr):
            self._words.append(line.decode(errors="replace").rstrip())


def _lines(stream: IO[bytes]) -> Any:
    """The lines of a stream, of which one that is too long ends it."""
    while line := stream.readline(_LINE_BYTES_MOST):
        yield line
