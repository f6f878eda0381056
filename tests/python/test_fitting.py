"""Fits without guests: unknown keys, formulas, the linear model against a known one, and verdicts."""

import math
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars
import pytest
import tomlkit
from airtcp.errors import AirtcpError
from airtcp.fitting import recorded_signal, settings
from airtcp.fitting.first_estimate import First, Moments, _Formulas
from airtcp.fitting.fit import Conditional, Fit, Found, _not_compared
from airtcp.fitting.fit_report import lines, parameter_table, report_json
from airtcp.fitting.fitted_scenario import fitted_scenario, write_fitted
from airtcp.fitting.identifiability import advice, judge
from airtcp.fitting.kinds import kind_of
from airtcp.fitting.measured import Measured
from airtcp.fitting.model import read_known, read_model
from airtcp.fitting.parameters import parameters_of
from airtcp.fitting.recorded_signal import Link, signal_of, source_of, varying
from airtcp.fitting.search import Search
from airtcp.fitting.settings import Setting
from airtcp.fitting.verdict import Residual, _repeatable, verdicts
from airtcp.metrics.summary import summarise
from airtcp.plans.flat import flatten, put
from airtcp.plans.links import path
from airtcp.quantities.named_number import numbers_named
from airtcp.scenario.compile.compiler import compile_scenario

TEXT = """
name = "lab"
duration = "4 s"
[[wire]]
between = ["h1", "s1"]
[[wire]]
between = ["s1", "h2"]  # the slow one
rate = "?"
delay = "1 ms ? 100 ms"
queue = "? 500 packets"
[[flow]]
from = "h1"
to = "h2"
"""


@pytest.fixture
def model_file(tmp_path):
    file = tmp_path / "lab.toml"
    file.write_text(TEXT)
    return file


def test_unknowns_are_marked_or_named(model_file):
    model = read_model(model_file, ["wire[0].delay", "wire[0].queue=10 kB ? 1 MB"])
    by_path = {one.path: one for one in model.parameters}
    assert list(by_path) == [
        "wire[1].rate",
        "wire[1].delay",
        "wire[1].queue",
        "wire[0].delay",
        "wire[0].queue",
    ]
    assert by_path["wire[1].delay"].kind.low == 1e6
    assert by_path["wire[1].queue"].kind.high == 500
    # The unit of the range says what a queue counts.
    assert by_path["wire[0].queue"].text(math.log(64e3)) == "64 kB"
    assert by_path["wire[1].queue"].text(math.log(64.4)) == "64 packets"


@pytest.mark.parametrize(
    ("free", "what"),
    [
        ("flow[0].cca", "can't be estimated"),
        ("wire[0].rate=5 ? 10 Mbit/s", "has no unit"),
        ("wire[0].rate=50 Mbit/s ? 10 Mbit/s", "is no range"),
        ("wire[0].rate=1 ? 2 ? 3", "is not an unknown value"),
    ],
)
def test_what_is_no_unknown_is_refused(model_file, free, what):
    with pytest.raises(AirtcpError, match=what.replace("?", r"\?")):
        read_model(model_file, [free])


def test_a_model_without_unknowns_is_refused():
    with pytest.raises(AirtcpError, match="nothing in it is unknown"):
        parameters_of({"wire": [{"rate": "10 Mbit/s"}]}, [])


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("wire[0].rate", 23_689_123.0, "23.689 Mbit/s"),
        ("wire[0].rate", 999_999.0, "999.999 kbit/s"),
        ("wire[0].towards.h1.delay", 1234.5, "1.234 us"),
        ("wifi.home.radio.sta1.rssi", -70.126, "-70.13 dBm"),
        ("wifi.home.nic_queue", 31.6, "32 packets"),
        ("channel.loss[0].probability", 0.0123456, 0.012346),
    ],
)
def test_values_are_written_as_scenarios_have_them(path, value, text):
    kind = kind_of(path, ())
    if path.endswith("rate"):
        assert kind.read(kind.written(value)) == pytest.approx(value, rel=1e-4)
    assert kind.written(value, 6 if "999" in str(text) else 5) == text
    assert kind.value(kind.axis(value)) == pytest.approx(value)


