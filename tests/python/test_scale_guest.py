"""Real guests: large scenarios boot and everything in them delivers; lists that are too long for memory are whole."""

import polars as pl
import pytest
from support.command import run_text

pytestmark = pytest.mark.guest

MS = 1_000_000
STATIONS = """
name = "stations"
duration = "3 s"
[wifi.hall]
stations = 200
[[wire]]
between = ["ap1", "h1"]
[[flow]]
from = "sta*"
to = "h1"
bytes = "3 kB"
[[ping]]
from = "h1"
to = "sta*"
interval = "2 s"
[sampling]
flows = "1 s"
qdiscs = "1 s"
air = "1 s"
"""
WIRE = """
name = "wire"
duration = "2 s"
[[wire]]
between = ["h1", "h2"]
delay = "DELAY"
"""
FLOW = """
[[flow]]
from = "h1"
to = "h2"
bytes = "100 B"
"""
# 25,000 datagrams a second, of which more are on their way than stay in the agent's memory. The flow resolves the address.
STREAM = """
[[udp]]
from = "h1"
to = "h2"
start = "1 s"
rate = "20 Mbit/s"
payload = 100
"""


def test_all_of_200_stations_of_a_cell_deliver(tmp_path):
    run = run_text(tmp_path, STATIONS)
    assert run.agent["warnings"] == []
    assert [flow["bytes_received"] for flow in run.flow_reports] == [3_000] * 200
    pings = run.series("pings")
    assert set(pings.filter(pl.col("rtt_ns") > 0)["ping"]) == set(range(200))


def test_500_flows_have_files_and_threads_enough(tmp_path):
    # Half of them find the queue of the unresolved address full, and try again after a second.
    run = run_text(tmp_path, WIRE.replace("DELAY", "1 ms") + 500 * FLOW)
    assert run.agent["warnings"] == []
    assert [flow["bytes_received"] for flow in run.flow_reports] == [100] * 500


def test_datagrams_that_arrive_when_their_rows_are_on_the_disk_are_timed(tmp_path):
    run = run_text(tmp_path, WIRE.replace("DELAY", "400 ms") + FLOW + STREAM)
    datagrams = run.series("datagrams")
    (report,) = run.agent["datagrams"]
    assert report["sent"] == datagrams.height == 25_000
    assert datagrams["sequence"].to_list() == list(range(25_000))
    assert datagrams["time_ns"].is_sorted()
    arrived = datagrams.filter(pl.col("delay_ns") >= 0)
    # Those of the first 600 ms, and the wire takes 1.1 us for each.
    assert report["received"] == arrived.height == pytest.approx(15_000, abs=10)
    assert arrived["sequence"].to_list() == list(range(arrived.height))
    delays = arrived["delay_ns"].to_list()
    assert 400 * MS < min(delays) <= max(delays) < 401 * MS
