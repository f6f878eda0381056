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

    rate: WireRate = Field(
        written("1000 Mbit/s"), description='Rate of the wire, or `"unlimited"` (as fast as the kernel is).'
    )
    delay: TimeNs = Field(written("0 ms"), description="One-way propagation delay.")
    queue: Queue = Field(
        written("1000 packets"),
        description='Queue in front of the wire: `"100 packets"` or `"64 kB"` (drop-tail), words of `tc` '
        '(`"fq_codel target 5ms"`), or `"none"`.',
    )


class Wire(WireSettings):
    """A wire between two nodes: `[[wire]]`."""

    between: tuple[Name, Name] = Field(description="The two nodes.", strict=False)
    towards: dict[Name, WireSettings] = Field(
        {}, description="Settings of one direction: `[wire.towards.NODE]` after its `[[wire]]`."
    )


class NodeSettings(Part):
    """What a node is: `[node.NAME]`. Nodes need not be declared: cells and wires name them."""

    kind: Literal["host", "switch", "router", "access_point"] | None = Field(
        None,
        description="Default: `access_point` (a switch with a radio) and `host` (a station) as the cell "
        "says; in a mesh `host`, with wires `router`; else `host` with one wire and `switch` with more.",
    )
    addresses: dict[str, str] = Field(
        {},
        description="IPv4 address with prefix length by interface (`wlan0`, `eth0`, ... in the order of "
        'mention; `br0` of a switch): `{ eth0 = "192.168.1.2/24" }`; default: `10.0.SEGMENT.NUMBER/24`.',
    )
    sysctl: dict[str, str | int] = Field({}, description="Settings of this node, over those of `[sysctl]`.")
    tc: list[str] = Field([], description="Lines for `tc -batch`, run last in the node.")
    clock_offset: OffsetNs = Field(
        written("0 s"), description="How far the node's wall clock is ahead at the start; negative: behind."
    )
    clock_skew: SkewPpb = Field(
        written("0 ppm"),
        description="How much faster than true time all clocks of the node run; negative: slower. IEEE "
        "802.11 allows a station 20 ppm with OFDM and 25 ppm with DSSS.",
    )