def test_values_are_put_at_flat_keys():
    plan = {"nodes": [{"name": "s.1", "sysctls": [{"key": "net.ipv4.x", "value": "1"}]}], "a": {"b": 1}}
    for key in ("nodes.s.1.sysctls.net.ipv4.x.value", "a.b"):
        assert put(plan, key, "new")
    assert [value for key, value in flatten(plan).items() if key.endswith(("value", "b"))] == ["new", "new"]
    assert not put(plan, "nodes.s2.name", "new")


def setting_of(plan, **varied):
    return Setting("cubic", plan, (), varied)


def test_a_virtual_run_has_the_traffic_and_the_factors_of_the_measured_one(tmp_path, model_file):
    more = '[[udp]]\nname = "unseen"\nfrom = "h1"\nto = "h2"\nrate = "1 Mbit/s"\n'
    model_file.write_text(TEXT + more)
    model = read_model(model_file)
    known = {"wire[1].rate": "5 Mbit/s", "wire[1].delay": "7 ms", "wire[1].queue": "9 packets"}
    real = tmp_path / "real.toml"
    real.write_text(
        TEXT.replace('to = "h2"\n', 'to = "h2"\ncca = "bbr"\nstart = "1 s"\n').replace("4 s", "6 s")
    )
    measured = read_known(real, {**known, "wire[0].queue": "77 packets"}).compiled({})
    varied = {key: value for key, value in flatten(measured).items() if value == 77}
    values = {**known, "wire[1].rate": "6 Mbit/s"}
    plan = model.plan(values, setting_of(measured, **varied), seed=5)
    assert plan["flows"] == measured["flows"]
    assert (plan["duration_ns"], plan["seed"]) == (6_000_000_000, 5)
    # Background that no measured run has stays to the end.
    assert [(each["name"], each["stop_ns"]) for each in plan["datagrams"]] == [("unseen", 6_000_000_000)]
    egress = {e["attachment"]["wire"]: e["egress"] for e in plan["nodes"][0]["interfaces"]}
    assert egress[0]["queue"]["limit"] == 77
    rates = {hop.wire: hop.there["rate_bps"] for hop in path(plan, "h1", "h2")}
    assert rates[1] == 6_000_000


def test_virtual_runs_record_what_compared_numbers_need(model_file):
    values = {"wire[1].rate": "5 Mbit/s", "wire[1].delay": "7 ms", "wire[1].queue": "9 packets"}
    model = read_model(model_file)
    setting = setting_of(model.compiled(values))

    def recorded(*names):
        compared = replace(model, compared=numbers_named(names, "--values"))
        sampling = compared.plan(values, setting, seed=1)["sampling"]
        return {key for key, on in sampling.items() if on}

    assert recorded() == recorded("throughput", "rtt_p95_ms") == {"flows_interval_ns"}
    assert recorded("queue") == {"flows_interval_ns", "qdiscs_interval_ns"}
    # As the model's [sampling] says, which has no PPDUs.
    assert recorded("airtime", "chosen_rate") == {"flows_interval_ns", "air_interval_ns"}


def test_a_number_that_no_virtual_run_has_is_named(model_file):
    model = read_model(model_file)
    number = numbers_named(["aql", "queue"], "--values")
    experiment = SimpleNamespace(
        model=replace(model, compared=number), names=(("a",), ("a", number[1].label))
    )
    search = Search(
        experiment, None, None, rows=[np.array([1.0, math.nan, math.nan]), np.array([1.0, 2.0, 3.0])]
    )
    assert _not_compared(search) == ("Pending airtime (AQL)",)
    fit = replace(fit_of(model, ()), not_compared=_not_compared(search))
    assert "Pending airtime (AQL) was not compared: no virtual run has it." in lines(fit)
    assert report_json(fit)["not_compared"] == ["Pending airtime (AQL)"]


