"""Cells, radios and channel of a scenario, as the plan has them."""

import math

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.known import PHYS
from airtcp.scenario.model import Scenario
from airtcp.scenario.plan import PlanAir, PlanCell, PlanChannel, PlanNic, PlanPropagation
from airtcp.scenario.topology import RadioPlace, Topology
from airtcp.scenario.units import RATE
from airtcp.scenario.wifi import RadioSettings, WifiCell

SPEED_OF_LIGHT_M_PER_S = 299_792_458.0  # exact by the SI


def compile_air(scenario: Scenario, topology: Topology) -> PlanAir:
    """The plan's radio side."""
    cells = list(scenario.wifi)
    return {
        "cells": [_cell(name, settings) for name, settings in scenario.wifi.items()],
        "nics": [_nic(scenario, radio, cells.index(radio.cell)) for radio in topology.radios],
        "channel": _channel(scenario, topology),
    }


def radio_setting(scenario: Scenario, radio: RadioPlace) -> RadioSettings:
    """The settings of a radio: its own where it has any, else its cell's."""
    cell = scenario.wifi[radio.cell]
    own = cell.radio.get(radio.node)
    if own is None:
        return cell
    inherited = {name: getattr(cell, name) for name in RadioSettings.model_fields}
    return own.model_copy(update={k: v for k, v in inherited.items() if k not in own.model_fields_set})


def frequency_mhz(name: str, cell: WifiCell) -> int:
    """Centre frequency of a cell's channel."""
    phy = PHYS[cell.standard]
    channel = phy.default_channel if cell.channel is None else cell.channel
    if channel not in phy.channels_mhz:
        known = ", ".join(str(number) for number in phy.channels_mhz)
        what = f"{channel} is not a channel of {cell.standard}"
        raise ScenarioError(f"wifi.{name}.channel", what, f"Known: {known}")
    return phy.channels_mhz[channel]


def _check_rate(cell: WifiCell, rate_bps: int, key: str) -> None:
    rates = PHYS[cell.standard].rates_bps
    if rate_bps not in rates:
        known = ", ".join(RATE.text(rate) for rate in rates)
        raise ScenarioError(key, f"{RATE.text(rate_bps)} is not a rate of {cell.standard}", f"Known: {known}")


def _cell(name: str, cell: WifiCell) -> PlanCell:
    for rate in cell.basic_rates:
        _check_rate(cell, rate, f"wifi.{name}.basic_rates")
    _check_rate(cell, cell.group_rate, f"wifi.{name}.group_rate")
    if cell.cw_min > cell.cw_max:
        what = f"cw_min ({cell.cw_min}) is larger than cw_max ({cell.cw_max})"
        raise ScenarioError(f"wifi.{name}.cw_min", what, "Swap them")
    return {
        "name": name,
        "standard": cell.standard,
        "frequency_mhz": frequency_mhz(name, cell),
        "basic_rates_bps": sorted(set(cell.basic_rates)),
        "group_rate_bps": cell.group_rate,
        "contention": {"cw_min": cell.cw_min, "cw_max": cell.cw_max, "retry_limit": cell.retry_limit},
    }


def _nic(scenario: Scenario, radio: RadioPlace, cell_number: int) -> PlanNic:
    cell = scenario.wifi[radio.cell]
    settings = radio_setting(scenario, radio)
    own = cell.radio.get(radio.node)
    at = f"radio.{radio.node}.rate" if own and "rate" in own.model_fields_set else "rate"
    key = f"wifi.{radio.cell}.{at}"
    _check_rate(cell, settings.rate, key)
    return {
        "node": radio.node,
        "mac": radio.interface.mac,
        "role": "access_point" if radio.access_point else "station",
        "cell": cell_number,
        "rate_bps": settings.rate,
        "tx_power_dbm": settings.tx_power,
        "position_m": _position(scenario, radio),
        "queue_packets": settings.nic_packets,
        "backpressure": settings.backpressure,
        "bql": settings.bql,
        "gro": settings.gro,
        "rx_copy": settings.rx_copy,
        "pacing_shift": settings.pacing_shift,
    }


