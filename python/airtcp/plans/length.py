"""How long a run of a plan lasts."""

from airtcp.plans.types.plan import Plan

# A session lasts until its user ends it, a day of virtual time at most. What is planned stays at its times.
SESSION_NS = 86_400 * 10**9


def length_ns(plan: Plan) -> int:
    """How long a run of the plan lasts: until an input ends it, or its duration."""
    inputs = plan["session"]["inputs"] if plan["session"] else []
    ends = (one["at_ns"] for one in inputs if one["act"]["kind"] == "end")
    return next(ends, plan["duration_ns"])


def lasts_a_day(plan: Plan) -> bool:
    """Whether nothing ends a run of the plan but the longest time of a session: no input, flow or program."""
    ends_early = plan["ends_with"] or plan["ends_with_programs"]
    return plan["session"] is not None and not ends_early and length_ns(plan) == SESSION_NS
