"""Quantities of radios: rates of the PHY, retries, collisions, airtime."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from airtcp.data.series_file import in_time
from airtcp.plots.time_series import Join, Line
from airtcp.report.quantities.lines import column_rates, known_line
from airtcp.report.run_view import RunView

if TYPE_CHECKING:
    import polars


def radio_rows(view: RunView, *columns: str) -> list[tuple[str, "polars.DataFrame"]]:
    """Name and rows of each radio."""
    view.series("air", *columns)
    return [(name, view.part("air", "nic", n)) for n, name in enumerate(view.radio_names)]


def link_rows(view: RunView) -> list[tuple[str, "polars.DataFrame"]]:
    """Sender, receiver and rows of each pair of radios that exchanged data."""
    frame = in_time(view.series("links"))
    pairs = frame.select("nic", "peer").unique().sort("nic", "peer").rows()
    names = view.radio_names
    return [
        (f"{names[nic]} to {names[peer]}", frame.filter((frame["nic"] == nic) & (frame["peer"] == peer)))
        for nic, peer in pairs
    ]


def per_second_of_radios(column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """How fast a counter of the radios rises."""
    return lambda view: [
        column_rates(name, frame, column, view.bin_ns("air"), scale) for name, frame in radio_rows(view)
    ]


def per_second_of_links(column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """How fast a counter of the links rises."""
    return lambda view: [
        column_rates(name, frame, column, view.bin_ns("links"), scale) for name, frame in link_rows(view)
    ]


def phy_rate(view: RunView) -> list[Line]:
    """Mbit/s of the last data PPDU: of each link if links were recorded, else of each radio."""
    rows = link_rows(view) if view.has("links", "rate_bps") else radio_rows(view, "rate_bps")
    # A radio keeps its rate until it chooses another.
    lines = [known_line(name, frame, "rate_bps", 1e-6, Join.UNTIL) for name, frame in rows]
    return [line for line in lines if any(value == value for value in line.values)]
