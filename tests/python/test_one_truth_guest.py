"""A run with losses, and with packets under way at its end: every screen, page and file has the same numbers of it.

What is not rounded is the same float; what is rounded is that float, rounded.
"""

import csv
import json
import re
from fnmatch import fnmatchcase
from pathlib import Path

import airtcp
import jsonschema
import numpy as np
import pytest
from airtcp.data.find_runs import find_runs
from airtcp.data.read_once import open_once
from airtcp.data.run_folder import open_run
from airtcp.metrics.fairness import jain_index
from airtcp.metrics.survival import Estimate, Sample, statistic
from airtcp.report.html.campaign import campaign_page
from airtcp.report.html.record import details_of, record_of
from airtcp.report.html.run_list import run_list
from airtcp.report.html.runs import Runs
from airtcp.report.record import as_json, json_schema
from airtcp.report.run.facts import RunRecord, run_record
from support.command import airtcp as command

pytestmark = pytest.mark.guest

# Ten seconds of TCP at a queue of 0.7 s: what is sent last does not arrive, and slow start loses packets of all.
# One flow begins later, and does not last for whole seconds; one is limited by its own pacing.
SCENARIO = """
name = "bloated"
duration = "10 s"
[wifi.home]
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "h1"]
rate = "5 Mbit/s"
delay = "50 ms"
queue = "300 packets"
[[flow]]
name = "first"
from = "sta1"
to = "h1"
[[flow]]
name = "second"
from = "sta2"
to = "h1"
cca = "bbr"
start = "2 s"
stop = "7.35 s"
[[flow]]
name = "paced"
from = "sta1"
to = "h1"
pacing = "200 kbit/s"
[[udp]]
name = "game"
from = "sta2"
to = "h1"
rate = "160 kbit/s"
payload = 160
[[udp]]
name = "chat"
from = "sta1"
to = "h1"
rate = "80 kbit/s"
payload = 200
[[ping]]
name = "echo"
from = "sta1"
to = "h1"
interval = "50 ms"
"""
GROUPS = """
[groups]
bulk = ["first", "second"]
talk = ["game", "chat"]
"""
FLOWS, STREAMS = ("first", "second", "paced"), ("game", "chat")
# By metric: of, statistic and what it is of, as `[metric.NAME]` and `airtcp.number` take them.
METRICS = {
    **{f"goodput_{name}": {"of": "throughput", "flows": name} for name in FLOWS},
    **{
        f"{which}_{name}": {"of": "throughput", "flows": name, "statistic": which}
        for name in FLOWS
        for which in ("least", "most")
    },
    **{f"retransmits_{name}": {"of": "retransmits", "flows": name} for name in FLOWS},
    "bulk": {"of": "throughput", "group": "bulk"},
    "bulk_least": {"of": "throughput", "group": "bulk", "statistic": "least"},
    "bulk_jain": {"of": "jain_index", "group": "bulk"},
    **{
        f"{which}_{name}": {"of": "datagram_delay", "flows": name, "statistic": which}
        for name in STREAMS
        for which in ("median", "p95", "p99", "most", "missing")
    },
    **{f"mean_{name}": {"of": "datagram_delay", "flows": name} for name in STREAMS},
    **{
        f"talk_{which}": {"of": "latency", "group": "talk", "statistic": which} for which in ("median", "p95")
    },
    **{f"echo_{which}": {"of": "rtt", "statistic": which} for which in ("median", "p95", "most", "missing")},
}
PLAIN = ("throughput", "rtt", "srtt", "jain_index", "retransmits", "airtime_jain_index")
FIGURES = """
[[figure]]
id = "delay"
title = "Delay"
kind = "cdf"
y = "game_delay"
[[figure]]
id = "trips"
title = "Round trips"
kind = "cdf"
y = "rtt"
[[figure]]
id = "bars"
title = "Bars"
kind = "bars"
x = "length"
y = ["throughput", "p95_game", "missing_game", "jain_index"]
[metric.game_delay]
of = "datagram_delay"
flows = "game"
"""


