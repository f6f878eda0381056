"""How entities are drawn over time by `airtcp plot` and pages."""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.bins import rates_on_grid
from airtcp.metrics.survival import Sample
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.forms import entities_of
from airtcp.quantities.line import Join, Line
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView


def drawn_lines(quantity: Quantity, view: RunView, for_distribution: bool = False) -> list[Line]:
    """A line for each entity, over the whole run: rates are means over bins, packets are points.

    `for_distribution`: the entities whose values make a distribution, where others are drawn.
    """
    read = quantity.entities if for_distribution else quantity.override.drawn or quantity.entities
    entities = view.entities(read) if read is not None else entities_of(quantity, view)
    return [line for entity in entities for line in _lines(quantity, entity, view)]


@dataclass(frozen=True)
class DrawnSample:
    """The values of one thing, with its name and what drawings call it."""

    label: str
    name: str
    values: Sample


def drawn_samples(quantity: Quantity, view: RunView) -> list[DrawnSample]:
    """Of a quantity of events, the values of each entity that began in the window."""
    entities = view.entities(quantity.entities) if quantity.entities is not None else ()
    scale, found = _scale(quantity), []
    for entity in entities:
        sample = entity.sample(view.span)
        values = Sample(sample.known * scale, sample.censored * scale)
        found.append(DrawnSample(entity.drawn_label, entity.name, values))
    return found


def rated_series(quantity: Quantity) -> tuple[str, ...]:
    """The series whose rates a drawing of it shows, averaged over bins."""
    return quantity.series if quantity.kind is Kind.RATE else ()


def _scale(quantity: Quantity) -> float:
    return quantity.scale * (100 if quantity.in_percent else 1)


def _lines(quantity: Quantity, entity: Entity, view: RunView) -> list[Line]:
    if quantity.kind is Kind.RATE:
        return [_rates(quantity, entity, view)]
    values = np.asarray(entity.values, np.float64) * _scale(quantity)
    if entity.at_least is not None:
        values = _up_to_the_last(np.where(entity.at_least, np.nan, values))
    times_s = tuple((entity.times_ns[: values.size] / 1e9).tolist())
    join = Join.NONE if entity.at_least is not None else entity.join
    made = [_line(entity, times_s, tuple(values.tolist()), join)]
    if entity.companion is not None:
        beside = tuple((entity.companion.values * _scale(quantity)).tolist())
        made.append(Line(entity.companion.label, times_s, beside, True, join, entity.name))
    return made


def _rates(quantity: Quantity, entity: Entity, view: RunView) -> Line:
    """The increase per second in each bin; between samples a counter is straight."""
    # Where several series would do, the rate is of the one that the entity was read from.
    bin_ns = view.bin_ns(entity.series or quantity.series[0])
    counts = np.asarray(entity.values, np.float64)
    edges_ns, rates = rates_on_grid(entity.times_ns, counts, bin_ns)
    if not rates.size:
        return _line(entity, (), (), Join.SINCE)
    scaled = (rates * _scale(quantity)).tolist()
    times_s = tuple((edges_ns / 1e9).tolist())
    return _line(entity, times_s, (scaled[0], *scaled), Join.SINCE)


def _line(entity: Entity, times_s: tuple[float, ...], values: tuple[float, ...], join: Join) -> Line:
    return Line(entity.drawn_label, times_s, values, join=join, name=entity.name, node=entity.node)


def _up_to_the_last(values: Floats) -> Floats:
    """Up to the last value that is known: later packets may have been on their way; all if none is."""
    there = np.flatnonzero(~np.isnan(values))
    return values[: there[-1] + 1] if there.size else values
