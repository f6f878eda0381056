"""What pages hold in little space: gzip and base64, as `DecompressionStream` of a browser opens them."""

import base64
import gzip
import json
from typing import Any


def packed(value: object) -> str:
    """A value as JSON."""
    return packed_bytes(json.dumps(value, separators=(",", ":"), allow_nan=False).encode(), 6)


def packed_bytes(content: bytes, level: int) -> str:
    """Bytes, with this level of gzip."""
    # A date in it would make equal runs differ.
    return base64.b64encode(gzip.compress(content, level, mtime=0)).decode("ascii")


def opened(text: str) -> Any:
    """The value of what `packed` made."""
    return json.loads(gzip.decompress(base64.b64decode(text)))
