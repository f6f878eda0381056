"""A network to work with from Python, in a notebook or a test."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from airtcp.data.display import facts_html
from airtcp.data.run_folder import Run, open_run
from airtcp.errors import AirtcpError
from airtcp.execution.runner import Running, run_plan
from airtcp.scenario.compile.compiler import NO_CHANGES
from airtcp.scenario.compile.plan_nodes import node_of
from airtcp.scenario.compile.session_plan import flow_act, with_session
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.session import SessionFlowSettings
from airtcp.sessions import changes
from airtcp.sessions.job import Job
from airtcp.sessions.lengths import nanoseconds
from airtcp.sessions.node import LabNode, LabProcess
from airtcp.sessions.opening import Opened, open_file, open_scenario
from airtcp.sessions.saved import ended, save
from airtcp.sessions.session import FrameHash, Ppdu, Session
from airtcp.sessions.so_far import SoFar

if TYPE_CHECKING:
    import polars

DEFAULT_STORE = Path("runs")


def lab(
    network: Path | str | Scenario,
    store: Path | str = DEFAULT_STORE,
    changed: Mapping[str, Any] = NO_CHANGES,
) -> "Lab":
    """Starts a network, whose clock stands at traffic time zero.

    `network`: a scenario file, a plan, the folder of a run, or a `Scenario` made in Python. `store`: where
    runs are kept. `changed`: keys of the scenario file with other values, as `{"seed": 2}`.
    """
    if isinstance(network, Scenario):
        return Lab(open_scenario(network, Path(store), Path()))
    return Lab(open_file(Path(network), Path(store), changed))


class Lab:
    """A running network. Its clock stands at traffic time zero, and goes on while one of these methods runs.

    Use it as a context manager, or `close` it: then nothing of it is left.
    """

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self.plan = opened.plan
        self.session = Session(opened.plan, opened.tools, opened.inputs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the network."""
        self.session.close()

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
        """The instant at which the clock stands, in seconds from traffic time zero."""
        return self.session.now_ns / 1e9

    @property
    def nodes(self) -> list[str]:
        """Names of all nodes."""
        return [node["name"] for node in self.plan["nodes"]]

    def __getitem__(self, node: str) -> LabNode:
        return LabNode(self.session, node_of(self.plan, node)["name"])

    # Time

    def run_for(self, length: float | str) -> None:
        """Lets so much time pass: seconds, or a text such as `"500 ms"`."""
        self.session.go_to(self.session.now_ns + nanoseconds(length))

    def until(self, time: float | str) -> None:
        """Lets time pass until an instant, counted from traffic time zero."""
        at_ns = nanoseconds(time)
        if at_ns < self.session.now_ns:
            remedy = "Take the network back with goto"
            raise AirtcpError(f"is earlier than now, {self.now_s:g} s", f"until {time}", remedy)
        self.session.go_to(at_ns)

    def step(self) -> list[Ppdu]:
        """Lets time pass until a PPDU has ended on the air; returns those that ended then."""
        return self.session.step()

    def goto(self, time: float | str) -> None:
        """Takes the network to an instant; what came after an earlier one has not been."""
        at_ns = nanoseconds(time)
        if at_ns >= self.session.now_ns:
            self.session.go_to(at_ns)
        else:
            self.session.go_back_to(at_ns)

    def back(self, length: float | str) -> None:
        """Takes the network back by so much time."""
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
        """Starts a TCP flow of airtcp's own kind, a bulk transfer from a node to another.

        `size`: how much is sent, in bytes or as `"10 MB"`. `length`: how long, in seconds or as `"5 s"`.
        Without both it goes on until its `close_input`. It starts as time goes on.
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
            what = first["msg"].removeprefix("Value error, ")
            raise AirtcpError(what, f"flow: {'.'.join(map(str, first['loc']))}", "") from None
        act = flow_act(self.plan, settings, (job.act for job in self.session.jobs.values()))
        return LabProcess(self.session, self.session.enter(act))

    # Changes

    def move(self, node: str, position_m: Sequence[float]) -> None:
        """A node's radio is at this place from now on: two or three coordinates in metres."""
        self._change([changes.move(self.plan, node, position_m)])

    def rssi(self, node: str, rssi_dbm: float, other: str | None = None) -> None:
        """A node and another, or all others of its cell, receive each other with this power from now on."""
        self._change(changes.rssi(self.plan, node, rssi_dbm, other))

    def loss(self, node: str, probability: float, other: str | None = None) -> None:
        """Data frames between a node and another, or all others of its cell, are lost so from now on.

        `probability`: of an MPDU, each time it is sent, beside losses of reception.
        """
        self._change(changes.loss(self.plan, node, probability, other))

    def wire(self, a: str, b: str, rate_bps: int | None = None, delay: float | str | None = None) -> None:
        """Both ends of a wire have this rate and delay from now on, in place of a trace.

        What is not given is as it was planned.
        """
        delay_ns = None if delay is None else nanoseconds(delay)
        self._change(changes.wire(self.plan, a, b, rate_bps, delay_ns))

    def link(self, a: str, b: str, *, up: bool) -> None:
        """The link between two nodes is on or off from now on."""
        self._change(changes.link(self.plan, a, b, up=up))

    def _change(self, acts: Sequence[dict[str, Any]]) -> None:
        for act in acts:
            job = self.session.enter(act)
            self.session.go_until_end_of(job)
            if job.refused is not None:
                raise AirtcpError(job.refused, str(act["kind"]), "")

    # What was, and is kept

    @property
    def jobs(self) -> list[Job]:
        """Commands that were started, and changes, in their order."""
        return [self.session.jobs[number] for number in sorted(self.session.jobs)]

    def frame_hash(self) -> FrameHash:
        """The hash over all frames of the air so far: equal histories have equal hashes."""
        return self.session.frame_hash()

    def save(self, path: Path | str) -> None:
        """Keeps the session up to now as a file that `airtcp run` repeats."""
        inputs = ended(self.session.inputs, self.session.now_ns)
        save(Path(path), self.plan, inputs, self._opened.scenario)

    def series(self, name: str) -> "polars.DataFrame":
        """What was recorded so far, by the name of the series: `lab.series("flows")`.

        It costs a look at the files of the running network, which goes on as it would. Series that are
        made at the end of a run (pings, transfers, datagrams) are in `measured` only.
        """
        self.session.flush()
        plan = with_session(self.plan, self.session.inputs)
        return SoFar(self.session.folder, plan).series(name)

    def measured(self) -> Run:
        """The run that this session is so far: computed from the inputs, and kept in the store."""
        plan = with_session(self.plan, ended(self.session.inputs, self.session.now_ns))
        done = run_plan(plan, self._opened.tools, Running(), lambda _: None)
        return open_run(done.folder)
