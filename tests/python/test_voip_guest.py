"""Telephone calls: what the scenario means, and two calls over a real radio."""

import numpy as np
import pytest
from airtcp.metrics.datagrams import stream
from airtcp.report.run.applications import stream_records
from airtcp.scenario.errors import ScenarioError
from support.command import run_text
from support.wifi_scenarios import plan_of

MS = 1_000_000
S = 1_000_000_000
SCENARIO = """
name = "calls"
duration = "60 s"
[wifi.home]
standard = "11n"
stations = ["phone", "laptop"]
[[wire]]
between = ["ap1", "h1"]
rate = "100 Mbit/s"
delay = "10 ms"
[[voip]]
name = "call"
from = "phone"
to = "h1"
[[voip]]
from = "laptop"
to = "h1"
codec = "G.729"
pause = "0 s"
start = "1 s"
duration = "10 s"
dscp = 0
"""


def streams_of(text):
    return plan_of(text)["datagrams"]


def test_a_call_is_two_streams():
    forward, back, plain, plain_back = streams_of(SCENARIO)
    assert [one["name"] for one in (forward, back)] == ["call", "call-reverse"]
    assert (forward["from"], forward["to"]) == (back["to"], back["from"]) == ("phone", "h1")
    assert (plain["name"], plain_back["name"]) == ("laptop-h1", "laptop-h1-reverse")
    spurts = {"kind": "talk_spurts", "talk_ns": 1004 * MS, "pause_ns": 1587 * MS}
    for one in (forward, back):
        assert (one["spacing"], one["dscp"], one["phase"]) == (spurts, 46, "random")
        # 12 octets of RTP and 160 of speech, 50 times a second.
        assert (one["payload_bytes"], one["rate_bps"]) == (172, 68_800)
    for one in (plain, plain_back):
        assert (one["spacing"], one["dscp"]) == ({"kind": "constant"}, 0)
        assert (one["payload_bytes"], one["rate_bps"]) == (32, 12_800)
        assert (one["start_ns"], one["stop_ns"]) == (S, 11 * S)


def test_a_spurt_has_packets_and_names_are_unique():
    with pytest.raises(ScenarioError, match=r"voip\[0\].pause.*shorter than a packet"):
        streams_of(SCENARIO.replace('name = "call"', 'pause = "19 ms"'))
    taken = '[[udp]]\nname = "call-reverse"\nfrom = "phone"\nto = "h1"\nrate = "1 Mbit/s"\n'
    with pytest.raises(ScenarioError, match='"call-reverse" appears twice'):
        streams_of(SCENARIO + taken)


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    return run_text(tmp_path_factory.mktemp("calls"), SCENARIO)


@pytest.mark.guest
def test_packets_are_sent_in_spurts_and_arrive(calls):
    for number in (0, 1):
        frame = calls.stream_datagrams(number)
        gaps = np.diff(frame["time_ns"].to_numpy())
        # On the clock of the encoder, to the resolution of the guest's clock.
        assert np.abs((gaps + 10 * MS) % (20 * MS) - 10 * MS).max() < 1000
        # 23 spurts are expected in a minute, with a deviation of 3.5.
        assert 9 <= (gaps > 30 * MS).sum() <= 37
        seen = stream(frame["time_ns"].to_numpy(), frame["delay_ns"].to_numpy(), calls.end_ns)
        assert seen.lost == 0
        # The wire, and less than a millisecond of an idle radio.
        assert 10.0 < seen.mean_ms < 11.0
    assert calls.stream_datagrams(0)["time_ns"].to_list() != calls.stream_datagrams(1)["time_ns"].to_list()


@pytest.mark.guest
def test_without_suppression_both_ends_send_all_the_time(calls):
    for number in (2, 3):
        assert calls.stream_datagrams(number).height == 500
    assert [stream.stream for stream in stream_records(calls)] == [
        "call",
        "call-reverse",
        "laptop-h1",
        "laptop-h1-reverse",
    ]
