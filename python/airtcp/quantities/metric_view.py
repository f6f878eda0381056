"""What of a run a metric is about: which flows, which pings, which span of time."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from airtcp.data.program_flows import is_udp
from airtcp.data.run_folder import Run
from airtcp.data.series_file import within
from airtcp.metrics.arrays import Integers
from airtcp.metrics.bins import whole_bin_edges_ns
from airtcp.quantities.flows import flow_time
from airtcp.quantities.metric_file import MetricFile

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class MetricView:
    """A run and the arguments of a quantity.

    The span is from the first chosen flow's start (`skip` later) to the last one's end (`until` at the
    latest); without flows, the whole run.
    """

    run: Run
    arguments: MetricFile

    @cached_property
    def flows(self) -> list[int]:
        """The numbers of the chosen flows."""
        flows = self.run.flow_plans
        return [n for n, flow in enumerate(flows) if fnmatchcase(flow["name"], self.arguments.flows)]

    @cached_property
    def tcp_flows(self) -> list[int]:
        """Those of them that are TCP connections; programs may have others."""
        return [flow for flow in self.flows if not is_udp(self.run.flow_plans[flow])]

    @cached_property
    def pings(self) -> list[int]:
        """The numbers of the chosen pings."""
        pings = self.run.plan["pings"]
        return [n for n, ping in enumerate(pings) if fnmatchcase(ping["name"], self.arguments.pings)]

    def flow_name(self, flow: int) -> str:
        """The name of a flow."""
        return str(self.run.flow_plans[flow]["name"])

    @cached_property
    def times_ns(self) -> dict[int, tuple[int, int]]:
        """Begin and end of each chosen flow, in ns from the epoch."""
        return {flow: flow_time(self.run, flow) for flow in self.flows}

    @cached_property
    def start_ns(self) -> int:
        """Begin of the span."""
        return min((start for start, _ in self.times_ns.values()), default=0) + self.arguments.skip

    @cached_property
    def stop_ns(self) -> int:
        """End of the span."""
        run_end_ns = self.run.end_ns
        end_ns = min(run_end_ns, max((stop for _, stop in self.times_ns.values()), default=run_end_ns))
        return end_ns if self.arguments.until is None else min(end_ns, self.arguments.until)

    def samples(self, flow: int) -> "polars.DataFrame":
        """The samples of one flow in the span."""
        return within(self.run.flow_samples(flow), self.start_ns, self.stop_ns)

    def received(self, flow: int) -> tuple[Integers, Integers]:
        """Times and application bytes received of one flow, over the whole run."""
        samples = self.run.flow_samples(flow)
        return samples["time_ns"].to_numpy(), samples["bytes_received"].to_numpy()

    def edges_ns(self) -> Integers:
        """Edges of the bins in the span, of whole bins only."""
        return whole_bin_edges_ns(self.start_ns, self.stop_ns, self.arguments.bin)

    def in_span(self, frame: "polars.DataFrame") -> "polars.DataFrame":
        """The rows of the span, by their time."""
        from polars import col

        return frame.filter((col("time_ns") >= self.start_ns) & (col("time_ns") < self.stop_ns))

    def has_node(self, node: str) -> bool:
        """Whether a node is chosen."""
        return fnmatchcase(node, self.arguments.node)
