"""Guests that run tests: several at once, in a store that may end with the command."""

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

# Of a failed run: nothing of the tests, and another run would fail alike.
_NOT_OF_THE_TESTS = (2, 130)


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

    `stall_s`: for how many seconds a guest may compute while virtual time stands still.

    Raises:
        AirtcpError: runs can't be made, whatever the test.
    """
    tools = replace(place.tools, limits=Limits(stall_s, None), fresh=fresh or place.tools.fresh)
    executor = LocalExecutor(tools, max(1, place.at_once))
    with closing(executor.outcomes(jobs, Unwatched())) as outcomes:
        for outcome in outcomes:
            end = _end(outcome)
            yield outcome.number, end
            if isinstance(end, Done) and not place.keep_runs:
                shutil.rmtree(end.folder, ignore_errors=True)


def _end(outcome: Outcome) -> Done | RunFailed:
    end = outcome.end
    if isinstance(end, Done) or (isinstance(end, RunFailed) and end.exit_status not in _NOT_OF_THE_TESTS):
        return end
    raise end
