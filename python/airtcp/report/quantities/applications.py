"""Quantities of applications: video players and datagrams."""

import numpy as np

from airtcp.plots.time_series import Line
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
        until_s = [*asked_s[1:], view.run.end_ns / 1e9][: len(asked_s)]
        times = [time for both in zip(asked_s, until_s, strict=True) for time in both]
        values = [rate for rate in rates for _ in range(2)]
        lines.append(Line(view.flow_label(flow), tuple(times), tuple(values)))
    return lines


def datagram_delay(view: RunView) -> list[Line]:
    """The one-way delay in ms of each datagram that was received."""
    view.series("datagrams")
    names = [stream["name"] for stream in view.run.plan["datagrams"]]
    return [arrived_line(name, view.run.stream_datagrams(n), "delay_ns") for n, name in enumerate(names)]
