"""Every quantity of a run with everything recorded: one number, which is the mean of its values, in every command."""

import csv
import json
import math

import airtcp
import numpy as np
import pytest
from airtcp.data.read_once import NotRecorded, open_once
from airtcp.errors import AirtcpError
from airtcp.plots.time_series import Panel
from airtcp.quantities.aliases import ALIASES
from airtcp.quantities.entity import Kind
from airtcp.quantities.forms import number, weighted
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.named_number import number_named
from airtcp.quantities.quantity import with_unit
from airtcp.quantities.registry import QUANTITIES, quantity_of
from airtcp.quantities.run_view import RunView
from airtcp.report.html.campaign import campaign_page
from airtcp.report.html.run_list import run_list
from airtcp.report.html.runs import Runs
from airtcp.report.run.figure import run_chart
from support.command import airtcp as command

pytestmark = pytest.mark.guest

SCENARIO = """
name = "everything"
duration = "4 s"
[wifi.home]
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "s1"]
rate = "8 Mbit/s"
delay = "5 ms"
queue = "20 packets"
[[wire]]
between = ["s1", "h1"]
queue = "cake bandwidth 50mbit diffserv4"
[[flow]]
name = "up"
from = "sta1"
to = "h1"
[[flow]]
name = "down"
from = "h1"
to = "sta2"
start = "1 s"
stop = "3 s"
cca = "bbr"
[[flow]]
name = "file"
from = "h1"
to = "sta1"
bytes = "100 kB"
[[ping]]
name = "echo"
from = "sta2"
to = "h1"
interval = "50 ms"
[[udp]]
name = "voice"
from = "h1"
to = "sta2"
rate = "64 kbit/s"
payload = 160
[[web]]
name = "web"
from = "h1"
to = "sta2"
page = "100 kB"
objects = 2
object = "20 kB"
reading = "100 ms"
[[program]]
name = "listener"
node = "h1"
command = "python3 talk.py server"
[[program]]
name = "talker"
node = "sta1"
start = "1 s"
command = "python3 talk.py client"
[[program]]
name = "quic"
node = "sta2"
start = "1 s"
command = "python3 log.py"
qlog = true
[sampling]
flows = "10 ms"
air = "10 ms"
qdiscs = "10 ms"
acks = true
delays = true
ppdus = true
"""
# A connection of MPTCP, which programs make.
TALK = """
import socket, sys
sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)
if sys.argv[1] == "server":
    sock.bind(("", 5000))
    sock.listen(1)
    connection, _ = sock.accept()
    while connection.recv(1 << 16):
        pass
else:
    sock.connect(("h1", 5000))
    sock.sendall(bytes(100_000))
"""
# The log of a connection of QUIC, as an implementation writes it.
LOG = """
import json, os, pathlib, time
events = []
for n in range(200):
    metrics = {"congestion_window": 12_000 + 100 * n, "bytes_in_flight": 6_000 + 50 * n, "smoothed_rtt": 20 + n / 100,
               "latest_rtt": 21, "min_rtt": 20, "pacing_rate": 5_000_000 + n}
    events.append({"time": time.time() * 1000, "name": "recovery:metrics_updated", "data": metrics})
    if n % 50 == 10:
        lost = {"header": {"packet_type": "1RTT", "packet_number": n}}
        events.append({"time": time.time() * 1000, "name": "recovery:packet_lost", "data": lost})
    time.sleep(0.01)
trace = {"vantage_point": {"type": "client"}, "common_fields": {"time_format": "absolute"}, "events": events}
log = {"qlog_version": "0.3", "qlog_format": "JSON", "traces": [trace]}
pathlib.Path(os.environ["QLOGDIR"], "connection.qlog").write_text(json.dumps(log))
"""
# What has a number of its own, with a reason that the reference shows.
OWN_NUMBER = {name for name, one in QUANTITIES.items() if one.override.number or one.override.mean}
# Of mac80211 and of DualPI2, which this run does not have.
OF_OTHERS = {"stations", "station_queues", "station_rates", "radio_queues", "dual_queues"}
RECORDED = [name for name, one in QUANTITIES.items() if not OF_OTHERS & set(one.series)]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("everything")
    (folder / "base.toml").write_text(SCENARIO)
    (folder / "talk.py").write_text(TALK)
    (folder / "log.py").write_text(LOG)
    answer = command("run", "base.toml", cwd=folder)
    assert answer.returncode == 0, answer.stderr
    return folder


