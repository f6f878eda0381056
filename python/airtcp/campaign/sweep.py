"""`airtcp.sweep`: a campaign from Python."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.campaign.conduct import Conductor, Swept
from airtcp.campaign.known_numbers import KnownNumbers
from airtcp.campaign.reading import metrics_of, read_campaign
from airtcp.campaign.schedule import Request, Schedule, make_schedule
from airtcp.campaign.watcher import Watcher
from airtcp.errors import AirtcpError
from airtcp.execution.cores import cores
from airtcp.execution.executors.executor import Executor
from airtcp.execution.executors.local import LocalExecutor
from airtcp.execution.limits import NO_LIMITS, Limits
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Tools
from airtcp.execution.store import prepare_store

if TYPE_CHECKING:
    import polars


def sweep(
    campaign: str | Path | Mapping[str, Any],
    *,
    store: str | Path = "runs",
    reps: int | None = None,
    only: Mapping[str, Sequence[Any]] | None = None,
    jobs: int | None = None,
    stall_limit_s: int | None = None,
    wall_limit_s: int | None = None,
) -> "polars.DataFrame":
    """Computes what a campaign misses in the store; returns a row for each case of it.

    `campaign` is the path of a campaign file, or a mapping with the same keys, whose `scenario` is then a
    path from the working folder. The columns are the factors, `seed`, the metrics (in the units that
    docs/how-to/studies.md names), `run`, `folder`, and `failure`: the reason why a run failed, whose metrics
    are null. `only` chooses levels of factors, `reps` replaces the campaign's, `jobs` is the number of runs
    at once (default: one per core). A run whose virtual time stands still for `stall_limit_s` of real time
    (default: 30), or which takes longer than `wall_limit_s` (default: no limit), fails. What is wrong with
    the campaign is an `AirtcpError`; failed runs are not.

    >>> frame = airtcp.sweep({
    ...     "name": "queues", "scenario": "base.toml", "reps": 5, "metrics": ["throughput", "rtt"],
    ...     "factor": {"queue": {"key": "wire[0].queue", "values": ["20 packets", "100 packets"]}},
    ... })
    >>> frame.group_by("queue").agg(polars.col("rtt").mean())
    """
    from airtcp.campaign.frame import results_frame

    source = campaign if isinstance(campaign, Mapping) else Path(campaign)
    texts = {factor: [str(level) for level in levels] for factor, levels in (only or {}).items()}
    request = Request(Path(store), reps, texts)
    schedule = make_schedule(read_campaign(source), request)
    executor = local_executor(schedule, request.store, jobs, Limits(stall_limit_s, wall_limit_s))
    return results_frame(conduct(schedule, request.store, executor))


def conduct(schedule: Schedule, store: Path, executor: Executor, watcher: Watcher | None = None) -> Swept:
    """Runs what a schedule misses on this executor, and reads what the campaign wants of every run."""
    numbers = KnownNumbers(schedule.study, metrics_of(schedule.study), store.resolve())
    return Conductor(schedule, numbers, watcher or Watcher()).conduct(executor)


def local_executor(
    schedule: Schedule, store: Path, jobs: int | None, limits: Limits = NO_LIMITS
) -> LocalExecutor:
    """The cores of this machine, for what a schedule misses."""
    if jobs is not None and jobs < 1:
        raise AirtcpError(f"{jobs} runs at once make no progress", "--jobs", "Ask for at least 1")
    at_once = max(1, min(jobs or cores(), len(schedule.missing)))
    return LocalExecutor(tools_for(schedule, store, limits), at_once)


def tools_for(schedule: Schedule, store: Path, limits: Limits = NO_LIMITS) -> Tools:
    """What executes a schedule; the store is made if need be."""
    kernels = {series: find_kernel(series) for series in schedule.series}
    # What is all there can be read of a store that can't be written.
    place = prepare_store(store) if schedule.missing else store.resolve()
    return Tools(find_runner(), kernels, place, limits=limits)
