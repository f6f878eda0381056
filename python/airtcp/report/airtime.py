"""How the time of each medium was used."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any

from airtcp.metrics.utilisation import MediumUse, medium_use
from airtcp.report.table import Table


def airtime_table(media: Sequence[Mapping[str, Any]]) -> Table:
    """The shares of each medium; a medium is the cells on one primary channel."""
    title = "Airtime (control: ACK, BlockAck, RTS, CTS and SIFS; contention: waiting for access)"
    table = Table(title, ("medium", *(part.name for part in fields(MediumUse))))
    for medium in media:
        used = medium_use(medium)
        if used is not None:
            table.add(f"{medium['frequency_mhz']} MHz", *(f"{share:.1%}" for share in astuple(used)))
    return table
