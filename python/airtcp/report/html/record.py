"""What a page shows of one run: a row in the list of runs, and the details that open when asked for."""

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airtcp.data.read_once import NotRecorded, ReadOnce
from airtcp.metrics.control import LIMITERS
from airtcp.plots.floor_map import floor_map_svg
from airtcp.plots.time_series import Panel
from airtcp.quantities.flows import out_of_control
from airtcp.quantities.named_number import numbers_named
from airtcp.quantities.registry import COMPARED
from airtcp.quantities.run_view import RunView
from airtcp.report.airtime import airtime_table
from airtcp.report.html.columns import columns_of
from airtcp.report.run.crowd import Crowd
from airtcp.report.run.few_lines import few_lines, with_quartiles
from airtcp.report.run.figure import quantity_panels
from airtcp.report.run.map import has_map, run_map
from airtcp.report.run.report import run_tables
from airtcp.report.run.stacks import airtime_panels
from airtcp.report.run.warnings import run_warnings

# What is drawn of a run, from the top; what it did not record is left out.
SHOWN = (
    "throughput",
    "cwnd",
    "srtt",
    "rtt",
    "datagram_delay",
    "video_buffer",
    "video_rate",
    "backlog",
    "station_queue",
    "phy_rate",
    "retries",
)


# Of flows that were not in control, so many have their numbers in the list of runs; of more, so many have
# their names there.
DOUBTS_MOST, NAMES_MOST = 2, 3


@dataclass(frozen=True)
class Record:
    """The row of a run. `numbers` are by names of quantities; NaN where it has none, and `lacking` says why.

    `out_of_control` and `failed` name the flows, and why.
    """

    folder: str
    run: str
    plan_name: str
    seed: int
    ccas: tuple[str, ...]
    numbers: Mapping[str, float]
    lacking: Mapping[str, str]
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


def doubts(record: Record) -> list[str]:
    """Why flows were not in control: of a few each with its numbers, of many the flows of each limiter."""
    if len(record.out_of_control) <= DOUBTS_MOST:
        return list(record.out_of_control)
    flows: dict[str, list[str]] = {}
    for doubt in record.out_of_control:
        flow, _, why = doubt.partition(": ")
        # The first reason is the one that weighs most.
        limiter = next((name for name in LIMITERS.values() if why.startswith(name)), why)
        flows.setdefault(limiter, []).append(flow)
    return [f"{limiter} ({_some(names)})" for limiter, names in flows.items()]


def _some(names: Sequence[str]) -> str:
    if len(names) <= NAMES_MOST + 1:
        return ", ".join(names)
    return f"{', '.join(names[:NAMES_MOST])} and {len(names) - NAMES_MOST} more"


def record_of(run: ReadOnce, values: Sequence[str] = COMPARED) -> Record:
    """The row of a run, with the numbers of these names."""
    view = RunView.while_flows_ran(run)
    numbers = {one.name: one.of(view) for one in numbers_named(values, "--values")}
    warnings = run_warnings(run)
    failed = _failed(run, warnings)
    return Record(
        folder=str(run.folder),
        run=str(run.manifest.get("run", run.name)),
        plan_name=str(run.plan["name"]),
        seed=int(run.plan["seed"]),
        ccas=tuple(dict.fromkeys(flow["congestion_control"] for flow in run.flow_reports)),
        numbers={name: one.value for name, one in numbers.items()},
        lacking={name: one.why for name, one in numbers.items() if one.why},
        control_known=run.plan["sampling"]["flows_interval_ns"] > 0 and bool(run.flow_plans),
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
    panels, notes = _panels(run)
    tables = [*run_tables(run), airtime_table(run.air_report["media"])]
    return {
        "name": run.name,
        "title": f"{run.plan['name']}, seed {run.plan['seed']} (run {run.name})",
        "doubts": [f"Not in control: {doubt}" for doubt in record.out_of_control],
        "warnings": run_warnings(run),
        "commands": [
            f"airtcp run {shlex.quote(f'{folder}/plan.json')} --store again",
            f"airtcp plot {shlex.quote(folder)} --what all",
            f"airtcp view {shlex.quote(folder)}",
        ],
        "same": _same(run),
        "hint": " ".join((_hint(points_most), *(note.replace("shaded", "dashed") for note in notes))),
        "tables": [
            {"title": t.title, "columns": list(t.columns), "left": list(t.left), "rows": t.rows}
            for t in tables
            if t.rows
        ],
        "series": columns_of(panels, run.end_ns / 1e9, points_most),
        "map": floor_map_svg(run_map(run)) if has_map(run) else "",
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
    hash_text = f", and frame_hash {frames} in its manifest.json" if frames else ""
    return f"With the same versions the new run folder has the same name, {run.name}{hash_text}."


def _hint(points_most: int) -> str:
    return (
        "Drag to choose a span of time; a double click shows everything. A line holds at most "
        f"{points_most} samples: the least and the largest of equal parts, so that no peak is lost."
    )


def _panels(run: ReadOnce) -> tuple[list[Panel], list[str]]:
    """What is drawn of a run, and how many lines became few."""
    panels: list[Panel] = []
    view = RunView(run)
    crowd = Crowd(view)
    for name in SHOWN:
        try:
            panels += quantity_panels(view, name)
        except NotRecorded:
            continue
    few, notes = few_lines(view, panels, crowd)
    return [*map(with_quartiles, few), *airtime_panels(view, crowd)], notes


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
