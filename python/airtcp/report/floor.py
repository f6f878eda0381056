"""The floor of a plan: its walls, where its radios are, and where they go."""

from collections.abc import Mapping
from typing import Any

from airtcp.plots.floor_map import FloorMap, Path, Place, Point, WallLine

PlanObject = Mapping[str, Any]


def has_floor(plan: PlanObject) -> bool:
    """Whether its radios have places of their own."""
    return len({tuple(nic.get("position_m", ())) for nic in plan["air"]["nics"]}) > 1 or bool(walls(plan))


def floor_of(plan: PlanObject, caption: str, notes: Mapping[int, str] | None = None) -> FloorMap:
    """The floor from above; `notes` stand under the names of radios, by their number."""
    radios = plan["air"]["nics"]
    places = [
        Place(
            ground(nic["position_m"]),
            nic["node"],
            str(nic.get("role", "station")),
            int(nic["cell"]),
            (notes or {}).get(number, ""),
        )
        for number, nic in enumerate(radios)
    ]
    paths = [
        Path(
            (ground(nic["position_m"]), *(ground(point["position_m"]) for point in nic["waypoints"])),
            nic["node"],
            int(nic["cell"]),
        )
        for nic in radios
        if nic.get("waypoints")
    ]
    cells = tuple(str(cell["name"]) for cell in plan["air"]["cells"])
    return FloorMap(caption, cells, walls(plan), tuple(places), tuple(paths))


def walls(plan: PlanObject) -> tuple[WallLine, ...]:
    """Its walls."""
    floor_plan = plan["air"]["channel"]["propagation"].get("floor_plan", {})
    return tuple(
        WallLine(ground(wall["from_m"]), ground(wall["to_m"]), f"{wall['loss_db']:g} dB")
        for wall in floor_plan.get("walls", ())
    )


def ground(position: list[float]) -> Point:
    """A place from above."""
    return float(position[0]), float(position[1])
