"""What a scenario keeps as capture files."""

from airtcp.scenario.keys.parts import Name, Part, written
from airtcp.scenario.values.units import AmountBytes, LengthNs, TimeNs


class CaptureSettings(Part):
    """Packets kept as `pcap/NAME.pcapng` of the run folder: `[[capture]]`, of a `node` or of the `air`."""

    name: Name | None = None
    """Name of the file; default: `NODE`, `NODE-INTERFACE` or `air`, with a number if taken."""
    node: Name | None = None
    """Node whose packets are kept, as Ethernet frames."""
    interface: Name | list[Name] | None = None
    """Interface of the node, or several; default: all but bridges."""
    air: bool = False
    """Capture the air: every MPDU, with a radiotap header (mode, channel)."""
    flows: str | list[Name] | None = None
    """Only packets of these flows, both directions: a name, a list, or a pattern as `"sta*"`."""
    snap: AmountBytes = written("192 B")
    """First bytes kept of each packet, from 134 B (all headers) to 4096 B."""
    start: TimeNs = written("0 s")
    """Packets are kept from this time on."""
    stop: LengthNs | None = None
    """Packets are kept before this time; default: the run's end."""