def campaign_text():
    tables = [
        f"[metric.{name}]\n" + "".join(f'{key} = "{value}"\n' for key, value in keys.items())
        for name, keys in METRICS.items()
    ]
    names = json.dumps([*PLAIN, *METRICS])
    head = f'name = "bloated"\nscenario = "base.toml"\nmetrics = {names}\n'
    return head + '[factor.length]\nkey = "duration"\nvalues = ["10 s"]\n' + FIGURES + "".join(tables)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("truth")
    (folder / "base.toml").write_text(SCENARIO)
    answer = command("run", "base.toml", cwd=folder)
    assert answer.returncode == 0, answer.stderr
    # The campaign finds the run although its scenario has groups.
    (folder / "base.toml").write_text(SCENARIO + GROUPS)
    (folder / "campaign.toml").write_text(campaign_text())
    return folder


@pytest.fixture(scope="module")
def facts(home):
    answer = command("run", "base.toml", "--json", cwd=home)
    assert answer.returncode == 0, answer.stderr
    assert "cached" in answer.stderr, "another group is another run"
    return json.loads(answer.stdout)


@pytest.fixture(scope="module")
def run(facts):
    return open_run(facts["folder"])


def of(records, key, name):
    (record,) = [record for record in records if record[key] == name]
    return record


@pytest.fixture(scope="module")
def truth(facts):
    """The number of each metric according to `run --json`, and whether it is a lower bound."""
    flows = {name: of(facts["flows"], "flow", name) for name in FLOWS}
    streams = {name: of(facts["latency"], "name", name) for name in STREAMS}
    groups = {name: of(facts["groups"], "group", name) for name in ("bulk", "talk")}
    (echo,) = [record for record in facts["latency"] if record["name"] == "echo"]
    (talk,) = groups["talk"]["latency"]
    found = {"throughput": (facts, "goodput_mbps"), "rtt": (facts, "rtt_ms"), "srtt": (facts, "srtt_ms")}
    found |= {name: (facts, name) for name in ("jain_index", "retransmits", "airtime_jain_index")}
    for name, flow in flows.items():
        found[f"goodput_{name}"] = (flow, "goodput_mbps")
        found |= {f"{which}_{name}": (flow, f"goodput_{which}_mbps") for which in ("least", "most")}
        found[f"retransmits_{name}"] = (flow, "retransmits")
    found["bulk"], found["bulk_least"], found["bulk_jain"] = (
        (groups["bulk"], key) for key in ("goodput_mbps", "goodput_least_mbps", "jain_index")
    )
    for name, stream in streams.items():
        found |= {f"{which}_{name}": (stream, f"{which}_ms") for which in ("median", "p95", "p99", "most")}
        found[f"missing_{name}"] = (stream, "lost_share")
        found[f"mean_{name}"] = (of(facts["streams"], "stream", name), "mean_ms")
    found |= {f"talk_{which}": (talk, f"{which}_ms") for which in ("median", "p95")}
    found |= {f"echo_{which}": (echo, f"{which}_ms") for which in ("median", "p95", "most")}
    found["echo_missing"] = (echo, "lost_share")
    return {
        name: Estimate(record[key], bool(record.get(f"{key}_at_least")))
        for name, (record, key) in found.items()
    }


@pytest.fixture(scope="module")
def tables(home, facts):
    """The rows of `airtcp run`: by table and first word, the cells by column."""
    with pytest.MonkeyPatch.context() as patch:
        # Wide enough for every table in one piece.
        patch.setenv("COLUMNS", "300")
        answer = command("run", "base.toml", cwd=home)
    assert answer.returncode == 0, answer.stderr
    assert facts["run"] in answer.stdout
    found, columns = {}, []
    for line in answer.stdout.splitlines()[1:]:
        if line and not line.startswith(" "):
            title, columns = line, []
        elif line.strip() and not columns:
            columns = re.split(r"\s{2,}", line.strip())
        elif line.strip() and not line.strip().startswith("─"):
            cells = re.split(r"\s{2,}", line.strip())
            found[title.partition(" ")[0], cells[0].partition(" ")[0]] = dict(
                zip(columns, cells, strict=True)
            )
    return found


