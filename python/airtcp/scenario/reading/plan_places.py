"""Places in a plan, as runner and guest name them, in the words of the scenario it was compiled from."""

import re
from collections.abc import Mapping
from typing import Any

_PROGRAM = re.compile(r"programs\[(\d+)\](.*)")
_EGRESS = re.compile(r"nodes\[(\d+)\]\.interfaces\[(\d+)\]\.egress\.(queue|rate_bps|delay_ns)\b.*")
_OF_NODE = re.compile(r"nodes\[(\d+)\](\.tc\[\d+\])?.*")
_SYSCTL = re.compile(r"nodes\[(\d+)\]\.sysctls\[(\d+)\]")
_NAMED = re.compile(r"(flows|pings|datagrams)\[(\d+)\].*")
_CELL = re.compile(r"air\.cells\[(\d+)\](.*)")
_SPLIT = re.compile(r"split\b.*")
_WIRE_KEYS = {"queue": "queue", "rate_bps": "rate", "delay_ns": "delay"}
_KINDS = {"flows": "flow", "pings": "ping", "datagrams": "stream"}


def scenario_place(plan: Mapping[str, Any], place: str) -> str:
    """The scenario's key for a place in its plan; what is no place in the plan stays as it is."""
    try:
        return _place(plan, place)
    except (KeyError, IndexError, TypeError):
        return place


def _place(plan: Mapping[str, Any], place: str) -> str:
    if match := _PROGRAM.fullmatch(place):
        return f"program[{match[1]}]{match[2]}"
    if match := _EGRESS.fullmatch(place):
        interface = plan["nodes"][int(match[1])]["interfaces"][int(match[2])]
        return f"{_link(plan, interface['attachment'])}.{_WIRE_KEYS[match[3]]}"
    if match := _SYSCTL.fullmatch(place):
        node = plan["nodes"][int(match[1])]
        return f'sysctl."{node["sysctls"][int(match[2])]["key"]}" of {node["name"]}'
    if match := _NAMED.fullmatch(place):
        return f"{_KINDS[match[1]]} {plan[match[1]][int(match[2])]['name']}"
    if match := _CELL.fullmatch(place):
        return f"wifi.{plan['air']['cells'][int(match[1])]['name']}{match[2]}"
    if match := _OF_NODE.fullmatch(place):
        return f"node.{plan['nodes'][int(match[1])]['name']}{match[2] or ''}"
    return "guest.split" if _SPLIT.fullmatch(place) else place


def _link(plan: Mapping[str, Any], attachment: Mapping[str, Any]) -> str:
    if attachment["kind"] == "wire":
        return f"wire[{attachment['wire']}]"
    cell = plan["air"]["nics"][attachment["nic"]]["cell"]
    return f"wifi.{plan['air']['cells'][cell]['name']}"
