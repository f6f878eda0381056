"""Finding packetdrill's scripts, and the suites that they belong to."""

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError, suggestion

SUFFIX = ".pkt"
# What runs the scripts of the kernel's self-tests (tools/testing/selftests/net/packetdrill), beside them.
KERNEL_RUNNER = "ksft_runner.sh"
# What runs google/packetdrill's and multipath-tcp/packetdrill's, below the folder of all suites (gtests/net).
RUNNER = Path("packetdrill") / "run_all.py"
# Names of suites: what known differences are listed by.
GOOGLE, KERNEL, MPTCP, OWN = "google", "kernel", "mptcp", "own"
# The folder of MPTCP's scripts below that of all suites.
_MPTCP_FOLDER = "mptcp"


@dataclass(frozen=True)
class Script:
    """A script: its file, its suite, its name there, and what its suite runs it with.

    `name` is the path below the folder of all suites (`tcp/close/close-on-syn-sent.pkt`), else below what
    was given.
    """

    file: Path
    suite: str
    name: str
    runner: Path | None

    @property
    def folder(self) -> str:
        """The folder in its name; of a script without one its suite."""
        return self.name.rpartition("/")[0] or self.suite


def find_scripts(paths: Iterable[Path], only: Sequence[str] = ()) -> list[Script]:
    """The scripts of files and folders, each once and in the order of their names.

    `only`: patterns of the shell, or parts, of names. Raises an `AirtcpError` if there is no script.
    """
    found: dict[Path, Script] = {}
    for path in paths:
        for file in _files(path):
            found.setdefault(file, _script(file, path.resolve()))
    scripts = sorted(found.values(), key=lambda script: (script.suite, script.name, script.file))
    chosen = [script for script in scripts if not only or any(_matches(script, one) for one in only)]
    if not chosen:
        folders = ", ".join(dict.fromkeys(script.folder for script in scripts))
        hint = suggestion(only[0], sorted({script.file.stem for script in scripts}))
        remedy = f"D{hint[1:]}" if hint else f"Folders of scripts: {folders}"
        raise AirtcpError("no script has such a name", f"--only {' '.join(only)}", remedy)
    return chosen


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path.resolve()]
    if not path.is_dir():
        raise AirtcpError("there is no such file or folder", str(path), "Check the path")
    files = sorted(file for file in path.resolve().rglob(f"*{SUFFIX}") if file.is_file())
    if not files:
        remedy = f"Name a folder of packetdrill's scripts, whose names end in {SUFFIX}"
        raise AirtcpError("there is no script in this folder", str(path), remedy)
    return files


def _script(file: Path, given: Path) -> Script:
    beside = file.with_name(KERNEL_RUNNER)
    if beside.is_file():
        return Script(file, KERNEL, file.name, beside)
    for root in file.parents:
        if (root / RUNNER).is_file():
            name = file.relative_to(root)
            return Script(file, MPTCP if name.parts[0] == _MPTCP_FOLDER else GOOGLE, str(name), root / RUNNER)
    return Script(file, OWN, file.name if file == given else str(file.relative_to(given)), None)


def _matches(script: Script, pattern: str) -> bool:
    return pattern in script.name or fnmatch.fnmatch(script.name, pattern)
