"""The keys of `study.toml` and `claims.toml`."""

from typing import Any, Literal

from pydantic import Field

from airtcp.scenario.parts import Part, written
from airtcp.scenario.units import LengthNs, TimeNs

Level = str | int | float
# Levels by factor: what a part varies.
Grid = dict[str, list[Level]]
# Chosen levels by factor: one, or several.
Where = dict[str, Level | list[Level]]
Assignments = dict[str, Any]


class FactorFile(Part):
    """What may be varied: `[factor.NAME]`."""

    name: str = Field(description="For people.")
    key: str | None = Field(None, description="Key of the scenario that takes the level.")
    keys: list[str] = Field([], description="Or several keys, which all take it.")
    labels: dict[str, str] = Field({}, description="Levels as they are shown.")
    unit: str = Field("", description="Unit of levels that are numbers, for axes.")
    levels: dict[str, Assignments] = Field(
        {}, description="Named levels, each with what it assigns; `scenario` chooses another file."
    )


class QuickFile(Part):
    """What `--quick` changes: `[part.NAME.quick]`."""

    vary: Grid = Field({})
    set: Assignments = Field({})


class PartFile(Part):
    """Runs that belong together: `[part.NAME]`."""

    section: str = Field("", description="Section of the paper; `--section` takes it, or the part's name.")
    title: str
    scenario: str = Field(description="Scenario file beside the study's.")
    vary: Grid | list[Grid] = Field(description="Levels by factor, or several such grids.")
    set: Assignments = Field({})
    on_request: bool = Field(False, description="Run only if `--section` names it.")
    quick: QuickFile = QuickFile()

    @property
    def grids(self) -> list[Grid]:
        """The grids of levels; all vary the same factors."""
        return self.vary if isinstance(self.vary, list) else [self.vary]


class MetricFile(Part):
    """A quantity with its arguments: `[metric.NAME]`."""

    of: str
    label: str = Field("", description="For tables and claims; default: the quantity's own.")
    flows: str = Field("*", description="Pattern of names of flows.")
    pings: str = Field("*", description="Pattern of names of pings.")
    node: str = Field("*", description="Pattern of names of nodes.")
    peer: str = Field("*", description="Pattern of names of stations, for airtime.")
    interface: str = "*"
    unit: str = ""
    skip: TimeNs = Field(written("0 s"))
    until: LengthNs | None = None
    bin: LengthNs = Field(written("1 s"))
    window: LengthNs = Field(written("0.4 s"))
    step: LengthNs = Field(written("0.2 s"))
    active: Literal["alive", "throughout", "received", "all"] = "alive"
    least: float | None = None
    most: float | None = None
    band: float = 0.1


class FigureFile(Part):
    """A figure of the paper, computed: `[[figure]]`."""

    id: str
    part: str
    title: str
    kind: Literal["bars", "lines", "cdf", "time", "ratio"]
    y: str = Field(description="Metric, or samples (cdf), or a series over time (time).")
    label: str = Field(description="Text of the value's axis.")
    x: str = Field("", description="Factor of the groups (bars) or of the axis (lines).")
    series: list[str] = Field([], description="Factors whose levels are bars or lines of their own.")
    where: Where = Field({})
    whiskers: Literal["none", "interval", "extremes", "deviation"] = "none"
    over: str = Field("", description="What the whiskers are over, as `bins of 1 s`.")
    least: str = ""
    most: str = ""
    deviation: str = ""
    panels: str = Field("", description="Factor whose levels are panels of their own (time, cdf).")
    join: Literal["straight", "steps"] = "straight"


class TableFile(Part):
    """A table: `[[table]]`."""

    id: str
    part: str
    title: str
    kind: Literal["cells", "beside", "bufferbloat"] = "cells"
    rows: list[str] = Field([], description="Factors whose levels are rows.")
    columns: str = Field("", description="Factor whose levels are columns of each metric.")
    metrics: list[str] = Field([])
    where: Where = Field({})
    file: str = Field("", description="CSV file with the paper's values, by the factors of `rows` (beside).")
    beside: list[str] = Field([], description="Its columns that are shown.")
    ratio: list[str] = Field([], description="Its columns that the first metric is divided by.")
    queue: str = Field("", description="Factor that is a queue's size (bufferbloat).")
    rtt: str = ""
    base_rtt: str = ""
    used: str = Field("", description="Metric of the link's goodput (bufferbloat).")
    capacity: str = Field("", description="Metric of what it can carry (bufferbloat).")
    verdicts: dict[str, str] = Field({}, description="The paper's own, by level of the row.")


class StudyFile(Part):
    """A study: `study.toml`."""

    name: str
    title: str
    paper: str
    notes: list[str] = Field([])
    reps: int = Field(1, ge=1, description="Runs per case, with seeds 1, 2, ...")
    factor: dict[str, FactorFile]
    part: dict[str, PartFile]
    metric: dict[str, MetricFile] = Field({})
    figure: list[FigureFile] = Field([])
    table: list[TableFile] = Field([])


class ClaimFile(Part):
    """A claim of the paper: `[[claim]]` of `claims.toml`."""

    id: str
    place: str
    sentence: str
    paper: str
    tolerance: str
    reason: str
    likely: str = ""
    computation: str
    part: str
    also: list[str] = Field([])
    metric: str
    where: Where = Field({})
    pool: list[str] = Field([])
    low: float | None = None
    high: float | None = None
    of: Where = Field({})
    to: Where = Field({})
    factor: str = ""
    first: Level | list[Level] | None = None
    among: list[Level] = Field([])
    ties: float = 0.0
    share: float | None = None
    expected: str = ""
    within: float | None = None
    open: bool = False


class ClaimsFile(Part):
    """All claims: `claims.toml`."""

    claim: list[ClaimFile]
