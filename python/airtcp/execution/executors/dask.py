"""Runs on the workers of a Dask cluster, which need airtcp and a kernel but no shared file system."""

import contextlib
import uuid
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, RunFailed
from airtcp.execution.executors import dask_worker
from airtcp.execution.executors.executor import Job, Outcome, RunListener, Source
from airtcp.execution.run_transport import failure_from, parts_of, store_packed_run
from airtcp.execution.runner import Tools

# A worker has its next run ready when one ends.
JOBS_PER_THREAD = 2
# When a worker dies Dask retries its task elsewhere, 3 times (distributed.scheduler.allowed-failures), then
# blames the task. The cause may be a machine that kills its workers, so such a task is sent again.
TRIES = 3
WORKERS_LIMIT_S = 60


@contextlib.contextmanager
def dask_executor(tools: Tools, scheduler: str | None, workers: int) -> Iterator["DaskExecutor"]:
    """The cluster of this scheduler (`tcp://...`), or else a local one with this many workers."""
    try:
        import distributed
    except ImportError:
        remedy = "Install it: pip install 'airtcp[dask]'"
        raise AirtcpError("Dask is not installed", "--scheduler" if scheduler else "--dask", remedy) from None
    # Its functions have no types.
    library: Any = distributed
    with contextlib.ExitStack() as stack:
        place = scheduler or "--dask"
        try:
            cluster: Any = scheduler or stack.enter_context(
                library.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
            )
            client = stack.enter_context(
                library.Client(cluster, timeout=WORKERS_LIMIT_S, set_as_default=False)
            )
            client.wait_for_workers(1, timeout=WORKERS_LIMIT_S)
        except (OSError, ValueError, TimeoutError) as error:
            what = f"no Dask cluster answers there: {error}"
            raise AirtcpError(what, place, "Check that scheduler and workers run (dask scheduler)") from None
        yield DaskExecutor(tools, client)


@dataclass(frozen=True)
class DaskExecutor:
    """Runs one job per worker thread; run folders are transferred into the store of `tools`."""

    tools: Tools
    client: Any
    _campaign: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def at_once(self) -> int:
        """The threads of all workers that are there now."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def outcomes(self, jobs: Iterable[Job], listener: RunListener) -> Generator[Outcome, None, None]:
        """See `Executor.outcomes`; the listener is notified when a run is sent, not when it starts."""
        import distributed

        library: Any = distributed
        source, waiting = Source(jobs), library.as_completed(loop=self.client.loop)
        sent: dict[Any, tuple[int, Job, int]] = {}
        try:
            self._fill(source, sent, waiting, listener)
            while sent:
                future = next(waiting)
                number, job, tries = sent.pop(future)
                end = self._end(future, job, tries)
                future.release()
                if end is None:
                    self._send(number, job, tries + 1, sent, waiting)
                else:
                    yield Outcome(number, job, end)
                self._fill(source, sent, waiting, listener)
        finally:
            source.close()
            if sent:
                self._stop(list(sent))

    def _fill(self, source: Source, sent: dict[Any, Any], waiting: Any, listener: RunListener) -> None:
        """Sends jobs until every present worker has enough."""
        room = self.at_once * JOBS_PER_THREAD - len(sent)
        while room > 0 and (taken := source.next()) is not None:
            listener.started(taken[0], taken[1].label)
            self._send(*taken, 1, sent, waiting)
            room -= 1

    def _send(self, number: int, job: Job, tries: int, sent: dict[Any, Any], waiting: Any) -> None:
        future = self.client.submit(
            dask_worker.compute,
            job.plan,
            self._campaign,
            self.tools.limits.as_dict(),
            key=f"airtcp-{uuid.uuid4().hex}",
            pure=False,
        )
        sent[future] = (number, job, tries)
        waiting.add(future)

    def _end(self, future: Any, job: Job, tries: int) -> Done | AirtcpError | None:
        """The end of a job; `None`: it must be sent again."""
        try:
            if future.status == "cancelled":
                raise AirtcpError("the Dask scheduler has gone", "the cluster", "Start it and try again")
            answer = future.result()
        except AirtcpError:
            raise
        except Exception as error:
            # Nothing that airtcp does on a worker raises: the worker was lost, or lacks airtcp.
            if tries < TRIES and type(error).__name__ == "KilledWorker":
                return None
            what = f"the worker failed: {type(error).__name__}: {error}"
            remedy = "Read the worker's log; each worker needs this version of airtcp and a kernel"
            return RunFailed("worker", what, f"a Dask worker, {tries} tries", remedy, [])
        if "failed" in answer:
            return failure_from(answer["failed"])
        return self._stored(answer, job)

    def _stored(self, answer: dict[str, Any], job: Job) -> Done | AirtcpError:
        done = Done(**answer["done"])
        made_with = parts_of(self.tools.runner, self.tools.kernels[job.plan["kernel"]])
        try:
            folder = store_packed_run(answer["packed"], done.run, self.tools.store, made_with, job.fresh)
        except RunFailed as error:
            return error
        return Done(done.run, folder, done.cached, done.wall_s, done.cpu_s, done.virtual_s)

    def _stop(self, futures: list[Any]) -> None:
        """Cancels waiting jobs and ends active runs."""
        from distributed import TimeoutError as DaskTimeoutError

        with contextlib.suppress(OSError, RuntimeError, DaskTimeoutError):
            self.client.cancel(futures, force=True)
            self.client.run(dask_worker.stop, self._campaign, on_error="ignore")
