"""MPTCP of programs: connections, their subflows, and the path manager of a node."""

import airtcp
import polars as pl
import pytest
from airtcp.report.run.report import run_tables
from support.command import run_text

pytestmark = pytest.mark.guest

S = 1_000_000_000
AMOUNT = 6_000_000
# An upload over one MPTCP connection, and a plain connection beside it.
TALK = """
import socket, sys
listens, protocol = sys.argv[1] == "server", socket.IPPROTO_MPTCP
if listens:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    listener.bind(("", 5000))
    listener.listen(1)
    sock, _ = listener.accept()
    while sock.recv(1 << 16):
        pass
else:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    sock.connect(("h1", 5000))
    sock.sendall(bytes({amount}))
    sock.close()
"""
# Two paths: Wi-Fi through ap1, and a wire of its own. h1 tells its second address.
NETWORK = """
name = "two-paths"
duration = "8 s"
kernel = "{kernel}"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
rate = "8 Mbit/s"
delay = "5 ms"
[[wire]]
between = ["sta1", "h1"]
rate = "4 Mbit/s"
delay = "20 ms"
[node.h1]
kind = "host"
{path_manager}
[[program]]
name = "server"
node = "h1"
command = "python3 talk.py server"
[[program]]
name = "client"
node = "sta1"
start = "500 ms"
command = "python3 talk.py client"
"""
PATH_MANAGER = """
[node.h1.mptcp]
endpoints = {{ eth1 = "signal" }}
[node.sta1.mptcp]
add_addr_accepted = {accepted}
"""


def talked(folder, path_manager="", kernel="6.12"):
    (folder / "talk.py").write_text(TALK.format(amount=AMOUNT))
    return run_text(folder, NETWORK.format(path_manager=path_manager, kernel=kernel))


@pytest.fixture(scope="module")
def run(series, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"mptcp-{series}")
    return talked(folder, PATH_MANAGER.format(accepted=4), series)


def test_a_connection_is_what_its_subflows_carry_together(run):
    (connection,) = run.connections
    assert (connection["name"], connection["subflows"]) == ("client (MPTCP)", 2)
    assert (connection["from"]["node"], connection["to"]["node"]) == ("sta1", "h1")
    # The DATA_FIN is one byte of the kernel's count.
    assert connection["bytes_received"] in (AMOUNT, AMOUNT + 1)
    subflows = [flow for flow in run.flow_reports if flow.get("mptcp") == 0]
    assert [flow["name"] for flow in subflows] == ["client #1", "client #2"]
    assert {flow["to"]["address"] for flow in subflows} == {"10.0.0.2", "10.0.1.2"}
    carried = sum(flow["bytes_received"] for flow in subflows)
    # What was sent again on the other subflow arrives twice; each FIN is a byte.
    assert AMOUNT <= carried <= AMOUNT * 1.2
    assert all(flow["bytes_received"] > AMOUNT / 10 for flow in subflows)


def test_reinjected_bytes_are_known_where_the_kernel_counts_them(run):
    (connection,) = run.connections
    assert (connection["bytes_reinjected"] is None) == (run.plan["kernel"] == "6.1")


def test_samples_are_of_both_paths_together(run):
    rows = run.mptcp
    assert rows["connection_name"].unique().to_list() == ["client (MPTCP)"]
    assert rows["bytes_received"].is_sorted()
    assert rows["bytes_received"].max() == run.connections[0]["bytes_received"]
    for earlier, later in (("bytes_received", "bytes_sent"), ("bytes_sent", "bytes_written")):
        assert (rows[earlier] <= rows[later]).all()
    assert rows["subflows"].max() == 2
    assert rows["add_addr_accepted"].max() == 1


def test_its_throughput_is_that_of_both_subflows(run):
    span = pl.col("time_ns").is_between(2 * S, 4 * S)
    rows = run.mptcp.filter(span)
    received = rows["bytes_received"][-1] - rows["bytes_received"][0]
    mbps = received * 8e3 / (rows["time_ns"][-1] - rows["time_ns"][0])
    # More than either path carries; headers take 5 % of 12 Mbit/s.
    assert 9 < mbps < 12
    together = airtcp.number(run, "throughput", flows="client #*")
    assert airtcp.number(run, "mptcp_throughput", flows="client (MPTCP)") <= together


def test_the_table_has_the_connection_above_its_subflows(run):
    (table,) = (table for table in run_tables(run) if table.title.startswith("MPTCP"))
    assert [row[0] for row in table.rows] == ["client (MPTCP)", "- client #1", "- client #2"]
    flows = {row[0]: row[2] for row in run_tables(run)[0].rows}
    assert [row[2] for row in table.rows[1:]] == [flows["client #1"], flows["client #2"]]


def test_without_a_path_manager_there_is_one_subflow(tmp_path):
    run = talked(tmp_path)
    (connection,) = run.connections
    assert connection["subflows"] == 1
    assert [flow["name"] for flow in run.flow_reports] == ["client"]
    assert run.flow_reports[0]["bytes_received"] >= connection["bytes_received"] - 1


def test_plain_tcp_has_no_connection_of_mptcp(tmp_path):
    text = TALK.replace("socket.IPPROTO_MPTCP", "socket.IPPROTO_TCP").format(amount=AMOUNT)
    (tmp_path / "talk.py").write_text(text)
    run = run_text(tmp_path, NETWORK.format(path_manager="", kernel="6.12"))
    assert run.connections == []
    assert "mptcp" not in run.recorded
    assert "mptcp" not in run.sockets


def test_a_session_shows_the_connection_while_it_goes_on(tmp_path):
    (tmp_path / "talk.py").write_text(TALK.format(amount=AMOUNT))
    text = NETWORK.format(path_manager=PATH_MANAGER.format(accepted=4), kernel="6.12")
    (tmp_path / "x.toml").write_text(text)
    with airtcp.lab(tmp_path / "x.toml", store=tmp_path / "store") as lab:
        lab.until("3 s")
        rows = lab.series("mptcp")
    assert rows["connection_name"].unique().to_list() == ["client (MPTCP)"]
    assert 0 < rows["bytes_received"].max() < AMOUNT
