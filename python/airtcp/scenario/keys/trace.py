"""Recordings of links: CSV files with received power, loss or rate over time."""

from decimal import Decimal
from pathlib import Path
from typing import cast

from pydantic import Field

from airtcp.plans.types.air_plan import PlanTracePoint
from airtcp.scenario.keys.parts import Name, Part
from airtcp.scenario.keys.trace_file import TraceColumn, read_trace_file
from airtcp.scenario.values.units import RATE, RECEIVED_POWER

_MEGA = Decimal(10**6)
COLUMNS = {
    "rssi_dbm": TraceColumn("rssi_dbm", RECEIVED_POWER.least, RECEIVED_POWER.most, float),
    "loss": TraceColumn("loss", Decimal(0), Decimal(1), float),
    "rate_mbps": TraceColumn(
        "rate_bps", RATE.least / _MEGA, RATE.most / _MEGA, lambda rate: round(rate * _MEGA)
    ),
}


class Trace(Part):
    """A recording of one direction of a link: `[[channel.trace]]`."""

    from_: Name = Field(alias="from")
    """Node that sends."""
    to: Name
    """Node that receives."""
    file: str = Field(min_length=1)
    """CSV file beside the scenario, with the columns `time_s` and any of `rssi_dbm`, `loss` (probability that
    a data frame or a `BlockAckReq` is lost), `rate_mbps` (fastest rate that the sender uses); an empty cell
    leaves a quantity to the other models. A row holds until the next.
    """
    repeat: bool = False
    """Whether the recording starts again at the time of its last row, which only marks its end."""


def read_points(path: Path, key: str) -> list[PlanTracePoint]:
    """The points of a recording; what is wrong with the file is an error that names its line."""
    return cast(list[PlanTracePoint], read_trace_file(path, key, COLUMNS))
