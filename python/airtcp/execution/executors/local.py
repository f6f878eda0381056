"""Runs on this machine: one per core at a time, and an end that leaves nothing behind."""

import contextlib
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Thread

from airtcp.errors import AirtcpError
from airtcp.execution.cores import cores_for, pin
from airtcp.execution.events import Progress
from airtcp.execution.executors.executor import Job, Outcome, Source, Watch
from airtcp.execution.runner import Running, Tools, run_plan

# How soon Ctrl-C is seen at the latest.
LOOK_UP_S = 0.2


@dataclass(frozen=True)
class LocalExecutor:
    """So many runs at once, each pinned to a core of its own where they fill the machine."""

    tools: Tools
    at_once: int

    def outcomes(self, jobs: Iterable[Job], watch: Watch) -> Generator[Outcome, None, None]:
        """See `Executor.outcomes`."""
        source, running = Source(jobs), Running()
        ends: SimpleQueue[Outcome | BaseException | None] = SimpleQueue()
        worker = _Worker(self.tools, source, running, watch, ends)
        threads = [Thread(target=worker.work, args=(core,), name="run") for core in cores_for(self.at_once)]
        try:
            for thread in threads:
                thread.start()
            yield from _taken(ends, len(threads))
        finally:
            source.close()
            running.stop()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()


def _taken(
    ends: "SimpleQueue[Outcome | BaseException | None]", working: int
) -> Generator[Outcome, None, None]:
    """What the workers give, until each has said that it is over; what is no outcome is raised."""
    while working:
        try:
            end = ends.get(timeout=LOOK_UP_S)
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
    """Runs one job after another; several threads share one."""

    tools: Tools
    source: Source
    running: Running
    watch: Watch
    ends: "SimpleQueue[Outcome | BaseException | None]"

    def work(self, core: int | None) -> None:
        try:
            # A container may take a core away meanwhile: then the host chooses.
            with contextlib.suppress(OSError):
                pin(core)
            while (taken := self.source.next()) is not None:
                self.ends.put(self._outcome(*taken))
        # A bug, here or where jobs are made, must reach who waits for outcomes.
        except BaseException as error:
            self.ends.put(error)
        finally:
            self.ends.put(None)

    def _outcome(self, number: int, job: Job) -> Outcome:
        self.watch.started(number, job.label)

        def report(progress: Progress) -> None:
            self.watch.moved(number, progress)

        tools = replace(self.tools, fresh=True) if job.fresh else self.tools
        try:
            return Outcome(number, job, run_plan(job.plan, tools, self.running, report))
        except AirtcpError as error:
            return Outcome(number, job, error)
