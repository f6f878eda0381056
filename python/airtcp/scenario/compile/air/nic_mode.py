"""What a radio sends in: antennas, guard interval, and a mode or rate control that its links have."""

from dataclasses import dataclass, replace

from airtcp.plans.types.air_plan import PlanRateControl
from airtcp.scenario.compile.air.cell_plan import ResolvedCell, at
from airtcp.scenario.compile.air.linux_rate import default_linux_rate
from airtcp.scenario.compile.air.radio_channel import fixed_modes
from airtcp.scenario.errors import Refused, ScenarioError
from airtcp.scenario.keys.mode import ht_streams, legacy_mode, mcs_mode, mode_plan
from airtcp.scenario.keys.radio import RadioSettings
from airtcp.scenario.keys.rate_control import FixedMode, Kernel, Minstrel, MinstrelHt, control_plan
from airtcp.scenario.values.units import TIME
from airtcp.wifi.mode import Mode
from airtcp.wifi.standard import (
    Standard,
    hr_dsss_rates_bps,
    older,
    phy_options,
    why_no_guard,
    why_no_phy_option,
    why_no_streams,
    why_no_width,
)

FULL_GUARD_NS = 800
SHORT_GUARD_NS = 400


@dataclass(frozen=True)
class Emission:
    """How a radio sends: `mode` if that is fixed; `phy_options` by their names, `None`: not chosen."""

    standard: Standard
    width_mhz: int
    streams: int
    guard_ns: int
    phy_options: dict[str, str | None]
    mode: Mode | None
    rate_control: PlanRateControl


def setting_key(cell: ResolvedCell, node: str, field: str) -> str:
    """Key under which a setting of a radio was written, or would be."""
    own = cell.settings.radio.get(node)
    inside = f"radio.{node}." if own is not None and field in own.model_fields_set else ""
    return f"wifi.{cell.name}.{inside}{field}"


def emission(cell: ResolvedCell, node: str, settings: RadioSettings) -> Emission:
    """What the radio of this node sends in; a mode outside the standard is a `ScenarioError`."""
    key = setting_key(cell, node, "rate")
    radio = cell.of_radio(node)
    streams = _streams(radio, node, settings)
    guard_ns = _guard(radio, node, settings)
    options = {name: getattr(settings, name) for name in phy_options()}
    rate = settings.rate
    if radio.standard.name == "11b" and cell.standard.name == "11g":
        rate = _rate_of_11b(cell, node, settings)
    if cell.settings.mac == "linux" and (rate is None or isinstance(rate, Kernel)):
        rate = default_linux_rate(cell)
    link = older(cell.standard, radio.standard)
    if rate is None:
        rate = _default_rate(cell, link)
    if isinstance(rate, Minstrel) and link.has_mcs:
        what = f"minstrel knows no modes of {link.name}"
        raise ScenarioError(key, what, 'Write "minstrel_ht", as Linux does')
    if not isinstance(rate, FixedMode):
        return Emission(
            radio.standard, radio.channel.width_mhz, streams, guard_ns, options, None, control_plan(rate)
        )
    # In the modes of an older access point the cell's guard interval is the usual one.
    usual_ns = guard_ns if link == radio.standard else _guard(cell, node, cell.settings)
    mode = at(key, lambda: _mode(replace(radio, standard=link), rate, usual_ns))
    if mode.streams > streams:
        what = f"{mode} has {mode.streams} spatial streams, and streams is {streams}"
        raise ScenarioError(key, what, f"Set streams = {mode.streams}, or choose fewer streams")
    fixed: PlanRateControl = {"kind": "fixed", "mode": mode_plan(mode)}
    return Emission(radio.standard, radio.channel.width_mhz, streams, guard_ns, options, mode, fixed)


