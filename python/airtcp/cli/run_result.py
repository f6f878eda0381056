"""What commands print of a run that has ended."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.cli.say import say

if TYPE_CHECKING:
    from airtcp.plans.groups import Groups


@dataclass(frozen=True)
class Look:
    """How a run is shown: as JSON, by which groups beside its own, and what the user was told before."""

    as_json: bool = False
    groups: "Groups" = field(default_factory=dict)
    told: Collection[str] = ()


def show_run(label: str, folder: Path, look: Look) -> None:
    """The tables of a run folder, its warnings and its path; or one JSON object."""
    if look.as_json:
        _show_json(folder, look)
    else:
        _show_tables(label, folder, look)


def _show_json(folder: Path, look: Look) -> None:
    import json

    from airtcp.report.run.first_look import facts_look

    say(json.dumps(facts_look(folder, look.groups)))


def _show_tables(label: str, folder: Path, look: Look) -> None:
    from airtcp.cli.output import Output
    from airtcp.report.run.first_look import first_look

    out = Output()
    tables, warnings = first_look(folder, look.groups)
    out.heading(label)
    for table in tables:
        out.table(table)
    for warning in (each for each in warnings if each not in look.told):
        out.line(f"warning: {warning}")
    out.line(f"Run folder: {folder}")
