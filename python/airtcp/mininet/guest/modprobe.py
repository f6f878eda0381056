"""`modprobe` of a kernel without modules. Those that make devices when they are loaded make them here."""

import re
import subprocess
import sys
from pathlib import Path

from airtcp.mininet.guest import radio_pool, sensor_radios

TCP_PROBE = Path("/sys/module/tcp_probe/parameters")
"""Parameters of /proc/net/tcpprobe, which the kernel has always (patch 0077 of kernel/flavours/lab)."""

# Devices that modules make when nothing else is said: mac80211_hwsim and ifb alike.
_USUAL = 2


def _number(option: str, words: str) -> int:
    given = re.search(rf"\b{option}=(\d+)", words)
    return int(given[1]) if given else _USUAL


def load(module: str, options: str) -> None:
    """Makes the devices of this module. Everything else is built into the kernel, or missing."""
    if module == "ifb":
        for number in range(_number("numifbs", options)):
            subprocess.run(["ip", "link", "add", f"ifb{number}", "type", "ifb"], check=False)
    elif module == "mac80211_hwsim":
        radio_pool.prepare()
        for number in range(_number("radios", options)):
            radio_pool.take(f"phy{number}")
    elif module == "mac802154_hwsim":
        sensor_radios.load()
    elif module == "tcp_probe":
        for name in ("port", "fwmark", "full"):
            given = re.search(rf"\b{name}=(\d+)", options)
            (TCP_PROBE / name).write_text(given[1] if given else "0")


def main() -> None:
    """Does what loading the module does."""
    words = sys.argv[1:]
    names = [word for word in words if not word.startswith("-") and "=" not in word]
    if not names or any(word in ("-r", "--remove") for word in words):
        return
    try:
        load(names[0].replace("-", "_"), " ".join(words))
    except radio_pool.PoolError as error:
        sys.exit(f"modprobe: {error}")
