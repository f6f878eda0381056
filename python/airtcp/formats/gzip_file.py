"""Files that may be compressed by gzip (RFC 1952): their beginning, and all, or the place of the damage."""

import zlib
from pathlib import Path

from airtcp.errors import AirtcpError

GZIP = b"\x1f\x8b"
# zlib's number for a stream with gzip's header and checksum, of any window.
_GZIP_BITS = 31
_HEAD_BYTES = 4_000
# An hour of irtt with a packet each millisecond has some gigabytes; what is longer is cut by its user.
UNPACKED_MOST = 1 << 30


def head_of(content: bytes) -> bytes:
    """The first bytes of what a file holds, as far as they can be unpacked."""
    if not content.startswith(GZIP):
        return content[:_HEAD_BYTES]
    try:
        return zlib.decompressobj(_GZIP_BITS).decompress(content[: 8 * _HEAD_BYTES], _HEAD_BYTES)
    except zlib.error:
        return b""


def unpacked(file: Path, content: bytes) -> bytes:
    """All that a file holds; a stream that is cut, damaged or followed by something is an `AirtcpError`."""
    if not content.startswith(GZIP):
        return content
    stream = zlib.decompressobj(_GZIP_BITS)
    try:
        found = stream.decompress(content, UNPACKED_MOST)
    except zlib.error as error:
        raise _damaged(file, f"its gzip stream can't be unpacked ({error})") from None
    if stream.unconsumed_tail:
        raise _damaged(file, f"it has more than {UNPACKED_MOST} bytes unpacked")
    if not stream.eof:
        raise _damaged(file, f"its gzip stream is cut after {len(content)} bytes")
    if stream.unused_data.strip(b"\0"):
        end = len(content) - len(stream.unused_data)
        what = f"{len(stream.unused_data)} bytes follow the end of its gzip stream at byte {end}"
        raise _damaged(file, f"{what}: another measurement may have been written into the same file")
    return found


def _damaged(file: Path, why: str) -> AirtcpError:
    return AirtcpError(f"is damaged: {why}", str(file), "Measure again, or give a whole file")
