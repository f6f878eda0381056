"""The cores of this machine that runs may use."""

import os
from pathlib import Path

_SYSTEM = Path("/sys/devices/system/cpu")


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) or 1


def cores_for(at_once: int) -> list[int | None]:
    """The core of each of so many runs at once; `None`: the host chooses.

    Runs are pinned where they fill the machine: then a core each is what the host's scheduler should find,
    and moving a guest from core to core costs its caches. With fewer runs than cores the rest of the machine
    may belong to somebody else, another campaign perhaps, which a pinned run could not give way to; with
    more, cores are shared.
    """
    own = sorted(os.sched_getaffinity(0), key=_order)
    return list(own) if at_once == len(own) else [None] * at_once


def pin(core: int | None) -> None:
    """Lets this thread, and every process it starts from now on, run on this core only."""
    if core is not None:
        # For Linux a thread's number is a process number: 0 is the calling thread alone.
        os.sched_setaffinity(0, {core})


def read_on_one_thread() -> None:
    """Lets polars, if it is not loaded yet, work on one thread: more would wait for runs, and runs for them.

    It holds for the whole process, so it is for commands only."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")


def _order(core: int) -> tuple[int, int]:
    """First threads of all cores before second ones, so that the first runs have a core to themselves."""
    try:
        siblings = (_SYSTEM / f"cpu{core}" / "topology" / "thread_siblings_list").read_text(encoding="ascii")
        first = siblings.replace("-", ",").split(",")[0]
        return int(int(first) != core), core
    except (OSError, ValueError):
        return 0, core
