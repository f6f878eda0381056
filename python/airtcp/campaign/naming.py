"""Which runs of plans are in the store already, asked of the runner for all of them at once."""

from collections.abc import Sequence

from airtcp.errors import AirtcpError
from airtcp.execution.identity import names_or_errors
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.scenario.plan_types.plan import Plan


def run_names(plans: Sequence[Plan], series: Sequence[str]) -> list[str | None]:
    """The name of each plan's run; `None` where it can't be told.

    A name saves the start of a runner, which finds by itself what is there: so nothing here is an error.
    """
    if not plans:
        return []
    try:
        found = names_or_errors(find_runner(), {name: find_kernel(name) for name in series}, plans)
    except AirtcpError:
        # A runner of another version, perhaps: it will tell of itself when it is started.
        return [None] * len(plans)
    return [name if isinstance(name, str) else None for name in found]
