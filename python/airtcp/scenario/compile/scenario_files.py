"""Files of the scenario's folder that its programs find beside them, as the plan has them.

A run depends on its plan and on nothing else, so what is in these files is part of it: when a script changes,
the run is another one, and a plan repeats on another machine.
"""

import errno
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from airtcp.input_file import read_input
from airtcp.plans.content import content_of
from airtcp.plans.types.plan import PlanFile
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario

FILES_BYTES_MAX = 4 << 20  # FILES_BYTES_MAX of the plan crate
_PATH_MOST = 255  # PATH_BYTES_MAX of the plan crate
_OWN_FOLDER = re.compile(r"^(\$SCENARIO_DIR|\$\{SCENARIO_DIR\}|\.)/+")


def compile_files(scenario: Scenario, folder: Path) -> list[PlanFile]:
    """The files that commands name, those of the same kind beside them, and those that `files` asks for."""
    asked = [("guest.files", scenario.guest.files)]
    asked += [(f"program[{number}].files", program.files) for number, program in enumerate(scenario.program)]
    commands = [program.command for program in scenario.program]
    commands += [one.start.command for one in scenario.session if one.start]
    paths = {path for key, patterns in asked for pattern in patterns for path in _asked(folder, pattern, key)}
    paths.update(path for command in commands for path in _named(folder, command))
    return _read(folder, sorted(paths), "guest.files" if scenario.guest.files else "program[0].files")


def _asked(folder: Path, pattern: str, key: str) -> list[Path]:
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
        what = f'"{pattern}" is not inside the folder of the scenario'
        raise ScenarioError(key, what, "Programs can read files elsewhere on this machine by their full path")
    found = [path for each in sorted(folder.glob(pattern)) for path in _below(each)]
    if not found:
        raise ScenarioError(key, f'no file matches "{pattern}" in {folder.resolve()}', "Check the pattern")
    return found


def _named(folder: Path, command: str) -> Iterator[Path]:
    """What the words of a command name: a file with those of its ending beside it, or all of a folder."""
    for word in _words(command):
        relative = Path(_OWN_FOLDER.sub("", word))
        if len(word) > _PATH_MOST or "\n" in word or "\0" in word:
            continue
        if relative.is_absolute() or ".." in relative.parts or not relative.parts:
            continue
        path = folder / relative
        if _is_file(path):
            yield path
            if path.suffix:
                yield from (other for other in sorted(path.parent.glob(f"*{path.suffix}")) if _is_file(other))
        elif path.is_dir():
            yield from _below(path)


def _words(command: str) -> list[str]:
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        return list(lexer)
    except ValueError:
        # The shell's own words: an open quotation in a comment, for example.
        return re.split(r"[\s;|&<>()\"']+", command)


def _below(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path] if _is_file(path) else []
    hidden = (part.startswith(".") for part in path.parts)
    return [] if any(hidden) else [each for each in sorted(path.rglob("*")) if _is_file(each)]


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".")


def _read(folder: Path, paths: Sequence[Path], key: str) -> list[PlanFile]:
    files: list[PlanFile] = []
    total = 0
    for path in paths:
        name = path.relative_to(folder).as_posix()
        content = b""
        try:
            total += path.stat().st_size
            content = read_input(path, FILES_BYTES_MAX)
        except OSError as error:
            if error.errno != errno.EFBIG:
                raise ScenarioError(key, f"{path} can't be read: {error.strerror}") from None
        if total > FILES_BYTES_MAX:
            what = f"the files of the programs are more than {FILES_BYTES_MAX >> 20} MiB, with {name}"
            remedy = "Make large files in the guest, or read them by their full path"
            raise ScenarioError(key, what, remedy)
        files.append({"path": name, "executable": os.access(path, os.X_OK), "content": content_of(content)})
    return files
