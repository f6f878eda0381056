"""A running network whose clock stands until it is told to go: inputs, jobs, and time."""

import contextlib
import select
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from airtcp.data.plain_file import read_plain
from airtcp.errors import AirtcpError
from airtcp.execution.runner import Tools
from airtcp.execution.session import SessionProcess
from airtcp.plans.content import content_of
from airtcp.plans.length import SESSION_NS
from airtcp.plans.types.messages import (
    Condition,
    Happening,
    HappeningFrame,
    SessionAnswer,
    SessionAnswerPpdu,
    SessionAnswerSaid,
)
from airtcp.plans.types.plan import Plan, PlanSessionAct, PlanSessionInput, PlanTerminalSize
from airtcp.scenario.compile.session_plan import STARTS, with_session
from airtcp.sessions.job import INTERRUPT, KILL, Job, Listener, pieces
from airtcp.wifi.ppdu import PPDU_KINDS, PPDU_OUTCOMES

# How long a guest may say nothing while its clock should go, before it is asked whether it does, and for how
# long it may compute before it answers: a program that never waits stops an infinitely fast CPU.
STUCK_S = 30.0
# For so long it may compute without moving virtual time before a program is taken to stop it, and so far
# beyond that instant it must get without it.
STILL_S = 3.0
# How often it is looked at meanwhile.
LOOK_S = 0.2
BEYOND_NS = 10_000_000
# The file in which the guest shows how far it is (crates/plan/src/report.rs).
PROGRESS_FILE = "progress"
PROGRESS_BYTES_MOST = 64


@dataclass(frozen=True)
class Ppdu:
    """A PPDU that has ended on the air. Times are nanoseconds from traffic time zero.

    Attributes:
        start_ns: start.
        end_ns: end, with signal extension.
        nic: index of the sender in `plan["air"]["nics"]`.
        to: index of the receiver; `None` for a group.
        kind: number of the kind, as in the series `ppdus`.
        rate_bps: bit rate in bit/s.
        bytes: length of the PSDU in bytes.
        attempt: number of the attempt, from 1.
        outcome: number of what became of it, as in the series `ppdus`.

    Example:
        >>> ppdu = lab.step()[0]
        >>> ppdu.start_ns < ppdu.end_ns
        True
    """

    start_ns: int
    end_ns: int
    nic: int
    to: int | None
    kind: int
    rate_bps: int
    bytes: int
    attempt: int
    outcome: int

    @property
    def kind_name(self) -> str:
        """Name of the kind, as in the series `ppdus`.

        Example:
            >>> ppdu.kind_name in ("data", "ack", "beacon")
            True
        """
        return PPDU_KINDS[self.kind]

    @property
    def outcome_name(self) -> str:
        """Name of what became of the PPDU, as in the series `ppdus`.

        Example:
            >>> isinstance(ppdu.outcome_name, str)
            True
        """
        return PPDU_OUTCOMES[self.outcome]


@dataclass(frozen=True)
class FrameHash:
    """The hash over all frames of the air before an instant.

    Attributes:
        at_ns: the instant in nanoseconds from traffic time zero.
        hash: the hash, 16 hexadecimal digits.

    Example:
        >>> found = lab.frame_hash()
        >>> len(found.hash), found.at_ns == round(lab.now_s * 1e9)
        (16, True)
    """

    at_ns: int
    hash: str


@dataclass(frozen=True)
class Stopped:
    """Why the clock stands, and what has happened at `happened_ns` if a condition waited for it."""

    why: str
    happened: Sequence[Happening]
    happened_ns: int


@dataclass(frozen=True)
class Flushed:
    """All records up to an instant are in their files."""

    at_ns: int
    signals_dbm: Sequence[float | None]
    """Mean power at which each of `air.nics` receives the access point of its cell; `None` of others."""


