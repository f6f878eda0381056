"""The keys of a campaign file."""

from typing import Any

from pydantic import Field

from airtcp.quantities.metric_file import MetricFile
from airtcp.scenario.keys.parts import Part
from airtcp.studies.study_file import Assignments, FigureFile, StyleFile, TableFile, Where


class CampaignFactor(Part):
    """What is varied: `[factor.NAME]`."""

    key: str | None = Field(None, description="Key of the scenario that takes the value.")
    keys: list[str] = Field([], description="Or several keys, which all take it.")
    values: list[Any] = Field([], description="Values of the key.")
    levels: dict[str, Assignments] = Field(
        {},
        description="Instead of `values`: named levels with their assignments; `scenario` selects a file.",
    )
    name: str = Field("", description="Name that is shown; default: the factor's name.")
    labels: dict[str, str] = Field({}, description="Values as they are shown.")
    unit: str = Field("", description="Unit of values that are numbers, for axes.")


class CampaignFigure(FigureFile):
    """A figure: `[[figure]]`, with the keys of a study's."""

    part: str = Field("", description="Not for campaigns: a campaign has one part.")


class CampaignTable(TableFile):
    """A table: `[[table]]`, with the keys of a study's."""

    part: str = Field("", description="Not for campaigns: a campaign has one part.")


class CampaignFile(Part):
    """A campaign: which runs of a scenario, and what is wanted of them."""

    name: str = Field(description="Names the report's folder.")
    title: str = Field("", description="For people.")
    notes: list[str] = Field([], description="Remarks for readers of the report.")
    scenario: str = Field(description="Scenario file beside the campaign's.")
    set: Assignments = Field({}, description="Assignments to keys of the scenario for every run.")
    reps: int = Field(1, ge=1, description="Runs per combination, with seeds 1, 2, ...")
    factor: dict[str, CampaignFactor] = Field(description="What is varied.")
    paired: list[list[str]] = Field(
        [], description="Factors that vary together: the first value of one with the first of the other."
    )
    case: list[Where] = Field(
        [], description="The combinations, one by one; a factor left out, or a list, means all of these."
    )
    metrics: list[str] = Field([], description="Quantities of every run, in the first table.")
    metric: dict[str, MetricFile] = Field({}, description="Quantities with arguments.")
    figure: list[CampaignFigure] = Field([], description="Figures.")
    table: list[CampaignTable] = Field([], description="Tables in addition to the first.")
    style: StyleFile = Field(StyleFile(), description="Size and font of figures.")
