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
    "air": {"nics": [{"node": str, "role": str, "cell?": int}], "cells?": [_CELL]},
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
    # Files of other programs do not always know it.
    "retransmits": (int, None),
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
    "mptcp?": int,
    **dict.fromkeys(_MANY, int),
}
_MPTCP = {
    "number": int,
    "from": _SOCKET,
    "to": _SOCKET,
    "connecting": bool,
    "group": int,
    "connected_ns": int,
    "finished_ns": (int, None),
    "subflows": int,
    "bytes_received": int,
    "bytes_reinjected": (int, None),
}
SOCKETS: dict[str, Any] = {"flows?": [_SOCKET_FLOW], "mptcp?": [_MPTCP], "unseen?": int}

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
    "limits?": [{"node": (str, None), "counter": str, "times": int}],
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


# Where a value stands: a key, or the place of what holds it and its own key or number there. Only an error
# makes a text of it.
_Place = str | tuple["_Place", str | int]


def check_shape(value: Any, shape: Any, file: Path, at: _Place = "") -> None:
    """Refuses a value of another shape; `at` is the key where it stands."""
    if isinstance(shape, type):
        if not _is(value, shape):
            raise _other(value, _NAMES[shape], file, at)
    elif isinstance(shape, dict):
        _check_object(value, shape, file, at)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise _other(value, "a list", file, at)
        for number, item in enumerate(value):
            check_shape(item, shape[0], file, (at, number))
    elif not any(_is(value, one) for one in shape):
        raise _other(value, _NAMES[shape[0]], file, at)


_NAMES = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def _is(value: Any, kind: type | None) -> bool:
    if kind is None:
        return value is None
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and _LEAST <= value <= _MOST
    return isinstance(value, kind)


def _check_object(value: Any, shape: dict[str, Any], file: Path, at: _Place) -> None:
    if not isinstance(value, dict):
        raise _other(value, "an object", file, at)
    for key, inner in (dict.fromkeys(value, shape["*"]) if "*" in shape else shape).items():
        name = key.removesuffix("?")
        if name in value:
            check_shape(value[name], inner, file, (at, name))
        elif name == key:
            missing = _text((at, name))
            raise AirtcpError(f"has no {missing}: another version wrote it", str(file), REMEDY)


def _text(at: _Place) -> str:
    if isinstance(at, str):
        return at
    holder, key = _text(at[0]), at[1]
    return f"{holder}[{key}]" if isinstance(key, int) else f"{holder}.{key}".removeprefix(".")


def _other(value: Any, wanted: str, file: Path, at: _Place) -> AirtcpError:
    shown = repr(value)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return AirtcpError(f"is damaged: {_text(at) or 'it'} is {shown}, not {wanted}", str(file), REMEDY)
