"""What `airtcp run` shows of a run is kept, and made again when anything of it is different."""

import json

import pytest
from airtcp import value_cache
from airtcp.data.groups import keep_groups
from airtcp.data.run_folder import open_run
from airtcp.report.record import as_json
from airtcp.report.run.facts import run_record
from airtcp.report.run.first_look import KIND, Asked, FirstLook, first_look
from airtcp.report.run.report import run_tables
from airtcp.report.run.warnings import run_warnings
from airtcp.scenario.compile.compiler import compile_file
from conftest import SCENARIOS
from support.run_folder import Shape, write_run_folder


@pytest.fixture
def folder(tmp_path):
    return write_run_folder(tmp_path / "runs", compile_file(SCENARIOS / "first.toml"), Shape(rate_mbps=9))


def shown(look):
    tables = [(t.title, list(t.columns), t.rows, list(t.left)) for t in look.tables]
    return tables, look.warnings, look.facts


def kept(folder):
    return folder.parent / ".campaigns" / KIND / f"{folder.name}.json"


def test_a_kept_look_is_that_of_the_run(folder):
    run = open_run(folder)
    expected = shown(FirstLook(run_tables(run), run_warnings(run), as_json(run_record(run))))
    assert shown(first_look(folder)) == expected
    text = kept(folder).read_text()
    assert shown(first_look(folder)) == expected
    assert kept(folder).read_text() == text


def test_it_is_read_in_place_of_the_run(folder, monkeypatch):
    first = shown(first_look(folder))
    monkeypatch.setattr("airtcp.data.run_folder.open_run", None)
    assert shown(first_look(folder)) == first


def test_groups_make_it_again(folder):
    first_look(folder)
    grouped = first_look(folder, Asked({"up": ("sta1*",)}))
    assert grouped.tables[0].title == "Groups (flows together)"
    keep_groups(folder, {"up": ("sta1*",)})
    assert shown(first_look(folder)) == shown(grouped)


def test_other_code_another_manifest_and_another_place_make_it_again(folder, monkeypatch, tmp_path):
    first_look(folder)
    mark = {"title": "marked", "columns": ["a"], "rows": [["1"]], "left": []}
    told = json.loads(kept(folder).read_text())

    def is_kept(of=folder):
        kept(of).parent.mkdir(parents=True, exist_ok=True)
        kept(of).write_text(json.dumps({**told, "value": {**told["value"], "tables": [mark]}}))
        return first_look(of).tables[0].title == "marked"

    assert is_kept()
    moved = tmp_path / "other" / folder.name
    moved.parent.mkdir()
    folder.rename(moved)
    assert not is_kept(moved)
    moved.rename(folder)
    assert is_kept()
    monkeypatch.setattr(value_cache, "code_hash", lambda _: "other code")
    assert not is_kept()
    monkeypatch.undo()
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text() + " ")
    assert not is_kept()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"of": 1}', "\0", '{"of": null, "value": 3}'])
def test_a_damaged_look_is_made_again(folder, text):
    expected = shown(first_look(folder))
    kept(folder).write_text(text)
    assert shown(first_look(folder)) == expected
    kept(folder).unlink()
    kept(folder).mkdir()
    assert shown(first_look(folder)) == expected
