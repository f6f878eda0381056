"""A session so far as a run: what makes pictures of runs makes them of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.run_folder import Run
from airtcp.data.series.catalogue import SERIES
from airtcp.plans.types.plan import Plan, PlanSessionInput
from airtcp.scenario.compile.session_plan import with_session
from airtcp.sessions.so_far import SoFar

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, repr=False)
class RunSoFar(Run):
    """A session up to an instant, with the series that are recorded while time passes.

    It has no report of the agent, which comes at the end of a run.
    """

    @property
    def recorded(self) -> tuple[str, ...]:
        """Names of the series that the session has recorded."""
        return tuple(self._series)

    def named(self, name: str) -> "polars.DataFrame":
        """One series with names beside numbers."""
        flows = self.flow_plans
        agent = {"flows": flows, "mptcp": self.connections, "qdiscs": []}
        return SERIES[name].label(self.series(name), {**self.plan, "flows": flows}, agent)


def run_so_far(folder: Path, plan: Plan, inputs: Sequence[PlanSessionInput], now_ns: int) -> RunSoFar:
    """The session whose run goes on in this folder; whoever asks has flushed its records."""
    whole = with_session(plan, inputs)
    so_far = SoFar(folder, whole)
    frames = {name: so_far.rows(name) for name in so_far.recorded}
    moved = _with_moves(whole, inputs)
    return RunSoFar(folder, moved, {}, {"end_ns": now_ns}, {}, so_far.sockets(), _series=frames)


def _with_moves(plan: Plan, inputs: Sequence[PlanSessionInput]) -> dict[str, Any]:
    """The plan with the places to which radios were moved as points of their ways."""
    nics: list[dict[str, Any]] = [{**nic} for nic in plan["air"]["nics"]]
    for one in inputs:
        act = one["act"]
        if act["kind"] != "move":
            continue
        nic, at_ns = nics[act["nic"]], one["at_ns"]
        before = [point for point in nic["waypoints"] if point["time_ns"] < at_ns]
        last = before[-1]["position_m"] if before else nic["position_m"]
        # There at once, and it stays there: what was planned for later is not its way any more.
        nic["waypoints"] = [
            *before,
            {"time_ns": at_ns, "position_m": last},
            {"time_ns": at_ns, "position_m": act["position_m"]},
        ]
    return {**plan, "air": {**plan["air"], "nics": nics}}
