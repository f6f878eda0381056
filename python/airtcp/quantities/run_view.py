"""What of a run is looked at: a span of time, some of its flows, pings and nodes, and a metric's arguments.

Plots, metrics and comparisons look at runs through this one view. Which span they take if none is given is
decided here: plots the whole run, metrics the time in which the chosen flows ran, comparisons that of all.
"""

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from airtcp.data.program_flows import is_udp
from airtcp.data.read_once import NotRecorded
from airtcp.data.run_folder import Run
from airtcp.data.series.catalogue import ON_MACHINES, SERIES
from airtcp.data.series_file import within
from airtcp.errors import AirtcpError
from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.bins import whole_bin_edges_ns
from airtcp.quantities.doubt import marked
from airtcp.quantities.entity import Entity, Span
from airtcp.quantities.flows import begun_flows, flow_control, flow_time
from airtcp.quantities.line import Join
from airtcp.quantities.metric_file import MetricFile

if TYPE_CHECKING:
    import polars

# Words of a label: `ap1 to sta1`, `sta1-h1 (cubic)`.
_WORDS = re.compile(r"[\w.-]+")
# Rates over more bins than this are noise in a figure of this width.
BINS_MOST = 300


class RunView:
    """A run, from `start_ns` to `stop_ns`. Each of its series is read once, if the run is one of `open_once`.

    `flows` and `pings` are the numbers of those chosen.
    """

    # What `airtcp plot` may choose, each by its name.
    def __init__(  # noqa: PLR0913
        self,
        run: Run,
        start_ns: int = 0,
        stop_ns: int | None = None,
        flows: Sequence[str] = (),
        nodes: Sequence[str] = (),
        bin_ns: int | None = None,
    ) -> None:
        """`flows` and `nodes` are names or patterns (`sta*`), none for all; an empty window, a flow or node
        that is not there or a bin that the samples do not have is an `AirtcpError`.
        """
        self.run = run
        self.start_ns = start_ns
        self.stop_ns = run.end_ns if stop_ns is None else min(stop_ns, run.end_ns)
        if self.start_ns >= self.stop_ns:
            what = f"nothing is between {start_ns / 1e9:g} s and {self.stop_ns / 1e9:g} s"
            remedy = f"the run lasts {run.end_ns / 1e9:g} s; choose times within it, the earlier one first"
            raise AirtcpError(what, "--from, --to", remedy)
        self.arguments = MetricFile()
        self._is_drawn = True
        self._nodes = self._chosen_nodes(nodes)
        self.flows = self._chosen(flows)
        self.pings = tuple(range(len(run.plan["pings"])))
        self._bin_ns = bin_ns
        self._internals: dict[int, polars.DataFrame] = {}
        self._read: dict[Callable[[RunView], Sequence[Entity]], list[Entity]] = {}

    @classmethod
    def of_metric(cls, run: Run, metric: MetricFile) -> "RunView":
        """What a metric chooses, which may be nothing.

        The span is from the first chosen flow's start (`skip` later) to the last one's end (`until` at the
        latest); without flows, the whole run.
        """
        view = cls(run)
        view.arguments = metric = metric.in_groups(run.groups, f"group of a metric of {run.folder}")
        view._is_drawn = False
        plans, pings = run.flow_plans, run.plan["pings"]
        view.flows = tuple(n for n, flow in enumerate(plans) if metric.is_about(flow["name"]))
        view.pings = tuple(
            n
            for n, ping in enumerate(pings)
            if fnmatchcase(ping["name"], metric.pings) and metric.has_in_group(ping["name"])
        )
        start_ns, stop_ns = _time_of(run, view.flows)
        view.start_ns = start_ns + metric.skip
        view.stop_ns = stop_ns if metric.until is None else min(stop_ns, metric.until)
        return view

    @classmethod
    def of_flows(cls, run: Run, flows: Sequence[int], metric: MetricFile) -> "RunView":
        """The flows of these numbers, from the first one's start to the last one's end, as of a metric."""
        view = cls(run)
        view.arguments = metric
        view._is_drawn = False
        view.flows = tuple(flows)
        view.start_ns, view.stop_ns = _time_of(run, view.flows)
        return view

    @classmethod
    def while_flows_ran(cls, run: Run) -> "RunView":
        """All of a run, from the first flow's start to the last one's end: by this, runs are compared."""
        return cls.of_metric(run, MetricFile())

    @property
    def span(self) -> Span:
        """From and to."""
        return self.start_ns, self.stop_ns

    def _chosen(self, patterns: Sequence[str]) -> tuple[int, ...]:
        names = [flow["name"] for flow in self.run.flow_plans]
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in names):
                remedy = f"the run has {', '.join(names)}" if names else "the run has no flows"
                raise AirtcpError(f'there is no flow "{pattern}"', "--flows", remedy)
        return tuple(
            number
            for number, flow in enumerate(self.run.flow_plans)
            if (not patterns or any(fnmatchcase(flow["name"], pattern) for pattern in patterns))
            and (self._nodes is None or self._nodes & {flow["from"], flow["to"]})
        )

    def _chosen_nodes(self, patterns: Sequence[str]) -> frozenset[str] | None:
        names = [node["name"] for node in self.run.plan["nodes"]]
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in names):
                raise AirtcpError(
                    f'there is no node "{pattern}"', "--nodes", f"the run has {', '.join(names)}"
                )
        chosen = (name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns))
        return frozenset(chosen) if patterns else None

    def shows(self, label: str) -> bool:
        """Whether a line of this label is asked for: one that names nodes and none of those chosen is not."""
        if self._nodes is None:
            return True
        words = _WORDS.findall(label)
        named = self._all_nodes & {part for word in words for part in (word, *word.split("-"))}
        return not named or bool(named & self._nodes)

    def entities(self, read: "Callable[[RunView], Sequence[Entity]]") -> list[Entity]:
        """Those of the things that an extractor reads that are at a chosen place; read once."""
        if read not in self._read:
            self._read[read] = [entity for entity in read(self) if self.holds(entity)]
        return self._read[read]

    def holds(self, entity: Entity) -> bool:
        """Whether a thing is at a chosen place."""
        if entity.node and not self.has_node(entity.node):
            return False
        asked = self.arguments.interface
        return self.shows(entity.drawn_label) and (asked == "*" or fnmatchcase(entity.interface, asked))

    def has_node(self, node: str) -> bool:
        """Whether a metric chooses a node."""
        return fnmatchcase(node, self.arguments.node)

    @cached_property
    def _all_nodes(self) -> frozenset[str]:
        return frozenset(node["name"] for node in self.run.plan["nodes"])

    def has(self, name: str, *columns: str) -> bool:
        """Whether the run recorded this series with these columns."""
        if name not in self.recorded:
            return False
        if not columns:
            return True
        frame = self.run.series(name)
        return all(column in frame.columns for column in columns)

    def series(self, name: str, *columns: str) -> "polars.DataFrame":
        """A series with these columns; one that the run did not record is an `AirtcpError`."""
        if not self.has(name):
            if self.run.measured and name not in ON_MACHINES:
                what = f'has no series "{name}", which only virtual runs have: its network was a real one'
                raise NotRecorded(what, str(self.run.folder))
            remedy = f"set {SERIES[name].setting.rstrip(',')} and run the scenario again"
            raise NotRecorded(f'recorded no series "{name}"', str(self.run.folder), remedy)
        place = str(self.run.folder / "series" / f"{name}.parquet")
        frame = self.run.series(name)
        for column in columns:
            if column not in frame.columns:
                what = f"has no column {column}: an older version of airtcp wrote the run"
                raise NotRecorded(what, place, "run the scenario again")
        return frame

    def edges_ns(self) -> Integers:
        """Edges of the metric's bins in the span, of whole bins only."""
        return whole_bin_edges_ns(self.start_ns, self.stop_ns, self.arguments.bin)

    def flow_time(self, flow: int) -> Span:
        """Begin and end of a flow."""
        return flow_time(self.run, flow)

    @property
    def tcp_flows(self) -> tuple[int, ...]:
        """Those of the flows that are TCP connections; programs may have others."""
        return tuple(flow for flow in self.flows if not is_udp(self.run.flow_plans[flow]))

    def flow_name(self, flow: int) -> str:
        """The name of a flow."""
        return str(self.run.flow_plans[flow]["name"])

    def samples(self, flow: int) -> "polars.DataFrame":
        """The samples of one flow in the span."""
        self.series("flows")
        return within(self.run.flow_samples(flow), self.start_ns, self.stop_ns)

    def is_whole(self) -> bool:
        """Whether the window is all of the run."""
        return self.start_ns == 0 and self.stop_ns == self.run.end_ns

    def flow_rows(self, name: str, *columns: str, udp: bool = False) -> list[tuple[int, "polars.DataFrame"]]:
        """Number and rows of each chosen flow, of a series that has a column `flow`.

        With `udp` also those of programs that have no TCP.
        """
        flows = self.flows if udp else self.tcp_flows
        if flows:
            self.series(name, *columns)
        return [(flow, self.run.part(name, "flow", flow)) for flow in flows]

    def flow_entity(
        self, flow: int, times_ns: Integers, values: Floats | Integers, join: Join = Join.STRAIGHT
    ) -> Entity:
        """A flow with these values."""
        # Whether a congestion control was in control takes long to judge, and only drawings say it.
        label = self.flow_label(flow) if self._is_drawn else ""
        return Entity(self.flow_name(flow), times_ns, values, label, alive_ns=self.flow_time(flow), join=join)

    def internals(self, flow: int) -> "polars.DataFrame":
        """What the congestion control of a flow reports of itself."""
        if flow not in self._internals:
            self._internals[flow] = self.run.congestion_control_info(flow)
        return self._internals[flow]

    def flow_label(self, flow: int) -> str:
        """Name and congestion control; with a mark if that was not what limited the flow."""
        planned = self.run.flow_plans[flow]
        return marked(f"{planned['name']} ({planned['congestion_control']})", flow in self.doubtful)

    @cached_property
    def recorded(self) -> frozenset[str]:
        """The series that the run recorded."""
        return frozenset(self.run.recorded)

    @cached_property
    def doubtful(self) -> frozenset[int]:
        """The chosen flows whose congestion control was not in control, as far as samples show."""
        if not self.has("flows"):
            return frozenset()
        return frozenset(flow for flow in self.flows if flow_control(self.run, flow).is_doubtful)

    @cached_property
    def radio_names(self) -> tuple[str, ...]:
        """A name for each radio: its node, with a number where a node has several."""
        nodes = [nic["node"] for nic in self.run.plan["air"]["nics"]]
        return tuple(
            node if nodes.count(node) == 1 else f"{node}, radio {number}" for number, node in enumerate(nodes)
        )

    def node_of(self, nic: int) -> str:
        """The node of a radio."""
        return str(self.run.plan["air"]["nics"][nic]["node"])

    def interval_ns(self, name: str) -> int:
        """How often a series was sampled."""
        return SERIES[name].interval_ns(self.run.plan)

    def bin_ns(self, name: str) -> int:
        """How long rates of a series are averaged: what was asked for, else `BINS_MOST` bins at most."""
        interval_ns = max(1, self.interval_ns(name))
        if self._bin_ns is not None:
            if self._bin_ns < interval_ns or self._bin_ns % interval_ns:
                asked_ms, sampled_ms = self._bin_ns / 1e6, interval_ns / 1e6
                what = f"{asked_ms:g} ms is not a multiple of the {sampled_ms:g} ms between samples"
                remedy = f"choose a multiple, or set {SERIES[name].setting} to a divisor and run again"
                raise AirtcpError(what, "--bin", remedy)
            return self._bin_ns
        return interval_ns * nice_at_least((self.stop_ns - self.start_ns) / BINS_MOST / interval_ns)


def _time_of(run: Run, flows: Sequence[int]) -> Span:
    """From the start of the first of these flows to the end of the last; without flows, the whole run.

    Flows whose time had not come count only if no other is there.
    """
    chosen = set(flows)
    begun = [flow for flow in begun_flows(run) if flow in chosen] or flows
    spans = [flow_time(run, flow) for flow in begun]
    start_ns = min((start for start, _ in spans), default=0)
    return start_ns, min(run.end_ns, max((stop for _, stop in spans), default=run.end_ns))


def nice_at_least(number: float) -> int:
    """The least of 1, 2, 5, 10, 20, 50, ... that is not below the number."""
    decade = 1
    while True:
        for step in (1, 2, 5):
            if step * decade >= number:
                return step * decade
        decade *= 10
