"""Record files that a guest writes are read while they grow, and refused if they are something else."""

import json
import os
import struct
from pathlib import Path

import pytest
from airtcp.data.record_file import MAGIC, RecordFile, as_frame
from airtcp.errors import AirtcpError

COLUMNS = [
    {"name": "time_ns", "kind": "i64"},
    {"name": "flow", "kind": "u32"},
    {"name": "raw", "kind": {"bytes": 2}},
]


def written(folder: Path, columns=COLUMNS, rows: bytes = b"") -> Path:
    header = json.dumps({"name": "t", "columns": columns}).encode()
    path = folder / "t.rec"
    path.write_bytes(MAGIC + len(header).to_bytes(4, "little") + header + rows)
    return path


def row(time_ns: int, flow: int, raw: bytes) -> bytes:
    return struct.pack("<qI2s", time_ns, flow, raw)


def test_rows_are_read_as_the_file_grows(tmp_path: Path):
    path = written(tmp_path, rows=row(5, 1, b"ab"))
    file = RecordFile(path)
    assert file.new_rows()["time_ns"].tolist() == [5]
    with path.open("ab") as more:
        # The last row is not whole yet.
        more.write(row(-6, 2, b"c\0") + row(7, 3, b"de")[:5])
    assert file.new_rows()["flow"].tolist() == [2]
    assert len(file.new_rows()) == 0
    with path.open("ab") as more:
        more.write(row(7, 3, b"de")[5:])
    assert file.new_rows()["time_ns"].tolist() == [7]
    frame = as_frame(file.rows())
    file.close()
    assert frame.rows() == [(5, 1, b"ab"), (-6, 2, b"c\0"), (7, 3, b"de")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PAR1" * 10,
        MAGIC + (1 << 31).to_bytes(4, "little"),
        MAGIC + (4).to_bytes(4, "little") + b"{}{}",
        MAGIC + (14).to_bytes(4, "little") + b'{"columns":[]}',
        MAGIC + (15).to_bytes(4, "little") + b'{"columns":[1]}',
    ],
)
def test_another_file_is_refused(content: bytes, tmp_path: Path):
    path = tmp_path / "t.rec"
    path.write_bytes(content)
    with pytest.raises(AirtcpError, match=r"record file|header"):
        RecordFile(path)


@pytest.mark.parametrize(
    "kind", ["u16", {"bytes": -1}, {"bytes": 1 << 40}, {"bytes": "x"}, {}, None, ["u32"]]
)
def test_a_header_with_another_type_is_refused(kind, tmp_path: Path):
    with pytest.raises(AirtcpError, match="damaged header"):
        RecordFile(written(tmp_path, [{"name": "x", "kind": kind}]))


def test_links_and_pipes_are_refused(tmp_path: Path):
    link, pipe = tmp_path / "link.rec", tmp_path / "pipe.rec"
    link.symlink_to(written(tmp_path))
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="symbolic links"):
        RecordFile(link)
    with pytest.raises(AirtcpError, match="regular file"):
        RecordFile(pipe)
