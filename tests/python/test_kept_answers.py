"""What a command made of runs is made again if, and only if, something changed."""

import os
from types import SimpleNamespace

import pytest
from airtcp.data.groups import GROUPS_FILE
from airtcp.report import kept_answer
from airtcp.report.kept_answer import KeptAnswer


@pytest.fixture
def runs(tmp_path):
    """Two run folders, as far as their state is looked at."""
    folders = [tmp_path / "store" / name for name in ("one", "other")]
    for folder in folders:
        (folder / "series").mkdir(parents=True)
        (folder / "manifest.json").write_text("{}")
        (folder / "series" / "flows.parquet").write_text("rows")
    # A store; a folder of runs from elsewhere gets no caches.
    (tmp_path / "store" / ".campaigns").mkdir()
    return folders


def test_a_folder_of_runs_that_is_no_store_gets_no_caches(runs):
    caches = runs[0].parent / ".campaigns"
    caches.rmdir()
    KeptAnswer(runs, {}).put("said")
    assert not caches.exists()


def test_an_answer_is_kept_for_its_runs_and_options(runs):
    KeptAnswer(runs, {"what": "rtt"}).put({"lines": ["a"]})
    assert KeptAnswer(runs, {"what": "rtt"}).get() == {"lines": ["a"]}
    assert KeptAnswer(runs, {"what": "cwnd"}).get() is None
    assert KeptAnswer(runs[:1], {"what": "rtt"}).get() is None
    assert KeptAnswer(runs[::-1], {"what": "rtt"}).get() is None


def change_series(folder):
    (folder / "series" / "flows.parquet").write_text("other")


def change_manifest(folder):
    (folder / "manifest.json").write_text("{ }")


def add_series(folder):
    (folder / "series" / "acks.parquet").write_text("")


def touch_series(folder):
    os.utime(folder / "series" / "flows.parquet", ns=(1, 1))


def change_groups(folder):
    (folder / GROUPS_FILE).write_text('{"calls": ["v*"]}')


def remove_manifest(folder):
    (folder / "manifest.json").unlink()


@pytest.mark.parametrize(
    "change", [change_series, change_manifest, add_series, touch_series, change_groups, remove_manifest]
)
def test_a_run_that_is_another_one_is_read_again(runs, change):
    KeptAnswer(runs, {}).put("said")
    change(runs[1])
    assert KeptAnswer(runs, {}).get() is None


def test_other_code_and_libraries_make_it_again(runs, monkeypatch):
    KeptAnswer(runs, {}).put("said")
    monkeypatch.setattr(kept_answer, "version", lambda _: "0")
    assert KeptAnswer(runs, {}).get() is None
    monkeypatch.undo()
    assert KeptAnswer(runs, {}).get() == "said"
    monkeypatch.setattr("airtcp.value_cache.code_hash", lambda _: "other")
    assert KeptAnswer(runs, {}).get() is None


def test_an_answer_is_that_of_the_runs_as_they_were_when_it_was_asked_for(runs):
    kept = KeptAnswer(runs, {})
    assert kept.get() is None
    change_series(runs[0])
    kept.put("of the run before its change")
    assert KeptAnswer(runs, {}).get() is None


def test_files_are_there_while_they_are_as_they_were_written(runs, tmp_path):
    files = SimpleNamespace(png=tmp_path / "f.png", csv=tmp_path / "f.csv")
    for file in vars(files).values():
        file.write_text("drawn")
    kept = KeptAnswer(runs, {})
    assert kept.files() is None
    kept.put_files([files.png, files.csv])
    assert kept.files() == [files.png, files.csv]
    files.csv.write_text("edited")
    assert kept.files() is None
    files.csv.write_text("drawn")
    assert kept.files() is not None
    files.png.unlink()
    assert kept.files() is None


def test_a_relative_file_is_that_of_the_folder_in_which_the_command_runs(runs, tmp_path, monkeypatch):
    (tmp_path / "f.png").write_text("drawn")
    monkeypatch.chdir(tmp_path)
    KeptAnswer(runs, {}).put_files([kept_answer.Path("f.png")])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert KeptAnswer(runs, {}).files() is None
