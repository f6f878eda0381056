"""The shape of a run's JSON files: what readers rely on is of its type, or the file is refused by its key.

A shape is a type (`int`, `float`, `str`, `bool`); a list with the shape of its items; a dict with those of
keys, of which one that ends in `?` may be missing and `*` is every key; or a tuple, of which one shape fits.
What a shape does not name may be anything.
"""

from pathlib import Path
from typing import Any

from airtcp.data.plain_file import REMEDY
from airtcp.errors import AirtcpError

# `u64` of the runner; `None` in a tuple is JSON's null.
_LEAST, _MOST = -(2**63), 2**64 - 1

_NAMED = {"name": str}
_FLOW = {**_NAMED, "from": str, "to": str, "start_ns": int, "workload?": {"kind": str}}
_PING = {**_NAMED, "from": str, "to": str, "start_ns": int, "stop_ns": int, "interval_ns": int}
_INTERFACE = {
    **_NAMED,
    "mtu?": int,
    "attachment?": {"kind": str, "nic?": int},
    "egress?": {"queue": {"kind": str}},
}
_NODE = {**_NAMED, "interfaces": [_INTERFACE], "bridges": [_NAMED]}
_CELL = {**_NAMED, "kind": str, "standard": str, "channel": {"primary_mhz": int, "width_mhz": int}}

PLAN: dict[str, Any] = {
    **_NAMED,
    "seed": int,
    "kernel?": str,
    "epoch_ns?": int,
    "duration_ns": int,
    "nodes": [_NODE],
    "air": {"nics": [{"node": str, "cell?": int}], "cells?": [_CELL]},
    "flows": [_FLOW],
    "datagrams?": [{**_NAMED, "from": str, "to": str}],
    "pings": [_PING],
    "programs?": [{**_NAMED, "node?": str}],
    "sampling": {"flows_interval_ns": int, "air_interval_ns": int, "qdiscs_interval_ns?": int},
}

_MANY = ("bytes_received", "bytes_acked", "retransmits", "busy_us", "rwnd_limited_us", "sndbuf_limited_us")
_FLOW_REPORT = {
    **_NAMED,
    "congestion_control": str,
    "connected_ns": (int, None),
    "finished_ns": (int, None),
    "error": (str, None),
    **dict.fromkeys(_MANY, int),
}
_SOCKET = {"node": str, "address": str, "port": int}
_SOCKET_FLOW = {
    "number": int,
    "protocol": str,
    "from": _SOCKET,
    "to": _SOCKET,
    "connecting": bool,
    "group": int,
    "congestion_control": str,
    "connected_ns": int,
    "finished_ns": (int, None),
    "datagrams_sent": int,
    "datagrams_received": int,
    **dict.fromkeys(_MANY, int),
}
SOCKETS: dict[str, Any] = {"flows?": [_SOCKET_FLOW], "unseen?": int}

_OF_A_QUEUE = ("bytes", "packets", "drops", "overlimits", "backlog_packets", "backlog_bytes")
_QDISC = {"node": str, "interface": str, "kind": str, "handle": str, **dict.fromkeys(_OF_A_QUEUE, int)}
_WIRE = {"node": str, "interface": str, **dict.fromkeys(("frames", "bytes", "lost"), int)}
_OF_A_STREAM = {**_NAMED, "sent": int, "received": int}
_OF_A_RADIO = (
    "accepted",
    "sent",
    "in_flight",
    "delivered",
    "transmissions",
    "retries",
    "collisions",
    "corrupted",
)
_OF_A_MEDIUM = ("data_ns", "response_ns", "collision_ns", "contention_ns", "idle_ns")

AGENT: dict[str, Any] = {
    "end_ns?": int,
    "flows": [_FLOW_REPORT],
    "datagrams?": [{**_OF_A_STREAM, "refused?": int}],
    "pings": [_OF_A_STREAM],
    "programs": [{**_NAMED, "status?": (int, None), "signal?": (int, None)}],
    "qdiscs": [_QDISC],
    "wires?": [_WIRE],
    "warnings": [str],
}
AIR: dict[str, Any] = {
    "end_ns?": int,
    "nics": [
        {
            "node": str,
            "dropped": {"*": int},
            "airtime_ns": int,
            "queue_max": int,
            **dict.fromkeys(_OF_A_RADIO, int),
        }
    ],
    "media": [{"frequency_mhz": int, **dict.fromkeys(_OF_A_MEDIUM, int)}],
}
MANIFEST: dict[str, Any] = {"run": str, "seed": int, "plan_sha256?": str, "sha256?": {"*": str}}


def check_shape(value: Any, shape: Any, file: Path, at: str = "") -> None:
    """Refuses a value of another shape; `at` is the key where it stands."""
    if isinstance(shape, dict):
        _check_object(value, shape, file, at)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise _other(value, "a list", file, at)
        for place, item in enumerate(value):
            check_shape(item, shape[0], file, f"{at}[{place}]")
    elif not any(_is(value, one) for one in (shape if isinstance(shape, tuple) else (shape,))):
        raise _other(value, _NAMES[shape[0] if isinstance(shape, tuple) else shape], file, at)


_NAMES = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def _is(value: Any, kind: type | None) -> bool:
    if kind is None:
        return value is None
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and _LEAST <= value <= _MOST
    return isinstance(value, kind)


def _check_object(value: Any, shape: dict[str, Any], file: Path, at: str) -> None:
    if not isinstance(value, dict):
        raise _other(value, "an object", file, at)
    for key, inner in (dict.fromkeys(value, shape["*"]) if "*" in shape else shape).items():
        name = key.removesuffix("?")
        place = f"{at}.{name}" if at else name
        if name in value:
            check_shape(value[name], inner, file, place)
        elif name == key:
            raise AirtcpError(f"has no {place}: another version wrote it", str(file), REMEDY)


def _other(value: Any, wanted: str, file: Path, at: str) -> AirtcpError:
    shown = repr(value)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return AirtcpError(f"is damaged: {at or 'it'} is {shown}, not {wanted}", str(file), REMEDY)
