"""What applications see: latency, answers, pages, bursts and video."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.completion import Completions, completions
from airtcp.metrics.video import Levels, Playback, Segment, buffer_levels, playback
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.flows import flows_with
from airtcp.quantities.latency import PRODUCT_LIMIT, transfer_times, waits
from airtcp.quantities.line import Join
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView

# Between two levels of a video player's buffer.
BUFFER_STEP_NS = 100_000_000


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


def _chosen(view: RunView, kind: str) -> list[int]:
    """The chosen flows with a kind of workload; a run without any has no series of transfers."""
    own = [flow for flow in flows_with(view.run, kind) if flow in view.flows]
    if own:
        view.series("transfers")
    return own


def buffers(view: RunView) -> list[Entity]:
    """Playing time in s in each video player's buffer, at equal steps of time."""
    made = []
    for flow in _chosen(view, "video"):
        seen, start_ns = flow_playback(view.run, flow), view.run.flow_plans[flow]["start_ns"]
        times_ns = np.arange(start_ns, (seen.levels[-1][0] if seen.levels else start_ns) + 1, BUFFER_STEP_NS)
        levels = buffer_levels(seen, times_ns / 1e9)
        made.append(view.flow_entity(flow, times_ns[: levels.size], levels))
    return made


def video_rates(view: RunView) -> list[Entity]:
    """The rate chosen last in bit/s, from asking for a segment to asking for the next."""
    made = []
    for flow in _chosen(view, "video"):
        frame = view.run.transfers_of(flow)
        asked_ns, rates = frame["time_ns"].to_numpy(), frame["rate_bps"].to_numpy()
        # The last one holds until the end.
        times_ns = np.append(asked_ns, [view.run.end_ns] * (asked_ns.size > 0)).astype(np.int64)
        made.append(view.flow_entity(flow, times_ns, np.append(rates, rates[-1:]), Join.UNTIL))
    return made


def transfers(kind: str) -> Callable[[RunView], list[Entity]]:
    """Times in ms of what a workload asked for in the span, until all of it was there."""

    def entities(view: RunView) -> list[Entity]:
        return [transfer_times(view.run, flow) for flow in _chosen(view, kind)]

    return entities


def latency(view: RunView) -> list[Entity]:
    """What each application waits for, in ms: pings, datagrams, and what flows ask for."""
    pings = {view.run.plan["pings"][ping]["name"] for ping in view.pings}
    found = []
    for wait in waits(view.run):
        chosen = wait.name in pings if wait.kind == "ping" else view.arguments.is_about(wait.name)
        if chosen and wait.times.sample(view.span).size:
            found.append(replace(wait.times, name=wait.label))
    return found


def stalls(view: RunView) -> list[Entity]:
    """Each stall of video players in s; one that lasts at the end took at least until then."""
    made = []
    for flow in _chosen(view, "video"):
        end_ns = min(view.run.flow_plans[flow]["stop_ns"], view.run.end_ns)
        seen = flow_playback(view.run, flow).stalls
        starts_ns = np.array([stall.start_ns for stall in seen], np.int64)
        lengths_ns = np.array([stall.length_ns for stall in seen], np.int64)
        own = view.flow_entity(flow, starts_ns, lengths_ns / 1e9)
        made.append(replace(own, at_least=starts_ns + lengths_ns >= end_ns))
    return made


_TRANSFERS = ("transfers",)
_RESPONSES = "from asking for it until all of it was there; under way at the end: at least that"


def _transfer(label: str, what: str, kind: str, until: str = _RESPONSES) -> Quantity:
    read, meaning = transfers(kind), f"{what}: {until}"
    return Quantity(label, "ms", meaning, _TRANSFERS, entities=read, kind=Kind.EVENT, override=PRODUCT_LIMIT)


QUANTITIES = {
    "latency": Quantity(
        "Latency",
        "ms",
        "what each application waits for: pings, datagrams, and what flows ask for",
        ("pings", "datagrams", "transfers"),
        entities=latency,
        kind=Kind.EVENT,
        override=PRODUCT_LIMIT,
    ),
    "response_time": _transfer("Response time", "answer of a `[[request]]`", "requests"),
    "page_time": _transfer("Page load time", "page of a `[[web]]`", "web"),
    "segment_time": _transfer("Time of a video segment", "segment of a `[[video]]`", "video"),
    "burst_time": _transfer(
        "Time of a burst",
        "burst of a `[[flow]]` with `off`",
        "on_off",
        "from its first byte's writing to its last byte's arrival",
    ),
    "stall_time": Quantity(
        "Stall",
        "s",
        "each stall of a video player",
        _TRANSFERS,
        entities=stalls,
        kind=Kind.EVENT,
        override=PRODUCT_LIMIT,
    ),
    "video_buffer": Quantity(
        "Buffered video",
        "s",
        "playing time in a video player's buffer, every 100 ms",
        _TRANSFERS,
        entities=buffers,
    ),
    "video_rate": Quantity(
        "Rate of the video",
        "Mbit/s",
        "rate of each video segment, from its request to the next request; number: mean over time",
        _TRANSFERS,
        entities=video_rates,
        scale=1e-6,
    ),
}
