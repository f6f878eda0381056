"""What a script needs in its guest: its own folder, and the folders of files that it names."""

import os
import re
from collections.abc import Iterator, Sequence
from os.path import commonpath
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.input_file import TEXT_BYTES_MOST, read_input
from airtcp.packetdrill.scripts import SUFFIX
from airtcp.plans.content import content_of
from airtcp.plans.types.plan import PlanFile

# A word in a script or a shell that may be a file: `../common/defaults.sh`.
_WORD = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*")
# As much as programs of a scenario may have.
_BYTES_MOST = 4 << 20


def needed_files(script: Path) -> tuple[Path, list[Path]]:
    """The folder that holds all that a script needs, and these files.

    They are the script, the files of its folder but other scripts, those that it names, and what is beside
    them. What these name belongs to them.
    """
    folders = [script.parent]
    named = [script]
    for file in named:
        for other in _named_by(file, script.parent):
            if other not in named:
                named.append(other)
                if other.parent not in folders:
                    folders.append(other.parent)
    beside = [file for folder in folders for file in sorted(folder.iterdir()) if _is_help(file)]
    return Path(commonpath(folders)), list(dict.fromkeys([*named, *beside]))


def plan_files(root: Path, files: Sequence[Path], below: str) -> list[PlanFile]:
    """The files as those of a plan, with their paths from `root` in the folder `below` of the guest's."""
    found: list[PlanFile] = []
    left = _BYTES_MOST
    for file in files:
        content = read_input(file, _BYTES_MOST)
        left -= len(content)
        if left < 0:
            remedy = "Move what the script does not need out of its folder"
            what = f"the files beside this script are more than {_BYTES_MOST >> 20} MiB"
            raise AirtcpError(what, str(files[0]), remedy)
        path = f"{below}/{file.relative_to(root).as_posix()}"
        found.append({"path": path, "executable": os.access(file, os.X_OK), "content": content_of(content)})
    return found


def _named_by(file: Path, folder: Path) -> Iterator[Path]:
    """Files that a text names by paths from its own folder, or from the script's, in which it runs."""
    text = read_input(file, TEXT_BYTES_MOST).decode(errors="replace")
    for word in dict.fromkeys(_WORD.findall(text)):
        if "/" not in word and "." not in word:
            continue
        for start in dict.fromkeys((folder, file.parent)):
            named = Path(os.path.normpath(start / word))
            if named.is_file() and named.suffix != SUFFIX:
                yield named


def _is_help(file: Path) -> bool:
    return file.is_file() and file.suffix != SUFFIX and not file.name.startswith(".")
