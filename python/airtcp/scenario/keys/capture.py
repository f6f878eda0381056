"""What a scenario keeps as capture files."""

from pydantic import Field

from airtcp.scenario.keys.parts import Name, Part, written
from airtcp.scenario.values.units import AmountBytes, LengthNs, TimeNs


class CaptureSettings(Part):
    """Packets kept as `pcap/NAME.pcapng` of the run folder: `[[capture]]`, of a `node` or of the `air`."""

    name: Name | None = Field(
        None,
        description="Name of the file; default: `NODE`, `NODE-INTERFACE` or `air`, with a number if taken.",
    )
    node: Name | None = Field(None, description="Node whose packets are kept, as Ethernet frames.")
    interface: Name | list[Name] | None = Field(
        None, description="Interface of the node, or several; default: all but bridges."
    )
    air: bool = Field(
        False,
        description="Capture the air: every MPDU, with a radiotap header (mode, channel).",
    )
    flows: str | list[Name] | None = Field(
        None,
        description='Only packets of these flows, both directions: a name, a list, or a pattern as `"sta*"`.',
    )
    snap: AmountBytes = Field(
        written("192 B"), description="First bytes kept of each packet, from 134 B (all headers) to 4096 B."
    )
    start: TimeNs = Field(written("0 s"), description="Packets are kept from this time on.")
    stop: LengthNs | None = Field(
        None, description="Packets are kept before this time; default: the run's end."
    )
