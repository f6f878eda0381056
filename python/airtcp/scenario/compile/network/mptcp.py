"""The path manager of MPTCP in nodes, as the plan has it."""

from airtcp.errors import suggestion
from airtcp.plans.types.plan import PlanMptcp, PlanMptcpEndpoint
from airtcp.scenario.compile.network.topology import Interface, Node
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.wires import MptcpFlag


def mptcp_plan(scenario: Scenario, node: Node) -> PlanMptcp | None:
    """Limits and endpoints of a node; `None` if the scenario has none."""
    settings = scenario.node.get(node.name)
    if settings is None or settings.mptcp is None:
        return None
    endpoints: list[PlanMptcpEndpoint] = []
    for name, flags in settings.mptcp.endpoints.items():
        key = f"node.{node.name}.mptcp.endpoints.{name}"
        chosen = _flags(flags, key)
        for address in _addresses(node, name, key):
            endpoints.append({"address": address, "interface": name, "flags": list(chosen)})
    return {
        "subflows": settings.mptcp.subflows,
        "add_addr_accepted": settings.mptcp.add_addr_accepted,
        "endpoints": endpoints,
    }


def _flags(flags: MptcpFlag | list[MptcpFlag], key: str) -> list[MptcpFlag]:
    chosen = list(dict.fromkeys([flags] if isinstance(flags, str) else flags))
    if not {"signal", "subflow"} & set(chosen):
        raise ScenarioError(key, "has neither signal nor subflow, so it is not used", "Add one of them")
    if {"signal", "fullmesh"} <= set(chosen):
        what = "has signal and fullmesh, which Linux refuses together"
        raise ScenarioError(key, what, 'Write ["subflow", "fullmesh"], or "signal"')
    if "fullmesh" in chosen and "subflow" not in chosen:
        raise ScenarioError(key, "has fullmesh without subflow", 'Write ["subflow", "fullmesh"]')
    return chosen


def _addresses(node: Node, name: str, key: str) -> list[str]:
    own: dict[str, Interface] = {each.name: each for each in (*node.interfaces, *node.bridges)}
    if name not in own:
        hint = suggestion(name, own)
        known = f"{hint} " if hint else ""
        raise ScenarioError(key, f"{node.name} has no interface {name}", f"{known}Known: {', '.join(own)}")
    found = [text.partition("/")[0] for _, text in sorted(own[name].addresses.items())]
    if not found:
        what = f"{name} has no address: {node.name} only forwards frames"
        raise ScenarioError(key, what, "Choose a host")
    return found
