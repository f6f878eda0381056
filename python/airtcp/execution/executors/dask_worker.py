"""The task of a Dask worker: executes a plan and returns the packed run folder."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.events import Progress
from airtcp.execution.limits import Limits
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.run_transport import failure_of, pack
from airtcp.execution.runner import Running, Tools, interrupted, run_plan
from airtcp.execution.store import prepare_store
from airtcp.plans.types.plan import Plan

# The runs of this process by campaign: several campaigns may share a cluster.
_RUNNING: dict[str, Running] = {}
_STOPPED: set[str] = set()


def compute(plan: Plan, campaign: str, limits: dict[str, int | None] | None = None) -> dict[str, Any]:
    """Executes a plan with this machine's runner and kernel.

    The answer has `done` and the run folder as `packed`, or `failed`. A failed run does not raise: Dask would
    retry the task, and the run would fail again.
    """
    running = _RUNNING.setdefault(campaign, Running())
    try:
        if campaign in _STOPPED:
            raise interrupted()
        with tempfile.TemporaryDirectory(prefix="airtcp-run-", dir=_scratch()) as folder:
            store = prepare_store(Path(folder))
            kernels = {plan["kernel"]: find_kernel(plan["kernel"])}
            tools = Tools(find_runner(), kernels, store, limits=Limits(**(limits or {})))
            done = run_plan(plan, tools, running, _ignore)
            return {"done": vars(replace(done, folder=Path(done.run))), "packed": pack(done.folder)}
    except AirtcpError as error:
        return {"failed": failure_of(error)}


def stop(campaign: str) -> None:
    """Ends the runs of a campaign in this process, and lets no further one begin."""
    _STOPPED.add(campaign)
    if campaign in _RUNNING:
        _RUNNING[campaign].stop()


def _scratch() -> str | None:
    """The worker's own folder, which Dask removes after a worker that died."""
    from distributed import get_worker

    try:
        return str(get_worker().local_directory)
    except (ValueError, AttributeError):
        return None


def _ignore(progress: Progress) -> None:
    """Progress is not sent: thousands of runs would send a message per second each."""
