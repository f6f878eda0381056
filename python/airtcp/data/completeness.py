"""Whether all rows of a series are there, as far as plan and summary say: samples come at known instants."""

from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.data.plain_file import REMEDY
from airtcp.data.series.catalogue import SERIES
from airtcp.data.series.mac80211 import GROUP
from airtcp.data.series.series import JsonObject
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import polars


def check_rows(
    name: str, frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject | None, file: Path
) -> None:
    """Refuses a series with rows of what the plan does not have, or without rows that it must have.

    `agent` is the agent's report; `None`: real machines were sampled, at instants of their own.
    """
    series = SERIES[name]
    for column in series.columns:
        if not column.numbers:
            continue
        numbers = frame[column.name]
        if column.or_group:
            numbers = numbers.filter(numbers != GROUP)
        if numbers.len() and numbers.max() >= _count(plan, column.numbers):  # type: ignore[operator]
            what = f"column {column.name} has a number that the plan does not have: another run wrote it"
            raise AirtcpError(what, str(file), REMEDY)
    missing = series.missing(frame, plan, agent) if series.missing and agent is not None else ""
    if missing:
        raise AirtcpError(f"is damaged: rows are missing: {missing}", str(file), REMEDY)


def _count(plan: JsonObject, key: str) -> int:
    """How many items the plan's list with this dotted key has."""
    *parts, last = key.split(".")
    for part in parts:
        plan = plan[part]
    # Plans before version 4 have no datagrams.
    return len(plan.get(last, ()))
