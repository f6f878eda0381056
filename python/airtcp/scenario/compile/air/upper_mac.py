"""What each of the two upper halves of the MAC does without: refused, with what there is in its place."""

from collections.abc import Mapping

from airtcp.scenario.compile.air.cell_plan import ResolvedCell
from airtcp.scenario.compile.air.linux_plan import others_of_network
from airtcp.scenario.compile.air.linux_rate import linux_rate_control
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.linux_cell import LinuxSettings
from airtcp.scenario.keys.rate_control import Kernel
from airtcp.wifi.standard import GHZ_6, phy_options

_OWN_QUEUES = "Use txq, aql, airtime_fairness and prefetch"
# Settings of radios that are airtcp's own MAC's, and what mac80211 has in their place.
_OF_OWN_RADIOS = {
    "nic_queue": ("the queues are mac80211's", _OWN_QUEUES),
    "backpressure": ("mac80211 never stops the queue above", _OWN_QUEUES),
    "bql": ("mac80211 has no byte queue limits", "Use aql"),
    "delivery": ("mac80211 is given an aggregate at its end", "Leave it out"),
    "pacing_shift": ("mac80211 sets its own, 7", "Leave it out"),
}
# The same of cells.
_OF_OWN_CELLS = {
    "ht_protection": ("mac80211 and hostapd decide about it", "Leave it out"),
    "route": ("mac80211 finds its routes itself, by HWMP", "Leave it out"),
    "peerings": ("mesh stations of mac80211 find their peers", "Part them by [[channel.link]] instead"),
    "protection": ("mac80211 and hostapd decide about it", "Leave it out"),
    "beacons": ("access points of mac80211 always send them", "Leave it out"),
    "beacon_length": ("beacons are frames of mac80211 with their own length", "Leave it out"),
}
# Where there is no access point nobody announces channel access, and the kernel's own holds.
_OF_ACCESS_POINTS = ("access", "cw_min", "cw_max", "uapsd", "dtim", "power_save")


def check_upper_mac(cell: ResolvedCell, cells: Mapping[str, ResolvedCell]) -> None:
    """Refuses what the cell's upper MAC does not have."""
    if cell.settings.mac == "airtcp":
        _check_own(cell)
        return
    _check_standard(cell)
    _check_settings(cell)
    _check_rts(cell)
    _check_kind(cell)
    if cell.settings.setup == "programs":
        _check_left_to_programs(cell)
    elif not cell.settings.stations and not cell.settings.bss and not others_of_network(cell, cells):
        what = "a cell has at least one station, or an ssid from whose other cells stations roam to it"
        raise ScenarioError(f"wifi.{cell.name}.stations", what, "Name a station, or share an ssid")
    securities = {f"bss[{number}].": bss.security for number, bss in enumerate(cell.settings.bss)}
    for inside, security in {"": cell.settings.security, **securities}.items():
        if security == "wpa2" and cell.channel.band == GHZ_6:
            what = "there is no WPA2 at 6 GHz (IEEE 802.11ax-2021, 12.12.2)"
            raise ScenarioError(f"wifi.{cell.name}.{inside}security", what, 'Write "wpa3"')


def _check_own(cell: ResolvedCell) -> None:
    settings, key = cell.settings, f"wifi.{cell.name}"
    for field in LinuxSettings.model_fields:
        if field in settings.model_fields_set:
            what = "has no effect with airtcp's own MAC"
            raise ScenarioError(f"{key}.{field}", what, 'Set mac = "linux", or leave it out')
    if settings.kind == "ibss":
        what = "airtcp's own MAC has no IBSS"
        raise ScenarioError(f"{key}.kind", what, 'Set mac = "linux", or kind = "mesh"')
    if not settings.stations:
        raise ScenarioError(f"{key}.stations", "a cell has at least one station", "Name it")
    own = {f"radio.{node}.rate": radio.rate for node, radio in settings.radio.items()}
    for field, rate in {"rate": settings.rate, **own}.items():
        if isinstance(rate, Kernel):
            what = "airtcp's own MAC has its own rate controls"
            raise ScenarioError(f"{key}.{field}", what, 'Set mac = "linux", or write "minstrel_ht"')


