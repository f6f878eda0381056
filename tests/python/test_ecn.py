"""ECN as a key of scenarios and nodes, and DualPI2 as a queue: what they become, what is refused, what is shown."""

import airtcp
import polars as pl
import pytest
from airtcp.kernels.table import SERIES
from airtcp.measurement.changes import dualpi2_words
from airtcp.quantities.named_number import number_named
from airtcp.quantities.run_view import RunView
from airtcp.report.run.dual_queues import dual_queue_records, dual_queue_table
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.queue import read_queue
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from support.recorded_series import add_new_series, zeros

WITH_ACCURATE_ECN = next(name for name, series in SERIES.items() if series.accurate_ecn)
DUALPI2 = {
    "kind": "dualpi2",
    "limit_packets": 10_000,
    "memory_limit_bytes": None,
    "target_us": 15_000,
    "tupdate_us": 16_000,
    "alpha": 41,
    "beta": 819,
    "step_threshold": {"kind": "delay", "delay_us": 1_000},
    "min_qlen_step_packets": 0,
    "coupling_factor": 2,
    "classic_protection_percent": 10,
    "drop_on_overload": True,
    "drop_early": False,
    "low_latency": "l4s_ect",
    "split_gso": True,
}


def planned(**keys):
    tables = {
        "name": "ecn",
        "duration": "1 s",
        "wifi": {"home": {"stations": ["sta1", "sta2"]}},
        "wire": [{"between": ["ap1", "h1"], "rate": "20 Mbit/s"}],
        "flow": [{"from": ["sta1", "sta2"], "to": "h1"}],
        **keys,
    }
    return compile_scenario(scenario_from_tables(tables))


def tcp_ecn(plan):
    """What each node has; none: the kernel's own default."""
    return {
        node["name"]: setting["value"]
        for node in plan["nodes"]
        for setting in node["sysctls"]
        if setting["key"] == "net.ipv4.tcp_ecn"
    }


def test_a_node_without_the_key_has_the_kernels_default():
    assert tcp_ecn(planned()) == {}


@pytest.mark.parametrize(("mode", "value"), [("off", "0"), ("on", "1"), ("accurate", "3")])
def test_every_node_has_the_scenarios_mode(mode, value):
    plan = planned(kernel=WITH_ACCURATE_ECN, ecn=mode)
    assert tcp_ecn(plan) == dict.fromkeys(("ap1", "sta1", "sta2", "h1"), value)


def test_a_nodes_own_mode_and_own_setting_are_over_those_of_the_scenario():
    node = {"sta1": {"ecn": "off"}, "sta2": {"sysctl": {"net.ipv4.tcp_ecn": 2}}}
    plan = planned(ecn="on", node=node)
    assert tcp_ecn(plan) == {"ap1": "1", "sta1": "0", "sta2": "2", "h1": "1"}


@pytest.mark.parametrize(
    ("keys", "key", "message"),
    [
        ({"ecn": "accurate"}, "ecn", 'Linux 6.12 has no AccECN .*write kernel = "7.2"'),
        ({"ecn": "accurate", "kernel": "6.1"}, "ecn", "Linux 6.1 has no AccECN"),
        ({"node": {"h1": {"ecn": "accurate"}}}, "node.h1.ecn", "has no AccECN"),
        ({"ecn": True}, "ecn", 'write "on"'),
        ({"ecn": 3}, "ecn", '"off", "on", "accurate"'),
        ({"ecn": "accecn"}, "ecn", 'write "accurate"'),
        ({"ecn": "prague"}, "ecn", '"off", "on" or "accurate"'),
        ({"ecn": "on", "sysctl": {"net.ipv4.tcp_ecn": 1}}, "ecn", "the same setting"),
        (
            {"node": {"h1": {"ecn": "on", "sysctl": {"net.ipv4.tcp_ecn": 1}}}},
            "node.h1.ecn",
            "the same setting",
        ),
        # Two flows of a node cannot differ.
        (
            {"flow": [{"from": "sta1", "to": "h1", "ecn": "on"}, {"from": "sta1", "to": "h1", "ecn": "off"}]},
            "flow[0].ecn",
            "a setting of a node in Linux, not of a connection",
        ),
    ],
)
def test_what_no_node_can_have_is_refused(keys, key, message):
    with pytest.raises(ScenarioError, match=message) as caught:
        planned(**keys)
    assert key in str(caught.value)


def queue_of(plan):
    (ap1,) = (node for node in plan["nodes"] if node["name"] == "ap1")
    return next(each["egress"]["queue"] for each in ap1["interfaces"] if each["name"] == "eth0")


def test_dualpi2_has_every_setting_in_the_plan():
    wire = [{"between": ["ap1", "h1"], "queue": "dualpi2"}]
    assert queue_of(planned(kernel=WITH_ACCURATE_ECN, wire=wire)) == DUALPI2