@pytest.fixture(scope="module")
def folder(home):
    (found,) = (home / "runs").glob("*/manifest.json")
    return found.parent


@pytest.fixture(scope="module")
def run(folder):
    return open_once(folder)


def compared(name, run):
    """The number by which runs are compared."""
    return number_named(name, "").of(RunView.while_flows_ran(run)).value


def mean_of_values(quantity, view):
    """As the definition says: each value with its weight, and all together by the quantity's word."""
    span_ns = view.stop_ns - view.start_ns
    parts, lives = [], []
    for entity in quantity.entities(view):
        part = weighted(quantity, entity, view)
        if part.values.size:
            parts.append(part)
            begin, end = entity.alive_ns or view.span
            lives.append((min(end, view.stop_ns) - max(begin, view.start_ns)) / span_ns)
    if quantity.kind is Kind.COUNT:
        return sum(part.values.sum() for part in parts)
    if quantity.across == "sum":
        return sum(
            life * np.average(part.values, weights=part.weights)
            for life, part in zip(lives, parts, strict=True)
        )
    if not parts:
        return math.nan
    values, weights = (np.concatenate([getattr(part, of) for part in parts]) for of in ("values", "weights"))
    return np.average(values, weights=weights)


def test_exceptions_are_few_and_each_has_a_reason():
    assert len(OWN_NUMBER) < len(QUANTITIES) / 2
    assert all(QUANTITIES[name].override.reason for name in OWN_NUMBER)


