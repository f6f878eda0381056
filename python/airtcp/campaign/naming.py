"""Which runs of plans are in the store already, asked of the runner for all of them at once."""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.scenario.plan import Plan

_IDENTITY = "airtcp.execution.identity"


def run_names(plans: Sequence[Plan], series: Sequence[str]) -> list[str | None]:
    """The name of each plan's run; `None` where it can't be told.

    A name saves the start of a runner, which finds by itself what is there: so nothing here is an error.
    """
    unknown: list[str | None] = [None] * len(plans)
    if not plans or importlib.util.find_spec(_IDENTITY) is None:
        return unknown
    names: Callable[..., list[Any]] = importlib.import_module(_IDENTITY).names_or_errors
    try:
        found = names(find_runner(), {name: find_kernel(name) for name in series}, plans)
    except AirtcpError:
        # A runner of another version, perhaps: it will tell of itself when it is started.
        return unknown
    return [name if isinstance(name, str) else None for name in found]
