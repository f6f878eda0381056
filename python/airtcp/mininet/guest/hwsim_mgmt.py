"""`hwsim_mgmt`: makes and deletes radios. Here they are those of the guest, on the modelled air."""

import argparse
import sys

from airtcp.mininet.guest import radio_pool


def main() -> None:
    """Does what the arguments say, with the words of the original."""
    parser = argparse.ArgumentParser(prog="hwsim_mgmt")
    parser.add_argument("-c", "--create", action="store_true")
    parser.add_argument("-n", "--name", default="")
    parser.add_argument("-x", "--delrad", "--delname", metavar="RADIO")
    arguments, others = parser.parse_known_args()
    if others:
        sys.exit(f"hwsim_mgmt: airtcp's radios have no {' '.join(others)}")
    try:
        if arguments.create:
            number = radio_pool.take(arguments.name or "hwsim")
            print(f"Successfully created device with ID {number}")
        elif arguments.delrad is not None:
            radio_pool.release(arguments.delrad)
            print("Successfully deleted device")
        else:
            parser.error("one of -c and -x is needed")
    except radio_pool.PoolError as error:
        sys.exit(f"hwsim_mgmt: {error}")
