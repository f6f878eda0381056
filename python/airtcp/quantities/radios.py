"""Radios: PHY rates, retries, collisions, and the time that they and their links take on the air."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.data.read_once import NotRecorded
from airtcp.data.run_folder import Run
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.line import Join
from airtcp.quantities.quantity import Override, Quantity
from airtcp.quantities.run_view import RunView
from airtcp.quantities.stations import rates_of_links

if TYPE_CHECKING:
    import polars

Read = Callable[[RunView], list[Entity]]
# Number of the radio (the sender's), name, rows.
Rows = tuple[int, str, "polars.DataFrame"]


def radio_rows(view: RunView, series: str, *columns: str) -> "list[Rows]":
    """Number, name and rows of each radio in a series of radios."""
    view.series(series, *columns)
    return [(nic, name, view.run.part(series, "nic", nic)) for nic, name in enumerate(view.radio_names)]


def link_parts(run: Run) -> "dict[tuple[int, ...], polars.DataFrame]":
    """The rows of each pair of radios that exchanged data, by the numbers of sender and receiver."""
    return run.parts("links", "nic", "peer")


def link_rows(view: RunView) -> "list[Rows]":
    """Sender, name and rows of each pair of radios that exchanged data."""
    view.series("links")
    names, pairs = view.radio_names, sorted(link_parts(view.run).items())
    return [(nic, f"{names[nic]} to {names[peer]}", rows) for (nic, peer), rows in pairs]


def radio_column(column: str, series: str = "air") -> Read:
    """A column of the samples of each radio."""
    return lambda view: _column(view, radio_rows(view, series), column)


def link_column(column: str) -> Read:
    """A column of the samples of each link, which is at its sender."""
    return lambda view: _column(view, link_rows(view), column)


def _column(view: RunView, every: "list[Rows]", column: str) -> list[Entity]:
    return [
        Entity(name, rows["time_ns"].to_numpy(), rows[column].to_numpy(), node=view.node_of(nic))
        for nic, name, rows in every
    ]


def _loads(view: RunView, load: Callable[[Mapping[str, Any]], Any]) -> list[Entity]:
    """A sum of the times that radios count of their channel, in ns."""
    view.series("air", "busy_ns")
    made = []
    for nic, name, rows in radio_rows(view, "air", "busy_ns"):
        counts = {column: rows[column].to_numpy().astype(np.int64) for column in _LOAD}
        times_ns = rows["time_ns"].to_numpy()
        made.append(Entity(name, times_ns, load(counts), node=view.node_of(nic)))
    return made


def channel_shares(run: Run, nic: int) -> tuple[float, float] | None:
    """The shares of a radio's samples for which its channel was busy, and busy by others; none if that was
    not recorded.
    """
    rows = run.part("air", "nic", nic) if "air" in run.recorded else None
    if rows is None or rows.height < 2 or "busy_ns" not in rows.columns:
        return None
    begin, end = (rows.select("time_ns", *_LOAD).row(place, named=True) for place in (0, -1))
    spent = {name: end[name] - begin[name] for name in end}
    others = spent["busy_ns"] - spent["tx_ns"] - spent["bss_rx_ns"]
    return spent["busy_ns"] / spent["time_ns"], others / spent["time_ns"]


def channel_busy(view: RunView) -> list[Entity]:
    """Time in ns for which each radio's carrier sense was busy."""
    return _loads(view, lambda counts: counts["busy_ns"])


def airtime_of_others(view: RunView) -> list[Entity]:
    """Of that, what was neither its own transmissions nor PPDUs of its own BSS."""
    return _loads(view, lambda counts: counts["busy_ns"] - counts["tx_ns"] - counts["bss_rx_ns"])


def phy_rates(view: RunView) -> list[Entity]:
    """Bit/s of the last data PPDU: of each link if links were recorded, else of each radio.

    Of a real network only drivers know it.
    """
    if view.run.measured:
        return rates_of_links(view)
    rows = link_rows(view) if view.has("links", "rate_bps") else radio_rows(view, "air", "rate_bps")
    made = []
    for nic, name, frame in rows:
        rates = frame["rate_bps"].to_numpy().astype(np.float64)
        known = np.where(rates > 0, rates, np.nan)
        if np.any(rates > 0):
            # A radio keeps its rate until it chooses another.
            times_ns = frame["time_ns"].to_numpy()
            made.append(Entity(name, times_ns, known, node=view.node_of(nic), join=Join.UNTIL))
    return made


