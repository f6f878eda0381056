"""The wired side of a scenario: wires, and what nodes are."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from airtcp.scenario.keys.ecn import Ecn
from airtcp.scenario.keys.guest import Namespace
from airtcp.scenario.keys.parts import IS_TABLE, IS_WORD, TABLE_OR_WORD, Name, Part, written
from airtcp.scenario.keys.queue import Queue
from airtcp.scenario.keys.wire_trace import WireTrace
from airtcp.scenario.values.units import RATE, LengthNs, OffsetNs, SkewPpb, TimeNs


def _wire_rate(value: Any) -> Any:
    return None if value == "unlimited" else RATE.read(value)


WireRate = Annotated[int | None, BeforeValidator(_wire_rate), RATE]
Offloads = Literal["none", "host"]


class WireInterrupt(Part):
    """Interrupt moderation of an Ethernet NIC; `ethtool` calls it coalescing."""

    interval: LengthNs | None = None
    """Least time from one interrupt to the next: a frame that arrives later than that interrupts at once."""
    after_first: LengthNs | None = None
    """Time since the first frame that waits (`rx-usecs` of many drivers)."""
    frames: int | None = Field(None, ge=1, le=65_536)
    """Frames that interrupt before that time has passed (`rx-frames`)."""

    @model_validator(mode="after")
    def _has_a_timer(self) -> "WireInterrupt":
        if self.interval is None and self.after_first is None:
            raise ValueError("has no time; give interval or after_first")
        if self.frames is not None and self.after_first is None:
            raise ValueError(
                "without after_first the last frames never raise an interrupt; give it beside frames"
            )
        return self


_Interrupt = Annotated[Annotated[WireInterrupt, IS_TABLE] | Annotated[Literal["off"], IS_WORD], TABLE_OR_WORD]


class WireSettings(Part):
    """How packets leave each end of a wire."""

    rate: WireRate = written("1000 Mbit/s")
    """Rate of the wire, or `"unlimited"` (as fast as the kernel is)."""
    delay: TimeNs = written("0 ms")
    """One-way propagation delay."""
    queue: Queue = written("1000 packets")
    """Queue in front of the wire: `"100 packets"` or `"64 kB"` (drop-tail), words of `tc` (`"fq_codel target
    5ms"`), or `"none"`.
    """
    rx_interrupt: _Interrupt | None = None
    """Interrupt moderation at the node that receives: `{ interval = "50 us" }`,
    `{ after_first = "20 us", frames = 5 }`, or `"off"`: each frame interrupts. What one interrupt brings
    is one poll of the host. Default: `"off"`, and `{ interval = "50 us" }` at nodes with `offloads = "host"`.
    """
    trace: WireTrace | None = None
    """How rate, delay and loss change over time: `{ file = "x.csv", repeat = true }`. Where the file has no
    rate or delay, those of the wire hold.
    """


class Wire(WireSettings):
    """A wire between two nodes: `[[wire]]`."""

    between: tuple[Name, Name] = Field(strict=False)
    """The two nodes."""
    towards: dict[Name, WireSettings] = Field({})
    """Settings of one direction: `[wire.towards.NODE]` after its `[[wire]]`."""


MptcpFlag = Literal["signal", "subflow", "backup", "fullmesh"]
# `MPTCP_PM_ADDR_MAX` of Linux.
_MptcpNumber = Annotated[int, Field(ge=0, le=8)]


class MptcpSettings(Part):
    """The path manager of MPTCP in a node (`ip mptcp`): `[node.NAME.mptcp]`."""

    endpoints: dict[str, MptcpFlag | list[MptcpFlag]] = Field({}, max_length=8)
    """Interfaces whose addresses MPTCP uses, and for what: `{ wlan0 = "subflow", eth0 = "subflow" }`.
    `signal`: the peer is told the address; `subflow`: the node makes a subflow from it; `backup`, beside
    one of them: its subflows send only if no other can; `fullmesh`, beside `subflow`: to all addresses of
    the peer.
    """
    subflows: _MptcpNumber = 8
    """Most subflows of a connection beside the first one."""
    add_addr_accepted: _MptcpNumber = 8
    """Most addresses of the peer to which a connection makes subflows."""


class NodeSettings(Part):
    """What a node is: `[node.NAME]`. Nodes need not be declared: cells and wires name them."""

    kind: Literal["host", "switch", "router", "access_point"] | None = None
    """Default: `access_point` (a switch with a radio) and `host` (a station) as the cell says; in a mesh
    `host`, with wires `router`; else `host` with one wire and `switch` with more.
    """
    addresses: dict[str, str | list[str]] = Field({})
    """Address with prefix length by interface (`wlan0`, `eth0`, ... in the order of mention; `br0` of a
    switch): `{ eth0 = "192.168.1.2/24" }`, or one of each version of IP:
    `["192.168.1.2/24", "2001:db8::2/64"]`; default: `10.0.SEGMENT.NUMBER/24`, and
    `fd00:0:0:SEGMENT::NUMBER/64` where the scenario uses IPv6.
    """
    offloads: Offloads | None = None
    """Offloads of a host, over `offloads` of the scenario. Nodes that forward have none."""
    namespaces: list[Namespace] | None = None
    """Namespaces that its programs have of the node's own, over `namespaces` of `[guest]`."""
    sysctl: dict[str, str | int] = Field({})
    """Settings of this node, over those of `[sysctl]`."""
    ecn: Ecn | None = None
    """ECN of TCP in this node, over `ecn` of the scenario."""
    tc: list[str] = Field([])
    """Lines for `tc -batch`, run last in the node."""
    mptcp: MptcpSettings | None = None
    """Path manager of MPTCP; default: that of Linux, which makes no further subflows by itself."""
    clock_offset: OffsetNs = written("0 s")
    """How far the node's wall clock is ahead at the start; negative: behind."""
    clock_skew: SkewPpb = written("0 ppm")
    """How much faster than true time all clocks of the node run; negative: slower. IEEE 802.11 allows a
    station 20 ppm with OFDM and 25 ppm with DSSS.
    """
