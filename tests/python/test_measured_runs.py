"""`airtcp measure` in a laboratory of network namespaces: real kernels, real time, and what comes of it."""

import json
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

import airtcp as package
import polars as pl
import pytest
from airtcp.data.read_once import open_once
from airtcp.data.result_set import open_result_set
from airtcp.data.run_folder import Run, open_run
from airtcp.report.run.facts import run_record
from support.command import airtcp

# What two instruments of the same run may differ by.
RATE_MOST = 0.01
RTT_MOST_MS = 0.3
# An agent sends files in pieces of so many bytes (PIECE_BYTES).
PIECE_BYTES = 192 << 10

INSTRUMENTS = """
[sampling]
flows = "10 ms"
[[ping]]
from = "h1"
to = "h2"
interval = "100 ms"
[[program]]
name = "ping"
node = "h1"
command = "ping -n -i 0.1 -D -w 5 h2"
[[udp]]
from = "h1"
to = "h2"
rate = "5 Mbit/s"
start = "2 s"
stop = "4 s"
[[program]]
name = "server"
node = "h2"
command = "iperf3 -s -1 -J"
[[program]]
name = "client"
node = "h1"
start = "5 s"
command = "iperf3 -c h2 -t 3 -J"
"""

EVERYTHING = """
seed = 7
[[flow]]
from = "h1"
to = "h2"
cca = "reno"
stop = "2 s"
[[flow]]
name = "bulk"
from = "h2"
to = "h1"
bytes = "300 kB"
cca = "bbr"
[[web]]
from = "h2"
to = "h1"
reading = "300 ms"
[[video]]
from = "h2"
to = "h1"
rates = ["400 kbit/s", "1 Mbit/s"]
segment = "500 ms"
startup = "500 ms"
[[udp]]
from = "h1"
to = "h2"
rate = "1 Mbit/s"
[[ping]]
from = "h2"
to = "h1"
interval = "100 ms"
[[capture]]
node = "r1"
interface = "eth1"
[[program]]
name = "large"
node = "h2"
command = "head -c 500000 /dev/zero; echo $NODE >&2; test -d $RUN_DIR && echo kept > own-file"
"""


@pytest.fixture(scope="module")
def instruments(network):
    """A run with the instruments of others beside our own."""
    lab = network.lab(more='set = ["queues"]')
    (run,) = network.measured(network.scenario("instruments", "9 s", INSTRUMENTS), "--lab", lab)
    return run


@pytest.fixture(scope="module")
def everything(network):
    """A run with a little of everything."""
    lab = network.lab(more='set = ["queues", "sysctls"]')
    (run,) = network.measured(network.scenario("everything", "3 s", EVERYTHING), "--lab", lab)
    return run


def test_round_trips_are_those_of_ping(instruments):
    """Without load, and beside datagrams, on the path that tbf shapes."""
    theirs = package.load(instruments.folder / "programs" / "ping.out").frame("pings")
    begun_ns = instruments.manifest["measured"]["begun_s"] * 1e9
    for begin_s, end_s in ((0, 2), (2, 4)):
        medians = []
        for frame, sent_ns in (
            (instruments.pings, pl.col("time_ns")),
            (theirs, pl.col("unix_ns") - begun_ns),
        ):
            rows = frame.filter(sent_ns.is_between(begin_s * 1e9, end_s * 1e9), pl.col("rtt_ns") >= 0)
            assert rows.height > 10
            medians.append(statistics.median(rows["rtt_ns"].to_list()) / 1e6)
        assert abs(medians[0] - medians[1]) < RTT_MOST_MS, medians


def test_throughput_is_that_of_iperf3(instruments):
    """The connection of the program, as the kernels of both ends have it, and as iperf3 counted it."""
    client = json.loads((instruments.folder / "programs" / "client.out").read_text())["end"]["sum_received"]
    (flow,) = [flow for flow in run_record(open_once(instruments.folder)).flows if flow.to == "h2"]
    assert flow.bytes_received == pytest.approx(client["bytes"], rel=RATE_MOST)
    assert flow.goodput_mbps * 1e6 == pytest.approx(client["bits_per_second"], rel=RATE_MOST)


