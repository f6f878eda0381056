"""Flent's data files, versions 1 to 4: JSON, mostly compressed (`.flent`, `.flent.gz`).

The format: `doc/data-format.rst` of Flent. `x_values` are seconds from the start of the test; each series of
`results` has a value, or null, for each of them; `raw_values` hold what each tool wrote, with its time `t`
since 1970 in seconds.
"""

import gzip
import io
import json
import math
import zlib
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.formats.columns import FLENT_RAW, FLENT_SERIES
from airtcp.formats.measurement import Measurement, damaged, frame_of

FORMAT = "Flent data"
VERSIONS = (1, 2, 3, 4)
_GZIP = b"\x1f\x8b"
# A test of ten hours with every tool's raw values has some tens of megabytes.
_UNPACKED_MOST = 256 << 20
# How much of an uncompressed file is looked at to recognise it: `metadata` comes first and may be long.
_KEYS = (b'"x_values"', b'"results"', b'"metadata"', b'"raw_values"')


def is_flent(content: bytes) -> bool:
    """Whether a file is JSON with Flent's keys, compressed or not."""
    if content.startswith(_GZIP):
        try:
            content = zlib.decompressobj(31).decompress(content, 4_000)
        except zlib.error:
            return False
        return content.lstrip().startswith(b"{") and any(key in content for key in _KEYS)
    return content.lstrip().startswith(b"{") and sum(key in content for key in _KEYS) > 1


def read_flent(file: Path, content: bytes) -> Measurement:
    """The frames `series` and `raw`; a file that is cut, or series of other lengths, are an `AirtcpError`."""
    data = _object(file, content)
    version = data.get("version", 1)
    if version not in VERSIONS:
        known = ", ".join(str(known) for known in VERSIONS)
        raise AirtcpError(f"Flent's version {version} is not known", str(file), f"Known: {known}")
    try:
        frames = {
            "series": frame_of(FLENT_SERIES, _series(data)),
            "raw": frame_of(FLENT_RAW, _raw(data.get("raw_values", {}))),
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise damaged(file, f"it is not the data of Flent: {error}") from None
    metadata = data["metadata"]
    names = {"NAME": "test", "TITLE": "title", "TIME": "time", "LENGTH": "length_s", "STEP_SIZE": "step_s"}
    about = {ours: metadata.get(theirs) for theirs, ours in names.items()}
    return Measurement(file, FORMAT, frames, {"version": version, **about, "metadata": metadata})


def _unpacked(file: Path, content: bytes) -> bytes:
    """What is packed, unless it is more than any test writes: a thousand bytes may stand for a million."""
    if not content.startswith(_GZIP):
        return content
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
        unpacked = packed.read(_UNPACKED_MOST + 1)
    if len(unpacked) > _UNPACKED_MOST:
        raise damaged(file, f"unpacked it has more than {_UNPACKED_MOST} bytes")
    return unpacked


def _object(file: Path, content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(_unpacked(file, content))
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        raise damaged(file, "it is not (compressed) JSON to its end") from None
    if not isinstance(data, dict):
        raise damaged(file, "it is not a JSON object")
    for key in ("x_values", "results", "metadata"):
        if key not in data:
            raise damaged(file, f'it has no "{key}"')
    if not isinstance(data["metadata"], dict):
        raise damaged(file, '"metadata" is not an object')
    return data


def _series(data: dict[str, Any]) -> list[dict[str, Any]]:
    times = [round(_number(x) * 1e9) for x in data["x_values"]]
    meta = data["metadata"].get("SERIES_META") or {}
    rows = []
    for name, values in data["results"].items():
        if len(values) != len(times):
            raise ValueError(f"series {name} has {len(values)} values at {len(times)} times")
        units = (meta.get(name) or {}).get("UNITS")
        for time_ns, value in zip(times, values, strict=True):
            number = None if value is None else _number(value)
            rows.append({"series": name, "time_ns": time_ns, "value": number, "units": units})
    return rows


def _raw(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The numbers among the values of tools; a text (a histogram, a date) has no place in a series."""
    rows = []
    for name, items in data.items():
        for item in items if isinstance(items, list) else []:
            unix_ns = round(item["t"] * 1e9) if isinstance(item.get("t"), int | float) else None
            for key, value in item.items():
                if key != "t" and isinstance(value, int | float) and math.isfinite(value):
                    rows.append({"series": name, "unix_ns": unix_ns, "key": key, "value": float(value)})
    return rows


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return float(value)
