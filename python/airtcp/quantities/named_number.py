"""Any quantity of a run in Python: `airtcp.number`."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from airtcp.data.read_once import open_once
from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.quantities.forms import number as number_of
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.registry import quantity_of
from airtcp.quantities.run_view import RunView


def number(run: Run | Path | str, of: str, **arguments: Any) -> float:
    """A quantity of a run, as a metric of a campaign has it.

    Args:
        run: The run, or its folder.
        of: Name of the quantity (docs/reference/quantities.md), which also states its unit.
        arguments: Keys of `[metric.NAME]` of campaigns, such as `statistic="p95"` or `flows="sta1-*"`.

    Returns:
        The number in the unit of the quantity, or in `unit`; `nan` where the run has no value.

    Raises:
        AirtcpError: There is no such quantity or argument, or the run did not record its series.

    Example:
        >>> airtcp.number(run, "cwnd", statistic="most")
        20.0
    """
    try:
        metric = MetricFile(of=of, **arguments)
    except ValidationError as error:
        first = error.errors()[0]
        named = ".".join(str(part) for part in first["loc"])
        raise AirtcpError(f"{named}: {first['msg']}", of, "See [metric.NAME] of campaigns") from None
    quantity = quantity_of(metric, of)
    opened = run if isinstance(run, Run) else open_once(Path(run))
    return number_of(quantity, RunView.of_metric(opened, metric)).value
