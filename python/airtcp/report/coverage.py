"""What stations would have on the floor of a plan: maps, and a table of its own stations."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.plots.coverage_map import CoverageMap, Shown, Spot
from airtcp.plots.floor_map import Extent, extent_of
from airtcp.report.floor import floor_of, has_floor
from airtcp.report.table import Table

# From left to right of a map, if no step is given: fine enough for walls, and a whole floor in a second.
COLUMNS_USUAL = 120
# Of a map: more take long to draw, and no reader sees them.
PLACES_MOST = 250_000

Place = tuple[float, float, float]
# Asks the model: places to what there is of each access point.
Ask = Callable[[Sequence[Place]], Mapping[str, Any]]


@dataclass(frozen=True)
class Grid:
    """The places of a map, in metres: all of `xs` at all of `ys`, at one height."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    height: float

    @property
    def places(self) -> list[Place]:
        """Row by row."""
        return [(x, y, self.height) for y in self.ys for x in self.xs]


@dataclass(frozen=True)
class FloorCoverage:
    """The coverage of a plan: on a grid, and at its stations (by the numbers of their radios)."""

    plan: Mapping[str, Any]
    grid: Grid
    access_points: tuple[str, ...]
    spots: tuple[Spot, ...]
    stations: Mapping[int, Spot]
    sensitivity_dbm: float


def cover(plan: Mapping[str, Any], ask: Ask, nodes: Sequence[str], grid: Grid) -> FloorCoverage:
    """The coverage by the access points of these nodes (names or patterns; none: all).

    A station joins the strongest access point of its network. On the grid it may join any.
    """
    nics = plan["air"]["nics"]
    stations = [number for number, nic in enumerate(nics) if nic["role"] == "station"]
    own: list[Place] = [tuple(nics[number]["position_m"]) for number in stations]
    answer = ask([*grid.places, *own])
    chosen = [of for of in answer["access_points"] if _is_chosen(of["node"], nodes)]
    if not chosen:
        known = ", ".join(of["node"] for of in answer["access_points"])
        remedy = f"the access points are {known}" if known else "programs make its networks; a run shows them"
        raise AirtcpError("no access point covers the floor", "--nodes" if known else "", remedy)
    found = [_spots(chosen, place, answer["sensitivity_dbm"]) for place in range(len(grid.places) + len(own))]
    on_grid = len(grid.places)
    at_stations = {
        number: _strongest(found[on_grid + place], _in_network(plan, chosen, number))
        for place, number in enumerate(stations)
    }
    spots = tuple(_strongest(each, range(len(chosen))) for each in found[:on_grid])
    names = tuple(of["node"] for of in chosen)
    return FloorCoverage(plan, grid, names, spots, at_stations, answer["sensitivity_dbm"])


def grid_of(plan: Mapping[str, Any], place: str, step: float | None, height: float | None) -> Grid:
    """The places of a map of a plan; `place` is the file for messages."""
    if not has_floor(plan):
        remedy = "Give radios a position: [wifi.NAME.radio.NODE] position = [...]"
        raise AirtcpError("its radios have no positions, so there is no floor", place, remedy)
    shown = extent_of(floor_of(plan, ""))
    step = step or (shown.right - shown.left) / COLUMNS_USUAL
    xs, ys = _steps(shown.left, shown.right, step), _steps(shown.low, shown.high, step)
    if len(xs) * len(ys) > PLACES_MOST:
        least = math.sqrt(_area(shown) / PLACES_MOST)
        raise AirtcpError(f"{len(xs) * len(ys)} places are too many", "--step", f"Use {least:.2g} m or more")
    return Grid(xs, ys, _usual_height(plan) if height is None else height)


def coverage_map(found: FloorCoverage, shown: Shown, error_rate: float) -> CoverageMap:
    """A map of one of the three."""
    notes = {
        number: f"{spot.signal_dbm:.0f} dBm, {spot.rate_mbps:.3g} Mbit/s"
        if spot.access_point is not None
        else "none"
        for number, spot in found.stations.items()
    }
    floor = floor_of(found.plan, _caption(found, shown, error_rate), notes)
    columns = len(found.grid.xs)
    rows = tuple(found.spots[begin : begin + columns] for begin in range(0, len(found.spots), columns))
    return CoverageMap(floor, shown, found.access_points, found.grid.xs, found.grid.ys, rows)


