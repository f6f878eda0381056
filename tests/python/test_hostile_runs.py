"""Run folders of anybody: what is cut, changed, of other types, nested or linked is a clear error or is read."""

import json
import os
import random
import shutil
import tracemalloc
from pathlib import Path

import airtcp
import polars as pl
import pytest
from airtcp.data.run_folder import Run, open_run
from airtcp.data.series.catalogue import IN_FILES
from airtcp.errors import AirtcpError
from airtcp.report.run.report import run_tables
from airtcp.report.run.warnings import run_warnings
from airtcp.scenario.compile.compiler import compile_file
from hypothesis import given, settings
from hypothesis import strategies as st
from support.recorded_series import add_new_series
from support.run_folder import write_run_folder

HERE = Path(__file__).parent
FIRST = HERE / "scenarios" / "first.toml"
JSON_FILES = ("plan.json", "manifest.json", "summary.json")
HOSTILE = st.one_of(
    st.sampled_from([0, 1, -1, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**300, 0.5, -0.0, 1e308]),
    st.sampled_from([None, True, False, "", "x", "../../etc", "a\0b", [], {}, [None], [[]], {"": 0}]),
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A complete run with every series; nobody writes it."""
    return add_new_series(write_run_folder(tmp_path_factory.mktemp("runs"), dict(compile_file(FIRST))))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


def copied(whole, place):
    folder = place / whole.name
    shutil.rmtree(folder, ignore_errors=True)
    return Path(shutil.copytree(whole, folder))


def refusal(read):
    """The error of a reading, if there is one; whatever is no `AirtcpError` fails the test."""
    try:
        read()
    except AirtcpError as error:
        return error
    return None


def check(error):
    """Thing, place and remedy."""
    assert error is None or (error.what and error.place and error.remedy), error


def read_all(folder):
    """Everything that readers of runs ask for."""
    error = refusal(lambda: open_run(folder))
    check(error)
    if error:
        return
    run = open_run(folder)
    for name in IN_FILES:
        check(refusal(lambda name=name: run.named(name)))
    for read in (
        lambda: run.end_ns,
        lambda: run.tcp_info(0),
        lambda: run.congestion_control_info(0),
        lambda: run_tables(run),
        lambda: run_warnings(run),
        lambda: airtcp.load(folder.parent),
    ):
        check(refusal(read))


def leaves(value, path=()):
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield from leaves(each, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    inside = value[path[0]]
    value[path[0]] = replaced(inside, path[1:], new)
    return value


@settings(max_examples=120)
@given(name=st.sampled_from(JSON_FILES), which=st.integers(0, 10**6), new=HOSTILE, drop=st.booleans())
def test_other_values_in_json_are_told_or_harmless(whole, place, name, which, new, drop):
    folder = copied(whole, place)
    file = folder / name
    value = json.loads(file.read_text())
    paths = list(leaves(value))
    path = paths[which % len(paths)]
    if drop and path and isinstance(path[-1], str):
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
    else:
        value = replaced(value, path, new)
    file.write_text(json.dumps(value))
    if name == "plan.json":
        # Who changes the plan changes its checksum too.
        manifest = json.loads((folder / "manifest.json").read_text())
        del manifest["plan_sha256"]
        (folder / "manifest.json").write_text(json.dumps(manifest))
    read_all(folder)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), cut=st.booleans())
def test_bytes_that_were_cut_or_flipped_are_told_or_harmless(whole, place, seed, cut):
    folder = copied(whole, place)
    chance = random.Random(seed)
    files = [folder / name for name in JSON_FILES] + sorted((folder / "series").iterdir())
    file = chance.choice(files)
    content = bytearray(file.read_bytes())
    if cut:
        del content[chance.randrange(len(content)) :]
    else:
        for _ in range(chance.randint(1, 8)):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)
    read_all(folder)


@pytest.mark.parametrize("name", JSON_FILES)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 200_000,
        "[" * 200_000 + "]" * 200_000,
        "1" * 100_000,
        '{"seed": ' + "9" * 10_000 + "}",
        "\ufeff{}",
        "",
        "null",
        '"\\ud800"',
        "NaN",
    ],
    ids=["lists", "objects", "closed", "long", "long seed", "mark", "empty", "null", "surrogate", "nan"],
)
def test_json_that_is_none_is_told(whole, tmp_path, name, text):
    folder = copied(whole, tmp_path)
    (folder / name).write_text(text)
    with pytest.raises(AirtcpError) as caught:
        open_run(folder)
    assert str(folder / name) in str(caught.value)


def test_a_file_that_is_too_large_is_not_read(whole, tmp_path):
    for name in (*JSON_FILES, "series/flows.parquet"):
        folder = copied(whole, tmp_path)
        with (folder / name).open("r+b") as file:
            # A hole takes no space on the disk, and would take all of the memory.
            file.truncate(1 << 40)
        tracemalloc.start()
        with pytest.raises(AirtcpError, match="too large"):
            Run.series(open_run(folder), "flows")
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
        tracemalloc.stop()


@pytest.mark.parametrize("name", [*JSON_FILES, "series/flows.parquet", "series"])
def test_a_link_that_leaves_the_folder_is_told(whole, tmp_path, name):
    folder = copied(whole, tmp_path)
    outside = tmp_path / "outside"
    (folder / name).rename(outside)
    (folder / name).symlink_to(outside)
    with pytest.raises(AirtcpError, match="is a link"):
        open_run(folder).series("flows")


@pytest.mark.parametrize("name", [*JSON_FILES, "series/flows.parquet"])
def test_what_is_no_file_is_told(whole, tmp_path, name):
    folder = copied(whole, tmp_path)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(AirtcpError):
        open_run(folder).series("flows")


def test_parquet_of_another_schema_is_told(whole, tmp_path):
    folder = copied(whole, tmp_path)
    file = folder / "series" / "flows.parquet"
    good = pl.read_parquet(file)
    frames = {
        "text": good.with_columns(pl.col("time_ns").cast(pl.String)),
        "float": good.with_columns(pl.col("flow").cast(pl.Float64)),
        "list": good.with_columns(pl.col("cwnd").reshape((-1, 1)).cast(pl.List(pl.Int64))),
        "holes": good.with_columns(pl.lit(None, pl.Int64).alias("cwnd")),
        "fewer": good.drop("time_ns"),
        "other": pl.DataFrame({"a": [1]}),
        "none": good.clear(),
        "number": good.with_columns(pl.lit(2**31).alias("flow")),
        "negative": good.with_columns(pl.lit(-5).alias("flow")),
        "bytes": good.with_columns(pl.lit(b"x").alias("tcp_info")),
    }
    for frame in frames.values():
        frame.write_parquet(file)
        error = refusal(lambda: open_run(folder).tcp_info(0)) or refusal(
            lambda: open_run(folder).series("flows")
        )
        assert error is not None
        assert str(file) in str(error)


def test_a_loop_of_links_is_no_store_without_end(tmp_path):
    from airtcp.data.find_runs import find_runs

    (tmp_path / "store" / "inside").mkdir(parents=True)
    (tmp_path / "store" / "inside" / "again").symlink_to(tmp_path / "store")
    with pytest.raises(AirtcpError, match="holds no run folder"):
        find_runs([tmp_path / "store"])
