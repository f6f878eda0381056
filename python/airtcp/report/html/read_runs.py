"""Reads run folders for a page, by one process or by several."""

import base64
import gzip
import json
import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from airtcp.data.flat_plan import Value, flatten
from airtcp.data.read_once import open_once
from airtcp.data.scene_folder import is_scene_folder
from airtcp.errors import AirtcpError
from airtcp.report.html.record import Record, details_of, record_of

# Fewer runs than these are read before other processes have started.
WORTH_PROCESSES = 60


@dataclass(frozen=True)
class Broken:
    """A folder that is not shown as a run, and why."""

    text: str


@dataclass(frozen=True)
class Read:
    """A run: its row, its flattened plan, its details as `DecompressionStream` of a browser opens them."""

    record: Record
    plan: dict[str, Value]
    details: str


def read_all(folders: Sequence[Path], points_most: int, processes: int) -> Iterator[Read | Broken]:
    """The runs in the order of the folders."""
    read = partial(read_run, points_most=points_most)
    if processes < 2 or len(folders) < WORTH_PROCESSES:
        yield from map(read, folders)
        return
    # Forked, a child would wait for threads of polars that it does not have.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, initializer=_leave_interruption_to_the_parent)
    try:
        yield from pool.map(read, folders, chunksize=4)
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interruption_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def read_run(folder: Path, points_most: int) -> Read | Broken:
    """Opens a run folder once and makes of it all that the page needs."""
    if is_scene_folder(folder):
        return Broken(f"{folder}: is of a run without a guest (airtcp air), which has no flows to compare")
    try:
        run = open_once(folder)
        record = record_of(run)
        return Read(record, flatten(run.plan), packed(details_of(run, record, points_most)))
    except AirtcpError as error:
        return Broken(str(error))


def packed(value: object) -> str:
    """JSON, gzip, base64."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    # A date in it would make equal runs differ.
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode("ascii")
