"""Panels over time with no more lines than a reader can follow."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from airtcp.plots.time_series import Panel
from airtcp.quantities.line import Join, Line, values_in
from airtcp.quantities.run_view import RunView
from airtcp.report.run.crowd import Bundle, Crowd, Thing
from airtcp.report.run.pooled_lines import QUARTILES, pooled_line, values_at

# A line with those that go with it.
_Lines = tuple[Line, ...]


def few_lines(view: RunView, panels: Sequence[Panel], crowd: Crowd) -> tuple[list[Panel], list[str]]:
    """The panels, of which those with too many lines show groups, or the largest lines and the others; and
    what the caption has to say of it.
    """
    parts = [panel for panel in panels if panel.of]
    axes = [panel for panel in panels if not panel.of and not panel.stacked]
    things: list[list[Thing[Any]]] = [things_of(view, panel, crowd) for panel in axes]
    clouds = [bool(panel.lines) and panel.lines[0].join is Join.NONE for panel in axes]
    if parts:
        things.append(stacks(parts, crowd))
        clouds.append(False)
    shown = crowd.shown(things, clouds)
    made = {id(panel): [_few(panel, own)] for panel, own in zip(axes, shown.panels, strict=False)}
    if parts:
        made[id(parts[0])] = [mean_stack(own) for own in shown.panels[-1]]
        made.update({id(panel): [] for panel in parts[1:]})
    few = [one for panel in panels for one in made.get(id(panel), [panel])]
    return few, [*shown.notes, *_pooling_text(axes, shown.panels)]


def things_of(view: RunView, panel: Panel, crowd: Crowd) -> list[Thing[_Lines]]:
    """A thing for each line of a panel, with the lines that go with it."""
    found: list[list[Line]] = []
    for line in panel.lines:
        if line.dashed and found:
            found[-1].append(line)
        else:
            found.append([line])
    return [
        Thing(own[0].label, name := own[0].look_name, tuple(own), crowd.size(name, _mean(view, own[0])))
        for own in found
    ]


def _mean(view: RunView, line: Line) -> float:
    values = values_in(line, view.start_ns / 1e9, view.stop_ns / 1e9)
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else 0.0


def _few(panel: Panel, bundles: Sequence[Bundle[_Lines]]) -> Panel:
    lines: list[Line] = []
    for bundle in bundles:
        if len(bundle.contents) == 1 and bundle.label == bundle.contents[0][0].label:
            lines += bundle.contents[0]
            continue
        lines.append(pooled_line([own[0] for own in bundle.contents], bundle.label, bundle.name, panel.adds))
        beside = [line for own in bundle.contents for line in own[1:]]
        if beside:
            what = beside[0].label.removeprefix(beside[0].name).strip()
            named = pooled_line(beside, f"{bundle.name} {what}", bundle.name, panel.adds)
            lines.append(replace(named, spread=None))
    return replace(panel, lines=tuple(lines))


def stacks(panels: Sequence[Panel], crowd: Crowd) -> list[Thing[Panel]]:
    """A thing for each stack."""
    return [Thing(panel.title, panel.of, panel, crowd.size(panel.of, 0.0)) for panel in panels]


def mean_stack(bundle: Bundle[Panel]) -> Panel:
    """The mean of several stacks at each time, over those that are there."""
    panels = bundle.contents
    if len(panels) == 1:
        return replace(panels[0], title=bundle.label, of=bundle.name)
    times = np.unique(np.concatenate([np.asarray(panel.lines[0].times_s) for panel in panels]))
    parts = []
    for number, part in enumerate(panels[0].lines):
        values = np.stack([values_at(panel.lines[number], times) for panel in panels])
        there = ~np.isnan(values)
        mean = np.nansum(values, axis=0) / np.maximum(1, there.sum(axis=0))
        parts.append(replace(part, times_s=tuple(times.tolist()), values=tuple(mean.tolist())))
    return replace(panels[0], lines=tuple(parts), title=bundle.label, of=bundle.name)


def with_quartiles(panel: Panel) -> Panel:
    """The panel with the spread of each line as two dashed lines, for charts without areas."""
    lines: list[Line] = []
    for line in panel.lines:
        lines.append(replace(line, spread=None))
        for share, edge in zip(QUARTILES, line.spread or (), strict=False):
            label = f"{line.look_name} {share} %"
            lines.append(replace(line, label=label, values=edge, dashed=True, spread=None))
    return replace(panel, lines=tuple(lines))


def _pooling_text(panels: Sequence[Panel], shown: Sequence[Sequence[Bundle[_Lines]]]) -> list[str]:
    """What the line of a group is."""
    added: list[str] = []
    middle: list[str] = []
    for panel, bundles in zip(panels, shown, strict=False):
        pooled = any(len(bundle.contents) > 1 for bundle in bundles)
        if pooled and panel.lines[0].join is not Join.NONE:
            (added if panel.adds else middle).append(panel.value_label.replace("\n", " ").partition(" [")[0])
    low, high = QUARTILES
    texts = [f"sum of {', '.join(added)}"] * bool(added)
    texts += [f"median of {', '.join(middle)} (shaded: {low} to {high} %)"] * bool(middle)
    return [f"Several together: {'; '.join(texts)}."] if texts else []
