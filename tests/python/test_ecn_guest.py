"""ECN in guests: what connections agree on, what queues mark, and what senders are told of it."""

import pytest
from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel
from airtcp.kernels.table import SERIES
from airtcp.quantities.named_number import number_named
from airtcp.quantities.run_view import RunView
from airtcp.report.run.report import run_tables
from support.command import run_text

pytestmark = pytest.mark.guest

WITH_ACCURATE_ECN = next(name for name, series in SERIES.items() if series.accurate_ecn)
HEAD = """
name = "ecn"
duration = "4 s"
kernel = "{kernel}"
{keys}
[wifi.home]
stations = ["sta1", "sta2"]
[sampling]
flows = "20 ms"
qdiscs = "20 ms"
air = "20 ms"
[[wire]]
between = ["ap1", "h1"]
rate = "20 Mbit/s"
delay = "10 ms"
queue = "{queue}"
"""
BACK = '[[flow]]\nfrom = "h1"\nto = "sta1"\n'
ONE = '[[flow]]\nfrom = "sta1"\nto = "h1"\n'


@pytest.fixture(scope="module")
def accurate():
    """The series that has AccECN and DualPI2."""
    try:
        find_kernel(WITH_ACCURATE_ECN)
    except AirtcpError:
        pytest.skip(f"kernel {WITH_ACCURATE_ECN} is not built")
    return WITH_ACCURATE_ECN


def ran(folder, kernel, keys="", queue="codel ecn", traffic=ONE):
    return run_text(folder, HEAD.format(kernel=kernel, keys=keys, queue=queue) + traffic)


def at_the_end(run, flow="sta1-h1"):
    return run.flow_samples(run.flow_number(flow)).row(-1, named=True)


def number_of(run, quantity):
    return number_named(quantity, "a test").of(RunView.while_flows_ran(run)).value


def bottleneck(run):
    """The last sample of the queue of ap1 towards h1."""
    rows = run.qdiscs
    return rows.filter((rows["node_name"] == "ap1") & (rows["interface_name"] == "eth0")).row(-1, named=True)


def test_with_ecn_queues_mark_and_without_they_drop(series, tmp_path):
    on = ran(tmp_path / "on", series, 'ecn = "on"')
    sender, queue = at_the_end(on), bottleneck(on)
    assert (sender["ecn"], sender["total_retrans"], queue["drops"]) == (1, 0, 0)
    # Until the sender answers with CWR each acknowledgement has ECE: more than what was marked.
    assert sender["delivered_ce"] >= queue["marks"] > 0
    off = ran(tmp_path / "off", series, 'ecn = "off"')
    sender, queue = at_the_end(off), bottleneck(off)
    assert (sender["ecn"], sender["delivered_ce"], queue["marks"]) == (0, 0, 0)
    assert queue["drops"] > 0


def test_who_does_not_ask_has_no_ecn_and_who_is_asked_agrees(series, tmp_path):
    for asks, agreed in (("", 0), ('[node.sta1]\necn = "on"\n', 1)):
        run = ran(tmp_path / str(agreed), series, traffic=asks + ONE)
        assert at_the_end(run)["ecn"] == agreed


def test_the_radios_queues_mark(tmp_path):
    """Packets for a slow radio wait in the access point's FQ-CoDel, of the model and of mac80211."""
    wifi = 'stations = ["sta1"]\nstandard = "11n"\nrate = "MCS 0"\nmac = "{mac}"'
    marked = {}
    for mac in ("airtcp", "linux"):
        text = HEAD.format(kernel="6.12", keys='ecn = "on"', queue="1000 packets")
        text = text.replace('stations = ["sta1", "sta2"]', wifi.format(mac=mac))
        run = run_text(
            tmp_path / mac, text.replace('air = "20 ms"', 'air = "20 ms"\nstations = "20 ms"') + BACK
        )
        sender = at_the_end(run, "h1-sta1")
        assert (sender["ecn"], bottleneck(run)["marks"]) == (1, 0)
        assert sender["delivered_ce"] > 0
        marked[mac] = {name: number_of(run, name) for name in ("radio_marks", "marked_share")}
        if mac == "linux":
            assert number_of(run, "station_marks") > 0
    assert marked["airtcp"]["radio_marks"] > 0 == marked["linux"]["radio_marks"]
    assert all(0 < one["marked_share"] < 1 for one in marked.values())


def test_accurate_ecn_tells_of_every_mark(accurate, tmp_path):
    traffic = '[[flow]]\nfrom = "sta1"\nto = "h1"\ncca = "dctcp"\n'
    run = ran(tmp_path, accurate, 'ecn = "accurate"', "codel ce_threshold 1ms ecn", traffic)
    sender, queue = at_the_end(run), bottleneck(run)
    assert (sender["ecn"], sender["accecn_opt_seen"], sender["accecn_fail_mode"]) == (2, 2, 0)
    # What is on its way at the last sample is not known yet.
    assert queue["marks"] - 20 <= sender["delivered_ce"] <= queue["marks"]
    assert sender["delivered_ce"] > 100
    told = sender["delivered_e0_bytes"] + sender["delivered_ce_bytes"]
    assert told == pytest.approx(sender["bytes_acked"], rel=0.01)
    assert sender["delivered_e1_bytes"] == 0
    decoded = run.tcp_info("sta1-h1").row(-1, named=True)
    assert (decoded["ecn_mode"], decoded["delivered_ce_bytes"]) == (2, sender["delivered_ce_bytes"])
    share = sender["delivered_ce"] / sender["delivered"]
    assert number_of(run, "marked_share") == pytest.approx(share, rel=0.1)


@pytest.mark.parametrize(("peer", "agreed"), [("on", 1), ("off", 0)])
def test_accurate_ecn_falls_back_to_what_the_peer_has(accurate, tmp_path, peer, agreed):
    traffic = f'[node.h1]\necn = "{peer}"\n{ONE}'
    run = ran(tmp_path, accurate, 'ecn = "accurate"', traffic=traffic)
    assert at_the_end(run)["ecn"] == agreed


def test_dualpi2_keeps_the_low_latency_queue_short_and_couples_it_to_the_classic_one(accurate, tmp_path):
    traffic = """
[node.sta2]
ecn = "off"
[[flow]]
from = "sta1"
to = "h1"
cca = "dctcp"
[[flow]]
from = "sta2"
to = "h1"
"""
    run = ran(tmp_path, accurate, 'ecn = "accurate"', "dualpi2 any_ect", traffic)
    assert (at_the_end(run)["ecn"], at_the_end(run, "sta2-h1")["ecn"]) == (2, 0)
    rows = run.dual_queues
    rows = rows.filter((rows["node_name"] == "ap1") & (rows["interface_name"] == "eth0"))
    last, late = rows.row(-1, named=True), rows.filter(rows["time_ns"] > 10**9)
    assert min(last["c_packets"], last["l_packets"]) > 500
    # Only dctcp's packets can be marked: the base probability, from the classic queue, marks them too.
    assert last["marks"] > last["step_marks"] > 0
    assert late["probability"].mean() > 0
    assert bottleneck(run)["drops"] > 0
    assert 4 * late["l_delay_us"].mean() < late["c_delay_us"].mean()
    assert number_of(run, "dual_queue_marks") > 0
    assert any("DualPI2" in table.title for table in run_tables(run))
