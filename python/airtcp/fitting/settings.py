"""Measured runs by what they are about: traffic, and what was varied between them. Others are repetitions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.data.find_runs import find_runs
from airtcp.data.read_once import ReadOnce, open_once
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from airtcp.plans.flat import Value, flatten

# What a virtual run has from the measured one, whatever the model says.
TRAFFIC = ("flows", "pings", "datagrams", "duration_ns", "ends_with")
# Neither traffic nor the network: names, repetition, observation, and programs, which have no model.
_APART = (
    "version", "name", "seed", "sampling", "captures", "programs", "files", "session", "ends_with_programs",
    "date_s", "epoch_ns", "memory_mib",
)  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """Measured runs of one plan but for the seed; `varied` are keys of the network that runs differ in."""

    label: str
    plan: Mapping[str, Any]
    folders: tuple[Path, ...]
    varied: Mapping[str, Value]


def settings_of(places: Sequence[Path]) -> list[Setting]:
    """The settings of all measured runs in these folders; a run that can't be read is an `AirtcpError`."""
    groups: dict[str, tuple[dict[str, Any], list[Path]]] = {}
    for folder in find_runs(list(places)):
        plan = open_run(folder).plan
        about = {key: value for key, value in plan.items() if key not in _APART}
        groups.setdefault(json.dumps(about, sort_keys=True), (plan, []))[1].append(folder)
    flat = [
        flatten({k: v for k, v in plan.items() if k not in (*_APART, *TRAFFIC)})
        for plan, _ in groups.values()
    ]
    varied = _varied(flat)
    settings = []
    for (plan, folders), leaves in zip(groups.values(), flat, strict=True):
        if not plan["flows"] and not plan["pings"]:
            raise AirtcpError("has no flow and no ping", str(folders[0]), "Measure with [[flow]] or [[ping]]")
        chosen = {key: leaves[key] for key in varied if key in leaves}
        settings.append(Setting(_label(plan, chosen), plan, tuple(folders), chosen))
    return settings


def runs_of(settings: Sequence[Setting]) -> Iterator[ReadOnce]:
    """The measured runs of these settings, each opened when its turn comes."""
    return (open_once(folder) for setting in settings for folder in setting.folders)


def _varied(flat: Sequence[Mapping[str, Value]]) -> list[str]:
    keys = dict.fromkeys(key for leaves in flat for key in leaves)
    absent = object()
    return [key for key in keys if len({leaves.get(key, absent) for leaves in flat}) > 1]


def _label(plan: Mapping[str, Any], varied: Mapping[str, Value]) -> str:
    """What people call it: its flows by congestion control, and what was varied."""
    ccas = [str(flow["congestion_control"]) for flow in plan["flows"]]
    counts = [f"{ccas.count(cca)} {cca}" if ccas.count(cca) > 1 else cca for cca in dict.fromkeys(ccas)]
    values = [f"{key.split('.')[-1]} {value}" for key, value in varied.items()]
    return ", ".join([" and ".join(counts) or "pings", *dict.fromkeys(values[:3])])
