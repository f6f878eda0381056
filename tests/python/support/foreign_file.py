"""Files of other programs that a test writes: what is read of them, and how they are refused."""

from pathlib import Path

import airtcp
import pytest
from airtcp.errors import AirtcpError
from airtcp.formats.measurement import Measurement


def read(folder: Path, content: str | bytes, name: str = "file") -> Measurement:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return airtcp.load(file)


def refusal(folder: Path, content: str | bytes) -> str:
    with pytest.raises(AirtcpError) as caught:
        read(folder, content)
    assert str(folder / "file") in str(caught.value)
    return str(caught.value)
