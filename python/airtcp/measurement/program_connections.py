"""The connections of programs: each direction that delivered enough is a flow, as in a guest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from airtcp.measurement.node_records import NodeRecords
from airtcp.plans.types.plan import Plan

if TYPE_CHECKING:
    import polars

# `net.ipv4.ip_local_port_range` of Linux: ports of ends that connect.
_EPHEMERAL = range(32768, 61000)
# `TCP_CLOSE` (include/net/tcp_states.h): the last state of a socket that has ended.
_CLOSED = 7

End = tuple[int, int]


@dataclass(frozen=True)
class _Socket:
    """One end of a connection, as its node sampled it."""

    node: str
    local: End
    remote: End
    rows: "polars.DataFrame"


@dataclass(frozen=True)
class Connection:
    """One direction of a connection of programs."""

    number: int
    """In the series `flows`."""
    sender: _Socket
    receiver: _Socket

    @cached_property
    def bytes_received(self) -> int:
        """What had arrived in order (SYN and FIN are one each): by the receiver's last sample, or by what was
        acknowledged after it. The kernel does not always tell the last state of a socket."""
        return max(int(self.receiver.rows["bytes_received"][-1]), int(self.sender.rows["bytes_acked"][-1]))

    @property
    def congestion_control(self) -> str:
        """The sender's; the last state of a socket lacks it."""
        names = [_name(raw) for raw in self.sender.rows["congestion_control"].unique(maintain_order=True)]
        return next((name for name in reversed(names) if name), "")

    def rows(self) -> "polars.DataFrame":
        """The sender's samples, as those of flows of the plan."""
        import polars

        received = self.receiver.rows.select("time_ns", "bytes_received")
        joined = self.sender.rows.drop("bytes_received").join_asof(received, on="time_ns", strategy="nearest")
        return joined.with_columns(
            # What the sender knows to be acknowledged has arrived.
            polars.max_horizontal("bytes_received", "bytes_acked").cum_max().alias("bytes_received"),
            flow=polars.lit(self.number, polars.UInt32),
        )

    def report(self) -> dict[str, Any]:
        """An entry of `sockets` in a summary."""
        last = self.sender.rows.row(-1, named=True)
        states = self.receiver.rows["state"]
        return {
            "number": self.number,
            "protocol": "tcp",
            "from": _place(self.sender),
            "to": _place(self.receiver),
            "connecting": _connects(self.sender),
            "group": 0,
            "congestion_control": self.congestion_control,
            "connected_ns": int(self.sender.rows["time_ns"][0]),
            "finished_ns": int(self.receiver.rows["time_ns"][-1]) if states[-1] == _CLOSED else None,
            "bytes_received": self.bytes_received,
            "bytes_acked": last["bytes_acked"],
            "retransmits": last["total_retrans"],
            "busy_us": last["busy_us"],
            "rwnd_limited_us": last["rwnd_limited_us"],
            "sndbuf_limited_us": last["sndbuf_limited_us"],
            "datagrams_sent": 0,
            "datagrams_received": 0,
        }


def program_connections(plan: Plan, records: Mapping[str, NodeRecords]) -> list[Connection]:
    """The connections of programs in the order in which they began."""
    least = plan["sampling"]["sockets_least_bytes"]
    if least is None or not plan["programs"]:
        return []
    sockets = [socket for own in records.values() for socket in _sockets(own)]
    # Of sockets that used the same ports after each other, those are of one connection that began together.
    both = [(one, other) for one in sockets for other in sockets if _meet(one, other)]
    both.sort(key=lambda pair: int(pair[0].rows["time_ns"][0]))
    found: list[Connection] = []
    for sender, receiver in both:
        connection = Connection(len(plan["flows"]) + len(found), sender, receiver)
        if connection.bytes_received >= max(1, least):
            found.append(connection)
    return found


def _meet(one: _Socket, other: _Socket) -> bool:
    if one.local != other.remote or one.remote != other.local or one is other:
        return False
    first, last = (socket.rows["time_ns"] for socket in (one, other))
    return bool(first[0] <= last[-1] and last[0] <= first[-1])


def _sockets(own: NodeRecords) -> Iterator[_Socket]:
    frame = own.frame("sockets")
    if frame is None or not frame.height:
        return
    for rows in frame.partition_by("cookie", maintain_order=True):
        first = rows.row(0, named=True)
        ends = [(first[end], first[f"{end}_port"]) for end in ("local", "remote")]
        yield _Socket(own.node, ends[0], ends[1], rows.sort("time_ns"))


def _place(socket: _Socket) -> dict[str, Any]:
    # A run folder has no address of a real network: the node is named.
    return {"node": socket.node, "address": str(IPv4Address(0)), "port": socket.local[1]}


def _connects(socket: _Socket) -> bool:
    """Whether this end connected: its port is ephemeral and the other one is not; else the larger one is."""
    own, other = socket.local[1], socket.remote[1]
    if (own in _EPHEMERAL) != (other in _EPHEMERAL):
        return own in _EPHEMERAL
    return own > other


def _name(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode(errors="replace")
