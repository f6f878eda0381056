"""The forms of a quantity, which follow from its entities: number, values, lines.

- Of a **level** the number is the mean over time: each value is weighted with the time for which it holds.
- Of a **counter** it is the increase, or the increase per second, and the values are those of each bin.
- Of **events** it is the mean of the values that are known.

How entities come together is the quantity's word, or the metric's `across`. The statistic `mean` is the
number, but of events it is that of the product-limit estimate: of what never came it is larger.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.bins import Between, increases_in_bins
from airtcp.metrics.means import holding_ns, mean_of_known, weighted_mean
from airtcp.metrics.survival import NOTHING, Estimate, Sample, pooled, statistic
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.quantity import Lines, Quantity, Values
from airtcp.quantities.run_view import RunView

MEAN = "mean"


@dataclass(frozen=True)
class Weighted:
    """Values with their times and the weight that each has in a mean: ns of levels and bins, 1 of events."""

    times_ns: Integers
    values: Floats
    weights: Floats

    @property
    def mean(self) -> float:
        """The weighted mean; `nan` without any weight."""
        return weighted_mean(self.values, self.weights)


def number(quantity: Quantity, view: RunView) -> Estimate:
    """The number that a metric asks for: the quantity's own, or a statistic of its values."""
    asked = view.arguments
    across = asked.across or quantity.across
    has_number = quantity.entities is not None or quantity.override.number is not None
    is_asked = asked.statistic == "" or (asked.statistic == MEAN and quantity.kind is not Kind.EVENT)
    if is_asked and has_number:
        return _mean(quantity, view, across)
    if across == "sum":
        total = _total(quantity, view, entities_of(quantity, view))
        return statistic(Sample(total.values), asked.statistic)
    samples = values(quantity, view).values()
    if across == "pooled":
        return statistic(pooled(samples), asked.statistic or MEAN)
    return _over_entities([statistic(sample, asked.statistic) for sample in samples], across)


def values(quantity: Quantity, view: RunView) -> Values:
    """The values of each entity in the span."""
    if quantity.override.values is not None:
        return quantity.override.values(view)
    return {entity.name: _sample(quantity, entity, view) for entity in entities_of(quantity, view)}


def lines(quantity: Quantity, view: RunView) -> Lines:
    """Values over time in the span, of counters in bins; of `across = "sum"` one line of all together."""
    if view.arguments.across == "sum":
        total = _total(quantity, view, entities_of(quantity, view))
        return {"": (total.times_ns / 1e9, total.values)}
    return {entity.name: _line(quantity, entity, view) for entity in entities_of(quantity, view)}


def weighted(quantity: Quantity, entity: Entity, view: RunView) -> Weighted:
    """The known values of an entity in the span, and their weights."""
    if quantity.kind is Kind.LEVEL:
        found = _held(entity, view)
    elif quantity.kind is Kind.EVENT:
        chosen = (entity.times_ns >= view.start_ns) & (entity.times_ns < view.stop_ns)
        if entity.at_least is not None:
            chosen = chosen & ~entity.at_least
        values = np.asarray(entity.values[chosen], np.float64)
        found = Weighted(entity.times_ns[chosen], values, np.ones(values.size))
    else:
        begin, end = entity.alive_in(view.span)
        edges = view.edges_ns()
        found = _increases(quantity, entity, edges[(edges >= begin) & (edges <= end)])
    factor = _factor(quantity, view)
    known = ~np.isnan(found.values)
    return Weighted(found.times_ns[known], found.values[known] * factor, found.weights[known])


def entities_of(quantity: Quantity, view: RunView) -> Sequence[Entity]:
    """The entities at the chosen places; of a quantity without any, one that has its number all the time."""
    if quantity.entities is not None:
        return view.entities(quantity.entities)
    value = _mean(quantity, view, quantity.across).value
    return [Entity("", np.array(view.span), np.full(2, value))]


def _factor(quantity: Quantity, view: RunView) -> float:
    """From what entities have to the unit asked for."""
    if quantity.units and view.arguments.unit:
        return quantity.scale * quantity.units[quantity.unit] / quantity.units[view.arguments.unit]
    return quantity.scale


def _held(entity: Entity, view: RunView) -> Weighted:
    """The values of a level that hold in the span, and for how long; that of the sample before it is one."""
    begin, end = entity.alive_in(view.span)
    first = max(0, int(np.searchsorted(entity.times_ns, begin, side="right")) - 1)
    last = max(first, int(np.searchsorted(entity.times_ns, end, side="left")))
    times = np.maximum(entity.times_ns[first:last].astype(np.int64), begin)
    values = np.asarray(entity.values[first:last], np.float64)
    return Weighted(times, values, np.asarray(holding_ns(times, end), np.float64))


def _increases(quantity: Quantity, entity: Entity, edges_ns: Integers) -> Weighted:
    """The increase of a counter in each bin, or per second; the time is that of the bin's end."""
    if edges_ns.size < 2:
        return Weighted(edges_ns[1:], np.empty(0), np.empty(0))
    rises, lengths_ns = increases_in_bins(entity.times_ns, entity.values, edges_ns, Between.LAST_SAMPLE)
    if quantity.kind is Kind.COUNT:
        return Weighted(edges_ns[1:], rises, np.ones(rises.size))
    return Weighted(edges_ns[1:], rises * 1e9 / lengths_ns, np.asarray(lengths_ns, np.float64))


