"""Where the clock stops for a condition: the instant is that of series, captures and counters, to the nanosecond."""

import json
import re
import subprocess
from pathlib import Path

import airtcp
import polars as pl
import pytest
from airtcp.errors import AirtcpError
from airtcp.sessions.lab import Lab
from support.command import COMMAND, environment
from support.documentation_pages import DOCS, blocks

pytestmark = pytest.mark.guest

QUEUE_PACKETS = 20
# More than a program that looks at counters needs.
LOOK_NS = 100_000
# A sender that fills a queue of twenty packets: its first loss is computed by hand from captures.
WIRED = f"""
name = "wired"
duration = "6 s"
[[wire]]
between = ["h1", "r1"]
rate = "100 Mbit/s"
delay = "1 ms"
[[wire]]
between = ["r1", "h2"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = "{QUEUE_PACKETS} packets"
[[flow]]
name = "download"
from = "h1"
to = "h2"
[sampling]
flows = "100 ms"
"""
AIR = """
name = "air"
duration = "3 s"
[wifi.home]
standard = "11n"
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
rate = "50 Mbit/s"
delay = "2 ms"
[[flow]]
name = "upload"
from = "sta1"
to = "h1"
[sampling]
ppdus = true
"""


def opened(folder: Path, text: str) -> Lab:
    file = folder / "until.toml"
    file.write_text(text)
    return airtcp.lab(file, store=folder / "runs")


def drops(lab: Lab, node: str) -> int:
    found = re.search(r"dropped (\d+)", lab[node].run("tc -s qdisc show dev eth1").output)
    assert found
    return int(found[1])


def cwnd(lab: Lab) -> int:
    found = re.search(r"cwnd:(\d+)", lab["h1"].run("ss -tin").output)
    assert found
    return int(found[1])


def test_the_first_loss_is_when_the_queue_counts_it(tmp_path: Path) -> None:
    with opened(tmp_path, WIRED) as lab:
        lost = lab.run_until("loss of download")
        assert lost is not None
        assert (lost.kind, lost.node, lost.flow, lost.by) == ("loss", "r1", "download", "queue")
        assert lost.detail in ("pfifo", "bfifo")
        assert lab.session.now_ns == lost.at_ns + 1
        with_it = drops(lab, "r1")
        # A program needs some of the network's time to look.
        lab.goto(f"{lost.at_ns - LOOK_NS} ns")
        before = drops(lab, "r1")
        assert (before, with_it) == (0, lost.packets)
        # Again, from the beginning and from elsewhere: the same instant.
        lab.goto("0 s")
        again = lab.run_until("loss")
        assert again is not None
        assert again.at_ns == lost.at_ns
        lab.goto("0 s")
        lab.run_for("50 ms")
        assert lab.run_until("loss at r1") == again


def test_a_window_falls_at_the_instant(tmp_path: Path) -> None:
    with opened(tmp_path, WIRED) as lab:
        lab.run_until("loss")
        fallen = lab.run_until("cwnd of download < 40")
        assert fallen is not None
        assert fallen.column == "cwnd"
        assert fallen.value == 39
        assert lab.session.now_ns == fallen.at_ns + 1
        # It looks without a program: 1 ns before, the value is not so; at once after, it is.
        lab.goto(f"{fallen.at_ns} ns")
        held = lab.run_until("cwnd of download >= 40")
        assert held is not None
        assert held.at_ns == lab.session.now_ns == fallen.at_ns
        assert lab.run_until("cwnd < 40 and cwnd < 1000", within="1 ms") is not None
        assert lab.session.now_ns == fallen.at_ns + 1


def test_a_retransmission_is_when_the_sender_counts_it(tmp_path: Path) -> None:
    with opened(tmp_path, WIRED) as lab:
        sent = lab.run_until("retransmit of h1")
        assert sent is not None
        assert (sent.flow, sent.node) == ("download", "h1")
        counted = lab["h1"].run("nstat -asz TcpRetransSegs").output
        assert re.search(rf"TcpRetransSegs +{sent.packets} ", counted), counted
        lab.goto(f"{sent.at_ns - LOOK_NS} ns")
        assert re.search(r"TcpRetransSegs +0 ", lab["h1"].run("nstat -asz TcpRetransSegs").output)


