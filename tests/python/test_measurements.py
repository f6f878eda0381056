"""What airtcp measures, held against what other programs say of the same run."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from airtcp.data.load import load
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.metrics.fairness import fairness_windows, jain_in_windows, rates_from_packets
from airtcp.metrics.throughput import sliding_rate_mbps
from airtcp.metrics.windows import Windows
from support.wifi_scenarios import plan_of

pytestmark = pytest.mark.guest

MS = 1_000_000
S = 1_000 * MS
SCENARIO = """
name = "measured"
duration = "4 s"
[wifi.home]
stations = 2
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
delay = "5 ms"
queue = "20 packets"
[[flow]]
from = "sta1"
to = "h1"
cca = "bbr"
bytes = "2 MB"
[[flow]]
from = "sta2"
to = "h1"
cca = "vegas"
[sampling]
flows = "1 ms"
qdiscs = "1 ms"
acks = true
delays = true
ppdus = true
[[capture]]
name = "server"
node = "h1"
[[capture]]
name = "station"
node = "sta2"
flows = "sta2-h1"
[[program]]
name = "ss"
node = "sta2"
command = "ss -tinH"
start = "2 s"
[[program]]
name = "tc"
node = "ap1"
command = "tc -s -j qdisc show dev eth0"
start = "2 s"
[[program]]
name = "iperf-server"
node = "h1"
command = "iperf3 -s -1 -J"
must_succeed = false
[[program]]
name = "iperf"
node = "sta1"
command = "iperf3 -c {h1} -J -t 1 -C reno"
start = "2.5 s"
must_succeed = false
"""

FROM_AP, TO_AP = ("ap1", "sta1"), ("sta1", "ap1")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    store = tmp_path_factory.mktemp("runs")
    plan = plan_of(SCENARIO)
    address = plan["flows"][0]["address"]
    plan["programs"][3]["command"] = plan["programs"][3]["command"].replace("{h1}", address)
    tools = Tools(find_runner(), {"6.12": find_kernel("6.12")}, store, fresh=False)
    return open_run(Path(run_plan(plan, tools, Running(), lambda _: None).folder))


def tshark(run, capture, *fields, where=""):
    """The fields of each packet of a capture."""
    command = ["tshark", "-r", run.folder / "pcap" / f"{capture}.pcapng", "-T", "fields"]
    command += [word for field in fields for word in ("-e", field)]
    command += ["-Y", where] if where else []
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in text.splitlines()]


def output(run, program):
    return (run.folder / "programs" / f"{program}.out").read_text()


def between(frame):
    """The sample of 2 s, when the programs look, and the next: each look at the clock takes them 256 ns."""
    return [frame.filter(pl.col("time_ns") == time_ns).row(0, named=True) for time_ns in (2 * S, 2 * S + MS)]


def test_ss_says_the_same_of_a_flow(run):
    said = output(run, "ss")
    value = {
        key: re.search(rf"\b{key}:([0-9.]+)", said).group(1) for key in ("cwnd", "bytes_acked", "minrtt")
    }
    before, after = between(run.flow_samples(1))
    assert int(value["cwnd"]) in (before["cwnd"], after["cwnd"])
    assert before["bytes_acked"] <= int(value["bytes_acked"]) <= after["bytes_acked"]
    assert after["bytes_acked"] - before["bytes_acked"] < 3 * 1448
    assert float(value["minrtt"]) == pytest.approx(before["min_rtt_us"] / 1e3, abs=1e-3)
    srtt_ms = float(re.search(r"\brtt:([0-9.]+)/", said).group(1))
    assert any(srtt_ms == pytest.approx(sample["srtt_us"] / 1e3, abs=1e-3) for sample in (before, after))
    assert "vegas" in said


def test_tc_says_the_same_of_a_queue(run):
    books = {book["handle"]: book for book in json.loads(output(run, "tc"))}
    place = {node["name"]: i for i, node in enumerate(run.plan["nodes"])}["ap1"]
    eth0 = [i["name"] for i in run.plan["nodes"][place]["interfaces"]].index("eth0")
    samples = run.series("qdiscs").filter((pl.col("node") == place) & (pl.col("interface") == eth0))
    assert books.keys() == {"3:"}
    for handle, book in books.items():
        before, after = between(samples.filter(pl.col("handle") == int(handle.rstrip(":"), 16)))
        for key in ("packets", "bytes", "drops", "overlimits"):
            assert before[key] <= book[key] <= after[key], (book["kind"], key)
        assert after["packets"] - before["packets"] <= 1
        backlogs = [sample["backlog_packets"] for sample in (before, after)]
        assert min(backlogs) - 1 <= book["qlen"] <= max(backlogs) + 1
    assert samples.filter(pl.col("handle") == 3)["backlog_packets"].max() == 20


def traffic_ns(run, text):
    """The traffic time of a packet, of its date in seconds as tshark prints it."""
    seconds, fraction = text.split(".")
    return (int(seconds) - run.plan["date_s"]) * S + int(fraction.ljust(9, "0"))


def test_a_capture_at_the_server_has_every_byte_of_a_flow(run):
    rows = tshark(
        run, "server", "frame.time_epoch", "tcp.seq", "tcp.len", where="tcp.dstport == 5002 && tcp.len > 0"
    )
    assert len(rows) > 500
    reach = {}
    for time, sequence, length in rows:
        reach[traffic_ns(run, time)] = int(sequence) + int(length) - 1
    samples = run.flow_samples(1)
    for time_ns in (S, 2 * S, 3 * S):
        sample = samples.filter(pl.col("time_ns") == time_ns).row(0, named=True)
        seen = max(end for time, end in reach.items() if time <= time_ns)
        # What is beyond a hole is not received in order: at most the queue's length of it.
        assert sample["bytes_received"] <= seen <= sample["bytes_received"] + 60 * 1448


def test_no_packet_of_a_capture_is_malformed(run):
    for capture in ("server", "station"):
        assert tshark(run, capture, "frame.number", where="_ws.malformed") == []
    ports = {port for row in tshark(run, "station", "tcp.port") for port in row[0].split(",")}
    assert "5002" in ports
    assert "5001" not in ports


def test_one_way_delays_are_those_between_two_captures(run):
    wanted = ("frame.time_epoch", "ip.id", "tcp.seq_raw")
    data = "tcp.dstport == 5002 && tcp.len > 0"
    sent = {(i, seq): traffic_ns(run, t) for t, i, seq in tshark(run, "station", *wanted, where=data)}
    came = {(i, seq): traffic_ns(run, t) for t, i, seq in tshark(run, "server", *wanted, where=data)}
    between = sorted(came[key] - sent[key] for key in came)
    rows = run.series("delays").filter(
        (pl.col("flow") == 1) & (pl.col("direction") == 0) & (pl.col("bytes") > 60)
    )
    arrived = rows.filter(pl.col("delay_ns") >= 0)
    # From the queue of the station's device on; a capture sees what has left it.
    assert arrived.height == len(between)
    last_ns = arrived["time_ns"].max()
    lost = [key for key, time in sent.items() if key not in came and time <= last_ns]
    assert rows.height - arrived.height == len(lost)
    assert arrived["delay_ns"].min() >= 5 * MS
    for ours, theirs in zip(sorted(arrived["delay_ns"].to_list()), between, strict=True):
        assert ours >= theirs - 1
    median_ns = sorted(arrived["delay_ns"].to_list())[len(between) // 2]
    assert median_ns == pytest.approx(between[len(between) // 2], rel=0.05)


def test_a_packet_of_a_node_with_a_bridge_has_one_delay(tmp_path):
    """It enters the queue of the bridge and that of its port."""
    flows = "".join(f'[[flow]]\nfrom = "{a}"\nto = "{b}"\nbytes = "100 kB"\n' for a, b in (FROM_AP, TO_AP))
    plan = plan_of(
        f'name = "bridge"\nduration = "2 s"\n[wifi.home]\nstations = 1\n{flows}[sampling]\ndelays = true\n'
    )
    tools = Tools(find_runner(), {"6.12": find_kernel("6.12")}, tmp_path, fresh=False)
    delays = open_run(Path(run_plan(plan, tools, Running(), lambda _: None).folder)).series("delays")
    packets = delays.group_by("flow", "direction", "sequence", "bytes", "time_ns").len()
    assert packets["len"].max() == 1
    assert delays.filter(pl.col("delay_ns") < 0).is_empty(), "nothing is lost"
    assert delays.filter((pl.col("direction") == 0) & (pl.col("bytes") > 60)).height >= 2 * 69


def test_times_of_limits_add_up_to_the_time_of_the_flow(run):
    samples = run.flow_samples(1)
    limits = [column for column in samples.columns if column.endswith("_limited_ns")]
    assert len(limits) == 7
    total = samples.select(pl.sum_horizontal(limits)).to_series()
    passed = samples["time_ns"] - samples["time_ns"][0]
    off = (total.cast(pl.Int64) - total[0] - passed).abs()
    # Programs move the clock on by a step of 256 ns with each look at it. One that is busy may hold up the thread that has
    # the socket, and so the sample; what comes late is not lost.
    before_programs = samples["time_ns"] < min(
        program["start_ns"] for program in run.plan["programs"] if program["start_ns"]
    )
    assert off.filter(before_programs).max() <= 4 * 256
    assert off[-1] <= 4 * 256
    assert off.quantile(0.99) <= 4 * 256
    # Vegas keeps its queue short by its window; it has always something to send.
    last = samples.row(-1, named=True)
    assert last["cwnd_limited_ns"] / total[-1] > 0.9
    bbr = run.flow_samples(0).row(-1, named=True)
    assert bbr["pacing_limited_ns"] + bbr["cwnd_limited_ns"] > 0.9 * (
        bbr["time_ns"] - run.flow_samples(0)["time_ns"][0]
    )


def test_the_congestion_controls_tell_of_themselves(run):
    bbr, vegas = run.flow_samples(0), run.flow_samples(1)
    assert set(bbr["cc_kind"]) == {3}
    assert set(vegas["cc_kind"]) == {1}


def test_a_flow_of_given_length_ends_with_a_last_sample(run):
    last = run.flow_samples(0).row(-1, named=True)
    finished_ns = run.agent["flows"][0]["finished_ns"]
    assert last["bytes_received"] == 2_000_000 + 1  # and the end, which counts as one
    assert 0 <= finished_ns - last["time_ns"] < 10_000


def test_every_segment_that_reaches_a_sender_is_traced(run):
    acks = run.series("acks").filter(pl.col("flow") == 1)
    last = acks.row(-1, named=True)
    seen = tshark(run, "station", "tcp.ack_raw", where="tcp.srcport == 5002 && !(tcp.flags.syn == 1)")
    assert acks.height == len(seen)
    assert acks["time_ns"].is_sorted()
    # The tracepoint stands before the segment is taken in: the row before the last acknowledgement knows the one before.
    assert last["snd_una"] == int(seen[-2][0])
    assert last["rto_us"] >= 200_000


def test_iperf3_got_what_the_air_carried(run):
    report = json.loads(output(run, "iperf"))
    received = report["end"]["sum_received"]["bytes"]
    rows = tshark(
        run, "server", "tcp.len", where="tcp.dstport == 5201 && tcp.len > 0 && !tcp.analysis.retransmission"
    )
    seen = sum(int(row[0]) for row in rows)
    assert received == pytest.approx(seen, rel=0.1)


def test_fairness_from_a_capture_is_that_of_tsharks_packets(run):
    packets = load(run.folder / "pcap" / "server.pcapng").frame("packets")
    connections = load(run.folder / "pcap" / "server.pcapng").frame("flows")
    chosen = {
        row["flow"]: row["server_port"]
        for row in connections.iter_rows(named=True)
        if row["server_port"] in (5001, 5002)
    }
    data = packets.filter(
        (pl.col("payload_bytes") > 0) & pl.col("flow").is_in(list(chosen)) & (pl.col("direction") == 0)
    )
    windows = fairness_windows(0, 2 * S)
    ours = jain_in_windows(
        rates_from_packets(data.select("time_ns", "flow", "bytes"), windows), active="received"
    )

    rows = tshark(
        run,
        "server",
        "frame.time_epoch",
        "tcp.dstport",
        "ip.len",
        where="tcp.len > 0 && tcp.dstport in {5001,5002}",
    )
    for window in ours.iter_rows(named=True):
        totals = dict.fromkeys(("5001", "5002"), 0)
        for time, port, length in rows:
            if window["start_ns"] <= traffic_ns(run, time) < window["stop_ns"]:
                totals[port] += int(length)
        received = [total for total in totals.values() if total]
        assert window["total_mbps"] == pytest.approx(sum(received) * 8 / 0.4 / 1e6)
        index = (
            sum(received) ** 2 / (len(received) * sum(total**2 for total in received))
            if received
            else float("nan")
        )
        assert window["jain"] == pytest.approx(index, nan_ok=True)
    assert ours.height == 9


def test_goodput_of_an_imported_iperf3_is_that_of_the_capture(run):
    measured = load(run.folder / "programs" / "iperf.out")
    assert measured.format == "iperf3 JSON"
    transfer = measured.frame("streams").row(0, named=True)
    report = json.loads(output(run, "iperf"))
    assert transfer["bytes_received"] == report["end"]["sum_received"]["bytes"]
    rows = tshark(run, "server", "frame.time_epoch", "tcp.len", where="tcp.dstport == 5201 && tcp.len > 0")
    times = [traffic_ns(run, time) / S for time, _ in rows]
    seen_mbps = sum(int(length) for _, length in rows) * 8 / (max(times) - min(times)) / 1e6
    assert transfer["received_bps"] / 1e6 == pytest.approx(seen_mbps, rel=0.15)


def test_throughput_of_a_flow_is_that_of_tsharks_bytes(run):
    fields = ("frame.time_epoch", "tcp.seq", "tcp.len")
    rows = tshark(run, "server", *fields, where="tcp.dstport == 5002 && tcp.len > 0")
    # What is received in order: up to the first byte that has not come.
    reached, ahead, in_order = 1, {}, []
    for time, sequence, length in rows:
        ahead[int(sequence)] = int(sequence) + int(length)
        while (first := min(ahead, default=reached + 1)) <= reached:
            reached = max(reached, ahead.pop(first))
        in_order.append((traffic_ns(run, time), reached - 1))
    samples = run.flow_samples(1)
    windows = Windows(S, 3 * S, S // 2, S // 2)
    rates = sliding_rate_mbps(samples["time_ns"].to_numpy(), samples["bytes_received"].to_numpy(), windows)
    for begin_ns, rate_mbps in zip(windows.starts_ns, rates, strict=True):
        before, after = (
            max(count for time_ns, count in in_order if time_ns <= at) for at in (begin_ns, begin_ns + S // 2)
        )
        assert rate_mbps == pytest.approx((after - before) * 8 / 0.5 / 1e6, rel=0.01)


def test_the_manifest_has_the_checksum_of_every_result(run):
    for path, sha256 in run.manifest["sha256"].items():
        assert hashlib.sha256((run.folder / path).read_bytes()).hexdigest() == sha256
    held = {path.split("/")[0] for path in run.manifest["sha256"]}
    assert held == {"plan.json", "summary.json", "series", "pcap"}


def test_a_changed_bit_is_noticed(run, tmp_path):
    copy = tmp_path / run.name
    shutil.copytree(run.folder, copy)
    file = copy / "series" / "acks.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 4
    file.write_bytes(content)
    with pytest.raises(AirtcpError, match="damaged"):
        open_run(copy).series("acks")
