"""Which program wrote a file: recognised by its content, never by its name."""

from collections.abc import Callable
from pathlib import Path

from airtcp.data.foreign.capture_file import is_capture
from airtcp.data.foreign.flent import is_flent, read_flent
from airtcp.data.foreign.iperf2 import is_iperf2, read_iperf2
from airtcp.data.foreign.iperf3 import is_iperf3, read_iperf3
from airtcp.data.foreign.measurement import Measurement
from airtcp.data.foreign.pcap import read_pcap
from airtcp.data.foreign.ping_text import is_ping, read_ping
from airtcp.errors import AirtcpError

_FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[Path, bytes], Measurement]], ...] = (
    (is_capture, read_pcap),
    (is_ping, read_ping),
    (is_iperf2, read_iperf2),
    (is_iperf3, read_iperf3),
    (is_flent, read_flent),
)
KNOWN = "iperf2 CSV (-y C), iperf3 JSON (-J), text of ping, pcap, pcapng, Flent data"


def open_measurement(file: Path) -> Measurement:
    """Reads a file of another program; one that is empty, unknown or damaged is an `AirtcpError`."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise AirtcpError(
            f"can't be read: {error.strerror}", str(file), "Check path and permissions"
        ) from None
    if not content:
        raise AirtcpError("is empty", str(file), "Measure again, or give a whole file")
    for recognised, read in _FORMATS:
        if recognised(content):
            return read(file, content)
    raise AirtcpError("is of no known format", str(file), f"Known: {KNOWN}")
