"""What a machine is: written to the manifest of a measured run, without names or addresses."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.measurement.connection import Connection
from airtcp.measurement.lab_file import LabNode
from airtcp.measurement.machine_name import hidden_name

# Bits of capabilities(7).
_NET_ADMIN, _NET_RAW = 12, 13
# Offloads that change which packets a queue or a capture sees (ethtool(8)).
_OFFLOADS = (
    "tcp-segmentation-offload",
    "generic-segmentation-offload",
    "generic-receive-offload",
    "large-receive-offload",
)


@dataclass(frozen=True)
class InterfaceFacts:
    """An interface of a machine."""

    name: str
    """In the scenario."""
    index: int
    """The kernel's number."""
    mac: str
    gso_max_segs: int
    offloads: dict[str, bool]
    shown: dict[str, Any]
    """What the manifest shows."""


@dataclass(frozen=True)
class MachineFacts:
    """A machine."""

    boot_id: str
    """Identity of the boot; two nodes with the same one share clocks."""
    kernel: str
    may_capture: bool
    interfaces: dict[str, InterfaceFacts]
    shown: dict[str, Any]
    """What the manifest shows."""
    notes: list[str] = field(default_factory=list)
    """What is missing there, for the user."""


def machine_facts(connection: Connection, machine: LabNode) -> MachineFacts:
    """Asks a machine; an interface that it does not have is an `AirtcpError`."""
    kernel = _text(connection, ["uname", "-r"])
    name = _text(connection, ["uname", "-n"])
    root = connection.ready["uid"] == 0 or machine.sudo
    capabilities = int(connection.ready["capabilities"] or "0", 16)
    interfaces = {own: _interface(connection, own, device) for own, device in machine.interfaces.items()}
    shown = {
        "host": hidden_name(name),
        "kernel": kernel,
        "kernel_version": _text(connection, ["uname", "-v"]),
        "machine": _text(connection, ["uname", "-m"]),
        "system": _system(_text(connection, ["cat", "/etc/os-release"])),
        "clock_source": _text(
            connection, ["cat", "/sys/devices/system/clocksource/clocksource0/current_clocksource"]
        ),
        "cpu": _cpu(_text(connection, ["cat", "/proc/cpuinfo"])),
        "congestion_controls": _text(
            connection, ["cat", "/proc/sys/net/ipv4/tcp_available_congestion_control"]
        ).split(),
        "root": root,
        "interfaces": {own: facts.shown for own, facts in interfaces.items()},
    }
    may_capture = root or bool(capabilities >> _NET_RAW & 1)
    notes = []
    if not root and not capabilities >> _NET_ADMIN & 1:
        notes.append("without root: queues and settings stay as they are, and nothing is captured")
    if not interfaces:
        notes.append("no interfaces are named: queueing disciplines and stations are not sampled")
    boot_id = _text(connection, ["cat", "/proc/sys/kernel/random/boot_id"])
    return MachineFacts(boot_id, kernel, may_capture, interfaces, shown, notes)


def _interface(connection: Connection, own: str, device: str) -> InterfaceFacts:
    found = connection.execute(["ip", "-d", "-j", "link", "show", "dev", device])
    try:
        link: dict[str, Any] = json.loads(found["output"])[0]
    except (ValueError, IndexError):
        what = f"there is no interface {device}: {found['error'].strip()}"
        remedy = "Name it as the machine does: ip link"
        raise AirtcpError(what, f"node {connection.node}: interfaces.{own}", remedy) from None
    driver = _pairs(_text(connection, ["ethtool", "-i", device]))
    offloads = _pairs(_text(connection, ["ethtool", "-k", device]))
    settings = _pairs(_text(connection, ["ethtool", device]))
    radio = _pairs(_text(connection, ["iw", "dev", device, "info"]), separator=" ")
    shown: dict[str, Any] = {
        "driver": driver.get("driver", ""),
        "driver_version": driver.get("version", ""),
        "firmware": driver.get("firmware-version", ""),
        "mtu": link.get("mtu"),
        "speed": settings.get("Speed", ""),
        "offloads": {key: value for key, value in offloads.items() if key in _OFFLOADS},
        "coalescing": _coalescing(_text(connection, ["ethtool", "-c", device])),
        "qdiscs": _qdiscs(_text(connection, ["tc", "-j", "qdisc", "show", "dev", device])),
    }
    if radio:
        shown["radio"] = {key: radio[key] for key in ("type", "channel", "txpower") if key in radio}
        shown["radio"]["power_save"] = _text(connection, ["iw", "dev", device, "get", "power_save"])
    on = {key: value.startswith("on") for key, value in offloads.items() if key in _OFFLOADS}
    return InterfaceFacts(
        own, int(link["ifindex"]), str(link.get("address", "")), int(link.get("gso_max_segs", 0)), on, shown
    )


def _text(connection: Connection, command: list[str]) -> str:
    """What a command prints; nothing if it fails: a machine may lack the program."""
    done = connection.execute(command)
    return done["output"].strip() if done["status"] == 0 else ""


def _pairs(text: str, separator: str = ":") -> dict[str, str]:
    """Lines of keys and values, as ethtool and iw print them."""
    pairs = (line.strip().partition(separator) for line in text.splitlines())
    return {key: value.strip() for key, found, value in pairs if found and value.strip()}


def _coalescing(text: str) -> dict[str, str]:
    """Interrupt moderation as ethtool has it, without what the driver does not know."""
    return {key: value for key, value in _pairs(text).items() if value not in ("n/a", "0")}


def _qdiscs(text: str) -> list[str]:
    try:
        return [str(each["kind"]) for each in json.loads(text or "[]")]
    except (ValueError, KeyError, TypeError):
        return []


def _system(text: str) -> str:
    found = re.search(r'^PRETTY_NAME="?([^"\n]*)', text, re.MULTILINE)
    return found[1] if found else ""


def _cpu(text: str) -> str:
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else ""
