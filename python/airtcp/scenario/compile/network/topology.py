"""The network of a scenario: nodes, interfaces and layer-2 segments."""

from dataclasses import dataclass, field
from typing import Literal

from airtcp.errors import remedy_for
from airtcp.plans.types.plan import PlanAttachment
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario

BRIDGE_NAME = "br0"
Part = Literal["access_point", "station", "mesh", "ibss", "monitor"]
_FORWARDS_FRAMES = ("switch", "access_point")


@dataclass(eq=False)
class Interface:
    """A network interface: where it is, what it is connected to, and its addresses when it has any."""

    node: str
    name: str
    attachment: PlanAttachment
    mac: str = ""
    segment: int = -1
    addresses: dict[int, str] = field(default_factory=dict)
    """Addresses with prefix lengths, by the version of IP."""
    without_address: bool = False
    of_bss: "Interface | None" = None
    """The bridge of a further network of a radio of which it is a port."""


@dataclass(eq=False)
class Node:
    """A node. Switches and access points have a bridge, which is an interface without attachment."""

    name: str
    kind: str
    interfaces: list[Interface] = field(default_factory=list)
    bridge: Interface | None = None
    bss_bridges: list[Interface] = field(default_factory=list)
    """Bridges of further networks of the node's radios."""

    @property
    def bridges(self) -> list[Interface]:
        """All bridges of the node."""
        return [*([self.bridge] if self.bridge else []), *self.bss_bridges]

    def bridge_of(self, interface: Interface) -> Interface | None:
        """The bridge of which an interface is a port."""
        is_none = interface.without_address or interface in self.bridges
        return interface.of_bss or (None if is_none else self.bridge)

    @property
    def layer3(self) -> list[Interface]:
        """The interfaces that may have an address."""
        free = [i for i in self.interfaces if not i.without_address and self.bridge_of(i) is None]
        return [*free, *self.bridges]


@dataclass
class RadioPlace:
    """A radio of a cell, numbered as in the plan."""

    node: str
    cell: str
    networks: list[str]
    """Names of its networks; only an access point has several."""
    role: Part
    interface: Interface
    bss: int = 0
    """Which network of the cell a station is in: 0 is that of the cell, then those of `[[wifi.NAME.bss]]`."""
    bss_interfaces: list[Interface] = field(default_factory=list)
    """Interfaces of an access point for its further networks."""

    @property
    def access_point(self) -> bool:
        """Whether the radio is the access point of its cell."""
        return self.role == "access_point"


def exchange_frames(a: RadioPlace, b: RadioPlace) -> bool:
    """Whether two radios send to each other directly: access point and station, or two of a mesh or IBSS.

    A station may roam to another access point of its network.
    """
    if a is b or "monitor" in (a.role, b.role):
        return False
    infrastructure = {a.role, b.role} == {"access_point", "station"}
    if infrastructure:
        return not set(a.networks).isdisjoint(b.networks)
    return a.cell == b.cell and a.role != "station"


@dataclass
class Topology:
    """Nodes in order of mention, radios and wires by their number in the plan."""

    nodes: dict[str, Node]
    radios: list[RadioPlace]
    wires: list[tuple[Interface, Interface]]
    segments: int = 0

    def node(self, name: str, key: str) -> Node:
        """The node of this name; an unknown one is an error at `key`."""
        if name not in self.nodes:
            remedy = remedy_for(name, self.nodes)
            raise ScenarioError(key, f'there is no node "{name}"', remedy)
        return self.nodes[name]


def build_topology(scenario: Scenario) -> Topology:
    """Nodes, interfaces, MAC addresses and segments; loops and misplaced nodes are errors."""
    topology = Topology({}, [], [])
    members = _connect_cells(scenario, topology)
    _connect_wires(scenario, topology)
    if scenario.guest.privileged:
        # Programs may make the links of these nodes.
        for name in scenario.node:
            topology.nodes.setdefault(name, Node(name, ""))
    if not topology.nodes:
        raise ScenarioError("", "the scenario has no network", "Add a [wifi.NAME] or a [[wire]]")
    for name in scenario.node:
        topology.node(name, f"node.{name}")
    _decide_kinds(scenario, topology, members)
    for radio in topology.radios:
        if radio.access_point:
            _connect_bss(scenario, topology, radio)
    _number_macs(topology)
    _find_segments(topology)
    return topology


