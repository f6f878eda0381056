"""What a page says of one run: a row in the list of runs, and the details that open when asked for."""

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from airtcp.data.read_once import NotRecorded, ReadOnce
from airtcp.metrics.airtime import airtime_of_stations
from airtcp.metrics.fairness import jain_index
from airtcp.metrics.throughput import Throughput
from airtcp.plots.floor_map import draw_floor_map
from airtcp.plots.style import svg_text
from airtcp.plots.time_series import Panel
from airtcp.report.airtime import airtime_table
from airtcp.report.airtime_stack import airtime_panels
from airtcp.report.html.columns import columns_of
from airtcp.report.run_figure import quantity_panels
from airtcp.report.run_map import has_map, run_map
from airtcp.report.run_report import (
    begun_flows,
    flow_throughput,
    flow_time,
    out_of_control,
    ping_round_trips,
    run_tables,
    run_warnings,
)
from airtcp.report.run_view import RunView
from airtcp.report.waiting import Waiting, waiting

# What is drawn of a run, from above; what it did not record is left out.
SHOWN = (
    "rate",
    "cwnd",
    "srtt",
    "rtt",
    "datagram_delay",
    "video_buffer",
    "video_rate",
    "queue",
    "station_queue",
    "phy_rate",
    "retries",
)


@dataclass(frozen=True)
class Record:
    """The row of a run. Numbers are over the time in which its flows ran; NaN where it has none.

    `out_of_control` and `failed` say of which flows, and why.
    """

    folder: str
    run: str
    plan_name: str
    seed: int
    ccas: tuple[str, ...]
    goodput_mbps: float
    rtt_ms: float
    srtt_ms: float
    retransmitted: int
    jain: float
    airtime_jain: float
    waiting: Waiting
    control_known: bool
    out_of_control: tuple[str, ...]
    failed: tuple[str, ...]
    warnings: tuple[str, ...]
    virtual_s: float
    wall_s: float
    made_by: str

    @property
    def untrusted(self) -> bool:
        """Whether its numbers do not show what its congestion controls can do."""
        return bool(self.out_of_control or self.failed)

    @property
    def doubtful(self) -> bool:
        """Whether a reader should know something before trusting the run."""
        return bool(self.out_of_control or self.failed or self.warnings)


def record_of(run: ReadOnce) -> Record:
    """The row of a run."""
    start_ns, stop_ns = _time_of_flows(run)
    sampled = run.plan["sampling"]["flows_interval_ns"] > 0 and bool(run.flow_plans)
    flows = begun_flows(run)
    rates = {flow: flow_throughput(run, flow) for flow in flows} if sampled else {}
    warnings = run_warnings(run)
    failed = _failed(run, warnings)
    return Record(
        folder=str(run.folder),
        run=str(run.manifest.get("run", run.name)),
        plan_name=str(run.plan["name"]),
        seed=int(run.plan["seed"]),
        ccas=tuple(dict.fromkeys(flow["congestion_control"] for flow in run.flow_reports)),
        goodput_mbps=_goodput_mbps(run, rates, stop_ns - start_ns),
        rtt_ms=_ping_ms(run, start_ns, stop_ns),
        srtt_ms=_srtt_ms(run) if sampled else math.nan,
        retransmitted=sum(int(flow["retransmits"]) for flow in run.flow_reports),
        jain=_jain(list(rates.values())),
        airtime_jain=_airtime_jain(run, start_ns, stop_ns),
        waiting=waiting(run, start_ns, stop_ns),
        control_known=sampled,
        out_of_control=tuple(f"{flow}: {why}" for flow, why in out_of_control(run).items()),
        failed=tuple(failed),
        warnings=tuple(warning for warning in warnings if warning not in failed),
        virtual_s=run.end_ns / 1e9,
        wall_s=float(run.manifest.get("wall_s", math.nan)),
        made_by=_made_by(run),
    )


def details_of(run: ReadOnce, record: Record, points_most: int) -> dict[str, Any]:
    """Everything that opens: tables, lines over time, what made the run, its plan."""
    folder = str(run.folder)
    tables = [*run_tables(run), airtime_table(run.air_report["media"])]
    return {
        "name": run.name,
        "title": f"{run.plan['name']}, seed {run.plan['seed']} (run {run.name})",
        "doubts": [f"Not in control: {doubt}" for doubt in record.out_of_control],
        "warnings": run_warnings(run),
        "commands": [
            f"airtcp run {shlex.quote(f'{folder}/plan.json')} --store again",
            f"airtcp plot {shlex.quote(folder)} --what all",
        ],
        "same": _same(run),
        "hint": _hint(points_most),
        "tables": [
            {"title": t.title, "columns": list(t.columns), "left": list(t.left), "rows": t.rows}
            for t in tables
            if t.rows
        ],
        "series": columns_of(_panels(run), run.end_ns / 1e9, points_most),
        "map": svg_text(draw_floor_map(run_map(run))) if has_map(run) else "",
        "manifest": _provenance(run.manifest),
        # As text: a number of JavaScript has no room for a seed of 64 bits.
        "plan": json.dumps(run.plan),
    }


def _made_by(run: ReadOnce) -> str:
    """The versions that made the run."""
    kernel = run.manifest.get("kernel", {})
    known = {
        "airtcp": run.manifest.get("airtcp_version"),
        "model": run.manifest.get("model_version"),
        "kernel": kernel.get("release") if isinstance(kernel, dict) else kernel,
    }
    return ", ".join(f"{name} {value}" for name, value in known.items() if value is not None)