def _reports(view: RunView) -> list[dict[str, Any]]:
    """What the model of the air says of the chosen nodes' radios; nobody knows it of real ones."""
    if view.run.measured and view.run.plan["air"]["nics"]:
        what = "has no report of radios: the network was a real one"
        raise NotRecorded(what, str(view.run.folder), "Use the series stations of a measured run")
    return [nic for nic in view.run.air_report["nics"] if view.has_node(nic["node"])]


def _share(part: str) -> Override:
    """Of the data PPDUs of the chosen nodes' radios, by their reports at the run's end."""

    def share(view: RunView) -> float:
        reports = _reports(view)
        total = sum(int(nic["transmissions"]) for nic in reports)
        return sum(int(nic[part]) for nic in reports) / total if total else float("nan")

    return Override("a ratio of two counts of the whole run", share)


def radio_drops(view: RunView) -> float:
    """Frames that the chosen nodes' radios gave up."""
    return float(sum(sum(nic["dropped"].values()) for nic in _reports(view)))


_AIR, _LINKS = ("air",), ("links",)
_LOAD = ("busy_ns", "tx_ns", "bss_rx_ns")


def _counted(label: str, meaning: str, column: str) -> Quantity:
    """What radios count, per second."""
    read = radio_column(column)
    return Quantity(label, "1/s", meaning, _AIR, 1, entities=read, kind=Kind.RATE, across="sum")


QUANTITIES = {
    "phy_rate": Quantity(
        "PHY rate",
        "Mbit/s",
        "rate of the last data PPDU that a chosen node sent: of each link if links were recorded, else of "
        "each radio; of real networks that of the last PPDU, as `iw station dump` has it; number: mean over "
        "time",
        ("air", "links"),
        1,
        entities=phy_rates,
        scale=1e-6,
    ),
    "retry_share": Quantity(
        "Share of retries",
        "",
        "retries among the data PPDUs of the chosen nodes",
        digits=3,
        override=_share("retries"),
        most=1.0,
    ),
    "collision_share": Quantity(
        "Share of collisions",
        "",
        "collisions among the data PPDUs of the chosen nodes",
        digits=3,
        override=_share("collisions"),
        most=1.0,
    ),
    "radio_marks": Quantity(
        "ECN marks of radios",
        "1/s",
        "packets that the queues of each radio marked with congestion experienced per second; those of "
        "mac80211: `station_marks`; number: all of them together",
        ("air",),
        1,
        entities=radio_column("marked"),
        kind=Kind.RATE,
        across="sum",
        busy_only=True,
    ),
    "radio_drops": Quantity(
        "Frames given up by radios",
        "",
        "frames that the radios of the chosen nodes gave up in the whole run",
        digits=0,
        override=Override("reports of radios count them without samples", radio_drops),
    ),
    "retries": _counted("MAC retries", "attempts after the first, of each radio", "retries"),
    "collisions": _counted("Collisions", "data PPDUs of each radio that were lost to others", "collisions"),
    "corrupted": _counted("Corrupted PPDUs", "data PPDUs of each radio that were lost to noise", "corrupted"),
    "airtime": Quantity(
        "Airtime",
        "",
        "share of time that each radio's own PPDUs take (drawn in %); number: mean over radios",
        _AIR,
        3,
        entities=radio_column("airtime_ns"),
        kind=Kind.RATE,
        scale=1e-9,
        in_percent=True,
        most=1.0,
    ),
    "channel_busy": Quantity(
        "Channel busy",
        "",
        "share of time for which each radio's clear channel assessment says busy: own transmissions, PPDUs "
        "that it senses, other energy (drawn in %); as `busy` of `iw survey dump`; number: mean over radios",
        _AIR,
        3,
        entities=channel_busy,
        kind=Kind.RATE,
        scale=1e-9,
        across="mean",
        in_percent=True,
    ),
    "airtime_of_others": Quantity(
        "Airtime of others",
        "",
        "share of time for which the channel is busy for each radio by what is neither its own nor of its "
        "own BSS: neighbours, interferers (drawn in %); number: mean over radios",
        _AIR,
        3,
        entities=airtime_of_others,
        kind=Kind.RATE,
        scale=1e-9,
        across="mean",
        in_percent=True,
        higher_is_better=False,
    ),
    "link_airtime": Quantity(
        "Airtime of links",
        "%",
        "share of time that the PPDUs of each sender to each receiver take; number: mean over links",
        _LINKS,
        entities=link_column("airtime_ns"),
        kind=Kind.RATE,
        scale=1e-7,
        most=100.0,
    ),
}
