"""The one kernel tree in which all steps of a bisection are built, so that a step compiles what differs."""

import fcntl
import hashlib
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.kernel_build import build_quietly
from airtcp.kernels.folder_name import kernels_folder
from airtcp.kernels.name import KernelName

_DIGITS = 8


def base_name(source: str) -> str:
    """The name of the kernel of a source: the same each time, so that a kept tree is found again."""
    return f"bisect_{hashlib.sha256(source.encode()).hexdigest()[:_DIGITS]}"


@dataclass(frozen=True)
class KernelTree:
    """The tree of the kernel `name`, and a folder beside it for everything else that a bisection needs."""

    name: KernelName
    config: Sequence[str]

    @property
    def folder(self) -> Path:
        """For the worktree, the runs and the builder's words."""
        return kernels_folder() / f".{self.name}"

    @property
    def log(self) -> Path:
        """What the builder said in the last step."""
        return self.folder / "build.log"

    def build(self, words: Sequence[str]) -> Path:
        """Builds what these words name; the folder of the kernel. What is not built is a `BuildFailed`."""
        options = [word for option in self.config for word in ("--config", option)]
        build_quietly(["--name", str(self.name), *words, *options], self.log)
        built = (kernels_folder() / str(self.name)).resolve()
        for other in self._kernels():
            if other != built:
                shutil.rmtree(other, ignore_errors=True)
        return built

    def _kernels(self) -> list[Path]:
        return [folder for folder in kernels_folder().glob(f"{self.name}-*") if (folder / "linux").is_file()]

    def remove(self) -> None:
        """Removes all of it."""
        store = kernels_folder()
        (store / str(self.name)).unlink(missing_ok=True)
        for folder in (*self._kernels(), store / f".own-{self.name}", self.folder):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def kernel_tree(name: KernelName, config: Sequence[str], keep: bool) -> Iterator[KernelTree]:
    """A tree that nobody else uses meanwhile; without `keep` nothing of it is left, whatever happens."""
    tree = KernelTree(name, config)
    tree.folder.mkdir(parents=True, exist_ok=True)
    with (tree.folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AirtcpError("another bisection of this source goes on", str(tree.folder)) from None
        try:
            yield tree
        finally:
            if not keep:
                with _uninterrupted():
                    tree.remove()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Removing 3 GB takes seconds, in which Ctrl-C would leave half of it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
