"""The scenarios of the page about programs run, and print what they are there for."""

import json
import re

import pytest
from airtcp.data.load import load
from support.command import airtcp
from support.documentation_pages import DOCS, blocks

pytestmark = pytest.mark.guest

BLOCKS = blocks((DOCS / "how-to" / "programs.md").read_text(encoding="utf-8"))
SCENARIOS = {
    match[1]: block.text
    for block in BLOCKS
    if block.language == "toml" and (match := re.match(r'name = "(\w+)"', block.text))
}


@pytest.fixture
def ran(tmp_path, guest_python):
    """Runs a scenario of the page, with the files of the page beside it; gives the folder of its programs."""

    def run(name, more=""):
        for block in BLOCKS:
            if block.language == "python" and (match := re.match(r"# (\w+\.py)\n", block.text)):
                (tmp_path / match[1]).write_text(block.text)
        file = tmp_path / f"{name}.toml"
        file.write_text(SCENARIOS[name].replace("PYTHON", guest_python) + more)
        answer = airtcp("run", file.name, cwd=tmp_path)
        assert answer.returncode == 0, answer.stderr
        (programs,) = (tmp_path / "runs").glob("[!.]*/programs")
        return programs

    return run


def test_the_page_has_these_scenarios():
    assert sorted(SCENARIOS) == ["curl", "echo", "iperf3", "quic"]


def test_iperf3(ran):
    programs = ran("iperf3")
    report = json.loads((programs / "client.out").read_text())
    # 802.11g at 54 Mbit/s carries some 24.
    assert 20e6 < report["end"]["sum_received"]["bits_per_second"] < 26e6
    assert load(programs / "client.out").format == "iperf3 JSON"


def test_curl_and_a_web_server(ran):
    seconds, speed = re.match(r"([\d.]+) s, (\d+) B/s", (ran("curl") / "client.out").read_text()).groups()
    assert 5e6 / float(seconds) == pytest.approx(int(speed), rel=0.01)
    # Five megabytes at 50 Mbit/s, after slow start over 20 ms.
    assert 0.8 < float(seconds) < 1.5


def test_an_asyncio_client_and_server(ran):
    times = [float(line.split()[0]) for line in (ran("echo") / "client.out").read_text().splitlines()]
    assert len(times) == 5
    assert all(10 < time < 12 for time in times)


def test_quic(ran):
    said = (ran("quic") / "client.out").read_text()
    received, seconds = re.match(r"(\d+) bytes in ([\d.]+) s", said).groups()
    assert int(received) == 1_000_000
    # Not faster than the air, which has 24 Mbit/s.
    assert 0.3 < float(seconds) < 3


def test_tcpdump(ran):
    (text,) = (block.text for block in BLOCKS if 'name = "tcpdump"' in block.text)
    programs = ran("echo", text)
    packets = load(programs / "h1.pcap").frame("packets")
    assert packets.height > 20