def shown(estimate, digits=2):
    return f"{'> ' if estimate.at_least else ''}{estimate.value:.{digits}f}"


def test_the_run_has_losses_and_packets_under_way(facts, truth):
    for stream in facts["streams"]:
        assert stream["lost"] > 10
        assert stream["under_way"] > 5
    assert facts["retransmits"] > 10
    assert truth["most_game"].at_least
    assert not truth["median_game"].at_least


def test_json_is_by_its_schema_with_every_key_described(facts, run):
    schema = json_schema(RunRecord)
    strict = {**schema, "additionalProperties": False}
    strict["$defs"] = {name: {**own, "additionalProperties": False} for name, own in schema["$defs"].items()}
    jsonschema.Draft202012Validator.check_schema(strict)
    jsonschema.validate(facts, strict)
    answer = command("run", "--json-schema")
    assert json.loads(answer.stdout) == schema
    assert json.loads(json.dumps(as_json(run_record(run)))) == facts


def test_metrics_of_python_are_the_same_floats(run, truth):
    for name, (value, _) in {**{n: (airtcp.number(run, n), 0) for n in PLAIN}}.items():
        assert value == truth[name].value, name
    for name, keys in METRICS.items():
        assert airtcp.number(run, **keys) == truth[name].value, name


@pytest.fixture(scope="module")
def report(home, facts):
    """The folder of the campaign's report; nothing was computed for it."""
    answer = command("sweep", "campaign.toml", "--out", "report", cwd=home)
    assert answer.returncode == 0, answer.stderr
    assert facts["run"] in (home / "report" / "results.csv").read_text()
    return home / "report"


def test_the_table_of_a_campaign_has_the_same_floats(home, report, truth):
    frame = airtcp.sweep(home / "campaign.toml", store=home / "runs").row(0, named=True)
    (told,) = json.loads((report / "results.json").read_text())["runs"]
    (row,) = csv.DictReader((report / "results.csv").open())
    for name, estimate in truth.items():
        assert frame[name] == told[name] == estimate.value, name
        assert bool(frame.get(f"{name}_at_least")) == estimate.at_least, name
        assert told.get(f"{name}_at_least", False) == estimate.at_least, name
        assert row[name] == f"{'>' if estimate.at_least else ''}{estimate.value:.6f}", name


def test_figures_of_a_campaign_have_the_same_floats(report, truth):
    rows = list(csv.DictReader((report / "bars.csv").open()))
    names = ("throughput", "p95_game", "missing_game", "jain_index")
    assert [float(row["value"]) for row in rows] == [float(f"{truth[name].value:.9g}") for name in names]


def test_tables_are_rounded_floats(tables, truth, facts):
    for name in FLOWS:
        flow, row = of(facts["flows"], "flow", name), tables["Flows", name]
        assert row["Throughput [Mbit/s]"] == shown(truth[f"goodput_{name}"])
        assert (row["min"], row["max"]) == tuple(
            shown(truth[f"{which}_{name}"]) for which in ("least", "most")
        )
        assert row["MB"] == f"{flow['bytes_received'] / 1e6:.2f}"
        assert row["Retransmitted [segments]"] == f"{truth[f'retransmits_{name}'].value:.0f}"
        assert row["in control"] == flow["verdict"]
    for name in STREAMS:
        for column, which in {"median": "median", "95 %": "p95", "99 %": "p99", "max": "most"}.items():
            assert tables["Latency", name][column] == shown(truth[f"{which}_{name}"]), column
        datagrams, lost = tables["Applications:", name], f"{truth[f'missing_{name}'].value:.2%}"
        assert (datagrams["95 %"], datagrams["max"]) == tuple(
            shown(truth[f"{which}_{name}"]) for which in ("p95", "most")
        )
        assert datagrams["mean"] == shown(truth[f"mean_{name}"])
        assert datagrams["loss"] == tables["Latency", name]["lost"] == lost
    assert tables["RTT", "echo"]["mean"] == shown(truth["rtt"])
    assert tables["RTT", "echo"]["max"] == tables["Latency", "echo"]["max"] == shown(truth["echo_most"])
    assert tables["Latency", "echo"]["95 %"] == shown(truth["echo_p95"])
    assert tables["Latency", "echo"]["lost"] == f"{truth['echo_missing'].value:.2%}"


