"""Running cases: each in a guest of its own, several at once."""

import shutil
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from airtcp.execution.events import Done, RunFailed
from airtcp.execution.executors.executor import Job, Outcome, Unwatched
from airtcp.execution.executors.local import LocalExecutor
from airtcp.execution.limits import Limits
from airtcp.execution.runner import Tools
from airtcp.execution.store import prepare_store
from airtcp.suites.ending import Ending, ending_of_failure, ending_of_run

# Of a failed run: nothing of the case, and another would fail alike.
_NOT_OF_THE_CASE = (2, 130)


@dataclass(frozen=True)
class Place:
    """Where runs are made and outputs are written: the store, whether its runs are kept, and the folder."""

    tools: Tools
    at_once: int
    outputs: Path
    keep_runs: bool


@contextmanager
def run_store(kept: Path | None, out: Path) -> Iterator[Path]:
    """The store of runs: the one in which they are kept, else one that ends with the command."""
    if kept is not None:
        yield prepare_store(kept)
        return
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".runs-", dir=out))
    try:
        yield prepare_store(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def runs_of(
    jobs: Iterable[Job], place: Place, stall_s: int, *, fresh: bool = False
) -> Generator[tuple[int, Done | RunFailed], None, None]:
    """The number of each job with the end of its run, as they end. A run's folder is there until the next.

    `stall_s`: seconds of real time for which virtual time may stand still: then the case hangs.

    Raises:
        AirtcpError: runs can't be made, whatever the case.
    """
    tools = replace(place.tools, limits=Limits(stall_s, None), fresh=fresh or place.tools.fresh)
    executor = LocalExecutor(tools, max(1, place.at_once))
    with closing(executor.outcomes(iter(jobs), Unwatched())) as outcomes:
        for outcome in outcomes:
            end = _end(outcome)
            yield outcome.number, end
            if isinstance(end, Done) and not place.keep_runs:
                shutil.rmtree(end.folder, ignore_errors=True)


def endings(
    jobs: Iterable[Job], place: Place, stall_s: int, *, fresh: bool = False
) -> Iterator[tuple[int, Ending, float]]:
    """The same of jobs that are one case each: number, ending, and computing time in seconds."""
    with closing(runs_of(jobs, place, stall_s, fresh=fresh)) as runs:
        for number, end in runs:
            if isinstance(end, Done):
                yield number, ending_of_run(end), end.cpu_s
            else:
                yield number, ending_of_failure(end), 0.0


def _end(outcome: Outcome) -> Done | RunFailed:
    end = outcome.end
    if isinstance(end, Done) or (isinstance(end, RunFailed) and end.exit_status not in _NOT_OF_THE_CASE):
        return end
    raise end
