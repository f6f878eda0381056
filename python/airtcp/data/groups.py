"""The groups by which a run is looked at, in a file of its folder that is no part of its results.

The latest scenario whose run it is wrote them: `airtcp run` with other groups finds the same run.
"""

import contextlib
import json
import os
from pathlib import Path

from airtcp.data.json_file import parse_json, read_bytes
from airtcp.data.plain_file import REMEDY
from airtcp.errors import AirtcpError
from airtcp.plans.groups import Groups

GROUPS_FILE = "groups.json"


def kept_groups(folder: Path) -> dict[str, tuple[str, ...]]:
    """The groups of a run; none where its scenario has none."""
    file = folder / GROUPS_FILE
    if not os.path.lexists(file):
        return {}
    found = parse_json(read_bytes(file), file, ())
    for patterns in found.values():
        if not isinstance(patterns, list) or not all(isinstance(one, str) for one in patterns):
            raise AirtcpError("is damaged: a group is no list of patterns", str(file), REMEDY)
    return {name: tuple(patterns) for name, patterns in found.items()}


def keep_groups(folder: Path, groups: Groups) -> None:
    """Keeps the groups with a run; a folder that can't be written stays as it is."""
    file = folder / GROUPS_FILE
    try:
        if kept_groups(folder) == {name: tuple(own) for name, own in groups.items()}:
            return
    except AirtcpError:
        pass  # It is written anew.
    with contextlib.suppress(OSError):
        if not groups:
            file.unlink(missing_ok=True)
            return
        aside = file.with_name(f".{GROUPS_FILE}.{os.getpid()}")
        aside.write_text(json.dumps({name: list(own) for name, own in groups.items()}) + "\n", "utf-8")
        aside.replace(file)


def groups_text(folder: Path) -> str:
    """What the file of groups holds, for keys of caches; empty where a run has none."""
    try:
        return (folder / GROUPS_FILE).read_text("utf-8")
    except (OSError, ValueError):
        return ""
