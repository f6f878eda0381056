"""Radio interfaces, as the plan has them."""

from collections.abc import Sequence
from typing import cast

from airtcp.plans.types.air_plan import PlanMeshRoute, PlanNic, PlanPhyOptions, PlanWaypoint
from airtcp.scenario.compile.air.cell_plan import ResolvedCell, at, radio_access
from airtcp.scenario.compile.air.inherited import LONGEST_PADDING_US, fitting
from airtcp.scenario.compile.air.nic_mode import (
    Emission,
    check_link,
    emission,
    link_guard_ns,
    setting_key,
)
from airtcp.scenario.compile.air.radio_channel import radio_channel
from airtcp.scenario.compile.air.tapped_fading import antennas, check_guard
from airtcp.scenario.compile.network.offloads import Merging, has_offloads, merges_in_radio
from airtcp.scenario.compile.network.topology import RadioPlace, Topology, exchange_frames
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.aggregation import aggregation_plan
from airtcp.scenario.keys.card import (
    Card,
    CardSettings,
    DriverFeatures,
    aggregation_of,
    card_of,
    card_plan,
    queue_of_driver,
)
from airtcp.scenario.keys.channel import PROPAGATIONS
from airtcp.scenario.keys.mesh import Hops, mesh_hops
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.nic_queue import Direct, Fifo, FqCodel, default_nic_queue, nic_queue_plan
from airtcp.scenario.keys.queue import QueueText, read_queue
from airtcp.scenario.keys.radio import Radio, RadioSettings
from airtcp.wifi.standard import standards

KERNEL_QUEUE = "1000 packets"  # txqueuelen of an Ethernet-like interface (Linux: DEFAULT_TX_QUEUE_LEN)


def radio_settings(scenario: Scenario, radio: RadioPlace) -> RadioSettings:
    """The settings of a radio: its own where it has any, else its cell's."""
    cell = scenario.wifi[radio.cell]
    own = cell.radio.get(radio.node)
    if own is None:
        return cell
    inherited = {name: getattr(cell, name) for name in RadioSettings.model_fields}
    if own.standard is not None:
        band = radio_channel(radio.cell, cell).band
        inherited |= fitting(cell, standards()[own.standard], band)
    return own.model_copy(update={k: v for k, v in inherited.items() if k not in own.model_fields_set})


def nic_queue(scenario: Scenario, radio: RadioPlace) -> Fifo | FqCodel | Direct:
    """The queue inside a radio; in mac80211 always its FQ-CoDel."""
    if scenario.wifi[radio.cell].mac == "linux":
        return FqCodel(kind="fq_codel")
    given = radio_settings(scenario, radio).nic_queue
    return given or default_nic_queue(standards()[scenario.wifi[radio.cell].standard])


def kernel_queue(scenario: Scenario, radio: RadioPlace) -> QueueText:
    """The kernel's queue above a radio."""
    settings = radio_settings(scenario, radio)
    inside = nic_queue(scenario, radio)
    fq_codel = isinstance(inside, FqCodel)
    if settings.queue is None:
        return read_queue("none" if fq_codel else KERNEL_QUEUE)
    if settings.queue.plan["kind"] == "none" and not fq_codel and settings.backpressure:
        own = scenario.wifi[radio.cell].radio.get(radio.node)
        inside_key = f"radio.{radio.node}." if own and "queue" in own.model_fields_set else ""
        what = "a full radio cannot stop a queue above it, for there is none: the kernel drops with an error"
        remedy = 'Give a queue, or set backpressure = false or nic_queue = "fq_codel"'
        raise ScenarioError(f"wifi.{radio.cell}.{inside_key}queue", what, remedy)
    return settings.queue


def nic_plans(scenario: Scenario, topology: Topology, cells: dict[str, ResolvedCell]) -> list[PlanNic]:
    """Every radio interface; what a radio or one of its links can't have is a `ScenarioError`."""
    radios = topology.radios
    _check_access_points(radios, cells)
    emissions = [emission(cells[radio.cell], radio.node, radio_settings(scenario, radio)) for radio in radios]
    _check_links(radios, cells, emissions)
    _check_guards(scenario, radios, cells, emissions)
    hops = {
        name: mesh_hops(name, cell.stations, cell.peerings, cell.route)
        for name, cell in scenario.wifi.items()
        if cell.kind == "mesh" and cell.mac == "airtcp"
    }
    planned: list[PlanNic] = []
    for radio, own in zip(radios, emissions, strict=True):
        routes = _routes(radio, radios, hops.get(radio.cell))
        nic = _nic(scenario, radio, cells[radio.cell], own, routes)
        is_host = has_offloads(scenario, radio.node, topology.nodes[radio.node].kind)
        planned.append({**nic, "gro": _merges(scenario, radio, cells[radio.cell], is_host)})
    return planned


