"""Quantities of applications: video players and datagrams."""

import numpy as np

from airtcp.plots.time_series import Join, Line
from airtcp.report.applications import flow_playback, flows_with
from airtcp.report.quantities.lines import arrived_line
from airtcp.report.run_view import RunView


def _players(view: RunView) -> list[int]:
    view.series("transfers")
    return [flow for flow in flows_with(view.run, "video") if flow in view.flows]


def video_buffer(view: RunView) -> list[Line]:
    """Playing time in each player's buffer, in s."""
    lines = []
    for flow in _players(view):
        levels = np.array(flow_playback(view.run, flow).levels, dtype=np.float64) / 1e9
        lines.append(Line(view.flow_label(flow), tuple(levels[:, 0].tolist()), tuple(levels[:, 1].tolist())))
    return lines


def video_rate(view: RunView) -> list[Line]:
    """The rate chosen last in Mbit/s, from asking for a segment to asking for the next."""
    lines = []
    for flow in _players(view):
        frame = view.run.transfers_of(flow)
        asked_s = (frame["time_ns"].to_numpy() / 1e9).tolist()
        rates = (frame["rate_bps"].to_numpy() / 1e6).tolist()
        # The last one holds until the end.
        times_s = (*asked_s, view.run.end_ns / 1e9) if asked_s else ()
        lines.append(Line(view.flow_label(flow), times_s, (*rates, *rates[-1:]), join=Join.UNTIL))
    return lines


def datagram_delay(view: RunView) -> list[Line]:
    """The one-way delay in ms of each datagram that was received."""
    view.series("datagrams")
    names = [stream["name"] for stream in view.run.plan["datagrams"]]
    return [arrived_line(name, view.run.stream_datagrams(n), "delay_ns") for n, name in enumerate(names)]