def test_queues_count_what_was_sent(instruments):
    """The bottleneck dropped, and forwarded what arrived, with 52 bytes of headers of TCP and IP and 14 of Ethernet."""
    (queue,) = [
        queue
        for queue in instruments.agent["qdiscs"]
        if (queue["node"], queue["interface"], queue["kind"]) == ("r1", "eth1", "pfifo")
    ]
    flow = instruments.sockets["flows"][0]
    sent = flow["bytes_received"] * 1514 / 1448 + instruments.agent["datagrams"][0]["received"] * 1514
    assert queue["bytes"] == pytest.approx(sent, rel=0.05)
    samples = instruments.named("qdiscs")
    peak = samples.filter((pl.col("node_name") == "r1") & (pl.col("interface_name") == "eth1"))[
        "backlog_packets"
    ].max()
    assert 0 < peak <= 50


def test_one_way_delays_are_exact_on_one_clock(everything):
    delays = everything.datagrams
    reached = delays.filter(pl.col("delay_ns") >= 0)
    assert reached.height > 100
    assert everything.agent["datagrams"][0]["received"] == reached.height
    # A packet of 1514 bytes takes 0.6 ms at 20 Mbit/s; the queue holds 50 of them.
    assert 0 < reached["delay_ns"].min() < reached["delay_ns"].max() < 1e9
    machines = everything.manifest["measured"]["machines"].values()
    assert all(each["clock"] == each["clock"] | {"shared": True, "error_us": 0.0} for each in machines)


def test_all_traffic_arrives(everything):
    reports = {flow["name"]: flow for flow in everything.agent["flows"]}
    assert reports["bulk"]["bytes_received"] == 300_000
    assert reports["bulk"]["congestion_control"] == "bbr"
    assert reports["bulk"]["finished_ns"] is not None
    assert reports["h1-h2"]["bytes_received"] > 1_000_000
    assert all(flow["error"] is None for flow in reports.values()), reports
    transfers = everything.transfers
    done = transfers.filter(pl.col("end_ns") >= 0)
    assert done.height > 3
    assert (done["end_ns"] >= done["first_byte_ns"]).all()
    (ping,) = everything.agent["pings"]
    assert ping["received"] >= 25


def test_samples_of_flows_rise_and_agree(everything):
    rows = everything.series("flows").filter(pl.col("flow") == 0).sort("time_ns")
    assert rows.height > 10
    for column in ("bytes_received", "bytes_acked", "busy_us"):
        assert (rows[column].diff().drop_nulls() >= 0).all(), column
    last = everything.agent["flows"][0]["bytes_received"]
    assert rows["bytes_received"][-1] == pytest.approx(last, rel=0.01)


def test_a_capture_can_be_read(everything):
    (file,) = (everything.folder / "pcap").iterdir()
    capture = package.load(file)
    flows = capture.frame("flows")
    sent = flows["client_distinct_bytes"].max()
    received = everything.agent["flows"][0]["bytes_received"]
    assert sent == pytest.approx(received, rel=0.2)


def test_files_of_more_than_one_piece_arrive_whole(everything):
    programs = everything.folder / "programs"
    assert (programs / "large.out").stat().st_size == 500_000 > 2 * PIECE_BYTES
    assert (programs / "large.err").read_text() == "h2\n"
    assert (programs / "own-file").read_text() == "kept\n"
    (report,) = everything.agent["programs"]
    assert report["status"] == 0


LITTER = """
[[program]]
name = "litter"
node = "h1"
command = '''
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
mkdir -p out/deep closed p2.out; echo kept >out/deep/file; echo kept >closed/file; chmod 0 closed closed/file
ln -s /etc/passwd link; mkfifo pipe; truncate -s 1T huge; mkdir ../pcap ; mkdir ../pcap/folder
touch "$(printf 'bad\\377')" "$(printf 'a\\nb')"
'''
[[program]]
name = "p2"
node = "h1"
start = "1 s"
command = "echo second"
[[ping]]
from = "h1"
to = "h2"
"""


def test_whatever_programs_leave_the_run_is_kept(network):
    (run,) = network.measured(network.scenario("litter", "6 s", LITTER), "--lab", network.lab())
    programs = run.folder / "programs"
    assert (programs / "out" / "deep" / "file").read_text() == "kept\n"
    assert (programs / "closed" / "file").read_text() == "kept\n"
    assert (programs / "p2.out").read_text() == "second\n"
    assert (programs / "a\nb").is_file()
    warnings = "\n".join(run.agent["warnings"])
    for name in ("link", "pipe", "socket", "huge"):
        assert f"programs/{name} was left out" in warnings
        assert not (programs / name).exists()
    assert "its name is not UTF-8" in warnings
    assert run.pings.height > 0