def test_an_unknown_load_is_the_models_even_if_the_measured_plan_names_it(model_file):
    more = '[[udp]]\nname = "unseen"\nfrom = "h1"\nto = "h2"\nrate = "?"\n'
    model_file.write_text(TEXT.replace("?", "1 ms ?", 0) + more)
    model = read_model(model_file)
    values = {one.path: one.text(one.low) for one in model.parameters}
    measured = model.compiled({**values, "udp[0].rate": "3 Mbit/s"})
    plan = model.plan({**values, "udp[0].rate": "2 Mbit/s"}, setting_of(measured), 1)
    assert [each["rate_bps"] for each in plan["datagrams"]] == [2_000_000]


@pytest.mark.parametrize("key", ["", "ip = 6\n"])
def test_traffic_keeps_its_version_of_ip_where_the_model_has_other_addresses(tmp_path, model_file, key):
    model = read_model(model_file)
    values = {one.path: one.text(one.low) for one in model.parameters}
    real = tmp_path / "real.toml"
    ping = '[[ping]]\nfrom = "h1"\nto = "h2"\n'
    # Further nodes and wires before them: addresses in the measured network are not those of the model.
    further = '[[wire]]\nbetween = ["h7", "h8"]\n'
    text = TEXT.replace("[[wire]]", further + "[[wire]]", 1).replace('to = "h2"\n', f'to = "h2"\n{key}')
    real.write_text(f"{text}{ping}{key}")
    measured = read_known(real).compiled({path.replace("1]", "2]"): value for path, value in values.items()})
    plan = model.plan(values, setting_of(measured), 1)
    (own,) = [node for node in plan["nodes"] if node["name"] == "h2"]
    addresses = [each.partition("/")[0] for port in own["interfaces"] for each in port["addresses"]]
    assert measured["flows"][0]["address"] not in addresses
    assert len(plan["pings"]) == 1
    version = 6 if key else 4
    for address in (plan["flows"][0]["address"], plan["pings"][0]["to_address"]):
        assert address in addresses
        assert ip_address(address).version == version


def test_a_virtual_run_over_ipv6_is_compiled_once(model_file, monkeypatch):
    model = read_model(model_file)
    values = {one.path: one.text(one.low) for one in model.parameters}
    measured = model.compiled(values, ipv6=("h1", "h2"))
    plans = []

    def counted(*arguments):
        plans.append(compile_scenario(*arguments))
        return plans[-1]

    monkeypatch.setattr("airtcp.fitting.model.compile_scenario", counted)
    model.plan(values, setting_of(measured), 1)
    before = len(plans)
    model.plan(values, setting_of(measured), 2)
    assert len(plans) == before + 1


def test_nodes_must_be_those_of_the_measured_runs(model_file):
    model = read_model(model_file)
    values = {one.path: one.text(one.low) for one in model.parameters}
    measured = model.compiled(values)
    measured["flows"][0]["to"] = "h9"
    with pytest.raises(AirtcpError, match='has no node "h9"'):
        model.plan(values, setting_of(measured), 1)


def test_formulas_give_rate_delay_and_queue_by_hand(model_file):
    model = read_model(model_file)
    plan = model.compiled({one.path: one.text(one.low) for one in model.parameters})
    # 1448 of 1514 bytes are goodput; 10 ms there and back; 50 packets of 12112 bits at 10 Mbit/s.
    serialisation_ns = 2 * 98 * 8 * (1e9 / 10e6 + 1e9 / 1e9)
    least_ns = 2 * 5e6 + serialisation_ns
    pair = ("h1", "h2")
    moments = Moments({pair: 10e6 * 1448 / 1514}, {pair: least_ns}, {pair: least_ns + 50 * 12112 * 100})
    unknown = {(1, "rate"), (1, "delay"), (1, "queue")}
    formulas = _Formulas(plan, unknown, [moments])
    assert formulas.rate(1) == pytest.approx(10e6)
    assert formulas.delay(1) == pytest.approx(5e6, rel=1e-9)
    assert formulas.queue(1) == pytest.approx(50)
    # Two unknown delays share what is to be explained.
    assert _Formulas(plan, {*unknown, (0, "delay")}, [moments]).delay(1) == pytest.approx(2.5e6)


