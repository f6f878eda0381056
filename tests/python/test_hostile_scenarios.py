"""Scenarios and plans of anybody: a plan, or one clear error; never a traceback, and no memory that a number asked for."""

import copy
import json
import random
import tomllib
import tracemalloc
from pathlib import Path

import pytest
from airtcp.errors import AirtcpError
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.plan_file import read_plan
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.reading.toml_file import parse_toml, read_text
from hypothesis import given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
FILES = sorted([*(HERE / "scenarios").glob("*.toml"), *HERE.parents[1].glob("studies/*/*.toml")])
TEXTS = {file: file.read_text(encoding="utf-8") for file in FILES}
# Of studies, those that are scenarios by themselves.
TABLES = [
    tables for tables in map(tomllib.loads, TEXTS.values()) if "duration" in tables and "wifi" in tables
]
HOSTILE = st.one_of(
    st.sampled_from([0, 1, -1, 255, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**30, 10**4000]),
    st.sampled_from([0.0, -0.0, 0.5, 1e-300, 1e308, float("inf"), float("-inf"), float("nan")]),
    st.sampled_from(
        ["", "x", "a\0b", "../x", "1e999 s", "99999999999 s", "-1 s", "1 Tbit/s", "sta[1-999999999]"]
    ),
    st.sampled_from([True, False, [], {}, [[]], [0], [""], {"": 0}, [{}], ["x"] * 3]),
    st.text(max_size=12),
)


def answered(read):
    """A value, or an error with its thing that fits a page."""
    error = None
    try:
        read()
    except AirtcpError as refused:
        error = refused
    assert error is None or (error.what and len(str(error)) < 2000), error


def places(value, path=()):
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield from places(each, (*path, key))


def changed(tables, which, how, new):
    """One place of the tables replaced, removed, doubled, or with a key more."""
    tables = copy.deepcopy(tables)
    paths = [path for path in places(tables) if path]
    path = paths[which % len(paths)]
    inner = tables
    for key in path[:-1]:
        inner = inner[key]
    if how == "removed":
        del inner[path[-1]]
    elif how == "doubled" and isinstance(inner, list):
        inner.append(copy.deepcopy(inner[path[-1]]))
    elif how == "more" and isinstance(inner, dict):
        inner["unheard_of"] = new
    else:
        inner[path[-1]] = new
    return tables


HOW = st.sampled_from(["replaced", "replaced", "replaced", "removed", "doubled", "more"])


@settings(max_examples=600)
@given(
    base=st.sampled_from(range(len(TABLES))),
    changes=st.lists(st.tuples(st.integers(0, 10**6), HOW, HOSTILE), min_size=1, max_size=2),
)
def test_other_tables_are_a_plan_or_told(base, changes):
    tables = TABLES[base]
    for which, how, new in changes:
        if tables:
            tables = changed(tables, which, how, new)
    answered(lambda: json.dumps(compile_scenario(scenario_from_tables(tables))))


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32))
def test_other_text_is_a_scenario_or_told(seed):
    chance = random.Random(seed)
    text = list(chance.choice(list(TEXTS.values())))
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(text))
        match chance.randrange(4):
            case 0:
                del text[at : at + chance.randrange(30)]
            case 1:
                text[at] = chance.choice('[]{}"=.,\n\0\\#9e-')
            case 2:
                text[at:at] = text[at : at + 40]
            case _:
                text[at:at] = chance.choice(
                    ["[[", '"""', "9" * 50, "1e999", "nan", "\ufeff", "\u202e", "a.b.c."]
                )
    answered(lambda: compile_scenario(scenario_from_tables(parse_toml("".join(text)))))


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 100_000,
        "a = " + "[" * 100_000 + "]" * 100_000,
        "a" + ".a" * 3_000 + " = 1",
        "[" + "a." * 3_000 + "a]",
        "duration = " + "9" * 10_000,
        "duration = 0x" + "f" * 10_000,
        "a = " + "{a=" * 50_000,
        "date = 9999-99-99",
        "\0",
    ],
    ids=["lists", "closed", "keys", "header", "digits", "hexadecimal", "tables", "date", "zero"],
)
def test_extreme_text_is_told(text):
    with pytest.raises(ScenarioError):
        scenario_from_tables(parse_toml(text))


def test_bytes_that_are_no_text_are_told(tmp_path):
    file = tmp_path / "scenario.toml"
    for content in (b"\xff\xfe\x00", b"a = \x80", b"\x00" * 100):
        file.write_bytes(content)
        with pytest.raises(ScenarioError):
            scenario_from_tables(parse_toml(read_text(file), file))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("stations", 10**9),
        ("stations", ["sta[1-1000000000]"]),
        ("duration", "1e300 s"),
    ],
)
def test_a_number_asks_for_no_memory(key, value):
    tables = {"name": "a", "duration": "1 s", "wifi": {"home": {"stations": ["sta1"]}}}
    (tables if key in tables else tables["wifi"]["home"])[key] = value
    tracemalloc.start()
    answered(lambda: compile_scenario(scenario_from_tables(tables)))
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{}", "[]", "null", "1" * 10_000, '{"name": NaN}', '{"version": {}}', "\ufeff{}"]
)
def test_a_plan_that_is_none_is_told(tmp_path, text):
    file = tmp_path / "plan.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        read_plan(file)
    assert caught.value.remedy
    assert str(file) in str(caught.value)