def access_point_name(scenario: Scenario, cell: str) -> str:
    """The node that is a cell's access point: as given, else `ap` and the number of the cell."""
    return scenario.wifi[cell].access_point or f"ap{list(scenario.wifi).index(cell) + 1}"


def _attach(topology: Topology, node: str, prefix: str, attachment: PlanAttachment) -> Interface:
    place = topology.nodes.setdefault(node, Node(node, ""))
    number = sum(1 for interface in place.interfaces if interface.name.startswith(prefix))
    interface = Interface(node, f"{prefix}{number}", attachment)
    place.interfaces.append(interface)
    return interface


def _connect_cells(scenario: Scenario, topology: Topology) -> dict[str, str]:
    """Adds the radios; returns the part (`access_point`, `station`, `mesh`) of each node that has one."""
    parts: dict[str, str] = {}
    for cell in scenario.wifi:
        members = _members(scenario, cell)
        names = [name for name, _ in members]
        for name, part in members:
            key = f"wifi.{cell}.{_KEYS.get(part, 'stations')}"
            by_programs = scenario.wifi[cell].setup == "programs"
            if not by_programs and name in [radio.node for radio in topology.radios if radio.cell == cell]:
                what = f'"{name}" appears twice in the cell'
                raise ScenarioError(key, what, "Give every node its own name")
            if parts.setdefault(name, part) != part:
                both = " and ".join(
                    A_PART[one] + where
                    for one, where in ((parts[name], " in one cell"), (part, " in another"))
                )
                raise ScenarioError(key, f'"{name}" is {both}', "Use two nodes and a wire between them")
            prefix = "mon" if part == "monitor" else "wlan"
            interface = _attach(topology, name, prefix, {"kind": "air", "nic": len(topology.radios)})
            interface.without_address = part == "monitor" or by_programs
            further = scenario.wifi[cell].bss
            networks = [scenario.wifi[cell].ssid or cell, *(bss.ssid for bss in further)]
            number = next((n for n, bss in enumerate(further, 1) if name in bss.stations), 0)
            own = networks if part == "access_point" else [networks[number]]
            topology.radios.append(RadioPlace(name, cell, own, part, interface, number))
        for name in scenario.wifi[cell].radio:
            if name not in names:
                what = f'"{name}" is not in this cell'
                raise ScenarioError(f"wifi.{cell}.radio.{name}", what, f"Name one of {', '.join(names)}")
    return parts


_KEYS = {"access_point": "access_point", "monitor": "monitors"}
A_PART = {
    "access_point": "an access point",
    "station": "a station",
    "mesh": "a mesh station",
    "ibss": "a station of an IBSS",
    "monitor": "a monitor",
}


def _members(scenario: Scenario, cell: str) -> list[tuple[str, Part]]:
    settings = scenario.wifi[cell]
    monitors: list[tuple[str, Part]] = [(name, "monitor") for name in settings.monitors]
    if settings.setup == "programs":
        return [*((name, "station") for name in settings.stations), *monitors]
    if settings.kind != "infrastructure":
        what = "a mesh" if settings.kind == "mesh" else "an IBSS"
        if settings.access_point is not None:
            raise ScenarioError(f"wifi.{cell}.access_point", f"{what} has none", "Leave it out")
        if len(settings.stations) < 2:
            raise ScenarioError(f"wifi.{cell}.stations", f"{what} has at least two stations", "Name another")
        equal: Part = "mesh" if settings.kind == "mesh" else "ibss"
        return [*((name, equal) for name in settings.stations), *monitors]
    for key in ("peerings", "route"):
        if key in settings.model_fields_set:
            raise ScenarioError(f"wifi.{cell}.{key}", "has no effect without a mesh", 'Set kind = "mesh"')
    access_point: tuple[str, Part] = (access_point_name(scenario, cell), "access_point")
    stations = [*settings.stations, *(name for bss in settings.bss for name in bss.stations)]
    return [access_point, *((name, "station") for name in stations), *monitors]