@dataclass
class KnownModel:
    """An experiment whose statistics are a known function of the parameters, with noise by the seed."""

    function: object
    model: object
    sd: float
    names: tuple = ()
    settings: tuple = (None,)
    calls: list = field(default_factory=list)

    def __post_init__(self):
        count = self.function(np.zeros(len(self.model.parameters))).size
        self.names = (tuple(f"statistic {n}" for n in range(count)),)

    labels = property(lambda self: list(self.names[0]))
    blocks = property(lambda self: [slice(0, len(self.names[0]))])

    def rows(self, runs, points):  # noqa: ARG002
        axes = [
            [p.kind.axis(p.kind.read(point.values[p.path])) for p in self.model.parameters]
            for point in points
        ]
        noise = np.array(
            [
                np.random.default_rng([point.seed, 7]).normal(0, self.sd, len(self.names[0]))
                for point in points
            ]
        )
        return np.array([self.function(np.array(each)) for each in axes]) + noise


def search_of(function, paths, truth, sd=0.01, repetitions=3, seed=0):
    parameters = parameters_of({}, [f"{path}=?" for path in paths])
    model = read_known.__globals__["Model"](Path("none.toml"), {}, parameters)
    experiment = KnownModel(function, model, sd)
    draw = np.random.default_rng(seed)
    seen = function(truth) + draw.normal(0, sd, (repetitions, experiment.blocks[0].stop))
    ones = np.ones(experiment.blocks[0].stop)
    measured = Measured(experiment.names, seen.mean(axis=0), seen.var(axis=0, ddof=1), repetitions * ones)
    return Search(experiment, measured, None)


def two_sensed(axes):
    """Eight statistics: one of each parameter, a curved one, a sum, and others that say nothing."""
    u, v = axes
    return np.array([u, v, np.logaddexp(u, v), 0.5 * (u - v), u + v, 0.0, 1.0, 2.0])


def test_estimates_are_near_and_their_intervals_hold_the_truth_as_often_as_they_say():
    paths, inside, errors = ("wire[0].rate", "wire[1].rate"), [], []
    for seed in range(60):
        draw = np.random.default_rng(seed)
        truth = draw.uniform(math.log(2e6), math.log(5e7), 2)
        search = search_of(two_sensed, paths, truth, seed=seed)
        begin = [First(float(axis + draw.uniform(-0.5, 0.5)), "", True) for axis in truth]
        local, found = search.find(begin)
        errors.append(np.abs(found.axes - truth))
        inside.append(np.abs(found.axes - truth) <= found.half_widths)
        assert not any(judge(search, local, found))
    assert np.max(errors) < 0.05
    # 120 intervals of 95 %: less than 90 % of them come by chance in 1 of 100 such tests.
    assert np.mean(inside) >= 0.9


def test_a_begin_far_away_is_left_behind():
    paths, truth = ("wire[0].rate", "wire[1].rate"), np.log([3e6, 4e7])
    search = search_of(two_sensed, paths, truth)
    _, found = search.find([First(math.log(1e8), "", False), First(math.log(2e5), "", False)])
    assert np.abs(found.axes - truth).max() < 0.05


@pytest.mark.parametrize("seed", range(5))
def test_two_parameters_of_which_only_the_sum_counts_are_refused(seed):
    def sums(axes):
        total = np.logaddexp(*axes)
        return np.array([total, total, 2 * total, 0.0])

    truth = np.log([5e6, 8e6])
    search = search_of(sums, ("wire[0].delay", "wire[1].delay"), truth, sd=0.003, seed=seed)
    local, found = search.find([First(math.log(6e6), "", True), First(math.log(6e6), "", True)])
    assert all(judge(search, local, found))