def test_a_backlog_rises_and_falls_at_its_instants(tmp_path: Path) -> None:
    with opened(tmp_path, WIRED) as lab:
        full = lab.run_until(f"backlog of r1 >= {QUEUE_PACKETS}")
        assert full is not None
        assert full.value == QUEUE_PACKETS
        lab.goto(f"{full.at_ns} ns")
        less = lab.run_until(f"backlog of r1:eth1 < {QUEUE_PACKETS}")
        assert less is not None
        assert less.at_ns == full.at_ns
        again = lab.run_until(f"backlog of r1:eth1 = {QUEUE_PACKETS}")
        assert again is not None
        assert again.at_ns == full.at_ns
        fallen = lab.run_until(f"backlog of r1:eth1 < {QUEUE_PACKETS}")
        # A frame departs each 1514 x 8 / 10 Mbit/s, after which one that waits has gone.
        assert fallen is not None
        assert 0 < fallen.at_ns - full.at_ns <= 1_211_200


def test_a_frame_ends_when_the_series_says(tmp_path: Path) -> None:
    with opened(tmp_path, AIR) as lab:
        lab.run_for("50 ms")
        begin_ns = lab.session.now_ns
        found = [lab.run_until("frame from sta1 to ap1 of data") for _ in range(3)]
        beacon = lab.run_until("frame of beacon")
        run = lab.measured()
    assert beacon is not None
    assert beacon.node == "ap1"
    assert beacon.to is None
    rows = run.ppdus.filter((pl.col("kind_name") == "data") & (pl.col("node_name") == "sta1"))
    ends = rows.filter(pl.col("end_ns") >= begin_ns)["end_ns"].to_list()
    assert [one.at_ns for one in found if one] == ends[:3]


def test_the_air_loses_a_packet_after_its_last_attempt(tmp_path: Path) -> None:
    for mac in ("model", "linux"):
        text = AIR.replace(
            "[wifi.home]\n", f'[wifi.home]\nmac = "{mac}"\n' if mac == "linux" else "[wifi.home]\n"
        )
        with opened(tmp_path, text) as lab:
            lab.run_for("200 ms")
            lab.loss("sta1", 1.0)
            lost = lab.run_until("loss", within="1 s")
            assert lost is not None, mac
            assert lost.by == "radio", (mac, lost)
            assert "given up after the last attempt" in lost.text
            assert lab.session.now_ns == lost.at_ns + 1


def test_a_wire_that_loses_says_so(tmp_path: Path) -> None:
    trace = tmp_path / "lossy.csv"
    trace.write_text("time_s,rate_mbps,loss\n0,50,0\n1,50,1\n")
    text = WIRED.replace(
        'rate = "10 Mbit/s"\ndelay = "10 ms"', 'trace = { file = "lossy.csv" }\ndelay = "10 ms"'
    )
    with opened(tmp_path, text) as lab:
        lost = lab.run_until("loss", within="3 s")
        assert lost is not None


def test_a_station_roams_when_the_kernel_associates_it(tmp_path: Path) -> None:
    page = (DOCS / "how-to" / "linux-wifi.md").read_text(encoding="utf-8")
    (walk,) = (block.text for block in blocks(page) if block.name == "walk.toml")
    with opened(tmp_path, walk) as lab:
        roamed = lab.run_until("roam of sta1")
        assert roamed is not None
        assert str(roamed).endswith("roam: sta1 goes from ap1 to ap2")
        assert "freq: 5745" in lab["sta1"].run("iw dev wlan0 link").output
        lab.run_for("200 ms")
        run = lab.measured()
    # The old access point goes on sending for a while, to nobody.
    arrived = run.ppdus.filter((pl.col("outcome_name") == "received") & (pl.col("to_name") == "sta1"))
    data = arrived.filter(pl.col("kind_name") == "data")
    by = {name: data.filter(pl.col("node_name") == name) for name in ("ap1", "ap2")}
    # The association ends with a frame of ap2; the keys of WPA2 come after it, as data.
    assert by["ap1"]["end_ns"].max() < roamed.at_ns
    told = arrived.filter((pl.col("node_name") == "ap2") & (pl.col("end_ns") <= roamed.at_ns))
    assert told["end_ns"].max() > by["ap1"]["end_ns"].max()
    assert by["ap2"].filter(pl.col("end_ns") > roamed.at_ns).height > 0


