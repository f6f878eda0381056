"""Flows that a session starts, and looks at what it has recorded while it goes on."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import airtcp
import pexpect
import polars
import pytest
from airtcp.errors import AirtcpError
from airtcp.sessions.lab import Lab
from support.command import COMMAND, environment, run_text

pytestmark = pytest.mark.guest

NETWORK = """
name = "traffic"
duration = "10 s"
[wifi.home]
standard = "11n"
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "h1"]
rate = "20 Mbit/s"
delay = "5 ms"
[[flow]]
from = "sta1"
to = "h1"
start = "0.5 s"
stop = "3 s"
"""


@pytest.fixture
def network(tmp_path: Path) -> Path:
    file = tmp_path / "traffic.toml"
    file.write_text(NETWORK)
    return file


@pytest.fixture
def lab(network: Path, tmp_path: Path) -> Iterator[Lab]:
    with airtcp.lab(network, store=tmp_path / "runs") as opened:
        yield opened


def test_a_flow_of_a_session_is_a_flow_of_its_run(lab: Lab, tmp_path: Path) -> None:
    lab.run_for("250 ms")
    timed = lab.flow("sta2", "h1", "bbr", length="1 s")
    sized = lab.flow("h1", "sta2", "reno", size="1 MB")
    endless = lab.flow("sta2", "h1")
    result = timed.wait()
    # It stops after a second, and what it had written arrives.
    assert 1.25 < result.ended_s < 2.5
    assert result.output.startswith("sta2 > h1, bbr: ")
    assert "1000000 bytes" in sized.wait().output
    assert endless.poll() is None
    endless.close_input()
    assert endless.wait(timeout="2 s").status == 0
    lab.run_for("100 ms")
    found = lab.frame_hash().hash
    lab.save(tmp_path / "kept.toml")
    run = run_text(tmp_path / "again", (tmp_path / "kept.toml").read_text())
    assert run.manifest["frame_hash"] == found
    flows = {flow["name"]: flow for flow in run.flow_reports}
    assert sorted(flows) == ["h1-sta2", "sta1-h1", "sta2-h1 #1", "sta2-h1 #2"]
    assert flows["h1-sta2"]["bytes_received"] == 1_000_001  # with the FIN
    controls = {name: flow["congestion_control"] for name, flow in flows.items()}
    assert controls == {"h1-sta2": "reno", "sta1-h1": "cubic", "sta2-h1 #1": "bbr", "sta2-h1 #2": "cubic"}
    samples = run.flows.filter(polars.col("flow_name") == "sta2-h1 #1")
    assert samples.height >= 10
    assert samples["cwnd"].max() > 10
    assert samples["srtt_us"].max() > 10_000
    # It starts at the instant of its input, but for the time that its process takes.
    assert 0 <= flows["sta2-h1 #1"]["connected_ns"] - 250_000_000 < 20_000_000


def test_a_session_may_end_when_flows_of_the_plan_stop(tmp_path: Path) -> None:
    end = '[[session]]\nat = "3 s"\nend = true\n'
    run = run_text(tmp_path, NETWORK + end)
    assert run.agent["end_ns"] == pytest.approx(3_000_000_000, abs=1_000)


def test_a_flow_that_cannot_be_says_why(lab: Lab) -> None:
    with pytest.raises(AirtcpError, match='unknown congestion control "nosuch"'):
        lab.flow("sta1", "h1", "nosuch")
    with pytest.raises(AirtcpError, match="from one node to another"):
        lab.flow("sta1", "sta1")
    with pytest.raises(AirtcpError, match='no node "nobody"'):
        lab.flow("sta1", "nobody")
    with pytest.raises(AirtcpError, match="is out of range"):
        lab.flow("sta1", "h1", length=0)
    # The port is in use: the act says so itself.
    act = {"kind": "flow", "from": "sta1", "to": "h1", "address": "10.0.0.4", "port": 5001}
    refused = lab.session.enter({**act, "congestion_control": "cubic", "bytes": None, "length_ns": None})
    lab.run_for("1 ms")
    assert refused.refused == "port: 5001 is not free at h1"


def test_programs_cannot_look_into_the_process_of_a_flow(lab: Lab) -> None:
    lab.flow("sta1", "h1")
    lab.run_for("10 ms")
    pid = lab["sta1"].run("pgrep -f ^airtcp-flow").check().output.split()[0]
    for what in ("exe", "root/run/airtcp/plan.json", "fd/0", "cwd", "mem", "environ"):
        looked = lab["sta1"].run(f"cat /proc/{pid}/{what}")
        assert looked.status == 1, what
        assert "Permission denied" in looked.error, what


def test_what_was_recorded_so_far_is_that_of_the_run(lab: Lab) -> None:
    lab.flow("sta2", "h1", "bbr")
    lab.until("1.05 s")
    flows, air, queues = lab.series("flows"), lab.series("air"), lab.series("qdiscs")
    with pytest.raises(AirtcpError, match='no series "pings" so far'):
        lab.series("pings")
    run = lab.measured()
    # The run's last sample is that of its end.
    key = ["time_ns", "flow_name", "cca", "bytes_received", "cwnd", "srtt_us", "tcp_info"]
    before = run.flows.filter(polars.col("time_ns") < 1_050_000_000)
    assert flows.height > 10
    assert set(flows["flow_name"]) == {"sta1-h1", "sta2-h1"}
    assert (
        flows.select(key).sort("flow_name", "time_ns").equals(before.select(key).sort("flow_name", "time_ns"))
    )
    assert air.equals(run.air.filter(polars.col("time_ns") < 1_050_000_000))
    seen = run.qdiscs.filter(polars.col("time_ns") < 1_050_000_000)
    assert queues.drop("qdisc").equals(seen.drop("qdisc"))


def shell(network: Path, store: Path, commands: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, "shell", str(network), "--store", str(store)],
        env=environment(),
        input=commands,
        capture_output=True,
        text=True,
        check=False,
    )


def test_watch_shows_the_network_and_leaves_the_run_as_it_is(network: Path, tmp_path: Path) -> None:
    begin = "flow sta2 h1 bbr\n"
    watched = shell(network, tmp_path, f"{begin}watch 2 s\nhash\n")
    plain = shell(network, tmp_path, f"{begin}run 2 s\nhash\n")
    assert watched.returncode == plain.returncode == 0, watched.stderr
    lines = watched.stdout.splitlines()
    assert lines[-1] == plain.stdout.splitlines()[-1]
    found = [line for line in lines if line.startswith("2.001 s  ")]
    assert any(line.startswith("2.001 s  flow sta1-h1 cubic: ") for line in found)
    (flow,) = (line for line in found if "flow sta2-h1 bbr: " in line)
    assert float(flow.partition(": ")[2].partition(" ")[0]) > 1
    assert "srtt -" not in flow
    assert any("radio sta1: signal -" in line and "65.0 Mbit/s" in line for line in found)
    assert any("queue ap1-eth0" in line for line in found)


def test_a_flow_is_stopped_at_the_prompt(network: Path, tmp_path: Path) -> None:
    commands = "flow sta2 h1 bbr\nrun 1 s\njobs\nkill 1\nrun 1 s\njobs\nflow sta2 h1 5 parsecs\nflow sta2\n"
    done = shell(network, tmp_path, commands)
    assert done.stdout.count("[1] flow sta2 h1 bbr\n") == 2
    assert "sta2 > h1, bbr: " in done.stdout
    assert "is no length and no size" in done.stderr
    assert "needs two nodes" in done.stderr


def test_nothing_of_a_watch_at_a_pipe_without_a_length(network: Path, tmp_path: Path) -> None:
    done = shell(network, tmp_path, "watch\n")
    assert "needs a length" in done.stderr


def test_watch_draws_at_a_terminal_until_ctrl_c(network: Path, tmp_path: Path) -> None:
    settings = {**environment(), "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}
    program, *words = COMMAND
    words += ["shell", str(network), "--store", str(tmp_path / "runs")]
    shell = pexpect.spawn(program, words, encoding="utf-8", timeout=30, env=settings, dimensions=(40, 100))
    try:
        shell.expect("0.000000 s>")
        time.sleep(0.5)
        shell.sendline("pace 1")
        shell.expect("s>")
        time.sleep(0.5)
        shell.sendline("sta1 sh -c 'while :; do echo beside; sleep 0.3; done' &")
        shell.expect("s>")
        time.sleep(0.5)
        shell.sendline("watch")
        # Two pictures, the second in the place of the first (cursor up), and what a job says above.
        shell.expect(r"0\.\d{3} s {3}\(Ctrl-C stops the clock\)")
        shell.expect(r"\x1b\[1A")
        shell.expect(r"\[1\] beside")
        shell.expect("sta1-h1")
        shell.expect("65.0")
        shell.sendintr()
        shell.expect("s>")
        time.sleep(0.5)
        shell.sendline("hash")
        shell.expect("[0-9a-f]{16}")
    finally:
        shell.close(force=True)
