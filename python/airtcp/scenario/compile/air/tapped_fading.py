"""What tapped delay lines ask of a scenario, and what they have that other channels have not."""

import math
from collections.abc import Iterable, Mapping

from airtcp.scenario.compile.air.cell_plan import ResolvedCell
from airtcp.scenario.compile.air.nic_mode import Emission, setting_key
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.fading import AnyFading, Taps, Tgn
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.radio import RadioSettings
from airtcp.scenario.values.units import GUARD, SPEED

SPEED_OF_LIGHT_M_PER_S = 299_792_458.0  # exact by the SI
# The longest PPDU (aPPDUMaxTime, IEEE 802.11-2020, table 21-28): a response is held for all of it.
_PPDU_MAX_S = 5.484e-3
# Coherence time (correlation 1/2) times Doppler shift: 3 ln 2 / (2 pi) (bell; IEEE 802.11-03/940r4, 4.7.1),
# J0(2 pi x) = 1/2 (Jakes).
_COHERENCE = {"bell": 3 * math.log(2) / (2 * math.pi), "jakes": 0.242}
# The constellation error that a sender of 64-QAM 5/6 may have (IEEE 802.11-2020, table 19-24): interference
# below it is no more than what receivers are built for.
_TOLERATED_DB = -27.0
# Of the taps of models E and F (IEEE 802.11-03/940r4), `_spilled_db` by symbol and guard interval in ns.
_SPILLED_DB = {("E", 3_200, 400): -30.1, ("F", 3_200, 400): -22.4, ("F", 3_200, 800): -35.0}


def antennas(
    scenario: Scenario, cell: ResolvedCell, node: str, settings: RadioSettings, own: Emission
) -> int:
    """Antennas of a radio; a number that has no effect, or is too small, is a `ScenarioError`."""
    if settings.antennas is None:
        return own.streams
    key = setting_key(cell, node, "antennas")
    if not isinstance(scenario.channel.fading, Tgn | Taps):
        what = "has no effect: without tapped delay lines the antennas of a radio do not differ"
        remedy = 'Set kind = "tgn" or "taps" in [channel.fading], or leave it out'
        raise ScenarioError(key, what, remedy)
    if settings.antennas < own.streams:
        what = f"{own.streams} streams need as many antennas, not {settings.antennas}"
        raise ScenarioError(key, what, f"Set antennas = {own.streams}, or choose fewer streams")
    return settings.antennas


def check_fading(fading: AnyFading | None, cells: Mapping[str, ResolvedCell]) -> None:
    """Refuses tapped delay lines that the model does not hold for."""
    if not isinstance(fading, Tgn | Taps):
        return
    if isinstance(fading, Tgn) and fading.model is None and fading.place is None:
        raise ScenarioError(
            "channel.fading.model", "is missing", 'Write model = "D", or place = "office", for example'
        )
    for cell in cells.values():
        if cell.standard.name == "11ad":
            what = f'cell "{cell.name}" is 11ad, and no tapped delay line is meant for 60 GHz'
            raise ScenarioError("channel.fading", what, 'Use block fading, such as kind = "rician"')
    if cells:
        _check_speeds(fading, max(cell.channel.centre_mhz for cell in cells.values()))


def _check_speeds(fading: Tgn | Taps, centre_mhz: float) -> None:
    wavelength_m = SPEED_OF_LIGHT_M_PER_S / (1e6 * centre_mhz)
    fastest_kmh = 3.6 * _COHERENCE[fading.doppler] * wavelength_m / _PPDU_MAX_S
    for key, speed_kmh in _speeds(fading):
        if speed_kmh > fastest_kmh:
            what = (
                f"{SPEED.text(speed_kmh)} at {centre_mhz:g} MHz: the channel changes within the longest PPDU "
                "(5.484 ms), in which the model holds it"
            )
            remedy = f"Use at most {math.floor(10 * fastest_kmh) / 10:g} km/h, or block fading"
            raise ScenarioError(f"channel.fading.{key}", what, remedy)


def _speeds(fading: Tgn | Taps) -> list[tuple[str, float]]:
    """Where a speed was written, or would be, and what it is in km/h; that of all is for taps without one."""
    if isinstance(fading, Tgn):
        return [("speed", fading.speed_kmh)]
    own = [(f"tap[{i}].speed", tap.speed) for i, tap in enumerate(fading.tap)]
    speeds = [(key, speed) for key, speed in own if speed is not None]
    return speeds if len(speeds) == len(own) else [("speed", fading.speed), *speeds]


def check_guard(fading: AnyFading | None, cell: ResolvedCell, guards_ns: Iterable[int]) -> None:
    """Refuses paths so late and strong that one symbol disturbs the next; `guards_ns` are those of links."""
    if not isinstance(fading, Tgn | Taps):
        return
    symbol_ns = cell.standard.format.symbol_ns
    for guard_ns in guards_ns:
        if isinstance(fading, Taps):
            spilled_db, key = _spilled_db(fading, guard_ns, symbol_ns), "tap"
        else:
            spilled_db, key = _SPILLED_DB.get((fading.chosen_model, symbol_ns, guard_ns), -math.inf), "model"
        if spilled_db > _TOLERATED_DB:
            what = (
                f'paths later than the guard interval of {GUARD.text(guard_ns)} in cell "{cell.name}" would '
                f"disturb the next symbol with {spilled_db:.1f} dB of the signal, which is not modelled"
            )
            remedy = "Use a longer guard_interval, or shorter delays"
            raise ScenarioError(f"channel.fading.{key}", what, remedy)


def _spilled_db(fading: Taps, guard_ns: int, symbol_ns: int) -> float:
    """Power that interferes, over all. Of a path that is late by e in symbols of length T it is the part
    1 - (1 - e / T)^2 (Brugger and Hemingway, "OFDM receivers", EBU Technical Review 295, 2003).
    """
    total = spilled = 0.0
    for tap in fading.tap:
        power = 10 ** (tap.power / 10)
        late = min(max(0, tap.delay - guard_ns) / symbol_ns, 1.0)
        total += power
        spilled += power * (1 - (1 - late) ** 2)
    return 10 * math.log10(spilled / total) if spilled else -math.inf
