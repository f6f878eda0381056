"""The groups of a scenario file, for what shows its run: a plan does not have them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from airtcp.plans.groups import GROUPS, groups_in
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.toml_file import parse_toml, read_text


def groups_of_file(path: Path, changes: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The groups of a scenario file that has been compiled with these changes."""
    tables = parse_toml(read_text(path), path)
    for key, value in changes.items():
        if key.split(".")[0] == GROUPS:
            assign(tables, key, value)
    return groups_in(tables)
