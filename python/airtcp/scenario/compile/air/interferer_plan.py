"""Sources of interference that are no Wi-Fi, as the plan has them."""

from collections.abc import Mapping
from typing import Any

from airtcp.plans.types.air_plan import PlanInterferer
from airtcp.scenario.compile.air.cell_plan import ResolvedCell
from airtcp.scenario.compile.network.topology import Topology
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.interferer import Interferer
from airtcp.scenario.keys.model import Scenario

_MOST_CENTRES = 1024  # more would make each hearing group's table long for nothing


def compile_interferers(
    scenario: Scenario, topology: Topology, cells: Mapping[str, ResolvedCell]
) -> list[PlanInterferer]:
    """Interferers as the plan has them."""
    return [
        _plan(f"interferer[{i}]", source, scenario, topology, cells)
        for i, source in enumerate(scenario.interferer)
    ]


def _plan(
    key: str,
    source: Interferer,
    scenario: Scenario,
    topology: Topology,
    cells: Mapping[str, ResolvedCell],
) -> PlanInterferer:
    centres = _centres_khz(key, source)
    _refuse_elsewhere(key, source, centres, cells)
    return {
        "name": source.name or source.kind,
        "power": _power(key, source, scenario, topology),
        "bandwidth_khz": source.bandwidth,
        "centres_khz": centres,
        "pattern": _pattern(key, source),
    }


def _centres_khz(key: str, source: Interferer) -> list[int]:
    first = 1000 * source.frequency
    last = first if source.last_frequency is None else 1000 * source.last_frequency
    if last < first:
        raise ScenarioError(
            f"{key}.last_frequency", "is below frequency", "Write the lowest one as frequency"
        )
    centres = list(range(first, last + 1, source.bandwidth))
    if len(centres) > _MOST_CENTRES:
        what = f"it hops over {len(centres)} centre frequencies"
        raise ScenarioError(f"{key}.bandwidth", what, f"Raise it: {_MOST_CENTRES} are possible")
    return centres


def _refuse_elsewhere(
    key: str, source: Interferer, centres_khz: list[int], cells: Mapping[str, ResolvedCell]
) -> None:
    """A source that no radio can meet is a misunderstanding."""
    half = source.bandwidth / 2
    channels = [cell.channel for cell in cells.values()]
    edges = [
        (1000 * (c.centre_mhz - c.width_mhz / 2), 1000 * (c.centre_mhz + c.width_mhz / 2)) for c in channels
    ]
    if any(centre - half < high and centre + half > low for low, high in edges for centre in centres_khz):
        return
    what = "has no effect: no channel of a cell overlaps it"
    raise ScenarioError(f"{key}.frequency", what, "Move it to a channel of a cell, or leave it out")


def _power(key: str, source: Interferer, scenario: Scenario, topology: Topology) -> dict[str, Any]:
    if source.rssi is not None:
        for name in ("tx_power", "position"):
            if getattr(source, name) is not None:
                raise ScenarioError(f"{key}.{name}", "has no effect with rssi", "Leave one of them out")
        return {"kind": "received", "levels": _levels(key, source, topology), "default_dbm": source.rssi}
    if source.rssi_at:
        raise ScenarioError(f"{key}.rssi_at", "needs rssi, for all other radios", 'Write rssi = "-60 dBm"')
    if scenario.channel.propagation == "rssi":
        what = 'is needed with propagation = "rssi", which knows no distances'
        raise ScenarioError(f"{key}.rssi", what, 'Write for example rssi = "-60 dBm"')
    if source.tx_power is None or source.position is None:
        missing = "tx_power" if source.tx_power is None else "position"
        raise ScenarioError(f"{key}.{missing}", "is missing", "Give tx_power and position, or rssi")
    place = [*source.position, *[0.0] * (3 - len(source.position))]
    if scenario.channel.propagation == "two_ray" and place[2] <= 0:
        what = "is on the ground, where both rays cancel"
        raise ScenarioError(
            f"{key}.position", what, 'Give the height as third coordinate: ["3 m", "0 m", "1 m"]'
        )
    return {"kind": "sent", "tx_power_dbm": source.tx_power, "position_m": place}


def _levels(key: str, source: Interferer, topology: Topology) -> list[dict[str, Any]]:
    levels: list[dict[str, Any]] = []
    for name, rssi in source.rssi_at.items():
        node = topology.node(name, f"{key}.rssi_at.{name}").name
        radios = [number for number, radio in enumerate(topology.radios) if radio.node == node]
        if not radios:
            what = f'"{name}" has no radio'
            raise ScenarioError(f"{key}.rssi_at.{name}", what, "Name an access point or a station")
        levels += [{"nic": number, "rssi_dbm": rssi} for number in radios]
    return levels


def _pattern(key: str, source: Interferer) -> dict[str, Any]:
    if source.off is not None:
        for name in ("period", "phase", "jitter"):
            if getattr(source, name) is not None:
                raise ScenarioError(f"{key}.{name}", "has no effect with off", "Leave one of them out")
        return {"kind": "random", "mean_on_ns": source.on, "mean_off_ns": source.off}
    if source.period is None:
        raise ScenarioError(f"{key}.period", "is missing", "Write period, or off for random bursts")
    jitter = source.jitter or 0
    if source.on + jitter > source.period:
        what = "is longer than the period" if not jitter else "and jitter together are longer than the period"
        raise ScenarioError(f"{key}.on", what, "Shorten it, or raise period")
    phase = source.phase or 0
    return {
        "kind": "periodic",
        "period_ns": source.period,
        "on_ns": source.on,
        "phase_ns": phase,
        "jitter_ns": jitter,
    }
