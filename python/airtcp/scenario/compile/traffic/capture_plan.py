"""Captures of a scenario, as the plan has them."""

from collections.abc import Sequence
from typing import Any

from airtcp.errors import remedy_for
from airtcp.plans.types.plan import PlanCapture, PlanFlow
from airtcp.scenario.compile.network.names import flow_numbers, unique_names
from airtcp.scenario.compile.network.topology import Topology
from airtcp.scenario.compile.traffic.run_times import check_start, check_stop
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.capture import CaptureSettings
from airtcp.scenario.keys.model import Scenario

SNAP_BYTES_LEAST, SNAP_BYTES_MOST = 134, 4096  # SNAP_BYTES_MIN and _MAX of the plan crate


def compile_captures(scenario: Scenario, topology: Topology, flows: Sequence[PlanFlow]) -> list[PlanCapture]:
    """The plan's captures."""
    names = unique_names(
        (f"capture[{number}].name", capture.name, _default_name(capture))
        for number, capture in enumerate(scenario.capture)
    )
    captures: list[PlanCapture] = []
    for number, capture in enumerate(scenario.capture):
        key = f"capture[{number}]"
        stop_ns = scenario.duration if capture.stop is None else min(capture.stop, scenario.duration)
        check_start(scenario.duration, capture.start, f"{key}.start")
        check_stop(capture.start, stop_ns, f"{key}.stop")
        if not SNAP_BYTES_LEAST <= capture.snap <= SNAP_BYTES_MOST:
            what = f"{capture.snap} B is out of range: {SNAP_BYTES_LEAST} B to {SNAP_BYTES_MOST} B"
            raise ScenarioError(f"{key}.snap", what, "Choose a length in between")
        captures.append(
            {
                "name": names[number],
                "point": _point(key, capture, topology),
                "snap_bytes": capture.snap,
                "flows": _flows(f"{key}.flows", capture.flows, flows),
                "start_ns": capture.start,
                "stop_ns": stop_ns,
            }
        )
    return captures


def _default_name(capture: CaptureSettings) -> str:
    parts = ["air"] if capture.air else [capture.node or "capture"]
    if isinstance(capture.interface, str):
        parts.append(capture.interface)
    return "-".join(parts)


def _point(key: str, capture: CaptureSettings, topology: Topology) -> dict[str, Any]:
    if capture.air == (capture.node is not None):
        what = "both node and air are given" if capture.air else "neither node nor air is given"
        raise ScenarioError(key, what, 'Write either node = "..." or air = true')
    if capture.node is None:
        if capture.interface is not None:
            raise ScenarioError(f"{key}.interface", "the air has no interfaces", "Leave it out")
        if not topology.radios:
            raise ScenarioError(f"{key}.air", "the scenario has no radios", "Capture a node instead")
        return {"kind": "air"}
    node = topology.node(capture.node, f"{key}.node")
    known = [interface.name for interface in node.interfaces if not interface.without_address]
    asked = [capture.interface] if isinstance(capture.interface, str) else capture.interface
    if asked is None:
        asked = list(known)
    known += [bridge.name for bridge in node.bridges]
    for name in asked:
        if name not in known:
            what = f'{node.name} has no interface "{name}"'
            raise ScenarioError(f"{key}.interface", what, remedy_for(name, known))
    if not asked:
        raise ScenarioError(
            f"{key}.node", f"{node.name} has no interfaces", "Connect it, or name another node"
        )
    return {"kind": "interfaces", "node": node.name, "names": list(dict.fromkeys(asked))}


def _flows(key: str, asked: str | list[str] | None, flows: Sequence[PlanFlow]) -> list[int]:
    numbers = [] if asked is None else flow_numbers(key, asked, flows)
    for number in numbers:
        if ":" in flows[number]["address"]:
            what = f"packets are chosen by flows of IPv4 only, and {flows[number]['name']} uses IPv6"
            raise ScenarioError(key, what, "Leave it out to keep all packets")
    return numbers
