"""What of a run is stacked: the rates of its flows, and the airtime of its radios."""

import numpy as np

from airtcp.data.read_once import NotRecorded
from airtcp.errors import AirtcpError
from airtcp.metrics.bins import grid_edges_ns
from airtcp.metrics.throughput import interpolated_mbps
from airtcp.plots.rate_stack import RateLayer, RateStack, prepare_rate_stack
from airtcp.plots.time_series import Panel
from airtcp.quantities.drawing import drawn_lines
from airtcp.quantities.goodput import received_counter
from airtcp.quantities.line import Line
from airtcp.quantities.registry import QUANTITIES
from airtcp.quantities.run_view import RunView
from airtcp.report.run.crowd import Crowd, Thing
from airtcp.report.run.figure import bins_text, run_caption
from airtcp.report.run.pooled_lines import pooled_line

REST = "nobody: idle, waiting, interframe spaces"


def run_stack(view: RunView, crowd: Crowd | None = None) -> RateStack:
    """Goodput of the chosen flows in common bins; a run without flow samples is an `AirtcpError`.

    `crowd` says how many flows become few layers; default: by application.
    """
    rows = view.flow_rows("flows", udp=True)
    counters = [(flow, *received_counter(view, flow, frame)) for flow, frame in rows]
    sampled = [int(times[-1]) for _, times, _ in counters if times.size]
    stop_ns = min(view.stop_ns, max(sampled, default=0))
    if stop_ns <= view.start_ns:
        remedy = "choose other flows or another time"
        raise AirtcpError("no flow was sampled in this time", str(view.run.folder), remedy)
    edges_ns = grid_edges_ns(view.start_ns, stop_ns, view.bin_ns("flows"))
    few = crowd or Crowd(view)
    things = []
    for flow, times_ns, counts in counters:
        rates, name = interpolated_mbps(times_ns, counts, edges_ns), view.flow_name(flow)
        things.append(Thing(view.flow_label(flow), name, rates, few.size(name, float(rates.mean()))))
    shown = few.shown([things])
    layers = [RateLayer(one.label, tuple(np.sum(one.contents, axis=0).tolist())) for one in shown.panels[0]]
    caption = " ".join((run_caption(view), bins_text(view, ["throughput"]), *shown.notes))
    return prepare_rate_stack(tuple((edges_ns / 1e9).tolist()), layers, caption)


def airtime_panels(view: RunView, crowd: Crowd) -> list[Panel]:
    """A stack for each medium: the airtime of each of its radios' own PPDUs, and the rest up to 100 %.

    PPDUs that collide take their time twice, so that a stack may rise above. A run without samples of the air
    has none.
    """
    airtime = QUANTITIES["airtime"]
    try:
        lines = drawn_lines(airtime, view)
    except NotRecorded:
        return []
    media = _media(view)
    several = len(set(media)) > 1
    panels = []
    for medium in dict.fromkeys(media):
        own = [line for line, of in zip(lines, media, strict=True) if of == medium and line.values]
        if own and all(line.times_s == own[0].times_s for line in own):
            title = f"{medium} MHz" if several else ""
            few = _few(own, crowd)
            panels.append(Panel(airtime.axis_label, (*few, _rest(few)), stacked=True, title=title))
    return panels


def _few(lines: list[Line], crowd: Crowd) -> list[Line]:
    """The airtimes of radios, of which those of groups are added."""
    things = [
        Thing(line.label, line.name, line, crowd.size(line.name, float(np.mean(line.values))))
        for line in lines
    ]
    return [
        pooled_line(one.contents, one.label, one.name, adds=True) for one in crowd.shown([things]).panels[0]
    ]


def _media(view: RunView) -> list[int]:
    """The frequency of each radio's channel."""
    air = view.run.plan["air"]
    cells = [int(cell["channel"]["primary_mhz"]) for cell in air.get("cells", ())]
    return [cells[nic["cell"]] if cells else 0 for nic in air["nics"]]


def _rest(lines: list[Line]) -> Line:
    taken = np.sum([line.values for line in lines], axis=0)
    values = np.maximum(0.0, 100.0 - taken)
    return Line(REST, lines[0].times_s, tuple(values.tolist()), join=lines[0].join)
