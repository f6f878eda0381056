"""The folder of built kernels, and names of the folders in it: `6.12-6.12.117-1_deb12u1-9aed89633f68`.

`kernel/build` has the layout and the characters from here, by `airtcp.kernels.name`.
"""

import json
import os
import re
from pathlib import Path

from airtcp.cache_folder import cache_folder

# Of name, version and recipe; for `printf` of a shell too.
LAYOUT = "%s-%s-%s"
# What is kept of a version, as a bracket expression has it.
KEPT_CHARACTERS = "A-Za-z0-9.+-"


def folder_name(name: str, version: str, recipe: str) -> str:
    """The folder of the kernel `name`, of a version of the source package, built by a recipe (a hash).

    All but letters, digits, points, plus signs and hyphens of the version becomes `_`.
    """
    return LAYOUT % (name, re.sub(f"[^{KEPT_CHARACTERS}]", "_", version), recipe)


def folder_of(kernel: Path) -> str:
    """The folder in which a store has this built kernel; that of a wheel has the name of its series alone."""
    about = json.loads((kernel / "kernel.json").read_text(encoding="utf-8"))
    return folder_name(about["series"], about["source"].split()[1], about["recipe"])


def kernels_folder() -> Path:
    """Folder of built kernels: `AIRTCP_KERNELS`, else a folder of the user's cache."""
    given = os.environ.get("AIRTCP_KERNELS")
    return Path(given) if given else cache_folder() / "kernels"
