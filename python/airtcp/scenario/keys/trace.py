"""Recordings of links: CSV files with received power, loss or rate over time."""

import csv
import io
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from pydantic import Field

from airtcp.errors import remedy_for
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.parts import Name, Part
from airtcp.scenario.plan_types.air_plan import PlanTracePoint
from airtcp.scenario.values.units import POWER, RATE, TIME

COLUMNS = ("time_s", "rssi_dbm", "loss", "rate_mbps")
# A point a millisecond for 10 minutes; more would make the plan larger than a run's results.
POINTS_MOST = 600_000


class Trace(Part):
    """A recording of one direction of a link: `[[channel.trace]]`."""

    from_: Name = Field(alias="from")
    """Node that sends."""
    to: Name
    """Node that receives."""
    file: str = Field(min_length=1)
    """CSV file beside the scenario, with the columns `time_s` and any of `rssi_dbm`, `loss` (probability that
    a data frame is lost), `rate_mbps` (fastest rate that the sender uses); an empty cell leaves a quantity to
    the other models. A row holds until the next.
    """
    repeat: bool = False
    """It starts again at the time of its last row, which only marks its end."""


def read_points(path: Path, key: str) -> list[PlanTracePoint]:
    """The points of a recording; what is wrong with the file is an error that names its line."""
    rows = list(csv.reader(io.StringIO(_text(path, key))))
    if not rows or not any(rows[0]):
        raise ScenarioError(key, f"{path} is empty", f"Its first line names columns: {', '.join(COLUMNS)}")
    header = [name.strip() for name in rows[0]]
    _check_header(header, path, key)
    points: list[PlanTracePoint] = []
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        place = f"{path}, line {number}"
        if len(row) != len(header):
            what = f"{place} has {len(row)} cells, the first line {len(header)}"
            raise ScenarioError(key, what, "Give each line as many")
        cells = {name: cell.strip() for name, cell in zip(header, row, strict=True)}
        point = _point(cells, place, key)
        if points and points[-1]["time_ns"] >= point["time_ns"]:
            raise ScenarioError(key, f"{place}: time_s does not rise", "Sort by time, and use each time once")
        points.append(point)
    if not points:
        raise ScenarioError(key, f"{path} has no points", "Add at least one line below the columns' names")
    if len(points) > POINTS_MOST:
        raise ScenarioError(key, f"{path} has more than {POINTS_MOST} points", "Record less often")
    return points


def _text(path: Path, key: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        remedy = "Paths are relative to the scenario file"
        raise ScenarioError(key, f"there is no file {path}", remedy) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(key, f"{path} can't be read: {error}", "Give a CSV file in UTF-8") from None


def _check_header(header: list[str], path: Path, key: str) -> None:
    for name in header:
        if name not in COLUMNS:
            remedy = remedy_for(name, COLUMNS)
            raise ScenarioError(key, f'{path} has an unknown column "{name}"', remedy)
    if len(set(header)) != len(header):
        raise ScenarioError(key, f"{path} has a column twice", "Keep one of them")
    if "time_s" not in header or len(header) < 2:
        what = f"{path} needs the column time_s and one of {', '.join(COLUMNS[1:])}"
        raise ScenarioError(key, what, "Add it")


def _point(cells: dict[str, str], place: str, key: str) -> PlanTracePoint:
    def read(name: str, make: Callable[[Decimal], Any], least: Decimal, most: Decimal) -> Any:
        text = cells.get(name, "")
        if not text:
            return None
        try:
            value = Decimal(text)
            if not value.is_finite():
                raise InvalidOperation
        except InvalidOperation:
            raise ScenarioError(key, f'{place}: {name} is "{text}"', "Write a number") from None
        if not least <= value <= most:
            raise ScenarioError(key, f"{place}: {name} {text} is out of range", f"Give {least} to {most}")
        return make(value)

    if not cells["time_s"]:
        raise ScenarioError(key, f"{place} has no time_s", "Give each line a time")
    mega, giga = Decimal(10**6), Decimal(10**9)
    return {
        "time_ns": read("time_s", lambda value: round(value * giga), Decimal(0), TIME.most / giga),
        "rssi_dbm": read("rssi_dbm", float, POWER.least, POWER.most),
        "loss": read("loss", float, Decimal(0), Decimal(1)),
        "rate_bps": read("rate_mbps", lambda value: round(value * mega), RATE.least / mega, RATE.most / mega),
    }
