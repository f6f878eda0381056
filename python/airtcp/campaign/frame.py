"""The results of a campaign as a Polars frame."""

from typing import TYPE_CHECKING, Any

from airtcp.campaign.conduct import Swept
from airtcp.studies.measuring import AT_LEAST

if TYPE_CHECKING:
    import polars


def results_frame(swept: Swept) -> "polars.DataFrame":
    """A row for each case: factors, `seed`, metrics, `run`, `folder`, and `failure` where there is no run.

    A metric of which only a lower bound is known in some run has a column `NAME_at_least`.

    Metrics are numbers; those that can't be told of a run, and all those of a failed one, are null.
    """
    import polars

    names = list(dict.fromkeys(name for one in swept.measured.values() for name in one.numbers))
    columns: dict[str, list[Any]] = {}
    schedule = swept.schedule
    factors = list(schedule.study.factors)
    for name in factors:
        columns[name] = [case.levels[name] for case in schedule.cases]
    columns["seed"] = [case.seed for case in schedule.cases]
    folders = [swept.ends.get(number) for number in range(len(schedule.cases))]
    for name in names:
        columns[name] = [
            None if folder is None else swept.measured[folder].numbers[name] for folder in folders
        ]
    for name in dict.fromkeys(name for one in swept.measured.values() for name in sorted(one.at_least)):
        columns[f"{name}{AT_LEAST}"] = [
            None if folder is None else name in swept.measured[folder].at_least for folder in folders
        ]
    columns["run"] = [None if folder is None else folder.name for folder in folders]
    columns["folder"] = [None if folder is None else str(folder) for folder in folders]
    failures = [swept.failed_cases.get(number) for number in range(len(schedule.cases))]
    columns["failure"] = [None if one is None else str(one.error) for one in failures]
    texts = dict.fromkeys(("run", "folder", "failure"), polars.String)
    series = [_series(name, values, texts.get(name)) for name, values in columns.items()]
    frame = polars.DataFrame(series)
    return frame.with_columns(polars.col(names).cast(polars.Float64).fill_nan(None)) if names else frame


def _series(name: str, values: list[Any], kind: Any) -> "polars.Series":
    """Levels of one factor may be of several types: then they are text."""
    import polars

    if kind is None and len({type(value) for value in values if value is not None}) > 1:
        mixed = any(isinstance(value, str) for value in values)
        values = [None if value is None else str(value) if mixed else float(value) for value in values]
    return polars.Series(name, values, dtype=kind)
