"""The guest of a scenario, as the plan has it."""

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.plan_types.plan import PlanGuest
from airtcp.scenario.values.kernel_series import PLAIN


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
    return {"privileged": guest.privileged}
