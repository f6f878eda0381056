"""QUIC in guests: its logs are a series on virtual time, and endpoints keep the contract of the interop runner."""

import shutil

import pytest
from airtcp.data.run_folder import open_run
from support.command import airtcp
from support.documentation_pages import ROOT

pytestmark = pytest.mark.guest

MS = 1_000_000


@pytest.fixture
def ran(tmp_path, guest_python):
    """Runs a scenario of an example, with other texts in it; gives the run."""

    def run(example, scenario, **others):
        folder = tmp_path / example
        shutil.copytree(ROOT / "examples" / example, folder)
        file = folder / scenario
        text = file.read_text().replace("python3", guest_python)
        for old, new in others.items():
            text = text.replace(old, new)
        file.write_text(text)
        answer = airtcp("run", file.name, cwd=folder)
        assert answer.returncode == 0, answer.stderr
        (found,) = (folder / "runs").glob("[!.]*")
        return open_run(found)

    return run


def test_windows_and_losses_of_quic_are_beside_those_of_tcp(ran):
    run = ran("quic", "wire.toml")
    assert run.quic_left_out == ()
    client, server = run.quic_connections
    assert (client["node"], server["node"]) == ("h2", "h1")
    (udp,) = (
        flow for flow in run.flow_reports if flow.get("protocol") == "udp" and flow["from"]["node"] == "h1"
    )
    # Coalesced packets share a datagram.
    assert udp["datagrams_sent"] <= server["packets_sent"] <= udp["datagrams_sent"] + 5
    # What was lost on the way filled the queue; QUIC deems lost nothing else, but for a few out of order.
    lost = udp["datagrams_sent"] - udp["datagrams_received"]
    assert lost <= server["packets_lost"] <= lost + 5
    # The clock is the run's: the server answers a client that began at 0.5 s, after at least a one-way delay.
    assert 0 <= client["first_ns"] - 500 * MS < 50 * MS
    # ARP takes a round trip at most.
    assert 15 * MS <= server["first_ns"] - client["first_ns"] < 50 * MS
    assert abs(server["first_ns"] - udp["connected_ns"]) < MS
    rows = run.part("quic", "connection", 1)
    told = rows.filter(rows["min_rtt_us"] > 0)
    # Twice 15 ms, and never more than the queue of 50 packets adds.
    assert 30_000 <= told["min_rtt_us"].min() < 33_000
    assert told["latest_rtt_us"].max() < 30_000 + 51 * 1500 * 8 / 10 + 25_000


def test_an_endpoint_keeps_the_contract_of_the_interop_runner(ran):
    run = ran("quic-interop", "simple-p2p.toml")
    assert (run.folder / "programs" / "client.out").read_text() == "transfer: passed\n"
    assert {end["vantage_point"] for end in run.quic_connections} == {"client", "server"}


def test_a_blackhole_is_survived_by_retransmissions(ran):
    run = ran("quic-interop", "blackhole.toml")
    assert (run.folder / "programs" / "client.out").read_text() == "transfer: passed\n"
    assert any(end["packets_lost"] > 0 for end in run.quic_connections)
