"""The compiler: a scenario becomes a plan, in which every value is explicit."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from airtcp.errors import AirtcpError
from airtcp.plans.groups import GROUPS, as_groups, check_groups, traffic_names
from airtcp.plans.types.plan import (
    PLAN_VERSION,
    Plan,
    PlanBridge,
    PlanEgress,
    PlanInterface,
    PlanNode,
    PlanSysctl,
    PlanWireInterrupt,
)
from airtcp.scenario.compile.air.nic_plan import kernel_queue
from airtcp.scenario.compile.air.radio_plan import compile_air
from airtcp.scenario.compile.guest_plan import compile_guest, node_namespaces
from airtcp.scenario.compile.network.addressing import Addresses
from airtcp.scenario.compile.network.mptcp import mptcp_plan
from airtcp.scenario.compile.network.offloads import has_offloads, interrupt_plan, offloads_plan
from airtcp.scenario.compile.network.topology import Interface, Node, Topology, build_topology
from airtcp.scenario.compile.network.wire_plan import WireEgresses
from airtcp.scenario.compile.scenario_files import compile_files
from airtcp.scenario.compile.scene_plan import ScenePlan, compile_sources
from airtcp.scenario.compile.session_plan import compile_session
from airtcp.scenario.compile.split.split_plan import compile_split
from airtcp.scenario.compile.traffic.capture_plan import compile_captures
from airtcp.scenario.compile.traffic.run_times import compile_ends_with
from airtcp.scenario.compile.traffic.sampling_plan import compile_sampling
from airtcp.scenario.compile.traffic.traffic_plan import (
    compile_datagrams,
    compile_flows,
    compile_pings,
    compile_programs,
    traffic_ends,
)
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.ecn import ECN_SYSCTLS, TCP_ECN
from airtcp.scenario.keys.model import DEFAULT_SYSCTLS, GUEST_TABLES, IPV6_SYSCTLS, Scenario
from airtcp.scenario.keys.wires import NodeSettings
from airtcp.scenario.reading.scenario_file import in_lines, read_scenario
from airtcp.scenario.reading.toml_file import read_text
from airtcp.scenario.values.dscp import dscp_map_of
from airtcp.scenario.values.kernel_series import kernel_name
from airtcp.scenario.values.sysctl import sysctl_path

_Made = TypeVar("_Made")

# One value for the whole kernel, not per namespace (net/core/sysctl_net_core.c).
_GLOBAL_SYSCTLS = re.compile(r"net\.core\.(rmem|wmem)_(max|default)")


HERE = Path()
NO_CHANGES: Mapping[str, Any] = MappingProxyType({})


def compile_scenario(scenario: Scenario, folder: Path = HERE) -> Plan:
    """The plan of a scenario with a guest; what contradicts itself in it is a `ScenarioError`.

    `folder` is that of the scenario file, where recordings of links and files of programs are looked for.
    """
    if scenario.source:
        remedy = "Run airtcp air with this file, or write [[flow]] instead"
        raise ScenarioError("source", "sources are for runs without a guest", remedy)
    if scenario.warmup:
        raise ScenarioError("warmup", "has no effect without [[source]]", "Leave it out")
    topology = build_topology(scenario)
    addresses = Addresses(scenario, topology, traffic_ends(scenario, topology))
    air = compile_air(scenario, topology, folder)
    flows = compile_flows(scenario, topology, addresses)
    programs = compile_programs(scenario, topology)
    ends = compile_ends_with(scenario, flows, programs)
    wires = WireEgresses(scenario, topology, folder)
    plan: Plan = {
        "version": PLAN_VERSION,
        "name": scenario.name,
        "seed": scenario.seed,
        "kernel": kernel_name(scenario.kernel, scenario.guest.flavour, scenario.hz),
        "dscp_map": dscp_map_of(scenario.kernel),
        "guest": compile_guest(scenario),
        "memory_mib": scenario.memory_mib,
        "epoch_ns": scenario.epoch,
        "date_s": scenario.date,
        "duration_ns": scenario.duration,
        "ends_with": ends.flows,
        "ends_with_programs": ends.programs,
        "nodes": [_node(scenario, topology, node, addresses, wires) for node in topology.nodes.values()],
        "air": air,
        "flows": flows,
        "datagrams": compile_datagrams(scenario, topology, addresses),
        "pings": compile_pings(scenario, topology, addresses),
        "programs": programs,
        "files": compile_files(scenario, folder),
        "sampling": compile_sampling(scenario, air),
        "captures": compile_captures(scenario, topology, flows),
        "session": None,
        "split": None,
    }
    _check_groups(scenario, plan)
    plan["split"] = compile_split(scenario, plan)
    return compile_session(scenario.session, plan)


def _check_groups(scenario: Scenario, plan: Plan) -> None:
    """A group without members is a misspelling, unless programs or a session may still make its flows."""
    if scenario.program or scenario.session:
        return
    try:
        check_groups(as_groups(scenario.groups), traffic_names(plan))
    except AirtcpError as error:
        raise ScenarioError(error.place, error.what, error.remedy) from None


def compile_scene(scenario: Scenario, folder: Path = HERE) -> ScenePlan:
    """The plan of a scenario without a guest: the air and its sources."""
    if not scenario.source:
        remedy = 'Add [[source]] with from = "...", to = "...", or use airtcp run'
        raise ScenarioError(
            "", "the scenario has no [[source]], and without a guest nothing else sends", remedy
        )
    _refuse_what_needs_a_guest(scenario)
    if scenario.warmup >= scenario.duration:
        raise ScenarioError("warmup", "leaves nothing to measure", "Make it shorter, or the run longer")
    topology = build_topology(scenario)
    return {
        "version": PLAN_VERSION,
        "name": scenario.name,
        "seed": scenario.seed,
        "warmup_ns": scenario.warmup,
        "duration_ns": scenario.duration,
        "air": compile_air(scenario, topology, folder),
        "sources": compile_sources(scenario, topology),
    }


def _refuse_what_needs_a_guest(scenario: Scenario) -> None:
    for kind in GUEST_TABLES:
        if getattr(scenario, kind):
            what = f"a {kind} needs a guest, and the scenario has [[source]], for runs without one"
            raise ScenarioError(kind, what, "Leave one of them out")
    no_flows = "there are no flows without a guest, and the scenario has [[source]], for runs without one"
    for key in ("ends_with", GROUPS):
        if getattr(scenario, key) not in (None, {}):
            raise ScenarioError(key, no_flows, "Leave it out")
    for name, cell in scenario.wifi.items():
        if cell.mac == "linux":
            what = "mac80211 is in the guest's kernel, and runs with [[source]] have no guest"
            raise ScenarioError(f"wifi.{name}.mac", what, 'Set mac = "airtcp", or use [[udp]] and airtcp run')


def compile_file(path: Path, changes: Mapping[str, Any] = NO_CHANGES) -> Plan:
    """The plan of a scenario file, with changes of some of its keys; errors name the file and the line."""
    return _compile_file(path, changes, compile_scenario)


def compile_scene_file(path: Path, changes: Mapping[str, Any] = NO_CHANGES) -> ScenePlan:
    """The plan of a scene file: a scenario without a guest."""
    return _compile_file(path, changes, compile_scene)


def compile_any_file(path: Path, changes: Mapping[str, Any] = NO_CHANGES) -> Plan | ScenePlan:
    """The plan of a scenario file with a guest, or without if it has sources."""

    def make(scenario: Scenario, folder: Path) -> Plan | ScenePlan:
        return (compile_scene if scenario.source else compile_scenario)(scenario, folder)

    return _compile_file(path, changes, make)


def _compile_file(path: Path, changes: Mapping[str, Any], make: Callable[[Scenario, Path], _Made]) -> _Made:
    scenario = read_scenario(path, changes)
    with in_lines(path, read_text(path), changes):
        return make(scenario, path.parent)


def plan_text(plan: Plan | ScenePlan) -> str:
    """The plan as JSON, readable and ending in a newline."""
    return json.dumps(plan, indent=2) + "\n"


def _node(
    scenario: Scenario, topology: Topology, node: Node, addresses: Addresses, wires: WireEgresses
) -> PlanNode:
    settings = scenario.node.get(node.name)
    sysctls = _sysctls(scenario, node, addresses.has_ipv6)
    bridges: list[PlanBridge] = [
        {"name": bridge.name, "mac": bridge.mac, "addresses": _listed(bridge)} for bridge in node.bridges
    ]
    return {
        "name": node.name,
        "interfaces": [_interface(scenario, topology, node, i, wires) for i in node.interfaces],
        "bridges": bridges,
        "routes": addresses.routes(node),
        "sysctls": sysctls,
        "tc": list(settings.tc) if settings else [],
        "mptcp": mptcp_plan(scenario, node),
        "clock": {
            "offset_ns": settings.clock_offset if settings else 0,
            "skew_ppb": settings.clock_skew if settings else 0,
        },
        "offloads": offloads_plan(scenario, node.name, node.kind, sysctls),
        "namespaces": node_namespaces(scenario, node.name),
    }


def _listed(interface: Interface) -> list[str]:
    return [address for _, address in sorted(interface.addresses.items())]


def _interface(
    scenario: Scenario, topology: Topology, node: Node, interface: Interface, wires: WireEgresses
) -> PlanInterface:
    is_air = interface.attachment["kind"] == "air"
    bridge = node.bridge_of(interface)
    return {
        "name": interface.name,
        "mac": interface.mac,
        "mtu": scenario.mtu,
        "addresses": _listed(interface),
        "bridge": bridge.name if bridge else None,
        "attachment": interface.attachment,
        "egress": _air_egress(scenario, topology, interface) if is_air else wires.of(interface),
        "rx_interrupt": None if is_air else _rx_interrupt(scenario, node, interface),
    }


def _rx_interrupt(scenario: Scenario, node: Node, interface: Interface) -> PlanWireInterrupt | None:
    wire = scenario.wire[interface.attachment["wire"]]
    return interrupt_plan(wire, wire.towards.get(node.name), has_offloads(scenario, node.name, node.kind))


def _air_egress(scenario: Scenario, topology: Topology, interface: Interface) -> PlanEgress:
    queue = kernel_queue(scenario, topology.radios[interface.attachment["nic"]])
    return {"delay_ns": 0, "rate_bps": None, "trace": None, "queue": queue.plan}


def _sysctls(scenario: Scenario, node: Node, has_ipv6: bool) -> list[PlanSysctl]:
    own = scenario.node.get(node.name)
    merged: dict[str, str | int] = dict(DEFAULT_SYSCTLS)
    if has_ipv6:
        merged.update(IPV6_SYSCTLS)
    if node.kind == "router":
        merged["net.ipv4.ip_forward"] = "1"
        merged.update({"net.ipv6.conf.all.forwarding": "1"} if has_ipv6 else {})
    merged.update(_chosen_sysctls("", scenario))
    merged.update(_chosen_sysctls(f"node.{node.name}.", own) if own else {})
    return [{"key": key, "value": str(value)} for key, value in merged.items()]


def _chosen_sysctls(place: str, settings: Scenario | NodeSettings) -> dict[str, str | int]:
    """Those that the scenario, or a node in it, has chosen by keys of their own or in `sysctl`."""
    for key in settings.sysctl:
        _check_sysctl(f"{place}sysctl", key)
    if settings.ecn is None:
        return settings.sysctl
    if TCP_ECN in settings.sysctl:
        raise ScenarioError(
            f"{place}ecn", f'and "{TCP_ECN}" of {place}sysctl are the same setting', "Leave one of them out"
        )
    return {TCP_ECN: ECN_SYSCTLS[settings.ecn], **settings.sysctl}


def _check_sysctl(place: str, key: str) -> None:
    if sysctl_path(key) is None:
        what = "is not a setting below /proc/sys"
        raise ScenarioError(f'{place}."{key}"', what, 'Write for example "net.ipv4.tcp_ecn" = 1, in quotes')
    if _GLOBAL_SYSCTLS.fullmatch(key):
        what = "is one value for the whole kernel, it can't be set per node"
        raise ScenarioError(f'{place}."{key}"', what, "For TCP use net.ipv4.tcp_rmem and net.ipv4.tcp_wmem")