def station_table(found: FloorCoverage) -> Table:
    """The plan's own stations where they begin."""
    title = "Stations (at the start; the strongest access point of their network)"
    table = Table(title, ("station", "x [m]", "y [m]", "access point", "signal [dBm]", "rate [Mbit/s]"))
    table.left = ("access point",)
    for number, spot in found.stations.items():
        nic = found.plan["air"]["nics"][number]
        x, y, _ = nic["position_m"]
        joined = "none" if spot.access_point is None else found.access_points[spot.access_point]
        rate = "-" if spot.access_point is None else f"{spot.rate_mbps:.1f}"
        table.add(nic["node"], f"{x:g}", f"{y:g}", joined, f"{spot.signal_dbm:.1f}", rate)
    return table


def share_table(found: FloorCoverage) -> Table:
    """How much of the map each access point has, and how strongly."""
    title = "Share of the map where each access point is the strongest"
    levels = (-60, -67, -80)
    table = Table(title, ("access point", "share", *(f"{level} dBm" for level in levels)))
    total = len(found.spots)
    joined = Counter(spot.access_point for spot in found.spots)
    for number, name in enumerate(found.access_points):
        own = [spot.signal_dbm for spot in found.spots if spot.access_point == number]
        shares = (sum(signal >= level for signal in own) / total for level in levels)
        table.add(name, f"{joined[number] / total:.1%}", *(f"{share:.1%}" for share in shares))
    table.add("none", f"{joined[None] / total:.1%}", *("" for _ in levels))
    return table


def _is_chosen(node: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(node, pattern) for pattern in patterns)


def _spots(chosen: Sequence[Mapping[str, Any]], place: int, sensitivity_dbm: float) -> list[Spot]:
    """What there is of each access point at one place."""
    made = []
    for number, of in enumerate(chosen):
        signal = of["signal_dbm"][place]
        rate = of["modes"][of["mode"][place]]["rate_bps"] / 1e6
        made.append(Spot(number if signal >= sensitivity_dbm else None, signal, rate))
    return made


def _strongest(spots: Sequence[Spot], among: Sequence[int]) -> Spot:
    return max((spots[number] for number in among), key=lambda spot: spot.signal_dbm)


def _in_network(plan: Mapping[str, Any], chosen: Sequence[Mapping[str, Any]], station: int) -> Sequence[int]:
    """The access points of a station's network; all if none of those chosen is in it."""
    nics = plan["air"]["nics"]
    own = _network(plan, nics[station])
    among = [number for number, of in enumerate(chosen) if _network(plan, nics[of["nic"]]) == own]
    return among or range(len(chosen))


def _network(plan: Mapping[str, Any], nic: Mapping[str, Any]) -> str:
    cell = plan["air"]["cells"][nic["cell"]]
    return str((cell.get("linux") or {}).get("ssid") or cell["name"])


def _steps(begin: float, end: float, step: float) -> tuple[float, ...]:
    """Multiples of the step, so that neighbouring maps have the same places; they reach both ends."""
    first, last = math.floor(begin / step), math.ceil(end / step)
    return tuple(round(number * step, 6) for number in range(first, max(first, last) + 1))


def _area(shown: Extent) -> float:
    return (shown.right - shown.left) * (shown.high - shown.low)


def _usual_height(plan: Mapping[str, Any]) -> float:
    """That of most stations, else of most radios."""
    nics = plan["air"]["nics"]
    heights = Counter(nic["position_m"][2] for nic in nics if nic["role"] == "station")
    heights = heights or Counter(nic["position_m"][2] for nic in nics)
    return float(heights.most_common(1)[0][0])


def _caption(found: FloorCoverage, shown: Shown, error_rate: float) -> str:
    what = {
        Shown.SIGNAL: "mean signal of the strongest access point",
        Shown.RATE: f"rate of the strongest access point's data (packet error rate at most {error_rate:.3g})",
        Shown.ACCESS_POINT: "strongest access point",
    }[shown]
    text = f"{found.plan['name']}: {what} at a height of {found.grid.height:g} m, by the model."
    if any(spot.access_point is None for spot in found.spots):
        text += f" Grey: weaker than {found.sensitivity_dbm:g} dBm."
    return text
