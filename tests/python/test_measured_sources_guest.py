"""A fit to files of other programs, made of a run whose parameters are known."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from support.command import airtcp, run_file

SCENARIO = """
name = "line"
duration = "4 s"
[[wire]]
between = ["h1", "h2"]
rate = "20 Mbit/s"
delay = {delay}
queue = "60 packets"
[[flow]]
from = "h1"
to = "h2"
start = "1 s"
[[ping]]
name = "pings"
from = "h1"
to = "h2"
interval = "50 ms"
"""
SOURCES = """
scenario = "model.toml"
[[run]]
[[run.source]]
file = "ping.txt"
ping = "pings"
[[run.source]]
file = "rates.csv"
flow = "h1-h2"
"""


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """What a run over a line of 7 ms would have left, had ping and a program that prints rates measured it."""
    truth = tmp_path / "truth.toml"
    truth.write_text(SCENARIO.format(delay='"7 ms"'))
    run = run_file(truth, tmp_path / "truth")
    pings = run.ping_samples(0)
    lines = [
        f"[{(time + rtt) / 1e9:.6f}] 64 bytes from h2: icmp_seq={number + 1} ttl=64 time={rtt / 1e6:.3f} ms"
        for number, (time, rtt) in enumerate(pings.select("time_ns", "rtt_ns").rows())
        if rtt >= 0
    ]
    head = "PING h2 (10.0.0.2) 56(84) bytes of data.\n"
    folder = tmp_path / "measured"
    folder.mkdir()
    (folder / "ping.txt").write_text(head + "\n".join(lines) + "\n")
    received = [0, *run.flow_samples(0)["bytes_received"].to_list()]
    rates = [(later - before) * 80 for before, later in pairwise(received)]
    rows = "".join(f"{n / 10:.1f},{rate}\n" for n, rate in enumerate(rates[:30]))
    (folder / "rates.csv").write_text(f"time,bit/s\n{rows}")
    (folder / "model.toml").write_text(SCENARIO.format(delay='"?"'))
    (folder / "sources.toml").write_text(SOURCES)
    return folder


def test_a_delay_is_found_again(measured):
    out = measured / "fitted.toml"
    answer = airtcp(
        "fit", measured, "--model", measured / "model.toml", "--out", out, "--json", cwd=measured.parent
    )
    assert answer.returncode == 0, answer.stderr
    (found,) = json.loads(answer.stdout)["parameters"]
    assert found["path"] == "wire[0].delay"
    # In nanoseconds; rates and RTTs were printed with fewer digits than runs have.
    assert found["value"] == pytest.approx(7e6, rel=0.02)
