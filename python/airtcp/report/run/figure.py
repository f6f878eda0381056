"""A run over time: the panels of the quantities asked for."""

import math
from collections.abc import Sequence
from dataclasses import replace

from airtcp.data.read_once import NotRecorded
from airtcp.errors import AirtcpError
from airtcp.plots.time_series import Panel, TimeSeriesChart, prepare_time_series
from airtcp.quantities.drawing import drawn_lines, rated_series
from airtcp.quantities.line import Join, Line
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.registry import drawn_together, quantity_named
from airtcp.quantities.run_view import RunView
from airtcp.report.run.crowd import Crowd
from airtcp.report.run.few_lines import few_lines

WHAT = "--what"
ALL = "all"
"""The name that stands for every quantity that a run has."""


def run_chart(view: RunView, what: Sequence[str], crowd: Crowd | None = None) -> TimeSeriesChart:
    """The quantities of these names, one panel each; an unknown or unsampled one is an `AirtcpError`.

    `crowd` says how many lines become few; default: by application.
    """
    panels: list[Panel] = []
    notes = [bins_text(view, what)]
    for name in what:
        if name == ALL:
            every = [each for key in drawn_together() for each in _recorded_panels(view, key)]
            panels += [panel for panel in every if _says_something(panel)]
            notes.append(_left_out([panel for panel in every if not _says_something(panel)]))
        else:
            panels += quantity_panels(view, name)
        notes.append(_absent_text(view, name))
    few, told = few_lines(view, panels, crowd or Crowd(view))
    caption = " ".join(text for text in (run_caption(view), *dict.fromkeys([*notes, *told])) if text)
    return prepare_time_series(few, caption, view.stop_ns / 1e9, view.start_ns / 1e9)


def _says_something(panel: Panel) -> bool:
    """Whether some value is not 0, if it is a number."""
    return bool(panel.names) or any(
        value == value and value != 0 for line in panel.lines for value in line.values
    )


def _left_out(panels: Sequence[Panel]) -> str:
    names = dict.fromkeys(panel.title or panel.value_label.replace("\n", " ") for panel in panels)
    return f"0 all the time and left out: {', '.join(names)}." if names else ""


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
    adds = quantity.across == "sum"
    shown = busy_lines(view, quantity, lines) if quantity.busy_only else lines
    names = quantity.override.drawn_names
    shown_names = tuple(names(view)) if names is not None else ()
    return [Panel(quantity.axis_label, shown, names=shown_names, adds=adds)]


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
    flows: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        (flow, part), (name, _) = line.label.split("\n"), line.name.split("\n")
        flows.setdefault((flow, name), []).append(replace(line, label=part, name=part))
    return [
        Panel(label, tuple(parts), stacked=True, title=flow, of=name) for (flow, name), parts in flows.items()
    ]


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
