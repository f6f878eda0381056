"""The keys of `study.toml` and `claims.toml`."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from airtcp.plots.paper import Paper, read_width
from airtcp.quantities.metric_file import MetricFile
from airtcp.scenario.keys.parts import Part

Level = str | int | float
# Levels by factor: what a part varies.
Grid = dict[str, list[Level]]
# Chosen levels by factor: one, or several.
Where = dict[str, Level | list[Level]]
Assignments = dict[str, Any]


class FactorFile(Part):
    """What may be varied: `[factor.NAME]`."""

    name: str = Field(description="Name in tables, figures and claims.")
    key: str | None = Field(None, description="Key of the scenario that takes the level.")
    keys: list[str] = Field([], description="Or several keys, which all take it.")
    labels: dict[str, str] = Field({}, description="Levels as they are shown.")
    unit: str = Field("", description="Unit of levels that are numbers, for axes.")
    levels: dict[str, Assignments] = Field(
        {}, description="Named levels, each with what it assigns; `scenario` chooses another file."
    )


class QuickFile(Part):
    """What `--quick` changes: `[part.NAME.quick]`."""

    vary: Grid = Field({}, description="Levels in place of the part's.")
    set: Assignments = Field({}, description="Further assignments.")


class PartFile(Part):
    """Runs that belong together: `[part.NAME]`."""

    section: str = Field("", description="Section of the paper; `--section` takes it, or the part's name.")
    title: str = Field(description="Name in tables, figures and claims.")
    scenario: str = Field(description="Scenario file beside the study's.")
    vary: Grid | list[Grid] = Field(description="Levels by factor, or several such grids.")
    set: Assignments = Field({}, description="Assignments in every run.")
    on_request: bool = Field(False, description="Run only if `--section` names it.")
    quick: QuickFile = Field(QuickFile(), description="What `--quick` changes.")

    @property
    def grids(self) -> list[Grid]:
        """The grids of levels; all vary the same factors."""
        return self.vary if isinstance(self.vary, list) else [self.vary]


# Kinds of figures that show all values of a metric.
DISTRIBUTIONS = ("boxes", "cdf")


class FigureFile(Part):
    """A figure of the paper, computed: `[[figure]]`."""

    id: str = Field(description="Names the file.")
    part: str = Field(description="Its part; a campaign has one and names none.")
    title: str = Field(description="First words of the caption.")
    kind: Literal["bars", "lines", "boxes", "cdf", "time", "ratio"] = Field(
        description="`bars` or `lines` of means; `boxes` of percentiles or `cdf` of all values; `time`: "
        "lines of the first seed's run; `ratio`: the distribution of ratios to a reference."
    )
    y: str | list[str] = Field(
        description="Metric; several are panels under each other (bars, lines, boxes, cdf, time)."
    )
    label: str | list[str] = Field(
        "", description="Text of the value's axis, or of each of several metrics. Default: the metric's."
    )
    x: str = Field(
        "",
        description="Factor of the groups (bars, boxes) or of the axis (lines). Boxes without it have a "
        "group for each flow, stream, ping or queue.",
    )
    series: list[str] = Field([], description="Factors whose levels are bars or lines of their own.")
    where: Where = Field({}, description="Only these levels of factors.")
    whiskers: Literal["none", "interval", "extremes", "deviation"] = Field(
        "none",
        description="Ends of bars and marks: 95 % confidence interval, `least` and `most`, or `deviation`.",
    )
    over: str = Field("", description="Unit of the spread that whiskers show, as `bins of 1 s`.")
    least: str = Field("", description="Metric of the lower ends (whiskers of extremes).")
    most: str = Field("", description="Metric of the upper ends.")
    deviation: str = Field("", description="Metric of the deviation.")
    panels: str = Field("", description="Factor whose levels are panels of their own (not of ratio).")
    log: bool = Field(False, description="Logarithmic axis of values (boxes, cdf).")
    join: Literal["straight", "steps"] = Field("straight", description="Between two values (time).")

    @property
    def metrics(self) -> list[str]:
        """The metrics that it shows, from above."""
        return self.y if isinstance(self.y, list) else [self.y]


def _width(text: str) -> str:
    read_width(text)
    return text


class StyleFile(Part):
    """How figures stand on paper: `[style]`."""

    width: Annotated[str, AfterValidator(_width)] | None = Field(
        None,
        description="`ieee-column`, `ieee-page`, `acm-column`, `acm-page`, `lncs`, `elsevier-column`, "
        '`elsevier-page`, or a length as `"88 mm"`. Default: 7.2 in.',
    )
    font_size: float = Field(9.0, ge=4, le=20, description="Size of the text in points.")
    font: Literal["sans", "serif"] = Field("sans", description="`serif` goes with Times and LaTeX.")
    caption: bool = Field(True, description="Whether the figure contains its caption.")

    @property
    def paper(self) -> Paper:
        """The paper on which figures are drawn."""
        return Paper(read_width(self.width) if self.width else None, self.font_size, self.font, self.caption)


class TableFile(Part):
    """A table: `[[table]]`."""

    id: str = Field(description="Names the table.")
    part: str = Field(description="Its part; a campaign has one and names none.")
    title: str = Field(description="Name in tables, figures and claims.")
    kind: Literal["cells", "beside", "bufferbloat"] = Field(
        "cells", description="Values; beside the paper's; or judged by the definition of bufferbloat."
    )
    rows: list[str] = Field([], description="Factors whose levels are rows.")
    columns: str = Field("", description="Factor whose levels are columns of each metric.")
    metrics: list[str] = Field([], description="Its columns.")
    where: Where = Field({}, description="Only these levels of factors.")
    file: str = Field("", description="CSV file with the paper's values, by the factors of `rows` (beside).")
    beside: list[str] = Field([], description="Its columns that are shown.")
    ratio: list[str] = Field([], description="Its columns that the first metric is divided by.")
    queue: str = Field("", description="Factor that is a queue's size (bufferbloat).")
    rtt: str = Field("", description="Metric of the RTT under load (bufferbloat).")
    base_rtt: str = Field("", description="Metric of the idle RTT (bufferbloat).")
    used: str = Field("", description="Metric of the link's goodput (bufferbloat).")
    capacity: str = Field("", description="Metric of the link's capacity (bufferbloat).")
    verdicts: dict[str, str] = Field({}, description="The paper's own, by level of the row.")


class StudyFile(Part):
    """A study: `study.toml`."""

    name: str = Field(description="Names the report's folder.")
    title: str = Field(description="Name in tables, figures and claims.")
    paper: str = Field(description="Citation of what is reproduced.")
    notes: list[str] = Field([], description="Remarks for readers of the report.")
    reps: int = Field(1, ge=1, description="Runs per case, with seeds 1, 2, ...")
    factor: dict[str, FactorFile] = Field(description="The factors.")
    part: dict[str, PartFile] = Field(description="Runs that belong together.")
    metric: dict[str, MetricFile] = Field({}, description="Quantities with arguments.")
    figure: list[FigureFile] = Field([], description="Figures.")
    table: list[TableFile] = Field([], description="Tables.")
    style: StyleFile = Field(StyleFile(), description="Size and font of figures.")


class ClaimFile(Part):
    """A claim of the paper: `[[claim]]` of `claims.toml`."""

    id: str = Field(description="Names the claim.")
    place: str = Field(description="Its place in the paper.")
    sentence: str = Field(description="Its text.")
    paper: str = Field(description="Its value, in words.")
    tolerance: str = Field(description="The tolerance, in words.")
    reason: str = Field(description="Reason for the tolerance.")
    likely: str = Field("", description="Probable reason for a difference.")
    computation: str = Field(description="How it is judged, from the list of studies.")
    part: str = Field(description="Its runs.")
    also: list[str] = Field([], description="Further parts to compare with.")
    metric: str = Field(description="The metric that is judged.")
    where: Where = Field({}, description="Only these levels of factors.")
    pool: list[str] = Field([], description="Factors that are averaged before judging.")
    low: float | None = Field(None, description="Least value.")
    high: float | None = Field(None, description="Largest value.")
    of: Where = Field({}, description="Levels of the numerator.")
    to: Where = Field({}, description="Levels of the denominator.")
    factor: str = Field("", description="Factor whose levels are compared.")
    first: Level | list[Level] | None = Field(None, description="The level, or levels, that must come first.")
    among: list[Level] = Field([], description="The levels that are ordered.")
    ties: float = Field(0.0, description="Relative difference that counts as equal.")
    share: float | None = Field(None, description="Share of the values for which it must hold; default: all.")
    expected: str = Field("", description="Metric of the expected value.")
    within: float | None = Field(None, description="Largest relative difference from it.")
    open: bool = Field(False, description="Reported without a verdict: the paper leaves it open.")


class ClaimsFile(Part):
    """All claims: `claims.toml`."""

    claim: list[ClaimFile] = Field(description="The claims.")
