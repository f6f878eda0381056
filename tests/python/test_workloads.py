"""Workloads: what a scenario means, what is refused, and what their metrics say of known timelines."""

import numpy as np
import pytest
from airtcp.metrics.completion import completions
from airtcp.metrics.datagrams import stream
from airtcp.metrics.jitter import ipdv_ms, pdv_ms
from airtcp.metrics.survival import Estimate, statistic
from airtcp.metrics.video import Levels, Segment, Stall, playback
from airtcp.scenario.errors import ScenarioError
from support.wifi_scenarios import plan_of

S = 1_000_000_000
MS = 1_000_000
BASE = 'name = "x"\nduration = "10 s"\n[[wire]]\nbetween = ["h1", "h2"]\n'
ENDS = 'from = "h1"\nto = "h2"\n'


def plan_with(text):
    return plan_of(BASE + text)


def flow_of(kind, text):
    return plan_with(f"[[{kind}]]\n{ENDS}{text}")["flows"][0]


def constant(value):
    return {"kind": "constant", "value": value}


def test_bursts_by_time_and_by_amount():
    by_time = flow_of("flow", 'on = "2 s"\noff = { exponential = "1 s" }')
    assert by_time["workload"] == {
        "kind": "on_off",
        "on": {"kind": "time", "on_ns": constant(2 * S)},
        "off_ns": {"kind": "exponential", "mean": S},
    }
    by_amount = flow_of("flow", 'amount = { uniform = ["1 kB", "3 kB"] }\noff = "1 s"')
    assert by_amount["workload"]["on"] == {
        "kind": "bytes",
        "amount_bytes": {"kind": "uniform", "least": 1000, "most": 3000},
    }


def test_who_asks_connects():
    plan = plan_with(f'[[flow]]\n{ENDS}[[request]]\n{ENDS}response = "1 kB"\ncount = 3\n[[ping]]\n{ENDS}')
    pushed, asked = plan["flows"]
    assert (pushed["address"], asked["address"]) == ("10.0.0.2", "10.0.0.1")
    assert [(flow["name"], flow["port"]) for flow in plan["flows"]] == [("h1-h2", 5001), ("h1-h2-2", 5002)]
    assert asked["workload"] == {
        "kind": "requests",
        "request_bytes": 200,
        "response_bytes": constant(1000),
        "think_ns": constant(0),
        "count": 3,
    }


def test_a_receiver_may_wait_for_much_to_be_there():
    assert flow_of("flow", 'low_water = "128 KiB"')["low_water_bytes"] == 131_072
    assert flow_of("flow", "")["low_water_bytes"] is None
    assert flow_of("request", 'response = "1 kB"')["low_water_bytes"] is None
    with pytest.raises(ScenarioError, match=r"low_water.*only reads"):
        flow_of("flow", 'on = "2 s"\noff = "1 s"\nlow_water = "128 KiB"')


def test_pacing_and_code_points():
    flow = flow_of("video", 'rates = ["1 Mbit/s"]\npacing = "5 Mbit/s"\ndscp = "af41"')
    assert (flow["pacing_bps"], flow["dscp"]) == (5_000_000, 34)
    assert plan_with(f'[[udp]]\n{ENDS}rate = "1 Mbit/s"\ndscp = "EF"')["datagrams"][0]["dscp"] == 46
    pings = plan_with(f'[[ping]]\n{ENDS}[[ping]]\n{ENDS}dscp = "CS6"\nname = "control"\n')["pings"]
    assert [ping["dscp"] for ping in pings] == [0, 48]


def test_the_web_has_the_defaults_of_its_source():
    workload = flow_of("web", "")["workload"]
    sizes = {"least": 100, "most": 2_000_000}
    assert workload["page_bytes"] == {"kind": "lognormal", "median": 4213, "sigma": 1.366, **sizes}
    assert workload["objects"] == {"kind": "pareto", "scale": 2, "shape": 1.1, "most": 55, "less": 2}
    assert workload["parse_ns"] == {"kind": "exponential", "mean": 130 * MS}
    # Median and sigma of a log-normal distribution with the mean and the deviation of 3GPP TR 25.892.
    for median, sigma, mean, deviation in ((4213, 1.366, 10710, 25032), (476, 2.3625, 7758, 126168)):
        square = 1 + (deviation / mean) ** 2
        assert (median, sigma) == (round(mean / square**0.5), pytest.approx(np.log(square) ** 0.5, abs=5e-4))


