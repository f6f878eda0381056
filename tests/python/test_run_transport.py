"""Run folders that come from other machines: checked as a whole, put into the store at once or not at all."""

import hashlib
import io
import json
import tarfile

import pytest
from airtcp.execution.events import RunFailed
from airtcp.execution.run_transport import failure_from, failure_of, pack, parts_of, store_packed_run

RUN = "0123456789abcdef"


@pytest.fixture
def packed(tmp_path):
    folder = tmp_path / "worker" / RUN
    (folder / "series").mkdir(parents=True)
    (folder / "series" / "flows.parquet").write_bytes(b"rows")
    manifest = {
        "run": RUN,
        "library_sha256": "l",
        "kernel": {"id": "k"},
        "sha256": {"series/flows.parquet": hashlib.sha256(b"rows").hexdigest()},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return pack(folder)


@pytest.fixture
def store(tmp_path):
    place = tmp_path / "store"
    place.mkdir()
    return place


def test_a_run_comes_in_whole(packed, store):
    folder = store_packed_run(packed, RUN, store, {"library_sha256": "l", "kernel": "k"}, fresh=False)
    assert folder == store / RUN
    assert (folder / "series" / "flows.parquet").read_bytes() == b"rows"
    assert [file.name for file in store.iterdir()] == [RUN]


def test_a_run_that_is_there_stays_unless_fresh(packed, store):
    folder = store_packed_run(packed, RUN, store, {}, fresh=False)
    (folder / "mine").write_text("x")
    store_packed_run(packed, RUN, store, {}, fresh=False)
    assert (folder / "mine").exists()
    store_packed_run(packed, RUN, store, {}, fresh=True)
    assert not (folder / "mine").exists()
    assert [file.name for file in store.iterdir()] == [RUN]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda packed: packed.replace(b"rows", b"rowz"), "another checksum"),
        (lambda packed: packed[: len(packed) // 3], "damaged|is no file"),
        (lambda _: b"", "damaged"),
        (lambda packed: packed.replace(b'"run": "0', b'"run": "1'), "arrived as"),
        (lambda packed: packed.replace(b"series/flows.parquet", b"series/fl0ws.parquet", 1), "damaged"),
    ],
)
def test_what_arrives_changed_is_refused(packed, store, change, says):
    with pytest.raises(RunFailed, match=says):
        store_packed_run(change(packed), RUN, store, {}, fresh=False)
    assert list(store.iterdir()) == []


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "a/../../outside"])
def test_nothing_is_written_outside(store, name):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    with pytest.raises(RunFailed, match="is not a file of a run"):
        store_packed_run(content.getvalue(), RUN, store, {}, fresh=False)
    assert list(store.iterdir()) == []
    assert not (store.parent / "outside").exists()


def test_links_are_refused(store):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        link = tarfile.TarInfo("manifest.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(RunFailed, match="is not a file of a run"):
        store_packed_run(content.getvalue(), RUN, store, {}, fresh=False)


@pytest.mark.parametrize("parts", [{"library_sha256": "x"}, {"kernel": "x"}])
def test_a_run_of_another_airtcp_is_refused(packed, store, parts):
    with pytest.raises(RunFailed, match=r"was made with another (library|kernel)"):
        store_packed_run(packed, RUN, store, parts, fresh=False)


def test_parts_that_are_not_there_are_not_compared(tmp_path, kernel):
    assert parts_of(tmp_path / "airtcp-runner", kernel) == {"kernel": "fake"}


def test_a_failure_travels():
    error = RunFailed("program", "what", "place", "Remedy", ["last words"])
    again = failure_from(json.loads(json.dumps(failure_of(error))))
    assert (str(again), again.kind, again.console) == (str(error), "program", ["last words"])
