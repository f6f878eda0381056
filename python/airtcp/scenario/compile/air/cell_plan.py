"""Cells of a scenario with every value explicit, and as the plan has them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from airtcp.plans.types.air_plan import PlanAccess, PlanBeacon, PlanCell, PlanLinux
from airtcp.scenario.compile.air.legacy_protection import (
    check_basic_rates,
    default_basic_rates,
    default_group_rate,
    preamble_plan,
    protection_plan,
    slot_plan,
)
from airtcp.scenario.compile.air.radio_channel import radio_channel
from airtcp.scenario.errors import Refused, ScenarioError
from airtcp.scenario.keys.cell import WifiCell
from airtcp.scenario.keys.channel_access import (
    ACCESS_CATEGORIES,
    ap_edca_plan,
    dcf_plan,
    default_cw_min,
    edca_plan,
)
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.values.units import RATE
from airtcp.wifi.beacon import beacon_bytes
from airtcp.wifi.channel_numbers import RadioChannel
from airtcp.wifi.standard import GHZ_2_4, Standard, hr_dsss_rates_bps, standards, why_no_width


@dataclass(frozen=True)
class ResolvedCell:
    """A cell with its standard, place in the spectrum, and what 11b stations ask of it."""

    name: str
    number: int
    settings: WifiCell
    standard: Standard
    channel: RadioChannel
    slot: str
    protection: str
    basic_rates_bps: tuple[int, ...]

    @property
    def has_hr_dsss_rates(self) -> bool:
        """Whether the rates of 11b can be used."""
        return any(rate in hr_dsss_rates_bps() for rate in self.basic_rates_bps)

    def standard_of(self, node: str) -> Standard:
        """The standard of a radio."""
        own = self.settings.radio.get(node)
        return self.standard if own is None or own.standard is None else standards()[own.standard]

    def of_radio(self, node: str) -> "ResolvedCell":
        """The cell as a radio has it: with its own standard, and its part of the channel."""
        own, standard = self.settings.radio.get(node), self.standard_of(node)
        if own is None or (own.standard is None and own.width is None):
            return self
        given, band = self.channel.width_mhz if own.width is None else own.width, self.channel.band
        width_mhz = given if own.width else standard.widest_mhz(band, given)
        return replace(self, standard=standard, channel=replace(self.channel, width_mhz=width_mhz))

    @property
    def qos(self) -> bool:
        """Whether the cell has EDCA."""
        return self.standard.has_mcs if self.settings.qos is None else self.settings.qos


def resolve_cells(scenario: Scenario) -> dict[str, ResolvedCell]:
    """Every cell; what contradicts the standard or a neighbour is a `ScenarioError`."""
    channels = {name: radio_channel(name, cell) for name, cell in scenario.wifi.items()}
    old = {channels[name].primary_mhz for name, cell in scenario.wifi.items() if _has_11b(cell)}
    cells: dict[str, ResolvedCell] = {}
    for number, (name, cell) in enumerate(scenario.wifi.items()):
        there = channels[name].band == GHZ_2_4 and channels[name].primary_mhz in old
        cells[name] = _resolve((number, name, cell), channels[name], there)
    _check_slots(cells)
    return cells


def _has_11b(cell: WifiCell) -> bool:
    """Whether 11b stations are there, as far as the cell itself says."""
    by_radio = any(own.standard == "11b" for own in cell.radio.values())
    return cell.standard == "11b" or by_radio or cell.protection in ("cts_to_self", "rts_cts")


def _resolve(place: tuple[int, str, WifiCell], channel: RadioChannel, there: bool) -> ResolvedCell:
    number, name, cell = place
    standard = standards()[cell.standard]
    band = channel.band
    slot = at(f"wifi.{name}.slot", lambda: slot_plan(cell.slot, standard, band, there))
    wished = cell.protection
    protection = at(f"wifi.{name}.protection", lambda: protection_plan(wished, standard, band, there))
    basic = default_basic_rates(standard, band)
    if cell.basic_rates is not None:
        basic = tuple(sorted(set(cell.basic_rates)))
        at(f"wifi.{name}.basic_rates", lambda: check_basic_rates(basic, standard, band))
    resolved = ResolvedCell(name, number, cell, standard, channel, slot, protection, basic)
    check_generations(resolved)
    return resolved


def check_generations(cell: ResolvedCell) -> None:
    """Refuses radios with a standard or a width that the cell can't have."""
    for node, own in cell.settings.radio.items():
        key, standard = f"wifi.{cell.name}.radio.{node}", cell.standard_of(node)
        if own.standard is not None:
            _check_standard(cell, f"{key}.standard", standard)
        if own.width is None:
            continue
        reason = why_no_width(standard.format, own.width, cell.channel.band)
        if reason is not None:
            raise ScenarioError(f"{key}.width", reason, "Choose another width")
        if own.width > cell.channel.width_mhz:
            what = f"{own.width} MHz is wider than the cell, which has {cell.channel.width_mhz} MHz"
            raise ScenarioError(
                f"{key}.width", what, f'Set width = "{own.width} MHz" in the cell, or choose a narrower one'
            )