def test_video_chooses_how():
    rates = 'rates = ["1 Mbit/s", "2 Mbit/s"]\n'
    by_buffer = flow_of("video", rates + 'buffer = "240 s"')["workload"]["adaptation"]
    assert by_buffer == {"kind": "buffer", "reservoir_ns": 90 * S, "upper_ns": 216 * S}
    by_throughput = flow_of("video", rates + 'adaptation = "throughput"')["workload"]["adaptation"]
    assert by_throughput == {"kind": "throughput", "segments": 5, "safety": 0.85}
    assert flow_of("video", 'rates = ["1 Mbit/s"]')["workload"]["adaptation"] == {"kind": "fixed"}


def test_datagrams_have_ports_of_their_own():
    plan = plan_with(f'[[flow]]\n{ENDS}[[udp]]\n{ENDS}rate = "1 Mbit/s"\npace = "poisson"\nstop = "20 s"')
    assert plan["datagrams"] == [
        {
            "name": "h1-h2",
            "from": "h1",
            "to": "h2",
            "address": "10.0.0.2",
            "port": 5001,
            "payload_bytes": 1472,
            "rate_bps": 1_000_000,
            "spacing": {"kind": "poisson"},
            "phase": "none",
            "dscp": 0,
            "start_ns": 0,
            "stop_ns": 10 * S,
        }
    ]


# Table, its keys, the key of the error, a part of what it says.
WRONG = [
    ("flow", 'on = "1 s"', "flow[0].off", "is missing"),
    ("flow", 'off = "1 s"', "flow[0].amount", "is missing, and so is on"),
    ("flow", 'on = "1 s"\namount = "1 kB"\noff = "1 s"', "flow[0].amount", "beside on"),
    ("flow", 'on = "1 s"\noff = "1 s"\nbytes = "1 MB"', "flow[0].bytes", "a flow of bursts goes on"),
    ("flow", 'on = "0 s"\noff = "1 s"', "flow[0].on", "must be more than 0"),
    ("flow", 'bytes = "1 MB"\nstop = "2 s"', "flow[0].bytes", "stop is given too"),
    ("flow", 'stop = "2 s"\nduration = "1 s"', "flow[0].duration", "stop is given too"),
    ("flow", 'on = { gamma = "1 s" }\noff = "1 s"', "flow[0].on", "names no distribution"),
    ("flow", 'on = { exponential = "1 s", sigma = 1 }\noff = "1 s"', "flow[0].on", "is not a key of exponential"),
    ("flow", 'on = { exponential = "1 s", pareto = "1 s" }\noff = "1 s"', "flow[0].on", "are two distributions"),
    ("flow", 'on = { uniform = ["2 s", "1 s"] }\noff = "1 s"', "flow[0].on", "above the second"),
    ("flow", 'on = { pareto = "1 s" }\noff = "1 s"', "flow[0].on", "shape must be a number"),
    ("request", "", "request[0].response", "is missing"),
    ("request", 'response = "1 kB"\nrequest = "7 B"', "request[0].request", "is too short"),
    ("request", 'response = 1000', "request[0].response", "has no unit"),
    ("request", 'response = { lognormal = "1 kB", sigma = 1, least = "2 kB" }', "request[0].response", "median"),
    ("web", "objects = 1.5", "web[0].objects", "not a number of things"),
    ("video", "", "video[0].rates", "is missing"),
    ("video", 'rates = ["2 Mbit/s", "1 Mbit/s"]', "video[0].rates", "rates must rise"),
    ("video", 'rates = ["1 Mbit/s"]\nbuffer = "3 s"', "video[0].startup", "never come"),
    ("udp", 'rate = "1 Mbit/s"\npayload = 4', "udp[0].payload", "write at least 8"),
    ("udp", 'rate = "1 Mbit/s"\ndscp = "EX"', "udp[0].dscp", "unknown DSCP"),
    ("ping", "dscp = 64", "ping[0].dscp", "write at most 63"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "key", "what"), WRONG, ids=[f"{w[2]}: {w[3]}" for w in WRONG])