def _guard_towards(standard: Standard, guard_ns: int, link: Standard) -> int:
    """Shortest guard interval of a radio in the modes of a link. What is said of an HE or EHT radio is about
    its own formats: in older ones it has the short one, and the other radio decides.
    """
    if not link.has_mcs and standard != link:
        return FULL_GUARD_NS
    if SHORT_GUARD_NS in standard.format.guards_ns or SHORT_GUARD_NS not in link.format.guards_ns:
        return guard_ns
    return SHORT_GUARD_NS if guard_ns == min(standard.format.guards_ns) else FULL_GUARD_NS


def link_guard_ns(own: Emission, other: Emission) -> int:
    """Shortest guard interval of a link: of two radios the longer one holds."""
    link = older(own.standard, other.standard)
    return max(_guard_towards(end.standard, end.guard_ns, link) for end in (own, other))


def _default_rate(cell: ResolvedCell, link: Standard) -> FixedMode | MinstrelHt:
    """Linux's rate control in cells of modes with MCS; the fastest rate before."""
    if cell.standard.has_mcs:
        return MinstrelHt(control="minstrel_ht")
    return _fixed_rate(max(link.rates_bps))


def _fixed_rate(rate_bps: int) -> FixedMode:
    return FixedMode.model_construct(control="fixed", rate=rate_bps)


def _rate_of_11b(cell: ResolvedCell, node: str, settings: RadioSettings) -> FixedMode:
    """The rate of an 11b station in a cell of 11g: one that it has."""
    own = cell.settings.radio[node]
    if "rate" not in own.model_fields_set:
        return _fixed_rate(max(hr_dsss_rates_bps()))
    if isinstance(settings.rate, FixedMode) and settings.rate.rate in hr_dsss_rates_bps():
        return settings.rate
    key = f"wifi.{cell.name}.radio.{node}.rate"
    raise ScenarioError(
        key, "a station of 11b sends at one fixed rate of 11b", 'Write for example "11 Mbit/s"'
    )


def _mode(cell: ResolvedCell, rate: FixedMode, guard_ns: int) -> Mode:
    standard = cell.standard
    if rate.mcs is None:
        assert rate.rate is not None, "a fixed mode has a rate or an MCS"
        return legacy_mode(standard, rate.rate, cell.has_hr_dsss_rates)
    width = cell.channel.width_mhz if rate.width is None else rate.width
    guard = guard_ns if rate.guard_interval is None else rate.guard_interval
    mode = mcs_mode(standard, (rate.format, rate.mcs, rate.streams), width, guard)
    reason = why_no_width(standard.format, width, cell.channel.band)
    if reason is not None:
        raise Refused(reason, "Choose another width")
    if width > cell.channel.width_mhz:
        what = f"{mode} is wider than the cell, which has {cell.channel.width_mhz} MHz"
        raise Refused(what, f'Set width = "{width} MHz" in the cell, or leave the width of the mode out')
    return mode


def _streams(cell: ResolvedCell, node: str, settings: RadioSettings) -> int:
    if settings.streams is None:
        return max((_named_streams(cell, mode) for mode in fixed_modes(cell.settings).values()), default=1)
    reason = why_no_streams(cell.standard.format, settings.streams)
    if reason is not None:
        raise ScenarioError(setting_key(cell, node, "streams"), reason, "Choose fewer")
    return settings.streams


def _named_streams(cell: ResolvedCell, mode: FixedMode) -> int:
    """Streams that a fixed mode asks for; one that is wrong in itself is refused where it is used."""
    if mode.mcs is None:
        return 1
    asked = mode.streams or 1
    if cell.standard.format.name == "HT" and mode.streams is None:
        _, asked = ht_streams(mode.mcs, None)
    return min(asked, cell.standard.format.max_streams)


