"""The plan of a run that other programs measured: the scenario's, with the traffic that the files tell of."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from airtcp.errors import AirtcpError, remedy_for
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.reading.toml_file import parse_toml, read_text
from airtcp.sources.samples import Samples
from airtcp.sources.sources_file import Source

# Lengths of repetitions differ by some milliseconds.
_STEP_NS = 100_000_000
# Programs that are late now and then have a mean interval of 10.03 ms where 10 ms were asked for.
_INTERVAL_DIGITS = 2
# What a model has in place of an unknown value (`airtcp fit`).
_MARK = "?"


@dataclass(frozen=True)
class Taken:
    """A source, and one repetition of what its file says."""

    source: Source
    file: Path
    samples: Samples


def scenario_plan(file: Path, changes: Mapping[str, Any]) -> Plan:
    """The plan of the scenario with these keys; unknown values (`"?"`) are left out."""
    tables = cast(dict[str, Any], _known(parse_toml(read_text(file), file)))
    for path, value in changes.items():
        assign(tables, path, value)
    return compile_scenario(scenario_from_tables(tables), file.parent)


def _known(value: Any) -> Any:
    """The tables without the keys whose value is unknown, and without recordings that are."""
    if isinstance(value, dict):
        return {key: _known(each) for key, each in value.items() if not _unknown(each)}
    if isinstance(value, list):
        return [_known(each) for each in value if not (isinstance(each, dict) and each.get("file") == _MARK)]
    return copy.deepcopy(value)


def _unknown(value: Any) -> bool:
    return isinstance(value, str) and (value.strip() == _MARK or f" {_MARK} " in value)


def measured_plan(plan: Plan, repetitions: Sequence[Sequence[Taken]]) -> Plan:
    """The plan of repetitions: only the traffic that has files, as long and as often as they say.

    All have the same plan but for the seed, or they would be no repetitions: lengths are the shortest, in
    whole steps.
    """
    made = copy.deepcopy(plan)
    by_name: dict[tuple[str, str], Samples] = {}
    for one in (one for taken in repetitions for one in taken):
        key = (one.source.target, str(one.source.flow or one.source.ping))
        if key not in by_name or one.samples.end_ns < by_name[key].end_ns:
            by_name[key] = one.samples
    made["flows"] = [flow for flow in made["flows"] if ("flow", flow["name"]) in by_name]
    made["pings"] = [ping for ping in made["pings"] if ("ping", ping["name"]) in by_name]
    made["datagrams"], made["programs"], made["captures"] = [], [], []
    ends = [0]
    for flow in made["flows"]:
        flow["stop_ns"] = flow["start_ns"] + _whole(by_name["flow", flow["name"]].end_ns)
        ends.append(flow["stop_ns"])
    for ping in made["pings"]:
        own = by_name["ping", ping["name"]]
        ping["interval_ns"] = max(1_000, int(float(f"{own.end_ns / len(own.rows):.{_INTERVAL_DIGITS}g}")))
        ping["stop_ns"] = ping["start_ns"] + _whole(own.end_ns)
        ends.append(ping["stop_ns"])
    made["duration_ns"] = max(ends)
    made["sampling"]["flows_interval_ns"] = (
        _interval_ns(repetitions[0]) or made["sampling"]["flows_interval_ns"]
    )
    made["ends_with"], made["ends_with_programs"] = [], []
    return made


def _whole(length_ns: int) -> int:
    """A length in whole steps, of which it has at least one."""
    return max(_STEP_NS, length_ns // _STEP_NS * _STEP_NS)


def _interval_ns(taken: Sequence[Taken]) -> int:
    """The usual time between two samples of flows."""
    steps = [
        later["time_ns"] - before["time_ns"]
        for one in taken
        if one.source.flow
        for before, later in zip(one.samples.rows[:-1], one.samples.rows[1:], strict=True)
    ]
    # Whole milliseconds, as intervals of sampling are.
    return max(1, round(sorted(steps)[len(steps) // 2] / 1e6)) * 1_000_000 if steps else 0


def check_source(source: Source, plan: Plan, place: str) -> None:
    """Refuses a source of traffic or of a node that the scenario does not have."""
    names = {
        "flow": [flow["name"] for flow in plan["flows"]],
        "ping": [ping["name"] for ping in plan["pings"]],
        "node": [nic["node"] for nic in plan["air"]["nics"]],
    }[source.target]
    wanted = [str(source.flow or source.ping or source.node), *source.peers.values()]
    for name in wanted if source.target == "node" else wanted[:1]:
        if name not in names:
            what = f'the scenario has no {source.target} "{name}"'
            if source.target == "node":
                what = f'the scenario has no radio at a node "{name}"'
            raise AirtcpError(what, f"{place}.{source.target}", remedy_for(name, names))
