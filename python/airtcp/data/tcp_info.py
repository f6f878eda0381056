"""`struct tcp_info`: the kernel's state of a connection, raw bytes to numbers.

Names, offsets and widths are those of Linux 7.2, `include/uapi/linux/tcp.h`, little endian as on x86-64; the
prefix `tcpi_` is left out and units are added. `tcp_info.json` beside this module is what
`airtcp-runner schema --tcp-info` prints; `make generated` writes it.
"""

import json
import re
from collections.abc import Iterator
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


def _fields() -> Iterator[Field]:
    """The fields that the recorders of series read, from the same table."""
    for field in json.loads(Path(__file__).with_name("tcp_info.json").read_text(encoding="utf-8")):
        yield Field(**{**field, "since": tuple(field["since"] or (0, 0))})


FIELDS: tuple[Field, ...] = tuple(_fields())

# Bytes of the structure in Linux 7.2; a newer kernel's structure is longer, an older one's shorter.
KNOWN_BYTES = 280
# Runs until plans of version 16 have this many of every kernel, the rest of them zeros.
_PADDED_BYTES = 256
# The shortest of a kernel that `airtcp` can meet: Linux 3.15's.
_LEAST_BYTES = 104


def decode_tcp_info(samples: "polars.DataFrame", kernel: str, file: Path) -> "polars.DataFrame":
    """Each sample's time and every field; null where the structure of the run's kernel has no such field.

    `unknown` holds the bytes after those of Linux 7.2, for fields of later kernels. `kernel` (`6.12`, ...)
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
    unknown = [value[KNOWN_BYTES:] for value in table.raw]
    columns["unknown"] = polars.Series(unknown, dtype=polars.Binary)
    return polars.DataFrame(columns)


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
