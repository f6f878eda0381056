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

    name: str
    """Name in tables, figures and claims."""
    key: str | None = None
    """Key of the scenario that takes the level."""
    keys: list[str] = Field([])
    """Several keys instead of `key`, which all take the value."""
    labels: dict[str, str] = Field({})
    """Levels as they are shown."""
    unit: str = ""
    """Unit of levels that are numbers, for axes."""
    levels: dict[str, Assignments] = Field({})
    """Named levels, each with what it assigns; `scenario` chooses another file."""


class QuickFile(Part):
    """What `--quick` changes: `[part.NAME.quick]`."""

    vary: Grid = Field({})
    """Levels in place of the part's."""
    set: Assignments = Field({})
    """Further assignments."""


class PartFile(Part):
    """Runs that belong together: `[part.NAME]`."""

    section: str = ""
    """Section of the paper; `--section` takes it, or the part's name."""
    title: str
    """Name in tables, figures and claims."""
    scenario: str
    """Scenario file beside the study's."""
    vary: Grid | list[Grid]
    """Levels by factor, or several such grids."""
    set: Assignments = Field({})
    """Assignments in every run."""
    on_request: bool = False
    """Run only if `--section` names it."""
    quick: QuickFile = QuickFile()
    """What `--quick` changes."""

    @property
    def grids(self) -> list[Grid]:
        """The grids of levels; all vary the same factors."""
        return self.vary if isinstance(self.vary, list) else [self.vary]


# Kinds of figures that show all values of a metric.
DISTRIBUTIONS = ("boxes", "cdf")
# The kind that shows lines of one run.
TIME = "time"


class FigureFile(Part):
    """A figure of the paper, computed: `[[figure]]`."""

    id: str
    """Names the file."""
    part: str
    """Part that the figure shows; a campaign has one and names none."""
    title: str
    """First words of the caption."""
    kind: Literal["bars", "lines", "boxes", "cdf", "time", "ratio", "matrix"]
    """`bars` or `lines` of means; `boxes` of percentiles or `cdf` of all values; `time`: lines of the first
    seed's run; `ratio`: the distribution of ratios to a reference; `matrix`: means by two factors, `x` across
    and `series` down.
    """
    y: str | list[str]
    """Metric; several are panels under each other (bars, lines, boxes, cdf, time)."""
    label: str | list[str] = ""
    """Text of the value's axis, or of each of several metrics. Default: the metric's."""
    x: str = ""
    """Factor of the groups (bars, boxes), of the axis (lines) or of the columns (matrix). Boxes without it
    have a group for each flow, stream, ping or queue.
    """
    series: list[str] = Field([])
    """Factors whose levels are bars or lines of their own; of a matrix the one whose levels are rows."""
    where: Where = Field({})
    """Only these levels of factors."""
    whiskers: Literal["none", "interval", "extremes", "deviation"] = "none"
    """Ends of bars and marks: 95 % confidence interval, `least` and `most`, or `deviation`."""
    over: str = ""
    """Unit of the spread that whiskers show, as `bins of 1 s`."""
    least: str = ""
    """Metric of the lower ends (whiskers of extremes)."""
    most: str = ""
    """Metric of the upper ends."""
    deviation: str = ""
    """Metric of the deviation."""
    panels: str = ""
    """Factor whose levels are panels of their own (not of ratio)."""
    log: bool = False
    """Logarithmic axis of values (boxes, cdf)."""
    join: Literal["straight", "steps"] = "straight"
    """Between two values (time)."""

    @property
    def metrics(self) -> list[str]:
        """The metrics that it shows, from above."""
        return self.y if isinstance(self.y, list) else [self.y]


def _width(text: str) -> str:
    read_width(text)
    return text


class StyleFile(Part):
    """How figures stand on paper: `[style]`."""

    width: Annotated[str, AfterValidator(_width)] | None = None
    """`ieee-column`, `ieee-page`, `acm-column`, `acm-page`, `lncs`, `elsevier-column`, `elsevier-page`, or a
    length as `"88 mm"`. Default: 7.2 in.
    """
    font_size: float = Field(9.0, ge=4, le=20)
    """Size of the text in points."""
    font: Literal["sans", "serif"] = "sans"
    """`serif` goes with Times and LaTeX."""
    caption: bool = True
    """Whether the figure contains its caption."""

    @property
    def paper(self) -> Paper:
        """The paper on which figures are drawn."""
        return Paper(read_width(self.width) if self.width else None, self.font_size, self.font, self.caption)


