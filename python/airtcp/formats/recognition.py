"""Recognises the program that wrote a file by its content, never by its name."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.formats.capture_file import is_capture
from airtcp.formats.flent import is_flent, read_flent
from airtcp.formats.gzip_file import GZIP, head_of, unpacked
from airtcp.formats.hostapd_sta import is_hostapd_sta, read_hostapd_sta
from airtcp.formats.iperf2 import is_iperf2, read_iperf2
from airtcp.formats.iperf3 import is_iperf3, read_iperf3
from airtcp.formats.iperf_text import is_iperf_text, read_iperf_text
from airtcp.formats.irtt import is_irtt, read_irtt
from airtcp.formats.iw_dumps import is_iw_station, read_iw_station
from airtcp.formats.iwinfo_assoclist import is_iwinfo, read_iwinfo
from airtcp.formats.mahimahi_log import is_mahimahi_log, read_mahimahi_log
from airtcp.formats.measurement import Measurement, damaged
from airtcp.formats.netperf_text import is_netperf, read_netperf
from airtcp.formats.octoping import is_octoping, read_octoping
from airtcp.formats.pcap import read_pcap
from airtcp.formats.ping_text import is_ping, read_ping
from airtcp.formats.qlog import is_qlog, read_qlog
from airtcp.formats.rates_csv import is_rates_csv, read_rates_csv
from airtcp.formats.ss_sockets import is_ss, read_ss
from airtcp.formats.tcptrace_text import is_tcptrace, read_tcptrace
from airtcp.formats.ubus_clients import is_ubus_clients, read_ubus_clients


@dataclass(frozen=True)
class ForeignFormat:
    """A format: what it is and how a program writes it, how it is recognised, its reader, and words of it.

    `marks` are what a file of it nearly always has: by them an unknown file is near to a format or not.
    """

    about: str
    recognised: Callable[[bytes], bool]
    read: Callable[[Path, bytes], Measurement]
    marks: tuple[bytes, ...] = ()


FORMATS: tuple[ForeignFormat, ...] = (
    ForeignFormat("pcap or pcapng", is_capture, read_pcap),
    ForeignFormat("text of ping", is_ping, read_ping, (b"icmp_seq", b"ttl=", b"time=", b"bytes from")),
    ForeignFormat("iperf2 CSV (-y C)", is_iperf2, read_iperf2, (b"transferid", b"istart")),
    ForeignFormat(
        "iperf3 JSON (-J)", is_iperf3, read_iperf3, (b'"intervals"', b'"bits_per_second"', b'"sum_sent"')
    ),
    ForeignFormat("irtt JSON (-o)", is_irtt, read_irtt, (b'"round_trips"', b'"seqno"', b'"ipdv', b'"irtt"')),
    ForeignFormat(
        "text of iperf", is_iperf_text, read_iperf_text, (b"bits/sec", b"Bytes", b"Interval", b"Transfer")
    ),
    ForeignFormat(
        "text of netperf", is_netperf, read_netperf, (b"10^6bits", b"Throughput", b"Interim", b"Elapsed")
    ),
    ForeignFormat("text of ss -tin", is_ss, read_ss, (b"cwnd:", b"rto:", b"mss:", b"ESTAB", b"minrtt:")),
    ForeignFormat("octoping CSV", is_octoping, read_octoping, (b"up_t", b"down_t", b"phase")),
    ForeignFormat("log of mm-link", is_mahimahi_log, read_mahimahi_log, (b"mm-link", b"base timestamp")),
    ForeignFormat(
        "text of tcptrace -l", is_tcptrace, read_tcptrace, (b"TCP connection", b"actual data", b"rexmt")
    ),
    ForeignFormat("iw station dump", is_iw_station, read_iw_station, (b"Station", b"tx bitrate", b"signal:")),
    ForeignFormat("hostapd_cli all_sta", is_hostapd_sta, read_hostapd_sta, (b"flags=[", b"aid=", b"signal=")),
    ForeignFormat("iwinfo assoclist", is_iwinfo, read_iwinfo, (b"(SNR", b"ms ago", b"Pkts.")),
    ForeignFormat("ubus get_clients", is_ubus_clients, read_ubus_clients, (b'"clients"', b'"freq"')),
    ForeignFormat("rates CSV (time,bit/s)", is_rates_csv, read_rates_csv, (b"bit/s", b"bps", b"rate")),
    ForeignFormat("qlog of QUIC", is_qlog, read_qlog, (b'"qlog_version"', b'"qlog_format"')),
    ForeignFormat("Flent data", is_flent, read_flent, (b'"x_values"', b'"results"', b'"metadata"')),
)
# A file is read whole; its packets take some times as much as rows of a frame.
_BYTES_MOST = 2 << 30
# Formats of others that people have, and what to do with them.
_NOT_READ = (
    ((b"SQLite format 3",), "it is a database of SQLite", "Export a table as CSV with time,bit/s"),
    ((b"RRD\x00",), "it is a database of RRDtool", "rrdtool fetch prints its rows; write them as time,bit/s"),
    ((b"PK\x03\x04",), "it is a zip file", "Unpack it"),
    (
        (b"\xfd7zXZ", b"BZh", b"\x28\xb5\x2f\xfd"),
        "it is compressed, and not by gzip",
        "Unpack it",
    ),
    ((b"version https://git-lfs",), "it is a pointer of Git LFS, not the file", "Fetch it: git lfs pull"),
)
KNOWN = "; ".join(one.about for one in FORMATS)


def open_measurement(file: Path) -> Measurement:
    """Reads a file of another program; one that is empty, unknown or damaged is an `AirtcpError`.

    A file may be compressed by gzip.
    """
    content = content_of(file)
    if content.startswith(GZIP) and not is_flent(content):
        content = _unpacked(file, content)
    known = format_of(content)
    if known is None:
        raise _unknown(file, content)
    try:
        return known.read(file, content)
    except (ValueError, OverflowError) as error:
        raise damaged(file, str(error)) from None


def _unpacked(file: Path, content: bytes) -> bytes:
    """All that a compressed file holds; the error of a damaged one says what it was, by its beginning."""
    try:
        return unpacked(file, content)
    except AirtcpError as error:
        known = format_of(content)
        name = f" ({known.about}, by its beginning)" if known else ""
        raise AirtcpError(f"{error.what}{name}", error.place, error.remedy) from None


def format_of(content: bytes) -> ForeignFormat | None:
    """The format of a file, which may be compressed; `None` if none is recognised."""
    if content.startswith(GZIP) and not is_flent(content):
        content = head_of(content)
    return next((one for one in FORMATS if one.recognised(content)), None)


def _unknown(file: Path, content: bytes) -> AirtcpError:
    """The error of a file that no format recognises: what it is nearest to, by the words that are in it."""
    for marks, what, remedy in _NOT_READ:
        if any(mark in content[:4_000] for mark in marks):
            return AirtcpError(f"has a format that is not read: {what}", str(file), remedy)
    found = [(sum(mark in content for mark in one.marks), one) for one in FORMATS]
    most, nearest = max(found, key=lambda each: each[0])
    what = "has an unknown format"
    if b"\0" in content[:4_000]:
        what += ": it is not text"
    elif most:
        what += f"; nearest is {nearest.about}, which begins otherwise: give the whole file"
    return AirtcpError(what, str(file), f"Known: {KNOWN}")


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
