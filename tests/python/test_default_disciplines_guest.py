"""Real guests: what stands above a device when its queueing discipline is deleted, as above real ones of its kind."""

import json
import shutil

import pytest
from support.command import run_text

pytestmark = pytest.mark.guest

DELETE = "tc qdisc show dev {device} root; tc qdisc del dev {device} root; tc qdisc show dev {device} root"
WIRE = """
name = "wire"
duration = "4 s"
[[wire]]
between = ["h1", "h2"]
rate = "{rate}"
delay = "5 ms"
queue = "{queue}"
{more}
[[program]]
name = "told"
node = "h1"
start = "0.2 s"
command = '''{command}'''
"""


def told(run):
    """The kinds of disciplines that `tc qdisc show` printed."""
    return [line.split()[1] for line in (run.folder / "programs" / "told.out").read_text().splitlines()]


@pytest.mark.parametrize("rate", ["5 Mbit/s", "unlimited"])
def test_a_wire_gets_the_default_as_ethernet_devices_do(tmp_path, rate):
    run = run_text(
        tmp_path, WIRE.format(rate=rate, queue="20 packets", more="", command=DELETE.format(device="eth0"))
    )
    assert told(run) == ["pfifo", "pfifo_fast"]


def test_a_wire_without_a_queue_has_none_until_it_is_given_one(tmp_path):
    command = "tc qdisc show dev eth0 root; tc qdisc add dev eth0 root sfq; " + DELETE.format(device="eth0")
    run = run_text(tmp_path, WIRE.format(rate="unlimited", queue="none", more="", command=command))
    assert told(run) == ["noqueue", "sfq", "pfifo_fast"]
    assert {qdisc["kind"] for qdisc in run.agent["qdiscs"] if qdisc["node"] == "h2"} == {"noqueue"}
    assert set(run.qdiscs["node_name"]) <= {"h1"}


def test_a_run_without_any_queue_is_shown(tmp_path):
    run = run_text(tmp_path, WIRE.format(rate="unlimited", queue="none", more="", command="true"))
    assert run.qdiscs.is_empty()


def test_the_default_is_that_of_the_system(tmp_path):
    sysctl = '[sysctl]\n"net.core.default_qdisc" = "fq_codel"\n'
    command = DELETE.format(device="eth0")
    run = run_text(tmp_path, WIRE.format(rate="5 Mbit/s", queue="20 packets", more=sysctl, command=command))
    assert told(run) == ["pfifo", "fq_codel"]


def test_a_flow_goes_on_without_the_discipline_of_the_plan(tmp_path):
    flow = '[[flow]]\nfrom = "h1"\nto = "h2"\n'
    command = DELETE.format(device="eth0")
    run = run_text(tmp_path, WIRE.format(rate="5 Mbit/s", queue="20 packets", more=flow, command=command))
    # 5 Mbit/s of frames of 1514 octets carry 4.78 Mbit/s of payload; the start and one lost queue cost some of it.
    (report,) = run.flow_reports
    assert report["bytes_received"] * 8 / 4 > 4.3e6


@pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3 is not installed")
def test_iperf3_ends_when_the_discipline_was_deleted(tmp_path):
    server = '[[program]]\nname = "server"\nnode = "h2"\ncommand = "iperf3 -s -1"\n'
    command = DELETE.format(device="eth0") + "; iperf3 -c h2 -t 2 -J >$RUN_DIR/iperf3.json; true"
    run = run_text(tmp_path, WIRE.format(rate="5 Mbit/s", queue="20 packets", more=server, command=command))
    assert told(run) == ["pfifo", "pfifo_fast"]
    result = json.loads((run.folder / "programs" / "iperf3.json").read_bytes())
    assert result["end"]["sum_received"]["bits_per_second"] > 4.3e6


RADIO = """
name = "radio"
duration = "2 s"
[wifi.home]
standard = "{standard}"
stations = ["sta1"]
{more}
[[program]]
name = "told"
node = "sta1"
start = "0.2 s"
command = '''{command}'''
[[ping]]
from = "sta1"
to = "ap1"
"""


@pytest.mark.parametrize(
    ("standard", "more", "after"),
    [
        ("11n", "", "noqueue"),
        ("11n", 'mac = "linux"', "noqueue"),
        # These stop their queue, as drivers with a queue of their own do.
        ("11n", 'nic_queue = "64 packets"', "pfifo_fast"),
        ("11n", 'bql = true\nqueue = "20 packets"', "pfifo_fast"),
    ],
)
def test_a_radio_that_never_stops_has_none(tmp_path, standard, more, after):
    replace = "tc qdisc replace dev wlan0 root sfq; "
    command = replace + DELETE.format(device="wlan0")
    run = run_text(tmp_path, RADIO.format(standard=standard, more=more, command=command))
    assert told(run) == ["sfq", after]


SESSION = """
name = "session"
duration = "3 s"
[[wire]]
between = ["h1", "r1"]
rate = "unlimited"
[[wire]]
between = ["r1", "h2"]
rate = "unlimited"
delay = "5 ms"
queue = "none"
[node.r1]
kind = "router"
[[udp]]
from = "h1"
to = "h2"
rate = "80 Mbit/s"
payload = 958
phase = "none"
start = "1 s"
stop = "1.01 s"
# Neighbours are known when the datagrams come.
[[ping]]
from = "h1"
to = "h2"
interval = "200 ms"
[[session]]
at = "0.5 s"
wire = { node = "r1", interface = "eth1", rate = "8 Mbit/s", delay = "5 ms" }
[[session]]
at = "0.6 s"
start = { node = "r1", command = "tc qdisc show dev eth1 root" }
[[session]]
at = "2 s"
end = true
"""


def test_a_wire_that_gets_a_rate_gets_a_queue(tmp_path):
    """A hundred frames of 1000 octets come at ten times the rate; without a queue, what finds the wire busy would be lost."""
    run = run_text(tmp_path, SESSION)
    assert -1 not in run.series("datagrams")["delay_ns"].to_list()
    assert "qdisc pfifo 3: root refcnt 2 limit 1000p" in (run.folder / "session.jsonl").read_text()
