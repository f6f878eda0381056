"""Traces of wires: CSV files with rate, delay and loss over time."""

from decimal import Decimal
from pathlib import Path
from typing import cast

from pydantic import Field

from airtcp.plans.types.plan import PlanWirePoint
from airtcp.scenario.keys.parts import Part
from airtcp.scenario.keys.trace_file import TraceColumn, read_trace_file
from airtcp.scenario.values.units import RATE, TIME

_KILO, _MEGA = Decimal(10**3), Decimal(10**6)
COLUMNS = {
    "rate_mbps": TraceColumn(
        "rate_bps", RATE.least / _MEGA, RATE.most / _MEGA, lambda rate: round(rate * _MEGA), zero=True
    ),
    "delay_ms": TraceColumn("delay_ns", Decimal(0), TIME.most / _MEGA, lambda delay: round(delay * _MEGA)),
    "loss": TraceColumn("loss", Decimal(0), Decimal(1), float),
}


class WireTrace(Part):
    """How rate, delay and loss of a wire change over time: `trace = { file = "x.csv" }`."""

    file: str = Field(min_length=1)
    """CSV file beside the scenario, with the columns `time_s` and any of `rate_mbps` (0: nothing is sent
    meanwhile), `delay_ms`, `loss` (probability that a frame does not arrive); an empty cell leaves rate and
    delay as the wire has them, and loses nothing. A row holds until the next.
    """
    repeat: bool = False
    """Whether the trace starts again at the time of its last row, which only marks its end."""


def read_wire_points(path: Path, key: str) -> list[PlanWirePoint]:
    """The points of a trace; what is wrong with the file is an error that names its line."""
    return cast(list[PlanWirePoint], read_trace_file(path, key, COLUMNS))
