"""The keys of a campaign file."""

from typing import Any

from pydantic import Field

from airtcp.quantities.metric_file import MetricFile
from airtcp.scenario.keys.parts import Part
from airtcp.studies.study_file import Assignments, FigureFile, StyleFile, TableFile, Where


class CampaignFactor(Part):
    """What is varied: `[factor.NAME]`."""

    key: str | None = None
    """Key of the scenario that takes the value."""
    keys: list[str] = Field([])
    """Or several keys, which all take it."""
    values: list[Any] = Field([])
    """Values of the key."""
    levels: dict[str, Assignments] = Field({})
    """Instead of `values`: named levels with their assignments; `scenario` selects a file."""
    name: str = ""
    """Name that is shown; default: the factor's name."""
    labels: dict[str, str] = Field({})
    """Values as they are shown."""
    unit: str = ""
    """Unit of values that are numbers, for axes."""


class CampaignFigure(FigureFile):
    """A figure: `[[figure]]`, with the keys of a study's."""

    part: str = ""
    """Not for campaigns: a campaign has one part."""


class CampaignTable(TableFile):
    """A table: `[[table]]`, with the keys of a study's."""

    part: str = ""
    """Not for campaigns: a campaign has one part."""


class CampaignFile(Part):
    """A campaign: which runs of a scenario, and what is wanted of them."""

    name: str
    """Names the report's folder."""
    title: str = ""
    """For people."""
    notes: list[str] = Field([])
    """Remarks for readers of the report."""
    scenario: str
    """Scenario file beside the campaign's."""
    set: Assignments = Field({})
    """Assignments to keys of the scenario for every run."""
    reps: int = Field(1, ge=1)
    """Runs per combination, with seeds 1, 2, ..."""
    factor: dict[str, CampaignFactor]
    """What is varied."""
    paired: list[list[str]] = Field([])
    """Factors that vary together: the first value of one with the first of the other."""
    case: list[Where] = Field([])
    """The combinations, one by one; a factor left out, or a list, means all of these."""
    metrics: list[str] = Field([])
    """Quantities of every run, in the first table."""
    metric: dict[str, MetricFile] = Field({})
    """Quantities with arguments."""
    figure: list[CampaignFigure] = Field([])
    """Figures."""
    table: list[CampaignTable] = Field([])
    """Tables in addition to the first."""
    style: StyleFile = StyleFile()
    """Size and font of figures."""
