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
    """A quantity of a run, as a metric of a campaign has it: `number(run, "rtt", statistic="p95")`.

    `arguments` are the keys of `[metric.NAME]`. It is `nan` where the run has no value; an unknown quantity
    or argument, and a series that the run did not record, are an `AirtcpError`.
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
