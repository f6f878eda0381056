"""The connection to one agent: orders out, answers in."""

import json
import queue
import shlex
import subprocess
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import IO

from airtcp.errors import AirtcpError
from airtcp.measurement.ways_in import WayIn
from airtcp.plans.types.messages import (
    MeasurementAnswer,
    MeasurementAnswerClock,
    MeasurementAnswerExecuted,
    MeasurementAnswerFailed,
    MeasurementAnswerReady,
    MeasurementOrder,
)

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

Event = tuple[str, MeasurementAnswer | None]
"""A node and what its agent said that was not asked for; `None`: the connection has ended."""


class MachineLostError(AirtcpError):
    """The connection to a machine has ended while it was needed.

    `kept` says so without what ssh and the machine said, which may name hosts and users: for run folders.
    """

    exit_status = 3

    def __init__(self, kept: str, place: str, remedy: str, words: str = "") -> None:
        self.kept = kept
        super().__init__(f"{kept}: {words}" if words else kept, place, remedy)


@dataclass(frozen=True)
class Command:
    """A command with its standard input."""

    words: list[str]
    text: str = ""

    def __str__(self) -> str:
        typed = shlex.join(self.words)
        return f"{typed} <<< {shlex.quote(self.text)}" if self.text else typed


@dataclass
class Connection:
    """A running agent. Answers that nobody waits for are events, in `events` with the name of the node."""

    node: str
    way: WayIn
    events: "queue.SimpleQueue[Event]"
    _ready: MeasurementAnswerReady | None = None
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _answers: "queue.SimpleQueue[MeasurementAnswer | None]" = field(default_factory=queue.SimpleQueue)
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
        while (ready := self.next_answer(CONNECT_MOST_S))["answer"] != "ready":
            pass
        if ready["version"] != VERSION:
            what = f"speaks version {ready['version']} of the agent's messages, not {VERSION}"
            raise AirtcpError(what, f"node {self.node}", "Build runner and agent again: make build")
        self._ready = ready

    @property
    def ready(self) -> MeasurementAnswerReady:
        """What the agent said first, about itself."""
        assert self._ready is not None, "the connection is open"
        return self._ready

    def order(self, order: MeasurementOrder) -> None:
        """Gives an order."""
        self._send(json.dumps(order, separators=(",", ":")).encode() + b"\n")

    def read_clocks(self) -> MeasurementAnswerClock:
        """What the clocks of the machine show now."""
        number = next(self._numbers)
        self.order({"order": "clock", "number": number})
        while True:
            answer = self.next_answer()
            if answer["answer"] == "clock" and answer["number"] == number:
                return answer

    def execute(self, command: Sequence[str], text: str = "") -> MeasurementAnswerExecuted:
        """Runs a command on the machine, to its end."""
        number = next(self._numbers)
        self.order({"order": "execute", "number": number, "command": list(command), "input": text})
        return self._executed(number)

    def change(self, make: Command, undo: Command) -> MeasurementAnswerExecuted:
        """Runs a command that changes the machine, to its end; `undo` is run when the agent ends."""
        number = next(self._numbers)
        self.order(
            {
                "order": "change",
                "number": number,
                "command": make.words,
                "input": make.text,
                "undo": undo.words,
                "undo_input": undo.text,
            }
        )
        return self._executed(number)

    def _executed(self, number: int) -> MeasurementAnswerExecuted:
        while True:
            answer = self.next_answer()
            if answer["answer"] == "executed" and answer["number"] == number:
                return answer

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

    def next_answer(self, most_s: float = ANSWER_MOST_S) -> MeasurementAnswer:
        """The next answer to an order; a failure that comes instead is an error."""
        try:
            answer = self._answers.get(timeout=most_s)
        except queue.Empty:
            what = f"did not answer within {most_s:g} s"
            raise MachineLostError(what, f"node {self.node}", "Check the machine and the network") from None
        if answer is None:
            self._answers.put(None)
            raise self._lost()
        if answer["answer"] == "failed":
            raise failure(self.node, answer)
        return answer

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
                answer: MeasurementAnswer = json.loads(line)
                kind = answer["answer"]
            except (ValueError, TypeError, KeyError):
                # What the machine's login files print.
                self._words.append(line.decode(errors="replace").rstrip())
                continue
            if kind in ("flow_ended", "program_ended", "failed"):
                self.events.put((self.node, answer))
            if kind not in ("flow_ended", "program_ended"):
                self._answers.put(answer)
        self._answers.put(None)
        self.events.put((self.node, None))

    def _read_words(self) -> None:
        process = self._process
        assert process is not None
        assert process.stderr is not None
        for line in _lines(process.stderr):
            self._words.append(line.decode(errors="replace").rstrip())


def failure(node: str, answer: MeasurementAnswerFailed) -> AirtcpError:
    """The error of an order that a node could not carry out, or of a run that could not go on there."""
    return AirtcpError(answer["what"], f"node {node}: {answer['place']}", answer["remedy"])


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream, of which one that is too long ends it."""
    while line := stream.readline(_LINE_BYTES_MOST):
        yield line
