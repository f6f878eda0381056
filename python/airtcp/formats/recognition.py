"""Recognises the program that wrote a file by its content, never by its name."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.formats.capture_file import is_capture
from airtcp.formats.flent import is_flent, read_flent
from airtcp.formats.iperf2 import is_iperf2, read_iperf2
from airtcp.formats.iperf3 import is_iperf3, read_iperf3
from airtcp.formats.measurement import Measurement, damaged
from airtcp.formats.pcap import read_pcap
from airtcp.formats.ping_text import is_ping, read_ping
from airtcp.formats.qlog import is_qlog, read_qlog

_FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[Path, bytes], Measurement]], ...] = (
    (is_capture, read_pcap),
    (is_ping, read_ping),
    (is_iperf2, read_iperf2),
    (is_iperf3, read_iperf3),
    (is_qlog, read_qlog),
    (is_flent, read_flent),
)
# A file is read whole; its packets take some times as much as rows of a frame.
_BYTES_MOST = 2 << 30
KNOWN = "iperf2 CSV (-y C), iperf3 JSON (-J), text of ping, pcap, pcapng, Flent data, qlog"


def open_measurement(file: Path) -> Measurement:
    """Reads a file of another program; one that is empty, unknown or damaged is an `AirtcpError`."""
    content = content_of(file)
    for recognised, read in _FORMATS:
        if recognised(content):
            try:
                return read(file, content)
            except (ValueError, OverflowError) as error:
                raise damaged(file, str(error)) from None
    raise AirtcpError("has an unknown format", str(file), f"Known: {KNOWN}")


def content_of(file: Path) -> bytes:
    """A file as a whole; what is no file, empty or too large is an `AirtcpError`."""
    # A pipe would not end, a folder has no content: without waiting for either, only a file is read.
    try:
        number = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(number, "rb") as opened:
            about = os.fstat(number)
            if not stat.S_ISREG(about.st_mode):
                raise AirtcpError("is not a regular file", str(file), "Give the file that the program wrote")
            if about.st_size > _BYTES_MOST:
                what = f"is too large: it has {about.st_size} bytes, of at most {_BYTES_MOST}"
                raise AirtcpError(what, str(file), "Give a part of it: editcap -c cuts captures")
            content = opened.read(about.st_size)
    except OSError as error:
        raise AirtcpError(
            f"can't be read: {error.strerror}", str(file), "Check path and permissions"
        ) from None
    if not content:
        raise AirtcpError("is empty", str(file), "Measure again, or give a whole file")
    return content