def test_settings_are_those_of_the_scenario(everything):
    """Their values are restored, which other tests look at; the manifest says what was changed."""
    measured = everything.manifest["measured"]
    assert measured["differs"] == {}
    assert any("eth1 sends as its wire does" in line for line in measured["changed"]["r1"])


@dataclass(frozen=True)
class Repeated:
    """A scenario that was measured three times, after a run to warm up, in a store of its own."""

    file: Path
    store: Path
    runs: list[Run]


@pytest.fixture(scope="module")
def repeated(network):
    flow = '[[flow]]\nfrom = "h1"\nto = "h2"\nbytes = "100 kB"\n'
    file, store = (
        network.scenario("repeated", "20 s", f'ends_with = ["h1-h2"]\n{flow}'),
        network.folder / "repeated",
    )
    often = ("--reps", "3", "--warm-up", "1", "--pause-s", "0.2")
    return Repeated(
        file, store, network.measured(file, "--lab", network.lab("h1", "h2"), *often, store=store)
    )


def test_repetitions(repeated):
    """Each seed once, one after another; each run ends when its flow has."""
    runs = repeated.runs
    assert sorted(run.plan["seed"] for run in runs) == [1, 2, 3]
    assert all(run.agent["flows"][0]["bytes_received"] == 100_000 for run in runs)
    assert all(run.end_ns < 15e9 for run in runs)
    begun = [run.manifest["measured"]["begun_s"] for run in runs]
    assert begun == sorted(begun), "they are shown in the order in which they were measured"
    kept = {folder for folder in repeated.store.iterdir() if not folder.name.startswith(".")}
    assert kept >= {run.folder for run in runs}
    # The virtual run of other tests may be there.
    assert sum(open_run(folder).measured for folder in kept) == 3, "the run to warm up is not kept"


# Accepts a connection on the port of the first flow and closes it first, so that its end remains in TIME-WAIT. As
# the agent's own, it allows another to take the port.
TIME_WAIT = """
import socket
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("", 5001))
server.listen()
client = socket.create_connection(("127.0.0.1", 5001))
accepted, _ = server.accept()
accepted.close()
client.recv(1)
client.close()
"""


def test_a_port_is_taken_where_a_connection_is_in_time_wait(network):
    """So is the receiver's of a run before, if it was the first to close."""
    network.inside("h2", sys.executable, "-c", TIME_WAIT)
    assert ":5001" in network.inside("h2", "ss", "-Htan", "state", "time-wait")
    flow = '[[flow]]\nfrom = "h1"\nto = "h2"\nbytes = "10 kB"\n'
    file = network.scenario("time-wait", "20 s", f'ends_with = ["h1-h2"]\n{flow}')
    (run,) = network.measured(file, "--lab", network.lab("h1", "h2"))
    assert run.agent["flows"][0]["bytes_received"] == 10_000


@pytest.fixture(scope="module")
def both(repeated):
    """The store with the virtual run of the same scenario."""
    answer = airtcp("run", repeated.file, "--store", repeated.store)
    assert answer.returncode == 0, answer.stderr
    return repeated.store


def test_a_measured_run_is_no_repetition_of_a_virtual_one(both):
    (factor,) = [factor for factor in open_result_set(both).factors if factor.name == "measured"]
    assert sorted(factor.values) == ["no", "yes", "yes", "yes"]


def test_measured_and_virtual_runs_are_compared(both):
    answer = airtcp("compare", both, "--ours", "measured=no", "--theirs", "measured=yes")
    assert answer.returncode == 0, answer.stderr
    assert "(measured no;" in answer.stdout
    assert "(measured yes;" in answer.stdout
    assert "Throughput [Mbit/s]" in answer.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("plot", "{run}", "--out", "{out}"),
        ("report", "{store}", "--out", "{out}.html"),
        ("explain", "{run}"),
        ("export", "{run}", "--format", "csv", "--out", "{out}"),
        ("export", "{run}", "--format", "flent", "--out", "{out}.flent.gz"),
        ("store", "ls", "--store", "{store}"),
        ("store", "verify", "--store", "{store}"),
    ],
    ids=lambda words: "-".join(words[:1]),
)
def test_other_commands_take_a_measured_run(words, everything, network, tmp_path):
    places = {"run": everything.folder, "store": network.store, "out": tmp_path / "out"}
    answer = airtcp(*(word.format(**places) for word in words))
    assert answer.returncode == 0, answer.stderr
