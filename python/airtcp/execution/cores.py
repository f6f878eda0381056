"""The cores of this machine that runs may use."""

import os
from pathlib import Path

from airtcp.errors import AirtcpError

_SYSTEM = Path("/sys/devices/system/cpu")


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) or 1


def runs_at_once(jobs: int | None) -> int:
    """The number of concurrent runs for a given `--jobs`; default: one per core."""
    if jobs is not None and jobs < 1:
        raise AirtcpError(f"--jobs must be at least 1, not {jobs}")
    return cores() if jobs is None else jobs


def guests_for(at_once: int) -> int:
    """Guests of each of `at_once` concurrent runs whose network is split: two if each of them has a core.

    While one of two guests waits for the other, it keeps its core busy.
    """
    return 2 if 2 * at_once <= cores() else 1


def cores_for(at_once: int) -> list[int | None]:
    """The core of each of `at_once` concurrent runs; `None`: the host chooses.

    Runs are pinned only if there are as many as cores: migrating a guest between cores costs its caches.
    With fewer runs, other programs may use the machine and a pinned run could not move away from them; with
    more runs, cores are shared.
    """
    own = sorted(os.sched_getaffinity(0), key=_order)
    return list(own) if at_once == len(own) else [None] * at_once


def pin(core: int | None) -> None:
    """Binds this thread, and every process it starts from now on, to this core."""
    if core is not None:
        # For Linux a thread's number is a process number: 0 is the calling thread alone.
        os.sched_setaffinity(0, {core})


def read_on_one_thread() -> None:
    """Limits polars to one thread, so that it does not compete with runs for cores.

    This must be called before polars is imported, and holds for the whole process: for commands only.
    """
    os.environ.setdefault("POLARS_MAX_THREADS", "1")


def _order(core: int) -> tuple[int, int]:
    """Sort key: the first hardware thread of every core before the second ones."""
    try:
        siblings = (_SYSTEM / f"cpu{core}" / "topology" / "thread_siblings_list").read_text(encoding="ascii")
        first = siblings.replace("-", ",").split(",")[0]
        return int(int(first) != core), core
    except (OSError, ValueError):
        return 0, core
