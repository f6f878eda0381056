"""`modprobe` of a kernel without modules. Those that make devices when they are loaded make them here."""

import re
import subprocess
import sys

from airtcp.mininet.guest import radio_pool

# What loading each of them does on a machine: it makes so many devices.
_OPTION = {"mac80211_hwsim": "radios", "ifb": "numifbs"}
_USUAL = 2


def main() -> None:
    """Makes devices, if the module is one that does. Everything else is built into the kernel, or missing."""
    words = sys.argv[1:]
    names = [word for word in words if not word.startswith("-") and "=" not in word]
    if not names or any(word in ("-r", "--remove") for word in words):
        return
    name = names[0].replace("-", "_")
    if name not in _OPTION:
        return
    given = re.search(rf"\b{_OPTION[name]}=(\d+)", " ".join(words))
    count = int(given[1]) if given else _USUAL
    try:
        if name == "ifb":
            for number in range(count):
                subprocess.run(["ip", "link", "add", f"ifb{number}", "type", "ifb"], check=False)
            return
        radio_pool.prepare()
        for number in range(count):
            radio_pool.take(f"phy{number}")
    except radio_pool.PoolError as error:
        sys.exit(f"modprobe: {error}")