def _check_standard(cell: ResolvedCell, key: str, standard: Standard) -> None:
    band = cell.channel.band
    if band not in standard.bands:
        known = ", ".join(name for name, other in standards().items() if band in other.bands)
        raise ScenarioError(key, standard.band_sentence.format(band), f"Known at {band}: {known}")
    if "11ad" in (cell.standard.name, standard.name):
        return
    missing = [rate for rate in cell.basic_rates_bps if rate not in standard.by_band[band]["basic_rates_bps"]]
    if missing:
        what = f"a station of {standard.name} can't receive {RATE.text(missing[0])}, a basic rate of the cell"
        raise ScenarioError(key, what, "Choose basic_rates that all stations have, or another standard")


def _check_slots(cells: dict[str, ResolvedCell]) -> None:
    first: dict[int, ResolvedCell] = {}
    for cell in cells.values():
        other = first.setdefault(cell.channel.primary_mhz, cell)
        if other.slot != cell.slot:
            what = (
                f'the cell has the {cell.slot} slot, and "{other.name}" on its channel the {other.slot} one'
            )
            remedy = "Give cells on one channel the same slot, or other channels"
            raise ScenarioError(f"wifi.{cell.name}.slot", what, remedy)


_Made = TypeVar("_Made")


def at(key: str, make: Callable[[], _Made]) -> _Made:
    """What `make` makes; what it refuses is an error at `key`."""
    try:
        return make()
    except Refused as refused:
        raise refused.at(key) from None


def cell_plan(cell: ResolvedCell, linux: PlanLinux | None) -> PlanCell:
    """The cell in the plan; `linux`: its settings of mac80211."""
    settings, key = cell.settings, f"wifi.{cell.name}"
    channel, access = cell.channel, _access(cell)
    return {
        "name": cell.name,
        "kind": settings.kind,
        "standard": cell.standard.name,
        "channel": {
            "primary_mhz": channel.primary_mhz,
            "centre_mhz": channel.centre_mhz,
            "width_mhz": channel.width_mhz,
        },
        "bandwidth_operation": settings.bandwidth_operation,
        "slot": cell.slot,
        "short_preamble": at(f"{key}.preamble", lambda: preamble_plan(settings.preamble, channel.band)),
        "protection": cell.protection,
        "ht_protection": settings.ht_protection,
        "basic_rates_bps": list(cell.basic_rates_bps),
        "group_rate_bps": _group_rate(cell),
        "access": access,
        "ap_access": _ap_access(cell, access),
        "short_retry_limit": settings.short_retry_limit,
        "long_retry_limit": settings.long_retry_limit,
        "subframe_retry_limit": settings.subframe_retry_limit,
        "station_retry_limit": settings.station_retry_limit or settings.short_retry_limit,
        "rts_retry_limit": settings.rts_retry_limit,
        "block_ack_req_retry_limit": settings.block_ack_req_retry_limit,
        "txop_duration": settings.txop_duration and cell.standard.name in ("11ax", "11be"),
        "rts_threshold_bytes": settings.rts_threshold,
        "rts_threshold_us": settings.rts_duration_threshold,
        "rts_policy": settings.rts_policy,
        "beacon_access": _beacon_access(cell),
        "beacon": _beacon(cell),
        "linux": linux,
    }


def _group_rate(cell: ResolvedCell) -> int:
    rate, legal = cell.settings.group_rate, cell.basic_rates_bps
    if rate is None:
        return default_group_rate(legal)
    legal = legal or (default_group_rate(()),)
    if rate not in legal:
        known = ", ".join(RATE.text(one) for one in legal)
        what = f"{RATE.text(rate)} is not a basic rate of the cell (IEEE 802.11-2020, 10.6.6.3)"
        raise ScenarioError(f"wifi.{cell.name}.group_rate", what, f"Known: {known}")
    return rate