def test_words_of_dualpi2_are_those_of_tc():
    text = (
        "dualpi2 limit 500 memlimit 2mb target 5ms tupdate 8000 alpha 0.5 beta 4 step_thresh 30pkt"
        " min_qlen_step 2 coupling_factor 3 classic_protection 20% overflow drop_enqueue any_ect no_split_gso"
    )
    changed = {
        "limit_packets": 500,
        "memory_limit_bytes": 2 * 1024**2,
        "target_us": 5_000,
        "tupdate_us": 8_000,
        "alpha": 128,
        "beta": 1024,
        "step_threshold": {"kind": "packets", "packets": 30},
        "min_qlen_step_packets": 2,
        "coupling_factor": 3,
        "classic_protection_percent": 20,
        "drop_on_overload": False,
        "drop_early": True,
        "low_latency": "any_ect",
        "split_gso": False,
    }
    assert read_queue(text).plan == DUALPI2 | changed
    assert read_queue("dualpi2 step_thresh 500us").plan["step_threshold"] == {
        "kind": "delay",
        "delay_us": 500,
    }


@pytest.mark.parametrize("text", ["dualpi2", "dualpi2 step_thresh 5pkt any_ect overflow memlimit 100kb"])
def test_a_measured_machine_is_told_the_same_settings(text):
    plan = read_queue(text).plan
    assert read_queue(" ".join(dualpi2_words(plan))).plan == plan


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("targt 5ms", 'no "targt"; did you mean "target"'),
        ("target", '"target" of dualpi2 needs a value'),
        ("target 5min", "write for example 15ms"),
        ("limit 0", "1 to 4294967295"),
        ("limit 5000000000", "out of range"),
        ("tupdate 0ms", "out of range: 1 to"),
        ("alpha 0", "a gain in Hz"),
        ("beta nan", "a gain in Hz"),
        ("coupling_factor 256", "1 to 255"),
        ("classic_protection 101", "0 to 100"),
        ("step_thresh soon", "write for example 15ms"),
    ],
)
def test_impossible_words_of_dualpi2(words, message):
    with pytest.raises(ValueError, match=message):
        read_queue(f"dualpi2 {words}")


@pytest.mark.parametrize("kernel", sorted(name for name, series in SERIES.items() if not series.qdiscs))
def test_a_series_without_dualpi2_refuses_it(kernel):
    message = f'Linux {kernel} has no dualpi2; write kernel = "7.2"'
    wire = [{"between": ["ap1", "h1"], "queue": "dualpi2"}]
    with pytest.raises(ScenarioError, match=message):
        planned(kernel=kernel, wire=wire)
    cell = {"stations": ["sta1", "sta2"], "queue": "dualpi2"}
    with pytest.raises(ScenarioError, match=message):
        planned(kernel=kernel, wifi={"home": cell})


@pytest.fixture
def dual_run(run_folder):
    """Two samples of a DualPI2, at 1 s and 2 s."""
    add_new_series(run_folder)
    rises = {"c_packets": 100, "l_packets": 300, "marks": 50, "step_marks": 20}
    levels = {"probability": (2**32 - 1) // 4, "c_delay_us": 16_000, "l_delay_us": 400}
    zero = zeros("dual_queues")
    rows = [
        {**zero, **levels, **{key: n * by for key, by in rises.items()}, "time_ns": n * 10**9} for n in (1, 2)
    ]
    pl.DataFrame(rows).write_parquet(run_folder / "series" / "dual_queues.parquet")
    return airtcp.load(run_folder)


def test_both_queues_of_a_dualpi2_are_shown(dual_run):
    classic, low_latency = dual_queue_records(dual_run)
    assert [classic.queue, low_latency.queue] == ["classic", "low latency"]
    assert [classic.packets, low_latency.packets] == [200, 600]
    assert [classic.peak_delay_ms, low_latency.peak_delay_ms] == [16.0, 0.4]
    assert (classic.marked, classic.step_marked) == (100, 40)
    assert classic.mean_probability == pytest.approx(0.25)
    table = dual_queue_table([classic, low_latency])
    assert [row[1:4] for row in table.rows] == [["classic", "200", "16.00"], ["low latency", "600", "0.40"]]


def test_quantities_of_a_dualpi2(dual_run):
    view = RunView(dual_run, 10**9, 2 * 10**9)

    def number(name):
        return number_named(name, "a test").of(view).value

    # Between the two samples.
    assert number("dual_queue_packets") == pytest.approx(400)
    assert (number("dual_queue_marks"), number("dual_queue_step_marks")) == pytest.approx((50, 20))
    assert number("dual_queue_probability") == pytest.approx(0.25)
    # Of both queues together.
    assert number("dual_queue_delay") == pytest.approx(8.2)
