"""The floor plan of a building: walls with material and place."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from airtcp.errors import suggestion
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.parts import Part, written
from airtcp.scenario.values.units import CoordinateM, RatioDb, ThicknessM
from airtcp.wifi.standard import BANDS
from airtcp.wifi.wall_material import MATERIALS, SYNONYMS, wall_loss_db
from airtcp.wrong_values import in_toml


def _material(value: Any) -> Any:
    name = SYNONYMS.get(value, value) if isinstance(value, str) else value
    if not isinstance(name, str) or name not in MATERIALS:
        hint = suggestion(name, MATERIALS) if isinstance(name, str) else ""
        known = ", ".join(MATERIALS)
        raise ValueError(
            f"{in_toml(value)} is no known material; {hint + ' ' if hint else ''}known: {known}; or give loss"
        )
    return name


_MATERIALS = "; ".join(f"`{name}` ({row.what})" for name, row in MATERIALS.items())


class Wall(Part):
    """Walls through points on the ground: `[[channel.wall]]`."""

    points: list[Annotated[list[CoordinateM], Field(min_length=2, max_length=2)]] = Field(min_length=2)
    """Line of the wall on the ground: two points, or more for several walls that go on, as `[["0 m", "0 m"],
    ["4 m", "0 m"]]`.
    """
    material: Annotated[str, BeforeValidator(_material)] | None = Field(
        None, description=f"Material: {_MATERIALS}. Losses by ITU-R P.2040-3."
    )
    thickness: ThicknessM | None = None
    """Thickness of a layer of the material, if another than the usual one."""
    loss: RatioDb | None = Field(None, ge=0)
    """Loss of a ray that crosses it, instead of a material."""
    height: list[CoordinateM] = Field(written(["0 m", "2.5 m"]), min_length=2, max_length=2)
    """Lower and upper edge."""


def floor_plan(walls: Iterable[Wall], bands: set[str]) -> dict[str, Any]:
    """The plan's walls; `bands` are those of the cells."""
    planned: list[dict[str, Any]] = []
    for number, wall in enumerate(walls):
        key = f"channel.wall[{number}]"
        loss_db = _loss_db(wall, bands, key)
        if wall.height[0] >= wall.height[1]:
            what = f"the lower edge ({wall.height[0]:g} m) is not below the upper one ({wall.height[1]:g} m)"
            raise ScenarioError(f"{key}.height", what, "Name the lower edge first")
        for place, (start, end) in enumerate(pairwise(wall.points)):
            if start == end:
                what = f"points {place} and {place + 1} are one place"
                raise ScenarioError(f"{key}.points", what, "Leave one of them out")
            planned.append({"from_m": start, "to_m": end, "height_m": wall.height, "loss_db": loss_db})
    return {"walls": planned}


def _loss_db(wall: Wall, bands: set[str], key: str) -> float:
    if (wall.loss is None) == (wall.material is None):
        what = "has no material" if wall.loss is None else "has a material and a loss"
        raise ScenarioError(key, what, 'Write material = "brick", or loss = "6 dB"')
    if wall.loss is not None:
        if wall.thickness is not None:
            raise ScenarioError(f"{key}.thickness", "has no effect with loss", "Leave it out")
        return wall.loss
    assert wall.material is not None, "checked above"
    if len(bands) > 1:
        named = ", ".join(band for band in BANDS if band in bands)
        what = f"the cells are at {named}, where {wall.material} differs"
        raise ScenarioError(f"{key}.material", what, "Give loss instead, one value for all")
    try:
        return wall_loss_db(wall.material, next(iter(bands), BANDS[0]), wall.thickness)
    except ValueError as error:
        raise ScenarioError(f"{key}.material", str(error), "Give loss instead") from None
