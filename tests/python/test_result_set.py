"""Result sets: factors found by comparing plans, series of many runs, exports."""

import json
import re
import time
import tomllib
from pathlib import Path

import airtcp
import polars as pl
import pytest
from airtcp import load
from airtcp.data.series.catalogue import IN_FILES
from airtcp.errors import AirtcpError
from airtcp.plans.factors import SHORT_NAMES, PlanComparison
from airtcp.plans.flat import flatten
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.keys.queue import read_queue
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from support.recorded_series import add_new_series
from support.run_folder import write_run_folder
from test_cli import assert_one_message

SCENARIO = """
name = "x"
duration = "2 s"
[wifi.home]
stations = []
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
delay = "5 ms"
"""


def plan(cca="cubic", queue=20, stations=1, seed=1, **changes):
    tables = tomllib.loads(SCENARIO)
    names = [f"sta{number + 1}" for number in range(stations)]
    tables.update({"name": f"{cca}-{queue}-{stations}-{seed}", "seed": seed, **changes})
    tables["wifi"]["home"]["stations"] = names
    tables["wire"][0]["queue"] = f"{queue} packets"
    tables["flow"] = [{"from": name, "to": "h1", "cca": cca} for name in names]
    return dict(compile_scenario(scenario_from_tables(tables)))


def factors_of(*plans):
    compared = PlanComparison()
    for each in plans:
        compared.add(flatten(each))
    return {factor.name: factor for factor in compared.factors()}


def test_a_flat_plan_names_its_parts():
    flat = flatten({"a": 1, "b": [{"name": "x", "y": [1, 2]}], "c": [{"d": True}, {"d": None}], "e": []})
    assert flat == {"a": 1, "b.x.name": "x", "b.x.y.0": 1, "b.x.y.1": 2, "c.0.d": True, "c.1.d": None}
    # two of one name: their places
    assert flatten({"b": [{"name": "x"}, {"name": "x"}]}) == {"b.0.name": "x", "b.1.name": "x"}


def test_names_of_factors_are_of_keys_that_plans_have():
    """Each pattern fits a key of some plan; a loss that varies with another key names the factor."""
    both = [
        plan(queue="20", channel={"loss": [{"from": "sta1", "to": "ap1", "probability": loss}]})
        for loss in (0.1, 0.2)
    ]
    golden = Path(__file__).parent.glob("golden/*.plan.json")
    keys = {key for each in (*both, *map(_read, golden)) for key in flatten(each)}
    # A queue as a whole is not a key of plans: `PlanComparison` makes it of several.
    patterns = [pattern for pattern, name in SHORT_NAMES if name != "queue"]
    assert [each for each in patterns if not any(re.fullmatch(each, key) for key in keys)] == []
    both[1]["air"]["channel"]["noise_figure_db"] = 5.0
    assert list(factors_of(*both)) == ["loss"]


def _read(file):
    return json.loads(file.read_text())


def test_factors_of_a_full_design():
    cells = [
        (cca, queue, n, seed)
        for cca in ("bbr", "cubic")
        for queue in (20, 100)
        for n in (1, 2)
        for seed in (1, 2)
    ]
    found = factors_of(*(plan(*cell) for cell in cells))
    assert list(found) == ["cca", "flows", "queue_packets"]
    assert list(zip(*(factor.values for factor in found.values()), strict=True)) == [
        (c, n, q) for c, q, n, _ in cells
    ]
    assert found["queue_packets"].levels == (20, 100)
    # both directions of the wire vary together, and so do stations and flows
    assert len(found["queue_packets"].keys) == 2
    assert "stations" in found["flows"].keys


def test_one_run_per_level():
    found = factors_of(*(plan(stations=number) for number in (1, 2, 3, 4)))
    assert [(name, factor.values) for name, factor in found.items()] == [("flows", (1, 2, 3, 4))]
    assert factors_of(plan(), plan(seed=2)) == {}
    assert factors_of(plan()) == {}


def test_factors_that_vary_together_and_not():
    together = factors_of(plan(cca="bbr", queue=20), plan(cca="reno", queue=100))
    assert list(together) == ["cca"]
    assert any(key.endswith("queue.limit") for key in together["cca"].keys)
    # two factors of which a third is made (a fraction of a design): all three are told
    third = {("bbr", 20): "2 s", ("bbr", 100): "3 s", ("reno", 20): "3 s", ("reno", 100): "2 s"}
    found = factors_of(*(plan(cca, queue, duration=length) for (cca, queue), length in third.items()))
    assert set(found) == {"cca", "queue_packets", "duration_ns"}
    assert found["duration_ns"].values == (2_000_000_000, 3_000_000_000, 3_000_000_000, 2_000_000_000)