def test_flows_of_sessions_are_waited_for(tmp_path: Path) -> None:
    text = WIRED.split("[[flow]]")[0]
    with opened(tmp_path, text) as lab:
        lab.flow("h1", "h2", "reno")
        # Until it has delivered enough, it is no flow with a name.
        lab.run_for("200 ms")
        lost = lab.run_until("loss of h1")
        assert lost is not None
        assert lost.flow == "h1-h2"
        assert lost.node == "r1"
        again = lab.run_until("retransmit of h1-h2")
        assert again is not None
        assert again.flow == "h1-h2"
        received = lab.run_until("bytes_received of h1-h2 > 1 MB")
        assert received is not None
        assert received.value is not None
        assert received.value > 1e6


def test_what_is_not_there_ends_the_wait(tmp_path: Path) -> None:
    with opened(tmp_path, WIRED) as lab:
        assert lab.run_until("cwnd > 100000", within="100 ms") is None
        assert lab.now_s == 0.1
        assert lab.run_until("cwnd > 100000") is None
        assert lab.now_s == 6
        with pytest.raises(AirtcpError, match="the scenario's end is past: 6 s"):
            lab.run_until("cwnd > 100000")


def test_a_function_stops_at_the_first_multiple(tmp_path: Path) -> None:
    with opened(tmp_path, WIRED) as lab:
        found = lab.run_until(lambda lab: lab.now_s > 0.0125, every="5 ms")
        assert found is not None
        assert (found.kind, found.at_ns) == ("function", 15_000_000)
        assert lab.run_until(lambda _: False, within="2 ms") is None


def test_waiting_changes_nothing(tmp_path: Path) -> None:
    """The session that was waited in is to the byte the one that was not, and its inputs are the same."""
    hashes: list[object] = []
    saved: list[object] = []
    for wait in (True, False):
        for text in (AIR, AIR.replace("[wifi.home]", '[wifi.home]\nmac = "linux"')):
            with opened(tmp_path, text) as lab:
                if wait:
                    for words in (
                        "loss",
                        "retransmit",
                        "backlog > 3",
                        "cwnd > 30 and frame from sta1",
                        "srtt > 30 ms",
                    ):
                        lab.run_until(words, within="200 ms")
                lab.until("1.5 s")
                lab["sta1"].run("ss -tin; ping -c 1 h1")
                lab.until("2 s")
                hashes.append(lab.frame_hash())
                lab.save(tmp_path / "session.json")
                saved.append(json.loads((tmp_path / "session.json").read_text())["session"])
                flows = lab.series("flows")
                hashes.append(flows.hash_rows().sum())
    half = len(hashes) // 2
    assert hashes[:half] == hashes[half:]
    assert saved[: len(saved) // 2] == saved[len(saved) // 2 :]


def test_the_prompt_says_what_happened_where_and_when(tmp_path: Path) -> None:
    (tmp_path / "wired.toml").write_text(WIRED)
    lines = (
        "until loss",
        "back 50 ms",
        "run until loss of download",
        "until cwnd > 9999 within 1 ms",
        "until los",
    )
    done = subprocess.run(
        [*COMMAND, "shell", "wired.toml"],
        cwd=tmp_path,
        env=environment(),
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    lost = re.findall(r"^(\d\.\d{9} s)  loss: r1 eth1 \w+ dropped a packet of download$", done.stdout, re.M)
    assert len(lost) == 2, done.stdout
    assert lost[0] == lost[1]
    assert re.search(r"^\d\.\d{9} s  not yet: cwnd > 9999$", done.stdout, re.M), done.stdout
    assert 'los: is nothing to wait for. Did you mean "loss"?' in done.stderr
    assert done.returncode == 1
