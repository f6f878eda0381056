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

# Bytes of the structure in Linux 6.12; a newer kernel's structure is longer, an older one's shorter.
KNOWN_BYTES = 248
# Runs until plans of version 16 have this many of every kernel, the rest of them zeros.
_PADDED_BYTES = 256
_PADDING = bytes(_PADDED_BYTES - KNOWN_BYTES)
# The shortest of a kernel that `airtcp` can meet: Linux 3.15's.
_LEAST_BYTES = 104


def decode_tcp_info(samples: "polars.DataFrame", kernel: str, file: Path) -> "polars.DataFrame":
    """Each sample's time and every field; null where the structure of the run's kernel has no such field.

    `unknown` holds the bytes after those of Linux 6.12, for fields of later kernels. `kernel` (`6.12`, ...)
    tells which bytes of runs of earlier versions are zeros that no kernel wrote.
    """
    import polars

    table = _Structures(samples["tcp_info"])
    if table.shortest < _LEAST_BYTES:
        what = f"is damaged: tcp_info has {table.shortest} bytes, not {_LEAST_BYTES} and more"
        raise AirtcpError(what, str(file), REMEDY)
    columns: dict[str, Any] = {"time_ns": samples["time_ns"]}
    for field in FIELDS:
        columns[field.name] = table.column(field, _version(kernel))
    tails = (value[KNOWN_BYTES:] for value in table.raw)
    unknown = [b"" if tail == _PADDING else tail for tail in tails]
    columns["unknown"] = polars.Series(unknown, dtype=polars.Binary)
    return polars.DataFrame(columns)


def tcp_info_field(raw: "polars.Series", name: str) -> "polars.Series":
    """One field of many structures, by its name in `FIELDS`; 0 where a structure ends before it."""
    field = next(field for field in FIELDS if field.name == name)
    return _Structures(raw).column(field, _LATEST).fill_null(0).rename(name)


class _Structures:
    """Many structures, each as long as its kernel has it."""

    def __init__(self, raw: "polars.Series") -> None:
        import numpy

        self.raw: list[bytes] = raw.to_list()
        self._lengths = numpy.array([len(value) for value in self.raw], dtype=numpy.int64)
        self.shortest = int(self._lengths.min(initial=KNOWN_BYTES))
        whole = b"".join(value[:KNOWN_BYTES].ljust(KNOWN_BYTES, b"\0") for value in self.raw)
        self._table = numpy.frombuffer(whole, dtype=numpy.uint8).reshape(len(self.raw), KNOWN_BYTES)

    def column(self, field: Field, version: tuple[int, int]) -> "polars.Series":
        """A field; null where a structure ends before it, or was filled up by a kernel without it."""
        import numpy
        import polars

        width = max(1, field.bits // 8)
        part = numpy.ascontiguousarray(self._table[:, field.offset : field.offset + width])
        values = part.view(numpy.dtype(f"<u{width}")).reshape(-1)
        if field.bits < 8:
            values = (values >> field.shift) & ((1 << field.bits) - 1)
        filled = (self._lengths == _PADDED_BYTES) & (field.since > version)
        there = (self._lengths >= field.offset + width) & ~filled
        found = polars.Series(field.name, values)
        return found if there.all() else found.set(polars.Series(~there), None)


_LATEST = (99, 0)


def _version(kernel: str) -> tuple[int, int]:
    """The version in `6.12` or `6.12-mine`; of a text that has none, the latest."""
    found = re.match(r"(\d+)\.(\d+)(-|$)", kernel)
    return (int(found[1]), int(found[2])) if found else _LATEST