def _check_access_points(radios: Sequence[RadioPlace], cells: dict[str, ResolvedCell]) -> None:
    for radio in radios:
        own = cells[radio.cell].settings.radio.get(radio.node)
        if radio.role != "access_point" or own is None:
            continue
        for field in ("standard", "width"):
            if getattr(own, field) not in (None, getattr(cells[radio.cell].settings, field)):
                what = f'"{radio.node}" is the access point, whose {field} is that of its cell'
                remedy = f"Set {field} of [wifi.{radio.cell}], and give stations that differ their own"
                raise ScenarioError(f"wifi.{radio.cell}.radio.{radio.node}.{field}", what, remedy)


def _merges(scenario: Scenario, radio: RadioPlace, cell: ResolvedCell, is_host: bool) -> bool:
    settings = radio_settings(scenario, radio)
    of_card = card_of(settings.card, cell.standard_of(radio.node)).gro
    key = setting_key(cell, radio.node, "gro")
    return merges_in_radio(Merging(settings.gro, of_card), is_host, scenario.offloads, key)


def _check_links(
    radios: Sequence[RadioPlace], cells: dict[str, ResolvedCell], emissions: Sequence[Emission]
) -> None:
    for radio, own in zip(radios, emissions, strict=True):
        for peer, other in zip(radios, emissions, strict=True):
            if exchange_frames(radio, peer):
                cell = cells[radio.cell]
                check_link(cell, (radio.node, own), (peer.node, other))


def _check_guards(
    scenario: Scenario,
    radios: Sequence[RadioPlace],
    cells: dict[str, ResolvedCell],
    emissions: Sequence[Emission],
) -> None:
    """Of two radios the longer guard interval holds."""
    both = list(zip(radios, emissions, strict=True))
    for name, cell in cells.items():
        guards_ns = {
            link_guard_ns(own, other)
            for radio, own in both
            for peer, other in both
            if radio.cell == name and exchange_frames(radio, peer)
        }
        check_guard(scenario.channel.fading, cell, sorted(guards_ns))


def _routes(radio: RadioPlace, radios: Sequence[RadioPlace], hops: Hops | None) -> list[PlanMeshRoute]:
    """Next hops to those that are not reached directly."""
    if hops is None:
        return []
    numbers = {other.node: number for number, other in enumerate(radios) if other.cell == radio.cell}
    return [
        {"to": numbers[to], "via": numbers[via]}
        for (at_node, to), via in sorted(hops.items(), key=lambda hop: numbers[hop[0][1]])
        if at_node == radio.node and via != to
    ]


def _nic(
    scenario: Scenario,
    radio: RadioPlace,
    cell: ResolvedCell,
    own: Emission,
    routes: list[PlanMeshRoute],
) -> PlanNic:
    settings = radio_settings(scenario, radio)
    inside = nic_queue(scenario, radio)
    aggregation_key = setting_key(cell, radio.node, "aggregation")
    bql = settings.bql if settings.bql is not None else not isinstance(inside, FqCodel)
    member = cell.of_radio(radio.node)
    card = card_of(settings.card, member.standard)
    given = CardSettings(
        settings.rx_interrupt, settings.tx_interrupt, settings.hardware_queue, settings.host_delay
    )
    tx_key = setting_key(cell, radio.node, "tx_interrupt")
    # mac80211 is given an aggregate at its end.
    preset = card.delivery if cell.settings.mac == "airtcp" else "ppdu_end"
    rx_copy = settings.rx_copy if settings.rx_copy is not None else cell.settings.mac == "airtcp"
    return {
        "node": radio.node,
        "mac": radio.interface.mac,
        "role": radio.role,
        "cell": cell.number,
        "standard": None if member.standard == cell.standard else member.standard.name,
        "width_mhz": None if member.channel == cell.channel else member.channel.width_mhz,
        "access": radio_access(cell, _own_standard(scenario, radio)),
        "streams": own.streams,
        "antennas": antennas(scenario, cell, radio.node, settings, own),
        "guard_ns": own.guard_ns,
        "nominal_packet_padding_us": _padding_us(member, radio.node, settings),
        "phy_options": cast(PlanPhyOptions, own.phy_options),
        "rate_control": own.rate_control,
        "queue": nic_queue_plan(queue_of_driver(inside, card), member.standard, scenario.kernel),
        "aggregation": None
        if not _may_aggregate(cell, member)
        else at(
            aggregation_key,
            lambda: aggregation_plan(
                settings.aggregation,
                member.standard,
                cell.channel.band,
                aggregation_of(card, cell.channel.band),
            ),
        ),
        "delivery": settings.delivery or preset,
        "card": card_plan(card, given, _driver_features(member, card), tx_key),
        "mesh_routes": routes,
        "tx_power_dbm": settings.tx_power,
        "position_m": _position(scenario, radio),
        "waypoints": _waypoints(scenario, radio),
        "backpressure": settings.backpressure,
        "bql": bql,
        "gro": False,
        "rx_copy": rx_copy,
        "pacing_shift": settings.pacing_shift,
    }


