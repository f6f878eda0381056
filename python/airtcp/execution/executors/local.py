"""Runs on this machine, in threads that each run one job after another."""

import contextlib
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Thread

from airtcp.errors import AirtcpError
from airtcp.execution.cores import cores_for, guests_for, pin
from airtcp.execution.events import Progress
from airtcp.execution.executors.executor import Job, Outcome, RunListener, Source
from airtcp.execution.runner import Running, Tools, run_plan

# The longest delay of Ctrl-C.
POLL_S = 0.2


@dataclass(frozen=True)
class LocalExecutor:
    """`at_once` concurrent runs; pinned to cores if there are as many of them (`cores_for`).

    Where the tools leave it open, runs of split networks have as many guests as there are cores for.
    """

    tools: Tools
    at_once: int

    def outcomes(self, jobs: Iterable[Job], listener: RunListener) -> Generator[Outcome, None, None]:
        """See `Executor.outcomes`."""
        source, running = Source(jobs), Running()
        ends: SimpleQueue[Outcome | BaseException | None] = SimpleQueue()
        guests = self.tools.guests or guests_for(self.at_once)
        worker = _Worker(replace(self.tools, guests=guests), source, running, listener, ends)
        # Two guests on the core that their run is pinned to would wait for each other.
        places = cores_for(self.at_once) if guests == 1 else [None] * self.at_once
        threads = [Thread(target=worker.work, args=(core,), name="run") for core in places]
        try:
            for thread in threads:
                thread.start()
            yield from _collect(ends, len(threads))
        finally:
            source.close()
            running.stop()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()


def _collect(
    ends: "SimpleQueue[Outcome | BaseException | None]", working: int
) -> Generator[Outcome, None, None]:
    """Outcomes of the worker threads until all have ended; their exceptions are raised here."""
    while working:
        try:
            end = ends.get(timeout=POLL_S)
        except Empty:
            continue
        if end is None:
            working -= 1
        elif isinstance(end, Outcome):
            yield end
        else:
            raise end


@dataclass(frozen=True)
class _Worker:
    """The body of the threads, shared by all of them."""

    tools: Tools
    source: Source
    running: Running
    listener: RunListener
    ends: "SimpleQueue[Outcome | BaseException | None]"

    def work(self, core: int | None) -> None:
        try:
            # The set of allowed cores may have changed: then the host chooses.
            with contextlib.suppress(OSError):
                pin(core)
            while (taken := self.source.next()) is not None:
                self.ends.put(self._outcome(*taken))
        # A bug here or in the iterator of jobs must reach the caller of outcomes.
        except BaseException as error:
            self.ends.put(error)
        finally:
            self.ends.put(None)

    def _outcome(self, number: int, job: Job) -> Outcome:
        self.listener.started(number, job.label)

        def report(progress: Progress) -> None:
            self.listener.moved(number, progress)

        tools = replace(self.tools, fresh=True) if job.fresh else self.tools
        try:
            return Outcome(number, job, run_plan(job.plan, tools, self.running, report))
        except AirtcpError as error:
            return Outcome(number, job, error)
