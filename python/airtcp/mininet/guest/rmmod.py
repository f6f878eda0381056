"""`rmmod` of a kernel without modules: radios that a module would have made are given back."""

import contextlib
import sys

from airtcp.mininet.guest import radio_pool, sensor_radios


def main() -> None:
    """Gives those back that are in this namespace, and all of sensors."""
    if "mac802154_hwsim" in sys.argv[1:]:
        sensor_radios.unload()
    if "mac80211_hwsim" not in sys.argv[1:] or not radio_pool.TAKEN.is_dir():
        return
    for path in sorted(radio_pool.TAKEN.iterdir()):
        with contextlib.suppress(radio_pool.PoolError):
            radio_pool.release(path.name)
