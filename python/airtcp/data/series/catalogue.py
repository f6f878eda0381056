"""All series of a run folder by their names."""

from airtcp.data.series.air import AirSeries
from airtcp.data.series.applications import ApplicationSeries
from airtcp.data.series.mac80211 import Mac80211Series
from airtcp.data.series.qdiscs import QdiscSeries
from airtcp.data.series.quic import QuicSeries
from airtcp.data.series.series import Series
from airtcp.data.series.tcp import TcpSeries


class RecordedSeries(TcpSeries, ApplicationSeries, QdiscSeries, AirSeries, Mac80211Series, QuicSeries):
    """The series as attributes of a run: each is a frame with names beside numbers."""


SERIES: dict[str, Series] = {
    series.name: series
    for part in RecordedSeries.__bases__
    for series in vars(part).values()
    if isinstance(series, Series)
}
# Those that have a file in `series/`; programs of the scenario write logs in `programs/`.
IN_FILES = {name: series for name, series in SERIES.items() if series.recorder != "program"}
# Those that `airtcp measure` makes of what real machines show.
ON_MACHINES = ("flows", "pings", "datagrams", "transfers", "qdiscs", "stations")
