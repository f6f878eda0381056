"""`struct tcp_info`: the kernel's state of a connection, raw bytes to numbers.

Names, offsets and widths are those of Linux 6.12, `include/uapi/linux/tcp.h`, little endian as on x86-64; the
prefix `tcpi_` is left out and units are added.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.plain_file import REMEDY
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import numpy
    import polars


@dataclass(frozen=True)
class Field:
    """A number of `bits` at the byte `offset`, from bit `shift` on; Linux has it from version `since` on."""

    name: str
    offset: int
    bits: int
    shift: int = 0
    since: tuple[int, int] = (0, 0)


def _fields(offset: int, bits: int, *names: str, since: tuple[int, int] = (0, 0)) -> list[Field]:
    """Fields of one width, one after another."""
    return [Field(name, offset + i * bits // 8, bits, since=since) for i, name in enumerate(names)]


FIELDS: tuple[Field, ...] = (
    *_fields(0, 8, "state", "ca_state", "retransmits", "probes", "backoff", "options"),
    *(Field("snd_wscale", 6, 4), Field("rcv_wscale", 6, 4, 4)),
    *(Field("delivery_rate_app_limited", 7, 1), Field("fastopen_client_fail", 7, 2, 1)),
    *_fields(
        8, 32, "rto_us", "ato_us", "snd_mss", "rcv_mss", "unacked", "sacked", "lost", "retrans", "fackets"
    ),
    *_fields(44, 32, "last_data_sent_ms", "last_ack_sent_ms", "last_data_recv_ms", "last_ack_recv_ms"),
    *_fields(60, 32, "pmtu", "rcv_ssthresh", "rtt_us", "rttvar_us", "snd_ssthresh", "snd_cwnd", "advmss"),
    *_fields(88, 32, "reordering", "rcv_rtt_us", "rcv_space", "total_retrans"),
    *_fields(
        104, 64, "pacing_rate_bytes_per_s", "max_pacing_rate_bytes_per_s", "bytes_acked", "bytes_received"
    ),
    *_fields(136, 32, "segs_out", "segs_in", "notsent_bytes", "min_rtt_us", "data_segs_in", "data_segs_out"),
    *_fields(160, 64, "delivery_rate_bytes_per_s", "busy_time_us", "rwnd_limited_us", "sndbuf_limited_us"),
    *_fields(192, 32, "delivered", "delivered_ce"),
    *_fields(200, 64, "bytes_sent", "bytes_retrans"),
    *_fields(216, 32, "dsack_dups", "reord_seen", "rcv_ooopack", "snd_wnd"),
    *_fields(232, 32, "rcv_wnd", "rehash", since=(6, 2)),
    *_fields(240, 16, "total_rto", "total_rto_recoveries", since=(6, 7)),
    *_fields(244, 32, "total_rto_time_ms", since=(6, 7)),
)

# Bytes of the structure in Linux 6.12; a newer kernel's structure is longer.
KNOWN_BYTES = 248


def decode_tcp_info(samples: "polars.DataFrame", kernel: str, file: Path) -> "polars.DataFrame":
    """Each sample's time and every field; null where the run's kernel (`6.12`, ...) has no such field.

    `unknown` holds the bytes after those of Linux 6.12, for fields of later kernels.
    """
    import numpy
    import polars

    raw = samples["tcp_info"].to_list()
    lengths = {len(value) for value in raw}
    if len(lengths) > 1 or min(lengths, default=KNOWN_BYTES) < KNOWN_BYTES:
        what = f"is damaged: tcp_info has {min(lengths)} bytes, not {KNOWN_BYTES} and more"
        raise AirtcpError(what, str(file), REMEDY)
    length = lengths.pop() if lengths else KNOWN_BYTES
    table = numpy.frombuffer(b"".join(raw), dtype=numpy.uint8).reshape(len(raw), length)
    columns: dict[str, Any] = {"time_ns": samples["time_ns"]}
    for field in FIELDS:
        there = field.since <= _version(kernel)
        columns[field.name] = (
            _column(table, field) if there else polars.Series([None] * len(raw), dtype=polars.UInt32)
        )
    columns["unknown"] = polars.Series([value[KNOWN_BYTES:] for value in raw], dtype=polars.Binary)
    return polars.DataFrame(columns)


def tcp_info_field(raw: "polars.Series", name: str) -> "polars.Series":
    """One field of many structures, by its name in `FIELDS`."""
    import numpy
    import polars

    field = next(field for field in FIELDS if field.name == name)
    values = raw.to_list()
    length = len(values[0]) if values else KNOWN_BYTES
    table = numpy.frombuffer(b"".join(values), dtype=numpy.uint8).reshape(len(values), length)
    return polars.Series(name, _column(table, field))


def _version(kernel: str) -> tuple[int, int]:
    """The version in `6.12` or `6.12-mine`; of a text that has none, the latest."""
    found = re.match(r"(\d+)\.(\d+)(-|$)", kernel)
    return (int(found[1]), int(found[2])) if found else (99, 0)


def _column(table: "numpy.ndarray[Any, Any]", field: Field) -> "numpy.ndarray[Any, Any]":
    import numpy

    width = max(1, field.bits // 8)
    part = numpy.ascontiguousarray(table[:, field.offset : field.offset + width])
    values = part.view(numpy.dtype(f"<u{width}")).reshape(-1)
    if field.bits < 8:
        values = (values >> field.shift) & ((1 << field.bits) - 1)
    return values
