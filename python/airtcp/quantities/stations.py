"""Quantities of the peers of mac80211's radios: signal, airtime, queues, their limits, minstrel_ht."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from airtcp.data.series.mac80211 import ACCESS_CATEGORIES, GROUP
from airtcp.data.series_file import in_time
from airtcp.metrics.counter import without_restarts
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.line import Join
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.roaming import by_station, is_there, with_gaps
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

# Bit of `chosen`: the best throughput.
_BEST = 1


Read = Callable[[RunView], list[Entity]]
# Name, numbers and rows.
Peer = tuple[str, tuple[int, ...], "polars.DataFrame"]


def peer_rows(view: RunView, series: str, way: str = "to") -> list[Peer]:
    """Each peer of a series, and of `station_queues` each of its access categories; `way` stands between the
    names of radio and peer.
    """
    frame = in_time(view.series(series))
    keys = ("nic", "interface", "peer", *(("ac",) if series == "station_queues" else ()))
    interfaces = frame.select("nic", "interface").unique()["nic"].to_list()
    made = []
    for numbers in frame.select(keys).unique().sort(keys).rows():
        nic, interface, peer = numbers[:3]
        rows = frame
        for key, number in zip(keys, numbers, strict=True):
            rows = rows.filter(rows[key] == number)
        to = "groups" if peer == GROUP else view.radio_names[peer]
        which = f" (interface {interface})" if interfaces.count(nic) > 1 else ""
        made.append((f"{view.radio_names[nic]}{which} {way} {to}", numbers, rows))
    return made


def peers_there(view: RunView, series: str, way: str = "to") -> list[Peer]:
    """The same without the rows of peers that are with another access point, and without peers that have no
    others.
    """
    stations = by_station(view)
    made = []
    for name, numbers, rows in peer_rows(view, series, way):
        nic, _, peer = numbers[:3]
        there = rows.filter(is_there(stations, nic, peer, rows["time_ns"].to_numpy()))
        if there.height:
            made.append((name, numbers, there))
    return made


def of_peers(series: str, column: str) -> Read:
    """A column of each peer of mac80211's radios."""
    return lambda view: [_peer(view, peer, column) for peer in peer_rows(view, series)]


def levels_of_peers(series: str, column: str) -> Read:
    """A level of each peer; 0 from the sample on at which it has no entry, or is elsewhere."""

    def entities(view: RunView) -> list[Entity]:
        made = []
        for peer in peers_there(view, series):
            level = _peer(view, peer, column)
            levels = np.asarray(level.values, np.int64)
            times_ns, values = with_gaps(view, level.times_ns, levels, 0, series)
            made.append(replace(level, times_ns=times_ns, values=values))
        return made

    return entities


def rising_of_peers(series: str, column: str) -> Read:
    """A count of each peer, which begins at 0 again when the peer joins anew."""

    def entities(view: RunView) -> list[Entity]:
        every = of_peers(series, column)(view)
        return [replace(peer, values=without_restarts(peer.values)) for peer in every]

    return entities


def signals(view: RunView) -> list[Entity]:
    """dBm at each radio of what each peer sends: of the last PPDU as mac80211 has it; of airtcp's own MAC,
    mean power.
    """
    made = _signals_of_links(view)
    if made and not view.has("stations"):
        return made
    return [*_signals_of_peers(view), *made]


def _signals_of_links(view: RunView) -> list[Entity]:
    """Those of airtcp's own MAC, whose stations stay with their access point."""
    if not view.has("links", "signal_mdbm"):
        return []
    air, names = view.run.plan["air"], view.radio_names
    made = []
    for (nic, peer), rows in sorted(view.run.parts("links", "nic", "peer").items()):
        if not air["cells"][air["nics"][peer]["cell"]].get("linux"):
            levels = rows["signal_mdbm"].to_numpy() / 1000
            times_ns, name = rows["time_ns"].to_numpy(), f"{names[peer]} from {names[nic]}"
            made.append(Entity(name, times_ns, levels, node=view.node_of(peer), join=Join.UNTIL))
    return made


def _signals_of_peers(view: RunView) -> list[Entity]:
    """Not known before the first PPDU, and of stations that went elsewhere."""
    made = []
    for peer in peers_there(view, "stations", "from"):
        heard = _peer(view, peer, "signal_dbm")
        known = heard.values != 0
        if known.any():
            levels = np.where(known, np.asarray(heard.values, np.float64), np.nan)
            times_ns, levels = with_gaps(view, heard.times_ns, levels, np.nan)
            made.append(replace(heard, times_ns=times_ns, values=levels, join=Join.UNTIL))
    return made


