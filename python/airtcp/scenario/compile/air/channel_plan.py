"""The channel of a scenario, as the plan has it."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from airtcp.plans.types.air_plan import (
    PlanChannel,
    PlanLinkLoss,
    PlanLinkTrace,
    PlanPropagation,
    PlanReception,
)
from airtcp.scenario.compile.air.cell_plan import ResolvedCell
from airtcp.scenario.compile.air.interferer_plan import compile_interferers
from airtcp.scenario.compile.air.tapped_fading import SPEED_OF_LIGHT_M_PER_S
from airtcp.scenario.compile.network.topology import A_PART, Topology, exchange_frames
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.channel import PROPAGATIONS, Channel
from airtcp.scenario.keys.fading import fading_plan, shadowing_plan
from airtcp.scenario.keys.floor_plan import floor_plan
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.trace import read_points
from airtcp.scenario.keys.trace_file import check_repeat
from airtcp.wifi.standard import wifi_table

# IEEE 802.11-2020, 17.3.10.6 (OFDM) and table 20-3 (DMG, MCS 1).
_CARRIER_SENSE_DBM, _CARRIER_SENSE_DMG_DBM = -82.0, -68.0
# Energy detection in 20 MHz (17.3.10.6).
_ENERGY_DETECTION_DBM = -62.0
# Control PHY of DMG (table 20-3, MCS 0).
_SENSITIVITY_DMG_DBM = -78.0
# A preamble is detected from this SNR on in the primary 20 MHz: that of ns-3's
# `ThresholdPreambleDetectionModel`.
_PREAMBLE_SNR_DB = 4.0
_EXPONENTS = {"log_distance": 3.0, "multi_wall": 2.0}

Cells = Mapping[str, ResolvedCell]


def compile_channel(scenario: Scenario, topology: Topology, cells: Cells, folder: Path) -> PlanChannel:
    """The channel in the plan; `folder` is where recordings are looked for."""
    _refuse_without_effect(scenario.channel)
    channel = scenario.channel
    return {
        "propagation": _propagation(scenario, topology, cells),
        "shadowing": shadowing_plan(channel.shadowing),
        "fading": fading_plan(channel.fading),
        "traces": _traces(scenario, topology, folder),
        "reception": _reception(channel),
        "losses": _losses(scenario, topology),
        "interferers": compile_interferers(scenario, topology, cells),
        "capture_db": channel.capture,
        "carrier_sense_dbm": _carrier_sense_dbm(scenario, cells),
        "sensitivity_dbm": _sensitivity_dbm(scenario, cells),
        "energy_detection_dbm": _energy_detection_dbm(scenario, cells),
        "midpacket_detection_dbm": _midpacket_detection_dbm(scenario, cells),
        "preamble_detection_ns": channel.preamble_detection,
        "noise_figure_db": channel.noise_figure,
        "update_ns": channel.update,
    }


def _reception(channel: Channel) -> PlanReception:
    if channel.reception == "table":
        return {"kind": "table", "code": channel.code}
    return {"kind": channel.reception}


def _carrier_sense_dbm(scenario: Scenario, cells: Cells) -> float:
    if scenario.channel.carrier_sense is not None:
        return scenario.channel.carrier_sense
    return _CARRIER_SENSE_DMG_DBM if _only_dmg(cells) else _CARRIER_SENSE_DBM


def _sensitivity_dbm(scenario: Scenario, cells: Cells) -> float:
    channel = scenario.channel
    if channel.sensitivity is not None:
        return channel.sensitivity
    noise_dbm: float = wifi_table()["thermal_noise_20_mhz_dbm"]
    preamble_dbm = noise_dbm + channel.noise_figure + _PREAMBLE_SNR_DB
    lowest_dbm = _SENSITIVITY_DMG_DBM if _only_dmg(cells) else round(preamble_dbm, 2)
    return min(lowest_dbm, _carrier_sense_dbm(scenario, cells))


def _energy_detection_dbm(scenario: Scenario, cells: Cells) -> float:
    level, lowest = scenario.channel.energy_detection, _carrier_sense_dbm(scenario, cells)
    if level is None:
        return max(_ENERGY_DETECTION_DBM, lowest)
    if level < lowest:
        what = f"{level:g} dBm is below carrier_sense ({lowest:g} dBm), which is for weaker signals"
        raise ScenarioError("channel.energy_detection", what, "Raise it, or lower carrier_sense")
    return level


def _midpacket_detection_dbm(scenario: Scenario, cells: Cells) -> float:
    level, highest = scenario.channel.midpacket_detection, _energy_detection_dbm(scenario, cells)
    if level is not None and level > highest:
        what = f"{level:g} dBm is above energy_detection ({highest:g} dBm), from which on any signal counts"
        raise ScenarioError("channel.midpacket_detection", what, "Lower it, or leave it out")
    return highest if level is None else level


def _only_dmg(cells: Cells) -> bool:
    return bool(cells) and all(cell.standard.name == "11ad" for cell in cells.values())


def _refuse_without_effect(channel: Channel) -> None:
    """A key of another model of propagation is a misunderstanding."""
    used = PROPAGATIONS[channel.propagation]
    for model, keys in PROPAGATIONS.items():
        for key in keys:
            if key in channel.model_fields_set and key not in used:
                owners = " or ".join(f'"{name}"' for name, theirs in PROPAGATIONS.items() if key in theirs)
                what = f'has no effect with propagation = "{channel.propagation}"'
                raise ScenarioError(f"channel.{key}", what, f"Set propagation to {owners}, or leave it out")
        assert model in _MAKERS, "every model has its maker"
    if "code" in channel.model_fields_set and channel.reception != "table":
        raise ScenarioError(
            "channel.code", 'has no effect without reception = "table"', "Set it, or leave it out"
        )


def _propagation(scenario: Scenario, topology: Topology, cells: Cells) -> PlanPropagation:
    kind = scenario.channel.propagation
    if kind != "rssi":
        _refuse_rssi(scenario)
    return {"kind": kind, **_MAKERS[kind](scenario, topology, cells)}


def _refuse_rssi(scenario: Scenario) -> None:
    for name, cell in scenario.wifi.items():
        for node, radio in cell.radio.items():
            if radio.rssi is not None:
                key = f"wifi.{name}.radio.{node}.rssi"
                what = f'has no effect with propagation = "{scenario.channel.propagation}"'
                raise ScenarioError(key, what, 'Give position instead, or set propagation = "rssi"')


def _rssi(scenario: Scenario, topology: Topology, _: Cells) -> dict[str, Any]:
    numbers = {(radio.cell, radio.node): number for number, radio in enumerate(topology.radios)}
    levels: dict[tuple[int, int], float] = {}
    for i, pair in enumerate(scenario.channel.link):
        key = f"channel.link[{i}].between"
        ends = [radios_of(topology, name, key) for name in pair.between]
        for a in ends[0]:
            for b in ends[1]:
                if a == b:
                    raise ScenarioError(key, "both are one node", "Name two nodes")
                levels[min(a, b), max(a, b)] = pair.rssi
    for radio in topology.radios:
        own = scenario.wifi[radio.cell].radio.get(radio.node)
        if own is None or own.rssi is None:
            continue
        key = f"wifi.{radio.cell}.radio.{radio.node}.rssi"
        if radio.role != "station":
            raise ScenarioError(
                key, f"is {A_PART[radio.role]}'s", "Give rssi to stations, or use [[channel.link]]"
            )
        access_point = next(r for r in topology.radios if r.cell == radio.cell and r.access_point)
        a, b = numbers[radio.cell, access_point.node], numbers[radio.cell, radio.node]
        levels[min(a, b), max(a, b)] = own.rssi
    links = [{"a": a, "b": b, "rssi_dbm": level} for (a, b), level in sorted(levels.items())]
    return {"links": links, "default_dbm": scenario.channel.rssi}


def radios_of(topology: Topology, name: str, key: str) -> list[int]:
    """The numbers of a node's radios; none is an error at `key`."""
    node = topology.node(name, key)
    found = [number for number, radio in enumerate(topology.radios) if radio.node == node.name]
    if not found:
        raise ScenarioError(key, f'"{name}" has no radio', "Name an access point or a station")
    return found


