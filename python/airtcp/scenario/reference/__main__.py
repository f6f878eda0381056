"""Prints the reference: `python -m airtcp.scenario.reference > docs/reference/scenario.md`."""

from airtcp.scenario.reference.page import scenario_reference

print(scenario_reference(), end="")