class Session:
    """A network, its clock, and all that has entered it.

    The clock stands whenever no method of this class runs. `on_output` hears what jobs write, as they do.
    """

    def __init__(self, plan: Plan, tools: Tools, inputs: Sequence[PlanSessionInput] = ()) -> None:
        self.plan = plan
        self.tools = tools
        self.on_output: Listener | None = None
        self.on_end: Callable[[Job], None] | None = None
        """Hears of each job that has ended, or has not been because the network was taken back."""
        self.listening: dict[int, Callable[[], None]] = {}
        """Files that are watched while the network is waited for, and what to do when one is readable."""
        self.inputs: list[PlanSessionInput] = []
        """What has entered, in order."""
        self.jobs: dict[int, Job] = {}
        """Every job, by its number."""
        self.now_ns = 0
        """The instant at which the clock stands, from traffic time zero."""
        self._ppdus: list[Ppdu] = []
        self._stopped = Stopped("begin", (), 0)
        self._hash = ""
        self._flushed = Flushed(0, ())
        self.stands = False
        """Whether the clock stands."""
        self._heard_s = time.monotonic()
        self._process = self._begin(inputs)
        self._take_until("stopped")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the network; nothing of it is left."""
        self._process.close()

    def _begin(self, inputs: Sequence[PlanSessionInput]) -> SessionProcess:
        self.inputs, self.jobs, self.now_ns = [], {}, 0
        self.stands = False
        return SessionProcess(with_session(self.plan, inputs), self.tools)

    @property
    def stopped(self) -> Stopped:
        """Why the clock stands, or stood last."""
        return self._stopped

    @property
    def hash_now(self) -> FrameHash:
        """The hash that was asked for last (`ask_for_time`)."""
        return FrameHash(self.now_ns, self._hash)

    @property
    def runner(self) -> int:
        """The process of the runner, whose child is that of the kernel."""
        return self._process.runner

    def fileno(self) -> int:
        """What becomes readable when the network says something, for `select`."""
        return self._process.fileno()

    @property
    def has_ended(self) -> bool:
        """Whether the network has ended by itself, with an error that was raised."""
        return self._process.has_ended

    @property
    def has_more(self) -> bool:
        """Whether `attend` has something to take at once, whatever `select` says."""
        return self._process.has_more

    # Inputs

    def start(self, node: str, command: str, terminal: tuple[int, int] | None = None) -> Job:
        """Starts a command when the clock goes on. `terminal`: its lines and columns, if it has one."""
        size: PlanTerminalSize | None = (
            {"rows": terminal[0], "columns": terminal[1]} if terminal is not None else None
        )
        return self.enter({"kind": "start", "node": node, "command": command, "terminal": size})

    def enter(self, act: PlanSessionAct) -> Job:
        """Begins a job: a command, or a change of the network."""
        number = max(self.jobs, default=0) + 1
        job = self.jobs[number] = Job(number, act, self.now_ns)
        self._process.send({"order": "enter", "job": number, "act": act})
        return job

    def _act_on(self, job: Job, act: PlanSessionAct) -> None:
        self._process.send({"order": "enter", "job": job.number, "act": act})

    def write(self, job: Job, data: bytes) -> None:
        """Writes to a job's standard input, or types on its terminal."""
        for piece in pieces(data):
            self._act_on(job, {"kind": "write", "data": content_of(piece)})

    def close_input(self, job: Job) -> None:
        """Ends a job's standard input."""
        self._act_on(job, {"kind": "close_input"})

    def resize(self, job: Job, rows: int, columns: int) -> None:
        """Changes the size of a job's terminal."""
        self._act_on(job, {"kind": "resize", "size": {"rows": rows, "columns": columns}})

    def signal(self, job: Job, number: int) -> None:
        """Sends a signal to a job and all that it has started."""
        self._act_on(job, {"kind": "signal", "signal": number})

    # Time

    def set_pace(self, of_real_time: float | None) -> None:
        """From now on virtual time goes at most so fast beside real time; `None`: as fast as it can."""
        self._process.send({"order": "pace", "of_real_time": of_real_time})

    def let_go(
        self,
        at_ns: int | None = None,
        job: Job | None = None,
        *,
        ppdu: bool = False,
        condition: Condition | None = None,
    ) -> None:
        """Lets time go on, without waiting: until the first of an instant, the end of a job or of a PPDU,
        and a condition, or `order_stop`.

        `hear` must be called until the clock `stands`.
        """
        self._ppdus = []
        self.stands = False
        self._heard_s = time.monotonic()
        number = job.number if job else None
        self._process.send(
            {"order": "go", "at_ns": at_ns, "job": number, "ppdu": ppdu, "condition": condition}
        )

    def ask_for_time(self) -> None:
        """Asks how late it is; `now_ns` says so once the answer has been taken."""
        self._process.send({"order": "frame_hash"})

    def order_stop(self) -> None:
        """Stops the clock as soon as possible; `hear` until it `stands`."""
        self._process.send({"order": "stop"})

    def go_to(self, at_ns: int) -> None:
        """Lets time go on until an instant."""
        if at_ns >= SESSION_NS:
            raise AirtcpError("a session lasts a day at most", f"{at_ns / 1e9:g} s", "Name an earlier time")
        if at_ns > self.now_ns:
            self.let_go(at_ns)
            self._wait(self.order_stop)

    def go_until_end_of(self, job: Job, limit_ns: int | None = None) -> None:
        """Lets time go on until a job has ended, or until an instant.

        Ctrl-C interrupts the job, and the third one kills it.
        """
        if job.runs:
            interrupts = iter((INTERRUPT, INTERRUPT))
            self.let_go(limit_ns, job)
            self._wait(lambda: self.signal(job, next(interrupts, KILL)))

    def step(self) -> list[Ppdu]:
        """Lets time go on until a PPDU has ended; returns those that ended then."""
        self.let_go(ppdu=True)
        self._wait(self.order_stop)
        return list(self._ppdus)

    def go_until(self, condition: Condition, limit_ns: int) -> Stopped:
        """Lets time go on until a condition holds, or until an instant; says why it has stopped."""
        if limit_ns >= SESSION_NS:
            raise AirtcpError("a session lasts a day at most", f"{limit_ns / 1e9:g} s", "Wait for less")
        self.let_go(limit_ns, condition=condition)
        self._wait(self.order_stop)
        return self._stopped

    def _wait(self, interrupt: Callable[[], None]) -> None:
        """Until the clock stands. Ctrl-C does what `interrupt` does, and the wait goes on."""
        while True:
            try:
                self._take_until("stopped")
                return
            except KeyboardInterrupt:
                interrupt()

    def _receive(self, timeout_s: float) -> SessionAnswer | None:
        """The next answer within this time; meanwhile what is listened to is served."""
        end = time.monotonic() + timeout_s
        while True:
            if self._process.has_more or self._serve(max(0.0, end - time.monotonic())):
                answer = self._process.receive(0)
                if answer is not None:
                    self._heard_s = time.monotonic()
                    return answer
            elif time.monotonic() >= end:
                return None

    def _serve(self, timeout_s: float) -> bool:
        """Serves who is listened to, within this time; returns whether the network has answered."""
        files = [self._process.fileno(), *self.listening]
        ready, _, _ = select.select(files, [], [], timeout_s)
        for file in ready:
            # Serving one may close another.
            if file in self.listening:
                self.listening[file]()
        return self._process.fileno() in ready

    def _take_until(self, kind: str) -> None:
        while True:
            answer = self._receive(STUCK_S)
            if answer is None:
                self._assert_alive()
            elif self._take(answer) == kind:
                return

    def _assert_alive(self) -> None:
        """A guest that goes takes orders at each millisecond of its time: one that does not is stuck."""
        self._process.send({"order": "frame_hash"})
        patience = self._process.patience(STUCK_S)
        while (answer := self._process.receive(LOOK_S)) is None:
            if patience.is_over:
                self._end_what_never_waits()
                return
        self._heard_s = time.monotonic()
        self._take(answer)

    def _end_what_never_waits(self) -> None:
        """Ends the job whose program stops an infinitely fast CPU, and raises the error that names it.

        The kernel can't say which it is: its process does nothing else. So the session is run again without
        one job after the other, the latest first: the clock goes on without the one.
        """
        stuck_ns = self._reached_ns()
        running = [job for job in self.jobs.values() if job.runs and job.is_process]
        inputs, now_ns = list(self.inputs), self.now_ns
        what = f"virtual time stopped at {stuck_ns / 1e9:.6f} s, for its program never waits"
        remedy = "A busy loop stops an infinitely fast CPU: let it sleep"
        for job in reversed(running):
            if self._goes_on_without(job, [*inputs], now_ns, stuck_ns):
                raise AirtcpError(f"was ended: {what}", f"{job.node}: {job.command}", remedy)
        self._process.kill_if_stuck()
        named = ", ".join(f"{job.node}: {job.command}" for job in running)
        raise AirtcpError(f"the session has ended: {what}", named or "the network", remedy)

    def _reached_ns(self) -> int:
        """How far virtual time has come (`crates/guest/src/progress.rs`)."""
        try:
            reached = read_plain(self.folder / PROGRESS_FILE, self.folder, PROGRESS_BYTES_MOST)[:8]
        except OSError:
            return self.now_ns
        return int.from_bytes(reached, "little") - self.plan["epoch_ns"]

    def _goes_on_without(
        self, job: Job, inputs: Sequence[PlanSessionInput], now_ns: int, stuck_ns: int
    ) -> bool:
        """Runs the session again to where the clock stood last; whether it gets beyond without the job.

        There the job is killed. One that starts only then would never hear of that, so it is left out.
        """
        starts_now = job.began_ns >= now_ns
        with self._repeating([one for one in inputs if not (starts_now and one["job"] == job.number)]):
            self.go_to(now_ns)
            if not starts_now:
                self.signal(job, KILL)
            self.let_go(stuck_ns + BEYOND_NS)
            reached_ns, patience = self._reached_ns(), self._process.patience(STILL_S)
            while not self.stands and not patience.is_over:
                self._hear(LOOK_S)
                if reached_ns != self._reached_ns():
                    reached_ns, patience = self._reached_ns(), self._process.patience(STILL_S)
        return self.stands

    def take_answers(self) -> list[str]:
        """Takes what the network has said, however long it has said nothing; the kinds of answers."""
        kinds = []
        while (answer := self._receive(0)) is not None:
            kinds.append(self._take(answer))
        return kinds

    def attend(self) -> None:
        """Takes what the network has said and serves who has something to say, without waiting."""
        while (answer := self._receive(0)) is not None:
            self._take(answer)
        self._assert_going()

    def stand(self) -> None:
        """Stops the clock as soon as possible, and waits for that."""
        if not self.stands:
            self.order_stop()
            self._take_until("stopped")

    def hear(self, seconds: float) -> None:
        """Takes what the network says for so much real time, or until the clock stands."""
        self._hear(seconds)
        self._assert_going()

    def _hear(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self.stands and (left := end - time.monotonic()) > 0:
            answer = self._receive(left)
            if answer is not None:
                self._take(answer)

    def _assert_going(self) -> None:
        """A clock that goes is asked for once in a while, if nothing else is heard."""
        if not self.stands and time.monotonic() - self._heard_s > STUCK_S:
            self._assert_alive()

    def _take(self, answer: SessionAnswer) -> str:
        if answer["session"] == "stopped":
            self.now_ns, self.stands = answer["at_ns"], True
            happened_ns = answer["happened_ns"]
            at_ns = answer["at_ns"] if happened_ns is None else happened_ns
            self._stopped = Stopped(answer["why"], answer["happened"], at_ns)
        elif answer["session"] == "flushed":
            self._flushed = Flushed(answer["at_ns"], answer["signals_dbm"])
        elif answer["session"] == "entered":
            self._take_input({"at_ns": answer["at_ns"], "job": answer["job"], "act": answer["act"]})
        elif answer["session"] == "said":
            self._take_event(answer)
        elif answer["session"] == "ppdu":
            self._ppdus.append(ppdu_of(answer))
        elif answer["session"] == "frame_hash":
            self.now_ns, self._hash = answer["at_ns"], answer["hash"]
        return answer["session"]

    def _take_input(self, one: PlanSessionInput) -> None:
        self.inputs.append(one)
        # Of inputs that are repeated, the jobs are made anew.
        if one["job"] not in self.jobs:
            self.jobs[one["job"]] = Job(one["job"], one["act"], one["at_ns"])
        elif one["act"]["kind"] in STARTS:
            self.jobs[one["job"]].began_ns = one["at_ns"]

    def _take_event(self, answer: SessionAnswerSaid) -> None:
        job = self.jobs[answer["job"]]
        chunk = job.take(answer["at_ns"], answer["happened"])
        if chunk is None:
            if self.on_end is not None:
                self.on_end(job)
        elif self.on_output is not None:
            self.on_output(job, chunk)

    # What was recorded

    @property
    def folder(self) -> Path:
        """The folder of the run that goes on. Its programs can write there: trust nothing in it."""
        return self._process.folder

    def flush(self) -> Flushed:
        """Lets the network write all records so far to their files, whether the clock stands or goes."""
        self._process.send({"order": "flush"})
        self._take_until("flushed")
        return self._flushed

    # The way back

    def go_back_to(self, at_ns: int) -> None:
        """Takes the network to an earlier instant, before anything of it, by running it again.

        What came later has not been.
        """
        with self._repeating([one for one in self.inputs if one["at_ns"] < at_ns]):
            self.go_to(at_ns)

    @contextlib.contextmanager
    def _repeating(self, inputs: Sequence[PlanSessionInput]) -> Iterator[None]:
        """Begins again with these inputs. Nobody hears of what is repeated, or may do something meanwhile."""
        gone = [job for job in self.jobs.values() if job.runs]
        listener, ends, listening = self.on_output, self.on_end, self.listening
        self.on_output, self.on_end, self.listening = None, None, {}
        self._process.close()
        try:
            self._process = self._begin(inputs)
            self._take_until("stopped")
            yield
        finally:
            self.on_output, self.on_end, self.listening = listener, ends, listening
        for job in gone:
            if ends is not None:
                ends(job)

    def frame_hash(self) -> FrameHash:
        """The hash over all frames of the air so far."""
        self._process.send({"order": "frame_hash"})
        self._take_until("frame_hash")
        return FrameHash(self.now_ns, self._hash)


def ppdu_of(answer: SessionAnswerPpdu | HappeningFrame) -> Ppdu:
    """The PPDU that a session tells of."""
    return Ppdu(
        answer["start_ns"],
        answer["end_ns"],
        answer["nic"],
        answer["to"],
        answer["kind"],
        answer["rate_bps"],
        answer["bytes"],
        answer["attempt"],
        answer["outcome"],
    )
