"""`tc` that leaves queues and rates of radios alone: those are the radio's and mac80211's.

Emulators whose radios are infinitely fast shape them with netem. Here the air has rates, losses and delays.
"""

import os
import sys
from pathlib import Path

REAL = "/usr/sbin/tc"
LEFT_OUT = Path("/run/airtcp-tc-left-out")
"""The commands that were left out, a line for each."""
_CHANGES = ("add", "replace", "change")


def radio_of(words: list[str]) -> str:
    """The radio interface whose queue these words would change; empty: none."""
    if "dev" not in words[:-1] or not any(word in _CHANGES for word in words):
        return ""
    device = words[words.index("dev") + 1]
    return device if Path(f"/sys/class/net/{device}/phy80211").exists() else ""


def main() -> None:
    """Runs `tc`, or notes that it did not."""
    words = sys.argv[1:]
    if radio_of(words):
        with LEFT_OUT.open("a", encoding="utf-8") as file:
            file.write(" ".join(words) + "\n")
        return
    os.execv(REAL, [REAL, *words])
