"""QUIC connections of programs, as their logs (qlog) tell: windows, round-trip times, losses.

Each end of a connection whose program wrote a log is one thing. `flows` chooses them by their names.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.quantities.entity import Companion, Entity, Kind
from airtcp.quantities.line import Join
from airtcp.quantities.quantity import Override, Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars


def _ends(view: RunView) -> "Iterator[tuple[Mapping[str, Any], polars.DataFrame]]":
    """Report and rows of each end that `flows` chooses."""
    view.series("quic")
    for number, end in enumerate(view.run.quic_connections):
        if view.arguments.is_about(end["name"]):
            yield end, view.run.part("quic", "connection", number)


def _entity(end: Mapping[str, Any], rows: "polars.DataFrame", values: Floats) -> Entity:
    alive_ns = end["first_ns"], end["last_ns"]
    label = f"{end['name']} (QUIC {end['vantage_point']})"
    times_ns = rows["time_ns"].to_numpy()
    # A log has a row whenever something changes.
    return Entity(end["name"], times_ns, values, label, end["node"], alive_ns=alive_ns, join=Join.UNTIL)


def _told(rows: "polars.DataFrame", column: str) -> Floats:
    values = rows[column].to_numpy().astype(np.float64)
    # -1 stands for what the log has not told yet.
    return np.where(values < 0, np.nan, values)


def _level(column: str) -> Callable[[RunView], list[Entity]]:
    """A column of each end that tells it at all."""

    def entities(view: RunView) -> list[Entity]:
        made = (_entity(end, rows, _told(rows, column)) for end, rows in _ends(view))
        return [entity for entity in made if not np.all(np.isnan(entity.values))]

    return entities


def _count(column: str) -> Callable[[RunView], list[Entity]]:
    return lambda view: [
        _entity(end, rows, rows[column].to_numpy().astype(np.float64)) for end, rows in _ends(view)
    ]


_windows = _level("cwnd_bytes")


def _drawn_windows(view: RunView) -> list[Entity]:
    """Each window with ssthresh beside it."""
    thresholds = {entity.name: entity for entity in _level("ssthresh_bytes")(view)}
    made = []
    for window in _windows(view):
        threshold = thresholds.get(window.name)
        if threshold is not None:
            beside = Companion(f"{window.name} ssthresh", np.asarray(threshold.values, np.float64))
            window = replace(window, companion=beside)
        made.append(window)
    return made


def _queueing(view: RunView) -> list[Entity]:
    """Smoothed RTT of each end less the least that it knew, in us."""
    made = []
    for end, rows in _ends(view):
        smoothed, least = _told(rows, "srtt_us"), _told(rows, "min_rtt_us")
        if not np.all(np.isnan(least)) and not np.all(np.isnan(smoothed)):
            made.append(_entity(end, rows, smoothed - np.nanmin(least)))
    return made


_QUIC = ("quic",)

QUANTITIES = {
    "quic_cwnd": Quantity(
        "Congestion window of QUIC",
        "kB",
        "congestion window of each end of a QUIC connection (drawn with the slow start threshold, dashed); "
        "TCP's `cwnd` is in segments. Number: mean over time",
        _QUIC,
        1,
        entities=_windows,
        scale=1e-3,
        override=Override("the slow start threshold is drawn beside it", drawn=_drawn_windows),
    ),
    "quic_inflight": Quantity(
        "In flight of QUIC",
        "kB",
        "bytes in flight of each end of a QUIC connection: sent, not acknowledged, and not lost; number: of "
        "all together",
        _QUIC,
        1,
        entities=_level("bytes_in_flight"),
        scale=1e-3,
        across="sum",
    ),
    "quic_srtt": Quantity(
        "Smoothed RTT of QUIC",
        "ms",
        "smoothed RTT of each end of a QUIC connection; number: mean over time",
        _QUIC,
        1,
        entities=_level("srtt_us"),
        scale=1e-3,
    ),
    "quic_queueing_delay": Quantity(
        "Queueing delay of QUIC",
        "ms",
        "smoothed RTT less the least RTT that the end knew; number: mean over time",
        _QUIC,
        1,
        entities=_queueing,
        scale=1e-3,
    ),
    "quic_pacing_rate": Quantity(
        "Pacing rate of QUIC",
        "Mbit/s",
        "the rate at which an end releases packets, where its log tells it",
        _QUIC,
        entities=_level("pacing_rate_bps"),
        scale=1e-6,
    ),
    "quic_lost": Quantity(
        "Lost by QUIC",
        "packets",
        "packets that an end of a QUIC connection deemed lost; drawn as those so far; number: of all "
        "together",
        _QUIC,
        0,
        entities=_count("packets_lost"),
        kind=Kind.COUNT,
        across="sum",
        busy_only=True,
    ),
}
