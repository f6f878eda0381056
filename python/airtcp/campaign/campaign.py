"""Reads a campaign from a file or a mapping; internally it is a study with one part."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from airtcp.campaign.campaign_file import CampaignFile
from airtcp.campaign.combinations import grids, study_factor
from airtcp.errors import AirtcpError
from airtcp.input_file import TEXT_BYTES_MOST, read_input
from airtcp.scenario.reading.toml_file import parse_toml
from airtcp.studies.metric_groups import with_members
from airtcp.studies.study import Study, check_study, first_error
from airtcp.studies.study_file import FigureFile, PartFile, TableFile
from airtcp.studies.wanted_metrics import wanted

# The one part of the study that a campaign is.
PART = "campaign"
FIRST_TABLE = "results"
_Shown = TypeVar("_Shown", FigureFile, TableFile)
_GUIDE = "airtcp docs sweeps"


@dataclass(frozen=True)
class Campaign:
    """A campaign as a study, and the name of its source in messages."""

    study: Study
    place: str


def read_campaign(source: Path | Mapping[str, Any], folder: Path = Path()) -> Campaign:
    """Reads a campaign file, or a mapping with the same keys whose paths are relative to `folder`.

    The first error raises `AirtcpError` with file and key.
    """
    if isinstance(source, Path):
        place, folder, text = str(source), source.parent, _text(source)
        tables: Mapping[str, Any] = parse_toml(text, source)
    else:
        place, tables, text = "the campaign", source, ""
    if "scenario" not in tables and ("wifi" in tables or "duration" in tables):
        remedy = f"Run it with: airtcp run {place}; {_GUIDE} explains campaigns"
        raise AirtcpError("is a scenario, not a campaign", place, remedy)
    try:
        file = CampaignFile.model_validate(tables)
    except ValidationError as error:
        raise first_error(error, place, text, _GUIDE, CampaignFile) from None
    if not file.name or "/" in file.name or file.name.startswith("."):
        raise AirtcpError(
            f'"{file.name}" is not a valid folder name',
            f"{place}: name",
            "Use a name without /",
        )
    study = with_members(_study(file, place, folder), place)
    check_study(study, place, place)
    if not wanted(study, place)[PART]:
        remedy = f'Write for example metrics = ["throughput", "srtt"]; {_GUIDE} lists them'
        raise AirtcpError("has no metrics, figures or tables", place, remedy)
    return Campaign(study, place)


def metrics_of(study: Study) -> list[str]:
    """The metrics of every run: the campaign's `metrics`, then those its figures and tables use."""
    first = [name for table in study.tables if table.id == FIRST_TABLE for name in table.metrics]
    return list(dict.fromkeys([*first, *wanted(study)[PART]]))


def _text(file: Path) -> str:
    try:
        return read_input(file, TEXT_BYTES_MOST).decode("utf-8")
    except FileNotFoundError:
        raise AirtcpError("there is no such file", str(file), "Check the path") from None
    except OSError as error:
        raise AirtcpError(f"can't be read: {error.strerror}", str(file), "Name a campaign file") from None
    except ValueError:
        raise AirtcpError("is not text in UTF-8", str(file), f"See {_GUIDE}") from None


def _study(file: CampaignFile, place: str, folder: Path) -> Study:
    factors = {name: study_factor(name, file, place) for name in file.factor}
    part = PartFile(
        title=file.title or file.name, scenario=file.scenario, vary=grids(file, place), set=file.set
    )
    return Study(
        folder=folder,
        name=file.name,
        title=file.title or file.name,
        paper="",
        notes=tuple(file.notes),
        reps=file.reps,
        factors=factors,
        parts={PART: part},
        metrics={name: metric.beside(folder) for name, metric in file.metric.items()},
        figures=tuple(_of_part(figure) for figure in file.figure),
        tables=(*_first_table(file), *(_of_part(table) for table in file.table)),
        claims=(),
        paper_style=file.style.paper,
    )


def _of_part(shown: _Shown) -> _Shown:
    return shown.model_copy(update={"part": PART})


def _first_table(file: CampaignFile) -> list[TableFile]:
    """The table of all metrics: a row per combination, a column per metric."""
    if not file.metrics:
        return []
    title = f"{file.title or file.name}: every combination"
    rows = list(file.factor)
    return [TableFile(id=FIRST_TABLE, part=PART, title=title, rows=rows, metrics=file.metrics)]
