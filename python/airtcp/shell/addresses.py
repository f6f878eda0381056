"""Names of nodes stand for their addresses."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from airtcp.scenario.compile.plan_nodes import addresses_of

if TYPE_CHECKING:
    from airtcp.scenario.plan_types.plan import PlanNode


def address_of(node: "PlanNode") -> str | None:
    """The first address of a node, without its prefix length."""
    return next((str(address.ip) for address in addresses_of(node)), None)


def with_addresses(command: str, addresses: Mapping[str, str]) -> str:
    """A command line in which words that are names of nodes are their addresses; its first word stays."""
    parts = re.split(r"(\s+)", command)
    return "".join(part if place == 0 else addresses.get(part, part) for place, part in enumerate(parts))
