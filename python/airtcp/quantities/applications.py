"""What applications see: latency, answers, pages, bursts and video."""

from collections.abc import Callable
from typing import Any

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.completion import Completions, completions
from airtcp.metrics.survival import Sample
from airtcp.metrics.video import Levels, Playback, Segment, buffer_levels, playback, stall_times
from airtcp.quantities.flows import flows_with
from airtcp.quantities.latency import latencies, transfer_sample
from airtcp.quantities.line import Join, Line
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Drawing, Quantity, Values
from airtcp.quantities.run_view import RunView

# Between two levels of a video player's buffer that are taken for a distribution.
BUFFER_STEP_S = 0.1


def flow_completions(run: Run, flow: int) -> Completions:
    """The completion times of a flow's transfers."""
    frame = run.transfers_of(flow)
    asked, first_byte, end = (
        frame[name].to_numpy().astype(np.int64) for name in ("time_ns", "first_byte_ns", "end_ns")
    )
    return completions(asked, first_byte, end, run.end_ns)


def flow_playback(run: Run, flow: int) -> Playback:
    """What the viewer of a video flow saw, until its stop or the run's end."""
    planned = run.flow_plans[flow]
    film = planned["workload"]
    end_ns = max(planned["start_ns"], min(planned["stop_ns"], run.end_ns))
    frame = run.transfers_of(flow)
    lengths = _lengths(film, frame.height)
    rows = zip(frame["end_ns"].to_list(), lengths, frame["rate_bps"].to_list(), strict=True)
    segments = [Segment(end, length, rate) for end, length, rate in rows if 0 <= end <= end_ns]
    whole = film["length_ns"] is not None and sum(s.length_ns for s in segments) >= film["length_ns"]
    levels = Levels(film["startup_ns"], film["resume_ns"])
    return playback(segments, levels, planned["start_ns"], end_ns, whole)


def _lengths(film: dict[str, Any], count: int) -> list[int]:
    """The playing time of the first segments: all alike, but for the last one of a film."""
    step, length = film["segment_ns"], film["length_ns"]
    return [step if length is None else min(step, length - n * step) for n in range(count)]


def _players(view: RunView) -> list[int]:
    view.series("transfers")
    return [flow for flow in flows_with(view.run, "video") if flow in view.flows]


def drawn_buffer(view: RunView) -> list[Line]:
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


def transfers(kind: str) -> Callable[[MetricView], Values]:
    """Times in ms of what a workload asked for in the span, until all of it was there."""

    def values(view: MetricView) -> Values:
        span = view.start_ns, view.stop_ns
        own = (flow for flow in flows_with(view.run, kind) if flow in view.flows)
        return {view.flow_name(flow): transfer_sample(view.run, flow, span) for flow in own}

    return values


def latency(view: MetricView) -> Values:
    """What each application waits for, in ms: pings, datagrams, and what flows ask for."""
    return latencies(view.run, (view.start_ns, view.stop_ns))


def stalls(view: MetricView) -> Values:
    """Each stall of video players in s; one that lasts at the end is censored there."""
    found = {}
    for flow in _chosen_players(view):
        end_ns = min(view.run.flow_plans[flow]["stop_ns"], view.run.end_ns)
        found[view.flow_name(flow)] = stall_times(flow_playback(view.run, flow), end_ns)
    return found


def buffer(view: MetricView) -> Values:
    """Playing time in s in each video player's buffer, at equal steps of time."""
    times_s = np.arange(view.start_ns / 1e9, view.stop_ns / 1e9, BUFFER_STEP_S)
    return {
        view.flow_name(flow): Sample(buffer_levels(flow_playback(view.run, flow), times_s))
        for flow in _chosen_players(view)
    }


def _chosen_players(view: MetricView) -> list[int]:
    return [flow for flow in flows_with(view.run, "video") if flow in view.flows]


_TRANSFERS = ("transfers",)
_RESPONSES = "from asking for it until all of it was there; under way at the end: at least that"

QUANTITIES = {
    "latency": Quantity(
        "latency",
        "ms",
        "what each application waits for: pings, datagrams, and what flows ask for",
        ("pings", "datagrams", "transfers"),
        values=latency,
    ),
    "response_time": Quantity(
        "response time",
        "ms",
        f"answer of a `[[request]]`: {_RESPONSES}",
        _TRANSFERS,
        values=transfers("requests"),
    ),
    "page_time": Quantity(
        "page load time", "ms", f"page of a `[[web]]`: {_RESPONSES}", _TRANSFERS, values=transfers("web")
    ),
    "segment_time": Quantity(
        "time of a video segment",
        "ms",
        f"segment of a `[[video]]`: {_RESPONSES}",
        _TRANSFERS,
        values=transfers("video"),
    ),
    "burst_time": Quantity(
        "time of a burst",
        "ms",
        "burst of a `[[flow]]` with `off`: from its first byte's writing to its last byte's arrival",
        _TRANSFERS,
        values=transfers("on_off"),
    ),
    "stall_time": Quantity("stall", "s", "each stall of a video player", _TRANSFERS, values=stalls),
    "buffer": Quantity(
        "buffered video",
        "s",
        "playing time in a video player's buffer, every 100 ms",
        _TRANSFERS,
        values=buffer,
    ),
    "video_buffer": Quantity(
        "buffered video over time",
        "s",
        "playing time in the buffer of each video player",
        _TRANSFERS,
        drawing=Drawing("Video buffer\n[s]", drawn_buffer),
    ),
    "video_rate": Quantity(
        "rate of the video",
        "Mbit/s",
        "rate of each video segment, from its request to the next request",
        _TRANSFERS,
        drawing=Drawing("Video rate\n[Mbit/s]", video_rate),
    ),
}