def test_flows_of_different_congestion_controls():
    mixed = plan(stations=2)
    mixed["flows"][1]["congestion_control"] = "bbr"
    assert factors_of(plan(stations=2), mixed)["cca"].values == ("cubic", "bbr+cubic")


@pytest.fixture
def store(tmp_path):
    folder = tmp_path / "runs"
    for cca in ("bbr", "cubic"):
        for seed in (1, 2):
            write_run_folder(folder, plan(cca, seed=seed))
    (folder / "being-computed").mkdir()
    return folder


def test_a_store_is_a_result_set(store):
    results = airtcp.load(store)
    assert len(results) == 4
    assert [folder.name for folder in results.ignored] == ["being-computed"]
    assert set(results.runs.select("cca", "seed").rows()) == {
        ("bbr", 1),
        ("bbr", 2),
        ("cubic", 1),
        ("cubic", 2),
    }
    assert results.runs.columns == ["run", "name", "seed", "cca", "folder"]
    frame = results.frame("flows")
    assert frame["run"].n_unique() == 4
    assert frame.height == 4 * 20
    assert "tcp_info" not in frame.columns
    assert results.frame("flows", ["time_ns", "cwnd", "tcp_info"]).columns == [
        "run",
        "time_ns",
        "cwnd",
        "tcp_info",
    ]
    name = results.folders[2].name
    assert results[name].name == results[2].name == name
    assert results.pandas("runs")["cca"].tolist() == results.runs["cca"].to_list()


def test_factors_stand_beside_series(store):
    write_run_folder(store, plan("cubic", queue=100))
    frame = airtcp.load(store).frame("flows", ["time_ns", "cca"], factors=True)
    assert frame.columns == ["run", "time_ns", "cca", "queue_packets"]
    assert frame.filter(pl.col("queue_packets") == 100)["run"].n_unique() == 1


def test_runs_of_two_versions_in_one_frame(store):
    results = airtcp.load(store)
    add_new_series(results.folders[0])
    frame = results.frame("flows")
    assert frame.filter(frame["run"] == results.folders[1].name)["app_limited_ns"].null_count() == 20
    with pytest.raises(
        AirtcpError, match=r"has no column app_limited_ns: the run was recorded by an older version"
    ):
        results.frame("flows", ["app_limited_ns"])
    with pytest.raises(AirtcpError, match=r"air\.parquet: is missing"):
        results.frame("air")


def test_lists_of_runs(store, tmp_path):
    folders = sorted(store.glob("[0-9a-f]" * 16))[:2]
    assert len(airtcp.load([str(folder) for folder in folders])) == 2
    with pytest.raises(AirtcpError, match="twice"):
        airtcp.load([folders[0], folders[0]])
    with pytest.raises(AirtcpError, match="not a complete run folder"):
        airtcp.load([folders[0], store / "being-computed"])
    with pytest.raises(AirtcpError, match="no complete run folders"):
        airtcp.load(tmp_path)
    with pytest.raises(AirtcpError, match='there is no run "x"'):
        airtcp.load(store)["x"]


def test_many_runs_are_opened_quickly(tmp_path):
    """Plans alone are read; 2,000 take about 3 s and 50 MB."""
    folders, base = [], plan()
    for number in range(400):
        folder = tmp_path / f"{number:016x}"
        folder.mkdir()
        (folder / "plan.json").write_text(json.dumps(base | {"seed": number}))
        folders.append(folder)
    began = time.process_time()
    results = airtcp.load(folders)
    used_s = time.process_time() - began
    assert (len(results), results.factors) == (400, ())
    assert results.seeds == tuple(range(400))
    assert used_s * 5 < 20, "seconds of CPU for 2,000 runs"


# Exports


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_of_a_run(airtcp, run_folder, tmp_path, form):
    add_new_series(run_folder)
    answer = airtcp("export", str(run_folder), "--format", form, "--out", str(tmp_path / "out"))
    assert answer.returncode == 0, answer.stderr
    read = pl.read_csv if form == "csv" else pl.read_parquet
    written = {file.stem: read(file) for file in (tmp_path / "out").iterdir()}
    assert set(written) == {*IN_FILES, "tcp_info", "congestion_control"}
    assert len(answer.stdout.splitlines()) == len(written)
    run = load(run_folder)
    for name in run.recorded:
        told = run.named(name)
        assert written[name].rows() == told.select(written[name].columns).rows()
        assert set(told.columns) - set(written[name].columns) <= {"tcp_info", "cc_info"}
    assert written["tcp_info"]["flow_name"].unique().to_list() == ["sta1-h1"]
    assert written["congestion_control"]["pacing_gain"].unique().to_list() == [1.25]


