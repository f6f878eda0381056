"""`airtcp.sweep`: a campaign from Python."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.campaign.campaign import metrics_of, read_campaign
from airtcp.campaign.campaign_runner import CampaignResult, CampaignRunner
from airtcp.campaign.listener import CampaignListener
from airtcp.campaign.metric_cache import MetricCache
from airtcp.campaign.schedule import Request, Schedule, make_schedule
from airtcp.execution.cores import runs_at_once
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
    """Computes the runs of a campaign that the store lacks; returns a row for each case.

    A run that fails does not raise: its metrics are null, and `failure` has the reason.

    Args:
        campaign: path of a campaign file, or a mapping with the same keys (docs/reference/campaign.md), whose
            `scenario` is a path from the working folder.
        store: folder of runs; it is made if runs are missing.
        reps: repetitions (seeds 1 to `reps`) in place of the campaign's.
        only: levels of factors to compute, by the name of the factor; others are left out.
        jobs: runs at once; default: one per core.
        stall_limit_s: seconds for which a guest may compute without moving virtual time; default: 30.
        wall_limit_s: seconds of real time that a run may take; default: no limit.

    Returns:
        A Polars frame: a column per factor; `seed`; a column per metric, in the unit that
        docs/reference/quantities.md names; `NAME_at_least`, true where a metric is a lower bound; `run` and
        `folder`, the name and path of the run folder; `failure`, null for a run that is complete.

    Raises:
        AirtcpError: the campaign or its scenario is wrong, or the runner or kernel is missing.

    Example:
        >>> frame = airtcp.sweep({
        ...     "name": "queues", "scenario": "first.toml", "reps": 2, "metrics": ["throughput", "rtt"],
        ...     "factor": {"queue": {"key": "wire[0].queue", "values": ["20 packets", "100 packets"]}},
        ... })
        >>> frame.columns
        ['queue', 'seed', 'throughput', 'rtt', 'run', 'folder', 'failure']
        >>> frame.group_by("queue").agg(polars.col("rtt").mean()).height
        2
    """
    from airtcp.campaign.frame import results_frame

    source = campaign if isinstance(campaign, Mapping) else Path(campaign)
    texts = {factor: [str(level) for level in levels] for factor, levels in (only or {}).items()}
    request = Request(Path(store), reps, texts)
    schedule = make_schedule(read_campaign(source), request)
    executor = local_executor(schedule, request.store, jobs, Limits(stall_limit_s, wall_limit_s))
    return results_frame(run_campaign(schedule, request.store, executor))


def run_campaign(
    schedule: Schedule,
    store: Path,
    executor: Executor,
    listener: CampaignListener | None = None,
    prepare: Callable[[Path], None] = lambda _: None,
) -> CampaignResult:
    """Computes the missing runs of a schedule on this executor, and the campaign's metrics of every run.

    `prepare` is called with the folder of each computed run while further runs go on.
    """
    metrics = MetricCache(schedule.study, metrics_of(schedule.study), store.resolve())
    return CampaignRunner(schedule, metrics, listener or CampaignListener(), prepare).run(executor)


def local_executor(
    schedule: Schedule, store: Path, jobs: int | None, limits: Limits = NO_LIMITS
) -> LocalExecutor:
    """An executor of this machine, with at most as many concurrent runs as are missing."""
    at_once = max(1, min(runs_at_once(jobs), len(schedule.missing)))
    return LocalExecutor(tools_for(schedule, store, limits), at_once)


def tools_for(schedule: Schedule, store: Path, limits: Limits = NO_LIMITS) -> Tools:
    """The runner, kernels and store of a schedule; the store is created if runs are missing."""
    kernels = {series: find_kernel(series) for series in schedule.series}
    # A complete campaign can be read from a read-only store.
    place = prepare_store(store) if schedule.missing else store.resolve()
    return Tools(find_runner(), kernels, place, limits=limits)
