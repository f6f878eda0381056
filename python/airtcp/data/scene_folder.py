"""The folder of a run without a guest: its plan and its report."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.data.json_file import read_json


@dataclass(frozen=True)
class SceneRun:
    """A run without a guest (`airtcp air`): its scene and its report.

    Attributes:
        folder: path of the folder.
        plan: `plan.json`: the scene.
        report: `report.json`: goodput, delays and losses of each source, counters of NICs and media
            (docs/reference/json.md).

    Example:
        >>> scene = airtcp.load("scene")
        >>> sorted(scene.report), scene.plan["name"], scene.folder.name
        (['media', 'nics', 'sources'], 'capacity', 'scene')
    """

    folder: Path
    plan: dict[str, Any]
    report: dict[str, Any]


def is_scene_folder(folder: Path) -> bool:
    """Whether the folder is that of a run without a guest."""
    return (folder / "report.json").is_file() and not (folder / "summary.json").exists()


def open_scene(folder: Path) -> SceneRun:
    """Opens such a folder; one that is incomplete or damaged is an `AirtcpError`."""
    plan = read_json(folder / "plan.json", ("sources", "air", "duration_ns"))
    report = read_json(folder / "report.json", ("sources", "nics", "media"))
    return SceneRun(folder, plan, report)