@pytest.mark.parametrize("seed", range(5))
def test_a_parameter_without_effect_is_refused_and_the_other_found(seed):
    def first_only(axes):
        return np.array([axes[0], 2 * axes[0], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])

    truth = np.log([5e6, 8e6])
    search = search_of(first_only, ("wire[0].rate", "wire[1].rate"), truth, seed=seed)
    local, found = search.find([First(math.log(6e6), "", True), First(math.log(6e6), "", True)])
    reasons = judge(search, local, found)
    assert not reasons[0]
    assert reasons[1] == "the measured runs hardly depend on it"
    assert abs(found.axes[0] - truth[0]) < 0.05


def test_two_parameters_that_may_be_exchanged_are_refused():
    def unordered(axes):
        low, high = sorted(axes)
        return np.array([low, high, low + 0.5 * high, 0.0])

    search = search_of(unordered, ("wire[0].rate", "wire[1].rate"), np.log([5e6, 4e7]))
    local, found = search.find([First(math.log(6e6), "", True), First(math.log(3e7), "", True)])
    assert all("exchanged" in reason for reason in judge(search, local, found))


def test_measured_runs_that_the_model_cannot_make_are_a_misfit():
    def contradiction(axes):
        return np.array([axes[0], axes[0], axes[0], 0.0])

    search = search_of(contradiction, ("wire[0].rate",), np.log([5e6]))
    search.measured.means[0] += 1.0
    _, found = search.find([First(math.log(5e6), "", True)])
    assert found.misfit > found.misfit_usual
    assert found.half_widths[0] > 0.1


def found_of(parameter, value, low, high, refused=""):
    return Found(parameter, value, low, high, "moments", refused)


def fit_of(model, found, conditionals=()):
    lacking = tuple(advice([one.parameter for one in found if one.refused]))
    return Fit(model, (), tuple(found), tuple(conditionals), lacking, 0.5, 1.5, (), 10, ())


def test_the_scenario_has_values_with_their_intervals_and_keeps_what_is_not_identifiable(model_file):
    model = read_model(model_file, ["wire[0].delay"])
    rate, delay, queue, other = model.parameters
    made = [
        found_of(rate, 10e6, 9.9e6, 10.1e6),
        found_of(delay, 5e6, 1e6, 9e6, "only a combination with others is determined"),
        found_of(queue, 50, 49, 51),
        found_of(other, 2e6, 1.9e6, 2.1e6, "only a combination with others is determined"),
    ]
    text = fitted_scenario(fit_of(model, made), "x", "airtcp fit", {"seed": 7})
    tables = tomlkit.parse(text).unwrap()
    assert tables["wire"][1]["rate"] == "10 Mbit/s"
    assert tables["wire"][1]["queue"] == "50 packets"
    assert tables["wire"][1]["delay"] == tables["wire"][0]["delay"] == "?"
    assert tables["seed"] == 7
    lines_ = text.splitlines()
    assert "# airtcp fit" in lines_[0]
    assert any("95 %: 9.9 Mbit/s to 10.1 Mbit/s" in line and line.startswith("rate") for line in lines_)
    assert sum("not identifiable" in line for line in lines_) == 2
    assert 'between = ["s1", "h2"]  # the slow one' in text


def test_what_is_determined_together_is_said(model_file):
    model = read_model(model_file, ["wire[0].delay"])
    _, delay, _, other = model.parameters
    fixed = found_of(delay, 5e6, 1e6, 9e6, "only a combination with others is determined")
    then = found_of(other, 2e6, 1.9e6, 2.1e6, "only a combination with others is determined")
    found = fit_of(model, [fixed, then], [Conditional(then, (fixed,))])
    said = " ".join(lines(found))
    assert "If wire[1].delay is 5 ms, wire[0].delay is 2 ms (1.9 ms to 2.1 ms)." in said
    assert "The sum of both is 7 ms (6.9 ms to 7.1 ms)." in said
    assert "A ping to or from a node between the wires tells their delays apart." in said
    assert not found.complete
    assert [(row[1], row[-1]) for row in parameter_table(found).rows] == [("-", "no"), ("-", "no")]


def residual(case, predicted, measured):
    return Residual(
        (case,), "rtt_ms", summarise(predicted), summarise(measured), _repeatable(predicted, measured)
    )


