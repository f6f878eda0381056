"""MU EDCA parameters in the plan."""

from airtcp.plans.types.air_plan import PlanMuEdca
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.channel_access import ACCESS_CATEGORIES, AccessCategory, chosen
from airtcp.scenario.keys.multi_user import MU_EDCA_TIMER_UNIT_US, MuEdcaCategory, MuEdcaSettings


def mu_edca_plan(settings: MuEdcaSettings, key: str) -> list[PlanMuEdca]:
    """Four entries, in the order of the categories. Windows that can't be are a `ScenarioError`."""
    return [_of_category(settings, category, f"{key}.{category}") for category in ACCESS_CATEGORIES]


def _of_category(settings: MuEdcaSettings, category: AccessCategory, key: str) -> PlanMuEdca:
    own: MuEdcaCategory = getattr(settings, category)
    plan: PlanMuEdca = {
        "aifsn": chosen(own.aifsn, settings.aifsn),
        "cw_min": chosen(own.cw_min, settings.cw_min),
        "cw_max": chosen(own.cw_max, settings.cw_max),
        "timer": chosen(own.timer, settings.timer) // MU_EDCA_TIMER_UNIT_US,
    }
    if plan["cw_min"] > plan["cw_max"]:
        what = f"cw_min {plan['cw_min']} is above cw_max {plan['cw_max']}"
        raise ScenarioError(key, what, "Set both, the smaller first")
    return plan
