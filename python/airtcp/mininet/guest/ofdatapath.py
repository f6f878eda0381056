"""`ofdatapath`: a switch between interfaces, which listens for its OpenFlow protocol."""

import argparse
import sys

from airtcp.mininet.guest.user_switch import UserSwitch


def main() -> None:
    """Runs the switch."""
    parser = argparse.ArgumentParser(prog="ofdatapath", allow_abbrev=False)
    parser.add_argument("-i", "--interfaces", default="")
    parser.add_argument("-d", "--datapath-id", default="")
    parser.add_argument("methods", nargs="*")
    arguments, _ = parser.parse_known_args()
    listening = [method for method in arguments.methods if method.startswith("punix:")]
    if not listening:
        sys.exit("ofdatapath: it must listen to a punix: socket")
    # Mininet-WiFi names the interface of an access point twice.
    interfaces = list(dict.fromkeys(name for name in arguments.interfaces.split(",") if name))
    sys.exit(UserSwitch(listening[0]).run(arguments.datapath_id, interfaces))
