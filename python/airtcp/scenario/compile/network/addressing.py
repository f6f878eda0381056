"""Addresses of IPv4 and IPv6, and routes through routers where a scenario has any."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network, IPv6Interface, IPv6Network
from typing import Any

from airtcp.plans.types.plan import PlanRoute
from airtcp.scenario.compile.network.topology import Interface, Node, Topology
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario

SEGMENTS_MOST = 256

IpInterface = IPv4Interface | IPv6Interface
IpNetwork = IPv4Network | IPv6Network


@dataclass(frozen=True)
class _Version:
    """A version of IP."""

    number: int
    read: Callable[[str], IpInterface]
    segment: Callable[[int], IpNetwork]
    """The network of a segment whose addresses nobody gives."""
    longest: int
    """The longest prefix of a network with two hosts."""
    default_route: str
    example: str


_VERSIONS: Mapping[int, _Version] = {
    # Private addresses (RFC 1918).
    4: _Version(4, IPv4Interface, lambda n: IPv4Network(f"10.0.{n}.0/24"), 30, "0.0.0.0/0", "192.168.1.2/24"),
    # Unique local addresses (RFC 4193) with a global ID of zeros: nothing of them leaves the guest.
    6: _Version(
        6, IPv6Interface, lambda n: IPv6Network(f"fd00:0:0:{n:x}::/64"), 126, "::/0", "2001:db8::2/64"
    ),
}


class Addresses:
    """The addresses of a topology of both versions, and who reaches whom.

    Every interface of a host or router has one of IPv4, and one of IPv6 if any traffic or address of the
    scenario is; a switch has them if a flow, ping or explicit address asks.
    """

    def __init__(self, scenario: Scenario, topology: Topology, ends: Iterable[str]) -> None:
        wanted = set(ends)
        self._versions = {
            version: _VersionAddresses(_VERSIONS[version], scenario, topology, wanted)
            for version in (4, *((6,) if has_ipv6(scenario) else ()))
        }

    @property
    def has_ipv6(self) -> bool:
        """Whether nodes have addresses of IPv6."""
        return 6 in self._versions

    def reach(self, source: str, target: str, key: str, version: int) -> str:
        """The address of `target` nearest to `source`; no path at all is an error at `key`."""
        return self._versions[version].reach(source, target, key)

    def routes(self, node: Node) -> list[PlanRoute]:
        """The routes of a node to segments beyond its own, by the fewest routers."""
        return [route for version in self._versions.values() for route in version.routes(node)]


def has_ipv6(scenario: Scenario) -> bool:
    """Whether a scenario uses IPv6: some traffic does, or a node has an address."""
    kinds: tuple[Any, ...] = (
        scenario.flow,
        scenario.request,
        scenario.web,
        scenario.video,
        scenario.udp,
        scenario.voip,
        scenario.ping,
    )
    given = (
        text
        for node in scenario.node.values()
        for texts in node.addresses.values()
        for text in _listed(texts)
    )
    return any(entry.ip == 6 for entries in kinds for entry in entries) or any(":" in text for text in given)


def _listed(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts


class _VersionAddresses:
    """The addresses of one version."""

    def __init__(self, version: _Version, scenario: Scenario, topology: Topology, wanted: set[str]) -> None:
        self._version = version
        self._topology = topology
        self._networks: dict[int, IpNetwork] = {}
        self._interfaces: dict[int, list[Interface]] = {}
        for node in topology.nodes.values():
            if node.bridge is None or node.name in wanted:
                for interface in node.layer3:
                    self._interfaces.setdefault(interface.segment, []).append(interface)
        explicit = self._explicit(scenario)
        for segment in sorted(self._interfaces):
            self._number(segment, explicit)

    def _explicit(self, scenario: Scenario) -> dict[Interface, IpInterface]:
        found: dict[Interface, IpInterface] = {}
        for name, settings in scenario.node.items():
            node = self._topology.nodes[name]
            for interface_name, texts in settings.addresses.items():
                key = f"node.{name}.addresses.{interface_name}"
                interface = next((i for i in node.layer3 if i.name == interface_name), None)
                if interface is None:
                    names = ", ".join(i.name for i in node.layer3)
                    raise ScenarioError(key, f'"{name}" has no such interface', f"Its interfaces: {names}")
                own = [text for text in _listed(texts) if (":" in text) == (self._version.number == 6)]
                if len(own) > 1:
                    what = f"has several addresses of IPv{self._version.number}"
                    raise ScenarioError(key, what, "Give it one of each version")
                for text in own:
                    found[interface] = self._read(text, key)
                    self._join(interface, found[interface], key)
        return found

    def _read(self, text: str, key: str) -> IpInterface:
        address: IpInterface | None
        try:
            address = self._version.read(text)
        except ValueError:
            address = None
        if address is None or "/" not in text or address.network.prefixlen > self._version.longest:
            what = f'"{text}" is not an address with prefix length'
            raise ScenarioError(key, what, f'Write for example "{self._version.example}"')
        ends = [address.network.network_address]
        ends += [address.network.broadcast_address] if self._version.number == 4 else []
        if address.ip in ends:
            raise ScenarioError(key, f'"{text}" is the address of a network, not of a host', "Choose another")
        return address

    def _join(self, interface: Interface, address: IpInterface, key: str) -> None:
        network = self._networks.setdefault(interface.segment, address.network)
        if network != address.network:
            what = f"{address} is not in {network}, the network of the other addresses of its segment"
            raise ScenarioError(key, what, "Give interfaces of one segment addresses of one network")
        members = self._interfaces.setdefault(interface.segment, [])
        if interface not in members:
            members.append(interface)

    def _number(self, segment: int, explicit: dict[Interface, IpInterface]) -> None:
        network = self._networks.get(segment)
        if network is None:
            if segment >= SEGMENTS_MOST:
                what = f"the network has more than {SEGMENTS_MOST} segments"
                raise ScenarioError("", what, "Make it smaller")
            network = self._networks[segment] = self._version.segment(segment)
        for other, taken in self._networks.items():
            if other != segment and taken.overlaps(network):
                what = f"segments {other} and {segment} both have addresses of {network}"
                raise ScenarioError("node", what, "Give every segment its own network")
        used: set[Any] = set()
        for interface in self._interfaces[segment]:
            if interface in explicit:
                address = explicit[interface]
                if address.ip in used:
                    key = f"node.{interface.node}.addresses.{interface.name}"
                    raise ScenarioError(key, f"{address.ip} is already used in its segment", "Choose another")
                used.add(address.ip)
                interface.addresses[self._version.number] = str(address)
        free = (ip for ip in network.hosts() if ip not in used)
        for interface in self._interfaces[segment]:
            if self._version.number not in interface.addresses:
                ip = next(free, None)
                if ip is None:
                    raise ScenarioError("node", f"{network} has too few addresses", "Use a larger network")
                interface.addresses[self._version.number] = f"{ip}/{network.prefixlen}"

    def _address(self, interface: Interface) -> str:
        return interface.addresses[self._version.number].partition("/")[0]

    def reach(self, source: str, target: str, key: str) -> str:
        """The address of `target` nearest to `source`; no path at all is an error at `key`."""
        from_node, to_node = self._topology.nodes[source], self._topology.nodes[target]
        distances = self._distances([interface.segment for interface in from_node.layer3])
        candidates = [interface for interface in to_node.layer3 if interface.segment in distances]
        if not candidates:
            what = f'"{source}" can\'t reach "{target}": no path of cells, wires and routers joins them'
            remedy = "Add a wire"
            hosts = [node for node in self._topology.nodes.values() if node.kind == "host"]
            several = [host.name for host in hosts if len(host.interfaces) > 1]
            if several:
                remedy += f', or make {several[0]} a router ([node.{several[0]}] kind = "router")'
            raise ScenarioError(key, what, remedy)
        nearest = min(candidates, key=lambda interface: distances[interface.segment])
        return self._address(nearest)

    def routes(self, node: Node) -> list[PlanRoute]:
        """The routes of a node to segments beyond its own, by the fewest routers."""
        own = {interface.segment for interface in node.layer3}
        if not any(self._version.number in interface.addresses for interface in node.layer3):
            return []
        hops: dict[int, str] = {}
        for segment in sorted(self._networks):
            if segment not in own:
                via = self._next_hop(node, segment)
                if via is not None:
                    hops[segment] = via
        if node.kind != "router" and len(set(hops.values())) == 1:
            return [{"to": self._version.default_route, "via": next(iter(hops.values()))}]
        return [{"to": str(self._networks[segment]), "via": via} for segment, via in hops.items()]

    def _routers(self) -> list[Node]:
        return [node for node in self._topology.nodes.values() if node.kind == "router"]

    def _distances(self, segments: Iterable[int]) -> dict[int, int]:
        """Routers between any of these segments and each other segment."""
        distances = dict.fromkeys(segments, 0)
        waiting = deque(distances)
        while waiting:
            here = waiting.popleft()
            for router in self._routers():
                beside = [interface.segment for interface in router.layer3]
                if here in beside:
                    for segment in beside:
                        if segment not in distances:
                            distances[segment] = distances[here] + 1
                            waiting.append(segment)
        return distances

    def _next_hop(self, node: Node, segment: int) -> str | None:
        distances = self._distances([segment])
        best: tuple[int, str] | None = None
        for own in node.layer3:
            for router in self._routers():
                here = [i for i in router.layer3 if i.segment == own.segment]
                ahead = [distances[i.segment] for i in router.layer3 if i.segment in distances]
                if router is node or not here or not ahead:
                    continue
                if best is None or min(ahead) < best[0]:
                    best = (min(ahead), self._address(here[0]))
        return best[1] if best else None
