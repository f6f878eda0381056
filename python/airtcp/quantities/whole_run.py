"""A run over the time in which its flows ran: what values by which runs are compared are read off."""

from dataclasses import dataclass
from functools import cached_property

from airtcp.data.run_folder import Run
from airtcp.metrics.throughput import Throughput
from airtcp.quantities.flows import begun_flows, flow_throughput, flow_time
from airtcp.quantities.run_view import RunView


@dataclass(frozen=True)
class WholeRun:
    """A run; each of these is read once."""

    run: Run

    @cached_property
    def time_ns(self) -> tuple[int, int]:
        """From the start of the first flow to the end of the last; without flows, the whole run."""
        spans = [flow_time(self.run, flow) for flow in begun_flows(self.run)]
        if not spans:
            return 0, self.run.end_ns
        return min(start for start, _ in spans), max(stop for _, stop in spans)

    @cached_property
    def view(self) -> RunView:
        """The run in that time."""
        return RunView(self.run, *self.time_ns)

    @cached_property
    def is_sampled(self) -> bool:
        """Whether there are flows, and they were sampled."""
        return self.run.plan["sampling"]["flows_interval_ns"] > 0 and bool(self.run.flow_plans)

    @cached_property
    def rates(self) -> dict[int, Throughput | None]:
        """Goodput of each flow that began, over its own time; `None` of one too short for its samples."""
        flows = begun_flows(self.run) if self.is_sampled else []
        return {flow: flow_throughput(self.run, flow) for flow in flows}
