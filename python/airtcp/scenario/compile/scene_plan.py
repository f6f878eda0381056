"""The plan of a run without a guest: the air and its sources.

The types mirror `AirScene` of the plan crate, which is the contract.
"""

from typing import Any, TypedDict

from airtcp.kernels.table import DscpMap
from airtcp.plans.types.air_plan import PlanAir
from airtcp.scenario.compile.air.cell_plan import ResolvedCell, resolve_cells
from airtcp.scenario.compile.network.endpoints import Pair, pairs
from airtcp.scenario.compile.network.topology import Topology
from airtcp.scenario.compile.traffic.run_times import check_start, check_stop
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.channel_access import PRIORITIES
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.source import HEADERS_BYTES, Source
from airtcp.scenario.values.dscp import dscp_map_of, user_priority
from airtcp.scenario.values.units import AMOUNT

# `from` is a word of Python, hence the functional form.
PlanSource = TypedDict(
    "PlanSource",
    {
        "name": str,
        "from": int,
        "to": int,
        "frame_bytes": int,
        "priority": int,
        "pace": dict[str, Any],
        "start_ns": int,
        "end_ns": int,
    },
)


class ScenePlan(TypedDict):
    """Everything a run without a guest depends on, beside the model's version."""

    version: int
    name: str
    seed: int
    warmup_ns: int
    duration_ns: int
    air: PlanAir
    sources: list[PlanSource]


def compile_sources(scenario: Scenario, topology: Topology) -> list[PlanSource]:
    """The plan's sources; what they can't be is a `ScenarioError`."""
    cells = resolve_cells(scenario)
    dscp_map = dscp_map_of(scenario.kernel)
    planned: list[PlanSource] = []
    with_radio = {radio.node for radio in topology.radios}
    for pair in pairs("source", scenario.source, topology, with_radio.__contains__):
        source, key = pair.entry, pair.key
        a, b = _ends(topology, pair)
        check_start(scenario.duration, source.start, f"{key}.start")
        end_ns = scenario.duration if source.end is None else min(source.end, scenario.duration)
        check_stop(source.start, end_ns, f"{key}.end")
        planned.append(
            {
                "name": pair.name,
                "from": a,
                "to": b,
                "frame_bytes": _frame_bytes(scenario, source, key),
                "priority": _priority(source, cells[topology.radios[a].cell], dscp_map, key),
                "pace": _pace(source, key),
                "start_ns": source.start,
                "end_ns": end_ns,
            }
        )
    return planned


def _ends(topology: Topology, pair: Pair[Source]) -> tuple[int, int]:
    """The radios of both ends, in one cell."""
    sides = []
    key = pair.key
    for side, name in (("from", pair.from_), ("to", pair.to)):
        radios = [number for number, radio in enumerate(topology.radios) if radio.node == name]
        if not radios:
            what = f'"{name}" has no radio, and without a guest there are no wires'
            raise ScenarioError(f"{key}.{side}", what, "Name an access point or a station")
        sides.append(radios)
    for a in sides[0]:
        for b in sides[1]:
            if topology.radios[a].cell == topology.radios[b].cell:
                return a, b
    what = f'"{pair.from_}" and "{pair.to}" are in different cells, and without a guest nothing joins them'
    raise ScenarioError(key, what, "Name two nodes of one cell")


def _frame_bytes(scenario: Scenario, source: Source, key: str) -> int:
    most = scenario.mtu - (HEADERS_BYTES - 14)
    if source.payload > most:
        what = f"{AMOUNT.text(source.payload)} do not fit an IP packet of {scenario.mtu} bytes"
        raise ScenarioError(f"{key}.payload", what, f"Write at most {AMOUNT.text(most)}, or raise mtu")
    return source.payload + HEADERS_BYTES


def _priority(source: Source, cell: ResolvedCell, dscp_map: DscpMap, key: str) -> int:
    if source.dscp is not None and source.access_category is not None:
        raise ScenarioError(f"{key}.access_category", "dscp is given too", "Keep one of them")
    if not cell.qos:
        for field, value in (("dscp", source.dscp), ("access_category", source.access_category)):
            if value is not None:
                what = f'has no effect: "{cell.name}" has DCF, without access categories'
                raise ScenarioError(f"{key}.{field}", what, f"Set qos = true in wifi.{cell.name}")
        return 0
    if source.dscp is not None:
        return user_priority(source.dscp, dscp_map)
    return PRIORITIES[source.access_category or "best_effort"]


def _pace(source: Source, key: str) -> dict[str, Any]:
    if source.rate is None:
        return {"kind": "saturated"}
    interval_ns = round(source.payload * 8 * 1_000_000_000 / source.rate)
    if interval_ns < 1:
        raise ScenarioError(f"{key}.rate", "is more than one datagram per nanosecond", "Choose a lower rate")
    return {"kind": "cbr", "interval_ns": interval_ns}
