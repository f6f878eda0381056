"""What commands print of a run that has ended."""

from collections.abc import Collection
from pathlib import Path

from airtcp.cli.say import say


def show_run(label: str, folder: Path, as_json: bool, told: Collection[str] = ()) -> None:
    """The tables of a run folder, its warnings and its path; with `as_json`, one JSON object.

    Warnings that the user has been `told` are not among them.
    """
    if as_json:
        _show_json(folder)
    else:
        _show_tables(label, folder, told)


def _show_json(folder: Path) -> None:
    import json

    from airtcp.data.read_once import open_once
    from airtcp.report.run.facts import run_facts

    say(json.dumps(run_facts(open_once(folder))))


def _show_tables(label: str, folder: Path, told: Collection[str]) -> None:
    from airtcp.cli.output import Output
    from airtcp.report.run.first_look import first_look

    out = Output()
    tables, warnings = first_look(folder)
    out.heading(label)
    for table in tables:
        out.table(table)
    for warning in (each for each in warnings if each not in told):
        out.line(f"warning: {warning}")
    out.line(f"Run folder: {folder}")