def rates_of_links(view: RunView) -> list[Entity]:
    """Bit/s of the last PPDU from one radio to another: as its sender says, else as its receiver does."""
    every = {(nic, peer): rows for _, (nic, _, peer), rows in peers_there(view, "stations")}
    links = {pair: (rows, "tx_rate_bps") for pair, rows in every.items()}
    for (nic, peer), rows in every.items():
        links.setdefault((peer, nic), (rows, "rx_rate_bps"))
    names, made = view.radio_names, []
    for (nic, peer), (rows, column) in sorted(links.items(), key=lambda link: link[0]):
        rates = rows[column].to_numpy().astype(np.float64)
        if np.any(rates > 0):
            known = np.where(rates > 0, rates, np.nan)
            times_ns, name = rows["time_ns"].to_numpy(), f"{names[nic]} to {names[peer]}"
            made.append(Entity(name, times_ns, known, node=view.node_of(nic), join=Join.UNTIL))
    return made


def best_rate(column: str) -> Read:
    """A column of the rate that minstrel_ht considers the best, of each peer."""

    def entities(view: RunView) -> list[Entity]:
        made = []
        for name, numbers, rows in peers_there(view, "station_rates"):
            best = _peer(view, (name, numbers, rows.filter(rows["chosen"] & _BEST > 0)), column)
            values = np.asarray(best.values, np.float64)
            times_ns, values = with_gaps(view, best.times_ns, values, np.nan, "station_rates")
            made.append(replace(best, times_ns=times_ns, values=values, join=Join.UNTIL))
        return made

    return entities


def _peer(view: RunView, peer: Peer, column: str) -> Entity:
    name, numbers, rows = peer
    # The fourth key is the access category.
    name = f"{name}, {ACCESS_CATEGORIES[numbers[3]]}" if len(numbers) > 3 else name
    return Entity(name, rows["time_ns"].to_numpy(), rows[column].to_numpy(), node=view.node_of(numbers[0]))


_AIRTIMES, _QUEUES, _RATES = "stations", "station_queues", "station_rates"
# Most peers have nothing most of the time.
_OF_PEERS = partial(Quantity, digits=1, across="sum", busy_only=True)
_SOURCES = {series: ((series, "peers"),) for series in (_AIRTIMES, _QUEUES)}

QUANTITIES = {
    "signal": Quantity(
        "Signal",
        "dBm",
        "at each radio, strength of what each peer sends: with mac80211 of the last PPDU, as it has it; with "
        "airtcp's own MAC mean power (path loss, shadowing), from the first data on; number: mean over time",
        (_AIRTIMES, "links"),
        1,
        entities=signals,
        least=-math.inf,
    ),
    "station_airtime": _OF_PEERS(
        "Airtime of stations",
        "%",
        "share of time of each radio's PPDUs to each peer, as mac80211 accounts for it; number: of all peers",
        (_AIRTIMES,),
        entities=rising_of_peers(_AIRTIMES, "tx_airtime_us"),
        kind=Kind.RATE,
        scale=1e-4,
        sources=_SOURCES[_AIRTIMES],
        most=100.0,
    ),
    "station_queue": _OF_PEERS(
        "Backlog of stations",
        "packets",
        "mac80211's backlog for each peer; number: of all peers together",
        (_QUEUES,),
        entities=levels_of_peers(_QUEUES, "backlog_packets"),
        sources=_SOURCES[_QUEUES],
    ),
    "station_drops": _OF_PEERS(
        "Drops of stations",
        "1/s",
        "packets that CoDel dropped per second in mac80211's queues for each peer; number: of all peers",
        (_QUEUES,),
        entities=rising_of_peers(_QUEUES, "drops"),
        kind=Kind.RATE,
        sources=_SOURCES[_QUEUES],
    ),
    "station_marks": _OF_PEERS(
        "ECN marks of stations",
        "1/s",
        "packets that CoDel marked per second in mac80211's queues for each peer; number: of all peers",
        (_QUEUES,),
        entities=rising_of_peers(_QUEUES, "marks"),
        kind=Kind.RATE,
        sources=_SOURCES[_QUEUES],
    ),
    "aql": _OF_PEERS(
        "Pending airtime (AQL)",
        "ms",
        "airtime of the frames for each peer that mac80211 has given to the driver and that are not yet "
        "sent; number: of all peers together",
        (_QUEUES,),
        entities=levels_of_peers(_QUEUES, "pending_us"),
        scale=1e-3,
        sources=_SOURCES[_QUEUES],
    ),
    "minstrel_rate": Quantity(
        "Best rate of minstrel_ht",
        "Mbit/s",
        "PHY rate that minstrel_ht considers the best, of each peer",
        (_RATES,),
        entities=best_rate("rate_bps"),
        scale=1e-6,
    ),
    "minstrel_probability": Quantity(
        "Success of minstrel_ht's best rate",
        "%",
        "probability of success of minstrel_ht's best rate",
        (_RATES,),
        entities=best_rate("probability_ppm"),
        scale=1e-4,
        most=100.0,
    ),
}