def _same(run: ReadOnce) -> str:
    frames = run.manifest.get("frame_hash")
    told = f", and frame_hash {frames} in its manifest.json" if frames else ""
    return f"With the same versions the new run folder has the same name, {run.name}{told}."


def _hint(points_most: int) -> str:
    return (
        "Drag to choose a span of time; a double click shows everything. A line holds at most "
        f"{points_most} samples: the least and the largest of equal parts, so that no peak is lost."
    )


def _panels(run: ReadOnce) -> list[Panel]:
    panels: list[Panel] = []
    view = RunView(run)
    for name in SHOWN:
        try:
            panels += quantity_panels(view, name)
        except NotRecorded:
            continue
    return [*panels, *airtime_panels(view)]


def _time_of_flows(run: ReadOnce) -> tuple[int, int]:
    """From the start of the first flow to the end of the last; without flows, the whole run."""
    spans = [flow_time(run, flow) for flow in begun_flows(run)]
    if not spans:
        return 0, run.end_ns
    return min(start for start, _ in spans), max(stop for _, stop in spans)


def _goodput_mbps(run: ReadOnce, rates: Mapping[int, Throughput | None], span_ns: int) -> float:
    """What all flows delivered, over the time in which flows ran."""
    total = 0.0
    for flow, rate in rates.items():
        if rate is None:
            return math.nan
        start_ns, stop_ns = flow_time(run, flow)
        total += rate.mean_mbps * (stop_ns - start_ns) / max(1, span_ns)
    return total if rates else math.nan


def _jain(rates: Sequence[Throughput | None]) -> float:
    """Jain's index of the flows' mean goodputs, each over its own time; of one flow there is none."""
    known = [rate.mean_mbps for rate in rates if rate is not None]
    return jain_index(known) if len(known) == len(rates) > 1 else math.nan


def _airtime_jain(run: ReadOnce, start_ns: int, stop_ns: int) -> float:
    """Jain's index of the airtimes of the only access point's stations; of one station there is none."""
    roles = [nic["role"] for nic in run.plan["air"]["nics"]]
    if "links" not in run.recorded or roles.count("access_point") != 1:
        return math.nan
    found = airtime_of_stations(run.series("links"), roles.index("access_point"), start_ns, stop_ns)
    return found.jain if len(found.shares) > 1 else math.nan


def _ping_ms(run: ReadOnce, start_ns: int, stop_ns: int) -> float:
    """Mean over all answered requests sent while flows ran."""
    trips = [ping_round_trips(run, ping, start_ns, stop_ns) for ping in range(len(run.plan["pings"]))]
    answered = [trip for trip in trips if trip.answered]
    if not answered:
        return math.nan
    return float(np.average([trip.mean_ms for trip in answered], weights=[t.answered for t in answered]))


def _srtt_ms(run: ReadOnce) -> float:
    """Mean of the kernel's smoothed RTT over the samples of all flows that have one."""
    samples = run.series("flows")
    known = samples.filter(samples["srtt_us"] > 0)["srtt_us"].to_numpy()
    return float(np.mean(known)) / 1e3 if known.size else math.nan


def _failed(run: ReadOnce, warnings: Sequence[str]) -> list[str]:
    """Those of the warnings that say that a flow failed."""
    names = [flow["name"] for flow in run.flow_reports if flow["error"] or flow["connected_ns"] is None]
    starts = tuple(mark for name in names for mark in (f"flow {name}:", f"flow {name} "))
    return [warning for warning in warnings if starts and warning.startswith(starts)]


# What the manifest calls these; other keys stand as they are.
_NAMES = {
    "run": "run",
    "name": "scenario",
    "seed": "seed",
    "format": "version of the folder's layout",
    "airtcp_version": "airtcp",
    "model_version": "version of the air's model",
    "plan_sha256": "SHA-256 of the plan",
    "library_sha256": "SHA-256 of the guest library",
    "agent_sha256": "SHA-256 of the agent",
    "kernel.release": "kernel",
    "kernel.series": "kernel series",
    "kernel.source": "kernel source",
    "kernel.recipe": "hash of its patches and configuration",
    "kernel.compiler": "compiler of the kernel",
    "kernel.id": "hash of the kernel",
    "kernel.abi": "version of its border to the library",
    "frame_hash": "hash of all frames and their times",
    "virtual_s": "virtual time [s]",
    "wall_s": "computed in [s]",
    "cpu_s": "CPU time [s]",
    "first_frame_cpu_s": "CPU time until the first frame [s]",
}


def _provenance(manifest: Mapping[str, Any]) -> list[list[str]]:
    """What made the run, by names; checksums of files last."""
    leaves = _leaves(manifest)
    sums = [
        [f"SHA-256 of {key.removeprefix('sha256.')}", value] for key, value in leaves if key[:7] == "sha256."
    ]
    return [*([_NAMES.get(key, key), value] for key, value in leaves if key[:7] != "sha256."), *sums]


def _leaves(value: Any, at: str = "") -> list[list[str]]:
    if isinstance(value, dict):
        return [leaf for key, part in value.items() for leaf in _leaves(part, f"{at}.{key}".lstrip("."))]
    return [[at, str(value)]]