def test_a_model_that_predicts_all_cases_is_for_absolute_values():
    every = [residual("a", [10, 10.1], [10.5, 10.6]), residual("b", [40, 44], [36, 46])]
    (found,) = verdicts(every)
    assert (found.use, found.predicted) == ("absolute values", 2)


def test_a_model_that_keeps_the_order_is_for_the_order():
    pairs = {"a": (10, 20), "b": (20, 40), "c": (30, 60), "d": (40, 80)}
    every = [
        residual(case, [ours, ours + 0.1], [theirs, theirs + 0.1]) for case, (ours, theirs) in pairs.items()
    ]
    (found,) = verdicts(every)
    assert (found.use, found.pairs, found.tau) == ("order", 6, 1.0)


def test_a_model_that_does_neither_is_for_nothing():
    pairs = {"a": (10, 20), "b": (40, 30), "c": (30, 40)}
    every = [
        residual(case, [ours, ours + 0.1], [theirs, theirs + 0.1]) for case, (ours, theirs) in pairs.items()
    ]
    (found,) = verdicts(every)
    assert found.use == "nothing"
    assert found.tau == pytest.approx(1 / 3)


def test_few_runs_that_vary_much_do_not_make_a_far_prediction_a_good_one():
    one = residual("a", [10, 30], [40, 60])
    assert one.repeatable
    assert not one.is_predicted


def test_a_single_measured_run_is_held_against_the_spread_of_the_predicted_ones():
    assert _repeatable([10, 11, 12, 13], [14])
    assert not _repeatable([10, 11, 12, 13], [20])
    assert _repeatable([10], [10]) is None


# Signals over time


class Dumped:
    """A run with station dumps: rows of time in s, node, peer, dBm."""

    recorded = ("stations",)
    end_ns = 10_000_000_000

    def __init__(self, *rows):
        columns = ("time_ns", "node_name", "peer_name", "signal_dbm")
        self.frame = polars.DataFrame([(int(t * 1e9), *rest) for t, *rest in rows], columns, orient="row")

    def series(self, _name):
        return self.frame

    named = series


@pytest.fixture
def dumped(monkeypatch):
    """Runs by their folder: a setting of all of them."""

    def make(**runs):
        folders = {Path(name): run for name, run in runs.items()}
        for module in (recorded_signal, settings):
            monkeypatch.setattr(module, "open_once", folders.__getitem__)
        return [Setting("one", {}, tuple(folders), {})]

    return make


def levels(times, values, node="ap1", peer="sta1"):
    return [(time, node, peer, value) for time, value in zip(times, values, strict=True)]


LINK = Link(0, "sta1", "ap1")


def test_a_signal_is_what_the_receiver_dumped_else_the_sender(dumped):
    both = [*levels((-1, -0.5, 2, 2, 4), (-40, -50, -60, -61, 0)), *levels((1, 3), (-70, -75), "sta1", "ap1")]
    dumped(
        a=Dumped(*both), b=Dumped(*levels((1, 3), (-70, -75), "sta1", "ap1")), c=Dumped(*levels((1,), (-70,)))
    )
    # The first dump holds from the begin on; of two at one time the last; 0 dBm is no signal.
    own = signal_of(Path("a"), LINK)
    assert (own.recording.times_s, own.recording.columns["rssi_dbm"], own.turned) == (
        [0, 2],
        [-50, -61],
        False,
    )
    assert own.recording.end_s == 10
    other = signal_of(Path("b"), LINK)
    assert (other.recording.times_s, other.recording.columns["rssi_dbm"], other.turned) == (
        [0, 3],
        [-70, -75],
        True,
    )
    assert "of the other direction" in source_of(other, LINK)
    assert signal_of(Path("c"), LINK) is None


