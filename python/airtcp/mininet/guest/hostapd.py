"""`hostapd` without countries: the modelled air has none.

Without a database of regulations hostapd would wait five seconds for the kernel to know the country. The
lines are taken out of the configuration in the guest's own layer of files.
"""

import os
import sys
from pathlib import Path

REAL = "/usr/sbin/hostapd"
_OF_COUNTRIES = ("country_code=", "country3=", "ieee80211d=", "ieee80211h=")


def take_countries_out(configuration: Path) -> None:
    """Rewrites the file, if it has such lines."""
    lines = configuration.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(_OF_COUNTRIES)]
    if kept != lines:
        configuration.write_text("".join(kept), encoding="utf-8")


def main() -> None:
    """Runs hostapd."""
    words = sys.argv[1:]
    for word in words:
        if not word.startswith("-") and Path(word).is_file():
            take_countries_out(Path(word))
    os.execv(REAL, ["hostapd", *words])
