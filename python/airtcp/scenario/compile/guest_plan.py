"""The guest of a scenario, as the plan has it."""

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.guest import GuestSettings
from airtcp.scenario.plan_types.plan import PlanGuest
from airtcp.scenario.values.kernel_series import PLAIN


def compile_guest(guest: GuestSettings) -> PlanGuest:
    """What programs may do; rights that the flavour does not have are a `ScenarioError`."""
    if guest.privileged and guest.flavour == PLAIN:
        what = "programs are privileged in guests of another flavour only"
        raise ScenarioError("guest.privileged", what, 'Write flavour = "lab" too')
    return {"privileged": guest.privileged}