def test_a_model_that_asks_for_a_recording_gets_that_of_each_run(tmp_path, dumped):
    text = TEXT + '[wifi.home]\nstations = ["sta1"]\n[channel]\nreception = "table"\n'
    text += '[[channel.trace]]\nfrom = "sta1"\nto = "ap1"\nfile = "?"\n'
    file = tmp_path / "lab.toml"
    file.write_text(text.replace('"h1", "s1"', '"ap1", "s1"').replace('from = "h1"', 'from = "sta1"'))
    with pytest.raises(AirtcpError, match=r"channel\.trace\[0\]\.file: is unknown"):
        read_known(file)
    model = read_model(file)
    assert [one.path for one in model.parameters] == ["wire[1].rate", "wire[1].delay", "wire[1].queue"]
    settings = dumped(a=Dumped(*levels((1, 3), (-50, -60))), b=Dumped(*levels((1, 3), (-70, -75))))
    known = model.recorded(settings, tmp_path / "store")
    values = {one.path: one.text(one.low) for one in model.parameters}
    setting = replace(settings[0], plan=model.compiled(values))
    plans = [known.plan(values, setting, seed) for seed in (1, 2, 3)]
    first = [plan["air"]["channel"]["traces"][0]["points"][0]["rssi_dbm"] for plan in plans]
    assert first == [-70, -50, -70]
    # Runs of a setting without dumps have the recordings of others.
    assert known.plan(values, setting_of(setting.plan), 1)["air"]["channel"]["traces"]
    found = fit_of(known, [found_of(one, 1e6, 1e6, 1e6) for one in model.parameters])
    write_fitted(found, tmp_path / "out.toml", "airtcp fit", {})
    assert (
        'file = "out-sta1-ap1.csv" # station dumps of ap1 in the run a' in (tmp_path / "out.toml").read_text()
    )
    assert (tmp_path / "out-sta1-ap1.csv").read_text() == "time_s,rssi_dbm\n0,-50\n3,-60\n10,\n"
    assert read_known(tmp_path / "out.toml").compiled({})["air"]["channel"]["traces"][0]["from"] != 0
    assert "channel.trace[0].file: station dumps of ap1 in the run a." in lines(found)
    # Nothing else is unknown: it is written without a run.
    file.write_text((tmp_path / "out.toml").read_text().replace("out-sta1-ap1.csv", "?"))
    only = fit_of(read_model(file).recorded(settings, tmp_path / "store"), [])
    write_fitted(only, tmp_path / "only.toml", "airtcp fit", {})
    assert "# Recordings of links are of 0 measured runs." in (tmp_path / "only.toml").read_text()
    assert lines(only) == ["channel.trace[0].file: station dumps of ap1 in the run a."]
    # Nothing was compared.
    assert (report_json(only)["reproduces"], report_json(only)["misfit"]) == (None, None)
    nothing = dumped(a=Dumped(*levels((1, 3), (-50, -60), peer="sta2")))
    with pytest.raises(AirtcpError, match="no measured run has station dumps of sta1 and ap1"):
        model.recorded(nothing, tmp_path / "store")


@pytest.mark.parametrize(
    ("path", "tables", "told"),
    [
        ("channel.rssi", {}, True),
        ("wifi.home.radio.sta1.rssi", {}, True),
        ("wifi.home.radio.sta2.rssi", {}, False),
        ("channel.link[0].rssi", {"link": [{"between": ["ap1", "sta1"]}]}, True),
        ("channel.link[0].rssi", {"link": [{"between": ["ap1", "sta2"]}]}, False),
        ("channel.rssi", {"fading": {"kind": "rician"}}, False),
        ("wire[0].rate", {}, False),
    ],
)
def test_a_constant_for_a_signal_that_varies_is_told(dumped, path, tables, told):
    moving = levels(range(9), (-50, -52, -54, -56, -58, -60, -62, -64, -66))
    steady = levels(range(9), (-50, -51, -50, -49, -50, -51, -50, -49, -50), peer="sta2")
    said = varying(path, {"channel": tables}, dumped(a=Dumped(*moving, *steady)))
    assert bool(said) == told
    if told:
        assert "the signal of sta1 at ap1 varies by 16 dB" in said
        assert 'from = "sta1", to = "ap1" and file = "?"' in said
