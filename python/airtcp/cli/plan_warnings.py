"""Prints warnings about a plan before it runs."""

from typing import Any

from airtcp.cli.say import say


def warn_of_plan(plan: Any, place: str) -> list[str]:
    """Prints the warnings about a plan to standard error, and returns them."""
    from airtcp.report.plan_warnings import plan_warnings

    warnings = plan_warnings(plan)
    for warning in warnings:
        say(f"warning: {place}: {warning}.", err=True)
    return warnings
