"""PPDUs to several stations at once in the plan, and the cells that can't have them."""

from collections.abc import Iterable, Mapping

from airtcp.plans.types.air_plan import PlanMultiUser, PlanNic, PlanRandomAccess, PlanUplink
from airtcp.scenario.compile.air.cell_plan import ResolvedCell
from airtcp.scenario.compile.air.mu_edca_plan import mu_edca_plan
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.multi_user import RANDOM_RUS_MOST, MultiUserSettings, RandomAccessSettings

# What has resource units (IEEE 802.11ax-2021, 27.3.2; IEEE 802.11be, 36.3.2).
_WITH_RESOURCE_UNITS = ("11ax", "11be")
# Resource units of 26 tones by width, without those in the centres of 80 MHz (27.3.2.2).
_SMALLEST_RUS = {20: 9, 40: 18, 80: 36, 160: 72, 320: 144}
# Lines of hostapd and of a network of wpa_supplicant that switch 11ax off.
_WITHOUT_HE = (("ieee80211ax", "0"), ("disable_he", "1"))


def multi_user_plan(cell: ResolvedCell) -> PlanMultiUser | None:
    """What the plan has; `None`: every PPDU has one receiver. What can't be is a `ScenarioError`."""
    settings, key = cell.settings, f"wifi.{cell.name}.multi_user"
    if settings.multi_user is None:
        return None
    if settings.kind != "infrastructure":
        what = (
            f"only an access point sends to several stations at once; a cell of kind {settings.kind} has none"
        )
        raise ScenarioError(key, what, 'Set kind = "infrastructure", or leave multi_user out')
    if cell.standard.name not in _WITH_RESOURCE_UNITS:
        what = f"an access point of {cell.standard.name} has no resource units, which came with 11ax"
        raise ScenarioError(key, what, 'Set standard = "11ax" or "11be", or leave multi_user out')
    standards = [cell.standard_of(node).name for node in settings.stations]
    # Stations of other cells of mac80211 may roam to a cell that has none.
    if standards and not any(name in _WITH_RESOURCE_UNITS for name in standards):
        what = "no station of the cell is of 11ax or 11be, so none understands it"
        raise ScenarioError(key, what, "Give one station such a standard, or leave multi_user out")
    _check_daemons(cell)
    given = settings.multi_user
    plan: PlanMultiUser = {
        "scheduler": given.scheduler,
        "stations": given.stations,
        "acknowledgement": given.acknowledgement,
        "mu_rts": given.mu_rts,
    }
    if given.uplink:
        plan["uplink"] = _uplink_plan(given, cell.channel.width_mhz, key)
    return plan


def _uplink_plan(given: MultiUserSettings, width_mhz: int, key: str) -> PlanUplink:
    plan: PlanUplink = {
        "bsrp": given.bsrp,
        "interval_us": given.uplink_interval,
        "report_lifetime_us": given.report_lifetime,
        "target_rssi_dbm": given.target_rssi,
    }
    if given.mu_edca is not None:
        plan["mu_edca"] = mu_edca_plan(given.mu_edca, f"{key}.mu_edca")
    if given.random_access is not None:
        plan["random_access"] = _random_access_plan(given.random_access, width_mhz, f"{key}.random_access")
    return plan


def _random_access_plan(given: RandomAccessSettings, width_mhz: int, key: str) -> PlanRandomAccess:
    most = min(_SMALLEST_RUS[width_mhz] - 1, RANDOM_RUS_MOST)
    if given.rus > most:
        what = (
            f"{given.rus} random access resource units and one for a station do not go into {width_mhz} MHz"
        )
        raise ScenarioError(f"{key}.rus", what, f"Set 1 to {most}")
    if given.ocw_min > given.ocw_max:
        what = f"ocw_min {given.ocw_min} is above ocw_max {given.ocw_max}"
        raise ScenarioError(key, what, "Set both, the smaller first")
    return {"rus": given.rus, "ocw_min": given.ocw_min, "ocw_max": given.ocw_max}


def _check_daemons(cell: ResolvedCell) -> None:
    """Refuses what makes a network of mac80211 one without 11ax, or one whose access point is not known."""
    settings, key = cell.settings, f"wifi.{cell.name}"
    if settings.setup == "programs":
        what = "programs set up the network, so its access point is not known"
        raise ScenarioError(f"{key}.multi_user", what, "Choose another setup, or leave multi_user out")
    for field, lines in (("hostapd", settings.hostapd), ("wpa_supplicant", settings.wpa_supplicant)):
        for line in lines:
            if tuple(part.strip() for part in line.split("=", 1)) in _WITHOUT_HE:
                what = f'"{line}" makes it a network without 11ax, which has no resource units'
                raise ScenarioError(f"{key}.{field}", what, "Leave that line out, or multi_user")


def check_multi_user_cards(cells: Mapping[str, ResolvedCell], nics: Iterable[PlanNic]) -> None:
    """Refuses cards that form aggregates before they know who shares a PPDU, or how much they may send."""
    by_number = {cell.number: cell for cell in cells.values() if cell.settings.multi_user is not None}
    for nic in nics:
        cell, queue = by_number.get(nic["cell"]), nic["card"]["hardware_queue"]
        if cell is None or queue is None or queue["aggregates"] != "at_entry":
            continue
        given = cell.settings.multi_user
        if nic["role"] == "access_point":
            what = f'the card of "{nic["node"]}" forms aggregates before it knows who shares a PPDU'
            remedy = 'Set hardware_queue.aggregates = "at_access" there, or leave multi_user out'
            raise ScenarioError(f"wifi.{cell.name}.multi_user", what, remedy)
        if given is not None and given.uplink:
            what = (
                f'the card of "{nic["node"]}" forms aggregates before it knows how much it may send in '
                "answer to a trigger frame"
            )
            remedy = 'Set hardware_queue.aggregates = "at_access" there, or leave uplink out'
            raise ScenarioError(f"wifi.{cell.name}.multi_user.uplink", what, remedy)
