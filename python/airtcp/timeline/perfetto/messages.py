"""Messages of protocol buffers, many of one kind at once.

All messages of a kind have the same length: numbers are varints filled up to a fixed number of bytes, which
every reader takes (https://protobuf.dev/programming-guides/encoding). So a kind is a table of bytes with a
row for each message, which numpy writes without a loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
_VARINT, _FIXED64, _LENGTH = 0, 1, 2


@dataclass(frozen=True)
class Column:
    """Bytes that differ from row to row: a table of them."""

    table: Bytes

    @property
    def width(self) -> int:
        """Bytes of a row."""
        return int(self.table.shape[1])


Part = bytes | Column
Parts = Sequence[Part]


def varint(value: int) -> bytes:
    """A number as a varint."""
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def number(field: int, values: NDArray[np.int64]) -> list[Part]:
    """A field with numbers of at least 0, a row for each."""
    width = max(1, -(-int(values.max(initial=0)).bit_length() // 7))
    table = np.empty((values.size, width), np.uint8)
    for place in range(width):
        table[:, place] = values >> 7 * place & 0x7F
    table[:, :-1] |= 0x80
    return [varint(field << 3 | _VARINT), Column(table)]


def constant(field: int, value: int) -> list[Part]:
    """A field with one number in all rows."""
    return [varint(field << 3 | _VARINT) + varint(value)]


def fixed(field: int, values: NDArray[np.int64] | NDArray[np.float64]) -> list[Part]:
    """A field of 8 bytes: `fixed64` or `double`, a row for each."""
    little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return [varint(field << 3 | _FIXED64), Column(little.view(np.uint8).reshape(values.size, 8))]


def text(field: int, value: str) -> list[Part]:
    """A field with one text in all rows."""
    content = value.encode("utf-8", "replace")
    return [varint(field << 3 | _LENGTH) + varint(len(content)) + content]


def message(field: int, parts: Parts) -> list[Part]:
    """A field with a message of these parts."""
    return [varint(field << 3 | _LENGTH) + varint(width_of(parts)), *parts]


def width_of(parts: Parts) -> int:
    """Bytes of a row of these parts."""
    return sum(len(part) if isinstance(part, bytes) else part.width for part in parts)


def table_of(parts: Parts, rows: int) -> Bytes:
    """The rows, each with its bytes."""
    table = np.empty((rows, width_of(parts)), np.uint8)
    at = 0
    for part in parts:
        content = np.frombuffer(part, np.uint8) if isinstance(part, bytes) else part.table
        end = at + (len(part) if isinstance(part, bytes) else part.width)
        table[:, at:end] = content
        at = end
    return table


def whole(parts: Parts) -> bytes:
    """One message, of parts that are the same in all rows."""
    return b"".join(part for part in parts if isinstance(part, bytes))