def _may_aggregate(cell: ResolvedCell, member: ResolvedCell) -> bool:
    """Not in a newer station of a cell without QoS: mac80211 uses no HT without WMM."""
    return member.standard == cell.standard or cell.qos


# Drivers of 11ax and 11be, for lack of a measurement: iwlwifi (iwl-nvm-parse.c: PPET16 0, PPET8 7), mt76
# (mt76_connac_mac.c, the same), rtw89 (fw.c) ask for it in every mode; Linux 6.12.
DEFAULT_PADDING = "16 us"


def _padding_us(cell: ResolvedCell, node: str, settings: RadioSettings) -> int:
    most = LONGEST_PADDING_US.get(cell.standard.name, 0)
    asked = settings.nominal_packet_padding or (DEFAULT_PADDING if most else "0 us")
    padding_us = int(asked.removesuffix(" us"))
    if padding_us > most:
        key = setting_key(cell, node, "nominal_packet_padding")
        what = f"PPDUs of {cell.standard.name} have no packet extension for {asked}"
        remedy = "Leave it out, or write " + (f'at most "{most} us"' if most else 'standard = "11ax"')
        raise ScenarioError(key, what, remedy)
    return padding_us


def _driver_features(cell: ResolvedCell, card: Card) -> DriverFeatures:
    """What a card's driver asks mac80211 for, where its cell does not say what holds."""
    if cell.settings.mac != "linux" or card == card_of("none", cell.standard):
        return DriverFeatures()
    said = cell.settings.model_fields_set
    return DriverFeatures(
        aql=None if "aql" in said else card.aql,
        airtime_fairness=None if "airtime_fairness" in said else card.airtime_fairness,
    )


def _own_standard(scenario: Scenario, radio: RadioPlace) -> str | None:
    own = _own(scenario, radio)
    return own.standard if own is not None else None


def _own(scenario: Scenario, radio: RadioPlace) -> Radio | None:
    return scenario.wifi[radio.cell].radio.get(radio.node)


def _refuse_without_places(scenario: Scenario, radio: RadioPlace, field: str) -> None:
    if scenario.channel.propagation == "rssi":
        key = f"wifi.{radio.cell}.radio.{radio.node}.{field}"
        models = ", ".join(name for name in PROPAGATIONS if name != "rssi")
        remedy = f"Set [channel] propagation to one of {models}; or give rssi instead"
        raise ScenarioError(key, 'has no effect with propagation = "rssi"', remedy)


def _place(scenario: Scenario, position: Sequence[float], key: str) -> list[float]:
    place = [*position, *[0.0] * (3 - len(position))]
    if scenario.channel.propagation == "two_ray" and place[2] <= 0:
        what = "is on the ground, where both rays cancel"
        raise ScenarioError(key, what, 'Give the height as third coordinate: ["3 m", "0 m", "1.5 m"]')
    return place


def _position(scenario: Scenario, radio: RadioPlace) -> list[float]:
    own = _own(scenario, radio)
    if own is not None and own.position is not None:
        _refuse_without_places(scenario, radio, "position")
    key = f"wifi.{radio.cell}.radio.{radio.node}.position"
    return _place(scenario, own.position if own and own.position else [], key)


def _waypoints(scenario: Scenario, radio: RadioPlace) -> list[PlanWaypoint]:
    own = _own(scenario, radio)
    if own is None or not own.waypoints:
        return []
    _refuse_without_places(scenario, radio, "waypoints")
    planned: list[PlanWaypoint] = []
    for number, waypoint in enumerate(own.waypoints):
        key = f"wifi.{radio.cell}.radio.{radio.node}.waypoints[{number}]"
        if planned and planned[-1]["time_ns"] >= waypoint.time:
            raise ScenarioError(f"{key}.time", "does not come after the one before", "Sort them by time")
        place = _place(scenario, waypoint.position, f"{key}.position")
        planned.append({"time_ns": waypoint.time, "position_m": place})
    return planned