def _position(scenario: Scenario, radio: RadioPlace) -> list[float]:
    own = scenario.wifi[radio.cell].radio.get(radio.node)
    given = own.position if own else None
    if given is not None and scenario.channel.propagation == "rssi":
        key = f"wifi.{radio.cell}.radio.{radio.node}.position"
        remedy = 'Set [channel] propagation = "log_distance", or give rssi instead'
        raise ScenarioError(key, 'has no effect with propagation = "rssi"', remedy)
    return [*given, *[0.0] * (3 - len(given))] if given else [0.0, 0.0, 0.0]


def _channel(scenario: Scenario, topology: Topology) -> PlanChannel:
    channel = scenario.channel
    table = {"kind": "per_table", "noise_figure_db": channel.noise_figure}
    by_rssi = channel.propagation == "rssi"
    return {
        "propagation": _rssi(scenario, topology) if by_rssi else _log_distance(scenario),
        "reception": {"kind": "ideal"} if channel.reception == "ideal" else table,
        "carrier_sense_dbm": channel.carrier_sense,
    }


def _rssi(scenario: Scenario, topology: Topology) -> PlanPropagation:
    numbers = {(radio.cell, radio.node): number for number, radio in enumerate(topology.radios)}
    levels: dict[tuple[int, int], float] = {}
    for i, pair in enumerate(scenario.channel.link):
        ends = [_radios_of(topology, name, f"channel.link[{i}].between") for name in pair.between]
        for a in ends[0]:
            for b in ends[1]:
                if a == b:
                    raise ScenarioError(f"channel.link[{i}].between", "both are one node", "Name two nodes")
                levels[min(a, b), max(a, b)] = pair.rssi
    for radio in topology.radios:
        own = scenario.wifi[radio.cell].radio.get(radio.node)
        if own is None or own.rssi is None:
            continue
        if radio.access_point:
            key = f"wifi.{radio.cell}.radio.{radio.node}.rssi"
            remedy = "Give rssi to stations, or use [[channel.link]]"
            raise ScenarioError(key, "is the access point's", remedy)
        access_point = next(r for r in topology.radios if r.cell == radio.cell and r.access_point)
        a, b = numbers[radio.cell, access_point.node], numbers[radio.cell, radio.node]
        levels[min(a, b), max(a, b)] = own.rssi
    links = [{"a": a, "b": b, "rssi_dbm": level} for (a, b), level in sorted(levels.items())]
    return {"kind": "rssi", "links": links, "default_dbm": scenario.channel.rssi}


def _radios_of(topology: Topology, name: str, key: str) -> list[int]:
    node = topology.node(name, key)
    found = [number for number, radio in enumerate(topology.radios) if radio.node == node.name]
    if not found:
        raise ScenarioError(key, f'"{name}" has no radio', "Name an access point or a station")
    return found


def _log_distance(scenario: Scenario) -> PlanPropagation:
    channel = scenario.channel
    for name, cell in scenario.wifi.items():
        for node, radio in cell.radio.items():
            if radio.rssi is not None:
                key = f"wifi.{name}.radio.{node}.rssi"
                remedy = 'Give position instead, or set propagation = "rssi"'
                raise ScenarioError(key, 'has no effect with propagation = "log_distance"', remedy)
    if channel.link:
        remedy = 'Give positions instead, or set propagation = "rssi"'
        raise ScenarioError("channel.link", 'has no effect with propagation = "log_distance"', remedy)
    loss = channel.reference_loss
    return {
        "kind": "log_distance",
        "exponent": channel.exponent,
        "reference_loss_db": _free_space_loss_db(scenario) if loss is None else loss,
        "reference_distance_m": channel.reference_distance,
    }


def _free_space_loss_db(scenario: Scenario) -> float:
    """Friis: 20 log10(4 pi d f / c), rounded to 0.01 dB."""
    frequencies = {frequency_mhz(name, cell) for name, cell in scenario.wifi.items()}
    if len(frequencies) > 1:
        what = "is needed: the cells are on several frequencies, with a different loss on each"
        raise ScenarioError("channel.reference_loss", what, 'Write for example reference_loss = "40 dB"')
    hertz = 1e6 * (frequencies.pop() if frequencies else 2412)
    ratio = 4 * math.pi * scenario.channel.reference_distance * hertz / SPEED_OF_LIGHT_M_PER_S
    return round(20 * math.log10(ratio), 2)
