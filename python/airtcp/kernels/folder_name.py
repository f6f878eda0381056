"""Names of the folders of built kernels: `6.12-6.12.117-1_deb12u1-9aed89633f68`.

`kernel/build` asks for them by `python3 -m airtcp.kernels.folder_name NAME VERSION RECIPE`.
"""

import json
import re
import sys
from pathlib import Path


def folder_name(name: str, version: str, recipe: str) -> str:
    """The folder of the kernel `name`, of a version of the source package, built by a recipe (a hash).

    What is no letter, digit, point, plus or hyphen in the version becomes `_`.
    """
    return f"{name}-{re.sub(r'[^A-Za-z0-9.+-]', '_', version)}-{recipe}"


def folder_of(kernel: Path) -> str:
    """The folder in which a store has this built kernel; that of a wheel has the name of its series alone."""
    about = json.loads((kernel / "kernel.json").read_text(encoding="utf-8"))
    return folder_name(about["series"], about["source"].split()[1], about["recipe"])


if __name__ == "__main__":
    print(folder_name(*sys.argv[1:4]))