def _access(cell: ResolvedCell) -> list[PlanAccess]:
    settings, key = cell.settings, f"wifi.{cell.name}"
    cw_min = default_cw_min(cell.standard) if settings.cw_min is None else settings.cw_min
    if cw_min > settings.cw_max:
        what = f"cw_min ({cw_min}) is larger than cw_max ({settings.cw_max})"
        raise ScenarioError(f"{key}.cw_min", what, "Swap them")
    if not cell.qos:
        if cell.standard.has_mcs:
            what = f"a station of {cell.standard.name} is a QoS station: it has EDCA (IEEE 802.11-2020, 4.3)"
            raise ScenarioError(f"{key}.qos", what, "Leave it out")
        if settings.access:
            what = "the cell has DCF, without access categories"
            raise ScenarioError(f"{key}.access", what, "Set qos = true")
        return dcf_plan(cw_min, settings.cw_max)
    plan = edca_plan(cell.standard, (cw_min, settings.cw_max), settings.access)
    _check_windows(f"{key}.access", plan)
    return plan


def radio_access(cell: ResolvedCell, standard: str | None) -> list[PlanAccess] | None:
    """Channel access of a radio whose PHY is another than its cell's; `None`: as its cell.

    With EDCA its access point says what holds. With DCF aCWmin is that of its own PHY (IEEE 802.11-2020,
    tables 16-4 and 18-5).
    """
    settings = cell.settings
    # mac80211 sets 15 for every radio of a BSS with ERP rates (`ieee80211_set_wmm_default`).
    if standard is None or cell.qos or settings.mac == "linux" or settings.cw_min is not None:
        return None
    return dcf_plan(default_cw_min(standards()[standard]), settings.cw_max)


def _ap_access(cell: ResolvedCell, announced: list[PlanAccess]) -> list[PlanAccess] | None:
    """What the access point itself uses, if that may differ from its stations."""
    settings, key = cell.settings, f"wifi.{cell.name}.ap_access"
    if settings.ap_access and settings.kind != "infrastructure":
        raise ScenarioError(key, f"a cell of kind {settings.kind} has no access point", "Use access")
    if not cell.qos:
        if settings.ap_access:
            what = "the cell has DCF, without access categories"
            raise ScenarioError(key, what, "Set qos = true")
        return None
    if settings.kind != "infrastructure":
        return None
    given = "cw_max" in settings.model_fields_set
    plan = ap_edca_plan(announced, settings.access, settings.ap_access, cw_max_given=given)
    _check_windows(key, plan)
    return plan


def _check_windows(key: str, plan: list[PlanAccess]) -> None:
    for category, entry in zip(ACCESS_CATEGORIES, plan, strict=True):
        if entry["cw_min"] > entry["cw_max"]:
            what = f"cw_min ({entry['cw_min']}) is larger than cw_max ({entry['cw_max']})"
            raise ScenarioError(f"{key}.{category}.cw_min", what, "Swap them")


def _beacon_access(cell: ResolvedCell) -> Literal["pifs", "edca"]:
    given = cell.settings.beacon_access
    if cell.settings.kind != "ibss":
        return given or "pifs"
    if given == "pifs":
        what = "stations of an IBSS send beacons in turn, by chance (IEEE 802.11-2020, 11.1.3.5)"
        raise ScenarioError(f"wifi.{cell.name}.beacon_access", what, "Leave it out")
    return "edca"


def _beacon(cell: ResolvedCell) -> PlanBeacon | None:
    settings, standard = cell.settings, cell.standard
    if settings.mac == "linux":
        return None
    if standard.name == "11ad":
        if settings.beacons:
            what = "beacons of 11ad go through all sectors of the antenna, which is not modelled"
            raise ScenarioError(f"wifi.{cell.name}.beacons", what, "Leave it out")
        return None
    if not (standard.has_mcs if settings.beacons is None else settings.beacons):
        for field in ("beacon_interval", "beacon_length", "beacon_access"):
            if field in settings.model_fields_set:
                raise ScenarioError(
                    f"wifi.{cell.name}.{field}", "has no effect without beacons", "Set beacons = true"
                )
        return None
    is_mesh = settings.kind == "mesh"
    length = settings.beacon_length
    if length is None:
        length = beacon_bytes(cell.name, standard, cell.channel.band, cell.qos, is_mesh)
    return {"interval_us": settings.beacon_interval, "bytes": length}