def test_what_contradicts_itself_names_its_key(kind, text, key, what):
    with pytest.raises(ScenarioError) as caught:
        plan_with(f"[[{kind}]]\n{ENDS}{text}")
    assert caught.value.key == key
    assert what in str(caught.value)


def test_names_are_unique_over_all_connections():
    with pytest.raises(ScenarioError, match="appears twice"):
        plan_with(f'[[flow]]\n{ENDS}name = "a"\n[[web]]\n{ENDS}name = "a"')


def segments(*rows):
    return [Segment(end_s * S, 4 * S, mbps * 1_000_000) for end_s, mbps in rows]


def test_a_viewer_waits_stalls_and_sees_switches():
    # The timeline of the player's own test: it begins at 2 s, is empty at 14 s and goes on at 20 s.
    seen = playback(
        segments((1, 1), (2, 1), (3, 2), (20, 1), (22, 1)), Levels(8 * S, 4 * S), 0, 24 * S, whole_film=False
    )
    assert seen.startup_s == 2
    assert seen.stalls == (Stall(14 * S, 6 * S),)
    assert seen.stall_ratio == pytest.approx(6 / 22)
    assert seen.mean_rate_mbps == pytest.approx(6 / 5)
    assert seen.switches == 2
    assert [level for time, level in seen.levels if time == 22 * S] == [2 * S, 6 * S]
    assert seen.levels[-1] == (24 * S, 4 * S)


def test_a_stall_at_the_end_counts_until_then():
    seen = playback(segments((1, 1)), Levels(4 * S, 4 * S), 0, 8 * S, whole_film=False)
    assert (seen.startup_s, seen.stalls, seen.stalled_s) == (1, (Stall(5 * S, 3 * S),), 3)
    # Of a whole film, there was nothing more to see.
    over = playback(segments((1, 1)), Levels(4 * S, 4 * S), 0, 8 * S, whole_film=True)
    assert (over.stalls, over.levels[-1]) == ((), (5 * S, 0))


def test_without_a_picture_there_is_no_start():
    seen = playback([], Levels(S, S), 0, 8 * S, whole_film=False)
    assert np.isnan([seen.startup_s, seen.stall_ratio, seen.mean_rate_mbps]).all()
    assert (seen.stalls, seen.switches) == ((), 0)


def array(*values):
    return np.array(values, dtype=np.int64)


def test_completion_times():
    asked = array(0, 5 * MS, 9 * MS)
    # 10 ms, 4 ms, and one that has taken 16 ms when the run ends.
    done = completions(asked, array(2 * MS, 6 * MS, -1), array(10 * MS, 9 * MS, -1), 25 * MS)
    assert (done.completed, done.unfinished, done.first_byte_ms) == (2, 1, 1.5)
    # The share under way: 1 until 4 ms, 2/3 until 10 ms, 1/3 until 16 ms and longer.
    assert done.mean_ms == Estimate(pytest.approx(4 + 6 * 2 / 3 + 6 / 3), at_least=True)
    assert done.median_ms == Estimate(10)
    assert done.p95_ms == done.max_ms == Estimate(16, at_least=True)
    with pytest.raises(ValueError, match="before it was asked for"):
        completions(array(5), array(-1), array(4), 9)


def test_lost_datagrams_are_those_before_the_last_received():
    sent = array(*(n * 10 * MS for n in range(6)))
    seen = stream(sent, array(5 * MS, -1, 7 * MS, 5 * MS, -1, -1), 62 * MS)
    assert (seen.sent, seen.received, seen.lost, seen.unsettled) == (6, 3, 1, 2)
    assert (seen.loss_share, seen.min_ms) == (0.25, 5)
    # The fifth, sent at 40 ms, had taken 22 ms when the run ended, so the longest is longer than that.
    assert seen.p95_ms == seen.max_ms == Estimate(22, at_least=True)
    # RFC 3550: 0 + (2 - 0) / 16 = 0.125, then + (2 - 0.125) / 16.
    assert seen.jitter_ms == pytest.approx(0.125 + 1.875 / 16)


def test_jitter_follows_the_order_of_arrival():
    # The second overtakes the first: delays 30, 5, 6 ms arrive as 5, 6, 30.
    seen = stream(array(0, 10 * MS, 20 * MS), array(30 * MS, 5 * MS, 6 * MS), 50 * MS)
    assert seen.jitter_ms == pytest.approx(1 / 16 + (24 - 1 / 16) / 16)


