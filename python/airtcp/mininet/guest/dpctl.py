"""`dpctl`: a client of switches of `ofdatapath`.

It has the commands of OpenFlow's reference and of ofsoftswitch13. The reference has `dpctl COMMAND SWITCH`,
and commands that Open vSwitch still has. ofsoftswitch13 has `dpctl SWITCH COMMAND`, and a language of its own
for OpenFlow 1.3.
"""

import os
import re
import subprocess
import sys
from collections.abc import Sequence

from airtcp.mininet.guest.user_switch import UserSwitch

_VERSION = "OpenFlow13"
# Commands of ofsoftswitch13 that differ in their names alone.
_SAME = {
    "features": "show",
    "port-desc": "dump-ports-desc",
    "stats-desc": "dump-desc",
    "stats-flow": "dump-flows",
    "stats-group": "dump-groups",
    "stats-meter": "meter-stats",
    "meter-config": "dump-meters",
    "stats-port": "dump-ports",
    "stats-table": "dump-tables",
}
_FLOW_COMMANDS = {
    "add": "add-flow",
    "del": "del-flows",
    "dels": "del-flows",
    "mod": "mod-flows",
    "mods": "mod-flows",
}
_METER_COMMANDS = {"add": "add-meter", "mod": "mod-meter", "del": "del-meter"}
_FLOW_FIELDS = {
    "table": "table",
    "prio": "priority",
    "idle": "idle_timeout",
    "hard": "hard_timeout",
    "cookie": "cookie",
}
# OFPMF_KBPS and its neighbours (OpenFlow 1.3, 7.3.4.4).
_METER_FLAGS = {1: "kbps", 2: "pktps", 4: "burst", 8: "stats"}
_PORTS = ("all", "controller", "flood", "in_port", "local", "normal")
_MATCHES = {"eth_src": "dl_src", "eth_dst": "dl_dst", "eth_type": "dl_type", "ip_proto": "nw_proto"}
_MATCHES |= {
    "ip_src": "nw_src",
    "ip_dst": "nw_dst",
    "ipv4_src": "nw_src",
    "ipv4_dst": "nw_dst",
    "vlan_vid": "dl_vlan",
}


class CommandError(Exception):
    """What can't be translated."""


def _pairs(text: str) -> dict[str, str]:
    """`a=1,b=2`."""
    return dict(part.split("=", 1) for part in text.split(",") if "=" in part)


def _output(port: str) -> str:
    return port if port in _PORTS else f"output:{port}"


def _action(text: str) -> str:
    """An action of an `apply:` or `write:` instruction."""
    name, _, value = text.partition("=")
    if name == "output":
        return _output(value)
    if name == "group":
        return f"group:{value}"
    raise CommandError(f"the action {text} is not supported")


def _instruction(text: str) -> list[str]:
    """An instruction in words of Open vSwitch, in the order in which it is given."""
    name, _, value = text.partition(":")
    if name == "meter":
        return [f"meter:{value}"]
    if name == "goto":
        return [f"goto_table:{value}"]
    if name == "apply":
        return [_action(action) for action in value.split(",")]
    if name == "write":
        return ["write_actions(" + ",".join(_action(action) for action in value.split(",")) + ")"]
    raise CommandError(f"the instruction {text} is not supported")


def flow_command(words: Sequence[str]) -> list[str]:
    """`flow-mod OPTIONS [MATCH] [INSTRUCTION ...]` as a command of `ovs-ofctl` and its flow."""
    options = _pairs(words[0])
    match, instructions = "", list(words[1:])
    if instructions and not re.match(r"(meter|goto|apply|write|clear|meta):", instructions[0]):
        match = instructions.pop(0)
    command = _FLOW_COMMANDS.get(options.get("cmd", "add"))
    if command is None:
        raise CommandError(f"flow-mod has no cmd={options['cmd']}")
    flow = [f"{_FLOW_FIELDS[key]}={value}" for key, value in options.items() if key in _FLOW_FIELDS]
    flow += [f"{_MATCHES.get(key, key)}={value}" for key, value in _pairs(match).items()]
    if command == "del-flows":
        return [command, ",".join(part for part in flow if not part.startswith("priority="))]
    actions = [action for instruction in instructions for action in _instruction(instruction)]
    return [command, ",".join([*flow, "actions=" + (",".join(actions) or "drop")])]


def meter_command(words: Sequence[str]) -> list[str]:
    """`meter-mod OPTIONS [BAND ...]` as a command of `ovs-ofctl` and its meter."""
    options = _pairs(words[0])
    command = _METER_COMMANDS.get(options.get("cmd", "add"))
    if command is None:
        raise CommandError(f"meter-mod has no cmd={options['cmd']}")
    meter = [f"meter={options.get('meter', '1')}"]
    if command == "del-meter":
        return [command, meter[0]]
    flags = int(options.get("flags", "1"), 0)
    meter += [name for bit, name in _METER_FLAGS.items() if flags & bit]
    for number, band in enumerate(words[1:]):
        kind, _, values = band.partition(":")
        if kind != "drop":
            raise CommandError(f"the band {band} is not supported: only drop is")
        given = _pairs(values)
        meter += ["bands=type=drop" if not number else "type=drop", f"rate={given.get('rate', '0')}"]
        if given.get("burst"):
            meter += [f"burst_size={given['burst']}"]
    return [command, ",".join(meter)]


def _status(switch: UserSwitch) -> str:
    """Like the reference's `status`: whether the switch has a controller, and whether it runs."""
    if not switch.exists:
        return "remote.is-connected=false\nlocal.is-connected=false\n"
    connected = "true" in switch.configure("--columns=is_connected", "--bare", "list", "controller")
    return f"remote.is-connected={str(connected).lower()}\nlocal.is-connected=true\n"


def _translated(command: str, words: Sequence[str]) -> list[str]:
    """The command of `ovs-ofctl` with what follows its switch."""
    if command in ("flow-mod", "meter-mod") and not words:
        raise CommandError(f"{command} needs arguments")
    if command == "flow-mod":
        return flow_command(words)
    if command == "meter-mod":
        return meter_command(words)
    return [_SAME.get(command, command), *words]


def main() -> None:
    """Does what the command says."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    targets = [word for word in words if re.match(r"(unix|tcp|ssl):", word)]
    words = [word for word in words if word not in targets]
    if not targets or not words:
        sys.exit("usage: dpctl SWITCH COMMAND [ARG ...], or dpctl COMMAND SWITCH [ARG ...]")
    switch = UserSwitch.of_target(targets[0])
    try:
        if words[0] == "status":
            sys.stdout.write(_status(switch))
            return
        command, *arguments = _translated(words[0], words[1:])
    except (CommandError, subprocess.CalledProcessError) as error:
        sys.exit(f"dpctl: {error}")
    target = switch.management if targets[0].startswith("unix:") and switch.exists else targets[0]
    os.execvp("ovs-ofctl", ["ovs-ofctl", "-O", _VERSION, command, target, *arguments])
