"""A study of recordings: its file, its claims, what its computation needs and finds."""

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from airtcp.errors import AirtcpError
from airtcp.input_file import TEXT_BYTES_MOST, read_input
from airtcp.report.claims import Claim, Finding
from airtcp.report.table import Table, number
from airtcp.scenario.keys.parts import Part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airtcp.data.run_folder import Run
    from airtcp.execution.executors.executor import Job
    from airtcp.scenario.compile.scene_plan import ScenePlan


class RecordedClaimFile(Part):
    """A claim about a value that is computed: `[[claim]]`."""

    id: str
    """Names the claim."""
    place: str
    """Place at which the claim is stated."""
    sentence: str
    """Text of the claim."""
    stated: str
    """Value that is stated, in words."""
    tolerance: str
    """The tolerance, in words."""
    reason: str
    """Reason for the tolerance."""
    value: str
    """The computed value that is judged."""
    low: float | None = None
    """Least value."""
    high: float | None = None
    """Largest value."""


class RecordedFile(Part):
    """A study of recordings: `recorded.toml`."""

    name: str
    """Names the report's folder."""
    title: str
    """What is compared."""
    recordings: str
    """Citation of the recordings."""
    data: str
    """The folder that `--data` names, in words; empty: a publication has the numbers."""
    notes: list[str] = Field([])
    """Remarks for readers of the report."""
    claim: list[RecordedClaimFile] = Field([])
    """The claims."""


@dataclass(frozen=True)
class DrawnChart:
    """A figure: its name as a file, its title, its caption."""

    name: str
    title: str
    caption: str
    figure: "Figure"


@dataclass(frozen=True)
class Found:
    """What a computation found: values by name for claims, tables, figures, and everything as JSON."""

    values: Mapping[str, float]
    tables: Sequence[Table]
    charts: Sequence[DrawnChart]
    everything: Mapping[str, Any]
    notes: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True)
class Work:
    """What computes: runs of plans, and scenes of the air alone, in the order in which they are asked for."""

    runs: "Callable[[Sequence[Job]], Sequence[Run]]"
    scenes: "Callable[[Sequence[ScenePlan]], Sequence[Mapping[str, Any]]]"


# From the folder of the recordings to what was found.
Computation = Callable[[Path, Work], Found]


def read_recorded(file: Path) -> RecordedFile:
    """The study of a file of ours."""
    return RecordedFile.model_validate(tomllib.loads(read_input(file, TEXT_BYTES_MOST).decode("utf-8")))


def judged(study: RecordedFile, values: Mapping[str, float]) -> list[tuple[Claim, Finding]]:
    """Every claim with what was computed; a value that is not there is an `AirtcpError`."""
    return [(_claim(one), _finding(one, study, values)) for one in study.claim]


def _claim(one: RecordedClaimFile) -> Claim:
    return Claim(one.id, one.place, one.sentence, one.value, one.stated, one.tolerance, one.reason)


def _finding(one: RecordedClaimFile, study: RecordedFile, values: Mapping[str, float]) -> Finding:
    if one.value not in values:
        raise AirtcpError(f'computes no "{one.value}"', f"{study.name}: claim {one.id}", "Correct the claim")
    value = values[one.value]
    low, high = (-math.inf if one.low is None else one.low), (math.inf if one.high is None else one.high)
    return Finding("holds" if low <= value <= high else "differs", number(value, 2))
