"""The rate control of cells of mac80211: the kernel's, or airtcp's in place of a chip's."""

from collections.abc import Iterator
from typing import Literal

from airtcp.scenario.compile.air.cell_plan import ResolvedCell
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.cell import WifiCell
from airtcp.scenario.keys.rate_control import FixedMode, Kernel, Minstrel, MinstrelHt, RateControl
from airtcp.scenario.values.units import RATE

Owner = Literal["kernel", "ours"]

# Spatial streams of minstrel_ht (`MINSTREL_MAX_STREAMS`, net/mac80211/rc80211_minstrel_ht.h).
KERNEL_STREAMS_MOST = 4


def why_not_the_kernels(cell: ResolvedCell) -> str | None:
    """Why minstrel_ht can't choose the rates of this cell; `None` if it can."""
    if cell.standard.name == "11ax":
        return "minstrel_ht of Linux knows no HE rates (`net/mac80211/rc80211_minstrel_ht.c`)"
    if cell.channel.width_mhz > 80:
        return f"minstrel_ht of Linux knows no rates of {cell.channel.width_mhz} MHz"
    settings = (cell.settings, *cell.settings.radio.values())
    streams = max((one.streams or 1 for one in settings), default=1)
    if streams > KERNEL_STREAMS_MOST:
        return f"minstrel_ht of Linux knows no rates of {streams} spatial streams"
    return None


def _rates(cell: WifiCell) -> Iterator[tuple[str, RateControl | None]]:
    """What the cell and its radios say, by the rest of the key."""
    yield "rate", cell.rate
    for node, own in cell.radio.items():
        yield f"radio.{node}.rate", own.rate or cell.rate


def linux_rate_control(cell: ResolvedCell) -> Owner:
    """Who controls rates in a cell; the kernel's control and another in one cell are a `ScenarioError`.

    The kernel's, unless it can't be, an algorithm of airtcp's is named, or every radio has a fixed mode.
    """
    reason = why_not_the_kernels(cell)
    rates = list(_rates(cell.settings))
    kernels = [key for key, rate in rates if isinstance(rate, Kernel)]
    own = [key for key, rate in rates if rate is not None and not isinstance(rate, (Kernel, FixedMode))]
    if kernels and reason is not None:
        remedy = "Leave it out, so that airtcp's own minstrel_ht is used"
        raise ScenarioError(f"wifi.{cell.name}.{kernels[0]}", reason, remedy)
    if kernels and own:
        what = f"the rates of {kernels[0]} are the kernel's, and those of one cell have one owner"
        remedy = 'Write "kernel" or a fixed mode here, or none of the kernel\'s in this cell'
        raise ScenarioError(f"wifi.{cell.name}.{own[0]}", what, remedy)
    all_fixed = all(isinstance(rate, FixedMode) for _, rate in rates)
    if reason is not None or own or all_fixed:
        return "ours"
    _check_pinned(cell, rates)
    return "kernel"


def _check_pinned(cell: ResolvedCell, rates: list[tuple[str, RateControl | None]]) -> None:
    """mac80211 takes only masks with a basic rate in them (`ieee80211_set_bitrate_mask`)."""
    for key, rate in rates:
        if isinstance(rate, FixedMode) and rate.rate is not None and rate.rate not in cell.basic_rates_bps:
            what = (
                f"{RATE.text(rate.rate)} is not a basic rate, and beside radios with the kernel's rate "
                "control Linux pins a radio to basic rates only"
            )
            remedy = "Add it to basic_rates, or give every radio of the cell a fixed rate"
            raise ScenarioError(f"wifi.{cell.name}.{key}", what, remedy)


def default_linux_rate(cell: ResolvedCell) -> Minstrel | MinstrelHt:
    """What the plan says of a radio without a rate of its own; the kernel's rate control needs none."""
    if cell.standard.has_mcs:
        return MinstrelHt(control="minstrel_ht")
    return Minstrel(control="minstrel")
