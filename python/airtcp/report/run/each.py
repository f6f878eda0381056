"""A quantity of one run, with a panel for each flow, or for each group of flows."""

from collections.abc import Sequence
from dataclasses import replace

from airtcp.plots.time_series import Panel, TimeSeriesChart, prepare_time_series
from airtcp.quantities.run_view import RunView
from airtcp.report.run.crowd import Crowd
from airtcp.report.run.few_lines import mean_stack, stacks, things_of
from airtcp.report.run.figure import bins_text, quantity_panels, run_caption


def each_chart(view: RunView, what: Sequence[str], crowd: Crowd) -> TimeSeriesChart:
    """The panels of each quantity: one for each thing that has it; of a group asked for, one with the lines
    of its members.
    """
    made: list[Panel] = []
    for name in what:
        panels = quantity_panels(view, name)
        if panels[0].of:
            made += [mean_stack(one) for one in crowd.each(stacks(panels, crowd))]
            continue
        (panel,) = panels
        for one in crowd.each(things_of(view, panel, crowd)):
            lines = tuple(line for own in one.contents for line in own)
            made.append(replace(panel, lines=lines, title=one.label))
    caption = " ".join(filter(None, (run_caption(view), bins_text(view, what))))
    return prepare_time_series(made, caption, view.stop_ns / 1e9, view.start_ns / 1e9)
