"""Radios of IEEE 802.15.4 for sensors: those of the kernel's own `mac802154_hwsim`, which is built in.

Their frames take no time and are never lost. Programs make them with `wpan-hwsim`, which Debian has.
"""

import re
import subprocess
from pathlib import Path

LOADED = Path("/run/airtcp-sensor-radios")
"""Is there while programs believe that the module is loaded."""
# Loading the module makes so many, each of which receives the others.
_USUAL = 2


def _run(*words: str) -> str:
    return subprocess.run(["wpan-hwsim", *words], capture_output=True, text=True, check=False).stdout


def load() -> None:
    """Makes the first radios."""
    if LOADED.exists():
        return
    LOADED.touch()
    for _ in range(_USUAL):
        _run("add")
    _run("edge", "add", "0", "1")
    _run("edge", "add", "1", "0")


def unload() -> None:
    """Deletes all radios."""
    for number in re.findall(r"^(\d+):", _run(), re.MULTILINE):
        _run("del", number)
    LOADED.unlink(missing_ok=True)
