"""What arithmetic expects of a run, from its plan alone: held against what was measured.

The path is that of the first chosen flow, over wires with one bottleneck. An access point passes on at the
rate of its wires, so that a lone packet on an idle network waits for propagation, and for the air.
"""

from typing import Any

from airtcp.studies.quantities.path import Hop, path
from airtcp.studies.quantities.quantity import Quantity
from airtcp.studies.quantities.view import View

# Ethernet, IP and TCP headers with the timestamp option, around a segment's payload of MTU - 52.
ETHERNET_BYTES, HEADERS_BYTES = 14, 52


def _path(view: View) -> list[Hop]:
    flow = view.run.flow_plans[view.flows[0]]
    return path(view.run.plan, flow["from"], flow["to"])


def _bottleneck(view: View) -> dict[str, Any]:
    rated = [hop.there for hop in _path(view) if hop.there and hop.there["rate_bps"]]
    return min(rated, key=lambda egress: int(egress["rate_bps"]))


def _mtu(view: View) -> int:
    return int(view.run.plan["nodes"][0]["interfaces"][0]["mtu"])


def expected_propagation(view: View) -> float:
    """The delays of the path's wires, there and back."""
    egresses = [egress for hop in _path(view) for egress in hop if egress]
    return float(sum(int(egress["delay_ns"]) for egress in egresses)) / 1e6


def expected_goodput(view: View) -> float:
    """Payload of full segments at the rate of the slowest wire."""
    mtu = _mtu(view)
    return float(_bottleneck(view)["rate_bps"]) / 1e6 * (mtu - HEADERS_BYTES) / (mtu + ETHERNET_BYTES)


def expected_queue_delay(view: View) -> float:
    """Time that a full drop-tail queue of full frames in front of the slowest wire takes, in ms."""
    slowest = _bottleneck(view)
    frame_ms = (_mtu(view) + ETHERNET_BYTES) * 8e3 / float(slowest["rate_bps"])
    return float(slowest["queue"].get("limit", float("nan"))) * frame_ms


QUANTITIES = {
    "expected_propagation": Quantity("propagation, both ways", "ms", 3, number=expected_propagation),
    "expected_goodput": Quantity("goodput by arithmetic", "Mbit/s", 3, number=expected_goodput),
    "expected_queue_delay": Quantity("delay of the full queue", "ms", 2, number=expected_queue_delay),
}
