"""Sources of frames for runs without a guest."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.channel_access import AccessCategory
from airtcp.scenario.keys.parts import NODE_NAMES_ARE, Name, NodeNames, Part, written
from airtcp.scenario.values.dscp import Dscp
from airtcp.scenario.values.units import RATE, AmountBytes, LengthNs, TimeNs

# Ethernet header without FCS, IPv4 and UDP header.
HEADERS_BYTES = 14 + 20 + 8


def _rate(value: Any) -> Any:
    return None if value == "saturated" else RATE.read(value)


SourceRate = Annotated[int | None, BeforeValidator(_rate), RATE]


class Source(Part):
    """UDP datagrams from one radio to another, for `airtcp air`: `[[source]]`."""

    name: Name | None = None
    """Default: `FROM-TO`, with a number if taken."""
    from_: NodeNames = Field(alias="from", description=f"Node that sends; it has a radio. {NODE_NAMES_ARE}")
    to: NodeNames
    """Node that receives, likewise; it has a radio of the same cell."""
    rate: SourceRate = written("saturated")
    """`"saturated"`: always a frame to send; or UDP payload per second, in equal steps."""
    payload: AmountBytes = written("1472 B")
    """UDP payload of a datagram; 1472 B fill an IP packet of 1500."""
    dscp: Dscp | None = None
    """Code point, as a number or a name such as `EF`; the map of `kernel` makes it a user priority."""
    access_category: AccessCategory | None = None
    """Access category, instead of a code point; default: best effort."""
    start: TimeNs = written("0 s")
    """First datagram."""
    end: LengthNs | None = None
    """No datagram is sent after this time; default: the end of the run."""
