"""Workloads of a scenario, as the plan has them."""

from typing import Any

from airtcp.plans.types.air_plan import PlanVariate
from airtcp.plans.types.plan import PlanWorkload
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.workload import (
    FlowSettings,
    RequestSettings,
    TcpSettings,
    VideoSettings,
    WebSettings,
)
from airtcp.scenario.values.units import TIME

# BBA-0 (Huang et al., SIGCOMM 2014, section 4) keeps the lowest rate up to 90 s of a buffer of 240 s, and has
# the highest from 216 s on. Other buffers have the same parts.
RESERVOIR_PART = (3, 8)
UPPER_PART = (9, 10)
# Segments whose throughput counts (Yin et al., SIGCOMM 2015, section 7.1: the last five).
THROUGHPUT_SEGMENTS = 5


def is_asked_for(entry: TcpSettings) -> bool:
    """Whether the node that gets the data asks for it: it connects."""
    return not isinstance(entry, FlowSettings)


def compile_workload(entry: TcpSettings, key: str) -> PlanWorkload:
    """The plan's workload of an entry."""
    if isinstance(entry, RequestSettings):
        return {
            "kind": "requests",
            "request_bytes": entry.request,
            "response_bytes": entry.response.plan,
            "think_ns": entry.think.plan,
            "count": entry.count,
        }
    if isinstance(entry, WebSettings):
        return {
            "kind": "web",
            "request_bytes": entry.request,
            "page_bytes": entry.page.plan,
            "objects": entry.objects.plan,
            "object_bytes": entry.object.plan,
            "parse_ns": entry.parse.plan,
            "reading_ns": entry.reading.plan,
            "count": entry.count,
        }
    if isinstance(entry, VideoSettings):
        return _video(entry, key)
    assert isinstance(entry, FlowSettings)
    return _flow(entry, key)


def _flow(flow: FlowSettings, key: str) -> PlanWorkload:
    if flow.on is not None or flow.amount is not None or flow.off is not None:
        return _bursts(flow, key)
    if flow.bytes is None:
        return {"kind": "bulk"}
    for name in ("stop", "duration"):
        if getattr(flow, name) is not None:
            raise ScenarioError(f"{key}.bytes", f"{name} is given too", "Keep one of them")
    return {"kind": "bytes", "count": flow.bytes}


def _bursts(flow: FlowSettings, key: str) -> PlanWorkload:
    if flow.low_water is not None:
        what = "is for transfers whose receiver only reads, and this one has bursts"
        raise ScenarioError(f"{key}.low_water", what, "Leave it out")
    if flow.bytes is not None:
        remedy = 'For bursts of a size write amount = "...", off = "..."'
        raise ScenarioError(f"{key}.bytes", "a flow of bursts goes on until its stop", remedy)
    if flow.off is None:
        raise ScenarioError(
            f"{key}.off", "is missing: bursts need a pause between them", 'Write for example off = "1 s"'
        )
    if (flow.on is None) == (flow.amount is None):
        what = "is given beside on" if flow.on is not None else "is missing, and so is on"
        raise ScenarioError(f"{key}.amount", what, "Write either on, a time, or amount, a size")
    for name, value in (("on", flow.on), ("off", flow.off)):
        if value is not None and _is_nothing(value.plan):
            raise ScenarioError(f"{key}.{name}", "must be more than 0", 'Write for example "1 s"')
    if flow.on is not None:
        return {"kind": "on_off", "on": {"kind": "time", "on_ns": flow.on.plan}, "off_ns": flow.off.plan}
    assert flow.amount is not None, "checked"
    on = {"kind": "bytes", "amount_bytes": flow.amount.plan}
    return {"kind": "on_off", "on": on, "off_ns": flow.off.plan}


def _is_nothing(variate: PlanVariate) -> bool:
    return variate.get("value", variate.get("most") if variate["kind"] == "uniform" else None) == 0


def _video(video: VideoSettings, key: str) -> PlanWorkload:
    for name in ("startup", "resume"):
        if getattr(video, name) > video.buffer:
            what = f"{TIME.text(getattr(video, name))} never come: buffer is {TIME.text(video.buffer)}"
            raise ScenarioError(f"{key}.{name}", what, "Choose a larger buffer")
    return {
        "kind": "video",
        "request_bytes": video.request,
        "segment_ns": video.segment,
        "rates_bps": video.rates,
        "startup_ns": video.startup,
        "resume_ns": video.resume,
        "buffer_ns": video.buffer,
        "adaptation": _adaptation(video),
        "length_ns": video.length,
    }


def _adaptation(video: VideoSettings) -> dict[str, Any]:
    if len(video.rates) == 1:
        return {"kind": "fixed"}
    if video.adaptation == "throughput":
        return {"kind": "throughput", "segments": THROUGHPUT_SEGMENTS, "safety": video.safety}
    reservoir_ns, upper_ns = (video.buffer * a // b for a, b in (RESERVOIR_PART, UPPER_PART))
    return {"kind": "buffer", "reservoir_ns": reservoir_ns, "upper_ns": upper_ns}
