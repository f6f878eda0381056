"""Reads run folders for a page, by one process or by several."""

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from airtcp.report.html.kept_runs import is_kept, read_or_kept
from airtcp.report.html.libraries import load_libraries, load_statistics
from airtcp.report.html.read_run import Broken, PageAsked, Read

# Fewer runs than these are read before other processes have started.
WORTH_PROCESSES = 60


def read_all(folders: Sequence[Path], asked: PageAsked, processes: int) -> Iterator[Read | Broken]:
    """The runs in the order of the folders, as a page asks for them."""
    read = partial(read_or_kept, asked=asked)
    if processes < 2 or sum(not is_kept(folder) for folder in folders) < WORTH_PROCESSES:
        yield from map(read, folders)
        return
    # Forked, a child would wait for threads of polars that it does not have.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, initializer=_leave_interruption_to_the_parent)
    try:
        found = pool.map(read, folders, chunksize=4)
        # This process has little to do while others read.
        load_libraries()
        seeds: set[int] = set()
        for one in found:
            if isinstance(one, Read):
                seeds.add(one.record.seed)
            if len(seeds) > 1:
                load_statistics()
            yield one
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interruption_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
