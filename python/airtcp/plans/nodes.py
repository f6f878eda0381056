"""Nodes of a plan, their radios and addresses, by names."""

import re
from collections.abc import Mapping
from ipaddress import IPv4Interface

from airtcp.errors import AirtcpError
from airtcp.plans.types.plan import Plan, PlanNode


def node_of(plan: Plan, name: str, key: str = "node") -> PlanNode:
    """The node of this name; if there is none, an `AirtcpError` whose place is `key`."""
    for node in plan["nodes"]:
        if node["name"] == name:
            return node
    known = ", ".join(node["name"] for node in plan["nodes"])
    raise AirtcpError(f'there is no node "{name}"', key, f"Use one of {known}")


def nic_of(plan: Plan, node: str, interface: str | None = None) -> int:
    """The place in `air.nics` of a node's radio.

    What is not there, or not the only one, is an `AirtcpError` whose place is `node` or `interface`.
    """
    own = node_of(plan, node)["interfaces"]
    radios = {one["name"]: one["attachment"]["nic"] for one in own if one["attachment"]["kind"] == "air"}
    if interface is None:
        if not radios:
            raise AirtcpError(f"{node} has no radio", "node", "Name a station or an access point")
        if len(radios) > 1:
            names = ", ".join(radios)
            what = f"{node} has several radios"
            raise AirtcpError(what, "interface", f"Name its interface: one of {names}")
        return int(next(iter(radios.values())))
    if interface not in radios:
        names = ", ".join(radios) or "none"
        raise AirtcpError(f'{node} has no radio "{interface}"', "interface", f"It has {names}")
    return int(radios[interface])


def addresses_of(node: PlanNode) -> list[IPv4Interface]:
    """The IPv4 addresses of a node with their networks: of its interfaces in order, then of its bridges."""
    ports = [*node["interfaces"], *node["bridges"]]
    return [IPv4Interface(text) for port in ports for text in port["addresses"] if ":" not in text]


def address_of(node: PlanNode) -> str | None:
    """The first address of a node, without its prefix length."""
    return next((str(address.ip) for address in addresses_of(node)), None)


def address_from(plan: Plan, source: str, target: str) -> str:
    """The address under which a node reaches another: one in a network of its own, or the first one."""
    networks = {address.network for address in addresses_of(node_of(plan, source, "from"))}
    found = addresses_of(node_of(plan, target, "to"))
    if not networks:
        raise AirtcpError(f"{source} has no address", "from", "Name a node that has one")
    if not found:
        raise AirtcpError(f"{target} has no address", "to", "Name a node that has one")
    return str(next((one for one in found if one.network in networks), found[0]).ip)


def with_addresses(command: str, addresses: Mapping[str, str]) -> str:
    """A command line in which words that are names of nodes are their addresses; its first word stays."""
    parts = re.split(r"(\s+)", command)
    return "".join(part if place == 0 else addresses.get(part, part) for place, part in enumerate(parts))
