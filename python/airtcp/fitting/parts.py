"""Parts of the measured runs, chosen by keys as `airtcp compare --where` names them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.report.comparison.runs import RunSides


@dataclass(frozen=True)
class Parts:
    """Folders of measured runs: those with the keys, and all others."""

    chosen: tuple[Path, ...]
    rest: tuple[Path, ...]


def parts_of(places: Sequence[Path], keys: Mapping[str, str], option: str) -> Parts:
    """The runs with these values of keys, and the others; unknown ones are `AirtcpError`s."""
    sides = RunSides()
    side = sides.side(Path("measured"), sides.read(*places), made=True)
    inside = {row.place for row in side.only(keys, option).rows}
    every = [row.place for row in side.rows]
    return Parts(
        tuple(Path(place) for place in every if place in inside),
        tuple(Path(place) for place in every if place not in inside),
    )


def parted(places: Sequence[Path], keys: Mapping[str, str], option: str) -> Parts:
    """Parts of measured runs by keys, as `parts_of`; nothing left over is an `AirtcpError`."""
    parts = parts_of(places, keys, option)
    if not parts.rest:
        raise AirtcpError("leaves nothing to predict", option, "Choose a part of the measured runs")
    return parts
