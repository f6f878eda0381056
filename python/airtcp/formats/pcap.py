"""Captures of tcpdump, Wireshark and airtcp: the TCP packets of a pcap or pcapng file, and their flows."""

from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError
from airtcp.formats.capture_file import read_capture
from airtcp.formats.columns import FLOWS, PACKETS
from airtcp.formats.measurement import Measurement, frame_of
from airtcp.formats.tcp_connection import ACK, Connections
from airtcp.formats.tcp_packet import AIR, KNOWN_LINKS, parse_tcp

if TYPE_CHECKING:
    import polars

FORMAT = "capture"


def read_pcap(file: Path, content: bytes) -> Measurement:
    """The frames `packets` and `flows`; other packets than TCP's are counted in `about`."""
    connections, columns, others, frames = Connections(), _Packets(), 0, 0
    for number, captured in enumerate(read_capture(file, content), start=1):
        frames = number
        _check_link(captured.link_type, file)
        packet = parse_tcp(captured.link_type, captured.data, captured.wire_bytes)
        if packet is None:
            others += 1
            continue
        flow = connections.of(packet, captured.time_ns)
        direction = flow.add(packet, captured.time_ns)
        acknowledgement = packet.acknowledgement if packet.flags & ACK else None
        place = (captured.time_ns, number, flow.number, direction)
        sizes = (packet.flags, packet.window, packet.payload_bytes, packet.ip_bytes, packet.ce)
        columns.add((*place, packet.sequence, acknowledgement, *sizes))
    flows = frame_of(FLOWS, [connection.row() for connection in connections.all])
    return Measurement(
        file, FORMAT, {"packets": columns.frame(), "flows": flows}, {"frames": frames, "not_tcp": others}
    )


def _check_link(link_type: int, file: Path) -> None:
    if link_type in AIR:
        what = "is a capture of the air: it has 802.11 frames, not packets"
        raise AirtcpError(what, str(file), "Read it with tshark or Wireshark, or capture an interface")
    if link_type not in KNOWN_LINKS:
        known = ", ".join(str(known) for known in KNOWN_LINKS)
        raise AirtcpError(f"link type {link_type} is not known", str(file), f"Known: {known}")


class _Packets:
    """The columns of the frame `packets` as they grow."""

    def __init__(self) -> None:
        self._rows: list[tuple[int | bool | None, ...]] = []

    def add(self, row: tuple[int | bool | None, ...]) -> None:
        self._rows.append(row)

    def frame(self) -> "polars.DataFrame":
        import polars

        kinds = {
            column.name: polars.Boolean if column.type == "bool" else polars.Int64
            for column in PACKETS.columns
        }
        try:
            return polars.DataFrame(self._rows, schema=kinds, orient="row")
        except (TypeError, OverflowError, polars.exceptions.PolarsError):
            raise ValueError("a packet's time is too large") from None
