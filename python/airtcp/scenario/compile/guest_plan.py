"""The guest of a scenario and the namespaces of its nodes, as the plan has them."""

from airtcp.kernels.table import PLAIN
from airtcp.plans.types.plan import PlanGuest
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario


def compile_guest(scenario: Scenario) -> PlanGuest:
    """What programs may do; rights that the flavour does not have, or radios need, are a `ScenarioError`."""
    guest = scenario.guest
    if guest.privileged and guest.flavour == PLAIN:
        what = "programs are privileged in guests of another flavour only"
        raise ScenarioError("guest.privileged", what, 'Write flavour = "lab" too')
    for name, cell in scenario.wifi.items():
        if cell.setup == "programs" and not guest.privileged:
            what = "only privileged programs set up radios"
            raise ScenarioError(f"wifi.{name}.setup", what, "Write privileged = true in [guest]")
    return {"privileged": guest.privileged, "initial_node": None}


def node_namespaces(scenario: Scenario, node: str) -> list[str]:
    """The namespaces that a node has of its own; one that its programs can't use is a `ScenarioError`."""
    settings = scenario.node.get(node)
    own = settings.namespaces if settings else None
    wanted = scenario.guest.namespaces if own is None else own
    if "mount" in wanted and not scenario.guest.privileged:
        key = "guest.namespaces" if own is None else f"node.{node}.namespaces"
        remedy = "Write privileged = true in [guest], or leave it out"
        raise ScenarioError(key, "only privileged programs mount", remedy)
    return sorted(set(wanted), reverse=True)
