"""The floor plan of a run: its walls, where its radios are, and where they go."""

from typing import Any

from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.plots.floor_map import FloorMap, Path, Place, Point, WallLine


def has_map(run: Run) -> bool:
    """Whether its radios have places of their own."""
    return len({tuple(nic.get("position_m", ())) for nic in _radios(run)}) > 1 or bool(_walls(run))


def run_map(run: Run) -> FloorMap:
    """The plan from above; a run whose radios have no places is an `AirtcpError`."""
    if not has_map(run):
        remedy = "Give radios a position: [wifi.NAME.radio.NODE] position = [...]"
        raise AirtcpError("its radios have no positions to draw", str(run.folder), remedy)
    radios = _radios(run)
    places = [
        Place(_ground(nic["position_m"]), nic["node"], str(nic.get("role", "station")), int(nic["cell"]))
        for nic in radios
    ]
    paths = [
        Path(
            (_ground(nic["position_m"]), *(_ground(point["position_m"]) for point in nic["waypoints"])),
            nic["node"],
            int(nic["cell"]),
        )
        for nic in radios
        if nic.get("waypoints")
    ]
    cells = tuple(str(cell["name"]) for cell in run.plan["air"]["cells"])
    caption = f"{run.plan['name']}: walls with their loss, radios at the start"
    caption += ", dashed: where they move." if paths else "."
    return FloorMap(caption, cells, _walls(run), tuple(places), tuple(paths))


def _radios(run: Run) -> list[dict[str, Any]]:
    return list(run.plan["air"]["nics"])


def _walls(run: Run) -> tuple[WallLine, ...]:
    floor_plan = run.plan["air"]["channel"]["propagation"].get("floor_plan", {})
    return tuple(
        WallLine(_ground(wall["from_m"]), _ground(wall["to_m"]), f"{wall['loss_db']:g} dB")
        for wall in floor_plan.get("walls", ())
    )


def _ground(position: list[float]) -> Point:
    return float(position[0]), float(position[1])
