"""`tc` that leaves out what Mininet-WiFi makes of distances: rates, delays and losses of radios.

Radios of mac80211_hwsim are infinitely fast, so Mininet-WiFi gives each a netem with the rate, delay and loss
that fit its mode and distance. Here the air has them. What a script asks for is done.
"""

import itertools
import os
import sys
from pathlib import Path

REAL = "/usr/sbin/tc"
LEFT_OUT = Path("/run/airtcp-tc-left-out")
"""The commands that were left out, a line for each."""
_CHANGES = ("add", "replace", "change")
# The handle of the queueing disciplines that Mininet-WiFi makes by itself (`set_tc` of its link.py). Those
# that scripts ask for have 5: and 10:.
_HANDLE = "2:"


def left_out(words: list[str]) -> str:
    """The radio interface whose queue these words would change without being asked; empty: none."""
    after = dict(itertools.pairwise(words))
    device = after.get("dev", "")
    own = after.get("handle") == _HANDLE or after.get("parent", "").startswith(_HANDLE)
    if not own or not any(word in _CHANGES for word in words):
        return ""
    return device if Path(f"/sys/class/net/{device}/phy80211").exists() else ""


def main() -> None:
    """Runs `tc`, or notes that it did not."""
    words = sys.argv[1:]
    if left_out(words):
        with LEFT_OUT.open("a", encoding="utf-8") as file:
            file.write(" ".join(words) + "\n")
        return
    os.execv(REAL, [REAL, *words])
