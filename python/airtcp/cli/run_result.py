"""What commands print of a run that has ended."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.cli.say import say
from airtcp.report.run.first_look import Asked, first_look


@dataclass(frozen=True)
class Shown:
    """How a run is shown: as JSON, with which groups and members, and what the user was told before."""

    as_json: bool = False
    asked: Asked = field(default_factory=Asked)
    told: Collection[str] = ()


def show_run(label: str, folder: Path, how: Shown) -> None:
    """The tables of a run folder, its warnings and its path; or one JSON object."""
    if how.as_json:
        import json

        say(json.dumps(first_look(folder, how.asked).facts))
    else:
        _show_tables(label, folder, how)


def _show_tables(label: str, folder: Path, how: Shown) -> None:
    from airtcp.cli.output import Output

    out, look = Output(), first_look(folder, how.asked)
    out.heading(label)
    for table in look.tables:
        out.table(table)
    if look.left_out:
        out.line(f"Groups stand for {look.left_out} rows of their members: --members shows them.")
    for warning in (each for each in look.warnings if each not in how.told):
        out.line(f"warning: {warning}")
    out.line(f"Run folder: {folder}")
