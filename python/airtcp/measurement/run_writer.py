"""Writes the run folder of a measurement."""

import errno
import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.measurement.merged_report import merged_report
from airtcp.measurement.merged_series import merged_series
from airtcp.measurement.node_records import NodeRecords
from airtcp.measurement.program_connections import program_connections
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import plan_text
from airtcp.version import __version__

# Version of the run folder's layout, as the runner's (`crates/runner/src/seal.rs`).
FORMAT = 1
# Files of an agent that go to the run folder, by folder.
_KEPT = ("pcap", "programs")


@dataclass(frozen=True)
class Measured:
    """A run that was measured."""

    plan: Plan
    """Plan of the scenario, with the scenario's own addresses."""
    records: Mapping[str, NodeRecords]
    """Records of the nodes that could be collected."""
    begun_s: float
    """Traffic time zero: seconds since 1970."""
    end_ns: int
    """End of the run in nanoseconds from the epoch."""
    settings: Mapping[str, Any]
    """What was changed, and what differs from the scenario: for the manifest."""
    warnings: Sequence[str]


def write_run(measured: Measured, work: Path, store: Path) -> Path:
    """Writes the run as the folder `work`, moves that into the store, whole, and returns its place there."""
    (work / "series").mkdir(parents=True)
    text = plan_text(measured.plan)
    (work / "plan.json").write_text(text, encoding="utf-8")
    connections = program_connections(measured.plan, measured.records)
    for name, frame in merged_series(measured.plan, measured.records, connections):
        frame.write_parquet(work / "series" / f"{name}.parquet", compression="snappy")
    left_out = _keep_files(measured, work)
    warnings = [*measured.warnings, *left_out]
    agent = merged_report(measured.plan, measured.records, measured.end_ns, warnings)
    # Nothing measures the air: its counters are the radios' own.
    air = {"end_ns": measured.end_ns, "nics": [], "media": []}
    sockets = {"flows": [connection.report() for connection in connections], "unseen": 0}
    _write_json(work / "summary.json", {"agent": agent, "air": air, "sockets": sockets})
    checksums = _checksums(work)
    manifest = _manifest(measured, hashlib.sha256(text.encode()).hexdigest(), checksums)
    _write_json(work / "manifest.json", manifest)
    return work.rename(store / str(manifest["run"]))


def _keep_files(measured: Measured, work: Path) -> list[str]:
    """Captures and what programs left, of which two may have one name; returns what was left out."""
    left_out = []
    for own in measured.records.values():
        for folder in _KEPT:
            root = own.folder / folder
            taken = {each.name for each in (work / folder).glob("*")}
            for file in (each for each in sorted(root.rglob("*")) if each.is_file()):
                first, *deeper = file.relative_to(root).parts
                name = f"{own.node}-{first}" if first in taken else first
                target = Path(work, folder, name, *deeper)
                try:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, target)
                except OSError as error:
                    if error.errno in (errno.ENOSPC, errno.EDQUOT):
                        raise
                    left_out.append(f"node {own.node}: {folder}/{first} was left out: {error.strerror}")
    return left_out


def _write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def _checksums(work: Path) -> dict[str, str]:
    names = ["plan.json", "summary.json"]
    names += [f"series/{file.name}" for file in sorted((work / "series").iterdir())]
    names += [str(file.relative_to(work)) for file in sorted((work / "pcap").rglob("*")) if file.is_file()]
    return {name: hashlib.sha256((work / name).read_bytes()).hexdigest() for name in names}


def _manifest(measured: Measured, plan_sha256: str, checksums: Mapping[str, str]) -> dict[str, Any]:
    machines = {
        node: {
            **own.facts.shown,
            "clock": {
                "error_us": own.clock.error_ns / 1e3,
                "drift_ppm": round(own.clock.drift_ppm, 3),
                "wall_clock_step_us": own.clock.steps_ns() / 1e3,
                "shared": own.clock.shared,
            },
        }
        for node, own in measured.records.items()
    }
    # No two measurements are the same run: what was measured is part of the name.
    identity = json.dumps([plan_sha256, checksums, measured.begun_s, machines], sort_keys=True)
    return {
        "format": FORMAT,
        "run": hashlib.sha256(identity.encode()).hexdigest()[:16],
        "name": measured.plan["name"],
        "seed": measured.plan["seed"],
        "airtcp_version": __version__,
        "plan_sha256": plan_sha256,
        "virtual_s": measured.end_ns / 1e9,
        "wall_s": measured.end_ns / 1e9,
        "measured": {"begun_s": round(measured.begun_s, 3), "machines": machines, **measured.settings},
        "sha256": checksums,
    }
