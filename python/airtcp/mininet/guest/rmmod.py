"""`rmmod` of a kernel without modules: it gives all radios back that are in this namespace."""

import contextlib
import sys

from airtcp.mininet.guest import radio_pool


def main() -> None:
    """Gives them back."""
    if "mac80211_hwsim" not in sys.argv[1:] or not radio_pool.TAKEN.is_dir():
        return
    for path in sorted(radio_pool.TAKEN.iterdir()):
        with contextlib.suppress(radio_pool.PoolError):
            radio_pool.release(path.name)