def _log_distance(scenario: Scenario, _: Topology, cells: Cells) -> dict[str, Any]:
    channel = scenario.channel
    distance_m = channel.reference_distance
    return {
        "exponent": _exponent(channel),
        "reference_loss_db": _reference_loss_db(channel, cells, distance_m),
        "reference_distance_m": distance_m,
    }


def _multi_wall(scenario: Scenario, _: Topology, cells: Cells) -> dict[str, Any]:
    channel = scenario.channel
    return {
        "exponent": _exponent(channel),
        "reference_loss_db": _reference_loss_db(channel, cells, 1.0),
        "floor_plan": floor_plan(channel.wall, {cell.channel.band for cell in cells.values()}),
    }


def _exponent(channel: Channel) -> float:
    return _EXPONENTS[channel.propagation] if channel.exponent is None else channel.exponent


def _reference_loss_db(channel: Channel, cells: Cells, distance_m: float) -> float | None:
    """As given, else Friis: 20 log10(4 pi d f / c), rounded to 0.01 dB.

    Of cells on several frequencies each has its own (`None`): the model computes it.
    """
    if channel.reference_loss is not None:
        return channel.reference_loss
    frequencies = {cell.channel.centre_mhz for cell in cells.values()}
    if len(frequencies) > 1:
        return None
    hertz = 1e6 * (frequencies.pop() if frequencies else 2412)
    return round(20 * math.log10(4 * math.pi * distance_m * hertz / SPEED_OF_LIGHT_M_PER_S), 2)