@pytest.mark.parametrize("name", [name for name in RECORDED if name not in OWN_NUMBER])
def test_a_number_is_the_weighted_mean_of_its_own_values(run, name):
    # Bins of 10 ms fill the time of each flow.
    view = RunView.of_metric(run, MetricFile(of=name, flows="[udv]*", bin="10 ms"))
    found = number(QUANTITIES[name], view).value
    assert found == pytest.approx(mean_of_values(QUANTITIES[name], view), rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", RECORDED)
def test_a_name_works_in_python_and_comparisons_have_the_same_number(run, name):
    assert airtcp.number(run, name) == pytest.approx(compared(name, run), nan_ok=True) or (
        # Nothing has it: a sum of nothing is 0, and no value by which runs are compared.
        airtcp.number(run, name) == 0
    )


def drawn(run, name):
    """The panels of a quantity, or that the run has nothing of it."""
    try:
        return run_chart(RunView(run), [name]).panels
    except NotRecorded as error:
        return error.what


@pytest.mark.parametrize("name", RECORDED)
def test_a_name_is_drawn_or_the_run_has_nothing_of_it(run, name):
    found = drawn(run, name)
    assert found == f'the run has no samples of "{name}"' or isinstance(found[0], Panel)


def test_every_name_is_a_metric_of_campaigns(home):
    text = 'name = "all"\nscenario = "base.toml"\nmetrics = [{}]\n[factor.length]\nkey = "duration"\nvalues = ["4 s"]\n'
    (home / "all.toml").write_text(text.format(", ".join(f'"{name}"' for name in RECORDED)))
    row = airtcp.sweep(home / "all.toml", store=home / "runs").row(0, named=True)
    for name in RECORDED:
        own = airtcp.number(row["folder"], name)
        assert (own if row[name] is None else row[name]) == pytest.approx(own, nan_ok=True)


def test_every_name_is_a_value_of_comparisons(home, folder, run):
    known = [name for name in RECORDED if not math.isnan(compared(name, run))]
    answer = command(
        "compare", str(folder), str(folder), "--values", ",".join(known), "--out", "same", cwd=home
    )
    assert answer.returncode == 0, answer.stderr
    (row,) = csv.DictReader((home / "same" / "ratios.csv").open())
    for name in known:
        assert float(row[f"{name}_ours"]) == pytest.approx(compared(name, run), rel=1e-6)
        assert f"\n| {QUANTITIES[name].label_with_unit} | " in (home / "same" / "report.md").read_text()


@pytest.mark.parametrize("former", [name for name in ALIASES if ALIASES[name].name in RECORDED])
def test_a_former_name_has_the_number_of_the_present_one(run, former):
    now = ALIASES[former]
    assert airtcp.number(run, former) == pytest.approx(
        airtcp.number(run, now.name, **now.implied), nan_ok=True
    )


def test_former_names_give_what_they_gave(run):
    """Computed from the series as the former quantities did."""
    answered = run.pings["rtt_ns"].filter(run.pings["rtt_ns"] >= 0).to_numpy() / 1e6
    assert airtcp.number(run, "rtt_least") == answered.min()
    assert airtcp.number(run, "rtt_ms") == pytest.approx(answered.mean())
    assert airtcp.number(run, "cwnd_most", flows="up") == run.flow_samples(0)["cwnd"].max()
    up = run.flow_samples(0)
    at = [up.filter(up["time_ns"] <= n * 1_000_000_000)["bytes_received"].max() or 0 for n in range(5)]
    rates = np.diff(at) * 8e-6
    assert airtcp.number(run, "throughput_least", flows="up") == pytest.approx(rates.min())
    assert airtcp.number(run, "throughput_deviation", flows="up") == pytest.approx(rates.std(ddof=1))


@pytest.mark.parametrize("name", RECORDED)
def test_the_axis_of_a_figure_has_the_label_of_the_quantity(run, name):
    panels = drawn(run, name)
    for panel in panels if not isinstance(panels, str) else ():
        unit = "%" if QUANTITIES[name].in_percent else QUANTITIES[name].unit
        assert panel.value_label.replace("\n", " ") == with_unit(QUANTITIES[name].label, unit)
        assert bool(panel.title) == QUANTITIES[name].shared


def test_every_name_is_a_value_of_reports_under_its_label(folder, run):
    with Runs.of([folder], values=RECORDED) as runs:
        listed = run_list(runs, campaign_page(runs).factors)
    (row,) = listed.rows
    cells = dict(zip(listed.columns[1:], row.cells, strict=True))
    for name in RECORDED:
        one = QUANTITIES[name]
        number = compared(name, run)
        assert cells[one.label_with_unit].rstrip(" *") == (
            "-" if math.isnan(number) else f"{number:.{one.digits}f}"
        )


def test_every_name_is_predicted_and_judged_under_its_label(home, folder, run):
    # Predicted runs have no programs, and so no connections of MPTCP or QUIC.
    of_programs = {name for name in RECORDED if {"mptcp", "quic"} & set(QUANTITIES[name].series)}
    known = [name for name in RECORDED if name not in of_programs and not math.isnan(compared(name, run))]
    places = (str(home / "base.toml"), str(folder), "--seeds", "1", "--out", "predicted")
    answer = command("predict", *places, "--values", ",".join(known), cwd=home)
    assert answer.returncode == 0, answer.stderr
    told = (home / "predicted" / "report.md").read_text()
    verdicts = {
        one["value"] for one in json.loads((home / "predicted" / "prediction.json").read_text())["verdicts"]
    }
    assert verdicts == set(known)
    for name in known:
        assert f"### {QUANTITIES[name].label_with_unit}: predicted and measured" in told
        assert f"\n| {QUANTITIES[name].label_with_unit} | 1 |" in told


def test_a_wrong_name_is_answered_in_the_same_words_everywhere(home, folder):
    said = 'there is no quantity "thruput". Did you mean "throughput"?'
    assert said in command("plot", str(folder), "--what", "thruput", cwd=home).stderr
    for arguments in (
        ("compare", str(folder), str(folder)),
        ("report", str(folder)),
        ("predict", "base.toml", str(folder)),
        ("fit", str(folder), "--model", "base.toml", "--free", "wire[0].rate"),
    ):
        assert f"--values: {said}" in command(*arguments, "--values", "thruput", cwd=home).stderr
    text = 'name = "x"\nscenario = "base.toml"\nmetrics = ["thruput"]\n[factor.length]\nkey = "duration"\nvalues = ["4 s"]\n'
    (home / "wrong.toml").write_text(text)
    assert said in command("sweep", "wrong.toml", cwd=home).stderr
    with pytest.raises(AirtcpError) as told:
        airtcp.number(folder, "thruput")
    assert said in str(told.value)
    with pytest.raises(AirtcpError) as told:
        quantity_of(MetricFile(of="thruput"), "metric x")
    assert said in str(told.value)
