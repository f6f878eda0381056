"""Warnings of plans, told before they are run."""

from typing import Any

from airtcp.cli.say import say


def warn_of_plan(plan: Any, place: str) -> list[str]:
    """Tells on standard error what to know of a plan; returns what was told."""
    from airtcp.report.plan_warnings import plan_warnings

    warnings = plan_warnings(plan)
    for warning in warnings:
        say(f"warning: {place}: {warning}.", err=True)
    return warnings
