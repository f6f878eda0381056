"""Radios: PHY rates, retries, collisions, and the time that they and their links take on the air."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.data.read_once import NotRecorded
from airtcp.data.run_folder import Run
from airtcp.metrics.airtime import airtime_in_bins
from airtcp.metrics.survival import Sample
from airtcp.quantities.line import Join, Line, column_rates, known_line
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Drawing, Quantity, Values
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars


def radio_rows(view: RunView, *columns: str) -> list[tuple[str, "polars.DataFrame"]]:
    """Name and rows of each radio."""
    view.series("air", *columns)
    return [(name, view.run.part("air", "nic", n)) for n, name in enumerate(view.radio_names)]


def link_parts(run: Run) -> "dict[tuple[int, ...], polars.DataFrame]":
    """The rows of each pair of radios that exchanged data, by the numbers of sender and receiver."""
    return run.parts("links", "nic", "peer")


def link_rows(view: RunView) -> list[tuple[str, "polars.DataFrame"]]:
    """Sender, receiver and rows of each pair of radios that exchanged data."""
    view.series("links")
    names, pairs = view.radio_names, sorted(link_parts(view.run).items())
    return [(f"{names[nic]} to {names[peer]}", rows) for (nic, peer), rows in pairs]


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


def drawn_phy_rate(view: RunView) -> list[Line]:
    """Mbit/s of the last data PPDU: of each link if links were recorded, else of each radio."""
    rows = link_rows(view) if view.has("links", "rate_bps") else radio_rows(view, "rate_bps")
    # A radio keeps its rate until it chooses another.
    lines = [known_line(name, frame, "rate_bps", 1e-6, Join.UNTIL) for name, frame in rows]
    return [line for line in lines if any(value == value for value in line.values)]


def _reports(view: MetricView) -> list[dict[str, Any]]:
    """What the model of the air says of the chosen nodes' radios; nobody knows it of real ones."""
    if view.run.measured and view.run.plan["air"]["nics"]:
        what = "has no report of radios: the network was a real one"
        raise NotRecorded(what, str(view.run.folder), "Use the series stations of a measured run")
    return [nic for nic in view.run.air_report["nics"] if view.has_node(nic["node"])]


def _total(view: MetricView, key: str) -> int:
    return sum(int(nic[key]) for nic in _reports(view))


def _share(view: MetricView, part: str, whole: str) -> float:
    total = _total(view, whole)
    return _total(view, part) / total if total else float("nan")


def retry_share(view: MetricView) -> float:
    """Retries among the data PPDUs of the chosen nodes' radios."""
    return _share(view, "retries", "transmissions")


def collision_share(view: MetricView) -> float:
    """Collisions among them."""
    return _share(view, "collisions", "transmissions")


def radio_drops(view: MetricView) -> float:
    """Frames that the chosen nodes' radios gave up."""
    return float(sum(sum(nic["dropped"].values()) for nic in _reports(view)))


def phy_rate(view: MetricView) -> float:
    """Mean over the samples in the span of the rate of the latest data PPDU, in Mbit/s."""
    from polars import col

    samples = view.run.named("air").filter(
        col("time_ns").is_between(view.start_ns, view.stop_ns) & (col("rate_bps") > 0)
    )
    chosen = [view.has_node(name) for name in samples["node_name"].to_list()]
    rates = samples["rate_bps"].to_numpy()[np.array(chosen, bool)]
    return float(rates.mean()) / 1e6 if rates.size else float("nan")


def airtime(view: MetricView) -> Values:
    """Share of each whole bin of the span that a radio's own PPDUs took."""
    found = {}
    for key, unordered in view.run.air.group_by("node_name", "nic", maintain_order=True):
        if view.has_node(str(key[0])):
            frame = unordered.sort("time_ns")
            times, taken_ns = frame["time_ns"].to_numpy(), frame["airtime_ns"].to_numpy()
            found[f"{key[0]} {key[1]}"] = Sample(airtime_in_bins(times, taken_ns, view.edges_ns()))
    return found


_AIR, _LINKS = ("air",), ("links",)


def _rate_of_radios(axis: str, column: str, scale: float = 1.0) -> Drawing:
    return Drawing(axis, per_second_of_radios(column, scale), rate_of=_AIR)


QUANTITIES = {
    "phy_rate": Quantity(
        "PHY rate",
        "Mbit/s",
        "rate of the last data PPDU: of each link if links were recorded, else of each radio; number: "
        "mean over the "
        "samples of the radios of the chosen nodes",
        ("air", "links"),
        1,
        number=phy_rate,
        drawing=Drawing("PHY rate\n[Mbit/s]", drawn_phy_rate),
    ),
    "retry_share": Quantity(
        "share of retries",
        "",
        "retries among the data PPDUs of the chosen nodes",
        digits=3,
        number=retry_share,
    ),
    "collision_share": Quantity(
        "share of collisions",
        "",
        "collisions among the data PPDUs of the chosen nodes",
        digits=3,
        number=collision_share,
    ),
    "radio_drops": Quantity(
        "frames given up by radios",
        "",
        "frames that the radios of the chosen nodes gave up",
        digits=0,
        number=radio_drops,
    ),
    "retries": Quantity(
        "MAC retries per second",
        "1/s",
        "attempts after the first, of each radio",
        _AIR,
        drawing=_rate_of_radios("MAC retries\n[1/s]", "retries"),
    ),
    "collisions": Quantity(
        "collisions per second",
        "1/s",
        "data PPDUs of each radio that were lost to others",
        _AIR,
        drawing=_rate_of_radios("Collisions\n[1/s]", "collisions"),
    ),
    "corrupted": Quantity(
        "corrupted PPDUs per second",
        "1/s",
        "data PPDUs of each radio that were lost to noise",
        _AIR,
        drawing=_rate_of_radios("Corrupted\n[1/s]", "corrupted"),
    ),
    "airtime": Quantity(
        "airtime of a radio",
        "",
        "share of time that each radio's own PPDUs take (drawn in %); values: of each `bin`",
        _AIR,
        3,
        values=airtime,
        drawing=_rate_of_radios("Airtime\n[%]", "airtime_ns", 1e-7),
    ),
    "link_airtime": Quantity(
        "airtime of a link",
        "%",
        "share of time that the PPDUs of each sender to each receiver take",
        _LINKS,
        drawing=Drawing("Links' airtime\n[%]", per_second_of_links("airtime_ns", 1e-7), rate_of=_LINKS),
    ),
}
