"""`hostapd` without countries: the modelled air has none.

Without a database of regulations hostapd would wait five seconds for the kernel to know the country. The
lines are taken out of the configuration in the guest's own layer of files.

Before a network at 6 GHz the kernel is told a country that is none: in it radios have channels there (patch
0044 of kernel/flavours/lab).
"""

import os
import re
import subprocess
import sys
from pathlib import Path

REAL = "/usr/sbin/hostapd"
_OF_COUNTRIES = ("country_code=", "country3=", "ieee80211d=", "ieee80211h=")
# Operating classes of 6 GHz: IEEE 802.11ax-2021, table E-4.
_AT_6GHZ = re.compile(r"^op_class=13[1-7]$", re.MULTILINE)
_COUNTRY_OF_6GHZ = "XS"


def is_at_6ghz(configuration: str) -> bool:
    """Whether the network is at 6 GHz."""
    return bool(_AT_6GHZ.search(configuration))


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
            if is_at_6ghz(Path(word).read_text(encoding="utf-8")):
                subprocess.run(["iw", "reg", "set", _COUNTRY_OF_6GHZ], check=False)
            take_countries_out(Path(word))
    os.execv(REAL, ["hostapd", *words])