def _sample(quantity: Quantity, entity: Entity, view: RunView) -> Sample:
    if quantity.kind is Kind.EVENT:
        found = entity.sample(view.span)
        scale = _factor(quantity, view)
        return Sample(found.known[~np.isnan(found.known)] * scale, found.censored * scale)
    return Sample(weighted(quantity, entity, view).values)


def _line(quantity: Quantity, entity: Entity, view: RunView) -> tuple[Floats, Floats]:
    if quantity.kind in (Kind.RATE, Kind.COUNT):
        found = _increases(quantity, entity, view.edges_ns())
        return found.times_ns / 1e9, found.values * _factor(quantity, view)
    inside = (entity.times_ns >= view.start_ns) & (entity.times_ns <= view.stop_ns)
    inside &= ~np.isnan(np.asarray(entity.values, np.float64))
    if entity.at_least is not None:
        inside &= ~entity.at_least
    shown = np.asarray(entity.values[inside], np.float64) * _factor(quantity, view)
    return entity.times_ns[inside] / 1e9, shown


def _mean(quantity: Quantity, view: RunView, across: str) -> Estimate:
    """The number; `across` says how entities come together."""
    if quantity.override.number is not None:
        return Estimate(quantity.override.number(view))
    entities = entities_of(quantity, view)
    if quantity.kind is Kind.EVENT:
        return _mean_of_events(quantity, [_sample(quantity, each, view) for each in entities], across)
    parts = [_whole(quantity, entity, view) for entity in entities]
    if across == "sum":
        if view.run.measured and parts and not any(part.values.size for part in parts):
            # The program that measured does not tell it.
            return NOTHING
        shares = [_share(quantity, *each, view) for each in zip(entities, parts, strict=True)]
        return Estimate(sum(shares)) if view.stop_ns > view.start_ns else NOTHING
    if across == "pooled":
        every = [
            np.concatenate([getattr(p, of) for p in parts] or [np.empty(0)]) for of in ("values", "weights")
        ]
        return Estimate(weighted_mean(*every))
    return _over_entities([Estimate(part.mean) for part in parts], across)


def _share(quantity: Quantity, entity: Entity, part: Weighted, view: RunView) -> float:
    """What an entity adds to the number of all: nothing for the time in which it was not there."""
    if not part.values.size:
        return 0.0
    begin, end = entity.alive_in(view.span)
    there = 1.0 if quantity.kind is Kind.COUNT else (end - begin) / (view.stop_ns - view.start_ns)
    return part.mean * there


def _whole(quantity: Quantity, entity: Entity, view: RunView) -> Weighted:
    """As `weighted`; of a counter its increase over all of the span, which bins may not fill."""
    if quantity.kind is Kind.LEVEL:
        return weighted(quantity, entity, view)
    begin, end = entity.alive_in(view.span)
    found = _increases(quantity, entity, np.array([begin, end] if end > begin else [begin]))
    return replace(found, values=found.values * _factor(quantity, view))


def _mean_of_events(quantity: Quantity, samples: Sequence[Sample], across: str) -> Estimate:
    mean = quantity.override.mean or _mean_of_the_known
    if across == "pooled":
        return mean(pooled(samples))
    return _over_entities([mean(sample) for sample in samples], across)


def _mean_of_the_known(sample: Sample) -> Estimate:
    return Estimate(float(sample.known.mean())) if sample.known.size else NOTHING


def _over_entities(every: Sequence[Estimate], across: str) -> Estimate:
    """The mean, the least or the most of the numbers of entities that have one."""
    found = [each for each in every if not math.isnan(each.value)]
    if not found:
        return NOTHING
    if across == MEAN:
        return Estimate(mean_of_known([each.value for each in found]), any(e.at_least for e in found))
    choose = min if across == "least" else max
    chosen = choose(found, key=lambda each: each.value)
    # A larger one may be hidden behind any that is only a bound.
    return Estimate(chosen.value, any(e.at_least for e in found) if choose is max else chosen.at_least)


def _total(quantity: Quantity, view: RunView, entities: Sequence[Entity]) -> Weighted:
    """All entities together at each time: levels at every sample of one of them, counters in each bin."""
    if quantity.kind is Kind.EVENT:
        raise ValueError("values of packets and transfers cannot be added over time (across)")
    if quantity.kind is not Kind.LEVEL:
        # A span that is shorter than a bin has no whole one.
        edges = view.edges_ns()[view.edges_ns() <= view.stop_ns]
        every = [_increases(quantity, entity, edges) for entity in entities]
        total = np.sum([each.values for each in every], axis=0) if every else np.zeros(edges.size - 1)
        return Weighted(edges[1:], total * _factor(quantity, view), np.diff(edges).astype(np.float64))
    parts = [weighted(quantity, entity, view) for entity in entities]
    times = np.unique(np.concatenate([np.array([view.start_ns]), *(part.times_ns for part in parts)]))
    total = np.zeros(times.size)
    for part in parts:
        at = np.searchsorted(part.times_ns, times, side="right") - 1
        there = at >= 0
        if part.times_ns.size:
            there &= times < part.times_ns[-1] + part.weights[-1]
            total[there] += part.values[at[there]]
    return Weighted(times, total, holding_ns(times, view.stop_ns).astype(np.float64))
