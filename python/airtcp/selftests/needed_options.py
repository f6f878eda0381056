"""Options of the kernel that self-tests ask for, in the file `config` of their folder."""

import re
from collections.abc import Mapping
from pathlib import Path

from airtcp.input_file import TEXT_BYTES_MOST, read_input

_OPTION = re.compile(r"^(CONFIG_\w+)=(\S+)", re.MULTILINE)
_BUILT = ("y", "m")


def options(file: Path) -> Mapping[str, str]:
    """The options that are set in a configuration, or a part of one."""
    return dict(_OPTION.findall(read_input(file, TEXT_BYTES_MOST).decode(errors="replace")))


def missing_options(kernel: Path, folder: Path) -> list[str]:
    """What a folder of tests asks for and a kernel has not, as `CONFIG_X=y`; a module may be built in.

    A kernel without its configuration beside it lacks nothing that could be told.
    """
    asked, config = folder / "config", kernel / "config"
    if not asked.is_file() or not config.is_file():
        return []
    has = options(config)
    return [
        f"{name}={'y' if value == 'm' else value}"
        for name, value in options(asked).items()
        if not (has.get(name) == value or (value in _BUILT and has.get(name) in _BUILT) or value == "n")
    ]
