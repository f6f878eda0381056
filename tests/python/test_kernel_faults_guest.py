"""Real guests: what once let the kernel panic or start late, and what a run tells of it."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

pytestmark = pytest.mark.guest

BEACON_INTERVAL_NS = 102_400_000
BEACON = 6
# Beacons, a probe response, a BlockAckReq and an acknowledgement that end in or before their headers, behind a radiotap header.
INJECTED = """
import socket, struct, time
sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
sender.bind(("mon0", 0))
radiotap = struct.pack("<BBHI", 0, 0, 8, 0)
addresses = bytes.fromhex("ffffffffffff 020000000004 020000000004")
for kind, lengths in ((0x80, (24, 25, 31, 32, 36)), (0x50, (24, 31)), (0x84, (16, 18, 20)), (0xd4, (10,))):
    for length in lengths:
        frame = struct.pack("<HH", kind, 0) + addresses + bytes(40)
        sender.send(radiotap + frame[:length])
        time.sleep(0.01)
print("sent")
"""


def run(tables: dict[str, Any], runner: Path, tmp_path: Path) -> Path:
    plan = compile_scenario(scenario_from_tables({"name": "faults", **tables}))
    tools = Tools(runner, {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(tmp_path / "runs"))
    return run_plan(plan, tools, Running(), lambda _: None).folder


def summary(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_bytes())


def test_gro_joins_segments_that_their_sender_still_has(real_runner: Path, tmp_path: Path) -> None:
    """Received without a copy, a segment shares its pages with the sender's queue, from which it may be sent again."""
    tables = {
        "duration": "3 s",
        "wifi": {"home": {"stations": ["sta1"], "standard": "11ax", "gro": True, "rx_copy": False}},
        "wire": [{"between": ["ap1", "h1"], "rate": "300 Mbit/s", "queue": "30 packets"}],
        "flow": [{"from": "sta1", "to": "h1"}, {"from": "h1", "to": "sta1"}],
    }
    told = summary(run(tables, real_runner, tmp_path))
    assert not told["agent"]["warnings"]
    assert all(flow["bytes_received"] > 1_000_000 for flow in told["agent"]["flows"])
    assert sum(flow["retransmits"] for flow in told["agent"]["flows"]) > 10


def test_frames_that_end_in_their_headers_are_harmless(real_runner: Path, tmp_path: Path) -> None:
    monitor = "iw dev wlan0 interface add mon0 type monitor && ip link set mon0 up"
    tables = {
        "duration": "2 s",
        "wifi": {"home": {"stations": ["sta1", "sta2"], "standard": "11n", "mac": "linux"}},
        "wire": [{"between": ["ap1", "h1"]}],
        "flow": [{"from": "sta2", "to": "h1"}],
        "program": [{"name": "inject", "node": "sta1", "command": f"{monitor} && python3 -c '{INJECTED}'"}],
    }
    folder = run(tables, real_runner, tmp_path)
    assert (folder / "programs" / "inject.out").read_text() == "sent\n"
    assert not summary(folder)["agent"]["warnings"]


def test_beacons_are_sent_from_the_first_on(real_runner: Path, tmp_path: Path) -> None:
    """Nothing but beacons is on the air: what is due next must be known before anybody sends."""
    tables = {
        "duration": "1 s",
        "wifi": {"home": {"stations": ["sta1"], "standard": "11n", "beacons": True}},
        "sampling": {"ppdus": True},
    }
    folder = run(tables, real_runner, tmp_path)
    ppdus = pl.read_parquet(folder / "series" / "ppdus.parquet").filter(pl.col("kind") == BEACON)
    epoch_ns = json.loads((folder / "plan.json").read_bytes())["epoch_ns"]
    due = range(1, (epoch_ns + 1_000_000_000) // BEACON_INTERVAL_NS + 1)
    sent = [start_ns + epoch_ns for start_ns in ppdus["start_ns"]]
    assert sent == [BEACON_INTERVAL_NS * number for number in due]
    assert summary(folder)["air"]["late_max_ns"] == 0


def test_samples_that_would_start_before_the_network_is_ready_are_refused(real_runner, tmp_path):
    """The samplers of the kernel began in the past, and virtual time ran backwards."""
    cell = {"standard": "11b", "mac": "linux", "setup": "daemons", "security": "wpa2", "stations": 6}
    tables = {
        "duration": "1 s",
        "epoch": "1 s",
        "wifi": {"home": cell},
        "ping": [{"from": "sta6", "to": "ap1"}],
        "sampling": {"qdiscs": "1 ms"},
    }
    ready_ns = summary(run(tables, real_runner, tmp_path))["agent"]["ready_ns"]
    # Nothing of this network depends on the epoch before that.
    tables["epoch"] = f"{ready_ns} ns"
    with pytest.raises(AirtcpError, match=r"the network was ready .* at or after the epoch"):
        run(tables, real_runner, tmp_path)