def _two_ray(scenario: Scenario, _: Topology, __: Cells) -> dict[str, Any]:
    return {"permittivity": scenario.channel.permittivity}


def _itu_indoor(scenario: Scenario, _: Topology, __: Cells) -> dict[str, Any]:
    channel = scenario.channel
    return {
        "coefficient": channel.coefficient,
        "floor_loss_db": channel.floor_loss,
        "floor_height_m": channel.floor_height,
    }


def _free_space(_: Scenario, __: Topology, ___: Cells) -> dict[str, Any]:
    return {}


_MAKERS = {
    "rssi": _rssi,
    "free_space": _free_space,
    "log_distance": _log_distance,
    "two_ray": _two_ray,
    "itu_indoor": _itu_indoor,
    "multi_wall": _multi_wall,
}


def _links(topology: Topology, ends: tuple[str | None, str | None], key: str) -> list[tuple[int, int]]:
    """The directions of links that the ends name, between radios of one cell; `None` names everybody."""
    radios = topology.radios
    sides = [
        range(len(radios)) if name is None else radios_of(topology, name, f"{key}.{side}")
        for side, name in zip(("from", "to"), ends, strict=True)
    ]
    found = [(a, b) for a in sides[0] for b in sides[1] if exchange_frames(radios[a], radios[b])]
    if not found and None not in ends:
        what = f'"{ends[0]}" and "{ends[1]}" exchange no frames directly'
        raise ScenarioError(key, what, "Name an access point and one of its stations, or two of a mesh")
    return found


def _losses(scenario: Scenario, topology: Topology) -> list[PlanLinkLoss]:
    losses: dict[tuple[int, int], float] = {}
    for number, loss in enumerate(scenario.channel.loss):
        for link in _links(topology, (loss.from_, loss.to), f"channel.loss[{number}]"):
            losses[link] = loss.probability
    return [{"from": a, "to": b, "loss": probability} for (a, b), probability in sorted(losses.items())]


def _traces(scenario: Scenario, topology: Topology, folder: Path) -> list[PlanLinkTrace]:
    traces: list[PlanLinkTrace] = []
    for number, trace in enumerate(scenario.channel.trace):
        key = f"channel.trace[{number}]"
        points = read_points(folder / trace.file, f"{key}.file")
        if trace.repeat:
            check_repeat(points[-1]["time_ns"], key)
        for a, b in _links(topology, (trace.from_, trace.to), key):
            if any((a, b) == (other["from"], other["to"]) for other in traces):
                what = f'there is a recording from "{trace.from_}" to "{trace.to}" already'
                raise ScenarioError(key, what, "Keep one of them")
            traces.append({"from": a, "to": b, "repeat": trace.repeat, "points": points})
    return traces
