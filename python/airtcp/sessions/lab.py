"""A network to work with from Python, in a notebook or a test."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from airtcp.data.display import facts_html
from airtcp.data.run_folder import Run, open_run
from airtcp.errors import AirtcpError
from airtcp.execution.runner import Running, run_plan
from airtcp.plans.length import SESSION_NS
from airtcp.plans.nodes import node_of
from airtcp.plans.types.plan import PlanSessionAct
from airtcp.scenario.compile.compiler import NO_CHANGES
from airtcp.scenario.compile.session_plan import flow_act, with_session
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.session import SessionFlowSettings
from airtcp.sessions import changes
from airtcp.sessions.condition import ConditionReader, tokens
from airtcp.sessions.happening import Happened, happened
from airtcp.sessions.job import Job
from airtcp.sessions.lengths import nanoseconds
from airtcp.sessions.node import LabNode, LabProcess
from airtcp.sessions.opening import Opened, open_file, open_scenario
from airtcp.sessions.saved import ended, save
from airtcp.sessions.session import FrameHash, Ppdu, Session
from airtcp.sessions.so_far import SoFar
from airtcp.wrong_values import wrong_value

if TYPE_CHECKING:
    import polars

DEFAULT_STORE = Path("runs")


def lab(
    network: Path | str | Scenario,
    store: Path | str = DEFAULT_STORE,
    changed: Mapping[str, Any] = NO_CHANGES,
) -> "Lab":
    """Starts a network, whose clock stands at traffic time zero.

    Args:
        network: a scenario file, a plan, the folder of a run, or a `Scenario` that was made in Python.
        store: folder in which runs are kept.
        changed: keys of the scenario file with other values.

    Returns:
        The running network. Use it as a context manager, or `close` it.

    Raises:
        AirtcpError: the scenario is wrong, or the runner or kernel is missing.

    Example:
        >>> with airtcp.lab("first.toml", changed={"seed": 2}) as lab:
        ...     print(lab["sta1"].run("echo hello").output.strip(), lab.plan["seed"])
        hello 2
    """
    if isinstance(network, Scenario):
        return Lab(open_scenario(network, Path(store), Path()))
    return Lab(open_file(Path(network), Path(store), changed))


class Lab:
    """A running network. Its clock stands, and goes on while one of its methods runs.

    `lab["sta1"]` is a node (`LabNode`). Times are seconds from traffic time zero, or texts such as `"500
    ms"`.

    Attributes:
        plan: the plan of the network.
        session: the running session below.

    Example:
        >>> lab = airtcp.lab("first.toml")
        >>> lab
        <Lab first, seed 1: ap1, sta1, h1; at 0.000000 s>
    """

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self.plan = opened.plan
        self.session = Session(opened.plan, opened.tools, opened.inputs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        name, nodes = self.plan["name"], ", ".join(self.nodes)
        return f"<Lab {name}, seed {self.plan['seed']}: {nodes}; at {self.now_s:.6f} s>"

    def _repr_html_(self) -> str:
        running = [f"{job.number}: {job.line}" for job in self.jobs if job.runs]
        facts = {
            "nodes": ", ".join(self.nodes),
            "time": f"{self.now_s:.6f} s",
            "running": "; ".join(running) or "-",
            "store": str(self._opened.tools.store),
        }
        return facts_html(f"Network {self.plan['name']}, seed {self.plan['seed']}", facts)

    @property
    def now_s(self) -> float:
        """The instant at which the clock stands, in seconds from traffic time zero.

        Example:
            >>> lab.now_s
            0.0
        """
        return self.session.now_ns / 1e9

    @property
    def nodes(self) -> list[str]:
        """Names of all nodes.

        Example:
            >>> lab.nodes
            ['ap1', 'sta1', 'h1']
        """
        return [node["name"] for node in self.plan["nodes"]]

    def __getitem__(self, node: str) -> LabNode:
        return LabNode(self.session, node_of(self.plan, node)["name"])

    # Time

    def run_for(self, length: float | str) -> None:
        """Lets time pass.

        Args:
            length: seconds, or a text such as `"500 ms"`.

        Raises:
            AirtcpError: the length is not a time, or a program keeps virtual time from moving.

        Example:
            >>> lab.run_for("50 ms")
            >>> lab.now_s
            0.05
        """
        self.session.go_to(self.session.now_ns + nanoseconds(length))

    def until(self, time: float | str) -> None:
        """Lets time pass until an instant.

        Args:
            time: seconds from traffic time zero, or a text.

        Raises:
            AirtcpError: the instant is in the past; `goto` goes back.

        Example:
            >>> lab.until("0.1 s")
            >>> lab.now_s
            0.1
        """
        at_ns = nanoseconds(time)
        if at_ns < self.session.now_ns:
            remedy = "Take the network back with goto"
            raise AirtcpError(f"is earlier than now, {self.now_s:g} s", f"until {time}", remedy)
        self.session.go_to(at_ns)

    def run_until(
        self,
        condition: "str | Callable[[Lab], object]",
        within: float | str | None = None,
        *,
        every: float | str = "1 ms",
    ) -> Happened | None:
        """Lets time pass until something happens, or is so.

        Words stop the clock at the instant: 1 ns behind it, before anything that follows, or now, if it is so
        already. They are those of `until` at the prompt (docs/how-to/sessions.md): `"loss"`, `"cwnd < 10"`,
        `"roam of sta1"`, `"frame from sta1 and srtt > 100 ms"`. A function is called now and at each multiple
        of `every` from now on; the clock stops at the first at which it returns a true value.

        Args:
            condition: words, or a function of this network.
            within: seconds to wait at most, or a text such as `"10 s"`; default: until the end of the
                scenario.
            every: how often a function is called, in seconds, or a text.

        Returns:
            What happened, and when; `None` if it has not happened in this time.

        Raises:
            AirtcpError: the words can't be understood, there is nothing of this name, or the scenario's end
                is past and `within` is not given.

        Example:
            >>> print(lab.run_until(lambda lab: lab.now_s >= 0.11, within="1 s").text)
            the function holds
        """
        limit_ns = self._limit_ns(condition, within)
        if callable(condition):
            return self._run_until_function(condition, limit_ns, nanoseconds(every))
        flows, numbers = self._flows()
        by_name: dict[str, list[int]] = {}
        for number, place in numbers.items():
            by_name.setdefault(flows[place]["name"], []).append(number)
        order = ConditionReader(self.plan, by_name).read(tokens(condition))
        stopped = self.session.go_until(order, limit_ns)
        if not stopped.happened:
            return None
        return happened(self.plan, self._name_of_flow, stopped.happened_ns, stopped.happened)

    def _limit_ns(self, condition: object, within: float | str | None) -> int:
        """The instant at which waiting ends."""
        now_ns, end_ns = self.session.now_ns, self.plan["duration_ns"]
        if within is not None:
            return now_ns + nanoseconds(within)
        # A session that was saved has no end but its own.
        if now_ns < end_ns < SESSION_NS:
            return end_ns
        ends = f"is past: {end_ns / 1e9:g} s" if end_ns < SESSION_NS else "is not known"
        words = condition if isinstance(condition, str) else "FUNCTION"
        remedy = f"Say how long to wait: until {words} within 10 s"
        raise AirtcpError(f"the scenario's end {ends}", f"until {words}", remedy)

    def _run_until_function(
        self, holds: "Callable[[Lab], object]", limit_ns: int, every_ns: int
    ) -> Happened | None:
        if every_ns <= 0:
            raise AirtcpError("is no time between two looks", "every", 'Write for example "1 ms"')
        while not holds(self):
            if self.session.now_ns >= limit_ns:
                return None
            self.session.go_to(min(limit_ns, self.session.now_ns + every_ns))
        return Happened(kind="function", at_ns=self.session.now_ns, text="the function holds")

    def _flows(self) -> tuple[list[dict[str, Any]], dict[int, int]]:
        """All flows so far, and the place of each in them by its number in the series."""
        self.session.flush()
        flows, numbers = SoFar(self.session.folder, with_session(self.plan, self.session.inputs)).flows()
        planned = len(self.plan["flows"])
        return flows, {number: number for number in range(planned)} | numbers

    def _name_of_flow(self, number: int) -> str:
        """The name of a flow; a connection may not have delivered enough to be one yet."""
        flows, numbers = self._flows()
        return flows[numbers[number]]["name"] if number in numbers else "a connection"

    def step(self) -> list[Ppdu]:
        """Lets time pass until a PPDU has ended on the air.

        Returns:
            The PPDUs that ended at that instant.

        Example:
            >>> ppdu = lab.step()[0]
            >>> ppdu.end_ns <= lab.now_s * 1e9
            True
        """
        return self.session.step()

    def goto(self, time: float | str) -> None:
        """Takes the network to an instant. Going back undoes all that was entered later.

        Args:
            time: seconds from traffic time zero, or a text.

        Raises:
            AirtcpError: `time` is not a time.

        Example:
            >>> lab.goto("80 ms")
            >>> lab.now_s
            0.08
        """
        at_ns = nanoseconds(time)
        if at_ns >= self.session.now_ns:
            self.session.go_to(at_ns)
        else:
            self.session.go_back_to(at_ns)

    def back(self, length: float | str) -> None:
        """Takes the network back by a length of time, at most to traffic time zero.

        Args:
            length: seconds, or a text.

        Raises:
            AirtcpError: the length is not a time.

        Example:
            >>> lab.back("30 ms")
            >>> lab.now_s
            0.05
        """
        self.session.go_back_to(max(0, self.session.now_ns - nanoseconds(length)))

    # Traffic

    def flow(
        self,
        from_: str,
        to: str,
        cca: str = "cubic",
        *,
        size: int | str | None = None,
        length: float | str | None = None,
    ) -> LabProcess:
        """Starts a TCP flow from a node to another. It starts as time goes on.

        Args:
            from_: name of the sending node.
            to: name of the receiving node.
            cca: congestion control of the sender.
            size: bytes to send, or a text such as `"10 MB"`; default: no limit.
            length: seconds to send for, or a text such as `"5 s"`; default: until `close_input` of the
                result.

        Returns:
            The flow; `wait` waits for its end.

        Raises:
            AirtcpError: a node, the congestion control, the size or the length is wrong.

        Example:
            >>> flow = lab.flow("sta1", "h1", size="20 kB")
            >>> flow.wait().status
            0
        """
        keys = {
            "from": from_,
            "to": to,
            "cca": cca,
            "size": f"{size} B" if isinstance(size, int) else size,
            "length": f"{nanoseconds(length)} ns" if length is not None else None,
        }
        try:
            settings = SessionFlowSettings.model_validate(keys)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"]))
            wrong = wrong_value(first, key)
            raise AirtcpError(wrong.what, f"flow: {key}", wrong.remedy) from None
        act = flow_act(self.plan, settings, (job.act for job in self.session.jobs.values()))
        return LabProcess(self.session, self.session.enter(act))

    # Changes

    def move(self, node: str, position_m: Sequence[float]) -> None:
        """Moves a node's radio, at once.

        Args:
            node: name of the node.
            position_m: two or three coordinates in metres.

        Raises:
            AirtcpError: the node has no radio, or positions have no effect in this scenario.

        Example:
            >>> with airtcp.lab("first.toml", changed={"channel.propagation": "free_space"}) as free:
            ...     free.move("sta1", [3.0, 4.0])
        """
        self._change([changes.move(self.plan, node, position_m)])

    def rssi(self, node: str, rssi_dbm: float, other: str | None = None) -> None:
        """Sets the power with which a node and another receive each other.

        Args:
            node: name of the node.
            rssi_dbm: received power in dBm.
            other: name of the other node; default: all others of the cell.

        Raises:
            AirtcpError: a node has no radio, or powers follow from positions in this scenario.

        Example:
            >>> lab.rssi("sta1", -60)
        """
        self._change(changes.rssi(self.plan, node, rssi_dbm, other))

    def loss(self, node: str, probability: float, other: str | None = None) -> None:
        """Sets the probability with which data frames between a node and another are lost.

        Args:
            node: name of the node.
            probability: of an MPDU, each time it is sent, beside losses of reception; 0 to 1.
            other: name of the other node; default: all others of the cell.

        Raises:
            AirtcpError: a node has no radio, or the probability is out of range.

        Example:
            >>> lab.loss("sta1", 0.1)
        """
        self._change(changes.loss(self.plan, node, probability, other))

    def wire(self, a: str, b: str, rate_bps: int | None = None, delay: float | str | None = None) -> None:
        """Sets rate and delay of both ends of a wire, in place of a trace.

        Args:
            a: name of a node at one end.
            b: name of the node at the other end.
            rate_bps: rate in bit/s; default: as planned.
            delay: one-way delay in seconds, or a text; default: as planned.

        Raises:
            AirtcpError: there is no wire between the nodes.

        Example:
            >>> lab.wire("ap1", "h1", rate_bps=5_000_000, delay="20 ms")
        """
        delay_ns = None if delay is None else nanoseconds(delay)
        self._change(changes.wire(self.plan, a, b, rate_bps, delay_ns))

    def link(self, a: str, b: str, *, up: bool) -> None:
        """Switches the link between two nodes on or off.

        Args:
            a: name of a node at one end.
            b: name of the node at the other end.
            up: whether the link is on.

        Raises:
            AirtcpError: there is no link between the nodes.

        Example:
            >>> lab.link("ap1", "h1", up=False)
            >>> lab.link("ap1", "h1", up=True)
        """
        self._change(changes.link(self.plan, a, b, up=up))

    def _change(self, acts: Sequence[PlanSessionAct]) -> None:
        for act in acts:
            job = self.session.enter(act)
            self.session.go_until_end_of(job)
            if job.refused is not None:
                raise AirtcpError(job.refused, act["kind"], "")

    # What was, and is kept

    @property
    def jobs(self) -> list[Job]:
        """Commands that were started, flows and changes, in their order.

        Example:
            >>> lab.jobs[0].is_flow, lab.jobs[0].status
            (True, 0)
        """
        return [self.session.jobs[number] for number in sorted(self.session.jobs)]

    def frame_hash(self) -> FrameHash:
        """The hash over all frames of the air so far: equal histories have equal hashes.

        Returns:
            The hash with its instant.

        Example:
            >>> lab.frame_hash() == lab.frame_hash()
            True
        """
        return self.session.frame_hash()

    def save(self, path: Path | str) -> None:
        """Writes the session so far to a file, which `airtcp run` and `airtcp shell` repeat.

        Args:
            path: file to write: `.toml` for a scenario, `.json` for a plan.

        Raises:
            AirtcpError: the file can't be written.

        Example:
            >>> lab.save("session.json")
        """
        inputs = ended(self.session.inputs, self.session.now_ns)
        save(Path(path), self.plan, inputs, self._opened.scenario)

    def series(self, name: str) -> "polars.DataFrame":
        """A series as recorded so far. The network goes on as if nothing had been read.

        Series that are made at the end of a run (pings, transfers, datagrams) are in `measured` only.

        Args:
            name: name of the series (docs/reference/columns.md).

        Returns:
            A Polars frame with the columns of `Run.named`.

        Raises:
            AirtcpError: no such series is recorded while time passes.

        Example:
            >>> lab.series("air")["time_ns"].max() <= lab.now_s * 1e9
            True
        """
        self.session.flush()
        plan = with_session(self.plan, self.session.inputs)
        return SoFar(self.session.folder, plan).series(name)

    def measured(self) -> Run:
        """Computes the session so far as a run, which is kept in the store.

        Returns:
            The run, with everything that a run has.

        Raises:
            AirtcpError: the run failed.

        Example:
            >>> lab.measured().named("flows").height > 0
            True
        """
        plan = with_session(self.plan, ended(self.session.inputs, self.session.now_ns))
        done = run_plan(plan, self._opened.tools, Running(), lambda _: None)
        return open_run(done.folder)

    def close(self) -> None:
        """Ends the network.

        Example:
            >>> lab.close()
        """
        self.session.close()