def test_delay_varies_between_datagrams_that_were_sent_one_after_another():
    # In ms: 5, lost, 9, 6, 7, and one that arrives out of order.
    delays = array(5 * MS, -1, 9 * MS, 6 * MS, 7 * MS, 30 * MS)
    places, ipdv = ipdv_ms(delays)
    # RFC 5481, 4.1: no pair has the lost one.
    assert (places.tolist(), ipdv.tolist()) == ([3, 4, 5], [3, 1, 23])
    places, pdv = pdv_ms(delays)
    # 4.2: above the least, which is 5 ms.
    assert (places.tolist(), pdv.tolist()) == ([0, 2, 3, 4, 5], [0, 4, 1, 2, 25])
    seen = stream(array(*(n * 20 * MS for n in range(6))), delays, 200 * MS)
    assert [statistic(seen.ipdv, name).value for name in ("median", "p95", "most")] == [3, 23, 23]
    assert statistic(seen.pdv, "p50").value == 2


@pytest.mark.parametrize("delays", [(), (-1, -1), (5 * MS,)])
def test_of_less_than_two_arrivals_nothing_varies(delays):
    assert ipdv_ms(array(*delays))[1].size == 0
    assert pdv_ms(array(*delays))[1].tolist() == [0] * sum(delay >= 0 for delay in delays)


def test_nothing_received_is_nothing_lost():
    seen = stream(array(0, 1), array(-1, -1), MS)
    assert (seen.sent, seen.lost, seen.unsettled) == (2, 0, 2)
    assert np.isnan([seen.loss_share, seen.mean_ms, seen.jitter_ms]).all()


def ends_with(value, text, top=""):
    head = f'name = "x"\nduration = "10 s"\nends_with = {value}\n{top}'
    wire = '[[wire]]\nbetween = ["h1", "h2"]\n'
    return plan_of(head + wire + text)["ends_with"]


COUNTED = (
    f'[[flow]]\n{ENDS}name = "file-a"\nbytes = "1 MB"\n'
    f'[[flow]]\n{ENDS}name = "endless"\n'
    f'[[flow]]\n{ENDS}name = "file-b"\nstop = "9 s"\n'
    f'[[request]]\n{ENDS}name = "ask"\nresponse = "1 kB"\ncount = 3\n'
    f'[[web]]\n{ENDS}name = "pages"\ncount = 2\n'
    f'[[video]]\n{ENDS}name = "film"\nrates = ["1 Mbit/s"]\nlength = "8 s"\n'
    f'[[request]]\n{ENDS}name = "asking"\nresponse = "1 kB"\n'
    f'[[web]]\n{ENDS}name = "surfing"\n'
    f'[[video]]\n{ENDS}name = "channel"\nrates = ["1 Mbit/s"]\n'
    f'[[flow]]\n{ENDS}name = "bursts"\non = "1 s"\noff = "1 s"\n'
)


def test_a_run_may_end_with_flows():
    assert plan_with(COUNTED)["ends_with"] == []
    assert ends_with('"file-a"', COUNTED) == [0]
    assert ends_with('"file-*"', COUNTED) == [0, 2]
    names = [flow["name"] for flow in plan_with(COUNTED)["flows"]]
    chosen = ends_with('["film", "pages", "ask", "file-a", "file-a"]', COUNTED)
    assert [names[number] for number in chosen] == ["file-a", "ask", "pages", "film"]


@pytest.mark.parametrize("name", ["endless", "asking", "surfing", "channel", "bursts", "*"])
def test_a_run_can_not_end_with_what_has_no_end(name):
    with pytest.raises(ScenarioError, match="goes on until the run ends") as caught:
        ends_with(f'"{name}"', COUNTED)
    assert caught.value.key == "ends_with"
    assert name == "*" or name in caught.value.what


def test_flows_that_end_a_run_must_be_there():
    for value, says in (
        ('"fil"', 'no flow and no program is named "fil"'),
        ("[]", "names no flow"),
        ('""', "names no flow"),
    ):
        with pytest.raises(ScenarioError, match=says) as caught:
            ends_with(value, COUNTED)
        assert caught.value.key == "ends_with"
    with pytest.raises(ScenarioError, match="Known: none"):
        ends_with('"x"', "")
