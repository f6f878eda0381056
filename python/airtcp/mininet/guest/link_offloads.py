"""The far ends of a user-space switch's links: they send frames as they are on a cable.

A host leaves checksums to its device, and TCP hands it super-packets. A virtual link passes both on. Devices
of the kernel can complete them later; a user-space switch gets frames without checksums, and super-packets
that are too long for it. So these offloads are switched off where frames begin.
"""

import json
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# linux/rtnetlink.h and linux/net_namespace.h
_RTM_GETNSID = 90
_RTM_NEWNSID = 88
_NETNSA_NSID = 1
_NETNSA_PID = 2
_NLM_F_REQUEST = 1
_HEADER = struct.Struct("=LHHLL")
_FAMILY = struct.Struct("=B3x")
_ATTRIBUTE = struct.Struct("=HHi")


def switch_off(interfaces: list[str]) -> None:
    """Switches off the offloads of whatever sends to these interfaces of this network namespace."""
    namespaces = dict(_namespaces())
    for link in _links([]):
        if link["ifname"] not in interfaces or "link_index" not in link:
            continue  # A radio, or another device without a far end.
        inside = namespaces.get(link.get("link_netnsid"))
        if inside is not None:
            _switch_off(inside, link["link_index"])


def _switch_off(inside: list[str], index: int) -> None:
    for far in _links(inside):
        if far["ifindex"] == index:
            # TCP's segmentation needs checksums, so it is off with them.
            subprocess.run([*inside, "ethtool", "-K", far["ifname"], "tx", "off"], check=False)


def _links(inside: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run([*inside, "ip", "-j", "link"], capture_output=True, text=True, check=True)
    links: list[dict[str, Any]] = json.loads(done.stdout)
    # A far end of the same namespace is known by its name.
    index = {link["ifname"]: link["ifindex"] for link in links}
    for link in links:
        if link.get("link") in index:
            link["link_index"] = index[link["link"]]
    return links


def _namespaces() -> Iterator[tuple[int | None, list[str]]]:
    """The network namespaces by their numbers here, with the words before a command that is run in one."""
    yield None, []
    # The oldest process of each, which is the shell of its host, last.
    for process in sorted((int(path.name) for path in Path("/proc").glob("[0-9]*")), reverse=True):
        number = _number(process)
        if number is not None:
            yield number, ["nsenter", f"--net=/proc/{process}/ns/net"]


def _number(process: int) -> int | None:
    """By which number the network namespace of a process is known in this one, if it is."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        content = _FAMILY.pack(socket.AF_UNSPEC) + _ATTRIBUTE.pack(_ATTRIBUTE.size, _NETNSA_PID, process)
        kernel.send(_HEADER.pack(_HEADER.size + len(content), _RTM_GETNSID, _NLM_F_REQUEST, 0, 0) + content)
        answer = kernel.recv(4096)
    if _HEADER.unpack_from(answer)[1] != _RTM_NEWNSID:
        return None  # The process has ended.
    _, kind, number = _ATTRIBUTE.unpack_from(answer, _HEADER.size + _FAMILY.size)
    return int(number) if kind == _NETNSA_NSID and number >= 0 else None