def test_groups_are_rounded_floats(tables, truth, facts):
    bulk, talk = tables["Groups", "bulk"], tables["Latency", "talk"]
    assert bulk["Throughput [Mbit/s]"] == shown(truth["bulk"])
    assert bulk["min"] == shown(truth["bulk_least"])
    assert bulk["Jain's index"] == shown(truth["bulk_jain"], 3)
    own = [of(facts["flows"], "flow", name) for name in ("first", "second")]
    assert truth["bulk_jain"].value == jain_index([flow["goodput_mbps"] for flow in own])
    assert int(bulk["Retransmitted [segments]"]) == sum(flow["retransmits"] for flow in own)
    assert (talk["median"], talk["95 %"]) == (shown(truth["talk_median"]), shown(truth["talk_p95"]))


def test_a_report_has_the_same_numbers(facts, truth, tables):
    with Runs.of(find_runs([Path(facts["folder"])])) as runs:
        listed = run_list(runs, campaign_page(runs).factors)
        (row,) = listed.rows
    page = dict(zip(listed.columns[1:], row.cells, strict=True))
    assert page["Throughput [Mbit/s]"].split()[0] == shown(truth["throughput"])
    assert page["RTT (ping) [ms]"].split()[0] == shown(truth["rtt"])
    assert page["Retransmitted [segments]"].split()[0] == f"{truth['retransmits'].value:.0f}"
    run = open_once(Path(facts["folder"]))
    record = record_of(run)
    paced = of(facts["flows"], "flow", "paced")
    assert record.numbers["throughput"] == truth["throughput"].value
    assert record.out_of_control == (f"paced: {', '.join(paced['reasons'])}",)
    assert paced["verdict"] == f"no: {', '.join(paced['reasons'])}"
    details = {
        (table["title"].partition(" ")[0], row[0].partition(" ")[0]): dict(
            zip(table["columns"], row, strict=True)
        )
        for table in details_of(run, record, 100)["tables"]
    for row in table["rows"]}  # fmt: skip
    assert {place: cells for place, cells in details.items() if place in tables} == tables


def test_the_comparison_of_a_run_with_itself_has_the_same_numbers(home, facts, truth):
    answer = command("compare", facts["folder"], facts["folder"], "--out", "compared", cwd=home)
    assert answer.returncode == 0, answer.stderr
    rows = [re.split(r"\s{2,}", line.strip()) for line in answer.stdout.splitlines()]
    for label, name, digits in (
        ("Throughput [Mbit/s]", "throughput", 2),
        ("RTT (ping) [ms]", "rtt", 2),
        ("Jain's index", "jain_index", 3),
        ("Retransmitted [segments]", "retransmits", 0),
    ):
        (row,) = [row for row in rows if row[0] == label]
        assert row[1].rstrip(" *") == row[2].rstrip(" *") == shown(truth[name], digits)


def packets(sent_ns, times_ns, end_ns):
    """As the definition says, by a loop: what came; what was lost; what was under way, and for how long."""
    last = max(n for n, time in enumerate(times_ns) if time >= 0)
    known = [time / 1e6 for time in times_ns if time >= 0]
    lost = [np.inf for time in times_ns[:last] if time < 0]
    under_way = [(end_ns - sent) / 1e6 for sent in sent_ns[last + 1 :]]
    return Sample(np.array(known), np.array(lost + under_way))


@pytest.fixture(scope="module")
def exported(home, facts):
    """What `airtcp export` writes: the rows of a series with a name, as numbers."""
    answer = command("export", facts["folder"], "--out", "exported", cwd=home)
    assert answer.returncode == 0, answer.stderr

    def rows(series, column, name, *wanted):
        found = [
            row for row in csv.DictReader((home / "exported" / f"{series}.csv").open()) if row[column] == name
        ]
        return [[int(row[each]) for row in found] for each in wanted]

    return rows


