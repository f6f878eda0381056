"""The floor plan of a run, with the signal and the rate that its stations had."""

from collections.abc import Callable, Sequence

import numpy as np

from airtcp.data.read_once import NotRecorded
from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.metrics.means import holding_ns, weighted_mean
from airtcp.plots.floor_map import FloorMap
from airtcp.quantities.entity import Entity
from airtcp.quantities.radios import phy_rates
from airtcp.quantities.run_view import RunView
from airtcp.quantities.stations import signals
from airtcp.report.floor import floor_of, has_floor


def has_map(run: Run) -> bool:
    """Whether its radios have places of their own."""
    return has_floor(run.plan)


def run_map(run: Run) -> FloorMap:
    """The plan from above; a run whose radios have no places is an `AirtcpError`."""
    if not has_map(run):
        remedy = "Give radios a position: [wifi.NAME.radio.NODE] position = [...]"
        raise AirtcpError("its radios have no positions to draw", str(run.folder), remedy)
    notes = station_notes(run)
    caption = f"{run.plan['name']}: walls with their loss, radios at the start"
    caption += (
        ", dashed: where they move" if any(nic.get("waypoints") for nic in run.plan["air"]["nics"]) else ""
    )
    caption += "; at stations: signal and rate of what they receive, means over time." if notes else "."
    return floor_of(run.plan, caption, notes)


def station_notes(run: Run) -> dict[int, str]:
    """Signal and rate of what each station receives, where they were recorded, by the number of its radio."""
    view = RunView(run)
    heard, sent = _recorded(view, signals), _recorded(view, phy_rates)
    notes = {}
    for number, nic in enumerate(run.plan["air"]["nics"]):
        name = view.radio_names[number]
        if nic["role"] != "station":
            continue
        signal = _mean(view, [own for own in heard if own.name.startswith(f"{name} ")])
        rate = _mean(view, [own for own in sent if own.name.endswith(f" to {name}")])
        parts = (
            [f"{signal:.0f} dBm"] if signal is not None else [],
            [f"{rate / 1e6:.3g} Mbit/s"] if rate is not None else [],
        )
        if any(parts):
            notes[number] = ", ".join(word for part in parts for word in part)
    return notes


def _recorded(view: RunView, read: Callable[[RunView], Sequence[Entity]]) -> Sequence[Entity]:
    try:
        return read(view)
    except NotRecorded:
        return ()


def _mean(view: RunView, entities: Sequence[Entity]) -> float | None:
    """The mean over the time in which the value is known, of all entities together."""
    values = np.concatenate([np.zeros(0), *(np.asarray(own.values, np.float64) for own in entities)])
    weights = np.concatenate([np.zeros(0), *(holding_ns(own.times_ns, view.stop_ns) for own in entities)])
    known = ~np.isnan(values) & (weights > 0)
    return weighted_mean(values[known], weights[known]) if known.any() else None