def _check_standard(cell: ResolvedCell) -> None:
    key, name = f"wifi.{cell.name}", cell.standard.name
    if name == "11ad":
        raise ScenarioError(f"{key}.standard", "mac80211 has no 11ad", "Choose another standard")
    if name == "11be":
        what = "11be in mac80211 is made of links (MLO), and hostapd 2.10 has none"
        raise ScenarioError(f"{key}.standard", what, 'Write "11ax", or mac = "airtcp"')
    for node, own in cell.settings.radio.items():
        inside = f"{key}.radio.{node}"
        if own.standard == "11be":
            what = "11be in mac80211 is made of links (MLO), which are not modelled"
            raise ScenarioError(f"{inside}.standard", what, 'Write "11ax", or mac = "airtcp"')
        for field in ("standard", "width"):
            if getattr(own, field) is not None and cell.settings.kind != "infrastructure":
                what = f"radios of one {cell.settings.kind} of mac80211 have one {field}"
                raise ScenarioError(f"{inside}.{field}", what, f"Set {field} of [{key}]")


def _check_settings(cell: ResolvedCell) -> None:
    settings, key = cell.settings, f"wifi.{cell.name}"
    owners = {"": settings, **{f"radio.{node}.": own for node, own in settings.radio.items()}}
    options = {
        name: (f"mac80211 does not say which {option['term']} it uses", "Leave it out")
        for name, option in phy_options().items()
    }
    for inside, owner in owners.items():
        for field, (what, remedy) in (_OF_OWN_RADIOS | options).items():
            if field in owner.model_fields_set:
                raise ScenarioError(f"{key}.{inside}{field}", what, remedy)
        if owner.aggregation is not None and owner.aggregation.amsdu:
            what = "mac80211 builds A-MSDUs only for drivers that ask for it"
            raise ScenarioError(f"{key}.{inside}aggregation.amsdu", what, "Leave it out")
    for field, (what, remedy) in _OF_OWN_CELLS.items():
        if field in settings.model_fields_set:
            raise ScenarioError(f"{key}.{field}", what, remedy)
    slowest = min(cell.basic_rates_bps, default=0)
    if settings.group_rate is not None and settings.group_rate != slowest:
        what = "mac80211 sends to groups at the slowest basic rate"
        raise ScenarioError(f"{key}.group_rate", what, "Leave it out, or choose basic_rates")


def _check_rts(cell: ResolvedCell) -> None:
    """The kernel's rate control says itself what begins with RTS (`rate_fixup_ratelist` of mac80211)."""
    if linux_rate_control(cell) != "kernel":
        return
    for field, default in (("rts_policy", "rate_control"), ("rts_duration_threshold", None)):
        if getattr(cell.settings, field) != default:
            what = "the kernel's rate control says which frames begin with RTS"
            remedy = "Leave it out, or choose a rate control of airtcp's"
            raise ScenarioError(f"wifi.{cell.name}.{field}", what, remedy)


def _check_left_to_programs(cell: ResolvedCell) -> None:
    key = f"wifi.{cell.name}"
    if cell.settings.kind != "infrastructure":
        raise ScenarioError(f"{key}.kind", "programs choose it themselves", "Leave it out")
    for field in ("access_point", "security", "passphrase", "bss", "hostapd", "wpa_supplicant"):
        if field in cell.settings.model_fields_set:
            what = "has no effect: programs set up the network"
            raise ScenarioError(f"{key}.{field}", what, "Leave it out")


def _check_kind(cell: ResolvedCell) -> None:
    settings, key = cell.settings, f"wifi.{cell.name}"
    if settings.kind == "infrastructure":
        return
    name = "a mesh" if settings.kind == "mesh" else "an IBSS"
    if settings.security != "open" or settings.setup == "daemons":
        field = "security" if settings.security != "open" else "setup"
        what = f"{name} is set up directly, and open"
        raise ScenarioError(f"{key}.{field}", what, "Leave it out")
    for field in (*_OF_ACCESS_POINTS, "bss", "hostapd", "wpa_supplicant"):
        if field in settings.model_fields_set:
            raise ScenarioError(f"{key}.{field}", f"{name} has no access point", "Leave it out")
    if settings.kind == "ibss" and cell.standard.name == "11ax":
        what = "mac80211 has no HE in an IBSS"
        raise ScenarioError(f"{key}.standard", what, 'Write "11ac", or kind = "mesh"')
