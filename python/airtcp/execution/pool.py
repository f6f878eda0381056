"""Many runs: one per core at a time, progress, and an end that leaves nothing behind."""

import os
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from airtcp.execution.events import Done, Progress, RunInterrupted
from airtcp.execution.progress import ProgressDisplay
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.scenario.plan import Plan


@dataclass(frozen=True)
class Job:
    """A plan to run, and what people call it."""

    label: str
    plan: Plan


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) or 1


def run_jobs(jobs: Sequence[Job], tools: Tools, at_once: int, display: ProgressDisplay) -> list[Done]:
    """Runs every job, `at_once` at a time; the results are in the order of the jobs.

    The first failure ends the others and is raised. So does an interruption (Ctrl-C): runners
    are told to stop, and this returns only when all of them have.
    """
    running = Running()
    pool = ThreadPoolExecutor(max_workers=max(1, at_once), thread_name_prefix="run")
    with display:
        futures = [pool.submit(_one, number, job, tools, running, display) for number, job in enumerate(jobs)]
        try:
            _wait_for_all(futures)
        except BaseException:
            running.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return [future.result() for future in futures]


def _one(number: int, job: Job, tools: Tools, running: Running, display: ProgressDisplay) -> Done:
    display.started(number, job.label)

    def report(progress: Progress) -> None:
        display.moved(number, progress)

    done = run_plan(job.plan, tools, running, report)
    display.finished(number, job.label, done)
    return done


def _wait_for_all(futures: Sequence[Future[Done]]) -> None:
    waiting: set[Future[Done]] = set(futures)
    while waiting:
        # The timeout lets Ctrl-C through at once.
        done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
        errors = [error for future in done if (error := future.exception()) is not None]
        first = next((error for error in errors if not isinstance(error, RunInterrupted)), None)
        if first is not None or errors:
            raise first or errors[0]
