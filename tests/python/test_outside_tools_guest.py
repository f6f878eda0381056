"""Tools of the field as typed (tools/outside.toml), those that are installed; their numbers and airtcp's agree."""

import gzip
import json
import subprocess

import outside
import pytest
from outside import Tool, tools
from support.command import run_text

pytestmark = pytest.mark.guest

# What a program sees pass between two readings of a clock (docs/limitations.md).
CLOCK_STEP_NS = 256


@pytest.mark.parametrize("tool", tools(), ids=lambda tool: tool.name)
def test_a_tool_works_as_typed(tool, tmp_path):
    if not tool.is_here:
        pytest.skip(f"{tool.package} is not installed")
    run = run_text(tmp_path, tool.scenario())
    said = "".join((run.folder / "programs" / f"client.{end}").read_text() for end in ("out", "err"))
    assert tool.expect in said


def agreement(tmp_path, name, server, client):
    tool = Tool(name, "", "", client, "", server)
    if not tool.is_here:
        pytest.skip(f"{name} is not installed")
    captured = tool.scenario() + '[[capture]]\nnode = "sta1"\ninterface = "wlan0"\nname = "seen"\n'
    return run_text(tmp_path, captured)


def test_bytes_of_iperf3_are_those_of_airtcp(tmp_path):
    run = agreement(tmp_path, "iperf3", "iperf3 -s", "iperf3 -c h1 -t 2 -J")
    told = json.loads((run.folder / "programs" / "client.out").read_text())["end"]["sum_received"]
    (flow,) = json.loads((run.folder / "summary.json").read_text())["sockets"]["flows"]
    # The stream begins with a cookie of 37 bytes (COOKIE_SIZE of iperf3).
    assert flow["bytes_received"] == told["bytes"] + 37


def seen_on_the_way(file, source):
    """When packets of UDP from an address passed, in ns since 1970."""
    fields = ["-Y", f"udp && ip.src == {source}", "-T", "fields", "-e", "frame.time_epoch"]
    said = subprocess.run(["tshark", "-r", str(file), *fields], capture_output=True, text=True, check=True)
    return [int(time.replace(".", "")) for time in said.stdout.split()]


def test_times_of_irtt_are_those_of_packets_to_a_few_readings_of_a_clock(tmp_path):
    run = agreement(
        tmp_path, "irtt", "irtt server", "irtt client -i 20ms -d 1s -Q -o $RUN_DIR/irtt.json.gz h1"
    )
    with gzip.open(run.folder / "programs" / "irtt.json.gz") as file:
        told = json.load(file)["round_trips"]
    capture = run.folder / "pcap" / "seen.pcapng"
    # The first of both opens the test.
    sent, answered = (seen_on_the_way(capture, f"10.0.0.{host}")[1 : len(told) + 1] for host in (1, 2))
    assert len(told) == len(sent) == len(answered) == 50
    for one, out, back in zip(told, sent, answered, strict=True):
        clocks = one["timestamps"]["client"]
        # Each reading of a clock takes a step: before it sends, and after it has received.
        assert 0 <= out - clocks["send"]["wall"] <= 3 * CLOCK_STEP_NS
        assert 0 <= clocks["receive"]["wall"] - back <= 3 * CLOCK_STEP_NS
        # It leaves out what the server has taken between two readings of its own.
        assert abs(one["delay"]["rtt"] - (back - out)) <= 4 * CLOCK_STEP_NS


def test_the_page_has_what_is_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(outside, "RESULTS", tmp_path)
    step = {"folder": "net", "status": 1, "known": "", "end_s": 2.0}
    failed = {
        **step,
        "test": "a.sh",
        "verdict": "failed",
        "reason": "why | not",
        "steps": {"pass": 1, "fail": 1},
    }
    passed = {**step, "test": "b.sh", "verdict": "passed", "reason": "", "steps": {}}
    outside.store("selftests-net", {"kernel": "6.12-lab", "tests": [failed, passed]})
    page = outside.page()
    assert "| net | 6.12-lab | 2 | 1 failed, 1 passed | 4 s |" in page
    assert "| net: a.sh | failed | 1 of 2 | why / not |" in page
    assert "b.sh" not in page
