"""`cgcreate`, `cgclassify`, `cgset`, `cgget`, `cgdelete`, `cgexec` and `cgroupfs-mount`: control groups.

Groups of `cpu` and `cpuacct` are those of the kernel, in version 1 of control groups, which Mininet expects.
User-Mode Linux has one processor and no CPU sets: those are files that keep what is written. Debian's
programs of these names refuse a controller that the kernel does not have.
"""

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
LIMITED = Path("/run/airtcp-cpu-limits")
"""Is there once processor time was limited, which has no effect here."""
# Controllers whose groups are files without a meaning, with what a group holds at first.
_FILES = {"cpuset": {"tasks": "", "cpuset.cpus": "0", "cpuset.mems": "0"}}
_QUOTAS = ("cpu.cfs_quota_us", "cpu.rt_runtime_us")


class CgroupError(Exception):
    """What can't be done, as a sentence."""


def _folder(controller: str, path: str) -> Path:
    """The folder of a group; `CgroupError` if there is no such controller."""
    if not (ROOT / controller).is_dir():
        raise CgroupError(f"the controller {controller} does not exist; there are cpu, cpuacct and cpuset")
    return ROOT / controller / path.strip("/")


def _groups(given: str) -> Iterator[tuple[str, Path]]:
    """The controllers and folders of `cpu,cpuset:/h1`."""
    controllers, _, path = given.partition(":")
    for controller in controllers.split(","):
        yield controller, _folder(controller, path)


def _fill(controller: str, folder: Path) -> None:
    for name, text in _FILES.get(controller, {}).items():
        if not (folder / name).exists():
            (folder / name).write_text(text)


def create(given: str) -> None:
    """Makes the groups of `CONTROLLERS:PATH`."""
    for controller, folder in _groups(given):
        folder.mkdir(parents=True, exist_ok=True)
        _fill(controller, folder)


def classify(given: str, processes: Sequence[str]) -> None:
    """Moves processes to groups."""
    for _, folder in _groups(given):
        for process in processes:
            _write(folder / "tasks", process)


def _write(file: Path, text: str) -> None:
    if not file.exists():
        raise CgroupError(f"the group {file.parent.relative_to(ROOT)} has no {file.name}")
    try:
        file.write_text(text)
    except OSError as error:
        raise CgroupError(f"{file.name} of {file.parent.relative_to(ROOT)}: {error.strerror}") from error


def _parameter(name: str, path: str) -> Path:
    return _folder(name.partition(".")[0], path) / name


def assign(assignment: str, path: str) -> None:
    """Sets `NAME=VALUE` of a group."""
    name, _, value = assignment.partition("=")
    _write(_parameter(name, path), value)
    if name in _QUOTAS and not value.startswith("-"):
        LIMITED.touch()


def shown(names: Sequence[str], controllers: Sequence[str], path: str, *, values_only: bool) -> str:
    """Parameters of a group, one a line."""
    files = [_parameter(name, path) for name in names]
    for controller in controllers:
        folder = _folder(controller, path)
        _fill(controller, folder)
        files += sorted(file for file in folder.glob(f"{controller}.*") if file.is_file())
    lines = []
    for file in files:
        try:
            text = file.read_text().strip().replace("\n", "\n\t")
        except OSError as error:
            if file.name in names:
                raise CgroupError(f"{file.name} can't be read: {error.strerror}") from error
            continue
        lines.append(text if values_only else f"{file.name}: {text}")
    return "\n".join(lines)


def delete(given: str, *, recursive: bool) -> None:
    """Deletes groups; their processes move to the root group."""
    for controller, folder in _groups(given):
        if not folder.is_dir():
            raise CgroupError(f"the group {folder.relative_to(ROOT)} does not exist: no such file")
        if controller in _FILES:
            shutil.rmtree(folder)
            continue
        below = sorted((one for one in folder.rglob("*") if one.is_dir()), reverse=True) if recursive else []
        for one in [*below, folder]:
            for process in (one / "tasks").read_text().split():
                # It may have ended.
                with contextlib.suppress(OSError):
                    (ROOT / controller / "tasks").write_text(process)
            one.rmdir()


class Words:
    """The words of a command: values of its options, switches and the rest."""

    def __init__(self, words: Sequence[str], with_value: str, stop_at_first: bool = False) -> None:
        self.values: dict[str, list[str]] = {}
        self.switches: set[str] = set()
        self.rest: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if len(word) > 1 and word[0] == "-" and word[1] in with_value:
                value = word[2:] or (rest.pop(0) if rest else "")
                self.values.setdefault(word[1], []).append(value)
            elif word.startswith("-"):
                self.switches.update(word.lstrip("-"))
            else:
                self.rest.append(word)
                if stop_at_first:
                    self.rest += rest
                    break


def _cgget(words: Words) -> None:
    groups = words.values.get("g", [])
    paths = words.rest or [group.partition(":")[2] for group in groups if ":" in group]
    controllers = [one for group in groups for one in group.partition(":")[0].split(",")]
    for path in paths:
        if "n" not in words.switches:
            print(f"{path}:")
        print(shown(words.values.get("r", []), controllers, path, values_only="v" in words.switches))


def _run(command: str, arguments: Sequence[str]) -> None:
    with_value = {"cgcreate": "atdfsg", "cgset": "r", "cgget": "rg"}.get(command, "g")
    words = Words(arguments, with_value, stop_at_first=command == "cgexec")
    groups = words.values.get("g", [])
    if command == "cgcreate":
        for group in groups:
            create(group)
    elif command == "cgclassify":
        for group in groups:
            classify(group, words.rest)
    elif command == "cgset":
        for path in words.rest:
            for assignment in words.values.get("r", []):
                assign(assignment, path)
    elif command == "cgget":
        _cgget(words)
    elif command == "cgdelete":
        for group in [*groups, *words.rest]:
            delete(group, recursive="r" in words.switches)
    elif command == "cgexec":
        for group in groups:
            classify(group, [str(os.getpid())])
        os.execvp(words.rest[0], words.rest)


def main() -> None:
    """Does what the command says by whose name it was started."""
    command = Path(sys.argv[0]).name
    try:
        _run(command, sys.argv[1:])
    except CgroupError as error:
        sys.exit(f"{command}: {error}")
