"""Quantities of the peers of mac80211's radios: airtime, queues, airtime limits, beliefs of minstrel_ht."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from airtcp.data.series.mac80211 import ACCESS_CATEGORIES, GROUP
from airtcp.data.series_file import in_time
from airtcp.plots.time_series import Join, Line
from airtcp.report.quantities.lines import rates_line, values_line
from airtcp.report.run_view import RunView

if TYPE_CHECKING:
    import polars

# Bit of `chosen`: the best throughput.
_BEST = 1


def peer_rows(
    view: RunView, series: str, *more: str
) -> list[tuple[str, tuple[int, ...], "polars.DataFrame"]]:
    """Name, keys and rows of each peer of a series; `more` columns tell its rows apart too."""
    frame = in_time(view.series(series))
    keys = ("nic", "interface", "peer", *more)
    interfaces = frame.select("nic", "interface").unique()["nic"].to_list()
    made = []
    for numbers in frame.select(keys).unique().sort(keys).rows():
        nic, interface, peer = numbers[:3]
        rows = frame
        for key, number in zip(keys, numbers, strict=True):
            rows = rows.filter(rows[key] == number)
        to = "groups" if peer == GROUP else view.radio_names[peer]
        which = f" (interface {interface})" if interfaces.count(nic) > 1 else ""
        made.append((f"{view.radio_names[nic]}{which} to {to}", numbers, rows))
    return made


def airtime(view: RunView) -> list[Line]:
    """The share of time in % that each radio's PPDUs to each peer take, as mac80211 accounts for it."""
    bin_ns = view.bin_ns("stations")
    return [
        _rising(name, rows, "tx_airtime_us", bin_ns, 1e-4) for name, _, rows in peer_rows(view, "stations")
    ]


def of_queues(column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """A column of the queues for each peer and access category, as it is."""
    return lambda view: [values_line(name, rows, column, scale) for name, rows in _queues(view)]


def per_second_of_queues(column: str) -> Callable[[RunView], list[Line]]:
    """How fast a count of the queues for each peer and access category rises."""
    return lambda view: [
        _rising(name, rows, column, view.bin_ns("station_queues"), 1.0) for name, rows in _queues(view)
    ]


def best_rate(column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """A column of the rate that minstrel_ht holds for the best, of each peer."""

    def lines(view: RunView) -> list[Line]:
        made = []
        for name, _, rows in peer_rows(view, "station_rates"):
            best = rows.filter(rows["chosen"] & _BEST > 0)
            made.append(values_line(name, best, column, scale, Join.UNTIL))
        return made

    return lines


def _queues(view: RunView) -> list[tuple[str, "polars.DataFrame"]]:
    return [
        (f"{name}, {ACCESS_CATEGORIES[numbers[3]]}", rows)
        for name, numbers, rows in peer_rows(view, "station_queues", "ac")
    ]


def _rising(label: str, frame: "polars.DataFrame", column: str, bin_ns: int, scale: float) -> Line:
    """The rate of a count that begins at 0 again when its peer joins anew."""
    counts = frame[column].to_numpy().astype(np.float64)
    steps = np.diff(counts, prepend=0.0)
    total = np.cumsum(np.where(steps < 0, counts, steps))
    return rates_line(label, frame["time_ns"].to_numpy(), total, bin_ns, scale)
