"""The far ends of a user-space switch's links: they send frames as they are on a cable.

A host leaves checksums to its device, and TCP hands it super-packets. A virtual link passes both on. Devices
of the kernel can complete them later; a user-space switch gets frames without checksums, and super-packets
that are too long for it. So these offloads are switched off where frames begin.
"""

import json
import subprocess
from collections.abc import Iterator
from typing import Any


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
    command = ["lsns", "--json", "--type", "net", "--output", "PID,NETNSID"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for found in json.loads(done.stdout)["namespaces"]:
        number = str(found["netnsid"])
        # A namespace without links to this one is "unassigned".
        if number.isdecimal():
            yield int(number), ["nsenter", f"--net=/proc/{found['pid']}/ns/net"]
