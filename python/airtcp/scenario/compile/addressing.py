"""IPv4 addresses, and routes through routers where a scenario has any."""

from collections import deque
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from airtcp.scenario.compile.topology import Interface, Node, Topology
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.plan_types.plan import PlanRoute

# Segment n is 10.0.n.0/24 (private addresses, RFC 1918).
SEGMENTS_MOST = 256


class Addresses:
    """The addresses of a topology, and who reaches whom.

    Every interface of a host or router has one; a switch has one if a flow, ping or explicit address asks.
    """

    def __init__(self, scenario: Scenario, topology: Topology, ends: Iterable[str]) -> None:
        self._topology = topology
        self._networks: dict[int, IPv4Network] = {}
        self._interfaces: dict[int, list[Interface]] = {}
        wanted = set(ends)
        for node in topology.nodes.values():
            if node.bridge is None or node.name in wanted:
                for interface in node.layer3:
                    self._interfaces.setdefault(interface.segment, []).append(interface)
        explicit = self._explicit(scenario)
        for segment in sorted(self._interfaces):
            self._number(segment, explicit)

    def _explicit(self, scenario: Scenario) -> dict[Interface, IPv4Interface]:
        found: dict[Interface, IPv4Interface] = {}
        for name, settings in scenario.node.items():
            node = self._topology.nodes[name]
            for interface_name, text in settings.addresses.items():
                key = f"node.{name}.addresses.{interface_name}"
                interface = next((i for i in node.layer3 if i.name == interface_name), None)
                if interface is None:
                    names = ", ".join(i.name for i in node.layer3)
                    raise ScenarioError(key, f'"{name}" has no such interface', f"Its interfaces: {names}")
                found[interface] = self._read(text, key)
                self._join(interface, found[interface], key)
        return found

    @staticmethod
    def _read(text: str, key: str) -> IPv4Interface:
        try:
            address = IPv4Interface(text)
        except ValueError:
            address = None
        if address is None or "/" not in text or address.network.prefixlen > 30:
            what = f'"{text}" is not an address with prefix length'
            raise ScenarioError(key, what, 'Write for example "192.168.1.2/24"')
        if address.ip in (address.network.network_address, address.network.broadcast_address):
            raise ScenarioError(key, f'"{text}" is the address of a network, not of a host', "Choose another")
        return address

    def _join(self, interface: Interface, address: IPv4Interface, key: str) -> None:
        network = self._networks.setdefault(interface.segment, address.network)
        if network != address.network:
            what = f"{address} is not in {network}, the network of the other addresses of its segment"
            raise ScenarioError(key, what, "Give interfaces of one segment addresses of one network")
        members = self._interfaces.setdefault(interface.segment, [])
        if interface not in members:
            members.append(interface)

    def _number(self, segment: int, explicit: dict[Interface, IPv4Interface]) -> None:
        network = self._networks.get(segment)
        if network is None:
            if segment >= SEGMENTS_MOST:
                what = f"the network has more than {SEGMENTS_MOST} segments"
                raise ScenarioError("", what, "Make it smaller")
            network = self._networks[segment] = IPv4Network(f"10.0.{segment}.0/24")
        for other, taken in self._networks.items():
            if other != segment and taken.overlaps(network):
                what = f"segments {other} and {segment} both have addresses of {network}"
                raise ScenarioError("node", what, "Give every segment its own network")
        used: set[IPv4Address] = set()
        for interface in self._interfaces[segment]:
            if interface in explicit:
                address = explicit[interface]
                if address.ip in used:
                    key = f"node.{interface.node}.addresses.{interface.name}"
                    raise ScenarioError(key, f"{address.ip} is already used in its segment", "Choose another")
                used.add(address.ip)
                interface.address = str(address)
        free = (ip for ip in network.hosts() if ip not in used)
        for interface in self._interfaces[segment]:
            if interface.address is None:
                ip = next(free, None)
                if ip is None:
                    raise ScenarioError("node", f"{network} has too few addresses", "Use a larger network")
                interface.address = f"{ip}/{network.prefixlen}"

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
        assert nearest.address is not None, "the ends of traffic have addresses"
        return nearest.address.partition("/")[0]

    def routes(self, node: Node) -> list[PlanRoute]:
        """The routes of a node to segments beyond its own, by the fewest routers."""
        own = {interface.segment for interface in node.layer3}
        if not any(interface.address for interface in node.layer3):
            return []
        hops: dict[int, str] = {}
        for segment in sorted(self._networks):
            if segment not in own:
                via = self._next_hop(node, segment)
                if via is not None:
                    hops[segment] = via
        if node.kind != "router" and len(set(hops.values())) == 1:
            return [{"to": "0.0.0.0/0", "via": next(iter(hops.values()))}]
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
                beside = [interface.segment for interface in router.interfaces]
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
                here = [i for i in router.interfaces if i.segment == own.segment]
                ahead = [distances[i.segment] for i in router.interfaces if i.segment in distances]
                if router is node or not here or not ahead:
                    continue
                if best is None or min(ahead) < best[0]:
                    assert here[0].address is not None, "routers have addresses"
                    best = (min(ahead), here[0].address.partition("/")[0])
        return best[1] if best else None
