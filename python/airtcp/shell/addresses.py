"""Names of nodes stand for their addresses."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airtcp.scenario.plan_types.plan import PlanNode


def address_of(node: "PlanNode") -> str | None:
    """The first address of a node, without its prefix length."""
    ports = [*node["interfaces"], *node["bridges"]]
    addresses = (address for port in ports for address in port["addresses"])
    first = next(addresses, None)
    return first.partition("/")[0] if first else None


def with_addresses(command: str, addresses: Mapping[str, str]) -> str:
    """A command line in which words that are names of nodes are their addresses; its first word stays."""
    parts = re.split(r"(\s+)", command)
    return "".join(part if place == 0 else addresses.get(part, part) for place, part in enumerate(parts))
