"""What arithmetic expects of a run, from its plan alone: held against what was measured.

The path is that of the first chosen flow, over wires with one bottleneck. An access point passes on at the
rate of its wires, so that a lone packet on an idle network waits for propagation, and for the air.
"""

import math
from typing import cast

from airtcp.metrics.wire import full_queue_ms, full_segments_mbps
from airtcp.plans.links import Hop, path
from airtcp.plans.types.plan import Plan, PlanEgress
from airtcp.quantities.quantity import Override, Quantity
from airtcp.quantities.run_view import RunView


def _path(view: RunView) -> list[Hop]:
    flow = view.run.flow_plans[view.flows[0]]
    return path(cast(Plan, view.run.plan), flow["from"], flow["to"])


def _egresses(view: RunView) -> list[PlanEgress]:
    """What the path's wires send into, there and back."""
    return [egress for hop in _path(view) for egress in (hop.there, hop.back) if egress]


def _changes(view: RunView) -> bool:
    """Whether there is not one rate and delay to count with: without flows, and where a wire has a trace."""
    return not view.flows or any(egress.get("trace") for egress in _egresses(view))


def _bottleneck(view: RunView) -> tuple[int, PlanEgress]:
    """The rate of the slowest wire in bit/s, and the interface before it."""
    rated = [(hop.there["rate_bps"] or 0, hop.there) for hop in _path(view) if hop.there]
    return min((one for one in rated if one[0]), key=lambda one: one[0])


def _mtu(view: RunView) -> int:
    return int(view.run.plan["nodes"][0]["interfaces"][0]["mtu"])


def expected_propagation(view: RunView) -> float:
    """The delays of the path's wires, there and back."""
    if _changes(view):
        return math.nan
    return float(sum(int(egress["delay_ns"]) for egress in _egresses(view))) / 1e6


def expected_goodput(view: RunView) -> float:
    """Payload of full segments at the rate of the slowest wire."""
    if _changes(view):
        return math.nan
    return full_segments_mbps(_bottleneck(view)[0], _mtu(view))


def expected_queue_delay(view: RunView) -> float:
    """Time that a full drop-tail queue of full frames in front of the slowest wire takes, in ms."""
    if _changes(view):
        return math.nan
    rate_bps, slowest = _bottleneck(view)
    return full_queue_ms(slowest["queue"].get("limit", math.nan), rate_bps, _mtu(view))


_PLAN = "it is of the plan, not of what was measured"

QUANTITIES = {
    "expected_propagation": Quantity(
        "Propagation, both ways",
        "ms",
        "by arithmetic from the plan: delays of the wires on the first chosen flow's path, there and back",
        digits=3,
        override=Override(_PLAN, expected_propagation),
    ),
    "expected_goodput": Quantity(
        "Goodput by arithmetic",
        "Mbit/s",
        "by arithmetic from the plan: payload of full segments at the rate of the slowest wire",
        digits=3,
        override=Override(_PLAN, expected_goodput),
    ),
    "expected_queue_delay": Quantity(
        "Delay of the full queue",
        "ms",
        "by arithmetic from the plan: time that a full queue of full frames before the slowest wire takes",
        digits=2,
        override=Override(_PLAN, expected_queue_delay),
    ),
}