def _guard(cell: ResolvedCell, node: str, settings: RadioSettings) -> int:
    if settings.guard_interval is None:
        named = (mode.guard_interval for mode in fixed_modes(cell.settings).values())
        legal = (guard for guard in named if guard in cell.standard.format.guards_ns)
        return min((*legal, FULL_GUARD_NS))
    reason = why_no_guard(cell.standard.format, settings.guard_interval)
    if reason is not None:
        raise ScenarioError(
            setting_key(cell, node, "guard_interval"), reason, "Leave it out, or choose another"
        )
    return settings.guard_interval


def check_link(cell: ResolvedCell, sender: tuple[str, Emission], receiver: tuple[str, Emission]) -> None:
    """Refuses a fixed mode that the receiver can't receive."""
    (node, own), (peer, other) = sender, receiver
    link = older(own.standard, other.standard)
    guards_ns = [_guard_towards(end.standard, end.guard_ns, link) for end in (own, other)]
    if link.format == own.standard.format:
        _check_phy_options(cell.of_radio(node), node, own, max(guards_ns))
    mode = own.mode
    if mode is None:
        return
    key = setting_key(cell, node, "rate")
    if not _has_mode(link, mode):
        _refuse_format(cell, sender, receiver, mode)
    if mode.width_mhz > other.width_mhz:
        what = f'{mode} is wider than "{peer}", which has {other.width_mhz} MHz'
        raise ScenarioError(key, what, "Choose a narrower one, or rate control")
    if mode.streams > other.streams:
        what = f'{mode} has {mode.streams} spatial streams, and "{peer}" has {other.streams}'
        raise ScenarioError(
            key, f"{what} antenna{'s' if other.streams > 1 else ''}", "Choose fewer, or set streams there"
        )
    longest_ns = max(guards_ns)
    if mode.guard_ns < longest_ns:
        who = node if guards_ns[0] == longest_ns else peer
        what = f'{mode}: the guard_interval of "{who}" is {TIME.text(longest_ns)}'
        raise ScenarioError(key, what, "Make one of them fit the other")


def _has_mode(link: Standard, mode: Mode) -> bool:
    if mode.format == "HR/DSSS":
        return link.name in ("11b", "11g")
    return mode.format == link.format.name


def _refuse_format(
    cell: ResolvedCell, sender: tuple[str, Emission], receiver: tuple[str, Emission], mode: Mode
) -> None:
    """A fixed mode of a format that the link does not have: a radio has one for all others."""
    (node, _), (peer, other) = sender, receiver
    key = f"wifi.{cell.name}.radio.{peer}.standard"
    what = f'"{peer}" is a station of {other.standard.name} and can\'t receive {mode} from "{node}"'
    if other.standard.name == "11b" and not cell.standard.has_mcs:
        remedy = f'Set [wifi.{cell.name}.radio.{node}] rate = "11 Mbit/s": it has one for all its stations'
        raise ScenarioError(key, what, remedy)
    if peer not in cell.settings.radio or cell.settings.radio[peer].standard is None:
        key, what = setting_key(cell, node, "rate"), f'{mode} is no mode that "{node}" and "{peer}" both have'
    remedy = f'Set [wifi.{cell.name}.radio.{node}] rate = "minstrel_ht": a fixed mode is one for all stations'
    raise ScenarioError(key, what, remedy)


def _check_phy_options(cell: ResolvedCell, node: str, own: Emission, shortest_guard_ns: int) -> None:
    """Refuses an option that no mode of the link has."""
    format_ = cell.standard.format
    if own.mode is not None:
        modes = [{"guards_ns": own.mode.guard_ns, "mcs": own.mode.mcs, "streams": own.mode.streams}]
    else:
        modes = [{"guards_ns": guard} for guard in format_.guards_ns if guard >= shortest_guard_ns]
    for name, value in own.phy_options.items():
        if value is None:
            continue
        reasons = [why_no_phy_option(format_, name, value, mode) for mode in modes]
        if reasons[0] is not None and all(reasons):
            remedy = f"Choose a pair that the standard has, or leave {name} out"
            raise ScenarioError(setting_key(cell, node, name), reasons[0], remedy)
