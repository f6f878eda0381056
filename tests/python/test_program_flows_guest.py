"""Connections and UDP flows of programs are flows, beside those of the plan and as they are."""

import json

import polars as pl
import pytest
from airtcp.report.run.report import run_tables
from support.command import airtcp, run_text

pytestmark = pytest.mark.guest

S = 1_000_000_000
# One megabyte upwards and 200 kB back over one connection, a short one, and datagrams.
TALK = """
import socket, sys
def whole(sock, count):
    while count:
        count -= len(sock.recv(min(count, 65536)))
if sys.argv[1] == "server":
    listener = socket.create_server(("", 5000))
    for amounts in ((1_000_000, 200_000), (1_000, 1_000)):
        sock, _ = listener.accept()
        whole(sock, amounts[0])
        sock.sendall(bytes(amounts[1]))
        sock.close()
elif sys.argv[1] == "client":
    for amounts in ((1_000_000, 200_000), (1_000, 1_000)):
        sock = socket.create_connection(("h1", 5000))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"bbr")
        sock.sendall(bytes(amounts[0]))
        whole(sock, amounts[1])
        sock.close()
elif sys.argv[1] == "sink":
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("", 6000))
    for _ in range(150):
        sock.recv(2000)
else:
    import time
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(150):
        sock.sendto(bytes(1000), ("h1", 6000))
        time.sleep(0.01)
"""
NETWORK = """
name = "talk"
duration = "4 s"
[wifi.home]
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "h1"]
rate = "20 Mbit/s"
[[flow]]
name = "planned"
from = "h1"
to = "sta2"
{more}
"""
PROGRAM = """
[[program]]
name = "{name}"
node = "{node}"
start = "{start}"
command = "python3 talk.py {name}"
"""
PROGRAMS = "".join(
    PROGRAM.format(name=name, node=node, start=start)
    for name, node, start in (
        ("server", "h1", "0 s"),
        ("client", "sta1", "500 ms"),
        ("sink", "h1", "0 s"),
        ("datagrams", "sta2", "1 s"),
    )
)


def talked(folder, more=""):
    folder.mkdir(exist_ok=True)
    (folder / "talk.py").write_text(TALK)
    return run_text(folder, NETWORK.format(more=more) + PROGRAMS)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return talked(tmp_path_factory.mktemp("talk"))


def test_each_direction_that_delivers_enough_is_a_flow(run):
    found = {flow["name"]: (flow["from"], flow["to"]) for flow in run.flow_plans}
    # The short connection is none; the order is that in which they began.
    assert found == {
        "planned": ("h1", "sta2"),
        "client #1": ("sta1", "h1"),
        "client #2": ("h1", "sta1"),
        "datagrams": ("sta2", "h1"),
    }
    reports = {flow["name"]: flow for flow in run.flow_reports}
    # FIN is a byte of the kernel's count.
    assert reports["client #1"]["bytes_received"] in (1_000_000, 1_000_001)
    assert reports["client #2"]["bytes_received"] in (200_000, 200_001)
    assert [reports[name]["congestion_control"] for name in found] == ["cubic", "bbr", "cubic", "UDP"]
    assert 0.5 * S < reports["client #1"]["connected_ns"] < reports["client #1"]["finished_ns"] < 3 * S
    udp = reports["datagrams"]
    assert (udp["datagrams_sent"], udp["datagrams_received"]) == (150, 150)
    assert udp["bytes_received"] == 150_000


def test_samples_are_those_of_the_socket(run):
    samples = run.flows.filter(pl.col("flow_name") == "client #1")
    assert samples["cca"].unique().to_list() == ["bbr"]
    assert samples["bytes_received"].is_sorted()
    assert samples["bytes_received"].max() >= 1_000_000
    assert samples["cwnd"].min() >= 4
    # Ten samples a second; the last one is taken when the connection ends.
    assert samples.height > 5
    datagrams = run.flows.filter(pl.col("flow_name") == "datagrams")
    assert datagrams["bytes_received"].max() == 150_000
    assert datagrams["cwnd"].null_count() == datagrams.height
    # A hundred of 1000 bytes a second: 0.8 Mbit/s.
    assert datagrams["time_ns"].max() - datagrams["time_ns"].min() == pytest.approx(1.5 * S, abs=0.15 * S)


def test_tables_and_figures_have_them(run, tmp_path):
    tables = {table.title.split(" (")[0]: table for table in run_tables(run)}
    flows = {row[0]: row for row in tables["Flows"].rows}
    assert list(flows) == ["planned", "client #1", "client #2", "datagrams"]
    # 150 datagrams of 1000 bytes in 1.5 s.
    assert float(flows["datagrams"][2]) == pytest.approx(0.8, rel=0.05)
    (udp,) = tables["UDP flows of programs"].rows
    assert udp[3:] == ["150", "150", "0.00%"]
    answer = airtcp("plot", str(run.folder), "--what", "throughput,cwnd", "--out", "both", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    svg = (tmp_path / "both.svg").read_text()
    assert "client #1 (bbr)" in svg
    assert "datagrams (UDP)" in svg


def test_one_key_switches_them_off_and_nothing_moves(run, tmp_path):
    other = talked(tmp_path / "off", "[sampling]\nsockets = false")
    assert [flow["name"] for flow in other.flow_plans] == ["planned"]
    assert other.manifest["frame_hash"] == run.manifest["frame_hash"]
    assert other.flows["flow"].unique().to_list() == [0]


def test_the_least_amount_is_a_key(run, tmp_path):
    other = talked(tmp_path / "least", '[sampling]\nsockets_least = "1 B"')
    assert len(other.flow_plans) == len(run.flow_plans) + 2
    summary = json.loads((other.folder / "summary.json").read_text())
    assert summary["sockets"]["unseen"] == 0
