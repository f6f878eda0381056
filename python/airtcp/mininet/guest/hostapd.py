"""`hostapd` without countries: the modelled air has none.

Without a database of regulations hostapd would wait five seconds for the kernel to know the country. The
lines are taken out of the configuration in the guest's own layer of files. With a network at 6 GHz the kernel
is told the country before: radios know no channels there until they have one.
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


def country_at_6ghz(configuration: str) -> str:
    """The country of a network at 6 GHz; empty: it has none, or it is at another band."""
    country = re.search(r"^country_code=(\w\w)$", configuration, re.MULTILINE)
    return country[1] if country and _AT_6GHZ.search(configuration) else ""


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
            if country := country_at_6ghz(Path(word).read_text(encoding="utf-8")):
                subprocess.run(["iw", "reg", "set", country], check=False)
            take_countries_out(Path(word))
    os.execv(REAL, ["hostapd", *words])