def test_tables_of_a_store(airtcp, store, tmp_path):
    answer = airtcp("export", str(store), "--out", str(tmp_path / "out"))
    assert answer.returncode == 0, answer.stderr
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "flows.csv",
        "pings.csv",
        "runs.csv",
    ]
    assert pl.read_csv(tmp_path / "out" / "runs.csv")["cca"].unique().sort().to_list() == ["bbr", "cubic"]


def test_flent_files(airtcp, run_folder, store, tmp_path):
    answer = airtcp("export", str(run_folder), "--format", "flent", "--out", str(tmp_path))
    assert answer.returncode == 0, answer.stderr
    file = Path(answer.stdout.strip().removeprefix("Flent data: "))
    assert file.name == f"first-{run_folder.name}.flent.gz"
    assert load(file).about["title"] == "first"
    assert_one_message(airtcp("export", str(store), "--format", "flent"), "one run each")
    assert_one_message(airtcp("export", str(file)), "neither a run nor a store")
    (tmp_path / "file").write_text("")
    assert_one_message(airtcp("export", str(run_folder), "--out", str(tmp_path / "file")), "can't be written")


def of_mac(mac, cca="cubic"):
    tables = tomllib.loads(SCENARIO)
    tables["wifi"]["home"].update({"stations": 1, "standard": "11n", "mac": mac})
    tables["flow"] = [{"from": "sta1", "to": "h1", "cca": cca}]
    return dict(compile_scenario(scenario_from_tables(tables)))


def test_whose_mac_it_is_is_a_factor():
    found = factors_of(*(of_mac(mac, cca) for cca in ("bbr", "cubic") for mac in ("airtcp", "linux")))
    assert {name: factor.values for name, factor in found.items()} == {
        "cca": ("bbr", "bbr", "cubic", "cubic"),
        "mac": ("airtcp", "linux", "airtcp", "linux"),
    }
    assert "air.cells.home.linux.aql" in found["mac"].keys


def test_a_factor_is_never_named_by_a_key_whose_levels_look_alike():
    # Empty in one plan and absent in the other, where there are keys below it.
    one, other = plan(), plan()
    one["air"]["x"], other["air"]["x"] = None, {"bytes": 150}
    (factor,) = factors_of(one, other).values()
    assert set(factor.values) == {None, 150}


@pytest.mark.parametrize(
    ("queues", "levels"),
    [
        (("20 packets", "fq_codel"), ("20 packets", "fq_codel")),
        (("pie", "cake bandwidth 10mbit"), ("cake bandwidth 10mbit", "pie")),
        (("20 packets", "64 kB"), ("20 packets", "64000 B")),
    ],
)
def test_queues_of_several_kinds_are_named_as_scenarios_write_them(queues, levels):
    plans = []
    for queue in queues:
        for seed in (1, 2):
            made = json.loads(json.dumps(plan(seed=seed)))
            for node in made["nodes"]:
                for interface in node["interfaces"]:
                    if interface["egress"]["queue"] == {"kind": "packets", "limit": 20}:
                        interface["egress"]["queue"] = read_queue(queue).plan
            plans.append(made)
    found = factors_of(*plans)
    assert list(found) == ["queue"]
    assert found["queue"].levels == levels


def test_runs_and_result_sets_show_themselves_in_a_line(tmp_path):
    store = tmp_path / "store"
    for seed in (1, 2):
        for cca in ("bbr", "reno"):
            write_run_folder(store, plan(cca=cca, seed=seed))
    results = load(store)
    assert repr(results) == "<ResultSet of 4 runs; varied: cca (2)>"
    assert (
        "<th style='text-align:left'>cca</th><td style='text-align:left'>bbr, reno</td>"
        in results._repr_html_()
    )
    run = results[0]
    assert re.fullmatch(r"<Run (bbr|reno)-20-1-[12], seed [12]: 2 s, 1 flow; .*/store/\w{16}>", repr(run))
    assert "<td style='text-align:left'>ap1, sta1, h1</td>" in run._repr_html_()
