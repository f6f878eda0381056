"""`rmmod` of a kernel without modules: it gives all radios back."""

import sys

import radio_pool


def main() -> None:
    """Gives them back. Those in a namespace of a node come back with its end."""
    if "mac80211_hwsim" not in sys.argv[1:] or not radio_pool.TAKEN.is_dir():
        return
    for path in sorted(radio_pool.TAKEN.iterdir()):
        try:
            radio_pool.release(path.name)
        except radio_pool.PoolError as error:
            print(f"rmmod: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
