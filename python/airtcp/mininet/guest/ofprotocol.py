"""`ofprotocol`: connects a switch of `ofdatapath` to its controllers, as long as it runs."""

import argparse
import signal
import sys
import time

from airtcp.mininet.guest.user_switch import READY_S, UserSwitch

POLL_S = 0.05


def connect(bridge: str, targets: list[str], fail_mode: str) -> list[str]:
    """Words of `ovs-vsctl` that give a bridge these controllers, and sockets for others."""
    words = ["set", "bridge", bridge, f"fail-mode={fail_mode}", "--", "clear", "bridge", bridge, "controller"]
    for number, target in enumerate(targets):
        words += ["--", f"--id=@{number}", "create", "controller", f'target="{target}"']
        words += ["connection-mode=out-of-band", "--", "add", "bridge", bridge, "controller", f"@{number}"]
    return words


def main() -> None:
    """Connects them."""
    parser = argparse.ArgumentParser(prog="ofprotocol", allow_abbrev=False)
    parser.add_argument("datapath")
    parser.add_argument("controllers", nargs="?", default="")
    parser.add_argument("--fail", default="open")
    parser.add_argument("--listen", action="append", default=[])
    arguments, _ = parser.parse_known_args()
    switch = UserSwitch(arguments.datapath)
    deadline = time.monotonic() + READY_S
    while not switch.exists:
        if time.monotonic() > deadline:
            sys.exit(f"ofprotocol: {arguments.datapath}: nothing listens there")
        time.sleep(POLL_S)
    fail_mode = "secure" if arguments.fail == "closed" else "standalone"
    targets = [target for target in arguments.controllers.split(",") if target]
    # Unix sockets are of no use: clients know where the switch has its own.
    listening = [target for target in arguments.listen if not target.startswith("punix:")]
    switch.listen(listening)
    targets += listening
    switch.configure("--no-wait", *connect(switch.name, targets, fail_mode))
    signal.pause()
