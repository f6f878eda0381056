"""Plans of scenario files are kept in the store, and compiled again when anything of them is different."""

import json
import os

import pytest
from airtcp import value_cache
from airtcp.errors import AirtcpError
from airtcp.execution.plan_cache import plan_of_file
from airtcp.scenario.compile import compiler
from conftest import SCENARIOS


@pytest.fixture
def compilations(monkeypatch):
    """The names of the files compiled, in order."""
    whole, done = compiler.compile_file, []

    def compile_file(file, changes):
        done.append(file.name)
        return whole(file, changes)

    monkeypatch.setattr(compiler, "compile_file", compile_file)
    return done


@pytest.fixture
def scenario(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_bytes((SCENARIOS / "first.toml").read_bytes())
    return file


def test_a_file_that_did_not_change_is_not_compiled_again(tmp_path, scenario, compilations):
    first = plan_of_file(scenario, {}, tmp_path)
    assert plan_of_file(scenario, {}, tmp_path) == first
    assert compilations == ["mine.toml"]
    # Another folder with the same text makes the same plan.
    moved = scenario.rename(tmp_path / "moved.toml")
    assert plan_of_file(moved, {}, tmp_path) == first
    assert len(compilations) == 1


def test_other_text_other_changes_and_other_code_make_another_plan(
    tmp_path, scenario, compilations, monkeypatch
):
    first = plan_of_file(scenario, {}, tmp_path)
    assert plan_of_file(scenario, {"seed": 7}, tmp_path)["seed"] == 7
    scenario.write_text(scenario.read_text() + "# Another text.")
    plan_of_file(scenario, {}, tmp_path)
    assert len(compilations) == 3
    monkeypatch.setattr(value_cache, "code_hash", lambda _: "other code")
    plan_of_file(scenario, {}, tmp_path)
    assert len(compilations) == 4
    monkeypatch.undo()
    assert plan_of_file(scenario, {"seed": first["seed"]}, tmp_path)["seed"] == first["seed"]


def test_a_plan_that_other_files_went_into_is_not_kept(tmp_path, scenario, compilations):
    script = tmp_path / "client.py"
    script.write_text("print(1)\n")
    scenario.write_text(
        scenario.read_text() + '\n[[program]]\nnode = "sta1"\ncommand = "python3 client.py"\n'
    )
    before = plan_of_file(scenario, {}, tmp_path)
    script.write_text("print(2)\n")
    assert plan_of_file(scenario, {}, tmp_path)["files"] != before["files"]
    assert len(compilations) == 2


def test_what_is_wrong_is_said_each_time(tmp_path, scenario):
    scenario.write_text("duratoin = 1")
    for _ in range(2):
        with pytest.raises(AirtcpError, match="duratoin"):
            plan_of_file(scenario, {}, tmp_path)
    with pytest.raises(AirtcpError, match="no such file"):
        plan_of_file(tmp_path / "none.toml", {}, tmp_path)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"of": 1}', "\0", '{"of": null, "value": 3}', "[" * 9999])
def test_a_damaged_plan_is_made_again(tmp_path, scenario, text):
    first = plan_of_file(scenario, {}, tmp_path)
    (file,) = (tmp_path / ".campaigns" / "plans").glob("*.json")
    whole = json.loads(file.read_text())
    file.write_text(text)
    assert plan_of_file(scenario, {}, tmp_path) == first
    assert json.loads(file.read_text()) == whole


def test_the_older_half_goes_when_there_are_too_many(tmp_path, monkeypatch):
    monkeypatch.setattr(value_cache, "MAX_VALUES", 4)
    values = value_cache.ValueCache(tmp_path, "numbers", ("errors",))
    for number in range(5):
        values.put(str(number), "key", number)
        os.utime(values.folder / f"{number}.json", (number, number))
    assert [values.get(str(number), "key") for number in range(5)] == [None, None, 2, 3, 4]
