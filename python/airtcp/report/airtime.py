"""How the time of each medium was used."""

from collections.abc import Mapping, Sequence
from typing import Any

from airtcp.report.table import Table

# Field of the report, and its column.
PARTS = (
    ("data_ns", "data"),
    ("response_ns", "control"),
    ("collision_ns", "collision"),
    ("contention_ns", "contention"),
    ("idle_ns", "idle"),
)


def airtime_table(media: Sequence[Mapping[str, Any]]) -> Table:
    """The shares of each medium; a medium is the cells on one primary channel."""
    title = "Airtime (control: ACK, BlockAck, RTS, CTS and SIFS; contention: waiting for access)"
    table = Table(title, ("medium", *(name for _, name in PARTS)))
    for medium in media:
        total_ns = sum(medium[field] for field, _ in PARTS)
        if total_ns:
            shares = (f"{medium[field] / total_ns:.1%}" for field, _ in PARTS)
            table.add(f"{medium['frequency_mhz']} MHz", *shares)
    return table
