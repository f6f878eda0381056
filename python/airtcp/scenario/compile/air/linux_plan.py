"""Cells of mac80211, as the plan has them."""

from collections.abc import Mapping
from typing import Any

from airtcp.plans.types.air_plan import PlanLinux, PlanLinuxBss
from airtcp.scenario.compile.air.cell_plan import ResolvedCell
from airtcp.scenario.compile.air.linux_rate import linux_rate_control
from airtcp.scenario.compile.network.topology import Topology
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.cell import WifiCell
from airtcp.scenario.keys.linux_cell import BssSettings

TU_US = 1024
# What cfg80211 takes (`cfg80211_validate_beacon_int`).
BEACON_TU_LEAST, BEACON_TU_MOST = 10, 10_000

Cells = Mapping[str, ResolvedCell]


def network_name(cell: ResolvedCell) -> str:
    """The SSID."""
    return cell.settings.ssid or cell.name


def linux_plan(cell: ResolvedCell, cells: Cells, topology: Topology) -> PlanLinux | None:
    """What the cell has of mac80211; `None` with airtcp's own MAC."""
    if cell.settings.mac != "linux":
        return None
    settings = cell.settings
    return {
        "setup": _setup(cell, cells),
        "security": _security(settings, f"wifi.{cell.name}"),
        "ssid": network_name(cell),
        "rate_control": linux_rate_control(cell),
        "airtime_fairness": settings.airtime_fairness,
        "aql": settings.aql,
        "prefetch_ppdus": settings.prefetch,
        "beacon_tu": _beacon_tu(cell),
        "dtim": settings.dtim,
        "power_save": settings.power_save,
        "uapsd": settings.uapsd,
        "hardware_crypto": settings.hardware_crypto,
        "txq": {
            "limit_packets": settings.txq.packets,
            "memory_bytes": settings.txq.memory,
            "quantum_bytes": settings.txq.quantum,
        },
        "hostapd": settings.hostapd,
        "wpa_supplicant": settings.wpa_supplicant,
        "bss": _bss(cell, topology),
    }


def _security(settings: WifiCell | BssSettings, key: str) -> dict[str, Any]:
    if settings.security == "open" and "passphrase" in settings.model_fields_set:
        remedy = 'Write security = "wpa2" or "wpa3", or leave the passphrase out'
        raise ScenarioError(f"{key}.passphrase", "an open network has no passphrase", remedy)
    passphrase = {} if settings.security == "open" else {"passphrase": settings.passphrase}
    return {"kind": settings.security, **passphrase}


def _bss(cell: ResolvedCell, topology: Topology) -> list[PlanLinuxBss]:
    """The further networks on the radio of the cell's access point."""
    own = [(number, radio) for number, radio in enumerate(topology.radios) if radio.cell == cell.name]
    plans: list[PlanLinuxBss] = []
    for _, access_point in own:
        for number, interface in enumerate(access_point.bss_interfaces, 1):
            settings = cell.settings.bss[number - 1]
            bridge = topology.nodes[access_point.node].bridge_of(interface)
            plans.append(
                {
                    "interface": interface.name,
                    "ssid": settings.ssid,
                    "security": _security(settings, f"wifi.{cell.name}.bss[{number - 1}]"),
                    "bridge": bridge.name if bridge else "",
                    "isolated": settings.isolated,
                    "stations": [nic for nic, radio in own if radio.bss == number],
                }
            )
    return plans


def others_of_network(cell: ResolvedCell, cells: Cells) -> list[ResolvedCell]:
    """Cells of the other access points of a cell's network."""
    return [
        other
        for other in cells.values()
        if other is not cell
        and other.settings.mac == "linux"
        and other.settings.kind == "infrastructure"
        and other.settings.setup != "programs"
        and network_name(other) == network_name(cell)
    ]


def _setup(cell: ResolvedCell, cells: Cells) -> str:
    settings, key = cell.settings, f"wifi.{cell.name}"
    if settings.setup == "programs":
        return settings.setup
    others = others_of_network(cell, cells) if settings.kind == "infrastructure" else []
    needs: list[str] = []
    if settings.security != "open":
        needs.append(f'security = "{settings.security}"')
    if others:
        needs.append(f'roaming in the network "{network_name(cell)}"')
    needs += [name for name in ("hostapd", "wpa_supplicant", "bss") if getattr(settings, name)]
    setup = settings.setup or ("daemons" if needs else "direct")
    if setup == "direct" and needs:
        what = f"{needs[0]} needs hostapd and wpa_supplicant"
        raise ScenarioError(f"{key}.setup", what, 'Write setup = "daemons", or leave it out')
    for other in others:
        for field in ("security", "passphrase"):
            if getattr(other.settings, field) != getattr(settings, field):
                what = f'differs from that of "{other.name}", and both are the network "{network_name(cell)}"'
                raise ScenarioError(f"{key}.{field}", what, "Give both the same, or other ssids")
    return setup


def _beacon_tu(cell: ResolvedCell) -> int:
    interval_us = cell.settings.beacon_interval
    beacon_tu, rest = divmod(interval_us, TU_US)
    if rest or not BEACON_TU_LEAST <= beacon_tu <= BEACON_TU_MOST:
        what = f"{interval_us} us are no beacon interval of Linux: {BEACON_TU_LEAST} to {BEACON_TU_MOST} TU"
        raise ScenarioError(f"wifi.{cell.name}.beacon_interval", what, 'Write for example "100 TU"')
    return beacon_tu