class TableFile(Part):
    """A table: `[[table]]`."""

    id: str
    """Names the table."""
    part: str
    """Part that the table shows; a campaign has one and names none."""
    title: str
    """Name in tables, figures and claims."""
    kind: Literal["cells", "beside", "bufferbloat"] = "cells"
    """Values; beside the paper's; or judged by the definition of bufferbloat."""
    rows: list[str] = Field([])
    """Factors whose levels are rows."""
    columns: str = ""
    """Factor whose levels are columns of each metric."""
    metrics: list[str] = Field([])
    """Metrics in the columns."""
    where: Where = Field({})
    """Only these levels of factors."""
    file: str = ""
    """CSV file with the paper's values, by the factors of `rows` (beside)."""
    beside: list[str] = Field([])
    """Columns of `file` that are shown."""
    ratio: list[str] = Field([])
    """Columns of `file` by which the first metric is divided."""
    queue: str = ""
    """Factor that is a queue's size (bufferbloat)."""
    rtt: str = ""
    """Metric of the RTT under load (bufferbloat)."""
    base_rtt: str = ""
    """Metric of the idle RTT (bufferbloat)."""
    used: str = ""
    """Metric of the link's goodput (bufferbloat)."""
    capacity: str = ""
    """Metric of the link's capacity (bufferbloat)."""
    verdicts: dict[str, str] = Field({})
    """The paper's own, by level of the row."""


class StudyFile(Part):
    """A study: `study.toml`."""

    name: str
    """Names the report's folder."""
    title: str
    """Name in tables, figures and claims."""
    paper: str
    """Citation of what is reproduced."""
    notes: list[str] = Field([])
    """Remarks for readers of the report."""
    reps: int = Field(1, ge=1)
    """Runs per case, with seeds 1, 2, ..."""
    factor: dict[str, FactorFile]
    """The factors."""
    part: dict[str, PartFile]
    """Runs that belong together."""
    metric: dict[str, MetricFile] = Field({})
    """Quantities with arguments."""
    figure: list[FigureFile] = Field([])
    """Figures."""
    table: list[TableFile] = Field([])
    """Tables."""
    style: StyleFile = StyleFile()
    """Size and font of figures."""


class ClaimFile(Part):
    """A claim of the paper: `[[claim]]` of `claims.toml`."""

    id: str
    """Names the claim."""
    place: str
    """Place of the claim in the paper."""
    sentence: str
    """Text of the claim."""
    paper: str
    """Value in the paper, in words."""
    tolerance: str
    """The tolerance, in words."""
    reason: str
    """Reason for the tolerance."""
    likely: str = ""
    """Probable reason for a difference."""
    computation: str
    """Computation that judges the claim, from the list of studies."""
    part: str
    """Part whose runs the claim is about."""
    also: list[str] = Field([])
    """Further parts to compare with."""
    metric: str
    """The metric that is judged."""
    where: Where = Field({})
    """Only these levels of factors."""
    pool: list[str] = Field([])
    """Factors that are averaged before judging."""
    low: float | None = None
    """Least value."""
    high: float | None = None
    """Largest value."""
    of: Where = Field({})
    """Levels of the numerator."""
    to: Where = Field({})
    """Levels of the denominator."""
    factor: str = ""
    """Factor whose levels are compared."""
    first: Level | list[Level] | None = None
    """The level, or levels, that must come first."""
    among: list[Level] = Field([])
    """The levels that are ordered."""
    ties: float = 0.0
    """Relative difference that counts as equal."""
    share: float | None = None
    """Share of the values for which it must hold; default: all."""
    expected: str = ""
    """Metric of the expected value."""
    within: float | None = None
    """Largest relative difference from it."""
    open: bool = False
    """Reported without a verdict: the paper leaves it open."""


class ClaimsFile(Part):
    """All claims: `claims.toml`."""

    claim: list[ClaimFile]
    """The claims."""
