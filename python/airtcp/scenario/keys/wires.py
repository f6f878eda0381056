"""The wired side of a scenario: wires, and what nodes are."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.parts import Name, Part, written
from airtcp.scenario.keys.queue import Queue
from airtcp.scenario.values.units import RATE, OffsetNs, SkewPpb, TimeNs


def _wire_rate(value: Any) -> Any:
    return None if value == "unlimited" else RATE.read(value)


WireRate = Annotated[int | None, BeforeValidator(_wire_rate), RATE]


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


class Wire(WireSettings):
    """A wire between two nodes: `[[wire]]`."""

    between: tuple[Name, Name] = Field(strict=False)
    """The two nodes."""
    towards: dict[Name, WireSettings] = Field({})
    """Settings of one direction: `[wire.towards.NODE]` after its `[[wire]]`."""


class NodeSettings(Part):
    """What a node is: `[node.NAME]`. Nodes need not be declared: cells and wires name them."""

    kind: Literal["host", "switch", "router", "access_point"] | None = None
    """Default: `access_point` (a switch with a radio) and `host` (a station) as the cell says; in a mesh
    `host`, with wires `router`; else `host` with one wire and `switch` with more.
    """
    addresses: dict[str, str] = Field({})
    """IPv4 address with prefix length by interface (`wlan0`, `eth0`, ... in the order of mention; `br0` of a
    switch): `{ eth0 = "192.168.1.2/24" }`; default: `10.0.SEGMENT.NUMBER/24`.
    """
    sysctl: dict[str, str | int] = Field({})
    """Settings of this node, over those of `[sysctl]`."""
    tc: list[str] = Field([])
    """Lines for `tc -batch`, run last in the node."""
    clock_offset: OffsetNs = written("0 s")
    """How far the node's wall clock is ahead at the start; negative: behind."""
    clock_skew: SkewPpb = written("0 ppm")
    """How much faster than true time all clocks of the node run; negative: slower. IEEE 802.11 allows a
    station 20 ppm with OFDM and 25 ppm with DSSS.
    """