def _connect_bss(scenario: Scenario, topology: Topology, radio: RadioPlace) -> None:
    """Adds the interfaces of an access point's further networks, and their bridges with their wires."""
    node = topology.nodes[radio.node]
    for number, bss in enumerate(scenario.wifi[radio.cell].bss):
        key = f"wifi.{radio.cell}.bss[{number}]"
        if bss.ssid in radio.networks[: number + 1]:
            what = f'{node.name} has two networks "{bss.ssid}" on one radio'
            raise ScenarioError(f"{key}.ssid", what, "Give each its own ssid")
        interface = Interface(node.name, f"{radio.interface.name}_{number + 1}", {})
        radio.bss_interfaces.append(interface)
        if bss.network == "shared":
            if node.bridge is None:
                raise ScenarioError(f"{key}.network", f"{node.name} has no bridge", 'Write network = "own"')
            if bss.wires:
                what = "the wires of a shared network are those of the access point"
                raise ScenarioError(f"{key}.wires", what, "Leave it out")
            continue
        interface.of_bss = Interface(node.name, f"br{len(node.bss_bridges) + 1}", {})
        node.bss_bridges.append(interface.of_bss)
        _connect_bss_wires(topology, interface.of_bss, bss.wires, f"{key}.wires")


def _connect_bss_wires(topology: Topology, bridge: Interface, wires: list[str], key: str) -> None:
    """Makes an access point's wires to these nodes ports of a bridge of one of its further networks."""
    for name in wires:
        ends = [ends if ends[0].node == bridge.node else ends[::-1] for ends in topology.wires]
        found = [own for own, other in ends if (own.node, other.node) == (bridge.node, name)]
        if not found:
            what = f'{bridge.node} has no wire to "{name}"'
            raise ScenarioError(key, what, "Name a node at the other end of one")
        if found[0].of_bss not in (None, bridge):
            what = f'the wire to "{name}" belongs to another network'
            raise ScenarioError(key, what, "Name it in one network alone")
        for own in found:
            own.of_bss = bridge


def _connect_wires(scenario: Scenario, topology: Topology) -> None:
    for number, wire in enumerate(scenario.wire):
        key = f"wire[{number}]"
        left, right = wire.between
        if left == right:
            raise ScenarioError(f"{key}.between", f'both ends are "{left}"', "Name two nodes")
        for name in wire.towards:
            if name not in wire.between:
                what = f'"{name}" is not an end of this wire'
                raise ScenarioError(f"{key}.towards.{name}", what, f"Name {left} or {right}")
        ends = [_attach(topology, node, "eth", {"kind": "wire", "wire": number}) for node in wire.between]
        topology.wires.append((ends[0], ends[1]))


# What a node may be by its part in a cell, the default first: a station with wires must name its kind.
_KINDS = {
    "access_point": ("access_point", "router"),
    "station": ("host", "router"),
    "mesh": ("host", "router"),
    "ibss": ("host", "router"),
    "monitor": ("host", "router"),
}


def _decide_kinds(scenario: Scenario, topology: Topology, parts: dict[str, str]) -> None:
    for node in topology.nodes.values():
        part = parts.get(node.name)
        allowed = _KINDS[part] if part else ("host", "switch", "router")
        default = allowed[0] if part else ("switch" if len(node.interfaces) > 1 else "host")
        if part in ("mesh", "ibss") and len(node.interfaces) > 1:
            default = "router"
        settings = scenario.node.get(node.name)
        node.kind = (settings.kind if settings else None) or default
        if node.kind not in allowed:
            what = f'"{node.name}" can\'t be a {node.kind.replace("_", " ")}'
            because = " (it has no radio)"
            if part:
                because = (
                    f" (it is the {part.replace('_', ' ')} of a cell)" if part != "mesh" else _MESH_BECAUSE
                )
            raise ScenarioError(f"node.{node.name}.kind", what + because, f"Choose {' or '.join(allowed)}")
        if node.kind in _FORWARDS_FRAMES:
            node.bridge = Interface(node.name, BRIDGE_NAME, {})


