"""`lsmod` of a kernel without modules: it lists what scripts take for a sign that radios are there."""

from airtcp.mininet.guest import radio_pool, sensor_radios


def main() -> None:
    """Prints the table."""
    print(f"{'Module':<24}Size  Used by")
    if radio_pool.TAKEN.is_dir():
        print(f"{'mac80211_hwsim':<24}   0  {len(list(radio_pool.TAKEN.iterdir()))}")
    if sensor_radios.LOADED.exists():
        print(f"{'mac802154_hwsim':<24}   0  0")
