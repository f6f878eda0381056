"""The tins of CAKE: what waits in each, for how long, and what it drops and marks."""

from collections.abc import Callable

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView


def of_tins(*columns: str, values: Callable[..., Floats | Integers]) -> Callable[[RunView], list[Entity]]:
    """What `values` makes of columns of each tin, named by node, interface and the tin's name in `tc`."""

    def entities(view: RunView) -> list[Entity]:
        view.series("tins", *columns)
        made = []
        parts = view.run.parts("tins", "node", "interface", "handle", "tin", named=True)
        disciplines = {(part["node"][0], part["interface"][0], part["handle"][0]) for part in parts.values()}
        several = len(disciplines) > len({(node, interface) for node, interface, _ in disciplines})
        for own in parts.values():
            interface = own["interface_name"][0] or f"interface {own['interface'][0]}"
            place = (own["node_name"][0], interface)
            handle = f" {own['handle'][0]:x}:" if several else ""
            label = f"{' '.join(place)}{handle} {own['tin_name'][0]}"
            found = values(*(own[column].to_numpy().astype(np.int64) for column in columns))
            made.append(Entity(label, own["time_ns"].to_numpy(), found, label, *place))
        return made

    return entities


def _column(name: str) -> Callable[[RunView], list[Entity]]:
    return of_tins(name, values=lambda column: column)


def _left(entered: Integers, backlog: Integers) -> Integers:
    """Bytes that have left a tin, of those that entered it."""
    return entered - backlog


_TINS = ("tins",)

QUANTITIES = {
    "tin_delay": Quantity(
        "Delay in tins of CAKE",
        "ms",
        "moving average of the delay of packets in each tin of each CAKE, as the kernel computes it "
        "(`av_delay` of `tc`)",
        _TINS,
        entities=_column("avg_delay_us"),
        scale=1e-3,
        busy_only=True,
        higher_is_better=False,
    ),
    "tin_peak_delay": Quantity(
        "Peak delay in tins of CAKE",
        "ms",
        "the same, as an average that follows rises fast (`pk_delay`)",
        _TINS,
        entities=_column("peak_delay_us"),
        scale=1e-3,
        busy_only=True,
        higher_is_better=False,
    ),
    "tin_backlog": Quantity(
        "Waiting in tins of CAKE",
        "kB",
        "kilobytes (1000 bytes) in each tin; number: in all of them together",
        _TINS,
        entities=_column("backlog_bytes"),
        across="sum",
        scale=1e-3,
        busy_only=True,
    ),
    "tin_throughput": Quantity(
        "Throughput of tins of CAKE",
        "Mbit/s",
        "what leaves each tin, with headers, as CAKE counts; the few packets that its AQM drops count too",
        _TINS,
        entities=of_tins("bytes", "backlog_bytes", values=_left),
        kind=Kind.RATE,
        across="sum",
        scale=8e-6,
        busy_only=True,
    ),
    "tin_drops": Quantity(
        "Drops in tins of CAKE",
        "1/s",
        "packets that each tin dropped per second; number: all of them together",
        _TINS,
        1,
        entities=_column("drops"),
        kind=Kind.RATE,
        across="sum",
        busy_only=True,
    ),
    "tin_marks": Quantity(
        "ECN marks in tins of CAKE",
        "1/s",
        "packets that each tin marked with congestion experienced per second; number: all of them together",
        _TINS,
        1,
        entities=_column("marks"),
        kind=Kind.RATE,
        across="sum",
        busy_only=True,
    ),
}
