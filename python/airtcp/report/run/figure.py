"""A run over time: the panels of the quantities asked for."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from airtcp.data.read_once import NotRecorded
from airtcp.errors import AirtcpError
from airtcp.plots.time_series import LEGEND_ENTRIES_MOST, Panel, TimeSeriesChart, prepare_time_series
from airtcp.quantities.drawing import drawn_lines, rated_series
from airtcp.quantities.line import Join, Line
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.registry import drawn_together, quantity_named
from airtcp.quantities.run_view import RunView

WHAT = "--what"
ALL = "all"
"""The name that stands for every quantity that a run has."""


def run_chart(view: RunView, what: Sequence[str]) -> TimeSeriesChart:
    """The quantities of these names, one panel each; an unknown or unsampled one is an `AirtcpError`."""
    panels, notes = [], [bins_text(view, what)]
    for name in what:
        if name == ALL:
            every = [each for key in drawn_together() for each in _recorded_panels(view, key)]
            made = [panel for panel in every if _says_something(panel)]
            notes.append(_left_out([panel for panel in every if not _says_something(panel)]))
        else:
            made = quantity_panels(view, name)
        for panel in made:
            kept, note = _legible(view, panel)
            panels.append(kept)
            notes.append(note)
        notes.append(_absent_text(view, name))
    caption = " ".join(text for text in (run_caption(view), *dict.fromkeys(notes)) if text)
    return prepare_time_series(panels, caption, view.stop_ns / 1e9, view.start_ns / 1e9)


def _says_something(panel: Panel) -> bool:
    """Whether some value is not 0, if it is a number."""
    return bool(panel.names) or any(
        value == value and value != 0 for line in panel.lines for value in line.values
    )


def _left_out(panels: Sequence[Panel]) -> str:
    names = ", ".join(panel.value_label.partition("\n")[0] for panel in panels)
    return f"0 all the time and left out: {names}." if names else ""


def run_caption(view: RunView) -> str:
    """Which run it is."""
    return f"{view.run.plan['name']}, run {view.run.name}, seed {view.run.plan['seed']}."


def quantity_panels(view: RunView, name: str) -> list[Panel]:
    """The panel of a quantity, or one for each flow if it is a share of a whole."""
    quantity = quantity_named(name, WHAT)
    lines = tuple(line for line in lines_of(view, name) if _reaches(view, line))
    if not lines:
        when = "" if view.is_whole() else " in this time"
        raise NotRecorded(f'the run has no samples of "{name}"{when}', str(view.run.folder), "Leave it out")
    if quantity.shared:
        return _shared_panels(quantity.axis_label, lines)
    shown = busy_lines(view, quantity, lines) if quantity.busy_only else lines
    names = quantity.override.drawn_names
    return [Panel(quantity.axis_label, shown, names=tuple(names(view)) if names is not None else ())]


def lines_of(view: RunView, name: str, for_distribution: bool = False) -> list[Line]:
    """The lines of a quantity, or those of its distribution; inconsistent samples are an `AirtcpError`."""
    try:
        return drawn_lines(quantity_named(name, WHAT), view, for_distribution)
    except ValueError as error:
        what = f'"{name}" is inconsistent: {error}'
        raise AirtcpError(
            what, str(view.run.folder), "Remove the folder and run the scenario again"
        ) from None


def _recorded_panels(view: RunView, name: str) -> list[Panel]:
    try:
        return quantity_panels(view, name)
    except NotRecorded:
        return []


def _shared_panels(label: str, lines: Sequence[Line]) -> list[Panel]:
    """A stack for each flow, whose parts are labelled `flow`, new line, `part`."""
    flows: dict[str, list[Line]] = {}
    for line in lines:
        flow, part = line.label.split("\n")
        flows.setdefault(flow, []).append(replace(line, label=part))
    return [Panel(f"{flow}\n{label}", tuple(parts), stacked=True) for flow, parts in flows.items()]


def _reaches(view: RunView, line: Line) -> bool:
    """Whether a line has values in the window, or from before until after it."""
    if not line.values:
        return False
    if line.join is Join.NONE:
        return any(view.start_ns <= time * 1e9 <= view.stop_ns for time in line.times_s)
    return line.times_s[0] * 1e9 < view.stop_ns and line.times_s[-1] * 1e9 > view.start_ns


def busy_lines(view: RunView, quantity: Quantity, lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines that are not 0 in all of the window; one for all of them if all are."""
    busy = tuple(line for line in lines if _is_busy(view, line))
    longest = max(lines, key=lambda line: len(line.values))
    whose = " and ".join(whose for series, whose in quantity.sources if view.has(series))
    return busy or (replace(longest, label=whose or "queueing disciplines"),)


def _is_busy(view: RunView, line: Line) -> bool:
    start_s, stop_s = view.start_ns / 1e9, view.stop_ns / 1e9
    values = zip(line.times_s, line.values, strict=True)
    return any(0 < value < math.inf and start_s <= time <= stop_s for time, value in values)


def _most(view: RunView, line: Line) -> float:
    times, values = np.asarray(line.times_s), np.asarray(line.values)
    inside = values[(times >= view.start_ns / 1e9) & (times <= view.stop_ns / 1e9) & np.isfinite(values)]
    return float(np.max(inside, initial=0.0))


def _legible(view: RunView, panel: Panel) -> tuple[Panel, str]:
    """The panel with no more lines than its legend can name: those that reach highest, and least high."""
    if panel.stacked or len(panel.lines) <= LEGEND_ENTRIES_MOST:
        return panel, ""
    leading = [line for line in panel.lines if not line.dashed]
    most = LEGEND_ENTRIES_MOST if len(leading) == len(panel.lines) else LEGEND_ENTRIES_MOST // 2
    ordered = sorted(leading, key=lambda line: -_most(view, line))
    chosen = [*ordered[: most // 2], *ordered[len(ordered) - most // 2 :]] if len(ordered) > most else ordered
    kept, keep = [], False
    for line in panel.lines:
        keep = line in chosen if not line.dashed else keep
        if keep:
            kept.append(line)
    name = panel.value_label.replace("\n", " ")
    note = (
        f"{name}: {len(chosen)} of {len(leading)}, those that reach highest and lowest (--nodes chooses)."
        if len(chosen) < len(leading)
        else ""
    )
    return replace(panel, lines=tuple(kept)), note


def _absent_text(view: RunView, name: str) -> str:
    if name == ALL:
        return ""
    absent = [whose for series, whose in quantity_named(name, WHAT).sources if not view.has(series)]
    return f'"{name}" is without {" and ".join(absent)}, which were not sampled.' if absent else ""


def bins_text(view: RunView, what: Sequence[str]) -> str:
    """Over which times the rates among these quantities are means; nothing if there are none."""
    names = drawn_together() if ALL in what else what
    rated = (rated_series(quantity_named(name, WHAT)) for name in names)
    series = {each for own in rated for each in own if view.has(each)}
    spans = sorted({view.bin_ns(each) / 1e6 for each in series})
    return f"Rates are means over {' and '.join(f'{span:g} ms' for span in spans)}." if spans else ""