@pytest.fixture(scope="module")
def samples(exported, run):
    made = {
        name: packets(*exported("datagrams", "stream_name", name, "time_ns", "delay_ns"), run.end_ns)
        for name in STREAMS
    }
    made["echo"] = packets(*exported("pings", "ping_name", "echo", "time_ns", "rtt_ns"), run.end_ns)
    made["talk"] = Sample(
        *(np.concatenate([getattr(made[name], kind) for name in STREAMS]) for kind in ("known", "censored"))
    )
    return made


def test_what_anybody_computes_of_exported_tables_is_the_same(exported, samples, truth, facts):
    for name, (begin_s, end_s) in {"first": (0, 10), "paced": (0, 10)}.items():
        (received,) = exported("flows", "flow_name", name, "bytes_received")
        assert truth[f"goodput_{name}"].value == pytest.approx(
            received[-1] * 8e-6 / (end_s - begin_s), rel=1e-12
        )
        assert of(facts["flows"], "flow", name)["bytes_received"] == received[-1]
    for name in STREAMS:
        for which in ("median", "p95", "p99", "most", "missing"):
            assert statistic(samples[name], which) == truth[f"{which}_{name}"], (name, which)
        counts = (samples[name].size, samples[name].known.size, samples[name].lost, samples[name].under_way)
        stream = of(facts["streams"], "stream", name)
        assert tuple(stream[key] for key in ("sent", "received", "lost", "under_way")) == counts
    for which in ("median", "p95"):
        assert statistic(samples["talk"], which) == truth[f"talk_{which}"]
        assert statistic(samples["echo"], which) == truth[f"echo_{which}"]
    (ping,) = facts["pings"]
    assert (ping["answered"], ping["lost"], ping["under_way"]) == (
        samples["echo"].known.size,
        samples["echo"].lost,
        samples["echo"].under_way,
    )
    assert ping["unanswered"] == ping["lost"] + ping["under_way"]


@pytest.mark.parametrize(
    ("name", "what", "figure"), [("game", "datagram_delay", "delay"), ("echo", "rtt", "trips")]
)
def test_distributions_of_a_plot_are_those_of_a_campaign(home, facts, report, samples, name, what, figure):
    asked = ("plot", facts["folder"], "--kind", "cdf", "--format", "csv,svg", "--what", what)
    answer = command(*asked, "--out", f"plot-{what}", cwd=home)
    assert answer.returncode == 0, answer.stderr
    sample = samples[name]
    expected = [(float(f"{v:.9g}"), float(f"{s:.9g}")) for v, s in zip(*sample_steps(sample), strict=True)]
    for file, line in ((home / f"plot-{what}", f"{name}*"), (report / figure, "*")):
        rows = csv.DictReader(file.with_suffix(".csv").open())
        steps = [
            (float(f"{float(row['value']):.9g}"), float(f"{float(row['cumulative_share']):.9g}"))
            for row in rows
            if fnmatchcase(row["line"], line)
        ]
        assert steps == expected, file
        legend = file.with_suffix(".svg").read_text()
        assert f"{sample.under_way} under way" in legend, file
        assert f"{sample.lost} lost" in legend, file


def sample_steps(sample):
    drawn = sample.survival.distribution()
    return drawn.values, drawn.shares


def test_rates_of_a_plot_add_up_to_the_throughput(home, facts):
    asked = ("plot", facts["folder"], "--what", "throughput", "--format", "csv", "--out", "rate")
    assert command(*asked, cwd=home).returncode == 0
    drawn = {}
    for row in csv.DictReader((home / "rate.csv").open()):
        drawn.setdefault(row["line"].split(" ")[0], []).append((float(row["time_s"]), float(row["value"])))
    for name, steps in drawn.items():
        times, rates = np.array(steps).T
        # Each rate has been since the time before it.
        megabits = float(np.sum(np.diff(times) * rates[1:]))
        received = of(facts["flows"], "flow", name)["bytes_received"]
        assert megabits * 1e6 / 8 == pytest.approx(received, rel=1e-6)
