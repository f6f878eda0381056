"""The egress of each end of a wire."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from airtcp.plans.types.plan import PlanEgress, PlanWirePoint, PlanWireTrace
from airtcp.scenario.compile.network.topology import Interface, Topology
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.trace_file import check_repeat
from airtcp.scenario.keys.wire_trace import WireTrace, read_wire_points


class WireEgresses:
    """Makes the egresses of a scenario's wires, and reads each of their files once."""

    def __init__(self, scenario: Scenario, topology: Topology, folder: Path) -> None:
        self._scenario, self._topology, self._folder = scenario, topology, folder
        self._read: dict[str, list[PlanWirePoint]] = {}

    def of(self, interface: Interface) -> PlanEgress:
        """What the end of a wire sends by; what contradicts itself in it is a `ScenarioError`."""
        number = interface.attachment["wire"]
        wire = self._scenario.wire[number]
        left, right = self._topology.wires[number]
        peer = right.node if interface is left else left.node
        own = wire.towards.get(peer)
        chosen: dict[str, Any] = {
            name: getattr(own if own and name in own.model_fields_set else wire, name)
            for name in ("delay", "rate", "queue", "trace")
        }
        key = f"wire[{number}]"
        place = f"{key}.towards.{peer}" if own and "trace" in own.model_fields_set else key
        trace = self._trace(chosen["trace"], f"{place}.trace") if chosen["trace"] else None
        has_rate = chosen["rate"] is not None or (trace is not None and _has_rate(trace["points"]))
        if has_rate and chosen["queue"].plan["kind"] == "none":
            raise ScenarioError(
                f"{key}.queue", "a wire with a rate needs a queue", 'Write for example "1 packet"'
            )
        return {
            "delay_ns": chosen["delay"],
            "rate_bps": chosen["rate"],
            "trace": trace,
            "queue": chosen["queue"].plan,
        }

    def _trace(self, trace: WireTrace, key: str) -> PlanWireTrace:
        if trace.file not in self._read:
            self._read[trace.file] = read_wire_points(self._folder / trace.file, f"{key}.file")
        points = self._read[trace.file]
        if trace.repeat:
            check_repeat(points[-1]["time_ns"], key)
        return {"repeat": trace.repeat, "points": _changes(points, trace.repeat)}


def _has_rate(points: Sequence[PlanWirePoint]) -> bool:
    return any(point["rate_bps"] is not None for point in points)


def _changes(points: list[PlanWirePoint], repeat: bool) -> list[PlanWirePoint]:
    """The points that change something, and the end of what repeats."""
    kept = points[:1]
    for place, point in enumerate(points[1:], start=2):
        is_end = repeat and place == len(points)
        if is_end or _values(point) != _values(kept[-1]):
            kept.append(point)
    return kept


def _values(point: PlanWirePoint) -> tuple[int | None, int | None, float | None]:
    return point["rate_bps"], point["delay_ns"], point["loss"]
