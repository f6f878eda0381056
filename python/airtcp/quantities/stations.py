"""Quantities of the peers of mac80211's radios: airtime, queues, airtime limits, state of minstrel_ht."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from airtcp.data.series.mac80211 import ACCESS_CATEGORIES, GROUP
from airtcp.data.series_file import in_time
from airtcp.metrics.counter import without_restarts
from airtcp.quantities.line import Join, Line, rates_line, values_line
from airtcp.quantities.quantity import Drawing, Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

# Bit of `chosen`: the best throughput.
_BEST = 1


def peer_rows(
    view: RunView, series: str, *more: str
) -> list[tuple[str, tuple[int, ...], "polars.DataFrame"]]:
    """Name, keys and rows of each peer of a series; `more` columns distinguish its rows further."""
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
    """A column of the rate that minstrel_ht considers the best, of each peer."""

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
    total = without_restarts(frame[column].to_numpy())
    return rates_line(label, frame["time_ns"].to_numpy(), total, bin_ns, scale)


_AIRTIMES, _QUEUES, _RATES = ("stations",), ("station_queues",), ("station_rates",)


def _of_peers(
    axis: str, lines: Callable[[RunView], list[Line]], source: str, rate_of: tuple[str, ...] = ()
) -> Drawing:
    """Most peers have nothing most of the time."""
    return Drawing(axis, lines, rate_of=rate_of, busy_only=True, sources=((source, "peers"),))


QUANTITIES = {
    "station_airtime": Quantity(
        "airtime of stations",
        "%",
        "share of time of each radio's PPDUs to each peer, as mac80211 accounts for it",
        _AIRTIMES,
        drawing=_of_peers("Stations'\nairtime [%]", airtime, "stations", rate_of=_AIRTIMES),
    ),
    "station_queue": Quantity(
        "backlog of stations",
        "packets",
        "mac80211's backlog for each peer",
        _QUEUES,
        drawing=_of_peers("Stations' queues\n[packets]", of_queues("backlog_packets", 1.0), "station_queues"),
    ),
    "station_drops": Quantity(
        "drops of stations",
        "1/s",
        "packets that CoDel dropped per second in mac80211's queues for each peer",
        _QUEUES,
        drawing=_of_peers("Stations' drops\n[1/s]", per_second_of_queues("drops"), "station_queues", _QUEUES),
    ),
    "station_marks": Quantity(
        "ECN marks of stations",
        "1/s",
        "packets that CoDel marked per second in mac80211's queues for each peer",
        _QUEUES,
        drawing=_of_peers("Stations' marks\n[1/s]", per_second_of_queues("marks"), "station_queues", _QUEUES),
    ),
    "aql": Quantity(
        "pending airtime (AQL)",
        "ms",
        "airtime of the frames for each peer that mac80211 has given to the driver and that are not yet sent",
        _QUEUES,
        drawing=_of_peers("AQL pending\n[ms]", of_queues("pending_us", 1e-3), "station_queues"),
    ),
    "minstrel_rate": Quantity(
        "best rate of minstrel_ht",
        "Mbit/s",
        "PHY rate that minstrel_ht considers the best, of each peer",
        _RATES,
        drawing=Drawing("Best rate\n[Mbit/s]", best_rate("rate_bps", 1e-6)),
    ),
    "minstrel_probability": Quantity(
        "success of minstrel_ht's best rate",
        "%",
        "probability of success of minstrel_ht's best rate",
        _RATES,
        drawing=Drawing("Best rate's\nsuccess [%]", best_rate("probability_ppm", 1e-4)),
    ),
}
