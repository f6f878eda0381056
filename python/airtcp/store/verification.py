"""Verifies run folders against the checksums in their manifests."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from airtcp.data.run_integrity import find_damage


@dataclass(frozen=True)
class Verified:
    """A run folder, and what is wrong with it: nothing if it is sound."""

    folder: Path
    damage: list[str]


def verify(folders: Sequence[Path], at_once: int, progress: Callable[[int], None]) -> Iterator[Verified]:
    """Verifies run folders, `at_once` at a time, in their order; `progress` gets the number verified.

    Threads are enough: hashing and reading release Python's global lock.
    """
    with ThreadPoolExecutor(max(1, at_once), thread_name_prefix="verify") as pool:
        try:
            for number, damage in enumerate(pool.map(find_damage, folders)):
                progress(number + 1)
                yield Verified(folders[number], damage)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
