"""The results of a campaign as a Polars frame."""

from typing import TYPE_CHECKING, Any

from airtcp.campaign.campaign_runner import CampaignResult
from airtcp.studies.measuring import AT_LEAST

if TYPE_CHECKING:
    import polars


def results_frame(result: CampaignResult) -> "polars.DataFrame":
    """A row for each case: factors, `seed`, metrics, `run`, `folder`, and `failure` where there is no run.

    A metric that is only a lower bound in some run has a column `NAME_at_least`.

    Metrics are numbers, and null where they are undefined or the run failed.
    """
    import polars

    names = list(dict.fromkeys(name for one in result.measured.values() for name in one.numbers))
    columns: dict[str, list[Any]] = {}
    schedule = result.schedule
    factors = list(schedule.study.factors)
    for name in factors:
        columns[name] = [case.levels[name] for case in schedule.cases]
    columns["seed"] = [case.seed for case in schedule.cases]
    folders = [result.folders.get(number) for number in range(len(schedule.cases))]
    for name in names:
        columns[name] = [
            None if folder is None else result.measured[folder].numbers[name] for folder in folders
        ]
    for name in dict.fromkeys(name for one in result.measured.values() for name in sorted(one.at_least)):
        columns[f"{name}{AT_LEAST}"] = [
            None if folder is None else name in result.measured[folder].at_least for folder in folders
        ]
    columns["run"] = [None if folder is None else folder.name for folder in folders]
    columns["folder"] = [None if folder is None else str(folder) for folder in folders]
    failures = [result.failed_cases.get(number) for number in range(len(schedule.cases))]
    columns["failure"] = [None if one is None else str(one.error) for one in failures]
    texts = dict.fromkeys(("run", "folder", "failure"), polars.String)
    series = [_series(name, values, texts.get(name)) for name, values in columns.items()]
    frame = polars.DataFrame(series)
    return frame.with_columns(polars.col(names).cast(polars.Float64).fill_nan(None)) if names else frame


def _series(name: str, values: list[Any], kind: Any) -> "polars.Series":
    """A column; levels of several types become text or floating point."""
    import polars

    if kind is None and len({type(value) for value in values if value is not None}) > 1:
        mixed = any(isinstance(value, str) for value in values)
        values = [None if value is None else str(value) if mixed else float(value) for value in values]
    return polars.Series(name, values, dtype=kind)
