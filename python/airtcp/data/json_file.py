"""JSON files: read whole, or refused with the file's name and what to do."""

import json
from pathlib import Path
from typing import Any, NoReturn

from airtcp.data.plain_file import REMEDY, read_plain
from airtcp.errors import AirtcpError

# Plans of hundreds of stations have less than one million.
_BYTES_MOST = 64_000_000


def read_json(file: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    """The object in a JSON file; one that is missing, damaged or without these keys is an `AirtcpError`."""
    return parse_json(read_bytes(file), file, keys)


def read_bytes(file: Path) -> bytes:
    """The content of a file that must be there; else an `AirtcpError`."""
    try:
        return read_plain(file, file.parent, _BYTES_MOST)
    except FileNotFoundError:
        what = "is missing: this is not a complete run folder"
        raise AirtcpError(what, str(file), REMEDY) from None
    except OSError as error:
        raise AirtcpError(
            f"can't be read: {error.strerror or error}", str(file), "Check its permissions"
        ) from None


def parse_json(content: bytes, file: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    """The object in a file's content; one that is damaged or without these keys is an `AirtcpError`."""
    try:
        value = json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise AirtcpError("is damaged: it is not JSON", str(file), REMEDY) from None
    check_keys(value, keys, file, "")
    assert isinstance(value, dict), "checked"
    return value


def _refuse_constant(text: str) -> NoReturn:
    # Python reads NaN and Infinity, which JSON (RFC 8259) does not have; nothing of airtcp writes them.
    raise ValueError(text)


def check_keys(value: Any, keys: tuple[str, ...], file: Path, prefix: str) -> None:
    """Refuses what is no object or lacks a key; `prefix` says where in the file it stands (`agent.`)."""
    if not isinstance(value, dict):
        raise AirtcpError(f"is damaged: {prefix.rstrip('.') or 'it'} is not an object", str(file), REMEDY)
    for key in keys:
        if key not in value:
            raise AirtcpError(f"has no {prefix}{key}: another version wrote it", str(file), REMEDY)
