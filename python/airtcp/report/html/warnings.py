"""What a reader must know before the numbers, put together over all runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.report.html.read_run import Broken
from airtcp.report.html.record import Record, doubts
from airtcp.report.html.runs import Runs

# Of one warning; the list of runs shows the others.
LINES_MOST = 200


@dataclass(frozen=True)
class Warned:
    """A warning, the runs that have it by their place, and its details."""

    text: str
    runs: tuple[int, ...] = ()
    lines: tuple[str, ...] = ()


def warnings_of(runs: Runs) -> list[Warned]:
    """The worst first: what is missing, what failed, what was not in control, what the agents said."""
    records = runs.records
    return [
        *_folders(
            runs.broken,
            "is not a complete run and is missing here",
            "are not complete runs and are missing here",
        ),
        *_kind(records, [record.failed for record in records], "a flow failed (marked *)"),
        *_kind(
            records,
            [doubts(record) for record in records],
            "the congestion control was not what limited a flow (marked *)",
        ),
        *_agents(records),
        *_folders(runs.repeated, "holds a run that is here already", "hold runs that are here already"),
    ]


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _folders(folders: Sequence[Broken], one: str, many: str) -> list[Warned]:
    if not folders:
        return []
    lines = tuple(folder.text for folder in folders)
    return [Warned(_counted(len(lines), f"folder {one}.", f"folders {many}."), lines=lines)]


def _kind(records: Sequence[Record], reasons_of: Sequence[Sequence[str]], what: str) -> list[Warned]:
    have = [(number, reasons) for number, reasons in enumerate(reasons_of) if reasons]
    if not have:
        return []
    every = [f"{records[number].run}: {'; '.join(reasons)}" for number, reasons in have]
    lines = every[:LINES_MOST]
    if len(every) > LINES_MOST:
        lines.append(f"and {len(every) - LINES_MOST} more, in the list of runs")
    text = f"In {len(have)} of {_counted(len(records), 'run', 'runs')} {what}."
    return [Warned(text, tuple(number for number, _ in have), tuple(lines))]


def _agents(records: Sequence[Record]) -> list[Warned]:
    """Each different warning once, with its runs."""
    by_text: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        for warning in record.warnings:
            by_text.setdefault(warning, []).append(number)
    return [Warned(f"In {_counted(len(n), 'run', 'runs')}: {text}", tuple(n)) for text, n in by_text.items()]