_MESH_BECAUSE = " (a mesh carries frames of its stations only, not of hosts behind them)"


def _number_macs(topology: Topology) -> None:
    """Locally administered addresses (IEEE 802-2014, 8.4), numbered in order of mention."""
    number = 0
    for node in topology.nodes.values():
        for interface in [*node.interfaces, *node.bridges]:
            number += 1
            interface.mac = f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"


class _Groups:
    """Sets that only ever merge (union-find)."""

    def __init__(self) -> None:
        self._parent: dict[Interface, Interface] = {}

    def root(self, item: Interface) -> Interface:
        parent = self._parent.setdefault(item, item)
        if parent is not item:
            parent = self._parent[item] = self.root(parent)
        return parent

    def merge(self, a: Interface, b: Interface) -> bool:
        """Whether they were apart before."""
        root_a, root_b = self.root(a), self.root(b)
        self._parent[root_b] = root_a
        return root_a is not root_b


def _find_segments(topology: Topology) -> None:
    groups = _Groups()

    def port(interface: Interface) -> Interface:
        return topology.nodes[interface.node].bridge_of(interface) or interface

    first: dict[tuple[str, int], Interface] = {}
    for radio in topology.radios:
        if radio.role == "monitor":
            continue
        for number, own in enumerate([radio.interface, *radio.bss_interfaces], radio.bss):
            middle = first.setdefault((radio.cell, number), own)
            if middle is not own:
                groups.merge(port(middle), port(own))
    for number, (left, right) in enumerate(topology.wires):
        if not groups.merge(port(left), port(right)):
            what = f"the wire between {left.node} and {right.node} closes a loop of switches"
            remedy = "Remove a wire: switches have no spanning tree, a frame would circle for ever"
            raise ScenarioError(f"wire[{number}]", what, remedy)
    numbers: dict[Interface, int] = {}
    for node in topology.nodes.values():
        for interface in [*node.interfaces, *node.bridges]:
            if interface.without_address:
                continue
            root = groups.root(port(interface))
            interface.segment = numbers.setdefault(root, len(numbers))
    topology.segments = len(numbers)
    for node in topology.nodes.values():
        _refuse_two_in_one_segment(node)
    _refuse_parted_networks(topology)


def _refuse_parted_networks(topology: Topology) -> None:
    """A station keeps its address when it roams, so access points of one network are in one segment."""
    first: dict[str, tuple[RadioPlace, int]] = {}
    for radio in topology.radios:
        if not radio.access_point:
            continue
        node = topology.nodes[radio.node]
        for network, interface in zip(radio.networks, [radio.interface, *radio.bss_interfaces], strict=True):
            segment = (node.bridge_of(interface) or interface).segment
            other, elsewhere = first.setdefault(network, (radio, segment))
            if elsewhere != segment:
                what = f'the network "{network}" is also that of "{other.node}", in another segment'
                remedy = f"Join {other.node} and {radio.node} by wires and switches, or give them other ssids"
                raise ScenarioError(f"wifi.{radio.cell}.ssid", what, remedy)


def _refuse_two_in_one_segment(node: Node) -> None:
    seen: dict[int, str] = {}
    for interface in node.layer3:
        other = seen.setdefault(interface.segment, interface.name)
        if other != interface.name:
            what = f'interfaces {other} and {interface.name} of {node.kind} "{node.name}" are in one segment'
            remedy = f'Make it a switch ([node.{node.name}] kind = "switch") or remove a link'
            raise ScenarioError(f"node.{node.name}", what, remedy)
